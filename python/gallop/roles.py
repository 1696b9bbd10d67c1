"""Which joint of an unknown skeleton is what: by name, by geometry, or told in a small TOML file.

A roles file names joints of the BVH files, each line optional:

    hips = "Hips"
    left_hip = "LeftUpLeg"     # and knee, ankle, toe, shoulder, elbow, wrist; and right_...
    head = "Head"
    unit = 0.01                # metres in one unit of the files
    up = "y"                   # or "z"
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gallop.bvh import Bvh

PARTS = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")
SIDES = ("left", "right")
KEYS = ("hips", "head", *(f"{s}_{p}" for s in SIDES for p in PARTS), "unit", "up")

# What a part may be called, the best names first. Names are compared in small letters, without the
# side, prefixes such as "mixamorig:" or "CC_Base_" and without signs.
WORDS = {
    "hips": ("hips", "pelvis", "hip", "root", "boneroot"),
    "head": ("head",),
    "hip": ("upleg", "thigh", "upperleg", "upperleg01", "hip", "femur"),
    "knee": ("knee", "calf", "lowerleg", "lowerleg01", "shin", "leg", "tibia"),
    "ankle": ("ankle", "foot"),
    "toe": ("toebase", "toe", "ball", "toes", "toeend"),
    "shoulder": ("arm", "upperarm", "upperarm01", "shoulder", "humerus"),
    "elbow": ("elbow", "forearm", "lowerarm", "lowerarm01", "radius"),
    "wrist": ("wrist", "hand"),
}


class RolesError(ValueError):
    """Roles that were not found, or a roles file that is not sound."""


@dataclass
class Roles:
    """Joint names by role, and how the files' space lies: unit in metres, up axis."""

    joints: dict[str, str]
    unit: float
    up: str
    how: dict[str, str] = field(default_factory=dict)

    def leg(self, side: str) -> tuple[str, str, str, str]:
        return tuple(self.joints[f"{side}_{p}"] for p in PARTS[:4])  # type: ignore

    def describe(self) -> str:
        """What was found and how, a line each."""
        lines = [f"  {k:15} {v}  ({self.how.get(k, 'given')})" for k, v in self.joints.items()]
        lines.append(f"  {'unit':15} {self.unit:g} m  ({self.how.get('unit', 'given')})")
        lines.append(f"  {'up':15} {self.up}  ({self.how.get('up', 'given')})")
        return "\n".join(lines)


PREFIX = re.compile(r"^(mixamorig\d*:|cc_base_|bip\d+[ _]|rl_|.*:)", re.I)
SIGNS = (
    (re.compile(r"[Ll]eft|LEFT"), "left"),
    (re.compile(r"[Rr]ight|RIGHT"), "right"),
    (re.compile(r"(?<=[_. ])[lL](?![a-zA-Z])|^[lL](?=[A-Z_. ])"), "left"),
    (re.compile(r"(?<=[_. ])[rR](?![a-zA-Z])|^[rR](?=[A-Z_. ])"), "right"),
)


def split_side(name: str) -> tuple[str, str]:
    """A joint's side ("left", "right" or "") and the rest of its name in small letters."""
    bare, side = PREFIX.sub("", name), ""
    for sign, which in SIGNS:
        found = sign.search(bare)
        if found:
            bare, side = bare[: found.start()] + bare[found.end() :], which
            break
    return side, re.sub(r"[^a-z0-9]", "", bare.lower())


def shared_prefix(names: list[str]) -> str:
    """What four of five names begin with, up to a sign: a rig's own name ("hero_LeftFoot")."""
    firsts = Counter(m[0] for m in (re.match(r"[^_:. -]+[_:. -]", n) for n in names) if m)
    prefix, count = firsts.most_common(1)[0] if firsts else ("", 0)
    return prefix if count >= 0.8 * len(names) else ""


def find(file: Bvh, given: Path | None = None) -> Roles:
    """The roles of a skeleton; a RolesError says what is missing and how to name it."""
    told = read_file(given, file) if given else {}
    bare = [PREFIX.sub("", n) for n in file.names]
    prefix = shared_prefix(bare)
    parsed = [split_side(n.removeprefix(prefix)) for n in bare]
    joints: dict[str, str] = {}
    how: dict[str, str] = {}
    for role in KEYS[:-2]:
        if role in told:
            joints[role], how[role] = str(told[role]), "given"
        else:
            name = _by_name(role, file, parsed)
            if name:
                joints[role], how[role] = name, "by name"
    for side in SIDES:
        _leg_by_geometry(side, file, joints, how)
    missing = [f"{s}_{p}" for s in SIDES for p in PARTS[:4] if f"{s}_{p}" not in joints]
    if missing:
        raise RolesError(f"{file.path}:1: no joint found for {', '.join(missing)}; name them in a "
                         f'file for --roles, a line each: {missing[0]} = "JOINT"; the joints are '
                         + ", ".join(file.names))
    _hips_over_all(file, joints, how)
    up, unit = str(told.get("up", "")), float(told.get("unit", 0))  # type: ignore[arg-type]
    if not up:
        up, how["up"] = detect_up(file, joints), "by the hips over the feet"
    if not unit:
        unit, how["unit"] = detect_unit(file, joints), "by the length of the legs"
    return Roles(joints, unit, up, how)


def _hips_over_all(file: Bvh, joints: dict[str, str], how: dict[str, str]) -> None:
    """The hips must carry both legs and the head; else they are the joint that does."""
    carried = [joints[r] for r in ("left_hip", "right_hip", "head") if r in joints]
    chains = [_chain(file, name) for name in carried]
    if "hips" in joints and all(file.names.index(joints["hips"]) in c for c in chains):
        return
    common = next(j for j in chains[0] if all(j in c for c in chains))
    joints["hips"], how["hips"] = file.names[common], "carries the legs and the head"


