"""The runner: a person who walks, jogs, runs, crouches and jumps; its contract and its takes.

Motion of O3DE's motion-matching set, and of ACCAD and CMU for what it lacks (running fast, running
backwards, quick steps aside), all on the walker's body. Of ACCAD's two people the man is left out:
his left toe lies three centimetres under his right one, and contacts cannot be told.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d

from gallop import (
    anyone,
    bvh,
    capture,
    clean,
    label,
    library,
    motion,
    o3de,
    person,
    retarget,
    terrain,
    walker,
)
from gallop.contract import Contract, parse
from gallop.features import Dataset, Take, planar

RATE = walker.RATE
STANDS = "Female1_A01_Stand"  # ACCAD's woman at rest
ACCAD = re.compile(r"_C\d+_(?!.*(Box|Crouch|Hop|Jump))")
CMU = re.compile(r"09_(0\d|1[01])$")
ATTRIBUTION = "; ".join((
    o3de.ATTRIBUTION,
    "Open Motion Project by ACCAD/The Ohio State University (CC BY 3.0), changed",
    "The data used in this project was obtained from mocap.cs.cmu.edu. The database was created "
    "with funding from NSF EIA-0196217",
    "skeleton: " + capture.ATTRIBUTION,
))
LICENCE = (
    "This model was trained on motion of the Open 3D Engine (Copyright Contributors to the Open 3D "
    "Engine, MIT), of the Open Motion Project by ACCAD/The Ohio State University (CC BY 3.0, "
    "https://creativecommons.org/licenses/by/3.0/, changed), and of mocap.cs.cmu.edu (created with "
    "funding from NSF EIA-0196217), on the skeleton of the 100STYLE dataset by Ian Mason (CC BY "
    "4.0). Its weights are published under CC BY 4.0 "
    "(https://creativecommons.org/licenses/by/4.0/): keep these attributions.\n"
)

GAITS = [(n, n) for n in ("stand", "walk", "run", "crouch", "jump")]
STAND, WALK, RUN, CROUCH, JUMP = range(5)
RULES = {
    **walker.RULES, "speed_walk": 2.333, "speed_run": 5.833, "speed_side": 0.6, "speed_back": 0.65,
    "speed_crouch": 0.64, "crouch_still": 1.0, "crouch_smooth": 0.2,
    "velocity_smooth": 0.4, "direction_smooth": 0.5,
    "jump_time": 27.0, "jump_speed": 0.6, "inertia_jump": 6.0,
    "inertia_body": 2.0, "foot_lock_contact": 0.45, "speed_band": 0.1, "speed_push": 0.15,
    "gait_smooth": 0.3, "speed_push_side": 1.4, "jump_carry": 1.0, "jump_ease": 8.0,
    "phase_aside": 1.45, "speed_brake": 0.22,
    "inertia_way": 13.4, "inertia_turn": 4.0, "inertia_swing": 11.0,
}  # fmt: skip

# Rules that are fitted to the network at the end, and what is tried beside their values.
FIT = {"future_direction_bias_strafe": (5.0, 6.0),
       "future_position_bias_strafe": (3.4, 4.4, 4.6, 4.8, 5.2), "phase_aside": (1.0, 1.9),
       "speed_push_side": (1.1, 1.7), "inertia_way": (13.2,)}

# What is trained: width of the hidden layers and steps of polish, and the same with --quick.
HIDDEN = {"pfnn": 384, "mann": 224}
POLISH = 7600
QUICK_HIDDEN, QUICK_POLISH = 160, 400
# What the polish has of its own, of polish.Plan.
RECIPE = {"paced": True, "carry": 1.0, "leap": 0.5, "leaps": 8.0, "turns": 6.0, "spins": 0.13,
          "squats": 3.0, "steady": 3.0, "blunt": 0.5, "facing": 2.0, "sway": 4.0, "hips": 0.05,
          "arc": 0.05, "flip": 0.05, "twist": 0.1}
QUICK_RECIPE = {**RECIPE, "course": 40.0}  # so few steps leave who runs too slow else

# Label constants: speeds in cm/s, heights as shares of the height of the hips when standing.
RUNS = (175.0, 215.0)  # between these a walk becomes a run; to the side and back sooner
SIDE, BACK = 0.65, 0.75
CROUCHES = (0.945, 0.865)  # of clips that crouch
JUMPS = 1.05  # the hips of a jump rise above this,
ALOFT = 6.0  # and both toes above this many cm
RAISED = 30.0  # cm over the hips: a hand so high is a gesture's where nobody runs or jumps,
HELD = 20  # frames at least,
AROUND = 30  # and so many frames before and after it are, too

EVEN = 0.4  # 0: frames are drawn as often as there are, 1: every kind of them equally often
PACES = (20, 90, 150, 220, 300, 380)  # cm/s


def clips(folder: Path) -> list[motion.Clip]:
    """All clips at 60 Hz on the walker's body, standing on the floor, toes still in contact."""
    body = retarget.body_of(bvh.read(walker.default_folder() / capture.SKELETON))
    made = []
    for file, stands, style in files(folder):
        clip = person.carried(file, stands, body, RATE)
        clip = replace(clip, style="all", tag=style)
        if len(clip) >= 40:
            made.append(person.stood(clip, clean.human_legs(clip.skeleton)))
    return made


