"""The shipped walker begins to step sideways from rest at any phase: none stays stuck."""

from pathlib import Path

import numpy as np
import pytest

from gallop import modelfile, rollout

MODEL = Path(__file__).resolve().parents[2] / "models" / "walker.gallop"
REST, PHASES = 40, 8


@pytest.mark.parametrize("side", [1, -1])
def test_side_steps_begin(side):
    crowd = rollout.Crowd(modelfile.read(MODEL), PHASES)
    phase = np.arange(PHASES) / PHASES * 2 * np.pi
    move, zero = np.tile([float(side), 0.0], (PHASES, 1)), np.zeros(PHASES)
    look, places = np.tile([0.0, 1.0], (PHASES, 1)), []
    for t in range(REST + 100):
        if t < REST:
            crowd.phase = phase.copy()
        crowd.step(rollout.Stick(move * (t >= REST), zero, look, zero + 1))
        places.append(crowd.root.copy())
    gone = (places[-1] - places[REST])[:, 0] * side
    assert gone.min() > 55  # cm in 1.7 s; a stuck one leans into it and stays (11)
