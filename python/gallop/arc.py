"""How high the hips are around the top of a jump: what the data shows, and how far others are off.

A jump's button comes in any phase of a stride, the data's few jumps begin in one or two. Where the
phase is another, a network may hop at once, come down, and hop again at the top that it was told.
"""

from __future__ import annotations

import numpy as np
import torch

from gallop.contract import Contract
from gallop.features import Dataset

TOP = 0.999  # of a jump's gait: its top
FREE, OFF = 0.03, 0.04  # of the hips' height: so far off is not wrong, so much more counts as one


def shown(contract: Contract, data: Dataset, style: int) -> np.ndarray:
    """The hips' mean height [1 + 2 jump_time] of the frames around the top of the data's jumps; no
    frames where it shows no whole jump."""
    time = int(contract.rules.get("jump_time", 0))
    roles = [role for _, role in contract.gaits]
    found = []
    for take in data.takes if time and "jump" in roles else []:
        jump = take.labels.gait[:, roles.index("jump")]
        for top in np.flatnonzero(jump > TOP) if take.style == data.styles[style] else []:
            part = slice(max(top - time, 0), top + time + 1)
            if take.keep[part].sum() == 2 * time + 1:
                found.append(take.position[part, 0, 1])
    return np.mean(found, axis=0) if found else np.zeros(0)


class Arc:
    """The data's arc, and how far the hips of a pool's characters are from it."""

    def __init__(self, height: np.ndarray, device: torch.device) -> None:
        """`height` as shown() has it."""
        self.height = torch.tensor(height, dtype=torch.float32, device=device)

    def loss(self, hips: torch.Tensor, top: torch.Tensor, amount: torch.Tensor) -> torch.Tensor:
        """Mean square error of the hips' heights [C, F] where one jumps; `top` [C, F] are frames to
        the top, `amount` [C, F] how much of a jump it is then."""
        if len(self.height) == 0:
            return hips.sum() * 0
        middle = len(self.height) // 2
        goal = self.height[(middle - top).round().long().clamp(0, 2 * middle)]
        off = torch.relu((hips / goal - 1).abs() - FREE) / OFF
        share = amount.square()
        return (share * off.square()).sum() / share.sum().clamp(min=1)
