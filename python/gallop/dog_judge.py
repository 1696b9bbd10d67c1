"""How the dog behaves in closed loop: scripts of commands, and figures of what it then does.

    python -m gallop.dog_judge MODEL.gallop
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
import torch
from scipy.ndimage import uniform_filter1d

from gallop import dog_train, modelfile
from gallop.dog_control import Command, Controller
from gallop.dog_features import Frames

RATE = 60
NAMES = ("stand", "walk 0.6", "walk 0.9", "trot 1.4", "run 2.4", "fast 3.5", "circle 1.0 45",
         "circle 2.0 60", "eight 0.8", "corners 1.2", "stop 0.6", "stop 1.4", "stop 2.8", "back",
         "start-stop", "sideways", "turn on spot", "jump 2.4", "jump 3.2")
RANDOM, JUMPING = 20, 10  # random scripts without and with jumps
JUMP_EVERY = 3  # seconds
# speed ahead (back: negative), m/s, and turn, degrees/s, of the steady scripts
STEADY = {"walk 0.6": (0.6, 0), "walk 0.9": (0.9, 0), "trot 1.4": (1.4, 0), "run 2.4": (2.4, 0),
          "fast 3.5": (3.3, 0), "circle 1.0 45": (1.0, 45), "circle 2.0 60": (2.0, 60),
          "back": (-0.6, 0)}
STOPS, MOMENTS = (0.6, 1.4, 2.8), 24  # speeds to stop from, moments of a stride to stop in


@dataclass
class Script:
    """Commands [T, ...] of one character: velocity wanted (x, z; m/s), look, strafe, jump."""

    name: str
    wanted: np.ndarray
    look: np.ndarray
    strafe: np.ndarray
    settled: int = 300
    jump: np.ndarray | None = None  # none


def way(angle: np.ndarray, speed: np.ndarray | float) -> np.ndarray:
    """Velocities [T, 2] along headings."""
    return np.stack([np.sin(angle), np.cos(angle)], -1) * np.asarray(speed)[..., None]


def script(name: str, frames: int) -> Script:
    """A script by its name."""
    t = np.arange(frames) / RATE
    zero = np.zeros(frames)
    kind, *numbers = name.split()
    speed = float(numbers[0]) if numbers and numbers[0][0].isdigit() else 0.0
    wanted, look, strafe, settled = way(zero, zero + speed), zero, zero, 300
    if kind == "circle":
        wanted = way(np.radians(float(numbers[1])) * t, zero + speed)
    elif kind == "eight":
        wanted = way(np.radians(60) * np.sin(2 * np.pi * t / 12) * 2, zero + speed)
    elif kind == "corners":
        wanted = way(np.floor(t / 4) * np.pi / 2, zero + speed)
    elif kind == "stop":
        wanted = way(zero, np.where(t < 4, speed, 0.0))
    elif kind == "back":
        wanted, strafe = way(zero, np.where(t < 2, 0, -0.6)), zero + 1
    elif kind == "start-stop":
        wanted = way(zero, np.where(np.floor(t / 4) % 2 == 1, 1.2, 0.0))
    elif kind == "sideways":
        wanted, strafe = np.stack([np.where(t < 2, 0, 0.6), zero], -1), zero + 1
    elif kind == "turn":
        look, strafe = np.floor(t / 4) * np.pi / 2, zero + 1
    jump = (t % JUMP_EVERY >= JUMP_EVERY - 0.1).astype(float) if kind == "jump" else None
    if kind == "jump":
        wanted = way(zero, zero + speed)
    return Script(name, wanted, look, strafe, settled, jump)


def random_script(number: int, frames: int) -> Script:
    """0..3.3 m/s, turns of up to 120 degrees, a change every 1..3.5 s."""
    rng = np.random.default_rng(1000 + number)
    speed, angle = np.zeros(frames), np.zeros(frames)
    at, heading = 0, 0.0
    while at < frames:
        until = at + int(rng.uniform(1, 3.5) * RATE)
        heading += rng.uniform(-2 * np.pi / 3, 2 * np.pi / 3)
        speed[at:until] = rng.choice([0, rng.uniform(0.3, 3.3)], p=[0.15, 0.85])
        angle[at:until] = heading
        at = until
    return Script(f"random {number}", way(angle, speed), np.zeros(frames), np.zeros(frames), 60)


def jumping_script(number: int, frames: int) -> Script:
    """The same, and in three of twenty half seconds a jump is asked for."""
    made, rng = random_script(number, frames), np.random.default_rng(2000 + number)
    made.name = f"jumping {number}"
    made.jump = (np.repeat(rng.random(frames // 30 + 1), 30)[:frames] < 0.15).astype(float)
    return made


def stop_script(speed: float, moment: int, frames: int = 14 * RATE) -> Script:
    """Goes at a speed for 4 s and a little more, then stops."""
    zero, on = np.zeros(frames), np.arange(frames) < 4 * RATE + 5 * moment
    return Script(f"stop {speed} {moment}", way(zero, np.where(on, speed, 0.0)), zero, zero, 0)


@dataclass
class Track:
    """What happened, [T, C, ...] in cm and radians: root, facing, posture, hinge, feet (root
    frame), slide (feet's world motion), contact, wanted (as commanded, cm per frame), stand."""

    scripts: list[Script]
    root: np.ndarray
    facing: np.ndarray
    posture: np.ndarray
    hinge: np.ndarray
    feet: np.ndarray
    slide: np.ndarray
    contact: np.ndarray
    blend: list[np.ndarray] = field(default_factory=list)


def commands(scripts: list[Script], rules: dict[str, float], frame: int) -> Command:
    """All scripts' commands at a frame, as stick and run of the contract's speeds."""
    wanted = np.stack([s.wanted[frame] for s in scripts]) * 100 / RATE
    backing = np.array([s.name.startswith("back") for s in scripts])
    wanted[backing] /= rules["speed_back"]  # the controller takes that much off again
    size = np.linalg.norm(wanted, axis=1)
    walk, run = rules["speed_walk"], rules["speed_run"]
    more = np.clip((size - walk) / (run - walk), 0, 1)
    stick = size / (walk + (run - walk) * more)
    move = wanted / np.maximum(size, 1e-9)[:, None] * np.minimum(stick, 1)[:, None]

    def tensor(a: np.ndarray) -> torch.Tensor:
        return torch.tensor(np.asarray(a), dtype=torch.float32)

    return Command(tensor(move), tensor(more), tensor([s.look[frame] for s in scripts]),
                   tensor([s.strafe[frame] for s in scripts]),
                   tensor([0.0 if s.jump is None else s.jump[frame] for s in scripts]))


def play(model: modelfile.Model, scripts: list[Script], rules: dict[str, float] | None = None
         ) -> Track:
    """Run all scripts at once."""
    control = Controller(model, len(scripts), rules)
    keys = ("root", "facing", "posture", "hinge", "feet", "slide", "contact")
    kept: dict[str, list[np.ndarray]] = {k: [] for k in keys}
    with torch.no_grad():
        for frame in range(len(scripts[0].wanted)):
            control.step(commands(scripts, control.rules, frame))
            s = control.state
            now = (control.root, control.facing, s.posture, s.hinge, s.feet, s.feet_rate,
                   control.y[:, control.body.at["contact"]])
            for k, v in zip(keys, now):
                kept[k].append(v.numpy().copy())
    return Track(scripts, **{k: np.stack(v) for k, v in kept.items()})


def smooth(a: np.ndarray, frames: int) -> np.ndarray:
    """A running mean along time."""
    total = np.cumsum(np.concatenate([np.repeat(a[:1], frames, 0), a]), axis=0)
    return (total[frames:] - total[:-frames]) / frames


def frozen_seconds(moving: np.ndarray, feet: np.ndarray) -> int:
    """Seconds of commanded motion in which no foot (heights [T, 4]) rises 1.5 cm."""
    count = len(moving) // RATE
    pieces = [slice(i * RATE, (i + 1) * RATE) for i in range(1, count)]
    return sum(bool(moving[p].all() and np.ptp(feet[p], axis=0).max() < 1.5) for p in pieces)


def gait(contact: np.ndarray) -> tuple[float, list[float]]:
    """Stride frequency in Hz and touch-down offsets of HR, FL, FR after HL (circular medians);
    contact [T, 4] in the order FR, FL, HR, HL."""
    on = contact > 0.5
    downs = [np.flatnonzero(~on[:-1, leg] & on[1:, leg]) + 1 for leg in range(4)]
    base = downs[3]
    if len(base) < 4:
        return 0.0, [float("nan")] * 3
    period = float(np.median(np.diff(base)))
    out = []
    for leg in (2, 1, 0):
        after = [np.exp(2j * np.pi * (d - base[base <= d][-1]) / period)
                 for d in downs[leg] if (base <= d).any()]
        out.append(float(np.angle(np.mean(after)) / (2 * np.pi)) % 1 if after else float("nan"))
    return RATE / period, out


def measure(track: Track, c: int) -> dict[str, float]:
    """The figures of one script: lengths in m, speeds in m/s (skate in cm/s), angles in degrees."""
    s, first = track.scripts[c], track.scripts[c].settled
    v = np.diff(track.root[:, c], axis=0, prepend=track.root[:1, c]) * RATE / 100
    v = smooth(v, 30)
    speed, wanted = np.linalg.norm(v, axis=1), np.linalg.norm(s.wanted, axis=1)
    planted = (track.contact[:, c] > 0.5) & (track.feet[:, c, :, 1] < 4.5)
    slide = np.linalg.norm(track.slide[:, c][..., [0, 2]], axis=-1) * RATE
    use = np.zeros(len(speed), bool)
    use[first:] = True
    joint = np.abs(np.diff(track.hinge[:, c], axis=0)).max() * RATE
    heading = np.arctan2(s.wanted[:, 0], s.wanted[:, 1])
    off = np.angle(np.exp(1j * (track.facing[:, c] - heading)))
    moving = use & (wanted > 0.2)
    hertz, offsets = gait(track.contact[first:, c])
    held = planted & use[:, None]
    return {
        "speed": float(speed[first:].mean()),
        "speed_error": float(np.abs(speed - wanted)[first:].mean()),
        "heading": float(np.degrees(np.abs(off[moving])).mean()) if moving.any() else 0.0,
        "skate": float(slide[held].mean()) if held.any() else 0.0,
        "contact": float(planted[first:].mean()),
        "root_least": float(track.posture[:, c, 0].min() / 100),
        "root_most": float(track.posture[:, c, 0].max() / 100),
        "foot_least": float(track.feet[:, c, :, 1].min()),
        "joint": float(joint),
        "pitch": float(np.degrees(np.abs(track.posture[:, c, 1])).max()),
        "frozen": frozen_seconds(wanted > 0.25, track.feet[:, c, :, 1]),
        "stride": hertz, "HR": offsets[0], "FL": offsets[1], "FR": offsets[2],
    }


def stop_figures(track: Track, c: int) -> tuple[float, float, float, float]:
    """After the stop at 4 s: seconds until below 0.15 m/s, metres until then, creep in cm/s from
    1 s to 6 s after, mean foot speed in cm/s in that time."""
    root = track.root[:, c]
    v = smooth(np.diff(root, axis=0, prepend=root[:1]) * RATE / 100, 6)
    speed = np.linalg.norm(v, axis=1)[4 * RATE :]
    late = np.flatnonzero(speed > 0.15)
    end = int(late[-1]) + 1 if len(late) else 0
    way_ = np.linalg.norm(root[min(4 * RATE + end, len(root) - 1)] - root[4 * RATE]) / 100
    a, b = 5 * RATE, min(10 * RATE, len(root) - 1)
    creep = np.linalg.norm(root[b] - root[a]) / (b - a) * RATE
    foot = np.linalg.norm(track.slide[a:b, c], axis=-1).mean() * RATE
    return end / RATE, float(way_), float(creep), float(foot)


def still_after(track: Track, c: int, slow: float = 3.0) -> float:
    """Seconds from the stop of a stop_script until no foot moves faster than `slow` cm/s."""
    wanted = np.linalg.norm(track.scripts[c].wanted, axis=1)
    stop = int(np.flatnonzero(wanted)[-1]) + 1
    speed = np.linalg.norm(track.slide[stop:, c], axis=-1).max(1) * RATE
    late = np.flatnonzero(speed > slow)
    return (int(late[-1]) + 1) / RATE if len(late) else 0.0


def stops(model: modelfile.Model) -> str:
    """How long feet move after stops in many moments, as lines."""
    lines = []
    for speed in STOPS:
        scripts = [stop_script(speed, i) for i in range(MOMENTS)]
        track = play(model, scripts)
        after = [still_after(track, c) for c in range(MOMENTS)]
        lines.append(f"stops from {speed} m/s in {MOMENTS} moments: feet still after "
                     f"{np.mean(after):.2f} s, at most {max(after):.2f} s")
    return "\n".join(lines)


def own_skate(frames: Frames, speed: float, turn: float) -> float:
    """The cleaned data's own skate, cm/s, where it goes about as fast and turns about as much."""
    ahead, turning = (uniform_filter1d(v, RATE // 2) for v in (
        frames.motion[:, 1] * RATE / 100, np.degrees(frames.motion[:, 2]) * RATE))
    near = np.abs(ahead - speed) < 0.15 + 0.05 * abs(speed)
    near &= np.abs(np.abs(turning) - turn) < 20
    held = near[:, None] & (frames.contact > 0.5) & (frames.feet[..., 1] < 4.5)
    slide = np.linalg.norm(frames.feet_rate[..., [0, 2]], axis=-1) * RATE
    return float(slide[held].mean()) if held.any() else float("nan")


def jump_figures(track: Track, c: int) -> list[tuple[float, float, float, float]]:
    """Per jump asked for, from 5 s on, in the 1.5 s after: greatest height of the body and of the
    lowest foot (cm), seconds with all feet in the air, and the lowest the body is afterwards."""
    asked = track.scripts[c].jump
    begin = np.flatnonzero((asked[1:] > 0) & (asked[:-1] == 0)) + 1
    out = []
    for a in begin[(begin > 5 * RATE) & (begin < len(asked) - 2 * RATE)]:
        part = slice(a, a + 3 * RATE // 2)
        height, low = track.posture[part, c, 0], track.feet[part, c, :, 1].min(1)
        after = height[int(height.argmax()) :].min()
        out.append((float(height.max()), float(low.max()), float((low > 5).sum() / RATE),
                    float(after)))
    return out


def all_scripts(seconds: float = 60, randoms: int = RANDOM) -> list[Script]:
    """The named scripts and the random ones, without and with jumps."""
    frames = int(seconds * RATE)
    named, free = ([script(n, frames) for n in NAMES],
                   [random_script(i, frames) for i in range(randoms)])
    return named + free + [jumping_script(i, frames) for i in range(min(JUMPING, randoms))]


COLUMNS = ("speed", "speed_error", "heading", "skate", "contact", "root_least", "root_most",
           "foot_least", "joint", "pitch", "frozen", "stride", "HR", "FL", "FR")


def table(track: Track) -> str:
    """All figures as a Markdown table; the random scripts are summed up in a row, or two."""
    rows = ["| script | " + " | ".join(COLUMNS) + " |", "| --- " * (len(COLUMNS) + 1) + "|"]
    figures = [measure(track, c) for c in range(len(track.scripts))]
    rows += [_row(s.name, f) for s, f in zip(track.scripts, figures)
             if not s.name.startswith(("random", "jumping"))]
    for kind in ("random", "jumping"):
        same = [f for s, f in zip(track.scripts, figures) if s.name.startswith(kind)]
        if same:
            worst = {"root_least": min, "foot_least": min, "root_most": max, "joint": max,
                     "pitch": max, "frozen": sum}
            rows.append(_row(f"{len(same)} {kind}", {
                k: float(worst.get(k, np.mean)([f[k] for f in same])) for k in COLUMNS[:11]}))
    for c, s in enumerate(track.scripts):
        if s.name.startswith("stop"):
            seconds, far, creep, foot = stop_figures(track, c)
            rows.append(f"\n{s.name}: at rest after {seconds:.2f} s and {far:.2f} m; then creeps "
                        f"{creep:.2f} cm/s, feet {foot:.2f} cm/s")
        if s.name.startswith("jump "):
            leaps = np.array(jump_figures(track, c))
            if len(leaps):
                top, low, air, after = leaps.mean(0)
                rows.append(f"\n{s.name}: {(leaps[:, 1] > 8).sum()} of {len(leaps)} jumps "
                            f"leave the ground; body {top:.0f} cm, lowest foot {low:.0f} cm, "
                            f"{air:.2f} s in the air, body then at least {after:.0f} cm")
    return "\n".join(rows)


def _row(name: str, f: dict[str, float]) -> str:
    return f"| {name} | " + " | ".join(f"{f[k]:.3g}" if k in f else "" for k in COLUMNS) + " |"


def main() -> int:
    """Judge a model file."""
    if len(sys.argv) != 2:
        print("usage: python -m gallop.dog_judge MODEL.gallop", file=sys.stderr)
        return 2
    print(report(modelfile.read(sys.argv[1])))
    _, frames = dog_train.prepare()
    print("\nskate of the data, cm/s: " + ", ".join(
        f"{name} {own_skate(frames, *what):.1f}" for name, what in STEADY.items()))
    return 0


def report(model: modelfile.Model, seconds: float = 60, randoms: int = RANDOM) -> str:
    """All that is measured."""
    return table(play(model, all_scripts(seconds, randoms))) + "\n\n" + stops(model)


if __name__ == "__main__":
    sys.exit(main())
