"""The dog learns from its own motion made clean (own.py), with its data beside it.

A round records what the network does now, cleans it, and rolls the network out along both, as in
training but without the anchor, under which a slide would not be seen whole. Some are evaluated
once in 2 or 4 frames, or who is far away in a crowd would not be the same dog. The next round
begins with what that made, or anew, as another branch by other measures. What one branch spoils
another does not: the best of all is a mean of both and of the network before.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import cast

import torch

from gallop import exporter, graph
from gallop.dog import own
from gallop.dog.features import Frames
from gallop.dog.rollout import Weights
from gallop.dog.train import BATCH, Settings, Stage, Trainer, chances
from gallop.interrupt import Interrupt
from gallop.looks import Shares, blend
from gallop.modelfile import Model
from gallop.progress import Progress

# From then on: the old anchor slows who slides no more, who turns sooner needs less of a lead, and
# contacts are surer.
RULES = {"anchor": 0.21, "turn_ahead": 10.0, "foot_lock_contact": 0.5}
# Rules that are fitted to the network at the end, and what is tried beside these.
FIT = {"anchor": (0.15, 0.27), "turn_ahead": (9.3, 10.7), "foot_lock_contact": (0.4,),
       "speed_push": (0.4, 0.6)}
SINCE = 0.12  # share of the steps before the judge's first look
EVERY = 750  # steps between two looks, each at several networks
# Shares of the network as it is, of the one before the mending, and of the end of the branch before
# this one: of their means the judge looks at these.
MEANS = (((1, 0), (2, 1)), ((1, 0, 0), (4, 1, 2), (2, 0, 1), (2, 1, 0), (1, 0, 1)))
STEPS = 1500  # of each round
ANCHOR = 0.0  # of its rollouts
BROKEN = 10  # steps without a finite loss, one after another, end it; a single one takes no part


@dataclass(frozen=True)
class Round:
    """A round of a rate, of rollouts of which `share` go along the own motion. There feet are
    planted that move by less than `moving` cm/s; their motion counts `feet`, as Weights.feet_rate.
    It goes on from the round before, or, `anew`, from the network before the mending: with it
    another branch begins."""

    rate: float
    anew: bool = False
    share: float = 0.8
    moving: float = own.MOVING
    feet: float = 0.8


@dataclass(frozen=True)
class Plan:
    """Rounds, each of `steps` steps of `batch` rollouts of `unroll` frames, along the own motion of
    twice `count` characters that live `length` frames, and along the data. paces[i] of the rollouts
    are evaluated once in 2^(i + 1) frames, as a crowd's far characters."""

    steps: int
    rounds: tuple[Round, ...] = (Round(2e-4, True, 0.9, 40.0, 0.6), Round(2e-4, True),
                                 Round(1.5e-4), Round(1e-4))
    batch: int = BATCH
    paces: tuple[int, ...] = (192, 128)
    unroll: int = 24
    count: int = 48
    length: int = 1000
    warm: int = 100  # steps until a round has its rate: Adam's first few would be too large

    def room(self) -> int:
        """The most frames that there are of their own motion, and of its mirror image."""
        return 4 * self.count * self.length


def plan_of(steps: int, device: str) -> Plan:
    """The plan of so many steps a round, on a CPU of so few rollouts that a core can take them."""
    return Plan(steps) if device == "cuda" else Plan(steps, batch=66, paces=(18, 12), count=20)


