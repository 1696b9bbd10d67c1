"""Rollouts of the dog in training: the network's own state fed back, the path from the data."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from gallop import graph
from gallop.contract import Contract
from gallop.dog.features import STATE, Frames
from gallop.dog.loop import Body, State, meant, turn_samples, turned
from gallop.features import Scale

JUMP_STD = 0.3  # jumps are rare: their own deviation would make them loud
STATE_BLOCKS = ("hinge", "hinge_rate", "posture", "rate", "motion", "feet", "feet_rate", "phase")


@dataclass(frozen=True)
class Weights:
    """Weights of the loss's terms, each an L1 error in deviations (feet: see the code)."""

    hinge: float = 1.0
    hinge_rate: float = 0.5
    posture: float = 2.0
    rate: float = 0.5
    root: float = 1.0
    step: float = 1.0
    contact: float = 0.5
    path: float = 0.25
    phase: float = 0.5
    turns: float = 0.25
    feet: float = 0.5
    feet_rate: float = 0.3
    facing: float = 0.5
    floor: float = 0.5


Rows = namedtuple("Rows", STATE)  # some frames' arrays


class Data(nn.Module):
    """The frames' arrays as buffers on a device."""

    def __init__(self, frames: Frames, device: str | torch.device) -> None:
        super().__init__()
        for name in STATE:
            value = torch.tensor(getattr(frames, name).astype(np.float32), device=device)
            self.register_buffer(name, value)

    def widen(self, rows: int) -> None:
        """Make room for so many frames in all."""
        for name in STATE:
            value = getattr(self, name)
            more = value.new_zeros(rows - len(value), *value.shape[1:])
            setattr(self, name, torch.cat([value, more]))

    def put(self, first: int, frames: Frames) -> None:
        """Replace the frames from `first` on."""
        for name in STATE:
            value = torch.tensor(getattr(frames, name).astype(np.float32))
            getattr(self, name)[first : first + len(frames)] = value.to(self.hinge.device)

    def state(self, rows: torch.Tensor) -> State:
        """The states of frames `rows` [B]."""
        return State(*(getattr(self, n)[rows] for n in STATE_BLOCKS))

    def at(self, rows: torch.Tensor) -> Rows:
        """All of frames `rows` [B]."""
        return Rows(*(getattr(self, name)[rows] for name in STATE))

    def path(self, rows: torch.Tensor) -> torch.Tensor:
        """Path samples [B, 6, S] of frames."""
        return torch.cat([self.past[rows], self.future[rows]], 2)

    def said(self, rows: torch.Tensor) -> torch.Tensor:
        """What a network would have said, y [B, n], to come to frames."""
        rates = [self.hinge_rate[rows], self.rate[rows]]
        rest = (getattr(self, n)[rows] for n in ("motion", "contact", "phase", "turns", "future"))
        return torch.cat([part.flatten(1) for part in (*rates, *rates, *rest)], 1)


def evaluated(frame: int, count: int, paces: Sequence[int]) -> int:
    """How many of `count` rollouts, the first, are evaluated in a frame (the first is 1), where
    paces[i] of them, in this order at the end, are only once in 2^(i + 1) frames."""
    return count - sum(n for i, n in enumerate(paces) if frame % 2 ** (i + 1))


def first(s: State, count: int) -> State:
    """The first so many of states."""
    return State(*(value[:count] for value in vars(s).values()))


def _deviation(*arrays: np.ndarray) -> list[float]:
    """One deviation for all columns of each array: the mean of theirs, never nearly 0."""
    return [max(float(a.reshape(len(a), -1).std(0).mean()), 1e-5) for a in arrays]


def scale_of(contract: Contract, frames: Frames) -> Scale:
    """Normalisation of x and y from the frames to train on, one deviation per block."""
    use = np.flatnonzero(~frames.held)
    path = np.concatenate([frames.past, frames.future], 2)[use]
    state = [getattr(frames, n)[use].reshape(len(use), -1) for n in STATE_BLOCKS]
    x = np.concatenate([*state, path.reshape(len(use), -1), frames.jump[use]], 1)
    x = x[:, : len(contract.input_names())]  # the jump, the last, may be no input
    out = [frames.hinge_rate, frames.rate, frames.hinge_rate, frames.rate, frames.motion,
           frames.contact, frames.phase, frames.turns, frames.future]
    y = np.concatenate([a[use].reshape(len(use), -1) for a in out], 1)
    stds = [x.std(0).astype(np.float64), y.std(0).astype(np.float64)]
    for std, blocks in zip(stds, (contract.inputs, contract.outputs)):
        for block, where in contract.ranges(blocks):
            if not block.name.startswith(("body.", "root.")):
                std[where] = std[where].mean()
            if block.name == "trajectory.gait":
                np.maximum(std[where], JUMP_STD, out=std[where])
        np.maximum(std, 1e-4, out=std)
    return Scale(x.mean(0).astype(np.float64), stds[0], y.mean(0).astype(np.float64), stds[1])


