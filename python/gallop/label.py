"""What the controller must be told about motion: contacts, facing and path, gait, phase."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d, median_filter

from gallop import rotation

TURN = 2 * np.pi
SLOW = 34.0  # cm/s: a joint in contact is slower

LANDING = 4


@dataclass
class Labels:
    """Per frame: path [T, 2] (x, z) and facing [T] (radians, continuous) of the root frame,
    contacts [T, 4] (left heel, left toe, right heel, right toe), gait [T, G], phase [T] (turns,
    continuous) and stand [T], how surely the character stands still."""

    path: np.ndarray
    facing: np.ndarray
    contacts: np.ndarray
    gait: np.ndarray
    phase: np.ndarray


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """The stretches [first, end) where a mask is true."""
    edge = np.diff(np.concatenate([[0], np.asarray(mask, int), [0]]))
    return list(zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)))


def contacts(
    position: np.ndarray,
    joints: list[int],
    rate: float,
    height: float = 3.0,
    speed: float = SLOW,
) -> np.ndarray:
    """Contact [T, len(joints)] of joints: low (cm over their rest) and slow (horizontal, cm/s).

    The rest height is the joint's own 5th percentile over its slow frames; a median over 7 frames
    takes flicker away.
    """
    point = position[:, joints]
    step = np.gradient(point[..., [0, 2]], axis=0)
    slow = np.linalg.norm(step, axis=-1) * rate < speed
    out = np.zeros(slow.shape, bool)
    for i in range(len(joints)):
        y = point[:, i, 1]
        rest = np.percentile(y[slow[:, i]] if slow[:, i].any() else y, 5)
        out[:, i] = median_filter(((y < rest + height) & slow[:, i]).astype(np.uint8), 7) > 0
    return out


def root_frame(
    position: np.ndarray, turn: np.ndarray, smooth_path: float = 8.0, smooth_facing: float = 12.0
) -> tuple[np.ndarray, np.ndarray]:
    """Path [T, 2] and continuous facing [T] of the root frame: the hips' own, smoothed.

    The hips sway and swing with each step; what the Gaussians (sigmas in frames) take out stays in
    the pose.
    """
    facing = np.unwrap(rotation.facing_angle(turn[:, 0]))
    path = gaussian_filter1d(position[:, 0][:, [0, 2]], smooth_path, axis=0)
    return path, gaussian_filter1d(facing, smooth_facing)


def gait_amounts(
    path: np.ndarray, facing: np.ndarray, rate: float, run: float | None, top: float = 1.0
) -> np.ndarray:
    """Amounts [T, 3] of stand, walk, run, each 0..1, adding up to 1.

    Turning on the spot counts as walking: the quantity compared is speed (cm/s) + 28 cm/s per
    rad/s of turn. `run` is the amount of run in a moving clip when its name tells, else None: then
    it rises from 95 to 130 cm/s. `top` scales all thresholds to the character's size.
    """
    speed = np.linalg.norm(np.gradient(path, axis=0), axis=-1) * rate / top
    turn = np.abs(np.gradient(facing)) * rate
    effort = gaussian_filter1d(speed + 28 * turn, 10)
    stand = np.clip((28 - effort) / 17, 0, 1)
    fast = np.clip((gaussian_filter1d(speed, 20) - 95) / 35, 0, 1)
    share = fast if run is None else np.full(len(speed), run)
    gait = np.stack([stand, (1 - stand) * (1 - share), (1 - stand) * share], -1)
    return gaussian_filter1d(gait, 5, axis=0)


def phase(
    contact: np.ndarray, longest: int = 54, settle: int = 21, extend: bool = False
) -> np.ndarray:
    """Continuous phase [T] in turns: left foot down at whole turns, right foot down at halves.

    `contact` [T, 4] is left heel, left toe, right heel, right toe. Between foot-downs the phase is
    linear. A gap over `longest` frames is standing: the phase moves a quarter turn in the `settle`
    frames after the last foot-down, waits, and makes the rest before the next one. Before the first
    and after the last foot-down it rests too, or with `extend` (short clips, cut while moving) goes
    on as beside it.
    """
    events = foot_downs(contact)
    if not events:
        return np.zeros(len(contact))
    knots = [(events[0][0], 0.5 * events[0][1])]
    for (f0, s0), (f1, s1) in zip(events, events[1:]):
        step = 0.5 if s0 != s1 else 1.0
        base = knots[-1][1]
        if f1 - f0 > longest:
            before = settle if s0 != s1 else 40
            knots.append((f0 + settle, base + 0.25))
            knots.append((max(f1 - before, f0 + settle + 1), base + 0.25))
        knots.append((f1, base + step))
    if extend and len(events) > 1:
        for (f0, v0), (f1, v1), at in ((*knots[:2], 0), (*knots[-2:], len(knots) + 1)):
            if f1 - f0 <= longest:
                beyond = 0 if at == 0 else len(contact) - 1
                knots.insert(at, (beyond, v0 + (beyond - f0) * (v1 - v0) / (f1 - f0)))
    frames, values = np.array(knots, float).T
    return np.interp(np.arange(len(contact)), frames, values)


def foot_downs(contact: np.ndarray, near: int = 8) -> list[tuple[int, int]]:
    """(frame, side) of each foot-down, side 0 left and 1 right; repeats within `near` merged, and
    of two feet that land as one (within LANDING frames) the first."""
    found = []
    for side in (0, 1):
        down = contact[:, 2 * side] | contact[:, 2 * side + 1]
        last = -near
        for first, _ in runs(down):
            if first - last >= near and first > 0:
                found.append((int(first), side))
                last = first
    found.sort()
    return [e for i, e in enumerate(found) if i == 0 or e[0] - found[i - 1][0] >= LANDING]
