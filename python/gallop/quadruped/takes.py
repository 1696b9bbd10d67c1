"""From files of quadrupeds to labelled takes on one hinged body, and the contract for them.

A small or a large animal is measured in units in which its hind leg is as long as the dog's: what
the dog's cleaning and training know of heights and speeds holds for it, too, and the contract's
unit says how long a unit is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from scipy.ndimage import binary_dilation, gaussian_filter1d

from gallop import anyone, bvh, dog, motion
from gallop import roles as finding
from gallop.contract import Contract
from gallop.dog import aside as dog_aside
from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data
from gallop.dog.clean import Clip
from gallop.quadruped import roles
from gallop.quadruped.body import Body, body_of, hinged
from gallop.quadruped.roles import LIMBS, Roles, foot_of

CLEANED = 120.0  # frames a second that the dog's cleaning is made for
LEG = dog.THIGH + dog.SHANK
ALIKE = (0.7, 1.4)  # legs so many times the dog's keep their centimetres
SHORTEST = 2.2  # seconds: a second of path to either side of what is trained on
SOLE = dog_clean.REST_HEIGHT
WILD = 28.0  # rad/s that no leg's hinge has
STANDS = (6.0, 0.25)  # units/s, rad/s: slower is standing
LEAST = {"stands": 8.0, "back": 2.0, "aside": 2.0}  # seconds of each that are enough
STOPS = 4  # made of each take


@dataclass
class Found:
    """What a folder holds: roles, body, takes (first the `shown` that the files show, then their
    mirror images if it is `mirrored`, then what was made of these), the contract for them, what was
    left out and why, and how many files there were."""

    roles: Roles
    body: Body
    takes: list[Clip]
    shown: int
    mirrored: bool
    contract: Contract
    left_out: dict[str, list[str]]
    files: list[bvh.Bvh]
    used: list[bvh.Bvh]
    scale: float

    def clips(self) -> list[Clip]:
        """The takes of the files and their mirror images, nothing made."""
        return self.takes[: self.shown * (2 if self.mirrored else 1)]


def prepare(folder: Path, files: list[bvh.Bvh], given: Path | None, seed: int = 1) -> Found:
    """All of it, of a folder's files, every one of which shows a quadruped."""
    main, found, others = largest_family(files, given)
    same, bodies = largest_body(main, found)
    kept, where = kept_joints(same[0], found), space(same[0], found)
    lean = sum(len(f.values) * lean_of(f, kept, where) for f in same)
    raw = [anyone.clip_of(f, kept, where, CLEANED, lean) for f in same]
    short = [c.name for c in raw if len(c) < SHORTEST * CLEANED]
    raw = [c for c in raw if c.name not in short]
    if not raw:
        raise bvh.BvhError(f"{folder}: every clip is shorter than {SHORTEST:g} s")
    feet = [foot_of(raw[0].skeleton, [anyone.clean_name(n) for n in found.limbs[limb]])
            for limb in LIMBS]
    raw, scale = scaled(raw, feet)
    toes = [raw[0].skeleton.index(f[3]) for f in feet]
    hilly = [c.name for c in raw if climbs(c, toes)]
    raw = [on_floor(c, toes) for c in raw if c.name not in hilly]
    if not raw:
        raise bvh.BvhError(f"{folder}: no clip is on level ground")
    check_travel(folder, raw, toes)
    pairs = mirror_of(raw[0].skeleton, found)
    images = [motion.mirrored(c, pairs) for c in raw] if pairs else []
    for image in images:
        image.skeleton = raw[0].skeleton
    body = body_of(raw + images, feet)
    clips = [cleaned(hinged(c, body)) for c in raw + images]
    rest(body, clips)
    takes = with_stops(clips, np.random.default_rng(seed))
    left_out = {"another skeleton": others, "another body": [Path(f.path).name for f in bodies],
                f"under {SHORTEST:g} s": short, "not on level ground": hilly}
    rules = contract_of(folder, body, takes, scale)
    return Found(found, body, takes, len(raw), bool(images), rules, left_out, files, same, scale)


