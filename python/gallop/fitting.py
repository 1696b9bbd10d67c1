"""Rules fitted to a network: a few values of a few rules, as the judge says.

How far a network leads off its way, and in which phase it begins a step well, differs from training
to training; a rule that leads it back is tried in the runtime, rule by rule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import Future

from gallop.contract import parse, to_text
from gallop.interrupt import Interrupt
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


def fitted(model: Model, verdict: Verdict, fit: Fit, judge: Judge, say: Callable[[str], None]
           ) -> tuple[Model, Verdict, list[dict]]:
    """The model with the values that the judge has the least against, what it has, and all that it
    said. `verdict` is on the model as it is. ^C leaves it at what was taken by then."""
    report: list[dict] = []
    with Interrupt() as asked:
        for name, values in fit.items():
            if asked.asked:
                say(f"interrupted: {name} is left as it is")
                continue
            tried = [(value, with_rule(model, name, value)) for value in values]
            waiting = [judge.begin(made) for _, made in tried]
            for (value, made), look in zip(tried, waiting):
                said = _heard(look, name, value, verdict, say)
                if said is None:
                    continue
                better = is_better(said, verdict)
                report.append({"rule": name, "value": value, "missed": listed(said),
                               "astray": round(said.astray, 2), "taken": better})
                if better:
                    model, verdict = made, said
    return model, verdict, report


def _heard(look: Future[Verdict], name: str, value: float, before: Verdict,
           say: Callable[[str], None]) -> Verdict | None:
    """What the judge says of a value, said; none where it could not judge."""
    try:
        said = look.result()
    except (OSError, ValueError) as e:  # what was trained for hours is not lost by it
        say(f"{name} {value:g}: not judged: {e}")
        return None
    taken = ", taken" if is_better(said, before) else ""
    say(f"{name} {value:g}: {said}, {said.astray:.1f} degrees astray{taken}")
    return said
