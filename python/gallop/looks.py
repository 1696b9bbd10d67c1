"""The judge's looks at what is trained, and which controller it has the least against.

A look is taken while the next steps go on, at the controller of a step, or at means of it and of
others. What was said is kept in a file, so that a run that was stopped
remembers it.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from gallop.interrupt import Interrupt
from gallop.modelfile import Model
from gallop.trainer import load_checkpoint, save_checkpoint
from gallop.verdict import Judge, Verdict, listed

Say = Callable[[str], None]
Shares = tuple[float, ...]  # of a stage's controller and of others, in a mean
Mixes = Callable[[Model], list[tuple[Shares, Model]]]  # what is looked at, of a stage's controller
ALONE: Shares = (1.0,)
MOST = 4  # controllers that are remembered


class Ended(KeyboardInterrupt):
    """^C ended a stage between two of its steps: what it has made is whole."""


class Stage(Protocol):
    """What goes on in steps: the one it is at, and on to another; whether it was let."""

    @property
    def step(self) -> int: ...

    def train(self, quiet: bool, stop: int) -> bool: ...


def mean(one: Model, other: Model, share: float) -> Model:
    """The model whose weights are a share of one's and the rest of the other's, of one shape."""
    def mixed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (share * a.astype(np.float64) + (1 - share) * b).astype(np.float32)

    def layers(a: list, b: list) -> list:
        return [dataclasses.replace(p, weights=mixed(p.weights, q.weights),
                                    bias=mixed(p.bias, q.bias)) for p, q in zip(a, b)]

    return dataclasses.replace(one, layers=layers(one.layers, other.layers),
                               gate_layers=layers(one.gate_layers, other.gate_layers),
                               output_mean=mixed(one.output_mean, other.output_mean))


def blend(models: Sequence[Model], shares: Shares) -> Model:
    """The model whose weights are the mean of those of models of one shape, whose shares are as
    `shares`, the first more than none."""
    made, so_far = models[0], shares[0]
    for model, share in zip(models[1:], shares[1:]):
        so_far += share
        made = mean(made, model, 1 - share / so_far) if share else made
    return made


def beside(other: Model | None, means: Sequence[float]) -> Mixes:
    """A stage's controller, and means of it and of another, if there is one: so much of it."""
    def made(model: Model) -> list[tuple[Shares, Model]]:
        shares = [(share, round(1 - share, 6)) for share in means] if other else []
        return [(ALONE, model), *((one, blend([model, other], one)) for one in shares)]

    return made


def words_of(shares: Shares) -> str:
    """The shares of a mean, the stage's controller's first; nothing of that alone."""
    return ", " + " : ".join(f"{one:g}" for one in shares) if any(shares[1:]) else ""


@dataclass(frozen=True)
class Look:
    """A look that the judge takes at a stage's controller of so many steps, or at a mean of it."""

    step: int
    shares: Shares
    model: Model
    verdict: Future[Verdict]
    number: int = 0  # among those of its step


@dataclass(frozen=True)
class Seen:
    """A controller of a step, or a mean of it, and what the judge has against it."""

    step: int
    model: Model
    verdict: Verdict
    shares: Shares = ALONE
    number: int = 0


