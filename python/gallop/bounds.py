"""Where joints are in the data, by how one goes: slowly, at a walk, at a run.

A network on its own output may hold a joint where nobody has it: hands as high as the shoulders in
the steps of a turn on the spot, which costs no foot anything. What lies beyond the data's own range
is wrong, whatever else it serves; within it nothing is said.
"""

from __future__ import annotations

import numpy as np
import torch

from gallop.contract import Contract
from gallop.features import Dataset, Take, _joints
from gallop.loop import State

SLOW = 0.3  # m/s: who goes more slowly stands, turns on the spot, begins or ends
BEFORE = 10  # frames over which that is told
SHARE = 0.1  # %, of the data's frames that lie beyond either bound
LOW = 0.02  # of a crouch or a jump, from where on nothing is said
GOES = 3  # slowly, at a walk, at a run
LEAST = 500  # frames of the data that tell bounds
FAR = 1e6


def shown(contract: Contract, data: Dataset, style: int) -> np.ndarray:
    """The least and the most [GOES, 2, J, 3] of each joint's place in the root frame, units; no
    bounds where the data has next to nothing."""
    takes = [t for t in data.takes if t.style == data.styles[style]]
    joints = len(contract.joints)
    found: list[list[np.ndarray]] = [[] for _ in range(GOES)]
    for take in takes:
        kept = np.flatnonzero(take.keep)
        kept = kept[kept >= BEFORE]
        if len(kept) == 0:
            continue
        how = _how(contract, take)[kept]
        points = _joints(take, kept)["position"]
        for i in range(GOES):
            found[i].append(points[how == i])
    out = np.empty((GOES, 2, joints, 3))
    out[:, 0], out[:, 1] = -FAR, FAR
    for i, parts in enumerate(found):
        points = np.concatenate(parts) if parts else np.empty((0, joints, 3))
        if len(points) >= LEAST:
            out[i] = np.percentile(points, (SHARE, 100 - SHARE), axis=0)
    return out


def _how(contract: Contract, take: Take) -> np.ndarray:
    """How one goes in each frame [T] of a take, -1 for one who crouches or jumps."""
    gait, path = take.labels.gait, take.labels.path
    before = np.concatenate([np.repeat(path[:1], BEFORE, 0), path[:-BEFORE]])
    speed = np.linalg.norm(path - before, axis=-1) / BEFORE
    run, low = _gaits(contract)
    how = np.where(speed * contract.unit * contract.rate < SLOW, 0, 1 + (gait[:, run] > 0.5))
    return np.where((gait[:, low] > LOW).any(-1), -1, how)


def _gaits(contract: Contract) -> tuple[int, list[int]]:
    """The gait that runs, and those of which nothing is said."""
    roles = [role for _, role in contract.gaits]
    return roles.index("run"), [i for i, r in enumerate(roles) if r in ("crouch", "jump")]


class Bounds:
    """The data's bounds, and how far beyond them a pool's joints are."""

    def __init__(self, contract: Contract, at: np.ndarray, device: torch.device) -> None:
        """`at` as shown() has it."""
        self.low, self.high = torch.tensor(at, dtype=torch.float32, device=device).unbind(1)
        self.metres, self.per_second = contract.unit, contract.unit * contract.rate
        self.run, none = _gaits(contract)
        self.none = torch.tensor(none, dtype=torch.long, device=device)

    def beyond(self, points: torch.Tensor, s: State, now: int) -> torch.Tensor:
        """How far joints [C, J, 3] are beyond the bounds of how their characters go: the sum [C] of
        squares, decimetres."""
        way = s.path[:, now] - s.path[:, now - BEFORE]
        slow = way.detach().norm(dim=-1) * self.per_second / BEFORE < SLOW
        gait = s.gait[:, now].detach()
        how = (~slow).long() * (1 + (gait[:, self.run] > 0.5).long())
        low, high = (bound.index_select(0, how) for bound in (self.low, self.high))
        off = torch.relu(low - points) + torch.relu(points - high)
        said = (gait.index_select(1, self.none) <= LOW).all(1)
        return (off * (10 * self.metres)).square().sum((1, 2)) * said
