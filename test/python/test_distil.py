"""Distillation: what the teacher says is what is learnt, and the judge stops it."""

import argparse
import json
import stat
import sys

import numpy as np
import pytest
import torch

import synthetic
from gallop import distil, exporter, features, modelfile, polish, train
from gallop import judge as judge_command
from gallop.trainer import Settings, Stage, Trainer

C = synthetic.contract()
FIGURES = {"speed": 1.0, "wanted": 1.0, "direction": 0.5, "skate": 2.0, "jump999": 2.0,
           "facing": None}


def said(**figures):
    return {"finite": True, "set_back": 0, "scripts": {"walk": {**FIGURES, **figures}}}


@pytest.fixture(scope="module")
def data():
    return synthetic.dataset()


@pytest.fixture
def teacher(data, tmp_path):
    scale = features.scale_of(C, data.x, data.y)
    settings = Settings(24, "cubic", 4, (Stage(60, 64, rate=3e-3),))
    trained = Trainer(C, data, np.ones(len(data.x), bool), scale, settings)
    model = exporter.to_model(trained.train(quiet=True), C, scale, "f32", np.ones(1))
    exporter.add_golden(model, *exporter.golden_rows(data))
    modelfile.write(model, tmp_path / "teacher.gallop")
    return tmp_path / "teacher.gallop"


def judge(tmp_path, figures):
    """A gallop command that always says the same figures."""
    place = tmp_path / "gallop"
    place.write_text(f"#!{sys.executable}\nprint('''{json.dumps(figures)}''')\n")
    place.chmod(place.stat().st_mode | stat.S_IEXEC)
    return place


def pupil_of(teacher, command, data):
    scale = features.scale_of(C, data.x, data.y)
    return distil.Pupil(teacher, command, C, scale, data.styles, data.styles[0]), scale


@pytest.mark.parametrize("figures, word", [
    ({"skate": 9.0}, "walk: skate 9.00 cm/s, at most 4.00"),
    ({"speed": 0.9}, "walk: speed off by 10.0 %"),
    ({"direction": -5.0}, "walk: direction -5.00 degrees, at most 3.00"),
])
def test_what_is_over_its_bar_is_named(figures, word):
    assert list(distil.misses(said(**figures), said())) == [word]
    assert not distil.misses(said(), said())
    assert distil.misses({**said(), "set_back": 1}, said())


def test_the_teacher_says_what_its_file_says(data, teacher, tmp_path):
    pupil, scale = pupil_of(teacher, judge(tmp_path, said()), data)
    x, phase = data.x[:50], data.phase[:50]
    normal = torch.tensor((x - scale.x_mean) / scale.x_std, dtype=torch.float32)
    style = torch.ones(50, 1)  # the student's column, which the teacher does not see
    y = pupil.teacher(torch.cat([normal, style], 1), torch.tensor(phase))
    y = y.numpy() * scale.y_std + scale.y_mean
    truth = modelfile.run(modelfile.read(teacher), x, phase[:, None])
    assert np.abs((y - truth) / scale.y_std).max() < 1e-4
    labels = pupil.relabelled(data, torch.device("cpu")).y
    contact = C.columns(C.outputs, "contact", C.legs[0][2])
    others = np.setdiff1d(np.arange(labels.shape[1]), [
        i for b, w in C.ranges(C.outputs) if b.name == "contact" for i in range(w.start, w.stop)])
    assert np.allclose(labels[:50, others], truth[:, others], rtol=1e-4, atol=1e-3)
    assert labels[:, contact].min() >= 0 and labels[:, contact].max() <= 1


def test_a_content_judge_stops_and_the_best_is_kept(data, teacher, tmp_path):
    for figures, steps in ((said(), 2), (said(skate=99.0), 6)):
        pupil, scale = pupil_of(teacher, judge(tmp_path, said()), data)
        pupil.gallop = str(judge(tmp_path, figures))
        settings = Settings(8, "cubic", 4, (Stage(2, 16),))
        t = Trainer(C, data, np.ones(len(data.x), bool), scale, settings)
        plan = polish.Plan(6, 8, 4, stage=Stage(1, 8, 4))
        last = polish.Polish(t.train(quiet=True), t.unroll, C, data, t.batches, 0, plan, 1, t.world,
                             None, pupil.teacher)
        assert float(last.kept.min()) > 0  # the teacher has the root's step right
        distil.EVERY, every = 2, distil.EVERY
        pupil.polished(last, quiet=True)
        distil.EVERY = every
        assert last.step == steps and pupil.model is not None
        assert ("content" in pupil.report()) == (steps == 2)


def test_other_features_and_a_missing_judge_are_refused(teacher, tmp_path):
    other = synthetic.contract()
    other.inputs.pop()
    with pytest.raises(ValueError, match=r"teacher.gallop: \d+ inputs, \d+ expected"):
        distil.read(teacher, other)
    with pytest.raises(ValueError, match="no gallop command"):
        judge_command.command(tmp_path / "nosuch")


def test_a_judge_that_is_named_is_there_before_training(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["train", "walker", "--judge", "/nosuch/gallop"])
    assert train.main() == 1
    assert capsys.readouterr().err.startswith("gallop.train: /nosuch/gallop: no gallop command")


def test_the_command_takes_a_teacher():
    args = train.parser().parse_args(["walker", "--teacher", "a.gallop", "--hidden", "96"])
    assert isinstance(args, argparse.Namespace) and args.teacher.name == "a.gallop"
