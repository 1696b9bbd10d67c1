"""The dog's own motion made clean, and rounds of training on it."""

import dataclasses
import json
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
import torch

import dog_synthetic
from gallop import choice, dog, exporter, modelfile
from gallop import train as gallop_train
from gallop.contract import parse
from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data
from gallop.dog import features as dog_features
from gallop.dog import main as dog_main
from gallop.dog import mend, own, polish, rollout
from gallop.dog import train as dog_train
from gallop.verdict import Verdict

ONE = mend.Round(1e-3)
SMALL = mend.Plan(4, rounds=(ONE,), batch=10, paces=(2, 1), unroll=3, count=7, length=200, warm=2)


@pytest.fixture(scope="module")
def frames():
    clip = dog_synthetic.walk(400)
    return dog_features.build([clip, dog_data.mirrored(clip), dog_data.still()])


def trainer(frames):
    settings = dog_train.Settings(hidden=16, experts=2, average=0.5)
    return dog_train.Trainer(dog.contract(), frames, settings)


def sliding(speed: float, aside: float = 0.0) -> own.Life:
    """A walk that was told 60 cm/s and goes `speed` times as fast over the same steps."""
    clip = dog_synthetic.walk(400)
    root = clip.root * speed
    root[:, 0] += aside * root[:, 1]
    many = [v[:, None] for v in (root, clip.facing, clip.posture, clip.hinge)]
    length = len(root)
    wanted = np.tile([0.0, 1.0], (length, 1, 1))
    ahead = np.zeros((length, 1, 6, 5))
    return own.Life(*many, np.zeros((length, 1, 12)), np.zeros((length, 1)), wanted, ahead,
                    np.arange(length)[:, None], np.array(["side"]))


def slide(clip: dog_clean.Clip) -> float:
    """Mean speed of planted feet, cm/s."""
    way = np.diff(dog_clean.feet_world(clip)[..., [0, 2]], axis=0)
    on = (clip.contact[1:] > 0.5) & clip.keep[1:, None]
    return float(np.linalg.norm(way, axis=-1)[on].mean() * clip.rate)


def test_planted_feet_are_held_and_the_root_goes_as_told():
    life = sliding(0.85, aside=0.05)
    clip = own.cleaned(life, 0)
    raw = dataclasses.replace(clip, root=life.root[:, 0], hinge=life.hinge[:, 0])
    assert slide(raw) > 8 and slide(clip) < 3
    went = (clip.root[350] - clip.root[100]) / 250
    assert went == pytest.approx([0.0, 1.0], abs=0.01)
    assert len(clip) == 400 and not clip.keep[: own.SETTLED].any() and clip.keep[100:].all()


def test_a_circle_is_made_faster_and_not_led():
    angle = 0.02 * np.arange(300)
    wanted = np.stack([np.sin(angle), np.cos(angle)], -1)
    late = 0.8 * np.stack([np.sin(angle - 0.1), np.cos(angle - 0.1)], -1)
    for led, lag in ((False, 0.1), (True, 0.0)):
        root, followed = own.paced(np.cumsum(late, 0), wanted, np.arange(300), led)
        assert followed.all()
        way = np.diff(root, axis=0)[100:200]
        assert np.linalg.norm(way, axis=1) == pytest.approx(np.ones(100), abs=0.01)
        turn = np.angle(way @ [1, 1j]) - np.angle(wanted[101:201] @ [1, 1j])
        assert np.abs(np.angle(np.exp(1j * turn))) == pytest.approx(np.full(100, lag), abs=0.01)


def test_what_is_not_followed_is_not_learnt_from():
    """A step aside at three quarters of the speed, 13 degrees off: to pull it straight teaches its
    steps all the same."""
    assert own.cleaned(sliding(0.85), 0).keep[100:].all()
    assert not own.cleaned(sliding(0.75, aside=0.23), 0).keep.any()


