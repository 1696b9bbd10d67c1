"""From labelled clips to training arrays, block by block as the contract lists them.

A frame t pairs the input of that frame (trajectory around t, joints of t - 1) with its output
(joints of t, the root's step to t + 1, the trajectory seen from t + 1), as the runtime's loop does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gallop import rotation
from gallop.contract import Block, Contract
from gallop.label import Labels

HEIGHT = 0.2  # m: one deviation of the ground's height, which motion on a floor does not show
JOINT_SCALE = 0.1  # fed-back joints enter a phase's network this much weaker than the command


@dataclass
class Take:
    """A labelled clip in world space, on the contract's joints.

    position [T, J, 3], turn [T, J, 3, 3] (world), labels, and keep [T]: may be trained on.
    """

    name: str
    position: np.ndarray
    turn: np.ndarray
    labels: Labels
    keep: np.ndarray
    style: str = ""
    tag: str = ""

    def __len__(self) -> int:
        return len(self.keep)


@dataclass
class Dataset:
    """All frames of all takes: x [F, K], y [F, N], phase [F] (radians) and where runs start.

    `take` [F] is the take's number, `frame` [F] the frame in it, `style` [F] the style's number in
    `styles`, `stand` [F] the amount of standing, `weight` [F], where there is one, how often a
    frame is drawn. Frames of one take are consecutive rows; rows of consecutive frames follow each
    other, so an unroll is a slice inside one `run` number.
    """

    x: np.ndarray
    y: np.ndarray
    phase: np.ndarray
    take: np.ndarray
    frame: np.ndarray
    run: np.ndarray
    style: np.ndarray
    stand: np.ndarray
    styles: list[str]
    takes: list[Take] = field(default_factory=list)
    weight: np.ndarray | None = None


def to_root(vector: np.ndarray, facing: np.ndarray) -> np.ndarray:
    """World vectors [F, ..., 3] seen from root frames that face `facing` [F]."""
    inverse = rotation.about_y(-facing).reshape(len(facing), *[1] * (vector.ndim - 2), 3, 3)
    return (inverse @ vector[..., None])[..., 0]


def pose_motion(takes: list[Take]) -> tuple[float, float]:
    """The longest way of a joint in a frame in the root frame, and the largest change of such a way
    (as a vector) from one frame to the next: what `gallop judge` calls move and jump. Units."""
    move = change = 0.0
    for take in takes:
        way, jump = joint_motion(take)
        move = max(move, float(way.max(initial=0)))
        change = max(change, float(jump.max(initial=0)))
    return move, change


def joint_motion(take: Take) -> tuple[np.ndarray, np.ndarray]:
    """Of each frame but the first, the longest way that a joint went to it [T - 1], and of each but
    the first and the last, how far that way's change goes [T - 2]; 0 where a frame is not kept."""
    root = np.insert(take.labels.path, 1, 0.0, axis=1)
    way = np.diff(to_root(take.position - root[:, None], take.labels.facing), axis=0)
    kept = take.keep[1:] & take.keep[:-1]
    jump = np.linalg.norm(np.diff(way, axis=0), axis=-1).max(-1)
    return np.linalg.norm(way, axis=-1).max(-1) * kept, jump * (kept[1:] & kept[:-1])


def planar(vector: np.ndarray, facing: np.ndarray) -> np.ndarray:
    """World vectors [F, S, 2] (x, z) seen from root frames that face `facing` [F]."""
    c, s = np.cos(facing)[:, None], np.sin(facing)[:, None]
    x, z = vector[..., 0], vector[..., 1]
    return np.stack([c * x - s * z, s * x + c * z], -1)


def _trajectory(take: Take, frames: np.ndarray, offsets: list[int], base: np.ndarray) -> dict:
    """Path and facing at base + offsets seen from the root frame of `base`: "position" and
    "direction", each [F, S, 2]."""
    at = np.clip(base[:, None] + np.array(offsets)[None], 0, len(take) - 1)
    path, facing = take.labels.path, take.labels.facing
    direction = np.stack([np.sin(facing[at]), np.cos(facing[at])], -1)
    return {
        "position": planar(path[at] - path[base][:, None], facing[base]),
        "direction": planar(direction, facing[base]),
    }


def _joints(take: Take, frames: np.ndarray) -> dict[str, np.ndarray]:
    """Joint positions, velocities [F, J, 3] and rotations [F, J, 3, 3] in the root frame."""
    path, facing = take.labels.path[frames], take.labels.facing[frames]
    origin = np.stack([path[:, 0], np.zeros(len(path)), path[:, 1]], -1)[:, None]
    turn = rotation.about_y(-facing)[:, None] @ take.turn[frames]
    return {
        "position": to_root(take.position[frames] - origin, facing),
        "velocity": to_root(take.position[frames] - take.position[frames - 1], facing),
        "rotation": turn,
    }


def inputs(contract: Contract, take: Take, frames: np.ndarray) -> np.ndarray:
    """Raw inputs [F, K] at `frames`, in the contract's order."""
    path = _trajectory(take, frames, contract.samples, frames)
    joints = _joints(take, frames - 1)
    at = np.clip(frames[:, None] + np.array(contract.samples), 0, len(take) - 1)
    parts = [_input_block(contract, b, take, at, path, joints) for b in contract.inputs]
    return np.concatenate(parts, axis=1)


