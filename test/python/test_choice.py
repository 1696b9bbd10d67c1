"""Which network of a polish is kept, and with which rules: what the judge has the least against."""

import json
import os
import signal
import sys
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

import synthetic
from gallop import (
    choice,
    contract,
    exporter,
    features,
    fitting,
    judge,
    looks,
    modelfile,
    polish,
    train,
    walker,
)
from gallop import verdict as verdicts
from gallop.losses import Weights
from gallop.trainer import Settings, Stage, Trainer
from gallop.verdict import Verdict

C = synthetic.contract()
LONG = Weights(3.0, 1.0)
PLAN = polish.Plan(10, 8, 4, stage=Stage(1, 8, 4, weights=LONG))
MODELS = Path(__file__).resolve().parents[2] / "models"
CAPTURE = Path(__file__).resolve().parents[3] / "shared" / "data" / "motion" / "100style"


class Judge:
    """Says one verdict after the other, or raises it, then that all else is bad, and keeps what it
    saw."""

    def __init__(self, *said):
        self.said, self.models = list(said), []

    def begin(self, model):
        self.models.append(model)
        out, said = Future(), self.said.pop(0) if self.said else missed(9)
        if isinstance(said, Exception):
            out.set_exception(said)
        else:
            out.set_result(said)
        return out


def missed(count, over=0.1, astray=0.0):
    return Verdict({("skate", str(i)): over for i in range(count)}, astray=astray)


@pytest.fixture(scope="module")
def data():
    return synthetic.dataset()


@pytest.fixture(scope="module")
def trained(data):
    settings = Settings(12, "cubic", 4, (Stage(4, 16),))
    t = Trainer(C, data, np.ones(len(data.x), bool), features.scale_of(C, data.x, data.y), settings)
    t.train(quiet=True)
    return t


def polish_of(trained, data, place=None, made=polish.Polish):
    return made(trained.average, trained.unroll, C, data, trained.batches, 0, PLAN, 1,
                trained.world, place)


def model_of(net, data):
    return exporter.to_model(net, C, features.scale_of(C, data.x, data.y), fixed=np.ones(1))


def choice_of(judged, data, say=print):
    """Of a polish of ten steps, looked at after each from the seventh on."""
    return choice.PolishChoice(judged, lambda net: model_of(net, data), {}, 1, say)


@pytest.mark.parametrize("counts, kept", [
    ((3, 1, 2, 4), 8),  # the fewest
    ((1, 0, 0, 2), 9),  # of equals the later; one that misses none does not end the polish
    ((2, 2, 2, 2), 10),
])
def test_the_least_missed_look_is_kept(trained, data, counts, kept):
    judged = Judge(*(missed(c) for c in counts))
    one = choice_of(judged, data)
    stage = polish_of(trained, data)
    one.polished(stage, quiet=True)
    assert stage.step == 10 and [said["step"] for said in one.looks.report] == [7, 8, 9, 10]
    out = one.finished(None, whole=True)
    assert out is judged.models[kept - 7] and one.looks.kept == kept
    assert one.words() == f"step {kept}, of 4 looks of the judge"
    one.fit = {"speed_walk": (1.0,)}  # as after ^C
    assert one.words().endswith("looks of the judge, speed_walk not fitted")


def test_of_equal_means_of_a_step_the_first_is_kept_whoever_is_heard_first():
    """A judge of several at once may be done with the second before the first."""
    late, soon = Future(), Future()
    judged = Judge()
    judged.begin = {"first": late, "second": soon}.get
    one = looks.Looks(judged, lambda _: None, ends=False,
                      mixes=lambda _: [((1.0, 0.0), "first"), ((1.0, 1.0), "second")])
    one.begin(7, None)
    soon.set_result(missed(1))
    one.content(wait=False)
    late.set_result(missed(1))
    one.content()
    assert one.best == "first" and [seen.model for seen in one.others] == ["second"]


def test_of_as_many_bars_those_missed_by_less_count(trained, data):
    one = choice_of(Judge(missed(1, 0.3), missed(1, 0.01), missed(1, 0.02), missed(2, 0.001)),
                    data)
    one.polished(polish_of(trained, data), quiet=True)
    assert one.looks.kept == 8


