"""From the dog's takes to arrays: per frame the state that is fed back, and the path around it.

A step goes from frame t to t + 1: the root takes its step first, and the pose after it is the pose
of the new frame, seen from the new root. So the state of frame t is: hinge angles and posture of
t, their changes from t - 1 to t, the root's motion from t - 1 to t (seen from root t - 1), the feet
in root frame t and their world motion from t - 1 to t turned into root frame t, the leg phases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import hilbert

from gallop import dog
from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data
from gallop.dog.clean import Clip

PATH_SIGMA, FACING_SIGMA = 9.0, 6.0
PAST = [o for o in dog.SAMPLES if o <= 0]
AHEAD = [o for o in dog.SAMPLES if o > 0]
EDGE = 61  # frames at a take's ends whose path is not known
SPEED_BINS = (10.0, 50.0, 100.0, 160.0, 240.0, 300.0, 340.0)  # cm/s
# turning on the spot, backing, jumping, going sideways
TURN_BIN, BACK_BIN, JUMP_BIN, SIDE_BIN = (len(SPEED_BINS) + i for i in (1, 2, 3, 4))


@dataclass
class Frames:
    """Arrays [F, ...] of all usable frames; rows of one `run` follow each other in time.

    hinge, hinge_rate [12], posture, rate, motion [3], feet, feet_rate [4, 3], phase [4, 2], turns
    [4] (phase advance to this frame), contact [4], past [6, 7] and future [6, 5] (position x, z,
    direction x, z, velocity x, z at the path's offsets), jump [12] (its amount there), speed (bin),
    run and held (not to be trained on).
    """

    hinge: np.ndarray
    hinge_rate: np.ndarray
    posture: np.ndarray
    rate: np.ndarray
    motion: np.ndarray
    feet: np.ndarray
    feet_rate: np.ndarray
    phase: np.ndarray
    turns: np.ndarray
    contact: np.ndarray
    past: np.ndarray
    future: np.ndarray
    jump: np.ndarray
    speed: np.ndarray
    run: np.ndarray
    held: np.ndarray

    def __len__(self) -> int:
        return len(self.hinge)


STATE = ("hinge", "hinge_rate", "posture", "rate", "motion", "feet", "feet_rate", "phase", "turns",
         "contact", "past", "future", "jump")


def turned(v: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Horizontal vectors v [..., 2] (x, z) turned by `angle` [...], which takes +z towards +x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[..., 0] + s * v[..., 1], c * v[..., 1] - s * v[..., 0]], -1)


def phases(contact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Local phases [T, 4, 2] (amplitude times cosine and sine) and their advance [T, 4], turns."""
    wave = gaussian_filter1d(contact.astype(float), 3.0, axis=0)
    wave = wave - gaussian_filter1d(contact.astype(float), 20.0, axis=0)
    signal = hilbert(wave, axis=0)
    size = np.abs(signal)
    angle = np.unwrap(np.angle(signal), axis=0)
    amplitude = size / np.sqrt(size**2 + 0.08**2)
    both = np.stack([np.cos(angle), np.sin(angle)], -1) * amplitude[..., None]
    turns = np.diff(angle, axis=0, prepend=angle[:1]) / (2 * np.pi)
    return both, np.clip(turns, -0.02, 0.12) * (amplitude > 0.1)


def path_features(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Past [T, 6, 7] and future [T, 6, 5] samples in the root frames; the future is smoothed."""
    length = len(clip)
    step = np.diff(clip.root, axis=0, prepend=clip.root[:1])
    smooth = gaussian_filter1d(clip.root, PATH_SIGMA, axis=0)
    ahead = gaussian_filter1d(clip.facing, FACING_SIGMA)
    flow = np.gradient(smooth, axis=0)
    sources = [(PAST, clip.root, clip.facing, step), (AHEAD, smooth, ahead, flow)]
    out = []
    for offsets, root, facing, speed in sources:
        at = np.clip(np.arange(length)[:, None] + np.array(offsets), 0, length - 1)
        back = np.repeat(-clip.facing[:, None], len(offsets), 1)
        way = turned(root[at] - root[:, None], back)  # the future from its own smooth point
        direction = np.stack([np.sin(facing[at] + back), np.cos(facing[at] + back)], -1)
        parts = [way, direction, turned(speed[at], back)]
        out.append(np.concatenate(parts, -1).transpose(0, 2, 1))
    return out[0], out[1]


def jumps(clip: Clip) -> np.ndarray:
    """How much of a jump it is [T, 12] at the path's offsets; only the dog's are known."""
    frames = np.arange(len(clip))[:, None] + np.array(dog.SAMPLES)
    tops = [] if clip.body else dog_clean.tops(clip)
    each = (dog.jump_amount(frames - top) for top in tops)
    return sum(each, np.zeros(frames.shape))


def _motion(clip: Clip) -> np.ndarray:
    """The root's step to each frame, seen from the frame before, and its turn [T, 3]."""
    step = np.diff(clip.root, axis=0, prepend=clip.root[:1])
    before = np.concatenate([clip.facing[:1], clip.facing[:-1]])
    turn = -(clip.facing - before)
    return np.concatenate([turned(step, -before), turn[:, None]], -1)


def _bins(clip: Clip, jump: np.ndarray) -> np.ndarray:
    """Speed bin per frame; jump [T, 12]."""
    v = dog_data.velocity(clip, 15.0)
    speed = np.linalg.norm(v, axis=1)
    number = np.digitize(speed, SPEED_BINS)
    on_spot = (speed < 40) & (np.abs(dog_data.turning(clip)) > 0.8)
    number = np.where(on_spot, TURN_BIN, np.where(v[:, 0] < -10, BACK_BIN, number))
    aside = (np.abs(v[:, 1]) > 8) & (np.abs(v[:, 1]) > 2 * np.abs(v[:, 0])) & ~on_spot
    return np.where(jump.max(1) > 0.05, JUMP_BIN, np.where(aside, SIDE_BIN, number))


def arrays_of(clip: Clip) -> dict[str, np.ndarray]:
    """All features of one take, every frame."""
    feet, world = dog_clean.feet_local(clip), dog_clean.feet_world(clip)
    moved = np.diff(world, axis=0, prepend=world[:1])
    flat = turned(moved[..., [0, 2]], np.repeat(-clip.facing[:, None], 4, 1))
    feet_rate = np.stack([flat[..., 0], moved[..., 1], flat[..., 1]], -1)
    phase, turns = phases(clip.contact)
    past, future = path_features(clip)
    jump = jumps(clip)
    change = [np.diff(a, axis=0, prepend=a[:1]) for a in (clip.hinge, clip.posture)]
    return dict(hinge=clip.hinge, hinge_rate=change[0], posture=clip.posture, rate=change[1],
                motion=_motion(clip), feet=feet, feet_rate=feet_rate, phase=phase, turns=turns,
                contact=clip.contact, past=past, future=future, jump=jump,
                speed=_bins(clip, jump))


def build(takes: list[Clip], told: list[dict[str, np.ndarray]] | None = None) -> Frames:
    """Arrays of all takes' usable frames; `told` replaces features of each by others [T, ...]."""
    rows: dict[str, list[np.ndarray]] = {}
    runs = 0
    for clip, known_of in zip(takes, told or [{}] * len(takes)):
        known = np.zeros(len(clip), bool)
        known[EDGE : len(clip) - EDGE] = True
        if clip.name.startswith("still"):
            known[2:-2] = True
        frames = np.flatnonzero(known & clip.keep)
        if len(frames) < 2:
            continue
        made = {k: v[frames] for k, v in {**arrays_of(clip), **known_of}.items()}
        run = runs + np.concatenate([[0], np.cumsum(np.diff(frames) > 1)])
        runs = int(run[-1]) + 1
        held = np.full(len(frames), clip.name.rstrip("~") in dog_data.HELD_OUT)
        for k, v in {**made, "run": run, "held": held}.items():
            rows.setdefault(k, []).append(v if v.dtype != np.float64 else v.astype(np.float32))
    return Frames(**{k: np.concatenate(v) for k, v in rows.items()})
