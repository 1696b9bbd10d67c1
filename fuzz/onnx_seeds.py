"""Writes the files that fuzzing of the ONNX importer starts from: small networks of test/python/onnx_zoo.py.

PYTHONPATH=python:test/python python3 fuzz/onnx_seeds.py fuzz/corpus/onnx
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx_zoo as zoo
import torch

WIDTHS, EXPERTS = (3, 2, 2), 2


def write(
    folder: Path, name: str, module: torch.nn.Module, *widths: int, opset: int = 13, batch: int = 0
) -> None:
    rows = tuple(torch.zeros(batch or 2, w) for w in widths)
    names = [f"i{i}" for i in range(len(rows))]
    axes = {} if batch else {n: {0: "b"} for n in names}
    torch.onnx.export(
        module.eval(),
        rows,
        str(folder / name),
        input_names=names,
        dynamic_axes=axes,
        opset_version=opset,
    )


def main(folder: Path) -> None:
    torch.manual_seed(0)
    folder.mkdir(parents=True, exist_ok=True)
    for i, spelling in enumerate(zoo.SPELLINGS):
        gate = "network" if i % 2 else "given"
        module = zoo.Blended(spelling, WIDTHS, EXPERTS, gate, (0, 2))
        write(
            folder, spelling.__name__, module, WIDTHS[0], *([] if i % 2 else [EXPERTS]), batch=i % 3
        )
    write(folder, "phase", zoo.Blended(zoo.outputs_wide, WIDTHS, 4, "cubic", (0,)), WIDTHS[0], 1)
    for name in ("cubed_gelu", "swish", "softmax", "prelu"):
        write(folder, name, zoo.Chain(zoo.ACTIVATIONS[name], WIDTHS), WIDTHS[0], opset=11)
    write(folder, "norms", zoo.Normed(torch.nn.LayerNorm), 6, opset=17)
    write(folder, "film", zoo.Film(), 8, 3)
    write(folder, "gru", zoo.Gru(), 5, 7)
    write(folder, "encoders", zoo.Encoders(), 9)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
