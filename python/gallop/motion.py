"""A clip of motion: a skeleton, joint rotations and a root path; kinematics and resampling."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.interpolate import CubicSpline

from gallop import rotation


@dataclass
class Skeleton:
    """Joint names, parents (-1 for the first; parents stand before children) and offsets [J, 3]."""

    names: list[str]
    parents: list[int]
    offsets: np.ndarray

    def index(self, name: str) -> int:
        """Index of a joint; a ValueError names the joint that is missing."""
        if name not in self.names:
            raise ValueError(f"the skeleton has no joint '{name}'")
        return self.names.index(name)

    def descendants(self, joint: int) -> list[int]:
        """The joints below (and with) `joint`."""
        kept = [joint]
        for j in range(joint + 1, len(self.names)):
            if self.parents[j] in kept:
                kept.append(j)
        return kept


@dataclass
class Clip:
    """Motion on a skeleton: local rotations [T, J, 3, 3] and root positions [T, 3].

    `keep` [T] marks the frames that may be trained on; cleaning switches frames off.
    """

    name: str
    skeleton: Skeleton
    rate: float
    local: np.ndarray
    root: np.ndarray
    style: str = ""
    tag: str = ""
    keep: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))

    def __post_init__(self) -> None:
        if len(self.keep) == 0:
            self.keep = np.ones(len(self.root), bool)

    def __len__(self) -> int:
        return len(self.root)

    def world(self) -> tuple[np.ndarray, np.ndarray]:
        """Joint positions [T, J, 3] and rotations [T, J, 3, 3] in the world."""
        return forward(self.skeleton, self.local, self.root)


def forward(
    skeleton: Skeleton, local: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Forward kinematics: world positions [T, J, 3] and rotations [T, J, 3, 3]."""
    position, turn = np.empty((*local.shape[:2], 3)), np.empty_like(local)
    for j, p in enumerate(skeleton.parents):
        if p < 0:
            position[:, j], turn[:, j] = root, local[:, j]
        else:
            turn[:, j] = turn[:, p] @ local[:, j]
            position[:, j] = position[:, p] + turn[:, p] @ skeleton.offsets[j]
    return position, turn


def to_local(skeleton: Skeleton, turn: np.ndarray) -> np.ndarray:
    """Local rotations [T, J, 3, 3] of world rotations [T, J, 3, 3]."""
    local = turn.copy()
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            local[:, j] = np.swapaxes(turn[:, p], -1, -2) @ turn[:, j]
    return local


def resample(clip: Clip, rate: float) -> Clip:
    """The clip at another rate, by cubic splines over root and sign-aligned quaternions.

    Linear interpolation between sparse keys shortens every swing and makes the feet slide three to
    four times as much; a not-a-knot cubic does not.
    """
    if abs(clip.rate - rate) < 1e-3 * rate or len(clip) < 4:
        return replace(clip, rate=rate)
    old = np.arange(len(clip)) / clip.rate
    new = np.arange(int(np.floor(old[-1] * rate + 1e-6)) + 1) / rate
    q = rotation.aligned_quaternions(rotation.to_quaternion(clip.local))
    q = CubicSpline(old, q)(new)
    local = rotation.from_quaternion(q / np.linalg.norm(q, axis=-1, keepdims=True))
    keep = clip.keep[np.clip(np.round(new * clip.rate).astype(int), 0, len(clip) - 1)]
    root = CubicSpline(old, clip.root)(new)
    return replace(clip, rate=rate, local=local, root=root, keep=keep)


def mirror_pairs(names: list[str]) -> list[int]:
    """For each joint the index of its partner on the other side (itself when it has none)."""
    swaps = (("Left", "Right"), ("left", "right"), ("L_", "R_"), ("_L", "_R"), ("lft", "rgt"))
    swaps += (("LHip", "RHip"), ("LThumb", "RThumb"), (".L", ".R"), ("_l", "_r"), ("L", "R"))
    out = []
    for j, name in enumerate(names):
        for a, b in swaps + tuple((b, a) for a, b in swaps):
            other = name.replace(a, b, 1)
            if a in name and other != name and other in names:
                out.append(names.index(other))
                break
        else:
            out.append(j)
    return out


def mirrored(clip: Clip, pairs: list[int] | None = None) -> Clip:
    """The clip seen in a mirror: x negated, left and right swapped; `pairs` are the joints'
    partners where their names do not tell."""
    pairs = pairs or mirror_pairs(clip.skeleton.names)
    flip = np.diag([-1.0, 1.0, 1.0])
    local = flip @ clip.local[:, pairs] @ flip
    offsets = clip.skeleton.offsets[pairs] * [-1, 1, 1]
    skeleton = Skeleton(clip.skeleton.names, clip.skeleton.parents, offsets)
    return replace(clip, local=local, root=clip.root * [-1, 1, 1], skeleton=skeleton,
                   name=clip.name + "~")
