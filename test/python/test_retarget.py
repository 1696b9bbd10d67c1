"""Retargeting: onto the run's own skeleton nothing changes; onto one with other names, axes, unit,
proportions, rest pose and joints between, limbs point as they did and feet are where ours are; onto
the same in a .glb, joints are where they are in the BVH, whatever axes and scales nodes have."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gallop import bvh, glb
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


def chunk(kind: bytes, data: bytes) -> bytes:
    data += (b" " if kind == b"JSON" else b"\0") * (-len(data) % 4)
    return struct.pack("<I4s", len(data), kind) + data


def pack(gltf: dict, binary: bytes = b"") -> bytes:
    text = chunk(b"JSON", json.dumps(gltf).encode())
    text += chunk(b"BIN\0", binary) if binary else b""
    return struct.pack("<4sII", b"glTF", 2, 12 + len(text)) + text


def rig(bones: tuple = THEIRS, unit: float = 0.1) -> dict:
    """Bones below a node that turns z up to y up and their unit to metres; joints have axes of
    their own, one of them in a matrix; the twist is a node that is no joint; a mesh node stands
    beside."""
    turns = Rotation.random(len(bones), random_state=7)
    nodes: list[dict] = [{"name": "Armature", "rotation": [-(0.5**0.5), 0, 0, 0.5**0.5],
                          "scale": [unit] * 3, "translation": [0, 0, 0.3], "children": [1]}]
    for i, (name, parent, offset) in enumerate(bones):
        over = turns[parent].inv() if parent >= 0 else Rotation.identity()
        local = over * turns[i]
        children = [k + 1 for k, (_, p, _) in enumerate(bones) if p == i]
        node = {"name": name, "translation": over.apply(offset).tolist(),
                "rotation": local.as_quat().tolist()}
        if children:
            node["children"] = children
        if name == "spine_01":
            matrix = np.eye(4)
            matrix[:3, :3], matrix[:3, 3] = local.as_matrix(), node.pop("translation")
            del node["rotation"]
            node["matrix"] = matrix.T.ravel().tolist()
        nodes.append(node)
    joints = [i + 1 for i, (name, *_) in enumerate(bones) if not name.startswith("twist")]
    return {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, len(nodes)]}],
            "nodes": [*nodes, {"name": "Body", "skin": 0}], "skins": [{"joints": joints}]}


def glb_world(path: Path) -> dict[str, np.ndarray]:
    """Places [T, 3] of all nodes by name in a file's first animation."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    gltf, binary = json.loads(data[20 : 20 + size]), data[20 + size + 8 :]
    animation, tracks = gltf["animations"][0], {}
    for channel in animation["channels"]:
        accessor = gltf["accessors"][animation["samplers"][channel["sampler"]]["output"]]
        start = gltf["bufferViews"][accessor["bufferView"]]["byteOffset"]
        width = {"VEC3": 3, "VEC4": 4}[accessor["type"]]
        tracks[channel["target"]["node"], channel["target"]["path"]] = np.frombuffer(
            binary, np.float32, accessor["count"] * width, start).reshape(-1, width)
    frames, out = accessor["count"], {}

    def place(node: int, over: np.ndarray) -> None:
        own, matrix = gltf["nodes"][node], np.tile(np.eye(4), (frames, 1, 1))
        assert "matrix" not in own or (node, "rotation") not in tracks
        turn = tracks.get((node, "rotation"), [own.get("rotation") or [0, 0, 0, 1]] * frames)
        scale = (own.get("scale") or [1, 1, 1])[0]
        matrix[:, :3, :3] = scale * Rotation.from_quat(turn).as_matrix()
        matrix[:, :3, 3] = tracks.get((node, "translation"), own.get("translation") or [0, 0, 0])
        out[own["name"]] = (over @ matrix)[:, :3, 3]
        for child in own.get("children") or []:
            place(child, over @ matrix)

    place(0, np.tile(np.eye(4), (frames, 1, 1)))
    return out


def test_onto_a_glb(tmp_path: Path) -> None:
    pytest.importorskip("pygltflib")
    run = walk()
    (tmp_path / "theirs.glb").write_bytes(pack(rig()))
    theirs = glb.read(tmp_path / "theirs.glb")
    glb.write(theirs, retarget(run, theirs.bvh), tmp_path / "out.glb")
    got, onto = glb_world(tmp_path / "out.glb"), retarget(run, make(THEIRS, None))
    wanted = 0.1 * world(onto) @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    for j, name in enumerate(onto.names):
        assert np.abs(got[name] - wanted[:, j]).max() < 1e-4, name
    glb.write(glb.read(tmp_path / "out.glb"), onto, tmp_path / "twice.glb")


def test_a_glb_that_cannot_be_driven_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pygltflib")
    path = tmp_path / "theirs.glb"
    stretched, circle, sheared, orphan = rig(), rig(), rig(), rig()
    orphan["nodes"][5]["children"] = [99]
    stretched["nodes"][4]["scale"] = [1, 2, 1]
    circle["nodes"][5]["children"] = [1]
    sheared["nodes"][3]["matrix"][1] += 0.5
    for data, words in (
        (b"HIERARCHY", "not a binary glTF"), (pack(rig())[:60], "cut off"),
        (pack({**rig(), "skins": []}), "no skin"), (pack({**rig(), "skins": [{"joints": [99]}]}),
         "does not have"), (pack(stretched), "scale"), (pack(circle), "circle"),
        (pack(sheared), "sheared"), (pack(orphan), "a child"),
    ):
        path.write_bytes(data)
        with pytest.raises(glb.GlbError, match=words) as error:
            glb.read(path)
        assert str(path) in str(error.value)


def test_legs_begin_where_ours_do():
    """Hips that lie higher over the legs than theirs do not leave their legs too short."""
    high = tuple((n, p, (o[0], -7.0, o[2]) if n.endswith("Hip") else o) for n, p, o in OURS)
    run = make(high, walk().values)
    out = retarget(run, make(OURS, None))
    middles = []
    for file in (run, out):
        skeleton = Skeleton(file.names, file.parents, file.offsets)
        at, _ = forward(skeleton, file.rotations(), file.positions()[:, 0])
        middles.append(at[:, [file.names.index(f"{s}Hip") for s in ("Left", "Right")]].mean(1))
    assert np.abs(middles[0] - middles[1]).max() < 0.01
