"""Reading and writing `.gallop` files (docs/format.md), and running one in float64.

Both directions check what the runtime checks: sizes, checksums, finite values, matching counts.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gallop import contract as contract_text
from gallop import kinds, patches
from gallop import weights as stored_weights
from gallop.kinds import ACTIVATIONS, KINDS
from gallop.weights import TYPES

MAGIC = b"GALLOP\r\n"
VERSION = 2
GATES = ("given", "cubic", "linear", "constant", "network")
LEAST_EXPERTS = {"given": 1, "cubic": 4, "linear": 2, "constant": 1, "network": 1}
MAX_GATE_LAYERS, MAX_SOURCES, MAX_WIDTH = 8, 16, 65536
LIVE, MASKED, CONSTANT = 0, 1, 2


class ModelError(ValueError):
    """A file that is not a sound model; the message says where and what."""


@dataclass
class Layer:
    """One layer. dense: y = act(sum_e w[e] (weights[e] x + bias[e])), weights [E, N, K], bias
    [E, N]; layer_norm: weights [1, N, 1], bias [1, N] and epsilon; other kinds (kinds.py) have
    `outputs` alone.

    Weights are float32 here; `type` is what the file keeps them as. int8 and int16 have `scales`
    [E, N, blocks], one for each `block` inputs (0: for all), and are whole multiples of them.

    sparse: a dense layer whose file leaves out the patches of 16 outputs x 8 inputs that are not
    in `mask` [rows, columns]; its weights are 0 there.

    x is the value before, or the joined `sources`: (value, first, count) each, where value 0 is
    what the layers are given and value i + 1 what layer i makes."""

    weights: np.ndarray = field(default_factory=lambda: np.zeros((1, 0, 0), np.float32))
    bias: np.ndarray = field(default_factory=lambda: np.zeros((1, 0), np.float32))
    activation: str = "none"
    type: str = "f32"
    kind: str = "dense"
    outputs: int = 0  # N: taken from the bias where there is one
    slope: float = 0.0  # of leaky_relu
    epsilon: float = 0.0  # of layer_norm
    sources: tuple[tuple[int, int, int], ...] = ()
    block: int = 0
    scales: np.ndarray | None = None
    mask: np.ndarray | None = None  # of a sparse layer, truths (gallop.patches)

    def __post_init__(self) -> None:
        self.outputs = self.bias.shape[1] or self.outputs


@dataclass
class Golden:
    """Frames made in float64: x [F, K], blend [F, B] (phase, or weights), y [F, N]."""

    x: np.ndarray
    blend: np.ndarray
    y: np.ndarray
    tolerance: float = 1e-4


@dataclass
class Model:
    """All a file holds. Means and deviations are per input [K] and output [N]; a gate "network"
    has layers of its own, on the inputs `gate_features`, and keeps its `gate_top` largest."""

    layers: list[Layer]
    gate: str
    experts: int
    input_mean: np.ndarray
    input_std: np.ndarray
    output_mean: np.ndarray
    output_std: np.ndarray
    input_state: np.ndarray
    input_constant: np.ndarray
    contract: str = ""
    golden: Golden | None = None
    provenance: dict[str, str] = field(default_factory=dict)
    licence: str = ""
    gate_features: tuple[int, ...] = ()
    gate_layers: list[Layer] = field(default_factory=list)
    gate_top: int = 0


def blend(gate: str, experts: int, given: np.ndarray) -> np.ndarray:
    """Blend weights [F, E] of phases [F, 1] in radians (or of given blends [F, E])."""
    if gate == "given":
        return given
    u = experts * np.mod(given[:, 0], 2 * np.pi) / (2 * np.pi)
    k, t = np.floor(u).astype(int) % experts, u - np.floor(u)
    if gate == "constant":
        parts = [(0, np.ones_like(t))]
    elif gate == "linear":
        parts = [(0, 1 - t), (1, t)]
    else:
        t2, t3 = t * t, t * t * t
        parts = [(-1, -t / 2 + t2 - t3 / 2), (0, 1 - 5 / 2 * t2 + 3 / 2 * t3),
                 (1, t / 2 + 2 * t2 - 3 / 2 * t3), (2, -t2 / 2 + t3 / 2)]
    w = np.zeros((len(u), experts))
    for offset, value in parts:
        w[np.arange(len(u)), (k + offset) % experts] += value
    return w


def run(model: Model, x: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Raw outputs [F, N] of raw inputs [F, K] and phases or blends [F, B], in float64."""
    std = model.input_std.astype(np.float64)
    value = (x.astype(np.float64) - model.input_mean) / std
    fixed = (model.input_constant.astype(np.float64) - model.input_mean) / std
    value = np.where(model.input_state == MASKED, 0.0, value)
    value = np.where(model.input_state == CONSTANT, fixed, value)
    if model.gate == "network":
        w = gate_weights(model, value)
    else:
        w = blend(model.gate, model.experts, given.astype(np.float64))
    value = kinds.run_layers(model.layers, w, value)
    return value * model.output_std.astype(np.float64) + model.output_mean


