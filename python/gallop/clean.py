"""Mending what capture and decoding did to a clip: heights, T-poses, sliding toes.

Everything works on clips at the training rate, in centimetres (`unit` scales other units).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import binary_dilation, gaussian_filter1d, maximum_filter1d, minimum_filter1d

from gallop import label, rotation
from gallop.motion import Clip, Skeleton, to_local

GRAVITY = 981.0  # cm / s^2
STRAIGHT = 2.0  # cm off the line from hip to ankle: the plane of the frames around counts as much
AROUND = 10  # frames, a deviation
EASED = 0.975  # of its length: from there on a leg gives way
RESTS = 10.0  # cm/s: who stands moves neither hips nor toes faster,
LONG = 15  # frames at least,
SOON = 8.0  # and his legs are straight as slowly as this many frames, a deviation, let them


@dataclass(frozen=True)
class Leg:
    """Joint indices of a leg, and the sole under its ankle: height of the ankle over the sole, and
    how far behind and before the ankle the heel and the ball of the foot touch (units)."""

    hip: int
    knee: int
    ankle: int
    toe: int
    drop: float
    heel: float
    ball: float

    def sole_points(self) -> np.ndarray:
        """Heel and ball [2, 3] in the ankle's frame at rest (foot pointing along +z)."""
        return np.array([[0, -self.drop, -self.heel], [0, -self.drop, self.ball]])


def human_legs(skeleton: Skeleton) -> list[Leg]:
    """The two legs of the 100STYLE skeleton: left, right (the sole was measured on its BVH)."""
    legs = []
    for side in ("Left", "Right"):
        joints = [skeleton.index(side + part) for part in ("Hip", "Knee", "Ankle", "Toe")]
        legs.append(Leg(*joints, drop=11.0, heel=5.0, ball=17.0))
    return legs


def sole_heights(clip: Clip, legs: list[Leg]) -> tuple[np.ndarray, np.ndarray]:
    """Heights [T, L] of the lowest point of each foot and its horizontal speed (cm/s) [T, L]."""
    position, turn = clip.world()
    low, fast = [], []
    for leg in legs:
        points = position[:, leg.ankle, None] + leg.sole_points() @ np.swapaxes(
            turn[:, leg.ankle], -1, -2)
        lowest = points[..., 1].argmin(-1)[:, None]
        step = np.linalg.norm(np.gradient(points[..., [0, 2]], axis=0), axis=-1) * clip.rate
        low.append(points[..., 1].min(-1))
        fast.append(np.take_along_axis(step, lowest, 1)[:, 0])
    return np.stack(low, -1), np.stack(fast, -1)


def ground(clip: Clip, legs: list[Leg], slow: float = 60.0, longest: int = 16) -> Clip:
    """Put the lowest foot on the floor (height 0); between two contacts the hips fly freely.

    For clips whose root height was not stored. Where no foot is slow for at most `longest` frames
    the root follows the parabola of a free fall, as it does in the flight of a run.
    """
    low, fast = sole_heights(clip, legs)
    pinned = -low.min(-1)
    which = low.argmin(-1)[:, None]
    down = np.take_along_axis(fast, which, 1)[:, 0] < slow
    height = pinned.copy()
    for first, end in label.runs(~down):
        if first > 0 and end < len(down) and end - first <= longest:
            t = np.arange(1, end - first + 1) / clip.rate
            total = (end - first + 1) / clip.rate
            line = pinned[first - 1] + (pinned[end] - pinned[first - 1]) * t / total
            height[first:end] = np.maximum(pinned[first:end], line + GRAVITY / 2 * t * (total - t))
    root = clip.root.copy()
    root[:, 1] += gaussian_filter1d(height, 1.5)
    return replace(clip, root=root)


def drop_arms_up(clip: Clip, arms: list[tuple[int, int]], drop: float = 11.0) -> Clip:
    """Switch off T-poses: all up to the first long one and 40 frames more, 30 around any other.

    `arms` are (shoulder, elbow) joint indices. A frame is a T-pose when an elbow hangs less than
    `drop` below its shoulder. In this capture every take begins with one.
    """
    position, _ = clip.world()
    hang = np.min([position[:, a, 1] - position[:, b, 1] for a, b in arms], axis=0)
    bad = hang < drop
    early = [r for r in label.runs(bad) if r[0] < 700]
    keep = clip.keep & ~binary_dilation(bad, iterations=30)
    if early:
        keep[: max(early, key=lambda r: r[1] - r[0])[1] + 40] = False
    return replace(clip, keep=keep)


