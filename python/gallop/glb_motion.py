"""The animations of a skinned character in a .glb as motion: one Bvh of each, at RATE frames a
second, on the file's skeleton (glb.py).

An animation turns, moves and scales nodes by tracks of keys (LINEAR, STEP or CUBICSPLINE). What
has no track stays as it rests. Nodes over the skeleton may move, too: their motion is the first
joint's. A node that is scaled while it moves cannot be said by joints, and is refused.

Shapes: T frames, J joints, K keys.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from gallop import glb
from gallop.bvh import Bvh
from gallop.glb import GlbError, Rig

RATE = 60.0
LONGEST = 3600.0  # seconds
KINDS = {5120: (np.int8, 127), 5121: (np.uint8, 255), 5122: (np.int16, 32767),
         5123: (np.uint16, 65535), 5126: (np.float32, 1)}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
POSITION = ("Xposition", "Yposition", "Zposition")
TURN = ("Zrotation", "Xrotation", "Yrotation")


def read(path: Path) -> list[Bvh]:
    """Every animation of the file that moves its largest skeleton; GlbError."""
    rig = glb.read(path)
    made = [bvh_of(rig, animation, number) for number, animation in enumerate(rig.gltf.animations)]
    out = [motion for motion in made if motion is not None]
    if not out:
        raise GlbError(f"{path}: no animation of its skeleton")
    return out


def bvh_of(rig: Rig, animation: Any, number: int) -> Bvh | None:
    """An animation as motion; none where it does not move the skeleton."""
    where = f"{rig.path}: animation {number} ({animation.name})"
    parents = {c: i for i, node in enumerate(rig.gltf.nodes) for c in node.children or []}
    above = above_of(rig, parents)
    tracks = tracks_of(rig, animation, {*rig.nodes, *above}, where)
    if not tracks:
        return None
    times = frames_of(tracks, where)
    local = {node: sampled(rig, node, tracks, times, where) for node in (*above, *rig.nodes)}
    over = np.tile(np.eye(4), (len(times), 1, 1))
    for node in above:
        over = over @ matrices(*local[node])
    scale = float(np.cbrt(np.linalg.det(over[0, :3, :3])))
    first = rig.nodes[0]
    place, turn, size = local[first]
    place = (over[:, :3, :3] @ place[..., None])[..., 0] + over[:, :3, 3]
    columns, joints, starts = [], [], []
    scales = {first: scale * size}
    for node, joint in zip(rig.nodes, rig.bvh.joints):
        own = over[:, :3, :3] / scale @ turn if node == first else local[node][1]
        if node != first:
            parent = rig.nodes[joint.parent]
            scales[node] = scales[parent] * local[node][2]
            place = scales[parent] * local[node][0]
        moves = node == first or np.ptp(place, axis=0).max() > 1e-6
        starts.append(sum(c.shape[1] for c in columns))
        columns += [place] if moves else []
        columns.append(Rotation.from_matrix(own).as_euler("ZXY", degrees=True))
        joints.append(replace(joint, channels=[*(POSITION if moves else ()), *TURN]))
    return Bvh(str(named(rig.path, animation.name or f"animation{number}")), joints, 1 / RATE,
               np.concatenate(columns, 1), starts)


def named(path: Path, animation: str) -> Path:
    """What an animation of a file is called."""
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in animation)
    return path.with_name(f"{path.stem}-{plain}{path.suffix}")


def above_of(rig: Rig, parents: dict[int, int]) -> list[int]:
    """The nodes over the skeleton, outermost first."""
    out, at = [], parents.get(rig.nodes[0])
    while at is not None:
        out.append(at)
        at = parents.get(at)
    return out[::-1]


def matrices(place: np.ndarray, turn: np.ndarray, scale: float) -> np.ndarray:
    """[T, 4, 4] of places [T, 3], turns [T, 3, 3] and a scale."""
    out = np.tile(np.eye(4), (len(place), 1, 1))
    out[:, :3, :3], out[:, :3, 3] = scale * turn, place
    return out


Track = tuple[np.ndarray, np.ndarray, str]  # times [K], values [K, width] or [K, 3, width], kind


def tracks_of(
    rig: Rig, animation: Any, nodes: set[int], where: str
) -> dict[tuple[int, str], Track]:
    """The tracks of the nodes by (node, what it changes)."""
    out = {}
    for channel in animation.channels:
        node, what = channel.target.node, channel.target.path
        if node not in nodes or what not in ("translation", "rotation", "scale"):
            continue
        if not 0 <= (channel.sampler or 0) < len(animation.samplers):
            raise GlbError(f"{where}: a channel has a sampler that the file does not have")
        sampler = animation.samplers[channel.sampler or 0]
        times, values = (accessor(rig, i, where) for i in (sampler.input, sampler.output))
        kind = sampler.interpolation or "LINEAR"
        if kind == "CUBICSPLINE":
            values = values.reshape(-1, 3, values.shape[1])
        times = times[:, 0]
        if len(times) == 0 or len(times) != len(values) or (np.diff(times) <= 0).any():
            raise GlbError(f"{where}: node {node}: {len(times)} times that go on, and as many "
                           f"values, expected; it has {len(values)}")
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise GlbError(f"{where}: node {node}: a number that is not finite")
        if values.shape[-1] != (4 if what == "rotation" else 3):
            raise GlbError(f"{where}: node {node}: {what} of {values.shape[-1]} numbers")
        out[node, what] = (times, values, kind)
    return out


def accessor(rig: Rig, number: int, where: str) -> np.ndarray:
    """The numbers [N, width] of an accessor, integers as the shares that they stand for."""
    gltf, blob = rig.gltf, rig.gltf.binary_blob() or b""
    if number is None or not 0 <= number < len(gltf.accessors):
        raise GlbError(f"{where}: an accessor that the file does not have")
    a = gltf.accessors[number]
    if a.componentType not in KINDS or a.type not in WIDTHS or a.sparse is not None or (
            a.bufferView is None or not 0 <= a.bufferView < len(gltf.bufferViews)):
        raise GlbError(f"{where}: accessor {number} is of a kind that no animation has")
    kind, most = KINDS[a.componentType]
    view, width = gltf.bufferViews[a.bufferView], WIDTHS[a.type]
    size = np.dtype(kind).itemsize * width
    stride, start = view.byteStride or size, (view.byteOffset or 0) + (a.byteOffset or 0)
    if a.count < 0 or stride < size or start < 0 or (
            a.count and start + stride * (a.count - 1) + size > len(blob)):
        raise GlbError(f"{where}: accessor {number} goes past the file's end")
    rows = [np.frombuffer(blob, kind, width, start + stride * i) for i in range(a.count)]
    values = np.array(rows, float).reshape(-1, width)
    return np.maximum(values / most, -1) if most > 1 else values


def frames_of(tracks: dict[tuple[int, str], Track], where: str) -> np.ndarray:
    """Times [T] from the first key to the last."""
    first = min(times[0] for times, _, _ in tracks.values())
    last = max(times[-1] for times, _, _ in tracks.values())
    if last - first > LONGEST:
        raise GlbError(f"{where}: {last - first:.0f} s long, {LONGEST:.0f} at most expected")
    return first + np.arange(round((last - first) * RATE) + 1) / RATE


def sampled(
    rig: Rig, node: int, tracks: dict[tuple[int, str], Track], times: np.ndarray, where: str
) -> tuple[np.ndarray, np.ndarray, float]:
    """A node's places [T, 3], turns [T, 3, 3] and scale at the times."""
    place, turn, scale = glb.local_of(rig.path, node, rig.gltf.nodes[node])
    places, turns = np.tile(place, (len(times), 1)), np.tile(turn, (len(times), 1, 1))
    if (node, "translation") in tracks:
        places = between(tracks[node, "translation"], times)
    if (node, "rotation") in tracks:
        turns = turned(tracks[node, "rotation"], times, f"{where}: node {node}")
    if (node, "scale") in tracks:
        sizes = between(tracks[node, "scale"], times)
        if np.ptp(sizes) > 1e-3 * abs(sizes).max() or sizes.min() <= 0:
            raise GlbError(f"{where}: node {node} ({rig.gltf.nodes[node].name}) changes its scale")
        scale = float(sizes[0, 0])
    return places, turns, scale