def test_general_bars_count_before_a_models_own():
    own = frozenset({("jump", "walk"), ("jump", "run")})
    general = Verdict({("skate", "walk"): 0.001}, own)
    others = Verdict({("jump", "walk"): 0.5, ("jump", "run"): 0.5}, own)
    assert others.rank() < general.rank()


def test_what_the_general_bars_let_pass_is_a_models_own(monkeypatch, tmp_path):
    """A bar of its own, narrower than the general one of the same, may be missed by so much that
    the general one is, too."""
    kinds = (("walk", 25, 21, 24), ("run", 22, 21, 24), ("stand", -3, 2, None), ("spin", 5, 4, 4))
    said = {"finite": True, "scripts": {}, "missed": [
        {"figure": "turned", "script": s, "got": got, "most": most, "general": general}
        for s, got, most, general in kinds]}
    monkeypatch.setattr(judge, "command", lambda named: "gallop")
    monkeypatch.setattr(judge, "figures", lambda *_: said)
    found = verdicts.Judge(None, None, None, 60).of_file(tmp_path / "a.gallop")
    assert found.own == {("turned", "run"), ("turned", "stand")} and found.rank()[:2] == (2, 4)


def test_the_judge_takes_as_many_threads_as_it_is_told_to():
    """At most, on both sides."""
    header = (MODELS.parent / "cli" / "threads.h").read_text()
    assert f"GALI_THREADS_MAX = {verdicts.THREADS_MOST} " in header


def test_a_training_is_chosen_by_its_aims(monkeypatch, tmp_path):
    """Else by what the shipped one is held to, if it is."""
    monkeypatch.setattr(choice.library, "models_folder", lambda: tmp_path)
    assert choice.bars_of("runner") is None
    for kind in ("bars", "aims"):
        (tmp_path / f"runner.{kind}").touch()
        assert choice.bars_of("runner") == tmp_path / f"runner.{kind}"


def test_a_look_that_fails_is_said_and_loses_nothing(trained, data):
    heard = []
    one = choice_of(Judge(ValueError("no such bar"), missed(2), OSError("gone"), missed(3)),
                    data, heard.append)
    one.polished(polish_of(trained, data), quiet=True)
    assert one.looks.kept == 8
    assert sum("not judged: " in words for words in heard) == 2


def test_without_any_look_the_last_network_is_the_model(trained, data):
    one = choice_of(Judge(*[ValueError("none")] * 4), data)
    one.polished(polish_of(trained, data), quiet=True)
    assert one.finished("the last", whole=True) == "the last" and one.words() == ""


class Stopped(polish.Polish):
    """A polish in whose ninth step ^C is pressed."""

    def _step(self, step):
        super()._step(step)
        if step == 8:
            os.kill(os.getpid(), signal.SIGINT)


def test_a_resumed_polish_remembers_its_looks(trained, data, tmp_path):
    """What was looked at before ^C counts in the run that goes on; of another plan nothing does."""
    place = tmp_path / "c.polish"
    judged = Judge(missed(0), missed(2), missed(2), missed(3))
    first = choice_of(judged, data)
    stage = polish_of(trained, data, place, Stopped)
    first.polished(stage, quiet=True)
    assert stage.interrupted and first.finished(None, whole=False) is judged.models[0]
    second = choice_of(judged, data)
    second.polished(polish_of(trained, data, place), quiet=True)
    assert [said["step"] for said in second.looks.report] == [7, 8, 9, 10] and not judged.said
    assert second.looks.kept == 7
    done = choice_of(Judge(), data)  # all is done: nothing is looked at again
    stage = polish_of(trained, data, place)
    done.polished(stage, quiet=True)
    assert done.looks.kept == 7 and not stage.interrupted
    other = choice_of(Judge(), data)
    other.every = 2
    with pytest.raises(ValueError, match=r"c\.polish\.looks was made with another plan"):
        other.polished(polish_of(trained, data, place), quiet=True)


