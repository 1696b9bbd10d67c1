"""Rules fitted to a network: a few values of a few rules, as the judge says.

How far a network leads off its way, and in which phase it begins a step well, differs from training
to training; a rule that leads it back is tried in the runtime, rule by rule, and then between the
values that were tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import reduce

from gallop.contract import parse, to_text
from gallop.interrupt import Interrupt
from gallop.looks import Seen
from gallop.modelfile import Model
from gallop.verdict import Judge, Verdict, listed

MUCH = 0.9  # of how far ways and facings are off: what is not less than that is no gain

Fit = dict[str, tuple[float, ...]]  # rules, and the values that are tried beside their own


def with_rule(model: Model, name: str, value: float) -> Model:
    """The model with another value of a rule."""
    contract = parse(model.contract, "contract")
    contract.rules[name] = value
    return dataclasses.replace(model, contract=to_text(contract))


def is_better(one: Verdict, other: Verdict) -> bool:
    """Whether fewer bars are missed, or as many by less, or as they are with ways and facings off
    by less."""
    if one.rank() != other.rank():
        return one.rank() < other.rank()
    return one.astray < MUCH * other.astray


def middles(fit: Fit, own: Model, best: Model) -> Fit:
    """The middles between the value that each rule has in the best model and those next to it, of
    what was tried and what the model had of its own."""
    out = {}
    for name, values in fit.items():
        known = sorted({*values, *_rule(own, name)})
        at = [i for i, value in enumerate(known) if value in _rule(best, name)]
        out[name] = tuple(round((known[i] + known[j]) / 2, 6) for i in at for j in (i - 1, i + 1)
                          if 0 <= j < len(known))
    return out


def fitted(model: Model, verdict: Verdict, fit: Fit, judge: Judge, say: Callable[[str], None],
           others: Sequence[Seen] = ()) -> Fitting:
    """The model with the values that the judge has the least against; `verdict` is on it as it is.
    First the values of `fit` are tried, then other networks with what was taken, then middles. ^C
    leaves it at what was taken by then."""
    one = Fitting(model, verdict, judge, say)
    with Interrupt() as asked:
        one.try_all(fit, asked)
        if not asked.asked:
            one.try_others(others)
            one.try_all(middles(fit, model, one.model), asked)
    return one


class Fitting:
    """A model, what the judge has against it, what it said of values of rules, and whose network
    was taken in place of the first one's."""

    def __init__(self, model: Model, verdict: Verdict, judge: Judge, say: Callable[[str], None]
                 ) -> None:
        self.model, self.verdict, self.judge, self.say = model, verdict, judge, say
        self.report: list[dict] = []
        self.other: Seen | None = None

    def try_all(self, fit: Fit, asked: Interrupt) -> None:
        """Rule by rule; the values of one are judged at once."""
        for name, values in fit.items():
            if asked.asked:
                self.say(f"interrupted: {name} is left as it is")
                continue
            words = [f"{name} {value:g}" for value in values]
            models = [with_rule(self.model, name, value) for value in values]
            for at, verdict, better in self._judged(words, models):
                self.report.append({"rule": name, "value": values[at], "missed": listed(verdict),
                                    "astray": round(verdict.astray, 2), "taken": better})

    def try_others(self, others: Sequence[Seen]) -> None:
        """Other networks of the same stage, with the rules that were taken, if any were."""
        rules = [(said["rule"], said["value"]) for said in self.report if said["taken"]]
        if not rules:
            return
        models = [reduce(lambda made, rule: with_rule(made, *rule), rules, other.model)
                  for other in others]
        words = [f"step {other.step} with these rules" for other in others]
        for at, _, better in self._judged(words, models):
            self.other = others[at] if better else self.other

    def _judged(self, words: list[str], models: list[Model]) -> list[tuple[int, Verdict, bool]]:
        """Which could be judged, the verdicts, and whether they are better than all before."""
        out = []
        waiting = [self.judge.begin(made) for made in models]
        for at, look in enumerate(waiting):
            verdict = _heard(look, words[at], self.verdict, self.say)
            if verdict is None:
                continue
            better = is_better(verdict, self.verdict)
            out.append((at, verdict, better))
            if better:
                self.model, self.verdict = models[at], verdict
        return out


def _rule(model: Model, name: str) -> tuple[float, ...]:
    """The value of a rule in the model, if it has one."""
    rules = parse(model.contract, "contract").rules
    return (rules[name],) if name in rules else ()


def _heard(look: Future[Verdict], words: str, before: Verdict, say: Callable[[str], None]
           ) -> Verdict | None:
    """What the judge says of a model, said; none where it could not judge."""
    try:
        said = look.result()
    except (OSError, ValueError) as e:  # what was trained for hours is not lost by it
        say(f"{words}: not judged: {e}")
        return None
    taken = ", taken" if is_better(said, before) else ""
    say(f"{words}: {said}, {said.astray:.1f} degrees astray{taken}")
    return said
