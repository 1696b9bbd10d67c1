"""Training: it learns, a seed is a result, a resumed run is an uninterrupted one, two are one."""

import dataclasses
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

import synthetic
from gallop import (
    capture,
    course,
    endings,
    exporter,
    features,
    judge,
    label,
    library,
    losses,
    modelfile,
    polish,
    progress,
    runner,
    train,
    walker,
)
from gallop.losses import Weights
from gallop.pool import Pool, Shares
from gallop.trainer import Settings, Stage, Trainer, load_checkpoint

COMMAND = Path(os.environ.get(
    "GALLOP_COMMAND", Path(__file__).resolve().parents[2] / "build" / "dev" / "cli" / "gallop"))
C = synthetic.contract()
LONG = Weights(slide=3, kinematics=1)
STAGES = (Stage(60, 64, dropout=0.1, noise=0.5), Stage(20, 16, 4, 3e-4, noise=0.5, weights=LONG))


@pytest.fixture(scope="module")
def data():
    return synthetic.dataset()


def trainer(data, seed=1, checkpoint=None, stages=STAGES, kind="cubic", made=Trainer):
    experts = {"cubic": 4, "linear": 4, "constant": 4, "plain": 1}[kind]
    settings = Settings(24, kind, experts, stages, seed=seed, save_every=25)
    scale = features.scale_of(C, data.x, data.y)
    return made(C, data, np.ones(len(data.x), bool), scale, settings, checkpoint=checkpoint)


def weights(net):
    return torch.cat([p.detach().flatten() for p in net.parameters()])


@pytest.mark.parametrize("kind", ["cubic", "linear", "constant", "plain"])
def test_it_learns(data, kind):
    t = trainer(data, stages=(Stage(300, 64, rate=3e-3),), kind=kind)
    t.train(quiet=True)
    assert t.history[-1][1]["loss"] < 0.5 * t.history[0][1]["loss"]


def test_a_seed_is_a_result(data):
    a, b, c = (trainer(data, seed).train(quiet=True) for seed in (1, 1, 2))
    assert torch.equal(weights(a), weights(b)) and not torch.equal(weights(a), weights(c))


@pytest.mark.parametrize("stop", [30, 70])
def test_resumed_equals_uninterrupted(data, tmp_path, stop):
    whole = trainer(data).train(quiet=True)
    trainer(data, checkpoint=tmp_path / "c.pt").train(quiet=True, stop=stop)
    rest = trainer(data, checkpoint=tmp_path / "c.pt")
    assert rest.step == stop
    assert torch.equal(weights(rest.train(quiet=True)), weights(whole))


def test_a_checkpoint_of_other_settings_is_refused(data, tmp_path):
    trainer(data, checkpoint=tmp_path / "c.pt").train(quiet=True, stop=5)
    with pytest.raises(ValueError, match="other settings"):
        trainer(data, seed=2, checkpoint=tmp_path / "c.pt")


def test_slide_is_zero_when_feet_stand(data):
    """The slide term of the data itself is tiny, and grows when the root's step is changed."""
    u = trainer(data).unroll
    rows = np.flatnonzero((data.take == 0) & (data.frame > 100))[:120]
    y = torch.tensor(data.y[rows])[None]
    still = float(u.slide(y, y))
    y[..., C.columns(C.outputs, "root.velocity.z")] += 1.0
    assert still < 0.02 and float(u.slide(y, y)) > 10 * still


def test_kinematics_of_the_data_is_exact(data):
    u = trainer(data).unroll
    y = torch.tensor(data.y[:50])[None]
    drawn = u.forward_kinematics(y)
    assert torch.allclose(drawn, y[..., u.at.position].unflatten(-1, (-1, 3)), atol=2e-3)
    assert float(u.kinematics(y, y)) < 1e-3


def plan(steps):
    return polish.Plan(steps, 8, 4, stage=Stage(1, 8, 4, weights=LONG))


def polished(data, steps, place=None, stop=None):
    t = trainer(data)
    t.train(quiet=True)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, plan(steps), 1, t.world, place)
    return p.train(quiet=True, stop=stop), p


def test_polish_resumes(data, tmp_path):
    whole, p = polished(data, 6)
    assert len(p.history) >= 1 and np.isfinite(list(p.history[0][1].values())).all()
    polished(data, 6, tmp_path / "c.polish", stop=3)
    rest, _ = polished(data, 6, tmp_path / "c.polish")
    assert torch.allclose(weights(whole), weights(rest), atol=1e-7)