# ---- rules ----


NONE = missed(9)  # in the middles, where they are not what is tested


@pytest.mark.parametrize("said, taken", [
    ((missed(2), missed(0), missed(1)), {"speed_walk": 2.0}),
    ((missed(1, 0.2), missed(1, 0.1), missed(1, 0.05)), {"speed_walk": 3.0}),  # by less
    ((missed(1, astray=8.0), missed(1, astray=9.5), missed(1, astray=20.0)), {"speed_walk": 1.0}),
    ((missed(1, astray=9.5), missed(2), missed(1, astray=10.0)), {}),  # a hair is no gain
    ((ValueError("none"), missed(0), missed(0)), {"speed_walk": 2.0}),
])
def test_rules_are_taken_that_the_judge_has_less_against(trained, data, said, taken):
    model = model_of(trained.average, data)
    one = fitting.fitted(model, missed(1, astray=10.0), {"speed_walk": (1, 2, 3)},
                         Judge(*said, *[NONE] * 4), lambda _: None)
    rules = contract.parse(one.model.contract, "contract").rules
    before = contract.parse(model.contract, "contract").rules
    assert {k: v for k, v in rules.items() if before.get(k) != v} == taken
    assert sum(said["value"] in (1, 2, 3) for said in one.report) == sum(
        isinstance(s, Verdict) for s in said)
    assert len(one.verdict.new) == min([1, *(len(s.new) for s in said if isinstance(s, Verdict))])


def test_a_second_rule_is_tried_on_what_the_first_made(trained, data):
    judged = Judge(missed(1), missed(0), NONE, NONE)
    model = model_of(trained.average, data)
    one = fitting.fitted(model, missed(2), {"speed_walk": (1.5,), "speed_run": (2.5,)},
                         judged, lambda _: None)
    tried = contract.parse(judged.models[1].contract, "contract").rules
    assert tried["speed_walk"] == 1.5 and tried["speed_run"] == 2.5
    assert one.model is judged.models[1]
    assert model.contract == model_of(trained.average, data).contract


def values_of(judged, first):
    """Of speed_walk in the models that were judged from one on."""
    return [contract.parse(made.contract, "contract").rules["speed_walk"]
            for made in judged.models[first:]]


@pytest.mark.parametrize("best, middles, finer", [
    (1.0, [1.5], [1.25, 1.75]), (2.0, [1.5, 3.0], [1.25, 1.75]), (6.0, [5.0], [4.5, 5.5])])
def test_middles_beside_the_best_value_are_tried(trained, data, best, middles, finer):
    """Between it and those next to it, the model's own among them; then beside the best of them."""
    model = fitting.with_rule(model_of(trained.average, data), "speed_walk", 4.0)
    values = (1.0, 2.0, 6.0)
    judged = Judge(*(missed(2 if v == best else 5) for v in values), missed(1), *[NONE] * 3)
    one = fitting.fitted(model, missed(3), {"speed_walk": values}, judged, lambda _: None)
    assert values_of(judged, 3) == middles + finer
    assert contract.parse(one.model.contract, "").rules["speed_walk"] == middles[0]
    assert [said["value"] for said in one.report if said["taken"]] == [best, middles[0]]


def test_of_middles_of_several_rules_one_is_taken(trained, data):
    """They were judged each by itself."""
    model = model_of(trained.average, data)
    fit = {"speed_walk": (1.0,), "speed_run": (2.0,)}
    judged = Judge(missed(5), missed(4), missed(3), missed(2), *[NONE] * 9)
    one = fitting.fitted(model, missed(6), fit, judged, lambda _: None)
    taken = {said["rule"]: said["value"] for said in one.report if said["taken"]}
    rules = contract.parse(one.model.contract, "").rules
    assert taken == {name: rules[name] for name in fit} and taken["speed_walk"] == 1.0


