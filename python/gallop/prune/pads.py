"""What players with pads ask of dogs: sticks pushed as far as they go, more often than by a hair.

So the speeds are mostly those of a full walk and a full run; sticks turn right about, are flicked,
and circle faster than a dog can; and who steps aside, backs, turns on the spot or stops is there
often enough to be learnt.
"""

from __future__ import annotations

import numpy as np

from gallop import dog
from gallop.dog.polish import SLOWEST, Sticks

STANDS, SPINS, ASIDE, BACK = 0.08, 0.14, 0.13, 0.1  # shares of commands; the others lead ahead
FULL = 0.7  # of commands ahead: a full walk, or a full run
FIDGET, LONG = 0.1, 0.3  # of commands: too short to be followed; until a gait is its own
FASTEST_SPIN = 6.0  # rad/s of a stick that circles


class Pads(Sticks):
    """Random commands of a player's: full walks and runs, turns of up to half a circle, flicks."""

    def _renew(self, new: np.ndarray) -> None:
        """New commands for the characters `new`; age counts their frames."""
        rng, count = self.rng, len(new)
        kind = rng.random(count)
        stands, spins, aside, back = (
            (low <= kind) & (kind < high) for low, high in zip(
                np.cumsum((0, STANDS, SPINS, ASIDE)), np.cumsum((STANDS, SPINS, ASIDE, BACK))))
        ahead = ~(stands | spins | aside | back)
        fidgets = rng.random(count) < FIDGET
        lasts = np.where(rng.random(count) < LONG, rng.integers(240, 900, count),
                         rng.integers(50, 240, count))
        self.left[new] = np.where(fidgets, rng.integers(8, 30, count), lasts)
        self.age[new] = 0
        about = ahead & (rng.random(count) < 0.25)
        self.angle[new] += np.where(about, np.pi, rng.uniform(-2.1, 2.1, count))
        self.spin[new] = self._spin(ahead, spins, fidgets) / dog.RATE
        self.speed[new] = np.where(stands | spins, 0, self._speed(count))
        quarter = np.where(rng.random(count) < 0.5, 0.5, -0.5)
        self.look[new] = np.pi * np.where(back, 1, np.where(aside, quarter, 0))
        self.strafe[new] = aside | back | spins
        self.jump[new] = (rng.random(count) < 0.12) & ahead

    def _speed(self, count: int) -> np.ndarray:
        """Speeds, units a frame."""
        walk, run = self.rules["speed_walk"], self.rules["speed_run"]
        full = np.where(self.rng.random(count) < 0.5, walk, run)
        some = self.rng.uniform(SLOWEST * walk, run, count)
        return np.where(self.rng.random(count) < FULL, full, some)

    def _spin(self, ahead: np.ndarray, spins: np.ndarray, fidgets: np.ndarray) -> np.ndarray:
        """Rad/s at which sticks and looks turn: of those who turn on the spot, of some ahead."""
        rng, count = self.rng, len(ahead)
        circles = ahead & (rng.random(count) < 0.35)
        wild = circles & (fidgets | (rng.random(count) < 0.15))
        turn = np.where(circles | spins, rng.uniform(-1.3, 1.3, count), 0)
        return np.where(wild, rng.uniform(-FASTEST_SPIN, FASTEST_SPIN, count), turn)
