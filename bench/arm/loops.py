#!/usr/bin/env python3
"""Inner loops of compiled AArch64 kernels, through llvm-mca.

Reads assembly files, takes from each function the loop densest in multiply-adds (a block between a label and a
branch back to it), and prints for each processor model: cycles and instructions per k, and the
share of the model's own peak of 128-bit multiply-adds. A loop unrolled over k counts by its multiply-adds: a
tile of R characters x V vectors does R V per k.
"""
import re
import subprocess
import sys

# 128-bit multiply-adds a cycle in llvm-mca's own models of these processors.
MODELS = {"neoverse-n1": 2, "neoverse-n2": 2, "neoverse-v1": 4, "cortex-a55": 1}
ITERATIONS = 300

LABEL = re.compile(r"^(\.?\w+):")
BRANCH = re.compile(r"^\s+(?:b\.?[a-z]{2}|cbn?z|tbn?z)\s+(?:[^.]*,\s*)?(\.L\w+)\s*$")
INSTRUCTION = re.compile(r"^\s+[a-z]")


def functions(path):
    """Name -> lines of each function in an assembly file."""
    found, current = {}, None
    for line in open(path):
        line = line.split("//")[0].rstrip()
        label = LABEL.match(line)
        if label and not label.group(1).startswith("."):
            current = found.setdefault(label.group(1), [])
        elif current is not None:
            current.append(line)
    return found


def loops_of(lines):
    """Instructions of each loop: a block between a label and a branch back to it."""
    place = {}
    for at, line in enumerate(lines):
        label, branch = LABEL.match(line), BRANCH.match(line)
        if label:
            place[label.group(1)] = at
        elif branch and branch.group(1) in place:
            yield [x for x in lines[place[branch.group(1)]:at + 1] if INSTRUCTION.match(x)]


def hottest_loop(lines, least, counted="fmla"):
    """(multiply-adds, instructions) of the loop densest in `counted` of those with at least that many, or None."""
    best = None
    for body in loops_of(lines):
        count = sum(counted in x for x in body)
        if count >= least and (best is None or count / len(body) > best[0] / len(best[1])):
            best = (count, body)
    return best


def cycles(body, model):
    """Cycles of one pass in the steady state."""
    run = subprocess.run(["llvm-mca-19", "-mtriple=aarch64", "-mattr=+dotprod,+i8mm", f"-mcpu={model}",
                          f"-iterations={ITERATIONS}"],
                         input="\n".join(body) + "\n", text=True, capture_output=True, check=True)
    return int(re.search(r"Total Cycles:\s+(\d+)", run.stdout).group(1)) / ITERATIONS


def report(title, path):
    """The least share of the full tiles, 0 where there are none. A tile that the table does not ask for has no loop."""
    shares = []
    for name, lines in sorted(functions(path).items()):
        tile = re.search(r"tile_(\d+)x(\d+)$", name)
        if not tile:
            continue
        rows, vectors = int(tile.group(1)), int(tile.group(2))
        hottest = hottest_loop(lines, rows * vectors)
        if not hottest:
            continue
        count, body = hottest
        steps = count / (rows * vectors)
        cells = []
        for model, peak in MODELS.items():
            took = cycles(body, model) / steps
            share = rows * vectors / peak / took
            cells.append(f"{took:6.2f} {100 * share:5.1f}%")
            if 20 <= rows * vectors <= 24 and peak == 2:
                shares.append(share)
        print(f"{title:9s} {rows} x {vectors:<2d} {len(body) / steps:6.1f}  {'   '.join(cells)}")
    return min(shares, default=0)


def main():
    print(f"{'':9s} {'tile':6s} {'insts/k':>7s}  " + "   ".join(f"{m:>13s}" for m in MODELS))
    print(f"{'':24s}  " + "   ".join("cyc/k  % peak" for _ in MODELS))
    least = {title: report(title, path) for title, path in (item.split("=", 1) for item in sys.argv[1:])}
    worst = min(share for title, share in least.items() if not title.startswith("a55"))
    print(f"least share of peak of the full tiles (20 to 24 accumulators), neoverse-n1 and -n2: {100 * worst:.1f} %")
    return 0 if worst >= 0.98 else 1


if __name__ == "__main__":
    sys.exit(main())
