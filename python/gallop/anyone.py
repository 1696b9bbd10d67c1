"""Anybody's BVH and .glb files in, a controller out: `--data FOLDER --kind pfnn|mann -o MODEL`."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import numpy as np
from scipy.ndimage import binary_dilation, minimum_filter1d

from gallop import (
    bvh,
    carry,
    clean,
    exporter,
    features,
    found_page,
    glb_motion,
    label,
    motion,
    rotation,
    walker,
)
from gallop import roles as finding
from gallop.contract import NAME, Contract
from gallop.features import Take
from gallop.roles import Roles

Z_TO_Y = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
PLANTED = 9.0  # cm: floors and retargeted feet of other captures are rougher than 100STYLE's
LEAST_STANDING = 2.0  # seconds, mirror images included
SHORTEST = 30  # frames of a clip
SLOWEST = 10  # frames a second of a file: fewer do not tell how a foot goes
ON_FEET = 0.6  # of the hips' usual height: lower ones are of somebody who lies, sits or crawls
POP = 2.0  # over the largest change of a joint's motion in all but a tenth of the clips: a mistake
MORE_WAY = 1.1  # inertia_way over the longest way of a joint in a frame that the files show
MORE_JUMP = 1.2  # inertia_jump over the largest change of a joint's motion that the files show
KEPT = ("hips", "head", *(f"{s}_{p}" for s in finding.SIDES for p in finding.PARTS))


def train(args: argparse.Namespace) -> None:
    """Look, say what was found, train, write."""
    from gallop.arguments import check_body, say
    from gallop.endings import finish, write_curve
    from gallop.train import check_begun, polished, settings_of, settings_steps
    from gallop.trainer import Trainer

    files = [f for p in motion_files(args.data) for f in motions_of(p)]
    on_four = quadrupeds(files)
    check_body(args, on_four)
    if on_four:
        from gallop.quadruped.train import train as train_quadruped

        train_quadruped(args, files)
        return
    takes, rules, found = prepare(args.data, args.roles, args.kind == "pfnn")
    say(args, found)
    page = args.out.with_suffix(".html")
    page.write_text(found_page.page(args.data.name, found, takes, rules), encoding="utf-8")
    say(args, f"what was found, with pictures: {page}")
    if args.look:
        return
    check_standing(takes, args)
    data = features.build(rules, takes)
    rows = np.ones(len(data.x), bool)
    say(args, f"{len(takes)} takes with their mirror images, {len(data.x)} frames, "
        f"{len(rules.input_names())} inputs, {len(rules.output_names())} outputs, {args.device}")
    scale = features.scale_of(rules, data.x, data.y)
    trainer = Trainer(rules, data, rows, scale, settings_of(args, {}), args.device, args.checkpoint)
    trainer.train(args.quiet)
    if trainer.world.rank > 0:
        return
    check_begun(trainer)
    net, more = polished(args, trainer, rules, data, 0)
    if args.curve:
        before = settings_steps(trainer.settings)
        write_curve(args.curve, trainer.history + [(before + s, e) for s, e in more])
    model = exporter.to_model(net, rules, scale, fixed=np.ones(len(data.styles)))
    finish(args, model, data, args.out.stem, f"the motion in {args.data.name}", "",
           trainer.interrupted)


def quadrupeds(files: list[bvh.Bvh]) -> bool:
    """Whether a folder's files show quadrupeds; both kinds in one folder are refused. Files of one
    skeleton are of one kind, that of most of their seconds: a person may crawl now and then."""
    from gallop.quadruped.roles import is_quadruped

    skeletons: dict[tuple, list[bvh.Bvh]] = {}
    for f in files:
        skeletons.setdefault((*f.names, *f.parents), []).append(f)
    kinds: dict[bool, bvh.Bvh] = {}
    for same in skeletons.values():
        on_four = sum(len(f.values) * f.frame_time * (1 if is_quadruped(f) else -1) for f in same)
        kinds.setdefault(on_four > 0, same[0])
    if len(kinds) == 2:
        raise finding.RolesError(
            f"{kinds[True].path}:1: '{kinds[True].names[0]}' carries a quadruped, "
            f"'{kinds[False].names[0]}' in {kinds[False].path} a person: put them into folders of "
            "their own")
    return True in kinds


def check_standing(takes: list[Take], args: argparse.Namespace) -> None:
    """Refuse a mann of files in which nobody stands: it has no phase that could hold a pose it was
    never shown, and flings its limbs when the stick is let go. A pfnn stays in its last step."""
    from gallop.arguments import say

    stands = sum(int(((t.labels.gait[:, 0] > 0.5) & t.keep).sum()) for t in takes) / walker.RATE
    if stands >= LEAST_STANDING:
        return
    shown = f"{args.data}: {stands:.1f} s of standing, {LEAST_STANDING:g} s expected"
    if args.kind == "mann" and not args.no_standing:
        raise bvh.BvhError(f"{shown}: a mann of these files flings its limbs when it is told to "
                           "stand; add files that stand, or use --kind pfnn, or say --no-standing")
    say(args, f"{shown}: it will not stand well")


@dataclasses.dataclass
class Body:
    """What the files of one body show: clips of somebody on his feet on level ground, his legs,
    and what was left out, by reason."""

    files: list[bvh.Bvh]
    clips: list[motion.Clip]
    legs: list[clean.Leg]
    left_out: dict[str, list[str]]
    carried: list[str] = dataclasses.field(default_factory=list)  # files of others

    def seconds(self) -> float:
        return sum(map(len, self.clips)) / walker.RATE

    def take_in(self, other: Body) -> None:
        """The clips of another body of the same rig, carried to this one."""
        skeleton = self.clips[0].skeleton
        self.clips += [stood(carry.carried(c, skeleton, self.legs[0]), self.legs)
                       for c in other.clips]
        self.carried += [Path(f.path).name for f in other.files]
        for why, names in other.left_out.items():
            self.left_out[why] = self.left_out.get(why, []) + names


def prepare(
    folder: Path, given: Path | None, phased: bool = True
) -> tuple[list[Take], Contract, str]:
    """Labelled takes of all files of a folder, the contract for them (with a phase if `phased`),
    and what was found."""
    files = [f for p in motion_files(folder) for f in motions_of(p)]
    main, found = largest_family(files, given)
    bodies = [body_of(same, found) for same in bodies_of(main, found)]
    body = max(bodies, key=Body.seconds)
    if not body.clips:
        why = "; ".join(f"{reason}: {shortened(names)}"
                        for reason, names in body.left_out.items() if names)
        raise bvh.BvhError(f"{folder}: no clip is left to train on; {why}")
    alike = [b for b in bodies if b is not body and b.clips and carry.fits(
        b.clips[0].skeleton, body.clips[0].skeleton, body.legs[0])]
    for other in alike:
        body.take_in(other)
    takes = [padded(take, 62) for c in body.clips for take in both(c, body.legs)]
    body.left_out["frames in which a joint pops"] = drop_pops(takes)
    rules = contract_of(folder, body.clips[0].skeleton, found, body.legs, takes, phased)
    lost = {"another skeleton": [f for f in files if not any(f is m for m in main)],
            "another body": [f for b in bodies if all(b is not used for used in [body, *alike])
                             for f in b.files]}
    left_out = {why: [Path(f.path).name for f in which] for why, which in lost.items()}
    said = describe(files, main, {**left_out, **body.left_out}, found, body, rules)
    return takes, rules, said


def body_of(files: list[bvh.Bvh], found: Roles) -> Body:
    """The clips of one body's files, cleaned."""
    slow = [Path(f.path).stem for f in files if 1 / f.frame_time < SLOWEST]
    clips = [clip_of(f, skeleton_joints(f, found), found) for f in files
             if 1 / f.frame_time >= SLOWEST]
    left_out = {f"under {SLOWEST} frames a second": slow,
                "under half a second": [c.name for c in clips if len(c) < SHORTEST]}
    clips = [c for c in clips if len(c) >= SHORTEST]
    clips, left_out["lying, sitting or on all fours"] = on_feet(clips, found)
    if not clips:
        return Body(files, [], [], left_out)
    legs = [leg_of(clips, found, side) for side in finding.SIDES]
    left_out["not on level ground"] = hilly = [c.name for c in clips if climbs(c, legs)]
    return Body(files, [stood(c, legs) for c in clips if c.name not in hilly], legs, left_out)


