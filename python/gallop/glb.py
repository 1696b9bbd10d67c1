"""Somebody's skinned character in a glTF file, for retarget.py: its skeleton at rest as a Bvh of
one frame, and the file again with a motion of that Bvh as its first animation.

The skeleton is the skin's with the most joints: all nodes from the one that carries them all on.
In the Bvh it stands in glTF's axes and metres (y up), whatever turns and scales the nodes above it
have: its first joint is where that node is in the world, and the animation that is written says it
in that node's parent's terms. The package pygltflib reads and writes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from gallop.bvh import Bvh, Joint

FLOAT, SCALAR, VEC3, VEC4 = 5126, "SCALAR", "VEC3", "VEC4"


class GlbError(ValueError):
    """A file that has no skeleton that can be driven; the message begins with the file's name."""


@dataclass
class Rig:
    """A file and its skeleton. `nodes` [J]: their numbers in the file, parents first."""

    path: Path
    gltf: Any  # pygltflib.GLTF2
    nodes: list[int]
    above: np.ndarray  # [4, 4], from the first joint's parent to the world
    bvh: Bvh


def read(path: Path) -> Rig:
    """The largest skeleton of a .glb; GlbError."""
    gltf = _load(path)
    parents = {child: i for i, node in enumerate(gltf.nodes) for child in node.children or []}
    nodes = _skeleton(path, gltf, parents)
    local = {i: local_of(path, i, gltf.nodes[i]) for i in range(len(gltf.nodes))}
    above, at = np.eye(4), parents.get(nodes[0])
    while at is not None:
        above, at = _matrix(*local[at]) @ above, parents.get(at)
    return Rig(path, gltf, nodes, above, _bvh(path, gltf, nodes, parents, local, above))


def write(rig: Rig, motion: Bvh, path: Path) -> None:
    """The rig's file with the motion, which has the joints of `rig.bvh`."""
    from pygltflib import Animation, AnimationChannel, AnimationChannelTarget, AnimationSampler

    turns, places = motion.rotations(), motion.positions()[:, 0]
    turn, scale = _parts(rig.path, rig.above)
    turns[:, 0] = turn.T @ turns[:, 0]
    places = (places - rig.above[:3, 3]) @ turn / scale
    animation = Animation(name=Path(motion.path).stem)
    times = (np.arange(len(turns)) * motion.frame_time).astype(np.float32)
    data = _Data(rig.gltf)
    time = data.add(times[:, None], SCALAR)
    tracks = [("rotation", node, data.add(_quaternions(turns[:, j]), VEC4))
              for j, node in enumerate(rig.nodes)]
    tracks.append(("translation", rig.nodes[0], data.add(places, VEC3)))
    for what, node, output in tracks:
        target = AnimationChannelTarget(node=node, path=what)
        animation.channels.append(AnimationChannel(sampler=len(animation.samplers), target=target))
        animation.samplers.append(AnimationSampler(input=time, output=output))
        _set_parts(rig.path, node, rig.gltf.nodes[node])
    rig.gltf.animations.insert(0, animation)
    data.finish()
    rig.gltf.save_binary(str(path))


def _load(path: Path) -> Any:
    try:
        from pygltflib import GLTF2
    except ImportError as error:
        raise GlbError(f"{path}: reading it needs the package pygltflib (pip install "
                       "pygltflib)") from error
    data = path.read_bytes()
    if data[:4] != b"glTF":
        raise GlbError(f"{path}: not a binary glTF file (.glb)")
    if int.from_bytes(data[8:12], "little") != len(data):
        raise GlbError(f"{path}: not as long as it says, cut off perhaps")
    try:
        gltf = GLTF2().load_binary(str(path))
    except Exception as error:  # it raises whatever its parts do
        raise GlbError(f"{path}: not a sound glTF file: {error}") from error
    if gltf is None:
        raise GlbError(f"{path}: not a sound glTF file")
    if any(buffer.uri for buffer in gltf.buffers):
        raise GlbError(f"{path}: its buffers are in other files; pack them into the .glb")
    if any(not 0 <= c < len(gltf.nodes) for node in gltf.nodes for c in node.children or []):
        raise GlbError(f"{path}: a node has a child that the file does not have")
    return gltf


def _skeleton(path: Path, gltf: Any, parents: dict[int, int]) -> list[int]:
    """All nodes from the joints' common one down to the joints, parents first."""
    if not gltf.skins:
        raise GlbError(f"{path}: it has no skin, so no skeleton")
    joints = max((skin.joints for skin in gltf.skins), key=len)
    if not joints or max(joints) >= len(gltf.nodes):
        raise GlbError(f"{path}: its skin names nodes that it does not have")
    chains = [_up(path, joint, parents) for joint in joints]
    top = next((n for n in chains[0] if all(n in chain for chain in chains)), None)
    if top is None:
        raise GlbError(f"{path}: no node carries all joints of its skin")
    wanted = {node for chain in chains for node in chain[: chain.index(top) + 1]}
    out = [top]
    for node in out:
        out += [child for child in gltf.nodes[node].children or [] if child in wanted]
    return out


