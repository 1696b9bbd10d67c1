"""A run on another skeleton: python3 -m gallop.retarget RUN.bvh --onto THEIRS -o OUT

RUN is what `gallop export` writes. THEIRS is any BVH of a person, whose motion is not looked at but
for its up axis, and OUT has its joints and units; or a .glb of a skinned character, and OUT is the
same file with the run as its first animation. Joints are matched by their roles (roles.py): a
joint of theirs is turned in the world as ours of that role is, after their bone was laid along
ours at rest, so a T pose and an A pose fit. Spine and neck share what lies between hips, chest and
head, unless their joints have our joints' names; what is left follows its parent. Places are
scaled by the legs' lengths, and each leg reaches for its own ankle's place, so that a foot that
stands still in RUN stands still in OUT, as far as the leg is long enough. Where RUN is a
quadruped's, THEIRS is one's, too (quadruped/retarget.py says how it is carried over).

Shapes: T frames, J joints; lengths are metres, in RUN's axes, until the file is written.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from gallop import glb, rotation
from gallop.bvh import Bvh, BvhError, format_bvh, read
from gallop.errors import said_of
from gallop.motion import Skeleton, forward, to_local
from gallop.quadruped import retarget as quadruped
from gallop.quadruped.roles import is_quadruped
from gallop.reach import bent
from gallop.roles import SIDES, Roles, RolesError, find

LIMBS = (("hip", "knee"), ("knee", "ankle"), ("ankle", "toe"), ("shoulder", "elbow"),
         ("elbow", "wrist"))


@dataclass
class Body:
    """A file's skeleton at rest in metres, and its roles as joints. What stands at rest: the pose
    without rotations where it stands upright, else a frame of the motion."""

    file: Bvh
    skeleton: Skeleton
    roles: Roles
    joints: dict[str, int]
    rest: np.ndarray  # [J, 3], the root at the origin
    rest_turn: np.ndarray  # [J, 3, 3], in the world
    rest_local: np.ndarray  # [J, 3, 3]

    def chest(self) -> int:
        """The joint that carries both arms and the head; the hips where arms are not known."""
        wanted = [self.joints[r] for r in ("left_shoulder", "right_shoulder", "head")
                  if r in self.joints]
        chains = [self.chain(j)[1:] for j in wanted]
        if len(chains) < 2:
            return self.joints["hips"]
        return next(j for j in chains[0] if all(j in c for c in chains))

    def chain(self, joint: int) -> list[int]:
        """From a joint up to the root."""
        out = [joint]
        while self.skeleton.parents[out[-1]] >= 0:
            out.append(self.skeleton.parents[out[-1]])
        return out

    def stands(self) -> bool:
        """Whether ankles, hips and head are over each other, the legs nearly straight."""
        up = np.eye(3)[1 if self.roles.up == "y" else 2]
        heights = [self.rest[self.joints[r]] @ up for r in ("left_ankle", "right_ankle", "hips")]
        head = self.rest[self.joints.get("head", self.chest())] @ up
        return (min(heights[2] - heights[0], heights[2] - heights[1]) > 0.8 * self.leg()
                and head - heights[2] > 0.4 * self.leg())

    def leg(self) -> float:
        parts = [self.rest[self.joints[f"left_{p}"]] for p in ("hip", "knee", "ankle")]
        return sum(float(np.linalg.norm(b - a)) for a, b in zip(parts[:-1], parts[1:]))

    def axes(self) -> np.ndarray:
        """Columns: the body's left, up and forward at rest, in the file's axes."""
        up = np.eye(3)[:, 1 if self.roles.up == "y" else 2]
        left = self.rest[self.joints["left_hip"]] - self.rest[self.joints["right_hip"]]
        left = left - up * (left @ up)
        left /= np.linalg.norm(left)
        return np.stack([left, up, np.cross(left, up)], 1)


def body_of(file: Bvh, roles: Path | None = None, frame: int | None = None) -> Body:
    """What is known of a file's skeleton, at rest in that frame; RolesError says what was not
    found."""
    found = find(file, roles)
    skeleton = Skeleton(file.names, file.parents, file.offsets * found.unit)
    joints = {role: file.names.index(name) for role, name in found.joints.items()}
    if frame is not None and not 1 <= frame <= len(file.values):
        raise RolesError(f"{file.path}: frame {frame}, it has 1..{len(file.values)}")
    without = np.tile(np.eye(3), (1, len(file.names), 1, 1))
    for local in (without, file.rotations()) if frame is None else (file.rotations(),):
        local = local[[0 if frame is None else frame - 1]]
        rest, turn = forward(skeleton, local, np.zeros((1, 3)))
        body = Body(file, skeleton, found, joints, rest[0], turn[0], local[0])
        if body.stands():
            return body
    raise RolesError(f"{file.path}: its first frame and its pose without rotations do not stand "
                     "upright; --frame names one that does, a T or an A pose at best")


def retarget(run: Bvh, onto: Bvh, roles: Path | None = None, frame: int | None = None) -> Bvh:
    """The motion of `run` on the skeleton of `onto`; `roles` names joints of `onto`, `frame`, from
    1, the one in which it rests."""
    if is_quadruped(run):
        unit, turn, root, into = quadruped.carried(run, onto, roles, frame)
    else:
        theirs = body_of(onto, roles, frame)
        turn, root, into = carried(body_of(run), theirs)
        unit = theirs.roles.unit
    return _written(onto, unit, run.frame_time, turn, root, into)


def carried(
    ours: Body, theirs: Body, flat: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The motion of our file on their skeleton, in our axes: turns [T, J, 3, 3] in the world, the
    root [T, 3], and the turn from their axes to ours. `flat`: both rest on flat soles, so a foot
    is turned from rest as ours is, whatever way its bone lies in it."""
    into = ours.axes() @ theirs.axes().T
    theirs = replace(theirs, rest=theirs.rest @ into.T, rest_turn=into @ theirs.rest_turn)
    place, turn = _world(ours)
    turn = turn @ np.swapaxes(ours.rest_turn, 1, 2)  # from rest
    scale = theirs.leg() / ours.leg()
    own = _turns(ours, theirs, turn)
    root = _root(ours, theirs, own, scale * place)
    for side in SIDES:
        ankle = f"{side}_ankle"
        if flat:
            foot = theirs.joints[ankle]
            own[:, foot] = turn[:, ours.joints[ankle]] @ theirs.rest_turn[foot]
            for j in theirs.skeleton.descendants(foot)[1:]:
                own[:, j] = own[:, theirs.skeleton.parents[j]] @ theirs.rest_local[j]
        own = _reach(ours, theirs, own, root, side, scale, place, into)
    return own, root, into