def largest_family(
    files: list[bvh.Bvh], given: Path | None
) -> tuple[list[bvh.Bvh], Roles, list[str]]:
    """The files of the skeleton with the most seconds, its roles, and the names of the others."""
    families: dict[tuple, list[tuple[bvh.Bvh, Roles]]] = {}
    for f in files:
        found = roles.find(f, given)
        key = tuple((f.names[j], f.parents[j]) for j in kept_joints(f, found))
        families.setdefault(key, []).append((f, found))
    pairs = max(families.values(), key=lambda g: sum(seconds(f) for f, _ in g))
    main = [f for f, _ in pairs]
    found = replace(
        pairs[0][1], up=finding.common_up([(f, found.up) for f, found in pairs]))
    return main, found, [Path(f.path).name for f in files if all(f is not m for m in main)]


def seconds(file: bvh.Bvh) -> float:
    return len(file.values) * file.frame_time


def kept_joints(file: bvh.Bvh, found: Roles) -> list[int]:
    """Legs, trunk, head and tail; what else hangs there (ears, jaws, helpers) is left out."""
    hips, kept = file.names.index(found.hips), set()
    for name in [*(n for chain in found.limbs.values() for n in chain), found.head, found.tail]:
        at = file.names.index(name) if name else hips
        way = []
        while at >= 0 and at != hips:
            way.append(at)
            at = file.parents[at]
        kept |= set(way) if at == hips else set()
    return sorted({hips, *kept})


def largest_body(files: list[bvh.Bvh], found: Roles) -> tuple[list[bvh.Bvh], list[bvh.Bvh]]:
    """The files of the body with the most seconds, and those of others."""
    def alike(a: bvh.Bvh, b: bvh.Bvh) -> bool:
        one, two = (f.offsets[kept_joints(f, found)[1:]] for f in (a, b))
        apart = np.linalg.norm(one - two, axis=1)
        return bool((apart < 0.2 * np.maximum(np.linalg.norm(one, axis=1),
                                              0.05 * np.abs(one).max())).all())

    bodies: list[list[bvh.Bvh]] = []
    for f in files:
        same = next((b for b in bodies if alike(b[0], f)), None)
        if same is None:
            bodies.append([f])
        else:
            same.append(f)
    main = max(bodies, key=lambda b: sum(map(seconds, b)))
    return main, [f for b in bodies if b is not main for f in b]


def space(file: bvh.Bvh, found: Roles) -> finding.Roles:
    """What anyone.clip_of wants to know: unit, up, and two joints that tell left from right."""
    sides = {f"{side}_hip": found.limbs[f"hind_{side}"] for side in finding.SIDES}
    apart = [np.abs(np.subtract(*(file.joints[file.names.index(c[k])].offset
                                  for c in sides.values()))).max()
             for k in range(min(map(len, sides.values())))]
    first = int(np.argmax(np.array(apart) > 0.02 * np.abs(file.offsets).max()))
    return finding.Roles({k: c[first] for k, c in sides.items()}, found.unit, found.up)


def lean_of(file: bvh.Bvh, kept: list[int], found: finding.Roles) -> np.ndarray:
    """How the hips' own axes lie [3, 3], on the whole, in the frame whose x leads from the right
    leg to the left one and whose z is level: so that left and right stay each other's image."""
    position, turn = anyone.world_of(file, kept, found)
    left, right = (kept.index(file.names.index(found.joints[f"{s}_hip"])) for s in finding.SIDES)
    x = position[:, left] - position[:, right]
    z = np.cross(x, [0, 1.0, 0])
    axes = [a / np.linalg.norm(a, axis=-1, keepdims=True) for a in (x, np.cross(z, x), z)]
    return (np.stack(axes, -2) @ turn[:, 0]).mean(0)


def scaled(
    clips: list[motion.Clip], feet: list[tuple[str, str, str, str]]
) -> tuple[list[motion.Clip], float]:
    """The clips with a hind leg of the dog's length, and by how much they grew for that."""
    skeleton = clips[0].skeleton
    length, at = 0.0, skeleton.index(feet[2][3])
    while at != skeleton.index(feet[2][0]):
        length += float(np.linalg.norm(skeleton.offsets[at]))
        at = skeleton.parents[at]
    scale = LEG / length
    if ALIKE[0] < length / LEG < ALIKE[1]:
        return clips, 1.0
    made = motion.Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * scale)
    return [replace(c, skeleton=made, root=c.root * scale) for c in clips], scale


