"""One step of a hinged character in torch, for many at once: what training and the judge share.

A step takes the network's y and, in this order: moves the hinges (within their limits) and the
posture, takes the rest pose's share while standing, takes the root's step, finds the feet of the
new pose seen from the new root, takes the planted feet's slip off the step, and advances the leg
phases. The pose belongs to the new root.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from gallop.contract import Contract
from gallop.hinges import Legs

PAST_BLOCKS = ("position", "direction", "velocity")


@dataclass
class State:
    """What is fed back: see dog_features.Frames; `phase` [B, L, 2] is amplitude times direction."""

    hinge: torch.Tensor
    hinge_rate: torch.Tensor
    posture: torch.Tensor
    rate: torch.Tensor
    motion: torch.Tensor
    feet: torch.Tensor
    feet_rate: torch.Tensor
    phase: torch.Tensor


@dataclass
class Step:
    """The root's step [B, 2] seen from the old root, and the change of its facing [B]."""

    step: torch.Tensor
    facing: torch.Tensor


def turned(v: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Horizontal vectors v [..., 2] (x, z) turned by `angle` [...], which takes +z towards +x."""
    c, s = torch.cos(angle), torch.sin(angle)
    x, z = v[..., 0], v[..., 1]
    return torch.stack([c * x + s * z, c * z - s * x], -1)


def unit(v: torch.Tensor) -> torch.Tensor:
    """v [..., 2] at length 1; almost nothing stays almost nothing."""
    return v / (v.square().sum(-1, keepdim=True) + 1e-12).sqrt()


def turn_samples(path: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Path samples [B, 6, S] (three pairs of x and z) turned by `angle` [B]."""
    c, s = torch.cos(angle)[:, None, None], torch.sin(angle)[:, None, None]
    x, z = path[:, 0::2], path[:, 1::2]
    return torch.stack([c * x + s * z, c * z - s * x], 2).flatten(1, 2)


def meant(was: torch.Tensor, now: torch.Tensor, facing: torch.Tensor, frames: int) -> torch.Tensor:
    """The feet's mean motion [B, L, 3] over so many frames: `was` that of all but the last, seen
    from before a turn by `facing` [B], `now` the last one's."""
    flat = turned(was[..., 0::2], -facing[:, None])
    return torch.stack([flat[..., 0], was[..., 1], flat[..., 1]], -1).lerp(now, 1 / frames)


class Body:
    """A contract's hinged body on a device: features of a state, and its steps."""

    def __init__(self, contract: Contract, device: str | torch.device = "cpu",
                 dtype: torch.dtype = torch.float32) -> None:
        self.contract = contract
        self.legs = Legs(contract, device, dtype)
        make = {"dtype": dtype, "device": device}
        self.least = torch.tensor([h.least for h in contract.hinges], **make)
        self.most = torch.tensor([h.most for h in contract.hinges], **make)
        self.rest = torch.tensor([h.rest for h in contract.hinges], **make)
        self.posture = torch.tensor(contract.posture, **make)
        columns = contract.ranges(contract.outputs)
        self.at = {b.name: s for b, s in columns if b.name != "contact"}
        contacts = [s.start for b, s in columns if b.name == "contact"]
        self.at["contact"] = slice(contacts[0], contacts[-1] + 1)
        first = self.at["future.position.x"].start
        self.jumps = any(b.name == "trajectory.gait" for b in contract.inputs)
        self.at["future"] = slice(first, self.at["future.velocity.z"].stop)

    def resting(self, count: int) -> State:
        """Characters in the rest pose, not moving."""
        hinge, posture = self.rest.repeat(count, 1), self.posture.repeat(count, 1)
        feet = self.legs.feet(posture, hinge)
        return State(hinge, torch.zeros_like(hinge), posture, torch.zeros_like(posture),
                     torch.zeros_like(posture), feet, torch.zeros_like(feet), feet[..., :2] * 0)

    def features(self, s: State, path: torch.Tensor, jump: torch.Tensor) -> torch.Tensor:
        """x [B, K] of states, path samples [B, 6, S] and the amount of a jump at them [B, S] (left
        out where the contract knows no jump), in the order of the dog's contract."""
        parts = (s.hinge, s.hinge_rate, s.posture, s.rate, s.motion, s.feet, s.feet_rate, s.phase,
                 path, jump)[: None if self.jumps else -1]
        return torch.cat([p.flatten(1) for p in parts], 1)

    def future(self, y: torch.Tensor) -> torch.Tensor:
        """The predicted path [B, 6, F], seen from the updated root."""
        return y[:, self.at["future"]].view(len(y), 6, -1)

    def advance(
        self, s: State, y: torch.Tensor, share: torch.Tensor | None = None,
        settle: torch.Tensor | None = None, anchor: float = 0.0, limit: float = 1e9,
    ) -> tuple[State, Step]:
        """The next states. `share` [B] of the root's step and of the pose's change is taken;
        `settle` [B] is the share of the way to the rest pose; `anchor` of the planted feet's mean
        slip is taken off."""
        at = self.at
        taken = 1.0 if share is None else share[:, None]
        hinge = s.hinge + taken * y[:, at["hinge.change"]]
        posture = s.posture + taken * y[:, at["body.change"]]
        hinge = torch.maximum(torch.minimum(hinge, self.most), self.least)
        if settle is not None:
            hinge = hinge + settle[:, None] * (self.rest - hinge)
            posture = posture + settle[:, None] * (self.posture - posture)
        root = y[:, at["root.velocity.x"].start : at["root.turn"].stop]
        step, facing = (taken * root)[:, :2], -(taken * root)[:, 2]
        feet = self.legs.feet(posture, hinge)
        flat = turned(feet[..., 0::2], facing[:, None]) - s.feet[..., 0::2]
        if anchor > 0:
            step = step - _slip(flat + step[:, None], y[:, at["contact"]], anchor, limit)
        moved = turned(flat + step[:, None], -facing[:, None])
        rise = feet[..., 1] - s.feet[..., 1]
        feet_rate = torch.stack([moved[..., 0], rise, moved[..., 1]], -1)
        # Of one layout, whatever they were cut from: kernels are written for one.
        hinge_rate, rate, root, step = (v.contiguous() for v in (
            y[:, at["hinge.velocity"]], y[:, at["body.rate"]], root, step))
        new = State(hinge, hinge_rate, posture, rate, root, feet, feet_rate, self._phases(s, y))
        return new, Step(step, facing)

    def gone_on(self, s: State, y: torch.Tensor) -> torch.Tensor:
        """What stands for outputs y [B, n] of the last frame in one that is not evaluated: all goes
        on as it last went, hinges and body at their rates (src/motion/body/bridge.inc)."""
        at, on = self.at, y.clone()
        on[:, at["hinge.change"]] = y[:, at["hinge.velocity"]]
        on[:, at["body.change"]] = y[:, at["body.rate"]]
        turn = -2 * math.pi * y[:, at["leg.phase.rate"]]
        on[:, at["leg.phase"]] = turned(s.phase, turn).flatten(1)
        return on

    def _phases(self, s: State, y: torch.Tensor) -> torch.Tensor:
        """The mean of the old direction, turned as predicted, and the predicted one."""
        asked = y[:, self.at["leg.phase"]].view(len(y), -1, 2)
        angle = 2 * math.pi * y[:, self.at["leg.phase.rate"]]
        c, n = torch.cos(angle), torch.sin(angle)
        way = unit(s.phase)
        x, z = way[..., 0], way[..., 1]
        old = torch.stack([c * x - n * z, n * x + c * z], -1)
        mean = unit(old + unit(asked))
        size = (asked.square().sum(-1) + 1e-12).sqrt().clamp(max=1.0)
        return mean * size[..., None]


def _slip(moved: torch.Tensor, contact: torch.Tensor, anchor: float, limit: float
          ) -> torch.Tensor:
    """What the anchor takes off the step [B, 2]: feet's motion [B, L, 2], contacts [B, L]."""
    planted = (contact >= 0.5).to(moved.dtype)[..., None]
    mean = (moved * planted).sum(1) / planted.sum(1).clamp(min=1) * anchor
    length = (mean.square().sum(-1, keepdim=True) + 1e-12).sqrt()
    return mean * (limit / length).clamp(max=1.0)
