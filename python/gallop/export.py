"""A trained network out: `.gallop` with golden frames, ONNX, safetensors."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import torch

from gallop import kinds, modelfile
from gallop.contract import Contract, to_text
from gallop.features import Dataset, Scale
from gallop.network import PhaseNetwork

GOLDEN = 32


def to_model(
    net: PhaseNetwork, contract: Contract, scale: Scale, style: np.ndarray, type: str = "f16"
) -> modelfile.Model:
    """The network as a model: the style [styles] folded into the first bias, weights in `type`."""
    layers = []
    for i, layer in enumerate(net.layers):
        weight = layer.weight.detach().cpu().double().numpy()
        bias = layer.bias.detach().cpu().double().numpy()
        if i == 0 and net.styles:
            bias = bias + weight[..., -net.styles :] @ style
            weight = weight[..., : -net.styles]
        last = i + 1 == len(net.layers)
        layers.append(modelfile.Layer(
            weight.astype(np.float32), bias.astype(np.float32), "none" if last else "elu", type))
    gate = "given" if net.kind == "plain" else net.kind
    scales = {k: getattr(scale, k.replace("input", "x").replace("output", "y")).astype(np.float32)
              for k in ("input_mean", "input_std", "output_mean", "output_std")}
    state, constant = _constants(contract)
    return modelfile.Model(layers, gate, net.experts, **scales, input_state=state,
                           input_constant=constant, contract=to_text(contract))


def _constants(contract: Contract) -> tuple[np.ndarray, np.ndarray]:
    """States and constants of the inputs: those of `constant` blocks are constant."""
    count = len(contract.input_names())
    state, value = np.zeros(count, np.uint32), np.zeros(count, np.float32)
    for block, where in contract.ranges(contract.inputs):
        if block.name == "constant":
            state[where], value[where] = modelfile.CONSTANT, float(block.args[0])
    return state, value


def add_golden(model: modelfile.Model, data: Dataset, seed: int = 0) -> None:
    """Golden frames: frames of the data, outputs computed in float64 from the stored weights."""
    rows = np.random.default_rng(seed).choice(len(data.x), GOLDEN)
    x = data.x[rows].astype(np.float32)
    given = data.phase[rows][:, None].astype(np.float32)
    if model.gate == "given":
        given = np.full((GOLDEN, model.experts), 1 / model.experts, np.float32)
    y = modelfile.run(model, x, given)
    model.golden = modelfile.Golden(x, given, y.astype(np.float32), 1e-4)


def add_provenance(model: modelfile.Model, entries: dict[str, str]) -> None:
    """Where a model comes from: model, data, attribution, licence, command; the date is added."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    model.provenance = {k: v.replace("\n", " ") for k, v in entries.items()}
    model.provenance["date"] = today


def to_torch(model: modelfile.Model) -> torch.nn.Module:
    """The model as a torch module: raw x [B, K] and phase (or blend) [B, B'] to raw y [B, N]."""
    return _Raw(model)


class _Raw(torch.nn.Module):
    """Raw features in and out, as the file defines them."""

    def __init__(self, model: modelfile.Model) -> None:
        super().__init__()
        self.gate = model.gate
        sizes = [(m.weights.shape[2], m.weights.shape[1]) for m in model.layers]
        kind = "plain" if model.gate in ("given", "network") else model.gate
        self.net = PhaseNetwork(sizes[0][0], sizes[-1][1], sizes[0][1], kind, model.experts)
        for target, source in zip(self.net.layers, model.layers):
            weights = kinds.stored(source.weights, source.type)
            target.weight.data = torch.tensor(weights, dtype=torch.float32)
            target.bias.data = torch.tensor(source.bias)
        for name in ("input_mean", "input_std", "output_mean", "output_std"):
            self.register_buffer(name, torch.tensor(getattr(model, name), dtype=torch.float32))
        self._add_gate(model)

    def _add_gate(self, model: modelfile.Model) -> None:
        if model.gate_top:
            raise ValueError("a gate that keeps its largest weights alone has no torch module")
        self.register_buffer("features", torch.tensor(model.gate_features, dtype=torch.long))
        self.choose = torch.nn.Sequential()
        for layer in model.gate_layers:
            weights = kinds.stored(layer.weights, layer.type)[0]
            linear = torch.nn.Linear(weights.shape[1], weights.shape[0])
            linear.weight.data = torch.tensor(weights, dtype=torch.float32)
            linear.bias.data = torch.tensor(layer.bias[0])
            self.choose.append(linear)
            acts = {"elu": torch.nn.ELU, "relu": torch.nn.ReLU, "none": torch.nn.Identity}
            self.choose.append(acts[layer.activation]())

    def forward(self, x: torch.Tensor, given: torch.Tensor | None = None) -> torch.Tensor:
        normal = (x - self.input_mean) / self.input_std
        if self.gate == "network":
            blend = torch.softmax(self.choose(normal.index_select(1, self.features)), 1)
        else:
            blend = given if self.gate == "given" else self.net.blend(given[:, 0])
        return self.net.blended(normal, blend) * self.output_std + self.output_mean


def write_onnx(model: modelfile.Model, path: str | Path) -> None:
    """Write ONNX: inputs "x" [batch, K] and "phase" [batch, 1] (or "blend"), output "y"."""
    net = to_torch(model).eval()
    width = model.experts if model.gate == "given" else 1
    example = (torch.zeros(1, len(model.input_mean)), torch.zeros(1, width))
    names = ["x", "blend" if model.gate == "given" else "phase"]
    if model.gate == "network":
        example, names = example[:1], names[:1]
    axes = {n: {0: "batch"} for n in (*names, "y")}
    options = {"dynamo": False} if _takes(torch.onnx.export, "dynamo") else {}
    torch.onnx.export(net, example, str(path), input_names=names, output_names=["y"],
                      dynamic_axes=axes, opset_version=13, **options)


def _takes(function: object, name: str) -> bool:
    import inspect

    try:
        return name in inspect.signature(function).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def write_safetensors(model: modelfile.Model, path: str | Path) -> None:
    """Write the arrays and, as metadata, gate, contract and provenance."""
    try:
        from safetensors.numpy import save_file
    except ImportError:
        raise RuntimeError(
            "writing safetensors needs the package 'safetensors' (pip install safetensors)"
        ) from None
    arrays = {}
    for i, layer in enumerate(model.layers):
        arrays[f"layer{i}.weight"] = kinds.stored(layer.weights, layer.type).astype(
            np.float16 if layer.type == "f16" else np.float32)
        arrays[f"layer{i}.bias"] = layer.bias.astype(np.float32)
    for i, layer in enumerate(model.gate_layers):
        arrays[f"gate{i}.weight"] = kinds.stored(layer.weights, layer.type).astype(np.float32)
        arrays[f"gate{i}.bias"] = layer.bias.astype(np.float32)
    if model.gate_layers:
        arrays["gate_features"] = np.asarray(model.gate_features, np.int32)
    for name in ("input_mean", "input_std", "output_mean", "output_std", "input_state"):
        arrays[name] = np.ascontiguousarray(getattr(model, name))
    metadata = {"gate": model.gate, "contract": model.contract, **model.provenance}
    metadata["activations"] = " ".join(layer.activation for layer in model.layers)
    save_file(arrays, str(path), metadata=metadata)
