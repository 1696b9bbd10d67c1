"""The controller's loop, differentiable: what training rolls out.

It is the runtime's (docs/controller.md, src/motion/body/path.inc, advance.inc) in torch, for many
characters at once; test/python/test_loop.py compares them frame by frame. What is only shown
(inertia, foot locking, breath) is not in it, nor are anchor and commanded path, which no walker
has. A character goes over made-up ground (terrain.py), level where nothing says otherwise, which
only a network with heights among its inputs sees.

C characters, W samples a frame of the window, G gaits, F fed-back joint numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch

from gallop import terrain
from gallop.contract import Contract
from gallop.losses import Layout

TAU = 2 * math.pi
SLOW = 1e-5  # units a frame: a wanted velocity under it has no direction
TURN_JUMP, TURN_FOLLOW = 0.15, 0.1  # rad; share of the way that `turning` goes in a frame
SPEED_FOLLOW = 0.05
SAME_WAY = 0.7  # cosine between two velocities
STANDS, ASIDE = 0.999, 0.7  # of 1: how much one stands, how much of the way is to a side
FACTOR = (0.5, 1.6)  # bounds of the speed integrator

# The rules that the loop uses, with the runtime's defaults (src/contract/rules.def, which a test
# compares).
DEFAULTS = {
    "speed_walk": 2.5, "speed_run": 7.5, "speed_side": 1.0, "speed_back": 1.0, "speed_crouch": 1.0,
    "velocity_smooth": 0.9, "direction_smooth": 0.9, "strafe_smooth": 0.9, "crouch_smooth": 0.9,
    "gait_smooth": 0.1, "stand_speed": 0.1, "crouch_least": 0.1, "crouch_still": 0.0,
    "turn_gait": 0.0, "turn_ahead": 0.0,
    "future_position_bias": 0.5, "future_position_bias_strafe": 1.0,
    "future_direction_bias": 2.0, "future_direction_bias_strafe": 0.5,
    "joint_smooth": 0.5, "stand_start": 0.0, "stand_damping": 0.25, "phase_stand": 0.1,
    "phase_least": 0.0, "speed_gain": 0.0, "speed_band": 0.0, "speed_push": 0.0,
    "speed_push_side": 0.0, "speed_brake": 0.0, "jump_time": 0.0, "jump_speed": 0.0,
    "jump_carry": 0.0, "jump_ease": 0.0, "phase_aside": 0.0,
    "ground_reach": 0.0, "ground_smooth": 0.2,
}  # fmt: skip


def cut(move: torch.Tensor) -> torch.Tensor:
    """Sticks [C, 2] at length 1 where they are longer, as the runtime takes them."""
    return move / move.norm(dim=-1, keepdim=True).clamp(min=1)


@dataclass
class Stick:
    """What the players want: move [C, 2] in the world (x, z; longer than 1 is cut), run, strafe,
    crouch and jump [C] (0..1), look [C] (the camera's yaw: where to face in strafing, radians)."""

    move: torch.Tensor
    run: torch.Tensor
    look: torch.Tensor
    strafe: torch.Tensor
    crouch: torch.Tensor
    jump: torch.Tensor


@dataclass
class State:
    """path [C, W, 2], facing [C, W] (radians) and gait [C, W, G] over the window, fed-back joints
    [C, F] in the last frame's root frame, phase [C]; the wanted velocity [C, 2] and facing [C],
    how fast that turns [C], strafe and crouch amounts [C]; the integrator's factor and the speed
    that it sees [C]; jump_top [C], frames to the top of the last jump; the ground [C, P], and the
    plane that the root follows on it: its height [C] over spot [C, 2], its slope [C, 2]."""

    path: torch.Tensor
    facing: torch.Tensor
    gait: torch.Tensor
    fed: torch.Tensor
    phase: torch.Tensor
    velocity: torch.Tensor
    face: torch.Tensor
    turning: torch.Tensor
    strafe: torch.Tensor
    crouch: torch.Tensor
    factor: torch.Tensor
    speed: torch.Tensor
    jump_top: torch.Tensor
    ground: torch.Tensor
    height: torch.Tensor
    spot: torch.Tensor
    slope: torch.Tensor

    def detached(self) -> State:
        return State(**{k: v.detach() for k, v in vars(self).items()})

    def replaced(self, where: torch.Tensor, other: State) -> State:
        """The state with the rows `where` [C] of another."""
        return State(**{k: rows(where, getattr(other, k), v) for k, v in vars(self).items()})


def rows(where: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Rows of a where it is so [C], else of b."""
    return torch.where(where.view(-1, *[1] * (b.ndim - 1)), a, b)


def wrap(angle: torch.Tensor) -> torch.Tensor:
    """An angle brought to -pi..pi."""
    return torch.remainder(angle + math.pi, TAU) - math.pi


def turned(vector: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Planar vectors [..., 2] (x, z) turned by an angle that takes +z towards +x."""
    c, s = torch.cos(angle), torch.sin(angle)
    x, z = vector[..., 0], vector[..., 1]
    return torch.stack([c * x + s * z, c * z - s * x], -1)


def heading(vector: torch.Tensor) -> torch.Tensor:
    """The angle [...] of planar vectors [..., 2], 0 along +z; 0 for none."""
    return torch.atan2(vector[..., 0], vector[..., 1])


def mix(a: torch.Tensor | float, b: torch.Tensor | float, share: torch.Tensor | float):
    """a + share (b - a)."""
    return a + share * (b - a)


class Loop:
    """One frame of a contract's controller: `command`, `inputs`, the network, `moved`."""

    def __init__(self, contract: Contract, device: torch.device, **rules: float) -> None:
        """`rules` take the place of the contract's."""
        c = self.c = contract
        self.rules = {**DEFAULTS, **contract.rules, **rules}
        for name in ("anchor", "command_velocity_time"):
            if self.rules.get(name, 0) > 0:
                raise ValueError(f"rule {name}: not in the loop that training rolls out")
        self.at, self.device = Layout(contract), device
        self.sides = terrain.sides(contract)
        if self.sides and self.rules["ground_reach"] <= 0:
            raise ValueError("rule ground_reach: above 0 expected of who sees the ground")
        phased = any(b.name == "phase.advance" for b in c.outputs)
        self.phase = c.columns(c.outputs, "phase.advance").start if phased else None
        past, future = c.window
        self.now = past
        self.samples = torch.tensor(c.samples, device=device) + past
        self.frames = torch.arange(-past, future, device=device)
        self.share = self.frames[past + 1 :] / future
        self.lead = self.frames[past + 1 :].clamp(max=self.rules["turn_ahead"])
        self.roles = {role: i for i, (_, role) in enumerate(c.gaits)}
        self.between = self._between().to(device)
        self.front = torch.tensor([[0.0, 0.0], [0.0, 1.0]], device=device)

    def _between(self) -> torch.Tensor:
        """Shares [A, 1 + K] of the root and the predicted samples in every frame ahead."""
        offsets = np.array([0, *self.c.future] if self.c.future[0] > 0 else self.c.future)
        frames = self.frames[self.now + 1 :].cpu().numpy()
        upper = np.clip(np.searchsorted(offsets, frames), 1, len(offsets) - 1)
        part = (frames - offsets[upper - 1]) / (offsets[upper] - offsets[upper - 1])
        between = np.zeros((len(frames), len(offsets)))
        every = np.arange(len(frames))
        between[every, upper - 1], between[every, upper] = 1 - part, part
        return torch.tensor(between, dtype=torch.float32)

    @property
    def jumps(self) -> bool:
        """Whether the controller has jumps."""
        return self.rules["jump_time"] > 0 and "jump" in self.roles

    def at_rest(self, fed: torch.Tensor, facing: torch.Tensor, phase: torch.Tensor) -> State:
        """Characters that stand at the origin with joints fed [C, F], as the runtime adds them."""
        count, window = len(fed), len(self.frames)
        zero = fed.new_zeros(count)
        forgotten = -float(self.c.window[0]) - self.rules["jump_time"]
        gait = fed.new_zeros(count, window, len(self.c.gaits))
        gait[..., self.roles["stand"]] = self.rules["stand_start"]
        ground = torch.tensor(terrain.level(count), dtype=fed.dtype, device=fed.device)
        spot = fed.new_zeros(count, 2)
        return State(fed.new_zeros(count, window, 2), facing[:, None].repeat(1, window),
                     gait, fed, phase, spot, facing, zero, zero, zero, zero + 1, zero,
                     zero + forgotten, ground, zero, spot, spot)

    def on_ground(self, s: State, ground: torch.Tensor) -> State:
        """The state on a ground [C, P], as the runtime puts characters down."""
        at, reach = s.path[:, self.now], self.rules["ground_reach"]
        slope = terrain.around(ground, at, self.front[1].expand_as(at), reach)[1]
        return replace(s, ground=ground, spot=at, slope=slope, height=terrain.height(ground, at))

    # ---- before the network ----

    def command(self, s: State, stick: Stick) -> State:
        """The state with what is wanted laid out as a path ahead."""
        s, busy = self._jump(s, stick)
        wanted = self._want(s, stick)
        if self.rules["phase_aside"] > 0:
            wanted.phase = self._first_phase(wanted)
        wanted.gait = torch.cat([s.gait[:, : self.now], self._gait(wanted, stick)[:, None],
                                 s.gait[:, self.now + 1 :]], 1)
        s = self._ahead(s.replaced(~busy, wanted) if self.jumps else wanted)
        return self._over_ground(s) if self.sides else s

    def _jump(self, s: State, stick: Stick) -> tuple[State, torch.Tensor]:
        """Jumps go on or begin; who takes no command meanwhile."""
        if not self.jumps:
            return s, torch.zeros_like(s.strafe, dtype=torch.bool)
        time = self.rules["jump_time"]
        last = (s.path[:, self.now] - s.path[:, self.now - 1]).norm(dim=-1)
        begins = (stick.jump > 0) & (s.jump_top <= -time) & (last >= self.rules["jump_speed"])
        later = (s.jump_top - 1).clamp(min=-float(self.c.window[0]) - time)
        top = torch.where(begins, torch.full_like(later, time), later)
        return replace(s, jump_top=top), top > -time / 2

    def jump_amount(self, frames: torch.Tensor) -> torch.Tensor:
        """How much of a jump it is so many frames after its top."""
        time, away = self.rules["jump_time"], frames.abs()
        return torch.where(away < time, 0.5 + 0.5 * torch.cos(math.pi * away / time), 0 * away)

    def _jump_told(self, s: State) -> torch.Tensor:
        """How much of it [C] the path shows by now: all of it `jump_ease` frames after the
        button."""
        ease, since = self.rules["jump_ease"], self.rules["jump_time"] - s.jump_top
        return ((since + 1) / ease).clamp(0, 1) if ease > 0 else torch.ones_like(since)

    def _want(self, s: State, stick: Stick) -> State:
        """Wanted velocity, facing, strafe and crouch follow the stick."""
        r, move = self.rules, cut(stick.move)
        amount = move.norm(dim=-1)
        unit = torch.stack([torch.sin(s.face), torch.cos(s.face)], -1)
        way = torch.where((amount > 0)[:, None], move / amount.clamp(min=1e-9)[:, None], unit)
        along = (way * unit).sum(-1)
        ahead = torch.where(along < 0, along * 0 + r["speed_back"], along * 0 + 1)
        factor = self._factor(s)
        crouch = mix(s.crouch, stick.crouch, r["crouch_smooth"])
        size = mix(r["speed_walk"], r["speed_run"], stick.run) * factor
        size = size * mix(r["speed_side"], ahead, along.abs()) * mix(1.0, r["speed_crouch"], crouch)
        velocity = self._followed(s.velocity, move * size[:, None])
        strafe = mix(s.strafe, stick.strafe, r["strafe_smooth"])
        face, turning = self._face(s, velocity, stick.look, strafe)
        return replace(s, velocity=velocity, strafe=strafe, crouch=crouch, face=face,
                       turning=turning, factor=factor)

    def _followed(self, velocity: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        """The wanted velocity [C, 2] on its way to what the stick asks for; who is told to stand,
        or to go slower the same way, brakes, and the latter turns as ever."""
        smooth, brake = self.rules["velocity_smooth"], self.rules["speed_brake"]
        out = mix(velocity, told, smooth)
        if brake <= 0:
            return out
        before, after = velocity.norm(dim=-1), told.norm(dim=-1)
        most = brake / (told - velocity).norm(dim=-1).clamp(min=1e-9)
        stopping = mix(velocity, told, most.clamp(max=smooth)[:, None])
        goes_on = (after < before) & ((velocity * told).sum(-1) > SAME_WAY * before * after)
        kept = ((before - brake) / out.norm(dim=-1).clamp(min=1e-9)).clamp(min=1)
        out = out * torch.where(goes_on, kept, torch.ones_like(kept))[:, None]
        return torch.where((after < self.rules["stand_speed"])[:, None], stopping, out)

    def _missing(self, s: State) -> tuple[torch.Tensor, torch.Tensor]:
        """The wanted speed [C], but for the integrator's factor, and the share of it that is
        missing."""
        wanted = s.velocity.norm(dim=-1) / s.factor
        return wanted, (wanted - s.speed) / wanted.clamp(min=1e-9)

    def _factor(self, s: State) -> torch.Tensor:
        """The speed integrator's: it waits where much is missing."""
        gain, band = self.rules["speed_gain"], self.rules["speed_band"]
        if gain <= 0:
            return torch.ones_like(s.factor)
        wanted, missing = self._missing(s)
        near = missing.abs() <= (band if band > 0 else math.inf)
        pushed = (s.factor + torch.where(near, gain * missing, 0 * missing)).clamp(*FACTOR)
        return torch.where(wanted < self.rules["stand_speed"], torch.ones_like(pushed), pushed)

    def _velocity_ahead(self, s: State) -> torch.Tensor:
        """The velocity [C, 2] that the path ahead is laid out for."""
        rules = self.rules
        push, side = rules["speed_push"], rules["speed_push_side"]
        if push <= 0 and side <= 0:
            return s.velocity
        wanted, missing = self._missing(s)
        none = torch.zeros_like(missing)
        missing = torch.where(wanted < rules["stand_speed"], none, missing.clamp(min=0))
        more = push * missing
        if side > 0:
            way = torch.where(s.velocity.norm(dim=-1) > 0, heading(s.velocity), s.face)
            aside = mix(side, push, torch.cos(way - s.face).abs()) * missing
            run = rules["speed_run"] * rules["speed_side"]
            more = aside.minimum((run / wanted.clamp(min=1e-9) - 1).maximum(more))
        return s.velocity * (1 + more)[:, None]

    def _face(
        self, s: State, velocity: torch.Tensor, look: torch.Tensor, strafe: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The wanted facing, and how fast it turns: a jump of it is no turning."""
        way = torch.where(velocity.norm(dim=-1) < SLOW, s.face, heading(velocity))
        goal = way + strafe * wrap(look - way)
        change = self.rules["direction_smooth"] * wrap(goal - s.face)
        followed = mix(s.turning, change, TURN_FOLLOW)
        turning = torch.where(change.abs() > TURN_JUMP, torch.zeros_like(change), followed)
        return s.face + change, turning

    def _first_phase(self, s: State) -> torch.Tensor:
        """The phase [C]: of those who stand and are told to go aside that in which they begin."""
        facing, wanted = s.facing[:, self.now], s.velocity
        size = wanted.norm(dim=-1)
        left = turned(wanted, -facing)[:, 0] / size.clamp(min=1e-9)
        begins = (s.gait[:, self.now, self.roles["stand"]] > STANDS) & (left.abs() > ASIDE)
        begins = begins & (size >= self.rules["stand_speed"])
        first = self.rules["phase_aside"] + torch.where(left > 0, 0 * left, 0 * left + math.pi)
        return torch.where(begins, torch.remainder(first, TAU), s.phase)

    def _gait(self, s: State, stick: Stick) -> torch.Tensor:
        """Amounts [C, G] of the gaits now."""
        r, now = self.rules, s.gait[:, self.now]
        speed = s.velocity.norm(dim=-1)
        one, zero = torch.ones_like(speed), torch.zeros_like(speed)
        wants = {"stand": zero, "walk": one, "run": zero, "crouch": zero}
        if "run" in self.roles:
            wants["run"] = torch.where(stick.run > 0, one, zero)
            wants["walk"] = one - wants["run"]
        crouches = s.crouch > r["crouch_least"] if "crouch" in self.roles else zero > one
        wants["crouch"] = torch.where(crouches, s.crouch, zero)
        wants["run"] = torch.where(crouches, zero, wants["run"])
        wants["walk"] = torch.where(crouches, zero, wants["walk"])
        error = wrap(s.face - s.facing[:, self.now]) + r["turn_ahead"] * s.turning
        turns = (error.abs() > r["turn_gait"]) & (one > 0 if r["turn_gait"] > 0 else one < 0)
        slow = speed < r["stand_speed"]
        still = torch.where(turns, zero, 1 - speed / r["stand_speed"])
        low = r["crouch_still"] * wants["crouch"]
        wants["stand"] = torch.where(slow, still, zero)
        wants["walk"] = torch.where(slow, torch.where(turns, 1 - low, zero), wants["walk"])
        wants["run"] = torch.where(slow, zero, wants["run"])
        wants["crouch"] = torch.where(slow, low, wants["crouch"])
        goal = torch.stack([wants.get(role, zero) for _, role in self.c.gaits], -1)
        return mix(now, goal, r["gait_smooth"])

    def _bias(self, what: str, s: State) -> torch.Tensor:
        name = f"future_{what}_bias"
        return mix(self.rules[name], self.rules[name + "_strafe"], s.strafe)[:, None]

    def _ahead(self, s: State) -> State:
        """The predicted path ahead blended towards what is wanted."""
        now, ahead = self.now, self.now + 1
        step = torch.diff(s.path[:, now:], dim=1)
        share = (1 - (1 - self.share) ** self._bias("position", s))[..., None]
        step = mix(step, self._velocity_ahead(s)[:, None], share)
        path = torch.cat([s.path[:, :ahead], s.path[:, now, None] + torch.cumsum(step, 1)], 1)
        share = 1 - (1 - self.share) ** self._bias("direction", s)
        goal = s.face[:, None] + self.lead * s.turning[:, None]
        facing = s.facing[:, ahead:] + share * wrap(goal - s.facing[:, ahead:])
        facing = torch.cat([s.facing[:, :ahead], facing], 1)
        gait = torch.cat([s.gait[:, :now], s.gait[:, now, None].expand(
            -1, len(self.frames) - now, -1)], 1)
        if self.jumps:
            j = self.roles["jump"]
            bell = self.jump_amount(self.frames - s.jump_top[:, None])
            bell = bell * self._jump_told(s)[:, None]
            gait = torch.cat([gait[..., :j], bell[..., None], gait[..., j + 1 :]], -1)
        return replace(s, path=path, facing=facing, gait=gait)

    def plane(self, s: State, at: torch.Tensor) -> torch.Tensor:
        """The height [C, ...] of the plane that the root follows at places [C, ..., 2]."""
        shape = (len(at), *[1] * (at.ndim - 2))
        way = at - s.spot.view(*shape, 2)
        return s.height.view(shape) + (way * s.slope.view(*shape, 2)).sum(-1)

    def _over_ground(self, s: State) -> State:
        """The plane follows the ground (src/motion/body/ground.inc)."""
        at, facing = s.path[:, self.now], s.facing[:, self.now]
        front = torch.stack([torch.sin(facing), torch.cos(facing)], -1)
        share = self.rules["ground_smooth"]
        lead = (at - s.path[:, self.now - 1]) * ((1 - share) / share * 2 / 3)
        height, slope = terrain.around(s.ground, at + lead, front, self.rules["ground_reach"])
        s = replace(s, slope=mix(s.slope, slope, share))
        height = mix(self.plane(s, at + lead), height, share)
        return replace(s, height=height - (s.slope * lead).sum(-1), spot=at)

    def inputs(self, s: State) -> torch.Tensor:
        """Raw inputs [C, K] of a commanded state."""
        c, facing = self.c, s.facing[:, self.now]
        at = s.path.index_select(1, self.samples) - s.path[:, self.now, None]
        path = turned(at, -facing[:, None])
        angle = s.facing.index_select(1, self.samples) - facing[:, None]
        gait = s.gait.index_select(1, self.samples)
        direction = torch.stack([torch.sin(angle), torch.cos(angle)], -1)
        half, parts = s.fed.shape[1] // 2, []
        if self.sides:
            root = s.path[:, self.now]
            under = terrain.beside(s.ground, root, facing, path, direction, self.sides)
            heights = (under - s.height[:, None]).split(len(c.samples), 1)
        for b in c.inputs:
            kind, _, last = b.name.partition(".")
            if b.name == "trajectory.gait":
                parts.append(gait[..., [n for n, _ in c.gaits].index(b.args[0])])
            elif b.name == "trajectory.height":
                parts.append(heights[self.sides.index(float(b.args[0]))])
            elif kind == "trajectory" and last[:-2] in ("position", "direction"):
                value = path if last.startswith("position") else direction
                parts.append(value[..., "xz".index(last[-1])])
            elif kind == "joint":
                parts.append(s.fed[:, :half] if last == "position" else s.fed[:, half:])
            else:
                raise ValueError(f"input block '{b.name}': not in the loop that training rolls out")
        return torch.cat(parts, 1)

    # ---- after it ----

    def moved(self, s: State, y: torch.Tensor) -> State:
        """The state after the raw output y [C, N]."""
        now, facing = self.now, s.facing[:, self.now]
        x, z, turn = (y[:, i] for i in self.at.step)
        stand = s.gait[:, now, self.roles["stand"]]
        move = self._share(stand)
        step = turned(torch.stack([x, z], -1), facing) * move[:, None]
        step = self._carry(s, step)
        root, face = s.path[:, now] + step, facing - turn * move
        path, angle = self._future(y)
        ahead = root[:, None] + turned(path, face[:, None])
        return replace(
            s, fed=self._fed(s, y), phase=self._phase(s, y, stand, move),
            path=torch.cat([s.path[:, 1 : now + 1], root[:, None], ahead], 1),
            facing=torch.cat([s.facing[:, 1 : now + 1], face[:, None], face[:, None] + angle], 1),
            gait=torch.cat([s.gait[:, 1 : now + 1], s.gait[:, now:]], 1),
            speed=mix(s.speed, step.norm(dim=-1), SPEED_FOLLOW))

    def _carry(self, s: State, step: torch.Tensor) -> torch.Tensor:
        """The root's way of a frame [C, 2], of which one who jumps keeps what was wanted."""
        carry = self.rules["jump_carry"]
        if not self.jumps or carry <= 0:
            return step
        amount = self.jump_amount(-s.jump_top)
        return mix(step, s.velocity, (carry * amount * amount)[:, None])

    def _fed(self, s: State, y: torch.Tensor) -> torch.Tensor:
        """Joints [C, F] as they are fed back, in the root frame before the step."""
        new, smooth = y[:, self.at.y_fed], self.rules["joint_smooth"]
        if smooth > 0:
            raise ValueError("rule joint_smooth: 0 expected in the loop that training rolls out")
        return new

    def phased(self, s: State, y: torch.Tensor) -> torch.Tensor:
        """The phase [C] after the raw output y."""
        stand = s.gait[:, self.now, self.roles["stand"]]
        return self._phase(s, y, stand, self._share(stand))

    def _share(self, stand: torch.Tensor) -> torch.Tensor:
        """How much of a step one takes who stands so much."""
        return torch.clamp(1 - stand, min=0) ** self.rules["stand_damping"]

    def _phase(
        self, s: State, y: torch.Tensor, stand: torch.Tensor, move: torch.Tensor
    ) -> torch.Tensor:
        if self.phase is None:
            return s.phase
        r, advance = self.rules, y[:, self.phase]
        if r["phase_least"] > 0:
            advance = torch.maximum(advance, r["phase_least"] * (1 - stand.clamp(0, 1)))
        part = mix(move, 1.0, r["phase_stand"])
        return torch.remainder(s.phase + TAU * part * advance, TAU)

    def _future(self, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Predicted path [C, A, 2] and turn [C, A] for every frame ahead."""
        c = self.c

        def points(kind: str, first: torch.Tensor) -> torch.Tensor:
            both = [y[:, c.columns(c.outputs, f"future.{kind}.{a}")] for a in "xz"]
            given = torch.stack(both, -1)
            if c.future[0] > 0:
                given = torch.cat([first.expand(len(y), 1, 2), given], 1)
            return self.between @ given

        return points("position", self.front[0]), heading(points("direction", self.front[1]))
