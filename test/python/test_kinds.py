"""Kinds of layers and activations: the C side's lists, PyTorch's formulas; the command agrees."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from gallop import kinds, modelfile
from gallop.modelfile import Layer

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build/dev/cli/gallop"))


def names(path, macro):
    text = (ROOT / path).read_text(encoding="utf-8")
    return tuple(re.findall(rf"^{macro}\(\w+, (\w+),", text, flags=re.M))


def test_names_are_the_lists():
    assert names("src/network/layers.def", "LAYER") == kinds.KINDS
    assert names("src/kernels/activations.def", "(?:ROW_)?ACTIVATION") == kinds.ACTIVATIONS


FORMULAS = {
    "none": lambda v: v,
    "relu": torch.nn.functional.relu,
    "elu": torch.nn.functional.elu,
    "leaky_relu": lambda v: torch.nn.functional.leaky_relu(v, -0.3),
    "gelu_tanh": lambda v: torch.nn.functional.gelu(v, approximate="tanh"),
    "gelu_erf": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "softmax": lambda v: torch.softmax(v, 1),
}


@pytest.mark.parametrize("name", kinds.ACTIVATIONS)
def test_activations_are_torchs(name):
    v = np.random.default_rng(1).normal(0, 3, (50, 7))
    slope = -0.3 if name == "leaky_relu" else 0
    said = kinds.activate(v, name, slope)
    assert np.allclose(said, FORMULAS[name](torch.tensor(v)), 1e-12, 1e-12)


def test_layer_norm_is_torchs():
    host = np.random.default_rng(2)
    x, gamma, beta = host.normal(1, 2, (9, 13)), host.normal(size=13), host.normal(size=13)
    layer = Layer(gamma.astype("f4")[None, :, None], beta.astype("f4")[None], kind="layer_norm",
                  epsilon=2.0**-7)
    norm = torch.nn.LayerNorm(13, eps=2.0**-7, dtype=torch.float64)
    norm.weight.data = torch.tensor(layer.weights[0, :, 0]).double()
    norm.bias.data = torch.tensor(layer.bias[0]).double()
    assert np.allclose(kinds.run_layers([layer], None, x), norm(torch.tensor(x)).detach(), 1e-12)


def test_gru_cell_is_torchs():
    torch.manual_seed(3)
    cell = torch.nn.GRUCell(5, 7).double()
    x, h = torch.randn(11, 5).double(), torch.randn(11, 7).double()
    layers = kinds.gru_cell(*(p.detach().float().numpy() for p in (
        cell.weight_ih, cell.bias_ih, cell.weight_hh, cell.bias_hh)), 0, (0, 0, 5), (0, 5, 7))
    said = kinds.run_layers(layers, None, torch.cat([x, h], 1).numpy())
    assert np.allclose(said, cell(x, h).detach(), atol=1e-6)


def family(seed):
    """Every kind: x [12] -> dense of 4 experts, norm, film, a GRU whose memory is in x, ..."""
    host = np.random.default_rng(seed)

    def dense(e, n, k, **more):
        weights, bias = host.normal(0, 0.5, (e, n, k)), host.normal(size=(e, n))
        return Layer(weights.astype("f4"), bias.astype("f4"), **more)

    layers = [
        dense(4, 6, 12, activation="gelu_erf"),
        Layer(np.ones((1, 6, 1), "f4"), np.zeros((1, 6), "f4"), kind="layer_norm", epsilon=1e-3),
        Layer(kind="film", outputs=6, activation="silu", sources=((1, 0, 6), (2, 0, 6), (0, 3, 6))),
        *kinds.gru_cell(*(host.normal(0, 0.5, s).astype("f4") for s in ((12, 6), 12, (12, 4), 12)),
                        3, (3, 0, 6), (0, 8, 4)),
        Layer(kind="add", outputs=4, activation="leaky_relu", slope=0.125,
              sources=((6, 0, 4), (3, 1, 4))),
        Layer(kind="mul", outputs=2, activation="softmax",
              sources=((7, 0, 2), (7, 2, 2), (1, 0, 2))),
        dense(4, 5, 8, activation="tanh", type="f16", sources=((2, 0, 6), (8, 0, 2))),
        Layer(kind="concat", outputs=9, sources=((9, 0, 5), (6, 0, 4))),
    ]
    state = np.array([0, 0, 1, 2] + [0] * 8, np.uint32)
    scale = [host.uniform(0.5, 2, n).astype("f4") for n in (12, 12, 9, 9)]
    constant = np.where(state == 2, 0.5, 0).astype("f4")
    m = modelfile.Model(layers, "cubic", 4, *scale, state, constant)
    x = host.normal(size=(20, 12)).astype("f4")
    phase = host.uniform(0, 6.2, (20, 1)).astype("f4")
    m.golden = modelfile.Golden(x, phase, modelfile.run(m, x, phase).astype("f4"), 1e-5)
    return m


def test_family_comes_back():
    data = modelfile.encode(family(4))
    read = modelfile.decode(data)
    assert modelfile.encode(read) == data
    assert [layer.kind for layer in read.layers] == [layer.kind for layer in family(4).layers]
    assert np.allclose(modelfile.run(read, read.golden.x, read.golden.blend), read.golden.y, 1e-6)


@pytest.mark.skipif(not COMMAND.exists(), reason="no gallop command: name it in GALLOP_COMMAND")
@pytest.mark.parametrize("seed", range(4))
def test_the_command_agrees(tmp_path, seed):
    modelfile.write(family(seed), tmp_path / "m.gallop")
    done = subprocess.run([COMMAND, "check", tmp_path / "m.gallop"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def broken(i, **fields):
    m = family(4)
    for name, value in fields.items():
        setattr(m.layers[i], name, value)
    return m


FAULTS = [
    (broken(2, outputs=5), "layer 2: film of 5 x 18"),
    (broken(2, sources=((1, 0, 6), (2, 0, 6), (0, 7, 6))), "layer 2: 18 inputs do not match"),
    (broken(2, sources=((1, 0, 6), (2, 0, 6), (3, 0, 6))), "layer 2: 18 inputs do not match"),
    (broken(1, epsilon=0.0), "layer 1: slope 0.0, epsilon 0.0"),
    (broken(6, activation="tanh"), "layer 6: slope 0.125"),
    (broken(8, sources=((2, 0, 6), (7, 0, 2))), "layer 7: no other layer reads it"),
    (broken(8, sources=((2, 0, 1),) * 17), "layer 8: 17 sources"),
]


@pytest.mark.parametrize(("model", "message"), FAULTS)
def test_faults_are_named(model, message):
    with pytest.raises(modelfile.ModelError, match=message):
        modelfile.decode(modelfile.encode(model))
