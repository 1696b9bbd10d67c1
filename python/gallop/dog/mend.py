"""The dog learns from its own motion made clean (own.py), with its data beside it.

A round records what the network does now, cleans it, and rolls the network out along both, as in
training but without the anchor, under which a slide would not be seen whole. Some are evaluated
once in 2 or 4 frames, or who is far away in a crowd would not be the same dog. The next round
begins with what that made.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from gallop import exporter, graph
from gallop.dog import own
from gallop.dog.features import Frames
from gallop.dog.rollout import Weights
from gallop.dog.train import Settings, Stage, Trainer, chances

# From then on: the old anchor slows who slides no more, who turns sooner needs less of a lead, and
# contacts are surer.
RULES = {"anchor": 0.21, "turn_ahead": 10.0, "foot_lock_contact": 0.5}


@dataclass(frozen=True)
class Plan:
    """`rates` of as many rounds, each of `steps` steps of `batch` rollouts of `unroll` frames, of
    which `share` go along the own motion: of twice `count` characters that live `length` frames.
    paces[i] of the rollouts are evaluated once in 2^(i + 1) frames, as a crowd's far characters."""

    steps: int
    rates: tuple[float, ...] = (2e-4, 1.5e-4, 1e-4)
    batch: int = 704
    paces: tuple[int, ...] = (192, 128)
    unroll: int = 24
    share: float = 0.8
    count: int = 72
    length: int = 1000
    feet: float = 0.8  # what the feet's motion counts, as Weights.feet_rate
    warm: int = 100  # steps until a round has its rate: Adam's first few would be too large


def plan_of(steps: int, device: str) -> Plan:
    """The plan of so many steps a round, on a CPU of so few rollouts that a core can take them."""
    return Plan(steps) if device == "cuda" else Plan(steps, batch=66, paces=(18, 12), count=28)


class Mend:
    """One round of a plan on a trainer's network; `trainer.average` is the result."""

    def __init__(self, trainer: Trainer, plan: Plan, made: Frames, rate: float) -> None:
        """`made` are the frames of the network's own motion."""
        settings = Settings(trainer.settings.hidden, trainer.settings.experts, rate=rate,
                            seed=trainer.settings.seed,
                            weights=dataclasses.replace(Weights(), feet_rate=plan.feet))
        before = {"net": trainer.average.state_dict(), "scale": vars(trainer.scale)}
        self.plan, self.rate = plan, rate
        self.trainer = Trainer(trainer.contract, own.joined(trainer.frames, made), settings,
                               str(trainer.device), before)
        first, length = len(trainer.frames), len(made)
        of_own = round(plan.batch * plan.share)
        self.sources = [(*self._starts(slice(0, first)), plan.batch - of_own),
                        (*self._starts(slice(first, first + length)), of_own)]
        stage = Stage(plan.steps, plan.batch, plan.unroll, plan.paces)
        self.update = graph.Replayed(lambda given: self.trainer.step(given, stage), trainer.device)

    def _starts(self, part: slice) -> tuple[torch.Tensor, torch.Tensor]:
        """Frames of a part that rollouts may start from, and their cumulated chances."""
        whole = self.trainer.frames
        some = Frames(**{name: value[part] for name, value in vars(whole).items()})
        first, total = chances(some, self.plan.unroll)
        device = self.trainer.device
        return (torch.tensor(first + part.start, device=device),
                torch.tensor(total, dtype=torch.float32, device=device))

    def rows(self) -> torch.Tensor:
        """The frames that the rollouts of a step start from."""
        drawn = []
        for starts, chance, count in self.sources:
            at = torch.searchsorted(chance, torch.rand(count, device=chance.device))
            drawn.append(starts[at.clamp(max=len(starts) - 1)])
        drawn = torch.cat(drawn)
        return drawn[torch.randperm(len(drawn), device=drawn.device)]  # both at all paces

    def step(self, number: int) -> float:
        """A step of the round; returns its loss."""
        share = 0.5 + 0.5 * math.cos(math.pi * number / self.plan.steps)
        rise = min(1.0, (number + 1) / self.plan.warm)
        graph.set_rate(self.trainer.adam, self.rate * rise * (0.02 + 0.98 * share))
        return float(self.update({"rows": self.rows()})["loss"])


def mended(trainer: Trainer, plan: Plan) -> Iterator[tuple[int, float]]:
    """All rounds of a plan on a trainer's network; yields the steps made and the loss after each.
    What is made by then is the trainer's where the caller stops."""
    trainer.contract.rules.update(RULES)
    for number, rate in enumerate(plan.rates):
        model = exporter.to_model(trainer.average, trainer.contract, trainer.scale)
        made = own.frames(model, plan.count, plan.length, trainer.settings.seed + number)
        last = Mend(trainer, plan, made, rate)
        try:
            for step in range(plan.steps):
                yield number * plan.steps + step + 1, last.step(step)
        finally:
            for net in (trainer.net, trainer.average):
                net.load_state_dict(last.trainer.average.state_dict())
