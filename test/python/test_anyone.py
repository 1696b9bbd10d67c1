"""Anyone's motion: roles by name, geometry or file; units and axes; a model from made-up BVH."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import synthetic
from gallop import (
    Crowd,
    anyone,
    bvh,
    carry,
    exporter,
    features,
    found_page,
    modelfile,
    motion,
    roles,
    rotation,
    train,
    walker,
)
from gallop.contract import Contract, Joint
from gallop.mode_network import ModeNetwork, gate_columns
from gallop.prune import frames as prune_frames

COMMAND = Path(os.environ.get(
    "GALLOP_COMMAND", Path(__file__).resolve().parents[2] / "build" / "dev" / "cli" / "gallop"))

MIXAMO = {"Hips": "mixamorig:Hips", "Hip": "UpLeg", "Knee": "Leg", "Ankle": "Foot",
          "Toe": "ToeBase"}


def file_of(clip, rename=lambda n: n, unit=1.0, z_up=False):
    """The clip as a BVH with Z X Y angles; `unit` scales lengths, z_up turns the whole world."""
    from scipy.spatial.transform import Rotation

    axes = anyone.Z_TO_Y.T if z_up else np.eye(3)
    s, joints, columns, starts = clip.skeleton, [], [], []
    position, turn = clip.world()
    local = motion.to_local(s, axes @ turn)
    for j, name in enumerate(s.names):
        starts.append(sum(len(c.channels) for c in joints))
        places = ["Xposition", "Yposition", "Zposition"] if j == 0 else []
        end = [0.0, 0.0, 5.0] if name.endswith("Toe") else None
        joints.append(bvh.Joint(rename(name), s.parents[j], j + 1, list(s.offsets[j] * unit),
                                [*places, "Zrotation", "Xrotation", "Yrotation"], end))
        if j == 0:
            columns.append(position[:, 0] @ axes.T * unit)
        columns.append(Rotation.from_matrix(local[:, j]).as_euler("ZXY", degrees=True))
    return bvh.Bvh("<made>", joints, 1 / clip.rate, np.concatenate(columns, 1), starts)


def mixamo(name):
    side = name[:4] if name.startswith("Left") else name[:5] if name.startswith("Right") else ""
    part = name[len(side) :]
    return MIXAMO[part] if part == "Hips" else f"mixamorig:{side}{MIXAMO[part]}"


def reallusion(name):
    if name == "Hips":
        return "CC_Base_Pelvis"
    side = "L" if name.startswith("Left") else "R"
    part = name.removeprefix("Left").removeprefix("Right")
    return f"CC_Base_{side}_" + {"Hip": "Thigh", "Knee": "Calf", "Ankle": "Foot",
                                 "Toe": "ToeBase"}[part]


@pytest.mark.parametrize("rename", [
    lambda n: n, mixamo, reallusion, str.lower, lambda n: "hero_" + n,
    lambda n: "Root" if n == "Hips" else "hero." + n])
def test_roles_by_name(rename):
    found = roles.find(file_of(synthetic.walk(60), rename))
    assert found.leg("left") == tuple(rename(n) for n in synthetic.LEGS[0])
    assert found.leg("right") == tuple(rename(n) for n in synthetic.LEGS[1])
    assert found.joints["hips"] == rename("Hips")


@pytest.mark.parametrize("unit", [(1.0, 0.01), (0.01, 1.0), (10.0, 0.001), (1 / 2.54, 0.0254)])
@pytest.mark.parametrize("z_up", [False, True])
def test_unit_and_axis(unit, z_up):
    found = roles.find(file_of(synthetic.walk(90), unit=unit[0], z_up=z_up))
    assert found.unit == unit[1] and found.up == ("z" if z_up else "y")


def test_sides():
    names = {"LeftFoot": "left", "CC_Base_R_Foot": "right", "foot.L": "left", "r_foot": "right",
             "RHipJoint": "right", "lhand": "", "Leg": "", "mixamorig:RightArm": "right"}
    assert {n: roles.split_side(n)[0] for n in names} == names


def odd(name):
    return "bone" + name.replace("Left", "A").replace("Right", "B")


def test_unknown_names_ask_for_a_file(tmp_path):
    made = file_of(synthetic.walk(60), odd)
    with pytest.raises(roles.RolesError, match="no joint found for left_hip") as caught:
        roles.find(made)
    assert str(caught.value).endswith("the joints are " + ", ".join(made.names))
    lines = [f'{side}_{part} = "{odd(name)}"' for side, leg in zip(roles.SIDES, synthetic.LEGS)
             for part, name in zip(roles.PARTS, leg)]
    told = tmp_path / "roles.toml"
    told.write_text("# my rig\n" + "\n".join(lines) + '\nunit = 0.01\nup = "y"\n')
    found = roles.find(made, told)
    assert found.leg("right") == tuple(odd(n) for n in synthetic.LEGS[1])
    assert "given" in found.describe()


@pytest.mark.parametrize(("line", "message"), [
    ("tail = 'x'", "expected ROLE"), ("left_hip = 'Nose'", "has no joint 'Nose'"),
    ("up = 'x'", "up is 'y' or 'z'"), ("unit = 0", "is not a number of metres"),
    ("left_hip Hips", "expected ROLE")])
def test_a_bad_roles_file_names_its_line(tmp_path, line, message):
    told = tmp_path / "r.toml"
    told.write_text("# first\n" + line + "\n")
    with pytest.raises(roles.RolesError, match=message) as caught:
        roles.find(file_of(synthetic.walk(30)), told)
    assert f"{told}:2:" in str(caught.value)


def test_any_axes_give_the_same_motion():
    """The same walk in metres and z up becomes the same takes."""
    clip = synthetic.walk(200, turn=0.4)
    made = []
    for file in (file_of(clip), file_of(clip, unit=0.01, z_up=True)):
        found = roles.find(file)
        made.append(anyone.clip_of(file, anyone.skeleton_joints(file, found), found))
    a, b = (c.world()[0] for c in made)
    assert np.allclose(a, b, atol=1e-6) and np.allclose(a, clip.world()[0], atol=1e-6)
    facing = rotation.facing_angle(made[1].world()[1][:, 0])
    assert np.allclose(facing, 0.4 * np.arange(200) / 60, atol=1e-3)


def test_padding_goes_on_straight():
    take = synthetic.take(synthetic.walk(120))
    more = anyone.padded(take, 60)
    step = np.diff(more.labels.path, axis=0)
    assert len(more) == 240 and not more.keep[:61].any() and not more.keep[-61:].any()
    assert np.allclose(step[:50], step[0]) and np.allclose(step[-50:], step[-1])


def write(folder, name, file):
    (folder / name).write_text(bvh.format_bvh(file))


def test_the_body_with_the_most_motion_is_taken(tmp_path):
    for name, frames in (("a", 100), ("c", 90)):
        write(tmp_path, f"{name}.bvh", file_of(synthetic.walk(frames)))
    other = file_of(synthetic.walk(120))
    other.joints[2].offset = [0, -10, 0]
    write(tmp_path, "b.bvh", other)
    takes, _, found = anyone.prepare(tmp_path, None)
    assert "left out, another body: b.bvh" in found
    assert sorted({t.name.rstrip("~") for t in takes}) == ["a", "c"]


def test_frames_too_far_apart_are_no_motion(tmp_path):
    for name, rate in (("a", 60), ("slow", 5)):
        file = file_of(synthetic.walk(200))
        file.frame_time = 1 / rate
        write(tmp_path, f"{name}.bvh", file)
    takes, _, found = anyone.prepare(tmp_path, None)
    assert "left out, under 10 frames a second: slow\n" in found
    assert {t.name.rstrip("~") for t in takes} == {"a"}
    (tmp_path / "a.bvh").unlink()
    with pytest.raises(bvh.BvhError, match=r"no clip is left .* under 10 frames a second: slow"):
        anyone.prepare(tmp_path, None)


def test_the_axis_that_is_up_in_most_files_counts(tmp_path):
    """The first file shows somebody who lies: by itself it would say that z is up."""
    write(tmp_path, "a_lies.bvh", file_of(synthetic.walk(60), z_up=True))
    write(tmp_path, "b.bvh", file_of(synthetic.walk(150)))
    files = [bvh.read(p) for p in anyone.motion_files(tmp_path)]
    assert [roles.find(f).up for f in files] == ["z", "y"]
    assert anyone.largest_family(files, None)[1].up == "y"


def test_who_is_not_on_his_feet_is_left_out(tmp_path):
    """Somebody who walks, lies down for a second and a half and walks on; another only lies."""
    clip = synthetic.walk(300)
    clip.root[120:210, 1] = 12
    clip.local[120:210, 0] = anyone.Z_TO_Y @ clip.local[120:210, 0]
    write(tmp_path, "down.bvh", file_of(clip))
    write(tmp_path, "lies.bvh", file_of(synthetic.walk(60), z_up=True))
    write(tmp_path, "walk.bvh", file_of(synthetic.walk(200)))
    takes, _, found = anyone.prepare(tmp_path, None)
    assert "left out, lying, sitting or on all fours: down, lies\n" in found
    lengths = {t.name: len(t) - 124 for t in takes if not t.name.endswith("~")}
    assert lengths == {"down.1": 105, "down.2": 75, "walk": 200}


def test_the_body_that_is_on_level_ground_is_taken(tmp_path):
    """Stairs have the most seconds, and nothing could be trained on them."""
    stairs = synthetic.walk(300)
    stairs.root[:, 1] += np.linspace(0, 120, 300)
    other = file_of(stairs)
    other.joints[2].offset = [0, -30, 0]
    write(tmp_path, "stairs.bvh", other)
    with pytest.raises(bvh.BvhError, match=r"left to train on; .*not on level ground: stairs"):
        anyone.prepare(tmp_path, None)
    write(tmp_path, "walk.bvh", file_of(synthetic.walk(120)))
    takes, _, found = anyone.prepare(tmp_path, None)
    assert takes[0].name == "walk" and "left out, another body: stairs.bvh" in found


def test_another_body_of_the_rig_is_carried(tmp_path):
    """A taller person's walk, on the skeleton of who walks longer, is that person's own."""
    mine, theirs = synthetic.walk(150), synthetic.walk(120)
    theirs.skeleton = dataclasses.replace(theirs.skeleton, offsets=1.3 * theirs.skeleton.offsets)
    theirs.root = 1.3 * theirs.root
    write(tmp_path, "mine.bvh", file_of(mine))
    write(tmp_path, "theirs.bvh", file_of(theirs))
    takes, _, found = anyone.prepare(tmp_path, None)
    assert "of other bodies, carried to this one: theirs.bvh\n" in found
    one, two = (next(t for t in takes if t.name == name) for name in ("mine", "theirs"))
    apart = np.abs(one.position[62:182] - two.position[62:182])
    assert apart.max() < 1.5  # cm: toes are held still in contact
    odd = dataclasses.replace(mine.skeleton, offsets=mine.skeleton.offsets.copy())
    leg = synthetic.legs()[0]
    assert carry.fits(theirs.skeleton, mine.skeleton, leg)
    odd.offsets[1] = (0, 0, 10)  # a hip that lies elsewhere at rest
    assert not carry.fits(odd, mine.skeleton, leg)
    odd.offsets[1] = (20, 0, 0)
    assert not carry.fits(odd, mine.skeleton, leg)


def test_frames_that_pop_are_left_out(tmp_path):
    """A knee that is bent otherwise for one frame, in one clip of six: a marker that was lost."""
    for i in range(6):
        clip = synthetic.walk(120)
        if i == 2:
            clip.local[70, 2] = rotation.about_y(np.array(1.5)) @ anyone.Z_TO_Y
        write(tmp_path, f"{i}.bvh", file_of(clip))
    takes, rules, found = anyone.prepare(tmp_path, None)
    assert "left out, frames in which a joint pops: 2 (" in found
    broken = next(t for t in takes if t.name == "2")
    assert not broken.keep[62 + 68 : 62 + 72].any() and broken.keep[62 + 20 : 62 + 60].all()
    assert rules.rules["inertia_jump"] < 60  # cm; 190 with that frame


def test_looking_does_not_train(tmp_path, monkeypatch, capsys):
    write(tmp_path, "walk.bvh", file_of(synthetic.walk(120)))
    out = tmp_path / "m.gallop"
    words = ["train", "--data", str(tmp_path), "--look", "-o", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    assert train.main() == 0
    assert out.with_suffix(".html").exists() and not out.exists()
    assert "2 s of motion" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["train", "walker", "--look"])
    with pytest.raises(SystemExit):
        train.main()


# What the joints of synthetic's walker are called in the rigs of four sets of motion.
RIGS = {
    "o3de": ("Hips", "{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toes"),
    "accad": ("Hips", "{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"),
    "cmu": ("Hips", "{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"),
    "100style": ("Hips", "{}Hip", "{}Knee", "{}Ankle", "{}Toe"),
    "daz": ("hip", "{}Thigh", "{}Shin", "{}Foot", ""),
}


def rig_of(clip, rig):
    """The clip in a rig: daz has no toes but an end site and sides of one letter, cmu a helper of
    length 0 over each hip, accad hips that lie on their side at rest."""
    words = dict(zip(("Hips", "Hip", "Knee", "Ankle", "Toe"), RIGS[rig]))
    sides = {"Left": "l", "Right": "r"} if rig == "daz" else {"Left": "Left", "Right": "Right"}

    def rename(name):
        side = next((s for s in sides if name.startswith(s)), "")
        return words[name.removeprefix(side)].format(sides.get(side, "")) or name

    made = file_of(clip, rename)
    if rig == "daz":
        for ankle, toe in ((3, 4), (7, 8)):
            made.joints[ankle].end = made.joints[toe].offset
        for toe in (8, 4):
            del made.joints[toe]
            made.starts.pop(toe)
        for joint in made.joints[4:]:
            joint.parent -= joint.parent > 3
        made.values = np.delete(made.values, [*range(15, 18), *range(27, 30)], axis=1)
        made.starts = list(np.cumsum([0, *(len(j.channels) for j in made.joints)])[:-1])
    elif rig == "cmu":
        for side, at in (("L", 1), ("R", 6)):
            made.joints.insert(at, bvh.Joint(f"{side}HipJoint", 0, 0, [0, 0, 0], list(
                made.joints[1].channels)))
            for joint in made.joints[at + 1 :]:
                joint.parent += joint.parent >= at
            made.joints[at + 1].parent = at
            begin = 6 + 3 * (at - 1)
            made.values = np.insert(made.values, [begin] * 3, 0, axis=1)
        made.starts = list(np.cumsum([0, *(len(j.channels) for j in made.joints)])[:-1])
    elif rig == "accad":
        lie = rotation.from_half_vector(np.array([0, 0, np.pi / 4]))
        for joint in made.joints:
            joint.offset = list(lie.T @ joint.offset)
        turn = made.rotations()
        turn = np.concatenate([turn[:, :1] @ lie, lie.T @ turn[:, 1:] @ lie], 1)
        made = turned_file(made, turn)
    return made


def turned_file(file, turn):
    """The file with other local rotations."""
    from scipy.spatial.transform import Rotation

    for j, start in enumerate(file.starts):
        first = start + len(file.joints[j].channels) - 3
        angles = Rotation.from_matrix(turn[:, j]).as_euler("ZXY", degrees=True)
        file.values[:, first : first + 3] = angles
    return file


@pytest.mark.parametrize("rig", RIGS)
def test_the_rigs_of_known_sets(tmp_path, rig):
    """Roles, feet, contacts and facing are the walker's, whatever the rig."""
    clip = synthetic.walk(240, turn=0.2)
    write(tmp_path, "walk.bvh", rig_of(clip, rig))
    takes, rules, found = anyone.prepare(tmp_path, None)
    assert "the ankle's end site" in found if rig == "daz" else "end site" not in found
    feet = [synthetic.NAMES.index(n) for leg in synthetic.LEGS for n in leg[2:]]
    mine = [takes[0].position[62:-62, rules.joint_names().index(n)]
            for leg in rules.legs for n in leg[2:]]
    want = clip.world()[0][:, feet]
    apart = np.stack(mine, 1) - want
    assert np.abs(apart - apart[:, :1]).max() < 4  # cm: toes are held still in contact
    contact = takes[0].labels.contacts[62:-62]
    assert 0.35 < contact[:, 1].mean() < 0.8 and 0.35 < contact[:, 3].mean() < 0.8
    facing = np.diff(takes[0].labels.facing[80:-80]).mean() * 60
    assert facing == pytest.approx(0.2, abs=0.02)


