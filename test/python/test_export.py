"""Export: torch modules to files that the C library runs alike; safetensors and ONNX."""

import sys

import numpy as np
import pytest
import torch
from torch import nn

import gallop
from gallop import exporter, library, modelfile, tensors, torch_layers
from test_modelfile import small

MANY = nn.Sequential(
    nn.Linear(9, 17), nn.LayerNorm(17), nn.ELU(), nn.Dropout(0.3),
    nn.Sequential(nn.Linear(17, 13, bias=False), nn.LeakyReLU(0.2)), nn.Linear(13, 12), nn.SiLU(),
    nn.LayerNorm(12, elementwise_affine=False), nn.Linear(12, 11), nn.Tanh(), nn.GELU(),
    nn.Linear(11, 10), nn.GELU(approximate="tanh"), nn.Linear(10, 8), nn.ReLU(), nn.Identity(),
    nn.Linear(8, 7), nn.Sigmoid(), nn.Linear(7, 6), nn.Softmax(dim=-1))  # fmt: skip
MODULES = {
    "pfnn": lambda: gallop.PFNN(9, 6, 16),
    "pfnn, linear": lambda: gallop.PFNN(9, 6, 16, "linear", 7),
    "pfnn, plain": lambda: gallop.PFNN(9, 6, 16, "plain"),
    "mann": lambda: gallop.MANN(9, 6, 16, 5, [1, 3, 4]),
    "mann, one expert": lambda: gallop.MANN(9, 6, 16, 1, [1]),
    "mlp": lambda: gallop.MLP(9, 6, (16, 12)),
    "sequential": lambda: MANY,
    "linear": lambda: nn.Linear(9, 6),
    "layer norm first": lambda: nn.Sequential(nn.LayerNorm(9), nn.Linear(9, 6)),
}
NORM = {"input_mean": np.arange(9.0), "input_std": np.linspace(0.5, 3, 9), "output_mean": 2,
        "output_std": np.linspace(1, 9, 6)}  # fmt: skip


def torch_result(module, model, x, given):
    """Raw outputs by the module itself, in float64."""
    normal = torch.tensor((x.astype(float) - model.input_mean) / model.input_std)
    phased = isinstance(module, gallop.PFNN)
    arguments = (normal, torch.tensor(given[:, 0].astype(float))) if phased else (normal,)
    with torch.no_grad():
        y = module.double().eval()(*arguments).numpy()
    return y * model.output_std + model.output_mean


@pytest.mark.parametrize("name", MODULES)
def test_a_module_and_its_file_agree(tmp_path, name):
    torch.manual_seed(1)
    module = MODULES[name]()
    model = gallop.export(module, tmp_path / "m.gallop", provenance={"data": "none"}, **NORM)
    golden = modelfile.read(tmp_path / "m.gallop").golden
    y = torch_result(module, model, golden.x, golden.blend)
    assert np.sqrt(np.mean((y - golden.y) ** 2) / np.mean(y**2)) < 1e-6
    try:
        network = gallop.Network(tmp_path / "m.gallop")
    except OSError as e:
        pytest.skip(str(e))
    gate = {"caller": {"blend": golden.blend}, "network": {}}.get(
        network.info.gate, {"phase": golden.blend[:, 0]})
    got = network.run(golden.x, **gate)
    assert np.sqrt(np.mean((got - y) ** 2) / np.mean(y**2)) < 1e-5


def test_given_frames_masks_and_types(tmp_path):
    module = gallop.MLP(9, 6)
    x = np.random.default_rng(0).normal(size=(5, 9))
    model = gallop.export(module, tmp_path / "m.gallop", x=x, masked=[2, 4], type="f16", **NORM)
    assert model.golden.x.shape == (5, 9) and model.layers[0].type == "f16"
    assert list(model.input_state) == [0, 0, 1, 0, 1, 0, 0, 0, 0]
    truths = np.isin(np.arange(9), [2, 4])
    again = gallop.export(module, tmp_path / "m.gallop", masked=truths, **NORM)
    assert list(again.input_state) == list(model.input_state)
    other = x.copy()
    other[:, [2, 4]] += 7
    assert np.array_equal(modelfile.run(model, other, model.golden.blend),
                          modelfile.run(model, x, model.golden.blend))
    assert model.provenance["date"]


def test_a_contract_goes_along(tmp_path):
    walker = modelfile.read(str(library.Path(__file__).parents[2] / "models/walker.gallop"))
    module = gallop.PFNN(len(walker.input_mean), len(walker.output_mean), 8)
    gallop.export(module, tmp_path / "m.gallop", contract=walker.contract)
    assert modelfile.read(tmp_path / "m.gallop").contract == walker.contract
    with pytest.raises(modelfile.ModelError, match="CNTR counts 222 inputs"):
        gallop.export(gallop.PFNN(5, 4, 8), tmp_path / "m.gallop", contract=walker.contract)


