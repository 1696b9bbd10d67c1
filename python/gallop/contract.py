"""The contract: what each number of a model's input and output means, as text.

The text (docs/format.md, section CNTR) is the one definition: the runtime reads it out of the model
file, feature extraction reads the very same text here, and both list the same feature names.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

NAME = re.compile(r"[A-Za-z0-9_.:-]{1,63}\Z")
ROLES = ("stand", "walk", "run", "crouch", "jump", "none")
MAX_LINE, MAX_TEXT, MAX_WINDOW, MAX_SAMPLES = 4096, 1 << 20, 600, 64
MAX_JOINTS, MAX_LEGS, MAX_GAITS = 256, 8, 16

# Parts of the blocks of three: names of the features after the block's own.
BODY_PARTS = ("height", "pitch", "roll")
ROOT_PARTS = ("x", "z", "turn")

# What a block's argument is, and what it counts once per.
INPUT_BLOCKS = {
    "trajectory.position.x": ("", "sample"), "trajectory.position.z": ("", "sample"),
    "trajectory.direction.x": ("", "sample"), "trajectory.direction.z": ("", "sample"),
    "trajectory.gait": ("gait", "sample"), "trajectory.height": ("number", "sample"),
    "joint.position": ("", "joint"), "joint.velocity": ("", "joint"),
    "trajectory.velocity.x": ("", "sample"), "trajectory.velocity.z": ("", "sample"),
    "hinge.angle": ("", "hinge"), "hinge.velocity": ("", "hinge"),
    "body.posture": ("", "three"), "body.rate": ("", "three"), "root.motion": ("", "three"),
    "foot.position": ("", "foot"), "foot.velocity": ("", "foot"), "leg.phase": ("", "leg"),
    "constant": ("number count", "count"), "opaque": ("name count", "count"),
    "memory": ("name count", "count"),
}  # fmt: skip
OUTPUT_BLOCKS = {
    "root.velocity.x": ("", "one"), "root.velocity.z": ("", "one"), "root.turn": ("", "one"),
    "phase.advance": ("", "one"), "contact": ("joint", "one"),
    "future.position.x": ("", "future"), "future.position.z": ("", "future"),
    "future.direction.x": ("", "future"), "future.direction.z": ("", "future"),
    "joint.position": ("", "joint"), "joint.velocity": ("", "joint"),
    "joint.rotation": ("rotation", "joint"), "opaque": ("name count", "count"),
    "memory": ("name count", "count"),
    "future.velocity.x": ("", "future"), "future.velocity.z": ("", "future"),
    "hinge.change": ("", "hinge"), "hinge.velocity": ("", "hinge"),
    "body.change": ("", "three"), "body.rate": ("", "three"),
    "leg.phase": ("", "leg"), "leg.phase.rate": ("", "leg"),
}  # fmt: skip


class ContractError(ValueError):
    """A text that is no contract; the message begins with NAME:LINE."""


@dataclass(frozen=True)
class Joint:
    """A joint: parent's name ("" for the first), rest offset and, if turned, rest quaternion."""

    name: str
    parent: str
    offset: tuple[float, float, float]
    turn: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Hinge:
    """A joint that turns about an axis of its rest frame, by an angle in least..most."""

    joint: str
    axis: tuple[float, float, float]
    least: float
    most: float
    rest: float


@dataclass(frozen=True)
class Block:
    """A run of features: the block's name and its arguments as words."""

    name: str
    args: tuple[str, ...] = ()