def test_values_that_help_by_themselves_are_tried_in_pairs(trained, data):
    """Of each rule the best that was not taken, where a bar is missed."""
    own = {"speed_walk": 1.5, "speed_run": 4.0}
    model = fitting.with_rules(model_of(trained.average, data), own)
    fit = {"speed_walk": (1.0, 2.0), "speed_run": (3.0, 5.0)}
    values = (missed(4), missed(3), missed(5), missed(4))
    judged = Judge(*values, *[NONE] * 4, missed(1))
    one = fitting.fitted(model, missed(3), fit, judged, lambda _: None)
    pair = {"speed_walk": 2.0, "speed_run": 5.0}
    rules = [contract.parse(made.contract, "").rules for made in judged.models]
    assert {k: rules[-1][k] for k in fit} == pair and one.model is judged.models[-1]
    assert {said["rule"]: said["value"] for said in one.report if said["taken"]} == pair
    content = Judge(*[NONE] * 8)
    fitting.fitted(model, missed(0), fit, content, lambda _: None)
    assert len(content.models) == len(judged.models) - 1 == 8


def test_what_is_said_of_a_pair_is_not_what_was_taken_alone(trained, data):
    """A value is in several trials at once: the report marks the one that is the model."""
    own = {"speed_walk": 1.5, "speed_run": 4.0}
    model = fitting.with_rules(model_of(trained.average, data), own)
    one = fitting.Fitting(model, missed(3), Judge(missed(1), missed(5)), lambda _: None)
    one.hear([one.ruled({"speed_walk": 2.0}), one.ruled({"speed_walk": 2.0, "speed_run": 5.0})])
    taken = [said for said in one.report if said["taken"]]
    assert [(said["rule"], said["beside"], len(said["missed"])) for said in taken] == [
        ("speed_walk", [], 1)]


def test_other_looks_are_judged_with_the_rules_that_were_taken(trained, data):
    model = model_of(trained.average, data)
    others = [looks.Seen(step, model_of(trained.average, data), missed(3)) for step in (7, 9)]
    judged = Judge(missed(1), missed(2), missed(0), *[NONE] * 3)
    one = fitting.fitted(model, missed(2), {"speed_walk": (1.5,)}, judged, lambda _: None, others)
    assert values_of(judged, 1)[:2] == [1.5, 1.5]
    assert one.other is others[1] and one.model is judged.models[2]


def test_the_shipped_walkers_rules_come_out_of_the_command():
    """The recipe's, but for those that are fitted, which have a value that is tried."""
    text = (MODELS / "walker.contract").read_text()
    own = contract.parse(text, "walker.contract").rules
    rules = contract.parse(modelfile.read(MODELS / "walker.gallop").contract).rules
    assert {**own, **{name: rules[name] for name in walker.FIT}} == rules
    assert own == {**walker.RULES, **walker.OWN_RULES}
    assert all(rules[name] in (own[name], *values) for name, values in walker.FIT.items())


def test_an_interrupt_while_it_is_looked_at_ends_a_stage():
    """Between two stretches of steps nobody else listens."""

    class Stage:
        step = 0

        def train(self, quiet, stop):
            self.step = stop
            return True

    class Stopping(Judge):
        def begin(self, model):
            os.kill(os.getpid(), signal.SIGINT)
            return super().begin(model)

    stage, one = Stage(), choice.Choice(Stopping(missed(1)), {}, 2, print)
    one.begin("a plan", None)
    assert not one.watch(stage, 10, lambda: "what there is at step 2", True, 0.0)
    assert stage.step == 2 and one.looks.best == "what there is at step 2"


def test_an_interrupt_of_the_last_wait_keeps_what_was_said():
    """All steps are made by then, and only the judge is waited for."""

    class Stage:
        step = 0

        def train(self, quiet, stop):
            self.step = stop
            return True

    class Waited:
        def result(self):
            os.kill(os.getpid(), signal.SIGINT)
            return missed(1)

    class Waiting(Judge):
        def begin(self, model):
            return Waited()

    one = choice.Choice(Waiting(), {}, 2, print)
    one.begin("a plan", None)
    assert not one.watch(Stage(), 2, lambda: "the last", True, 0.0)
    assert one.looks.best == "the last"


