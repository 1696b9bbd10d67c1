#!/usr/bin/env python3
"""Pruned convolutions beside dense ones: VGG-16's layers L4 to L9, one image, one thread of one core.

    patterns.py [L4 ...] [--seconds 3] [--patterns 8] [--fewer 8] [--target native] [--minutes 0.3]

Random weights: of the pruned ones a kernel follows one of 8 patterns of four places, and so many kernels are kept that
there are 8 times fewer weights of the layer, whole kernels counted. With bias and ReLU, as `gallop compile` makes them:
the dense layer by the sum (`--exact`) and by transforms; the pruned one, and that without one of its parts (`--without
reorder,reuse,patterns`); `patterns` leaves it as CSR, an index for each weight; and the sum and the pruned one by
schedules that `gallop tune` found, each in the same time. All live in one process and take turns; a time is the median
of the thread's CPU time a call, a ratio the median over turns. `fewer` is the ratio to the direct sum by the ratio of
weights: 1 would be a speed in proportion. `again` is the same where a turn is three calls in a row, of which the last
counts: weights and pictures are as near as they get. Outputs are compared with the direct sum's.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engines
import numpy as np

# Channels, filters, height and width.
LAYERS = {"L4": (128, 128, 112), "L5": (128, 256, 56), "L6": (256, 256, 56), "L7": (256, 512, 28),
          "L8": (512, 512, 28), "L9": (512, 512, 14)}
PRUNED = {"pruned": "", "no reorder": "reorder", "no reuse": "reuse", "CSR": "patterns"}
TURNS_LEAST = 7
ROW = 3  # calls in a row
CENTRE, WINDOW, KEPT = 4, 9, 4
AGREES = 1e-4  # share of the largest value


def weights_of(channels: int, filters: int, patterns: int, fewer: float) -> tuple[np.ndarray, ...]:
    """Dense weights [filters, channels, 3, 3], and those of them that are kept."""
    random = np.random.default_rng(1)
    dense = random.standard_normal((filters * channels, WINDOW)) / np.sqrt(WINDOW * channels)
    others = [p for p in range(WINDOW) if p != CENTRE]
    natural = list(itertools.combinations(others, KEPT - 1))
    masks = np.zeros((patterns, WINDOW))
    for row, chosen in zip(masks, random.choice(len(natural), patterns, replace=False)):
        row[[CENTRE, *natural[chosen]]] = 1
    mask = masks[random.integers(0, patterns, filters * channels)]
    kept = round(filters * channels * WINDOW / KEPT / fewer)
    mask[random.permutation(filters * channels)[kept:]] = 0
    shape = (filters, channels, 3, 3)
    return tuple(w.reshape(shape).astype(np.float32) for w in (dense, dense * mask))


def write(path: Path, weights: np.ndarray, size: int) -> None:
    """A convolution with bias and ReLU."""
    onnx, numbers = (importlib.import_module(m) for m in ("onnx", "onnx.numpy_helper"))
    make, filters = onnx.helper, len(weights)
    bias = np.linspace(-0.5, 0.5, filters, dtype=np.float32)
    info = [make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, count, size, size])
            for name, count in (("x", weights.shape[1]), ("y", filters))]
    nodes = [make.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
             make.make_node("Relu", ["c"], ["y"])]
    tensors = [numbers.from_array(*pair) for pair in ((weights, "w"), (bias, "b"))]
    graph = make.make_graph(nodes, "layer", info[:1], info[1:], tensors)
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), path)


def tuned(model: Path, options: argparse.Namespace, told: list[str]) -> Path:
    """The log of a search for the model's schedules."""
    log = model.with_suffix(".log")
    command = importlib.import_module("onnx_c").COMMAND
    subprocess.run([command, "tune", model, *told, "--target", options.target, "--minutes", str(options.minutes),
                    "--log", log], check=True, stdout=subprocess.DEVNULL)
    return log


