"""The dog's motion made clean: joint flips out, feet above the floor, planted feet still."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from gallop import dog, rotation
from gallop.hinges import Legs

if TYPE_CHECKING:
    from gallop.quadruped.body import Body

FLIP = 0.35  # radians in a frame of 1/120 s: no leg turns that fast
FLOOR, CONTACT_HEIGHT, CONTACT_SPEED, REST_HEIGHT = 2.0, 5.0, 60.0, 2.2  # cm, cm/s
MOVING = 40.0  # cm/s above which a cleaned foot is not planted
FADE = 12  # frames over which a foot's correction comes and goes
BLUR, SMOOTH = 2.0, (1.2, 0.8)  # frames: by how much what holds a foot, and then legs, are smoothed
LEAP = (50.0, 68.0)  # how high the body is at the top of a jump that is trained on, cm
LEAP_LEAN = 50.0  # degrees that it may pitch then


@dataclass
class Clip:
    """A motion: root [T, 2] (x, z; cm), facing [T] (radians, unwrapped), posture [T, 3] (height,
    pitch, roll), hinge [T, H], contact [T, 4] (0 or 1) and keep [T] (fit to train on). `body` is
    whose motion it is, the dog's where it is None."""

    name: str
    rate: float
    root: np.ndarray
    facing: np.ndarray
    posture: np.ndarray
    hinge: np.ndarray
    contact: np.ndarray
    keep: np.ndarray
    body: Body | None = None

    def __len__(self) -> int:
        return len(self.root)


def legs() -> Legs:
    """The dog's legs in float64."""
    return Legs(dog.contract(), dtype=torch.float64)


def feet_local(clip: Clip) -> np.ndarray:
    """Feet [T, 4, 3] in the root frame."""
    its = clip.body.legs if clip.body else legs()
    return its.feet(torch.tensor(clip.posture), torch.tensor(clip.hinge)).numpy()


def feet_world(clip: Clip) -> np.ndarray:
    """Feet [T, 4, 3] in the world."""
    turned = (rotation.about_y(clip.facing)[:, None] @ feet_local(clip)[..., None])[..., 0]
    turned[..., 0] += clip.root[:, None, 0]
    turned[..., 2] += clip.root[:, None, 1]
    return turned


def read(name: str, rows: np.ndarray) -> Clip:
    """A clip of the archive [T, 19] in the contract's axes."""
    rows = rows.astype(np.float64)
    position = rows[:, [1, 2, 0]] * 100
    turn = rotation.from_quaternion(rows[:, [4, 5, 3, 6]])
    facing = np.unwrap(rotation.facing_angle(turn))
    pitch = -np.arcsin(np.clip(turn[:, 1, 2], -1, 1))
    roll = np.arctan2(turn[:, 1, 0], turn[:, 1, 1])
    posture = np.stack([position[:, 1], pitch, roll], -1)
    return Clip(name, 120.0, position[:, [0, 2]], facing, posture, rows[:, 7:19].copy(),
                np.zeros((len(rows), 4)), np.ones(len(rows), bool))


def without_flips(clip: Clip) -> Clip:
    """Legs that jump from one frame to the next are drawn through, six frames either side."""
    hinge = clip.hinge.copy()
    for columns in clip.body.columns if clip.body else np.arange(12).reshape(4, 3):
        part = hinge[:, columns]
        jump = (np.abs(np.diff(part, axis=0)) > FLIP).any(1)
        bad = np.zeros(len(part), bool)
        for at in np.flatnonzero(jump):
            bad[max(0, at - 6) : at + 7] = True
        good = np.flatnonzero(~bad)
        for j in columns if len(good) else []:
            hinge[:, j] = np.interp(np.arange(len(part)), good, hinge[good, j])
    return replace(clip, hinge=hinge)


