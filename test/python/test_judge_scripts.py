"""The judge in torch and the command's are asked the same things, in the same order."""

import re
from pathlib import Path

import numpy as np

from gallop import judge

COMMAND = Path(__file__).resolve().parents[2] / "cli" / "judge_script.c"


def test_the_scripts_are_the_commands():
    table = COMMAND.read_text().split("gali_judge_scripts[] = {")[1].split("};")[0]
    names = re.findall(r'\.name = "([^"]+)"', table)
    flat = [n for n in names if "hills" not in n and "jump" not in n]  # those are its alone
    assert [s.name for s in judge.SCRIPTS] == flat


def test_sides_take_turns():
    script = next(s for s in judge.SCRIPTS if s.name == "stop and go side")
    none = np.zeros((1, 20, 3))
    move = [judge.stick_at([script], t, none).move[0] for t in (0, 179, 180, 300, 479, 480, 600)]
    assert np.allclose(move, [(1, 0), (1, 0), (0, 0), (-1, 0), (-1, 0), (0, 0), (1, 0)], atol=1e-6)
