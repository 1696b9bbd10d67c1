"""What training found in somebody's motion, as one page with pictures, before it trains.

The page shows the skeleton from the front and from the side with its joints by role, strips of
steps (figures, contacts, gait and phase of a stretch), which speeds in which directions the motion
has, and what it lacks. One file, SVG inside, no scripts. A strip keeps its size on a phone, and is
moved aside there.
"""

from __future__ import annotations

from html import escape

import numpy as np

from gallop import features, roles
from gallop.contract import Contract
from gallop.features import Take, planar

SECONDS = 8  # of a strip
STRIPS = 4
FIGURES = 24  # of a strip
PACES = (0.2, 0.6, 1.0, 1.4, 1.8, 2.5, 3.5, 4.5)  # m/s, edges of the columns
WAYS = ("ahead", "left", "back", "right")
ENOUGH = 5.0  # seconds of a way of moving that make it usable
COLOURS = {"Left": "#c0392b", "Right": "#2463b0", "": "#333333"}
GAITS = ("#b9c0c7", "#7fb77e", "#e08e45", "#8e6bbf", "#c94f7c")
STYLE = """body{font:15px/1.5 sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#222}
svg{background:#fafafa;border:1px solid #ddd;margin:.3em .6em .3em 0;max-width:100%;height:auto;
box-sizing:border-box}pre{background:#f4f4f4;padding:1em;white-space:pre-wrap}.none{color:#a33}
pre,p,h1{overflow-wrap:anywhere}table,.strip{display:block;overflow-x:auto}
.strip svg{min-width:700px}td,th{padding:.1em .7em;text-align:right;white-space:nowrap}
.key{white-space:nowrap}.key i{display:inline-block;width:.8em;height:.8em;margin-right:.3em}
@media(max-width:600px){pre{font-size:11px;padding:.6em}}"""


def page(name: str, found: str, takes: list[Take], contract: Contract) -> str:
    """The page: the folder's name, what was said of it (text), labelled takes, and the contract
    that was made of them."""
    seconds, own = coverage(takes, contract), [t for t in takes if not t.name.endswith("~")]
    take, frame = stillest(own)
    left, right = key(COLOURS["Left"], "left"), key(COLOURS["Right"], "right")
    gaits = ", ".join(key(c, escape(g)) for (g, _), c in zip(contract.gaits, GAITS))
    parts = [f"<h1>What was found in {escape(name)}</h1>", f"<pre>{escape(found)}</pre>",
             "<h2>The skeleton</h2>", _body(take, frame, contract, 2),
             _body(take, frame, contract, 0),
             f"<p>Where it moves least, in {escape(take.name)}: from the front (the left hand is "
             f"on the right) and from its left side (it looks to the right). Sides: {left}, "
             f"{right}. Rings are heels and toes.</p>",
             "<h2>Steps</h2>", *_strips(own, contract),
             f"<p>{SECONDS} seconds at most from where a clip moves, of the {STRIPS} that move "
             "longest. Figures from their left side, ahead is to the right. Bars: left heel, left "
             f"toe, right heel, right toe on the ground. Below them the gait ({gaits}) and the "
             "phase, whose line falls where the left foot comes down.</p>",
             "<h2>Speeds and directions</h2>", table(seconds),
             *(["<p>Every clip counts twice: its mirror image is used, too.</p>"]
               if len(own) < len(takes) else []),
             *(f'<p class="none">{escape(line)}</p>' for line in lacking(seconds))]
    return html(name, parts)


def html(name: str, parts: list[str]) -> str:
    """The parts as one page, on a phone as wide as that."""
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(name)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{STYLE}</style>{''.join(parts)}</html>\n")


def drawing(width: int, height: int, shapes: list[str]) -> str:
    """An SVG of that size; smaller, by one factor, where the page is narrower."""
    return (f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
            f"{''.join(shapes)}</svg>")


