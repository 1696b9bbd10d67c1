"""One network in many spellings: what `gallop import` must take for the same layers.

Every module takes x [B, K] and, where its gate is the caller's, w [B, E] or a phase [B, 1].
Names say the spelling.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from gallop.network import gate_blend

Blend = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def stacked(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The input scaled by each coefficient, one product with the stacked weights."""
    experts, outputs, inputs = a.shape
    z = (w.unsqueeze(2) * x.unsqueeze(1)).reshape(-1, experts * inputs)
    return z @ a.permute(0, 2, 1).reshape(experts * inputs, outputs) + w @ b


def joined(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The same, the scaled inputs joined one by one."""
    experts, outputs, inputs = a.shape
    z = torch.cat([x * w[:, e : e + 1] for e in range(experts)], 1)
    return z @ a.permute(0, 2, 1).reshape(experts * inputs, outputs) + w @ b


def repeated(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """The same, by repeating x and each coefficient."""
    experts, outputs, inputs = a.shape
    z = x.repeat(1, experts) * w.unsqueeze(2).expand(-1, -1, inputs).reshape(-1, experts * inputs)
    return z @ a.permute(0, 2, 1).reshape(experts * inputs, outputs) + w @ b


def einsum_outputs(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Every expert's outputs by einsum, then their blend by einsum."""
    return torch.einsum("be,ben->bn", w, torch.einsum("bk,enk->ben", x, a) + b)


def einsum_weights(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Weights blended by einsum, then a batched product."""
    return torch.einsum("bnk,bk->bn", torch.einsum("be,enk->bnk", w, a), x) + torch.einsum(
        "be,en->bn", w, b
    )


def einsum_at_once(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """One einsum of three."""
    return torch.einsum("be,bk,enk->bn", w, x, a) + w @ b


def weights_matmul(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Weights blended by a product of flat matrices, then a batched product."""
    experts, outputs, inputs = a.shape
    blended = (w @ a.reshape(experts, -1)).view(-1, outputs, inputs)
    return torch.bmm(blended, x.unsqueeze(2)).squeeze(2) + w @ b


def weights_sum(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Weights scaled and summed over the experts' axis."""
    blended = (w[:, :, None, None] * a[None]).sum(1)
    return torch.matmul(x.unsqueeze(1), blended.transpose(1, 2)).squeeze(1) + (
        w.unsqueeze(2) * b
    ).sum(1)


def weights_added(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Weights scaled and added one by one."""
    blended = sum(w[:, e, None, None] * a[e] for e in range(len(a)))
    return (blended * x[:, None, :]).sum(2) + sum(w[:, e, None] * b[e] for e in range(len(a)))


def outputs_added(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Every expert as a linear layer, outputs scaled and added one by one."""
    return sum(w[:, e : e + 1] * functional.linear(x, a[e], b[e]) for e in range(len(a)))


def outputs_stacked(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Every expert as a linear layer, outputs stacked, scaled and summed."""
    every = torch.stack([functional.linear(x, a[e], b[e]) for e in range(len(a))], 1)
    return (w.unsqueeze(-1) * every).sum(dim=1)


def outputs_wide(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """All experts' outputs side by side by one product, then scaled and summed."""
    experts, outputs, inputs = a.shape
    every = (x @ a.reshape(experts * outputs, inputs).T).view(-1, experts, outputs) + b
    return (w[:, :, None] * every).sum(1)


def outputs_broadcast(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Experts as the first axis of a broadcast product."""
    every = torch.matmul(x.unsqueeze(0), a.transpose(1, 2)) + b.unsqueeze(1)
    return (w.t().unsqueeze(2) * every).sum(0)


def outputs_product(x: Tensor, w: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Outputs of all experts, blended by a batched product."""
    every = torch.einsum("bk,enk->ben", x, a) + b
    return torch.bmm(w.unsqueeze(1), every).squeeze(1)


SPELLINGS: list[Blend] = [
    stacked,
    joined,
    repeated,
    einsum_outputs,
    einsum_weights,
    einsum_at_once,
    weights_matmul,
    weights_sum,
    weights_added,
    outputs_added,
    outputs_stacked,
    outputs_wide,
    outputs_broadcast,
    outputs_product,
]


class Scaled(nn.Module):
    """Normalisation around: (x - mean) / std in, y * std + mean out."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.register_buffer("x_mean", torch.randn(inputs))
        self.register_buffer("x_std", torch.rand(inputs) + 0.5)
        self.register_buffer("y_mean", torch.randn(outputs))
        self.register_buffer("y_std", torch.rand(outputs) + 0.5)

    def normal(self, x: Tensor) -> Tensor:
        return (x - self.x_mean) / self.x_std

    def raw(self, y: Tensor) -> Tensor:
        return y * self.y_std + self.y_mean


class Blended(Scaled):
    """Three blended layers with ELU between. gate: "given", "network" or a spline of the phase."""

    def __init__(
        self,
        spelling: Blend,
        widths: tuple[int, ...] = (11, 13, 7, 5),
        experts: int = 4,
        gate: str = "given",
        features: tuple[int, ...] = (1, 2, 3, 7, 10),
    ) -> None:
        super().__init__(widths[0], widths[-1])
        self.spelling, self.gate, self.experts, self.features = (
            spelling,
            gate,
            experts,
            list(features),
        )
        pairs = list(zip(widths[:-1], widths[1:]))
        self.a = nn.ParameterList(torch.randn(experts, n, k) / k**0.5 for k, n in pairs)
        self.b = nn.ParameterList(torch.randn(experts, n) / 4 for _, n in pairs)
        self.choose = nn.Sequential(
            nn.Linear(len(features), 6), nn.ELU(), nn.Linear(6, 6), nn.ELU(), nn.Linear(6, experts)
        )

    def blend(self, x: Tensor, given: Tensor | None) -> Tensor:
        if self.gate == "network":
            return torch.softmax(self.choose(x[:, self.features]), 1)
        return given if self.gate == "given" else gate_blend(self.gate, self.experts, given[:, 0])

    def forward(self, x: Tensor, given: Tensor | None = None) -> Tensor:
        x = self.normal(x)
        w = self.blend(x, given)
        for i, (a, b) in enumerate(zip(self.a, self.b)):
            x = self.spelling(x, w, a, b)
            x = functional.elu(x) if i + 1 < len(self.a) else x
        return self.raw(x)


def tanh_gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * torch.pow(x, 3))))


def cubed_gelu(x: Tensor) -> Tensor:
    return x * (0.5 * (1 + torch.tanh((x + x * x * x * 0.044715) * 0.7978845608028654)))


def erf_gelu(x: Tensor) -> Tensor:
    return x * 0.5 * (1 + torch.erf(x / 2**0.5))


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "elu": functional.elu,
    "leaky": lambda x: functional.leaky_relu(x, 0.2),
    "gelu": functional.gelu,
    "erf_gelu": erf_gelu,
    "tanh_gelu": tanh_gelu,
    "cubed_gelu": cubed_gelu,
    "silu": functional.silu,
    "swish": lambda x: torch.sigmoid(x) * x,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "clamp": lambda x: x.clamp(min=0),
    "softmax": lambda x: torch.softmax(x, 1),
    "prelu": lambda x: functional.prelu(x, torch.tensor([0.25], dtype=x.dtype)),
    "half_tanh": lambda x: 0.5 * torch.tanh(x) + 0.25,
}


class Chain(Scaled):
    """Linear layers with one activation, dropout and identities between."""

    def __init__(
        self, activation: Callable[[Tensor], Tensor], widths: tuple[int, ...] = (9, 12, 7, 4)
    ) -> None:
        super().__init__(widths[0], widths[-1])
        self.activation = activation
        self.layers = nn.ModuleList(nn.Linear(k, n) for k, n in zip(widths[:-1], widths[1:]))

    def forward(self, x: Tensor) -> Tensor:
        x = self.normal(x)
        for layer in self.layers[:-1]:
            x = functional.dropout(self.activation(layer(x)), 0.3, self.training)
        return self.raw(self.layers[-1](x))


class SpelledNorm(nn.Module):
    """LayerNorm by its formula."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.bias = nn.Parameter(torch.randn(width))

    def forward(self, x: Tensor) -> Tensor:
        off = x - x.mean(-1, keepdim=True)
        return off / torch.sqrt((off**2).mean(-1, keepdim=True) + 1e-5) * self.weight + self.bias


class Normed(nn.Module):
    """LayerNorm before and after, and a residual."""

    def __init__(self, norm: type[nn.Module]) -> None:
        super().__init__()
        self.first, self.second, self.third = nn.Linear(6, 10), nn.Linear(10, 10), nn.Linear(10, 3)
        self.norms = nn.ModuleList([norm(10), norm(10), norm(3)])

    def forward(self, x: Tensor) -> Tensor:
        x = functional.gelu(self.norms[0](self.first(x)))
        x = x + torch.tanh(self.second(self.norms[1](x)))
        return self.norms[2](self.third(x))


class Film(nn.Module):
    """A hidden layer scaled and shifted by a condition."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 12), nn.Linear(12, 5)
        self.condition = nn.Sequential(nn.Linear(3, 9), nn.ReLU(), nn.Linear(9, 24))

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        scale, shift = self.condition(c).chunk(2, 1)
        return self.last(torch.relu(self.first(x) * (1 + scale) + shift))


class Gru(nn.Module):
    """A GRU cell between linear layers: x and the state in, y and the next state out."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(5, 6), nn.Linear(7, 4)
        self.gates_x, self.gates_h = nn.Linear(6, 21), nn.Linear(7, 21)

    def forward(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        i = self.gates_x(functional.elu(self.first(x)))
        j = self.gates_h(h)
        r = torch.sigmoid(i[:, :7] + j[:, :7])
        z = torch.sigmoid(i[:, 7:14] + j[:, 7:14])
        n = torch.tanh(i[:, 14:] + r * j[:, 14:])
        h = (1 - z) * n + z * h
        return self.last(h), h


class Encoders(nn.Module):
    """Parts of x through encoders of their own, joined, then blended by a gate on a code."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(4, 6), nn.Linear(5, 3)
        self.gate = nn.Linear(3, 4)
        self.a, self.b = nn.Parameter(torch.randn(4, 5, 9)), nn.Parameter(torch.randn(4, 5))

    def forward(self, x: Tensor) -> Tensor:
        right = functional.elu(self.right(x[:, 4:]))
        code = torch.cat([functional.elu(self.left(x[:, :4])), right], 1)
        return einsum_outputs(code, torch.softmax(self.gate(right), -1), self.a, self.b)
