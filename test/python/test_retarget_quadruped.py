"""Retargeting of quadrupeds: a walk goes onto an animal with other names, axes, unit and
proportions, a spine that bends, hocks below its knees; the same in a .glb. Its feet stand where
they came down, its height is that of its legs, each leg bends as it does at rest, and a rig without
four legs is refused by name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dog_bvh
import dog_synthetic
from gallop import bvh, glb
from gallop.dog import clean as dog_clean
from gallop.motion import Skeleton, forward
from gallop.quadruped import retarget as four
from gallop.quadruped.roles import LIMBS
from gallop.retarget import retarget
from gallop.roles import RolesError
from test_retarget import glb_world, make, pack, rig

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("GALLOP_COMMAND", ROOT / "build" / "dev" / "cli" / "gallop"))

# Name, parent, offset in mm, z up, -y ahead: a horse, say. Hind legs have a stifle that lies ahead
# and a hock that lies behind, front legs an elbow that lies behind. It stands level.
LEGS = (("fore", 3, -30, (("upper", 0, 0), ("lower", 90, -260), ("cannon", -70, -330),
                          ("hoof", -30, -300))),
        ("hind", 0, 60, (("upper", 0, -40), ("lower", -110, -260), ("cannon", 190, -270),
                         ("hoof", -40, -290))))  # fmt: skip
TRUNK = (("pelvis", -1, (0, 0, 0)), ("spine1", 0, (0, -350, 30)), ("spine2", 1, (0, -350, 0)),
         ("withers", 2, (0, -250, 0)), ("neck1", 3, (0, -150, 150)), ("neck2", 4, (0, -150, 250)),
         ("head", 5, (0, -100, 150)), ("tail1", 0, (0, 150, 50)), ("tail2", 7, (0, 60, -150)))
TO_Y = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # columns of z-up files to y up, z ahead


def horse(legs=LEGS) -> tuple:
    joints = list(TRUNK)
    for place, on, ahead, parts in legs:
        for side, sign in (("l", 1), ("r", -1)):
            for k, (part, y, z) in enumerate(parts):
                parent, offset = len(joints) - 1, (0, y, z)
                if k == 0:
                    parent, offset = on, (sign * 140, ahead, z)
                joints.append((f"{place}_{part}_{side}", parent, offset))
    return tuple(joints)


def walk() -> bvh.Bvh:
    """It goes about a bend, so that a longer trunk takes its feet elsewhere. Its last bones have
    ends that are no joints of a model's, as `gallop export` writes them."""
    clip = dog_synthetic.walk(300, 70.0, 44, 0.6, 0.012, sway=2.0)
    file = dog_bvh.file_of(dog_clean.held(clip))
    for joint in file.joints:
        joint.end = [0.0, -7.2, 0.0] if joint.name.endswith("Foot") else None
    return file


def places(file: bvh.Bvh, unit: float, axes: np.ndarray) -> np.ndarray:
    skeleton = Skeleton(file.names, file.parents, file.offsets)
    return unit * forward(skeleton, file.rotations(), file.positions()[:, 0])[0] @ axes.T


def chains(file: bvh.Bvh) -> list[tuple[int, ...]]:
    return four.body_of(four.finding.copy_of(file)).legs


def ahead(place: np.ndarray, legs: list[tuple[int, ...]]) -> np.ndarray:
    """Where a body [T, J, 3] heads, level [T, 3]."""
    tops = place[:, [leg[0] for leg in legs]]
    way = (tops[:, :2].mean(1) - tops[:, 2:].mean(1)) * [1, 0, 1]
    return way / np.linalg.norm(way, axis=1, keepdims=True)


