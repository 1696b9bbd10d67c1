#!/usr/bin/env python3
"""ONNX models: gallop's C beside ONNX Runtime, OpenVINO and MNN, each on one thread of one core.

    bench.py FOLDER [NAME...] [--engines gallop,ort,openvino,mnn] [--seconds 4] [--open] [--csv FILE]

The first line is a model of one number, `call`: what an engine's call itself takes, in Python as it is made here.

FOLDER has NAME.onnx and models.json: of each model its name, its inputs (name, dtype, dims, where a name is a size that a
case gives, and the range lo..hi of whole numbers), its outputs and its cases. The first case is run; gallop compiles for its
sizes, as OpenVINO does, or with --open for all.

Engines live in one process per model and take turns, so that what else the machine does meets all of them. A figure is
the median of CPU time a call; a ratio is the median over turns of the ratio within a turn. Outputs are compared with ONNX
Runtime's: the largest difference, as a share of its largest value. An engine that dies is left out, and said.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engines
import numpy as np

AGREES = 1e-4  # share of the largest value that float32 engines may differ by; more is said
COUNTS = 1e-3  # who differs by more computes something else, and its time says nothing
TURNS_LEAST, TURN_SECONDS = 5, 0.01
COLUMNS = (
    *("model", "case", "engine", "groups", "made_bytes", "stored_bytes"),
    *("ms", "over_ort", "difference", "failed"),
)
Row = dict[str, object]


def make_inputs(model: Row, case: dict[str, int]) -> engines.Inputs:
    """The same numbers for everybody: normal floats, whole numbers of the model's range."""
    random = np.random.default_rng(1)
    inputs = {}
    for spec in model["inputs"]:
        shape = [case.get(d, d) for d in spec["dims"]]
        if spec["dtype"] == "f32":
            value = random.standard_normal(shape).astype(np.float32)
            if (spec["lo"], spec["hi"]) != (0, 1):
                value = random.uniform(spec["lo"], spec["hi"], shape).astype(np.float32)
        else:
            most = int(spec["hi"]) if shape else 0  # a scalar is a count: its least
            value = random.integers(int(spec["lo"]), max(int(spec["lo"]) + 1, most), shape)
        inputs[spec["name"]] = np.asarray(value, order="C")
    return inputs


