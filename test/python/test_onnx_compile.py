"""Networks of PyTorch, exported, compiled to C, built: their outputs are PyTorch's, at any size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onnx_c import COMMAND, CompiledModel

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    not COMMAND.exists(), reason="no gallop command: name it in GALLOP_COMMAND"
)
nn = torch.nn


class Convolutional(nn.Module):
    """What encoders for vision are made of: convolutions with holes and groups, pools, a skip."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU()
        )
        self.depthwise = nn.Sequential(
            nn.Conv2d(8, 8, 3, padding=2, dilation=2, groups=8), nn.Hardswish(), nn.Conv2d(8, 8, 1)
        )
        self.down = nn.Sequential(
            nn.MaxPool2d(3, 2, 1), nn.Conv2d(8, 16, 3, padding=1), nn.SiLU(), nn.AvgPool2d(2)
        )
        self.up = nn.ConvTranspose2d(16, 4, 4, stride=2, padding=1)
        self.head = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        x = self.up(self.down(x + self.depthwise(x)))
        return self.head(x.mean((2, 3)))


class Deep(nn.Module):
    """A convolution whose weights no second cache holds: it is summed in blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.narrow = nn.Conv2d(4, 256, 1), nn.Conv2d(256, 72, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.narrow(torch.relu(self.wide(x)))).mean((2, 3))


class Attention(nn.Module):
    """Two pre-norm transformer layers over a sequence of open length."""

    def __init__(self) -> None:
        super().__init__()
        self.query_key_value, self.out = nn.Linear(24, 72), nn.Linear(24, 24)
        self.norms = nn.ModuleList([nn.LayerNorm(24), nn.LayerNorm(24)])
        self.feed = nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        for _ in range(2):
            q, k, v = (
                self.query_key_value(self.norms[0](x))
                .reshape(batch, length, 3, 3, 8)
                .permute(2, 0, 3, 1, 4)
            )
            shares = torch.softmax(q @ k.transpose(-1, -2) / 8**0.5, -1)
            x = x + self.out((shares @ v).transpose(1, 2).reshape(batch, length, width))
            x = x + self.feed(self.norms[1](x))
        return x


class Experts(nn.Module):
    """A controller: a gating network blends the weights of four experts, character by character."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(6, 8), nn.ELU(), nn.Linear(8, 4), nn.Softmax(-1))
        self.weight, self.bias = (
            nn.Parameter(torch.randn(4, 10, 20)),
            nn.Parameter(torch.randn(4, 10)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        blend = self.gate(x[:, 3:9])
        weight = torch.einsum("be,eok->bok", blend, self.weight)
        return nn.functional.elu(torch.bmm(weight, x.unsqueeze(-1)).squeeze(-1) + blend @ self.bias)


CASES = {
    "convolutional": (
        Convolutional,
        {0: "batch"},
        lambda n: (n["batch"], 3, 32, 32),
        [{"batch": 1}, {"batch": 3}],
    ),
    "deep": (Deep, {0: "batch"}, lambda n: (n["batch"], 4, 6, 6), [{"batch": 2}]),
    "attention": (
        Attention,
        {0: "batch", 1: "length"},
        lambda n: (n["batch"], n["length"], 24),
        [{"batch": 2, "length": 7}, {"batch": 1, "length": 33}],
    ),
    "experts": (Experts, {0: "batch"}, lambda n: (n["batch"], 20), [{"batch": 1}, {"batch": 8}]),
}


MACHINE = {
    word
    for path in [Path("/proc/cpuinfo")]
    if path.exists()
    for word in path.read_text(encoding="utf-8").split()
}
BUILDS = [(("-O3", "-march=native"), "cc", "scalar"), (("-O2",), "clang-19", "scalar")]
BUILDS += [(("-O3",), "cc", "x86-64-v3"), (("-O1",), "clang-19", "x86-64-v3")] * ("avx2" in MACHINE)
BUILDS += [(("-O2",), "cc", "x86-64-v4"), (("-O3",), "clang-19", "x86-64-v4")] * (
    "avx512bw" in MACHINE
)
LIBM = {
    f"{name}{kind}"
    for name in ("fma", "sqrt", "floor", "ceil", "rint", "trunc", "copysign", "fabs")
    for kind in ("", "f")
}
MOVES = {"memcpy", "memmove", "memset", "memcmp"}
LINKERS = {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}  # Ubuntu's gcc guards stacks unasked
BITS_AT = {
    "convolutional": {"batch": 2},
    "deep": {"batch": 1},
    "attention": {"batch": 2, "length": 19},
    "experts": {"batch": 7},
}


def exported(name: str, folder: Path) -> tuple[nn.Module, Path]:
    torch.manual_seed(1)
    make, axes, shape, sizes = CASES[name]
    model = make().eval()
    path = folder / f"{name}.onnx"
    torch.onnx.export(
        model,
        torch.randn(shape(sizes[0])),
        str(path),
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": axes, "y": {0: "batch"}},
        opset_version=17,
    )
    return model, path


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_pytorch(name: str, tmp_path: Path) -> None:
    model, path = exported(name, tmp_path)
    compiled = CompiledModel(path, tmp_path)
    for sizes in CASES[name][3]:
        x = torch.randn(CASES[name][2](sizes))
        expected = model(x).detach().numpy()
        (got,) = compiled([x.numpy()], sizes)
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@pytest.mark.skipif(sys.platform != "linux", reason="symbols are those of ELF")
@pytest.mark.parametrize("name", CASES)
def test_a_run_neither_allocates_nor_keeps_anything(name: str, tmp_path: Path) -> None:
    """All that emitted C calls moves memory or is libm's; its one variable is where weights lie."""
    _, path = exported(name, tmp_path)
    CompiledModel(path, tmp_path, ("-O0",), target="scalar")
    subprocess.run(
        ["cc", "-std=c11", "-O0", "-c", "-o", tmp_path / "model.o", tmp_path / "model.c"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    table = subprocess.run(
        ["nm", tmp_path / "model.o"], check=True, capture_output=True, text=True
    ).stdout
    symbols = [line.split()[-2:] for line in table.splitlines()]
    called = {name for kind, name in symbols if kind == "U"}
    assert called <= {*MOVES, *LIBM, *LINKERS}
    assert {name for kind, name in symbols if kind in "BbCDd"} <= {"model_weights"}


@pytest.mark.parametrize("name", CASES)
def test_bits_are_the_same_for_every_compiler_and_target(name: str, tmp_path: Path) -> None:
    _, path = exported(name, tmp_path)
    sizes = BITS_AT[name]
    shape = CASES[name][2](sizes)
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    first = CompiledModel(path, tmp_path, ("-O0",), target="scalar")([x], sizes)[0]
    for flags, compiler, target in BUILDS if name == "attention" else BUILDS[2::3]:
        made = CompiledModel(path, tmp_path, flags, compiler, target=target)([x], sizes)[0]
        assert made.tobytes() == first.tobytes(), (compiler, target)


@pytest.mark.parametrize(
    ("asked", "open_sizes"),
    [("batch=2,length=7", []), ("batch=1..2", ["batch", "length"]), ("length=7", ["batch"])],
)
def test_sizes_that_are_asked_for(asked: str, open_sizes: list[str], tmp_path: Path) -> None:
    model, path = exported("attention", tmp_path)
    compiled = CompiledModel(path, tmp_path, sizes=asked)
    assert compiled.sizes == open_sizes
    x = torch.randn(2, 7, 24)
    (got,) = compiled([x.numpy()], {"batch": 2, "length": 7})
    np.testing.assert_allclose(got, model(x).detach().numpy(), rtol=1e-4, atol=1e-5)
    if asked == "batch=1..2":
        with pytest.raises(ValueError):
            compiled([np.zeros((3, 7, 24), np.float32)], {"batch": 3, "length": 7})


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("width=3", 'no size "width": the file leaves open batch, length'),
        ("batch", "--sizes batch: expected NAME=N or NAME=LEAST..MOST, from 1 to"),
        ("batch=0", "--sizes batch=0: expected"),
        ("length=1,batch=3..2", "--sizes batch=3..2: expected"),
    ],
)
def test_wrong_sizes_are_named(asked: str, why: str, tmp_path: Path) -> None:
    _, path = exported("attention", tmp_path)
    done = subprocess.run(
        [COMMAND, "inspect", path, "--sizes", asked], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert why in done.stderr


def convolutions(path: Path) -> None:
    """Two 3x3 convolutions in a file: of four places of 28 % of the kernels, and of all."""
    onnx = pytest.importorskip("onnx")
    random = np.random.default_rng(5)
    shapes = [[0, 1, 3, 4], [1, 2, 4, 5], [3, 4, 6, 7], [4, 5, 7, 8]]
    full = random.normal(size=(64, 64, 9)).astype(np.float32)
    some = np.zeros_like(full)
    for kernel in np.ndindex(64, 64):
        if random.random() < 0.28:
            places = shapes[random.integers(4)]
            some[kernel][places] = full[kernel][places]
    helper, number = onnx.helper, onnx.TensorProto.FLOAT
    weights = [
        helper.make_tensor(name, number, [64, 64, 3, 3], w.tobytes(), raw=True)
        for w, name in ((some, "some"), (full, "full"))
    ]
    nodes = [
        helper.make_node("Conv", ["x", "some"], ["h"], name="pruned", pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["h", "full"], ["y"], name="whole", pads=[1, 1, 1, 1]),
    ]
    ports = [helper.make_tensor_value_info(n, number, [1, 64, 14, 14]) for n in "xy"]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], weights)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))


