"""The O3DE motion-matching set as BVH files in memory: one person, 60 Hz, metres, y up.

The set is one .npz: `joint_names`, `parents`, `offsets_m` [J, 3], `fps`, `clips`, and a clip's
arrays under its name, each stored as its first row and then differences: `hips_pos_0p1mm` [T, 3],
`hips_quat_xyzw` [T, 4] and `joint_quat_xyz` [T, J - 1, 3] (both times 32767, w from the rest). The
rest pose is a T pose that faces +z.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from gallop.bvh import Bvh, BvhError, Joint

ARRAYS = "o3de_mm_60hz.npz"
ATTRIBUTION = ("Open 3D Engine, Motion Matching gem, Copyright Contributors to the Open 3D Engine "
               "(MIT)")
# The set's spine has the names of other skeletons' joints, at other places.
RENAMED = {"Chest": "Spine1", "UpperChest": "Spine2"}
ROTATIONS = ["Zrotation", "Yrotation", "Xrotation"]


def read(path: Path) -> list[Bvh]:
    """Every clip of the set."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {k: stored[k] for k in stored.files}
        names = [RENAMED.get(str(n), str(n)) for n in arrays["joint_names"]]
        joints, starts = _joints(names, arrays["parents"].astype(int), arrays["offsets_m"])
        time = 1 / float(arrays["fps"])
        return [Bvh(str(k), joints, time, _values(arrays, str(k)), starts)
                for k in arrays["clips"]]
    except (KeyError, ValueError, EOFError) as e:
        raise BvhError(f"{path}: not the O3DE set: {e}") from None


def _joints(
    names: list[str], parents: np.ndarray, offsets: np.ndarray
) -> tuple[list[Joint], list[int]]:
    joints, starts, total = [], [], 0
    for name, parent, offset in zip(names, parents, offsets.astype(float)):
        channels = ["Xposition", "Yposition", "Zposition"] if parent < 0 else []
        joints.append(Joint(name, int(parent), 0, list(offset), channels + ROTATIONS))
        starts.append(total)
        total += len(channels) + 3
    return joints, starts


def _values(arrays: dict[str, np.ndarray], clip: str) -> np.ndarray:
    """A clip's channels [T, 3 + 3 J]: the hips' place, and angles in degrees."""
    def whole(name: str, kind: type) -> np.ndarray:
        return np.cumsum(arrays[f"{clip}.{name}"], axis=0, dtype=kind)

    xyz = whole("joint_quat_xyz", np.int16) / 32767.0
    w = np.sqrt(np.maximum(0, 1 - (xyz**2).sum(-1, keepdims=True)))
    hips = whole("hips_quat_xyzw", np.int16)[:, None] / 32767.0
    turn = np.concatenate([hips, np.concatenate([xyz, w], -1)], 1)
    angles = Rotation.from_quat(turn.reshape(-1, 4)).as_euler("ZYX", degrees=True)
    place = whole("hips_pos_0p1mm", np.int32) / 1e4
    return np.concatenate([place, angles.reshape(len(place), -1)], 1)
