"""Where commands lead on the mean: the root's way and facing against what was asked.

A stride sways, so where a root goes in a few frames says little about where it is led; the mean
over many characters in all phases of a stride says it. Errors are gathered by kind of command, so
that a drift in one kind (to the front in side steps, late in circles) weighs as much as in another,
however rarely the kind is commanded.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from gallop.manner import Means

SECTORS = 8  # of the direction asked for, seen from the facing
CIRCLES = 2 * SECTORS  # kinds of straight commands, walking and running; then circles
PIVOTS = CIRCLES + 4  # turns on the spot, to either side
KINDS = PIVOTS + 2


def kinds(
    relative: np.ndarray, spin: np.ndarray, run: np.ndarray, circle: np.ndarray, stop: np.ndarray
) -> np.ndarray:
    """The kind [C] of commands: direction seen from the facing (radians), spin (any unit), run (0
    or 1), which are circles, and which have no speed; -1 for a plain stop."""
    sector = np.round(np.asarray(relative) * SECTORS / (2 * math.pi)).astype(int) % SECTORS
    out = np.where(circle, CIRCLES + 2 * (spin > 0) + run, 2 * sector + run)
    return np.where(stop, np.where(spin == 0, -1, PIVOTS + (spin > 0)), out)


class Course:
    """Running mean errors by kind of command over a pool; KINDS further on are those of who
    crouches."""

    def __init__(self, device: torch.device, facing: float = 1.0) -> None:
        """`facing`: how much more than the way's an error of the facing counts."""
        self.facing = facing
        self.means = Means(2 * KINDS, {"way": (2,), "face": ()}, device)

    def loss(
        self, went: torch.Tensor, wanted: torch.Tensor, face: torch.Tensor, kind: torch.Tensor
    ) -> torch.Tensor:
        """Mean square of the mean errors: way gone and way asked for [C, 2], error of the facing
        [C] (radians), kind [C] (-1: none). The way's error is relative to the way asked for."""
        length = wanted.norm(dim=-1, keepdim=True).clamp(min=1e-3)
        ahead = wanted / length
        aside = torch.stack([ahead[:, 1], -ahead[:, 0]], -1)
        off = went - wanted
        way = torch.stack([(off * ahead).sum(-1), (off * aside).sum(-1)], -1) / length
        way = torch.where((kind % KINDS >= PIVOTS)[:, None], way * 0, way)
        mixed, use = self.means(kind, {"way": way, "face": face})
        error = mixed["way"].square().sum(-1) + self.facing * mixed["face"].square()
        return (use * error).sum() / use[:KINDS].sum().clamp(min=1)  # crouched ones count besides