class Looks:
    """The judge's looks at a stage, each while the next steps go on; `best` is the controller that
    it has the least against, `kept` its step, `verdict` what it has, `others` those next to it,
    `report` what it said of all, `ended` whether that ends the stage."""

    def __init__(self, judge: Judge, say: Say, place: Path | None = None, plan: str = "",
                 ends: bool = True, mixes: Mixes | None = None) -> None:
        """It looks at a stage's controller, or at what `mixes` makes of it. What it says is kept at
        `place`, and remembered from there, if it was said of the same plan. One that it has nothing
        against `ends` the stage; or the stage goes on, and of equals the later is the best."""
        self.judge, self.say, self.begun = judge, say, time.monotonic()
        self.place, self.plan, self.ends = place, plan, ends
        self.mixes = mixes or beside(None, ())
        self.seen: list[Seen] = []  # the first of them the best
        self.report: list[dict] = []
        self.waiting: list[Look] = []
        if place and place.exists():
            self._remember(place)

    @property
    def best(self) -> Model | None:
        return self.seen[0].model if self.seen else None

    @property
    def kept(self) -> int:
        return self.seen[0].step if self.seen else 0

    @property
    def verdict(self) -> Verdict:
        return self.seen[0].verdict if self.seen else Verdict({})

    @property
    def others(self) -> list[Seen]:
        return self.seen[1:]

    @property
    def ended(self) -> bool:
        """Whether it had nothing against one, which ends it."""
        return self.ends and self.best is not None and not self.verdict.new

    def begin(self, step: int, model: Model) -> None:
        """Let it look at a controller."""
        for number, (shares, made) in enumerate(self.mixes(model)):
            self.waiting.append(Look(step, shares, made, self.judge.begin(made), number))

    def first(self, model: Model) -> None:
        """Let it look at what the polish begins with."""
        self.waiting.append(Look(0, ALONE, model, self.judge.begin(model)))

    def content(self, wait: bool = True) -> bool:
        """Wait for what it says, or hear what it has said by now; whether it has nothing against
        one of these."""
        looks = [look for look in self.waiting if wait or look.verdict.done()]
        self.waiting = [look for look in self.waiting if not any(look is heard for heard in looks)]
        content = any([self._heard(look) for look in looks])
        if looks:
            self._keep()
        return content

    def drop(self) -> None:
        """Let the judge not begin with what nobody waits for."""
        for look in self.waiting:
            look.verdict.cancel()
        self.waiting = []

    def _heard(self, look: Look) -> bool:
        words = f"step {look.step}{words_of(look.shares)}, {time.monotonic() - self.begun:.0f} s"
        try:
            verdict = look.verdict.result()
        except (OSError, ValueError) as e:  # what was trained for hours is not lost by it
            self.say(f"{words}: not judged: {e}")
            return False
        self.say(f"{words}: {verdict}")
        said = {"step": look.step, "shares": look.shares, "missed": listed(verdict)}
        if said not in self.report:  # nor is what a checkpoint from before it had yet to come to
            self.report.append(said)
        seen = Seen(look.step, look.model, verdict, look.shares, look.number)
        sign = 1 if self.ends else -1  # of equals the first or the last, whichever was heard first
        self.seen = sorted([*self.seen, seen], key=lambda one: (
            one.verdict.rank(), sign * one.step, one.number))[:MOST]
        return self.ends and not verdict.new

    def _keep(self) -> None:
        """Write what was said, and the best, replacing the old file in one move."""
        if not self.place:
            return
        save_checkpoint({"plan": self.plan, "seen": self.seen, "report": self.report}, self.place)

    def _remember(self, place: Path) -> None:
        said = load_checkpoint(place, torch.device("cpu"))
        if said["plan"] != self.plan or "seen" not in said:
            raise ValueError(f"{place} was made with another plan; remove it to start anew")
        self.seen, self.report = said["seen"], said["report"]


def looked(stage: Stage, steps: int, every: int, looks: Looks | None,
           model: Callable[[], Model], quiet: bool, since: int = 0) -> Model:
    """The controller after all steps of a stage, or the first that the judge has nothing against,
    if that ends it, or else the one that it has the least against. It looks from step `since` on. A
    stage that goes on is looked at where it would have been, and does not wait for the judge."""
    let = True
    with Interrupt() as asked:  # while the judge is waited for; the stage has its own
        while let and not asked.asked and stage.step < steps and not (looks and looks.ended):
            until = min((stage.step // every + 1) * every, steps)
            let = stage.train(quiet, until)
            if looks and not looks.content(looks.ends) and stage.step == until >= since:
                looks.begin(stage.step, model())
        if looks:
            looks.content(let and not asked.asked)
            looks.drop()
    if asked.asked or not let:
        raise Ended
    best = looks.best if looks else None
    return model() if best is None else best
