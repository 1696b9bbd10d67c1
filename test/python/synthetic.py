"""A small made-up walker: a skeleton of nine joints whose feet stand still when they should."""

import numpy as np

from gallop import clean, features, motion, walker
from gallop.bvh import Bvh, Joint

NAMES = ["Hips", "LeftHip", "LeftKnee", "LeftAnkle", "LeftToe",
         "RightHip", "RightKnee", "RightAnkle", "RightToe"]
PARENTS = [-1, 0, 1, 2, 3, 0, 5, 6, 7]
OFFSETS = np.array([[0, 90, 0], [10, 0, 0], [0, -42, 0], [0, -40, 0], [0, -7, 16],
                    [-10, 0, 0], [0, -42, 0], [0, -40, 0], [0, -7, 16]], float)
LEGS = [("LeftHip", "LeftKnee", "LeftAnkle", "LeftToe"),
        ("RightHip", "RightKnee", "RightAnkle", "RightToe")]


def skeleton():
    return motion.Skeleton(NAMES, PARENTS, OFFSETS.copy())


def legs():
    s = skeleton()
    return [clean.Leg(*(s.index(n) for n in leg), drop=8.0, heel=4.0, ball=15.0) for leg in LEGS]


def walk(frames=400, speed=1.4, cadence=0.8, turn=0.0, rate=60.0, stand=0):
    """A clip that walks along +z (turning `turn` rad/s), planted feet exactly still."""
    t = np.arange(frames)
    go = np.clip((t - stand) / rate, 0, None)
    cycle = cadence * go
    heading = turn * go
    moving = (t >= stand).astype(float)
    step = np.stack([np.sin(heading), 0 * t, np.cos(heading)], -1) * (speed * moving)[:, None]
    root = np.cumsum(step, axis=0) - step[0]
    root[:, 1] = 84
    position, turned = rest_pose(root, heading)
    for side, leg in enumerate(legs()):
        goal = ankle_path(root, heading, cycle + 0.5 * side, side, speed, cadence, rate)
        goal = np.where(moving[:, None] > 0, goal, position[:, leg.ankle] * [1, 0, 1] + [0, 8, 0])
        clean.bend_leg(position, turned, leg, goal - position[:, leg.ankle])
    local = motion.to_local(skeleton(), turned)
    return motion.Clip("walk", skeleton(), rate, local, root, style="plain", tag="walk")


def rest_pose(root, heading):
    from gallop import rotation

    turned = np.repeat(rotation.about_y(heading)[:, None], len(NAMES), 1)
    local = motion.to_local(skeleton(), turned)
    bent = 0.35
    for j in (1, 5):  # knees bent a little forward, so that the plane of the leg is known
        local[:, j] = local[:, j] @ about_x(-bent)
        local[:, j + 1] = local[:, j + 1] @ about_x(2 * bent)
        local[:, j + 2] = local[:, j + 2] @ about_x(-bent)
    return motion.forward(skeleton(), local, root)


def about_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def ankle_path(root, heading, cycle, side, speed, cadence, rate):
    """Planted for the first 60 % of each cycle, then an arc to the next footprint."""
    stride = speed * rate / cadence
    whole, part = np.floor(cycle), cycle % 1
    swing = np.clip((part - 0.6) / 0.4, 0, 1)
    ease = swing * swing * (3 - 2 * swing)
    across = 10.0 if side == 0 else -10.0
    start = (whole - 0.5 * side + 0.3) * stride
    along = start + ease * stride
    if np.ptp(heading) == 0:
        goal = np.stack([np.full(len(along), across), 8 + 12 * np.sin(np.pi * swing), along], -1)
        return goal
    ahead = along - (cycle - 0.5 * side) * stride
    x = root[:, 0] + across * np.cos(heading) + ahead * np.sin(heading)
    z = root[:, 2] - across * np.sin(heading) + ahead * np.cos(heading)
    return np.stack([x, 8 + 12 * np.sin(np.pi * swing), z], -1)


def contract(gaits=walker.GAITS, rules=walker.RULES):
    return walker.template("tiny", skeleton(), LEGS, 0.01, rules, gaits=gaits)


def take(clip):
    s = clip.skeleton
    feet = [s.index(n) for leg in LEGS for n in leg[2:]]
    return walker.take_of(clip, feet, None)


def dataset(frames=420):
    takes = []
    for clip in (walk(frames), walk(frames, 1.0, 0.7, 0.3), walk(frames, 1.2, 0.75, stand=150)):
        takes += [take(clip), take(motion.mirrored(clip))]
    return features.build(contract(), takes)


def bvh(frames=5, seed=0):
    """A BVH of the skeleton with random angles."""
    host = np.random.default_rng(seed)
    turns = ["Zrotation", "Xrotation", "Yrotation"]
    joints, starts, total = [], [], 0
    for i, (name, parent) in enumerate(zip(NAMES, PARENTS)):
        channels = (["Xposition", "Yposition", "Zposition"] if i == 0 else []) + turns
        end = [0.0, 0.0, 5.0] if name.endswith("Toe") else None
        joints.append(Joint(name, parent, 0, list(OFFSETS[i]), channels, end))
        starts.append(total)
        total += len(channels)
    values = host.uniform(-90, 90, (frames, total))
    return Bvh("<made>", joints, 1 / 60, values, starts)


def bones_stretch(clip):
    """Largest change of a bone's length over the clip, relative."""
    position, _ = motion.forward(clip.skeleton, clip.local, clip.root)
    worst = 0.0
    for j, p in enumerate(clip.skeleton.parents):
        if p >= 0:
            length = np.linalg.norm(position[:, j] - position[:, p], axis=-1)
            rest = np.linalg.norm(clip.skeleton.offsets[j])
            worst = max(worst, float(np.abs(length - rest).max() / max(rest, 1e-6)))
    return worst
