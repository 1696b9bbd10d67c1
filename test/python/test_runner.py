"""The runner's data: the O3DE set read, people carried onto one body, gaits told, clips kept."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import synthetic
from gallop import (
    bvh,
    contract,
    features,
    label,
    modelfile,
    motion,
    o3de,
    person,
    rotation,
    runner,
)

MODELS = Path(__file__).resolve().parents[2] / "models"


def stored(path, angle=0.3):
    """A set of one clip of two joints: hips that go ahead, and a chest that turns."""
    frames = 5
    turn = Rotation.from_rotvec(np.outer(np.linspace(0, angle, frames), [0, 0, 1])).as_quat()
    whole = {"hips_pos_0p1mm": np.arange(frames)[:, None] * [0, 0, 100] + [0, 9700, 0],
             "hips_quat_xyzw": np.tile([0, 0, 0, 32767], (frames, 1)),
             "joint_quat_xyz": np.round(turn[:, None, :3] * 32767).astype(int)}
    differences = {"Walk1." + k: np.concatenate([v[:1], np.diff(v, axis=0)])
                   for k, v in whole.items()}
    np.savez(path, joint_names=["Hips", "Chest"], parents=[-1, 0], fps=60, clips=["Walk1"],
             offsets_m=[[0, 0.97, 0], [0, 0.2, 0]], **differences)


def test_the_set_is_read(tmp_path):
    stored(tmp_path / "set.npz")
    (clip,) = o3de.read(tmp_path / "set.npz")
    assert clip.names == ["Hips", "Spine1"] and clip.frame_time == pytest.approx(1 / 60)
    assert clip.positions()[-1, 0] == pytest.approx([0, 0.97, 0.04])
    turned = Rotation.from_matrix(clip.rotations()[-1, 1]).as_rotvec()
    assert turned == pytest.approx([0, 0, 0.3], abs=1e-3)
    np.savez(tmp_path / "other.npz", joint_names=["Hips"])
    with pytest.raises(bvh.BvhError, match=r"other\.npz: not the O3DE set"):
        o3de.read(tmp_path / "other.npz")


def test_clips_are_kept():
    clip = synthetic.walk(90)
    clip.keep[:7] = False
    again = person.unpacked(person.packed([clip, motion.mirrored(clip)]))
    assert [c.name for c in again] == ["walk", "walk~"]
    assert np.abs(again[0].local - clip.local).max() < 2e-4
    assert np.abs(again[0].root - clip.root).max() < 1e-3
    assert again[0].keep.sum() == 83 and again[1].skeleton.names == synthetic.NAMES


def test_people_stand_on_the_floor_and_what_they_climb_is_left_out():
    clip = synthetic.walk(600)
    clip.root[:, 1] += 31.0
    clip.root[300:400, 1] += 40.0  # a block
    made = person.stood(clip, synthetic.legs())
    position, _ = made.world()
    toes = position[:, [leg.toe for leg in synthetic.legs()]]
    slow = np.linalg.norm(np.gradient(toes, axis=0), axis=-1) * 60 < 25
    assert np.median(toes[..., 1][slow]) == pytest.approx(person.SOLE, abs=0.5)
    assert not made.keep[300:400].any() and made.keep[:240].all() and made.keep[460:].all()


def test_a_twisted_thigh_is_left_out():
    """One turn about at a run had a thigh twisted by 100 degrees, and networks learned it."""
    clip, hip = synthetic.walk(600), synthetic.legs()[0].hip
    about = rotation.about_y(np.full(20, 1.6))
    clip.local[300:320, hip] = clip.local[300:320, hip] @ about
    made = person.stood(clip, synthetic.legs())
    assert not made.keep[290:330].any() and made.keep[:270].all() and made.keep[350:].all()


def test_who_sinks_for_a_moment_is_used():
    """A landing on the balls of the feet is no lower floor."""
    clip = synthetic.walk(600)
    clip.root[300:306, 1] -= 9.0
    made = person.stood(clip, synthetic.legs())
    toes = made.world()[0][:, [leg.toe for leg in synthetic.legs()], 1]
    assert made.keep.all() and toes.min() > -0.5


@pytest.mark.parametrize("name, used", [
    ("Female1_C03_Run", True), ("Female1_C20_RunToJumpToWalk", False),
    ("Female1_C22_HopForward", False), ("Female1_A01_Stand", False)])
def test_what_hops_is_left_out(name, used):
    assert bool(runner.ACCAD.search(name)) == used


def moving(speed, frames=300):
    """Position [T, 2, 3] of hips and toe, path and facing of someone who goes so fast (cm/s)."""
    way = np.cumsum(np.broadcast_to(speed, frames)) / 60
    position = np.zeros((frames, 2, 3))
    position[:, 0, 1], position[:, :, 2] = 97, way[:, None]
    return position, np.stack([0 * way, way], -1), np.zeros(frames)


@pytest.mark.parametrize("speed, gait", [(0, runner.STAND), (130, runner.WALK), (320, runner.RUN)])
def test_gaits_by_speed(speed, gait):
    amounts = runner.gait_amounts(*moving(speed), [1], "run")[150]
    assert amounts[gait] > 0.98 and amounts.sum() == pytest.approx(1, abs=0.02)


def test_sideways_one_runs_sooner():
    position, path, facing = moving(150)
    ahead = runner.gait_amounts(position, path, facing, [1], "run")[150]
    side = runner.gait_amounts(position, path, facing + np.pi / 2, [1], "run")[150]
    assert ahead[runner.RUN] < 0.02 and side[runner.RUN] > 0.98


def test_crouching_is_beside_standing():
    position, path, facing = moving(np.where(np.arange(600) < 300, 90, 0), 600)
    position[60:, 0, 1] = 75
    gait = runner.gait_amounts(position, path, facing, [1], "crouch")
    assert gait[200] == pytest.approx([0, 0, 0, 1, 0], abs=0.02)
    assert gait[500] == pytest.approx([1, 0, 0, 1, 0], abs=0.02)
    other = runner.gait_amounts(position, path, facing, [1], "run")
    assert other[..., runner.CROUCH].max() == 0


def test_a_jump_is_a_bell_around_its_top():
    position, path, facing = moving(150)
    up = np.maximum(0, 1 - (np.arange(300) - 150.0) ** 2 / 144)
    position[:, 0, 1] += 30 * up
    position[:, 1, 1] += 25 * up
    bell = runner.gait_amounts(position, path, facing, [1], "jump")[:, runner.JUMP]
    time = int(runner.RULES["jump_time"])
    assert bell[150] == 1 and bell[150 - time] == 0 and bell[150 + time // 2] == pytest.approx(
        0.5, abs=0.05)


@pytest.mark.parametrize("first, end, gait, out", [
    (200, 260, runner.WALK, (200 - runner.AROUND, 260 + runner.AROUND)),  # a wave
    (200, 200 + runner.HELD - 1, runner.WALK, None),  # the swing of an arm
    (200, 260, runner.RUN, None), (200, 260, runner.JUMP, None)])
def test_gestures_are_left_out(first, end, gait, out):
    position = np.zeros((400, 2, 3))
    position[:, :, 1] = 97, 90
    position[first:end, 1, 1] = 97 + runner.RAISED + 5
    amounts = np.zeros((400, 5))
    amounts[:, gait] = 1
    found = runner.gestures(position, amounts, [1])
    expected = np.zeros(400, bool)
    expected[slice(*(out or (0, 0)))] = True
    assert (found == expected).all()


def test_two_feet_that_land_as_one_are_one_event():
    contact = np.zeros((200, 4), bool)
    contact[50:80, 1], contact[52:90, 3], contact[120:150, 1] = True, True, True
    assert label.foot_downs(contact) == [(50, 0), (120, 0)]
    contact[52:90, 3], contact[50:80, 3] = False, True  # in the very same frame
    assert np.isfinite(label.phase(contact, extend=True)).all()


def test_rare_motion_is_drawn_more_often():
    takes = [synthetic.take(synthetic.walk(900)), synthetic.take(synthetic.walk(200, 2.6, 1.2))]
    for take in takes:
        take.labels.gait = np.pad(take.labels.gait, ((0, 0), (0, 2)))
    data = features.build(synthetic.contract(runner.GAITS), takes)
    weight = runner.rarity(data)
    assert weight.mean() == pytest.approx(1)
    assert weight[data.take == 1].mean() > 1.5 * weight[data.take == 0].mean()


def test_the_contract_is_the_models():
    """The recipe's; the command fitted some rules of the shipped one, and says to what."""
    own = runner.contract()
    assert (MODELS / "runner.contract").read_text() == contract.to_text(own)
    model = modelfile.read(MODELS / "runner.gallop")
    rules = contract.parse(model.contract).rules
    fitted = {name: rules[name] for name in runner.FIT if rules[name] != own.rules[name]}
    assert rules == {**own.rules, **fitted}
    _, looks, *said = model.provenance["chosen"].split(", ")
    assert looks.endswith("looks of the judge")
    assert sorted(said) == sorted(f"{name} {value:g}" for name, value in fitted.items())