def _root(ours: Body, theirs: Body, own: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Their root [T, 3], such that the middle between their legs is where ours is: places [T, J, 3]
    of ours, scaled. Hips that lie higher over the legs would leave the legs too short."""
    def legs(at: np.ndarray, body: Body) -> np.ndarray:
        return at[..., [body.joints[f"{side}_hip"] for side in SIDES], :].mean(-2)

    hips = theirs.joints["hips"]
    middle = theirs.rest_turn[hips].T @ (legs(theirs.rest, theirs) - theirs.rest[hips])
    return legs(place, ours) - own[:, hips] @ middle - theirs.rest[hips] + theirs.rest[0]


def _world(ours: Body) -> tuple[np.ndarray, np.ndarray]:
    """Places [T, J, 3] and turns [T, J, 3, 3] of the run."""
    root = ours.file.positions()[:, 0] * ours.roles.unit
    return forward(ours.skeleton, ours.file.rotations(), root)


def _bone(body: Body, role: str, child: str) -> np.ndarray | None:
    if role not in body.joints or child not in body.joints:
        return None
    bone = body.rest[body.joints[child]] - body.rest[body.joints[role]]
    return bone if np.linalg.norm(bone) > 1e-6 else None


def _turns(ours: Body, theirs: Body, turn: np.ndarray) -> np.ndarray:
    """World turns [T, J, 3, 3] of their joints, in our axes, from our turns since rest."""
    known = {theirs.joints["hips"]: turn[:, ours.joints["hips"]]}
    trunk = [_bone(body, "hips", "head") for body in (theirs, ours)]
    if trunk[0] is not None and trunk[1] is not None:
        lay = rotation.between(trunk[0], trunk[1])
        known[theirs.joints["head"]] = turn[:, ours.joints["head"]] @ lay
        _share(theirs, known, turn[:, ours.chest()] @ lay)
    names = ours.skeleton.names
    known.update({j: turn[:, names.index(name)]
                  for j, name in enumerate(theirs.skeleton.names)
                  if name in names and j != theirs.joints.get("head")})
    for side in SIDES:
        for part, below in LIMBS:
            role, child = f"{side}_{part}", f"{side}_{below}"
            mine, other = _bone(ours, role, child), _bone(theirs, role, child)
            if mine is not None and other is not None:
                lay = rotation.between(other, mine)
                known[theirs.joints[role]] = turn[:, ours.joints[role]] @ lay
    out = np.empty((len(turn), len(theirs.rest), 3, 3))
    above_hips = theirs.chain(theirs.joints["hips"])[1:]
    for j, parent in enumerate(theirs.skeleton.parents):
        if j in known:
            out[:, j] = known[j] @ theirs.rest_turn[j]
        elif parent < 0 or j in above_hips:
            out[:, j] = theirs.rest_turn[j]
        else:
            out[:, j] = out[:, parent] @ theirs.rest_local[j]
    return out


def _share(theirs: Body, known: dict[int, np.ndarray], chest: np.ndarray) -> None:
    """Spine and neck: from the hips' turn to the chest's, from the chest's to the head's."""
    top, hips = theirs.chest(), theirs.joints["hips"]
    if top == hips:
        return
    head = theirs.joints["head"]
    ends = ((hips, top, known[hips], chest), (top, head, chest, known[head]))
    for low, high, first, last in ends:
        between = theirs.chain(high)
        steps = between[: between.index(low)][::-1]
        for i, j in enumerate(steps, 1):
            known[j] = rotation.mix(first, last, i / len(steps))


def _reach(ours: Body, theirs: Body, turn: np.ndarray, root: np.ndarray, side: str, scale: float,
           place: np.ndarray, into: np.ndarray) -> np.ndarray:
    """Turns with one leg bent so that its ankle is where ours is, scaled, as high over the sole
    as theirs is; the foot keeps its turn."""
    hip, knee, ankle, toe = (theirs.joints[f"{side}_{p}"] for p in ("hip", "knee", "ankle", "toe"))
    goal = scale * place[:, ours.joints[f"{side}_ankle"]]
    mine = ours.rest[ours.joints[f"{side}_ankle"]] - ours.rest[ours.joints[f"{side}_toe"]]
    goal = goal + np.array([0, (theirs.rest[ankle] - theirs.rest[toe])[1] - scale * mine[1], 0])
    return bent(theirs.skeleton, turn, root, (hip, knee, ankle), goal)


def _written(file: Bvh, unit: float, frame_time: float, turn: np.ndarray, root: np.ndarray,
             into: np.ndarray) -> Bvh:
    """The file: in their axes and unit, channels as theirs, angles without jumps."""
    frames = len(turn)
    local = to_local(Skeleton(file.names, file.parents, file.offsets), into.T @ turn)
    offsets = np.tile(file.offsets, (frames, 1, 1))
    offsets[:, 0] = root @ into / unit
    values = np.zeros((frames, file.values.shape[1]))
    for j, (joint, start) in enumerate(zip(file.joints, file.starts)):
        channels = joint.channels or []
        at = [start + i for i, c in enumerate(channels) if c.endswith("rotation")]
        axes = "".join(c[0] for c in channels if c.endswith("rotation"))
        if len(axes) == 3:
            with warnings.catch_warnings():  # at a right angle two say the same: any will do
                warnings.simplefilter("ignore", UserWarning)
                angles = Rotation.from_matrix(local[:, j]).as_euler(axes, degrees=True)
            values[:, at] = np.unwrap(angles, period=360, axis=0)
        elif not np.allclose(local[:, j], np.eye(3), atol=1e-3):
            raise RolesError(f"{file.path}:{joint.line}: '{joint.name}' would turn, and has "
                             f"{len(axes)} rotation channels, 3 expected")
        for i, c in enumerate(channels):
            if c.endswith("position"):
                values[:, start + i] = offsets[:, j, "XYZ".index(c[0])]
    return Bvh(file.path, file.joints, frame_time, values, file.starts)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m gallop.retarget", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN.bvh")
    parser.add_argument("--onto", type=Path, required=True, metavar="THEIRS")
    parser.add_argument("--roles", type=Path, help="names joints of THEIRS; roles.py says how")
    parser.add_argument("--frame", type=int, help="of THEIRS, from 1: where it rests")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT",
                        help="of THEIRS' kind, .bvh or .glb")
    args = parser.parse_args()
    binary = args.onto.suffix.lower() == ".glb"
    if binary != (args.output.suffix.lower() == ".glb"):
        parser.error(f"{args.output}: of another kind than {args.onto}")
    try:
        run = read(args.run)
        if binary:
            rig = glb.read(args.onto)
            glb.write(rig, retarget(run, rig.bvh, args.roles, args.frame), args.output)
        else:
            out = retarget(run, read(args.onto), args.roles, args.frame)
            args.output.write_text(format_bvh(out), encoding="utf-8")
    except (BvhError, RolesError, glb.GlbError, OSError) as error:
        print(f"retarget: {said_of(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