def cost(engine: object, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        engine.call()
    return (time.process_time() - start) / calls


def difference(got: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """Of the worst output; inf where a shape is another or a number is none."""
    worst = 0.0
    for g, e in zip(got, expected, strict=True):
        if g.shape != e.shape:
            return math.inf
        if e.size:
            off = float(np.max(np.abs(g.astype(np.float64) - e)) / max(np.max(np.abs(e)), 1e-30))
            worst = max(worst, off if math.isfinite(off) else math.inf)
    return worst


def run_here(model: Row, path: Path, options: argparse.Namespace) -> list[Row]:
    """All engines of a model, taking turns in this process."""
    case = model["cases"][0]
    sizes = "" if options.open else ",".join(f"{name}={size}" for name, size in case.items())
    given = engines.Model(path, make_inputs(model, case), model.get("outputs") or [], sizes)
    made, rows = {}, []
    with tempfile.TemporaryDirectory() as place:
        for name in options.engines:
            try:
                engine = engines.ENGINES[name](given, Path(place))
                engine.call()
                made[name] = engine
            except Exception as why:  # whatever a peer raises is its word
                rows.append({"engine": name, "failed": str(why).strip().splitlines()[-1][:200]})
        expected = [np.array(o) for o in made["ort"].outputs] if "ort" in made else None
        calls = {
            name: max(1, int(TURN_SECONDS / max(cost(e, 2), 1e-7))) for name, e in made.items()
        }
        taken: dict[str, list[float]] = {name: [] for name in made}
        until = time.monotonic() + options.seconds
        while made and (time.monotonic() < until or len(taken[next(iter(made))]) < TURNS_LEAST):
            for name, engine in made.items():
                taken[name].append(cost(engine, calls[name]))
        for name, engine in made.items():
            row = {"engine": name, "groups": engine.groups or ""}
            if of_results := getattr(engine, "bytes", None):
                row["made_bytes"], row["stored_bytes"] = of_results
            row["ms"] = 1e3 * statistics.median(taken[name])
            if expected:
                pairs = zip(taken[name], taken["ort"], strict=True)
                row["over_ort"] = statistics.median(own / ort for own, ort in pairs)
                row["difference"] = difference(engine.outputs, expected)
            rows.append(row)
    text = " ".join(f"{k}={v}" for k, v in case.items())
    return [{"model": model["name"], "case": text, **row} for row in rows]


def run_apart(arguments: list[str], wanted: list[str]) -> list[Row] | None:
    """The same in a process of its own; None if that died."""
    command = [sys.executable, __file__, *arguments, "--engines", ",".join(wanted), "--inside"]
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def run_model(name: str, options: argparse.Namespace) -> list[Row]:
    """One model: a peer that takes the process with it is found and left out."""
    arguments = [str(options.folder), name, *(["--open"] if options.open else [])]
    arguments += ["--seconds", str(options.seconds)]
    rows = run_apart(arguments, options.engines)
    if rows is not None:
        return rows
    whole = [
        e for e in options.engines if run_apart([*arguments, "--seconds", "0"], [e]) is not None
    ]
    dead = [e for e in options.engines if e not in whole]
    rows = (run_apart(arguments, whole) if dead else None) or []
    return [
        *rows,
        *({"model": name, "engine": e, "failed": "the process died"} for e in dead or whole),
    ]


def make_call(folder: Path) -> None:
    """A model of one operator on one number, and its models.json."""
    helper = importlib.import_module("onnx").helper
    one = [helper.make_tensor_value_info(name, 1, [1]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "call", one[:1], one[1:])
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    (folder / "call.onnx").write_bytes(model.SerializeToString())
    x = {"name": "x", "dtype": "f32", "dims": [1], "lo": 0, "hi": 1}
    model = {"name": "call", "inputs": [x], "outputs": ["y"], "cases": [{}]}
    (folder / "models.json").write_text(json.dumps([model]))


def ratio(rows: dict[str, Row], name: str) -> float | None:
    """Over ONNX Runtime; None where it did not run or gives other results."""
    row = rows.get(name, {})
    return row["over_ort"] if row.get("difference", math.inf) <= COUNTS else None


def line(rows: list[Row]) -> str:
    by = {row["engine"]: row for row in rows}
    own, best = by.get("gallop", {}), best_over_own(rows)
    cells = [f"{rows[0]['model']:24}"]
    for name in ("ort", "openvino", "mnn", "gallop"):
        row = by.get(name, {})
        cells.append(f"{row['ms']:9.3f}" if "ms" in row else f"{'-':>9}")
    speed = f"{best:6.2f}" if best else f"{'-':>6}"
    of_ort = f"{1 / own['over_ort']:6.2f}" if "over_ort" in own else f"{'-':>6}"
    off = f"{own['difference']:8.1e}" if "difference" in own else f"{'-':>8}"
    groups = [f"{by.get(e, {}).get('groups', '') or '-':>5}" for e in ("ort", "openvino", "gallop")]
    groups += [
        f"{1e-6 * own[column]:8.2f}" if column in own else f"{'-':>8}"
        for column in ("made_bytes", "stored_bytes")
    ]
    failed = "".join(f"  {e}: {by[e]['failed']}" for e in by if by[e].get("failed"))
    wrong = "".join(
        f"  {e} is {by[e]['difference']:.0e} off"
        for e in ("openvino", "mnn", "gallop")
        if AGREES < by.get(e, {}).get("difference", 0)
    )
    return " ".join([*cells, speed, of_ort, off, *groups]) + failed + wrong


def best_over_own(rows: list[Row]) -> float | None:
    """How many times as fast as the best peer that agrees; None where there is nothing to compare."""
    by = {row["engine"]: row for row in rows}
    peers = [r for name in ("ort", "openvino", "mnn") if (r := ratio(by, name))]
    own = by.get("gallop", {}).get("over_ort")
    return min(peers) / own if peers and own else None


def summary(rows: list[Row]) -> str:
    models = {row["model"]: [r for r in rows if r["model"] == row["model"]] for row in rows}
    speeds = [speed for of_model in models.values() if (speed := best_over_own(of_model))]
    own = [1 / r["over_ort"] for r in rows if r["engine"] == "gallop" and "over_ort" in r]
    if not speeds:
        return "no model that gallop compiles"
    return (
        f"{len(speeds)} of {len(models)} models; times as fast as the best peer, geometric mean: "
        f"{statistics.geometric_mean(speeds):.2f}; slowest beside ONNX Runtime: {min(own):.2f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument(
        "--engines", type=lambda text: text.split(","), default=list(engines.ENGINES)
    )
    parser.add_argument(
        "--seconds", type=float, default=4, help="of all engines of a model together"
    )
    parser.add_argument("--open", action="store_true", help="gallop is not told the sizes")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := [e for e in options.engines if e not in engines.ENGINES]:
        parser.error(f"no engine {unknown[0]}; there are {', '.join(engines.ENGINES)}")
    models = {m["name"]: m for m in json.loads((options.folder / "models.json").read_text())}
    if unknown := [n for n in options.names if n not in models]:
        parser.error(f"no model {unknown[0]} in {options.folder / 'models.json'}")
    if options.inside:
        (name,) = options.names
        path = options.folder / f"{name}.onnx"
        print(json.dumps(run_here(models[name], path, options)))
        return 0
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(
        f"{'model':24} {'ort ms':>9} {'openvino':>9} {'mnn':>9} {'gallop':>9} best/g  ort/g  "
        f"{'off ort':>8} {'ort':>5} {'ov':>5} gallop groups, MB made, stored"
    )
    with tempfile.TemporaryDirectory() as place:
        make_call(Path(place))
        print(
            line(run_model("call", argparse.Namespace(**{**vars(options), "folder": Path(place)})))
        )
    everything = []
    for name in options.names or models:
        rows = run_model(name, options)
        everything += rows
        print(line(rows), flush=True)
    print(summary(everything))
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(everything)
    own = [r for r in everything if r["engine"] == "gallop" and "difference" in r]
    return int(any(r["difference"] > AGREES for r in own))


if __name__ == "__main__":
    sys.exit(main())
