"""The dog's motion as BVH files, as a capture of some animal would be given.

    python test/python/dog_bvh.py FOLDER_OF_THE_DOG FOLDER [CLIP...]

writes a file of each clip (without those that hit, play and jump high), 60 frames a second.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "python")]

from gallop import bvh, dog, rotation  # noqa: E402
from gallop.dog import clean as dog_clean  # noqa: E402
from gallop.dog import data as dog_data  # noqa: E402

ROTATION = ["Zrotation", "Xrotation", "Yrotation"]


def file_of(clip, names=None, unit=1.0, z_up=False, spine=0.0):
    """A clip (dog_clean.Clip) as a file; `names` renames joints, `unit` scales lengths. With a
    `spine` the hips turn by so many radians beside the trunk, once a second."""
    joints, values, starts = [], [], []
    hinges = {h.joint: i for i, h in enumerate(dog.hinges())}
    to_z = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    axes = to_z if z_up else np.eye(3)
    pitch, roll = (clip.posture[:, i, None] / 2 for i in (1, 2))
    body = rotation.about_y(clip.facing) @ rotation.from_half_vector(
        pitch * [1, 0, 0]) @ rotation.from_half_vector(roll * [0, 0, 1])
    sway = rotation.about_y(spine * np.sin(2 * np.pi * np.arange(len(clip)) / clip.rate))
    for j, joint in enumerate(dog.joints()):
        parent = [x.name for x in dog.joints()].index(joint.parent) if joint.parent else -1
        turn = np.repeat(np.eye(3)[None], len(clip), 0)
        if j == 0:
            turn = axes @ body
        elif joint.name in hinges:
            h = dog.hinges()[hinges[joint.name]]
            angle = clip.hinge[:, hinges[joint.name], None] / 2
            turn = rotation.from_half_vector(angle * np.array(h.axis))
        if spine and joint.name in ("Neck", "Croup"):
            turn = sway
        starts.append(sum(len(x.channels) for x in joints))
        places = ["Xposition", "Yposition", "Zposition"] if j == 0 else []
        offset = [0.0] * 3 if j == 0 else [v * unit for v in joint.offset]
        joints.append(bvh.Joint((names or (lambda n: n))(joint.name), parent, j + 1, offset,
                                [*places, *ROTATION]))
        if j == 0:
            root = np.stack([clip.root[:, 0], clip.posture[:, 0], clip.root[:, 1]], -1)
            values.append(root @ axes.T * unit)
        values.append(Rotation.from_matrix(turn).as_euler("ZXY", degrees=True))
    return bvh.Bvh("<made>", joints, 1 / clip.rate, np.concatenate(values, 1), starts)


def write(folder, name, file):
    """A file of that name in a folder."""
    (folder / f"{name}.bvh").write_text(bvh.format_bvh(file))


def main():
    source, folder, only = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    with np.load(source / dog.FILE) as archive:
        for name in archive.files:
            used = not any(f"dog_{w}" in name for w in dog_data.NOT_USED)
            if name in only or (used and not only):
                clip = dog_clean.halved(dog_clean.read(name, archive[name]))
                write(folder, name, file_of(clip))


if __name__ == "__main__":
    main()