@dataclass
class Contract:
    """A parsed contract; `text` of it parses back to an equal one."""

    name: str = "controller"
    rate: float = 60.0
    unit: float = 0.01
    joints: list[Joint] = field(default_factory=list)
    legs: list[tuple[str, str, str, str]] = field(default_factory=list)
    window: tuple[int, int] = (60, 60)
    samples: list[int] = field(default_factory=list)
    future: list[int] = field(default_factory=list)
    gaits: list[tuple[str, str]] = field(default_factory=list)
    inputs: list[Block] = field(default_factory=list)
    outputs: list[Block] = field(default_factory=list)
    rules: dict[str, float] = field(default_factory=dict)
    hinges: list[Hinge] = field(default_factory=list)
    posture: tuple[float, float, float] | None = None

    def joint_names(self) -> list[str]:
        return [j.name for j in self.joints]

    def parents(self) -> list[int]:
        """Each joint's parent's index, -1 for the first."""
        names = self.joint_names()
        return [names.index(j.parent) if j.parent else -1 for j in self.joints]

    def input_names(self) -> list[str]:
        """Every input's name, in order, spelled as the runtime spells it."""
        return [n for b in self.inputs for n in self.block_names(b)]

    def output_names(self) -> list[str]:
        """Every output's name, in order, spelled as the runtime spells it."""
        return [n for b in self.outputs for n in self.block_names(b)]

    def block_names(self, block: Block) -> list[str]:
        """The names of one block's features."""
        name, args = block.name, block.args
        if name == "constant":
            return [f"constant[{i}]" for i in range(int(args[1]))]
        if name in ("opaque", "memory"):
            return [f"{args[0]}[{i}]" for i in range(int(args[1]))]
        if name.startswith("trajectory."):
            stem = ".".join((name, *args))
            return [f"{stem}[{o}]" for o in self.samples]
        if name.startswith("future."):
            return [f"{name}[{o}]" for o in self.future]
        if name == "joint.rotation":
            count = {"expmap": 3, "sixd": 6}[args[0]]
            return [f"{name}.{j.name}.{i}" for j in self.joints for i in range(count)]
        if name.startswith("joint."):
            return [f"{name}.{j.name}.{a}" for j in self.joints for a in "xyz"]
        if name.startswith("hinge."):
            return [f"{name}.{h.joint}" for h in self.hinges]
        if name.startswith("body."):
            return [f"{name}.{part}" for part in BODY_PARTS]
        if name == "root.motion":
            return [f"{name}.{part}" for part in ROOT_PARTS]
        if name.startswith("foot."):
            return [f"{name}.{leg[3]}.{a}" for leg in self.legs for a in "xyz"]
        if name == "leg.phase":
            return [f"{name}.{leg[3]}.{part}" for leg in self.legs for part in ("cos", "sin")]
        if name == "leg.phase.rate":
            return [f"{name}.{leg[3]}" for leg in self.legs]
        return [".".join((name, *args))]

    def ranges(self, blocks: list[Block]) -> list[tuple[Block, slice]]:
        """Each block of `inputs` or `outputs` with the columns that it takes."""
        out, at = [], 0
        for b in blocks:
            n = len(self.block_names(b))
            out.append((b, slice(at, at + n)))
            at += n
        return out

    def columns(self, blocks: list[Block], name: str, *args: str) -> slice:
        """The columns of one block; a KeyError names the block that is missing."""
        for b, where in self.ranges(blocks):
            if b.name == name and b.args[: len(args)] == args:
                return where
        raise KeyError(f"the contract has no block '{' '.join((name, *args))}'")