def between(track: Track, times: np.ndarray) -> np.ndarray:
    """A track's values [T, width] at the times; before its first key and after its last, those."""
    keys, values, kind = track
    at = np.clip(times, keys[0], keys[-1])
    if kind == "STEP" or len(keys) == 1:
        known = values if values.ndim == 2 else values[:, 1]
        return known[np.clip(np.searchsorted(keys, at, "right") - 1, 0, len(keys) - 1)]
    upper = np.clip(np.searchsorted(keys, at), 1, len(keys) - 1)
    span = keys[upper] - keys[upper - 1]
    t = ((at - keys[upper - 1]) / span)[:, None]
    if kind != "CUBICSPLINE":
        return values[upper - 1] + t * (values[upper] - values[upper - 1])
    span = span[:, None]  # a key's tangent before it, its value, its tangent after it
    return ((2 * t**3 - 3 * t**2 + 1) * values[upper - 1, 1]
            + (t**3 - 2 * t**2 + t) * span * values[upper - 1, 2]
            + (3 * t**2 - 2 * t**3) * values[upper, 1] + (t**3 - t**2) * span * values[upper, 0])


def turned(track: Track, times: np.ndarray, where: str) -> np.ndarray:
    """A track of quaternions as turns [T, 3, 3] at the times, along the shortest way."""
    keys, values, kind = track
    known = values if values.ndim == 2 else values[:, 1]
    if np.linalg.norm(known, axis=1).min() < 1e-6:
        raise GlbError(f"{where}: a rotation of length 0")
    if kind != "LINEAR" or len(keys) == 1:
        return Rotation.from_quat(between(track, times)).as_matrix()
    return Slerp(keys, Rotation.from_quat(values))(np.clip(times, keys[0], keys[-1])).as_matrix()
