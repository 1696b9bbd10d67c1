"""What feet slide in a motion, by manners of going."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import dog_synthetic
from gallop import library
from gallop.dog import skate

WALK, BACK = skate.Manner("walk", 0.6), skate.Manner("back", 0.6, 0.0, 180.0)
CIRCLE = skate.Manner("circle", 0.6, 0.5)


def figures(clip, manner, by=None):
    """Skate, seconds and share on the ground."""
    return [float(word) if word != "-" else None
            for word in skate.of_motion([clip], [by or clip], manner).split()]


def test_a_walk_stands_still_and_one_carried_on_slides():
    clip = dog_synthetic.walk(400)
    clip.contact[1:] *= clip.contact[:-1]  # where it lands it comes from the air
    slide, seconds, on = figures(clip, WALK)
    assert slide < 0.5 and seconds == pytest.approx(400 / 60, abs=0.3)
    assert on == pytest.approx(63, abs=3)
    faster = replace(clip, root=clip.root * [1, 1.1])
    assert figures(faster, WALK)[0] == pytest.approx(6, abs=0.5)  # a tenth of its 60 cm/s
    assert figures(faster, WALK, clip)[0] == pytest.approx(6, abs=0.5)
    assert figures(clip, WALK, faster)[0] < 0.5


def test_frames_are_of_the_manner_that_they_go_in():
    walk = dog_synthetic.walk(400)
    assert skate.near(walk, WALK).mean() > 0.9
    assert not skate.near(walk, BACK).any() and not skate.near(walk, CIRCLE).any()
    assert skate.near(replace(walk, facing=walk.facing + np.pi), BACK).mean() > 0.9
    assert skate.near(dog_synthetic.walk(400, turn=0.5 / 60), CIRCLE).mean() > 0.9
    assert figures(walk, BACK) == [None] * 3
    dropped = replace(walk, keep=np.zeros(len(walk), bool))
    assert figures(dropped, WALK) == [None] * 3


def test_sticks_tell_each_manner():
    rules = {"speed_walk": 1.5, "speed_run": 35 / 6, "speed_side": 0.2, "speed_back": 0.3}
    command = skate.told(60, rules)
    for i, manner in enumerate(skate.MANNERS):
        part = {90: 0.2, 180: 0.3}.get(manner.angle, 1)
        more, size = float(command.run[i]), float(command.move[i].norm())
        speed = size * (1.5 + more * (35 / 6 - 1.5)) * 0.6 * part
        assert speed == pytest.approx(manner.speed, abs=0.002)
        assert bool(command.strafe[i]) == (manner.angle > 0 or manner.speed == 0)
    assert float(skate.told(180, rules).jump.sum()) == 1 and float(command.jump.sum()) == 0


@pytest.mark.parametrize("words, status, message", [
    ([], 2, "usage: python -m gallop.dog.skate MODEL"),
    (["nowhere"], 1, "gallop.dog.skate: nowhere: No such file"),
    (["walker"], 1, "walker.gallop: no hinges, a dog expected"),
    (["dog", "nowhere"], 1, "is missing")])
def test_wrong_files_are_one_line(words, status, message, monkeypatch, capsys):
    models = library.models_folder()
    files = [str(models / f"{w}.gallop") if w != "nowhere" else w for w in words]
    monkeypatch.setattr(sys, "argv", ["skate", *files])
    assert skate.main() == status
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