def test_sparsity_says_how_layers_are_stored(tmp_path: Path) -> None:
    convolutions(tmp_path / "m.onnx")
    done = subprocess.run(
        [COMMAND, "inspect", tmp_path / "m.onnx", "--sparsity", "--groups"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    pruned, whole = lines["pruned"], lines["whole"]
    assert pruned[1] == whole[1] == "64x64x3x3"
    assert 86 < float(pruned[2].rstrip("%")) < 89 and whole[2] == "0.0%"
    assert pruned[3] == "4," and 70 < float(pruned[4].rstrip("%")) < 74
    assert pruned[5].rstrip(",") == "FKW" and float(pruned[-1].rstrip("%")) < 15
    assert whole[3:] == ["-", "dense"]
    plain = next(li for li in done.stdout.splitlines() if li.startswith("plain loops"))
    assert " 0 of " in plain
    if "x86-64-v4" in plain:  # a row of 14 with its margin is one vector; elsewhere rows of 8
        assert pruned[6] == "rotated"
        assert "makes tiles f32[1, 1, 1, 64, 16, 16]" in done.stdout


def test_a_size_out_of_range_is_refused(tmp_path: Path) -> None:
    _, path = exported("experts", tmp_path)
    compiled = CompiledModel(path, tmp_path)
    with pytest.raises(ValueError):
        compiled([np.zeros((0, 20), np.float32)], {"batch": 0})


def test_what_is_not_supported_is_named(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("StringNormalizer", ["x"], ["y"], name="tidy")
    info = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in "xy"]
    onnx.save(
        onnx.helper.make_model(
            onnx.helper.make_graph([node], "g", info[:1], info[1:]),
            opset_imports=[onnx.helper.make_opsetid("", 17)],
        ),
        str(tmp_path / "m.onnx"),
    )
    done = subprocess.run(
        [COMMAND, "compile", tmp_path / "m.onnx", "-o", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert 'node 0 "tidy" (StringNormalizer): this operator is not supported' in done.stderr


def test_times_on_a_device_are_of_what_runs(tmp_path):
    """Kernels for other counts of rows stand in the program, and are not printed as 0.0 us."""
    listed = subprocess.run([COMMAND, "probe", "--list"], capture_output=True, check=False)
    if b"OpenCL" not in listed.stdout:
        pytest.skip("no OpenCL device")
    net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5)).eval()
    torch.onnx.export(net, (torch.zeros(8, 20),), tmp_path / "net.onnx", input_names=["x"],
                      dynamic_axes={"x": {0: "batch"}})
    np.save(tmp_path / "x.npy", np.zeros((8, 20), np.float32))
    said = subprocess.run(
        [COMMAND, "run", tmp_path / "net.onnx", "--target", "opencl", "--input",
         tmp_path / "x.npy", "--times"], capture_output=True, text=True, check=True).stdout
    kernels = [line for line in said.splitlines() if " us  " in line]
    assert 2 <= len(kernels) <= 4 and f"{len(kernels)} kernels, " in said
    assert not any(" 0.0 us" in line for line in kernels)
