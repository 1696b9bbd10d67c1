#!/usr/bin/env python3
"""The int8 tiles by static model: integers.py INTERLEAVE.s "COMPILER TABLE=FILE.s" ...

FILE is a compiled k_neon_{narrow,dot,i8mm}.c for the table base, dot or i8mm, INTERLEAVE a compiled gemm.c. Prints

- the inner loops of all tiles of integer products (gallop/gemm.h), with what llvm-mca says of them;
- which of their two strategies wins for which shape: the cycles of its tiles and those of interleaving A;
- the tiles of layers in int8, by rows and in blocks of 32 with what closes a block.
"""
import re
import sys

from loops import cycles, functions, hottest_loop, loops_of

# Multiply-adds a cycle by sdot in llvm-mca's models, which smmla may pass.
PEAK = {"neoverse-n1": 32, "neoverse-n2": 32, "neoverse-v1": 64}
TABLES = {  # the counted instruction, its multiply-adds, rows in a word, inputs in a word
    "base": ("sadalp", 8, 1, 2),
    "dot": ("sdot", 16, 1, 4),
    "i8mm": ("smmla", 32, 2, 8),
}
VECTORS = {"interleaved": 3, "native": 4}
LANES = 4
TILE = re.compile(r"gali_gemm_(interleaved|native)_(\d)$")
LAYER = re.compile(r"gali_(i8_row|i8_blocks)_([1-8])x([34])$")
SHAPES = [(rows, columns) for columns in (12, 16, 48, 256, 1024) for rows in (1, 2, 3, 4, 5, 8, 12, 16, 64)]


class Tile:
    """A tile's loop: cycles per input k by model."""

    def __init__(self, table: str, strategy: str, rows: int, lines: list[str]) -> None:
        name, each, pair, _ = TABLES[table]
        self.columns = VECTORS[strategy] * LANES
        counted = (rows + pair - 1) // pair * pair * self.columns
        count, body = hottest_loop(lines, 1, name)
        self.inputs = count * each // counted  # k in a pass
        self.instructions = len(body) / self.inputs
        self.rows = rows
        self.cycles = {model: cycles(body, model) / self.inputs for model in PEAK}

    def share(self, model: str) -> float:
        return self.rows * self.columns / self.cycles[model] / PEAK[model]


def tiles_of(table: str, path: str) -> dict[tuple[str, int], Tile]:
    found = {}
    for name, lines in functions(path).items():
        tile = TILE.match(name)
        if tile and hottest_loop(lines, 1, TABLES[table][0]):
            strategy, rows = tile.group(1), int(tile.group(2))
            found[strategy, rows] = Tile(table, strategy, rows, lines)
    return found


def print_tiles(title: str, tiles: dict[tuple[str, int], Tile]) -> None:
    for (strategy, rows), tile in sorted(tiles.items()):
        cells = "   ".join(f"{tile.cycles[m]:6.2f} {100 * tile.share(m):5.1f}%" for m in PEAK)
        print(f"{title:11s} {strategy:11s} {rows} x {tile.columns:<2d} {tile.instructions:6.1f}  {cells}")


def spread_cycles(path: str, table: str) -> dict[str, float]:
    """Cycles a word of interleaving A: the loop whose store is a word's half, full or double."""
    stores = {2: r"\sstrh\s", 4: r"\sstr\s+w", 8: r"\sstr\s+x"}
    lines = functions(path)["gali_gemm_interleave"]
    body = next(b for b in loops_of(lines) if len(b) < 12 and any(re.search(stores[TABLES[table][3]], x) for x in b))
    return {model: cycles(body, model) for model in PEAK}


def split(rows: int, most: int) -> list[int]:
    """As src/gemm/gemm.c cuts rows into tiles."""
    tiles = -(-rows // most)
    return [rows * (i + 1) // tiles - rows * i // tiles for i in range(tiles)]


def shape_cycles(tiles: dict[tuple[str, int], Tile], strategy: str, rows: int, columns: int, model: str) -> float:
    """Cycles per input k."""
    most = max(r for s, r in tiles if s == strategy)
    panels = -(-columns // (VECTORS[strategy] * LANES))
    return panels * sum(tiles[strategy, size].cycles[model] for size in split(rows, most))


def print_shapes(title: str, tiles: dict[tuple[str, int], Tile], spread: dict[str, float], model: str) -> None:
    print(f"\n{title}, {model}: cycles per input of interleaved (A's interleaving in them) / of native")
    columns = sorted({n for _, n in SHAPES})
    print("rows   " + "".join(f"{f'{n} columns':>14s}" for n in columns))
    for rows in sorted({r for r, _ in SHAPES}):
        line = f"{rows:4d}   "
        for n in columns:
            packing = rows * spread[model] / TABLES[title.split()[1]][3]
            interleaved = packing + shape_cycles(tiles, "interleaved", rows, n, model)
            line += f"{interleaved / shape_cycles(tiles, 'native', rows, n, model):14.2f}"
        print(line)


def print_layers(title: str, path: str) -> None:
    counted, each, pair, _ = TABLES[title.split()[1]]
    for name, lines in sorted(functions(path).items()):
        tile = LAYER.match(name)
        loops = [body for body in loops_of(lines) if any(counted in x for x in body)]
        if not tile or not loops:
            continue
        body = max(loops, key=lambda x: sum(counted in line for line in x))
        rows, columns = int(tile.group(2)), int(tile.group(3)) * LANES
        inputs = sum(counted in x for x in body) * each / ((rows + pair - 1) // pair * pair * columns)
        cells = []
        for model in PEAK:
            took = cycles(body, model) / inputs
            cells.append(f"{took:6.2f} {100 * rows * columns / took / PEAK[model]:5.1f}%")
        print(f"{title:11s} {tile.group(1):11s} {rows} x {columns:<2d} {len(body) / inputs:6.1f}  {'   '.join(cells)}")


def main() -> int:
    kernels = sys.argv[1]
    compiled = [(title, tiles_of(title.split()[1], path)) for title, path in (x.split("=", 1) for x in sys.argv[2:])]
    print(f"{'':23s} {'tile':6s} {'insts/k':>7s}  " + "   ".join(f"{m:>13s}" for m in PEAK))
    print(f"{'':38s}  " + "   ".join("cyc/k  % sdot" for _ in PEAK))
    for title, tiles in compiled:
        print_tiles(title, tiles)
    for title, tiles in compiled:
        for model in PEAK:
            if title.startswith("gcc"):
                print_shapes(title, tiles, spread_cycles(kernels, title.split()[1]), model)
    print("\nlayers in int8")
    for title, path in (x.split("=", 1) for x in sys.argv[2:]):
        print_layers(title, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