def made_of(name: str, options: argparse.Namespace, place: Path) -> dict[str, engines.Gallop]:
    """All ways of a layer, by name."""
    channels, filters, size = LAYERS[name]
    dense, pruned = weights_of(channels, filters, options.patterns, options.fewer)
    x = np.random.default_rng(2).standard_normal((1, channels, size, size)).astype(np.float32)
    ways = {"sum": (dense, ["--exact"]), "transforms": (dense, []), "exact": (pruned, ["--exact"])}
    ways |= {way: (pruned, ["--without", left] if left else []) for way, left in PRUNED.items()}
    ways |= {"tuned": (pruned, []), "tuned sum": (dense, ["--exact"])}
    made = {}
    for way, (weights, told) in ways.items():
        folder = place / f"{name}_{way.replace(' ', '_')}"
        folder.mkdir()
        write(folder / "layer.onnx", weights, size)
        if way.startswith("tuned"):
            told = [*told, "--log", os.fspath(tuned(folder / "layer.onnx", options, told))]
        given = engines.Model(folder / "layer.onnx", {"x": x}, ["y"], "")
        made[way] = engines.Gallop(given, folder, [*told, "--target", options.target])
    return made


def off(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


def measured(made: dict[str, engines.Gallop], seconds: float, row: int) -> dict[str, list[float]]:
    """CPU times of each, in turns of so many calls, of which the last counts."""
    taken: dict[str, list[float]] = {way: [] for way in made}
    for engine in made.values():
        engine.call()
    until = time.monotonic() + seconds
    while time.monotonic() < until or len(taken["sum"]) < TURNS_LEAST:
        for way, engine in made.items():
            for _ in range(row - 1):
                engine.call()
            start = time.thread_time()
            engine.call()
            taken[way].append(time.thread_time() - start)
    return taken


def ratio(taken: dict[str, list[float]], over: str, under: str) -> float:
    return statistics.median(a / b for a, b in zip(taken[over], taken[under]))


def line(name: str, taken: dict[str, list[float]], again: dict[str, list[float]], fewer: float) -> str:
    """A row of the table."""

    ms = [1e3 * statistics.median(taken[way]) for way in ("sum", "transforms", "pruned")]
    parts = [ratio(taken, way, "pruned") for way in (*PRUNED, "tuned") if way != "pruned"]
    sizes = "{}, {}, {}".format(*LAYERS[name])
    columns = "{:4} {:14} {:8.2f} {:8.2f} {:8.2f} {:7.2f} {:7.2f} {:7.2f} {:7.2f}   {:6.2f} {:6.2f} {:6.2f} {:6.2f} {:6.2f}"
    return columns.format(
        name, sizes, *ms, ratio(taken, "sum", "pruned"), ratio(taken, "transforms", "pruned"),
        ratio(taken, "sum", "pruned") / fewer, ratio(again, "sum", "pruned") / fewer, *parts,
        ratio(taken, "tuned sum", "sum"))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("layers", nargs="*", default=list(LAYERS), metavar="LAYER")
    parser.add_argument("--seconds", type=float, default=3, help="of a layer (3)")
    parser.add_argument("--patterns", type=int, default=8)
    parser.add_argument("--fewer", type=float, default=8.0, help="times fewer weights (8)")
    parser.add_argument("--target", default="native")
    parser.add_argument("--minutes", type=float, default=0.3, help="of a search (0.3)")
    options = parser.parse_args()
    unknown = [name for name in options.layers if name not in LAYERS]
    if unknown:
        parser.error(f"{unknown[0]}: no layer, expected {', '.join(LAYERS)}")
    sys.path.insert(0, os.fspath(Path(__file__).parents[2] / "test/python"))
    with tempfile.TemporaryDirectory() as place:
        layers = {name: made_of(name, options, Path(place)) for name in options.layers}
        print("ms: the dense layer by the sum and by transforms, pruned; ratios: of the sum, of transforms, of fewer;\n"
              "times of the pruned one without reordering, without loading rows once, as CSR, by tuned schedules;\n"
              "of the sum by tuned schedules\n"
              f"{'':4} {'':14} {'sum':>8} {'transf':>8} {'pruned':>8} {'of sum':>7} {'of tr.':>7} {'fewer':>7} {'again':>7}"
              f"   {'order':>6} {'reuse':>6} {'CSR':>6} {'tuned':>6} {'sum':>6}")
        for name, made in layers.items():
            for way in (*PRUNED, "tuned"):
                if off(made[way].outputs[0], made["exact"].outputs[0]) > AGREES:
                    print(f"{name}: {way} computes something else")
            del made["exact"]
            timed = {way: made[way] for way in ("sum", "pruned")}
            print(line(name, measured(made, options.seconds, 1), measured(timed, options.seconds, ROW),
                       options.fewer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
