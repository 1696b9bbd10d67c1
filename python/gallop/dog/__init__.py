"""The dog: its skeleton, its contract and where its motion lies.

The motion's own axes (x forward, y left, z up) become the contract's (x left, y up, z forward) by a
cyclic change of names, so rotations keep their sense; metres become centimetres.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gallop.contract import Block, Contract, Hinge, Joint

RATE = 60.0
FILE = "dog_retargeted_120hz.npz"
ATTRIBUTION = (
    "Han et al., Lifelike agility and play in quadrupedal robots, Nature Machine Intelligence 6, "
    "2024 (CC BY 4.0, doi 10.6084/m9.figshare.24968946)"
)

LEGS = ("FrontRight", "FrontLeft", "HindRight", "HindLeft")
PARTS = ("Hip", "Thigh", "Shank")
MIRROR = (1, 0, 3, 2)  # the leg on the other side of each leg
FORWARD, SIDE, LINK, THIGH, SHANK = 19.5, 6.0, 9.0, 21.15, 24.0
HIP_AXIS, KNEE_AXIS = (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)
LIMITS = ((-0.75, 0.75), (-1.9, 0.6), (0.55, 2.65))  # least and most of hip, thigh, shank

# The pose of rest: hip (of a right leg), thigh and shank in front and behind; height, pitch, roll.
REST_FRONT, REST_HIND = (0.0333, -0.8023, 1.6903), (0.0321, -0.7998, 1.6231)
POSTURE = (33.0, 0.03, 0.0)
GATE_OFFSETS = (0, 30, 50)  # path samples whose velocity (and jump) the gate sees
JUMP_TIME = 36  # frames from the first sign of a jump to its top, and from there to its end

# Joints without a hinge, for the looks of it: name, parent, offset.
LOOKS = (
    ("Neck", "Body", (0.0, 6.0, 24.0)), ("Head", "Neck", (0.0, 13.0, 8.0)),
    ("Nose", "Head", (0.0, -3.0, 12.0)), ("Croup", "Body", (0.0, 3.0, -23.0)),
    ("Tail", "Croup", (0.0, 6.0, -11.0)), ("TailEnd", "Tail", (0.0, 9.0, -9.0)),
)  # fmt: skip

RULES = {
    "speed_walk": 1.5, "speed_run": 5.8333333, "speed_side": 0.2, "speed_back": 0.3,
    "command_velocity_time": 9.0, "command_turn_time": 12.0, "command_turn_rate": 0.0436332,
    "command_blend": 0.25, "anchor": 0.4, "anchor_limit": 1.5,
    "stand_speed": 0.25, "stand_damping": 0.3, "stand_settle": 0.18, "gait_smooth": 0.12,
    "turn_gait": 0.1, "turn_ahead": 11.0, "jump_time": float(JUMP_TIME), "jump_speed": 2.5,
    "foot_heel_height": 2.0, "foot_toe_height": 2.0, "foot_lock_contact": 0.3,
    "foot_reach": 3.0, "foot_stand_reach": 2.5, "foot_step_height": 3.0, "foot_step_fade": 0.08,
    "knee_height": 2.0, "ground_reach": 25.0, "ground_smooth": 0.15, "ground_feet": 1.0,
    "ground_tilt": 1.0, "foot_height_smooth": 0.35, "breath": 0.4, "sway": 0.8,
    "speed_push": 0.5, "inertia_jump": 7.0, "inertia_body": 3.0, "inertia_way": 13.0,
}  # fmt: skip

SAMPLES = tuple(range(-60, 60, 10))
FUTURE = (10, 20, 30, 40, 50)
WINDOW = (60, 60)


def joints() -> list[Joint]:
    """The skeleton, body first, every leg from the hip down, then what is there for looks."""
    out = [Joint("Body", "", (0.0, POSTURE[0], 0.0))]
    for leg in LEGS:
        out_x = 1.0 if leg.endswith("Left") else -1.0
        ahead = FORWARD if leg.startswith("Front") else -FORWARD
        out.append(Joint(leg + "Hip", "Body", (out_x * SIDE, 0.0, ahead)))
        out.append(Joint(leg + "Thigh", leg + "Hip", (out_x * LINK, 0.0, 0.0)))
        out.append(Joint(leg + "Shank", leg + "Thigh", (0.0, -THIGH, 0.0)))
        out.append(Joint(leg + "Foot", leg + "Shank", (0.0, -SHANK, 0.0)))
    return out + [Joint(*look) for look in LOOKS]


def hinges() -> list[Hinge]:
    """Three hinges a leg, in the order of the data."""
    out = []
    for leg in LEGS:
        rest = REST_FRONT if leg.startswith("Front") else REST_HIND
        for part, limit, angle in zip(PARTS, LIMITS, rest):
            axis = HIP_AXIS if part == "Hip" else KNEE_AXIS
            angle = -angle if part == "Hip" and leg.endswith("Left") else angle
            out.append(Hinge(leg + part, axis, *limit, angle))
    return out


def rest_angles() -> np.ndarray:
    """The hinge angles [12] of rest."""
    return np.array([h.rest for h in hinges()])


def blocks(feet: Sequence[str]) -> tuple[list[Block], list[Block]]:
    """The inputs and outputs of an animal on hinged legs with `feet`, but for its gaits."""
    path = [f"{kind}.{axis}" for kind in ("position", "direction", "velocity") for axis in "xz"]
    state = ["hinge.angle", "hinge.velocity", "body.posture", "body.rate", "root.motion"]
    state += ["foot.position", "foot.velocity", "leg.phase"]
    inputs = [Block(n) for n in state] + [Block("trajectory." + p) for p in path]
    out = ["hinge.change", "body.change", "hinge.velocity", "body.rate"]
    out += ["root.velocity.x", "root.velocity.z", "root.turn"]
    outputs = [Block(n) for n in out] + [Block("contact", (foot,)) for foot in feet]
    outputs += [Block("leg.phase"), Block("leg.phase.rate")]
    return inputs, outputs + [Block("future." + p) for p in path]


def contract() -> Contract:
    """The dog's contract."""
    inputs, outputs = blocks([leg + "Foot" for leg in LEGS])
    inputs.append(Block("trajectory.gait", ("jump",)))
    legs = [tuple(leg + p for p in ("Thigh", "Shank", "Foot", "Foot")) for leg in LEGS]
    return Contract("dog", RATE, 0.01, joints(), legs, WINDOW, list(SAMPLES),  # type: ignore
                    list(FUTURE), [("stand", "stand"), ("jump", "jump")], inputs, outputs,
                    dict(RULES), hinges(), POSTURE)