def test_orders_are_of_all_kinds():
    rules = dog.contract().rules
    count = 2 * len(own.KINDS)
    orders = own.Orders(count, rules, 3)
    jumps = np.zeros(count)
    for _ in range(240):
        command = orders.next()
        jumps += command.jump.numpy()
    kind = orders.kind
    assert list(kind[: count // 2]) == list(own.KINDS)
    assert (jumps > 0).tolist() == (kind == "jump").tolist()
    moves = command.move.norm(dim=1).numpy()
    assert (moves[kind == "turn"] == 0).all() and (moves[kind != "turn"] > 0.3).all()
    assert (command.run.numpy()[kind == "run"] > 0.7).all()
    assert command.strafe.numpy()[np.isin(kind, own.KINDS[:2])].max() == 0
    assert (np.abs(orders.spin[kind == "circle"]) * dog.RATE >= 0.5).all()


def test_frames_of_a_networks_own_motion(frames):
    """Mean outputs make a calm dog, any outputs none that could be learnt from."""
    t = trainer(frames)
    with pytest.raises(ValueError, match="no motion of a dog"):
        own.frames(exporter.to_model(t.average, t.contract, t.scale), 7, 200, 1)
    with torch.no_grad():
        t.average.layers[-1].weight.mul_(0)
        t.average.layers[-1].bias.mul_(0)
    made = own.frames(exporter.to_model(t.average, t.contract, t.scale), 7, 260, 1)
    one, image = (made.run == made.run[0]), (made.run == made.run[0] + 1)
    assert made.motion[one][:, 0] == pytest.approx(-made.motion[image][:, 0])
    assert made.future[one][:, 1::2] == pytest.approx(made.future[image][:, 1::2])
    assert made.future[one][:, 0::2] == pytest.approx(-made.future[image][:, 0::2])
    both = own.joined(frames, made)
    assert len(made) > 500 and len(both) == len(frames) + len(made)
    assert all(np.isfinite(v).all() for v in vars(made).values()) and not made.held.any()
    assert both.run[len(frames)] == frames.run.max() + 1 + made.run[0]


def test_a_round_learns_from_both_and_leaves_what_it_made(frames, monkeypatch):
    t = trainer(frames)
    before = t.average.layers[0].weight.clone()
    monkeypatch.setattr(own, "frames", lambda *_: frames)
    one = mend.Mend(t, SMALL, frames)
    one.begin(frames, ONE, t.average.state_dict())
    rows = one.rows()
    assert int((rows >= len(frames)).sum()) == 8 and len(rows) == 10
    assert one.trainer.rollout.anchor == 0
    rates = [one.trainer.adam.param_groups[0]["lr"] for step in range(3)
             if one.step(step / 4, step) > 0]
    assert rates[0] < rates[1] > rates[2]
    stage = mend.Mending(t, SMALL)
    assert t.contract.rules["anchor"] == mend.RULES["anchor"]
    assert stage.train(True, 2) and stage.step == 2
    assert not torch.equal(before, t.average.layers[0].weight)
    assert torch.equal(t.net.layers[0].weight, t.average.layers[0].weight)
    stopped = t.average.layers[0].weight.clone()
    assert stage.train(True, 4) and stage.step == stage.steps == 4
    assert not torch.equal(stopped, t.average.layers[0].weight)


def test_a_branch_begins_with_the_network_before_it(frames, monkeypatch):
    """The rounds of a branch go on from each other; the next one begins anew, by other measures and
    without Adam's memory, and the judge looks at means of both and of what was there before."""
    t, begun, asked = trainer(frames), [], []
    plan = dataclasses.replace(SMALL, rounds=(
        mend.Round(1e-3, True, 0.9, 40.0, 0.6), mend.Round(1e-3, True), mend.Round(5e-4)))
    begin = mend.Mend.begin

    def begins(self, made, one, network):
        begin(self, made, one, network)
        begun.append(network["layers.0.weight"].clone())
        assert self.sources[1][2] == round(10 * one.share) and self.first == len(frames)
        assert self.trainer.rollout.weights[11] == pytest.approx(one.feet)
        assert all(not v.any() for state in self.trainer.adam.state.values()
                   for v in state.values())

    def recorded(model, count, length, seed, device, moving, workers):
        asked.append((seed, moving))
        return frames

    monkeypatch.setattr(mend.Mend, "begin", begins)
    monkeypatch.setattr(own, "frames", recorded)
    before = t.average.layers[0].weight.detach().clone()
    stage = mend.Mending(t, plan)
    model = exporter.to_model(t.average, t.contract, t.scale)
    assert [shares for shares, _ in stage.mixes(model)] == list(mend.MEANS[0])
    assert stage.train(True, 4) and len(stage.branches) == 1
    end = t.average.layers[0].weight.detach().clone()
    assert stage.train(True, 12) and len(stage.branches) == 2
    assert asked == [(1, 40.0), (2, own.MOVING), (3, own.MOVING)]
    assert torch.equal(begun[0], before) and torch.equal(begun[1], before)
    assert not torch.equal(begun[2], before) and not torch.equal(end, before)
    for branch, was in zip(stage.branches, (before, end)):
        assert np.array_equal(branch.layers[0].weights, was.numpy())
    mixed = dict(stage.mixes(model))[4, 1, 2].layers[0].weights
    assert mixed == pytest.approx(((5 * before + 2 * end) / 7).numpy(), abs=1e-6)


def test_frames_are_put_where_others_were(frames):
    data = rollout.Data(frames, "cpu")
    data.widen(2 * len(frames))
    other = dataclasses.replace(frames, hinge=frames.hinge + 1)
    data.put(len(frames), other)
    rows = torch.arange(3)
    assert torch.allclose(data.at(rows + len(frames)).hinge, data.at(rows).hinge + 1)
    assert torch.equal(data.at(rows + len(frames)).past, data.at(rows).past)


def test_other_processes_clean_as_this_one_does():
    lives = [own.alone(sliding(speed), 0) for speed in (0.85, 0.9, 1.0)]
    with own.workers_of(2) as workers:
        made = list(workers.map(own.cleaned, lives, [0] * 3, [28.0] * 3))
    for clip, life in zip(made, lives):
        assert np.array_equal(clip.hinge, own.cleaned(life, 0, 28.0).hinge)
    assert own.workers_of(1) is None


def test_a_polish_of_a_larger_size_has_the_same_rollouts_over_again(frames):
    plan = polish.Plan(4, count=2, unroll=2, batch=3, length=2, size=7)
    stage, asked = polish.Polish(trainer(frames), plan), []
    update = stage.update
    stage.update = lambda given: (asked.append(given["rows"]), update(given))[1]
    stage.step(0.0)
    assert len(asked[0]) == 7 and torch.equal(asked[0][3:], asked[0].repeat(3)[3:7])


def test_of_a_polish_what_the_judge_has_the_least_against_goes_on(frames, monkeypatch):
    t = trainer(frames)
    args = gallop_train.parser().parse_args(["dog", "--quiet", "--polish", "8", "--mend", "0"])
    judge = Judge(4, 2, 3, 3)
    chosen = choice.Choice(judge, {}, 2, lambda text: None)
    monkeypatch.setattr(dog_main, "steps_of", lambda _: {"stages": 0, "polish": 8, "mend": 0})
    monkeypatch.setattr(dog_main, "Plan", lambda steps: polish.Plan(
        steps, count=2, unroll=2, batch=4, length=2))
    monkeypatch.setattr(mend, "plan_of", lambda *_: dataclasses.replace(SMALL, steps=0))
    dog_main.run(args, t, chosen)
    assert [look["step"] for look in chosen.before] == [2, 4, 6, 8]
    for layer, kept in zip(t.average.layers, judge.models[1].layers):
        assert np.array_equal(layer.weight.detach().numpy(), kept.weights)


def test_of_a_time_each_round_gets_as_much(frames, monkeypatch):
    """Recording its motion takes some of it, of the later rounds too."""
    t, clock, made = trainer(frames), [0.0], []
    plan = dataclasses.replace(SMALL, steps=10, rounds=(ONE, mend.Round(5e-4)))

    def recorded(*_):
        clock[0] += 10.0
        made.append(0)
        return frames

    def step(self, share, number):
        clock[0] += 2.0
        assert 0 <= share < 1 and number == made[-1]
        made[-1] += 1
        return 0.5

    monkeypatch.setattr(mend.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(own, "frames", recorded)
    monkeypatch.setattr(mend.Mend, "step", step)
    stage = mend.Mending(t, plan, 100.0)
    assert stage.train(True, 5) and stage.step == 5  # half of the first round's forty seconds
    assert made == [10] and clock[0] == 30
    assert stage.train(True, 20) and stage.step == 20
    assert made == [pytest.approx(20, abs=1)] * 2 and clock[0] == pytest.approx(100, abs=2)
    assert t.history[-1][0] == sum(made)


def test_a_time_is_shared_among_the_parts_that_there_are():
    def seconds(*words):
        return dog_main.seconds_of(gallop_train.parser().parse_args(["dog", *words]))

    assert seconds() == {"stages": None, "polish": None, "mend": None}
    assert seconds("--seconds", "100") == pytest.approx(
        {"stages": 34, "polish": 9, "mend": 57})
    assert seconds("--seconds", "100", "--quick") == pytest.approx({"stages": 100})
    assert seconds("--seconds", "100", "--from", "dog.gallop") == {"mend": 100}


class Judge:
    """Has as many bars against one controller after the other, and keeps them."""

    def __init__(self, *counts):
        self.counts, self.models = list(counts), []

    def begin(self, model):
        self.models.append(model)
        out, count = Future(), self.counts.pop(0)
        out.set_result(Verdict({("skate", str(i)): 0.1 for i in range(count)}))
        return out


def test_the_command_writes_what_the_judge_has_the_least_against(frames, tmp_path, monkeypatch):
    """Of a look at what is there before, and two at what is mended, each time at a mean with what
    it was before, too."""
    begin, out, report = (tmp_path / name for name in ("a.gallop", "b.gallop", "dog.json"))
    t = trainer(frames)
    with torch.no_grad():  # nearly the mean output, whatever comes in: a calm dog
        t.average.layers[-1].weight.mul_(0.01)
    modelfile.write(exporter.to_model(t.average, t.contract, t.scale, "f32"), begin)
    words = ["dog", "--from", str(begin), "-o", str(out), "--report", str(report), "--no-judge",
             "--quiet", "--hidden", "16", "--experts", "2", "--device", "cpu", "--mend", "4"]
    judge = Judge(6, 5, 2, 4, 4, *[2] * 3, 1, *[9] * 20)  # of looks, values, others, middles
    fit = {"anchor": (0.1, 0.3), "speed_push": (0.4, 0.6)}
    chosen = choice.Choice(judge, fit, 2, lambda text: None)
    monkeypatch.setattr(dog_train, "prepare", lambda *_: (dog.contract(), frames))
    monkeypatch.setattr(own, "frames", lambda *_: frames)
    monkeypatch.setattr(mend, "plan_of", lambda *_: SMALL)
    monkeypatch.setattr(dog_main, "choice_of", lambda *_: chosen)
    dog_main.train(gallop_train.parser().parse_args(words))
    said, model = json.loads(report.read_text()), modelfile.read(out)
    assert [(look["step"], look["shares"]) for look in said["looks"]] == [(0, [1.0])] + [
        (step, list(shares)) for step in (2, 4) for shares in mend.MEANS[0]]
    assert said["shares"] == list(mend.MEANS[0][1])
    assert said["kept"] == 2 and said["taken"] == {"speed_push": 0.6}
    kept = judge.models[2]
    for wrote, looked in zip(model.layers, kept.layers):
        assert np.array_equal(wrote.weights, looked.weights.astype(np.float16).astype(np.float32))
    rules = parse(model.contract, "contract").rules
    assert rules["speed_push"] == 0.6 and rules["turn_ahead"] == mend.RULES["turn_ahead"]
    assert model.provenance["chosen"] == "step 2, 2 : 1, of 5 looks of the judge, speed_push 0.6"
    assert model.golden is not None and model.licence


def test_what_is_mended_for_the_worse_is_not_kept(frames, tmp_path, monkeypatch):
    t = trainer(frames)
    before = exporter.to_model(t.average, t.contract, t.scale)
    judge = Judge(2, *[3] * 8)
    chosen = choice.Choice(judge, {}, 2, lambda text: None)
    monkeypatch.setattr(own, "frames", lambda *_: frames)
    words = ["dog", "--quiet", "--checkpoint", str(tmp_path / "c.pt")]
    dog_main.mended(gallop_train.parser().parse_args(words), t, SMALL, chosen)
    assert chosen.looks.kept == 0
    for kept, was in zip(chosen.looks.best.layers, before.layers):
        assert np.array_equal(kept.weights, was.weights)


def test_a_loss_that_stays_broken_ends_it_with_what_was_looked_at(frames, monkeypatch):
    t = trainer(frames)
    monkeypatch.setattr(own, "frames", lambda *_: frames)
    args = gallop_train.parser().parse_args(["dog", "--quiet"])
    plan = dataclasses.replace(SMALL, steps=40)
    judge = Judge(*[2] * 5)
    chosen = choice.Choice(judge, {}, 4, lambda text: None)
    step, broken = mend.Mend.step, []
    monkeypatch.setattr(mend, "BROKEN", 2)

    def breaks(self, share, number):
        if number == 13:
            broken.append(self)
            with torch.no_grad():
                self.trainer.net.layers[0].weight.fill_(float("nan"))
        return step(self, share, number)

    monkeypatch.setattr(mend.Mend, "step", breaks)
    dog_main.mended(args, t, plan, chosen)
    assert broken and not t.interrupted
    assert [m["step"] for m in chosen.looks.report][::2] == [0, 8, 12]
    assert all(np.isfinite(layer.weights).all() for layer in chosen.looks.best.layers)


def test_a_network_that_is_no_dog_any_more_ends_it_so_too(frames, monkeypatch):
    """All of what it does is left out, as nothing of it is what was told."""
    t = trainer(frames)
    with torch.no_grad():
        t.average.layers[-1].weight.mul_(0)
        t.average.layers[-1].bias.mul_(0)
    monkeypatch.setattr(own, "cleaned", lambda life, i, moving: dataclasses.replace(
        dog_synthetic.walk(300), keep=np.zeros(300, bool)))
    chosen = choice.Choice(Judge(2), {}, 4, lambda text: None)
    dog_main.mended(gallop_train.parser().parse_args(["dog", "--quiet"]), t, SMALL, chosen)
    assert chosen.looks.kept == 0 and not t.interrupted
    with pytest.raises(ValueError, match="no motion of a dog"):
        mend.Mending(t, SMALL).train(True, 1)


def test_a_dog_out_of_a_file_goes_on(frames, tmp_path: Path):
    t = trainer(frames)
    path = tmp_path / "dog.gallop"
    modelfile.write(exporter.to_model(t.average, t.contract, t.scale, "f32"), path)
    again = dog_main.begun_from(modelfile.read(path))
    for name, value in t.average.state_dict().items():
        assert torch.allclose(again["net"][name].to(value.dtype), value)


def test_a_dog_out_of_a_file_keeps_its_rules(frames, tmp_path: Path, monkeypatch):
    t = trainer(frames)
    t.contract.rules["anchor"] = 0.125
    begin, out = tmp_path / "dog.gallop", tmp_path / "again.gallop"
    modelfile.write(exporter.to_model(t.average, t.contract, t.scale, "f32"), begin)
    monkeypatch.setattr(dog_train, "prepare", lambda *_: (dog.contract(), frames))
    args = gallop_train.parser().parse_args(
        ["dog", "--from", str(begin), "-o", str(out), "--no-judge", "--quiet", "--hidden", "16",
         "--experts", "2", "--device", "cpu", "--mend", "0"])
    dog_main.train(args)
    assert parse(modelfile.read(out).contract, "contract").rules["anchor"] == 0.125
