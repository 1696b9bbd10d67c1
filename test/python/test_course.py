"""Where commands lead on the mean, by kind of command."""

import numpy as np
import pytest
import torch

from gallop import course
from gallop.course import CIRCLES, KINDS, PIVOTS, Course
from gallop.manner import Means


def test_kinds_of_commands():
    angle = np.radians([0, 0, 90, -90, 180, -180, 44, 10, 0, 0])
    spin = np.array([0, 0, 0, 0, 0, 0, 0, -0.5, 0, 1.0])
    run = np.array([0, 1, 0, 1, 0, 0, 0, 1, 0, 0])
    circle = np.arange(10) == 7
    stop = np.arange(10) >= 8
    kind = course.kinds(angle, spin, run, circle, stop)
    assert kind.tolist() == [0, 1, 4, 13, 8, 8, 2, CIRCLES + 1, -1, PIVOTS + 1]
    assert kind.max() < KINDS


def test_means_by_kind_have_the_gradient_of_this_step():
    means = Means(3, {"v": ()}, torch.device("cpu"), keep=0.5)
    for values in ((2.0, 4.0, 10.0, 1.0), (6.0, 8.0, 10.0, 1.0)):
        v = torch.tensor(values, requires_grad=True)
        mixed, use = means(torch.tensor([0, 0, 2, -1]), {"v": v})
    assert mixed["v"].tolist() == [5.0, 0.0, 10.0]  # half of 3 and of 7; none; 10 twice
    mixed["v"].sum().backward()
    assert v.grad.tolist() == [0.5, 0.5, 1.0, 0.0]
    assert use.tolist() == [0, 0, 0]  # two steps are not enough


@pytest.mark.parametrize("drift", [0.0, 0.2])
def test_a_drift_counts_and_a_sway_does_not(drift):
    torch.manual_seed(1)
    held = Course(torch.device("cpu"))
    wanted = torch.tensor([[0.0, 10.0]]).repeat(40, 1)
    kind = torch.zeros(40)
    for _ in range(60):
        sway = torch.randn(40, 2)  # a tenth of the way, to any side
        went = wanted + sway + torch.tensor([10 * drift, 0.0])
        loss = float(held.loss(went, wanted, torch.zeros(40), kind))
    assert loss == pytest.approx(drift**2, abs=0.1 * drift + 1e-3)


def test_who_crouches_counts_by_himself():
    """A drift of the few that crouch is not made up for by the others', and takes no weight from
    theirs; their turns are turns."""
    held = Course(torch.device("cpu"))
    wanted = torch.tensor([[0.0, 10.0]]).repeat(40, 1)
    few = torch.arange(40) < 4
    kind = torch.where(few, float(KINDS), 0.0)
    went = wanted + torch.where(few, 2.0, -2 / 9)[:, None] * torch.tensor([1.0, 0.0])
    for _ in range(12):
        loss = float(held.loss(went, wanted, torch.zeros(40), kind))
    assert loss == pytest.approx(0.2**2 + (0.2 / 9) ** 2, rel=0.01)
    turning = torch.full((40,), float(KINDS + PIVOTS))
    for _ in range(12):
        loss = held.loss(went, 0 * wanted, torch.full((40,), 0.1), turning)
    assert float(loss) == pytest.approx(0.01, rel=1e-4)


@pytest.mark.parametrize("facing", [1.0, 2.0])
def test_turns_on_the_spot_are_judged_by_their_facing(facing):
    held = Course(torch.device("cpu"), facing)
    went, wanted = torch.full((4, 2), 3.0), torch.zeros(4, 2)
    for _ in range(12):
        loss = held.loss(went, wanted, torch.full((4,), 0.1), torch.full((4,), float(PIVOTS)))
    assert float(loss) == pytest.approx(0.01 * facing, rel=1e-4)
