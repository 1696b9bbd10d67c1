"""Trained networks out: torch modules to `.gallop` with golden frames; model files to ONNX."""

from __future__ import annotations

import copy
import datetime
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from gallop import contract as contract_text
from gallop import modelfile
from gallop.contract import Contract
from gallop.modelfile import Model
from gallop.torch_layers import FileModule, layers_of

if TYPE_CHECKING:
    from gallop.features import Dataset, Scale

GOLDEN = 32
TOLERANCE = 1e-4  # of golden frames: what is left between float64 and the runtime
NORMS = ("input_mean", "input_std", "output_mean", "output_std")
ALIKE = {"f32": 1e-5, "f16": 0.05, "bf16": 0.4}  # the module beside its exported layers, relative


def export(
    module: torch.nn.Module, path: str | Path, *, x: np.ndarray | None = None,
    phase: np.ndarray | None = None, blend: np.ndarray | None = None,
    contract: str | Contract = "", input_mean: Any = 0, input_std: Any = 1,
    output_mean: Any = 0, output_std: Any = 1, masked: Any = (), type: str = "f32",
    provenance: dict[str, str] | None = None, licence: str = "",
) -> Model:
    """Write a module as a model file with golden frames; returns the model.

    The module takes normalised features [B, K] to normalised outputs [B, N]: gallop.PFNN (and the
    phase), gallop.MANN, gallop.MLP, or a Sequential of Linear, LayerNorm and activations. Means and
    deviations (a number, or one a feature) are kept in the file, which takes raw features to raw
    outputs. `masked`: indices of inputs that the module always sees as 0, or a truth for each.
    `contract`: what the features mean (docs/format.md); `type`: what weights are stored as, "f32",
    "f16" or "bf16" (`gallop quantize` makes integers of them).

    Golden frames are of x [F, K], raw, with `phase` [F] or `blend` [F, E] where the gate needs it;
    without x, random ones. The module must give what they say, or a ValueError tells how far it is
    off.
    """
    model = to_model(module, contract, (input_mean, input_std, output_mean, output_std), type)
    _mask(model, masked)
    given = phase if phase is not None else blend
    add_golden(model, *_frames(model, x, given))
    check_module(module, model)
    add_provenance(model, provenance or {})
    model.licence = licence
    modelfile.write(model, path)
    return model


def to_model(
    module: torch.nn.Module, contract: str | Contract, scale: Scale | tuple[Any, ...],
    type: str = "f16", fixed: np.ndarray | None = None,
) -> Model:
    """A module as a model. `fixed` [S]: what the module's last S inputs (a style) always are; they
    are folded into the first bias, in float64. A gating network's weights stay float32."""
    if type not in ALIKE:
        raise ValueError(f"type {type!r}, expected one of {', '.join(ALIKE)}; "
                         "`gallop quantize` makes files of integers")
    out = layers_of(module)
    if fixed is not None and len(fixed):
        _fold(out.layers[0], np.asarray(fixed, float))
    for layer in out.layers:
        layer.type = type if layer.kind == "dense" else "f32"
    inputs, outputs = out.layers[0].weights.shape[2], out.layers[-1].outputs
    inputs = inputs if out.layers[0].kind == "dense" else out.layers[0].outputs
    means = scale if isinstance(scale, tuple) else (
        scale.x_mean, scale.x_std, scale.y_mean, scale.y_std)
    sizes = (inputs, inputs, outputs, outputs)
    norm = [_spread(name, m, n) for name, m, n in zip(NORMS, means, sizes)]
    text = contract if isinstance(contract, str) else contract_text.to_text(contract)
    state, constant = _constants(text, inputs)
    return Model(out.layers, out.gate, out.experts, *norm, input_state=state,
                 input_constant=constant, contract=text, gate_features=out.gate_features,
                 gate_layers=list(out.gate_layers))


def _spread(name: str, value: Any, count: int) -> np.ndarray:
    """A number, or one a feature, as one a feature."""
    given = np.asarray(value, np.float32)
    if given.shape not in ((), (1,), (count,)):
        raise ValueError(f"{name}: shape {given.shape}, a number or {count} of them expected")
    if not np.isfinite(given).all():
        raise ValueError(f"{name}: a number that is not finite")
    if name.endswith("std") and not (given > 0).all():
        raise ValueError(f"{name}: {given.min():g}, expected above 0 (1 for what never changes)")
    return np.broadcast_to(given, count).copy()


def _mask(model: Model, masked: Any) -> None:
    """Says of the inputs of these indices that the module never sees them."""
    count, given = len(model.input_state), np.asarray(masked)
    if given.dtype == bool and given.shape != (count,):
        raise ValueError(f"masked: shape {given.shape} of truths, expected ({count},)")
    indices = np.flatnonzero(given) if given.dtype == bool else given.astype(int)
    wrong = indices[(indices < 0) | (indices >= count)]
    if wrong.size:
        raise ValueError(f"masked: input {wrong.flat[0]}, expected 0..{count - 1}")
    model.input_state[indices] = modelfile.MASKED


def shown(parameters: Mapping[str, np.ndarray | torch.Tensor]) -> str:
    """The sizes of the layers' weights, without those of a gate."""
    return ", ".join(" x ".join(map(str, value.shape)) for name, value in parameters.items()
                     if name.startswith("layers.") and name.endswith("weight"))


