"""Two small convolutional networks with random weights, quantised by ONNX Runtime, compiled for Hexagon and run under qemu-hexagon:
their outputs beside ONNX Runtime's own of the same file, in steps of the output's scale, and the packets of a run.

usage: networks.py GALLOP FOLDER
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

SOURCE = Path(__file__).resolve().parents[3]
FLAGS = (
    "--target=hexagon-unknown-none-elf -mcpu=hexagonv66 -mhvx=v66 -mhvx-length=128b -std=c11 -O3 -ffreestanding "
    "-fno-builtin -ffp-contract=off -Wall -Wextra -Werror"
).split()
SIDE = 33
RUNS = 8
STEPS_MOST = 2  # a step of a layer before may be another one in the end; one layer alone is within one step (test_hvx_regions)


class Network:
    """Nodes one behind another."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, *shape: int, scale: float) -> str:
        name = f"w{len(self.weights)}"
        values = self.random.normal(0, scale, shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def node(self, op: str, *operands: str, **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(operands), [name], **attributes))
        return name

    def conv(self, x: str, inputs: int, outputs: int, kernel: int, stride: int = 1, group: int = 1) -> str:
        each = inputs // group
        w = self.constant(outputs, each, kernel, kernel, scale=(2 / (each * kernel * kernel)) ** 0.5)
        b = self.constant(outputs, scale=0.1)
        return self.node(
            "Conv", x, w, b, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=group
        )

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def inverted(self, x: str, inputs: int, outputs: int, stride: int) -> str:
        """Of MobileNet: up, by itself, down."""
        wide = 4 * inputs
        y = self.relu(self.conv(x, inputs, wide, 1))
        y = self.relu(self.conv(y, wide, wide, 3, stride, wide))
        y = self.conv(y, wide, outputs, 1)
        return self.node("Add", x, y) if stride == 1 and inputs == outputs else y

    def residual(self, x: str, inputs: int, outputs: int, stride: int) -> str:
        y = self.relu(self.conv(x, inputs, outputs, 3, stride))
        y = self.conv(y, outputs, outputs, 3)
        beside = x if stride == 1 else self.conv(x, inputs, outputs, 1, stride)
        return self.relu(self.node("Add", y, beside))

    def finish(self, x: str, channels: int, path: Path) -> None:
        x = self.node("Flatten", self.node("GlobalAveragePool", x))
        x = self.node("Gemm", x, self.constant(channels, 10, scale=0.3), self.constant(10, scale=0.1))
        ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [1, 3, SIDE, SIDE]), (x, [1, 10]))]
        graph = helper.make_graph(self.nodes, "network", ports[:1], ports[1:], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


def mobile(path: Path) -> None:
    net = Network(1)
    x = net.relu(net.conv("x", 3, 8, 3, 2))
    for inputs, outputs, stride in ((8, 8, 1), (8, 16, 2), (16, 16, 1)):
        x = net.inverted(x, inputs, outputs, stride)
    net.finish(net.node("Sigmoid", x), 16, path)


def resnet(path: Path) -> None:
    net = Network(2)
    x = net.relu(net.conv("x", 3, 16, 7, 2))
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    x = net.residual(x, 16, 16, 1)
    x = net.residual(x, 16, 32, 2)
    net.finish(x, 32, path)


class Samples(CalibrationDataReader):
    def __init__(self) -> None:
        random = np.random.default_rng(3)
        self.left = [random.normal(0, 1, (1, 3, SIDE, SIDE)).astype(np.float32) for _ in range(4)]

    def get_next(self) -> dict[str, np.ndarray] | None:
        return {"x": self.left.pop()} if self.left else None


def build(gallop: str, model: Path, folder: Path) -> Path:
    def run(*command: object) -> None:
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)

    run(gallop, "compile", model, "--target", "hexagonv66+hvx", "--name", "net", "-o", folder)
    run("clang-19", *FLAGS, "-c", folder / "net.c", "-o", folder / "net.o")
    include = [f"-I{path}" for path in (folder, SOURCE / "src", SOURCE / "test/compiler/hvx")]
    sizes = [f"-DINPUT={4 * 3 * SIDE * SIDE}", "-DOUTPUT=40"]
    run("clang-19", *FLAGS, *sizes, *include, "-c", SOURCE / "test/compiler/hvx/network.c", "-o", folder / "driver.o")
    run("ld.lld-19", "-static", folder / "driver.o", folder / "net.o", "-e", "_start", "-o", folder / "net")
    return folder / "net"


def step_of(path: Path) -> float:
    model = onnx.load(path)
    name = model.graph.node[-1].input[1]
    return float(next(numpy_helper.to_array(w) for w in model.graph.initializer if w.name == name))


def check(gallop: str, folder: Path, name: str, element: QuantType) -> None:
    plain, model = folder / f"{name}.onnx", folder / f"{name}-int8.onnx"
    {"mobile": mobile, "resnet": resnet}[name](plain)
    quantize_static(
        plain,
        model,
        Samples(),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=element,
        weight_type=QuantType.QInt8,
    )
    program = build(gallop, model, folder / name)
    if "net_one_hvx_0" not in (folder / name / "net.c").read_text():
        sys.exit(f"{name}: nothing of it became HVX")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(5)
    inputs = [random.normal(0, 1, (1, 3, SIDE, SIDE)).astype(np.float32) for _ in range(RUNS)]
    wanted = np.stack([session.run(None, {"x": x})[0].ravel() for x in inputs])
    given = subprocess.run(["qemu-hexagon", program], input=b"".join(x.tobytes() for x in inputs), capture_output=True, check=True)
    made = np.frombuffer(given.stdout, np.float32).reshape(RUNS, 10)
    steps = np.abs(np.round((made - wanted) / step_of(model))).astype(int)
    counts = ", ".join(f"{np.count_nonzero(steps == n)} by {n}" for n in range(steps.max() + 1))
    print(f"{name} ({element.name}): {given.stderr.decode().strip()}; steps away from ONNX Runtime: {counts}")
    if steps.max() > STEPS_MOST:
        sys.exit(f"{name}: {steps.max()} steps away from ONNX Runtime's")


if __name__ == "__main__":
    for what, kind in (("mobile", QuantType.QUInt8), ("resnet", QuantType.QInt8)):
        check(sys.argv[1], Path(sys.argv[2]), what, kind)