def test_a_polish_that_goes_on_tells_its_own_steps(data, capsys):
    """It is not done where it stops, and what is left is told by the steps of this time alone."""
    t = trainer(data)
    t.train(quiet=True)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, plan(4), 1, t.world)
    p.train(stop=2)
    assert "4/4" not in capsys.readouterr().err
    p.train()
    assert "4/4" in capsys.readouterr().err
    bar = progress.Progress(100, "walking", done=98)
    bar.start -= 60
    bar.step(99)
    assert "99/100 1:00 left" in capsys.readouterr().err


@pytest.mark.parametrize("words, pool", [(["--device", "cpu"], 96), (["--device", "cuda"], 512),
                                          (["--device", "cuda", "--quick"], 96)])
def test_a_gpu_mends_as_many_as_it_polishes(words, pool):
    args = train.parser().parse_args(["walker", "--from", "m.gallop", "--mend", "3", *words])
    (made, suffix), = train.plans_of(args, False, {})  # --from: no polish before it
    assert (made.steps, made.pool, suffix) == (3, pool, ".mend")
    assert made.turns == train.MENDING["turns"]


def test_a_model_file_is_mended(data):
    """What a file holds goes back into a network, which says what the file says; mended, its
    hips, its jumps and its turns count."""
    t = trainer(data)
    scale = features.scale_of(C, data.x, data.y)
    model = exporter.to_model(t.average, C, scale, "f32", fixed=np.ones(len(data.styles)))
    other = trainer(data, seed=2)
    other.unroll.set_scale(exporter.restore(other.average, model))
    x, phase = data.x[:16].astype(float), data.phase[:16].astype(float)[:, None]
    normal = torch.tensor((x - scale.x_mean) / scale.x_std, dtype=torch.float32)
    normal = torch.cat([normal, torch.ones(16, other.average.styles)], 1)
    with torch.no_grad():
        said = other.average(normal, torch.tensor(phase[:, 0], dtype=torch.float32))
    raw = said.numpy() * other.unroll.y_std.numpy() + other.unroll.y_mean.numpy()
    assert np.abs(raw - modelfile.run(model, x, phase)).max() < 2e-3
    mend = dataclasses.replace(plan(3), spins=0.9, turns=5.0, leap=1.0, tall=1.0)
    p = polish.Polish(other.average, other.unroll, C, data, t.batches, 0, mend, 1, t.world)
    assert float((p.orders.kind >= course.PIVOTS).float().mean()) > 0.4
    low = torch.zeros(8, 4, len(C.output_names()))
    low[..., p.unroll.at.position.start + 1] = polish.LEAST * 90 - 2  # hips 2 cm too low
    nobody = torch.zeros(8, dtype=torch.bool)
    assert abs(float(p._tall(low, p.state, nobody)) - 4) < 0.01
    assert float(p._tall(low, p.state, ~nobody)) == 0
    assert not torch.equal(weights(p.train(quiet=True)), weights(other.average))
    with pytest.raises(ValueError, match=r"layers of 4 x 24 x .*; of 1 x 24 x .* expected"):
        exporter.restore(trainer(data, kind="plain").average, model)


SHARED = """
import sys; sys.path[:0] = {paths!r}
import json, synthetic, test_training
made = test_training.shared(synthetic.dataset())
if made.world.rank == 0:
    json.dump([e["loss"] for _, e in made.history], open({out!r}, "w"))
"""


def shared(data):
    t = trainer(data, stages=(Stage(41, 64, dropout=0.1, noise=0.5),
                              Stage(21, 16, 4, 3e-4, weights=LONG)))
    t.train(quiet=True)
    return t


def test_who_begins_too_fast_is_told(data):
    """A mean over a stride above the wanted speed counts, after a start and in nothing else."""
    t = trainer(data)
    more = dataclasses.replace(plan(1), over=1.0, asides=1.0, reverses=1.0)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, more, 1, t.world)
    now, one = p.loop.now, torch.ones(8)
    frames = torch.arange(p.state.path.shape[1]) - float(now)
    goes = torch.stack([1.2 * frames, 0 * frames], -1).repeat(8, 1, 1)
    way = torch.tensor([[1.0, 0.0]]).repeat(8, 1)
    state = dataclasses.replace(p.state, path=goes, velocity=way)
    began = dataclasses.replace(p.orders, age=40 * one, faster=one, kind=0 * one)
    assert float(p._over(state, began)) == pytest.approx((0.2 - polish.OVER) ** 2, rel=1e-3)
    for other in ({"age": 10 * one}, {"age": 200 * one}, {"faster": -one}, {"kind": -one}):
        assert float(p._over(state, dataclasses.replace(began, **other))) == 0


