"""`gallop import MODEL.onnx`: the spellings of onnx_zoo.py through the command, against PyTorch in
float64 and, where it is installed, ONNX Runtime."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

import onnx_zoo as zoo
from gallop import modelfile

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GALLOP_COMMAND", str(ROOT / "build/dev/cli/gallop"))
TOLERANCE = 1e-5  # of the root mean square of a row
ROWS = 13

pytestmark = pytest.mark.skipif(not Path(COMMAND).exists(), reason=f"no command at {COMMAND}")


def gallop(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)


def export(
    module: torch.nn.Module,
    inputs: list[torch.Tensor],
    path: Path,
    opset: int = 13,
    batch: int = 0,
    fold: bool = True,
) -> None:
    """An .onnx file of the module; batch 0: of free size."""
    names = [f"in{i}" for i in range(len(inputs))]
    rows = [torch.zeros(batch or 2, t.shape[1]) for t in inputs]
    axes = {} if batch else {n: {0: "batch"} for n in names}
    torch.onnx.export(
        module.eval(),
        tuple(rows),
        str(path),
        input_names=names,
        dynamic_axes=axes,
        opset_version=opset,
        do_constant_folding=fold,
    )


def error(y: np.ndarray, truth: np.ndarray) -> float:
    rms = np.sqrt((truth**2).mean(1, keepdims=True))
    return float((np.abs(y - truth) / rms).max())


def draw(*widths: int, rows: int = ROWS, seed: int = 1) -> list[torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    return [torch.randn(rows, w, generator=random) for w in widths]


def coefficients(experts: int, rows: int = ROWS) -> torch.Tensor:
    return torch.softmax(torch.randn(rows, experts, generator=torch.Generator().manual_seed(2)), 1)


def truth_of(module: torch.nn.Module, inputs: list[torch.Tensor]) -> np.ndarray:
    with torch.no_grad():
        y = module.double().eval()(*[t.double() for t in inputs])
    return (torch.cat(y, 1) if isinstance(y, tuple) else y).numpy()


def imported(path: Path) -> modelfile.Model:
    made = gallop("import", path, "-o", path.with_suffix(".gallop"))
    assert made.returncode == 0, made.stderr
    return modelfile.read(path.with_suffix(".gallop"))


def run(
    path: Path, model: modelfile.Model, inputs: list[torch.Tensor], blend: torch.Tensor | None
) -> np.ndarray:
    """The model in the runtime: inputs side by side, and what its gate asks for."""
    files = {name: path.with_name(f"{name}.npy") for name in ("x", "blend", "phase", "y")}
    np.save(files["x"], torch.cat(inputs, 1).numpy().astype(np.float32))
    words: list[object] = ["eval", path.with_suffix(".gallop"), "--x", files["x"], "-o", files["y"]]
    if model.gate == "given":
        blend = torch.ones(len(inputs[0]), 1) if blend is None else blend
        np.save(files["blend"], blend.numpy().astype(np.float32))
        words += ["--blend", files["blend"]]
    elif model.gate != "network":
        assert blend is not None
        np.save(files["phase"], blend.numpy().astype(np.float32)[:, 0])
        words += ["--phase", files["phase"]]
    done = gallop(*words)
    assert done.returncode == 0, done.stderr
    return np.load(files["y"])


def compare_with_onnxruntime(
    path: Path, y: np.ndarray, inputs: list[torch.Tensor], batch: int
) -> None:
    try:
        import onnxruntime
    except ImportError:
        return
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = {f"in{i}": t.numpy() for i, t in enumerate(inputs)}
    size = batch or ROWS
    rows = [
        np.concatenate(session.run(None, {k: v[at : at + size] for k, v in given.items()}), 1)
        for at in range(0, ROWS - size + 1, size)
    ]
    assert error(y[: len(rows) * size], np.concatenate(rows)) <= TOLERANCE


def check(
    module: torch.nn.Module,
    inputs: list[torch.Tensor],
    path: Path,
    blend: torch.Tensor | None = None,
    opset: int = 13,
    batch: int = 0,
    fold: bool = True,
) -> modelfile.Model:
    """Export, import, run; blend: the last input, which is no feature."""
    given = inputs if blend is None else [*inputs, blend]
    export(module, given, path, opset, batch, fold)
    model = imported(path)
    y = run(path, model, inputs, blend)
    assert error(y, truth_of(module, given)) <= TOLERANCE
    compare_with_onnxruntime(path, y, given, batch)
    return model


def test_runtime_is_installed():
    pytest.importorskip(
        "onnxruntime", reason="onnxruntime is not installed: agreement with it is not tested"
    )


@pytest.mark.parametrize("spelling", zoo.SPELLINGS, ids=lambda s: s.__name__)
@pytest.mark.parametrize("gate", ["given", "network"])
def test_spelling(tmp_path, spelling, gate):
    torch.manual_seed(0)
    module = zoo.Blended(spelling, gate=gate)
    model = check(
        module, draw(11), tmp_path / "m.onnx", coefficients(4) if gate == "given" else None
    )
    assert (model.gate, model.experts) == (gate, 4)
    assert [layer.weights.shape for layer in model.layers] == [(4, 13, 11), (4, 7, 13), (4, 5, 7)]
    assert [layer.activation for layer in model.layers] == ["elu", "elu", "none"]
    assert np.allclose(model.input_mean, module.x_mean) and np.allclose(
        model.output_std, module.y_std
    )
    for layer, a, b in zip(model.layers, module.a, module.b):
        assert np.allclose(layer.weights, a.detach().float()) and np.allclose(
            layer.bias, b.detach().float()
        )
    if gate == "network":
        assert list(model.gate_features) == [1, 2, 3, 7, 10] and len(model.gate_layers) == 3


@pytest.mark.parametrize("spelling", zoo.SPELLINGS, ids=lambda s: s.__name__)
@pytest.mark.parametrize(
    "batch, opset, fold", [(1, 11, True), (4, 12, True), (0, 14, False), (0, 17, True)]
)
def test_spelling_by_batch_and_opset(tmp_path, spelling, batch, opset, fold):
    if opset < 12 and "einsum" in spelling.__code__.co_names:
        pytest.skip("PyTorch writes Einsum from opset 12 on")
    torch.manual_seed(1)
    check(
        zoo.Blended(spelling, gate="network"),
        draw(11),
        tmp_path / "m.onnx",
        None,
        opset,
        batch,
        fold,
    )


@pytest.mark.parametrize("experts", [1, 2, 7, 8, 16])
@pytest.mark.parametrize("widths", [(1, 1), (2, 3, 1), (17, 5, 29, 3), (31, 64, 64, 37)], ids=str)
def test_shapes(tmp_path, experts, widths):
    torch.manual_seed(2)
    gate = "given" if experts > 1 else "network"  # a coefficient alone is a factor, no blend
    for spelling in (zoo.stacked, zoo.einsum_weights, zoo.outputs_stacked):
        module = zoo.Blended(spelling, widths, experts, gate, (0,))
        check(
            module,
            draw(widths[0]),
            tmp_path / "m.onnx",
            coefficients(experts) if experts > 1 else None,
        )


@pytest.mark.parametrize(
    "gate, experts", [("cubic", 4), ("cubic", 6), ("linear", 10), ("linear", 2), ("constant", 5)]
)
def test_phase(tmp_path, gate, experts):
    torch.manual_seed(3)
    phase = torch.linspace(0.05, 6.2, ROWS)[:, None]
    module = zoo.Blended(zoo.outputs_wide, experts=experts, gate=gate)
    model = check(module, draw(11), tmp_path / "m.onnx", phase)
    assert (model.gate, model.experts) == (gate, experts)


def test_a_gate_that_reads_a_feature_twice(tmp_path):
    torch.manual_seed(9)
    module = zoo.Blended(zoo.outputs_wide, gate="network", features=(3, 3, 3, 1, 9))
    assert list(check(module, draw(11), tmp_path / "m.onnx").gate_features) == [1, 3, 9]


@pytest.mark.parametrize("name", zoo.ACTIVATIONS)
def test_activation(tmp_path, name):
    torch.manual_seed(4)
    model = check(zoo.Chain(zoo.ACTIVATIONS[name]), draw(9), tmp_path / "m.onnx")
    known = {
        "leaky": "leaky_relu",
        "prelu": "leaky_relu",
        "gelu": "gelu_erf",
        "erf_gelu": "gelu_erf",
        "tanh_gelu": "gelu_tanh",
        "cubed_gelu": "gelu_tanh",
        "swish": "silu",
        "clamp": "relu",
        "half_tanh": "tanh",
    }.get(name, name)
    assert [layer.activation for layer in model.layers] == [known, known, "none"]
    assert [layer.kind for layer in model.layers] == ["dense"] * 3


@pytest.mark.parametrize("opset", [11, 13, 17])
@pytest.mark.parametrize("norm", [torch.nn.LayerNorm, zoo.SpelledNorm])
def test_layer_norm(tmp_path, norm, opset):
    torch.manual_seed(5)
    model = check(zoo.Normed(norm), draw(6), tmp_path / "m.onnx", opset=opset)
    assert [layer.kind for layer in model.layers] == [
        "dense",
        "layer_norm",
        "layer_norm",
        "dense",
        "add",
        "dense",
        "layer_norm",
    ]


def test_film(tmp_path):
    torch.manual_seed(6)
    model = check(zoo.Film(), draw(8, 3), tmp_path / "m.onnx")
    assert "mul" in [layer.kind for layer in model.layers]


def test_gru(tmp_path):
    torch.manual_seed(7)
    check(zoo.Gru(), draw(5, 7), tmp_path / "m.onnx")


def test_encoders_and_a_gate_on_a_code(tmp_path):
    torch.manual_seed(8)
    model = check(zoo.Encoders(), draw(9), tmp_path / "m.onnx")
    assert model.gate == "network" and list(model.gate_features) == [4, 5, 6, 7, 8]


def test_own_export(tmp_path):
    """What gallop's own exporter writes comes back with the same weights."""
    from gallop import exporter
    from test_modelfile import small

    for gate, experts in (("cubic", 4), ("linear", 10), ("constant", 50), ("given", 8)):
        made = small(gate, experts, "f32")
        made.input_state[:], made.input_constant[:] = 0, 0
        exporter.write_onnx(made, tmp_path / "m.onnx")
        read = imported(tmp_path / "m.onnx")
        assert (read.gate, read.experts) == (gate, experts)
        for a, b in zip(made.layers, read.layers):
            assert np.array_equal(a.weights, b.weights) and np.array_equal(a.bias, b.bias)
        assert np.array_equal(read.input_mean, made.input_mean) and np.array_equal(
            read.output_std, made.output_std
        )


