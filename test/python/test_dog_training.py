"""The dog's network, its step, its training and its controller, on a synthetic walk."""

import numpy as np
import pytest
import torch

import dog_synthetic
from gallop import contract, dog, exporter, graph, modelfile, torch_layers
from gallop.dog import control as dog_control
from gallop.dog import data as dog_data
from gallop.dog import export as dog_export
from gallop.dog import features as dog_features
from gallop.dog import loop as dog_loop
from gallop.dog import polish as dog_polish
from gallop.dog import train as dog_train


@pytest.fixture(scope="module")
def frames():
    clip = dog_synthetic.walk(600)
    takes = [clip, dog_data.mirrored(clip), dog_data.still()]
    return dog_features.build(takes)


def trainer(frames, **more):
    stages = (dog_train.Stage(60, 64, 1), dog_train.Stage(10, 16, 6))
    settings = dog_train.Settings(hidden=24, experts=3, stages=stages, anchor=0.5, **more)
    return dog_train.Trainer(dog.contract(), frames, settings)


@pytest.fixture(scope="module")
def trained(frames):
    t = trainer(frames, average=0.9)
    t.train(quiet=True)
    return t


@pytest.fixture(scope="module")
def model(trained):
    m = exporter.to_model(trained.average, trained.contract, trained.scale)
    x = np.random.default_rng(0).normal(size=(8, 149)) * m.input_std + m.input_mean
    dog_export.finish(m, x, "test")
    return m


def test_contract_is_text_and_back():
    c = dog.contract()
    again = contract.parse(contract.to_text(c))
    assert contract.to_text(again) == contract.to_text(c)
    assert (len(c.input_names()), len(c.output_names())) == (149, 79)
    names = c.input_names()
    assert "hinge.angle.FrontRightThigh" in names and "body.posture.pitch" in names
    assert "leg.phase.HindLeftFoot.sin" in names and "root.motion.turn" in names


@pytest.mark.parametrize("line, words", [
    ("hinge FrontRightFoot 0 0 0 -1 1 0", "axis"),
    ("hinge FrontRightFoot 0 0 1 -1 1 2", "REST"),
    ("hinge Body 0 0 1 -1 1 0", "first joint"),
    ("hinge FrontRightHip 0 0 1 -1 1 0", "already"),
    ("posture 1 2 3", "twice"),
])
def test_wrong_hinges_are_named(line, words):
    text = contract.to_text(dog.contract()).replace("\nwindow", f"\n{line}\nwindow")
    with pytest.raises(contract.ContractError, match=words):
        contract.parse(text)


def test_loss_falls_and_runs_repeat(frames, trained):
    losses = [h[1] for h in trained.history]
    assert len(losses) == 1 and np.isfinite(losses).all()
    again = trainer(frames, average=0.9)
    again.train(quiet=True)
    for a, b in zip(again.average.parameters(), trained.average.parameters()):
        assert torch.equal(a, b)
    fresh = trainer(frames)
    rows = torch.arange(100, 164)
    torch.manual_seed(0)
    before = float(fresh.rollout(rows, 2)[0])
    torch.manual_seed(0)
    assert float(trained.rollout(rows, 2)[0]) < 0.8 * before


def test_a_gradient_that_is_not_finite_is_none(frames):
    t = trainer(frames)
    t.rollout(torch.arange(100, 116), 1)[0].backward()
    graph.sound(t.net.parameters(), 0.5)
    norm = torch.stack([p.grad.norm() for p in t.net.parameters()]).norm()
    assert float(norm) == pytest.approx(0.5, rel=1e-4)
    t.net.layers[0].bias.grad[0] = float("nan")
    graph.sound(t.net.parameters(), 0.5)
    assert all(not p.grad.any() for p in t.net.parameters())