def test_a_stage_that_goes_on_does_not_wait_for_the_judge():
    """Who looks for longer than the next steps take is heard when he is done."""

    class Stage:
        step = 0

        def train(self, quiet, stop):
            self.step = stop
            return True

    class Slow:
        def done(self):
            return stage.step == 10

        def result(self):
            assert self.done()
            return missed(1)

    class Waiting(Judge):
        def begin(self, model):
            return Slow()

    stage, one = Stage(), choice.Choice(Waiting(), {}, 2, print)
    one.begin("a plan", None)
    assert one.watch(stage, 10, lambda: stage.step, True, 0.0)
    assert [said["step"] for said in one.looks.report] == [2, 4, 6, 8, 10] and one.looks.best == 10


# ---- the command ----


def test_a_judge_tells_bars_and_how_far_astray(monkeypatch, tmp_path):
    said = {"finite": True, "missed": [{"figure": "skate", "script": "run", "got": -6, "most": 4,
                                          "general": 4}],
            "scripts": {"walk": {"direction": -1.5, "facing": None},
                        "run": {"direction": 0.25, "facing": 2}}}
    monkeypatch.setattr(judge, "command", lambda named: "gallop")
    monkeypatch.setattr(judge, "figures", lambda *_: said)
    found = verdicts.Judge(None, None, None, 60).of_file(tmp_path / "a.gallop")
    assert found.new == {("skate", "run"): 0.5} and found.astray == pytest.approx(3.75)


@pytest.mark.parametrize(("cores", "at_once", "threads"), [(1, 1, 1), (2, 1, 2), (16, 4, 4),
                                                           (7, 3, 2), (2, 3, 1), (400, 1, 256)])
def test_who_is_judged_at_once_shares_the_cores(tmp_path, monkeypatch, cores, at_once, threads):
    command, asked = tmp_path / "gallop", tmp_path / "asked"
    command.write_text(f"""#!/bin/sh
echo "$@" > {asked}
echo '{{"finite": true, "missed": [], "scripts": {{}}}}'
""")
    command.chmod(0o755)
    monkeypatch.setattr(verdicts, "cores", lambda: cores)
    verdicts.Judge(None, command, None, 60, at_once).of_file(tmp_path / "a.gallop")
    assert f"--threads {threads}\n" in asked.read_text()


@pytest.mark.skipif(not CAPTURE.exists(), reason="the 100STYLE excerpt is not here")
def test_the_command_writes_what_it_chose(tmp_path, monkeypatch):
    """By a judge who misses one bar less from judging to judging: what was tried last."""
    command = tmp_path / "gallop"
    command.write_text(f"""#!{sys.executable}
import json, pathlib
count = pathlib.Path({str(tmp_path / "count")!r})
left = int(count.read_text()) if count.exists() else 20
count.write_text(str(left - 1))
missed = [dict(figure="skate", script=str(i), got=5, most=4, general=4) for i in range(left)]
print(json.dumps(dict(finite=True, missed=missed, scripts={{}})))
""")
    command.chmod(0o755)
    out, report = tmp_path / "w.gallop", tmp_path / "w.json"
    monkeypatch.setattr(verdicts, "at_once", lambda: 1)
    monkeypatch.setattr(choice, "at_once", lambda: 1)
    monkeypatch.setattr(sys, "argv", [
        "train", "walker", "--steps", "0.0002", "--batch", "0.01", "--polish", "2", "--looks", "1",
        "--hidden", "16", "--device", "cpu", "--data", str(CAPTURE), "--plain-paths", "--quiet",
        "--judge", str(command), "--report", str(report), "-o", str(out)])
    assert train.main() == 0
    model, said = modelfile.read(out), json.loads(report.read_text())
    assert [look["step"] for look in said["looks"]] == [1, 2] and said["kept"] == 2
    assert set(said["taken"]) == set(walker.FIT)
    rules = contract.parse(model.contract, "contract").rules
    assert {name: rules[name] for name in walker.FIT} == said["taken"]
    assert model.provenance["chosen"].startswith("step 2, of 2 looks of the judge, ")
    assert "--report" not in model.provenance["command"]
