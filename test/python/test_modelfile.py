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
@pytest.mark.parametrize("type", ["f16", "f32", "bf16"])
def test_round_trip(tmp_path, gate, type):
    made = small(*gate, type)
    modelfile.write(made, tmp_path / "m.gallop")
    read = modelfile.read(tmp_path / "m.gallop")
    assert modelfile.encode(read) == (tmp_path / "m.gallop").read_bytes()
    assert read.provenance == made.provenance and read.licence == made.licence
    y = modelfile.run(read, read.golden.x, read.golden.blend)
    assert np.allclose(y, read.golden.y, rtol=1e-6, atol=1e-6)


def whole(type, block, inputs=50, host=None):
    """A model whose layer has integers, as whole multiples of the scales of their blocks."""
    host = host or np.random.default_rng(5)
    m = small("given", 2, "f32")
    most = {"int8": 127, "int16": 3000}[type]
    scales = np.ldexp(1 + host.integers(0, 128, (2, 3, -(-inputs // (block or inputs)))) / 128, -9)
    integers = host.integers(-most, most + 1, (2, 3, inputs))
    weights = integers * np.repeat(scales, block or inputs, axis=2)[:, :, :inputs]
    m.layers = [modelfile.Layer(weights.astype(np.float32), m.layers[-1].bias, type=type,
                                block=block, scales=scales.astype(np.float32))]
    m.input_mean = m.input_constant = np.zeros(inputs, np.float32)
    m.input_std, m.input_state = np.ones(inputs, np.float32), np.zeros(inputs, np.uint32)
    m.golden = None
    return m, integers


@pytest.mark.parametrize(("type", "block"),
                         [("int8", 16), ("int8", 32), ("int8", 0), ("int16", 48)])
def test_integers_make_the_round_trip(tmp_path, type, block):
    made, integers = whole(type, block)
    modelfile.write(made, tmp_path / "m.gallop")
    read = modelfile.read(tmp_path / "m.gallop")
    layer = read.layers[0]
    assert (layer.type, layer.block) == (type, block)
    assert (layer.weights == made.layers[0].weights).all()
    assert (layer.scales == made.layers[0].scales).all()
    assert modelfile.encode(read) == (tmp_path / "m.gallop").read_bytes()
    bytes_each = {"int8": "<i1", "int16": "<i2"}[type]
    assert integers.astype(bytes_each).tobytes() in modelfile.encode(read)


INTEGER_FAULTS = [
    (lambda layer: setattr(layer, "scales", None), "layer 0: int8 weights without scales"),
    (lambda layer: setattr(layer, "block", 24), "layer 0: int8 weights without scales"),
    (lambda layer: setattr(layer, "scales", layer.scales[:1]), r"scales \[1, 3, 4\], expected"),
    (lambda layer: setattr(layer, "scales", layer.scales * np.float32(1.001)), "expected bfloat16"),
    (lambda layer: layer.weights.__setitem__((0, 1, 2), 1e-5), "not whole multiples"),
    (lambda layer: layer.weights.__setitem__((0, 0, 0), -128 * layer.scales[0, 0, 0]), "up to 127"),
    (lambda layer: layer.scales.__setitem__((0, 0, 0), np.inf), "layer 0"),
    (lambda layer: setattr(layer, "type", "int4"), "type 'int4', expected one of f32"),
]


@pytest.mark.parametrize(("change", "message"), INTEGER_FAULTS)
def test_integers_that_no_file_has_are_refused(change, message):
    made, _ = whole("int8", 16)
    change(made.layers[0])
    with pytest.raises(modelfile.ModelError, match=message), np.errstate(all="ignore"):
        modelfile.encode(made)


def test_sums_of_int16_that_overflow_are_refused():
    made, _ = whole("int16", 16)
    made.layers[0].weights[0, 0, :16] = 12000 * made.layers[0].scales[0, 0, 0]
    with pytest.raises(modelfile.ModelError, match="add up to more than 185367"):
        modelfile.encode(made)


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
    (lambda m: m.layers[0].weights.__setitem__((0, 0, 0), np.nan),
     "LAYR: layer 0: a value is not finite"),
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
