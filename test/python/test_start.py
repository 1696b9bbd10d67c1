"""A model's mean pose becomes that of one who stands; what it computes does not change."""

from pathlib import Path

import numpy as np

import gallop
from gallop import modelfile, start

MODELS = Path(__file__).resolve().parents[2] / "models"


def got_up(model, frames=60):
    """How far joints have gone, at most, from where they are seen as a character is put down."""
    crowd = gallop.Crowd(str(model), capacity=2)
    who = crowd.add()
    poses = [crowd.pose(who)[:, :3].copy()]
    for _ in range(frames):
        crowd.step()
        poses.append(crowd.pose(who)[:, :3].copy())
    return np.linalg.norm(np.array(poses) - poses[0], axis=-1).max()


def squatting():
    """The walker as a file that calls another pose the mean: everything 10 cm lower."""
    model = modelfile.read(MODELS / "walker.gallop")
    contract = start.parse(model.contract, "")
    height = contract.columns(contract.outputs, "joint.position")
    down = np.zeros(len(model.output_mean))
    down[height.start + 1 : height.stop : 3] = -10
    model.output_mean = (model.output_mean + down).astype(np.float32)
    last = model.layers[-1]
    last.bias = (last.bias - down / model.output_std).astype(np.float32)
    return model


def test_the_function_stays():
    model = squatting()
    x, phase = model.golden.x, model.golden.blend
    before, mean = modelfile.run(model, x, phase), model.output_mean.copy()
    start.from_standing(model)
    assert np.abs(model.output_mean - mean).max() > 1  # the pose is another one,
    contract = start.parse(model.contract, "")
    root = contract.columns(contract.outputs, "root.velocity.z")
    assert (model.output_mean[root] == mean[root]).all()  # and nothing but the pose
    assert np.abs(modelfile.run(model, x, phase) - before).max() < 1e-5


def test_who_is_put_down_stands(tmp_path):
    model = squatting()
    modelfile.write(model, tmp_path / "squats.gallop")
    assert got_up(tmp_path / "squats.gallop") > 8
    start.from_standing(model)
    modelfile.write(model, tmp_path / "stands.gallop")
    assert got_up(tmp_path / "stands.gallop") < 3
    for name in ("runner", "walker", "walker-small", "walker-half"):
        assert got_up(MODELS / f"{name}.gallop") < 3


def test_hinges_have_a_rest_pose_of_their_own():
    model = modelfile.read(MODELS / "dog.gallop")
    mean = model.output_mean.copy()
    start.from_standing(model)
    assert (model.output_mean == mean).all()
