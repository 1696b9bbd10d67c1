"""Features against what the format page says they mean."""

import dataclasses

import numpy as np

import synthetic
from gallop import features, losses, rotation

C = synthetic.contract()
DATA = synthetic.dataset()
NAMES_X, NAMES_Y = C.input_names(), C.output_names()


def x(name):
    return DATA.x[:, NAMES_X.index(name)]


def y(name):
    return DATA.y[:, NAMES_Y.index(name)]


def test_counts():
    assert DATA.x.shape[1] == len(NAMES_X) and DATA.y.shape[1] == len(NAMES_Y)
    assert np.isfinite(DATA.x).all() and np.isfinite(DATA.y).all()


def test_the_root_is_the_origin():
    assert np.allclose(x("trajectory.position.x[0]"), 0, atol=1e-4)
    assert np.allclose(x("trajectory.direction.z[0]"), 1)


def test_straight_walk():
    first = (DATA.take == 0) & (DATA.frame > 120) & (DATA.frame < 300)
    assert np.allclose(x("trajectory.position.z[50]")[first], 70, rtol=0.05)
    assert np.allclose(y("root.velocity.z")[first], 1.4, rtol=0.05)
    assert np.allclose(y("future.position.z[10]")[first], 14, rtol=0.05)
    assert np.allclose(x("joint.position.LeftHip.x")[first], 10, atol=0.2)


def test_turn_sign_and_mirror():
    """Turning left (towards +x) is a negative root.turn; the mirror image has the other sign."""
    middle = (DATA.frame > 150) & (DATA.frame < 280)
    turn = y("root.turn")
    assert np.allclose(turn[middle & (DATA.take == 2)], -0.3 / 60, rtol=0.05)
    assert np.allclose(turn[middle & (DATA.take == 3)], 0.3 / 60, rtol=0.05)
    ahead = x("trajectory.direction.x[30]")
    assert (ahead[middle & (DATA.take == 2)] > 0.1).all()
    assert (ahead[middle & (DATA.take == 3)] < -0.1).all()


def test_fed_joints_are_the_last_output():
    layout = losses.Layout(C)
    same = np.diff(DATA.run) == 0
    fed, out = DATA.x[1:, layout.x_fed], DATA.y[:-1, layout.y_fed]
    assert np.allclose(fed[same], out[same], atol=1e-4)


def test_phase_advance_and_contacts():
    middle = (DATA.frame > 100) & (DATA.frame < 300) & (DATA.take == 0)
    assert np.isclose(y("phase.advance")[middle].mean() * 60, 0.8, rtol=0.05)
    assert set(np.unique(y("contact.LeftToe"))) == {0.0, 1.0}


def test_scale_is_one_per_block():
    s = features.scale_of(C, DATA.x, DATA.y)
    for block, where in C.ranges(C.outputs):
        assert len(np.unique(s.y_std[where])) == 1, block
    joints = C.columns(C.inputs, "joint.position")
    assert np.allclose(s.x_std[joints], DATA.x[:, joints].std(0).mean() * 10, rtol=1e-3)


def test_pose_motion_sees_a_jump():
    """Joints that ride on the root do not move; one thrown by 30 cm in a frame does, unless that
    frame is not kept."""
    take = DATA.takes[0]
    seat = rotation.about_y(take.labels.facing) @ np.array([20.0, 90.0, 0.0])
    seat[:, [0, 2]] += take.labels.path
    joints = np.repeat(seat[:, None], 2, 1)
    still = dataclasses.replace(take, position=joints, keep=take.keep.copy())
    assert np.allclose(features.pose_motion([still]), 0, atol=1e-4)
    at = int(np.flatnonzero(take.keep)[100])
    still.position[at:, 1] += (0, 30, 0)
    assert np.allclose(features.pose_motion([still]), 30, atol=1e-4)
    still.keep[at] = False
    assert np.allclose(features.pose_motion([still]), 0, atol=1e-4)
