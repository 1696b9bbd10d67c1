"""Biovision hierarchy files: a strict reader whose errors name file and line, and a writer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

CHANNELS = tuple(a + b for b in ("position", "rotation") for a in "XYZ")
MAX_JOINTS = 1024
MAX_VALUES = 200_000_000


class BvhError(ValueError):
    """A file that is not a sound BVH; the message begins with FILE:LINE."""


@dataclass
class Joint:
    """One joint: its parent's index (-1 for the root), offset [3] and channels in file order."""

    name: str
    parent: int
    line: int
    offset: list[float] | None = None
    channels: list[str] | None = None
    end: list[float] | None = None


@dataclass
class Bvh:
    """A parsed file. `values` [frames, channels] holds the numbers as written (degrees)."""

    path: str
    joints: list[Joint]
    frame_time: float
    values: np.ndarray
    starts: list[int] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [j.name for j in self.joints]

    @property
    def parents(self) -> list[int]:
        return [j.parent for j in self.joints]

    @property
    def offsets(self) -> np.ndarray:
        """Rest offsets [J, 3] from the parent, in the file's unit."""
        return np.array([j.offset for j in self.joints], dtype=float)

    def rotations(self) -> np.ndarray:
        """Local rotations [T, J, 3, 3]; a joint without rotation channels keeps the identity."""
        out = np.tile(np.eye(3), (len(self.values), len(self.joints), 1, 1))
        for j, (joint, start) in enumerate(zip(self.joints, self.starts)):
            at = [i for i, c in enumerate(joint.channels or []) if c.endswith("rotation")]
            if at:
                axes = "".join(joint.channels[i][0] for i in at)
                angles = self.values[:, [start + i for i in at]]
                out[:, j] = Rotation.from_euler(axes, angles, degrees=True).as_matrix()
        return out

    def positions(self) -> np.ndarray:
        """Local translations [T, J, 3]: the offset, replaced by position channels where given."""
        out = np.tile(self.offsets, (len(self.values), 1, 1))
        for j, (joint, start) in enumerate(zip(self.joints, self.starts)):
            for i, c in enumerate(joint.channels or []):
                if c.endswith("position"):
                    out[:, j, "XYZ".index(c[0])] = self.values[:, start + i]
        return out

    def world(self) -> tuple[np.ndarray, np.ndarray]:
        """Places [T, J, 3] and rotations [T, J, 3, 3] in the world, in the file's unit and axes."""
        local, moved = self.rotations(), self.positions()
        position, turn = np.empty(moved.shape), np.empty_like(local)
        for j, p in enumerate(self.parents):
            if p < 0:
                position[:, j], turn[:, j] = moved[:, j], local[:, j]
            else:
                turn[:, j] = turn[:, p] @ local[:, j]
                position[:, j] = position[:, p] + (turn[:, p] @ moved[:, j, :, None])[..., 0]
        return position, turn


