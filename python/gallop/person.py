"""Anybody's motion on one body: clips of several people, cleaned, on the capture's skeleton.

Each file is carried over by its joints' roles (retarget), feet are put on the floor and held still
while they are planted, and what cannot be used (no level floor under it) is switched off.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.ndimage import binary_dilation

from gallop import clean, label, motion, retarget, rotation
from gallop.bvh import Bvh
from gallop.clean import Leg

SOLE = 1.5  # cm: height of a planted toe joint
LIFTED = 7.0  # cm: a toe at rest so far from the floor stands on something, or in it
SETTLE = 40  # frames around such a stretch that are left out, too
TWISTED = math.radians(60)  # no hip turns a thigh further about itself: such a capture is off,
BESIDE = 20  # and so many frames before and after it are left out, too
QUICK = 55.0  # cm/s: a toe in contact is slower; running people's soles roll


def carried(file: Bvh, stands: Bvh, onto: retarget.Body, rate: float) -> motion.Clip:
    """A file's motion as a clip in centimetres on the body `onto`; `stands` is a file of the same
    person whose pose without rotations, or first frame, stands upright on flat soles."""
    ours = replace(retarget.body_of(stands), file=file)
    turn, root, _ = retarget.carried(ours, onto, flat=True)
    skeleton = motion.Skeleton(onto.skeleton.names, onto.skeleton.parents,
                               onto.skeleton.offsets * 100)
    clip = motion.Clip(Path(file.path).stem, skeleton, 1 / file.frame_time,
                       motion.to_local(skeleton, turn), root * 100)
    return motion.resample(clip, rate)


def stood(clip: motion.Clip, legs: list[Leg]) -> motion.Clip:
    """The clip with its toes on the floor at height SOLE while they rest, held still in contact,
    and switched off where they rest elsewhere, or a thigh is twisted; its legs give way before they
    are straight."""
    clip = clean.eased(clip, legs)
    position, _ = clip.world()
    toes = position[:, [leg.toe for leg in legs]]
    slow = np.linalg.norm(np.gradient(toes, axis=0), axis=-1) * clip.rate < 25
    rest = np.median(toes[..., 1][slow]) if slow.any() else toes[..., 1].min()
    clip = replace(clip, root=clip.root - [0, rest - SOLE, 0])
    high = np.abs(toes[..., 1] - rest) > LIFTED
    aloft = label.runs((slow & high & (toes[..., 1] <= toes[..., 1].min(1)[:, None])).any(1))
    bad = np.zeros(len(clip), bool)
    for first, end in aloft:
        bad[first:end] = end - first > 6
    bad = binary_dilation(bad, iterations=SETTLE)
    bad |= binary_dilation(clean.twisted(clip, legs) > TWISTED, iterations=BESIDE)
    clip = replace(clip, keep=clip.keep & ~bad)
    return clean.lock_toes(clean.raised(clip, legs), legs, speed=QUICK)[0]


def packed(clips: list[motion.Clip]) -> dict[str, np.ndarray]:
    """Clips of one skeleton as arrays for np.savez: quaternions in 16 bits, the root in 32."""
    skeleton = clips[0].skeleton
    quaternion = np.concatenate([rotation.to_quaternion(c.local) for c in clips])
    return {
        "names": np.array(skeleton.names), "parents": np.array(skeleton.parents),
        "offsets": skeleton.offsets, "rate": np.array(clips[0].rate),
        "clips": np.array([c.name for c in clips]), "tags": np.array([c.tag for c in clips]),
        "styles": np.array([c.style for c in clips]),
        "lengths": np.array([len(c) for c in clips]),
        "quaternion": np.round(quaternion * 32767).astype(np.int16),
        "root": np.concatenate([c.root for c in clips]).astype(np.float32),
        "keep": np.concatenate([c.keep for c in clips]),
    }


def unpacked(arrays: dict[str, np.ndarray]) -> list[motion.Clip]:
    """The clips that were packed."""
    skeleton = motion.Skeleton([str(n) for n in arrays["names"]],
                               [int(p) for p in arrays["parents"]], arrays["offsets"])
    ends = np.cumsum(arrays["lengths"])
    out = []
    for i, end in enumerate(ends):
        part = slice(int(end - arrays["lengths"][i]), int(end))
        local = rotation.from_quaternion(arrays["quaternion"][part].astype(float))
        out.append(motion.Clip(str(arrays["clips"][i]), skeleton, float(arrays["rate"]), local,
                               arrays["root"][part].astype(float), str(arrays["styles"][i]),
                               str(arrays["tags"][i]), arrays["keep"][part]))
    return out
