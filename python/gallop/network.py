"""Reference networks in PyTorch, of normalised x to normalised y: blended layers
y = act(sum_e w[e] (A_e x + b_e)) gated by the phase (PFNN) or by a network (MANN), and an MLP."""

from __future__ import annotations

import math

import torch
from torch import nn

GATES = ("cubic", "linear", "constant")


def gate_blend(kind: str, experts: int, phase: torch.Tensor) -> torch.Tensor:
    """Blend weights [B, E] of phases [B] in radians (docs/format.md, section GATE)."""
    u = experts * torch.remainder(phase, 2 * math.pi) / (2 * math.pi)
    base = torch.floor(u)
    k, t = base.long() % experts, u - base
    if kind == "constant":
        parts = [(0, torch.ones_like(t))]
    elif kind == "linear":
        parts = [(0, 1 - t), (1, t)]
    else:
        t2, t3 = t * t, t * t * t
        parts = [(-1, -t / 2 + t2 - t3 / 2), (0, 1 - 2.5 * t2 + 1.5 * t3),
                 (1, t / 2 + 2 * t2 - 1.5 * t3), (2, -t2 / 2 + t3 / 2)]
    w = torch.zeros(phase.shape[0], experts, dtype=phase.dtype, device=phase.device)
    every = torch.arange(experts, device=phase.device)
    for offset, value in parts:
        w = w + (((k + offset) % experts)[:, None] == every) * value[:, None]
    return w


class Blended(nn.Module):
    """One blended layer: weights [E, N, K], bias [E, N].

    It runs as one product with all experts' weights and a weighted sum: E times the arithmetic of
    blending first, but one large GEMM whatever phases a batch holds.
    """

    def __init__(self, experts: int, inputs: int, outputs: int) -> None:
        super().__init__()
        bound = math.sqrt(6 / (inputs + outputs))
        self.weight = nn.Parameter(torch.empty(experts, outputs, inputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(experts, outputs))

    def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        experts, outputs, inputs = self.weight.shape
        every = x @ self.weight.reshape(experts * outputs, inputs).T
        every = every.view(-1, experts, outputs) + self.bias
        return (w[:, :, None] * every).sum(1)


class PFNN(nn.Module):
    """A phase-functioned network (Holden et al. 2017): three blended layers with ELU between; the
    phase in radians.

    The last `styles` inputs are a one-hot style; exporting a style folds them into the bias.
    With kind "plain" there is one expert and the phase is not looked at: the baseline.
    """

    def __init__(
        self, inputs: int, outputs: int, hidden: int, kind: str = "cubic", experts: int = 4,
        styles: int = 0,
    ) -> None:
        super().__init__()
        self.kind, self.experts, self.styles = kind, (1 if kind == "plain" else experts), styles
        sizes = (inputs + styles, hidden, hidden, outputs)
        self.layers = nn.ModuleList(
            Blended(self.experts, k, n) for k, n in zip(sizes[:-1], sizes[1:])
        )

    def blend(self, phase: torch.Tensor) -> torch.Tensor:
        """Blend weights [B, E] of phases [B]."""
        if self.kind == "plain":
            return torch.ones(len(phase), 1, dtype=phase.dtype, device=phase.device)
        return gate_blend(self.kind, self.experts, phase)

    def gate(self, x: torch.Tensor, phase: torch.Tensor) -> torch.Tensor:
        """Blend weights [B, E] of normalised inputs x [B, K + styles] at phases [B]."""
        return self.blend(phase)

    def forward(
        self, x: torch.Tensor, phase: torch.Tensor, masks: list[torch.Tensor] | None = None
    ) -> torch.Tensor:
        """y [B, N] of x [B, K + styles]; `masks` [B, width of each layer's input] drop inputs."""
        return self.blended(x, self.gate(x, phase), masks)

    def blended(
        self, x: torch.Tensor, w: torch.Tensor, masks: list[torch.Tensor] | None = None
    ) -> torch.Tensor:
        """The same with the blend w [B, E] already made."""
        for i, layer in enumerate(self.layers):
            if masks:
                x = x * masks[i]
            x = layer(x, w)
            if i + 1 < len(self.layers):
                x = nn.functional.elu(x)
        return x

    def decay(self) -> torch.Tensor:
        """Sum over the layers of the mean magnitude of their weights: the L1 term."""
        return torch.stack([layer.weight.abs().mean() for layer in self.layers]).sum()


class MANN(nn.Module):
    """A mode-adaptive network (Zhang et al. 2018): blended layers with ELU between, gated by an MLP
    on the columns `features` of x; with one expert a plain network without a gate, the baseline."""

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


class MLP(nn.Sequential):
    """Linear layers with ELU between, through the widths `hidden`."""

    def __init__(self, inputs: int, outputs: int, hidden: tuple[int, ...] = (512, 512)) -> None:
        sizes = (inputs, *hidden, outputs)
        modules: list[nn.Module] = []
        for k, m in zip(sizes[:-1], sizes[1:]):
            modules += [nn.ELU(), nn.Linear(k, m)] if modules else [nn.Linear(k, m)]
        super().__init__(*modules)