def test_a_joint_that_turns_at_once_is_told(data):
    t = trainer(data)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, plan(4), 1, t.world)
    raw = torch.tensor(data.y[:4])[None].repeat(1, 1, 1)
    raw[:] = raw[:, :1]
    assert float(p._flip(raw)) == 0
    knee = C.joint_names().index("LeftKnee")
    for degrees, lost in ((polish.TURN - 1, 0.0), (polish.TURN + 10, 1.0)):
        about = torch.tensor(synthetic.about_x(math.radians(degrees)), dtype=torch.float32)
        six = raw[..., p.unroll.at.rotation].unflatten(-1, (-1, 6)).clone()
        below = slice(knee, knee + 3)  # shank and foot: the knee alone turns
        turned = p.unroll.turns(raw[:, -1, p.unroll.at.rotation])
        six[:, -1, below] = (about @ turned)[:, below, :, :2].transpose(-1, -2).flatten(-2)
        after = raw.clone()
        after[..., p.unroll.at.rotation] = six.flatten(-2)
        assert 3 * float(p._flip(after)) == pytest.approx(lost, abs=0.05)


def test_a_thigh_that_is_twisted_is_told(data):
    """About its own line, not where it is lifted or spread."""
    t = trainer(data)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, plan(4), 1, t.world)
    names, at = C.joint_names(), p.unroll.at
    thigh, line = names.index("LeftHip"), at.offsets[names.index("LeftKnee")]
    for vector, degrees, lost in ((line, polish.TWIST - 1, 0.0), (line, polish.TWIST + 10, 1.0),
                                  ([1, 0, 0], 100, 0.0), ([0, 0, 1], 60, 0.0)):
        way = np.radians(degrees) * np.asarray(vector, float) / np.linalg.norm(vector)
        turn = torch.eye(3).repeat(len(names), 1, 1)
        leg = slice(thigh, thigh + 4)  # all that hangs on it turns with it
        turn[leg] = torch.tensor(Rotation.from_rotvec(way).as_matrix(), dtype=torch.float32)
        raw = torch.tensor(data.y[:1])[:, None].repeat(1, 2, 1)
        raw[..., at.rotation] = turn[:, :, :2].transpose(-1, -2).flatten()
        assert float(p._twist(raw)) == pytest.approx(lost, abs=0.05)


def test_who_turns_on_the_spot_goes_at_the_pace_of_run_time(data):
    """Else he lets the phase stand there, and slides without a step; all others' is their own."""
    args = train.parser().parse_args(["runner", "--polish", "5"])
    (made, _), = train.plans_of(args, False, runner.RECIPE)
    assert made.paced and made.carry == runner.RULES["jump_carry"]
    t = trainer(data)
    for paced in (True, False):
        p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0,
                          dataclasses.replace(plan(1), paced=paced), 1, t.world)
        least = p.pace.rules["phase_least"] = 0.01
        kind = torch.arange(8) + float(course.PIVOTS - 4)
        state = dataclasses.replace(p.state, gait=0 * p.state.gait, phase=torch.ones(8))
        y = torch.zeros(8, len(C.output_names()))
        orders = dataclasses.replace(p.orders, kind=kind)
        went = (p._moved(state, y, orders).phase - 1) / (2 * np.pi)
        turns = paced * least * (kind >= course.PIVOTS)
        assert torch.allclose(went, turns, atol=1e-6) and bool(turns.any()) == paced


def test_slides_count_by_what_one_does(data):
    """Of who jumps, turns on the spot, crouches, or goes on as he was told."""
    t = trainer(data)
    more = dataclasses.replace(plan(1), leaps=8.0, turns=4.0, squats=2.5, steady=3.0)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, more, 1, t.world)
    kind = torch.tensor([0.0, course.PIVOTS] * 4)
    crouch = torch.tensor([0.0, 0.0, 1.0, 1.0] * 2)
    orders = dataclasses.replace(p.orders, kind=kind, crouch=crouch)
    care = p._care(orders, torch.arange(8) > 4, torch.arange(8) < 4)
    assert care.tolist() == [3, 4, 2.5, 10, 1, 8, 8, 8]


