"""Forward kinematics of hinged legs in torch, for many poses at once.

A leg is the chain of joints from the first joint down to its TOE; each joint stands at its rest
offset in its parent and turns about its hinge's axis, if it has one. Rest rotations must be none.
"""

from __future__ import annotations

import torch

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
        chains = [_chain(names.index(leg[3]), parents) for leg in contract.legs]
        if len({len(c) for c in chains}) != 1 or any(j.turn for j in contract.joints):
            raise ValueError("legs of one length and joints without rest rotations are needed")
        self.levels = []
        for joints in zip(*chains):
            offset = torch.tensor([contract.joints[j].offset for j in joints], dtype=dtype)
            at = [hinge.get(names[j], -1) for j in joints]
            axes = None
            if max(at) >= 0:
                axes = torch.tensor([contract.hinges[i].axis for i in at], dtype=dtype)
                axes = (axes / axes.norm(dim=-1, keepdim=True)).to(device)
            index = torch.tensor(at, device=device)
            self.levels.append((offset.to(device), axes, index))

    def in_body(self, angles: torch.Tensor) -> torch.Tensor:
        """TOE joints [..., L, 3] in the first joint's frame, of hinge angles [..., H]."""
        shape = (*angles.shape[:-1], len(self.levels[0][0]), 3)
        at = torch.zeros(shape, dtype=angles.dtype, device=angles.device)
        for offset, axes, index in self.levels:
            if axes is not None:
                at = spin(axes, angles.index_select(-1, index), at)
            at = at + offset
        return at

    def feet(self, posture: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """TOE joints [..., L, 3] in the root frame, whose origin lies on the ground; posture
        [..., 3] is the first joint's height, pitch and roll."""
        return tilt(posture, self.in_body(angles))


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