def show(value: float) -> str:
    """A number as short as it can be and still read back to the same float32."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if abs(float(text) - value) <= 1e-7 * abs(value):
            break
    return text if "e" not in text else f"{value:.12f}".rstrip("0").rstrip(".")


def to_text(c: Contract) -> str:
    """The contract as text."""
    lines = ["gallop-contract 1", f"name {c.name}", f"rate {show(c.rate)}", f"unit {show(c.unit)}"]
    for j in c.joints:
        numbers = " ".join(show(v) for v in (*j.offset, *(j.turn or ())))
        lines.append(f"joint {j.name} {j.parent or '-'} {numbers}")
    lines += ["leg " + " ".join(leg) for leg in c.legs]
    for h in c.hinges:
        lines.append(f"hinge {h.joint} " + " ".join(map(show, (*h.axis, h.least, h.most, h.rest))))
    if c.posture:
        lines.append("posture " + " ".join(map(show, c.posture)))
    lines.append(f"window {c.window[0]} {c.window[1]}")
    lines.append("samples " + " ".join(map(str, c.samples)))
    lines.append("future " + " ".join(map(str, c.future)))
    lines += [f"gait {name} {role}" for name, role in c.gaits]
    lines += [" ".join(("input", b.name, *b.args)) for b in c.inputs]
    lines += [" ".join(("output", b.name, *b.args)) for b in c.outputs]
    lines += [f"rule {name} {show(value)}" for name, value in c.rules.items()]
    return "\n".join(lines) + "\n"


class _Parser:
    """Reads one contract line by line; methods named after the line's keyword."""

    def __init__(self, where: str) -> None:
        self.where, self.line = where, 0
        self.c = Contract()
        self.seen: set[str] = set()

    def error(self, message: str) -> ContractError:
        return ContractError(f"{self.where}:{self.line}: {message}")

    def count(self, words: list[str], least: int, most: int, form: str) -> None:
        if not least <= len(words) <= most:
            raise self.error(f"expected '{form}'")

    def name(self, word: str) -> str:
        if not NAME.match(word):
            raise self.error(f"'{word[:70]}' is not a name (1..63 of A-Z a-z 0-9 _ . : -)")
        return word

    def number(self, word: str, low: float = -math.inf, high: float = math.inf) -> float:
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", word):
            raise self.error(f"'{word[:40]}' is not a decimal number")
        value = float(word)
        if not math.isfinite(value) or not low <= value <= high:
            raise self.error(f"{word} is out of range")
        return value

    def whole(self, word: str, low: int, high: int) -> int:
        if not re.fullmatch(r"-?\d{1,9}", word):
            raise self.error(f"'{word[:40]}' is not a whole number")
        if not low <= int(word) <= high:
            raise self.error(f"{word} is not in {low}..{high}")
        return int(word)

    def read_name(self, w: list[str]) -> None:
        self.count(w, 1, 1, "name NAME")
        self.c.name = self.name(w[0])

    def read_rate(self, w: list[str]) -> None:
        self.count(w, 1, 1, "rate HZ")
        self.c.rate = self.number(w[0], 1, 1000)

    def read_unit(self, w: list[str]) -> None:
        self.count(w, 1, 1, "unit METRES")
        self.c.unit = self.number(w[0], 1e-9, 1e9)

    def read_joint(self, w: list[str]) -> None:
        if len(w) not in (5, 9):
            raise self.error("expected 'joint NAME PARENT X Y Z [QX QY QZ QW]'")
        known = self.c.joint_names()
        if w[0] in known:
            raise self.error(f"a second joint named '{w[0]}'")
        if len(known) >= MAX_JOINTS:
            raise self.error(f"more than {MAX_JOINTS} joints")
        if (w[1] == "-") != (not known) or (known and w[1] not in known):
            raise self.error(f"the parent '{w[1]}' of '{w[0]}' does not stand before it")
        v = [self.number(x) for x in w[2:]]
        turn = tuple(v[3:]) if len(v) == 7 else None
        parent = "" if w[1] == "-" else w[1]
        self.c.joints.append(Joint(self.name(w[0]), parent, tuple(v[:3]), turn))  # type: ignore

    def read_leg(self, w: list[str]) -> None:
        self.count(w, 4, 4, "leg HIP KNEE HEEL TOE")
        for joint in w:
            self.known_joint(joint)
        if len(self.c.legs) >= MAX_LEGS:
            raise self.error(f"more than {MAX_LEGS} legs")
        self.c.legs.append((w[0], w[1], w[2], w[3]))

    def known_joint(self, word: str) -> None:
        if word not in self.c.joint_names():
            raise self.error(f"unknown joint '{word[:70]}'")

    def read_hinge(self, w: list[str]) -> None:
        self.count(w, 7, 7, "hinge JOINT AX AY AZ LEAST MOST REST")
        self.known_joint(w[0])
        v = [self.number(x) for x in w[1:]]
        if w[0] == self.c.joints[0].name or w[0] in [h.joint for h in self.c.hinges]:
            raise self.error(f"'{w[0]}' is the first joint or has a hinge already")
        if math.hypot(*v[:3]) < 1e-6 or not v[3] <= v[5] <= v[4]:
            raise self.error("the axis has no length, or REST is not within LEAST..MOST")
        self.c.hinges.append(Hinge(w[0], (v[0], v[1], v[2]), *v[3:]))

    def read_posture(self, w: list[str]) -> None:
        self.count(w, 3, 3, "posture HEIGHT PITCH ROLL")
        self.c.posture = (self.number(w[0]), self.number(w[1]), self.number(w[2]))

    def read_window(self, w: list[str]) -> None:
        self.count(w, 2, 2, "window PAST FUTURE")
        past, future = self.whole(w[0], 1, MAX_WINDOW), self.whole(w[1], 1, MAX_WINDOW)
        self.c.window = (past, future)

    def offsets(self, w: list[str], keyword: str) -> list[int]:
        self.count(w, 1, MAX_SAMPLES, f"{keyword} OFFSET...")
        values = [self.whole(x, -MAX_WINDOW, MAX_WINDOW) for x in w]
        if any(b <= a for a, b in zip(values, values[1:])):
            raise self.error(f"the offsets of '{keyword}' do not ascend")
        return values

    def read_samples(self, w: list[str]) -> None:
        self.c.samples = self.offsets(w, "samples")

    def read_future(self, w: list[str]) -> None:
        self.c.future = self.offsets(w, "future")

    def read_gait(self, w: list[str]) -> None:
        self.count(w, 2, 2, "gait NAME ROLE")
        if w[1] not in ROLES:
            raise self.error(f"unknown role '{w[1][:40]}'")
        if any(n == self.name(w[0]) or (r == w[1] != "none") for n, r in self.c.gaits):
            raise self.error(f"gait '{w[0]}' or its role '{w[1]}' twice")
        if len(self.c.gaits) >= MAX_GAITS:
            raise self.error(f"more than {MAX_GAITS} gaits")
        self.c.gaits.append((w[0], w[1]))

    def read_input(self, w: list[str]) -> None:
        self.c.inputs.append(self.block(w, INPUT_BLOCKS, "input"))

    def read_output(self, w: list[str]) -> None:
        self.c.outputs.append(self.block(w, OUTPUT_BLOCKS, "output"))

    def block(self, w: list[str], known: dict[str, tuple[str, str]], keyword: str) -> Block:
        if not w or w[0] not in known:
            raise self.error(f"unknown {keyword} block '{w[0][:70] if w else ''}'")
        kinds = known[w[0]][0].split()
        self.count(w[1:], len(kinds), len(kinds), " ".join((keyword, w[0], *kinds)).upper())
        for kind, word in zip(kinds, w[1:]):
            self.argument(kind, word)
        return Block(w[0], tuple(w[1:]))

    def argument(self, kind: str, word: str) -> None:
        if kind == "gait" and word not in [n for n, _ in self.c.gaits]:
            raise self.error(f"unknown gait '{word[:70]}'")
        if kind == "joint":
            self.known_joint(word)
        if kind == "number":
            self.number(word)
        if kind == "count":
            self.whole(word, 1, 65536)
        if kind == "name":
            self.name(word)
        if kind == "rotation" and word not in ("expmap", "sixd"):
            raise self.error(f"unknown kind of rotation '{word[:40]}'")

    def read_rule(self, w: list[str]) -> None:
        self.count(w, 2, 2, "rule NAME VALUE")
        if self.name(w[0]) in self.c.rules:
            raise self.error(f"rule '{w[0]}' twice")
        self.c.rules[w[0]] = self.number(w[1])

    def finish(self) -> Contract:
        c = self.c
        past, future = c.window
        if any(not -past <= o < future for o in c.samples):
            raise self.error(f"a sample lies outside -{past}..{future - 1}")
        for keyword, given in (("input", c.inputs), ("output", c.outputs)):
            if not given:
                raise self.error(f"no '{keyword}' line")
        for b in c.inputs + c.outputs:
            if b.name.startswith(("hinge.", "body.")) and not (c.hinges and c.posture):
                raise self.error(f"'{b.name}' without 'hinge' and 'posture' lines")
            if b.name.startswith(("foot.", "leg.phase")) and not c.legs:
                raise self.error(f"'{b.name}' without a 'leg' line")
        memories = [[b.args for b in side if b.name == "memory"] for side in (c.inputs, c.outputs)]
        if sorted(memories[0]) != sorted(memories[1]):
            raise self.error("input and output 'memory' blocks are not the same")
        if len({name for name, _ in memories[0]}) != len(memories[0]):
            raise self.error("a 'memory' twice")
        for b in c.inputs:
            if b.name.startswith("trajectory.") and not c.samples:
                raise self.error(f"'{b.name}' without a 'samples' line")
        for b in c.outputs:
            if b.name.startswith("future.") and not c.future:
                raise self.error(f"'{b.name}' without a 'future' line")
        return c


def parse(text: str, where: str = "contract") -> Contract:
    """Parse a contract's text; a ContractError begins with `where`:LINE."""
    p = _Parser(where)
    if len(text.encode()) > MAX_TEXT:
        raise ContractError(f"{where}:1: longer than 1 MiB")
    lines = text.split("\n")
    if lines[0].split("#")[0].split() != ["gallop-contract", "1"]:
        raise ContractError(f"{where}:1: the first line is not 'gallop-contract 1'")
    once = {"name", "rate", "unit", "posture", "window", "samples", "future"}
    for p.line, line in enumerate(lines[1:], 2):
        if len(line.encode()) > MAX_LINE:
            raise p.error(f"a line longer than {MAX_LINE} bytes")
        words = line.split("#")[0].split()
        if not words:
            continue
        read = getattr(p, "read_" + words[0], None) if words[0].isalpha() else None
        if read is None:
            raise p.error(f"unknown keyword '{words[0][:40]}'")
        if words[0] in once and words[0] in p.seen:
            raise p.error(f"'{words[0]}' twice")
        p.seen.add(words[0])
        read(words[1:])
    return p.finish()
