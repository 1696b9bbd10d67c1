"""Kinds of layers and activations (docs/format.md) in float64, straight from their formulas.

The names and their order are those of src/network/layers.def and src/kernels/activations.def.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Callable

import numpy as np

from gallop.weights import stored

if TYPE_CHECKING:
    from gallop.modelfile import Layer


def _sigmoid(v: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * v))


def _gelu_tanh(v: np.ndarray, slope: float) -> np.ndarray:
    return 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


def _gelu_erf(v: np.ndarray, slope: float) -> np.ndarray:
    return 0.5 * v * np.vectorize(math.erfc, otypes=[float])(-v / math.sqrt(2))


def _softmax(v: np.ndarray, slope: float) -> np.ndarray:
    e = np.exp(v - v.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


_ACTIVATE: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "none": lambda v, slope: v,
    "relu": lambda v, slope: np.maximum(v, 0),
    "elu": lambda v, slope: np.where(v > 0, v, np.expm1(np.minimum(v, 0))),
    "leaky_relu": lambda v, slope: np.where(v > 0, v, slope * v),
    "gelu_tanh": _gelu_tanh,
    "gelu_erf": _gelu_erf,
    "silu": lambda v, slope: v * _sigmoid(v),
    "tanh": lambda v, slope: np.tanh(v),
    "sigmoid": lambda v, slope: _sigmoid(v),
    "softmax": _softmax,
}
ACTIVATIONS = tuple(_ACTIVATE)


def activate(v: np.ndarray, name: str, slope: float = 0.0) -> np.ndarray:
    """act(v) of rows [F, N]."""
    return _ACTIVATE[name](v, slope)


def _dense(layer: Layer, w: np.ndarray | None, x: np.ndarray) -> np.ndarray:
    a, b = stored(layer.weights, layer.type), layer.bias.astype(np.float64)
    mix = w if w is not None and len(a) > 1 else np.ones((len(x), 1))
    return sum(mix[:, e, None] * (x @ a[e].T + b[e]) for e in range(len(a)))


def _layer_norm(layer: Layer, w: np.ndarray | None, x: np.ndarray) -> np.ndarray:
    gamma, beta = stored(layer.weights, layer.type)[0, :, 0], layer.bias[0].astype(np.float64)
    deviation = np.sqrt(x.var(1, keepdims=True) + np.float64(np.float32(layer.epsilon)))
    return (x - x.mean(1, keepdims=True)) / deviation * gamma + beta


def _film(layer: Layer, w: np.ndarray | None, x: np.ndarray) -> np.ndarray:
    value, scale, shift = np.split(x, 3, axis=1)
    return value * scale + shift


def _gru(layer: Layer, w: np.ndarray | None, x: np.ndarray) -> np.ndarray:
    i_r, i_z, i_n, j_r, j_z, j_n, h = np.split(x, 7, axis=1)
    z = _sigmoid(i_z + j_z)
    return (1 - z) * np.tanh(i_n + _sigmoid(i_r + j_r) * j_n) + z * h


def _parts(layer: Layer, x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), -1, layer.outputs)


_RUN: dict[str, Callable[[Layer, np.ndarray | None, np.ndarray], np.ndarray]] = {
    "dense": _dense,
    "layer_norm": _layer_norm,
    "film": _film,
    "gru": _gru,
    "add": lambda layer, w, x: _parts(layer, x).sum(1),
    "mul": lambda layer, w, x: _parts(layer, x).prod(1),
    "concat": lambda layer, w, x: x,
    "sparse": _dense,  # with the zeros
}
KINDS = tuple(_RUN)
BLENDED = ("dense", "sparse")  # kinds that may have experts and integers


def fits(kind: str, inputs: int, outputs: int) -> bool:
    """Whether K inputs go with N outputs."""
    if kind in ("add", "mul"):
        return inputs > outputs and inputs % outputs == 0
    return kind in BLENDED or inputs == {"film": 3, "gru": 7}.get(kind, 1) * outputs


def columns(kind: str, inputs: int) -> int:
    """Weights of an output; 0: the kind has neither weights nor biases."""
    return {"dense": inputs, "sparse": inputs, "layer_norm": 1}.get(kind, 0)


def sources_of(layers: list[Layer], i: int, width: int) -> tuple[tuple[int, int, int], ...]:
    """What layer i reads: (value, first, count) each. width: of value 0."""
    return layers[i].sources or ((i, 0, layers[i - 1].outputs if i else width),)


def run_one(layer: Layer, w: np.ndarray | None, row: np.ndarray) -> np.ndarray:
    """What a layer makes [F, N] of its joined input [F, K]."""
    return activate(_RUN[layer.kind](layer, w, row), layer.activation, layer.slope)


def run_layers(layers: list[Layer], w: np.ndarray | None, x: np.ndarray) -> np.ndarray:
    """The last value [F, N] that the layers make of value 0 [F, K] with blend weights [F, E]."""
    values = [x]
    for i, layer in enumerate(layers):
        read = sources_of(layers, i, x.shape[1])
        row = np.concatenate([values[v][:, first : first + n] for v, first, n in read], axis=1)
        values.append(run_one(layer, w, row))
    return values[-1]


def gru_cell(w_ih: np.ndarray, b_ih: np.ndarray, w_hh: np.ndarray, b_hh: np.ndarray, index: int,
             x: tuple[int, int, int], h: tuple[int, int, int], type: str = "f32") -> list[Layer]:
    """PyTorch's GRUCell as the three layers it is made of, the first being layer `index`: two dense
    ones with its parameters in `type`, and their gates. x and h: sources."""
    from gallop.modelfile import Layer

    n = w_hh.shape[1]
    return [Layer(w_ih[None], b_ih[None], type=type, sources=(x,)),
            Layer(w_hh[None], b_hh[None], type=type, sources=(h,)),
            Layer(kind="gru", outputs=n, sources=((index + 1, 0, 3 * n), (index + 2, 0, 3 * n), h))]