def climbs(clip: motion.Clip, toes: list[int], most: float = 16.0) -> bool:
    """Whether toes rest at heights further apart than `most`: steps, slopes, obstacles."""
    position = clip.world()[0][:, toes]
    slow = np.linalg.norm(np.gradient(position[..., [0, 2]], axis=0), axis=-1) * clip.rate < 20
    spread = [np.ptp(np.percentile(position[slow[:, i], i, 1], [10, 90]))
              for i in range(len(toes)) if slow[:, i].sum() > 10]
    return bool(spread and max(spread) > most)


def on_floor(clip: motion.Clip, toes: list[int]) -> motion.Clip:
    """The clip with its slow toes at the height of a planted one."""
    position = clip.world()[0][:, toes]
    speed = np.linalg.norm(np.gradient(position[..., [0, 2]], axis=0), axis=-1) * clip.rate
    low = position[..., 1][speed < 60] if (speed < 60).any() else position[..., 1]
    return replace(clip, root=clip.root - [0, np.percentile(low, 15) - SOLE, 0])


def check_travel(folder: Path, clips: list[motion.Clip], toes: list[int]) -> None:
    """Refuse motion in place: legs that step while the animal stays learn nothing of going."""
    stepping = gone = 0.0
    for c in clips:
        feet = c.world()[0][:, toes] - c.root[:, None]
        step = np.linalg.norm(np.diff(feet, axis=0), axis=-1).mean(1) * c.rate
        way = np.linalg.norm(np.diff(c.root[:, [0, 2]], axis=0), axis=-1) * c.rate
        stepping += float((step > 25).sum())
        gone += float(((step > 25) & (way > 8)).sum())
    if gone < 0.2 * stepping or stepping < 60:
        raise bvh.BvhError(f"{folder}: {clips[0].name}: the animal steps on the spot or does not "
                           f"step, joint '{clips[0].skeleton.names[0]}' goes nowhere; export it "
                           "with its root's motion")


def mirror_of(skeleton: motion.Skeleton, found: Roles) -> list[int]:
    """Each joint's partner on the other side; none where the body is not its own mirror image."""
    pairs = list(range(len(skeleton.names)))
    for place in ("front", "hind"):
        left, right = ([skeleton.index(anyone.clean_name(n)) for n in found.limbs[f"{place}_{s}"]]
                       for s in finding.SIDES)
        if len(left) != len(right):
            return []
        for a, b in zip(left, right):
            pairs[a], pairs[b] = b, a
    apart = np.linalg.norm(skeleton.offsets[pairs] * [-1, 1, 1] - skeleton.offsets, axis=1)[1:]
    return pairs if apart.max() < 0.1 * np.linalg.norm(skeleton.offsets, axis=1).max() else []


def cleaned(clip: Clip) -> Clip:
    """At 60 Hz: feet over the floor and still in contact; what is no going on four legs is marked
    as not to be trained on."""
    clip = dog_clean.halved(dog_clean.held(dog_clean.without_flips(clip)))
    calm = gaussian_filter1d(clip.posture, 8.0, axis=0)
    height, pitch, _ = np.median(clip.posture, axis=0)
    good = (calm[:, 0] > 0.72 * height) & (calm[:, 0] < 1.35 * height)
    good &= (np.abs(calm[:, 1] - pitch) < np.radians(28)) & (np.abs(calm[:, 2]) < np.radians(35))
    own = np.concatenate(clip.body.columns)  # type: ignore[union-attr]
    wild = np.abs(np.diff(clip.hinge[:, own], axis=0, prepend=clip.hinge[:1, own])).max(1)
    low = dog_clean.feet_local(clip)[..., 1].min(1) < 0.3
    bad = binary_dilation((wild * clip.rate > WILD) | low, iterations=3)
    return replace(clip, keep=clip.keep & good & ~bad)


def stands(clip: Clip) -> np.ndarray:
    """Frames [T] in which it stands still on four feet."""
    speed = np.linalg.norm(dog_data.velocity(clip, 15.0), axis=1)
    turning = np.abs(dog_data.turning(clip))
    four = (clip.contact > 0.5).all(1)
    return (speed < STANDS[0]) & (turning < STANDS[1]) & four & clip.keep


