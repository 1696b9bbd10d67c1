"""The dog's controller in torch, many characters at once: commands in, motion out.

It is the oracle of the C controller (docs/training-dog.md spells out the order of a frame): the
commanded path has a velocity and a heading of its own, starts at the root in every frame, and is
mixed into the predicted path, more so further ahead.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from gallop import modelfile
from gallop.contract import Contract, parse
from gallop.dog_loop import Body, State, turned


@dataclass
class Command:
    """What the players want: move [C, 2] in the world (x, z; at most 1 long), run [C], look [C]
    (the camera's heading, radians from +z towards +x) and strafe [C] (1: face the camera)."""

    move: torch.Tensor
    run: torch.Tensor
    look: torch.Tensor
    strafe: torch.Tensor


class Network:
    """A model file's network on a device, raw x to raw y, in a type of number."""

    def __init__(self, model: modelfile.Model, device: str = "cpu",
                 dtype: torch.dtype = torch.float32) -> None:
        make = {"dtype": dtype, "device": device}

        def tensors(layer: modelfile.Layer) -> tuple[torch.Tensor, torch.Tensor, str]:
            weights = torch.tensor(modelfile.stored(layer.weights, layer.type), **make)
            return weights, torch.tensor(layer.bias, **make), layer.activation

        self.layers = [tensors(layer) for layer in model.layers]
        self.gate = [tensors(layer) for layer in model.gate_layers]
        self.columns = torch.tensor(model.gate_features, device=device, dtype=torch.long)
        for name in ("input_mean", "input_std", "output_mean", "output_std"):
            setattr(self, name, torch.tensor(getattr(model, name), **make))

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        value = (x - self.input_mean) / self.input_std
        w = torch.ones_like(value[:, :1])
        if self.gate:
            z = value.index_select(1, self.columns)
            for weights, bias, kind in self.gate:
                z = _act(z @ weights[0].T + bias[0], kind)
            w = torch.softmax(z, 1)
        for weights, bias, kind in self.layers:
            e, n, k = weights.shape
            every = (value @ weights.reshape(e * n, k).T).view(-1, e, n) + bias
            mix = w if e > 1 else torch.ones_like(w[:, :1])
            value = _act((mix[:, :, None] * every).sum(1), kind)
        return value * self.output_std + self.output_mean


def _act(v: torch.Tensor, kind: str) -> torch.Tensor:
    if kind == "elu":
        return torch.nn.functional.elu(v)
    return v.clamp(min=0) if kind == "relu" else v


def wrapped(angle: torch.Tensor) -> torch.Tensor:
    """An angle in -pi..pi."""
    return torch.atan2(torch.sin(angle), torch.cos(angle))


def direction(angle: torch.Tensor) -> torch.Tensor:
    """The unit vector (x, z) that faces `angle`."""
    return torch.stack([torch.sin(angle), torch.cos(angle)], -1)


class Controller:
    """C characters of one model, reset at the origin facing +z."""

    def __init__(self, model: modelfile.Model, count: int, rules: dict[str, float] | None = None,
                 device: str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        self.contract: Contract = parse(model.contract, "contract")
        self.rules = {**self.contract.rules, **(rules or {})}
        self.net, self.body = Network(model, device, dtype), Body(self.contract, device, dtype)
        make = {"dtype": dtype, "device": device}
        past, ahead = self.contract.window
        self.offsets = [o for o in self.contract.samples if o <= 0]
        share = torch.tensor(self.contract.future, **make) / ahead
        self.blend = (share ** self.rules["command_blend"])[:, None]
        self.state: State = self.body.resting(count)
        self.root, self.facing = torch.zeros(count, 2, **make), torch.zeros(count, **make)
        self.position = torch.zeros(past + 1, count, 2, **make)
        self.turn = torch.zeros(past + 1, count, **make)
        self.velocity = torch.zeros(past + 1, count, 2, **make)
        self.wanted, self.heading = self.root.clone(), self.facing.clone()
        self.stand = self.facing + 1
        front = torch.zeros(count, len(self.contract.future), 2, **make)
        front[..., 1] = 1
        self.predicted = (front * 0, front, front * 0)  # seen from the root
        self.x = self.y = torch.zeros(0)

    def _speed(self, c: Command) -> torch.Tensor:
        """Units per frame wanted; less sideways and backwards."""
        r = self.rules
        speed = r["speed_walk"] + (r["speed_run"] - r["speed_walk"]) * c.run
        length = c.move.norm(dim=1)
        way = torch.where(length[:, None] > 1e-5, c.move, direction(self.heading))
        along = (way * direction(self.heading)).sum(1) / way.norm(dim=1).clamp(min=1e-5)
        ahead = torch.where(along < 0, along * 0 + r["speed_back"], along * 0 + 1)
        return speed * (r["speed_side"] + (ahead - r["speed_side"]) * along.abs())

    def _follow(self, wanted: torch.Tensor, heading: torch.Tensor, target: torch.Tensor,
                c: Command) -> tuple[torch.Tensor, torch.Tensor]:
        """One frame of the commanded velocity and heading."""
        r = self.rules
        wanted = wanted + (target - wanted) / max(r["command_velocity_time"], 1.0)
        moving = target.norm(dim=1) > 1e-5
        way = torch.where(moving, torch.atan2(target[:, 0], target[:, 1]), heading)
        more = wrapped(way - heading)
        goal = heading + more + c.strafe * wrapped(c.look - way)
        rate = wrapped(goal - heading) / max(r["command_turn_time"], 1.0)
        limit = r["command_turn_rate"]
        return wanted, heading + rate.clamp(-limit, limit)

    def command(self, c: Command) -> None:
        """Take the commands of this frame and lay out the commanded path ahead."""
        target = c.move * self._speed(c)[:, None]
        self.wanted, self.heading = self._follow(self.wanted, self.heading, target, c)
        speed = self.wanted.norm(dim=1)
        amount = (1 - speed / self.rules["stand_speed"]).clamp(min=0)
        self.stand = self.stand + self.rules["gait_smooth"] * (amount - self.stand)
        wanted, heading, at = self.wanted, self.heading, self.root
        parts, last = [], max(self.contract.future)
        for frame in range(1, last + 1):
            at = at + wanted
            wanted, heading = self._follow(wanted, heading, target, c)
            if frame in self.contract.future:
                parts.append((at - self.root, direction(heading), wanted))
        self.commanded = tuple(torch.stack(p, 1) for p in zip(*parts))

    def path(self) -> torch.Tensor:
        """Path samples [C, 6, S] seen from the root."""
        back = -self.facing[:, None]
        index = [o - 1 for o in self.offsets]
        past = [turned((self.position[index] - self.root).transpose(0, 1), back),
                direction(self.turn[index].T + back),
                turned(self.velocity[index].transpose(0, 1), back)]
        ahead = [p + self.blend * (turned(w, back) - p)
                 for p, w in zip(self.predicted, self.commanded)]
        ahead[1] = ahead[1] / ahead[1].norm(dim=-1, keepdim=True).clamp(min=1e-6)
        both = [torch.cat([a, b], 1) for a, b in zip(past, ahead)]
        return torch.cat(both, 2).transpose(1, 2)

    def step(self, c: Command) -> None:
        """One frame."""
        r = self.rules
        self.command(c)
        self.x = self.body.features(self.state, self.path())
        self.y = y = self.net(self.x)
        share = (1 - self.stand).clamp(0, 1) ** r["stand_damping"]
        self.state, step = self.body.advance(
            self.state, y, share, r["stand_settle"] * self.stand, r["anchor"], r["anchor_limit"])
        moved = turned(step.step, self.facing)
        self.root, self.facing = self.root + moved, self.facing + step.facing
        for history, now in ((self.position, self.root), (self.turn, self.facing),
                             (self.velocity, moved)):
            history[:-1] = history[1:].clone()
            history[-1] = now
        future = self.body.future(y)
        self.predicted = tuple(future[:, i : i + 2].transpose(1, 2) for i in (0, 2, 4))
