"""The dog's own motion under commands, made clean as its data is, to learn from.

Where the data have little (backing, turns on the spot, circles at a run) feet slide. A penalty has
a way around it: feet that hover slide nowhere. So what a network does is recorded, planted feet are
held where they stand, legs follow them, and the root goes as fast as it was told. What comes out
are frames as those of the data, of the network's own gaits: a step away from what it does already.
"""

from __future__ import annotations

import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import repeat
from multiprocessing import get_context

import numpy as np
import torch
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from gallop import dog, graph
from gallop.dog import clean as dog_clean
from gallop.dog import data as dog_data
from gallop.dog import features as dog_features
from gallop.dog.clean import Clip
from gallop.dog.control import Command, Controller, direction
from gallop.dog.features import Frames
from gallop.dog.loop import turned
from gallop.dog.polish import Sticks
from gallop.modelfile import Model

KINDS = ("run", "circle", "side", "back", "turn", "jump", "walk", "circle", "jump", "back")
PACED = ("run", "circle", "side", "back", "walk")  # whose speed is known
LED = ("side", "back")  # who goes another way than he faces, and strays from it
MOVING = 28.0  # cm/s above which a held foot is not planted
BLUR, SMOOTH = 0.4, (0.4, 0.3, 0.3)  # of feet that are nearly still already: held more firmly
LOST_START, SETTLED, LAST = 60, 45, 60  # frames
JUMP_EVERY, JUMP_PRESS = 150, 6
STANDS = 0.02  # what stands more is moved by the rules, not by the network
LEAST = 100  # frames of a clip that is learnt from, of which there is one at least
HIGH = 1.4  # times its height at rest: nobody is off by more, in a jump neither
PACE, AWRY = (0.8, 1.3), 0.12  # how much faster a root is made, and turned (rad), at most
OFF = 0.25  # of the velocity told: a command that is followed worse is not learnt from
MOST = 6  # processes: more of them would take longer to start than to clean
MIRROR = np.array([-1, 1, -1, 1, -1, 1])[:, None]  # of a path's x and z: places, ways, velocities
WANTED = ("root", "facing", "posture", "hinge", "jump", "stand", "wanted", "ahead")


class Orders:
    """Commands held for 4 to 10 s: each character has those of one of KINDS, each time others."""

    def __init__(self, count: int, rules: dict[str, float], seed: int) -> None:
        self.rng, self.rules = np.random.default_rng(seed), rules
        self.kind = np.array(KINDS)[np.arange(count) % len(KINDS)]
        self.left, self.age = np.zeros(count, int), np.zeros(count, int)
        self.angle, self.spin, self.speed = np.zeros(count), np.zeros(count), np.zeros(count)
        self.look = np.zeros(count)

    def next(self) -> Command:
        """The commands of the next frame."""
        for i in np.flatnonzero(self.left <= 0):
            self._renew(i)
        self.left, self.age, self.angle = self.left - 1, self.age + 1, self.angle + self.spin
        walk, run = self.rules["speed_walk"], self.rules["speed_run"]
        more = np.clip((self.speed - walk) / (run - walk), 0, 1)
        size = np.minimum(self.speed / (walk + (run - walk) * more), 1)
        way = np.stack([np.sin(self.angle), np.cos(self.angle)], -1) * size[:, None]
        press = (self.age > LOST_START) & (self.age % JUMP_EVERY < JUMP_PRESS)
        faces = np.isin(self.kind, ("side", "back", "turn"))
        parts = (way, more, self.angle + self.look, faces, (self.kind == "jump") & press)
        return Command(*(torch.tensor(p.astype(np.float32)) for p in parts))

    def _renew(self, i: int) -> None:
        """Another command of its kind for one character; speeds in units a frame."""
        rng, kind = self.rng, self.kind[i]
        walk, run = self.rules["speed_walk"], self.rules["speed_run"]
        self.left[i], self.age[i] = rng.integers(240, 600), 0
        self.angle[i] += rng.uniform(-0.8, 0.8)
        least, most = {"run": (0.8 * run, run), "circle": (0.7 * run, run),
                       "jump": (0.55 * run, 0.9 * run), "side": (0.9 * walk, run),
                       "back": (0.8 * walk, run), "walk": (0.45 * walk, 2.1 * walk),
                       "turn": (0, 0)}[kind]
        walks = kind in ("side", "back") and rng.random() < 0.5
        self.speed[i] = walk if walks else rng.uniform(least, most)
        bend = {"circle": (0.5, 1.0), "turn": (0.5, 1.2), "walk": (0.2, 0.7)}.get(kind, (0, 0))
        bends = kind != "walk" or rng.random() < 0.5
        sign = rng.choice([-1, 1])
        self.spin[i] = sign * bends * rng.uniform(*bend) / dog.RATE
        self.look[i] = {"side": sign * np.pi / 2, "back": np.pi}.get(kind, 0.0)


