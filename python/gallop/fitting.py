"""Rules fitted to a network: a few values of a few rules, as the judge says.

How far a network leads off its way, and in which phase it begins a step well, differs from training
to training; a rule that leads it back is tried in the runtime, rule by rule, then between the
values that were tried, and at last, where a bar is still missed, two rules at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import combinations

from gallop.contract import parse, to_text
from gallop.interrupt import Interrupt
from gallop.looks import Seen
from gallop.modelfile import Model
from gallop.verdict import Judge, Verdict, listed

MUCH = 0.9  # of how far ways and facings are off: what is not less than that is no gain

Fit = dict[str, tuple[float, ...]]  # rules, and the values that are tried beside their own


def with_rule(model: Model, name: str, value: float) -> Model:
    """The model with another value of a rule."""
    return with_rules(model, {name: value})


def with_rules(model: Model, rules: dict[str, float]) -> Model:
    """The model with other values of rules."""
    contract = parse(model.contract, "contract")
    contract.rules.update(rules)
    return dataclasses.replace(model, contract=to_text(contract))


def is_better(one: Verdict, other: Verdict) -> bool:
    """Whether fewer bars are missed, or as many by less, or as they are with ways and facings off
    by less."""
    if one.rank() != other.rank():
        return one.rank() < other.rank()
    return one.astray < MUCH * other.astray


@dataclass(frozen=True)
class Trial:
    """A model that is tried: with values of rules, or with another look's network."""

    model: Model
    rules: dict[str, float] = field(default_factory=dict)
    other: Seen | None = None

    def __str__(self) -> str:
        if self.other:
            return f"step {self.other.step} with these rules"
        return " and ".join(f"{rule} {value:g}" for rule, value in self.rules.items())


def fitted(model: Model, verdict: Verdict, fit: Fit, judge: Judge, say: Callable[[str], None],
           others: Sequence[Seen] = ()) -> Fitting:
    """The model with the values that the judge has the least against; `verdict` is on it as it is.
    First the values of `fit` are tried, rule by rule; then, at once, other networks with what was
    taken and middles beside each rule's value, and once more middles if that was any better. If a
    bar is missed then, `hopes` follow. ^C leaves it at what was taken by then."""
    one = Fitting(model, verdict, judge, say)
    with Interrupt() as asked:
        for name, values in fit.items():
            if asked.asked:
                say(f"interrupted: {name} is left as it is")
            else:
                one.hear([one.ruled({name: value}) for value in values])
        for networks in (others, ()):
            if asked.asked or not one.hear(one.networks(networks) + one.middles(fit, model)):
                break
        if one.verdict.new and not asked.asked:
            one.hear(one.hopes(fit))
    return one


class Fitting:
    """A model, what the judge has against it, what it said of values of rules, and whose network
    was taken in place of the first one's."""

    def __init__(self, model: Model, verdict: Verdict, judge: Judge, say: Callable[[str], None]
                 ) -> None:
        self.model, self.verdict, self.judge, self.say = model, verdict, judge, say
        self.report: list[dict] = []
        self.tried: list[tuple[Trial, Verdict]] = []
        self.other: Seen | None = None

    def ruled(self, rules: dict[str, float]) -> Trial:
        return Trial(with_rules(self.model, rules), rules)

    def networks(self, others: Sequence[Seen]) -> list[Trial]:
        """Other networks of the same stage, with the rules that were taken, if any were."""
        rules = {said["rule"]: said["value"] for said in self.report if said["taken"]}
        made = [with_rules(other.model, rules) for other in others if rules]
        return [Trial(model, other=other) for model, other in zip(made, others)]

    def middles(self, fit: Fit, own: Model) -> list[Trial]:
        """The middles between the value of each rule and those next to it, of what was tried and
        what the model had of its own."""
        out = []
        for name in fit:
            tried = {said["value"] for said in self.report if said["rule"] == name}
            known = sorted({*tried, *_rule(own, name)})
            at = [i for i, value in enumerate(known) if value in _rule(self.model, name)]
            out += [self.ruled({name: round((known[i] + known[j]) / 2, 6)})
                    for i in at for j in (i - 1, i + 1) if 0 <= j < len(known)]
        return out

    def hopes(self, fit: Fit) -> list[Trial]:
        """Of each rule the value that the judge had the least against, of those that the model does
        not have: two rules' at once, and alone where it was tried beside others or another
        network."""
        best = {}
        for name in fit:
            seen = [(verdict.rank(), verdict.astray, trial.rules[name])
                    for trial, verdict in self.tried
                    if name in trial.rules and trial.rules[name] not in _rule(self.model, name)]
            if seen:
                best[name] = min(seen)[-1]
        alone = [{name: value} for name, value in best.items()]
        made = [self.ruled(rules) for rules in alone + [a | b for a, b in combinations(alone, 2)]]
        return [one for one in made if not any(_same(one, trial) for trial, _ in self.tried)]

    def hear(self, trials: list[Trial]) -> bool:
        """Judge them at once, and take the best; whether one is better than what there was."""
        best: Trial | None = None
        taken: list[dict] = []
        waiting = [self.judge.begin(trial.model) for trial in trials]
        for trial, look in zip(trials, waiting):
            said = self._heard(trial, look)
            if said is not None:
                best, taken = trial, said
        for one in taken:
            one["taken"] = True
        self.other = best.other or self.other if best else self.other
        return best is not None

    def _heard(self, trial: Trial, look: Future[Verdict]) -> list[dict] | None:
        """What the report has of the trial, if it is better than all before."""
        try:
            verdict = look.result()
        except (OSError, ValueError) as e:  # what was trained for hours is not lost by it
            self.say(f"{trial}: not judged: {e}")
            return None
        better = is_better(verdict, self.verdict)
        self.say(f"{trial}: {verdict}, {verdict.astray:.1f} degrees astray"
                 f"{', better' if better else ''}")
        self.tried.append((trial, verdict))
        said = [{"rule": rule, "value": value, "missed": listed(verdict),
                 "astray": round(verdict.astray, 2), "taken": False,
                 "beside": [other for other in trial.rules if other != rule]}
                for rule, value in trial.rules.items()]
        self.report += said
        if better:
            self.model, self.verdict = trial.model, verdict
        return said if better else None


def _rule(model: Model, name: str) -> tuple[float, ...]:
    """The value of a rule in the model, if it has one."""
    rules = parse(model.contract, "contract").rules
    return (rules[name],) if name in rules else ()


def _same(one: Trial, other: Trial) -> bool:
    """Whether they are one model."""
    same = one.model.layers is other.model.layers
    return same and one.model.contract == other.model.contract
