"""The loop that training rolls out is the runtime's: the same sticks, frame by frame."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import synthetic
from gallop import Crowd, contract, exporter, features, loop, modelfile, runner, terrain
from gallop.network import PFNN
from gallop.torch_layers import FileModule

ROOT = Path(__file__).resolve().parents[2]
FRAMES, COUNT, HOLD = 240, 6, 40


def sticks(host, full):
    """[FRAMES] sticks that change every HOLD frames: slow, full and past it, at any angle, some
    strafing (slants among them), some turning on the spot, at last nobody."""
    made = []
    for begin in range(0, FRAMES, HOLD):
        angle, look = host.uniform(-np.pi, np.pi, (2, COUNT))
        amount = host.choice([0, 0.5, 1, 1.41], COUNT) * (begin + HOLD < FRAMES)
        move = amount[:, None] * np.stack([np.sin(angle), np.cos(angle)], -1)
        run, strafe, jump = host.choice([0, 0, 1], (3, COUNT))
        crouch = host.choice([0, 0, 1], COUNT)
        more = (host.choice([0, 0.5, 1], COUNT) * run, crouch, jump) if full else (
            run, 0 * run, 0 * run)
        for i in range(HOLD):
            given = (move, more[0], look + 0.02 * i, strafe, more[1], more[2] * (i < 3))
            made.append(loop.Stick(*(torch.tensor(np.asarray(g, np.float32)) for g in given)))
    return made


def run_both(model, path, full, ground=None):
    """Root, facing and phase of each frame: the loop's, the runtime's, [FRAMES, COUNT, 4]; on a
    ground [P], where there is one."""
    crowd = Crowd(path, ground=None if ground is None else under(ground))
    host = np.random.default_rng(3)
    c = contract.parse(model.contract)
    l, net = loop.Loop(c, torch.device("cpu")), FileModule(model).eval()
    facing, phase = host.uniform(-3, 3, (2, COUNT))
    who = [crowd.add(0, 0, f, p % (2 * np.pi)) for f, p in zip(facing, phase)]
    for w in who:
        crowd.set_foot_lock(w, False)  # which moves no root, and asks for the ground
    mean = torch.tensor(model.output_mean)
    start = [torch.tensor(a, dtype=torch.float32) for a in (facing, phase % (2 * np.pi))]
    s = l.at_rest(mean[l.at.y_fed].repeat(COUNT, 1), *start)
    if ground is not None:
        s = l.on_ground(s, torch.tensor(ground, dtype=torch.float32).repeat(COUNT, 1))
    ours, theirs = [], []
    for stick in sticks(host, full):
        yaw = stick.look.numpy()
        local = loop.turned(stick.move, -stick.look).numpy()
        for i, w in enumerate(who):
            crowd.set_input(w, move_x=-local[i, 0], move_y=local[i, 1], run=float(stick.run[i]),
                            strafe=float(stick.strafe[i]), crouch=float(stick.crouch[i]),
                            camera_yaw=yaw[i], jump=bool(stick.jump[i]))
        crowd.step()
        s = l.command(s, stick)
        with torch.no_grad():
            x = l.inputs(s)
            s = l.moved(s, net(x, s.phase[:, None]))
        ours.append(np.column_stack([s.path[:, l.now].numpy(), s.facing[:, l.now], s.phase]))
        states = [crowd.state(w) for w in who]
        theirs.append([(*t.root[[0, 2]], t.facing, t.phase) for t in states])
    assert crowd.resets == 0
    return np.array(ours), np.array(theirs)


def under(ground):
    """The ground as the runtime asks for it, place by place: traced, which takes less than half."""
    flat = torch.tensor(ground)
    at = torch.zeros(2, dtype=torch.float64)
    height = torch.jit.trace(lambda at: terrain.height(flat, at), at)
    return lambda x, z: float(height(torch.tensor([x, z], dtype=torch.float64)))


def compare(ours, theirs):
    angle = np.abs(np.angle(np.exp(1j * (ours - theirs)[..., 2:])))
    assert np.abs(ours - theirs)[..., :2].max() < 0.05  # cm, of metres that they go
    assert angle.max() < 2e-3
    assert np.ptp(theirs[..., :2], axis=0).max(-1).min() > 20


def test_the_walker(tmp_path):
    path = ROOT / "models" / "walker.gallop"
    compare(*run_both(modelfile.read(path), path, full=False))


def test_crouching_jumping_and_running_a_little(tmp_path):
    """A network that was taught nothing, under the rules of the runner."""
    data = synthetic.dataset()
    c = synthetic.contract(runner.GAITS, runner.RULES)
    torch.manual_seed(1)
    net = PFNN(len(c.input_names()), len(c.output_names()), 16)
    y = np.array(data.y)
    x_std = np.where(["gait" in n for n in c.input_names()], 1.0, 100.0)
    scale = features.Scale(0 * x_std, x_std, y.mean(0), 0.3 * y.std(0) + 1e-3)
    model = exporter.to_model(net, c, scale, "f32")
    path = tmp_path / "tiny.gallop"
    modelfile.write(model, path)
    compare(*run_both(model, path, full=True))


def test_a_jump_is_told_by_and_by():
    """As test_jump.c has it: the bell, of which the path shows a part more in each frame."""
    c = synthetic.contract(runner.GAITS, {**runner.RULES, "jump_ease": 4.0, "jump_speed": 0.0})
    l, one = loop.Loop(c, torch.device("cpu")), torch.ones(1)
    s, jump = l.at_rest(torch.zeros(1, 6), 0 * one, 0 * one), l.roles["jump"]
    for frame in range(2 * int(runner.RULES["jump_time"])):
        s = l.command(s, loop.Stick(torch.zeros(1, 2), *[0 * one] * 4, one * (frame == 0)))
        away = (l.frames - runner.RULES["jump_time"] + frame).abs() / runner.RULES["jump_time"]
        bell = 0.5 + 0.5 * torch.cos(np.pi * away.clamp(max=1))
        assert torch.allclose(s.gait[0, :, jump], min(1, (frame + 1) / 4) * bell, atol=1e-6)


def test_who_stands_begins_aside_in_the_right_phase(tmp_path):
    """Runtime and loop set it where one stands and is told to go aside, and nowhere else."""
    data = synthetic.dataset()
    c = synthetic.contract(runner.GAITS, {**runner.RULES, "phase_aside": 1.0})
    net = PFNN(len(c.input_names()), len(c.output_names()), 8)
    for p in net.parameters():
        p.data.zero_()
    y = np.array(data.y).mean(0)
    y[[n.startswith(("phase", "root")) for n in c.output_names()]] = 0
    scale = features.Scale(np.zeros(len(c.input_names())), np.ones(len(c.input_names())), y,
                           np.ones(len(y)))
    model = exporter.to_model(net, c, scale, "f32")
    modelfile.write(model, tmp_path / "still.gallop")
    crowd = Crowd(tmp_path / "still.gallop")
    l = loop.Loop(c, torch.device("cpu"))
    way = torch.tensor([0.3, -0.3, np.pi / 2, np.pi / 2, -np.pi / 2, np.pi])
    first = torch.tensor([5.0, 5.0, 5.0, 0.2, 0.2, 5.0])
    facing = torch.tensor([0.0, 2.0, 0.0, 2.0, -2.0, 1.0])
    who = [crowd.add(0, 0, float(f), float(p)) for f, p in zip(facing, first)]
    s = l.at_rest(torch.tensor(y[l.at.y_fed], dtype=torch.float32).repeat(6, 1), facing, first)
    rest = torch.zeros(6)
    for frame in range(60):
        go = float(frame >= 40)
        move = go * loop.turned(torch.tensor([[0.0, 1.0]]).repeat(6, 1), way + facing)
        local = loop.turned(move, -facing).numpy()
        for i, w in enumerate(who):
            crowd.set_input(w, move_x=-local[i, 0], move_y=local[i, 1], strafe=1.0,
                            camera_yaw=float(facing[i]))
        crowd.step()
        s = l.command(s, loop.Stick(move, rest, facing, rest + 1, rest, rest))
        ours, s = s.phase, l.moved(s, torch.tensor(y, dtype=torch.float32).repeat(6, 1))
        if frame in (39, 40):
            want = first if frame == 39 else torch.tensor(
                [5.0, 5.0, 1.0, 1.0, 1.0 + np.pi, 5.0])
            assert torch.allclose(ours, want, atol=1e-5)
    assert np.allclose([crowd.state(w).phase for w in who], s.phase.numpy(), atol=1e-3)


def uneven(kind):
    made = dict(zip(terrain.FIELDS, terrain.level(1)[0]))
    made.update({"slope": {"slope_x": 0.2, "slope_z": -0.4},
                 "stairs": {"high": 17, "deep": 32, "steps": 6, "landing": 90, "angle": 0.7,
                            "begin": 20}}[kind])
    return np.array(list(made.values()))


@pytest.mark.parametrize("kind", ["slope", "stairs"])
def test_a_network_that_sees_the_ground(tmp_path, kind):
    """The shipped walker, given heights as inputs that turn what it does."""
    model = modelfile.read(ROOT / "models" / "walker.gallop")
    c = contract.parse(model.contract)
    c.inputs[-2:-2] = terrain.blocks(c.unit)
    model = terrain.given_sight(model, c)
    model.golden = None
    seen, first = terrain.height_columns(c), model.layers[0]
    first.weights[..., seen] = 0.02 * np.random.default_rng(1).normal(
        size=first.weights[..., seen].shape)
    path = tmp_path / "seeing.gallop"
    modelfile.write(model, path)
    ours, theirs = run_both(model, path, full=False, ground=uneven(kind))
    compare(ours, theirs)
    blind, _ = run_both(model, path, full=False)
    assert np.abs(ours - blind)[..., :2].max() > 1  # it does see it


def test_defaults_are_the_runtimes():
    text = (ROOT / "src" / "contract" / "rules.def").read_text()
    known = dict(re.findall(r"RULE\((\w+), ([\d.]+)f?,", text))
    assert {k: float(known[k]) for k in loop.DEFAULTS} == loop.DEFAULTS


@pytest.mark.parametrize("rule", ["anchor", "command_velocity_time"])
def test_rules_that_it_does_not_have_are_refused(rule):
    c = synthetic.contract()
    c.rules[rule] = 2.0
    with pytest.raises(ValueError, match=f"rule {rule}: not in the loop"):
        loop.Loop(c, torch.device("cpu"))
