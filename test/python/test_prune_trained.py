"""Pruning with training: masks hold after a step, a resumed run is an uninterrupted one, the judge
ends it."""

import copy
import dataclasses
from concurrent.futures import Future

import numpy as np
import pytest
import torch

import dog_synthetic
import synthetic
from gallop import dog, exporter, features, looks, masks, modelfile, patches
from gallop.dog import data as dog_data
from gallop.dog import export as dog_export
from gallop.dog import features as dog_features
from gallop.dog import polish as dog_polish
from gallop.dog import train as dog_train
from gallop.prune import blocks, closed_loop, learn, pads, regress, trained
from gallop.prune import frames as frames_module
from gallop.prune.closed_loop import Course
from gallop.prune.frames import Frames
from gallop.torch_layers import FileModule
from gallop.trainer import Settings, Stage, Trainer
from gallop.verdict import Verdict

C = synthetic.contract()
PLAN = regress.Plan(0.5, 8, 32, cuts=2)


@pytest.fixture(scope="module")
def data():
    return synthetic.dataset()


@pytest.fixture(scope="module")
def model(data):
    scale = features.scale_of(C, data.x, data.y)
    settings = Settings(40, "cubic", 4, (Stage(60, 64, rate=3e-3),))
    net = Trainer(C, data, np.ones(len(data.x), bool), scale, settings).train(quiet=True)
    made = exporter.to_model(net, C, scale, "f32", np.ones(1))
    exporter.add_golden(made, *exporter.golden_rows(data))
    return made


@pytest.fixture(scope="module")
def frames(data, model):
    return Frames(data.x[:, : len(model.input_mean)], data.phase[:, None])


def values(net):
    return torch.cat([p.detach().flatten() for p in net.parameters()])


def is_empty(net, there):
    """Whether no weight is outside of the patches that are there."""
    return all(not w[:, ~patches.spread(mask.numpy(), *w.shape[1:])].any()
               for w, mask in ((layer.weight.detach().numpy(), mask)
                               for layer, mask in zip(net.layers, there)))


def test_a_score_is_what_the_outputs_change_by(model, frames):
    """Of the last layer, which is linear, the score is exact but for the draws of signs."""
    net = FileModule(model)
    x = torch.tensor(frames.x[:64], dtype=torch.float32)
    given = torch.tensor(frames.given[:64], dtype=torch.float32)
    made = masks.scores(masks.Masks(net), lambda: net(x, given) / net.output_std, 3, 600)[-1]
    with torch.no_grad():
        whole = net(x, given) / net.output_std
        for row, column in ((0, 0), (1, 3), (made.shape[0] - 1, 1)):
            cut = copy.deepcopy(net)
            there = np.zeros(tuple(made.shape), bool)
            there[row, column] = True
            part = patches.spread(there, *cut.layers[-1].weight.shape[1:])
            cut.layers[-1].weight[:, part] = 0
            change = float(((cut(x, given) / net.output_std) - whole).square().sum())
            assert float(made[row, column]) == pytest.approx(change, rel=0.25)


def test_patches_go_in_steps_and_stay_away(model, frames):
    stage = regress.Regression(model, frames, PLAN)
    seen = []
    for stop in range(1, PLAN.steps + 1):
        stage.train(quiet=True, stop=stop)
        seen.append(stage.masks.share())
        assert is_empty(stage.net, stage.masks.there)
    assert seen[0] == pytest.approx(PLAN.share_at(0), abs=0.01) and seen[0] < seen[-1]
    assert seen == sorted(seen) and seen[-1] == pytest.approx(0.5, abs=0.01)
    for layer, kept in zip(stage.net.layers, stage.masks.weights):
        moments = stage.adam.state[layer.weight]["exp_avg"]
        assert not moments[:, kept == 0].any() and moments[:, kept == 1].any()


def test_a_resumed_run_is_an_uninterrupted_one(model, frames, tmp_path):
    whole = regress.Regression(model, frames, PLAN).train(quiet=True)
    place = tmp_path / "c.frames"
    regress.Regression(model, frames, PLAN, checkpoint=place).train(quiet=True, stop=5)
    rest = regress.Regression(model, frames, PLAN, checkpoint=place)
    assert rest.step == 5
    assert torch.equal(values(rest.train(quiet=True)), values(whole))
    with pytest.raises(ValueError, match="another plan"):
        regress.Regression(model, frames, dataclasses.replace(PLAN, steps=9), checkpoint=place)


