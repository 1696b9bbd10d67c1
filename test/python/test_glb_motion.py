"""The animations of a .glb as motion: what is read is what was written, whatever stands over it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gallop import anyone, glb, glb_motion
from gallop.retarget import retarget
from test_retarget import THEIRS, make, pack, rig, walk, world

pytest.importorskip("pygltflib")
ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build/dev/cli/gallop"))


@pytest.fixture()
def walked(tmp_path: Path) -> Path:
    """Somebody's character with a walk."""
    (tmp_path / "theirs.glb").write_bytes(pack(rig()))
    theirs = glb.read(tmp_path / "theirs.glb")
    glb.write(theirs, retarget(walk(), theirs.bvh), tmp_path / "walked.glb")
    return tmp_path / "walked.glb"


def split(path: Path) -> tuple[dict, bytes]:
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def test_what_is_written_is_read(walked: Path) -> None:
    (motion,) = glb_motion.read(walked)
    onto = retarget(walk(), make(THEIRS, None))
    axes = 0.1 * np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    got, wanted = world(motion), world(onto) @ axes
    assert len(got) == len(wanted) and motion.frame_time == pytest.approx(1 / 60)
    for j, name in enumerate(onto.names):
        assert np.abs(got[:, motion.names.index(name)] - wanted[:, j]).max() < 1e-4, name


def test_a_node_over_the_skeleton_carries_it(walked: Path) -> None:
    """The same motion, that its armature now turns and moves by a track of two keys."""
    before = world(glb_motion.read(walked)[0])
    gltf, data = split(walked)
    half = Rotation.from_euler("z", 90, degrees=True)
    own = Rotation.from_quat(gltf["nodes"][0].get("rotation") or [0, 0, 0, 1])
    place = np.array(gltf["nodes"][0].get("translation") or [0, 0, 0], float)
    keys = np.array([0, 10], np.float32)
    turns = np.tile((half * own).as_quat(), (2, 1)).astype(np.float32)
    moves = np.tile(half.apply(place) + np.array([3, 0, 0]), (2, 1)).astype(np.float32)
    for values, kind in ((keys, "SCALAR"), (turns, "VEC4"), (moves, "VEC3")):
        gltf["bufferViews"].append({"buffer": 0, "byteOffset": len(data),
                                    "byteLength": values.nbytes})
        gltf["accessors"].append({"bufferView": len(gltf["bufferViews"]) - 1, "type": kind,
                                  "componentType": 5126, "count": 2})
        data += values.tobytes()
    first = len(gltf["accessors"]) - 3
    animation = gltf["animations"][0]
    for i, what in ((1, "rotation"), (2, "translation")):
        animation["channels"].append({"sampler": len(animation["samplers"]),
                                      "target": {"node": 0, "path": what}})
        animation["samplers"].append({"input": first, "output": first + i})
    gltf["buffers"][0]["byteLength"] = len(data)
    walked.write_bytes(pack(gltf, data))
    after = world(glb_motion.read(walked)[0])[: len(before)]
    carried = half.apply(before.reshape(-1, 3)) + np.array([3, 0, 0])
    assert np.abs(after - carried.reshape(before.shape)).max() < 1e-4


def test_between_keys() -> None:
    keys, at = np.array([0.0, 1, 3]), np.array([-1, 0, 0.5, 1, 2, 3, 4])
    line = np.array([[0.0], [2], [6]])
    assert np.allclose(glb_motion.between((keys, line, "LINEAR"), at)[:, 0], [0, 0, 1, 2, 4, 6, 6])
    assert np.allclose(glb_motion.between((keys, line, "STEP"), at)[:, 0], [0, 0, 0, 2, 2, 6, 6])
    curve = np.stack([2 * keys, keys**2, 2 * keys], 1)[..., None]  # a parabola is its own spline
    inside = np.clip(at, 0, 3)
    assert np.allclose(glb_motion.between((keys, curve, "CUBICSPLINE"), at)[:, 0], inside**2)
    quarter = Rotation.from_euler("y", [0, 90], degrees=True).as_quat() * [[1], [-1]]
    turned = glb_motion.turned((keys[:2], quarter, "LINEAR"), np.array([1 / 3]), "here")
    assert np.allclose(Rotation.from_matrix(turned).as_euler("YXZ", degrees=True), [[30, 0, 0]])


@pytest.mark.parametrize("spoil, words", [
    (lambda g: g["animations"].clear(), "no animation of its skeleton"),
    (lambda g: g["accessors"][-1].update(count=10**6), "past the file's end"),
    (lambda g: g["accessors"][-1].update(type="MAT4"), "of a kind that no animation has"),
    (lambda g: g["animations"][0]["samplers"][0].update(input=999), "does not have"),
    (lambda g: g["animations"][0]["channels"][0].update(sampler=999), "does not have"),
    (lambda g: g["accessors"][g["animations"][0]["samplers"][0]["input"]].update(count=3),
     "as many values"),
])
def test_what_cannot_be_read_is_said(walked: Path, spoil, words: str) -> None:
    gltf, data = split(walked)
    spoil(gltf)
    walked.write_bytes(pack(gltf, data))
    with pytest.raises(glb.GlbError, match=words) as error:
        glb_motion.read(walked)
    assert str(walked) in str(error.value)


@pytest.mark.skipif(not COMMAND.exists(), reason="no gallop command: name it in GALLOP_COMMAND")
def test_it_trains_on_a_glb(tmp_path: Path) -> None:
    subprocess.run([COMMAND, "export", "models/walker.gallop", "--input",
                    "samples/walk_and_turn.csv", "-o", tmp_path / "walk.glb"], check=True, cwd=ROOT)
    takes, rules, found = anyone.prepare(tmp_path, None)
    assert "left_toe        LeftToe" in found and "unit            1 m" in found
    speed = np.linalg.norm(np.gradient(takes[0].labels.path, axis=0), axis=-1)[62:-62]
    assert 0.7 < np.median(speed) * 60 / 100 < 1.7 and len(rules.joints) == 23
