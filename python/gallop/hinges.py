"""Forward kinematics of hinged legs in torch, for many poses at once.

A leg is the chain of joints from the first joint down to its TOE; each joint stands at its rest
offset in its parent, turned as at rest, and turns about its hinge's axis, if it has one.
"""

from __future__ import annotations

import numpy as np
import torch

from gallop import rotation
from gallop.contract import Contract


def spin(axis: torch.Tensor, angle: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """v [..., L, 3] turned by `angle` [..., L] about unit axes [L, 3]."""
    c, s = torch.cos(angle)[..., None], torch.sin(angle)[..., None]
    along = axis * (axis * v).sum(-1, keepdim=True)
    return along + c * (v - along) + s * torch.linalg.cross(axis.expand_as(v), v, dim=-1)


class Legs:
    """The legs of a contract's skeleton: feet from hinge angles."""

    def __init__(self, contract: Contract, device: str | torch.device = "cpu",
                 dtype: torch.dtype = torch.float32) -> None:
        names, parents = contract.joint_names(), contract.parents()
        hinge = {h.joint: i for i, h in enumerate(contract.hinges)}
        self.chains = [_chain(names.index(leg[3]), parents) for leg in contract.legs]
        self.levels: list[_Level] = []
        for level in range(max(len(c) for c in self.chains)):  # shorter chains end before others
            joints = [c[level] if level < len(c) else -1 for c in self.chains]
            at = [hinge.get(names[j], -1) if j >= 0 else -1 for j in joints]
            self.levels.append(_Level(contract, joints, at, device, dtype))

    def in_body(self, angles: torch.Tensor) -> torch.Tensor:
        """TOE joints [..., L, 3] in the first joint's frame, of hinge angles [..., H]."""
        shape = (*angles.shape[:-1], len(self.chains), 3)
        at = torch.zeros(shape, dtype=angles.dtype, device=angles.device)
        for level in self.levels:
            at = level.in_parent(at, angles)
        return at

    def feet(self, posture: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """TOE joints [..., L, 3] in the root frame, whose origin lies on the ground; posture
        [..., 3] is the first joint's height, pitch and roll."""
        return tilt(posture, self.in_body(angles))


class _Level:
    """A joint of each leg, -1 where a leg has none there any more; `hinges` are theirs, or -1."""

    def __init__(self, contract: Contract, joints: list[int], hinges: list[int],
                 device: str | torch.device, dtype: torch.dtype) -> None:
        make = {"dtype": dtype, "device": device}
        none = (0.0, 0.0, 0.0)
        offsets = [contract.joints[j].offset if j >= 0 else none for j in joints]
        self.offset = torch.tensor(offsets, **make)
        self.turn = self.axes = self.moves = None
        turns = [contract.joints[j].turn if j >= 0 else None for j in joints]
        if any(turns):
            quaternions = np.array([t or (0, 0, 0, 1) for t in turns], float)
            self.turn = torch.tensor(rotation.from_quaternion(quaternions), **make)
        if max(hinges) >= 0:
            axes = [contract.hinges[i].axis if i >= 0 else (1.0, 0.0, 0.0) for i in hinges]
            axes_of = torch.tensor(axes, dtype=dtype)
            self.axes = (axes_of / axes_of.norm(dim=-1, keepdim=True)).to(device)
        if self.axes is not None and min(hinges) < 0:
            self.moves = torch.tensor([float(i >= 0) for i in hinges], **make)
        self.index = torch.tensor([max(i, 0) for i in hinges], device=device)

    def in_parent(self, at: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """Points [..., L, 3] of the joints' frames in those of their parents."""
        if self.axes is not None:
            angle = angles.index_select(-1, self.index)
            at = spin(self.axes, angle if self.moves is None else angle * self.moves, at)
        if self.turn is not None:
            at = (self.turn @ at[..., None])[..., 0]
        return at + self.offset


def tilt(posture: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Points v [..., L, 3] of the first joint's frame in the root frame: R_x(pitch) R_z(roll) v,
    at its height."""
    height, pitch, roll = (posture[..., i, None] for i in range(3))
    c, s = torch.cos(roll), torch.sin(roll)
    x, y = c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1]
    c, s = torch.cos(pitch), torch.sin(pitch)
    return torch.stack([x, c * y - s * v[..., 2] + height, s * y + c * v[..., 2]], -1)


def _chain(joint: int, parents: list[int]) -> list[int]:
    """Joints from `joint` up to the first one's child."""
    out = []
    while parents[joint] >= 0:
        out.append(joint)
        joint = parents[joint]
    return out
