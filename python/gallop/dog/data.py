"""The dog's takes: clips, their mirrors, walks played backwards and led aside, and coming to rest.

Standing is nearly absent from the motion, so every take of it is made here: from a slow walk the
body comes to a stop over feet that step one after another into the pose of rest. Played backwards
on a walk that was itself reversed, the same gives starts from rest.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import binary_dilation, gaussian_filter1d

from gallop import dog
from gallop.dog import aside as dog_aside
from gallop.dog import clean as dog_clean
from gallop.dog.clean import Clip

if TYPE_CHECKING:
    from gallop.quadruped.body import Body

HELD_OUT = ("dog_zig_walk_002", "dog_fast_run_02_004", "dog_quad_walkrun_005")
NOT_USED = ("hit", "play", "jump_high")
WALKS = ("star_walk", "zig_walk")
ARRAYS = ("root", "facing", "posture", "hinge", "contact", "keep")
HOLD, BEFORE = 100, 130  # frames at rest, and of walk before it, in a made take
FOOT_REST = 2.2  # height of a planted foot, cm


def mirrored(clip: Clip) -> Clip:
    """Left and right exchanged."""
    legs = list(dog.MIRROR)
    hinge = clip.hinge.reshape(-1, 4, 3)[:, legs] * [-1, 1, 1]
    return replace(clip, name=clip.name + "~", root=clip.root * [-1, 1], facing=-clip.facing,
                   posture=clip.posture * [1, 1, -1], hinge=hinge.reshape(-1, 12),
                   contact=clip.contact[:, legs])


def backwards(clip: Clip) -> Clip:
    """Played from its end."""
    arrays = {n: getattr(clip, n)[::-1].copy() for n in ARRAYS}
    return replace(clip, name=clip.name + "<", **arrays)


def part(clip: Clip, a: int, b: int) -> Clip:
    """Frames a..b-1."""
    return replace(clip, **{n: getattr(clip, n)[a:b].copy() for n in ARRAYS})


def joined(a: Clip, b: Clip) -> Clip:
    """One after the other."""
    return replace(a, **{n: np.concatenate([getattr(a, n), getattr(b, n)]) for n in ARRAYS})


def velocity(clip: Clip, sigma: float = 9.0) -> np.ndarray:
    """Smoothed velocity [T, 2] of the root along its facing and to its left, cm/s."""
    v = np.gradient(gaussian_filter1d(clip.root, sigma, axis=0), axis=0) * clip.rate
    c, s = np.cos(clip.facing), np.sin(clip.facing)
    return np.stack([s * v[:, 0] + c * v[:, 1], c * v[:, 0] - s * v[:, 1]], -1)


def turning(clip: Clip) -> np.ndarray:
    """Smoothed rate [T] of the facing, radians per second."""
    return np.gradient(gaussian_filter1d(clip.facing, 9.0)) * clip.rate


def fit(clip: Clip) -> Clip:
    """Marks what may not be trained on: feet under the floor, wild joints, and standing about."""
    low = dog_clean.feet_local(clip)[..., 1].min(1) < 0.5
    wild = np.abs(np.diff(clip.hinge, axis=0, prepend=clip.hinge[:1])).max(1) * clip.rate > 28
    bad = binary_dilation(low | wild, iterations=3)
    calm = (np.linalg.norm(velocity(clip, 30.0), axis=1) < 8) & (np.abs(turning(clip)) < 0.35)
    return replace(clip, keep=clip.keep & ~bad & ~calm)


def rest_pose(body: Body | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The rest pose's posture [3] and its feet [4, 3] in the root frame."""
    clip = still(1, body)
    return clip.posture[0], dog_clean.feet_local(clip)[0]


