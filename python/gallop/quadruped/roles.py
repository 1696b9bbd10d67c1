"""Which joints of an unknown skeleton are an animal's four legs, its trunk, head and tail.

By names where these say so ("FrontLeftPaw", "hind_leg_r", "FL_hip", or the names of a person whose
hands walk); else by what reaches the ground in the motion itself. A roles file names what is not
found, each line optional:

    front_left = "Joint12"       # where a leg begins; also front_right, hind_left, hind_right
    front_left_toe = "Joint15"   # where it ends
    hips = "Joint0"              # carries all legs; and head, tail
    unit = 0.01                  # metres in one unit of the files
    up = "y"                     # or "z"
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gallop import roles as finding
from gallop.bvh import Bvh
from gallop.motion import Skeleton
from gallop.roles import RolesError

LIMBS = ("front_right", "front_left", "hind_right", "hind_left")  # in the dog's order
KEYS = ("hips", "head", "tail", *LIMBS, *(f"{limb}_toe" for limb in LIMBS), "unit", "up")
PLACES = {"front": "front", "fore": "front", "forelimb": "front", "foreleg": "front",
          "forepaw": "front", "hind": "hind", "hindlimb": "hind", "hindleg": "hind",
          "hindpaw": "hind", "back": "hind", "rear": "hind"}
SHORT = {p + s: f"{place}_{side}" for p, place in (("f", "front"), ("h", "hind"), ("r", "hind"),
         ("b", "hind")) for s, side in (("l", "left"), ("r", "right"))}
SHORT.update({"lf": "front_left", "rf": "front_right", "lh": "hind_left", "rh": "hind_right"})
HUMAN = {"hip": "hind", "knee": "hind", "ankle": "hind", "shoulder": "front", "elbow": "front",
         "wrist": "front"}
HELPERS = ("ik", "pole", "target", "ctrl", "control", "effector")
WORDS = {"head": ("head", "skull"), "tail": ("tail",)}
LOW = 0.14  # of an animal's height: what comes so near to the floor stands on it
NEAR = 0.2  # of its height: ends that stay so near to each other are of one foot
UNITS = (1.0, 0.01, 0.001)  # metres: what lengths of animals are written in
LEG = 0.45  # metres: a leg of no small and of no large animal


@dataclass
class Roles:
    """An animal's joints by name: `limbs` from the top of each leg to its toe, hips (carries all of
    them), head and tail ("" where there is none); the unit in metres, and the axis that is up."""

    limbs: dict[str, list[str]]
    hips: str
    head: str
    tail: str
    unit: float
    up: str
    how: dict[str, str] = field(default_factory=dict)

    def describe(self) -> str:
        """What was found and how, a line each."""
        lines = [f"  {limb:15} {' > '.join(chain)}  ({self.how[limb]})"
                 for limb, chain in self.limbs.items()]
        for name, value in (("hips", self.hips), ("head", self.head), ("tail", self.tail),
                            ("unit", f"{self.unit:g} m"), ("up", self.up)):
            lines.append(f"  {name:15} {value or 'none'}  ({self.how.get(name, 'not found')})")
        return "\n".join(lines)


def tokens(name: str) -> list[str]:
    """The words of a joint's name, in small letters."""
    return re.findall(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+", finding.PREFIX.sub("", name))


def limb_of(name: str) -> str:
    """Which leg a name tells of, by an animal's words; "" for none."""
    words = [w.lower() for w in tokens(name)]
    if any(w in HELPERS for w in words):
        return ""
    short = next((SHORT[w] for w in words if w in SHORT), "")
    place = next((PLACES[w] for w in words if w in PLACES), "")
    side, _ = finding.split_side(name)
    return f"{place}_{side}" if place and side else short


def is_quadruped(file: Bvh) -> bool:
    """Whether a file shows an animal on four legs: by an animal's names of joints, by a person's
    whose trunk lies and whose hands are on the ground, or by three or four legs that stand."""
    named = {limb_of(n) for n in file.names} - {""}
    if len(named) >= 3:
        return True
    try:
        person = finding.find(copy_of(file))
    except RolesError:
        axis = _upright(file)
        return len(_standing(file, axis)) >= 3
    parts = [f"{s}_{p}" for s in finding.SIDES for p in ("shoulder", "wrist")]
    if any(p not in person.joints for p in parts):
        return False
    return _goes_on_hands(file, person)


def copy_of(file: Bvh) -> Bvh:
    """The file with lists of its own: finding roles may add joints at ends."""
    return Bvh(file.path, list(file.joints), file.frame_time, file.values, list(file.starts))


def _goes_on_hands(file: Bvh, person: finding.Roles) -> bool:
    at = {r: file.names.index(n) for r, n in person.joints.items() if n in file.names}
    position = finding._pose(file)
    centre = [position[:, [at[f"left_{p}"], at[f"right_{p}"]]].mean(1)
              for p in ("hip", "shoulder", "wrist")]
    for axis in (1, 2):
        trunk = centre[1] - centre[0]
        leans = np.abs(trunk[:, axis]) / np.maximum(np.linalg.norm(trunk, axis=-1), 1e-9)
        floor = np.percentile(position[..., axis].min(1), 5)
        high = centre[2][:, axis] - floor, centre[1][:, axis] - floor
        if np.median(leans) < 0.6 and np.median(high[0]) < 0.35 * np.median(high[1]):
            return True
    return False


def find(file: Bvh, given: Path | None = None) -> Roles:
    """The roles of a quadruped's skeleton; a RolesError says what is missing."""
    told = finding.read_file(given, file, KEYS) if given else {}
    limbs, how = _told_limbs(file, told)
    if len(limbs) < 4:
        by_name, way = _limbs_by_name(file)
        if not by_name:
            by_name, way = _limbs_by_ground(file, told), "by what stands on the ground"
        for limb, chain in by_name.items():
            if limb not in limbs:
                limbs[limb], how[limb] = chain, way
    missing = [limb for limb in LIMBS if limb not in limbs]
    if missing:
        known = ", ".join(f"{k} is '{file.names[v[0]]}'" for k, v in limbs.items())
        raise RolesError(f"{file.path}:{_line(file, limbs)}: no leg found for "
                         f"{', '.join(missing)} ({known}); name its first joint in a file for "
                         f"--roles: {missing[0]} = \"JOINT\"")
    limbs = {limb: _with_end(file, limbs[limb]) for limb in LIMBS}
    up = str(told.get("up", "")) or _up_of(file, limbs)
    how["up"] = "given" if "up" in told else "by the legs in the motion"
    _check_trunk(file, limbs)
    hips = str(told.get("hips", "")) or file.names[common(file, [c[0] for c in limbs.values()])]
    how["hips"] = "given" if "hips" in told else "carries all legs"
    unit = float(told.get("unit", 0)) or _unit_of(file, limbs["hind_left"])  # type: ignore
    how["unit"] = "given" if "unit" in told else "by the length of the legs"
    found = Roles({k: [file.names[j] for j in v] for k, v in limbs.items()}, hips, "", "", unit,
                  up, how)
    for role in ("head", "tail"):
        name = str(told.get(role, "")) or _word(file, role)
        setattr(found, role, name)
        if name:
            how[role] = "given" if role in told else "by name"
    return found


def _line(file: Bvh, limbs: dict[str, list[int]]) -> int:
    tops = [file.joints[c[0]].line for c in limbs.values()]
    return max(tops, default=1) or 1


def _told_limbs(file: Bvh, told: dict[str, object]) -> tuple[dict[str, list[int]], dict[str, str]]:
    limbs, how = {}, {}
    for limb in LIMBS:
        if limb not in told:
            continue
        top = file.names.index(str(told[limb]))
        end = told.get(f"{limb}_toe")
        chain = _down_to(file, top, file.names.index(str(end))) if end else _longest(file, top)
        if not chain:
            raise RolesError(f"{file.path}:{file.joints[top].line}: '{end}' does not hang below "
                             f"'{told[limb]}'")
        limbs[limb], how[limb] = chain, "given"
    return limbs, how


def _children(file: Bvh, joint: int) -> list[int]:
    return [j for j, p in enumerate(file.parents) if p == joint]


def _down_to(file: Bvh, top: int, end: int) -> list[int]:
    """Joints from `top` down to `end`; none where it does not hang there."""
    out = [end]
    while out[-1] != top:
        parent = file.parents[out[-1]]
        if parent < 0:
            return []
        out.append(parent)
    return out[::-1]


def _longest(file: Bvh, top: int) -> list[int]:
    """The longest chain of bones down from a joint."""
    best, length = [top], 0.0
    lengths = np.linalg.norm(file.offsets, axis=1)
    for end in range(top, len(file.joints)):
        chain = _down_to(file, top, end) if not _children(file, end) else []
        total = float(lengths[chain[1:]].sum()) if chain else 0.0
        if chain and total > length:
            best, length = chain, total
    while len(best) > 2 and lengths[best[-1]] < 0.04 * length:  # a leaf that marks an end
        best = best[:-1]
    return best


def _limbs_by_name(file: Bvh) -> tuple[dict[str, list[int]], str]:
    """Legs by an animal's words, else by a person's; none where fewer than three are named."""
    named = [limb_of(n) for n in file.names]
    if len(set(named) - {""}) >= 3:
        return _chains(file, named), "by name"
    person = []
    for name in file.names:
        side, rest = finding.split_side(name)
        part = next((p for p in HUMAN if side and rest in finding.WORDS[p]), "")
        person.append(f"{HUMAN[part]}_{side}" if part else "")
    if len(set(person) - {""}) == 4:
        return _chains(file, person), "by a person's names"
    return {}, ""


def _chains(file: Bvh, named: list[str]) -> dict[str, list[int]]:
    """Each limb's longest chain from the highest of its joints."""
    out = {}
    for limb in LIMBS:
        tops = [j for j, n in enumerate(named) if n == limb and (
            file.parents[j] < 0 or named[file.parents[j]] != limb)]
        chains = [c for c in (_longest(file, t) for t in tops) if len(c) >= 3]
        if chains:
            out[limb] = max(chains, key=lambda c: np.linalg.norm(file.offsets[c[1:]], axis=1).sum())
    return out


# ---- by the motion ----


def _upright(file: Bvh) -> int:
    """The axis (1 or 2) along which the most legs stand on one level."""
    return max((1, 2), key=lambda axis: (min(len(_standing(file, axis)), 4), axis == 1))


def _standing(file: Bvh, axis: int) -> list[list[int]]:
    """Chains of joints that end on the ground, each foot once, whose ways are their own."""
    position = finding._pose(file)
    height = position[..., axis]
    floor = np.percentile(height.min(1), 5)
    size = float(np.median(height.max(1)) - floor)
    ends = [j for j in range(len(file.joints)) if not _children(file, j)]
    low = {j for j in ends if np.percentile(height[:, j], 25) - floor < LOW * size}
    below = {j: [e for e in ends if _down_to(file, j, e)] for j in range(len(file.joints))}

    def one_foot(joint: int) -> bool:
        mine = below[joint]
        if any(e not in low for e in mine):
            return False
        apart = np.linalg.norm(position[:, mine] - position[:, mine[:1]], axis=-1)
        return bool(np.percentile(apart.max(1), 90) < NEAR * size)

    tops: dict[int, int] = {}
    for end in sorted(low):
        top = end
        while file.parents[top] >= 0 and one_foot(file.parents[top]):
            top = file.parents[top]
        tops.setdefault(top, end)
    return [c for c in (_down_to(file, t, e) for t, e in tops.items()) if len(c) >= 3]


def _limbs_by_ground(file: Bvh, told: dict[str, object]) -> dict[str, list[int]]:
    axis = {"y": 1, "z": 2}.get(str(told.get("up", "")), _upright(file))
    chains = _standing(file, axis)
    if len(chains) != 4:
        ends = ", ".join(f"'{file.names[c[-1]]}'" for c in chains) or "none"
        raise RolesError(f"{file.path}:{file.joints[chains[-1][0]].line if chains else 1}: "
                         f"{len(chains)} chains of joints reach the ground (their ends: {ends}), "
                         "a quadruped has four; name the legs in a file for --roles: "
                         'front_left = "JOINT" and so on')
    position = finding._pose(file)
    flat = [0, 2] if axis == 1 else [0, 1]
    tops = position[:, [c[0] for c in chains]][..., flat]
    spread = tops - tops.mean(1, keepdims=True)
    along = _trunk_axis(spread)
    ahead = (spread * along[:, None]).sum(-1)
    front = np.median(ahead, axis=0) > 0
    if front.sum() != 2:
        raise RolesError(f"{file.path}:1: the legs are not two before two; name them for --roles")
    if not _leads(file, along, position[..., flat], told):
        along, front = -along, ~front
    left = np.stack([along[:, 1], -along[:, 0]], -1)
    left = left if axis == 1 else -left
    aside = np.median((spread * left[:, None]).sum(-1), axis=0)
    out = {}
    for place, mark in (("front", front), ("hind", ~front)):
        two = np.flatnonzero(mark)
        ordered = two[np.argsort(aside[two])]
        out[f"{place}_right"], out[f"{place}_left"] = (chains[i] for i in ordered)
    return out


def _trunk_axis(spread: np.ndarray) -> np.ndarray:
    """The direction [T, 2] along which the legs' tops [T, 4, 2] lie furthest apart, always the same
    way round."""
    out = []
    for points in spread:
        _, axes = np.linalg.eigh(points.T @ points)
        out.append(axes[:, 1])
    along = np.array(out)
    first = (spread[:, :1] * along[:, None]).sum(-1)
    return along * np.where(first < 0, -1.0, 1.0)


def _leads(file: Bvh, along: np.ndarray, flat: np.ndarray, told: dict[str, object]) -> bool:
    """Whether the trunk's direction leads to the head: by the head's or tail's name, else by where
    the animal goes."""
    centre = flat.mean(1)
    for role, sign in (("head", 1.0), ("tail", -1.0)):
        name = str(told.get(role, "")) or _word(file, role)
        if name:
            away = flat[:, file.names.index(name)] - centre
            return bool(np.median((away * along).sum(-1)) * sign > 0)
    way = float((np.diff(centre, axis=0) * along[1:]).sum())
    if abs(way) < 0.5 * float(np.abs(spread_of(flat)).max()):
        raise RolesError(f"{file.path}:1: no joint is named a head, and nobody goes anywhere: "
                         'which end is the front? Say head = "JOINT" in a file for --roles')
    return way > 0


def spread_of(flat: np.ndarray) -> np.ndarray:
    """How far joints [T, J, 2] are from their middle, in the first frame."""
    return flat[0] - flat[0].mean(0)


def _word(file: Bvh, role: str) -> str:
    """The joint of the head (the first that is called so) or of the tail's end."""
    named = [n for n in file.names
             if any(w.lower() in WORDS[role] for w in tokens(n)) and not finding.split_side(n)[0]]
    if not named:
        return ""
    return named[0] if role == "head" else max(
        named, key=lambda n: len(_down_to(file, 0, file.names.index(n))))


def foot_of(skeleton: Skeleton, chain: list[str]) -> tuple[str, str, str, str]:
    """A leg as a contract has it: hip and knee begin its first two long bones, the heel ends them,
    the toe ends the leg."""
    lengths = [float(np.linalg.norm(skeleton.offsets[skeleton.index(n)])) for n in chain[1:]]
    long = [b > 0.5 * max(lengths) for b in lengths]
    first = next((i for i in range(len(long) - 1) if long[i] and long[i + 1]), len(long) - 2)
    return chain[first], chain[first + 1], chain[first + 2], chain[-1]


# ---- checks and the space ----


def _with_end(file: Bvh, chain: list[int]) -> list[int]:
    """The chain, down to the end of its last bone where that is a part of a leg."""
    end = file.joints[chain[-1]].end
    length = np.linalg.norm(file.offsets[chain[1:]], axis=1).sum()
    if end is None or _children(file, chain[-1]) or np.linalg.norm(end) < 0.08 * length:
        return chain
    name = finding._end_joint(file, chain[-1])  # before the names, which it adds to
    return [*chain, file.names.index(name)]


def common(file: Bvh, joints: list[int]) -> int:
    """The lowest joint above all of these."""
    chains = [_down_to(file, 0, file.parents[j]) for j in joints]
    return next(j for j in reversed(chains[0]) if all(j in c for c in chains))


def _up_of(file: Bvh, limbs: dict[str, list[int]]) -> str:
    position = finding._pose(file)
    over = [position[:, c[0]] - position[:, c[-1]] for c in limbs.values()]
    mean = np.abs(np.mean(over, axis=(0, 1)))
    return "y" if mean[1] >= mean[2] else "z"


def _unit_of(file: Bvh, leg: list[int]) -> float:
    length = float(np.linalg.norm(file.offsets[leg[1:]], axis=1).sum())
    return min(UNITS, key=lambda u: abs(np.log(max(length, 1e-9) * u / LEG)))


def _check_trunk(file: Bvh, limbs: dict[str, list[int]]) -> None:
    """The trunk lies between front and hind legs: a length, and joints that carry both."""
    position = finding._pose(file)
    places = {p: position[:, [limbs[f"{p}_{s}"][0] for s in finding.SIDES]].mean(1)
              for p in ("front", "hind")}
    long = np.median(np.linalg.norm(places["front"] - places["hind"], axis=-1))
    leg = np.linalg.norm(file.offsets[limbs["hind_left"][1:]], axis=1).sum()
    if long < 0.3 * leg:
        front, hind = (limbs[f"{p}_left"][0] for p in ("front", "hind"))
        raise RolesError(f"{file.path}:{file.joints[front].line}: '{file.names[front]}' of the "
                         f"front leg stands where '{file.names[hind]}' of the hind leg does: there "
                         "is no trunk, no spine between them")
