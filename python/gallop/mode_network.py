"""A mode-adaptive network that the walker's trainer takes in place of a phase-functioned one.

As network.MANN (Zhang, Starke, Komura, Saito 2018), with the styles and the call of a PFNN. Its
gate sees the velocities of the joints that touch the ground, the path ahead, and the gaits.
"""

from __future__ import annotations

import torch
from torch import nn

from gallop.contract import Contract
from gallop.network import PFNN

HIDDEN = 32


def gate_columns(contract: Contract) -> list[int]:
    """Columns of x that the gate sees."""
    c = contract
    names = c.joint_names()
    feet = {names.index(joint) for leg in c.legs for joint in leg[2:]}
    velocity = c.columns(c.inputs, "joint.velocity").start
    columns = [velocity + 3 * j + axis for j in sorted(feet) for axis in range(3)]
    ahead = [i for i, offset in enumerate(c.samples) if offset > 0]
    for block, where in c.ranges(c.inputs):
        if block.name.startswith("trajectory.position"):
            columns += [where.start + i for i in ahead]
        elif block.name == "trajectory.gait":
            columns.append(where.start + c.samples.index(0))
    return columns


class ModeNetwork(PFNN):
    """Blended layers whose blend is the softmax of a three-layer network on some inputs."""

    def __init__(
        self, inputs: int, outputs: int, hidden: int, experts: int, styles: int,
        columns: list[int],
    ) -> None:
        super().__init__(inputs, outputs, hidden, "network", experts, styles)
        sizes = (len(columns), HIDDEN, HIDDEN, experts)
        self.choose = nn.ModuleList(nn.Linear(k, n) for k, n in zip(sizes[:-1], sizes[1:]))
        self.register_buffer("columns", torch.tensor(columns))

    def gate(self, x: torch.Tensor, phase: torch.Tensor) -> torch.Tensor:
        z = x.index_select(1, self.columns)
        for i, layer in enumerate(self.choose):
            z = layer(nn.functional.elu(z) if i else z)
        return torch.softmax(z, 1)
