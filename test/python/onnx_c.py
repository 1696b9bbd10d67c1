"""An ONNX model compiled by `gallop compile`, built by the system's compiler, and called."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build/dev/cli/gallop"))
TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "bool": np.bool_,
}


def split(extents: str) -> list[str]:
    """At the commas that are in no parentheses."""
    parts, depth = [""], 0
    for c in extents.replace(" ", ""):
        depth += (c == "(") - (c == ")")
        parts = [*parts, ""] if c == "," and depth == 0 else [*parts[:-1], parts[-1] + c]
    return [part for part in parts if part]


class CompiledModel:
    """NAME_call of the emitted C. Ports stand in the header's comment: name, type, extents."""

    def __init__(
        self,
        path: Path,
        folder: Path,
        flags: tuple[str, ...] = ("-O2",),
        compiler: str = "cc",
        sizes: str = "",
        target: str = "native",
    ) -> None:
        options = ["--target", target, "--name", "model", "--sizes", sizes, "-o", folder]
        subprocess.run([COMMAND, "compile", path, *options], check=True, capture_output=True)
        header = (folder / "model.h").read_text(encoding="utf-8")
        build = re.search(r"^ \*     cc .*? (-m\S*)", header, flags=re.M)
        machine = [build.group(1)] if build and target != "scalar" else []
        ports = re.findall(r"^ \*     (in|out)\d+_\S*  (\w+)\[(.*)\]$", header, flags=re.M)
        self.inputs = [(kind, extents) for side, kind, extents in ports if side == "in"]
        self.outputs = [(kind, extents) for side, kind, extents in ports if side == "out"]
        arguments = re.search(r"^int model_run\((.*?)\);", header, flags=re.M | re.S).group(1)
        self.sizes = re.findall(r"uint32_t size_(\w+)", arguments)
        library = folder / ("model" + "".join(flags).replace("-", "_") + compiler + target + ".so")
        subprocess.run(
            [
                compiler,
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Werror",
                *flags,
                *machine,
                "-ffp-contract=off",
                "-shared",
                "-fPIC",
                "-o",
                library,
                folder / "model.c",
                "-lm",
            ],
            check=True,
        )
        self.library = ctypes.CDLL(str(library))
        self.library.model_workspace.restype = ctypes.c_size_t

    def __call__(self, inputs: list[np.ndarray], sizes: dict[str, int]) -> list[np.ndarray]:
        arrays = [
            np.ascontiguousarray(a, TYPES[kind])
            for a, (kind, _) in zip(inputs, self.inputs, strict=True)
        ]
        made = [
            np.zeros([self.extent(e, sizes) for e in split(extents)], TYPES[kind])
            for kind, extents in self.outputs
        ]
        values = [sizes[name] for name in self.sizes]
        workspace = np.zeros(
            self.library.model_workspace(*map(ctypes.c_uint32, values)) + 64, np.uint8
        )
        start = workspace.ctypes.data + -workspace.ctypes.data % 64
        weights = ctypes.c_void_p.in_dll(self.library, "model_weights")
        status = self.library.model_call(
            (ctypes.c_uint32 * max(1, len(values)))(*values),
            self.pointers(arrays),
            self.pointers(made),
            weights,
            ctypes.c_void_p(start),
        )
        assert status == 0
        return made

    @staticmethod
    def pointers(arrays: list[np.ndarray]) -> ctypes.Array:
        return (ctypes.c_void_p * max(1, len(arrays)))(*[a.ctypes.data for a in arrays])

    @staticmethod
    def extent(text: str, sizes: dict[str, int]) -> int:
        words = {"quotient": lambda a, b: a // b, "min": min, "max": max}
        return int(eval(text, {"__builtins__": {}}, {**words, **sizes}))
