"""Rollouts of the dog that are evaluated once in several frames, as a crowd does with far dogs."""

import ctypes

import numpy as np
import pytest
import torch

import dog_synthetic
from gallop import crowd, dog, library, modelfile
from gallop.dog import data as dog_data
from gallop.dog import features as dog_features
from gallop.dog import rollout as dog_rollout
from gallop.dog import train as dog_train
from gallop.dog.control import Command, Controller


@pytest.fixture(scope="module")
def trained():
    clip = dog_synthetic.walk(400)
    frames = dog_features.build([clip, dog_data.mirrored(clip)])
    return dog_train.Trainer(dog.contract(), frames, dog_train.Settings(hidden=24, experts=3))


@pytest.fixture(scope="module")
def rows(trained):
    return torch.tensor(dog_train.chances(trained.frames, 8)[0][::40][:6])


def test_who_is_evaluated():
    told = [dog_rollout.evaluated(k, 10, (3, 2, 1)) for k in range(1, 9)]
    assert told == [4, 7, 4, 9, 4, 7, 4, 10]


def test_rollouts_at_several_paces(trained, rows, monkeypatch):
    """Who is evaluated in every frame does not notice; the others go on as they last went."""
    r, seen = trained.rollout, []
    terms = r.terms
    monkeypatch.setattr(r, "terms", lambda s, *more: (seen.append(s), terms(s, *more))[1])
    with torch.no_grad():
        r(rows, 4, 0.0)
        alone, seen[:] = list(seen), []
        r(rows, 4, 0.0, (2, 1))
    assert [len(s.hinge) for s in seen] == [3, 5, 3, 6]
    for one, many in zip(alone, seen):
        assert torch.allclose(one.hinge[:3], many.hinge[:3], atol=1e-5)
    assert not torch.allclose(alone[1].hinge[3:5], seen[1].hinge[3:5], atol=1e-4)


def test_feet_between_evaluations_have_moved_in_the_mean(trained, rows):
    """Three frames on, a foot's motion is a third of its way since the evaluation."""
    r, body = trained.rollout, trained.rollout.body
    s, y, way = r.data.state(rows), r.data.said(rows), 0
    facing = torch.zeros(len(rows))
    with torch.no_grad():
        for k in range(1, 4):
            before, y = s, body.gone_on(s, y)
            s, step = body.advance(s, y)
            facing = facing + step.facing
            way = way + dog_rollout.turned(s.feet_rate[..., 0::2], facing[:, None])
            s.feet_rate = r._felt(s, before, step.facing, k, 0, (0, len(rows)))
        mean = dog_rollout.turned(s.feet_rate[..., 0::2], facing[:, None])
    assert torch.allclose(mean, way / 3, atol=1e-4)


def test_what_the_data_would_have_said_leads_to_them(trained, rows):
    r = trained.rollout
    data, body = r.data, r.body
    came, _ = body.advance(data.state(rows), data.said(rows + 1))
    assert torch.allclose(came.hinge, data.hinge[rows + 1], atol=1e-4)
    assert torch.allclose(came.feet_rate, data.feet_rate[rows + 1], atol=1e-3)
    on = body.gone_on(data.state(rows), data.said(rows))
    came, _ = body.advance(data.state(rows), on)
    assert torch.allclose(came.hinge - data.hinge[rows], data.hinge_rate[rows], atol=1e-5)
    assert torch.allclose(body.future(on), body.future(data.said(rows)))


def character(path, frames):
    """A crowd of one character that is evaluated once in so many frames."""
    group = crowd.Crowd(crowd.Controller(path), 1)
    one = group.add()
    set_pace = library.load().gal_crowd_set_pace
    set_pace.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)]
    pace = (ctypes.c_uint32 * 2)(frames, 0)  # and by which level
    assert set_pace(group._handle, one, pace) == 0
    return group, one


@pytest.mark.parametrize("frames", [1, 2, 4, 8])
def test_the_runtime_goes_on_as_torch_does(frames):
    path = library.model_path("dog")
    group, one = character(path, frames)
    here = Controller(modelfile.read(path), 1)
    for frame in range(0, 240, frames):
        angle, size = 0.004 * frame, 0.0 if 120 <= frame < 160 else 0.8  # it stops and goes on
        x, z = size * np.sin(angle), size * np.cos(angle)
        parts = [[x, z]], [0.3], [0.0], [0.0], [0.0]
        here.step(Command(*(torch.tensor(p, dtype=torch.float32) for p in parts)), frames)
        group.set_input(one, move_x=-x, move_y=z, run=0.3)
        for _ in range(frames):
            group.step()
    there = group.state(one)
    assert np.linalg.norm(there.root) > 150
    assert np.abs(there.root[[0, 2]] - here.root[0].numpy()).max() < 0.05
    assert there.facing == pytest.approx(float(here.facing), abs=1e-3)