def test_the_page_of_what_was_found(tmp_path):
    write(tmp_path, "walk.bvh", file_of(synthetic.walk(260)))
    takes, rules, found = anyone.prepare(tmp_path, None)
    seconds = found_page.coverage(takes, rules)
    frames = sum(int(t.keep.sum()) for t in takes)
    assert seconds.sum() == pytest.approx(frames / 60)
    assert seconds[0, 2] > 0.9 * seconds.sum()  # ahead, 0.6 to 1.0 m/s
    text = found_page.page("mine <b>", found, takes, rules)
    assert text.count("<svg") == 4 and "What was found in mine &lt;b&gt;" in text
    assert "It goes back for 0.0 s" in text and "It stands for 0.1 s" in text
    assert "It goes ahead" not in text
    assert ">0-0.2<" not in text and "s more are slower than 0.2 m/s" in text  # of no direction
    own = [t for t in takes if not t.name.endswith("~")]
    take, frame = found_page.stillest(own)
    assert take.keep[frame] and f"moves least, in {take.name}:" in text
    kept = np.flatnonzero(take.keep)  # a strip ends with the clip, without the frames around it
    assert f"<p>{take.name}, {(kept[-1] - kept[0] + 1) / 60:.1f} s</p>" in text
    assert "width=device-width" in text and text.count("viewBox") == 4  # it fits a phone
    assert ("its mirror image" in text) == any(t.name.endswith("~") for t in takes)


