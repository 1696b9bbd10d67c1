"""The dog learns from its own motion made clean (own.py), with its data beside it.

A round records what the network does now, cleans it, and rolls the network out along both, as in
training but without the anchor, under which a slide would not be seen whole. Some are evaluated
once in 2 or 4 frames, or who is far away in a crowd would not be the same dog. The next round
begins with what that made.
"""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass

import torch

from gallop import exporter, graph
from gallop.dog import own
from gallop.dog.features import Frames
from gallop.dog.rollout import Weights
from gallop.dog.train import BATCH, Settings, Stage, Trainer, chances
from gallop.interrupt import Interrupt
from gallop.progress import Progress

# From then on: the old anchor slows who slides no more, who turns sooner needs less of a lead, and
# contacts are surer.
RULES = {"anchor": 0.21, "turn_ahead": 10.0, "foot_lock_contact": 0.5}
# Rules that are fitted to the network at the end, and what is tried beside these.
FIT = {"anchor": (0.1, 0.15, 0.27, 0.35), "turn_ahead": (8.5, 9.3, 10.7, 11.5),
       "foot_lock_contact": (0.3, 0.4), "speed_push": (0.4, 0.6)}
SINCE = 0.3  # share of the steps before the judge's first look
EVERY = 500  # steps between two looks, each of several networks
MEANS = (0.85, 0.7, 0.5)  # of it, the rest of the network before the mending: looked at, too
STEPS = 1500  # of each round
ANCHOR = 0.0  # of its rollouts
BROKEN = 10  # steps without a finite loss, one after another, end it; a single one takes no part


@dataclass(frozen=True)
class Plan:
    """`rates` of as many rounds, each of `steps` steps of `batch` rollouts of `unroll` frames, of
    which `share` go along the own motion: of twice `count` characters that live `length` frames.
    paces[i] of the rollouts are evaluated once in 2^(i + 1) frames, as a crowd's far characters."""

    steps: int
    rates: tuple[float, ...] = (2e-4, 1.2e-4)
    batch: int = BATCH
    paces: tuple[int, ...] = (192, 128)
    unroll: int = 24
    share: float = 0.8
    count: int = 48
    length: int = 1000
    feet: float = 1.0  # what the feet's motion counts, as Weights.feet_rate
    warm: int = 100  # steps until a round has its rate: Adam's first few would be too large


def plan_of(steps: int, device: str) -> Plan:
    """The plan of so many steps a round, on a CPU of so few rollouts that a core can take them."""
    return Plan(steps) if device == "cuda" else Plan(steps, batch=66, paces=(18, 12), count=20)


class Mend:
    """One round of a plan on a trainer's network; `trainer.average` is the result."""

    def __init__(self, trainer: Trainer, plan: Plan, made: Frames, rate: float) -> None:
        """`made` are the frames of the network's own motion."""
        settings = Settings(trainer.settings.hidden, trainer.settings.experts, rate=rate,
                            anchor=ANCHOR, seed=trainer.settings.seed,
                            weights=dataclasses.replace(Weights(), feet_rate=plan.feet))
        before = {"net": trainer.average.state_dict(), "scale": vars(trainer.scale)}
        self.plan, self.rate, self.broken = plan, rate, 0
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

    def step(self, share: float, number: int) -> float:
        """A step at a share of the round, of which so many were made; returns its loss."""
        rate = self.rate * min(1.0, (number + 1) / self.plan.warm)
        rate *= 0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * share))
        graph.set_rate(self.trainer.adam, rate)
        loss = float(self.update({"rows": self.rows()})["loss"])
        self.broken = 0 if math.isfinite(loss) else self.broken + 1
        if self.broken == BROKEN:
            raise FloatingPointError(f"the loss is not finite at step {number + 1} of a round")
        return loss


class Mending:
    """All rounds of a plan on a trainer's network, as looks have a stage. `step` counts as the plan
    does, whatever steps there are time for. What is made by then is the trainer's after each
    train()."""

    def __init__(self, trainer: Trainer, plan: Plan, seconds: float | None = None) -> None:
        """With `seconds` it takes so long, from now on."""
        trainer.contract.rules.update(RULES)
        self.trainer, self.plan = trainer, plan
        self.end = time.monotonic() + seconds if seconds else None
        self.step, self.steps = 0, plan.steps * len(plan.rates)
        self.round: Mend | None = None
        self.made, self.since, self.span = 0, 0.0, 0.0  # of the round
        self.total = trainer.history[-1][0] if trainer.history else 0  # steps of the training

    def train(self, quiet: bool, stop: int) -> bool:
        """Go on to a step; whether it was let."""
        bar = Progress(self.steps, "mend", quiet, self.step)
        with Interrupt() as asked:
            while self.step < stop and not asked.asked:
                loss = self._next(stop)
                if self.made % 50 == 0 or self.step == self.steps:
                    bar.step(self.step, f"loss {loss:.4f} step {self.made}")
                    self.trainer.history.append((self.total, loss, []))
        self._keep()
        self.trainer.interrupted = asked.asked
        return not asked.asked

    def _next(self, stop: int) -> float:
        """A step; returns its loss."""
        steps, number = self.plan.steps, self.step // self.plan.steps
        if self.round is None:
            self.round = self._begun(number)
        loss = self.round.step(self.step / steps - number, self.made)
        self.made, self.total = self.made + 1, self.total + 1
        share = (time.monotonic() - self.since) / self.span if self.end else self.made / steps
        self.step = min(number * steps + min(round(share * steps), steps), stop)
        if self.step == (number + 1) * steps:
            self._keep()
            self.round = None
        return loss

    def _begun(self, number: int) -> Mend:
        """The next round, on motion recorded now."""
        trainer, plan, before = self.trainer, self.plan, time.monotonic()
        model = exporter.to_model(trainer.average, trainer.contract, trainer.scale)
        own_frames = own.frames(model, plan.count, plan.length, trainer.settings.seed + number,
                                str(trainer.device))
        begun = Mend(trainer, plan, own_frames, plan.rates[number])
        self.made, self.since = 0, time.monotonic()
        if self.end:  # later rounds record, too
            left, later = self.end - self.since, len(plan.rates) - number - 1
            self.span = max((left - later * (self.since - before)) / (later + 1), 1.0)
        return begun

    def _keep(self) -> None:
        """What the round has made becomes the trainer's."""
        if self.round:
            for net in (self.trainer.net, self.trainer.average):
                net.load_state_dict(self.round.trainer.average.state_dict())
