#!/usr/bin/env python3
"""SVG plots from the bench's CSV files, with the standard library alone.

    bench/plot.py FOLDER

Writes beside each NETWORK.csv of the folder NETWORK-hot.svg and NETWORK-cold.svg (time per character over characters
a call, every engine of float32), NETWORK-hot-narrow.svg and NETWORK-cold-narrow.svg (ours of every precision), and
beside layers.csv roofline.svg (GFLOP/s over arithmetic intensity: one dot for each layer and count, under the
machine's own measured roof; where schedules were searched for, one for each method as well).
"""
import argparse
import csv
import math
import pathlib

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 790, 460, 70, 220, 40, 50
COLOURS = ["#d62728", "#ff9896", "#7f7f7f", "#c7c7c7", "#8c564b", "#bcbd22", "#17becf", "#1f77b4", "#2ca02c",
           "#9467bd", "#e377c2", "#ff7f0e", "#393b79", "#5254a3", "#637939", "#8c6d31", "#843c39", "#7b4173", "#3182bd",
           "#e6550d", "#31a354", "#756bb1", "#636363"]
# Ours warm, the ruler black, the peers cool: colour and dashes of an engine, the same in every plot.
STYLES = {"gallop": ("#d62728", ""), "gallop tuned": ("#d62728", "2 3"), "gallop blend": ("#ff7f0e", ""),
          "gallop avx2": ("#e377c2", ""), "Eigen naive": ("#000000", ""), "Eigen naive -Ofast": ("#000000", "2 3"),
          "Eigen blend": ("#7f7f7f", "6 3"), "Eigen InterpA": ("#7f7f7f", ""), "OpenBLAS": ("#bcbd22", ""),
          "BLIS": ("#9467bd", ""), "oneDNN": ("#1f77b4", ""), "libxsmm": ("#2ca02c", ""), "XNNPACK": ("#17becf", ""),
          "ONNX Runtime": ("#8c564b", ""), "gallop int16": ("#1f77b4", ""), "gallop avx2 int16": ("#1f77b4", "6 3"),
          "gallop int8": ("#17becf", ""), "gallop avx2 int8": ("#17becf", "6 3"), "gallop int8-dot": ("#2ca02c", ""),
          "gallop int8 row": ("#bcbd22", ""), "gallop bf16": ("#9467bd", ""), "gallop bf16-dot": ("#9467bd", "2 3"),
          "gallop fp16": ("#8c564b", "")}


def read(path):
    """(facts from the comment lines, rows) of a results file; where all that is ours is for AVX2, without that word."""
    facts, lines = {}, []
    for line in open(path):
        if line.startswith("#"):
            key, _, value = line[1:].partition(":")
            facts[key.strip()] = value.strip()
        else:
            lines.append(line)
    rows = list(csv.DictReader(lines))
    if any(r["engine"].startswith("compiled avx2") for r in rows):
        rows = [{**r, "engine": r["engine"].replace(" avx2", "")} for r in rows if r["engine"] != "gallop"]
        facts["processor"] = f"{facts.get('processor', '')}, AVX2"
    return facts, rows


class Plot:
    """Logarithmic axes, lines, dots, a legend at the right."""

    def __init__(self, title, x_label, y_label, x_range, y_range):
        self.x_range, self.y_range = x_range, y_range
        self.parts, self.legend = [], []
        self.text(LEFT, 24, title, size=15)
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label, anchor="middle")
        self.parts.append(f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" '
                          f'text-anchor="middle" font-size="12">{y_label}</text>')

    def at(self, x, y):
        def place(value, span, low, high):
            return low + (high - low) * math.log(value / span[0]) / math.log(span[1] / span[0])
        return place(x, self.x_range, LEFT, WIDTH - RIGHT), place(y, self.y_range, HEIGHT - BOTTOM, TOP)

    def text(self, x, y, words, size=12, anchor="start", colour="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                          f'fill="{colour}">{words}</text>')

    def grid(self, xs, ys):
        for x in xs:
            px, _ = self.at(x, self.y_range[0])
            self.parts.append(f'<path d="M{px:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>')
            self.text(px, HEIGHT - BOTTOM + 16, f"{x:g}", anchor="middle", size=11)
        for y in ys:
            _, py = self.at(self.x_range[0], y)
            self.parts.append(f'<path d="M{LEFT} {py:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
            self.text(LEFT - 6, py + 4, f"{y:g}", anchor="end", size=11)

    def line(self, points, colour, name=None, dash="", width=1.6):
        path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in (self.at(*p) for p in points))
        self.parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
                          f'stroke-dasharray="{dash}"/>')
        if name:
            self.legend.append((name, colour, dash))

    def dot(self, x, y, colour, name=None):
        px, py = self.at(x, y)
        self.parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}" fill-opacity="0.8"/>')
        if name:
            self.legend.append((name, colour, None))

    def write(self, path):
        for i, (name, colour, dash) in enumerate(self.legend):
            x, y = WIDTH - RIGHT + 14, TOP + 10 + 18 * i
            self.parts.append(f'<circle cx="{x + 10}" cy="{y - 3}" r="3.5" fill="{colour}"/>' if dash is None else
                              f'<path d="M{x} {y - 3}h20" stroke="{colour}" stroke-width="2.5" '
                              f'stroke-dasharray="{dash}"/>')
            self.text(x + 26, y + 1, name, size=11)
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                        f'font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>\n'
                        + "\n".join(self.parts) + "\n</svg>\n")
        print(path)