def test_the_skeleton_is_shown_where_it_moves_least(tmp_path):
    clip = synthetic.walk(260)
    clip.root[130:], clip.local[130:] = clip.root[130], clip.local[130]  # stops in its tracks
    write(tmp_path, "walk.bvh", file_of(clip))
    takes, _, _ = anyone.prepare(tmp_path, None)
    _, frame = found_page.stillest(takes[:1])
    assert frame - 62 > 130


def test_arms_have_the_colour_of_their_side():
    for names, want in (
            (["CC_Base_Hip", "CC_Base_L_Upperarm", "CC_Base_R_Hand"], ["", "Left", "Right"]),
            (["hero_Hips", "hero_LeftArm", "hero_RightHand"], ["", "Left", "Right"]),
            (["Hips", "LeftArm", "arm.R"], ["", "Left", "Right"])):
        joints = [Joint(n, "", (0, 0, 0)) for n in names]
        assert found_page._sides(Contract(joints=joints)) == want


def other_rig(tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    write(folder, "a.bvh", file_of(synthetic.walk(260)))
    return folder


@pytest.mark.parametrize("kind", ["pfnn", "mann"])
def test_command(tmp_path, monkeypatch, capsys, kind):
    """A folder in, a model out that the runtime walks, and what was found said first."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for i, clip in enumerate((synthetic.walk(260), synthetic.walk(260, 1.0, 0.7, 0.4))):
        write(folder, f"{i}.bvh", file_of(clip, mixamo))
    out, curve = tmp_path / "m.gallop", tmp_path / "curve.csv"
    monkeypatch.setattr(sys, "argv", [
        "train", "--data", str(folder), "--kind", kind, "-o", str(out), "--quick", "--steps",
        "0.005", "--polish", "2", "--hidden", "16", "--no-judge", "--curve", str(curve)])
    if kind == "mann":
        assert train.main() == 1
        assert "0.0 s of standing, 2 s expected: a mann of these" in capsys.readouterr().err
        sys.argv.append("--no-standing")
    assert train.main() == 0
    said = capsys.readouterr().err
    assert "2 files; 2 share the skeleton used" in said and "mixamorig:LeftUpLeg" in said
    assert said.index("left_hip") < said.index("training [")
    assert "<svg" in out.with_suffix(".html").read_text()
    steps = [int(line.split(",")[0]) for line in curve.read_text().splitlines()[1:]]
    assert len(steps) == 2 and 0 == steps[0] < steps[1]  # one of training, one of polish
    model = modelfile.read(out)
    assert "leg mixamorig:LeftUpLeg" in model.contract
    assert (model.gate, "phase.advance" in model.contract) == {
        "pfnn": ("cubic", True), "mann": ("network", False)}[kind]
    met = prune_frames.of_motion(model, folder, "m.gallop")
    assert len(met.x) > 850 and met.x.shape[1] == len(model.input_mean)
    with pytest.raises(ValueError, match=r"m\.gallop was trained on other motion"):
        prune_frames.of_motion(model, other_rig(tmp_path), "m.gallop")
    crowd = Crowd(out)
    who = crowd.add()
    for _ in range(3):
        crowd.step()
    assert np.isfinite(crowd.pose(who)).all()
    if COMMAND.exists():
        run = [COMMAND, "judge", out, "--seconds", "5"]
        said = subprocess.run(run, capture_output=True, text=True, check=False)
        assert said.returncode in (0, 1)  # 1: bars are missed, as a model of two steps will
        assert "finite: yes, 0 set back" in said.stdout


def test_the_kind_of_a_shipped_model_is_given(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train", "walker", "--kind", "mann"])
    with pytest.raises(SystemExit):
        train.main()
    assert "--kind" in capsys.readouterr().err


def test_a_mode_network_trains_and_is_stored_as_it_is():
    """Its gate sees the feet, and the file's network is the trained one."""
    rules = walker.template("m", synthetic.skeleton(), synthetic.LEGS, 0.01, walker.RULES, False)
    columns = gate_columns(rules)
    names = rules.input_names()
    feet = [n for leg in synthetic.LEGS for n in leg[2:]]
    seen = {n.split(".")[2] for n in (names[c] for c in columns) if n.startswith("joint.velocity")}
    assert seen == set(feet)
    torch.manual_seed(3)
    sizes = len(names), len(rules.output_names())
    net = ModeNetwork(*sizes, 12, 3, 1, columns)
    scale = features.Scale(*(np.full(sizes[i // 2], 0.5 + i % 2) for i in range(4)))
    model = exporter.to_model(net, rules, scale, "f32", np.ones(1))
    x = np.random.default_rng(1).normal(0.5, 1.5, (7, sizes[0]))
    normal = torch.tensor(np.concatenate([(x - 0.5) / 1.5, np.ones((7, 1))], 1)).float()
    with torch.no_grad():
        expected = net(normal, torch.zeros(7)).numpy() * 1.5 + 0.5
    assert np.allclose(modelfile.run(model, x, np.zeros((7, 1))), expected, atol=1e-4)


@pytest.mark.parametrize("option, out, message", [
    (["--seconds", "9"], "mine.gallop", "--seconds: of a quadruped alone, and"),
    ([], "mine.html", "mine.html: the page of what was found would lie there")])
def test_what_a_biped_does_not_have(tmp_path, monkeypatch, capsys, option, out, message):
    write(tmp_path, "walk.bvh", file_of(synthetic.walk(260)))
    monkeypatch.setattr("sys.argv", ["train", "--data", str(tmp_path), "--look", "-o",
                                     str(tmp_path / out), *option])
    assert train.main() == 1
    assert message in capsys.readouterr().err and not (tmp_path / "mine.html").exists()


def test_an_empty_folder_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train", "--data", str(tmp_path), "-o", "x.gallop"])
    assert train.main() == 1
    assert "no .bvh and no .glb file in this folder" in capsys.readouterr().err


def test_motion_is_a_folder_or_a_file(tmp_path, monkeypatch, capsys):
    for name in ("b.BVH", "a.bvh", "notes.txt"):
        (tmp_path / name).write_text("no motion")
    assert [p.name for p in anyone.motion_files(tmp_path)] == ["a.bvh", "b.BVH"]
    assert anyone.motion_files(tmp_path / "a.bvh") == [tmp_path / "a.bvh"]
    for place, message in ((tmp_path / "nosuch", "nosuch: no such file or folder"),
                           (tmp_path / "a.bvh", "a.bvh:1: ")):
        monkeypatch.setattr(sys, "argv", ["train", "--data", str(place), "-o",
                                          str(tmp_path / "x.gallop")])
        assert train.main() == 1
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("file, hint", [("walks/a.bvh", "walks has some: name that"),
                                        ("a.gltf", "a.gltf: save it as .glb")])
def test_a_folder_of_other_things_says_where_motion_may_be(tmp_path, file, hint):
    (tmp_path / "walks").mkdir()
    (tmp_path / file).write_text("")
    with pytest.raises(bvh.BvhError, match=hint):
        anyone.motion_files(tmp_path)