class _Reader:
    """Walks the lines of a file, giving words and errors that know their line."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.lines, self.at = path, text.splitlines(), 0

    def error(self, message: str, line: int | None = None) -> BvhError:
        return BvhError(f"{self.path}:{line or max(self.at, 1)}: {message}")

    def next(self, wanted: str) -> list[str]:
        """The words of the next line that is not blank."""
        while self.at < len(self.lines):
            self.at += 1
            words = self.lines[self.at - 1].split()
            if words:
                return words
        raise self.error(f"the file ends where {wanted} was expected")

    def keyword(self, key: str, *others: str) -> list[str]:
        words = self.next(f"'{key}'")
        if words[0] not in (key, *others):
            raise self.error(f"expected '{key}', found '{words[0][:40]}'")
        return words

    def numbers(self, words: list[str], count: int, what: str) -> list[float]:
        if len(words) != count:
            raise self.error(f"{what} needs {count} numbers, found {len(words)}")
        return [self.number(w, what) for w in words]

    def number(self, word: str, what: str) -> float:
        try:
            value = float(word)
        except ValueError:
            raise self.error(f"{what}: '{word[:40]}' is not a number") from None
        if not math.isfinite(value):
            raise self.error(f"{what}: {word} is not finite")
        return value


def read(path: str | Path) -> Bvh:
    """Read and check a BVH file; raises BvhError with FILE:LINE for anything unsound."""
    raw = Path(path).read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw[: e.start].count(b"\n") + 1
        raise BvhError(f"{path}:{line}: not a text file (byte {e.start})") from None
    return parse(text, str(path))


def parse(text: str, path: str = "<text>") -> Bvh:
    """Parse the text of a BVH file; `path` is what errors call it."""
    r = _Reader(path, text)
    r.keyword("HIERARCHY")
    joints = _hierarchy(r)
    if r.keyword("MOTION", "ROOT")[0] == "ROOT":
        raise r.error("a second ROOT: one skeleton a file, save each of them by itself")
    return _motion(r, path, joints)


def _hierarchy(r: _Reader) -> list[Joint]:
    joints: list[Joint] = []
    words = r.keyword("ROOT")
    open_joints = [_open(r, joints, words, -1)]
    while open_joints:
        words = r.next("a joint or '}'")
        if words[0] == "}":
            _close(r, joints[open_joints.pop()])
        elif words[0] == "JOINT":
            open_joints.append(_open(r, joints, words, open_joints[-1]))
        elif words[:2] == ["End", "Site"]:
            joints[open_joints[-1]].end = _end_site(r)
        elif words[0] == "OFFSET":
            joints[open_joints[-1]].offset = r.numbers(words[1:], 3, "OFFSET")
        elif words[0] == "CHANNELS":
            joints[open_joints[-1]].channels = _channels(r, words)
        else:
            raise r.error(f"unknown word '{words[0][:40]}' in the hierarchy")
    return joints


def _open(r: _Reader, joints: list[Joint], words: list[str], parent: int) -> int:
    name = "_".join(words[1:])
    if not name:
        raise r.error(f"{words[0]} without a name")
    if any(j.name == name for j in joints):
        raise r.error(f"a second joint named '{name}'")
    if len(joints) >= MAX_JOINTS:
        raise r.error(f"more than {MAX_JOINTS} joints")
    joints.append(Joint(name, parent, r.at))
    r.keyword("{")
    return len(joints) - 1


def _close(r: _Reader, joint: Joint) -> None:
    if joint.offset is None:
        raise r.error(f"joint '{joint.name}' has no OFFSET", joint.line)
    if joint.channels is None:
        raise r.error(f"joint '{joint.name}' has no CHANNELS", joint.line)


def _end_site(r: _Reader) -> list[float]:
    r.keyword("{")
    end = r.numbers(r.keyword("OFFSET")[1:], 3, "OFFSET")
    r.keyword("}")
    return end


def _channels(r: _Reader, words: list[str]) -> list[str]:
    names = words[2:]
    if len(words) < 2 or not words[1].isdigit() or int(words[1]) != len(names):
        raise r.error(f"CHANNELS says {' '.join(words[1:2]) or 'nothing'}, lists {len(names)}")
    for i, name in enumerate(names):
        if name not in CHANNELS:
            raise r.error(f"unknown channel '{name[:40]}'")
        if name in names[:i]:
            raise r.error(f"channel '{name}' twice")
    return names


def _motion(r: _Reader, path: str, joints: list[Joint]) -> Bvh:
    frames = _frame_count(r)
    words = r.keyword("Frame")
    if len(words) != 3 or words[1] != "Time:":
        raise r.error("expected 'Frame Time: SECONDS'")
    frame_time = r.number(words[2], "Frame Time")
    if not 1e-4 <= frame_time <= 10:
        raise r.error(f"Frame Time {frame_time:g} s is out of range")
    starts, total = [], 0
    for j in joints:
        starts.append(total)
        total += len(j.channels or [])
    if frames * total > MAX_VALUES:
        raise r.error(f"{frames} frames of {total} channels are too many")
    return Bvh(path, joints, frame_time, _rows(r, frames, total), starts)


def _frame_count(r: _Reader) -> int:
    words = r.keyword("Frames:")
    if len(words) != 2 or not words[1].isdigit() or len(words[1]) > 9 or int(words[1]) < 1:
        raise r.error("expected 'Frames: COUNT' with a count of at least 1")
    return int(words[1])


def _rows(r: _Reader, frames: int, total: int) -> np.ndarray:
    rows: list[np.ndarray] = []
    for i in range(frames):
        words = r.next(f"frame {i + 1} of {frames}")
        if len(words) != total:
            raise r.error(f"frame {i + 1} has {len(words)} numbers, the channels need {total}")
        try:
            row = np.array(words, dtype=float)
        except ValueError:
            row = np.array([r.number(w, f"frame {i + 1}") for w in words])
        if not np.isfinite(row).all():
            raise r.error(f"frame {i + 1}: {words[int(np.argmin(np.isfinite(row)))]} is not finite")
        rows.append(row)
    for rest in range(r.at, len(r.lines)):
        if r.lines[rest].strip():
            raise r.error(f"text after the last of {frames} frames", rest + 1)
    return np.array(rows)


def format_bvh(bvh: Bvh) -> str:
    """The text of a file that reads back as `bvh`."""
    lines = ["HIERARCHY"]
    _format_joint(bvh, 0, 0, lines)
    lines += ["MOTION", f"Frames: {len(bvh.values)}", f"Frame Time: {bvh.frame_time:.9g}"]
    lines += [" ".join(f"{v:.9g}" for v in row) for row in bvh.values]
    return "\n".join(lines) + "\n"


def _format_joint(bvh: Bvh, j: int, depth: int, lines: list[str]) -> None:
    joint, pad = bvh.joints[j], "  " * depth
    channels = joint.channels or []
    lines += [pad + ("JOINT " if depth else "ROOT ") + joint.name, pad + "{"]
    lines.append(pad + "  OFFSET " + " ".join(f"{v:.9g}" for v in joint.offset or [0, 0, 0]))
    lines.append(pad + f"  CHANNELS {len(channels)} " + " ".join(channels))
    for child, other in enumerate(bvh.joints):
        if other.parent == j:
            _format_joint(bvh, child, depth + 1, lines)
    if joint.end is not None:
        end = " ".join(f"{v:.9g}" for v in joint.end)
        lines += [pad + "  End Site", pad + "  {", pad + f"    OFFSET {end}", pad + "  }"]
    lines.append(pad + "}")
