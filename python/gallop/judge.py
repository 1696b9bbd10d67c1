"""Scripts and measures of a walker in closed loop (see rollout): the figures of a model card."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gallop import modelfile, rotation
from gallop.contract import parse
from gallop.losses import Layout
from gallop.rollout import Crowd, Stick

SETTLE = 240  # frames before steady measures begin


@dataclass(frozen=True)
class Script:
    """A stick over time: base heading (radians from the facing), run, turn rate (rad/s) of the
    stick, strafe, and a square wave `on`/`off` in frames (off 0: always on)."""

    name: str
    heading: float = 0.0
    run: float = 0.0
    turn: float = 0.0
    strafe: float = 0.0
    on: int = 0
    off: int = 0
    amount: float = 1.0
    special: str = ""


SCRIPTS = (
    Script("stand", amount=0.0),
    Script("walk"), Script("run", run=1),
    Script("walk circle 0.5", turn=0.5), Script("run circle 0.8", run=1, turn=0.8),
    Script("figure eight", special="eight"),
    Script("side walk", heading=np.pi / 2, strafe=1),
    Script("side run", heading=-np.pi / 2, run=1, strafe=1),
    Script("back walk", heading=np.pi, strafe=1),
    Script("back run", heading=np.pi, run=1, strafe=1),
    Script("stop and go walk", on=180, off=120), Script("stop and go run", run=1, on=180, off=120),
    Script("stop and go side", heading=np.pi / 2, strafe=1, on=180, off=120, special="sides"),
    Script("turn on the spot", amount=0.0, strafe=1, special="spin"),
    Script("reversals", special="reverse"), Script("random stick", special="random"),
)  # fmt: skip


@dataclass
class Track:
    """What a rollout recorded, per frame: [T, C, ...]."""

    root: np.ndarray
    facing: np.ndarray
    y: np.ndarray
    wanted: np.ndarray
    look: np.ndarray
    phase: np.ndarray
    toes: np.ndarray
    contact: np.ndarray
    scripts: list[Script] = field(default_factory=list)


def stick_at(scripts: list[Script], t: int, random: np.ndarray) -> Stick:
    """The sticks at frame t; `random` [C, slots, 3] is the random script's table."""
    move, look = np.zeros((len(scripts), 2)), np.zeros((len(scripts), 2))
    run, strafe = np.zeros(len(scripts)), np.zeros(len(scripts))
    for i, s in enumerate(scripts):
        heading, view, amount = s.heading + s.turn * t / 60, 0.0, s.amount
        run[i], strafe[i] = s.run, s.strafe
        if s.special == "eight":
            heading = 0.5 * t / 60 if (t // 754) % 2 == 0 else -0.5 * (t % 754) / 60
        elif s.special == "spin":
            view = 1.0 * t / 60
        elif s.special == "sides" and t // (s.on + s.off) % 2:
            heading = -heading
        elif s.special == "reverse":
            heading = np.pi * ((t // 240) % 2)
        elif s.special == "random":
            heading, amount, run[i] = random[i, t // 75]
        if s.off and t % (s.on + s.off) >= s.on:
            amount = 0.0
        move[i] = amount * np.array([np.sin(heading), np.cos(heading)])
        look[i] = np.sin(view), np.cos(view)
    return Stick(move, run, look, strafe)


def play(
    model: modelfile.Model, scripts: list[Script], frames: int = 3600, fixed_phase: bool = False,
    rules: dict[str, float] | None = None,
) -> Track:
    """Run scripts side by side and record them."""
    crowd = Crowd(model, len(scripts), fixed_phase)
    crowd.rules.update(rules or {})
    host = np.random.default_rng(7)
    table = np.stack([host.uniform(-np.pi, np.pi, (len(scripts), frames // 75 + 1)),
                      host.choice([0, 0.5, 1, 1], (len(scripts), frames // 75 + 1)),
                      host.choice([0, 1], (len(scripts), frames // 75 + 1))], -1)
    rows: dict[str, list[np.ndarray]] = {k: [] for k in ("root", "facing", "y", "wanted", "look",
                                                         "phase", "toes", "contact")}
    for t in range(frames):
        stick = stick_at(scripts, t, table)
        crowd.step(stick)
        rows["root"].append(crowd.root)
        rows["facing"].append(crowd.root_facing)
        rows["y"].append(crowd.y.astype(np.float32))
        rows["wanted"].append(crowd.wanted)
        rows["look"].append(stick.look)
        rows["phase"].append(crowd.phase.copy())
        rows["toes"].append(crowd.toes_world())
        rows["contact"].append(crowd.toe_contacts())
    return Track(**{k: np.stack(v) for k, v in rows.items()}, scripts=scripts)


def measure(model: modelfile.Model, track: Track) -> list[dict[str, float]]:
    """One row of figures per script; lengths in cm, times in seconds (a contract in cm)."""
    at = Layout(parse(model.contract))
    cm, rate = at.metres * 100, at.rate
    rows = []
    for i, script in enumerate(track.scripts):
        part = slice(SETTLE, None)
        step = np.diff(track.root[:, i], axis=0) * cm * rate
        wanted = track.wanted[:-1, i] * cm * rate
        toe = np.diff(track.toes[:, i], axis=0)[..., [0, 2]] * cm * rate
        slip, on = np.linalg.norm(toe, axis=-1)[part], track.contact[1:, i][part] > 0.5
        row = {"script": script.name, "skate": float(slip[on].mean()) if on.any() else 0.0,
               "contact": float(on.mean()),
               "slower": float(np.median(slip.min(-1)))}
        row.update(_speeds(step[part], wanted[part], script))
        row.update(_body(track.y[part, i], at))
        turned = np.diff(np.unwrap(track.phase[:, i]))[part]
        row["cadence"] = float(turned.mean() * rate / (2 * np.pi))
        row["spin"] = float(np.diff(np.unwrap(track.facing[:, i]))[part].mean() * rate)
        row["face"] = _face_error(track, i, part) if script.strafe else float("nan")
        if script.off:
            row.update(_stops(step, script, rate))
        rows.append(row)
    return rows


def _speeds(step: np.ndarray, wanted: np.ndarray, script: Script) -> dict[str, float]:
    got = np.linalg.norm(step, axis=-1).mean()
    want = np.linalg.norm(wanted, axis=-1).mean()
    angle = np.arctan2(step[:, 0], step[:, 1]) - np.arctan2(wanted[:, 0], wanted[:, 1])
    angle = np.degrees(np.mod(angle + np.pi, 2 * np.pi) - np.pi)
    return {"speed": float(got), "want": float(want), "direction": float(angle.mean())}


def _face_error(track: Track, i: int, part: slice) -> float:
    look = np.arctan2(track.look[:, i, 0], track.look[:, i, 1])[part]
    error = np.mod(track.facing[part, i] - look + np.pi, 2 * np.pi) - np.pi
    return float(np.degrees(np.abs(error)).mean())


def _stops(step: np.ndarray, script: Script, rate: float) -> dict[str, float]:
    """Mean times from letting go to under 10 cm/s, and from pushing to 80 % of the wanted."""
    box = np.ones(6) / 6
    speed = np.linalg.norm(
        np.stack([np.convolve(step[:, k], box, "same") for k in (0, 1)], -1), axis=-1)
    period, stop, start = script.on + script.off, [], []
    full = np.percentile(speed, 90)
    for begin in range(period, len(speed) - period, period):
        slow = np.flatnonzero(speed[begin + script.on : begin + period] < 10)
        fast = np.flatnonzero(speed[begin : begin + script.on] > 0.8 * full)
        stop.append(slow[0] / rate if len(slow) else np.nan)
        start.append(fast[0] / rate if len(fast) else np.nan)
    return {"stop": float(np.mean(stop)), "start": float(np.mean(start))}


def _body(y: np.ndarray, at: Layout) -> dict[str, float]:
    """Bone lengths, feet drawn from rotations against positions, foot travel, lowest toe, head."""
    said = y[:, at.position].reshape(len(y), -1, 3).astype(float) * at.metres * 100
    turn = rotation.from_sixd(y[:, at.rotation].reshape(len(y), -1, 6).astype(float))
    drawn, bones = np.empty_like(said), []
    for j, p in enumerate(at.parents):
        rest = at.offsets[j] * at.metres * 100
        drawn[:, j] = said[:, 0] if p < 0 else drawn[:, p] + turn[:, p] @ rest
        if p >= 0 and np.linalg.norm(rest) > 1:
            length = np.linalg.norm(said[:, j] - said[:, p], axis=-1)
            bones.append(np.abs(length / np.linalg.norm(rest) - 1))
    heels = [j for _, j, w in at.feet if w < 1]
    toes = [j for _, j, w in at.feet if w == 1]
    gap = np.linalg.norm(drawn - said, axis=-1)[:, heels + toes]
    return {"bones": float(np.mean(bones) * 100), "bones99": float(np.percentile(bones, 99) * 100),
            "fk": float(gap.mean()), "fk99": float(np.percentile(gap, 99)),
            "travel": float(said[:, heels].std(0)[:, [0, 2]].mean()),
            "low": float(said[:, toes, 1].min()), "head": float(said[:, :, 1].max(1).min())}


def table(rows: list[dict[str, float]]) -> str:
    """The figures as a Markdown table."""
    keys = ["script", "speed", "want", "direction", "face", "skate", "contact", "slower", "cadence",
            "travel", "bones", "fk", "fk99", "low", "head", "spin", "stop", "start"]
    lines = ["| " + " | ".join(keys) + " |", "|" + " --- |" * len(keys)]
    for row in rows:
        cells = [row.get(k, float("nan")) for k in keys]
        text = [c if isinstance(c, str) else ("" if np.isnan(c) else f"{c:.2f}") for c in cells]
        lines.append("| " + " | ".join(text) + " |")
    return "\n".join(lines)