def key(colour: str, text: str) -> str:
    """A word of a legend behind its colour."""
    return f'<span class="key"><i style="background:{colour}"></i>{text}</span>'


def coverage(takes: list[Take], contract: Contract) -> np.ndarray:
    """Seconds [4, P + 1] of each way of moving (WAYS) at each pace; the first column stands."""
    out = np.zeros((len(WAYS), len(PACES) + 1))
    for take in takes:
        step = np.gradient(take.labels.path, axis=0) * contract.rate * contract.unit
        seen = planar(step[:, None], take.labels.facing)[:, 0]
        way = np.round(np.arctan2(seen[:, 0], seen[:, 1]) / (np.pi / 2)).astype(int) % 4
        pace = np.digitize(np.linalg.norm(step, axis=-1), PACES)
        np.add.at(out, (np.where(pace == 0, 0, way)[take.keep], pace[take.keep]), 1 / contract.rate)
    return out


def lacking(seconds: np.ndarray) -> list[str]:
    """What the motion has too little of, in words."""
    said = []
    if seconds[0, 0] < ENOUGH:
        said.append(f"It stands for {seconds[0, 0]:.1f} s: it will not stand well.")
    for way, row in zip(WAYS, seconds[:, 1:].sum(1)):
        if row < ENOUGH:
            said.append(f"It goes {way} for {row:.1f} s: the controller will not do that well.")
    return said