class Rollout(nn.Module):
    """The loss of rollouts: forward(rows, unroll) of frames' numbers [B]. Some, the last, may be
    evaluated once in 2, 4 or 8 frames, as characters of a crowd are (docs/game.md)."""

    def __init__(self, net: nn.Module, contract: Contract, scale: Scale, frames: Frames,
                 device: str | torch.device, weights: Weights | None = None) -> None:
        super().__init__()
        self.net = net
        values = list(vars(weights or Weights()).values())
        self.register_buffer("weights", torch.tensor(values, device=device))
        self.body = Body(contract, device)
        self.data = Data(frames, device)
        for name in ("x_mean", "x_std", "y_mean", "y_std"):
            value = torch.tensor(getattr(scale, name), dtype=torch.float32, device=device)
            self.register_buffer(name, value)
        names = ("hinge", "hinge_rate", "past", "future", "phase", "turns", "contact")
        self.size = dict(zip(names, _deviation(*(getattr(frames, n) for n in names))))
        calm = frames.jump.max(1) == 0  # what jumps do would make errors on the ground small
        by_part = {n: getattr(frames, n)[calm].std(0) + 1e-5
                   for n in ("posture", "rate", "motion")}
        self.parts = {n: torch.tensor(v, dtype=torch.float32, device=device)
                      for n, v in by_part.items()}
        self.path_size = torch.tensor(frames.future.std(0).mean(1) + 1e-3, device=device)[:, None]
        share = torch.tensor(contract.future, dtype=torch.float32, device=device)
        self.command = (share / contract.window[1]) ** contract.rules["command_blend"]
        self.anchor = 0.0
        self.drop = 0.0
        self.fuses = graph.fuses(torch.device(device))
        to = torch.device(device)
        self.advance, self.ahead = (graph.fused(f, to) for f in (self.body.advance, self.ahead))
        self.evaluate, self.terms = (  # of those who are evaluated
            graph.fused(f, to, any_size=True) for f in (self.evaluate, self.terms))

    def weigh(self, weights: Weights) -> None:
        """Let the loss's terms weigh so much from now on."""
        self.weights.copy_(torch.tensor(list(vars(weights).values())))

    def call(self, x: torch.Tensor) -> torch.Tensor:
        """Raw y of raw x."""
        normal = (x - self.x_mean) / self.x_std
        return self.net(normal, self.drop) * self.y_std + self.y_mean

    def shaken(self, s: State, noise: float) -> State:
        """States with Gaussian noise of `noise` deviations."""
        def shake(v: torch.Tensor, size: torch.Tensor | float) -> torch.Tensor:
            return v + noise * size * torch.randn_like(v)

        s.hinge = shake(s.hinge, self.size["hinge"])
        s.hinge_rate = shake(s.hinge_rate, self.size["hinge_rate"])
        s.posture = shake(s.posture, self.parts["posture"])
        s.rate = shake(s.rate, self.parts["rate"])
        s.motion = shake(s.motion, self.parts["motion"])
        s.feet = self.body.legs.feet(s.posture, s.hinge)
        s.feet_rate = shake(s.feet_rate, 1.0)
        s.phase = shake(s.phase, self.size["phase"])
        return s

    def forward(self, rows: torch.Tensor, unroll: int, noise: float = 0.05,
                paces: Sequence[int] = ()) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean loss over the evaluations and its terms [14]; `paces`: see evaluated()."""
        s, path = self.data.state(rows), self.data.path(rows)
        if noise > 0:
            s = self.shaken(s, noise)
            path = path + 0.3 * noise * self.path_size * torch.randn_like(path)
        if self.fuses and torch.is_grad_enabled():  # as later frames: one function does for all
            s, path = State(*(v.requires_grad_() for v in vars(s).values())), path.requires_grad_()
        turn = torch.zeros_like(s.hinge[:, 0])
        y, made = self.data.said(rows), 0
        total: torch.Tensor | float = 0.0
        for k in range(1, unroll + 1):
            some = evaluated(k, len(rows), paces)
            y, before = self._said(s, path, y, self.data.jump[rows + k - 1], some), s
            s, step = self.advance(s, y, anchor=self.anchor, limit=1.5)
            s.feet_rate = self._felt(s, before, step.facing, k, some, paces)
            true = self.data.at(rows + k)
            turn = turn + step.facing + true.motion[:, 2]
            if some:
                wanted = true if some == len(rows) else self.data.at(rows[:some] + k)
                off = self.terms(first(s, some), y[:some], step.step[:some], wanted, turn[:some])
                total, made = total + some * off, made + some
            if k < unroll:
                path = self.ahead(true, y, step.step, step.facing, turn)
        total = total / made
        return (total * self.weights).sum(), total

    def _said(self, s: State, path: torch.Tensor, y: torch.Tensor, jump: torch.Tensor, some: int
              ) -> torch.Tensor:
        """Outputs [B, n] of a frame after y: the first `some` are evaluated, the others go on."""
        if some == len(y):
            return self.evaluate(s, path, jump)
        rest = self.body.gone_on(State(*(v[some:] for v in vars(s).values())), y[some:])
        if not some:
            return rest
        return torch.cat([self.evaluate(first(s, some), path[:some], jump[:some]), rest])

    def evaluate(self, s: State, path: torch.Tensor, jump: torch.Tensor) -> torch.Tensor:
        """Outputs [B, n] of states on their paths, with their amounts of a jump [B, S]."""
        return self.call(self.body.features(s, path, jump))

    def _felt(self, s: State, before: State, facing: torch.Tensor, frame: int, some: int,
              paces: Sequence[int]) -> torch.Tensor:
        """The feet's motion: who is not evaluated has its mean since he was."""
        parts, at = [s.feet_rate[:some]], some
        for i, count in enumerate(paces):
            gone = frame % 2 ** (i + 1)
            if gone and count:
                here, at = slice(at, at + count), at + count
                parts.append(meant(before.feet_rate[here], s.feet_rate[here], facing[here], gone))
        return torch.cat(parts) if len(parts) > 1 else s.feet_rate

    def ahead(self, true: Rows, y: torch.Tensor, step: torch.Tensor, facing: torch.Tensor,
              turn: torch.Tensor) -> torch.Tensor:
        """The next path: the data's seen from the own root, the future mixed with the predicted."""
        given = turn_samples(torch.cat([true.past, true.future], 2), -turn)
        now = true.past.shape[2]
        past, ahead = given[:, :, :now], given[:, :, now:]
        taken = turned(step, -facing)[:, :, None]
        past = torch.cat([past[:, :, :-1], torch.cat([past[:, :4, -1:], taken], 1)], 2)
        ahead = self.body.future(y).lerp(ahead, self.command)
        return torch.cat([past, ahead], 2)

    def terms(self, s: State, y: torch.Tensor, step: torch.Tensor, true: Rows,
              turn: torch.Tensor) -> torch.Tensor:
        """Mean errors [14] of new states and outputs against the data's frames."""
        at, size, contact = self.body.at, self.size, true.contact

        def off(a: torch.Tensor, b: torch.Tensor, by: torch.Tensor | float) -> torch.Tensor:
            return ((a - b) / by).abs().mean()

        planted = (0.3 + 1.7 * contact)[..., None]
        future = turn_samples(true.future, -turn)
        return torch.stack([
            off(s.hinge, true.hinge, size["hinge"]),
            off(s.hinge_rate, true.hinge_rate, size["hinge_rate"]),
            off(s.posture, true.posture, self.parts["posture"]),
            off(s.rate, true.rate, self.parts["rate"]),
            off(s.motion, true.motion, self.parts["motion"]),
            off(step, true.motion[:, :2], self.parts["motion"][:2]),
            off(y[:, at["contact"]], contact, size["contact"]),
            off(self.body.future(y), future, self.path_size),
            off(y[:, at["leg.phase"]].view(len(y), -1, 2), true.phase, size["phase"]),
            off(y[:, at["leg.phase.rate"]], true.turns, size["turns"]),
            off(s.feet, true.feet, 5.0),
            ((s.feet_rate - true.feet_rate).abs() * planted).mean() / 0.833,
            turn.abs().mean() / 0.1,
            (1.8 - s.feet[..., 1]).clamp(min=0).mean(),
        ])
