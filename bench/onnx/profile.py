#!/usr/bin/env python3
"""Rows of the profile database of fusion (src/compiler/program/profile.txt), measured on this machine.

    profile.py [--only-build FILE]

For each pair of classes that may be fused (profile.h) some small models, each compiled twice: with a profile that says that
the pair is faster fused, and with one that says apart. A C program calls both in turns, 400 times, and prints a row for each
model: the medians, in microseconds, and the machine's name. With --only-build it is left in FILE, linked statically, to be
run on another machine of this kind.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GALLOP_COMMAND", str(ROOT / "build/dev/cli/gallop"))
PAIRS = ("move product", "compute product", "product fold", "product compute")

DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 400, FLOATS = 1 << 20, PORTS = 4 };

typedef struct variant {
    int (*call)(uint32_t *, const void *const *, void *const *, const void *, void *);
    size_t (*workspace)(const uint32_t *);
    const unsigned char *const *weights;
} variant;

static float input[PORTS][FLOATS], output[PORTS][FLOATS];
static unsigned char *workspace;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double once(const variant *v) {
    const void *in[PORTS] = {input[0], input[1], input[2], input[3]};
    void *out[PORTS] = {output[0], output[1], output[2], output[3]};
    uint32_t sizes[1] = {0};
    double start = seconds();
    v->call(sizes, in, out, *v->weights, workspace);
    return 1e6 * (seconds() - start);
}

static void measure(const char *pair, const variant *fused, const variant *apart, const char *machine) {
    static double took[2][TURNS];
    const variant *of[] = {fused, apart};
    for (int i = 0; i < TURNS; i++) {
        for (int v = 0; v < 2; v++) {
            took[v][i] = once(of[v]);
        }
    }
    for (int v = 0; v < 2; v++) {
        qsort(took[v], TURNS, sizeof(double), by_value);
    }
    printf("%s %.2f %.2f %s\n", pair, took[0][TURNS / 2], took[1][TURNS / 2], machine);
}

int main(void) {
    char line[256], machine[128] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            sscanf(strchr(line, ':') + 2, "%127[^\n]", machine);
        }
    }
    for (int p = 0; p < PORTS; p++) {
        for (int i = 0; i < FLOATS; i++) {
            input[p][i] = (float)(i * 7919 % 1009) / 1009 - 0.5f;
        }
    }
    workspace = aligned_alloc(64, 1 << 26);
    memset(workspace, 0, 1 << 26);
MEASURES
    return 0;
}
"""

Maker = Callable[[object, int], tuple[list, list, list, list]]


def value(helper: object, name: str, *shape: int) -> object:
    return helper.make_tensor_value_info(name, 1, list(shape))


def weight(name: str, *shape: int) -> object:
    random = np.random.default_rng(1).standard_normal(shape) / 16
    return importlib.import_module("onnx").numpy_helper.from_array(random.astype(np.float32), name)


def move_product(h: object, size: int) -> tuple[list, list, list, list]:
    """Attention's keys: they lie by rows of a token, and the product wants them by columns."""
    nodes = [
        h.make_node("Transpose", ["k"], ["t"], perm=[1, 2, 0]),
        h.make_node("MatMul", ["q", "t"], ["y"]),
    ]
    ins = [value(h, "q", 8, size, 32), value(h, "k", size, 8, 32)]
    return nodes, ins, [value(h, "y", 8, size, size)], []


def compute_product(h: object, size: int) -> tuple[list, list, list, list]:
    nodes = [h.make_node("Sigmoid", ["x"], ["s"]), h.make_node("MatMul", ["s", "w"], ["y"])]
    return nodes, [value(h, "x", size, 256)], [value(h, "y", size, 256)], [weight("w", 256, 256)]


def product_fold(h: object, size: int) -> tuple[list, list, list, list]:
    nodes = [h.make_node("MatMul", ["x", "w"], ["p"]), h.make_node("Softmax", ["p"], ["y"], axis=-1)]
    return nodes, [value(h, "x", size, 256)], [value(h, "y", size, 256)], [weight("w", 256, 256)]


def product_compute(h: object, size: int) -> tuple[list, list, list, list]:
    """The product is an output, too: what follows does not finish it."""
    nodes = [h.make_node("MatMul", ["x", "w"], ["p"]), h.make_node("Tanh", ["p"], ["y"])]
    outs = [value(h, "p", size, 256), value(h, "y", size, 256)]
    return nodes, [value(h, "x", size, 256)], outs, [weight("w", 256, 256)]


MAKERS = dict(zip(PAIRS, (move_product, compute_product, product_fold, product_compute), strict=True))


def emit(path: Path, profile: Path, name: str, folder: Path) -> str:
    """The functions' count, as the header has it: fused they are fewer."""
    options = ["--profile", str(profile), "--name", name, "-o", str(folder)]
    subprocess.run([COMMAND, "compile", str(path), *options], check=True, capture_output=True)
    return re.search(r"(\d+) groups? of", (folder / f"{name}.h").read_text()).group(1)


def build(folder: Path, program: Path) -> None:
    """All models in both variants and the driver, as one program."""
    onnx = importlib.import_module("onnx")
    measures, declared = [], []
    for number, (pair, make) in enumerate(MAKERS.items()):
        for size in (32, 128):
            stem = f"pair{number}_{size}"
            nodes, ins, outs, constants = make(onnx.helper, size)
            graph = onnx.helper.make_graph(nodes, stem, ins, outs, constants)
            opset = [onnx.helper.make_opsetid("", 17)]
            path = folder / f"{stem}.onnx"
            model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=8)
            path.write_bytes(model.SerializeToString())
            counts = []
            for fused, row in (("fused", "1 2"), ("apart", "2 1")):
                profile = folder / f"{stem}_{fused}.txt"
                profile.write_text(f"{pair} {row} forced\n")
                counts.append(emit(path, profile, f"{stem}_{fused}", folder))
                declared.append(f'#include "{stem}_{fused}.h"')
            if counts[0] == counts[1]:
                print(f"# {pair}, {size} rows: the same {counts[0]} functions either way", file=sys.stderr)
                continue
            variants = ", ".join(
                f"&(variant){{{n}_call, {n}_call_workspace, &{n}_weights}}"
                for n in (f"{stem}_fused", f"{stem}_apart")
            )
            measures.append(f'    measure("{pair}", {variants}, machine);')
    source = "\n".join(["#define _POSIX_C_SOURCE 200809L", *declared]) + DRIVER.replace("MEASURES", "\n".join(measures))
    (folder / "driver.c").write_text(source)
    sources = [str(p) for p in folder.glob("*.c")]
    flags = ["-std=c11", "-O3", "-march=x86-64-v4", "-ffp-contract=off", "-static", "-w"]
    command = [os.environ.get("GALLOP_BENCH_CC", "cc"), *flags, "-o", str(program), *sources, "-lm"]
    subprocess.run(command, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only-build", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        program = options.only_build or Path(place) / "measure"
        build(Path(place), program)
        if not options.only_build:
            subprocess.run([str(program)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
