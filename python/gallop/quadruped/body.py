"""A hinged body out of a skeleton whose joints turn freely.

A controller of the dog's kind knows joints that turn about one axis each. So a joint stands in its
mean pose at rest, and what it turns beyond that is one, two or three hinges about the principal
axes of its own motion: a knee becomes one hinge, a neck three. Joints between them have no length;
the last of them has the joint's name and its whole rotation, so that a skin finds what it knows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from scipy.spatial.transform import Rotation

from gallop import motion, rotation
from gallop.contract import Contract, Hinge, Joint
from gallop.dog import clean as dog_clean
from gallop.hinges import Legs

LITTLE = np.radians(2.5)  # what an axis turns by less than, in 98 of 100 frames, is no hinge
MARGIN = 0.05  # radians beyond what the motion shows
STEPS, DAMPING, STRIDE = 6, 2.0, 0.4  # of reaching: rounds, units squared, radians a round


@dataclass
class Turning:
    """How a joint of the skeleton turns: its rest rotation in its parent, and its hinges' axes
    [n, 3] in the frame that has; `frame` holds them as columns, right-handed, where n > 1."""

    rest: np.ndarray
    axes: np.ndarray
    frame: np.ndarray

    def angles(self, local: np.ndarray) -> np.ndarray:
        """Hinge angles [T, n], continuous, of local rotations [T, 3, 3]."""
        moved = self.rest.T @ local
        if len(self.axes) == 0:
            return np.zeros((len(local), 0))
        if len(self.axes) == 1:
            q = rotation.to_quaternion(moved)
            made = 2 * np.arctan2(q[:, :3] @ self.axes[0], q[:, 3])[:, None]
        else:
            made = Rotation.from_matrix(self.frame.T @ moved @ self.frame).as_euler("XYZ")
            made = made[:, [0, 2]] if len(self.axes) == 2 else made
        return np.unwrap(made, axis=0)


def turning_of(local: np.ndarray) -> Turning:
    """How a joint turns that has the local rotations [T, 3, 3]."""
    u, _, v = np.linalg.svd(local.mean(0))
    rest = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    moved = 2 * rotation.to_half_vector(rest.T @ local)
    _, axes = np.linalg.eigh(moved.T @ moved)
    axes = axes.T[::-1]  # the most moved first
    most = np.percentile(np.abs(moved @ axes.T), 98, axis=0)
    count = int((most > LITTLE).sum())
    # the least moved stands in the middle, where an angle must stay below a quarter turn
    frame = np.stack([axes[0], axes[2], axes[1]], -1)
    frame[:, 1] *= np.linalg.det(frame)
    picked = {0: [], 1: [0], 2: [0, 2], 3: [0, 1, 2]}[count]
    return Turning(rest, frame.T[picked], frame)


@dataclass
class Body:
    """A hinged body: its joints, hinges and legs, and the rest pose that it stands in.

    `rest` [H] are the hinges' angles at rest, `posture` the first joint's height, pitch and roll;
    `columns` are each leg's own hinges, `owner` [H] the skeleton's joint of each hinge.
    """

    skeleton: motion.Skeleton
    turnings: list[Turning]
    feet: list[tuple[str, str, str, str]]
    least: np.ndarray
    most: np.ndarray
    rest: np.ndarray
    posture: tuple[float, float, float]
    owner: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.owner = [j for j, t in enumerate(self.turnings) for _ in t.axes]
        self.legs = Legs(self.contract(), dtype=torch.float64)
        names = self.skeleton.names
        chains = [_up(self.skeleton, names.index(leg[3])) for leg in self.feet]
        shared = [j for j in range(len(names)) if sum(j in c for c in chains) > 1]
        own = [[j for j in c if j not in shared] for c in chains]
        self.columns = [np.array([i for i, j in enumerate(self.owner) if j in c], int)
                        for c in own]

    def contract(self) -> Contract:
        """Joints, hinges, legs and posture as a contract without features."""
        joints, hinges = [], []
        for j, name in enumerate(self.skeleton.names):
            offset = tuple(map(float, self.skeleton.offsets[j]))
            parent = self.skeleton.names[self.skeleton.parents[j]] if j else ""
            if j == 0:
                joints.append(Joint(name, "", (0.0, float(self.posture[0]), 0.0)))
                continue
            quaternion = tuple(map(float, rotation.to_quaternion(self.turnings[j].rest)))
            count = len(self.turnings[j].axes)
            for k in range(max(count, 1)):
                own = name if k >= count - 1 else f"{name}.{k + 1}"
                joints.append(Joint(own, parent, offset, quaternion))  # type: ignore[arg-type]
                offset, quaternion, parent = (0.0, 0.0, 0.0), None, own  # type: ignore[assignment]
        at = 0
        for j, turning in enumerate(self.turnings):
            for k, axis in enumerate(turning.axes):
                last = k == len(turning.axes) - 1
                own = self.skeleton.names[j] + ("" if last else f".{k + 1}")
                hinges.append(Hinge(own, tuple(map(float, axis)),  # type: ignore[arg-type]
                                    float(self.least[at]), float(self.most[at]),
                                    float(self.rest[at])))
                at += 1
        return Contract(joints=joints, legs=list(self.feet), hinges=hinges, posture=self.posture)

    def angles(self, local: np.ndarray) -> np.ndarray:
        """Hinge angles [T, H] of local rotations [T, J, 3, 3]."""
        return np.concatenate([t.angles(local[:, j]) for j, t in enumerate(self.turnings)], 1)

    def local(self, hinge: np.ndarray, joint: int) -> np.ndarray:
        """A joint's local rotations [T, 3, 3] at hinge angles [T, H]."""
        out = np.repeat(self.turnings[joint].rest[None], len(hinge), 0)
        first = self.owner.index(joint) if joint in self.owner else 0
        for k, axis in enumerate(self.turnings[joint].axes):
            out = out @ rotation.from_half_vector(hinge[:, first + k, None] * axis / 2)
        return out

    def world(self, clip: dog_clean.Clip) -> tuple[np.ndarray, np.ndarray]:
        """World places [T, J, 3] and rotations [T, J, 3, 3] of the skeleton's joints."""
        pitch, roll = (clip.posture[:, i, None] for i in (1, 2))
        first = rotation.about_y(clip.facing) @ rotation.from_half_vector(
            pitch * [0.5, 0, 0]) @ rotation.from_half_vector(roll * [0, 0, 0.5])
        root = np.stack([clip.root[:, 0], clip.posture[:, 0], clip.root[:, 1]], -1)
        local = np.stack([first] + [self.local(clip.hinge, j)
                                    for j in range(1, len(self.turnings))], 1)
        return motion.forward(self.skeleton, local, root)

    def reach(self, posture: np.ndarray, local: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Hinge angles [T, H] that bring the feet to `local` [T, 4, 3] in the root frame, as near
        to `near` as that allows: damped least squares over each leg's own hinges."""
        goal, hinge = dog_clean.in_body(posture, local), near.copy()
        width = max(len(c) for c in self.columns)
        for _ in range(STEPS):
            at = self._feet(hinge)
            jacobian = np.zeros((len(hinge), len(self.columns), 3, width))
            for k in range(width):
                moved = hinge.copy()
                for columns in self.columns:
                    moved[:, columns[k : k + 1]] += 1e-5
                jacobian[..., k] = (self._feet(moved) - at) / 1e-5
            for leg, columns in enumerate(self.columns):
                jacobian[:, leg, :, len(columns) :] = 0
            square = jacobian @ np.swapaxes(jacobian, -1, -2) + DAMPING * np.eye(3)
            step = (np.swapaxes(jacobian, -1, -2) @ np.linalg.solve(
                square, (goal - at)[..., None]))[..., 0].clip(-STRIDE, STRIDE)
            for leg, columns in enumerate(self.columns):
                hinge[:, columns] += step[:, leg, : len(columns)]
            hinge = hinge.clip(self.least, self.most)
        return hinge

    def _feet(self, hinge: np.ndarray) -> np.ndarray:
        return self.legs.in_body(torch.tensor(hinge)).numpy()


def _up(skeleton: motion.Skeleton, joint: int) -> list[int]:
    out = []
    while joint > 0:
        out.append(joint)
        joint = skeleton.parents[joint]
    return out


def body_of(clips: list[motion.Clip], feet: list[tuple[str, str, str, str]]) -> Body:
    """The hinged body that moves as the clips do; it rests in the middle of its motion."""
    local = np.concatenate([c.local for c in clips])
    turnings = [turning_of(local[:, j]) for j in range(local.shape[1])]
    turnings[0] = Turning(np.eye(3), np.zeros((0, 3)), np.eye(3))  # the posture turns it
    height = float(np.median(np.concatenate([c.root[:, 1] for c in clips])))
    skeleton = clips[0].skeleton
    count = sum(len(t.axes) for t in turnings)
    none = np.zeros(count)
    made = Body(skeleton, turnings, feet, none - 10, none + 10, none, (height, 0.0, 0.0))
    angles = np.concatenate([made.angles(c.local) for c in clips])
    least, most = np.percentile(angles, [0.1, 99.9], axis=0)
    made.least, made.most = least - MARGIN, most + MARGIN
    return made


def hinged(clip: motion.Clip, body: Body) -> dog_clean.Clip:
    """A clip on the hinged body, without contacts."""
    first = clip.local[:, 0]
    facing = np.unwrap(rotation.facing_angle(first))
    pitch = -np.arcsin(np.clip(first[:, 1, 2], -1, 1))
    roll = np.arctan2(first[:, 1, 0], first[:, 1, 1])
    posture = np.stack([clip.root[:, 1], pitch, roll], -1)
    return dog_clean.Clip(clip.name, clip.rate, clip.root[:, [0, 2]].copy(), facing, posture,
                          body.angles(clip.local), np.zeros((len(clip), len(body.feet))),
                          clip.keep.copy(), body)