def stillest(takes: list[Take]) -> tuple[Take, int]:
    """The take and its frame in which the joint that moves most moves least."""
    best = (np.inf, takes[0], len(takes[0]) // 2)
    for take in takes:
        way, _ = features.joint_motion(take)
        way = np.where(take.keep[1:] & take.keep[:-1], way, np.inf)
        if len(way) and way.min() < best[0]:
            best = (way.min(), take, int(way.argmin()) + 1)
    return best[1], best[2]


def _seen(take: Take, frame: int, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of a frame's joints across and up, from under the first one, seen from the left side
    (axis 0) or from the front (2)."""
    away = take.position[frame] - take.position[frame, 0] * [1, 0, 1]
    c, s = np.cos(-take.labels.facing[frame]), np.sin(-take.labels.facing[frame])
    away = away @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T
    return (away[:, 2] if axis == 0 else away[:, 0]), away[:, 1]


def _sides(contract: Contract) -> list[str]:
    """The side of each joint, a key of COLOURS."""
    legs = {joint: side for leg, side in zip(contract.legs, ("Left", "Right")) for joint in leg}
    names = [j.name for j in contract.joints]
    prefix = roles.shared_prefix(names)
    return [legs.get(n) or roles.split_side(n.removeprefix(prefix))[0].capitalize() for n in names]


def _bones(contract: Contract, x: np.ndarray, y: np.ndarray, width: float) -> list[str]:
    return [f'<path d="M{x[p]:.1f} {y[p]:.1f}L{x[j]:.1f} {y[j]:.1f}" stroke="{COLOURS[side]}" '
            f'stroke-width="{width:g}"/>'
            for j, (p, side) in enumerate(zip(contract.parents(), _sides(contract))) if p >= 0]


def _body(take: Take, frame: int, contract: Contract, axis: int, size: int = 340) -> str:
    """The pose of a frame."""
    across, up = _seen(take, frame, axis)
    scale = 0.85 * size / max(np.ptp(up), 1e-6)
    x, y = size / 2 + scale * across, size * 0.95 - scale * (up - up.min())
    feet = {name for leg in contract.legs for name in leg[2:]}
    out = _bones(contract, x, y, 3)
    out += [f'<circle cx="{x[j]:.1f}" cy="{y[j]:.1f}" r="{6 if joint.name in feet else 2.5}" '
            f'fill="{"none" if joint.name in feet else "#111"}" stroke="#111">'
            f"<title>{escape(joint.name)}</title></circle>"
            for j, joint in enumerate(contract.joints)]
    return drawing(size, size, out)


def _film(take: Take, contract: Contract, frames: np.ndarray, width: int, height: int = 76) -> str:
    """Figures from the side, evenly over the frames, on a common floor."""
    tall = max(float(np.percentile(take.position[frames][..., 1].max(1), 95)), 1e-6)
    out = []
    for i, frame in enumerate(frames[:: max(len(frames) // FIGURES, 1)][:FIGURES]):
        across, up = _seen(take, int(frame), 0)
        scale = 0.9 * height / tall
        x = (i + 0.5) * width / FIGURES + scale * across
        out += _bones(contract, x, height - 2 - scale * up, 1.2)
    return drawing(width, height, out)


def _strips(takes: list[Take], contract: Contract) -> list[str]:
    """The first seconds that move of some takes, those that move longest first."""
    def moves(take: Take) -> np.ndarray:
        return np.flatnonzero(take.keep & (take.labels.gait[:, 0] < 0.5))

    longest = sorted(takes, key=lambda t: -len(moves(t)))[:STRIPS]
    return [_strip(t, contract, moves(t)) for t in longest]


def titled(name: str, seconds: float, pictures: str) -> str:
    """A strip's pictures under the name of its clip and how much of it they show."""
    return f'<p>{escape(name)}, {seconds:.1f} s</p><div class="strip">{pictures}</div>'


def _strip(take: Take, contract: Contract, moves: np.ndarray, width: int = 900) -> str:
    """A stretch from where it moves: figures, and below them contacts, gait and phase."""
    begin = int(moves[0]) if len(moves) else 0
    kept = np.flatnonzero(take.keep)
    last = int(kept[-1]) + 1 if len(kept) else len(take)
    frames = np.arange(begin, min(begin + int(SECONDS * contract.rate), last))
    film = _film(take, contract, frames, width)
    x = width / max(len(frames), 1)
    out = []
    for row in range(4):
        on = take.labels.contacts[frames, row]
        edge = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
        colour = COLOURS["Left" if row < 2 else "Right"]
        out += [f'<rect x="{a * x:.1f}" y="{4 + 12 * row}" width="{(b - a) * x:.1f}" height="9" '
                f'fill="{colour}"/>' for a, b in edge.reshape(-1, 2)]
    gait = take.labels.gait[frames].argmax(1)
    edge = np.concatenate([[0], np.flatnonzero(np.diff(gait)) + 1, [len(gait)]])
    out += [f'<rect x="{a * x:.1f}" y="56" width="{(b - a) * x:.1f}" height="8" '
            f'fill="{GAITS[gait[a]]}"/>' for a, b in zip(edge[:-1], edge[1:]) if b > a]
    phase = take.labels.phase[frames] % 1.0
    line = " ".join(f"{i * x:.1f},{96 - 26 * p:.1f}" for i, p in enumerate(phase))
    out.append(f'<polyline points="{line}" fill="none" stroke="#555"/>')
    return titled(take.name, len(frames) / contract.rate, film + drawing(width, 100, out))


def table(seconds: np.ndarray) -> str:
    """The coverage as a table, and what is in none of its ways under it."""
    heads = [f"{a:g}-{b:g}" for a, b in zip(PACES, PACES[1:])] + [f"over {PACES[-1]:g}"]
    lines = ["<tr><th>seconds at m/s</th>" + "".join(f"<th>{h}</th>" for h in heads) + "</tr>"]
    for way, row in zip(WAYS, seconds[:, 1:]):
        cells = (f'<td style="background:rgba(36,99,176,{min(v / 60, 1) * 0.5:.2f})">{v:.0f}</td>'
                 for v in row)
        lines.append(f"<tr><th>{way}</th>{''.join(cells)}</tr>")
    return (f"<table>{''.join(lines)}</table><p>{seconds[0, 0]:.0f} s more are slower than "
            f"{PACES[0]:g} m/s: it stands, or turns on the spot.</p>")