def on_feet(clips: list[motion.Clip], found: Roles) -> tuple[list[motion.Clip], list[str]]:
    """The stretches of clips in which somebody is on his feet, and the names of the clips that were
    cut: where hips are lower than ON_FEET of how high they mostly are, and a quarter of a second
    before and after."""
    toes = [clean_name(found.leg(side)[3]) for side in finding.SIDES]
    heights = [_hips_over_toes(c, [c.skeleton.index(n) for n in toes]) for c in clips]
    usual = np.percentile(np.concatenate(heights), 75) if clips else 0.0
    out, cut = [], []
    for clip, height in zip(clips, heights):
        low = height < ON_FEET * usual
        low = binary_dilation(low, iterations=round(0.25 * clip.rate)) if low.any() else low
        if not low.any():
            out.append(clip)
            continue
        cut.append(clip.name)
        ends = np.flatnonzero(np.diff(np.r_[1, low, 1])).reshape(-1, 2)
        out += [dataclasses.replace(clip, name=f"{clip.name}.{i}", local=clip.local[a:b],
                                    root=clip.root[a:b], keep=clip.keep[a:b])
                for i, (a, b) in enumerate(ends, 1) if b - a >= SHORTEST]
    return out, cut


def _hips_over_toes(clip: motion.Clip, toes: list[int]) -> np.ndarray:
    """How high the hips are [T] over where the lower toe comes to within half a second."""
    position, _ = clip.world()
    lower = minimum_filter1d(position[:, toes, 1].min(1), round(clip.rate), mode="nearest")
    return clip.root[:, 1] - lower


