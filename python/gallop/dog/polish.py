"""The last stage of the dog's training: its own controller, random sticks, penalties alone.

Characters live on from step to step under commands that nobody danced; where they leave what a dog
may do (feet under the floor, too low, leaning, planted feet sliding) the gradient through the last
frames says so. Rollouts along the data keep the rest as it is.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, fields

import numpy as np
import torch

from gallop import dog, exporter, graph
from gallop.dog.control import Command, Controller
from gallop.dog.loop import State
from gallop.dog.train import Trainer, chances
from gallop.interrupt import Interrupt
from gallop.masks import Masks
from gallop.progress import Progress

LOW, LEAN = 0.803, 0.24  # a body keeps so much of its height at rest, and leans less (rad)
SLOWEST = 0.44  # of an easy walk: nobody is told to go more slowly


@dataclass(frozen=True)
class Plan:
    """How a polish runs: characters, frames with a gradient a step, weight of the penalties, and
    how much sliding counts; along the data `batch` rollouts of `length` frames, `size` in all if it
    is told, for which there may be kernels: the same ones over again. More of them would leave
    Adam less noise to be held back by, which is as a longer polish."""

    steps: int
    count: int = 64
    unroll: int = 12
    rate: float = 2e-4
    weight: float = 10.0
    keep: float = 2.0  # how much it counts to say what a teacher says
    batch: int = 24
    length: int = 12
    slide: float = 0.1
    size: int | None = None


class Sticks:
    """Random commands: speeds up to the fastest, turns of up to 120 degrees, circles, backing, side
    steps, stands, turns on the spot, and jumps."""

    def __init__(self, count: int, rules: dict[str, float], seed: int,
                 device: torch.device) -> None:
        self.rng, self.rules, self.device = np.random.default_rng(seed), rules, device
        self.left, self.age = np.zeros(count, int), np.zeros(count, int)
        self.angle, self.spin, self.speed = np.zeros(count), np.zeros(count), np.zeros(count)
        self.look, self.strafe, self.jump = np.zeros(count), np.zeros(count), np.zeros(count)

    def next(self) -> Command:
        """The commands of the next frame."""
        self._renew(np.flatnonzero(self.left <= 0))
        self.left, self.age, self.angle = self.left - 1, self.age + 1, self.angle + self.spin
        walk, run = self.rules["speed_walk"], self.rules["speed_run"]
        more = np.clip((self.speed - walk) / (run - walk), 0, 1)
        size = np.minimum(self.speed / (walk + (run - walk) * more), 1)
        way = np.stack([np.sin(self.angle), np.cos(self.angle)], -1) * size[:, None]

        def tensor(a: np.ndarray) -> torch.Tensor:
            return torch.tensor(a, dtype=torch.float32, device=self.device)

        return Command(tensor(way), tensor(more), tensor(self.angle + self.look),
                       tensor(self.strafe), tensor(self.jump))

    def _renew(self, new: np.ndarray) -> None:
        """New commands for the characters `new`; age counts their frames."""
        rng, count = self.rng, len(new)
        self.left[new], self.age[new] = rng.integers(50, 210, count), 0
        self.angle[new] += rng.uniform(-2.1, 2.1, count)
        kind = rng.random(count)
        stands, aside, back = kind < 0.12, (kind > 0.84) & (kind <= 0.92), kind > 0.92
        spins = np.where(stands, kind < 0.06, ~aside & ~back & (rng.random(count) < 0.3))
        self.spin[new] = np.where(spins, rng.uniform(-1.2, 1.2, count), 0) / dog.RATE
        slowest, fastest = SLOWEST * self.rules["speed_walk"], self.rules["speed_run"]
        self.speed[new] = np.where(stands, 0, rng.uniform(slowest, fastest, count))
        quarter = np.where(rng.random(count) < 0.5, 0.5, -0.5)
        self.look[new] = np.pi * np.where(back, 1, np.where(aside, quarter, 0))
        self.strafe[new] = aside | back | (stands & spins)
        self.jump[new] = (rng.random(count) < 0.2) & ~aside & ~back


class Polish:
    """Trains a trainer's network on; `trainer.average` is the result."""

    def __init__(self, trainer: Trainer, plan: Plan, teacher: torch.nn.Module | None = None,
                 there: list[torch.Tensor] | None = None) -> None:
        """`teacher`, raw x to raw y, tells what to say where nothing else does; `there` [rows,
        columns] are the patches of each layer that a pruned network has: no others get any
        weight."""
        self.trainer, self.plan, self.teacher = trainer, plan, teacher
        self.masks = Masks(trainer.net, None, there) if there else None
        model = exporter.to_model(trainer.average, trainer.contract, trainer.scale, "f32")
        self.device = trainer.device
        # What hurries a slow dog on at run time is off: it is to be quick by itself.
        self.control = Controller(model, plan.count, {"speed_push": 0.0}, str(self.device))
        self.control.net = trainer.rollout.call  # type: ignore[assignment]
        self.rest = torch.tensor(trainer.contract.posture, dtype=torch.float32, device=self.device)
        self.sticks = Sticks(plan.count, self.control.rules, trainer.settings.seed, self.device)
        trainer.adam = graph.adam(torch.optim.AdamW, trainer.net.parameters(), plan.rate,
                                  trainer.device)
        self.update = graph.Replayed(self._update, trainer.device)
        first, total = chances(trainer.frames, plan.length, trainer.settings.fast)
        self.starts = torch.tensor(first, device=self.device)
        self.chance = torch.tensor(total, dtype=torch.float32, device=self.device)

    def warm_up(self, frames: int = 90) -> None:
        """Let the characters live a while, so that they are not all at rest."""
        with torch.no_grad():
            for _ in range(frames):
                self.control.step(self.sticks.next())
        self.detach()

    def penalty(self, commands: list[Command], settled: torch.Tensor) -> torch.Tensor:
        """What the characters do that no dog does, in as many frames of their lives; settled [C]
        tells whose command is old and leads straight on."""
        total = torch.zeros((), device=self.device)
        for command in commands:
            self.control.step(command)
            total = total + self.strayed()
            s, y = self.control.state, self.control.y
            planted = (y[:, self.control.body.at["contact"]] >= 0.5).float()
            flat = s.feet_rate[..., 0::2]
            slide = ((flat.square().sum(-1) + 1e-6).sqrt() * planted).mean()
            low = (1.6 - s.feet[..., 1]).clamp(min=0)
            level = (self.control.top <= -self.control.rules["jump_time"]).float()
            total = total + low.mean() + self.unfit(s.posture, level).mean()
            total = total + self.plan.slide * slide
        return total / len(commands) + 0.8 * self.lag(settled)

    def unfit(self, posture: torch.Tensor, level: torch.Tensor) -> torch.Tensor:
        """How much too low bodies [C] are and how much they lean, of those who do not jump
        (`level` 1)."""
        low = (LOW * self.rest[0] - posture[:, 0]).clamp(min=0)
        lean = ((posture[:, 1:] - self.rest[1:]).abs() - LEAN).clamp(min=0)
        return (0.3 * low + 1.5 * lean.sum(1)) * level

    def strayed(self) -> torch.Tensor | float:
        """How far from the teacher's the words of this frame are, for the penalty."""
        if self.teacher is None:
            return 0.0
        with torch.no_grad():
            said = self.teacher(self.control.x.detach())
        off = (self.control.y - said) / self.trainer.rollout.y_std
        return self.plan.keep / self.plan.weight * off.abs().mean()

    def lag(self, settled: torch.Tensor) -> torch.Tensor:
        """How far the speed of the last 48 frames is from the one long wanted, units per frame."""
        c = self.control
        facing = torch.sin(c.facing_wanted - c.facing).abs() < 0.2
        off = (c.velocity[-48:].mean(0) - c.velocity_wanted).square().sum(-1)
        return ((off + 1e-6).sqrt() * (settled & facing)).mean()

    def lost(self) -> torch.Tensor:
        """Characters [C] that are no dog any more."""
        posture = self.control.state.posture.detach()
        high = (posture[:, 0] / self.rest[0] - 1).abs()
        return ~(high < 1.4) | ~(posture[:, 1:].abs().sum(1) < 3)

    def detach(self) -> None:
        """Cut the gradient's way back: the characters live on from here, lost ones from rest."""
        c = self.control
        rest, lost = c.body.resting(self.plan.count), self.lost()
        kept = {}
        for f in fields(State):
            now, then = getattr(c.state, f.name).detach(), getattr(rest, f.name)
            kept[f.name] = torch.where(lost.view(-1, *[1] * (now.dim() - 1)), then, now)
        c.state = State(**kept)
        for name in ("root", "facing", "position", "turn", "velocity", "speed"):
            setattr(c, name, torch.nan_to_num(getattr(c, name).detach(), 0.0, 0.0, 0.0))
        c.commanded_now = tuple(p.detach() for p in c.commanded_now)
        c.predicted = tuple(torch.nan_to_num(p.detach(), 0.0, 0.0, 0.0) for p in c.predicted)

    def step(self, share: float) -> tuple[float, float]:
        """One step at a share of the way; returns data loss and penalty."""
        plan = self.plan
        graph.set_rate(self.trainer.adam,
                       plan.rate * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * share))))
        drawn = torch.searchsorted(self.chance, torch.rand(plan.batch, device=self.device))
        if plan.size:
            drawn = drawn.repeat(-(-plan.size // plan.batch))[: plan.size]
        commands = [vars(self.sticks.next()) for _ in range(plan.unroll)]
        given = {k: torch.stack([c[k] for c in commands]) for k in commands[0]}
        given["rows"] = self.starts[drawn.clamp(max=len(self.starts) - 1)]
        straight = (self.sticks.age > 80) & (self.sticks.spin == 0)
        given["settled"] = torch.tensor(straight, device=self.device)
        memory = {"dog." + k: v for k, v in self.control.memory().items()}
        made = self.update({**given, **memory})
        self.control.remember({k[4:]: v for k, v in made.items() if k.startswith("dog.")})
        return float(made["loss"]), float(made["penalty"])

    def _update(self, given: graph.Tensors) -> graph.Tensors:
        """One step of the network: the characters after it, and the terms of the loss."""
        t, plan = self.trainer, self.plan
        self.control.remember({k[4:]: v for k, v in given.items() if k.startswith("dog.")})
        commands = [Command(*(given[f.name][i] for f in fields(Command)))
                    for i in range(plan.unroll)]
        loss, _ = t.rollout(given["rows"], plan.length, t.settings.noise)
        penalty = self.penalty(commands, given["settled"])
        t.adam.zero_grad(set_to_none=True)
        (loss + plan.weight * penalty).backward()
        if self.masks:
            self.masks.hold_gradients()
        graph.sound(t.net.parameters(), t.settings.clip)
        t.adam.step()
        if self.masks:
            self.masks.hold(t.average)
        self.detach()
        with torch.no_grad():
            for a, b in zip(t.average.parameters(), t.net.parameters()):
                a.lerp_(b, 0.01)
        made = {"dog." + k: v for k, v in self.control.memory().items()}
        return {**made, "loss": loss.detach(), "penalty": penalty.detach()}


class Polishing:
    """A whole polish, as looks have a stage. `step` counts as the plan does, whatever steps there
    are time for."""

    def __init__(self, trainer: Trainer, plan: Plan, seconds: float | None = None) -> None:
        """With `seconds` it takes so long, from its first step on."""
        self.polish, self.plan, self.seconds = Polish(trainer, plan), plan, seconds
        self.polish.warm_up()
        self.step, self.made, self.share = 0, 0, 0.0
        self.since: float | None = None
        self.before = trainer.history[-1][0] if trainer.history else 0  # steps of the training

    def train(self, quiet: bool, stop: int) -> bool:
        """Go on to a step; whether it was let."""
        bar = Progress(self.plan.steps, "polish", quiet, self.step)
        history = self.polish.trainer.history
        self.since = time.monotonic() if self.since is None else self.since
        with Interrupt() as asked:
            while self.step < stop and not asked.asked:
                loss, penalty = self._next(stop)
                if self.made % 50 == 0 or self.step == self.plan.steps:
                    bar.step(self.step, f"loss {loss:.4f} penalty {penalty:.4f}")
                    history.append((self.before + self.made, loss + penalty, []))
        return not asked.asked

    def _next(self, stop: int) -> tuple[float, float]:
        """A step; returns data loss and penalty."""
        said = self.polish.step(self.share)
        self.made += 1
        gone = time.monotonic() - (self.since or 0.0)
        self.share = min(gone / self.seconds if self.seconds else self.made / self.plan.steps, 1.0)
        self.step = min(round(self.share * self.plan.steps), stop)
        return said