def jump_amount(frames: np.ndarray) -> np.ndarray:
    """How much of a jump it is, `frames` (any shape) after its top: 1 at the top, 0 from JUMP_TIME
    on to either side."""
    return np.where(np.abs(frames) < JUMP_TIME, 0.5 + 0.5 * np.cos(np.pi * frames / JUMP_TIME), 0)


def default_folder() -> Path:
    """Where the motion is: in python/.cache or beside the checkout."""
    here = Path(__file__).resolve().parents[3]
    places = [base / "dog" for base in (here / "python" / ".cache",
                                        here.parent / "shared" / "data" / "motion")]
    for place in places:
        if (place / FILE).exists():
            return place
    raise FileNotFoundError(f"the dog's motion, {FILE}, is not in "
                            f"{' or '.join(map(str, places))}: name its folder with --data")


def gate_features(contract: Contract) -> list[int]:
    """Columns of x that the gate sees: leg phases, path velocities, jumps, the root's motion."""
    names = contract.input_names()
    kinds = ("velocity.x", "velocity.z", "gait.jump")
    wanted = {f"trajectory.{k}[{o}]" for k in kinds for o in GATE_OFFSETS}
    return [i for i, n in enumerate(names)
            if n in wanted or n.startswith(("leg.phase.", "root.motion."))]