def gate_weights(model: Model, normal: np.ndarray) -> np.ndarray:
    """Blend weights [F, E] that a gate "network" makes of normalised inputs [F, K]."""
    z = kinds.run_layers(model.gate_layers, None, normal[:, list(model.gate_features)])
    w = np.exp(z - z.max(1, keepdims=True))
    if model.gate_top:
        order = np.argsort(-w, axis=1, kind="stable")
        np.put_along_axis(w, order[:, model.gate_top :], 0.0, axis=1)
    return w / w.sum(1, keepdims=True)


def write(model: Model, path: str | Path) -> int:
    """Write a checked model; returns the file's size in bytes."""
    data = encode(model)
    decode(data, str(path))
    Path(path).write_bytes(data)
    return len(data)


def encode(model: Model) -> bytes:
    """The bytes of a model file."""
    sections = [(b"CNTR", model.contract.encode())] if model.contract else []
    sections += [(b"NORM", _norm(model)), (b"GATE", _gate(model)), (b"LAYR", _layers(model))]
    if model.golden:
        sections.append((b"GOLD", _golden(model.golden)))
    if model.provenance:
        sections.append((b"PROV", _provenance(model)))
    at, table, body = 32 + 32 * len(sections), b"", b""
    for tag, data in sections:
        pad = -(at + len(body)) % 64
        body += b"\0" * pad
        offset = at + len(body)
        table += tag + struct.pack("<IQQQ", zlib.crc32(data), offset, len(data), 0)
        body += data
    counts = (VERSION, len(sections), at + len(body), zlib.crc32(table), 0)
    return struct.pack("<8sIIQII", MAGIC, *counts) + table + body


def _f32(*arrays: np.ndarray) -> bytes:
    return b"".join(np.ascontiguousarray(a, dtype="<f4").tobytes() for a in arrays)


def _norm(m: Model) -> bytes:
    sizes = struct.pack("<II", len(m.input_mean), len(m.output_mean))
    state = np.asarray(m.input_state, dtype="<u4").tobytes()
    scale = _f32(m.input_mean, m.input_std, m.output_mean, m.output_std)
    return sizes + scale + state + _f32(m.input_constant)


def _gate(m: Model) -> bytes:
    head = struct.pack("<IIII", GATES.index(m.gate), m.experts, m.gate_top, 0)
    if m.gate != "network":
        return head
    head += struct.pack("<IIQ", len(m.gate_features), len(m.gate_layers), 0)
    features = np.asarray(m.gate_features, dtype="<u4").tobytes()
    return head + features + _layer_data(m.gate_layers, len(m.gate_features))


def _layers(m: Model) -> bytes:
    width = len(m.input_mean)
    return struct.pack("<II", len(m.layers), width) + _layer_data(m.layers, width)


