"""Side steps, of which the dog's motion has none: slow walks led aside.

The body's way turns by a quarter against where it faces; its sway, height and lean stay. A foot
stands where it stood, seen from the middle of the body's way over it, and swings from one such
place to the next as it did, as high and at the same share of its way. Legs reach for the feet.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import binary_dilation, gaussian_filter1d

from gallop.dog import clean as dog_clean
from gallop.dog.clean import Clip

SIGMA = 12.0  # frames: what of the root's way is smoother is its way, the rest is sway
LEAST, MOST, TURN = 8.0, 80.0, 0.9  # cm/s, rad/s: walks that are led aside
WILD = 15.0  # rad/s that no joint of a walk has


def aside(clip: Clip) -> Clip:
    """The clip led to the dog's left; kept where it walks slowly ahead and the legs reach."""
    way = gaussian_filter1d(clip.root, SIGMA, axis=0)
    step = np.diff(way, axis=0, prepend=way[:1])
    led = way[0] + np.cumsum(np.stack([step[:, 1], -step[:, 0]], -1), axis=0)  # +z becomes +x
    feet, known = _feet(clip, way, led)
    moved = replace(clip, name=clip.name + "|", root=led + clip.root - way)
    hinge = gaussian_filter1d(dog_clean.reach(moved, feet), 0.8, axis=0)
    least, most = dog_clean.limits(clip)
    speed = np.linalg.norm(step, axis=1) * clip.rate
    front = np.stack([np.sin(clip.facing), np.cos(clip.facing)], -1)
    ahead = (step * front).sum(1) * clip.rate > 0.85 * speed
    turning = np.abs(np.gradient(gaussian_filter1d(clip.facing, 9.0))) * clip.rate
    wild = np.abs(np.diff(hinge, axis=0, prepend=hinge[:1])).max(1) * clip.rate > WILD
    bad = wild | ((hinge < least) | (hinge > most)).any(1)
    good = (speed > LEAST) & (speed < MOST) & ahead & (turning < TURN) & known
    moved = replace(moved, hinge=np.clip(hinge, least, most),
                    keep=clip.keep & good & ~binary_dilation(bad, iterations=6))
    return replace(moved, contact=dog_clean.still_enough(moved))


def _feet(clip: Clip, way: np.ndarray, led: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World feet [T, 4, 3] over the way `led` in place of `way` [T, 2], and the frames [T] in which
    all of them have a stand before and after."""
    feet = dog_clean.feet_world(clip)
    known = np.ones(len(clip), bool)
    for leg in range(4):
        stands = dog_clean.spans(clip.contact[:, leg] > 0.5)
        flat, made = feet[:, leg][:, [0, 2]], np.zeros((len(clip), 2))
        places = []
        for a, b in stands:
            middle = (a + b) // 2
            stood = np.median(flat[a:b], axis=0)
            there = led[middle] + stood - way[middle]
            made[a:b] = flat[a:b] - stood + there
            places.append((a, b, stood, there))
        for (_, off, p, q), (on, _, p2, q2) in zip(places, places[1:]):
            made[off:on] = q + _share(flat[off:on], p, p2)[:, None] * (q2 - q)
        first, last = (places[0][0], places[-1][1]) if places else (len(clip), len(clip))
        known[:first] = known[last:] = False
        feet[:, leg, 0], feet[:, leg, 2] = made[:, 0], made[:, 1]
    return feet, known


def _share(flat: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far [T] feet at flat [T, 2] are on the way from a to b; by time where that is short."""
    long = float((b - a) @ (b - a))
    time = (np.arange(len(flat)) + 1) / (len(flat) + 1)
    smooth = time * time * (3 - 2 * time)
    return np.clip((flat - a) @ (b - a) / long, -0.1, 1.1) if long > 16 else smooth
