"""What a good stretch of motion is, as a loss over an unroll of the network on its own output.

Everything is differentiable and batched: sequences S, frames U. The trajectory, gait and phase come
from the data, joints are fed back as the runtime does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from gallop.contract import Contract
from gallop.features import Scale
from gallop.network import PFNN

SCALE = ("x_mean", "x_std", "y_mean", "y_std")


@dataclass(frozen=True)
class Weights:
    """How much each term counts beside the mean error of the normalised outputs (1)."""

    slide: float = 0.0
    kinematics: float = 0.0
    decay: float = 1e-3
    absolute: float = 1.0  # share of the mean error that is absolute rather than squared


class Layout:
    """Where things are in x and y, from the contract."""

    def __init__(self, contract: Contract) -> None:
        c = contract
        names = c.joint_names()
        self.parents = c.parents()
        self.offsets = np.array([j.offset for j in c.joints], np.float32)
        x_joints = [c.columns(c.inputs, "joint.position"), c.columns(c.inputs, "joint.velocity")]
        self.x_fed = slice(x_joints[0].start, x_joints[1].stop)
        self.position = c.columns(c.outputs, "joint.position")
        self.velocity = c.columns(c.outputs, "joint.velocity")
        if x_joints[0].stop != x_joints[1].start or self.position.stop != self.velocity.start:
            raise ValueError("joint.velocity must follow joint.position in inputs and outputs")
        self.y_fed = slice(self.position.start, self.velocity.stop)
        self.rotation = c.columns(c.outputs, "joint.rotation")
        step = [c.columns(c.outputs, n).start
                for n in ("root.velocity.x", "root.velocity.z", "root.turn")]
        self.step = step
        self.metres = c.unit
        self.rate = c.rate
        self.feet = [(c.columns(c.outputs, "contact", joint).start, names.index(joint), weight)
                     for leg in c.legs for joint, weight in ((leg[2], 0.3), (leg[3], 1.0))]
        ends = [names.index(j) for leg in c.legs for j in leg[1:]]
        self.joint_weight = np.ones(len(names), np.float32)
        self.joint_weight[ends] = 3.0


class Unroll(nn.Module):
    """The loss of stretches of motion, as a module so that several processes can share it."""

    def __init__(self, net: PFNN, contract: Contract, scale: Scale) -> None:
        super().__init__()
        self.net, self.at = net, Layout(contract)
        for name in SCALE:
            self.register_buffer(name, torch.tensor(getattr(scale, name), dtype=torch.float32))
        self.register_buffer("offsets", torch.tensor(self.at.offsets))
        self.register_buffer("joint_weight", torch.tensor(self.at.joint_weight))

    def set_scale(self, scale: Scale) -> None:
        """Another scale, that of a network that is read from a file."""
        for name in SCALE:
            getattr(self, name).copy_(torch.tensor(getattr(scale, name)))

    def forward(
        self, x: torch.Tensor, y: torch.Tensor, phase: torch.Tensor, style: torch.Tensor,
        noise: torch.Tensor | None, masks: list[torch.Tensor] | None, weights: Weights,
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Loss and its parts. x [S, U, K], y [S, U, N] raw, phase [S, U], style [S, styles];
        noise [S, fed] in deviations on the first frame's joints; masks for dropout (U = 1)."""
        normal_x = (x - self.x_mean) / self.x_std
        normal_y = (y - self.y_mean) / self.y_std
        fed = normal_x[:, 0, self.at.x_fed]
        if noise is not None:
            fed = fed + noise
        made = []
        for u in range(x.shape[1]):
            out = self.net(self._input(normal_x[:, u], fed, style), phase[:, u], masks)
            made.append(out)
            raw = out * self.y_std + self.y_mean
            fed = (raw[:, self.at.y_fed] - self.x_mean[self.at.x_fed]) / self.x_std[self.at.x_fed]
        out = torch.stack(made, 1)
        return self._total(out, normal_y, y, weights)

    def _input(
        self, x: torch.Tensor, fed: torch.Tensor, style: torch.Tensor
    ) -> torch.Tensor:
        at = self.at.x_fed
        return torch.cat([x[:, : at.start], fed, x[:, at.stop :], style], 1)

    def _total(
        self, out: torch.Tensor, normal_y: torch.Tensor, y: torch.Tensor, weights: Weights
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        error = out - normal_y
        w = weights.absolute
        parts = {"error": w * error.abs().mean() + (1 - w) * error.square().mean()}
        raw = out * self.y_std + self.y_mean
        if weights.slide and out.shape[1] > 1:
            parts["slide"] = weights.slide * self.slide(raw, y)
        if weights.kinematics:
            parts["kinematics"] = weights.kinematics * self.kinematics(raw, y)
        parts["decay"] = weights.decay * self.net.decay()
        return torch.stack(list(parts.values())).sum(), {k: v.detach() for k, v in parts.items()}

    def slide(self, raw: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Mean square of the planted feet's horizontal speed, (m/s)^2, through the root's step."""
        points = raw[..., self.at.position].unflatten(-1, (-1, 3))
        now, then = points[:, :-1], points[:, 1:]
        x, z, turn = (raw[:, :-1, i] for i in self.at.step)
        c, s = torch.cos(turn)[..., None], torch.sin(turn)[..., None]
        # the next root frame faces `turn` less: its points turn back by -turn about y
        to_x = c * then[..., 0] - s * then[..., 2] + x[..., None] - now[..., 0]
        to_z = s * then[..., 0] + c * then[..., 2] + z[..., None] - now[..., 2]
        squared = (to_x.square() + to_z.square()) * (self.at.metres * self.at.rate) ** 2
        total = raw.new_zeros(())
        for column, joint, weight in self.at.feet:
            planted = y[:, :-1, column] * y[:, 1:, column]
            total = total + weight * (planted * squared[..., joint]).mean()
        return total

    def kinematics(self, raw: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """How far joints drawn from the rotations are from the data's and from the predicted
        positions: mean distance in decimetres, feet counted three times."""
        drawn = self.forward_kinematics(raw)
        goal = y[..., self.at.position].unflatten(-1, (-1, 3))
        said = raw[..., self.at.position].unflatten(-1, (-1, 3))
        w = self.joint_weight[:, None]
        to_goal = (w * (drawn - goal).abs()).mean()
        to_said = (w * (drawn - said).abs()).mean()
        return (to_goal + to_said) * self.at.metres * 10

    def forward_kinematics(self, raw: torch.Tensor) -> torch.Tensor:
        """Joint positions [..., J, 3] from the predicted rotations, hips where they were said."""
        turn = self.turns(raw[..., self.at.rotation])
        first = raw[..., self.at.position][..., :3]
        points: list[torch.Tensor] = []
        for j, p in enumerate(self.at.parents):
            if p < 0:
                points.append(first)
            else:
                points.append(points[p] + turn[..., p, :, :] @ self.offsets[j])
        return torch.stack(points, -2)

    def turns(self, flat: torch.Tensor) -> torch.Tensor:
        """Rotation matrices [..., J, 3, 3] of predicted rotations."""
        six = flat.unflatten(-1, (-1, 6))
        a = nn.functional.normalize(six[..., :3], dim=-1)
        b = six[..., 3:] - (a * six[..., 3:]).sum(-1, keepdim=True) * a
        b = nn.functional.normalize(b, dim=-1)
        return torch.stack([a, b, torch.cross(a, b, dim=-1)], -1)
