"""Models as safetensors files, both ways, with nothing lost (needs the package `safetensors`).

Tensors: layers.I.weight [E][N][K] (layer_norm: [1][N][1]) in the type that the model file keeps,
layers.I.bias [E][N], of int8 and int16 layers.I.scales [E][N][blocks] and the weights as float32,
which they are exactly; gate.layers.I.weight and .bias, gate.features; input.mean, .std, .state,
.constant; output.mean, .std; golden.x, .blend, .y. Layers without weights have no tensors.
Metadata: `gallop`, JSON of all else (gate, kinds, activations, sources, provenance); `contract`;
`licence`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from gallop.modelfile import Golden, Layer, Model, ModelError

FORMAT = 1
NORMS = ("input_mean", "input_std", "input_state", "input_constant", "output_mean", "output_std")
FACTS = ("activation", "type", "kind", "outputs", "slope", "epsilon", "sources", "block")
STORED = {"f16": np.float16}  # others as float32, which holds them exactly


def write(model: Model, path: str | Path) -> None:
    """Write a model."""
    save_file = _package().save_file
    arrays = {name.replace("_", "."): getattr(model, name) for name in NORMS}
    _put(arrays, "layers", model.layers)
    _put(arrays, "gate.layers", model.gate_layers)
    if model.gate_layers:
        arrays["gate.features"] = np.asarray(model.gate_features, np.uint32)
    facts = {"format": FORMAT, "gate": model.gate, "experts": model.experts, "top": model.gate_top,
             "layers": _facts(model.layers), "gate_layers": _facts(model.gate_layers),
             "provenance": model.provenance}
    if model.golden:
        arrays.update({f"golden.{n}": getattr(model.golden, n) for n in ("x", "blend", "y")})
        facts["tolerance"] = float(model.golden.tolerance)
    metadata = {"gallop": json.dumps(facts), "contract": model.contract, "licence": model.licence}
    save_file({k: np.ascontiguousarray(a) for k, a in arrays.items()}, str(path), metadata=metadata)


def read(path: str | Path) -> Model:
    """Read what `write` wrote; a ModelError says what is missing."""
    with _package("safe_open")(str(path), framework="np") as file:
        metadata = file.metadata() or {}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    try:
        facts = json.loads(metadata["gallop"])
        if facts["format"] != FORMAT:
            raise ModelError(f"{path}: format {facts['format']}, {FORMAT} is known")
        return _model(facts, metadata, arrays)
    except (KeyError, TypeError, json.JSONDecodeError) as e:
        raise ModelError(f"{path}: not a model of gallop.tensors: {e!r}") from None


def _package(name: str = ""):
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise RuntimeError("safetensors files need the package 'safetensors' "
                           "(pip install safetensors)") from None
    return getattr(safetensors, name) if name else safetensors.numpy


def _put(arrays: dict[str, np.ndarray], stem: str, layers: list[Layer]) -> None:
    for i, layer in enumerate(layers):
        if layer.bias.size:
            kept = layer.weights.astype(STORED.get(layer.type, np.float32))
            arrays[f"{stem}.{i}.weight"] = kept
            arrays[f"{stem}.{i}.bias"] = layer.bias.astype(np.float32)
        if layer.scales is not None:
            arrays[f"{stem}.{i}.scales"] = layer.scales


def _facts(layers: list[Layer]) -> list[dict]:
    return [{name: getattr(layer, name) for name in FACTS} for layer in layers]


def _layers(stem: str, facts: list[dict], arrays: dict[str, np.ndarray]) -> list[Layer]:
    out = []
    for i, fact in enumerate(facts):
        fact["sources"] = tuple(tuple(source) for source in fact["sources"])
        if f"{stem}.{i}.weight" in arrays:
            fact["weights"] = arrays[f"{stem}.{i}.weight"].astype(np.float32)
            fact["bias"] = arrays[f"{stem}.{i}.bias"]
            fact["scales"] = arrays.get(f"{stem}.{i}.scales")
        out.append(Layer(**fact))
    return out


def _model(facts: dict, metadata: dict[str, str], arrays: dict[str, np.ndarray]) -> Model:
    golden = None
    if "golden.x" in arrays:
        golden = Golden(*(arrays[f"golden.{n}"] for n in ("x", "blend", "y")), facts["tolerance"])
    return Model(
        layers=_layers("layers", facts["layers"], arrays), gate=facts["gate"],
        experts=facts["experts"], **{n: arrays[n.replace("_", ".")] for n in NORMS},
        contract=metadata.get("contract", ""), golden=golden, provenance=facts["provenance"],
        licence=metadata.get("licence", ""),
        gate_features=tuple(int(f) for f in arrays.get("gate.features", ())),
        gate_layers=_layers("gate.layers", facts["gate_layers"], arrays), gate_top=facts["top"])