def test_a_pruned_file_is_where_a_polish_begins(model, frames, tmp_path):
    stage = regress.Regression(model, frames, PLAN)
    net = stage.train(quiet=True)
    pairs = [(layer.weight, layer.bias) for layer in net.layers]
    out = closed_loop.put_back(model, pairs, stage.masks.there)
    out.output_mean = out.output_mean + np.float32(0.5)  # as a standing pose may have moved it
    out.layers[-1].bias = (out.layers[-1].bias - 0.5 / model.output_std).astype(np.float32)
    modelfile.write(out, tmp_path / "half.gallop")
    again, there, _ = trained.begun(model, tmp_path / "half.gallop")
    assert all(torch.equal(a, b) for a, b in zip(there, stage.masks.there))
    x = torch.tensor(frames.x[:9], dtype=torch.float32)
    given = torch.tensor(frames.given[:9], dtype=torch.float32)
    with torch.no_grad():
        assert torch.allclose(again(x, given), net(x, given), atol=1e-3)
    other = dataclasses.replace(model, layers=model.layers[:2])
    with pytest.raises(ValueError, match=r"half\.gallop: not what"):
        trained.begun(other, tmp_path / "half.gallop")


def person(model, data, frames, place=None):
    stage = regress.Regression(model, frames, PLAN)
    net = stage.train(quiet=True)
    return closed_loop.Person(model, net, stage.masks.there, data, 0, Course(4, size=0.02), "cpu",
                              place)


def test_a_person_is_polished_with_masks(model, data, frames, tmp_path):
    whole = person(model, data, frames)
    before = values(whole.polish.average)
    assert whole.train(True, 4)
    polish = whole.polish
    for net in (polish.net, polish.average):
        assert is_empty(net, polish.masks.there)
    assert not torch.equal(before, values(polish.average))
    out = whole.model()
    assert blocks.share_of(out) == pytest.approx(0.5, abs=0.01)
    assert modelfile.decode(modelfile.encode(out)).layers[0].kind == "sparse"
    person(model, data, frames, tmp_path / "c.polish").train(True, 2)
    rest = person(model, data, frames, tmp_path / "c.polish")
    assert rest.step == 2 and rest.train(True, 4)
    assert torch.allclose(values(rest.polish.average), values(polish.average), atol=1e-6)


@pytest.fixture
def dog_model(monkeypatch):
    clip = dog_synthetic.walk(400)
    made = dog_features.build([clip, dog_data.mirrored(clip), dog_data.still()])
    monkeypatch.setattr(dog_train, "prepare", lambda *_: (dog.contract(), made))
    plan = dog_polish.Plan
    monkeypatch.setattr(dog_polish, "Plan",
                        lambda *a, **k: dataclasses.replace(plan(*a, **k), unroll=3, length=3))
    settings = dog_train.Settings(hidden=40, experts=3, anchor=0.5)
    trainer = dog_train.Trainer(dog.contract(), made, settings)
    with torch.no_grad():  # nearly the mean output, whatever comes in: a calm dog
        trainer.net.layers[-1].weight.mul_(0.01)
    out = exporter.to_model(trainer.net, trainer.contract, trainer.scale, "f32")
    host = np.random.default_rng(0)
    dog_export.finish(out, host.normal(size=(64, 149)) * out.input_std + out.input_mean, "test")
    return out


def dog_of(model, place=None):
    stage = regress.Regression(model, Frames(model.golden.x, model.golden.blend), PLAN)
    net = stage.train(quiet=True)
    return closed_loop.Dog(model, net, stage.masks.there, None, Course(4, size=0.1), "cpu", place)


def test_a_dog_is_polished_with_masks(dog_model, tmp_path):
    dog_model.contract = dog_model.contract.replace("rule anchor 0.4", "rule anchor 0.125")
    whole = dog_of(dog_model)
    assert whole.trainer.contract.rules["anchor"] == 0.125
    before = values(whole.trainer.average)
    assert whole.train(True, 4)
    for net in (whole.trainer.net, whole.trainer.average):
        assert is_empty(net, whole.polish.masks.there)
    assert not torch.equal(before, values(whole.trainer.average))
    assert blocks.share_of(whole.model()) == pytest.approx(0.5, abs=0.01)
    dog_of(dog_model, tmp_path / "c.polish").train(True, 2)
    rest = dog_of(dog_model, tmp_path / "c.polish")
    assert rest.step == 2 and rest.train(True, 4)
    assert torch.allclose(values(rest.trainer.average), values(whole.trainer.average), atol=1e-6)


