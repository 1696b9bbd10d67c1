"""A quadruped's run on another quadruped's skeleton: what gallop.retarget does for people.

Roles are the training's (roles.py). Trunk, neck, head and tail turn from rest as ours do, shared
among what joints they have. Places are scaled by the legs' lengths. A foot stands to its hip as
ours does to ours, and stays where it came down: of a longer or wider trunk, it is set by the
heading that it has while it is planted, not by that of the frame. Legs bend as theirs are bent at
rest (as ours, where theirs are straight there), by the reach of two bones; a heel above the toe
folds and stretches with them.

Everything is in metres and in x left, y up, z ahead of each body at rest. T frames, J joints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gallop import rotation
from gallop.bvh import Bvh
from gallop.motion import Skeleton, forward, to_local
from gallop.quadruped import roles as finding
from gallop.quadruped.roles import LIMBS, RolesError, foot_of
from gallop.reach import bent

PLANTED = 0.25  # legs' lengths a second: slower feet stand
STRAIGHT = 0.02  # of a leg: a knee so near to the line from hip to heel does not say where it bends
UPRIGHT = 0.5  # of a leg: a standing animal's hips are higher over its toes


@dataclass
class Body:
    """A file's skeleton at rest. `legs` are hip, knee, heel and toe, in the order of LIMBS;
    `joints` are hips (carries all of it), rump (the hind legs), chest (the front legs and the
    head), and head and tail where there are any."""

    skeleton: Skeleton
    unit: float
    legs: list[tuple[int, ...]]
    tops: list[int]  # the trunk's joint from which each leg hangs
    joints: dict[str, int]
    axes: np.ndarray  # [3, 3], columns: left, up and ahead in the file's axes
    rest: np.ndarray  # [J, 3]
    rest_turn: np.ndarray  # [J, 3, 3]

    def length(self) -> float:
        """Of a leg from hip to toe along its bones, on the whole."""
        bones = [self.rest[b] - self.rest[a] for leg in self.legs for a, b in zip(leg, leg[1:])]
        return float(np.linalg.norm(bones, axis=1).sum()) / len(self.legs)

    def hips(self, place: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Where the legs begin [T, 4, 3] if they hang on the trunk as at rest, at places [T, J, 3]
        and turns from rest [T, J, 3, 3]."""
        return np.stack([place[:, top] + turn[:, top] @ (self.rest[leg[0]] - self.rest[top])
                         for leg, top in zip(self.legs, self.tops)], 1)


def body_of(file: Bvh, given: Path | None = None, frame: int | None = None) -> Body:
    """What is known of a file's skeleton, at rest in that frame, from 1; without one in the pose
    without rotations where that stands, else in the first frame. RolesError. Adds joints to the
    file at ends of legs that have none."""
    found = finding.find(file, given)
    if frame is not None and not 1 <= frame <= len(file.values):
        raise RolesError(f"{file.path}: frame {frame}, it has 1..{len(file.values)}")
    skeleton = Skeleton(file.names, file.parents, file.offsets * found.unit)
    moved = file.rotations()[[0 if frame is None else frame - 1]]
    without = np.tile(np.eye(3), (1, len(file.names), 1, 1))
    for local in (without, moved) if frame is None else (moved,):
        place, turn = forward(skeleton, local, np.zeros((1, 3)))
        body = _body(file, skeleton, found, place[0], turn[0])
        if _stands(body):
            return body
    toes = ", ".join(f"'{file.names[leg[3]]}'" for leg in body.legs)
    where = "its first frame and its pose without rotations" if frame is None else f"frame {frame}"
    raise RolesError(f"{file.path}: in {where} it does not stand on {toes}; --frame names one in "
                     "which it does")