def restore(module: torch.nn.Module, model: Model) -> Scale:
    """Gives a PFNN or MANN the weights of a model file of its size, and returns the file's scale;
    styles, which the file has in its bias, count for nothing."""
    from gallop.features import Scale

    styles = getattr(module, "styles", 0)
    weights = [layer.weights for layer in model.layers]
    weights[0] = np.pad(weights[0], ((0, 0), (0, 0), (0, styles)))
    found = dict(zip((f"layers.{i}.weight" for i in range(len(weights))), weights))
    found.update({f"layers.{i}.bias": layer.bias for i, layer in enumerate(model.layers)})
    for i, layer in enumerate(model.gate_layers):
        found[f"gate.{i}.weight"], found[f"gate.{i}.bias"] = layer.weights[0], layer.bias[0]
    own = dict(module.named_parameters())
    if {k: v.shape for k, v in found.items()} != {k: tuple(v.shape) for k, v in own.items()}:
        raise ValueError(f"layers of {shown(found)}; of {shown(own)} expected (experts x outputs "
                         "x inputs)")
    with torch.no_grad():
        for name, value in found.items():
            own[name].copy_(torch.tensor(value))
    means = (model.input_mean, model.input_std, model.output_mean, model.output_std)
    return Scale(*(m.astype(np.float64) for m in means))


def _fold(layer: modelfile.Layer, fixed: np.ndarray) -> None:
    weights = layer.weights.astype(np.float64)
    bias = layer.bias + weights[..., -len(fixed):] @ fixed
    layer.bias, layer.weights = bias.astype(np.float32), layer.weights[..., : -len(fixed)]


def _constants(text: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States and constants of the inputs: those of `constant` blocks are constant."""
    state, value = np.zeros(count, np.uint32), np.zeros(count, np.float32)
    if text:
        contract = contract_text.parse(text)
        for block, where in contract.ranges(contract.inputs):
            if block.name == "constant":
                state[where], value[where] = modelfile.CONSTANT, float(block.args[0])
    return state, value


# ---- golden frames ----


def _frames(model: Model, x: np.ndarray | None, given: np.ndarray | None
            ) -> tuple[np.ndarray, np.ndarray | None]:
    """Random inputs of the normalisation's spread where none are given, and gates for them."""
    host = np.random.default_rng(0)
    if x is None:
        shape = (GOLDEN, len(model.input_mean))
        x = model.input_mean + model.input_std * host.normal(size=shape)
    if given is None and model.gate == "given" and model.experts > 1:
        given = host.dirichlet(np.ones(model.experts), len(x))
    if given is None and model.gate in ("cubic", "linear", "constant"):
        given = host.uniform(0, 2 * np.pi, len(x))
    return x, given


def add_golden(model: Model, x: np.ndarray, given: np.ndarray | None = None) -> None:
    """Golden frames of raw inputs x [F, K] and phases [F] or blends [F, E] (None: even blends, or a
    gating network): outputs in float64 from the stored weights."""
    x = np.asarray(x, np.float32)
    width = model.experts if model.gate == "given" else 1
    if given is None:
        given = np.full((len(x), width), 1 / width if model.gate == "given" else 0)
    given = np.asarray(given, np.float32).reshape(len(x), width)
    y = modelfile.run(model, x, given)
    model.golden = modelfile.Golden(x, given, y.astype(np.float32), TOLERANCE)


def golden_rows(data: Dataset, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and phases of some frames of a data set."""
    rows = np.random.default_rng(seed).choice(len(data.x), GOLDEN)
    return data.x[rows], data.phase[rows]


def check_module(module: torch.nn.Module, model: Model) -> None:
    """Whether the module gives the golden frames, in float64; a ValueError tells how far off."""
    golden = model.golden
    normal = (golden.x.astype(float) - model.input_mean) / model.input_std
    normal[:, model.input_state == modelfile.MASKED] = 0
    arguments = [torch.tensor(normal)]
    if model.gate in ("cubic", "linear", "constant"):
        arguments.append(torch.tensor(golden.blend[:, 0].astype(float)))
    elif "phase" in inspect.signature(module.forward).parameters:  # a PFNN without a gate
        arguments.append(torch.zeros(len(normal), dtype=torch.float64))
    with torch.no_grad():
        y = copy.deepcopy(module).cpu().double().eval()(*arguments).numpy()
    expected = (golden.y - model.output_mean) / model.output_std
    off = np.sqrt(np.mean((y - expected) ** 2) / max(np.mean(y**2), 1e-30))
    if not off <= ALIKE[model.layers[0].type]:
        raise ValueError(f"the module's outputs are {off:.2g} of their rms off what was exported: "
                         "it does more than its layers say")


def add_provenance(model: Model, entries: dict[str, str]) -> None:
    """Where a model comes from: model, data, attribution, licence, command; the date is added."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    model.provenance = {k: v.replace("\n", " ") for k, v in entries.items()}
    model.provenance["date"] = today


# ---- ONNX ----


def write_onnx(model: Model, path: str | Path) -> None:
    """Write ONNX: inputs "x" [batch, K] and "phase" [batch, 1] (or "blend"), output "y"."""
    net = FileModule(model).eval()
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
    try:
        return name in inspect.signature(function).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
