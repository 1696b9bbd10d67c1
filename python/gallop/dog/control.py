"""The dog's controller in torch, many characters at once: commands in, motion out.

It is the oracle of the C controller (docs/training-dog.md spells out the order of a frame): the
commanded path has a velocity and a heading of its own, starts at the root in every frame, and is
mixed into the predicted path, more so further ahead.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch

from gallop import kinds, modelfile
from gallop.contract import Contract, parse
from gallop.dog.loop import Body, State, Step, meant, turned
from gallop.loop import cut


@dataclass
class Command:
    """What the players want: move [C, 2] in the world (x, z; cut to length 1), run [C], look [C]
    (the camera's heading, radians from +z towards +x), strafe [C] (1: face the camera) and jump [C]
    (1: as soon as it can)."""

    move: torch.Tensor
    run: torch.Tensor
    look: torch.Tensor
    strafe: torch.Tensor
    jump: torch.Tensor


class Network:
    """A model file's network on a device, raw x to raw y, in a type of number."""

    def __init__(self, model: modelfile.Model, device: str = "cpu",
                 dtype: torch.dtype = torch.float32) -> None:
        make = {"dtype": dtype, "device": device}

        def tensors(layer: modelfile.Layer) -> tuple[torch.Tensor, torch.Tensor, str]:
            weights = torch.tensor(kinds.stored(layer.weights, layer.type), **make)
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


DEFAULTS = {"velocity_smooth": 0.9, "direction_smooth": 0.9, "strafe_smooth": 0.9,
            "turn_gait": 0.0, "turn_ahead": 0.0, "jump_time": 0.0, "jump_speed": 0.0,
            "speed_push": 0.0}


KEPT = ("root", "facing", "position", "turn", "velocity", "velocity_wanted", "facing_wanted",
        "turning", "strafe", "stand", "top", "speed")
TURN_JUMP, TURN_FOLLOW = 0.15, 0.1  # rad; share of the way that `turning` goes in a frame
SPEED_FOLLOW = 0.05
LISTS = ("commanded_now", "predicted")


class Controller:
    """C characters of one model, reset at the origin facing +z."""

    def __init__(self, model: modelfile.Model, count: int, rules: dict[str, float] | None = None,
                 device: str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        self.contract: Contract = parse(model.contract, "contract")
        self.rules = {**DEFAULTS, **self.contract.rules, **(rules or {})}
        self.net, self.body = Network(model, device, dtype), Body(self.contract, device, dtype)
        make = {"dtype": dtype, "device": device}
        past, ahead = self.contract.window
        self.index = torch.tensor([past + o for o in self.contract.samples if o <= 0],
                                  device=device)
        self.ahead = torch.tensor(self.contract.future, **make)
        share = self.ahead / ahead
        self.blend = (share ** self.rules["command_blend"])[:, None]
        self.state: State = self.body.resting(count)
        self.root, self.facing = torch.zeros(count, 2, **make), torch.zeros(count, **make)
        self.position = torch.zeros(past + 1, count, 2, **make)
        self.turn = torch.zeros(past + 1, count, **make)
        self.velocity = torch.zeros(past + 1, count, 2, **make)
        self.velocity_wanted, self.facing_wanted = self.root, self.facing
        self.commanded_now = (self.root, self.facing)
        self.strafe, self.stand, self.turning, self.age = self.facing, self.facing, self.facing, 0
        self.speed = self.facing  # smoothed, units a frame
        self.over = -past - self.rules["jump_time"]
        self.top = self.facing + self.over  # frames until a jump's top; `over`: none to be seen
        self.offsets = torch.tensor(self.contract.samples, **make)
        front = torch.zeros(count, len(self.contract.future), 2, **make)
        front[..., 1] = 1
        self.predicted = (front * 0, front, front * 0)  # seen from the root
        self.x = torch.zeros(0)
        self.y = torch.zeros(count, len(self.contract.output_names()), **make)

    def memory(self) -> dict[str, torch.Tensor]:
        """All that lives from frame to frame, by name."""
        kept = {"state." + f.name: getattr(self.state, f.name) for f in fields(State)}
        kept.update({name: getattr(self, name) for name in KEPT})
        for name in LISTS:
            kept.update({f"{name}.{i}": v for i, v in enumerate(getattr(self, name))})
        return kept

    def remember(self, kept: dict[str, torch.Tensor]) -> None:
        """The character as memory() told it."""
        self.state = State(**{f.name: kept["state." + f.name] for f in fields(State)})
        for name in KEPT:
            setattr(self, name, kept[name])
        for name in LISTS:
            setattr(self, name, tuple(kept[f"{name}.{i}"]
                                      for i in range(len(getattr(self, name)))))

    def _speed(self, c: Command) -> torch.Tensor:
        """Units per frame wanted; less sideways and backwards to the facing wanted."""
        r = self.rules
        speed = r["speed_walk"] + (r["speed_run"] - r["speed_walk"]) * c.run
        facing = direction(self.facing_wanted)
        length = c.move.norm(dim=1, keepdim=True)
        way = torch.where(length > 1e-5, c.move / length.clamp(min=1e-5), facing)
        along = (way * facing).sum(1)
        ahead = torch.where(along < 0, along * 0 + r["speed_back"], along * 0 + 1)
        return speed * (r["speed_side"] + (ahead - r["speed_side"]) * along.abs())

    def _leap(self, c: Command) -> torch.Tensor:
        """Begin a jump where one is asked for, none is under way and the dog is fast enough;
        returns who has not landed yet [C] and takes no command."""
        r, time = self.rules, self.rules["jump_time"]
        fast = self.velocity[-1].norm(dim=1) >= r["jump_speed"]
        begin = (c.jump > 0) & (self.top <= -time) & fast & (time > 0)
        self.top = torch.where(begin, time, (self.top - 1).clamp(min=self.over))
        return (self.top > -time / 2) & (time > 0)

    def _want(self, c: Command) -> None:
        """Velocity and facing that the stick wants, and the amount of standing."""
        names = ("velocity_wanted", "facing_wanted", "turning", "strafe", "stand")
        kept = [getattr(self, n) for n in names]
        busy = self._leap(c)
        self._steer(c)
        for name, was in zip(names, kept):
            now = getattr(self, name)
            setattr(self, name, torch.where(busy.view(-1, *[1] * (now.ndim - 1)), was, now))

    def _steer(self, c: Command) -> None:
        """The same for those whose feet are on the ground."""
        r = self.rules
        target = cut(c.move) * self._speed(c)[:, None]
        wanted = self.velocity_wanted
        self.velocity_wanted = wanted = wanted + r["velocity_smooth"] * (target - wanted)
        self.strafe = self.strafe + r["strafe_smooth"] * (c.strafe - self.strafe)
        facing = self.facing_wanted
        speed = wanted.norm(dim=1)
        way = torch.where(speed < 1e-5, facing, torch.atan2(wanted[:, 0], wanted[:, 1]))
        goal = way + self.strafe * wrapped(c.look - way)
        change = r["direction_smooth"] * wrapped(goal - facing)
        self.facing_wanted = wrapped(facing + change)
        followed = self.turning + TURN_FOLLOW * (change - self.turning)
        self.turning = torch.where(change.abs() > TURN_JUMP, change * 0, followed)
        amount = (1 - speed / r["stand_speed"]).clamp(min=0)
        if r["turn_gait"] > 0:
            away = wrapped(self.facing_wanted - self.facing) + r["turn_ahead"] * self.turning
            amount = torch.where(away.abs() > r["turn_gait"], amount * 0, amount)
        self.stand = self.stand + r["gait_smooth"] * (amount - self.stand)

    def _velocity_ahead(self) -> torch.Tensor:
        """The velocity that the path ahead is laid out for: more while much of it is missing."""
        wanted = self.velocity_wanted.norm(dim=1)
        missing = ((wanted - self.speed) / wanted.clamp(min=1e-9)).clamp(min=0)
        missing = torch.where(wanted < self.rules["stand_speed"], missing * 0, missing)
        return self.velocity_wanted * (1 + self.rules["speed_push"] * missing)[:, None]

    def _goal(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The velocity and the facing that the commanded path comes to."""
        lead = self.rules["turn_ahead"] * self.turning
        return turned(self._velocity_ahead(), lead), self.facing_wanted + lead

    def _follow(self, goal: tuple[torch.Tensor, torch.Tensor], velocity: torch.Tensor,
                facing: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """One frame of the commanded velocity and facing."""
        r = self.rules
        velocity = velocity + (goal[0] - velocity) / r["command_velocity_time"]
        angle = wrapped(goal[1] - facing) / max(r["command_turn_time"], 1.0)
        limit = r["command_turn_rate"]
        return velocity, facing + angle.clamp(-limit, limit)

    def command(self, c: Command) -> None:
        """Take the commands of this frame and lay out the commanded path ahead."""
        self._want(c)
        self.commanded_now = self._follow(self._goal(), *self.commanded_now)
        self.commanded = self.laid_out()

    def laid_out(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The path from the root on by the commands of this frame: places seen from it [C, F, 2],
        facings [C, F] and velocities [C, F, 2], all turned as the world is. What so many frames of
        _follow come to, without going through them."""
        velocity, facing = self.commanded_now
        goal, way = self._goal()
        frames, keep = self.ahead, 1 - 1 / self.rules["command_velocity_time"]
        left = (keep ** frames)[:, None]
        gone = keep * (1 - left) / (1 - keep)
        off = (velocity - goal)[:, None]
        places = frames[:, None] * goal[:, None] + gone * off
        return places, self._faced(facing, way), goal[:, None] + left * off

    def _faced(self, facing: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
        """Facings [C, F]: as fast as the rule lets them turn, then ever slower."""
        keep = 1 - 1 / max(self.rules["command_turn_time"], 1.0)
        limit = max(self.rules["command_turn_rate"], 1e-9)
        away = wrapped(goal - facing)[:, None]
        most = away.abs()
        fast = ((most * (1 - keep) - limit) / (limit * (1 - keep))).ceil().clamp(min=0)
        fast = torch.minimum(fast, self.ahead)
        left = (most - limit * fast) * keep ** (self.ahead - fast)
        return facing[:, None] + away.sign() * (most - left)

    def path(self) -> torch.Tensor:
        """Path samples [C, 6, S] seen from the root."""
        back = -self.facing[:, None]
        position, turn, velocity = (v.index_select(0, self.index)
                                    for v in (self.position, self.turn, self.velocity))
        past = [turned((position - self.root).transpose(0, 1), back),
                direction(turn.T + back), turned(velocity.transpose(0, 1), back)]
        to = turned(self.commanded[0], back), turned(self.commanded[2], back)
        ahead = [p.lerp(w, self.blend) for p, w in zip(self.predicted[0::2], to)]
        predicted = torch.atan2(self.predicted[1][..., 0], self.predicted[1][..., 1])
        more = wrapped(self.commanded[1] + back - predicted)
        ahead.insert(1, direction(predicted + self.blend[:, 0] * more))
        both = [torch.cat([a, b], 1) for a, b in zip(past, ahead)]
        return torch.cat(both, 2).transpose(1, 2)

    def jump(self) -> torch.Tensor:
        """How much of a jump it is [C, S] at the samples (docs/controller.md)."""
        time = max(self.rules["jump_time"], 1.0)
        after = self.offsets - self.top[:, None]
        return torch.where(after.abs() < time, 0.5 + 0.5 * torch.cos(torch.pi * after / time), 0)

    def share(self) -> torch.Tensor:
        """How much of their way [C] is taken by those who stand."""
        return (1 - self.stand).clamp(0, 1) ** self.rules["stand_damping"]

    def _moved(self, step: Step) -> None:
        """The root goes on, and leaves its way behind it."""
        moved = turned(step.step, self.facing)
        self.root, self.facing = self.root + moved, self.facing + step.facing
        self.position = torch.cat([self.position[1:], self.root[None]])
        self.turn = torch.cat([self.turn[1:], self.facing[None]])
        self.velocity = torch.cat([self.velocity[1:], moved[None]])

    def go_on(self, c: Command, frames: int) -> None:
        """So many frames without an evaluation: all goes on as it last went
        (src/motion/body/bridge.inc)."""
        went = self.share() * self.state.motion[:, :2].norm(dim=1)
        for _ in range(frames):
            self._want(c)
            self.commanded_now = self._follow(self._goal(), *self.commanded_now)
            self.speed = self.speed + SPEED_FOLLOW * (went - self.speed)
        root = slice(self.body.at["root.velocity.x"].start, self.body.at["root.turn"].stop)
        share = self.share()
        for frame in range(1, frames + 1):
            y, before = self.body.gone_on(self.state, self.y), self.state
            step = turned(self.velocity[-1], -self.turn[-2])  # what the anchor left of it
            taken = torch.cat([step, (self.turn[-2] - self.turn[-1])[:, None]], 1)
            y[:, root] = taken / share[:, None].clamp(min=1e-6)
            self.state, step = self.body.advance(
                before, y, share, self.rules["stand_settle"] * self.stand)
            self.state.motion = before.motion
            if frame > 1:
                self.state.feet_rate = meant(
                    before.feet_rate, self.state.feet_rate, step.facing, frame)
            self._moved(step)

    def step(self, c: Command, frames: int = 1) -> None:
        """One evaluation, which stands for so many frames."""
        r = self.rules
        self.go_on(c, frames - 1)
        self.command(c)
        self.x = self.body.features(self.state, self.path(), self.jump())
        self.y = y = self.net(self.x)
        share = self.share()
        anchor = r["anchor"] if self.age else 0.0
        self.state, step = self.body.advance(
            self.state, y, share, r["stand_settle"] * self.stand, anchor, r["anchor_limit"])
        self.age += 1
        went = share * self.state.motion[:, :2].norm(dim=1)
        self.speed = self.speed + SPEED_FOLLOW * (went - self.speed)
        self._moved(step)
        future = self.body.future(y)
        self.predicted = tuple(future[:, i : i + 2].transpose(1, 2) for i in (0, 2, 4))
