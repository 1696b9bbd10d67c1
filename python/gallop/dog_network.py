"""The mode-adaptive network in torch: blended layers whose weights a small network chooses."""

from __future__ import annotations

import torch
from torch import nn

from gallop.contract import Contract
from gallop.network import Blended

GATE_OFFSETS = (0, 30, 50)  # path samples whose velocity the gate sees


def gate_features(contract: Contract) -> list[int]:
    """Columns of x that the gate sees: leg phases, path velocities, the root's motion."""
    names = contract.input_names()
    wanted = {f"trajectory.velocity.{a}[{o}]" for a in "xz" for o in GATE_OFFSETS}
    return [i for i, n in enumerate(names)
            if n in wanted or n.startswith(("leg.phase.", "root.motion."))]


class ModeNetwork(nn.Module):
    """Blended layers with ELU between, gated by an MLP on the columns `features` of x; with one
    expert a plain network without a gate, the baseline."""

    def __init__(self, inputs: int, outputs: int, hidden: int, experts: int,
                 features: list[int], gate_hidden: int = 32, depth: int = 3) -> None:
        super().__init__()
        self.experts, self.hidden = experts, hidden
        sizes = (inputs, *[hidden] * (depth - 1), outputs)
        self.layers = nn.ModuleList(
            Blended(experts, k, n) for k, n in zip(sizes[:-1], sizes[1:]))
        gate = (len(features), gate_hidden, gate_hidden, experts)
        self.gate = nn.ModuleList(nn.Linear(k, n) for k, n in zip(gate[:-1], gate[1:]))
        self.register_buffer("features", torch.tensor(features))
        if experts == 1:
            self.gate = nn.ModuleList()

    def blend(self, x: torch.Tensor) -> torch.Tensor:
        """Blend weights [B, E] of normalised x."""
        if self.experts == 1:
            return torch.ones_like(x[:, :1])
        z = x.index_select(1, self.features)
        for i, layer in enumerate(self.gate):
            z = layer(nn.functional.elu(z) if i else z)
        return torch.softmax(z, 1)

    def forward(self, x: torch.Tensor, drop: float = 0.0) -> torch.Tensor:
        """Normalised y [B, N] of normalised x [B, K]."""
        w = self.blend(x)
        for i, layer in enumerate(self.layers):
            x = nn.functional.elu(layer(x, w)) if i + 1 < len(self.layers) else layer(x, w)
            if drop > 0 and i + 1 < len(self.layers):
                x = nn.functional.dropout(x, drop)
        return x