def motion_files(place: Path) -> list[Path]:
    """The .bvh and .glb files of a folder, or the one that is named."""
    if place.is_file():
        return [place]
    if not place.exists():
        raise bvh.BvhError(f"{place}: no such file or folder")
    found = sorted(p for p in place.iterdir() if p.suffix.lower() in (".bvh", ".glb"))
    if not found:
        raise bvh.BvhError(f"{place}: no .bvh and no .glb file in this folder{_elsewhere(place)}")
    return found


def _elsewhere(folder: Path) -> str:
    """Where the motion of a folder without any may be, as a hint."""
    below = sorted(p.parent for p in folder.glob("*/*") if p.suffix.lower() in (".bvh", ".glb"))
    if below:
        return f"; {below[0]} has some: name that"
    unpacked = sorted(p.name for p in folder.iterdir() if p.suffix.lower() in (".gltf", ".fbx"))
    return f"; {unpacked[0]}: save it as .glb" if unpacked else ""


def motions_of(path: Path) -> list[bvh.Bvh]:
    """What a file shows: a BVH's motion, or every animation of a .glb."""
    return glb_motion.read(path) if path.suffix.lower() == ".glb" else [bvh.read(path)]


def largest_family(files: list[bvh.Bvh], given: Path | None) -> tuple[list[bvh.Bvh], Roles]:
    """The files of the skeleton that has the most seconds, and its roles. Two files share a
    skeleton when the joints that are kept have the same names."""
    families: dict[tuple, list[tuple[bvh.Bvh, Roles]]] = {}
    refused: list[str] = []
    for f in files:
        try:
            found = finding.find(f, given)
        except finding.RolesError as e:
            refused.append(str(e))
            continue
        names = tuple(f.names[j] for j in skeleton_joints(f, found))
        families.setdefault(names, []).append((f, found))
    if not families:
        raise finding.RolesError(refused[0])
    main = max(families.values(), key=lambda g: sum(len(f.values) * f.frame_time for f, _ in g))
    up = finding.common_up([(f, found.up) for f, found in main])
    return [f for f, _ in main], dataclasses.replace(main[0][1], up=up)


