"""How high the hips are around the top of a jump."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import synthetic
from gallop import arc, features, runner
from gallop.arc import FREE, OFF, Arc

TIME = int(runner.RULES["jump_time"])
GAITS = runner.GAITS
RULES = synthetic.contract(GAITS, runner.RULES)
FRAMES = np.arange(-TIME, TIME + 1)
HEIGHT = 90.0 + 30 * np.cos(FRAMES / TIME * np.pi / 2) + 0.3 * FRAMES


def jumping(tops, keep=None):
    """A data set of one take that jumps at these frames."""
    take = synthetic.take(synthetic.walk(420))
    gait = np.pad(take.labels.gait, ((0, 0), (0, len(GAITS) - take.labels.gait.shape[1])))
    position = take.position.copy()
    for top in tops:
        part = slice(top - TIME, top + TIME + 1)
        gait[part, runner.JUMP] = 0.5 + 0.5 * np.cos(np.pi * FRAMES / TIME)
        position[part, 0, 1] = HEIGHT
    take = replace(take, position=position, labels=replace(take.labels, gait=gait))
    if keep is not None:
        take.keep[keep] = False
    return features.build(RULES, [take])


def test_the_datas_jumps_are_shown():
    assert arc.shown(RULES, jumping([150, 300]), 0) == pytest.approx(HEIGHT)
    assert len(arc.shown(RULES, jumping([]), 0)) == 0
    assert len(arc.shown(RULES, jumping([150], keep=160), 0)) == 0  # not whole
    assert len(arc.shown(synthetic.contract(), synthetic.dataset(), 0)) == 0


def loss(hips, top):
    """Of four characters, of whom the first jumps and whose top is so many frames ahead."""
    tops = torch.full((4, 3), -200.0)
    tops[0] = torch.tensor([float(top), top - 1, top - 2])
    amount = torch.where(tops.abs() < TIME, torch.ones_like(tops), 0 * tops)
    height = torch.full((4, 3), 90.0)
    height[0] = torch.tensor(hips)
    return float(Arc(HEIGHT, torch.device("cpu")).loss(height, tops, amount))


def test_who_jumps_as_the_data_loses_nothing():
    for top in (20, 1, -10):
        at = [float(HEIGHT[TIME - top + i]) for i in range(3)]
        assert loss(at, top) == 0
        assert loss([(1 + 0.9 * FREE) * h for h in at], top) == 0


def test_who_comes_down_before_the_top_loses():
    at = HEIGHT[TIME - 8 : TIME - 5]
    assert loss([float((1 - FREE - OFF) * h) for h in at], 8) == pytest.approx(1, rel=1e-3)


def test_without_a_jump_nothing_is_asked():
    none = Arc(np.zeros(0), torch.device("cpu"))
    assert float(none.loss(torch.ones(2, 3), torch.zeros(2, 3), torch.ones(2, 3))) == 0
