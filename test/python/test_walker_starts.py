"""The shipped walker begins to step sideways from rest as soon in any phase: none stays stuck."""

from pathlib import Path

import numpy as np
import pytest

from gallop import Crowd

MODEL = Path(__file__).resolve().parents[2] / "models" / "walker.gallop"
REST, PHASES = 40, 8


@pytest.mark.parametrize("side", [1, -1])
def test_side_steps_begin(side):
    crowd = Crowd(MODEL)
    who = [crowd.add(phase=2 * np.pi * i / PHASES) for i in range(PHASES)]
    places = []
    for t in range(REST + 100):
        for w in who:
            crowd.set_input(w, move_x=-side * (t >= REST), strafe=1)
        crowd.step()
        places.append([crowd.state(w).root[0] for w in who])
    gone = (np.array(places[-1]) - places[REST - 1]) * side
    assert gone.min() > 75  # cm in 1.7 s; in the phase that happens to be, some come 61 far
