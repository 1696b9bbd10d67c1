"""How the data moves in each manner (walk, run, sideways, backwards): feet, hips and cadence.

A network trained on means moves its feet less than people do, and bent knees let them slide less.
Polishing matches the spread of the feet in the root frame, how high the hips are over the lower toe
(over the floor, a body that floats would do) and how they go up and down with each step, and the
rate of the phase, to these figures. Hips are matched in what the data shows for long alone: a few
strides of somebody who steps aside at a run do not say how high his hips should be.

The hips' up and down is the mean of their height times (cos, sin) of twice the phase: a spread over
a pool would count that some characters are higher than others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from gallop.contract import Contract
from gallop.features import Dataset, Take, _joints, planar
from gallop.loop import DEFAULTS

# direction of travel in the root frame (x, z); every one walking and running
DIRECTIONS = {"ahead": (0, 1), "left": (1, 0), "right": (-1, 0), "back": (0, -1)}
MANNERS = [f"{d} {g}" for d in DIRECTIONS for g in ("walk", "run")]
WINDOW = 100
FREE, BEND = 0.015, 0.04  # of the hips' height: so far off is not wrong, so much more counts as one
CLEAR = 0.03  # m: a toe that is higher counts as this high, so that nobody flies for taller hips
SURE = 200  # stretches of a manner that say how high its hips are
LOW = 0.1  # of a crouch or a jump, from where on a stretch shows no manner


@dataclass
class Targets:
    """Per manner: spread [M, 4, 3] of heels and toes (x, y, z, units), height [M] of the hips over
    the lower toe, how that over the floor swings [M, 2] with twice the phase (cos, sin; units),
    advance [M] of the phase (turns a frame), the speed [M] that a command has, whether the data
    shows it [M], and for long [M]."""

    spread: np.ndarray
    height: np.ndarray
    swing: np.ndarray
    advance: np.ndarray
    speed: np.ndarray
    known: np.ndarray
    sure: np.ndarray


def commanded_speed(rules: dict[str, float], direction: str, run: bool) -> float:
    """Units per frame that a full stick asks for."""
    speed = rules["speed_run" if run else "speed_walk"]
    factor = {"ahead": 1.0, "back": rules["speed_back"]}.get(direction, rules["speed_side"])
    return speed * factor


def targets(contract: Contract, data: Dataset, style: int) -> Targets:
    """What the takes of a style show in stretches that go straight at about the commanded speed."""
    rules = {**DEFAULTS, **contract.rules}
    names = contract.joint_names()
    feet = [names.index(joint) for leg in contract.legs for joint in leg[2:]]
    low = [i for i, (_, role) in enumerate(contract.gaits) if role in ("crouch", "jump")]
    takes = [t for t in data.takes if t.style == data.styles[style]]
    none = Window(np.ones((len(feet), 3)), 1.0, np.ones(2), 1.0)
    shown, speed, count = [], [], []
    clear = CLEAR / contract.unit
    for manner in MANNERS:
        direction, gait = manner.split()
        want = commanded_speed(rules, direction, gait == "run")
        found = [w for t in takes for w in _windows(
            t, DIRECTIONS[direction], gait, want, feet, low, clear)]
        count.append(len(found))
        speed.append(want)
        shown.append(_mean(found or [none]))
    spread, height, swing, advance = (np.array(part) for part in zip(*shown))
    often = np.array(count)
    return Targets(spread, height, swing, advance, np.array(speed), often >= 6, often >= SURE)


class Window(NamedTuple):
    """Of a stretch: spread [4, 3] of the feet, height and swing [2] of the hips, advance of the
    phase, as in Targets."""

    spread: np.ndarray
    height: float
    swing: np.ndarray
    advance: float


def _mean(found: list[Window]) -> Window:
    """The mean stretch; its swing is as large as theirs are on the mean, in step or not."""
    mean = Window(*(np.mean(part, axis=0) for part in zip(*found)))
    sizes = [float(np.linalg.norm(w.swing)) for w in found]
    return mean._replace(swing=mean.swing * np.mean(sizes) / max(np.linalg.norm(mean.swing), 1e-6))


def _windows(
    take: Take, direction: tuple[int, int], gait: str, want: float, feet: list[int],
    low: list[int], clear: float,
) -> list[Window]:
    """Each stretch of a take that shows the manner; `low` are gaits that no manner has, and a toe
    counts as `clear` high at most."""
    labels, out = take.labels, []
    step = np.gradient(labels.path, axis=0)
    seen = planar(step[:, None], labels.facing)[:, 0]
    turn = np.gradient(labels.facing) * 60
    for begin in range(60, len(take) - WINDOW - 60, 10):
        part = slice(begin, begin + WINDOW)
        mean = seen[part].mean(0)
        speed = float(np.linalg.norm(mean))
        running = labels.gait[part, 2].mean() > 0.5
        if not take.keep[part].all() or running != (gait == "run") or abs(turn[part].mean()) > 0.5:
            continue
        if not 0.75 * want < speed < 1.25 * want or mean @ direction < 0.9 * speed:
            continue
        if (labels.gait[part][:, low] > LOW).any():
            continue
        points = _joints(take, np.arange(begin, begin + WINDOW))["position"]
        scale = np.array([want / speed, 1, want / speed])
        turns = (labels.phase[begin + WINDOW] - labels.phase[begin]) / WINDOW
        hips, twice = points[:, 0, 1], 4 * np.pi * labels.phase[part]
        swing = [((hips - hips.mean()) * f(twice)).mean() for f in (np.cos, np.sin)]
        height = float((hips - points[:, feet[1::2], 1].min(1).clip(max=clear)).mean())
        out.append(Window(points[:, feet].std(0) * scale, height, np.array(swing), float(turns)))
    return out


class Means:
    """Running means by kind over a pool of characters.

    A mean takes the values of this step and those of the steps before it; gradients are those of
    the current step. `state` is what lives on: the means, and how many steps had seen each kind.
    """

    def __init__(
        self, kinds: int, shapes: dict[str, tuple[int, ...]], device: torch.device,
        keep: float = 0.9,
    ) -> None:
        self.keep, self.kinds = keep, torch.arange(kinds, device=device)
        self.state = {name: torch.zeros(kinds, *shape, device=device)
                      for name, shape in shapes.items()}
        self.state["seen"] = torch.zeros(kinds, device=device)

    def __call__(
        self, kind: torch.Tensor, values: dict[str, torch.Tensor]
    ) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """The means [K, ...] of values [C, ...] by kind [C] (-1: none), and which kinds [K] are
        here now and have been seen often enough to be trusted."""
        hot = (kind[:, None] == self.kinds).float()
        present, count = (hot.sum(0) > 0).float(), hot.sum(0).clamp(min=1)
        keep = self.keep * (self.state["seen"] > 0).float() * present + (1 - present)
        mixed = {}
        for name, value in values.items():
            shape = (-1, *[1] * (value.ndim - 1))
            total = (hot.T @ value.reshape(len(value), -1)).view(-1, *value.shape[1:])
            mean = total / count.view(shape)
            old = self.state[name]
            blend = keep.view(shape) * old + (1 - keep.view(shape)) * mean.detach()
            old.copy_(blend)  # in place: a recorded step finds it where it was
            mixed[name] = mean + (blend - mean).detach()
        self.state["seen"] += present
        return mixed, present * (self.state["seen"] > 10).float()


class Moments:
    """Running moments of the feet, of the hips and of the phase's advance per manner over a pool.

    A pool holds characters of one manner at all phases, so the spread over the pool is the spread
    over a cycle.
    """

    def __init__(self, goal: Targets, unit: float, device: torch.device) -> None:
        """`unit`: metres in one of the figures' units."""
        def told(values: np.ndarray) -> torch.Tensor:
            return torch.tensor(values, dtype=torch.float32, device=device)

        # relative errors of next to nothing would be noise
        self.spread, self.advance = told(goal.spread).clamp(min=1.0), told(goal.advance)
        self.advance = self.advance.clamp(min=1e-3)
        self.height, self.swing = told(goal.height), told(goal.swing)
        self.known, self.sure, self.clear = told(goal.known), told(goal.sure), CLEAR / unit
        feet = tuple(self.spread.shape[1:])
        self.means = Means(len(self.known), {"first": feet, "second": feet, "rate": (),
                                             "longer": (), "higher": (), "around": (2,),
                                             "swing": (2,)}, device)

    def loss(
        self, feet: torch.Tensor, hips: torch.Tensor, advance: torch.Tensor | None,
        phase: torch.Tensor, manner: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean square relative errors: of the feet's spread and the phase's advance; and of the
        hips. feet [C, F, 4, 3], hips [C, F] (their height), advance [C, F] (None: without a phase),
        phase [C, F] (radians), manner [C] (-1: none)."""
        rate = feet[:, :, 0, 0] * 0 if advance is None else advance
        around = torch.stack([torch.cos(2 * phase), torch.sin(2 * phase)], -1)
        higher = hips - self.height[manner.clamp(min=0).long(), None]
        longer = higher - feet[:, :, 1::2, 1].amin(-1).clamp(max=self.clear)
        mixed, use = self.means(manner, {"first": feet.mean(1), "second": feet.square().mean(1),
                                         "rate": rate.mean(1), "longer": longer.mean(1),
                                         "higher": higher.mean(1), "around": around.mean(1),
                                         "swing": (higher[..., None] * around).mean(1)})
        use = use * self.known
        spread = (mixed["second"] - mixed["first"].square()).clamp(min=1e-2).sqrt()
        error = (spread / self.spread - 1).square().mean((1, 2))
        bent = (torch.relu(mixed["longer"].abs() / self.height - FREE) / BEND).square()
        if advance is not None:
            error = error + 5 * (mixed["rate"] / self.advance - 1).square()
            swing = mixed["swing"] - mixed["higher"][:, None] * mixed["around"]
            swing = (swing - self.swing).square().sum(-1)
            bent = bent + swing / self.swing.square().sum(-1).clamp(min=1e-2)
        sure = use * self.sure
        return ((use * error).sum() / use.sum().clamp(min=1),
                (sure * bent).sum() / sure.sum().clamp(min=1))