def skeleton_joints(file: bvh.Bvh, found: Roles) -> list[int]:
    """The joints to keep: those with a role and what lies between them and the root, without
    fingers, faces and other helpers."""
    wanted: set[int] = set()
    for role in KEPT:
        name = found.joints.get(role)
        at = file.names.index(name) if name else -1
        while at >= 0:
            wanted.add(at)
            at = file.parents[at]
    hips = file.names.index(found.joints["hips"])
    above: set[int] = set()
    at = file.parents[hips]
    while at >= 0:  # what stands over the hips only carries them
        above.add(at)
        at = file.parents[at]
    return sorted(wanted - above)


def bodies_of(files: list[bvh.Bvh], found: Roles) -> list[list[bvh.Bvh]]:
    """The files body by body: of one body the kept joints have nearly the same offsets."""
    bodies: list[list[bvh.Bvh]] = []
    for f in files:
        same = next((b for b in bodies if _same_body(b[0], f, found)), None)
        if same is None:
            bodies.append([f])
        else:
            same.append(f)
    return bodies


def _same_body(first: bvh.Bvh, other: bvh.Bvh, found: Roles) -> bool:
    kept = skeleton_joints(first, found)[1:], skeleton_joints(other, found)[1:]
    for i, j in zip(*kept):
        apart = np.linalg.norm(other.offsets[j] - first.offsets[i])
        if apart > 0.2 * max(np.linalg.norm(first.offsets[i]), 0.05 * _reach(first)):
            return False
    return True


def _reach(file: bvh.Bvh) -> float:
    return float(np.linalg.norm(file.offsets, axis=1).max())


def clip_of(
    file: bvh.Bvh, kept: list[int], found: Roles, rate: float = walker.RATE,
    lean: np.ndarray | None = None,
) -> motion.Clip:
    """A file as a clip in centimetres, y up, hips first, +z forward at rest: as they are in `lean`
    [3, 3] (see lean_of), or on the whole of this file."""
    position, turn = world_of(file, kept, found)
    parents = [kept.index(_kept_parent(file, j, kept)) if i else -1 for i, j in enumerate(kept)]
    names = [clean_name(file.names[j]) for j in kept]
    turn = faced(turn, lean_of(file, kept, found) if lean is None else lean)
    skeleton = motion.Skeleton(names, parents, straight_rest(position, turn, parents))
    clip = motion.Clip(Path(file.path).stem, skeleton, 1 / file.frame_time,
                       motion.to_local(skeleton, turn), position[:, 0], style="all")
    return motion.resample(clip, rate)


def world_of(
    file: bvh.Bvh, kept: list[int], found: Roles
) -> tuple[np.ndarray, np.ndarray]:
    """World places [T, K, 3] (centimetres, y up) and rotations [T, K, 3, 3] of the kept joints."""
    position, turn = file.world()
    axes = Z_TO_Y if found.up == "z" else np.eye(3)
    return position[:, kept] @ axes.T * found.unit * 100, axes @ turn[:, kept]


def _kept_parent(file: bvh.Bvh, joint: int, kept: list[int]) -> int:
    at = file.parents[joint]
    while at >= 0 and at not in kept:
        at = file.parents[at]
    return at


def clean_name(name: str) -> str:
    """A name as a contract takes it."""
    out = "".join(ch if ch.isalnum() or ch in "_.:-" else "_" for ch in name)[:63]
    return out if NAME.match(out) else "joint"


def straight_rest(position: np.ndarray, turn: np.ndarray, parents: list[int]) -> np.ndarray:
    """Offsets [J, 3] in the parent's frame, the mean over the motion (joints left out between are
    taken as stiff)."""
    out = np.zeros((len(parents), 3))
    for j, p in enumerate(parents):
        if p >= 0:
            apart = position[:, j] - position[:, p]
            out[j] = (np.swapaxes(turn[:, p], -1, -2) @ apart[..., None])[..., 0].mean(0)
    return out