def _body(file: Bvh, skeleton: Skeleton, found: finding.Roles, rest: np.ndarray,
          turn: np.ndarray) -> Body:
    index = file.names.index
    chains = [[index(n) for n in found.limbs[limb]] for limb in LIMBS]
    legs = [tuple(index(n) for n in foot_of(skeleton, found.limbs[limb])) for limb in LIMBS]
    front, hind = [c[0] for c in chains[:2]], [c[0] for c in chains[2:]]
    joints = {role: index(name) for role, name in (("head", found.head), ("tail", found.tail))
              if name}
    carried_by = {"hips": [*front, *hind, *joints.values()], "rump": hind,
                  "chest": [*front, *([joints["head"]] if found.head else [])]}
    joints.update({role: finding.common(file, below) for role, below in carried_by.items()})
    up = np.eye(3)[1 if found.up == "y" else 2]
    middle = [rest[[legs[i][0] for i in pair]].mean(0) for pair in ((0, 1), (2, 3))]
    ahead = middle[0] - middle[1]
    ahead = ahead - up * (ahead @ up)
    ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
    axes = np.stack([np.cross(up, ahead), up, ahead], 1)
    return Body(skeleton, found.unit, legs, [skeleton.parents[c[0]] for c in chains], joints, axes,
                rest @ axes, axes.T @ turn)


def _stands(body: Body) -> bool:
    """Whether its hips are over its toes and its trunk is level rather than upright."""
    hips, toes = (body.rest[[leg[k] for leg in body.legs]] for k in (0, 3))
    trunk = hips[:2].mean(0) - hips[2:].mean(0)
    over = (hips - toes)[:, 1] > UPRIGHT * body.length()
    return bool(over.all() and abs(trunk[1]) < trunk[2])


def carried(run: Bvh, onto: Bvh, given: Path | None = None, frame: int | None = None
            ) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """The run's motion on their skeleton: metres in their unit, turns [T, J, 3, 3] and root [T, 3]
    of their joints, and the turn from their axes to those that these are in."""
    if given is None and not finding.is_quadruped(onto):
        hips = finding.find(finding.copy_of(onto)).hips
        raise RolesError(f"{onto.path}: '{hips}' carries no quadruped, and {run.path} is the run "
                         "of one; name the legs in a file for --roles if it is")
    ours, theirs = body_of_run(run), body_of(finding.copy_of(onto), given, frame)
    place, turn = forward(ours.skeleton, run.rotations(), run.positions()[:, 0] * ours.unit)
    place, turn = place @ ours.axes, ours.axes.T @ turn @ np.swapaxes(ours.rest_turn, 1, 2)
    scale = theirs.length() / ours.length()
    own = _trunk(ours, theirs, turn)
    still = np.zeros((len(turn), 3))
    at, _ = forward(theirs.skeleton, to_local(theirs.skeleton, own), still)
    since = own @ np.swapaxes(theirs.rest_turn, 1, 2)
    hips = ours.hips(place, turn)
    root = scale * hips.mean(1) - theirs.hips(at, since).mean(1)
    for i in range(len(LIMBS)):
        goal = scale * place[:, ours.legs[i][3]] + _apart(
            ours, theirs, place, turn, i, scale, run.frame_time)
        thigh = place[:, ours.legs[i][1]] - place[:, ours.legs[i][0]]
        own = _leg(theirs, own, root, i, goal, thigh)
    return theirs.unit, own[:, : len(onto.joints)], root, theirs.axes.T


def body_of_run(run: Bvh) -> Body:
    """Our body. The ends of its last bones are none of the model's joints: a foot ends before."""
    joints = [replace(j, end=None) for j in run.joints]
    return body_of(Bvh(run.path, joints, run.frame_time, run.values, list(run.starts)))


def _trunk(ours: Body, theirs: Body, turn: np.ndarray) -> np.ndarray:
    """World turns [T, J, 3, 3] of their joints, from ours since rest: trunk, neck, head and tail as
    ours, what lies between by shares; all else as at rest on its parent."""
    parents = theirs.skeleton.parents
    known = {theirs.joints["hips"]: turn[:, ours.joints["hips"]]}
    for role in ("rump", "chest", "head", "tail"):
        if role not in ours.joints or role not in theirs.joints:
            continue
        steps, at = [], theirs.joints[role]
        while at not in known:
            steps.append(at)
            at = parents[at]
        for k, j in enumerate(reversed(steps), 1):
            known[j] = rotation.mix(known[at], turn[:, ours.joints[role]], k / len(steps))
    out = np.empty((len(turn), *theirs.rest_turn.shape))
    above, at = [], parents[theirs.joints["hips"]]
    while at >= 0:
        above.append(at)
        at = parents[at]
    for j, parent in enumerate(parents):
        if j in known:
            out[:, j] = known[j] @ theirs.rest_turn[j]
        elif parent < 0 or j in above:
            out[:, j] = theirs.rest_turn[j]
        else:
            out[:, j] = out[:, parent] @ theirs.rest_turn[parent].T @ theirs.rest_turn[j]
    return out