def _input_block(
    contract: Contract, b: Block, take: Take, at: np.ndarray, path: dict, joints: dict
) -> np.ndarray:
    kind, _, last = b.name.partition(".")
    if b.name == "trajectory.gait":
        return take.labels.gait[at, [g for g, _ in contract.gaits].index(b.args[0])]
    if b.name == "trajectory.height":  # the floor: terrain.py lays other ground under it
        return np.zeros(at.shape)
    if kind == "trajectory":
        what, axis = last.split(".")
        return path[what][..., "xz".index(axis)]
    if kind == "joint":
        return joints[last].reshape(len(at), -1)
    if kind == "constant":
        return np.full((len(at), int(b.args[1])), float(b.args[0]))
    raise ValueError(f"input block '{b.name}' cannot be made from motion")


def outputs(contract: Contract, take: Take, frames: np.ndarray) -> np.ndarray:
    """Raw outputs [F, N] at `frames`, in the contract's order."""
    labels, joints = take.labels, _joints(take, frames)
    step = labels.path[frames + 1] - labels.path[frames]
    made = {
        "velocity": planar(step[:, None], labels.facing[frames])[:, 0],
        "turn": -(labels.facing[frames + 1] - labels.facing[frames])[:, None],
        "advance": (labels.phase[frames + 1] - labels.phase[frames])[:, None],
        "future": _trajectory(take, frames, contract.future, frames + 1),
    }
    legs = [joint for leg in contract.legs for joint in leg[2:]]
    parts = [_output_block(b, take, frames, made, joints, legs) for b in contract.outputs]
    return np.concatenate(parts, axis=1)


def _output_block(
    b: Block, take: Take, frames: np.ndarray, made: dict, joints: dict, legs: list[str]
) -> np.ndarray:
    kind, _, last = b.name.partition(".")
    if kind == "root":
        return made["turn"] if last == "turn" else made["velocity"][:, ["xz".index(last[-1])]]
    if b.name == "phase.advance":
        return made["advance"]
    if kind == "contact":
        return take.labels.contacts[frames, legs.index(b.args[0])][:, None].astype(float)
    if kind == "future":
        what, axis = last.split(".")
        return made["future"][what][..., "xz".index(axis)]
    if b.name == "joint.rotation":
        turn = joints["rotation"]
        flat = rotation.to_sixd(turn) if b.args[0] == "sixd" else rotation.to_half_vector(turn)
        return flat.reshape(len(frames), -1)
    if kind == "joint":
        return joints[last].reshape(len(frames), -1)
    raise ValueError(f"output block '{b.name}' cannot be made from motion")


def build(contract: Contract, takes: list[Take]) -> Dataset:
    """Features of every trainable frame of every take."""
    past, future = contract.window
    styles = sorted({t.style for t in takes})
    columns = ("x", "y", "phase", "take", "frame", "run", "style", "stand")
    rows: dict[str, list[np.ndarray]] = {k: [] for k in columns}
    runs = 0
    stands = [i for i, (_, role) in enumerate(contract.gaits) if role == "stand"]
    for number, take in enumerate(takes):
        frames = np.arange(past + 1, len(take) - future - 1)
        frames = frames[take.keep[frames] & take.keep[frames - 1] & take.keep[frames + 1]]
        if len(frames) == 0:
            continue
        run = runs + np.concatenate([[0], np.cumsum(np.diff(frames) > 1)])
        runs = int(run[-1]) + 1
        gait = take.labels.gait[frames]
        rows["x"].append(inputs(contract, take, frames).astype(np.float32))
        rows["y"].append(outputs(contract, take, frames).astype(np.float32))
        rows["phase"].append((take.labels.phase[frames] % 1.0 * 2 * np.pi).astype(np.float32))
        rows["stand"].append(gait[:, stands].sum(1).astype(np.float32))
        rows["take"].append(np.full(len(frames), number))
        rows["frame"].append(frames)
        rows["run"].append(run)
        rows["style"].append(np.full(len(frames), styles.index(take.style)))
    if not rows["x"]:
        raise ValueError(f"no take is longer than {past + future + 2} trainable frames")
    joined = {k: np.concatenate(v) for k, v in rows.items()}
    return Dataset(**joined, styles=styles, takes=takes)


@dataclass
class Scale:
    """Means per feature and deviations, the latter averaged over each block."""

    x_mean: np.ndarray
    x_std: np.ndarray
    y_mean: np.ndarray
    y_std: np.ndarray


def scale_of(contract: Contract, x: np.ndarray, y: np.ndarray) -> Scale:
    """Normalisation of a data set: one deviation per block, so that no dead feature is blown up;
    fed-back joints are scaled down to JOINT_SCALE where a phase tells what comes next (without
    one, only they do)."""
    phased = any(b.name == "phase.advance" for b in contract.outputs)
    x_std, y_std = x.std(0).astype(np.float64), y.std(0).astype(np.float64)
    for block, where in contract.ranges(contract.inputs):
        weight = JOINT_SCALE if phased and block.name.startswith("joint.") else 1.0
        x_std[where] = max(x_std[where].mean(), 1e-4) / weight
        if block.name == "trajectory.height":
            x_std[where] = HEIGHT / contract.unit
    for _, where in contract.ranges(contract.outputs):
        y_std[where] = max(y_std[where].mean(), 1e-6)
    return Scale(x.mean(0).astype(np.float64), x_std, y.mean(0).astype(np.float64), y_std)
