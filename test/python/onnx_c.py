"""An ONNX model compiled by `gallop compile`, built by the system's compiler, and called."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from collections.abc import Callable
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


def aligned(size: int) -> np.ndarray:
    """Bytes that start at a multiple of 64."""
    bytes_ = np.zeros(size + 64, np.uint8)
    start = -bytes_.ctypes.data % 64
    return bytes_[start : start + size]


class CompiledModel:
    """NAME_call of the emitted C. Ports stand in the header's comment: name, type, extents.

    `blob` keeps the weights in a file beside the source, which large models want;
    `told` are more options of the command.
    """

    def __init__(
        self,
        path: Path,
        folder: Path,
        flags: tuple[str, ...] = ("-O2",),
        compiler: str = "cc",
        sizes: str = "",
        target: str = "native",
        blob: bool = False,
        told: tuple[str, ...] = (),
    ) -> None:
        options = ["--target", target, "--name", "model", "--sizes", sizes, "-o", folder]
        options += ["--weights", "blob" if blob else "array", *told]
        done = subprocess.run(
            [COMMAND, "compile", path, *options], check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        header = (folder / "model.h").read_text(encoding="utf-8")
        build = re.search(r"^ \*     cc .*? (-m\S*)", header, flags=re.M)
        machine = [build.group(1)] if build and target != "scalar" else []
        ports = re.findall(r"^ \*     (in|out)\d+_\S*  (\w+)\[(.*)\]$", header, flags=re.M)
        self.inputs = [(kind, extents) for side, kind, extents in ports if side == "in"]
        self.outputs = [(kind, extents) for side, kind, extents in ports if side == "out"]
        self.groups = int(re.search(r"(\d+) groups of", header).group(1))
        arguments = re.search(r"^int model_run\((.*?)\);", header, flags=re.M | re.S).group(1)
        self.sizes = re.findall(r"uint32_t size_(\w+)", arguments)
        self.told = re.findall(r"uint32_t \*told_size_(\w+)", arguments)
        self.most = {
            name: int(most)
            for name, most in re.findall(r"^ \*     told_size_(\w+)  \d+\.\.(\d+)$", header, re.M)
        }
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
        self.blob = aligned(0)
        if blob and (folder / "model.weights").exists():
            self.blob = aligned((folder / "model.weights").stat().st_size)
            self.blob[:] = np.fromfile(folder / "model.weights", np.uint8)
        self.weights = ctypes.c_void_p(self.blob.ctypes.data)
        if not blob:
            self.weights = ctypes.c_void_p.in_dll(self.library, "model_weights")

    def __call__(self, inputs: list[np.ndarray], sizes: dict[str, int]) -> list[np.ndarray]:
        made, call = self.bind(inputs, sizes)
        if status := call():
            raise ValueError(status)
        return self.cut(made)

    def cut(self, made: list[np.ndarray]) -> list[np.ndarray]:
        """What the last run has made of bind's outputs, in the shapes that it told."""
        found = dict(zip([*self.sizes, *self.told], self.called, strict=False))
        shapes = [[self.extent(e, found) for e in split(extents)] for _, extents in self.outputs]
        return [
            a.reshape(-1)[: np.prod(shape, dtype=int)].reshape(shape)
            for a, shape in zip(made, shapes, strict=True)
        ]

    def bind(
        self,
        inputs: list[np.ndarray],
        sizes: dict[str, int] | None = None,
        workspace: np.ndarray | None = None,
    ) -> tuple[list[np.ndarray], Callable[[], int]]:
        """Outputs, and what computes them and gives the run's status. Sizes follow from shapes.

        Outputs of a size that only running tells have room for its most.
        """
        sizes = self.sizes_of(inputs) if sizes is None else sizes
        arrays = [
            np.ascontiguousarray(a, TYPES[kind])
            for a, (kind, _) in zip(inputs, self.inputs, strict=True)
        ]
        room = {**sizes, **self.most}
        made = [
            np.zeros([self.extent(e, room) for e in split(extents)], TYPES[kind])
            for kind, extents in self.outputs
        ]
        values = [sizes[name] for name in self.sizes]
        if workspace is None:
            workspace = aligned(self.library.model_workspace(*map(ctypes.c_uint32, values)))
        self.called = (ctypes.c_uint32 * (len(values) + len(self.told) + 1))(*values)
        arguments = (
            self.called,
            self.pointers(arrays),
            self.pointers(made),
            self.weights,
            ctypes.c_void_p(workspace.ctypes.data),
        )
        run, kept = self.library.model_call, (self, arrays, made, workspace)
        return made, lambda: run(*arguments) if kept else -1

    def sizes_of(self, inputs: list[np.ndarray]) -> dict[str, int]:
        """What the inputs' shapes say of the sizes."""
        return {
            name: extent
            for a, (_, extents) in zip(inputs, self.inputs, strict=True)
            for name, extent in zip(split(extents), a.shape, strict=True)
            if name in self.sizes
        }

    @staticmethod
    def pointers(arrays: list[np.ndarray]) -> ctypes.Array:
        return (ctypes.c_void_p * max(1, len(arrays)))(*[a.ctypes.data for a in arrays])

    @staticmethod
    def extent(text: str, sizes: dict[str, int]) -> int:
        words = {"quotient": lambda a, b: a // b, "min": min, "max": max}
        return int(eval(text, {"__builtins__": {}}, {**words, **sizes}))