def files(folder: Path) -> list[tuple[bvh.Bvh, bvh.Bvh, str]]:
    """(motion, the same person at rest, tag) of every file that is used."""
    set_ = o3de.read(folder / "o3de_motion_matching" / o3de.ARRAYS)
    place = folder / "accad" / "female1"
    rest = bvh.read(place / f"{STANDS}.bvh")
    out = [(f, f, tag_of(f.path)) for f in set_]
    out += [(bvh.read(p), rest, tag_of(p.stem)) for p in sorted(place.iterdir())
            if ACCAD.search(p.stem)]
    for path in sorted((folder / "cmu").iterdir()):
        if CMU.match(path.stem):
            file = bvh.read(path)
            out.append((file, file, "run"))
    return out


def tag_of(name: str) -> str:
    """What a clip shows beside walking and running, by its name."""
    return next((t for t in ("crouch", "jump") if t in name.lower()), "run")


def gait_amounts(
    position: np.ndarray, path: np.ndarray, facing: np.ndarray, toes: list[int], tag: str
) -> np.ndarray:
    """Amounts [T, 5]: stand, walk and run add up to 1, with the crouch where it moves; the crouch
    is beside them where it stands; the jump is a bell around the top of each."""
    step = np.gradient(path, axis=0) * RATE
    speed = np.linalg.norm(step, axis=-1)
    effort = gaussian_filter1d(speed + 28 * np.abs(np.gradient(facing)) * RATE, 10)
    stand = np.clip((28 - effort) / 17, 0, 1)
    ahead = (step * np.stack([np.sin(facing), np.cos(facing)], -1)).sum(-1) / np.maximum(speed, 1)
    factor = SIDE + np.abs(ahead) * (np.where(ahead < 0, BACK, 1) - SIDE)
    low, high = RUNS
    run = np.clip((gaussian_filter1d(speed / gaussian_filter1d(factor, 10), 15) - low)
                  / (high - low), 0, 1)
    hips = gaussian_filter1d(position[:, 0, 1], 12) / np.percentile(position[:, 0, 1], 95)
    crouch = np.clip((CROUCHES[0] - hips) / (CROUCHES[0] - CROUCHES[1]), 0, 1)
    crouch = crouch * (tag == "crouch")
    moving = 1 - stand
    gait = np.stack([stand, moving * (1 - run) * (1 - crouch), moving * run * (1 - crouch), crouch,
                     jumps(position, toes) * (tag == "jump")], -1)
    gait[:, :JUMP] = gaussian_filter1d(gait[:, :JUMP], 5, axis=0)
    return gait


def jumps(position: np.ndarray, toes: list[int]) -> np.ndarray:
    """The jump gait [T]: (1 + cos(pi t / jump_time)) / 2 around the top of each jump."""
    hips = position[:, 0, 1]
    up = (hips > JUMPS * np.median(hips)) & (position[:, toes, 1].min(1) > ALOFT)
    out, time = np.zeros(len(hips)), RULES["jump_time"]
    frames = np.arange(len(hips))
    for first, end in label.runs(up):
        away = np.abs(frames - (first + int(hips[first:end].argmax())))
        bell = np.where(away < time, 0.5 + 0.5 * np.cos(np.pi * away / time), 0)
        out = np.maximum(out, bell)
    return out