class Mend:
    """The rounds' training, one for all: kernels and graph are made once. `trainer.average` is what
    the round has made."""

    def __init__(self, trainer: Trainer, plan: Plan, made: Frames) -> None:
        """`made` are the frames of the first round's own motion, whose errors are measured as those
        of all rounds."""
        settings = Settings(trainer.settings.hidden, trainer.settings.experts, rate=0.0,
                            anchor=ANCHOR, seed=trainer.settings.seed)
        before = {"net": trainer.average.state_dict(), "scale": vars(trainer.scale)}
        self.plan, self.broken, self.first = plan, 0, len(trainer.frames)
        self.trainer = Trainer(trainer.contract, own.joined(trainer.frames, made), settings,
                               str(trainer.device), before)
        self.trainer.rollout.data.widen(self.first + plan.room())
        self.data = self._starts(trainer.frames, 0)
        self.sources: list[tuple[torch.Tensor, torch.Tensor, int]] = []
        stage = Stage(plan.steps, plan.batch, plan.unroll, plan.paces)
        self.update = graph.Replayed(lambda given: self.trainer.step(given, stage), trainer.device)

    def begin(self, made: Frames, one: Round, network: dict[str, torch.Tensor]) -> None:
        """A round from a network on, along the frames of its own motion."""
        trainer, self.round, self.broken = self.trainer, one, 0
        trainer.rollout.data.put(self.first, made)
        trainer.rollout.weigh(dataclasses.replace(Weights(), feet_rate=one.feet))
        of_own = round(self.plan.batch * one.share)
        self.sources = [(*self.data, self.plan.batch - of_own),
                        (*self._starts(made, self.first), of_own)]
        self._warm_up()
        for net in (trainer.net, trainer.average):
            net.load_state_dict(network)
        for state in trainer.adam.state.values():  # in place: a graph knows them
            for value in state.values():
                value.zero_()

    def _warm_up(self) -> None:
        """Let PyTorch write its kernels and record its graph, of which no round has less time."""
        graph.set_rate(self.trainer.adam, 0.0)
        while self.update.records and self.update.graph is None:
            self.update({"rows": self.rows()})

    def _starts(self, frames: Frames, first: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Frames that rollouts may start from, of those that lie from `first` on, and their
        cumulated chances."""
        at, total = chances(frames, self.plan.unroll)
        device = self.trainer.device
        return (torch.tensor(first + at, device=device),
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
        rate = self.round.rate * min(1.0, (number + 1) / self.plan.warm)
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
    train(). `branches` are the network before it and the ends of the branches before this one."""

    def __init__(self, trainer: Trainer, plan: Plan, seconds: float | None = None,
                 workers: Executor | None = None) -> None:
        """With `seconds` it takes so long, from now on; `workers` clean what is recorded."""
        trainer.contract.rules.update(RULES)
        self.trainer, self.plan, self.workers = trainer, plan, workers
        self.end = time.monotonic() + seconds if seconds else None
        self.step, self.steps = 0, plan.steps * len(plan.rounds)
        self.mend: Mend | None = None
        self.at: int | None = None  # the round that is under way
        self.made, self.since, self.span = 0, 0.0, 0.0  # of the round
        self.total = trainer.history[-1][0] if trainer.history else 0  # steps of the training
        self.before = copy.deepcopy(trainer.average.state_dict())
        self.branches = [self._model()]

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

    def mixes(self, model: Model) -> list[tuple[Shares, Model]]:
        """The means that the judge looks at, of a model of this branch and of those before."""
        means = MEANS[min(len(self.branches), len(MEANS)) - 1]
        return [(shares, blend([model, *self.branches], shares)) for shares in means]

    def _model(self) -> Model:
        trainer = self.trainer
        return exporter.to_model(trainer.average, trainer.contract, trainer.scale)

    def _next(self, stop: int) -> float:
        """A step; returns its loss."""
        steps, number = self.plan.steps, self.step // self.plan.steps
        if self.at != number:
            self._begin(number)
        mend = cast(Mend, self.mend)
        loss = mend.step(self.step / steps - number, self.made)
        self.made, self.total = self.made + 1, self.total + 1
        share = (time.monotonic() - self.since) / self.span if self.end else self.made / steps
        self.step = min(number * steps + min(round(share * steps), steps), stop)
        if self.step == (number + 1) * steps:
            self._keep()
        return loss

    def _begin(self, number: int) -> None:
        """The next round, on motion recorded now."""
        trainer, plan, before = self.trainer, self.plan, time.monotonic()
        if plan.rounds[number].anew and number:
            self.branches.append(self._model())
            for net in (trainer.net, trainer.average):
                net.load_state_dict(self.before)
        made = own.frames(self._model(), plan.count, plan.length, trainer.settings.seed + number,
                          str(trainer.device), plan.rounds[number].moving, self.workers)
        recorded = time.monotonic() - before
        self.mend = self.mend or Mend(trainer, plan, made)
        self.mend.begin(made, plan.rounds[number], trainer.average.state_dict())
        self.at, self.made, self.since = number, 0, time.monotonic()
        if self.end:  # later rounds record, too
            left, later = self.end - self.since, len(plan.rounds) - number - 1
            self.span = max((left - later * recorded) / (later + 1), 1.0)

    def _keep(self) -> None:
        """What the round has made becomes the trainer's."""
        if self.mend and self.at is not None:
            for net in (self.trainer.net, self.trainer.average):
                net.load_state_dict(self.mend.trainer.average.state_dict())
