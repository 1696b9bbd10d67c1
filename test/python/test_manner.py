"""How people go: what the data shows of each manner, and what is lost by going otherwise."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import synthetic
from gallop import features, manner, walker
from gallop.manner import BEND, CLEAR, FREE, MANNERS, Moments, Targets

C = synthetic.contract()
UNIT = 0.001  # m, of the made-up figures
HEIGHT, SWING = 900.0, (6.0, -8.0)  # of the hips: they go up and down by 40
FOOT = 10.0  # how far feet go to either side
DEEP = (FREE + BEND) * HEIGHT


def loss(height=HEIGHT, swing=1.0, late=0.0, feet=0.0, uneven=0.0, phased=True, sure=True):
    """Of a pool of 64 in all phases, `uneven`ly, that walks ahead so, after 20 steps."""
    count = len(MANNERS)
    goal = Targets(np.full((count, 4, 3), FOOT / math.sqrt(2)), np.full(count, HEIGHT),
                   np.tile(SWING, (count, 1)), np.full(count, 1 / 60), np.ones(count),
                   np.ones(count, bool), np.full(count, sure))
    held = Moments(goal, UNIT, torch.device("cpu"))
    phase = (torch.arange(64)[:, None] / 64 + torch.arange(4) / 60) * 2 * math.pi
    phase = phase + uneven * torch.sin(2 * phase)
    foot = FOOT * torch.sin(phase)[..., None, None].expand(-1, -1, 4, 3)
    foot = foot + torch.tensor([0, feet, 0])
    twice = 2 * (phase - late)
    up = 2 * (SWING[0] * torch.cos(twice) + SWING[1] * torch.sin(twice))
    advance = torch.full_like(phase, 1 / 60) if phased else None
    for _ in range(20):
        both = held.loss(foot, height + swing * up, advance, phase, torch.zeros(64))
    return [float(v) for v in both]


def test_who_goes_as_the_data_loses_nothing():
    assert loss() == pytest.approx([0, 0], abs=1e-4)
    assert loss(height=(1 - 0.9 * FREE) * HEIGHT) == pytest.approx([0, 0], abs=1e-4)


@pytest.mark.parametrize("phased", [True, False])
def test_low_hips_count(phased):
    assert loss(height=HEIGHT - DEEP, phased=phased)[1] == pytest.approx(1, rel=1e-3)


def test_hips_count_in_what_the_data_shows_for_long_alone():
    assert loss(height=HEIGHT - DEEP, sure=False) == pytest.approx([0, 0], abs=1e-4)


def test_who_floats_is_no_taller_and_who_flies_no_smaller():
    clear = CLEAR / UNIT
    low = 0.5 * clear
    assert loss(feet=low)[1] == pytest.approx(((low / HEIGHT - FREE) / BEND) ** 2, rel=1e-2)
    assert loss(height=HEIGHT + low, feet=low)[1] < 1e-3
    assert loss(height=HEIGHT + clear, feet=10 * clear)[1] < 1e-3


def test_hips_that_stay_level_count_and_more_where_they_sink_for_rising():
    assert loss(swing=0.0)[1] == pytest.approx(1, rel=1e-3)
    assert loss(late=math.pi / 2)[1] == pytest.approx(4, rel=1e-3)


def test_low_hips_are_no_swing():
    """Nor where some phases last longer than others."""
    assert loss(swing=0.0, height=HEIGHT - DEEP, uneven=0.4)[1] == pytest.approx(2, rel=0.01)


def test_what_the_data_shows_of_a_walk():
    """Hips of one who walks are as high over the lower toe as they are."""
    data = synthetic.dataset()
    goal = manner.targets(C, data, 0)
    ahead = MANNERS.index("ahead walk")
    assert goal.known[ahead] and not goal.known[MANNERS.index("back run")]
    assert not goal.sure[ahead]  # some seconds
    toes = [C.joint_names().index(leg[3]) for leg in C.legs]
    over = np.concatenate([t.position[:, 0, 1] - t.position[:, toes, 1].min(1) for t in data.takes])
    assert over.min() < goal.height[ahead] < over.max()


def test_who_crouches_or_jumps_shows_no_manner():
    gaits = [*walker.GAITS, ("crouch", "crouch")]
    rules = synthetic.contract(gaits)
    data = synthetic.dataset()
    for amount, shown in ((0.0, True), (1.0, False)):
        takes = [replace(t, labels=replace(t.labels, gait=np.concatenate(
            [t.labels.gait, np.full((len(t), 1), amount)], 1))) for t in data.takes]
        goal = manner.targets(rules, features.build(rules, takes), 0)
        assert goal.known[MANNERS.index("ahead walk")] == shown