def rest(body: Body, clips: list[Clip]) -> None:
    """The body's rest pose: the middle of how it stands, its feet on the floor; of one that never
    stands, the slowest frame on the most feet."""
    still = [stands(c) for c in clips]
    if sum(int(s.sum()) for s in still) > 10:
        hinge = np.concatenate([c.hinge[s] for c, s in zip(clips, still)])
        posture = np.concatenate([c.posture[s] for c, s in zip(clips, still)])
    else:
        score = [np.linalg.norm(dog_data.velocity(c), axis=1) / 20 - c.contact.sum(1)
                 + 9.0 * ~c.keep for c in clips]
        which = int(np.argmin([s.min() for s in score]))
        at = slice(int(score[which].argmin()), int(score[which].argmin()) + 1)
        hinge, posture = clips[which].hinge[at], clips[which].posture[at]
    middle = posture.mean(0) * [1, 1, 0]
    angles = np.median(hinge, axis=0)
    local = body.legs.feet(torch.tensor(middle[None]), torch.tensor(angles[None])).numpy()
    local[..., 1] = SOLE
    body.posture = tuple(map(float, middle))  # type: ignore[assignment]
    body.rest = body.reach(middle[None], local, angles[None])[0]


def made_up_for(clips: list[Clip]) -> set[str]:
    """Of which of "stands", "back" and "aside" the clips, mirror images among them, show too
    little to learn it: that is made of walks."""
    seen = coverage(clips)
    return {kind for kind, least in LEAST.items() if seen[kind] < least}


def with_stops(clips: list[Clip], rng: np.random.Generator) -> list[Clip]:
    """The clips; where too little of standing, backing or side steps is in them, that is made of
    them as the dog's is."""
    out = list(clips)
    missing = made_up_for(clips)
    for clip in clips:
        led: list[Clip] = []
        if "back" in missing:
            led.append(dog_data.backwards(dog_data.slow_forward(clip)))
        if "aside" in missing:
            led.append(dog_aside.aside(clip))
        out += led
        if "stands" in missing:
            for source in (clip, *led):
                out += dog_data.rests(source, STOPS, rng)
            out += [dog_data.backwards(r)
                    for r in dog_data.rests(dog_data.backwards(clip), STOPS, rng)]
    return [*out, dog_data.still(360, clips[0].body)]


def coverage(clips: list[Clip]) -> dict[str, float]:
    """Seconds of standing, going ahead, back, aside and turning on the spot."""
    out = dict.fromkeys(("stands", "ahead", "back", "aside", "turns"), 0.0)
    for clip in clips:
        v, turn = dog_data.velocity(clip, 15.0), np.abs(dog_data.turning(clip))
        speed, still = np.linalg.norm(v, axis=1), stands(clip)
        aside = (np.abs(v[:, 1]) > 8) & (np.abs(v[:, 1]) > 2 * np.abs(v[:, 0]))
        kinds = {"stands": still, "ahead": v[:, 0] > 15, "back": v[:, 0] < -10, "aside": aside,
                 "turns": (speed < 40) & (turn > 0.8)}
        for kind, mark in kinds.items():
            out[kind] += float((mark & clip.keep).sum()) / clip.rate
    return out


def contract_of(folder: Path, body: Body, takes: list[Clip], scale: float) -> Contract:
    """The contract: the body, the dog's features, and rules whose speeds are the motion's."""
    made = body.contract()
    made.inputs, made.outputs = dog.blocks([leg[3] for leg in body.feet])
    made.name = anyone.clean_name(folder.stem) or "mine"
    made.rate, made.unit = dog.RATE, 0.01 / scale
    made.window, made.samples, made.future = dog.WINDOW, list(dog.SAMPLES), list(dog.FUTURE)
    made.gaits = [("stand", "stand")]
    walk, run = speeds(takes)
    made.rules = {k: v for k, v in dog.RULES.items() if not k.startswith("jump")}
    made.rules.update({"speed_walk": round(walk, 4), "speed_run": round(run, 4),
                       "stand_speed": round(min(0.25, 0.3 * walk), 4)})
    return made


def speeds(takes: list[Clip]) -> tuple[float, float]:
    """Units a frame of an easy walk and of the fastest going, of takes that were not made."""
    going = []
    for clip in takes:
        v = dog_data.velocity(clip, 15.0)
        going.append(v[(v[:, 0] > 15) & clip.keep, 0] / clip.rate)
    ahead = np.concatenate(going)
    if len(ahead) < 60:
        return 1.0, 2.0
    walk, run = np.percentile(ahead, [40, 97])
    return float(walk), float(max(run, 1.05 * walk))
