"""A leg of two bones reaches for a place: what retargeting mends feet with."""

from __future__ import annotations

import numpy as np

from gallop import rotation
from gallop.motion import Skeleton, forward, to_local


def bent(skeleton: Skeleton, turn: np.ndarray, root: np.ndarray, leg: tuple[int, int, int],
         goal: np.ndarray, towards: np.ndarray | None = None) -> np.ndarray:
    """World turns [T, J, 3, 3] with one leg (hip, knee, ankle) bent so that its ankle is at its
    goal [T, 3]; what hangs below the ankle keeps its turn. The knee lies `towards` [T, 3], or where
    it lies now."""
    hip, knee, ankle = leg
    at, _ = forward(skeleton, to_local(skeleton, turn), root)
    thigh, shin = at[:, knee] - at[:, hip], at[:, ankle] - at[:, knee]
    lengths = np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1)
    middle = knee_of(at[:, hip], goal, lengths, thigh if towards is None else towards)
    thigh = rotation.between(thigh, middle - at[:, hip])
    shin = rotation.between(shin, goal - middle)
    out, below = turn.copy(), skeleton.descendants
    for j in below(hip):
        if j not in below(ankle):
            out[:, j] = (shin if j in below(knee) else thigh) @ turn[:, j]
    return out


def knee_of(hip: np.ndarray, goal: np.ndarray, lengths: tuple[np.ndarray, np.ndarray],
            towards: np.ndarray) -> np.ndarray:
    """Where the knee is [T, 3] so that the ankle reaches its goal, or as near as thigh and shin are
    long [T], bent in the plane of the line from the hip to the goal and `towards` [T, 3]."""
    thigh, shin = lengths
    line = goal - hip
    far = np.linalg.norm(line, axis=1)
    line = line / far[:, None]
    far = np.clip(far, np.abs(thigh - shin) + 1e-6, (thigh + shin) * (1 - 1e-6))
    along = (thigh**2 - shin**2 + far**2) / (2 * far)
    side = towards - line * (towards * line).sum(1, keepdims=True)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    away = np.sqrt(np.maximum(thigh**2 - along**2, 0))
    return hip + line * along[:, None] + side * away[:, None]
