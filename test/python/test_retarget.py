"""Retargeting: onto the run's own skeleton nothing changes; onto one with other names, axes, unit,
proportions, rest pose and joints between, limbs point as they did and feet are where ours are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gallop import bvh
from gallop.motion import Skeleton, forward
from gallop.retarget import body_of, retarget
from gallop.roles import RolesError

# Name, parent, offset: ours in cm, y up, z forward; theirs in dm, z up, -y forward, taller, arms
# down by 40 degrees.
OURS = (
    ("Hips", -1, (0, 0, 0)), ("Chest", 0, (0, 20, 0)), ("Chest2", 1, (0, 20, 0)),
    ("Neck", 2, (0, 15, 0)), ("Head", 3, (0, 10, 0)),
    *((f"{s}{n}", p, (x * k, y, z)) for s, k, base in (("Left", 1, 5), ("Right", -1, 12))
      for n, p, x, y, z in (
          ("Shoulder", 2, 18, 8, 0), ("Elbow", base, 30, 0, 0), ("Wrist", base + 1, 25, 0, 0),
          ("Hip", 0, 10, 0, 0), ("Knee", base + 3, 0, -43, 0.5), ("Ankle", base + 4, 0, -42, -1),
          ("Toe", base + 5, 0, -8, 15))),
)  # fmt: skip
C, S = np.cos(np.radians(40)), np.sin(np.radians(40))
THEIRS = (
    ("root", -1, (0, 0, 0)), ("pelvis", 0, (0, 0, 0.2)), ("spine_01", 1, (0, 0, 1.2)),
    ("spine_02", 2, (0, 0, 1.2)), ("spine_03", 3, (0, 0, 2)), ("neck", 4, (0, 0, 2)),
    ("head", 5, (0, 0, 1)),
    *((f"{n}_{s}", p, (x * k, y, z)) for s, k, base in (("l", 1, 7), ("r", -1, 16))
      for n, p, x, y, z in (
          ("clavicle", 4, 0.5, 0, 1), ("upperarm", base, 1.4, 0, 0),
          ("lowerarm", base + 1, 3.2 * C, 0, -3.2 * S), ("hand", base + 2, 2.8 * C, 0, -2.8 * S),
          ("thigh", 1, 1.1, 0, 0), ("twist", base + 4, 0, 0, -2.5), ("calf", base + 5, 0, 0, -2.9),
          ("foot", base + 6, 0, 0.1, -5), ("ball", base + 7, 0, -1.6, -1))),
)  # fmt: skip


def make(joints: tuple, values: np.ndarray | None) -> bvh.Bvh:
    own, starts = [], []
    for i, (name, parent, offset) in enumerate(joints):
        place = ["Xposition", "Yposition", "Zposition"] if i == 0 else []
        starts.append(3 + 3 * i if i else 0)
        channels = [*place, "Zrotation", "Xrotation", "Yrotation"]
        own.append(bvh.Joint(name, parent, i + 1, list(offset), channels))
    if values is None:
        values = np.zeros((2, 3 + 3 * len(joints)))
    return bvh.Bvh("made", own, 1 / 60, values, starts)


def walk(frames: int = 120) -> bvh.Bvh:
    """Strides of a kind: swinging limbs, a body that sways, turns and goes on."""
    t = np.arange(frames)
    values = np.zeros((frames, 3 + 3 * len(OURS)))
    values[:, :3] = np.c_[3 * np.sin(t / 9), 88 + np.sin(t / 5), 2 * t]
    values[:, 5] = 0.5 * t
    for i, (name, *_) in enumerate(OURS):
        phase = np.sin(t / 9 + (3.14 if name.startswith("Right") else 0))
        if name.endswith(("Hip", "Shoulder")):
            values[:, 3 + 3 * i + 1] = 25 * phase
        if name.endswith("Knee"):
            values[:, 3 + 3 * i + 1] = 20 + 15 * phase
        if name in ("Chest", "Head", "LeftElbow"):
            values[:, 3 + 3 * i] = 10 * phase
    return make(OURS, values)


def world(file: bvh.Bvh) -> np.ndarray:
    skeleton = Skeleton(file.names, file.parents, file.offsets)
    return forward(skeleton, file.rotations(), file.positions()[:, 0])[0]


def test_own_skeleton_changes_nothing() -> None:
    run = walk()
    out = retarget(run, make(OURS, None))
    assert np.abs(world(out) - world(run)).max() < 0.02


def test_limbs_point_as_they_did() -> None:
    run = walk()
    out = retarget(run, make(THEIRS, None))
    ours, theirs = world(run), world(out)
    ours, theirs = 0.01 * ours, 0.1 * theirs @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    mine, other = body_of(run), body_of(out)
    for side in ("left", "right"):
        for a, b, most in (("shoulder", "elbow", 1e-5), ("elbow", "wrist", 1e-5),
                           ("ankle", "toe", 1e-5), ("hip", "knee", 0.12), ("knee", "ankle", 0.12)):
            bones = []
            for body, place in ((mine, ours), (other, theirs)):
                bone = place[:, body.joints[f"{side}_{b}"]] - place[:, body.joints[f"{side}_{a}"]]
                bones.append(bone / np.linalg.norm(bone, axis=1, keepdims=True))
            assert np.linalg.norm(bones[0] - bones[1], axis=1).max() < most, (side, a)
        scale = other.leg() / mine.leg()
        ankles = [place[:, body.joints[f"{side}_ankle"]] for body, place in
                  ((mine, ours), (other, theirs))]
        off = ankles[1] - scale * ankles[0]
        assert np.ptp(off, axis=0).max() < 1e-3 and abs(off[:, [0, 2]]).max() < 1e-3
    head = theirs[:, other.joints["head"]]
    assert (head[:, 1] > theirs[:, other.joints["hips"], 1] + 0.6).all()


def test_what_it_cannot_do_is_said(tmp_path: Path) -> None:
    with pytest.raises(RolesError, match="left_knee"):
        retarget(walk(), make(THEIRS[:7], None))
    stiff = make(THEIRS, None)
    stiff.joints[8].channels = []
    with pytest.raises(RolesError, match="upperarm_l"):
        retarget(walk(), stiff)
    (tmp_path / "run.bvh").write_text(bvh.format_bvh(walk(3)))
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT a\n")
    for onto, status in (("run.bvh", 0), ("bad.bvh", 1), ("none.bvh", 1)):
        command = [sys.executable, "-m", "gallop.retarget", tmp_path / "run.bvh",
                   "--onto", tmp_path / onto, "-o", tmp_path / "out.bvh"]
        done = subprocess.run(command, capture_output=True, text=True,
                              cwd=Path(__file__).resolve().parents[2] / "python")
        assert done.returncode == status, done.stderr
        assert status == 0 or onto in done.stderr
    assert set(bvh.read(tmp_path / "out.bvh").names) == {name for name, *_ in OURS}