def test_kernels_of_its_own_change_no_loss_and_warming_them_up_no_weight(frames):
    """As far as a CPU can tell: the state that they ask a gradient of, and the steps at rate 0."""
    t, rows = trainer(frames), torch.arange(100, 106)
    weights = [p.detach().clone() for p in t.net.parameters()]
    found = []
    for fuses in (False, True):
        t.rollout.fuses = fuses
        t.adam.zero_grad(set_to_none=True)
        torch.manual_seed(1)
        t.rollout(rows, 4, 0.05, (2, 1))[0].backward()
        found.append([p.grad.clone() for p in t.net.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*found))
    t.warm_up(0.0)
    assert t.rollout.anchor == 0.5
    assert all(torch.equal(p, was) for p, was in zip(t.net.parameters(), weights))


def test_features_match_the_contract(frames, trained):
    """Rebuilt from the contract's names: a block out of place would not pass."""
    d, c = trained.rollout.data, trained.contract
    x = trained.rollout.body.features(d.state(torch.tensor([70])), d.path(torch.tensor([70])),
                                      d.jump[torch.tensor([70])])[0]
    names = c.input_names()
    at = {n: float(x[i]) for i, n in enumerate(names)}
    assert at["hinge.angle.HindLeftShank"] == pytest.approx(float(frames.hinge[70, 11]))
    assert at["foot.velocity.FrontLeftFoot.z"] == pytest.approx(float(frames.feet_rate[70, 1, 2]))
    assert at["leg.phase.HindRightFoot.sin"] == pytest.approx(float(frames.phase[70, 2, 1]))
    assert at["trajectory.velocity.z[-60]"] == pytest.approx(float(frames.past[70, 5, 0]))
    assert at["trajectory.direction.z[30]"] == pytest.approx(float(frames.future[70, 3, 2]))
    assert at["root.motion.z"] == pytest.approx(1.0, abs=1e-3)


def test_true_outputs_carry_the_state_on(frames, trained):
    """With y made from the data, a step lands on the data's next frame."""
    body, d, t = trained.rollout.body, trained.rollout.data, torch.tensor([100])
    n = t + 1
    y = torch.cat([a.flatten(1) for a in (
        d.hinge[n] - d.hinge[t], d.posture[n] - d.posture[t], d.hinge_rate[n], d.rate[n],
        d.motion[n], d.contact[n], d.phase[n], d.turns[n], d.future[n])], 1)
    s, step = body.advance(d.state(t), y)
    for name in ("hinge", "posture", "feet", "feet_rate", "motion"):
        assert torch.allclose(getattr(s, name), getattr(d, name)[n], atol=2e-3), name
    assert torch.allclose(step.step, d.motion[n][:, :2])
    assert torch.allclose(body.future(y), d.future[n])


def test_the_anchor_holds_planted_feet():
    body = dog_loop.Body(dog.contract())
    y = torch.zeros(1, 79)
    y[:, body.at["contact"]] = torch.tensor([1.0, 1, 0, 0])
    y[:, body.at["root.velocity.z"]] = 1.0
    free, _ = body.advance(body.resting(1), y)
    held, step = body.advance(body.resting(1), y, anchor=1.0, limit=5.0)
    assert free.feet_rate[0, 0, 2] == pytest.approx(1.0)
    assert held.feet_rate[0, 0, 2] == pytest.approx(0.0, abs=1e-6)
    assert float(step.step[0, 1]) == pytest.approx(0.0, abs=1e-6)
    assert float(held.motion[0, 1]) == 1.0  # fed back as predicted


def test_phases_turn_and_are_drawn():
    body = dog_loop.Body(dog.contract())
    s = body.resting(1)
    s.phase = s.phase + torch.tensor([1.0, 0.0])
    y = torch.zeros(1, 79)
    y[:, body.at["leg.phase.rate"]] = 0.25
    y[:, body.at["leg.phase"]] = torch.tensor([0.0, 0.5] * 4)
    new, _ = body.advance(s, y)
    assert torch.allclose(new.phase, torch.tensor([0.0, 0.5]).expand(1, 4, 2), atol=1e-5)


@pytest.mark.parametrize("top", [0, 2])
def test_model_file_holds_the_gate(tmp_path, model, top):
    model.gate_top = top
    modelfile.write(model, tmp_path / "d.gallop")
    again = modelfile.read(tmp_path / "d.gallop")
    assert again.gate == "network" and again.gate_top == top and again.experts == 3
    y = modelfile.run(again, model.golden.x, model.golden.blend)
    normal = (model.golden.x.astype(np.float64) - model.input_mean) / model.input_std
    w = modelfile.gate_weights(again, normal)
    assert np.allclose(w.sum(1), 1) and ((w > 0).sum(1) == (top or 3)).all()
    model.gate_top = 0
    if not top:
        assert np.abs(y - model.golden.y).max() < 1e-4 * np.abs(model.golden.y).max()