def _up(path: Path, node: int, parents: dict[int, int]) -> list[int]:
    """From a node to its root."""
    chain = [node]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
        if len(chain) > len(parents) + 1:
            raise GlbError(f"{path}: its nodes go in a circle")
    return chain


def local_of(path: Path, number: int, node: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """A node's place [3], turn [3, 3] and scale."""
    if node.matrix is not None:
        matrix = np.array(node.matrix, float).reshape(4, 4).T
        turn, scale = _parts(f"{path}: node {number}", matrix)
        return matrix[:3, 3], turn, scale
    scales = np.array(node.scale or [1, 1, 1], float)
    if np.ptp(scales) > 1e-3 * abs(scales).max() or scales.min() <= 0:
        raise GlbError(f"{path}: node {number} ({node.name}) has the scale {scales}: only the same "
                       "along all axes can be driven")
    turn = Rotation.from_quat(node.rotation or [0, 0, 0, 1]).as_matrix()
    return np.array(node.translation or [0, 0, 0], float), turn, float(scales[0])


def _parts(what: object, matrix: np.ndarray) -> tuple[np.ndarray, float]:
    """Turn [3, 3] and scale of a matrix that has no others."""
    scale = float(np.cbrt(np.linalg.det(matrix[:3, :3])))
    turn = matrix[:3, :3] / (scale if scale > 0 else 1)
    if scale <= 0 or abs(turn @ turn.T - np.eye(3)).max() > 1e-3:
        raise GlbError(f"{what} is sheared, mirrored, or scaled along one axis")
    return turn, scale


def _matrix(place: np.ndarray, turn: np.ndarray, scale: float) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = scale * turn, place
    return out


def _bvh(path: Path, gltf: Any, nodes: list[int], parents: dict[int, int], local: dict,
         above: np.ndarray) -> Bvh:
    """The skeleton at rest: offsets by the scales over them, in the world the first joint."""
    turn, scale = _parts(path, above)
    scales, joints, angles, names = {parents.get(nodes[0]): scale}, [], [], set()
    for i, node in enumerate(nodes):
        place, own, size = local[node]
        parent = parents.get(node)
        first = above[:3, :3] @ place + above[:3, 3]
        offset = scales[parent] * place if i else first
        scales[node] = scales[parent] * size
        name = gltf.nodes[node].name or f"node{node}"
        name = name if name not in names else f"{name}#{node}"
        names.add(name)
        channels = [] if i else ["Xposition", "Yposition", "Zposition"]
        joints.append(Joint(name, nodes.index(parent) if i else -1, 0, list(offset),
                            [*channels, "Zrotation", "Xrotation", "Yrotation"]))
        matrix = own if i else turn @ own
        angles.append(Rotation.from_matrix(matrix).as_euler("ZXY", degrees=True))
    starts = [0, *(3 * i + 3 for i in range(1, len(nodes)))]
    return Bvh(str(path), joints, 1.0, np.r_[joints[0].offset, np.ravel(angles)][None], starts)


def _quaternions(turns: np.ndarray) -> np.ndarray:
    """[T, 4], x y z w, without jumps to the opposite sign."""
    out = Rotation.from_matrix(turns).as_quat()
    signs = np.where((out[1:] * out[:-1]).sum(1) < 0, -1.0, 1.0)
    out[1:] *= np.cumprod(signs)[:, None]
    return out


def _set_parts(path: Path, number: int, node: Any) -> None:
    """Animated nodes may not have a matrix."""
    if node.matrix is None:
        return
    place, turn, scale = local_of(path, number, node)
    node.matrix, node.translation = None, place.tolist()
    node.rotation, node.scale = Rotation.from_matrix(turn).as_quat().tolist(), [scale] * 3


class _Data:
    """Numbers put at the end of a file's buffer."""

    def __init__(self, gltf: Any) -> None:
        self.gltf, self.bytes = gltf, bytearray(gltf.binary_blob() or b"")

    def add(self, values: np.ndarray, kind: str) -> int:
        """An accessor of float32 values [N, width]."""
        from pygltflib import Accessor, BufferView

        values = np.ascontiguousarray(values, np.float32)
        self.bytes += bytes(-len(self.bytes) % 4)
        self.gltf.bufferViews.append(
            BufferView(buffer=0, byteOffset=len(self.bytes), byteLength=values.nbytes))
        self.bytes += values.tobytes()
        self.gltf.accessors.append(Accessor(
            bufferView=len(self.gltf.bufferViews) - 1, componentType=FLOAT, count=len(values),
            type=kind, min=values.min(0).tolist(), max=values.max(0).tolist()))
        return len(self.gltf.accessors) - 1

    def finish(self) -> None:
        from pygltflib import Buffer

        if not self.gltf.buffers:
            self.gltf.buffers.append(Buffer())
        self.gltf.buffers[0].byteLength = len(self.bytes)
        self.gltf.set_binary_blob(bytes(self.bytes))