def test_large_slides_count_less_than_their_square(data):
    t = trainer(data)
    fast = torch.tensor([0.1, 3.0]) / (C.unit * C.rate)  # m/s
    none = (torch.zeros(2, 4, 2), torch.ones(2, 4))
    slid = (torch.stack([fast, 0 * fast], -1)[:, None].expand(-1, 4, -1), torch.ones(2, 4))
    of = {}
    for blunt in (math.inf, 0.5):
        one = dataclasses.replace(plan(1), blunt=blunt, creep=0.0)
        p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, one, 1, t.world)
        of[blunt] = p._slide(none, slid)
    assert of[0.5][0] == of[math.inf][0]
    over = 3 - polish.SLOW - 0.5
    assert float(of[0.5][1] / of[math.inf][1]) == pytest.approx(1 - over**2 / 9, rel=1e-3)


def test_the_facing_of_who_strafes_counts_for_more(data):
    t = trainer(data)
    more = dataclasses.replace(plan(1), sway=4.0)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, more, 1, t.world)
    facing = p.state.facing.clone()
    facing[:, p.loop.now] = p.state.face - 0.1
    state, way, one = dataclasses.replace(p.state, facing=facing), torch.zeros(8, 2), torch.ones(8)
    ahead, aside = (float(p._track(way, way, state, one, s * one)) for s in (0.0, 1.0))
    assert (ahead, aside) == pytest.approx((0.005, 0.045), rel=1e-3)


def test_as_many_jump_as_asked_where_there_are_jumps(data):
    t = trainer(data)
    more = dataclasses.replace(plan(1), jumps=1.0)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, more, 1, t.world)
    assert not p.loop.jumps and not p.orders.jump.any()
    p.loop.rules["jump_time"], p.loop.roles["jump"] = 27.0, 0
    pool = Pool(C, data, p.unroll, 0, 200, 1, p.loop, shares=Shares(jumps=0.5))
    told = pool.commanded(pool.fresh())
    ahead = (told.strafe == 0) & (told.spin == 0) & (told.move.norm(dim=-1) > 0)
    assert float(told.jump[ahead].mean()) == pytest.approx(0.5, abs=0.12)


def test_who_stands_is_told_to_step_aside(data):
    t = trainer(data)
    more = dataclasses.replace(plan(1), asides=1.0)
    p = polish.Polish(t.average, t.unroll, C, data, t.batches, 0, more, 1, t.world)
    still = dataclasses.replace(p.state, velocity=torch.zeros(8, 2))
    p.pool.known = np.ones(8, bool)
    told = [p.pool.commanded(still) for _ in range(8)]
    assert min(float(o.strafe.min()) for o in told) == 1
    assert min(float(o.move.norm(dim=-1).min()) for o in told) > 0.3


def test_two_processes_are_one(data, tmp_path):
    """Two processes (gloo), started as torchrun does: the loss curve of one process."""
    import json

    here = Path(__file__).resolve().parent
    script, out = tmp_path / "shared.py", tmp_path / "curve.json"
    script.write_text(SHARED.format(paths=[str(here), str(here.parents[1] / "python")],
                                    out=str(out)))
    env = dict(os.environ, OMP_NUM_THREADS="1", WORLD_SIZE="2", MASTER_ADDR="127.0.0.1",
               MASTER_PORT=str(29400 + os.getpid() % 500))
    started = [subprocess.Popen([sys.executable, str(script)], env=dict(env, RANK=str(rank)))
               for rank in range(2)]
    one = [e["loss"] for _, e in shared(data).history]
    assert [p.wait(timeout=100) for p in started] == [0, 0]
    assert len(one) >= 3 and np.allclose(one, json.loads(out.read_text()), rtol=2e-3)


def test_uneven_batches_are_refused(data, monkeypatch):
    t = trainer(data)
    t.world.size = 3
    with pytest.raises(ValueError, match="a batch of 64 does not split over 3"):
        t.batches.draw(STAGES[0], 1, 0, 4, [4])


CAPTURE = Path(__file__).resolve().parents[3] / "shared" / "data" / "motion" / "100style"