class Mixing(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x - x.mean(0, keepdim=True))


class Odd(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.hardswish(torch.nn.functional.linear(x, torch.ones(3, 4)))


class Attention(torch.nn.Module):
    def forward(self, x):
        q = x.view(-1, 2, 2)
        return torch.bmm(q, q.transpose(1, 2)).reshape(-1, 4)


@pytest.mark.parametrize(
    "module, words",
    [
        (Mixing(), ["do not compute what the graph does"]),
        (Odd(), ["HardSwish", "neither linear nor an activation"]),
        (Attention(), ["MatMul", "none is a blend"]),
        (
            zoo.Chain(lambda x: torch.nn.functional.elu(x, 0.5), (4, 5, 2)),
            ["Elu", "neither linear nor an activation"],
        ),
        (
            zoo.Chain(lambda x: torch.nn.functional.softplus(x), (4, 5, 2)),
            ["Softplus", "neither linear nor an activation"],
        ),
    ],
    ids=["mixing", "odd", "attention", "elu", "softplus"],
)
def test_refusals(tmp_path, module, words):
    export(module, draw(4), tmp_path / "m.onnx", opset=14)
    made = gallop("import", tmp_path / "m.onnx", "-o", tmp_path / "m.gallop")
    assert made.returncode == 1 and not (tmp_path / "m.gallop").exists()
    for word in (*words, "gallop compile without --layers takes networks of any kind"):
        assert word in made.stderr
    assert made.stderr.count("\n") == 1


def test_external_data(tmp_path):
    torch.manual_seed(10)
    onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
    module, x = zoo.Chain(torch.relu, (4, 5, 2)), draw(4)
    path, data, out = tmp_path / "m.onnx", tmp_path / "weights.bin", tmp_path / "m.gallop"
    export(module, x, path)
    whole = onnx.load(str(path))
    onnx.save_model(
        whole, str(path), save_as_external_data=True, size_threshold=0, location=data.name
    )
    assert "--external" in gallop("import", path, "-o", out).stderr and not out.exists()
    assert gallop("import", path, "--external", data, "-o", out).returncode == 0
    told = out.read_bytes()
    data.rename(tmp_path / "m.onnx.data")
    assert gallop("import", path, "-o", out).returncode == 0 and out.read_bytes() == told
    y = run(path, modelfile.read(out), x, None)
    assert error(y, truth_of(module, x)) <= TOLERANCE


def test_compiled_as_it_is_imported(tmp_path):
    """compile --layers makes of an ONNX file what it makes of the file imported."""
    path, made = tmp_path / "m.onnx", []
    export(zoo.Blended(zoo.einsum_weights, gate="network"), draw(11), path)
    imported(path)
    for model in (path.with_suffix(".gallop"), path):
        words = ["--layers"] if model == path else []
        done = gallop("compile", model, *words, "--target", "scalar", "-o", tmp_path / model.suffix)
        assert done.returncode == 0, done.stderr
        made.append((tmp_path / model.suffix / "m.c").read_text())
    assert made[0] == made[1] and "m_run" in made[0]
    refused = gallop("compile", path.with_suffix(".gallop"), "--layers", "-o", tmp_path)
    assert refused.returncode == 2 and "--layers is for ONNX models" in refused.stderr


def test_contract(tmp_path):
    export(zoo.Chain(torch.relu, (4, 5, 2)), draw(4), tmp_path / "m.onnx")
    text = "gallop-contract 1\nname n\nrate 30\nunit 1\ninput opaque a 4\noutput opaque b 2\n"
    (tmp_path / "c.txt").write_text(text)
    words = [
        "import",
        tmp_path / "m.onnx",
        "-o",
        tmp_path / "m.gallop",
        "--contract",
        tmp_path / "c.txt",
    ]
    assert gallop(*words).returncode == 0
    assert modelfile.read(tmp_path / "m.gallop").contract == text
    (tmp_path / "c.txt").write_text(text.replace("b 2", "b 3"))
    assert "the graph has 4 and 2" in gallop(*words).stderr


def test_two_imports_give_the_same_bytes(tmp_path):
    export(zoo.Chain(torch.tanh), draw(9), tmp_path / "m.onnx")
    made = [gallop("import", tmp_path / "m.onnx", "-o", tmp_path / f"{i}.gallop") for i in range(2)]
    assert all(m.returncode == 0 for m in made)
    a, b = ((tmp_path / f"{i}.gallop").read_bytes() for i in range(2))
    assert a == b


def test_every_cut_is_an_error(tmp_path):
    export(zoo.Chain(torch.relu, (2, 3, 1)), draw(2), tmp_path / "whole.onnx")
    data = (tmp_path / "whole.onnx").read_bytes()
    for length in itertools.chain(range(0, 40, 7), range(40, len(data), len(data) // 20)):
        (tmp_path / "m.onnx").write_bytes(data[:length])
        made = gallop("import", tmp_path / "m.onnx", "-o", tmp_path / "m.gallop")
        assert made.returncode == 1 and made.stderr, length