def spans(mark: np.ndarray) -> list[tuple[int, int]]:
    """Runs of true values as (first, end)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mark.astype(int), [0]])))
    return list(zip(edges[0::2], edges[1::2]))


def find_contacts(feet: np.ndarray, root: np.ndarray, rate: float) -> np.ndarray:
    """Which feet [T, 4, 3] are on the ground: low and slow, short gaps filled, short runs off.

    A fast dog's feet slide more in the retargeted motion, so there slow is less slow.
    """
    speed = np.linalg.norm(np.gradient(feet[..., [0, 2]], axis=0), axis=-1) * rate
    body = np.linalg.norm(np.gradient(gaussian_filter1d(root, 18.0, axis=0), axis=0), axis=-1)
    slow = CONTACT_SPEED + 0.25 * np.maximum(body * rate - 150, 0)
    on = (feet[..., 1] < CONTACT_HEIGHT) & (
        gaussian_filter1d(speed, 2.0, axis=0) < slow[:, None])
    for leg in range(4):
        for a, b in spans(~on[:, leg]):
            if b - a <= 3 and a > 0 and b < len(on):
                on[a:b, leg] = True
        for a, b in spans(on[:, leg]):
            if b - a < 6:
                on[a:b, leg] = False
    return on


def soft_floor(height: np.ndarray) -> np.ndarray:
    """Heights bent so that none falls below the floor."""
    return FLOOR + 0.4 * np.logaddexp(0, (height - FLOOR) / 0.4)


def _pieces(path: np.ndarray, a: int, b: int) -> list[tuple[int, int]]:
    """A contact cut where the foot has drifted more than 6 cm."""
    if b - a > 12 and np.linalg.norm(path[b - 1] - path[a]) > 6:
        half = (a + b) // 2
        return _pieces(path, a, half) + _pieces(path, half, b)
    return [(a, b)]


def planted(feet: np.ndarray, contact: np.ndarray, blur: float = BLUR) -> np.ndarray:
    """Feet held where they stand while in contact; what is added fades in and out smoothly."""
    change = np.zeros_like(feet)
    ramp = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, FADE) / FADE)
    for leg in range(4):
        for a0, b0 in spans(contact[:, leg]):
            for a, b in _pieces(feet[:, leg][:, [0, 2]], a0, b0):
                target = np.median(feet[a:b, leg], axis=0)
                more = target - feet[a:b, leg]
                more[:, 1] = 0.7 * (REST_HEIGHT - feet[a:b, leg, 1])
                change[a:b, leg] = more
            after = change[b0 : b0 + FADE - 1, leg]
            after += ramp[: len(after), None] * change[b0 - 1, leg]
            before = change[max(0, a0 - FADE + 1) : a0, leg]
            before += ramp[::-1][FADE - 1 - len(before) :, None] * change[a0, leg]
    return feet + gaussian_filter1d(change, blur, axis=0)


def reach(clip: Clip, feet: np.ndarray) -> np.ndarray:
    """Hinge angles [T, H] that bring the feet to `feet` [T, 4, 3] (world), body as it is."""
    flat = feet.copy()
    flat[..., 0] -= clip.root[:, None, 0]
    flat[..., 2] -= clip.root[:, None, 1]
    local = (rotation.about_y(-clip.facing)[:, None] @ flat[..., None])[..., 0]
    if clip.body:
        return clip.body.reach(clip.posture, local, clip.hinge)
    return reach_local(clip.posture, local)


def in_body(posture: np.ndarray, local: np.ndarray) -> np.ndarray:
    """Points [T, N, 3] of the root frame in the body's."""
    y, z = local[..., 1] - posture[:, None, 0], local[..., 2]
    c, s = np.cos(posture[:, None, 1]), np.sin(posture[:, None, 1])
    y, z = c * y + s * z, -s * y + c * z
    c, s = np.cos(posture[:, None, 2]), np.sin(posture[:, None, 2])
    return np.stack([c * local[..., 0] + s * y, -s * local[..., 0] + c * y, z], -1)