@pytest.mark.skipif(not CAPTURE.exists(), reason="the 100STYLE excerpt is not here")
def test_walker_takes_are_clean():
    """The facts that decide the look: feet apart as they should be, toes still, no arms up."""
    skeleton = capture.read_skeleton(CAPTURE)
    arms = [(skeleton.index(s + "Shoulder"), skeleton.index(s + "Elbow"))
            for s in ("Left", "Right")]
    feet = [skeleton.index(s + "Ankle") for s in ("Left", "Right")]
    toes = [skeleton.index(s + "Toe") for s in ("Left", "Right")]
    for clip in walker.clips(CAPTURE, straight=False):
        position, _ = clip.world()
        kept = position[clip.keep]
        assert min((kept[:, a, 1] - kept[:, b, 1]).min() for a, b in arms) > 11, clip.name
        assert synthetic.bones_stretch(clip) < 1e-6
        if clip.name == "Neutral_ID":
            apart = np.linalg.norm((kept[:, feet[0]] - kept[:, feet[1]])[:, [0, 2]], axis=-1)
            assert 24 < apart.mean() < 29
        on = label.contacts(position, toes, 60)
        speed = np.linalg.norm(np.diff(position[:, toes][..., [0, 2]], axis=0), axis=-1) * 60
        planted = on[1:] & on[:-1] & clip.keep[1:, None]
        assert speed[planted].mean() < 1.2, clip.name


@pytest.mark.skipif(not CAPTURE.exists(), reason="the 100STYLE excerpt is not here")
def test_quick_command(tmp_path, monkeypatch, capsys):
    out = tmp_path / "w.gallop"
    monkeypatch.setattr(sys, "argv", [
        "train", "walker", "--quick", "--steps", "0.01", "--polish", "2", "--hidden", "16",
        "--data", str(CAPTURE), "--plain-paths", "--no-judge", "--quiet",
        "--curve", str(tmp_path / "c.csv"),
        "-o", str(out)])
    assert train.main() == 0
    model = modelfile.read(out)
    assert "Ian Mason" in model.provenance["attribution"]
    assert (tmp_path / "c.csv").read_text().startswith("step,loss,error")


@pytest.mark.parametrize("words, kept", [
    ("walker --seed 1 -o /tmp/w.gallop --no-judge", "walker --seed 1 --no-judge"),
    ("--data in --quiet --kind mann --curve=c.csv --checkpoint c.pt -o x", "--data in --kind mann"),
])
def test_provenance_says_what_makes_the_model(words, kept):
    assert endings.recipe(words.split()) == "python -m gallop.train " + kept


