"""Loss curves as SVG: python -m gallop.plot CURVE.csv OUT.svg [TITLE]."""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 400, 60, 130, 36, 44
COLOURS = ("#1b1b1b", "#2463b0", "#c0392b", "#2e8b57", "#b8860b", "#7d3c98", "#17858a", "#d35400",
           "#5d6d7e", "#a93226")


def read(path: Path) -> tuple[list[float], dict[str, list[float | None]]]:
    """Steps and columns of a curve; empty cells are None."""
    with path.open(newline="") as f:
        rows = list(csv.DictReader(f))
    steps = [float(r["step"]) for r in rows]
    names = [n for n in rows[0] if n != "step"]
    return steps, {n: [float(r[n]) if r[n] else None for r in rows] for n in names}


def smooth(values: list[float | None], count: int) -> list[float | None]:
    """Means over `count` neighbours; a gap stays a gap."""
    out: list[float | None] = []
    for i, v in enumerate(values):
        near = [w for w in values[max(0, i - count) : i + count + 1] if w is not None]
        out.append(None if v is None else sum(near) / len(near))
    return out


def label(x: float, y: float, text: str, anchor: str) -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def draw(steps: list[float], columns: dict[str, list[float | None]], title: str) -> str:
    """An SVG with a logarithmic y axis, one line a column."""
    shown = {n: smooth(v, 4) for n, v in columns.items()
             if n != "decay" and any(x for x in v)}
    values = [x for v in shown.values() for x in v if x and x > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    last = max(steps)

    def x(step: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / last

    def y(value: float) -> float:
        part = (math.log10(max(value, 10.0**low)) - low) / (high - low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="20" font-size="15">{title}</text>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(label(LEFT - 8, at + 4, f"{10.0**power:g}", "end"))
    for i in range(6):
        step = last * i / 5
        out.append(label(x(step), HEIGHT - 24, f"{step:.0f}", "middle"))
    out.append(label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "step", "middle"))
    for number, (name, column) in enumerate(shown.items()):
        colour, pen, path = COLOURS[number % len(COLOURS)], "M", []
        for step, value in zip(steps, column):
            if value is None or value <= 0:
                pen = "M"
                continue
            path.append(f"{pen}{x(step):.1f} {y(value):.1f}")
            pen = "L"
        out.append(f'<path d="{"".join(path)}" fill="none" stroke="{colour}" stroke-width="1.4"/>')
        at = TOP + 16 * number + 8
        out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{at}" fill="{colour}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main() -> int:
    """Read the CSV, write the SVG."""
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    steps, columns = read(Path(sys.argv[1]))
    title = sys.argv[3] if len(sys.argv) == 4 else Path(sys.argv[1]).stem
    Path(sys.argv[2]).write_text(draw(steps, columns, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
