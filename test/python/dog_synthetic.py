"""A dog that walks on paper: feet planted in stance, carried forward in swing, legs by IK."""

import numpy as np

from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data

OFFSETS = (0.75, 0.25, 0.5, 0.0)  # FR, FL, HR, HL: a four-beat walk


def walk(frames=400, speed=60.0, stride=48, duty=0.65, turn=0.0, name="dog_star_walk_synthetic",
         offsets=OFFSETS, sway=0.0):
    """A clip at 60 Hz that walks at `speed` cm/s and sways by `sway` cm over its feet."""
    posture, rest = dog_data.rest_pose()
    t = np.arange(frames)
    facing = turn * t
    step = speed / 60
    way = np.stack([np.sin(facing), np.cos(facing)], -1) * step
    root = np.concatenate([np.zeros((1, 2)), np.cumsum(way[:-1], 0)])
    feet, contact = np.zeros((frames, 4, 3)), np.zeros((frames, 4))
    reach = step * stride * duty
    for leg, offset in enumerate(offsets):
        p = np.mod(t / stride + offset, 1)
        on = p < duty
        s = np.where(on, p / duty, (p - duty) / (1 - duty))
        smooth = 3 * s**2 - 2 * s**3
        feet[:, leg] = rest[leg]
        feet[:, leg, 2] += np.where(on, reach * (0.5 - s), reach * (smooth - 0.5))
        feet[:, leg, 1] += np.where(on, 0, 5 * np.sin(np.pi * s) ** 2)
        contact[:, leg] = on
    aside = sway * np.sin(2 * np.pi * t / stride)
    feet[..., 0] -= aside[:, None]
    root = root + aside[:, None] * np.stack([np.cos(facing), -np.sin(facing)], -1)
    hinge = dog_clean.reach_local(np.repeat(posture[None], frames, 0), feet)
    return dog_clean.Clip(name, 60.0, root, facing, np.repeat(posture[None], frames, 0), hinge,
                          contact, np.ones(frames, bool))
