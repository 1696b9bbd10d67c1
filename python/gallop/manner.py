"""How the data moves in each manner (walk, run, sideways, backwards): foot travel and cadence.

A network trained on means moves its feet less than people do. Polishing matches the spread of the
feet in the root frame, and the rate of the phase, to these figures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from gallop.contract import Contract
from gallop.features import Dataset, Take, _joints, planar
from gallop.loop import DEFAULTS

# direction of travel in the root frame (x, z); every one walking and running
DIRECTIONS = {"ahead": (0, 1), "left": (1, 0), "right": (-1, 0), "back": (0, -1)}
MANNERS = [f"{d} {g}" for d in DIRECTIONS for g in ("walk", "run")]
WINDOW = 100


@dataclass
class Targets:
    """Per manner: spread [M, 4, 3] of heels and toes (x, y, z, units), advance [M] of the phase
    (turns a frame), the speed [M] that a command has, and whether the data shows it [M]."""

    spread: np.ndarray
    advance: np.ndarray
    speed: np.ndarray
    known: np.ndarray


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
    takes = [t for t in data.takes if t.style == data.styles[style]]
    spread, advance, speed, known = [], [], [], []
    for manner in MANNERS:
        direction, gait = manner.split()
        want = commanded_speed(rules, direction, gait == "run")
        found = [w for t in takes for w in _windows(t, DIRECTIONS[direction], gait, want, feet)]
        known.append(len(found) >= 6)
        speed.append(want)
        if found:
            spread.append(np.mean([s for s, _ in found], axis=0))
            advance.append(float(np.mean([a for _, a in found])))
        else:
            spread.append(np.ones((len(feet), 3)))
            advance.append(1.0)
    return Targets(np.array(spread), np.array(advance), np.array(speed), np.array(known))


def _windows(
    take: Take, direction: tuple[int, int], gait: str, want: float, feet: list[int]
) -> list[tuple[np.ndarray, float]]:
    """Spread and phase advance of each stretch of a take that shows the manner."""
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
        points = _joints(take, np.arange(begin, begin + WINDOW))["position"][:, feet]
        scale = np.array([want / speed, 1, want / speed])
        turns = (labels.phase[begin + WINDOW] - labels.phase[begin]) / WINDOW
        out.append((points.std(0) * scale, float(turns)))
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
    """Running moments of the feet and of the phase's advance per manner over a pool.

    A pool holds characters of one manner at all phases, so the spread over the pool is the spread
    over a cycle.
    """

    def __init__(self, goal: Targets, device: torch.device) -> None:
        # relative errors of next to nothing would be noise
        self.spread = torch.tensor(goal.spread, dtype=torch.float32, device=device).clamp(min=1.0)
        self.advance = torch.tensor(goal.advance, dtype=torch.float32, device=device)
        self.advance = self.advance.clamp(min=1e-3)
        self.known = torch.tensor(goal.known, device=device).float()
        feet = tuple(self.spread.shape[1:])
        self.means = Means(len(self.known), {"first": feet, "second": feet, "rate": ()}, device)

    def loss(
        self, feet: torch.Tensor, advance: torch.Tensor | None, manner: torch.Tensor
    ) -> torch.Tensor:
        """Mean square relative error of spread and advance. feet [C, F, 4, 3], advance [C, F]
        (None: without a phase), manner [C] (-1: none)."""
        rate = feet[:, :, 0, 0] * 0 if advance is None else advance
        mixed, use = self.means(manner, {"first": feet.mean(1), "second": feet.square().mean(1),
                                         "rate": rate.mean(1)})
        use = use * self.known
        spread = (mixed["second"] - mixed["first"].square()).clamp(min=1e-2).sqrt()
        wide = (spread / self.spread - 1).square().mean((1, 2))
        fast = (mixed["rate"] / self.advance - 1).square() if advance is not None else 0.0
        return (use * (wide + 5 * fast)).sum() / use.sum().clamp(min=1)
