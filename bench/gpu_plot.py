"""Pictures of what was measured of a device's kernels, as SVG.

python bench/gpu_plot.py log TUNE.log OUT.svg           candidates of each task of gallop tune --target opencl
python bench/gpu_plot.py operators TEXT OUT.svg         what bench_gpu_operators printed: buffers beside images
"""

import json
import math
import re
import sys
from pathlib import Path

WIDTH, LEFT, ROW, TOP = 760, 270, 26, 44
KINDS = {"few": "#2a6f97", "tile": "#e07a1f", "image": "#7a7a7a"}
VARIANTS = {"buffer_divided": "#2a6f97", "image": "#e07a1f", "image_divided": "#b9b9b9"}
NAMES = {
    "buffer_divided": "buffers",
    "image": "images",
    "image_divided": "images, addresses divided out",
}


def page(rows: int, title: str, body: list[str]) -> str:
    height = TOP + ROW * rows + 34
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12"><rect width="{WIDTH}" height="{height}" fill="#fff"/>'
        f'<text x="10" y="18" font-size="14">{title}</text>'
    )
    return head + "".join(body) + "</svg>\n"


def legend(names: dict[str, str], colours: dict[str, str]) -> list[str]:
    parts, x = [], LEFT
    for key, colour in colours.items():
        parts.append(
            f'<circle cx="{x}" cy="32" r="4" fill="{colour}"/><text x="{x + 8}" y="36">{names[key]}</text>'
        )
        x += 20 + 7 * len(names[key])
    return parts


def axis(rows: int, most: float, unit: str) -> list[str]:
    """Marks of a logarithmic axis from 1 to most, at powers of two."""
    parts, bottom = [], TOP + ROW * rows
    for power in range(math.ceil(math.log2(most)) + 1):
        x = place(2**power, most)
        parts.append(
            f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#ddd"/>'
        )
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{2**power}</text>'
        )
    parts.append(
        f'<text x="{WIDTH - 10}" y="{bottom + 29}" text-anchor="end">{unit}</text>'
    )
    return parts


def place(value: float, most: float) -> float:
    return LEFT + (WIDTH - LEFT - 30) * math.log(value) / math.log(
        2 ** math.ceil(math.log2(most))
    )


def of_log(text: str) -> str:
    """A row of dots for each task: times of its candidates, of its fastest's."""
    tasks: dict[str, dict[str, tuple[int, float]]] = {}
    for line in text.splitlines():
        r = json.loads(line)
        if "seconds" in r:
            name = r.get("layer", r.get("group", ""))
            name = re.sub(r", 4 experts, blended", "", name) + (
                f", {r['characters']} rows" if "characters" in r else ""
            )
            times = tasks.setdefault(name, {})
            old = times.get(r["schedule"], (0, 0.0))
            times[r["schedule"]] = max(
                old, (r["pairs"], r["seconds"]), key=lambda t: t[0]
            )
    most = max(
        max(t for _, t in c.values()) / min(t for _, t in c.values())
        for c in tasks.values()
    )
    body = legend(
        {
            "few": "few rows, no tile",
            "tile": "tile",
            "image": "tile, operands as images",
        },
        KINDS,
    )
    body += axis(len(tasks), most, "times the fastest")
    for i, (name, candidates) in enumerate(tasks.items()):
        y, best = TOP + ROW * i + ROW / 2, min(t for _, t in candidates.values())
        body.append(
            f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{name}: {best * 1e6:.1f} us</text>'
        )
        for schedule, (_, seconds) in candidates.items():
            plain = schedule.startswith("few") or schedule.endswith("none")
            kind = "few" if schedule.startswith("few") else "tile" if plain else "image"
            x = place(seconds / best, most)
            body.append(
                f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{KINDS[kind]}" fill-opacity="0.6"/>'
            )
    return page(len(tasks), "Candidates that were measured", body)


def of_operators(text: str) -> str:
    times: dict[str, dict[str, float]] = {}
    for operator, variant, us in re.findall(
        r"^(\w+) +(\w+) +([\d.]+) us", text, re.MULTILINE
    ):
        times.setdefault(operator, {})[variant] = float(us)
    most = max(t[v] / min(t.values()) for t in times.values() for v in VARIANTS)
    body = legend(NAMES, VARIANTS) + axis(len(times), most, "times the fastest")
    for i, (operator, variants) in enumerate(times.items()):
        y, best = TOP + ROW * i + ROW / 2, min(variants.values())
        body.append(
            f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{operator}: {best:.1f} us</text>'
        )
        for variant, colour in VARIANTS.items():
            body.append(
                f'<circle cx="{place(variants[variant] / best, most):.1f}" cy="{y}" r="5" fill="{colour}"/>'
            )
    return page(len(times), "Operators through buffers and images", body)


def main() -> int:
    if len(sys.argv) != 4 or sys.argv[1] not in ("log", "operators"):
        print(__doc__)
        return 2
    text = Path(sys.argv[2]).read_text()
    Path(sys.argv[3]).write_text(
        of_log(text) if sys.argv[1] == "log" else of_operators(text)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