def reach_local(posture: np.ndarray, local: np.ndarray) -> np.ndarray:
    """The dog's hinge angles [T, 12] for feet [T, 4, 3] in the root frame."""
    x, y, z = np.moveaxis(in_body(posture, local), -1, 0)
    out_x = np.array([1.0 if leg.endswith("Left") else -1.0 for leg in dog.LEGS])
    ahead = np.array([1.0 if leg.startswith("Front") else -1.0 for leg in dog.LEGS])
    x, z = x - out_x * dog.SIDE, z - ahead * dog.FORWARD
    down = -np.sqrt(np.maximum(x * x + y * y - dog.LINK**2, 1.0))
    hip = np.arctan2(y, x) - np.arctan2(down, out_x * dog.LINK)
    hip = np.mod(hip + np.pi, 2 * np.pi) - np.pi
    far = np.sqrt(np.minimum(down**2 + z * z, (dog.THIGH + dog.SHANK - 0.05) ** 2))
    bend = (far**2 - dog.THIGH**2 - dog.SHANK**2) / (2 * dog.THIGH * dog.SHANK)
    shank = np.arccos(np.clip(bend, -0.95, 1))
    thigh = np.arctan2(z, -down) - np.arctan2(
        dog.SHANK * np.sin(shank), dog.THIGH + dog.SHANK * np.cos(shank))
    return np.stack([hip, thigh, shank], -1).reshape(len(posture), 12)


def tops(clip: Clip) -> np.ndarray:
    """Frames at the tops of jumps over something low."""
    height = gaussian_filter1d(clip.posture[:, 0], clip.rate / 30)
    return find_peaks(height, height=LEAP, distance=int(clip.rate / 2))[0]


def upright(clip: Clip) -> np.ndarray:
    """Frames in which the dog is on its legs, or jumps."""
    calm = gaussian_filter1d(clip.posture, 0.25 * clip.rate / 2, axis=0)
    height = clip.posture[:, 0]
    good = (calm[:, 0] > 24.5) & (calm[:, 0] < 36) & (height > 17) & (height < 40)
    good &= np.abs(calm[:, 1]) < np.radians(22)
    lean = np.abs(clip.posture[:, 1]) < np.radians(LEAP_LEAN)
    for top in tops(clip):
        near = np.abs(np.arange(len(clip)) - top) < 1.25 * dog.JUMP_TIME * clip.rate / dog.RATE
        good |= near & lean & (height > 17) & (height < LEAP[1])
    return good


def still_enough(clip: Clip, moving: float = MOVING) -> np.ndarray:
    """The contacts [T, 4] less the frames, at their ends mostly, in which the foot moves faster."""
    flat = feet_world(clip)[..., [0, 2]]
    speed = np.linalg.norm(np.gradient(flat, axis=0), axis=-1) * clip.rate
    on = (clip.contact > 0.5) & (speed < moving)
    for leg in range(4):
        for a, b in spans(on[:, leg]):
            if b - a < 4:
                on[a:b, leg] = False
    return on.astype(float)


def cleaned(clip: Clip) -> Clip:
    """All of it, at the clip's own rate."""
    clip = held(without_flips(clip))
    return replace(clip, keep=upright(clip))


def limits(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most [H] of the clip's hinges."""
    if clip.body:
        return clip.body.least, clip.body.most
    return tuple(np.array([h[i] for h in dog.LIMITS] * 4) for i in (0, 1))  # type: ignore


def held(clip: Clip, blur: float = BLUR, smooths: tuple[float, ...] = SMOOTH,
         moving: float = MOVING) -> Clip:
    """Feet over the floor, and still while they are planted; once for each smoothing."""
    feet = feet_world(clip)
    feet[..., 1] = soft_floor(feet[..., 1])
    on = find_contacts(feet, clip.root, clip.rate)
    least, most = limits(clip)
    for smooth in smooths:
        hinge = gaussian_filter1d(reach(clip, planted(feet, on, blur)), smooth, axis=0)
        clip = replace(clip, hinge=np.clip(hinge, least, most))
        feet = feet_world(clip)
    clip = replace(clip, contact=on.astype(float))
    return replace(clip, contact=still_enough(clip, moving))


def halved(clip: Clip) -> Clip:
    """Every second frame."""
    names = ("root", "facing", "posture", "hinge", "contact", "keep")
    return replace(clip, rate=clip.rate / 2, **{n: getattr(clip, n)[::2] for n in names})
