"""What feet slide in the dog's motion itself, as `gallop judge` measures a controller's.

    PYTHONPATH=python python bench/dog_skate.py [FOLDER]

The clean motion at 60 Hz, not mirrored, by its own labels of contact: the mean speed over the ground of
feet on it, from the frame before. A line for each of the judge's ways to go: the frames that go so fast,
so curved and so much aside, of the clips themselves and of what is made from them.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d

from gallop import dog
from gallop.dog import clean, data
from gallop.dog.clean import Clip

BLUR = 9.0  # frames over which speed and turn are the mean
AHEAD, ASIDE, BACK = (0, 30), (60, 120), (140, 180)  # degrees between the way and the facing
ANY = (0.0, 9.0)


@dataclass(frozen=True)
class Manner:
    """Frames of a way to go: speeds m/s, turns rad/s and angles to the facing in degrees, from and
    to; `jumps` within a jump's time of its top, or not."""

    name: str
    speed: tuple[float, float]
    turn: tuple[float, float]
    angle: tuple[float, float] = AHEAD
    jumps: bool = False


MANNERS = (
    Manner("walk 0.9", (0.75, 1.05), (0, 0.2)),
    Manner("trot 1.4", (1.2, 1.6), (0, 0.2)),
    Manner("run 2.5", (2.2, 2.8), (0, 0.2)),
    Manner("run 3.0", (2.8, 3.2), (0, 0.2)),
    Manner("run 3.5", (3.2, 3.8), (0, 0.2)),
    Manner("circle 0.9, 0.5 rad/s", (0.75, 1.05), (0.35, 0.65)),
    Manner("circle 2.0, 0.8 rad/s", (1.7, 2.3), (0.55, 1.05)),
    Manner("circle 2.5, 0.8 rad/s", (2.2, 2.8), (0.55, 1.05)),
    Manner("circle 3.0, 0.8 rad/s", (2.8, 3.2), (0.55, 1.05)),
    Manner("circle 3.5, 0.8 rad/s", (3.2, 3.8), (0.55, 1.05)),
    Manner("side walk 0.18", (0.13, 0.25), (0, 0.3), ASIDE),
    Manner("side run 0.7", (0.55, 0.85), (0, 0.3), ASIDE),
    Manner("back walk 0.27", (0.18, 0.36), (0, 0.3), BACK),
    Manner("back 0.6", (0.45, 0.75), (0, 0.3), BACK),
    Manner("back run 1.05", (0.85, 1.25), (0, 0.3), BACK),
    Manner("turn on the spot, 1 rad/s", (0, 0.15), (0.7, 1.3), (0, 180)),
    Manner("jump 2.5", (1.8, 3.2), ANY, (0, 180), True),
)


def slides(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Speeds of the feet [T, 4] in cm/s, and which are on the ground and to be trained on."""
    way = np.diff(clean.feet_world(clip)[..., [0, 2]], axis=0, prepend=np.nan)
    on = (clip.contact > 0.5) & clip.keep[:, None]
    on[0] = False
    return np.linalg.norm(way, axis=-1) * clip.rate, on


def going(clip: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speed m/s, size of the turn rad/s, and angle of the way to the facing, degrees, of each frame."""
    step = np.gradient(clip.root, axis=0) * clip.rate / 100
    step = gaussian_filter1d(step @ [1j, 1] * np.exp(-1j * clip.facing), BLUR)  # real part ahead
    turn = gaussian_filter1d(np.gradient(clip.facing) * clip.rate, BLUR)
    return np.abs(step), np.abs(turn), np.degrees(np.abs(np.angle(step)))


def leaps(clip: Clip) -> np.ndarray:
    """Which frames are of a jump."""
    out = np.zeros(len(clip), bool)
    for top in clean.tops(clip):
        out[max(0, top - dog.JUMP_TIME) : top + dog.JUMP_TIME] = True
    return out


def figures(clips: list[Clip], manner: Manner) -> str:
    """Skate, seconds, and share of feet on the ground of the frames of a manner."""
    speeds, kept, feet = [], 0, 0
    for clip in clips:
        size, on = slides(clip)
        values = zip(going(clip), (manner.speed, manner.turn, manner.angle))
        its = clip.keep & (leaps(clip) == manner.jumps)
        for value, (least, most) in values:
            its &= (value >= least) & (value <= most)
        speeds.append(size[on & its[:, None]])
        kept, feet = kept + int(its.sum()), feet + int((on & its[:, None]).sum())
    found = np.concatenate(speeds) if speeds else np.zeros(0)
    if len(found) < 20:
        return f"{'-':>6}{kept / dog.RATE:8.1f}{'-':>6}"
    return f"{found.mean():6.1f}{kept / dog.RATE:8.1f}{100 * feet / (4 * kept):6.0f}"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else dog.default_folder()
    clips = data.takes(folder)
    own, made = ([c for c in clips if re.fullmatch(end, c.name)] for end in (r".*\d", r".*\d[<|]"))
    print(f"{'':28}{'the clips: skate cm/s, s, on %':>34}{'made: the same':>28}")
    for manner in MANNERS:
        print(f"{manner.name:28}{figures(own, manner):>34}{figures(made, manner):>28}")


if __name__ == "__main__":
    main()
