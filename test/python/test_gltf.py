"""gallop export to glTF, read back by a reader of the test's own: forward kinematics of the
animation are the poses of gallop drive, and the skinned body is where the bones are."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build/dev/cli/gallop"))
TYPES = {5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
pytestmark = pytest.mark.skipif(
    not COMMAND.exists(), reason="no gallop command: name it in GALLOP_COMMAND")


def run(*arguments: object, good: bool = True) -> str:
    command = [str(COMMAND), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode == 0) == good, done.stderr
    return done.stderr


class Gltf:
    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, size, length, kind = struct.unpack_from("<4sIII4s", data)
        assert (magic, version, size, kind) == (b"glTF", 2, len(data), b"JSON")
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[20 + length + 8 :]

    def accessor(self, index: int) -> np.ndarray:
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width, component = WIDTHS[accessor["type"]], TYPES[accessor["componentType"]]
        count = accessor["count"] * width
        values = np.frombuffer(self.binary, component, count, view["byteOffset"])
        return values.reshape(-1, width)

    def tracks(self, path: str) -> dict[int, np.ndarray]:
        animation = self.json["animations"][0]
        return {c["target"]["node"]: self.accessor(animation["samplers"][c["sampler"]]["output"])
                for c in animation["channels"] if c["target"]["path"] == path}

    def world(self, frame: int | None) -> np.ndarray:
        """[joints, 4, 4] at a frame of the animation, or as the nodes stand."""
        turns, moves = self.tracks("rotation"), self.tracks("translation")
        nodes = self.json["nodes"]
        out = np.empty((len(turns), 4, 4))
        parents = {c: i for i, node in enumerate(nodes) for c in node.get("children", [])}
        for j in range(len(turns)):
            turn = nodes[j]["rotation"] if frame is None else turns[j][frame]
            move = nodes[j]["translation"] if frame is None else moves[j][frame]
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = matrix(turn), move
            out[j] = out[parents[j]] @ local if j in parents else local
        return out


def matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = np.asarray(q, float)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


@pytest.fixture(scope="module", params=["walker", "dog"])
def exported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Gltf, np.ndarray]:
    folder = tmp_path_factory.mktemp(request.param)
    script = ("--input", "samples/walk_and_turn.csv", "--seconds", 3)
    model = f"models/{request.param}.gallop"
    run("export", model, *script, "-o", folder / "run.glb")
    run("drive", model, *script, "-o", folder / "run.npy")
    return Gltf(folder / "run.glb"), 0.01 * np.load(folder / "run.npy")


def test_animation_is_the_poses(exported: tuple[Gltf, np.ndarray]) -> None:
    gltf, poses = exported
    times = gltf.accessor(gltf.json["animations"][0]["samplers"][0]["input"])[:, 0]
    assert len(times) == len(poses)
    assert np.allclose(times, np.arange(len(poses)) / 60, atol=1e-5)
    for frame in range(0, len(poses), 7):
        assert np.abs(gltf.world(frame)[:, :3, 3] - poses[frame]).max() < 1e-4


def test_neighbours_are_near(exported: tuple[Gltf, np.ndarray]) -> None:
    """No quaternion jumps to its negative, which is the same rotation."""
    for track in exported[0].tracks("rotation").values():
        assert (track[1:] * track[:-1]).sum(1).min() > 0.5
        assert np.allclose(np.linalg.norm(track, axis=1), 1, atol=1e-5)


def test_body_is_where_the_bones_are(exported: tuple[Gltf, np.ndarray]) -> None:
    gltf, poses = exported
    skin, mesh = gltf.json["skins"][0], gltf.json["meshes"][0]
    bind = gltf.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    assert np.allclose(gltf.world(None) @ bind, np.eye(4), atol=1e-5)
    world = gltf.world(100) @ bind
    tall = np.ptp(gltf.world(None)[:, 1, 3])
    for primitive in mesh["primitives"]:
        of = {name: gltf.accessor(i) for name, i in primitive["attributes"].items()}
        place = np.c_[of["POSITION"], np.ones(len(of["POSITION"]))]
        moved = np.einsum("vk,vkij,vj->vi", of["WEIGHTS_0"], world[of["JOINTS_0"]], place)[:, :3]
        off = np.linalg.norm(moved[:, None] - poses[100][None], axis=2).min(1)
        assert off.max() < 0.45 * tall
        assert np.allclose(np.linalg.norm(of["NORMAL"], axis=1), 1, atol=1e-5)
        corners = gltf.accessor(primitive["indices"]).reshape(-1, 3)
        check_outside(of["POSITION"], of["NORMAL"], corners)


def check_outside(position: np.ndarray, normal: np.ndarray, corners: np.ndarray) -> None:
    """Triangles turn their front where their normals point; those at a pole are flat."""
    a, b, c = (position[corners[:, k]] for k in range(3))
    front = np.cross(b - a, c - a)
    area = np.linalg.norm(front, axis=1)
    facing = (front * normal[corners].mean(1)).sum(1)
    assert (facing[area > 1e-9] > 0).all()


def test_extension_chooses(tmp_path: Path) -> None:
    script = ("--input", "samples/walk_and_turn.csv", "--seconds", 0.1)
    run("export", "models/walker.gallop", *script, "-o", tmp_path / "run.bvh")
    assert (tmp_path / "run.bvh").read_text().startswith("HIERARCHY")
    assert "full" in run("export", "models/walker.gallop", *script, "-o", "/dev/full", good=False)
