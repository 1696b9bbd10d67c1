"""The human walker: its contract, and its takes from the 100STYLE excerpt."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gallop import capture, clean, label, motion
from gallop.contract import Block, Contract, Joint
from gallop.features import Take

RATE = 60.0
HOLD_OUT = 1180 / 1437  # the last part of each clip is kept for evaluation
TRAIN = 1115 / 1437

GAITS = [("stand", "stand"), ("walk", "walk"), ("run", "run")]
STYLE = "Neutral"  # the style that is folded into the shipped model
STYLE_WEIGHT = {"Neutral": 2.0}

RULES = {
    "speed_walk": 1.4, "speed_run": 2.6, "speed_side": 0.7, "speed_back": 0.8,
    "stand_speed": 0.1, "turn_gait": 0.15, "turn_ahead": 11.0,
    "future_position_bias": 4.0, "future_position_bias_strafe": 4.0,
    "future_direction_bias": 4.0, "future_direction_bias_strafe": 4.0,
    "joint_smooth": 0.0, "speed_gain": 0.01, "anchor": 0.0, "anchor_limit": 1.2,
    "phase_least": 0.01,
    "foot_heel_height": 11.0, "foot_toe_height": 1.5, "foot_lock_contact": 0.5,
    "foot_lock_fade": 0.15, "foot_reach": 5.5, "foot_stand_reach": 2.0,
    "foot_step_height": 3.0, "foot_step_fade": 0.07, "pose_rigid": 1.0, "inertia_jump": 2.5,
    "inertia_body": 1.0, "breath": 0.4, "sway": 1.5, "ground_reach": 20.0, "ground_smooth": 0.12,
    "ground_feet": 1.0, "ground_drop": 25.0, "foot_height_smooth": 0.35,
    "stand_start": 1.0, "speed_band": 0.2, "speed_push": 0.5,
}  # fmt: skip
# Not of who is trained on other motion: the phase in which a step aside begins well, and 1.1 times
# the longest way of a joint in the motion.
OWN_RULES = {"phase_aside": 4.3, "inertia_way": 7.9, "inertia_turn": 1.2}

# Rules that are fitted to the network at the end, and what is tried beside their values.
FIT = {"future_position_bias_strafe": (3.4, 4.5, 5.2), "phase_aside": (3.0, 3.65)}

# Steps of polish, and what its Plan has of its own; not with --quick, nor of who has a teacher.
POLISH = 6000
RECIPE = {"paced": True, "turns": 5.0, "spins": 0.13, "facing": 2.0, "asides": 0.3, "over": 30.0,
             "calm": 0.2, "least": 3.5}


def template(
    name: str,
    skeleton: motion.Skeleton,
    legs: list[tuple[str, str, str, str]],
    unit: float,
    rules: dict[str, float],
    phased: bool = True,
    gaits: list[tuple[str, str]] = GAITS,
) -> Contract:
    """A walker's contract for a skeleton: twelve samples, its gaits, and a phase if `phased`."""
    joints = [
        Joint(n, skeleton.names[p] if p >= 0 else "", tuple(float(v) for v in o))  # type: ignore
        for n, p, o in zip(skeleton.names, skeleton.parents, skeleton.offsets)
    ]
    path = [f"{kind}.{axis}" for kind in ("position", "direction") for axis in "xz"]
    inputs = [Block("trajectory." + p) for p in path]
    inputs += [Block("trajectory.gait", (g,)) for g, _ in gaits]
    inputs += [Block("joint.position"), Block("joint.velocity")]
    outputs = [Block("root.velocity.x"), Block("root.velocity.z"), Block("root.turn")]
    outputs += [Block("phase.advance")] if phased else []
    outputs += [Block("contact", (joint,)) for leg in legs for joint in leg[2:]]
    outputs += [Block("future." + p) for p in path]
    outputs += [Block("joint.position"), Block("joint.velocity")]
    outputs += [Block("joint.rotation", ("sixd",))]
    return Contract(name, RATE, unit, joints, legs, (60, 60), list(range(-60, 60, 10)),
                    list(range(10, 61, 10)), list(gaits), inputs, outputs, dict(rules))


def contract(folder: Path) -> Contract:
    """The walker's contract, its skeleton read from the capture."""
    skeleton = capture.read_skeleton(folder)
    legs = [tuple(side + part for part in ("Hip", "Knee", "Ankle", "Toe"))
            for side in ("Left", "Right")]
    return template("walker", skeleton, legs, 0.01, {**RULES, **OWN_RULES})  # type: ignore


def run_amount(tag: str) -> float | None:
    """How much a clip is a run by its name; None where the speed must tell."""
    return None if tag in ("turn", "idle") else float("run" in tag)


def clips(folder: Path, straight: bool = True) -> list[motion.Clip]:
    """All clips at 60 Hz, standing on the floor, T-poses off, toes still in contact; with
    `straight` each moving one a second time on a straighter path."""
    raw = capture.read_clips(folder)
    skeleton = raw[0].skeleton
    legs = clean.human_legs(skeleton)
    arms = [(skeleton.index(s + "Shoulder"), skeleton.index(s + "Elbow"))
            for s in ("Left", "Right")]
    made = []
    for clip in raw:
        clip = clean.ground(motion.resample(clip, RATE), legs)
        clip = clean.drop_arms_up(clip, arms)
        made.append(clean.lock_toes(clip, legs)[0])
        if straight and clip.tag not in ("idle", "turn"):
            made.append(clean.lock_toes(clean.straightened(clip), legs)[0])
    return made


def take_of(
    clip: motion.Clip, contact_joints: list[int], run: float | None, height: float = 3.0,
    extend: bool = False,
) -> Take:
    """Label a clean clip; `height` (cm) is how far over its rest a planted joint may be; `extend`
    as in label.phase."""
    position, turn = clip.world()
    heels = label.contacts(position, contact_joints[0::2], clip.rate, height, speed=44.0)
    toes = label.contacts(position, contact_joints[1::2], clip.rate, height)
    contact = np.stack([heels[:, 0], toes[:, 0], heels[:, 1], toes[:, 1]], -1)
    path, facing = label.root_frame(position, turn)
    gait = label.gait_amounts(path, facing, clip.rate, run)
    phase = label.phase(contact, extend=extend)
    labels = label.Labels(path, facing, contact, gait, phase)
    return Take(clip.name, position, turn, labels, clip.keep, clip.style, clip.tag)


def takes(folder: Path, straight: bool = True) -> list[Take]:
    """Labelled takes of the excerpt, each followed by its mirror image."""
    out = []
    for clip in clips(folder, straight):
        skeleton = clip.skeleton
        feet = [skeleton.index(s + p) for s in ("Left", "Right") for p in ("Ankle", "Toe")]
        for version in (clip, motion.mirrored(clip)):
            out.append(take_of(version, feet, run_amount(clip.tag)))
    return out


def default_folder() -> Path:
    """Where the excerpt is: beside the checkout."""
    here = Path(__file__).resolve().parents[2]
    places = [base / "100style" for base in (here / "python" / ".cache",
                                             here.parent / "shared" / "data" / "motion")]
    for place in places:
        if (place / capture.ARRAYS).exists():
            return place
    raise FileNotFoundError(f"the 100STYLE excerpt, {capture.ARRAYS}, is not in "
                            f"{' or '.join(map(str, places))}: name its folder with --data")
