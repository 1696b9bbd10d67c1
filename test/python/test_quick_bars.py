"""The bars of --quick (docs/training/*-quick.bars): a whole training keeps them, a statue does
not."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from gallop import judge, modelfile
from gallop.dog import mend
from gallop.prune import blocks

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build/dev/cli/gallop"))
SECONDS = 12  # of each script

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="no gallop command: name it in "
                                "GALLOP_COMMAND")


def judged(model: Path, kind: str, seconds: int = SECONDS) -> dict:
    return judge.figures(str(COMMAND), model, seconds, ROOT / f"docs/training/{kind}-quick.bars")


@pytest.mark.parametrize("kind", ["walker", "runner", "dog"])
def test_what_was_trained_longer_keeps_them(kind):
    said = judged(ROOT / "models" / f"{kind}.gallop", kind)
    assert said["bars"] > 100
    assert said["missed"] == []


def others(model: modelfile.Model) -> set[str]:
    """What the contract says, without the rules that are fitted to a dog, by its training or after
    it."""
    fitted = tuple(f"rule {name} " for name in (*mend.FIT, "foot_reach"))
    return {line for line in model.contract.splitlines() if not line.startswith(fitted)}


@pytest.mark.parametrize("kind", ["walker", "dog"])
def test_a_half_keeps_them_too(kind):
    """It has the whole one's contract but for rules that are fitted to each network, and half of
    its patches."""
    path = ROOT / "models" / f"{kind}-half.gallop"
    half, whole = modelfile.read(path), modelfile.read(ROOT / "models" / f"{kind}.gallop")
    assert others(half) == others(whole)
    assert abs(blocks.share_of(half) - 0.5) < 0.001
    said = judged(path, kind)
    assert said["bars"] > 100 and said["missed"] == []


@pytest.mark.parametrize("kind", ["walker", "runner", "dog"])
def test_a_statue_does_not(kind, tmp_path):
    model = modelfile.read(ROOT / "models" / f"{kind}.gallop")
    last = model.layers[-1]
    last.weights, last.bias = np.zeros_like(last.weights), np.zeros_like(last.bias)
    model.golden = None
    modelfile.write(model, tmp_path / "statue.gallop")
    said = judged(tmp_path / "statue.gallop", kind, 5)
    missed = {(m["script"], m["figure"]) for m in said["missed"]}
    assert {("walk", "off"), ("run", "off"), ("back run", "off")} <= missed
