"""Torch modules as a model file's layers, and a model file as a torch module.

One row of _ACTIVATIONS, or one function registered with `layers_of`, is all that a module needs.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from gallop import kinds
from gallop.mode_network import ModeNetwork
from gallop.modelfile import Layer, Model
from gallop.network import MANN, PFNN, Blended, gate_blend


class Exported(NamedTuple):
    """A module's layers and gate, as modelfile.Model has them."""

    layers: list[Layer]
    gate: str = "given"
    experts: int = 1
    gate_features: tuple[int, ...] = ()
    gate_layers: list[Layer] = []  # noqa: RUF012


def _activation(module: nn.Module) -> tuple[str, float] | None:
    """Name and slope of an activation module; None if it is none, or one with other constants."""
    if isinstance(module, nn.LeakyReLU):
        return "leaky_relu", module.negative_slope
    if isinstance(module, nn.GELU):
        return ("gelu_erf" if module.approximate == "none" else "gelu_tanh"), 0.0
    if isinstance(module, nn.ELU) and module.alpha != 1:
        return None
    if isinstance(module, nn.Softmax) and module.dim not in (1, -1):
        return None
    for kind, name in _ACTIVATIONS.items():
        if isinstance(module, kind):
            return name, 0.0
    return None


_ACTIVATIONS = {nn.ReLU: "relu", nn.ELU: "elu", nn.SiLU: "silu", nn.Tanh: "tanh",
                nn.Sigmoid: "sigmoid", nn.Softmax: "softmax"}


@functools.singledispatch
def layers_of(module: nn.Module) -> Exported:
    """The layers of a module of normalised x [B, K] to normalised y [B, N]."""
    return Exported(_chain(nn.Sequential(module), type(module).__name__))


@layers_of.register
def _(module: nn.Sequential) -> Exported:
    return Exported(_chain(module, ""))


@layers_of.register
def _(module: PFNN) -> Exported:
    gate = "given" if module.kind == "plain" else module.kind
    return Exported(_blended(module.layers), gate, module.experts)


@layers_of.register
def _(module: MANN) -> Exported:
    layers = _blended(module.layers)
    return _gated(layers, module.features, module.gate) if module.gate else Exported(layers)


@layers_of.register
def _(module: ModeNetwork) -> Exported:
    return _gated(_blended(module.layers), module.columns, module.choose)


def _gated(layers: list[Layer], features: torch.Tensor, linears: nn.ModuleList) -> Exported:
    """Layers blended by a network of linear layers with ELU between."""
    gate: list[nn.Module] = []
    for linear in linears:
        gate += [nn.ELU(), linear] if gate else [linear]
    experts = linears[-1].out_features
    return Exported(layers, "network", experts, tuple(map(int, features)), _chain(gate, "gate"))


def _blended(layers: nn.ModuleList) -> list[Layer]:
    """Blended layers with ELU between."""
    last = len(layers) - 1
    return [Layer(_array(m.weight), _array(m.bias), "elu" if i < last else "none")
            for i, m in enumerate(layers)]


def _said(module: nn.Module) -> str:
    """A module as torch says it; of one that holds others its class."""
    return type(module).__name__ if any(module.children()) else str(module)


def _chain(modules: nn.Sequential | list[nn.Module], where: str) -> list[Layer]:
    """Modules one after the other; an activation becomes its layer's own where it can."""
    layers: list[Layer] = []
    width = 0
    for name, module in _flat(modules, where):
        act = _activation(module)
        if isinstance(module, nn.Linear):
            layers.append(_linear(module))
        elif isinstance(module, nn.LayerNorm):
            layers.append(_layer_norm(module, name))
        elif act and layers and layers[-1].activation == "none":
            layers[-1].activation, layers[-1].slope = act
        elif act and layers:
            layers.append(Layer(kind="concat", outputs=width, activation=act[0], slope=act[1]))
        elif not isinstance(module, (nn.Identity, nn.Dropout)):
            raise ValueError(
                f"{name}: {_said(module)} has no layer in a model file; Linear, LayerNorm, the "
                "usual activations after one of them, and gallop's own modules have. Others go by "
                "ONNX: torch.onnx.export, then `gallop import` finds layers however they are "
                "spelled, or `gallop compile` makes C of any network")
        width = layers[-1].outputs if layers else 0
    if not layers:
        raise ValueError(f"{where or 'the module'}: nothing to export")
    return layers