def _layer_data(layers: list[Layer], width: int) -> bytes:
    out = b""
    for i, layer in enumerate(layers):
        inputs = sum(count for _, _, count in kinds.sources_of(layers, i, width))
        inputs = layer.weights.shape[2] if layer.kind in kinds.BLENDED else inputs
        out += struct.pack("<8I2f", KINDS.index(layer.kind), ACTIVATIONS.index(layer.activation),
                           len(layer.weights), inputs, layer.outputs, _type_number(layer, i),
                           layer.block, len(layer.sources), layer.slope, layer.epsilon)
        out += np.asarray(layer.sources, dtype="<u4").tobytes()
        try:
            if layer.kind == "sparse":
                out += patches.encode(layer)
            else:
                out += stored_weights.encode(layer.weights, layer.type, layer.block, layer.scales)
        except ValueError as e:
            raise ModelError(f"layer {i}: {e}") from None
        out += _f32(layer.bias)
    return out


def _type_number(layer: Layer, i: int) -> int:
    if layer.type not in TYPES:
        raise ModelError(f"layer {i}: type {layer.type!r}, expected one of {', '.join(TYPES)}")
    return TYPES.index(layer.type)


def _golden(g: Golden) -> bytes:
    sizes = (len(g.x), g.x.shape[1], g.y.shape[1], g.blend.shape[1], g.tolerance)
    return struct.pack("<4If12x", *sizes) + _f32(g.x, g.blend, g.y)


def _provenance(m: Model) -> bytes:
    text = "".join(f"{k}: {v}\n" for k, v in m.provenance.items())
    return (text + ("\n" + m.licence if m.licence else "")).encode()


def read(path: str | Path) -> Model:
    """Read and check a model file."""
    return decode(Path(path).read_bytes(), str(path))


