"""Kinematics, resampling, cleaning and labels on a made-up walk."""

import numpy as np
import pytest

import synthetic
from gallop import clean, label, motion, rotation


def test_rotation_conversions():
    host = np.random.default_rng(1)
    m = rotation.from_half_vector(host.normal(0, 0.5, (20, 3)))
    six = rotation.to_sixd(m)
    assert np.allclose(six[:, :3], m[..., 0]) and np.allclose(six[:, 3:], m[..., 1])
    assert np.allclose(rotation.from_quaternion(rotation.to_quaternion(m)), m)
    assert np.allclose(rotation.from_half_vector(rotation.to_half_vector(m)), m)
    quarter = rotation.about_y(np.array(np.pi / 2)) @ [0, 0, 1]
    assert np.allclose(quarter, [1, 0, 0])  # +z towards +x
    a, b = host.normal(size=(2, 9, 3))
    turned = (rotation.between(a, b) @ a[..., None])[..., 0]
    assert np.allclose(np.cross(turned, b), 0, atol=1e-9)


def test_forward_and_back():
    clip = synthetic.walk(50)
    position, turn = clip.world()
    assert np.allclose(motion.to_local(clip.skeleton, turn), clip.local)
    knee = clip.skeleton.index("LeftKnee")
    length = np.linalg.norm(position[:, knee] - position[:, knee - 1], axis=-1)
    assert np.allclose(length, 42)
    assert synthetic.bones_stretch(clip) < 1e-9


def test_spline_beats_slerp():
    """Sparse keys brought back: the cubic's toe error is a third of slerp's or less."""
    from scipy.spatial.transform import Rotation, Slerp

    t = np.arange(241) / 60
    swing = 0.6 * np.sin(2 * np.pi * 0.9 * t)
    local = np.repeat(np.eye(3)[None, None], 9, 1).repeat(241, 0)
    for j, sign in ((1, 1), (5, -1)):
        local[:, j] = np.stack([synthetic.about_x(sign * a) for a in swing])
    clip = motion.Clip("swing", synthetic.skeleton(), 60, local, np.zeros((241, 3)))
    sparse = motion.Clip("s", clip.skeleton, 15, local[::4], np.zeros((61, 3)))
    truth = clip.world()[0][:, 4]
    cubic = motion.resample(sparse, 60).world()[0][:, 4]
    linear = local.copy()
    for j in range(9):
        linear[:, j] = Slerp(t[::4], Rotation.from_matrix(local[::4, j]))(t).as_matrix()
    slerp = motion.forward(clip.skeleton, linear, clip.root)[0][:, 4]
    error = [np.linalg.norm(p - truth, axis=-1).mean() for p in (cubic, slerp)]
    assert len(cubic) == 241 and error[0] < error[1] / 3


def test_mirror_twice_is_the_clip():
    clip = synthetic.walk(60, turn=0.5)
    twice = motion.mirrored(motion.mirrored(clip))
    assert np.allclose(twice.local, clip.local) and np.allclose(twice.root, clip.root)
    left, right = clip.skeleton.index("LeftToe"), clip.skeleton.index("RightToe")
    a, b = clip.world()[0], motion.mirrored(clip).world()[0]
    assert np.allclose(a[:, left] * [-1, 1, 1], b[:, right])
    assert motion.mirror_pairs(["Hips", "LHipJoint", "RHipJoint", "a_l", "a_r"]) == [0, 2, 1, 4, 3]


def test_contacts_and_phase_of_a_walk():
    cadence = 0.8
    clip = synthetic.walk(600, cadence=cadence)
    take = synthetic.take(clip)
    on = take.labels.contacts
    assert np.allclose(on[60:-60].mean(0), 0.6, atol=0.08)
    moving = np.diff(take.labels.phase)[90:-90]
    assert np.isclose(moving.mean() * 60, cadence, rtol=0.03)
    downs = label.foot_downs(on)
    assert {s for _, s in downs} == {0, 1}
    for (_, a), (_, b) in zip(downs, downs[1:]):
        assert a != b
    for frame, side in downs[1:-1]:
        whole = take.labels.phase[frame] - 0.5 * side
        assert np.isclose(whole, round(whole), atol=1e-9)


