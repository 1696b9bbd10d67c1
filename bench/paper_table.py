#!/usr/bin/env python3
"""Table 3 of the paper from the bench's CSV files, on the standard output.

    bench/paper_table.py FOLDER

Microseconds a call and, in brackets, how many times as fast as the Eigen baseline (`Eigen naive`, -march=native): for
each NETWORK.csv of the folder a table of engines by characters a call; of layers.csv the share of the roof.
"""
import argparse
import pathlib

from plot import read

ROWS = {
    "Eigen naive -Ofast": "Eigen InterpB, the authors' flags",
    "Eigen naive": "Eigen InterpB, -march=native",
    "Eigen InterpA": "Eigen InterpA",
    "compiled InterpB": "hand schedule, InterpB",
    "compiled InterpA": "hand schedule, InterpA",
    "compiled InterpA+K": "hand schedule, InterpA, inner kernel",
    "compiled template InterpB": "template, InterpB",
    "compiled template InterpA": "template, InterpA",
    "compiled auto InterpB": "auto, InterpB",
    "compiled auto InterpA": "auto, InterpA",
    "gallop": "the runtime",
}


def print_rows(title: str, rows: list[dict[str, str]], columns: list[str], cells: dict[tuple[str, str], str]) -> None:
    measured = {r["engine"] for r in rows}
    print(f"\n{title:40}" + "".join(f"{c:>18}" for c in columns))
    for engine, words in ROWS.items():
        if engine in measured:
            print(f"{words:40}" + "".join(f"{cells.get((engine, c), '-'):>18}" for c in columns))


def network_table(rows: list[dict[str, str]]) -> None:
    cells = {(r["engine"], f"C = {r['count']}"): f"{float(r['median_us']):.0f} ({float(r['ratio']):.2f})" for r in rows}
    columns = list(dict.fromkeys(f"C = {r['count']}" for r in rows))
    print_rows(f"{rows[0]['network']}: us (times Eigen native)", rows, columns, cells)


def layer_table(rows: list[dict[str, str]]) -> None:
    for layer in dict.fromkeys(r["network"] for r in rows):
        own = [r for r in rows if r["network"] == layer]
        cells = {(r["engine"], f"C = {r['count']}"): f"{100 * float(r['share']):.0f} %" for r in own}
        columns = list(dict.fromkeys(f"C = {r['count']}" for r in own))
        print_rows(f"{layer}: share of the roof", own, columns, cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for name, table in (("paper", network_table), ("mirror", network_table), ("layers", layer_table)):
        table(read(folder / f"{name}.csv")[1])


if __name__ == "__main__":
    main()