def test_file_equals_torch(trained, model):
    x = torch.tensor(model.golden.x)
    with torch.no_grad():
        trained.net.load_state_dict(trained.average.state_dict())
        theirs = trained.rollout.call(x).numpy()
        mine = dog_control.Network(model)(x).numpy()
        module = torch_layers.FileModule(model)(x).numpy()
    scale = model.output_std
    assert (np.abs(mine - model.golden.y) / scale).max() < 1e-4
    assert (np.abs(module - mine) / scale).max() < 1e-4
    assert (np.abs(theirs - mine) / scale).max() < 0.05  # float16 weights


@pytest.mark.parametrize("place, value", [(0, 9), (8, 9), (20, 0), (16, 0)])
def test_broken_gates_are_refused(model, place, value):
    data = bytearray(modelfile._gate(model))
    data[place] = value
    with pytest.raises(modelfile.ModelError):
        modelfile._read_gate(modelfile._Bytes(bytes(data), "GATE"))


def test_gate_sees_phases_speeds_and_motion():
    c = dog.contract()
    names = [c.input_names()[i] for i in dog.gate_features(c)]
    wanted = {"trajectory.velocity.z[50]", "trajectory.gait.jump[0]"}
    assert len(names) == 20 and wanted < set(names)


def command(z=0.0, x=0.0, strafe=0.0, look=0.0, count=1, jump=0.0):
    def row(v):
        return torch.full((count,), float(v))

    return dog_control.Command(torch.tensor([[x, z]]).repeat(count, 1), row(0), row(look),
                               row(strafe), row(jump))


def test_commanded_path_follows_the_stick(model):
    control = dog_control.Controller(model, 1, {"speed_push": 0.0})
    for _ in range(120):
        control.command(command(x=1.0))
    velocity, facing = control.commanded_now
    assert float(velocity[0, 0]) == pytest.approx(1.5, rel=0.01)
    assert float(facing) == pytest.approx(np.pi / 2, rel=0.01)
    assert float(control.commanded[0][0, -1, 0]) == pytest.approx(75, rel=0.02)
    assert float(control.stand) < 1e-3


@pytest.mark.parametrize("rules", [{}, {"command_turn_time": 1.0, "command_velocity_time": 1.0},
                                   {"command_turn_time": 30.0, "command_turn_rate": 0.004}])