def test_standing_is_labelled():
    take = synthetic.take(synthetic.walk(500, stand=250))
    stand, walk, run = take.labels.gait.T
    assert stand[60:180].min() > 0.95 and stand[330:].max() < 0.05
    assert np.allclose(stand + walk + run, 1) and run.max() < 0.3
    phase = np.diff(take.labels.phase)
    assert phase[40:180].max() < 1e-9 and phase.min() >= 0


def test_turning_on_the_spot_is_walking():
    still = np.zeros((200, 2))
    gait = label.gait_amounts(still, np.arange(200) * 1.2 / 60, 60, None)
    assert gait[50:150, 0].max() < 0.05 and gait[50:150, 1].min() > 0.9


def test_lock_stills_toes_and_keeps_bones():
    clip = synthetic.walk(300)
    host = np.random.default_rng(0)
    clip.root += np.cumsum(host.normal(0, 0.05, clip.root.shape), 0) * [1, 0, 1]
    locked, moved = clean.lock_toes(clip, synthetic.legs())
    toe = clip.skeleton.index("LeftToe")

    def skate(c):
        position = c.world()[0]
        on = label.contacts(position, [toe], 60)[:, 0]
        speed = np.linalg.norm(np.diff(position[:, toe][:, [0, 2]], axis=0), axis=-1) * 60
        return speed[on[1:] & on[:-1]].mean()

    assert skate(locked) < 0.35 * skate(clip)
    assert synthetic.bones_stretch(locked) < 1e-6 and moved.max() < 5


def test_toes_that_sink_are_lifted_out_of_the_floor():
    clip = synthetic.walk(300)
    toes = [leg.toe for leg in synthetic.legs()]
    clip.root[100:106, 1] -= 9.0  # of one who lands on the balls of his feet
    before, after = (c.world()[0][:, toes, 1] for c in (clip, clean.raised(clip, synthetic.legs())))
    sunk = before.min(1) < -0.5
    assert before.min() < -5 and after.min() > -0.5
    assert np.abs(after - before)[~(np.convolve(sunk, np.ones(19), "same") > 0)].max() < 0.5
    assert synthetic.bones_stretch(clean.raised(clip, synthetic.legs())) < 1e-6


def test_a_straight_knee_bends_as_it_does_around():
    """Where a leg is straight, in which direction its knee is off the line is chance."""
    leg, t = synthetic.legs()[0], np.arange(61)
    root, chance = np.tile([0, 90.0, 0], (61, 1)), np.random.default_rng(0).normal(0, 1e-3, (61, 2))
    _, turn = synthetic.rest_pose(root, 0.0 * t)
    local = np.tile(np.eye(3), (*turn.shape[:2], 1, 1))
    for i, bent in enumerate(np.clip(np.abs(t - 30) / 30 - 0.3, 0, None)):
        about_z = rotation.about_y(chance[i, :1])[0][[2, 0, 1]][:, [2, 0, 1]]
        turned = synthetic.about_x(-bent + chance[i, 1]) @ about_z
        local[i, leg.hip], local[i, leg.knee] = turned, turned.T @ turned.T
    position, turn = motion.forward(synthetic.skeleton(), local, root)
    clean.bend_leg(position, turn, leg, np.full((61, 1), 5.0) * [0, 1, 0])
    ahead = (position[:, leg.knee] - position[:, leg.hip])[:, [0, 2]]
    assert np.degrees(np.abs(np.arctan2(*ahead.T))).max() < 10
    leg_turn = turn[:, leg.hip]
    change = np.swapaxes(leg_turn[:-1], -1, -2) @ leg_turn[1:]
    assert np.degrees(np.arccos((np.trace(change, axis1=1, axis2=2) - 1) / 2)).max() < 10


