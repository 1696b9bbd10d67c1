"""The recorded run of the shipped dog: torch repeats it, and the C controller follows it."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from gallop import modelfile
from gallop.dog import record as dog_record

ROOT = Path(__file__).resolve().parents[2]
MODEL, RUN = ROOT / "models" / "dog.gallop", ROOT / "test" / "recorded" / "dog_run.npy"
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build" / "dev" / "cli" / "gallop"))


def test_torch_repeats_the_run():
    run = np.load(RUN)
    assert run.shape == (600, 24) and run.dtype == np.float32
    assert np.array_equal(run[:, :6], dog_record.commands())
    again = dog_record.play(modelfile.read(MODEL), run[:120, :6])
    assert np.abs(again - run[:120, 6:]).max() < 0.02


def test_the_runtime_follows_the_run(tmp_path):
    if not COMMAND.exists():
        pytest.skip("no gallop command: build it, or name it in GALLOP_COMMAND")
    run = np.load(RUN)
    sticks = run[:, :6].copy()
    # Straight towards the camera, and strafing from the same frame on: half a turn, of which the
    # last bit says which way round is the shorter one. This is torch's; the other ends 1 cm off.
    assert np.array_equal(sticks[375], np.float32([0, -0.6, 0, 1, 0, 0]))
    sticks[375, 0] = 1e-30
    rows = [",".join(f"{v:.9g}" for v in row) for row in sticks]
    script = tmp_path / "run.csv"
    script.write_text("\n".join(["move_x,move_y,run,strafe,camera_yaw,jump", *rows]) + "\n")
    subprocess.run([COMMAND, "drive", MODEL, "--input", script, "--no-foot-lock", "-o",
                    tmp_path / "poses.npy", "--states", tmp_path / "states.npy"], check=True)
    states = np.load(tmp_path / "states.npy")
    assert np.abs(states[:, [0, 2]] - run[:, 6:8]).max() < 0.1  # cm; other last bits: 0.013
    turn = np.angle(np.exp(1j * (states[:, 3] - run[:, 8])))
    assert np.abs(turn).max() < 0.0005
