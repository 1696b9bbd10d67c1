"""What was found in somebody's motion of a quadruped: as text, and as a page with pictures.

The skeleton from the side and from above with its legs, strips of steps (feet on the ground, gait,
phase of a hind leg), which speeds in which directions the motion has, and what it lacks.
"""

from __future__ import annotations

from html import escape

import numpy as np
from scipy.ndimage import median_filter

from gallop import found_page
from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data
from gallop.dog import features as dog_features
from gallop.dog.clean import Clip
from gallop.quadruped.roles import LIMBS
from gallop.quadruped.takes import Found, coverage, made_up_for, stands

GAITS = ("stands", "walks", "trots", "paces", "gallops", "other")
GAIT_COLOURS = ("#b9c0c7", "#7fb77e", "#e08e45", "#8e6bbf", "#c94f7c", "#dddddd")
COLOURS = {"front_right": "#2463b0", "front_left": "#c0392b", "hind_right": "#6fa3e0",
           "hind_left": "#e39a8f"}
SECONDS, STRIPS, ENOUGH = 6, 4, 5.0
TOGETHER = 0.12  # turns: feet that come down nearer to each other in time go together


def gaits(clip: Clip) -> np.ndarray:
    """Each frame's gait [T], an index of GAITS: by which feet go together, and for how long they
    are on the ground."""
    both, _ = dog_features.phases(clip.contact)
    angle = np.arctan2(both[..., 1], both[..., 0]) / (2 * np.pi)
    sure = np.linalg.norm(both, axis=-1).min(1) > 0.3
    front_right, front_left, hind_right, hind_left = np.moveaxis(angle, 1, 0)

    def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.abs((a - b + 0.5) % 1.0 - 0.5)

    diagonal = np.maximum(apart(front_right, hind_left), apart(front_left, hind_right))
    lateral = np.maximum(apart(front_right, hind_right), apart(front_left, hind_left))
    pairs = np.maximum(apart(front_right, front_left), apart(hind_right, hind_left))
    duty = _share(clip.contact.mean(1), 30)
    speed = np.linalg.norm(dog_data.velocity(clip, 15.0), axis=1)
    out = np.full(len(clip), GAITS.index("other"))
    out[sure & (duty >= 0.5)] = GAITS.index("walks")
    out[sure & (lateral < TOGETHER)] = GAITS.index("paces")
    out[sure & (diagonal < TOGETHER)] = GAITS.index("trots")
    out[sure & (pairs < 0.3) & (duty < 0.5)] = GAITS.index("gallops")
    out[(speed < 6) & (duty > 0.9) | stands(clip)] = GAITS.index("stands")
    return median_filter(out, 21)


def _share(values: np.ndarray, count: int) -> np.ndarray:
    return np.convolve(np.pad(values, count, "edge"), np.ones(2 * count + 1) / (2 * count + 1),
                       "valid")


def own(found: Found) -> list[Clip]:
    """The takes that the files show: no mirror images, nothing made."""
    return found.takes[: found.shown]


def describe(found: Found) -> str:
    """What was found, before anything is trained."""
    body, clips = found.body, own(found)
    rates = sorted({round(1 / f.frame_time) for f in found.used})
    lines = [f"{len(found.files)} files of a quadruped; {len(found.used)} share the skeleton used "
             f"({len(found.used[0].joints)} joints, {len(body.skeleton.names)} kept, on "
             f"{len(body.owner)} hinges), {'/'.join(map(str, rates))} frames a second"]
    lines += [f"left out, {why}: {', '.join(names)}" for why, names in found.left_out.items()
              if names]
    lines.append(found.roles.describe())
    shown = np.bincount(np.concatenate([gaits(c)[c.keep] for c in clips]), minlength=len(GAITS))
    lines.append("  " + ", ".join(f"{name} {count / clips[0].rate:.0f} s"
                                  for name, count in zip(GAITS, shown) if count))
    unit, rules = found.contract.unit, found.contract.rules
    kept = sum(int(c.keep.sum()) for c in clips) / clips[0].rate
    total = sum(len(c) for c in clips) / clips[0].rate
    made = len(found.takes) - len(found.clips()) - 1  # and one at rest
    lines.append(f"  {total:.0f} s of motion, {kept:.0f} of them on its legs; walks at "
                 f"{rules['speed_walk'] * 60 * unit:.2f} m/s, runs at "
                 f"{rules['speed_run'] * 60 * unit:.2f} m/s; a unit is {100 * unit:.3g} cm")
    lines.append(f"  {'with' if found.mirrored else 'without'} mirror images; "
                 f"{made or 'no'} take{'' if made == 1 else 's'} of stops, starts, backing or side "
                 "steps made of walks")
    return "\n".join(lines + ["  " + line for line in lacking(found)])


def lacking(found: Found) -> list[str]:
    """What the files show too little of, in words."""
    seen = coverage(own(found))
    words = {"stands": "It stands for", "ahead": "It goes ahead for", "back": "It goes back for",
             "aside": "It goes aside for", "turns": "It turns on the spot for"}
    ways = {"stands": "stops are made of walks", "back": "walks are played backwards",
            "aside": "walks are led aside"}
    made = {k: ways[k] for k in made_up_for(found.clips())}
    return [f"{words[k]} {v:.1f} s: {made.get(k, 'the controller will not do that well')}."
            for k, v in seen.items() if v < ENOUGH]