class Scaled(gallop.MLP):
    def forward(self, x):
        return 2 * super().forward(x)


REFUSED = [
    (lambda: nn.Sequential(nn.Linear(9, 6), nn.BatchNorm1d(6)), r"1: BatchNorm1d\(6"),
    (lambda: nn.Sequential(nn.Linear(9, 6), nn.Sequential(nn.ELU(alpha=2))), r"1.0: ELU\(alpha=2"),
    (lambda: nn.GRUCell(9, 6), "GRUCell"),
    (lambda: Scaled(9, 6), "it does more than its layers say"),
    (lambda: nn.Sequential(), "nothing to export"),
]


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Linear(9, 6))


WRONG = [
    ({"input_mean": np.zeros(8)}, r"^input_mean: shape \(8,\), a number or 9 of them expected"),
    ({"output_std": np.zeros(6)}, "^output_std: 0, expected above 0"),
    ({"input_std": [1] * 8 + [np.nan]}, "^input_std: a number that is not finite"),
    ({"masked": [3, 9]}, r"^masked: input 9, expected 0..8"),
    ({"masked": [-1]}, r"^masked: input -1, expected 0..8"),
    ({"masked": [True, False]}, r"^masked: shape \(2,\) of truths, expected \(9,\)"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_wrong_numbers_are_named(tmp_path, words, message):
    with pytest.raises(ValueError, match=message):
        gallop.export(nn.Linear(9, 6), tmp_path / "m.gallop", **words)
    assert not (tmp_path / "m.gallop").exists()


def test_a_module_of_ones_own_is_said_in_a_line():
    with pytest.raises(ValueError, match=r"Nested has no layer .* `gallop import`") as refused:
        gallop.export(Nested(), "m.gallop")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_cannot_be_exported(tmp_path, make, message):
    with pytest.raises(ValueError, match=message):
        gallop.export(make(), tmp_path / "m.gallop")
    assert not (tmp_path / "m.gallop").exists()


# ---- the other way ----


def test_torch_module_equals_the_file():
    model = small()
    model.input_state[:], model.input_constant[:] = 0, 0
    x, given = model.golden.x, model.golden.blend
    with torch.no_grad():
        y = torch_layers.FileModule(model)(torch.tensor(x), torch.tensor(given)).numpy()
    assert np.allclose(y, modelfile.run(model, x, given), rtol=1e-4, atol=1e-4)


def test_onnx_file(tmp_path):
    try:
        exporter.write_onnx(small(), tmp_path / "m.onnx")
    except Exception as e:  # torch 2.x asks for the package onnx
        if "onnx" in str(e).lower():
            pytest.skip(f"no onnx export here: {e}")
        raise
    data = (tmp_path / "m.onnx").read_bytes()
    assert len(data) > 1000 and b"phase" in data


def test_onnx_runs(tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = small()
    model.input_state[:], model.input_constant[:] = 0, 0
    exporter.write_onnx(model, tmp_path / "m.onnx")
    session = runtime.InferenceSession(str(tmp_path / "m.onnx"))
    y = session.run(None, {"x": model.golden.x, "phase": model.golden.blend})[0]
    assert np.allclose(y, modelfile.run(model, model.golden.x, model.golden.blend), atol=1e-4)


def test_safetensors_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(RuntimeError, match="pip install safetensors"):
        tensors.write(small(), tmp_path / "m.safetensors")


def models():
    yield small()
    yield small("given", 8, "f32")
    root = library.Path(__file__).parents[2]
    yield modelfile.read(root / "models/walker.gallop")
    yield modelfile.read(root / "models/dog.gallop")
    yield exporter.to_model(MANY.float(), "", (0, 1, 0, 1), "f16")


@pytest.mark.parametrize("number", range(5))
def test_safetensors_there_and_back(tmp_path, number):
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    model = list(models())[number]
    tensors.write(model, tmp_path / "m.safetensors")
    assert modelfile.encode(tensors.read(tmp_path / "m.safetensors")) == modelfile.encode(model)


def test_safetensors_names(tmp_path):
    package = pytest.importorskip("safetensors", reason="safetensors is not installed")
    tensors.write(small(), tmp_path / "m.safetensors")
    with package.safe_open(str(tmp_path / "m.safetensors"), framework="np") as file:
        weight = file.get_tensor("layers.0.weight")
        assert weight.shape == (4, 7, 5) and weight.dtype == np.float16
        assert {"input.mean", "output.std", "golden.y", "layers.2.bias"} <= set(file.keys())


def test_safetensors_of_others(tmp_path):
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    from safetensors.numpy import save_file

    save_file({"w": np.zeros(3, np.float32)}, str(tmp_path / "m.safetensors"))
    with pytest.raises(modelfile.ModelError, match="not a model of gallop"):
        tensors.read(tmp_path / "m.safetensors")