def lock_toes(
    clip: Clip, legs: list[Leg], fade: int = 8, height: float = 3.0, speed: float = label.SLOW
) -> tuple[Clip, np.ndarray]:
    """Hold each toe still through each of its contacts, moving ankle and knee by two-bone IK.

    Returns the clip and how far each toe was moved [T, L]. Corrections fade over `fade` frames.
    """
    position, turn = clip.world()
    contact = label.contacts(position, [leg.toe for leg in legs], clip.rate, height, speed)
    moved = np.zeros((len(clip), len(legs)))
    for i, leg in enumerate(legs):
        shift = _held_shift(position[:, leg.toe], contact[:, i], fade)
        moved[:, i] = np.linalg.norm(shift, axis=-1)
        bend_leg(position, turn, leg, shift)
    return replace(clip, local=to_local(clip.skeleton, turn)), moved


def raised(clip: Clip, legs: list[Leg], fade: int = 3) -> Clip:
    """The clip with toes that sink into the floor (height 0) lifted onto it, moving ankle and knee
    by two-bone IK. Who lands from a jump on the balls of his feet sinks by up to ten centimetres
    where his feet are longer than those of whose motion it is."""
    position, turn = clip.world()
    for leg in legs:
        depth = maximum_filter1d(np.maximum(-position[:, leg.toe, 1], 0), 2 * fade + 1)
        bend_leg(position, turn, leg, gaussian_filter1d(depth, fade / 2)[:, None] * [0, 1, 0])
    return replace(clip, local=to_local(clip.skeleton, turn))


def eased(clip: Clip, legs: list[Leg]) -> Clip:
    """The clip with legs that give way before they are straight, as the runtime's do: with x how
    far one comes beyond EASED of its length, in parts of the rest, it comes by x - x^2 / 4. Whose
    motion is carried onto shorter legs has them straight in every third frame; a knee snaps out of
    that, and a toe cannot be held where the leg does not reach. Who stands keeps straight legs."""
    position, turn = clip.world()
    share = (1 - resting(clip, legs))[:, None]
    for leg in legs:
        hip, knee, ankle = (position[:, j] for j in (leg.hip, leg.knee, leg.ankle))
        length = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
        line = ankle - hip
        far = np.linalg.norm(line, axis=-1) / length
        beyond = np.maximum((far - EASED) / (1 - EASED), 0)
        by = (1 - EASED) * beyond**2 / 4 / far
        bend_leg(position, turn, leg, -line * share * by[:, None])
    return replace(clip, local=to_local(clip.skeleton, turn))


def resting(clip: Clip, legs: list[Leg]) -> np.ndarray:
    """How much one stands [T], 0..1: hips and toes still for a while. It changes smoothly."""
    position, _ = clip.world()
    joints = position[:, [legs[0].hip, *(leg.toe for leg in legs)]]
    fast = np.linalg.norm(np.gradient(joints, axis=0), axis=-1).max(1) * clip.rate
    still = minimum_filter1d((fast < RESTS).astype(float), 2 * LONG + 1, mode="nearest")
    wide = maximum_filter1d(still, 2 * LONG + 1 - 2 * round(SOON), mode="nearest")
    return gaussian_filter1d(wide, SOON)


def twisted(clip: Clip, legs: list[Leg]) -> np.ndarray:
    """The most that a thigh is twisted about itself [T], radians: what is left of its turn in the
    hips when the shortest one that takes its line there is taken off."""
    most = np.zeros(len(clip))
    for leg in legs:
        line = clip.skeleton.offsets[leg.knee]
        turn = rotation.to_quaternion(clip.local[:, leg.hip])
        about = np.abs(turn[:, :3] @ (line / np.linalg.norm(line)))
        most = np.maximum(most, 2 * np.arctan2(about, np.abs(turn[:, 3])))
    return most


