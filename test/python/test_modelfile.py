"""The model file: round trip, every corruption refused, and the gates against the formula."""

import struct

import numpy as np
import pytest

import synthetic
from gallop import contract, exporter, features, modelfile
from gallop.network import PFNN


def small(gate="cubic", experts=4, type="f16", seed=0):
    host = np.random.default_rng(seed)
    sizes = (5, 7, 7, 3)
    layers = [modelfile.Layer(host.normal(size=(experts, n, k)).astype(np.float32),
                              host.normal(size=(experts, n)).astype(np.float32), act, type)
              for k, n, act in zip(sizes, sizes[1:], ("elu", "elu", "none"))]
    state = np.array([0, 0, 1, 2, 0], np.uint32)
    constant = np.array([0, 0, 0, 1.5, 0], np.float32)
    m = modelfile.Model(layers, gate, experts, *host.normal(size=(1, 5)).astype(np.float32),
                        np.full(5, 2, np.float32), host.normal(size=3).astype(np.float32),
                        np.full(3, 0.5, np.float32), state, constant)
    x = host.normal(size=(6, 5)).astype(np.float32)
    given = host.uniform(0, 6.2, (6, 1)).astype(np.float32)
    if gate == "given":
        given = np.full((6, experts), 1 / experts, np.float32)
    m.golden = modelfile.Golden(x, given, modelfile.run(m, x, given).astype(np.float32))
    m.provenance = {"model": "small", "licence": "MIT"}
    m.licence = "Free.\n\nReally."
    return m


@pytest.mark.parametrize("gate", [("cubic", 4), ("linear", 10), ("constant", 50), ("given", 8)])
@pytest.mark.parametrize("type", ["f16", "f32"])
def test_round_trip(tmp_path, gate, type):
    made = small(*gate, type)
    modelfile.write(made, tmp_path / "m.gallop")
    read = modelfile.read(tmp_path / "m.gallop")
    assert modelfile.encode(read) == (tmp_path / "m.gallop").read_bytes()
    assert read.provenance == made.provenance and read.licence == made.licence
    y = modelfile.run(read, read.golden.x, read.golden.blend)
    assert np.allclose(y, read.golden.y, rtol=1e-6, atol=1e-6)


def test_layout():
    data = modelfile.encode(small())
    magic, version, count, size = struct.unpack_from("<8sIIQ", data)
    assert (magic, version, count, size) == (b"GALLOP\r\n", 2, 5, len(data))
    for i in range(count):
        _, _, offset, _, zero = struct.unpack_from("<4sIQQQ", data, 32 + 32 * i)
        assert offset % 64 == 0 and zero == 0


def test_every_changed_byte_is_noticed():
    data = modelfile.encode(small())
    host = np.random.default_rng(3)
    for at in [*range(200), *host.integers(200, len(data), 300)]:
        broken = bytearray(data)
        broken[at] ^= 0x10
        with pytest.raises(modelfile.ModelError):
            modelfile.decode(bytes(broken))


def test_every_cut_is_noticed():
    data = modelfile.encode(small())
    for length in range(0, len(data), 37):
        with pytest.raises(modelfile.ModelError):
            modelfile.decode(data[:length])


def faulty(change):
    m = small()
    change(m)
    return m


FAULTS = [
    (lambda m: m.layers[0].weights.__setitem__((0, 0, 0), np.nan), "LAYR: a value is not finite"),
    (lambda m: m.input_std.__setitem__(0, 0), "NORM: a standard deviation is not above 0"),
    (lambda m: m.input_state.__setitem__(0, 3), "NORM: an input's state is unknown"),
    (lambda m: m.input_constant.__setitem__(0, 1), "NORM: a constant is given"),
    (lambda m: setattr(m, "experts", 3), "GATE: kind 1 with 3 experts"),
    (lambda m: setattr(m, "experts", 5), "LAYR: layer 0: 4 experts"),
    (lambda m: setattr(m, "layers", m.layers[::-1]), "do not match"),
    (lambda m: setattr(m, "layers", m.layers[:1]), "NORM's outputs do not match"),
    (lambda m: setattr(m.golden, "tolerance", 0.0), "GOLD: the frames do not match"),
    (lambda m: setattr(m, "contract", "hello"), "CNTR:1: the first line"),
    (lambda m: setattr(m, "contract", contract.to_text(synthetic.contract())), "CNTR counts"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_faults_are_named(change, message):
    with pytest.raises(modelfile.ModelError, match=message.replace("(", r"\(")):
        modelfile.decode(modelfile.encode(faulty(change)))


def test_cubic_gate_is_the_formula():
    phase = np.linspace(-7, 14, 300)[:, None]
    w = modelfile.blend("cubic", 4, phase)
    assert np.allclose(w.sum(1), 1)
    points = np.random.default_rng(0).normal(size=(4, 3))
    for p, row in zip(phase[:, 0], w):
        u = 4 * (p % (2 * np.pi)) / (2 * np.pi)
        k, t = int(u) % 4, u - int(u)
        a, b, c, d = (points[(k + i) % 4] for i in (-1, 0, 1, 2))
        spline = b + t * (c - a) / 2 + t * t * (a - 2.5 * b + 2 * c - d / 2) + t**3 * (
            1.5 * (b - c) + (d - a) / 2)
        assert np.allclose(row @ points, spline)


@pytest.mark.parametrize("kind", [("cubic", 4), ("linear", 10), ("constant", 50), ("plain", 1)])
def test_torch_equals_float64(kind):
    """The PyTorch network and the stored model run in float64 agree, style folded in."""
    import torch

    data, c = synthetic.dataset(), synthetic.contract()
    torch.manual_seed(0)
    net = PFNN(data.x.shape[1], data.y.shape[1], 16, *kind, styles=2)
    for layer in net.layers:
        torch.nn.init.normal_(layer.bias)
    scale = features.scale_of(c, data.x, data.y)
    model = exporter.to_model(net, c, scale, "f32", np.array([0.0, 1.0]))
    x, phase = data.x[:40], data.phase[:40]
    given = np.ones((40, 1)) if kind[0] == "plain" else phase[:, None]
    said = modelfile.run(model, x, given)
    style = np.tile([0.0, 1.0], (40, 1))
    normal = np.concatenate([(x - scale.x_mean) / scale.x_std, style], 1)
    with torch.no_grad():
        out = net.double()(torch.tensor(normal), torch.tensor(phase.astype(float)))
    assert np.allclose(out.numpy() * scale.y_std + scale.y_mean, said, rtol=1e-4, atol=1e-4)