def lean_of(file: bvh.Bvh, kept: list[int], found: Roles) -> np.ndarray:
    """How the hips' own axes lie [3, 3], on the whole, in the frame that stands upright and faces
    as the character does: left hip, right hip and the vertical tell where forward is."""
    position, turn = world_of(file, kept, found)
    left, right = (kept.index(file.names.index(found.joints[f"{s}_hip"])) for s in finding.SIDES)
    forward = np.cross(position[:, left] - position[:, right], [0, 1.0, 0])
    upright = rotation.about_y(np.arctan2(forward[:, 0], forward[:, 2]))
    return (np.swapaxes(upright, -1, -2) @ turn[:, 0]).mean(0)


def faced(turn: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """World rotations as if the hips, lying as in `lean`, stood upright and faced +z at rest."""
    u, _, v = np.linalg.svd(lean)
    own = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    out = turn.copy()
    out[:, 0] = turn[:, 0] @ own.T
    return out


def leg_of(clips: list[motion.Clip], found: Roles, side: str) -> clean.Leg:
    """A leg with its sole: how low ankle and toe come while the foot is slow."""
    skeleton = clips[0].skeleton
    joints = [skeleton.index(clean_name(n)) for n in found.leg(side)]
    ankle, toe = [], []
    for clip in clips:
        position, _ = clip.world()
        for j, out in ((joints[2], ankle), (joints[3], toe)):
            speed = np.linalg.norm(np.gradient(position[:, j], axis=0), axis=-1) * clip.rate
            out.append(position[speed < 40, j, 1])
    heights = [np.percentile(np.concatenate(h), 5) if np.concatenate(h).size else 5.0
               for h in (ankle, toe)]
    foot = float(np.linalg.norm(skeleton.offsets[joints[3]]))
    return clean.Leg(*joints, drop=float(max(heights[0] - heights[1], 2) + 2), heel=0.25 * foot,
                     ball=0.9 * foot)


def stood(clip: motion.Clip, legs: list[clean.Leg]) -> motion.Clip:
    """The clip with its lowest toes 2 cm over the floor at height 0, and toes locked."""
    position, _ = clip.world()
    toes = position[:, [leg.toe for leg in legs], 1].min(1)
    root = clip.root - [0, np.percentile(toes, 5) - 2.0, 0]
    clip = dataclasses.replace(clip, root=root)
    return clean.lock_toes(clip, legs, height=PLANTED)[0]


def climbs(clip: motion.Clip, legs: list[clean.Leg], most: float = 16.0) -> bool:
    """Whether toes rest at heights further apart than `most` cm: steps, slopes, obstacles."""
    position, _ = clip.world()
    toes = position[:, [leg.toe for leg in legs]]
    still = np.linalg.norm(np.gradient(toes[..., [0, 2]], axis=0), axis=-1) * clip.rate < 20
    return bool(still.any() and np.ptp(np.percentile(toes[..., 1][still], [10, 90])) > most)


def both(clip: motion.Clip, legs: list[clean.Leg]) -> list[Take]:
    """The labelled take, and its mirror image where the skeleton is its own mirror image."""
    joints = [j for leg in legs for j in (leg.ankle, leg.toe)]
    takes = [walker.take_of(clip, joints, None, PLANTED, True)]
    pairs, offsets = motion.mirror_pairs(clip.skeleton.names), clip.skeleton.offsets
    apart = np.linalg.norm((offsets[pairs] * [-1, 1, 1] - offsets)[1:], axis=-1)
    sides = all(pairs[a] == b for a, b in zip(joints[:2], joints[2:]))
    if sides and apart.max() < 0.1 * np.linalg.norm(offsets, axis=1).max():
        image = motion.mirrored(clip)
        image.skeleton = clip.skeleton
        takes.append(walker.take_of(image, joints, None, PLANTED, True))
    return takes


def padded(take: Take, count: int) -> Take:
    """The take with `count` frames before and after it in which only the path goes on, straight:
    so that short clips have a past and a future. None of them is trained on."""
    labels = take.labels
    ends = ((count, count),)
    path = np.pad(labels.path, (*ends, (0, 0)), "edge")
    few = min(10, len(take) - 1)
    first = (labels.path[few] - labels.path[0]) / few
    last = (labels.path[-1] - labels.path[-1 - few]) / few
    path[:count] -= np.arange(count, 0, -1)[:, None] * first
    path[-count:] += np.arange(1, count + 1)[:, None] * last
    made = label.Labels(path, *(np.pad(a, (*ends, *[(0, 0)] * (a.ndim - 1)), "edge") for a in (
        labels.facing, labels.contacts, labels.gait, labels.phase)))
    position = np.pad(take.position, (*ends, (0, 0), (0, 0)), "edge")
    turn = np.pad(take.turn, (*ends, (0, 0), (0, 0), (0, 0)), "edge")
    keep = np.pad(take.keep, count)
    keep[count] = keep[-count - 1] = False  # their velocities and steps are made up
    return Take(take.name, position, turn, made, keep, take.style, take.tag)


def drop_pops(takes: list[Take]) -> list[str]:
    """Switch frames off in which a joint's motion changes far more than in other takes, which is a
    capture's mistake; and say of which clips, and by how much."""
    jumps = [features.joint_motion(t)[1] for t in takes]
    largest = [j.max(initial=0) for t, j in zip(takes, jumps) if not t.name.endswith("~")]
    most = POP * float(np.percentile(largest, 90, method="lower"))
    named = {}
    for take, jump in zip(takes, jumps):
        for at in np.flatnonzero(jump > most):
            take.keep[max(at - 1, 0) : at + 4] = False
            named[take.name.rstrip("~")] = float(jump.max())
    return [f"{name} ({size:.0f} cm)" for name, size in named.items()]


def contract_of(
    folder: Path, skeleton: motion.Skeleton, found: Roles, legs: list[clean.Leg],
    takes: list[Take], phased: bool,
) -> Contract:
    """The contract: speeds of the rules are those that the motion has."""
    names = [tuple(clean_name(n) for n in found.leg(side)) for side in finding.SIDES]
    speeds = []
    for t in takes:
        step = np.linalg.norm(np.gradient(t.labels.path, axis=0), axis=-1)
        speeds.append(step[t.labels.gait[:, 0] < 0.1])
    moving = np.concatenate(speeds) if speeds else np.zeros(0)
    walk, run = np.percentile(moving, [50, 90]) if len(moving) else (1.3, 2.5)
    feet = [t.position[:, [leg.ankle for leg in legs], 1].min() for t in takes]
    way, jump = features.pose_motion(takes)
    rules = {**walker.RULES, "speed_walk": round(float(walk), 3), "speed_run": round(float(run), 3),
             "stand_start": 1.0,
             "foot_heel_height": round(float(np.median(feet)), 2), "foot_toe_height": 2.0,
             "inertia_jump": round(MORE_JUMP * jump, 2), "inertia_way": round(MORE_WAY * way, 2)}
    root = skeleton.offsets.copy()
    root[0] = (0, float(np.median([t.position[:, 0, 1].mean() for t in takes])), 0)
    made = motion.Skeleton(skeleton.names, skeleton.parents, root)
    name = clean_name(folder.name) or "mine"
    return walker.template(name, made, names, 0.01, rules, phased)  # type: ignore


def describe(
    files: list[bvh.Bvh], main: list[bvh.Bvh], left_out: dict[str, list[str]], found: Roles,
    body: Body, rules: Contract,
) -> str:
    """What was found, before anything is trained."""
    rates = sorted({round(1 / f.frame_time) for f in main})
    lines = [f"{len(files)} files; {len(main)} share the skeleton used ({len(main[0].joints)} "
             f"joints, {len(rules.joints)} kept), {'/'.join(map(str, rates))} frames a second"]
    lines += [f"left out, {why}: {shortened(names)}" for why, names in left_out.items() if names]
    if body.carried:
        lines.append(f"of other bodies, carried to this one: {shortened(body.carried)}")
    lines.append(found.describe())
    walk, run = (rules.rules[k] * 0.6 for k in ("speed_walk", "speed_run"))
    lines.append(f"  {body.seconds():.0f} s of motion, walks at {walk:.2f} m/s, "
                 f"runs at {run:.2f} m/s")
    return "\n".join(lines)


def shortened(names: list[str], most: int = 12) -> str:
    """Names in a line, the first of many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