def test_an_interrupted_judge_leaves_the_file(tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(judge, "command", lambda named: "gallop")
    monkeypatch.setattr(judge, "table", stopped)
    args = train.parser().parse_args(["walker", "-o", str(tmp_path / "w.gallop")])
    with pytest.raises(KeyboardInterrupt, match=r"kept in .*w\.gallop"):
        endings.judged(args, None)


class Stopped(Trainer):
    """A trainer in whose third step ^C is pressed."""

    def _one(self, *arguments):
        super()._one(*arguments)
        if self.step == 3:
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_keeps_what_there_is(data, tmp_path):
    """The network is that of three whole steps, and the checkpoint goes on from there."""
    place = tmp_path / "c.pt"
    stopped = trainer(data, checkpoint=place, made=Stopped)
    stopped.train(quiet=True)
    assert stopped.interrupted and stopped.step == 3
    three = trainer(data)
    three.train(quiet=True, stop=3)
    assert torch.equal(weights(stopped.average), weights(three.average))
    rest, whole = trainer(data, checkpoint=place), trainer(data)
    assert torch.equal(weights(rest.train(quiet=True)), weights(whole.train(quiet=True)))
    assert not rest.interrupted


@pytest.mark.skipif(not CAPTURE.exists(), reason="the 100STYLE excerpt is not here")
def test_an_interrupted_command_writes_its_model(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(train, "Trainer", Stopped)
    out = tmp_path / "new" / "w.gallop"
    monkeypatch.setattr(sys, "argv", [
        "train", "walker", "--quick", "--hidden", "16", "--data", str(CAPTURE), "--plain-paths",
        "--quiet", "-o", str(out)])
    assert train.main() == 130
    said = capsys.readouterr()
    assert "interrupted; what was trained until then is kept in" in said.err
    assert "Traceback" not in said.err and said.out == ""
    assert modelfile.read(out).provenance["command"].endswith("(ended by ^C)")


def test_what_cannot_be_written_is_said_before_the_work(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    for out, message in ((tmp_path, "a folder, a file expected"),
                         (tmp_path / "file" / "x.gallop", "file")):
        monkeypatch.setattr(sys, "argv", ["train", "walker", "--data", "nowhere", "-o", str(out)])
        assert train.main() == 1
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("words, status, message", [
    ("walker --hidden -1", 2, "argument --hidden: -1: a whole number above 0"),
    ("walker --steps none", 2, "argument --steps: none: a number above 0"),
    ("walker --steps nan", 2, "argument --steps: nan: a number above 0"),
    ("walker --seed -1", 2, "argument --seed: -1: a whole number from 0 to 4294967295"),
    ("walker --seed 1.5", 2, "argument --seed: 1.5: a whole number from 0"),
    ("walker --bars nowhere", 1, "gallop.train: nowhere: no such file"),
    ("walker --from nowhere --mend 3", 1, "gallop.train: nowhere: no such file"),
    ("walker --teacher .", 1, "gallop.train: .: a folder, a file expected"),
    ("--data folder", 2, "-o MODEL.gallop is missing"),
    ("walker --polish -1", 2, "argument --polish: -1: a whole number from 0 to"),
    ("--data folder -o x --mend 9", 2, "--mend: of walker and runner and dog alone"),
    ("--data folder -o x --teacher y", 2, "--teacher: of walker alone"),
    ("dog --polish-slide 2", 2, "--polish-slide: of walker and runner and your own motion alone"),
    ("walker --roles x", 2, "--roles: of your own motion alone"),
    ("--look", 2, "--look: of your own motion, --data FOLDER"),
    ("walker --device nowhere", 1, "gallop.train: --device nowhere: "),
])
def test_wrong_words_are_named(words, status, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train", *words.split()])
    try:
        ended = train.main()
    except SystemExit as e:
        ended = e.code
    assert ended == status and message in capsys.readouterr().err


@pytest.mark.skipif(not COMMAND.exists(), reason="no gallop command: name it in GALLOP_COMMAND")
def test_bars_are_read_before_the_work(tmp_path, monkeypatch, capsys):
    bars = tmp_path / "a.bars"
    monkeypatch.setattr(sys, "argv", ["train", "walker", "--judge", str(COMMAND), "--bars",
                                      str(bars), "--data", "nowhere"])
    for line, message in (("skating 3", f'{bars} line 1: "skating" is no figure'),
                          ("skate 3", "nowhere")):  # which is the motion, asked for next
        bars.write_text(line + "\n")
        assert train.main() == 1
        assert message in capsys.readouterr().err


def test_a_judge_that_says_nothing_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"/false judge --bars .*a\.bars: status 1"):
        judge.check_bars("/bin/false", tmp_path / "a.bars")


@pytest.mark.parametrize("model, what, message", [
    ("dog", "walker", "hinges, a walker expected"), ("walker", "dog", "no hinges, a dog expected")])
def test_a_model_to_be_mended_is_of_the_kind_that_is_trained(
        model, what, message, monkeypatch, capsys):
    begin = library.models_folder() / f"{model}.gallop"
    monkeypatch.setattr(sys, "argv", ["train", what, "--from", str(begin), "--mend", "3",
                                      "--no-judge", "--data", "nowhere"])
    assert train.main() == 1
    assert f"gallop.train: --from {begin}: {message}" in capsys.readouterr().err


def test_a_file_that_is_no_checkpoint_is_named(tmp_path):
    for bytes_ in (b"HIERARCHY", b"", b"PK\x03\x04 not a zip"):
        path = tmp_path / "x.pt"
        path.write_bytes(bytes_)
        with pytest.raises(ValueError, match=r"x\.pt: no checkpoint"):
            load_checkpoint(path, torch.device("cpu"))


def test_steps_are_those_of_the_polish_too():
    for words, steps in ((["--steps", "0.01"], 36), (["--steps", "0.01", "--quick"], 5),
                         (["--steps", "0.01", "--polish", "7"], 7)):
        args = train.parser().parse_args(["walker", *words])
        assert train.plans_of(args, False, {})[0][0].steps == steps


def test_files_that_are_not_there_are_named_in_words(tmp_path, monkeypatch, capsys):
    missing = str(tmp_path / "nowhere")
    for words in (["walker", "--data", missing], ["dog", "--data", missing]):
        monkeypatch.setattr(sys, "argv", ["train", *words])
        assert train.main() == 1
        said = capsys.readouterr().err
        assert said.startswith(f"gallop.train: {missing}") and "Errno" not in said
    monkeypatch.setattr(capture, "ARRAYS", "nowhere.npz")
    monkeypatch.setattr(sys, "argv", ["train", "walker"])
    assert train.main() == 1
    assert "the 100STYLE excerpt, nowhere.npz, is not in " in capsys.readouterr().err


def test_missing_data_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train", "walker", "--data", str(tmp_path), "-o", "x"])
    assert train.main() == 1
    assert capsys.readouterr().err.startswith("gallop.train: ")


assert losses