LEARN = learn.Plan(12, 3e-3, characters=8, memory=64, batch=32)


def learning(loop, place=None):
    return learn.Learning(loop, LEARN, "cpu", place)


def learns(make, tmp_path):
    """Whether what is not there stays away, the loop's controller is the mean of what was learnt,
    and a resumed run ends as an uninterrupted one."""
    whole = learning(make())
    before = values(whole.life.net)
    assert whole.train(True, 1)
    gone = values(whole.life.net) - before
    assert torch.allclose(values(whole.life.average) - before, 0.9 * gone, atol=1e-7)
    assert gone.abs().max() > 1e-5 and whole.train(True)
    for net in (whole.life.net, whole.life.average):
        assert is_empty(net, whole.life.masks.there)
    assert blocks.share_of(whole.loop.model()) == pytest.approx(0.5, abs=0.01)
    assert whole.rows.isfinite().all() and whole.rows.abs().sum(1).all()
    part = learning(make(), tmp_path / "c.learn")
    part.train(True, 7)
    part.save()
    rest = learning(make(), tmp_path / "c.learn")
    assert rest.step == 7 and rest.train(True)
    for mine, other in ((rest.life.net, whole.life.net), (rest.life.average, whole.life.average)):
        assert torch.allclose(values(mine), values(other), atol=1e-6)
    other = dataclasses.replace(LEARN, steps=13)
    with pytest.raises(ValueError, match="another plan"):
        learn.Learning(make(), other, "cpu", tmp_path / "c.learn")


def test_people_learn_in_the_loop(model, data, frames, tmp_path):
    def make():
        stage = regress.Regression(model, frames, PLAN)
        course = Course(0, size=0.02, characters=LEARN.characters)
        return closed_loop.Person(model, stage.train(quiet=True), stage.masks.there, data, 0,
                                  course, "cpu")

    learns(make, tmp_path)


def test_dogs_learn_in_the_loop(dog_model, tmp_path):
    def make():
        stage = regress.Regression(dog_model, Frames(dog_model.golden.x, dog_model.golden.blend),
                                   PLAN)
        course = Course(0, size=0.1, characters=LEARN.characters)
        return closed_loop.Dog(dog_model, stage.train(quiet=True), stage.masks.there, None, course,
                               "cpu")

    learns(make, tmp_path)


def test_learning_comes_nearer_to_the_teacher(model, data, frames):
    plan = learn.Plan(120, 3e-3, characters=32, memory=2048, batch=128)
    stage = regress.Regression(model, frames, PLAN)
    course = Course(0, size=0.02, characters=plan.characters)
    loop = closed_loop.Person(model, stage.train(quiet=True), stage.masks.there, data, 0, course,
                              "cpu")
    made = learn.Learning(loop, plan, "cpu")
    made.train(True)
    assert made.history[-1][1] < 0.8 * made.history[0][1]


def test_a_mean_of_weights_is_one(model):
    other = dataclasses.replace(model, output_mean=model.output_mean + 4, layers=[
        dataclasses.replace(layer, weights=layer.weights * 3, bias=layer.bias + 1)
        for layer in model.layers])
    made = looks.mean(model, other, 0.75)
    assert np.allclose(made.output_mean, model.output_mean + 1, atol=1e-5)
    for a, b in zip(made.layers, model.layers):
        assert np.allclose(a.weights, 1.5 * b.weights) and np.allclose(a.bias, b.bias + 0.25)


class Judge:
    """Says so many misses, one look after the other."""

    def __init__(self, *counts):
        self.counts, self.dense, self.models = list(counts), {}, []

    def begin(self, model):
        self.models.append(model)
        new = {("skate", str(i)): 0.1 for i in range(self.counts.pop(0))}
        done = Future()
        done.set_result(Verdict(new))
        return done


class Steps:
    """A loop whose controllers are the numbers of its steps."""

    step = 0

    def train(self, quiet, stop):
        self.step = stop
        return True

    def model(self):
        return self.step