@dataclass
class Life:
    """What characters [T, C, ...] were told and did: `ahead` [T, C, 6, F] is the path laid out for
    the next frame; `age` [T, C] counts a command's frames, `kind` [C] names it ("": any)."""

    root: np.ndarray
    facing: np.ndarray
    posture: np.ndarray
    hinge: np.ndarray
    jump: np.ndarray
    stand: np.ndarray
    wanted: np.ndarray
    ahead: np.ndarray
    age: np.ndarray
    kind: np.ndarray


def lived(model: Model, orders: Orders | Sticks, count: int, frames: int, device: str = "cpu"
          ) -> Life:
    """So many frames of so many characters, after the first second."""
    control = Controller(model, count, None, device)

    def lives(given: graph.Tensors) -> graph.Tensors:
        control.remember({name[4:]: v for name, v in given.items() if name.startswith("dog.")})
        with torch.no_grad():
            control.step(Command(*(given[f.name] for f in fields(Command))))
            now = {"root": control.root, "facing": control.facing,
                   "posture": control.state.posture, "hinge": control.state.hinge,
                   "jump": control.jump(), "stand": control.stand,
                   "wanted": control.velocity_wanted, "ahead": path_ahead(control)}
        return {**now, **{"dog." + name: v for name, v in control.memory().items()}}

    step, made = graph.Replayed(lives, torch.device(device)), control.memory()
    made = {"dog." + name: v for name, v in made.items()}
    rows: dict[str, list[np.ndarray]] = {name: [] for name in (*WANTED, "age")}
    for frame in range(LOST_START + frames):
        told = {name: v.to(device) for name, v in vars(orders.next()).items()}
        made = step({**told, **{n: v for n, v in made.items() if n.startswith("dog.")}})
        if frame < LOST_START:
            continue
        for name in WANTED:
            rows[name].append(made[name].cpu().numpy().astype(np.float64))
        rows["age"].append(orders.age.copy())
    kind = getattr(orders, "kind", np.full(count, ""))
    return Life(*(np.stack(rows[name]) for name in (*WANTED, "age")), kind)


def path_ahead(control: Controller) -> torch.Tensor:
    """The path [C, 6, F] that the commands of this frame lay out from the root, as seen from it."""
    places, facings, velocities = control.laid_out()
    back = -control.facing[:, None]
    parts = turned(places, back), direction(facings + back), turned(velocities, back)
    return torch.cat(parts, 2).transpose(1, 2)


def paced(root: np.ndarray, wanted: np.ndarray, age: np.ndarray, led: bool
          ) -> tuple[np.ndarray, np.ndarray]:
    """A root's way [T, 2], on the mean of each command as fast as told; with `led` the way told,
    too, which a circle's is not: it lags behind. And which frames [T] are of commands that were
    followed at all: what is far off would teach a fault."""
    step, told = (v @ np.array([1, 1j]) for v in (np.diff(root, axis=0, prepend=root[:1]), wanted))
    along = step * np.exp(-1j * np.angle(told))  # seen from the heading wanted
    factor, followed = np.ones(len(root), complex), np.ones(len(root), bool)
    bounds = [0, *np.flatnonzero(np.diff(age) < 0) + 1, len(root)]
    for a, b in zip(bounds, bounds[1:]):
        settled = np.arange(a, b)[age[a:b] > LAST]
        if len(settled) <= LAST:
            continue
        got, meant = along[settled].mean(), np.abs(told[settled]).mean()
        off = got - meant if led else np.abs(got) - meant
        followed[a:b] = np.abs(off) <= OFF * meant
        if abs(got) > 1e-6:  # who does not move at all cannot be made faster
            more = meant / got
            turn = np.clip(np.angle(more), -AWRY, AWRY) if led else 0
            factor[a:b] = np.clip(np.abs(more), *PACE) * np.exp(1j * turn)
    way = np.cumsum(step * gaussian_filter1d(factor, 15.0))
    return root[:1] + np.stack([way.real, way.imag], -1), followed