def _flat(modules: nn.Sequential | list[nn.Module], where: str) -> list[tuple[str, nn.Module]]:
    out: list[tuple[str, nn.Module]] = []
    for i, module in enumerate(modules):
        name = f"{where}.{i}" if where else str(i)
        out += _flat(module, name) if isinstance(module, nn.Sequential) else [(name, module)]
    return out


def _linear(module: nn.Linear) -> Layer:
    bias = np.zeros(module.out_features, np.float32) if module.bias is None else _array(module.bias)
    return Layer(_array(module.weight)[None], bias[None])


def _layer_norm(module: nn.LayerNorm, name: str) -> Layer:
    if len(module.normalized_shape) != 1:
        raise ValueError(f"{name}: {module} is not over the features alone")
    count = module.normalized_shape[0]
    gamma = np.ones(count, np.float32) if module.weight is None else _array(module.weight)
    bias = getattr(module, "bias", None)
    beta = np.zeros(count, np.float32) if bias is None else _array(bias)
    return Layer(gamma[None, :, None], beta[None], kind="layer_norm", epsilon=module.eps)


def _array(t: torch.Tensor) -> np.ndarray:
    return t.detach().cpu().double().numpy().astype(np.float32)


# ---- the other way ----


class FileModule(nn.Module):
    """A model file's network: raw x [B, K] and phase (or blend) [B, B'] to raw y [B, N]. Dense
    layers in a chain alone, sparse ones with their zeros."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        if model.gate_top:
            raise ValueError("a gate that keeps its largest weights alone has no torch module")
        self.kind, self.experts = model.gate, model.experts
        self.layers, self.activations = _stored(model.layers)
        self.gate_layers, self.gate_activations = _stored(model.gate_layers)
        self.register_buffer("features", torch.tensor(model.gate_features, dtype=torch.long))
        for name in ("input_mean", "input_std", "output_mean", "output_std"):
            self.register_buffer(name, torch.tensor(getattr(model, name), dtype=torch.float32))

    def blend(self, normal: torch.Tensor, given: torch.Tensor | None) -> torch.Tensor:
        """Blend weights [B, E]."""
        if self.kind == "network":
            z = normal.index_select(1, self.features)
            ones = torch.ones_like(z[:, :1])
            return torch.softmax(_run(self.gate_layers, self.gate_activations, z, ones), 1)
        return given if self.kind == "given" else gate_blend(self.kind, self.experts, given[:, 0])

    def forward(self, x: torch.Tensor, given: torch.Tensor | None = None) -> torch.Tensor:
        normal = (x - self.input_mean) / self.input_std
        y = _run(self.layers, self.activations, normal, self.blend(normal, given))
        return y * self.output_std + self.output_mean


def _stored(layers: list[Layer]) -> tuple[nn.ModuleList, list[nn.Module]]:
    known = {name: kind for kind, name in _ACTIVATIONS.items() if name != "softmax"}
    modules, activations = nn.ModuleList(), []
    for i, layer in enumerate(layers):
        act = known.get(layer.activation, nn.Identity if layer.activation == "none" else None)
        if layer.kind not in kinds.BLENDED or layer.sources or act is None:
            raise ValueError(f"layer {i}: {layer.kind}, {layer.activation}: no torch module for it")
        weights = kinds.stored(layer.weights, layer.type)
        module = Blended(*weights.shape[:1], weights.shape[2], weights.shape[1])
        module.weight.data = torch.tensor(weights, dtype=torch.float32)
        module.bias.data = torch.tensor(layer.bias)
        modules.append(module)
        activations.append(act())
    return modules, activations


def _run(layers: nn.ModuleList, activations: list[nn.Module], x: torch.Tensor, w: torch.Tensor
         ) -> torch.Tensor:
    for layer, act in zip(layers, activations):
        x = act(layer(x, w if len(layer.weight) > 1 else torch.ones_like(w[:, :1])))
    return x
