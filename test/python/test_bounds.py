"""Where the data has joints by way of going, and what is lost beyond."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import synthetic
from gallop import bounds, features, walker
from gallop.loop import Loop

SLOWLY, WALKS, RUNS = range(bounds.GOES)
CPU = torch.device("cpu")
KNEE = synthetic.NAMES.index("LeftKnee")


def shown():
    """The bounds of two takes of a walk, one of which stands first."""
    takes = [synthetic.take(synthetic.walk(900)), synthetic.take(synthetic.walk(1400, stand=700))]
    contract = synthetic.contract()
    return bounds.shown(contract, features.build(contract, takes), 0)


def pool(speed, gait, gaits=walker.GAITS):
    """Bounds and the state of one character who goes so fast (m/s) with such gaits."""
    contract = synthetic.contract(gaits)
    loop = Loop(contract, CPU)
    state = loop.at_rest(torch.zeros(1, 54), torch.zeros(1), torch.zeros(1))
    way = torch.arange(state.path.shape[1]) * speed * 100 / 60
    path = torch.stack([torch.zeros_like(way), way], -1)[None]
    amounts = torch.tensor(gait)[None, None].expand(1, state.path.shape[1], -1)
    known = np.full((bounds.GOES, 2, len(synthetic.NAMES), 3), 0.0)
    known[:, 0], known[:, 1] = -10, 10
    known[RUNS, 1] = 30
    return bounds.Bounds(contract, known, CPU), replace(state, path=path, gait=amounts), loop.now


def test_the_data_tells_the_bounds_of_what_it_shows():
    at = shown()
    assert (at[RUNS, 0] == -bounds.FAR).all() and (at[RUNS, 1] == bounds.FAR).all()
    height = at[:, :, KNEE, 1]
    assert (height[:, 0] < height[:, 1]).all() and 30 < height[WALKS, 0] < height[WALKS, 1] < 60
    ankle = at[:, :, synthetic.NAMES.index("LeftAnkle"), 1]
    assert ankle[SLOWLY, 1] - ankle[SLOWLY, 0] < 0.7 * (ankle[WALKS, 1] - ankle[WALKS, 0])


@pytest.mark.parametrize("speed, gait, lost", [
    (0.0, [1.0, 0.0, 0.0], 4.0), (1.4, [0.0, 1.0, 0.0], 4.0), (3.0, [0.0, 0.0, 1.0], 0.0)])
def test_what_is_beyond_them_counts(speed, gait, lost):
    within, state, now = pool(speed, gait)
    points = torch.zeros(1, len(synthetic.NAMES), 3)
    assert float(within.beyond(points, state, now)) == 0
    points[0, KNEE, 1] = 30  # 2 dm beyond, but where one runs
    assert float(within.beyond(points, state, now)) == pytest.approx(lost)
    points[0, KNEE, 1] = -40
    assert float(within.beyond(points, state, now)) == pytest.approx(9)


def test_nothing_is_said_of_who_crouches_or_jumps():
    gaits = [*walker.GAITS, ("crouch", "crouch"), ("jump", "jump")]
    for gait in ([1.0, 0.0, 0.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0, 0.5]):
        within, state, now = pool(0.0, gait, gaits)
        assert float(within.beyond(torch.full((1, 9, 3), 50.0), state, now)) == 0