def _held_shift(toe: np.ndarray, contact: np.ndarray, fade: int) -> np.ndarray:
    """Horizontal corrections [T, 3] that hold a toe at the middle of each contact."""
    shift = np.full((len(toe), 3), np.nan)
    for first, end in label.runs(contact):
        target = np.median(toe[first:end], axis=0)
        shift[first:end] = (target - toe[first:end]) * [1, 0, 1]
    known = ~np.isnan(shift[:, 0])
    if not known.any():
        return np.zeros((len(toe), 3))
    return _faded(shift, known, fade)


def _faded(shift: np.ndarray, known: np.ndarray, fade: int) -> np.ndarray:
    """Fill the gaps between held stretches: fade out, nothing, fade in."""
    out, n = np.nan_to_num(shift), len(shift)
    ramp = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, fade + 1) / (fade + 1))
    for first, end in label.runs(known):
        after, before = min(fade, n - end), min(fade, first)
        free = ~known[end : end + after, None]
        out[end : end + after] += free * ramp[:after, None] * shift[end - 1]
        free = ~known[first - before : first, None]
        out[first - before : first] += free * ramp[:before][::-1, None] * shift[first]
    return out


def bend_leg(position: np.ndarray, turn: np.ndarray, leg: Leg, shift: np.ndarray) -> None:
    """Move a leg's ankle by `shift` [T, 3] in place; the knee stays in its plane, of a straight leg
    in that of the frames around; the foot keeps its orientation, bones keep their lengths."""
    hip, knee, ankle = (position[:, j].copy() for j in (leg.hip, leg.knee, leg.ankle))
    upper, lower = (np.linalg.norm(a, axis=-1) for a in (knee - hip, ankle - knee))
    goal = ankle + shift
    reach = np.linalg.norm(goal - hip, axis=-1)
    far = np.clip(reach, np.abs(upper - lower) + 1e-3, (upper + lower) * 0.9995)
    goal = hip + (goal - hip) * (far / reach)[:, None]
    along = (goal - hip) / far[:, None]
    bend = _plane(knee - hip, along)
    x = (upper**2 - lower**2 + far**2) / (2 * far)
    side = np.sqrt(np.maximum(upper**2 - x**2, 0))
    new_knee = hip + along * x[:, None] + bend * side[:, None]
    turn[:, leg.hip] = rotation.between(knee - hip, new_knee - hip) @ turn[:, leg.hip]
    turn[:, leg.knee] = rotation.between(ankle - knee, goal - new_knee) @ turn[:, leg.knee]
    moved = goal - ankle
    position[:, leg.knee] = new_knee
    position[:, leg.ankle] = goal
    position[:, leg.toe] += moved


def _plane(thigh: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Where the knee lies [T, 3] off the line `along` [T, 3] from hip to ankle. Of a straight leg
    that is noise: a knee that bent so in one frame would turn round its leg in the next."""
    def off(way: np.ndarray) -> np.ndarray:
        return way - (way * along).sum(-1, keepdims=True) * along

    def unit(way: np.ndarray) -> np.ndarray:
        return way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-6)

    own = off(thigh)
    around = off(gaussian_filter1d(own, AROUND, axis=0))
    return unit(own + STRAIGHT * unit(around))


def bend(clip: Clip, turn: np.ndarray) -> Clip:
    """The clip on a bent path: every step and the hips turned by `turn` [T] (radians) about y.

    The pose in the root frame is untouched, so planted feet slide a little: lock_toes mends them.
    """
    matrix = rotation.about_y(turn)
    step = np.diff(clip.root, axis=0)
    step[:, [0, 2]] = (matrix[1:] @ (step * [1, 0, 1])[..., None])[..., [0, 2], 0]
    root = np.concatenate([clip.root[:1], clip.root[:1] + np.cumsum(step, axis=0)])
    local = clip.local.copy()
    local[:, 0] = matrix @ local[:, 0]
    return replace(clip, root=root, local=local)


def straightened(clip: Clip, most: float = 0.4) -> Clip:
    """The clip with up to `most` rad/s of its slow turning taken out.

    In a small capture area nobody walks straight for long; a game's character mostly does.
    """
    _, turn = clip.world()
    facing = gaussian_filter1d(np.unwrap(rotation.facing_angle(turn[:, 0])), 30)
    rate = np.clip(np.gradient(facing), -most / clip.rate, most / clip.rate)
    out = bend(clip, -gaussian_filter1d(np.cumsum(rate), 10))
    return replace(out, name=clip.name + "-")