@pytest.mark.parametrize("counts, kept", [((3, 1, 2, 4), 2), ((3, 0, 9, 9), 2), ((2, 2, 2, 0), 4)])
def test_the_judge_ends_it_and_the_best_is_kept(counts, kept):
    plan = trained.Plan(PLAN, Course(4), every=1)
    said = []
    out, report = trained.polished(Steps(), plan, Judge(*counts), said.append, True)
    assert out == kept and len(report) == len(said) == (2 if counts[1] == 0 else 4)
    assert len(report[0]["missed"]) == counts[0]


class Stopped(Steps):
    """The same, stopped at a step; who goes on begins there."""

    def __init__(self, step, at):
        self.step, self.at = step, at

    def train(self, quiet, stop):
        self.step = min(stop, self.at)
        return self.step < self.at


@pytest.mark.parametrize("at", [1, 3, 4, 5, 7])
def test_a_run_that_was_stopped_remembers_the_judge(tmp_path, at):
    """Wherever it was: what is kept, and what was said of which steps, is as of one that was not;
    and of another plan nothing is remembered."""
    counts, plan = (3, 1, 2, 4), trained.Plan(PLAN, Course(8), every=2, checkpoint=tmp_path / "c")
    whole = trained.polished(Steps(), dataclasses.replace(plan, checkpoint=None), Judge(*counts),
                             lambda _: None, True)
    assert whole[0] == 4 and [look["step"] for look in whole[1]] == [2, 4, 6, 8]
    judge = Judge(*counts)
    with pytest.raises(KeyboardInterrupt):
        trained.polished(Stopped(0, at), plan, judge, lambda _: None, True)
    rest = trained.polished(Stopped(at, 99), plan, judge, lambda _: None, True)
    assert rest == whole and not judge.counts
    other = dataclasses.replace(plan, every=3)
    with pytest.raises(ValueError, match=r"c\.polish\.looks was made with another plan"):
        trained.polished(Stopped(0, 99), other, judge, lambda _: None, True)


@pytest.mark.parametrize("counts, kept", [
    ((0,), "learnt"),
    ((3, 2, 1, 2, 4, 1, 4, 3, 3, 3, 3, 3, 3), "0.5 of 1"),
    ((3, 3, 3, 3, 2, 2, 0, 1, 1, 1), "0.7 of 2")])
def test_the_judge_looks_at_means(monkeypatch, counts, kept):
    """At what had learnt first, then at each look at what is polished and at both means."""
    monkeypatch.setattr(looks, "mean", lambda one, other, share: f"{share:g} of {one}")
    plan = trained.Plan(PLAN, Course(4), every=1, means=(0.5, 0.7))
    out, report = trained.polished(Steps(), plan, Judge(*counts), lambda _: None, True, "learnt")
    assert out == kept
    assert [(r["step"], r["shares"][0]) for r in report[:4]] == [
        (0, 1.0), (1, 1.0), (1, 0.5), (1, 0.7)][: len(report)]


def test_the_judge_looks_at_what_learns(dog_model, tmp_path):
    """It ends the learning, or the controller that it has the least against goes on."""
    net = FileModule(dog_model)
    there = [torch.ones(patches.counts(*layer.weights.shape[1:]), dtype=torch.bool)
             for layer in dog_model.layers]
    plan = trained.Plan(PLAN, Course(0), learn_every=2, learn=dataclasses.replace(LEARN, steps=8))

    def made(*counts):
        judge = Judge(*counts)
        out, report = trained.learnt(dog_model, tmp_path, copy.deepcopy(net), there, tmp_path, plan,
                                     judge, lambda _: None, True)
        kept = next(i for i, model in enumerate(judge.models) if model is out)
        return kept, [len(look["missed"]) for look in report["judge"]]

    assert made(3, 1, 2, 4) == (1, [3, 1, 2, 4])
    assert made(2, 0) == (1, [2, 0])  # content, so it looks no more


def test_a_file_tells_the_steps_that_were_made(dog_model, tmp_path):
    """Not those that were planned: the judge may end it."""
    path = tmp_path / "begun.gallop"
    modelfile.write(dog_model, path)
    plan = trained.Plan(PLAN, Course(0), learn_every=2, learn=dataclasses.replace(LEARN, steps=80),
                        start=path)
    judge = Judge(2, 0)
    judge.of = lambda _: Verdict({})
    out, report = trained.pruned(dog_model, path, None, tmp_path, plan, judge, lambda _: None, True)
    made = report["learn"]["steps"]
    assert 4 <= made < 80
    assert out.provenance["pruned"].endswith(f", {made} steps of learning, 0 steps of polish")