def off_line(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """How b [T, 3] lies off the line from a to c."""
    line = (c - a) / np.linalg.norm(c - a, axis=1, keepdims=True)
    return (b - a) - line * ((b - a) * line).sum(1, keepdims=True)


def slides(ours: np.ndarray, theirs: np.ndarray) -> list[float]:
    """How far a toe [T, 3] moves from where ours, scaled, is, while ours stands: of each stand."""
    still = np.linalg.norm(np.gradient(ours, axis=0), axis=1) < 2e-3
    planted = np.flatnonzero(still)
    stands = np.split(planted, np.flatnonzero(np.diff(planted) > 1) + 1)
    return [float(np.ptp(theirs[at] - ours[at], axis=0).max()) for at in stands if len(at) > 2]


def test_feet_stand_where_they_came_down() -> None:
    run, onto = walk(), make(horse(), None)
    ours, theirs = places(run, 0.01, np.eye(3)), places(retarget(run, onto), 0.001, TO_Y)
    mine, other = four.body_of_run(run).legs, chains(onto)
    scale = length(theirs[0], other) / length(ours[0], mine)
    assert scale == pytest.approx(2.0146, abs=1e-3)
    for a, b in zip(mine, other):
        foot, toe = scale * ours[:, a[3]], theirs[:, b[3]]
        assert np.abs(toe[:, 1] - foot[:, 1]).max() < 1e-6
        moved = slides(foot, toe)
        assert len(moved) >= 5 and max(moved) < 1e-4  # metres
        assert np.ptp(toe - foot, axis=0).max() > 0.05  # its trunk is longer
    heights = [place[:, [leg[0] for leg in legs], 1].mean() for place, legs in
               ((ours, mine), (theirs, other))]
    assert heights[1] == pytest.approx(scale * heights[0], rel=0.02)


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_the_shipped_dog_drives_a_horse(tmp_path: Path) -> None:
    """A walk ahead, a run about a bend, a stop: planted feet slide by no more than the dog's."""
    (tmp_path / "in.csv").write_text("frame,move_x,move_y,run\n0,0,1,0\n120,0.7,0.7,1\n240,0,0,0\n")
    subprocess.run([COMMAND, "export", ROOT / "models" / "dog.gallop", "--input",
                    tmp_path / "in.csv", "--seconds", "5", "-o", tmp_path / "dog.bvh"], check=True)
    run, onto = bvh.read(tmp_path / "dog.bvh"), make(horse(), None)
    ours, theirs = places(run, 0.01, np.eye(3)), places(retarget(run, onto), 0.001, TO_Y)
    mine, other = four.body_of_run(run).legs, chains(onto)
    scale = length(theirs[0], other) / length(ours[0], mine)
    for a, b in zip(mine, other):
        moved = slides(scale * ours[:, a[3]], theirs[:, b[3]])
        assert len(moved) >= 3 and max(moved) < 1e-3  # metres


def length(place: np.ndarray, legs: list[tuple[int, ...]]) -> float:
    bones = [place[b] - place[a] for leg in legs for a, b in zip(leg, leg[1:])]
    return float(np.linalg.norm(bones, axis=1).sum()) / len(legs)


def test_legs_bend_as_theirs_do() -> None:
    """Elbows lie behind, stifles ahead, hocks behind, in every frame; ours are all behind."""
    onto = make(horse(), None)
    place, legs = places(retarget(walk(), onto), 0.001, TO_Y), chains(onto)
    way = ahead(place, legs)
    for limb, (hip, knee, heel, toe) in zip(LIMBS, legs):
        bend = (off_line(place[:, hip], place[:, knee], place[:, heel]) * way).sum(1)
        fold = (off_line(place[:, knee], place[:, heel], place[:, toe]) * way).sum(1)
        sign = 1 if limb.startswith("hind") else -1
        assert (sign * bend > 0.03).all() and (sign * fold < -0.01).all(), limb


def test_straight_legs_bend_as_ours() -> None:
    """Onto its own skeleton, whose legs are straight at rest, joints are where they were but for
    what its hips turn aside."""
    run = walk()
    out = retarget(run, dog_bvh.file_of(dog_synthetic.walk(4)))
    before, after = (places(f, 0.01, np.eye(3)) for f in (run, out))
    far = np.abs(before - after).max((0, 2))
    legs = four.body_of_run(run).legs
    knees, toes = [leg[1] for leg in legs], [leg[3] for leg in legs]
    assert far[toes].max() < 1e-6 and far[knees].max() < 0.03
    others = [j for j in range(len(far)) if not any(p in run.names[j] for p in ("Front", "Hind"))]
    assert far[others].max() < 1e-6


def test_neck_and_tail_share_what_ours_turn() -> None:
    run = dog_bvh.file_of(dog_synthetic.walk(120), spine=0.5)
    out = retarget(run, make(horse(), None))
    turns = {}
    for file, axes in ((run, np.eye(3)), (out, TO_Y)):
        skeleton = Skeleton(file.names, file.parents, file.offsets)
        world = axes @ forward(skeleton, file.rotations(), file.positions()[:, 0])[1] @ axes.T
        turns.update(dict(zip(file.names, np.moveaxis(world, 1, 0))))
    for theirs, ours in (("head", "Head"), ("tail2", "TailEnd"), ("withers", "Body")):
        assert np.abs(turns[theirs] - turns[ours]).max() < 1e-6, theirs
    share = Rotation.from_matrix(np.swapaxes(turns["Body"], 1, 2) @ turns["neck1"]).magnitude()
    assert share.max() == pytest.approx(0.5 / 3, abs=0.01)  # neck1, neck2, head


def test_onto_a_glb(tmp_path: Path) -> None:
    pytest.importorskip("pygltflib")
    run = walk()
    (tmp_path / "theirs.glb").write_bytes(pack(rig(horse(), 0.001)))
    theirs = glb.read(tmp_path / "theirs.glb")
    glb.write(theirs, retarget(run, theirs.bvh), tmp_path / "out.glb")
    got, onto = glb_world(tmp_path / "out.glb"), retarget(run, make(horse(), None))
    wanted = places(onto, 0.001, TO_Y)
    for j, name in enumerate(onto.names):
        assert np.abs(got[name] - wanted[:, j]).max() < 1e-4, name


def without_toes() -> bvh.Bvh:
    """The horse whose last bones have ends instead of joints, as some files have."""
    bones, kept = horse(), [j for j in horse() if "_hoof_" not in j[0]]
    names = [name for name, *_ in kept]
    file = make(tuple((n, names.index(bones[p][0]) if p >= 0 else -1, o) for n, p, o in kept), None)
    for name, parent, offset in bones:
        if "_hoof_" in name:
            file.joints[names.index(bones[parent][0])].end = list(offset)
    return file


def test_toes_may_be_ends_of_bones() -> None:
    """The file's joints turn as with joints at the toes, and none are added."""
    run, onto = walk(), without_toes()
    short, whole = retarget(run, onto), retarget(run, make(horse(), None))
    assert short.names == [n for n in whole.names if "_hoof_" not in n] == onto.names
    wanted = places(whole, 0.001, TO_Y)[:, [whole.names.index(n) for n in short.names]]
    assert np.abs(places(short, 0.001, TO_Y) - wanted).max() < 1e-6


def test_one_frame_is_a_pose() -> None:
    run, onto = walk(), make(horse(), None)
    out = places(retarget(run, onto), 0.001, TO_Y)
    run.values = run.values[:1]
    alone = places(retarget(run, onto), 0.001, TO_Y)
    assert alone.shape == (1, *out.shape[1:]) and np.isfinite(alone).all()


def test_a_head_may_hang_above_the_legs() -> None:
    """The joint that carries the legs alone is not the whole body."""
    bones = tuple((n, p + 1 if n != "neck1" else 0, o) for n, p, o in horse())
    out = retarget(walk(), make((("body", -1, (0, 0, 0)), *bones), None))
    whole = places(retarget(walk(), make(horse(), None)), 0.001, TO_Y)
    got = places(out, 0.001, TO_Y)
    legs = [out.names.index(n) for n in out.names if n.startswith(("fore", "hind"))]
    assert np.abs(got[:, legs] - whole[:, [j - 1 for j in legs]]).max() < 1e-6


PERSON = (("hips", -1, (0, 0, 0)), ("chest", 0, (0, 0, 500)), ("head", 1, (0, 0, 200)),
          *((f"{name}_{s}", p, (k * x, y, z)) for s, k, base in (("l", 1, 3), ("r", -1, 7))
            for name, p, x, y, z in (("thigh", 0, 100, 0, 0), ("calf", base, 0, 0, -400),
                                     ("foot", base + 1, 0, 0, -400), ("toe", base + 2, 0, -150,
                                                                      -60))))  # fmt: skip


def lying() -> bvh.Bvh:
    legs = tuple((place, on, far, tuple((part, z, y) for part, y, z in parts))
                 for place, on, far, parts in LEGS)
    return make(horse(legs), None)


def stiff() -> bvh.Bvh:
    file = make(horse(), None)
    file.joints[file.names.index("fore_lower_l")].channels = []
    return file


@pytest.mark.parametrize("onto, words", [
    (make(horse(LEGS[:1]), None), "hind_|chains of joints.*fore_hoof_l"),
    (make(horse()[:-4], None), "no leg found for hind_right.*hind_left is 'hind_upper_l'"),
    (make(PERSON, None), "toe_l"), (lying(), "does not stand on 'fore_hoof_r'"),
    (stiff(), "'fore_lower_l' would turn")])
def test_what_has_no_four_legs_is_refused(onto: bvh.Bvh, words: str) -> None:
    with pytest.raises(RolesError, match=words) as error:
        retarget(walk(), onto)
    assert "made" in str(error.value)


def test_a_frame_that_is_not_there_is_refused() -> None:
    with pytest.raises(RolesError, match="frame 9, it has 1"):
        retarget(walk(), make(horse(), None), None, 9)
