#!/usr/bin/env python3
"""Sizes that change with every call: gallop's C, compiled once, beside ONNX Runtime with dynamic axes, on one thread.

    sizes.py FOLDER [NAME...] [--count 12] [--fixed 2] [--turns 5] [--seed 1] [--ranges]

FOLDER is as bench.py's. Of each model, `count` random sizes around those of its first case take turns, another one in each
call. With --ranges gallop is told from which to which (`--sizes H=32..64`). Columns:

    shapes       share of nodes' results whose shape is known before a run: by numbers, sizes of inputs, expressions of them
    ort/g        times as fast as ONNX Runtime, geometric mean over sizes of the ratios of median times
    first/10th   the first call at a size over the tenth in a row, median over sizes: gallop's, ONNX Runtime's
    p99          of calls at changing sizes over p99 of C that is compiled for the size, of `fixed` sizes
    median       the same of medians
    floor        p99 of that C over its median: what the machine itself adds
    off fixed    from the outputs of that C, of the largest value: 0 where bits are the same
    /ort         workspace over what ONNX Runtime's arena grows by in its first run (exact extension), mean over all sizes
    /worst       workspace over that of C compiled for the largest sizes, mean over all sizes
    off          from ONNX Runtime, of the largest value
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import engines
import numpy as np
from bench import difference, make_inputs

Case = dict[str, int]
ROUNDS_LEAST, ROUNDS_MOST = 100, 2000  # of calls whose 99th percentile is taken
SECONDS_MOST = 3.0  # for more than the least
LARGE = 256  # sides of pictures from which on steps are larger


def range_of(name: str, size: int) -> list[int]:
    """What a size is drawn from: batches, sides of pictures in whole strides from the first case's on, lengths."""
    if size == 1:
        return [1, 2, 3, 4]
    if name in "HW":
        return list(range(size, 2 * size + 1, 32 if size < LARGE else 64))
    return list(range(max(1, size // 4), 2 * size + 1))


def ranges(model: dict) -> str:
    """What sizes are drawn from, as `gallop compile --sizes` takes it."""
    drawn = {name: range_of(name, size) for name, size in model["cases"][0].items()}
    return ",".join(f"{name}={of[0]}..{of[-1]}" for name, of in drawn.items())


def draw(model: dict, count: int, random: np.random.Generator) -> list[Case]:
    """Random sizes, all different."""
    case = model["cases"][0]
    cases: list[Case] = []
    for _ in range(20 * count):
        drawn = {
            name: int(random.choice(range_of(name, size)))
            for name, size in case.items()
        }
        if drawn not in cases and len(cases) < count:
            cases.append(drawn)
    return cases


class Ours:
    """One compiled model, each of whose sizes has its arrays; all of them one workspace."""

    def __init__(self, path: Path, folder: Path, sizes: str = "") -> None:
        onnx_c = importlib.import_module("onnx_c")
        folder.mkdir()
        self.model = onnx_c.CompiledModel(
            path, folder, ("-O3",), sizes=sizes, blob=True
        )

    def workspace(self, inputs: engines.Inputs) -> int:
        sizes = self.model.sizes_of(list(inputs.values()))
        return int(
            self.model.library.model_workspace(*(sizes[n] for n in self.model.sizes))
        )

    def bind(self, inputs: engines.Inputs, workspace: np.ndarray) -> tuple:
        return self.model.bind(list(inputs.values()), workspace=workspace)

    def room(self, most: int) -> np.ndarray:
        return importlib.import_module("onnx_c").aligned(most + 64)


class Peer:
    """ONNX Runtime, each of whose sizes has its inputs and outputs bound."""

    def __init__(self, path: Path, names: list[str]) -> None:
        ort = importlib.import_module("onnxruntime")
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = ort.InferenceSession(
            str(path), options, ["CPUExecutionProvider"]
        )
        self.names = names or [o.name for o in self.session.get_outputs()]

    def bind(
        self, inputs: engines.Inputs
    ) -> tuple[list[np.ndarray], Callable[[], None]]:
        outputs = self.session.run(self.names, inputs)
        binding = self.session.io_binding()
        for name, value in inputs.items():
            binding.bind_cpu_input(name, value)
        for name, value in zip(self.names, outputs, strict=True):
            binding.bind_output(
                name, "cpu", 0, value.dtype.type, list(value.shape), value.ctypes.data
            )
        return outputs, lambda: self.session.run_with_iobinding(binding)


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time_ns()
    call()
    return (time.process_time_ns() - start) * 1e-9


def arena(path: Path, model: dict, case: Case) -> int:
    """Bytes that ONNX Runtime's arena grows by in the first run at a size; in a process of its own, whose log tells."""
    command = [
        sys.executable,
        __file__,
        str(path),
        "--arena",
        json.dumps([model, case]),
    ]
    log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    run = log[log.rindex("the run begins") :]
    return sum(int(b) for b in re.findall(r"Extended allocation by (\d+) bytes", run))


def run_in_arena(path: Path, model: dict, case: Case) -> None:
    ort = importlib.import_module("onnxruntime")
    inputs = make_inputs(model, case)
    outputs, _ = Peer(path, model.get("outputs") or []).bind(inputs)
    ort.set_default_logger_severity(0)
    kind = ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    place = ort.OrtMemoryInfo("Cpu", kind, 0, ort.OrtMemType.DEFAULT)
    exact = {"max_mem": 0, "arena_extend_strategy": 1, "initial_chunk_size_bytes": -1}
    ort.create_and_register_allocator(
        place, ort.OrtArenaCfg({**exact, "max_dead_bytes_per_chunk": -1})
    )
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.use_env_allocators", "1")
    session = ort.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, value in inputs.items():
        binding.bind_cpu_input(name, value)
    names = model.get("outputs") or [o.name for o in session.get_outputs()]
    for name, value in zip(names, outputs, strict=True):
        binding.bind_output(
            name, "cpu", 0, value.dtype.type, list(value.shape), value.ctypes.data
        )
    print("the run begins", file=sys.stderr, flush=True)
    session.run_with_iobinding(binding)


def known_share(path: Path) -> float:
    """Of nodes' results, by `gallop inspect --shapes`."""
    command = importlib.import_module("onnx_c").COMMAND
    text = subprocess.run(
        [command, "inspect", path, "--shapes"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    line = re.search(r"^shapes of (\d+) results: (.*)$", text, re.M)
    numbers = [int(n) for n in re.findall(r"(\d+) ", line.group(2))]
    return sum(numbers[:3]) / max(1, int(line.group(1)))


def percentile(values: list[float]) -> float:
    return float(np.percentile(values, 99))


def run_model(model: dict, path: Path, options: argparse.Namespace) -> dict[str, float]:
    cases = draw(model, options.count, np.random.default_rng(options.seed))
    inputs = [make_inputs(model, case) for case in cases]
    largest = (
        {name: max(case[name] for case in cases) for name in cases[0]}
        if cases[0]
        else {}
    )
    row: dict[str, float] = {"shapes": known_share(path)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        told = ranges(model) if options.ranges else ""
        own = Ours(path, folder / "open", told)
        peer = Peer(path, model.get("outputs") or [])
        room = own.room(
            max(own.workspace(i) for i in [*inputs, make_inputs(model, largest)])
        )
        made = [
            own.bind(i, room) for i in inputs
        ]  # outputs live as long as they are written
        calls, bound = [call for _, call in made], [peer.bind(i) for i in inputs]
        times: list[tuple[list[float], list[float]]] = [([], []) for _ in cases]
        order = np.random.default_rng(options.seed)
        for _ in range(options.turns):
            for k in order.permutation(len(cases)):
                times[k][0].append(seconds(calls[k]))
                times[k][1].append(seconds(bound[k][1]))
        pairs = [(statistics.median(a), statistics.median(b)) for a, b in times]
        row["ort/g"] = statistics.geometric_mean([b / max(a, 1e-9) for a, b in pairs])
        for name, run in (("first/10th", calls), ("ort first", [b[1] for b in bound])):
            ratios = []
            for k in range(len(cases)):
                for _ in range(3):
                    run[(k + 1) % len(cases)]()
                    taken = [seconds(run[k]) for _ in range(10)]
                    ratios.append(taken[0] / max(taken[9], 1e-9))
            row[name] = statistics.median(ratios)
        row["off"] = max(
            difference(cut_of(own, i, room), b[0])
            for i, b in zip(inputs, bound, strict=True)
        )
        row.update(
            beside_fixed(model, path, options, cases, inputs, own, calls, room, folder)
        )
        worst = fixed_of(path, folder / "worst", largest)
        most = worst.workspace(make_inputs(model, largest))
        spaces = [own.workspace(i) for i in inputs]
        row["/worst"] = statistics.mean(s / most for s in spaces) if most else 1
        arenas = [
            (s, arena(path, model, c)) for s, c in zip(spaces, cases, strict=True)
        ]
        row["/ort"] = statistics.mean(s / max(a, 1) for s, a in arenas)
    return row


def cut_of(own: Ours, inputs: engines.Inputs, room: np.ndarray) -> list[np.ndarray]:
    made, call = own.bind(inputs, room)
    if status := call():
        raise RuntimeError(f"the run returns {status}")
    return [np.array(o) for o in own.model.cut(made)]


def fixed_of(path: Path, folder: Path, case: Case) -> Ours:
    return Ours(path, folder, ",".join(f"{name}={size}" for name, size in case.items()))


def beside_fixed(
    model: dict,
    path: Path,
    options: argparse.Namespace,
    cases: list[Case],
    inputs: list[engines.Inputs],
    own: Ours,
    calls: list,
    room: np.ndarray,
    folder: Path,
) -> dict[str, float]:
    """p99 where the size is another one in each call, and what differs, beside what is compiled for the size alone."""
    ratios, medians, floors, off = [], [], [], 0.0
    for k in range(min(options.fixed, len(cases))):
        fixed = fixed_of(path, folder / f"fixed{k}", cases[k])
        outputs, call = fixed.bind(inputs[k], fixed.room(fixed.workspace(inputs[k])))
        changing, alone = [], []
        others = itertools.cycle(
            j for j in range(len(cases)) if j != k or len(cases) == 1
        )
        end = time.process_time() + SECONDS_MOST
        while len(alone) < ROUNDS_LEAST or (
            len(alone) < ROUNDS_MOST and time.process_time() < end
        ):
            calls[next(others)]()
            changing.append(seconds(calls[k]))
            calls[next(others)]()  # caches are as cold for both
            alone.append(seconds(call))
        ratios.append(percentile(changing) / max(percentile(alone), 1e-9))
        middle = max(statistics.median(alone), 1e-9)
        medians.append(statistics.median(changing) / middle)
        floors.append(percentile(alone) / middle)
        expected = cut_of(fixed, inputs[k], room)
        del outputs  # it was written to that long
        off = max(off, difference(cut_of(own, inputs[k], room), expected))
    means = {"p99": ratios, "median": medians, "floor": floors}
    return {
        **{name: statistics.geometric_mean(of) for name, of in means.items()},
        "off fixed": off,
    }


COLUMNS = (
    "shapes",
    "ort/g",
    "first/10th",
    "ort first",
    "p99",
    "median",
    "floor",
    "off fixed",
    "/ort",
    "/worst",
    "off",
)
SHARES, WORST = ("shapes", "/ort", "/worst"), ("off", "off fixed")
BOUND = 1e-4  # of the largest value


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--fixed", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranges", action="store_true")
    parser.add_argument("--arena", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.arena:
        run_in_arena(options.folder, *json.loads(options.arena))
        return 0
    models = {
        m["name"]: m for m in json.loads((options.folder / "models.json").read_text())
    }
    if unknown := [n for n in options.names if n not in models]:
        parser.error(f"no model {unknown[0]} in {options.folder / 'models.json'}")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(" ".join([f"{'model':24}", *(f"{c:>10}" for c in COLUMNS)]))
    rows = []
    for name in options.names or models:
        try:
            rows.append(
                run_model(models[name], options.folder / f"{name}.onnx", options)
            )
        except Exception as why:  # one model's word; the others go on
            print(f"{name:24} {str(why).strip().splitlines()[-1][:150]}", flush=True)
            continue
        print(
            " ".join([f"{name:24}", *(f"{rows[-1][c]:10.3g}" for c in COLUMNS)]),
            flush=True,
        )
    if rows:
        means = [
            statistics.mean(r[c] for r in rows)
            if c in SHARES
            else max(r[c] for r in rows)
            if c in WORST
            else statistics.geometric_mean(r[c] for r in rows)
            for c in COLUMNS
        ]
        print(" ".join([f"{'mean (off: worst)':24}", *(f"{m:10.3g}" for m in means)]))
    return int(not rows or any(row[c] > BOUND for row in rows for c in WORST))


if __name__ == "__main__":
    sys.exit(main())