def test_dogs_learn_what_players_ask(dog_model):
    """By the rules of the contract; at a full walk or run most of all, and in all that they can."""
    loop = dog_of(dog_model)
    assert loop.polish.control.rules["speed_push"] == 0
    life = learn.Run(loop, 1)
    rules = life.polish.control.rules
    assert rules["speed_push"] == dog.contract().rules["speed_push"] > 0
    host = pads.Pads(4000, rules, 1, torch.device("cpu"))
    command = host.next()
    for what in (command.strafe > 0, command.jump > 0, host.left < 30, host.speed == 0):
        assert 0.05 < float(np.mean(np.asarray(what))) < 0.45
    going = host.speed[host.speed > 0]
    assert np.isin(going, [rules["speed_walk"], rules["speed_run"]]).mean() == pytest.approx(
        pads.FULL, abs=0.05)
    assert np.abs(host.spin).max() * dog.RATE > 2 and (np.abs(host.angle) > 3.14).any()
    again = pads.Pads(4000, rules, 1, torch.device("cpu")).next()
    assert all(torch.equal(a, b) for a, b in zip(vars(command).values(), vars(again).values()))


def test_frames_of_the_dog_are_half_of_its_life(dog_model, monkeypatch, tmp_path):
    lived = frames_module.lived(dog_model, dogs=8, seconds=1)
    assert lived.shape == (32, 149) and np.isfinite(lived).all() and lived.std(0).max() > 0.1
    monkeypatch.setattr(frames_module, "lived", lambda _: lived)
    dog_model.provenance["model"] = "dog"
    found = frames_module.of_motion(dog_model, tmp_path, "dog")
    assert found.x.shape == (64, 149) and np.array_equal(found.x[32:], lived)
    assert found.given.shape == (64, 1)


def test_the_body_counts_most_of_what_a_dog_says(dog_model):
    life = learn.Run(dog_of(dog_model), 1)
    at, counts = life.trainer.rollout.body.at, life.counts
    assert float(counts.mean()) == pytest.approx(1) and bool((counts > 0).all())
    total = {name: float(counts[at[name]].sum()) for name in learn.COUNTED}
    for name, weight in learn.COUNTED.items():
        much = getattr(learn.WEIGHTS, weight)
        assert total[name] / total["hinge.change"] == pytest.approx(much, rel=1e-5)
    root = counts[at["root.velocity.x"].start : at["root.turn"].stop]
    assert float(root.sum()) / total["hinge.change"] == pytest.approx(2, rel=1e-5)


def test_states_are_found_in_inputs_again(dog_model):
    life = learn.Run(dog_of(dog_model), 1)
    data, body = life.trainer.rollout.data, life.trainer.rollout.body
    rows = torch.arange(40)
    state = data.state(rows)
    again = life._state(body.features(state, data.path(rows), data.jump[rows]))
    for f in dataclasses.fields(state):
        assert torch.equal(getattr(again, f.name), getattr(state, f.name))


def test_planted_feet_that_are_taken_along_are_an_error(dog_model):
    life = learn.Run(dog_of(dog_model), 1)
    r = life.trainer.rollout
    at, x = r.body.at, torch.tensor(dog_model.golden.x, dtype=torch.float32)
    life.polish.teacher = r.call
    assert float(life.error(x).detach()) == 0
    life.counts = torch.zeros_like(life.counts)

    def error(contact, along):
        def teacher(x):
            y = r.call(x)
            y[:, at["contact"]] = contact
            y[:, at["root.velocity.x"]] += along
            return y

        life.polish.teacher = teacher
        return float(life.error(x).detach())

    assert error(0.9, 0.0) == error(0.1, 0.0) == 0
    flat = error(0.1, 0.2)  # cm a frame, of all feet: of one of three ways
    assert flat == pytest.approx(learn.WEIGHTS.feet * 0.2 / 3, rel=0.5)
    assert error(0.9, 0.2) == pytest.approx((1 + learn.PLANTED) * flat)
