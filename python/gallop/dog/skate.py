"""What feet slide in the dog's motion itself and by a model, as `gallop judge` measures it.

    python -m gallop.dog.skate models/dog.gallop [FOLDER]

For each of the judge's ways to go, and some between: the mean speed over the ground of feet on it,
from the frame before, seconds of such motion, and the share of feet on the ground. Of the motion
those frames count that go so fast, so curved and so much aside: of the clips as they came, of the
clips made clean, by the labels of these, and of what is made from them. The model goes so for 56 s,
by its own contacts, before the anchor and locking.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import gaussian_filter1d

from gallop import dog, modelfile
from gallop.contract import parse
from gallop.dog import clean, data
from gallop.dog.clean import Clip
from gallop.dog.control import Command, Controller
from gallop.errors import said_of

BLUR = 9.0  # frames over which speed and turn are the mean
SLOW, NEAR, CURVED, TURNED = 0.06, 0.12, 0.2, 35.0  # m/s, share of the speed, rad/s, degrees
SPOT = 0.15  # m/s below which it turns on the spot
BEFORE, FRAMES = 240, 3360  # as the judge's first four seconds and the rest of its minute
JUMP_EVERY, PRESS = 180, 6


@dataclass(frozen=True)
class Manner:
    """A way to go: speed m/s, turn rad/s, angle between way and facing in degrees; frames of the
    motion are of it that are near."""

    name: str
    speed: float
    turn: float = 0.0
    angle: float = 0.0
    jumps: bool = False


MANNERS = (
    Manner("walk", 0.6), Manner("walk", 0.9), Manner("trot", 1.4), Manner("run", 2.0),
    Manner("run", 2.5), Manner("run", 3.0), Manner("run", 3.5), Manner("circle", 0.9, 0.5),
    Manner("circle", 1.4, 0.8), Manner("circle", 2.0, 0.8), Manner("circle", 2.5, 0.8),
    Manner("circle", 3.0, 0.8), Manner("circle", 3.5, 0.8), Manner("side", 0.18, 0, 90),
    Manner("side", 0.4, 0, 90), Manner("side", 0.7, 0, 90), Manner("back", 0.27, 0, 180),
    Manner("back", 0.6, 0, 180), Manner("back", 1.05, 0, 180), Manner("spot", 0, 1.0),
    Manner("jump", 2.5, 0, 0, True),
)  # fmt: skip


def near(clip: Clip, manner: Manner) -> np.ndarray:
    """Which frames go that way."""
    step = np.gradient(clip.root, axis=0) * clip.rate / 100
    step = gaussian_filter1d(step @ [1j, 1] * np.exp(-1j * clip.facing), BLUR)  # real part ahead
    turn = np.abs(gaussian_filter1d(np.gradient(clip.facing) * clip.rate, BLUR))
    off = np.abs(np.degrees(np.abs(np.angle(step))) - manner.angle)
    wide = max(SLOW, NEAR * manner.speed) * (2 if manner.jumps else 1) if manner.speed else SPOT
    good = (np.abs(np.abs(step) - manner.speed) <= wide) & (leaps(clip) == manner.jumps)
    good &= (np.abs(turn - manner.turn) <= CURVED) | manner.jumps
    return good & ((off <= TURNED) | (manner.speed == 0))


def leaps(clip: Clip) -> np.ndarray:
    """Which frames are of a jump."""
    out = np.zeros(len(clip), bool)
    for top in clean.tops(clip):
        out[max(0, top - dog.JUMP_TIME) : top + dog.JUMP_TIME] = True
    return out


def of_motion(clips: list[Clip], by: list[Clip], manner: Manner) -> str:
    """Of clips that go that way `by` these, whose contacts count."""
    slides, frames = [np.zeros(0)], 0
    for clip, its in zip(clips, by):
        way = np.diff(clean.feet_world(clip)[..., [0, 2]], axis=0, prepend=np.nan)
        good = its.keep & near(its, manner)
        on = (its.contact > 0.5) & good[:, None]
        on[0] = False
        slides.append(np.linalg.norm(way, axis=-1)[on] * clip.rate)
        frames += int(good.sum())
    return said(np.concatenate(slides), frames)


def of_model(model: modelfile.Model) -> list[str]:
    """Of the model, one for each manner."""
    control = Controller(model, len(MANNERS), {"anchor": 0.0})
    slides, on = [], []
    with torch.no_grad():
        for frame in range(BEFORE + FRAMES):
            control.step(told(frame, control.rules))
            slides.append(control.state.feet_rate[..., 0::2].norm(dim=-1) * dog.RATE)
            on.append(control.y[:, control.body.at["contact"]] > 0.5)
    size, planted = torch.stack(slides[BEFORE:]).numpy(), torch.stack(on[BEFORE:]).numpy()
    return [said(size[:, i][planted[:, i]], FRAMES) for i in range(len(MANNERS))]


def told(frame: int, rules: dict[str, float]) -> Command:
    """The stick of a frame for all manners: sideways and backwards the rules make it slower."""
    seconds, rows = frame / dog.RATE, []
    for manner in MANNERS:
        strafes = manner.angle > 0 or manner.speed == 0
        part = {90: rules["speed_side"], 180: rules["speed_back"]}.get(manner.angle, 1.0)
        speed = manner.speed * 100 / dog.RATE / part
        walk, run = rules["speed_walk"], rules["speed_run"]
        more = np.clip((speed - walk) / (run - walk), 0, 1)
        size = min(speed / (walk + (run - walk) * more), 1)
        angle = manner.turn * seconds
        jump = manner.jumps and frame >= JUMP_EVERY and frame % JUMP_EVERY < PRESS
        rows.append((np.sin(angle) * size, np.cos(angle) * size, more,
                     angle + np.radians(manner.angle), strafes, jump))
    table = torch.tensor(np.array(rows, np.float32))
    return Command(table[:, :2], *table[:, 2:].unbind(1))


def said(speeds: np.ndarray, frames: int) -> str:
    """Skate, seconds and share of feet on the ground; dashes for less than half a second."""
    if frames < 30:
        return f"{'-':>6}{'-':>7}{'-':>5}"
    return f"{speeds.mean():6.1f}{frames / dog.RATE:7.1f}{25 * len(speeds) / frames:5.0f}"


def main() -> int:
    """Print the table; errors of files become one line."""
    if len(sys.argv) not in (2, 3):
        print("usage: python -m gallop.dog.skate MODEL [FOLDER of the motion]", file=sys.stderr)
        return 2
    try:
        model = modelfile.read(Path(sys.argv[1]))
        if not parse(model.contract, sys.argv[1]).hinges:
            raise ValueError(f"{sys.argv[1]}: no hinges, a dog expected")
        show(model, Path(sys.argv[2]) if len(sys.argv) > 2 else dog.default_folder())
    except (OSError, ValueError) as e:
        print(f"gallop.dog.skate: {said_of(e)}", file=sys.stderr)
        return 1
    return 0


def show(model: modelfile.Model, folder: Path) -> None:
    """Print the table of a model beside the motion in a folder."""
    raw = data.raw_clips(folder)
    whole = [clean.halved(clean.cleaned(clip)) for clip in raw]
    came = [replace(clean.halved(clip), contact=by.contact) for clip, by in zip(raw, whole)]
    # backed and led aside, but not the rests and starts that are made of them
    made = [c for c in data.takes(folder) if c.name[-1] in "<|" and "_" not in c.name[-3:]]
    its_own = of_model(model)
    print(f"{'':28}{'as it came':>18}{'clean':>18}{'made':>18}{'the model':>18}")
    print(f"{'':28}" + 4 * f"{'cm/s':>6}{'s':>7}{'on %':>5}")
    for manner, its in zip(MANNERS, its_own):
        name = f"{manner.name} {manner.speed:g} m/s" + (
            f", {manner.turn:g} rad/s" if manner.turn else "")
        print(f"{name:28}{of_motion(came, whole, manner)}{of_motion(whole, whole, manner)}"
              f"{of_motion(made, made, manner)}{its}")


if __name__ == "__main__":
    sys.exit(main())