def gestures(position: np.ndarray, gait: np.ndarray, hands: list[int]) -> np.ndarray:
    """Where hands are raised [T] by one who goes no faster than a walk: people wave, scratch
    themselves and hold their arms out for who records them. Few frames do, but a network that has
    seen them lifts its hands where it is least sure, in the steps of a turn on the spot."""
    up = (position[:, hands, 1] - position[:, :1, 1]).max(1) > RAISED
    out = np.zeros(len(up), bool)
    for first, end in label.runs(up):
        if end - first < HELD:
            continue
        around = slice(max(first - AROUND, 0), end + AROUND)
        brisk = gait[around, RUN].max() > 0.5 or gait[around, JUMP].max() > 0
        out[around] |= not brisk
    return out


def take_of(clip: motion.Clip, legs: list[clean.Leg]) -> Take:
    """A labelled take, with a straight path before and after it where it is cut."""
    position, turn = clip.world()
    toe = [leg.toe for leg in legs]
    heels = label.contacts(position, [leg.ankle for leg in legs], RATE, 4.0, speed=60.0)
    toes = label.contacts(position, toe, RATE, 3.0, speed=person.QUICK)
    contact = np.stack([heels[:, 0], toes[:, 0], heels[:, 1], toes[:, 1]], -1)
    path, facing = label.root_frame(position, turn)
    gait = gait_amounts(position, path, facing, toe, clip.tag)
    phase = label.phase(contact, extend=True)
    labels = label.Labels(path, facing, contact, gait, phase)
    hands = [clip.skeleton.names.index(side + "Wrist") for side in ("Left", "Right")]
    keep = clip.keep & ~gestures(position, gait, hands)
    take = Take(clip.name, position, turn, labels, keep, clip.style, clip.tag)
    return anyone.padded(take, 62)


def takes(made: list[motion.Clip]) -> list[Take]:
    """Labelled takes of clean clips, each followed by its mirror image."""
    out = []
    for clip in made:
        legs = clean.human_legs(clip.skeleton)
        out += [take_of(clip, legs), take_of(motion.mirrored(clip), legs)]
    return out


def rarity(data: Dataset) -> np.ndarray:
    """How often a frame is drawn [F]: 1 / (frames of its kind)^EVEN, its kind being speed and
    direction of travel, turning, and gait; 1 on the mean."""
    kinds = []
    for number, take in enumerate(data.takes):
        frames = data.frame[data.take == number]
        step = np.gradient(take.labels.path, axis=0) * RATE
        speed = gaussian_filter1d(np.linalg.norm(step, axis=-1), 8)
        seen = planar(step[:, None], take.labels.facing)[:, 0]
        way = np.round(np.arctan2(seen[:, 0], seen[:, 1]) / (np.pi / 2)).astype(int) % 4
        turning = np.abs(gaussian_filter1d(np.gradient(take.labels.facing) * RATE, 10)) > 1.2
        pace = np.digitize(speed, PACES)
        gait = np.where(take.labels.gait[:, JUMP] > 0.05, 2, take.labels.gait[:, CROUCH] > 0.5)
        kind = ((pace * 4 + np.where(pace == 0, 0, way)) * 2 + turning) * 3 + gait
        kinds.append(kind[frames])
    kind = np.concatenate(kinds)
    weight = np.bincount(kind).astype(float)[kind] ** -EVEN
    return weight / weight.mean()


def contract(phased: bool = True, sees: bool = False) -> Contract:
    """The runner's contract: the walker's with two gaits more, and the ground where it `sees`."""
    text = library.models_folder() / "walker.contract"
    base = parse(text.read_text(), str(text))
    skeleton = motion.Skeleton(base.joint_names(), base.parents(),
                               np.array([j.offset for j in base.joints]))
    made = walker.template("runner", skeleton, base.legs, 0.01, RULES, phased, GAITS)
    if sees:
        made.inputs[-2:-2] = terrain.blocks(made.unit)
    return made


def default_folder() -> Path:
    """Where the motion is expected: beside the checkout."""
    return Path(__file__).resolve().parents[3] / "shared" / "data" / "motion" / "more"
