"""The dog's network as a model file, with golden frames."""

from __future__ import annotations

import numpy as np
import torch

from gallop import dog, export, modelfile
from gallop.contract import Contract, to_text
from gallop.dog_network import ModeNetwork
from gallop.features import Scale

GOLDEN = 32
LICENCE = (
    "This model was trained on the motion of the dog set named above, Creative Commons Attribution "
    "4.0 International (https://creativecommons.org/licenses/by/4.0/). The model's weights are "
    "published under the same terms: keep the attribution above.\n"
)


def to_model(net: ModeNetwork, contract: Contract, scale: Scale, type: str = "f16"
             ) -> modelfile.Model:
    """The network as a model, weights kept in `type` (the gate's in float32)."""
    layers, gate = [], []
    for i, layer in enumerate(net.layers):
        act = "none" if i + 1 == len(net.layers) else "elu"
        layers.append(modelfile.Layer(_array(layer.weight), _array(layer.bias), act, type))
    for i, layer in enumerate(net.gate):
        act = "none" if i + 1 == len(net.gate) else "elu"
        gate.append(modelfile.Layer(_array(layer.weight)[None], _array(layer.bias)[None], act))
    count = len(scale.x_mean)
    scales = [a.astype(np.float32) for a in (scale.x_mean, scale.x_std, scale.y_mean, scale.y_std)]
    features = tuple(int(f) for f in net.features) if gate else ()
    return modelfile.Model(
        layers, "network" if gate else "given", net.experts, *scales,
        input_state=np.zeros(count, np.uint32), input_constant=np.zeros(count, np.float32),
        contract=to_text(contract), gate_features=features, gate_layers=gate)


def _array(t: torch.Tensor) -> np.ndarray:
    return t.detach().cpu().double().numpy().astype(np.float32)


def add_golden(model: modelfile.Model, x: np.ndarray) -> None:
    """Golden frames: raw inputs x [F, K], outputs in float64 from the stored weights."""
    x = x.astype(np.float32)
    given = np.zeros((len(x), 1), np.float32)
    if model.gate == "given":
        given = np.ones((len(x), model.experts), np.float32) / model.experts
    y = modelfile.run(model, x, given).astype(np.float32)
    model.golden = modelfile.Golden(x, given, y, 1e-4)


def finish(model: modelfile.Model, x: np.ndarray, command: str) -> None:
    """Golden frames of x and where the model comes from."""
    add_golden(model, x)
    export.add_provenance(model, {
        "model": "dog", "data": "Lifelike agility and play in quadrupedal robots, motion set",
        "attribution": dog.ATTRIBUTION, "licence": "CC BY 4.0", "command": command})
    model.licence = LICENCE