class _Bytes:
    """A section's bytes, taken from the front; errors name the section."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data, self.at, self.where = data, 0, where

    def error(self, message: str) -> ModelError:
        return ModelError(f"{self.where}: {message}")

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise self.error(f"ends {count - len(self.data) + self.at} bytes too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def unpack(self, form: str) -> tuple:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def array(self, dtype: str, *shape: int) -> np.ndarray:
        count = 1
        for n in shape:
            count *= n
        raw = self.take(count * np.dtype(dtype).itemsize)
        a = np.frombuffer(raw, dtype).reshape(shape)
        if a.dtype.kind == "f" and not np.isfinite(a).all():
            raise self.error("a value is not finite")
        return a.astype(np.float32) if a.dtype.kind == "f" else a

    def padded(self, dtype: str, *shape: int) -> np.ndarray:
        """The next array as it is, with the zeros that fill its last four bytes."""
        count = math.prod(shape)
        a = np.frombuffer(self.take(count * np.dtype(dtype).itemsize), dtype).reshape(shape)
        if any(self.take(-self.at % 4)):
            raise self.error("padding is not 0")
        return a

    def done(self) -> None:
        if self.at != len(self.data):
            raise self.error(f"{len(self.data) - self.at} bytes too many")


def decode(data: bytes, where: str = "model") -> Model:
    """Parse and check the bytes of a model file."""
    sections = _sections(data, where)
    for tag in ("NORM", "GATE", "LAYR"):
        if tag not in sections:
            raise ModelError(f"{where}: section {tag} is missing")
    parts = {tag: _Bytes(d, f"{where}: {tag}") for tag, d in sections.items()}
    norm, gate = _read_norm(parts["NORM"]), _read_gate(parts["GATE"])
    layers = _read_layers(parts["LAYR"], gate["experts"], len(norm["input_mean"]))
    model = Model(layers=layers, **gate, **norm)
    if any(f >= len(model.input_mean) for f in model.gate_features):
        raise ModelError(f"{where}: the gate names an input that is not there")
    if layers[-1].outputs != len(model.output_mean):
        raise ModelError(f"{where}: NORM's outputs do not match the last layer")
    if "GOLD" in parts:
        model.golden = _read_golden(parts["GOLD"], model)
    if "CNTR" in parts:
        model.contract = _read_contract(sections["CNTR"], model, where)
    if "PROV" in parts:
        _read_provenance(sections["PROV"], model, where)
    return model


def _sections(data: bytes, where: str) -> dict[str, bytes]:
    b = _Bytes(data, where)
    magic, version, count, size, crc, zero = b.unpack("8sIIQII")
    if magic != MAGIC or version != VERSION:
        raise b.error(f"not a gallop model of version {VERSION}")
    if size != len(data) or zero or not 1 <= count <= 16:
        raise b.error(f"the header says {size} bytes and {count} sections; found {len(data)} bytes")
    table = b.take(32 * count)
    if zlib.crc32(table) != crc:
        raise b.error("the section table's checksum is wrong")
    out: dict[str, bytes] = {}
    at = b.at
    for i in range(count):
        raw, crc, offset, length, zero = struct.unpack_from("<4sIQQQ", table, 32 * i)
        tag = raw.decode("latin-1")
        if tag not in ("CNTR", "NORM", "GATE", "LAYR", "GOLD", "PROV") or tag in out or zero:
            raise b.error(f"unknown or second section '{tag}'")
        if offset != at + (-at % 64) or length > len(data) - offset or any(data[at:offset]):
            raise b.error(f"section {tag} is out of place")
        out[tag] = data[offset : offset + length]
        at = offset + length
        if zlib.crc32(out[tag]) != crc:
            raise b.error(f"section {tag}'s checksum is wrong")
    if at != len(data):
        raise b.error("bytes after the last section")
    return out


def _read_norm(b: _Bytes) -> dict[str, np.ndarray]:
    k, n = b.unpack("II")
    if not (1 <= k <= 65536 and 1 <= n <= 65536):
        raise b.error(f"{k} inputs, {n} outputs are out of range")
    names = ("input_mean", "input_std", "output_mean", "output_std")
    out = {name: b.array("<f4", k if name.startswith("in") else n) for name in names}
    out["input_state"], out["input_constant"] = b.array("<u4", k), b.array("<f4", k)
    if (out["input_std"] <= 0).any() or (out["output_std"] <= 0).any():
        raise b.error("a standard deviation is not above 0")
    if (out["input_state"] > CONSTANT).any():
        raise b.error("an input's state is unknown")
    if (out["input_constant"][out["input_state"] != CONSTANT] != 0).any():
        raise b.error("a constant is given for an input that is not constant")
    b.done()
    return out


def _read_gate(b: _Bytes) -> dict:
    kind, experts, top, zero = b.unpack("IIII")
    if kind >= len(GATES) or zero or not LEAST_EXPERTS[GATES[kind]] <= experts <= 256:
        raise b.error(f"kind {kind} with {experts} experts")
    out = {"gate": GATES[kind], "experts": experts}
    if GATES[kind] == "network":
        out.update(_read_gate_network(b, experts), gate_top=top)
    if top > (experts if GATES[kind] == "network" else 0):
        raise b.error(f"the {top} largest of {experts} experts")
    b.done()
    return out


def _read_gate_network(b: _Bytes, experts: int) -> dict:
    count, number, zero = b.unpack("IIQ")
    if not 1 <= count <= MAX_WIDTH or not 1 <= number <= MAX_GATE_LAYERS or zero:
        raise b.error(f"a gate of {count} inputs and {number} layers")
    features = tuple(int(f) for f in b.array("<u4", count))
    layers = _read_layer_data(b, number, 1, count)
    if layers[-1].outputs != experts:
        raise b.error("the gate's layers do not match its experts")
    return {"gate_features": features, "gate_layers": layers}


def _read_layers(b: _Bytes, experts: int, width: int) -> list[Layer]:
    count, inputs = b.unpack("II")
    if not 1 <= count <= 64:
        raise b.error(f"{count} layers")
    if inputs != width:
        raise b.error(f"{inputs} inputs, NORM has {width}")
    layers = _read_layer_data(b, count, experts, width)
    b.done()
    return layers


def _read_layer_data(b: _Bytes, count: int, experts: int, width: int) -> list[Layer]:
    layers: list[Layer] = []
    widths = [width]  # of the values there are
    for i in range(count):
        layers.append(_read_layer(b, i, experts, widths))
        widths.append(layers[-1].outputs)
    read = {value for i in range(count) for value, _, _ in kinds.sources_of(layers, i, width)}
    for i in range(count - 1):
        if i + 1 not in read:
            raise b.error(f"layer {i}: no other layer reads it")
    return layers


def _read_layer(b: _Bytes, i: int, experts: int, widths: list[int]) -> Layer:
    kind, activation, e, k, n, number, block, count, slope, epsilon = b.unpack("8I2f")
    if kind >= len(KINDS) or activation >= len(ACTIVATIONS) or number >= len(TYPES):
        raise b.error(f"layer {i}: unknown kind, activation or weight type")
    name, act, type = KINDS[kind], ACTIVATIONS[activation], TYPES[number]
    integers = type in stored_weights.INTEGERS
    if not stored_weights.fits(type, block) or (integers and name not in kinds.BLENDED):
        raise b.error(f"layer {i}: {name} of {type} in blocks of {block}")
    most = experts if name in kinds.BLENDED else 1
    if e not in (1, most) or not (1 <= k <= MAX_WIDTH and 1 <= n <= MAX_WIDTH):
        raise b.error(f"layer {i}: {e} experts of {n} x {k}")
    if not kinds.fits(name, k, n) or (number and not kinds.columns(name, k)):
        raise b.error(f"layer {i}: {name} of {n} x {k}, {type}")
    if not np.isfinite([slope, epsilon]).all() or (slope and act != "leaky_relu") or (
            (epsilon > 0) != (name == "layer_norm") or epsilon < 0):
        raise b.error(f"layer {i}: slope {slope}, epsilon {epsilon}")
    if count > MAX_SOURCES:
        raise b.error(f"layer {i}: {count} sources")
    sources = tuple(tuple(int(v) for v in row) for row in b.array("<u4", count, 3))
    read = sources or ((i, 0, widths[i]),)
    wrong = any(v > i or c < 1 or f + c > widths[v] for v, f, c in read)
    if wrong or sum(c for _, _, c in read) != k:
        raise b.error(f"layer {i}: {k} inputs do not match its sources")
    columns = kinds.columns(name, k)
    try:
        shape = (e, n if columns else 0, columns)
        mask = patches.decode_mask(b.array, n, k) if name == "sparse" else None
        if mask is None:
            weights, scales = stored_weights.decode(b.padded, type, block, shape)
        else:
            weights, scales = patches.decode(b.padded, type, block, shape, mask)
    except ModelError:
        raise
    except ValueError as fault:
        raise b.error(f"layer {i}: {fault}") from None
    bias = b.array("<f4", e, n if columns else 0)
    return Layer(weights, bias, act, type, name, n, slope, epsilon, sources, block, scales, mask)


def _read_golden(b: _Bytes, model: Model) -> Golden:
    frames, k, n, width, tolerance = b.unpack("4If12x")
    expected = (len(model.input_mean), len(model.output_mean),
                model.experts if model.gate == "given" else 1)
    if (k, n, width) != expected or not 1 <= frames <= 4096 or not 0 < tolerance < np.inf:
        raise b.error("the frames do not match the network")
    x, given, y = (b.array("<f4", frames, w) for w in (k, width, n))
    b.done()
    return Golden(x, given, y, tolerance)


def _read_contract(data: bytes, model: Model, where: str) -> str:
    try:
        text = data.decode("utf-8")
        c = contract_text.parse(text, f"{where}: CNTR")
    except (UnicodeDecodeError, contract_text.ContractError) as e:
        raise ModelError(str(e)) from None
    sizes = len(c.input_names()), len(c.output_names())
    if sizes != (len(model.input_mean), len(model.output_mean)):
        raise ModelError(f"{where}: CNTR counts {sizes[0]} inputs and {sizes[1]} outputs")
    return text


def _read_provenance(data: bytes, model: Model, where: str) -> None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"{where}: PROV is not UTF-8") from None
    head, _, model.licence = text.partition("\n\n")
    for line in head.splitlines():
        key, colon, value = line.partition(": ")
        if not colon:
            raise ModelError(f"{where}: PROV has a line without 'key: value'")
        model.provenance[key] = value
