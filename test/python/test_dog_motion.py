"""The dog's motion: kinematics, cleaning, mirror images, made rests, features."""

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation

import dog_synthetic
from gallop import dog
from gallop.dog import aside as dog_aside
from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data
from gallop.dog import features as dog_features
from gallop.hinges import Legs


def rows(frames=50, seed=0):
    """A clip as the archive keeps one: z up, metres."""
    host = np.random.default_rng(seed)
    turn = Rotation.from_euler("ZYX", host.uniform(-0.3, 0.3, (frames, 3)) + np.array([2, 0, 0]))
    angles = np.tile([0.0, -0.8, 1.6], 4) + host.uniform(-0.3, 0.3, (frames, 12))
    return np.concatenate([host.uniform(-1, 1, (frames, 3)), turn.as_quat(), angles], 1)


def feet_of(r):
    """The feet in the archive's own axes, joint by joint."""
    body, out = Rotation.from_quat(r[:, 3:7]), []
    for leg in range(4):
        ahead, left = (1 if leg < 2 else -1), (-1 if leg % 2 == 0 else 1)
        a = r[:, 7 + 3 * leg : 10 + 3 * leg]
        hip = Rotation.from_rotvec(a[:, :1] * [1, 0, 0])
        thigh = hip * Rotation.from_rotvec(a[:, 1:2] * [0, -1, 0])
        shank = thigh * Rotation.from_rotvec(a[:, 2:] * [0, -1, 0])
        p = np.array([ahead * 0.195, left * 0.06, 0]) + hip.apply([0, left * 0.09, 0])
        p = p + thigh.apply([0, 0, -0.2115]) + shank.apply([0, 0, -0.24])
        out.append(r[:, :3] + body.apply(p))
    return np.stack(out, 1)[..., [1, 2, 0]] * 100


def test_feet_are_where_the_archive_has_them():
    clip = dog_clean.read("x", rows())
    assert np.abs(dog_clean.feet_world(clip) - feet_of(rows())).max() < 1e-9


def test_reaching_inverts_the_kinematics():
    clip = dog_clean.read("x", rows())
    assert np.abs(dog_clean.reach(clip, dog_clean.feet_world(clip)) - clip.hinge).max() < 1e-9


def test_gradients_flow_through_the_feet():
    angles = torch.tensor(dog.rest_angles(), dtype=torch.float64, requires_grad=True)
    legs = Legs(dog.contract(), dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda a: legs.feet(torch.tensor(dog.POSTURE).double(), a),
                                    angles)


def test_mirroring_mirrors_the_feet():
    clip = dog_clean.read("x", rows())
    there = dog_clean.feet_world(dog_data.mirrored(clip))
    assert np.abs(there[:, list(dog.MIRROR)] * [-1, 1, 1] - dog_clean.feet_world(clip)).max() < 1e-9
    twice = dog_data.mirrored(dog_data.mirrored(clip))
    assert np.abs(twice.hinge - clip.hinge).max() == 0


def test_flips_are_drawn_through():
    clip = dog_synthetic.walk()
    clip.hinge[200, 1] += 2.0
    assert np.abs(np.diff(dog_clean.without_flips(clip).hinge, axis=0)).max() < dog_clean.FLIP


def test_planted_feet_stand_still():
    clip = dog_synthetic.walk(800)
    clip.rate = 120.0
    clip.hinge += np.random.default_rng(0).normal(0, 0.01, clip.hinge.shape)
    clean = dog_clean.cleaned(clip)
    feet = dog_clean.feet_world(clean)
    slip = np.linalg.norm(np.gradient(feet[..., [0, 2]], axis=0), axis=-1) * clean.rate
    assert slip[clean.contact > 0.5].mean() < 6
    assert 0.4 < clean.contact.mean() < 0.8
    assert feet[..., 1].min() > 1


def test_rests_end_still_in_the_rest_pose():
    clip = dog_synthetic.walk(600)
    made = dog_data.rests(clip, 4, np.random.default_rng(1))
    assert made
    for rest in made:
        posture, feet = dog_data.rest_pose()
        assert np.abs(rest.hinge[-5] - dog.rest_angles()).max() < 0.02
        assert np.abs(rest.posture[-1] - posture).max() < 0.1
        assert np.abs(dog_clean.feet_local(rest)[-5] - feet).max() < 0.5
        assert np.abs(np.diff(rest.hinge, axis=0)).max() * 60 < 20
        again = dog_data.backwards(dog_data.backwards(rest))
        assert (again.root == rest.root).all()


def test_features_are_seen_from_the_root():
    clip = dog_synthetic.walk(400, turn=0.01)
    made = dog_features.arrays_of(clip)
    assert np.abs(made["motion"][50:, 0]).max() < 0.02  # straight ahead, seen from the old root
    assert np.allclose(made["motion"][50:, 1], 1, atol=0.01)
    assert np.allclose(made["motion"][50:, 2], -0.01)
    assert np.abs(made["past"][100, 2:4, -1] - [0, 1]).max() < 1e-9
    on = clip.contact[101] * clip.contact[100] > 0
    turning = 0.01 * 30  # the synthetic feet turn with the body
    assert np.abs(made["feet_rate"][101][on][:, [0, 2]]).max() < turning + 0.05
    assert np.abs(np.linalg.norm(made["phase"], axis=-1)).max() <= 1
    stride = 1 / made["turns"][100:300].mean()
    assert abs(stride - 48) < 4


def test_real_motion_is_clean(request):
    try:
        folder = dog.default_folder()
    except FileNotFoundError:
        pytest.skip("the dog's motion is not here")
    for clip in dog_data.clips(folder, 2):
        assert dog_clean.feet_local(clip)[clip.keep][..., 1].min() > 0.4


def test_walks_are_led_aside():
    clip = dog_synthetic.walk(800, speed=40.0)
    led = dog_aside.aside(clip)
    v = dog_data.velocity(led)[led.keep]
    assert led.keep.sum() > 300
    assert (v[:, 1] > 5 * np.abs(v[:, 0])).mean() > 0.95  # to its left
    assert np.array_equal(led.facing, clip.facing)
    feet = dog_clean.feet_world(led)
    slip = np.linalg.norm(np.gradient(feet[..., [0, 2]], axis=0), axis=-1) * led.rate
    on = (led.contact > 0.5) & led.keep[:, None]
    assert on.mean() > 0.1 and slip[on].mean() < 6
    assert np.abs(feet[..., 1] - dog_clean.feet_world(clip)[..., 1])[led.keep].max() < 1