def test_a_leg_gives_way_before_it_is_straight():
    """Its knee, which would snap where the leg is straight, turns by less from frame to frame."""
    leg, length = synthetic.legs()[0], 42 + 40
    root = np.tile([0, 90.0, 0], (61, 1))
    position, turn = synthetic.rest_pose(root, np.zeros(61))
    reach = length * np.minimum(1.0, 0.9 + 0.004 * (30 - np.abs(np.arange(61) - 30)))
    goal = position[:, leg.hip] - reach[:, None] * [0, 1, 0]
    clean.bend_leg(position, turn, leg, goal - position[:, leg.ankle])
    body = synthetic.skeleton()
    clip = motion.Clip("reach", body, 60, motion.to_local(body, turn), root)
    made = clean.eased(clip, [leg])

    def bends(c):
        cosine = (np.trace(c.local[:, leg.knee], axis1=1, axis2=2) - 1) / 2
        return np.degrees(np.arccos(np.clip(cosine, -1, 1)))

    snaps = [np.abs(np.diff(bends(c))).max() for c in (clip, made)]
    moved = np.linalg.norm((made.world()[0] - clip.world()[0])[:, leg.ankle], axis=-1)
    assert snaps[1] < 0.7 * snaps[0]
    assert moved[reach < 0.974 * length].max() < 1e-6 and 0.4 < moved.max() < 0.6
    assert synthetic.bones_stretch(made) < 1e-6


def test_who_stands_keeps_straight_legs():
    """His knees do not give way, and bend smoothly where he begins to go."""
    legs, length, frames = synthetic.legs(), 42 + 40, np.arange(240)
    root = np.tile([0, 90.0, 0], (240, 1))
    root[:, 2] = np.maximum(frames - 160, 0) * 1.0  # he goes; his feet come with him
    position, turn = synthetic.rest_pose(root, np.zeros(240))
    for leg in legs:
        goal = position[:, leg.hip] - [0, 0.999 * length, 0]
        clean.bend_leg(position, turn, leg, goal - position[:, leg.ankle])
    body = synthetic.skeleton()
    clip = motion.Clip("stand", body, 60, motion.to_local(body, turn), root)
    rests = clean.resting(clip, legs)
    assert rests[:130].min() > 0.99 and rests[165:].max() < 0.05
    assert np.abs(np.diff(rests)).max() < 0.06
    cosine = (np.trace(clean.eased(clip, legs).local[:, legs[0].knee], axis1=1, axis2=2) - 1) / 2
    bent = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    assert bent[:130].max() < 6 and bent[165:].min() > 12
    assert np.abs(np.diff(bent)).max() < 0.6


def test_how_far_a_thigh_is_twisted():
    clip = synthetic.walk(30)
    leg = synthetic.legs()[0]
    assert clean.twisted(clip, synthetic.legs()).max() < 1e-6  # swung alone
    clip.local[10:20, leg.hip] = clip.local[10:20, leg.hip] @ rotation.about_y(np.full(10, 1.2))
    found = clean.twisted(clip, synthetic.legs())
    assert found[10:20] == pytest.approx(np.full(10, 1.2)) and found[:10].max() < 1e-6


def test_ground_puts_the_lowest_foot_on_the_floor():
    clip = synthetic.walk(200)
    clip.root[:, 1] = 0
    low, _ = clean.sole_heights(clean.ground(clip, synthetic.legs()), synthetic.legs())
    assert np.abs(low.min(1)).max() < 1.0


def test_straightened_walks_straighter():
    clip = synthetic.walk(400, turn=0.3)
    facing = [np.unwrap(rotation.facing_angle(c.world()[1][:, 0]))
              for c in (clip, clean.straightened(clip))]
    assert np.ptp(facing[1]) < 0.15 * np.ptp(facing[0])


def test_arms_up_is_dropped():
    skeleton = motion.Skeleton(["Hips", "Shoulder", "Elbow"], [-1, 0, 1],
                               np.array([[0, 0, 0], [0, 50, 0], [0, -30, 0]], float))
    local = np.repeat(np.eye(3)[None, None], 3, 1).repeat(900, 0)
    local[100:200, 1] = synthetic.about_x(np.pi / 2)
    clip = motion.Clip("t", skeleton, 60, local, np.zeros((900, 3)))
    keep = clean.drop_arms_up(clip, [(1, 2)]).keep
    assert not keep[:240].any() and keep[240:].all()


def test_unknown_joint_is_named():
    with pytest.raises(ValueError, match="no joint 'Tail'"):
        synthetic.skeleton().index("Tail")
