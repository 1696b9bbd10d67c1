#!/usr/bin/env python3
"""ONNX models: how near their heaviest groups are to what the machine can do, and what each step of the compiler is worth.

    parts.py FOLDER [NAME...] [--device device.json] [--log FILE]... [--seconds 4]

For each model of FOLDER/models.json, at the sizes of its first case: the five heaviest groups with a sum in tiles, alone
as `gallop tune` measures them, with their share of the roofline that `gallop probe` measured; then the whole model's CPU
time without rewriting, fusion, layout or tiles (`gallop compile --without`), and with each log's schedules, over that of the
model as it is compiled by default. All variants live in one process and take turns; a ratio is the median over turns.
Outputs of all are compared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench
import engines

HEAVIEST = 5
STEPS = ("rewrite", "fuse", "layout", "tile")
GROUP = re.compile(r"^(.*), (\d+) times?: [\d.]+ of the schedule by rules, ([\d.]+) us \((.*)$")


def heaviest_groups(path: Path, sizes: str, device: Path | None) -> list[str]:
    """A line for each: calls in a run, time of one, share of the roofline."""
    command = [os.environ["GALLOP_COMMAND"], "tune", str(path), "--way", "hand", "--sizes", sizes]
    if device:
        command += ["--device", str(device)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = [m.groups() for line in done.stdout.splitlines() if (m := GROUP.match(line))]
    found.sort(key=lambda group: -int(group[1]) * float(group[2]))
    lines = []
    for what, times, microseconds, rest in found[:HEAVIEST]:
        share = rest.rsplit(", ", 2)[0] if device else ""
        all_ms = int(times) * float(microseconds) / 1e3
        lines.append(f"    {all_ms:9.3f} ms  {times:>3} x {what}  {share}")
    return lines


def variants(logs: list[Path]) -> dict[str, list[str]]:
    """What the compiler is told, by the variant's name; the first is the default."""
    told = {"": []} | {f"without {step}": ["--without", step] for step in STEPS}
    return told | {f"with {log.stem}": ["--log", str(log)] for log in logs}


def ratios(model: bench.Row, path: Path, options: argparse.Namespace) -> dict[str, str]:
    """Of each variant: its time over the default's, or why it has none."""
    case = model["cases"][0]
    sizes = ",".join(f"{name}={size}" for name, size in case.items())
    inputs = bench.make_inputs(model, case)
    given = engines.Model(path, inputs, model.get("outputs") or [], sizes)
    made, said = {}, {}
    with tempfile.TemporaryDirectory() as place:
        for name, told in variants(options.log).items():
            folder = Path(place) / (name.replace(" ", "_") or "default")
            folder.mkdir()
            try:
                made[name] = engines.Gallop(given, folder, told)
            except (RuntimeError, subprocess.CalledProcessError) as why:
                said[name] = str(why).strip().splitlines()[-1][:150]
        if "" not in made:
            return said
        calls = max(1, int(bench.TURN_SECONDS / max(bench.cost(made[""], 2), 1e-7)))
        taken: dict[str, list[float]] = {name: [] for name in made}
        until = time.monotonic() + options.seconds
        while time.monotonic() < until or len(taken[""]) < bench.TURNS_LEAST:
            for name, engine in made.items():
                taken[name].append(bench.cost(engine, calls))
        said[""] = f"{1e3 * statistics.median(taken['']):.3f} ms"
        for name in [n for n in made if n]:
            pairs = zip(taken[name], taken[""], strict=True)
            off = bench.difference(made[name].outputs, made[""].outputs)
            wrong = f" ({off:.0e} off)" if off > bench.AGREES else ""
            said[name] = f"{statistics.median(a / b for a, b in pairs):.2f}{wrong}"
    return said


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", type=Path, help="of gallop probe --device cpu -o FILE")
    parser.add_argument(
        "--log", type=Path, action="append", default=[], help="of gallop tune; more than one may be"
    )
    parser.add_argument("--seconds", type=float, default=4, help="of a model's variants together")
    options = parser.parse_args()
    importlib.import_module("onnx_c")  # says what is missing
    models = {m["name"]: m for m in json.loads((options.folder / "models.json").read_text())}
    if unknown := [n for n in options.names if n not in models]:
        parser.error(f"no model {unknown[0]} in {options.folder / 'models.json'}")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    wrong = 0
    for name in options.names or models:
        path = options.folder / f"{name}.onnx"
        case = models[name]["cases"][0]
        said = ratios(models[name], path, options)
        print(f"{name}: {said.pop('', '-')}; " + ", ".join(f"{k} {v}" for k, v in said.items()))
        wrong += any("off" in word for word in said.values())
        sizes = ",".join(f"{k}={v}" for k, v in case.items())
        print("\n".join(heaviest_groups(path, sizes, options.device)), flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
