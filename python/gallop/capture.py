"""The 100STYLE excerpt: decoded clips at 15 fps put back onto the capture's own skeleton.

The decoded rotations are those of the original capture: against the four original BVH files the
legs, hips and collars agree to 1e-5 degrees, the arm bones' directions to 0.01 degrees and the root
path to about a millimetre. The rig that comes with them has other proportions and splayed legs, so
the clips are read onto the skeleton of the BVH files: true leg length, true path, no rescaling.
Only the trunk was stiffened by the decoder (about 2 degrees), and wrists and toes do not bend.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gallop import bvh, rotation
from gallop.motion import Clip, Skeleton, to_local

ARRAYS = "aeriea_100style_locomotion_15fps.npz"
SKELETON = "Neutral_FW.bvh"
ATTRIBUTION = (
    "The 100STYLE Dataset - Ian Mason; Mason, Starke, Komura: Real-Time Style Modelling of Human "
    "Locomotion via Feature-Wise Transformations and Local Motion Phases, 2022 (CC BY 4.0)"
)
# joint of the capture's skeleton <- bone of the decoded rig whose world rotation it takes
BONES = {
    "Hips": "root", "Chest": "spine04", "Chest2": "spine03", "Chest3": "spine02",
    "Chest4": "spine01", "Neck": "neck01", "Head": "head",
    "RightCollar": "clavicle.R", "LeftCollar": "clavicle.L",
    "RightHip": "upperleg01.R", "RightKnee": "lowerleg01.R", "RightAnkle": "foot.R",
    "LeftHip": "upperleg01.L", "LeftKnee": "lowerleg01.L", "LeftAnkle": "foot.L",
}  # fmt: skip
ARMS = {"Shoulder": ("upperarm01", "lowerarm01"), "Elbow": ("lowerarm01", None)}
# The decoded rig's forearm direction at rest, left arm; measured against the BVH files (0.003 deg).
FOREARM = np.array([0.5229, -0.4603, 0.7175])


def read_skeleton(folder: Path) -> Skeleton:
    """The capture's skeleton (cm), the hips' offset being its standing height."""
    file = bvh.read(folder / SKELETON)
    offsets = file.offsets
    offsets[0] = (0, -_leg_drop(file), 0)
    return Skeleton(file.names, file.parents, offsets)


def _leg_drop(file: bvh.Bvh) -> float:
    """Height of the lowest point of a leg under the hips at rest (negative, cm)."""
    names, y = file.names, file.offsets[:, 1]
    toe = next(j for j in file.joints if j.name == "LeftToe")
    chain = [y[names.index("Left" + part)] for part in ("Hip", "Knee", "Ankle", "Toe")]
    return float(sum(chain) + (toe.end or [0, 0, 0])[1])


def read_clips(folder: str | Path) -> list[Clip]:
    """All clips of the excerpt at 15 fps, in cm, hips at height 0 (clean.ground lifts them)."""
    folder = Path(folder)
    skeleton = read_skeleton(folder)
    with np.load(folder / ARRAYS, allow_pickle=False) as data:
        arrays = {k: data[k] for k in data.files}
    clips = []
    for i, name in enumerate(arrays["clip_names"]):
        part = arrays["clip_id"] == i
        world = _rig_world(arrays, part)
        bones = [str(b) for b in arrays["bone_names"]]
        turn = _capture_world(skeleton, world, bones, arrays["bone_rest_head_m"])
        path = arrays["root_path_xz_m"][part].astype(float) * 100
        root = np.stack([path[:, 0], np.zeros(len(path)), path[:, 1]], -1)
        clips.append(Clip(str(name), skeleton, float(arrays["fps"]), to_local(skeleton, turn), root,
                          style=str(name).split("_")[0], tag=str(arrays["clip_tags"][i])))
    return clips


def _rig_world(arrays: dict[str, np.ndarray], part: np.ndarray) -> np.ndarray:
    """World rotations [T, B, 3, 3] of the decoded rig's bones, facing the way the actor walks."""
    local = rotation.from_quaternion(arrays["local_quats_xyzw"][part].astype(float))
    parents, world = arrays["bone_parent"], np.empty_like(local)
    done: list[int] = []
    while len(done) < len(parents):  # a parent may stand behind its child in this file
        for b, p in enumerate(parents):
            if b not in done and (p < 0 or p in done):
                world[:, b] = local[:, b] if p < 0 else world[:, p] @ local[:, b]
                done.append(b)
    heading = rotation.about_y(arrays["root_yaw_rad"][part].astype(float) + np.pi)
    return heading[:, None] @ world


def _capture_world(
    skeleton: Skeleton, world: np.ndarray, bones: list[str], rest: np.ndarray
) -> np.ndarray:
    """World rotations [T, J, 3, 3] of the capture's joints from those of the rig's bones."""
    turn = np.empty((len(world), len(skeleton.names), 3, 3))
    for j, name in enumerate(skeleton.names):
        side = "L" if name.startswith("Left") else "R"
        part = name.removeprefix("Left").removeprefix("Right")
        if name in BONES:
            turn[:, j] = world[:, bones.index(BONES[name])]
        elif part in ARMS:
            upper, lower = ARMS[part]
            bone = bones.index(f"{upper}.{side}")
            along = FOREARM * ([1, 1, 1] if side == "L" else [-1, 1, 1])
            if lower:
                along = rest[bones.index(f"{lower}.{side}")] - rest[bone]
            tee = np.array([1.0 if side == "L" else -1.0, 0, 0])
            turn[:, j] = world[:, bone] @ rotation.between(tee, along)
        else:
            turn[:, j] = turn[:, skeleton.parents[j]]
    return turn