def doubled(values: np.ndarray) -> np.ndarray:
    """Values [T, ...] and those between: contacts are found at twice the rate."""
    return CubicSpline(np.arange(len(values)), values, axis=0)(np.arange(2 * len(values) - 1) / 2)


def cleaned(life: Life, i: int, moving: float = MOVING) -> Clip:
    """The motion of a character with planted feet held where they stand: those that move by less
    than `moving` cm/s."""
    kind = life.kind[i]
    root, followed = life.root[:, i], np.ones(len(life.root), bool)
    if kind in PACED:
        root, followed = paced(root, life.wanted[:, i], life.age[:, i], kind in LED)
    parts = (root, np.unwrap(life.facing[:, i]), life.posture[:, i], life.hinge[:, i])
    twice = [doubled(part) for part in parts]
    length = len(twice[0])
    clip = Clip("own", 2 * dog.RATE, *twice, np.zeros((length, 4)), np.ones(length, bool))
    for _ in range(2):
        clip = dog_clean.held(clip, BLUR, SMOOTH, moving)
    keep = followed & (life.stand[:, i] < STANDS)
    if kind:
        keep &= life.age[:, i] > SETTLED
    return replace(dog_clean.halved(clip), keep=keep)


def sound(life: Life, rest: float) -> np.ndarray:
    """Which characters [C] stay dogs, whose bodies are near their height at rest."""
    return (np.abs(life.posture[..., 0] / rest - 1) < HIGH).all(0)


def alone(life: Life, i: int) -> Life:
    """The life of one of its characters."""
    arrays = {f.name: getattr(life, f.name)[:, i : i + 1] for f in fields(life) if f.name != "kind"}
    return Life(**arrays, kind=life.kind[i : i + 1])


def workers_of(count: int) -> ProcessPoolExecutor | None:
    """So many processes, and no more than MOST, for what is cleaned; none where this one does as
    well. ^C is not theirs."""
    if count < 2:
        return None
    return ProcessPoolExecutor(min(count, MOST), get_context("spawn"), signal.signal,
                               (signal.SIGINT, signal.SIG_IGN))


def frames(model: Model, count: int, length: int, seed: int, device: str = "cpu",
           moving: float = MOVING, workers: Executor | None = None) -> Frames:
    """Frames of `count` characters' lives of `length` frames under orders, and as many's under
    sticks, each followed by its mirror image: what one side does better, the other learns."""
    rules = Controller(model, 1).rules
    lives = (lived(model, Orders(count, rules, seed), count, length, device),
             lived(model, Sticks(count, rules, seed, torch.device("cpu")), count, length, device))
    each = [alone(life, i) for life in lives for i in np.flatnonzero(sound(life, dog.POSTURE[0]))]
    over = workers.map if workers else map
    clips: list[Clip] = []
    more: list[dict[str, np.ndarray]] = []
    for life, clip in zip(each, over(cleaned, each, repeat(0), repeat(moving))):
        ahead, jump = life.ahead[:, 0], life.jump[:, 0]
        for made, future in ((clip, ahead), (dog_data.mirrored(clip), ahead * MIRROR)):
            clips.append(made)
            more.append({"jump": jump})
            if life.kind[0] and life.kind[0] != "jump":  # its command leads on as it does
                more[-1]["future"] = future
    if not any(clip.keep.sum() > LEAST for clip in clips):
        raise ValueError("what this network does is no motion of a dog: train it first")
    return dog_features.build(clips, more)


def joined(a: Frames, b: Frames) -> Frames:
    """The one's frames and then the other's."""
    both = {name: np.concatenate([value, getattr(b, name)]) for name, value in vars(a).items()}
    both["run"][len(a):] += a.run.max() + 1
    return Frames(**both)