def page(name: str, found: Found) -> str:
    """The page."""
    clips = own(found)
    longest = sorted(clips, key=lambda c: -int((c.keep & ~stands(c)).sum()))[:STRIPS]
    clip = longest[0]
    feet = ", ".join(found_page.key(COLOURS[limb], limb.replace("_", " ")) for limb in LIMBS)
    shades = ", ".join(found_page.key(c, g) for g, c in zip(GAITS, GAIT_COLOURS))
    parts = [f"<h1>What was found in {escape(name)}</h1>", f"<pre>{escape(describe(found))}</pre>",
             "<h2>The skeleton</h2>", _body(found, clip, 2, 1), _body(found, clip, 2, 0),
             f"<p>In the middle of {escape(clip.name)}: from its left side and from above, the "
             f"head on the right. Legs: {feet}. Rings are toes; large dots are joints that turn, "
             "small ones are stiff.</p>",
             "<h2>At rest</h2>", _body(found, dog_data.still(3, found.body), 2, 1),
             "<p>The pose that it stands in.</p>",
             "<h2>Steps</h2>", *map(_strip, longest),
             f"<p>{SECONDS} seconds at most from where a clip moves, of the {STRIPS} that move "
             "longest. Bars: feet on the ground, in the order and colours of the legs above. Below "
             f"them the gait ({shades}) and the phase of the left hind leg, which climbs once in a "
             "stride.</p>",
             "<h2>Speeds and directions</h2>", found_page.table(_seconds(found))]
    parts += [f'<p class="none">{escape(line)}</p>' for line in lacking(found)]
    return found_page.html(name, parts)


def _seconds(found: Found) -> np.ndarray:
    """Seconds [4, P + 1] of each way of moving at each pace, as found_page has them."""
    out = np.zeros((len(found_page.WAYS), len(found_page.PACES) + 1))
    for clip in own(found):
        v = dog_data.velocity(clip, 15.0) * found.contract.unit
        pace = np.digitize(np.linalg.norm(v, axis=-1), found_page.PACES)
        way = np.round(np.arctan2(v[:, 1], v[:, 0]) / (np.pi / 2)).astype(int) % 4
        np.add.at(out, (np.where(pace == 0, 0, way)[clip.keep], pace[clip.keep]), 1 / clip.rate)
    return out


def _body(found: Found, clip: Clip, across: int, up: int, size: int = 360) -> str:
    """The pose in the middle of a clip: axis `across` to the right, `up` upwards (x, y, z)."""
    frame = int(np.flatnonzero(clip.keep)[clip.keep.sum() // 2])
    still = dog_data.part(clip, frame, frame + 1)
    still.facing, still.root = still.facing * 0, still.root * 0
    position = found.body.world(still)[0][0]
    scale = 0.85 * size / max(np.ptp(position[:, i]) for i in (0, 1, 2))
    x = size / 2 + scale * (position[:, across] - np.mean([position[:, across].min(),
                                                           position[:, across].max()]))
    low = position[:, up].min() if up == 1 else position[:, up].mean() - size / 2 / scale
    y = size * 0.95 - scale * (position[:, up] - low)
    chain = {n: limb for limb, joints in found.roles.limbs.items() for n in joints}
    toes, out = {leg[3] for leg in found.body.feet}, []
    for j, name in enumerate(found.body.skeleton.names):
        p = found.body.skeleton.parents[j]
        colour = COLOURS.get(chain.get(name, ""), "#333333")
        if p >= 0:
            out.append(f'<path d="M{x[p]:.1f} {y[p]:.1f}L{x[j]:.1f} {y[j]:.1f}" '
                       f'stroke="{colour}" stroke-width="3"/>')
        ring, turns = name in toes, len(found.body.turnings[j].axes)
        out.append(f'<circle cx="{x[j]:.1f}" cy="{y[j]:.1f}" r="{6 if ring else 2 + turns}" '
                   f'fill="{"none" if ring else "#111"}" stroke="#111">'
                   f"<title>{escape(name)}: {turns} hinges</title></circle>")
    return found_page.drawing(size, size, out)


def _strip(clip: Clip, width: int = 900) -> str:
    moves = np.flatnonzero(clip.keep & ~stands(clip))
    begin = int(moves[0]) if len(moves) else 0
    frames = np.arange(begin, min(begin + int(SECONDS * clip.rate), len(clip)))
    x, out = width / max(len(frames), 1), []
    for row, limb in enumerate(LIMBS):
        out += [f'<rect x="{a * x:.1f}" y="{4 + 12 * row}" width="{(b - a) * x:.1f}" height="9" '
                f'fill="{COLOURS[limb]}"/>'
                for a, b in dog_clean.spans(clip.contact[frames, row] > 0.5)]
    gait = gaits(clip)[frames]
    edge = np.concatenate([[0], np.flatnonzero(np.diff(gait)) + 1, [len(gait)]])
    out += [f'<rect x="{a * x:.1f}" y="56" width="{(b - a) * x:.1f}" height="8" '
            f'fill="{GAIT_COLOURS[gait[a]]}"/>' for a, b in zip(edge[:-1], edge[1:]) if b > a]
    both, _ = dog_features.phases(clip.contact)
    phase = np.arctan2(both[frames, 3, 1], both[frames, 3, 0]) / (2 * np.pi) + 0.5
    line = " ".join(f"{i * x:.1f},{96 - 26 * p:.1f}" for i, p in enumerate(phase))
    out.append(f'<polyline points="{line}" fill="none" stroke="#555"/>')
    return found_page.titled(clip.name, len(frames) / clip.rate,
                             found_page.drawing(width, 100, out))