def test_the_path_is_laid_out_as_frame_by_frame(model, rules):
    c = dog_control.Controller(model, 64, rules, dtype=torch.float64)
    drawn = torch.rand(6, 64, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    c.commanded_now = drawn[:2].T, 6 * drawn[2] - 3
    c.velocity_wanted, c.facing_wanted = 3 * drawn[3:5].T, 6 * drawn[5] - 3
    velocity, facing = c.commanded_now
    place, told = 0.0, []
    for _ in range(max(c.contract.future)):
        velocity, facing = c._follow(c._goal(), velocity, facing)
        place = place + velocity
        told.append((place, facing, velocity))
    for laid, way in zip(c.laid_out(), zip(*told)):
        there = torch.stack([way[frame - 1] for frame in c.contract.future], 1)
        assert torch.allclose(laid, there, atol=1e-9)


def test_who_stands_is_hurried_on_and_who_is_fast_is_not(model):
    control = dog_control.Controller(model, 1, {"speed_push": 0.5})
    for speed, times in ((0.0, 1.5), (0.75, 1.25), (1.5, 1.0), (3.0, 1.0)):
        control.speed = torch.tensor([speed])
        for _ in range(120):
            control.command(command(x=1.0))
        assert float(control.commanded_now[0][0, 0]) == pytest.approx(1.5 * times, rel=0.01)


def test_turns_are_no_faster_than_the_rule(model):
    control = dog_control.Controller(model, 1)
    control.command(command(z=-1.0))
    first = float(control.commanded_now[1])
    assert abs(first) == pytest.approx(control.rules["command_turn_rate"], rel=1e-3)


def test_a_jump_is_laid_out_once_and_only_at_speed(model):
    control = dog_control.Controller(model, 2)
    time, quick = control.rules["jump_time"], control.rules["jump_speed"] + 0.1
    control.velocity[-1, 1, 1] = quick  # the second one runs, the first stands
    for _ in range(3):  # asked for three times, begun once
        control.command(command(z=1.0, count=2, jump=1.0))
    amount = control.jump()
    ahead = np.array(control.contract.samples) - (time - 2)
    assert float(amount[0].abs().max()) == 0
    assert amount[1].numpy() == pytest.approx(dog.jump_amount(ahead), abs=1e-5)
    held = control.velocity_wanted[1].clone()
    control.command(command(x=1.0, count=2))
    assert torch.equal(control.velocity_wanted[1], held)  # no steering until it has landed
    assert float(control.velocity_wanted[0, 0]) > 0.2
    for _ in range(int(4 * time)):
        control.command(command(x=1.0, count=2))
    assert float(control.jump().abs().max()) == 0 and float(control.velocity_wanted[1, 0]) > 1


def test_of_a_time_each_stage_gets_its_share_of_the_frames(frames, monkeypatch):
    """Steps of long rollouts take longer: counted by steps, the first stage would get most."""
    copy, clock, made = trainer(frames), [0.0], [0, 0]

    def stepper(stage):
        def call():
            clock[0] += stage.batch * stage.unroll
            made[copy.settings.stages.index(stage)] += 1
        return call

    monkeypatch.setattr(dog_train.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(copy, "stepper", stepper)
    monkeypatch.setattr(copy, "_note", lambda step: copy.history.append((step, 0.0, [])) or 0.0)
    copy.train(quiet=True, seconds=10 * (60 * 64 + 10 * 16 * 6))  # time for ten times as much
    assert made == [pytest.approx(600, abs=10), pytest.approx(100, abs=10)]


def test_polish_goes_on_from_the_average(frames, trained):
    copy = trainer(frames)
    with torch.no_grad():  # nearly the mean output, whatever comes in: a calm dog
        copy.net.layers[-1].weight.mul_(0.01)
    copy.average.load_state_dict(copy.net.state_dict())
    before = copy.average.layers[0].weight.clone()
    last = dog_polish.Polish(copy, dog_polish.Plan(20, count=8, unroll=4, batch=8, length=3))
    last.warm_up(20)
    for i in range(5):
        last.step(i / 5)
    after = copy.average.layers[0].weight
    assert not torch.equal(before, after) and bool(torch.isfinite(after).all())
    assert bool(torch.isfinite(last.control.state.feet).all())
    assert not last.control.state.hinge.requires_grad


def test_sticks_and_bodies_are_the_contracts(frames):
    """Another animal is told to go as fast as it does, and is low by its own height."""
    copy = trainer(frames)
    copy.contract.rules.update({"speed_walk": 3.0, "speed_run": 4.0})
    copy.contract.posture = (50.0, 0.1, 0.0)
    last = dog_polish.Polish(copy, dog_polish.Plan(2, count=64, unroll=1, batch=2, length=2))
    last.sticks.next()
    goes = last.sticks.speed[last.sticks.speed > 0]
    assert goes.min() >= dog_polish.SLOWEST * 3.0 and goes.max() <= 4.0 and goes.max() > 3.5
    posture = torch.tensor([[50.0, 0.1, 0.0], [50 * dog_polish.LOW - 5, 0.1, 0.0]])
    assert last.unfit(posture, torch.ones(2)).tolist() == [0.0, pytest.approx(1.5)]
    leans = torch.tensor([[50.0, 0.1 + dog_polish.LEAN + 0.1, 0.0]])
    assert last.unfit(leans, torch.ones(1)).tolist() == [pytest.approx(0.15, abs=1e-6)]
    assert last.unfit(posture, torch.zeros(2)).tolist() == [0.0, 0.0]  # in a jump anything goes
