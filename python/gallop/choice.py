"""Which network of a polish is kept, and with which rules.

The result of a last stage is a running mean of its weights, and from step to step it lies within a
hair of some bars, on this side or that. So the runtime's judge looks at it in the last part, while
the steps go on, and the network that it has the least against is kept. Then a few rules are fitted
to that network. Both are chosen by the bars that the model is held to afterwards, or by narrower
ones (its aims), which is said where its figures are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from gallop import judge, library
from gallop.arguments import say
from gallop.fitting import Fit, fitted
from gallop.looks import ALONE, Ended, Looks, Mixes, Stage, looked, words_of
from gallop.modelfile import Model
from gallop.network import PFNN
from gallop.polish import Polish
from gallop.verdict import Judge, at_once, listed

EVERY = 250  # steps between two looks
SINCE = 0.7  # share of the steps before the first
SECONDS = 60  # of each script where the judge chooses


class Steps:
    """A polish as looks have a stage."""

    def __init__(self, polish: Polish) -> None:
        self.polish = polish

    @property
    def step(self) -> int:
        return self.polish.step

    def train(self, quiet: bool, stop: int) -> bool:
        """Go on to a step; whether it was let."""
        self.polish.train(quiet, stop)
        return not self.polish.interrupted


class Choice:
    """The judge's choice among the networks of a last stage, and of rules."""

    def __init__(self, judge: Judge, fit: Fit, every: int, say: Callable[[str], None]) -> None:
        self.judge, self.fit, self.every, self.say = judge, fit, every, say
        self.looks = Looks(judge, say, ends=False)
        self.kept: int = 0
        self.shares = ALONE  # of what is kept, in a mean
        self.before: list[dict] = []  # what it said of the stage before
        self.rules: list[dict] = []
        self.missed: list[list] = []

    def begin(self, plan: object, checkpoint: Path | None, mixes: Mixes | None = None) -> None:
        """Looks at a stage of this plan, or at what `mixes` makes of it; what was said before is
        beside the stage's checkpoint."""
        place = checkpoint.with_suffix(checkpoint.suffix + ".looks") if checkpoint else None
        self.looks = Looks(self.judge, self.say, place, repr((plan, self.every)), ends=False,
                           mixes=mixes)

    def best_of(self, stage: Stage, steps: int, every: int, model: Callable[[], Model],
                quiet: bool) -> Model | None:
        """The controller that it has the least against at every so many steps of a stage before the
        last, or the one that the stage ends with; none if ^C ended that."""
        looks = Looks(self.judge, lambda text: self.say(f"before, {text}"), ends=False)
        try:
            best = looked(stage, steps, every, looks, model, quiet)
        except Ended:
            return None
        finally:
            self.before = looks.report
        self.say(f"goes on from step {looks.kept} of {steps}")
        return best

    def watch(self, stage: Stage, steps: int, model: Callable[[], Model], quiet: bool,
              since: float = SINCE) -> bool:
        """All steps of the stage, looked at from that share of them on; whether it was let, or ^C
        ended it."""
        try:
            looked(stage, steps, self.every, self.looks, model, quiet, round(since * steps))
        except Ended:
            return False
        return True

    def finished(self, model: Model, whole: bool) -> Model:
        """What is kept, if the judge saw any, with rules fitted to it if the training is whole;
        else `model`."""
        looks = self.looks
        if looks.best is None:
            return model
        best, verdict = looks.best, looks.verdict
        self.kept, self.shares = looks.kept, looks.seen[0].shares
        self.say(f"kept: step {looks.kept}{words_of(self.shares)} of {len(looks.report)} looks, "
                 f"{verdict}, {verdict.astray:.1f} degrees astray")
        if whole:
            one = fitted(best, verdict, self.fit, self.judge, self.say, looks.others)
            best, verdict, self.rules = one.model, one.verdict, one.report
            if one.other:
                self.kept, self.shares = one.other.step, one.other.shares
        self.missed = listed(verdict)
        return best

    def taken(self) -> dict[str, float]:
        """The rules that were fitted, and their values."""
        return {said["rule"]: said["value"] for said in self.rules if said["taken"]}

    def words(self) -> str:
        """The choice, for the file; empty where there was none."""
        if self.looks.best is None:
            return ""
        rules = "".join(f", {rule} {value:g}" for rule, value in self.taken().items())
        tried = {said["rule"] for said in self.rules}
        left = "".join(f", {rule} not fitted" for rule in self.fit if rule not in tried)
        kept = f"step {self.kept}{words_of(self.shares)}"
        return f"{kept}, of {len(self.looks.report)} looks of the judge" + rules + left

    def report(self) -> dict:
        """All that the judge said."""
        return {"before": self.before, "looks": self.looks.report, "kept": self.kept,
                "shares": self.shares, "rules": self.rules, "taken": self.taken(),
                "missed": self.missed}


class PolishChoice(Choice):
    """The same among the networks of a polish."""

    def __init__(self, judge: Judge, made: Callable[[PFNN], Model], fit: Fit, every: int,
                 say: Callable[[str], None]) -> None:
        """`made` makes a network the model that would be shipped."""
        super().__init__(judge, fit, every, say)
        self.made = made

    def polished(self, polish: Polish, quiet: bool) -> PFNN:
        """The polish, looked at in its last part; ^C ends it as it does without looks."""
        self.begin(polish.plan, polish.checkpoint)
        stage = Steps(polish)
        if not self.watch(stage, polish.plan.steps, lambda: self.made(polish.average), quiet):
            polish.interrupted = True
        return polish.average


def choice_of(args: argparse.Namespace, name: str, fit: Fit, every: int = EVERY) -> Choice | None:
    """The judge's choice of a whole training, if there is a judge and it is not to be without;
    `every` so many steps, if not told."""
    said = _wishes(args, name, every)
    return Choice(said[0], fit, *said[1:]) if said else None


def polish_choice_of(args: argparse.Namespace, name: str, made: Callable[[PFNN], Model],
                     fit: Fit) -> PolishChoice | None:
    """The same of a training that ends with a polish."""
    said = _wishes(args, name, EVERY)
    return PolishChoice(said[0], made, fit, *said[1:]) if said else None


def _wishes(args: argparse.Namespace, name: str, every: int
            ) -> tuple[Judge, int, Callable[[str], None]] | None:
    """The judge, the steps between two of its looks, and who is told; None: to be without."""
    every = every if args.looks is None else args.looks
    if args.no_judge or not every or not judge.is_there(args.judge):
        return None
    judges = Judge(None, args.judge, args.bars or bars_of(name), SECONDS, at_once())
    return judges, every, lambda text: say(args, text)


def bars_of(name: str) -> Path | None:
    """What trainings of such a model are chosen by: its aims, or the shipped one's own bars."""
    places = [library.models_folder() / f"{name}.{kind}" for kind in ("aims", "bars")]
    return next((place for place in places if place.exists()), None)