def _coast(first: np.ndarray, rate: np.ndarray, frames: int, length: int) -> np.ndarray:
    """Values [length, ...] from `first`, whose rate falls to 0 within `frames`."""
    s = np.clip(np.arange(1, length + 1) / frames, 0, 1)
    moved = frames * (s - s**3 + s**4 / 2)  # the integral of a rate 1 - 3 s^2 + 2 s^3
    return first + rate * moved.reshape(-1, *[1] * np.ndim(first))


def _spring(first: np.ndarray, rate: np.ndarray, goal: np.ndarray, time: float, length: int
            ) -> np.ndarray:
    """Values [length, n] of a critically damped spring with time constant `time` (frames)."""
    t = np.arange(1, length + 1)[:, None]
    off = first - goal
    return goal + (off + (rate + off / time) * t) * np.exp(-t / time)


def _step(a: np.ndarray, rate: np.ndarray, b: np.ndarray, frames: int) -> np.ndarray:
    """A foot's way [frames, 3] from a (moving by `rate`) to a stand at b, lifted between."""
    s = np.arange(1, frames + 1)[:, None] / frames
    h00, h10 = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s
    way = h00 * a + h10 * frames * rate + (1 - h00) * b
    lift = min(1.5 + 0.3 * float(np.linalg.norm((b - a)[[0, 2]])), 5.0)
    way[:, 1] = np.maximum(way[:, 1], FOOT_REST) + lift * (16 * s * s * (1 - s) ** 2)[:, 0]
    return way


def _place_feet(clip: Clip, at: int, goal: np.ndarray, length: int, rng: np.random.Generator
                ) -> tuple[np.ndarray, np.ndarray]:
    """World feet [length, 4, 3] from frame `at` of the clip to stands at `goal` [4, 3], and their
    contacts [length, 4]: feet in the air land first, then the others step one by one."""
    world = dog_clean.feet_world(part(clip, at - 1, at + 1))
    feet, rate = np.repeat(world[1][None], length, 0), world[1] - world[0]
    on = np.ones((length, 4))
    begin = int(rng.integers(0, 4))
    swinging = [leg for leg in range(4) if clip.contact[at, leg] < 0.5]
    far = np.linalg.norm((goal - world[1])[:, [0, 2]], axis=1)
    order = swinging + sorted(set(range(4)) - set(swinging), key=lambda leg: -far[leg])
    for leg in order:
        flying = leg in swinging
        if not flying and far[leg] < 1.0:
            feet[:, leg] = goal[leg]
            feet[:, leg] += (world[1][leg] - goal[leg]) * np.exp(-np.arange(length) / 15)[:, None]
            continue
        frames = int(rng.integers(12, 17))
        start = 0 if flying else begin
        feet[start : start + frames, leg] = _step(
            world[1][leg], rate[leg] if flying else np.zeros(3), goal[leg], frames)
        feet[start + frames :, leg] = goal[leg]
        on[start : start + frames - 1, leg] = 0
        begin = max(begin, start + frames - (6 if flying else 2))
    return feet, on


def settled(clip: Clip, at: int, rng: np.random.Generator) -> Clip:
    """The clip up to frame `at`, then a stop: the body coasts, the feet step into the rest pose."""
    length = 60 + HOLD
    rates = [(a[at + 1] - a[at - 1]) / 2 for a in (clip.root, clip.facing, clip.posture)]
    speed = float(np.linalg.norm(rates[0])) * clip.rate
    frames = int(14 + 0.3 * speed)
    root = _coast(clip.root[at], rates[0], frames, length)
    facing = _coast(clip.facing[at], rates[1], frames, length)
    goal_posture, rest_feet = rest_pose(clip.body)
    time = float(rng.uniform(7, 10))
    posture = _spring(clip.posture[at], rates[2], goal_posture, time, length)
    turning = (clip.hinge[at + 1] - clip.hinge[at - 1]) / 2
    hinge = _spring(clip.hinge[at], turning, still(1, clip.body).hinge[0], time, length)
    c, s = np.cos(facing[-1]), np.sin(facing[-1])
    goal = rest_feet @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T
    goal[:, [0, 2]] += root[-1]
    feet, on = _place_feet(clip, at, goal, length, rng)
    made = Clip("rest", clip.rate, root, facing, posture, hinge, on, np.ones(length, bool),
                clip.body)
    made.hinge = dog_clean.reach(made, feet)
    walk = part(clip, max(0, at + 1 - BEFORE), at + 1)
    out = joined(walk, made)
    out.hinge = gaussian_filter1d(out.hinge, 0.8, axis=0)
    return replace(out, name=clip.name + "_")