def _apart(ours: Body, theirs: Body, place: np.ndarray, turn: np.ndarray, leg: int, scale: float,
           frame_time: float) -> np.ndarray:
    """How far their foot's place lies from ours, scaled [T, 3]: level, by as much as their leg
    begins elsewhere on the trunk; in the heading in which the foot is planted."""
    hips = [np.array([body.rest[own[0]] for own in body.legs]) for body in (ours, theirs)]
    mine, other = (h[leg] - h.mean(0) for h in hips)
    heading = np.unwrap(rotation.facing_angle(turn[:, ours.joints["hips"]]))
    toe = place[:, ours.legs[leg][3]]
    pace = np.linalg.norm(np.gradient(toe, axis=0) if len(toe) > 1 else 0 * toe, axis=1)
    frames = np.arange(len(toe))
    known, values = [], []
    planted = np.flatnonzero(pace < PLANTED * ours.length() * frame_time)
    for stand in np.split(planted, np.flatnonzero(np.diff(planted) > 1) + 1):
        if len(stand):
            known += [stand[0], stand[-1]]
            values += [heading[stand].mean()] * 2
    if known:
        heading = np.interp(frames, known, values)
    return rotation.about_y(heading) @ ((other - scale * mine) * [1, 0, 1])


def _leg(theirs: Body, turn: np.ndarray, root: np.ndarray, leg: int, goal: np.ndarray,
         thigh: np.ndarray) -> np.ndarray:
    """Turns with a leg whose toe is at its goal [T, 3]; a leg that is straight at rest bends as
    `thigh` [T, 3] lies."""
    hip, knee, heel, toe = theirs.legs[leg]
    at, _ = forward(theirs.skeleton, to_local(theirs.skeleton, turn), root)
    since = turn[:, hip] @ theirs.rest_turn[hip].T
    rest = theirs.rest[[knee, heel, toe]] - theirs.rest[hip]
    lay = rotation.between(since @ rest[2], goal - at[:, hip]) @ since
    off = rest[0] - rest[1] * (rest[0] @ rest[1]) / (rest[1] @ rest[1])
    straight = np.linalg.norm(off) < STRAIGHT * np.linalg.norm(rest[2])
    towards = thigh if straight else lay @ off
    ankle = _heel(rest, goal, at[:, hip], towards)
    out, below = turn.copy(), theirs.skeleton.descendants
    for j in below(hip):
        out[:, j] = lay @ theirs.rest_turn[j]
    if heel != toe:
        fold = rotation.between(lay @ (rest[2] - rest[1]), goal - ankle)
        for j in below(heel):
            out[:, j] = fold @ out[:, j]
    return bent(theirs.skeleton, out, root, (hip, knee, heel), ankle, towards)


def _heel(rest: np.ndarray, goal: np.ndarray, hip: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """Where the heel is [T, 3] over a toe at its goal: as near to the hip as at rest for the leg's
    length from hip to toe, on the other side of it than the knee. `rest` [3, 3] are knee, heel and
    toe from the hip."""
    end = float(np.linalg.norm(rest[2] - rest[1]))
    if end < 1e-6:
        return goal
    line = goal - hip
    far = np.linalg.norm(line, axis=1, keepdims=True)
    line = line / far
    side = towards - line * (towards * line).sum(1, keepdims=True)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    most = float(np.linalg.norm(rest[0]) + np.linalg.norm(rest[1] - rest[0]))
    near = np.minimum(far * np.linalg.norm(rest[1]) / np.linalg.norm(rest[2]), most)
    along = np.clip((far**2 + end**2 - near**2) / (2 * far * end), -1, 1)
    return goal - end * (along * line + np.sqrt(1 - along**2) * side)