def decade_ticks(low, high):
    ticks = [m * 10.0 ** e for e in range(-3, 7) for m in (1, 2, 5)]
    return [t for t in ticks if low <= t <= high]


def is_narrow(engine):
    return engine.startswith("gallop ") and any(word in engine for word in ("int", "fp16", "bf16"))


def latency(title, facts, rows, path):
    """One line an engine; the legend stands in the lines' order at the right."""
    engines = list(dict.fromkeys(r["engine"] for r in rows))
    points = {e: [(int(r["count"]), float(r["median_us"]) / int(r["count"])) for r in rows if r["engine"] == e]
              for e in engines}
    values = [y for p in points.values() for _, y in p]
    counts = sorted({int(r["count"]) for r in rows})
    if len(counts) < 2:
        return
    span = (min(values) / 1.15, max(values) * 1.15)
    plot = Plot(f"{title}: {facts.get('processor', '')}", "characters a call", "microseconds a character",
                (counts[0], counts[-1]), span)
    plot.grid(counts, decade_ticks(*span))
    others = iter([c for c in COLOURS if c not in {colour for colour, _ in STYLES.values()}] * 2)
    for engine in sorted(engines, key=lambda e: -points[e][-1][1]):
        colour, dash = STYLES.get(engine) or (next(others), "")
        plot.line(points[engine], colour, engine, dash, width=3 if engine == "gallop" else 1.6)
    plot.write(path)


def latencies(file, facts, rows):
    for cache, where in (("hot", "in cache"), ("cold", "in memory")):
        those = [r for r in rows if r["cache"] == cache]
        narrow = [r for r in those if is_narrow(r["engine"])]
        title = f"{rows[0]['network']}, weights {where}"
        latency(title, facts, [r for r in those if r not in narrow], file.with_name(f"{file.stem}-{cache}.svg"))
        if narrow:
            own = [r for r in those if r in narrow or r["engine"] in ("gallop", "gallop avx2", "Eigen naive")]
            latency(f"{title}, by precision", facts, own, file.with_name(f"{file.stem}-{cache}-narrow.svg"))


def roofline(facts, rows, path):
    methods = ("gallop", "compiled") if any("template" in r["engine"] for r in rows) else ("gallop",)
    dots = [r for r in rows if r["engine"].startswith(methods) and r["cache"] == "hot"]
    if len(methods) == 1:
        dots = [r for r in dots if r["engine"] == "gallop"]
    kind = "network" if len(methods) == 1 else "engine"
    peaks = [float(v.split()[0]) for k, v in facts.items() if k.startswith("peak")]
    reads = [(k[5:], float(v.split()[0])) for k, v in facts.items() if k.startswith("read")]
    if not dots or not peaks:
        return
    low, high = min(float(r["intensity"]) for r in dots) / 2, max(float(r["intensity"]) for r in dots) * 2
    bottom = min(float(r["gflops"]) for r in dots) / 1.6
    what = "layer and count" if kind == "network" else "layer, count and method"
    plot = Plot(f"Roofline, one dot a {what}: {facts.get('processor', '')}",
                "FLOP a byte of weights (an FMA is 2)", "GFLOP/s", (low, high), (bottom, peaks[0] * 1.4))
    plot.grid([t for t in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128) if low <= t <= high],
              decade_ticks(bottom, peaks[0] * 1.4))
    for i, (level, rate) in enumerate(reads):
        start, corner = max(low, bottom / rate), min(peaks[0] / rate, high)
        plot.line([(start, start * rate), (corner, corner * rate)], COLOURS[2 + i], f"{level}: {rate:g} GB/s", dash="5 3")
    plot.line([(low, peaks[0]), (high, peaks[0])], "#222", f"peak: {peaks[0]:g} GFLOP/s")
    names = list(dict.fromkeys(r[kind] for r in dots))
    for i, name in enumerate(names):
        aside = 1.012 ** (i - len(names) / 2)
        for j, r in enumerate(r for r in dots if r[kind] == name):
            plot.dot(float(r["intensity"]) * aside, float(r["gflops"]), COLOURS[(7 + i) % len(COLOURS)],
                     name if j == 0 else None)
    plot.write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    for file in sorted(parser.parse_args().folder.glob("*.csv")):
        facts, rows = read(file)
        if file.stem == "layers":
            roofline(facts, rows, file.with_name("roofline.svg"))
            continue
        latencies(file, facts, rows)


if __name__ == "__main__":
    main()
