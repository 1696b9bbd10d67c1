"""Clips of one body on the skeleton of another one of the same rig.

Capture sets have a skeleton a person: the same joints, bones of other lengths. Joints turn as they
did, and ways are as much longer as the legs are; feet are locked anew by whoever asks. Rigs that
rest otherwise, or whose proportions are others altogether, do not fit.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from gallop.clean import Leg
from gallop.motion import Clip, Skeleton

TURNED = np.cos(np.radians(15))  # bones may rest so far from each other's direction
LONGER = 1.6  # and be so much longer, for legs of one length
SHORT = 3.0  # cm: bones below this have no direction


def leg_length(skeleton: Skeleton, leg: Leg) -> float:
    """From hip to ankle."""
    return float(sum(np.linalg.norm(skeleton.offsets[j]) for j in (leg.knee, leg.ankle)))


def fits(theirs: Skeleton, ours: Skeleton, leg: Leg) -> bool:
    """Whether clips of their skeleton can be carried to ours."""
    if theirs.names != ours.names or list(theirs.parents) != list(ours.parents):
        return False
    scale = leg_length(ours, leg) / leg_length(theirs, leg)
    a, b = theirs.offsets[1:] * scale, ours.offsets[1:]
    long = np.stack([np.linalg.norm(o, axis=1) for o in (a, b)])
    seen = (long > SHORT).all(0)
    cosine = (a * b).sum(1)[seen] / long[:, seen].prod(0)
    apart = np.abs(np.log(long[0, seen] / long[1, seen]))
    return bool((cosine > TURNED).all() and (apart < np.log(LONGER)).all())


def carried(clip: Clip, ours: Skeleton, leg: Leg) -> Clip:
    """The clip on our skeleton."""
    scale = leg_length(ours, leg) / leg_length(clip.skeleton, leg)
    return dataclasses.replace(clip, skeleton=ours, root=clip.root * scale)