def rests(clip: Clip, count: int, rng: np.random.Generator) -> list[Clip]:
    """Up to `count` stops out of the clip, from speeds up to 0.6 m/s."""
    speed = np.linalg.norm(velocity(clip), axis=1)
    good = (speed < 60) & clip.keep
    good[: BEFORE + 2] = False
    good[-2:] = False
    where = np.flatnonzero(good)
    if len(where) == 0:
        return []
    picked = rng.choice(where, min(count, len(where)), replace=False)
    made = [settled(clip, int(at), rng) for at in picked]
    return [m for m in made if _sound(m)]


def _sound(clip: Clip) -> bool:
    """No joint of the made part moves faster than 15 rad/s or leaves its range."""
    made = clip.hinge[-60 - HOLD - 3 :]
    fast = np.abs(np.diff(made, axis=0)).max() * clip.rate > 15
    least, most = dog_clean.limits(clip)
    return not fast and bool(((made > least) & (made < most)).all())


def still(frames: int = 360, body: Body | None = None) -> Clip:
    """The rest pose, held."""
    posture = np.array(body.posture if body else dog.POSTURE)
    hinge = body.rest if body else dog.rest_angles()
    return Clip("still", 60.0, np.zeros((frames, 2)), np.zeros(frames),
                np.repeat(posture[None], frames, 0), np.repeat(hinge[None], frames, 0),
                np.ones((frames, 4)), np.ones(frames, bool), body)


def slow_forward(clip: Clip) -> Clip:
    """Keeps what may be played backwards: straight, slow walking."""
    v = velocity(clip)
    good = (v[:, 0] > 10) & (v[:, 0] < 125) & (np.abs(v[:, 1]) < 25)
    return replace(clip, keep=clip.keep & good)


def clips(folder: Path, limit: int | None = None) -> list[Clip]:
    """All locomotion, cleaned, at 60 Hz (with `limit` only so many clips)."""
    return [fit(dog_clean.halved(dog_clean.cleaned(c))) for c in raw_clips(folder, limit)]


def raw_clips(folder: Path, limit: int | None = None) -> list[Clip]:
    """All locomotion as it came, at 120 Hz (with `limit` only so many clips)."""
    file = folder / dog.FILE
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing")
    with np.load(file) as archive:
        names = [n for n in archive.files if not any(f"dog_{w}" in n for w in NOT_USED)]
        return [dog_clean.read(n, archive[n]) for n in names[:limit]]


def takes(folder: Path, seed: int = 1, stops: int = 6, limit: int | None = None) -> list[Clip]:
    """Everything to train on and the held-out clips, each followed by its mirror image."""
    rng = np.random.default_rng(seed)
    out = []
    for clip in clips(folder, limit):
        out.append(clip)
        if clip.name in HELD_OUT:
            continue
        out += rests(clip, stops, rng)
        if any(w in clip.name for w in WALKS):
            reverse, led = backwards(slow_forward(clip)), fit(dog_aside.aside(clip))
            out += [reverse, led]
            out += rests(reverse, stops, rng)
            out += rests(led, stops, rng)
            out += [backwards(r) for r in rests(backwards(led), stops, rng)]
        out += [backwards(r) for r in rests(backwards(clip), stops, rng)]
    out.append(still())
    return [version for clip in out for version in (clip, mirrored(clip))]
