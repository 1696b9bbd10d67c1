"""Who runs an ONNX model in the bench: gallop's C and its peers, each on one thread, behind one interface.

An engine is made for a file and fixed inputs, in the model's order. `call` runs it once, with as little of Python around
it as the engine allows; `outputs` are those of the last call; `groups` is how many pieces it runs a call in, 0 if it
does not tell.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/python"))

Inputs = dict[str, np.ndarray]


@dataclass
class Model:
    """A file and what it is run with: inputs in its order, the outputs' names or none, sizes."""

    path: Path
    inputs: Inputs
    outputs: list[str]
    sizes: str  # as `gallop compile --sizes` takes them


class OnnxRuntime:
    """The reference: the others' outputs are compared with its."""

    def __init__(self, model: Model, folder: Path) -> None:
        path, inputs, names = model.path, model.inputs, model.outputs
        ort = importlib.import_module("onnxruntime")
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.optimized = folder / "onnxruntime.onnx"
        options.optimized_model_filepath = str(self.optimized)
        options.log_severity_level = 3
        session = ort.InferenceSession(str(path), options, ["CPUExecutionProvider"])
        names = names or [o.name for o in session.get_outputs()]
        # Once by names, since what sizes outputs have only running tells; then with everything bound.
        self.outputs = session.run(names, inputs)
        binding = session.io_binding()
        for name, value in inputs.items():
            binding.bind_cpu_input(name, value)
        for name, value in zip(names, self.outputs, strict=True):
            binding.bind_output(
                name, "cpu", 0, value.dtype.type, list(value.shape), value.ctypes.data
            )
        self.call = lambda: session.run_with_iobinding(binding)

    @property
    def groups(self) -> int:
        onnx = importlib.import_module("onnx")
        graph = onnx.load(self.optimized, load_external_data=False).graph
        return sum(node.op_type != "Constant" for node in graph.node)


class OpenVino:
    def __init__(self, model: Model, folder: Path) -> None:
        path, inputs, names = model.path, model.inputs, model.outputs
        openvino = importlib.import_module("openvino")
        core = openvino.Core()
        graph = core.read_model(path)
        graph.reshape({name: list(value.shape) for name, value in inputs.items()})
        self.compiled = core.compile_model(
            graph,
            "CPU",
            {
                "INFERENCE_NUM_THREADS": 1,
                "NUM_STREAMS": 1,
                "INFERENCE_PRECISION_HINT": "f32",
                "PERFORMANCE_HINT": "LATENCY",
            },
        )
        self.request = self.compiled.create_infer_request()
        for name, value in inputs.items():
            self.request.set_tensor(name, openvino.Tensor(value, shared_memory=True))
        self.names = names or [o.get_any_name() for o in self.compiled.outputs]
        self.call = self.request.infer

    @property
    def outputs(self) -> list[np.ndarray]:
        return [self.request.get_tensor(name).data for name in self.names]

    @property
    def groups(self) -> int:
        kinds = [
            op.get_rt_info()["layerType"] for op in self.compiled.get_runtime_model().get_ops()
        ]
        return sum(str(kind) not in ("Input", "Output", "Const", "Constant") for kind in kinds)


class Mnn:
    groups = 0

    def __init__(self, model: Model, folder: Path) -> None:
        path, inputs, names = model.path, model.inputs, model.outputs
        # The converter's library: its script would install a package and report to its maker.
        tools = importlib.import_module("_tools")
        mnn = importlib.import_module("MNN")
        converted = folder / "model.mnn"
        with silence():
            tools.mnnconvert(
                ["mnnconvert", "-f", "ONNX", "--modelFile", str(path), "--MNNModel", str(converted)]
            )
        if not names:
            raise RuntimeError("MNN wants the outputs' names")
        self.module = mnn.nn.load_module_from_file(
            str(converted),
            list(inputs),
            names,
            precision_mode=mnn.expr.PrecisionMode.High,
            thread_num=1,
        )
        kinds = {"f": mnn.expr.float, "i": mnn.expr.int, "b": mnn.expr.int}
        self.inputs = [
            mnn.expr.const(
                v.astype(np.float32 if v.dtype.kind == "f" else np.int32),
                list(v.shape),
                mnn.expr.NCHW,
                kinds[v.dtype.kind],
            )
            for v in inputs.values()
        ]

    def call(self) -> None:
        # Reading is what makes it run.
        self.outputs = [np.asarray(v.read()) for v in self.module.forward(self.inputs)]


class Gallop:
    """`gallop compile`, the system's C compiler, and the library loaded."""

    def __init__(self, model: Model, folder: Path, told: Sequence[str] = ()) -> None:
        onnx_c = importlib.import_module("onnx_c")
        flags = tuple(os.environ.get("GALLOP_BENCH_FLAGS", "-O3").split())
        compiler = os.environ.get("GALLOP_BENCH_CC", "cc")
        compiled = onnx_c.CompiledModel(
            model.path, folder, flags, compiler, sizes=model.sizes, blob=True, told=tuple(told)
        )
        self.groups = compiled.groups
        self.bytes = result_bytes(onnx_c.COMMAND, model)
        made, self.call = compiled.bind(list(model.inputs.values()))
        if self.call() != 0:
            raise RuntimeError(f"sizes out of range: {compiled.sizes_of([*model.inputs.values()])}")
        self.outputs = compiled.cut(made)


def result_bytes(command: Path, model: Model) -> tuple[int, ...] | None:
    """Of what nodes make, and of what groups store, as `gallop inspect` says; None where sizes are told by running."""
    sizes = ["--sizes", model.sizes] if model.sizes else []
    text = subprocess.run(
        [command, "inspect", model.path, *sizes], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    found = re.findall(r"^bytes of results (?:before|after) fusion +(\d+)$", text, re.MULTILINE)
    return tuple(map(int, found)) if len(found) == 2 else None


ENGINES: dict[str, Callable[[Model, Path], object]] = {
    "ort": OnnxRuntime,
    "openvino": OpenVino,
    "mnn": Mnn,
    "gallop": Gallop,
}


@contextlib.contextmanager
def silence():
    """What C libraries print goes nowhere."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