def _by_name(role: str, file: Bvh, parsed: list[tuple[str, str]]) -> str | None:
    side, _, part = role.rpartition("_")
    for word in WORDS[part if side else role]:
        for name, (its_side, rest) in zip(file.names, parsed):
            if rest == word and its_side == side and _plausible(part, name, file):
                return name
    return None


def _plausible(part: str, name: str, file: Bvh) -> bool:
    """A leg's parts have length: helper joints of length zero are not taken for them."""
    if part not in ("knee", "ankle", "toe"):
        return True
    j = file.names.index(name)
    return float(np.linalg.norm(file.offsets[j])) > 1e-3 * _size(file)


def _size(file: Bvh) -> float:
    return float(np.linalg.norm(file.offsets, axis=1).sum()) / 10


def _chain(file: Bvh, name: str) -> list[int]:
    """Indices from a joint up to the root."""
    at, chain = file.names.index(name), []
    while at >= 0:
        chain.append(at)
        at = file.parents[at]
    return chain


def _leg_by_geometry(side: str, file: Bvh, joints: dict[str, str], how: dict[str, str]) -> None:
    """A toe that was not found is the ankle's child, or the end of its bone, which becomes a joint
    of the file; a knee lies between hip and ankle."""
    ankle = joints.get(f"{side}_ankle")
    if ankle and f"{side}_toe" not in joints:
        a = file.names.index(ankle)
        children = [j for j, p in enumerate(file.parents) if p == a]
        end = file.joints[a].end
        if not children and end and np.linalg.norm(end) > 1e-3 * _size(file):
            joints[f"{side}_toe"], how[f"{side}_toe"] = _end_joint(file, a), "the ankle's end site"
        elif children:
            far = max(children, key=lambda j: float(np.linalg.norm(file.offsets[j])))
            joints[f"{side}_toe"], how[f"{side}_toe"] = file.names[far], "the ankle's child"
    if not ankle:
        return
    chain = _chain(file, ankle)
    for part, up in (("knee", 1), ("hip", 2)):
        known = joints.get(f"{side}_{part}")
        if known and file.names.index(known) in chain:
            continue
        if len(chain) > up:
            joints[f"{side}_{part}"] = file.names[chain[up]]
            how[f"{side}_{part}"] = "above the ankle"


def _end_joint(file: Bvh, joint: int) -> str:
    """The name of the joint at the end of a joint's bone, added to the file: it does not turn."""
    from gallop.bvh import Joint

    parent = file.joints[joint]
    name = next(n for n in (parent.name + "End", parent.name + "EndSite") if n not in file.names)
    file.joints.append(Joint(name, joint, parent.line, list(parent.end or ()), []))
    file.starts.append(file.values.shape[1])
    return name


def read_file(path: Path, file: Bvh, keys: tuple[str, ...] = KEYS) -> dict[str, object]:
    """A roles file: `key = "value"` lines, a part of TOML that needs no library."""
    out: dict[str, object] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.split("#")[0].strip()
        if not text or text.startswith("["):
            continue
        found = re.fullmatch(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([-+.\deE]+))""", text)
        if not found or found[1] not in keys:
            raise RolesError(f"{path}:{number}: expected ROLE = \"JOINT\" with one of "
                             f"{', '.join(keys)}")
        value = found[2] or found[3] or found[4]
        _check(path, number, found[1], value, file)
        out[found[1]] = value
    return out


def _check(path: Path, number: int, key: str, value: str, file: Bvh) -> None:
    if key == "up" and value not in ("y", "z"):
        raise RolesError(f"{path}:{number}: up is 'y' or 'z', not '{value}'")
    if key == "unit":
        try:
            good = 1e-4 < float(value) < 100
        except ValueError:
            good = False
        if not good:
            raise RolesError(f"{path}:{number}: unit '{value}' is not a number of metres")
    if key not in ("up", "unit") and value not in file.names:
        raise RolesError(f"{path}:{number}: {file.path} has no joint '{value}'")


def _pose(file: Bvh) -> np.ndarray:
    """World positions [T, J, 3] of up to 200 frames over the whole file."""
    every = max(1, len(file.values) // 200)
    part = Bvh(file.path, file.joints, file.frame_time, file.values[::every], file.starts)
    return part.world()[0]


def detect_up(file: Bvh, joints: dict[str, str]) -> str:
    """"y" or "z": along which axis the hips are over the ankles in the motion itself."""
    position = _pose(file)
    feet = [file.names.index(joints[f"{s}_ankle"]) for s in SIDES]
    hips = file.names.index(joints["left_hip"])
    over = np.abs((position[:, hips] - position[:, feet].mean(1)).mean(0))
    return "y" if over[1] >= over[2] else "z"


def common_up(read: list[tuple[Bvh, str]]) -> str:
    """The axis that is up in most seconds of files of one skeleton: a file by itself may show
    somebody who lies."""
    seconds = {"y": 0.0, "z": 0.0}
    for file, up in read:
        seconds[up] += len(file.values) * file.frame_time
    return max(seconds, key=lambda axis: seconds[axis])


def detect_unit(file: Bvh, joints: dict[str, str]) -> float:
    """Metres in a unit: the nearest of m, dm, cm, mm, inch and foot to a leg of 0.85 m."""
    knee, ankle = (file.names.index(joints[f"left_{p}"]) for p in ("knee", "ankle"))
    length = float(np.linalg.norm(file.offsets[knee]) + np.linalg.norm(file.offsets[ankle]))
    units = (1.0, 0.1, 0.01, 0.001, 0.0254, 0.3048, 0.0564)
    return min(units, key=lambda u: abs(np.log(max(length, 1e-9) * u / 0.85)))
