"""The controller's loop on flat ground in numpy: how training judges a model in closed loop.

It follows the published loop of the PFNN runtime with the rules of the contract, for many
characters at once; foot locking is not in it, and the pose is fed back as predicted
(joint_smooth 0). The runtime is the judge that counts; this one needs nothing but the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gallop import kinds, modelfile
from gallop.contract import parse
from gallop.features import planar

DEFAULTS = {
    "speed_walk": 2.5, "speed_run": 7.5, "speed_side": 1.0, "speed_back": 1.0,
    "velocity_smooth": 0.9, "direction_smooth": 0.9, "strafe_smooth": 0.9, "gait_smooth": 0.1,
    "stand_speed": 0.1, "turn_gait": 0.0,
    "future_position_bias": 0.5, "future_position_bias_strafe": 1.0,
    "future_direction_bias": 2.0, "future_direction_bias_strafe": 0.5,
    "stand_damping": 0.25, "phase_stand": 0.1, "phase_least": 0.0,
    "speed_gain": 0.0, "anchor": 0.0, "anchor_limit": 1.2, "turn_ahead": 0.0,
}  # fmt: skip


@dataclass
class Stick:
    """What the players want this frame: move [C, 2] in the world (x, z; length 0..1), run [C],
    look [C, 2] (unit, where to face when strafing) and strafe [C]."""

    move: np.ndarray
    run: np.ndarray
    look: np.ndarray
    strafe: np.ndarray


class Network:
    """The stored network in float32, one product per layer for all characters."""

    def __init__(self, model: modelfile.Model) -> None:
        self.model = model
        self.parts = []
        for layer in model.layers:
            weights = kinds.stored(layer.weights, layer.type).astype(np.float32)
            e, n, k = weights.shape
            self.parts.append((weights.reshape(e * n, k).T.copy(), layer.bias, e, n))

    def __call__(self, x: np.ndarray, phase: np.ndarray) -> np.ndarray:
        m = self.model
        value = ((x - m.input_mean) / m.input_std).astype(np.float32)
        w = (modelfile.gate_weights(m, value) if m.gate == "network" else
             modelfile.blend(m.gate, m.experts, self._given(phase))).astype(np.float32)
        for i, (weights, bias, e, n) in enumerate(self.parts):
            every = (value @ weights).reshape(len(value), e, n) + bias
            value = np.einsum("ce,cen->cn", w if e > 1 else np.ones((len(w), 1), "f4"), every)
            if i + 1 < len(self.parts):
                value = np.where(value > 0, value, np.expm1(np.minimum(value, 0)))
        return value * m.output_std + m.output_mean

    def _given(self, phase: np.ndarray) -> np.ndarray:
        if self.model.gate != "given":
            return phase[:, None]
        return np.full((len(phase), self.model.experts), 1 / self.model.experts)


def slerp_y(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Directions a turned towards b [..., 2] by the share t of the angle between them."""
    angle = np.arctan2(a[..., 0], a[..., 1])
    more = np.arctan2(b[..., 0], b[..., 1]) - angle
    angle = angle + t * (np.mod(more + np.pi, 2 * np.pi) - np.pi)
    return np.stack([np.sin(angle), np.cos(angle)], -1)


def from_root(vector: np.ndarray, facing: np.ndarray) -> np.ndarray:
    """Root-frame vectors [C, S, 2] in world axes."""
    return planar(vector, -facing)


class Crowd:
    """C characters of one model, reset at the origin facing +z."""

    def __init__(self, model: modelfile.Model, count: int, fixed_phase: bool = False) -> None:
        self.net, self.contract = Network(model), parse(model.contract)
        c = self.contract
        self.rules = {**DEFAULTS, **c.rules}
        self.fixed_phase = fixed_phase
        past, future = c.window
        self.now = past
        self.position = np.zeros((count, past + future, 2))
        self.direction = np.tile([0.0, 1.0], (count, past + future, 1))
        self.gait = np.zeros((count, past + future, len(c.gaits)))
        self.gait[..., self._role("stand")] = 1
        self.phase = np.zeros(count)
        self.target_velocity = np.zeros((count, 2))
        self.target_direction = np.tile([0.0, 1.0], (count, 1))
        self.strafe, self.turning = np.zeros(count), np.zeros(count)
        self.gain, self.got = np.ones(count), np.zeros(count)
        self.out = {b: w for b, w in c.ranges(c.outputs)}
        self.fed = self._fed(model)
        self.heel_toe = [leg[2:] for leg in c.legs]
        self.toes = [c.joint_names().index(leg[3]) for leg in c.legs]
        self.last_toes: np.ndarray | None = None
        self.y = np.tile(model.output_mean, (count, 1))

    def _role(self, role: str) -> int:
        return [r for _, r in self.contract.gaits].index(role)

    def _fed(self, model: modelfile.Model) -> np.ndarray:
        c, count = self.contract, len(self.position)
        both = [c.columns(c.outputs, "joint.position"), c.columns(c.outputs, "joint.velocity")]
        mean = np.concatenate([model.output_mean[w] for w in both])
        return np.tile(mean, (count, 1))

    def column(self, name: str, *args: str) -> np.ndarray:
        """A block of the last output [C, columns]."""
        return self.y[:, self.contract.columns(self.contract.outputs, name, *args)]

    def facing(self) -> np.ndarray:
        """Heading [C] of the root now."""
        d = self.direction[:, self.now]
        return np.arctan2(d[:, 0], d[:, 1])

    def step(self, stick: Stick) -> None:
        """One frame: the pose shown is that of `self.y` in the root frame before the move, kept in
        `root` and `root_facing`."""
        self._want(stick)
        self._predict_path(stick)
        self.root, self.root_facing = self.position[:, self.now].copy(), self.facing()
        self.y = self.net(self._input(), self.phase)
        self._move()

    def _want(self, stick: Stick) -> None:
        r = self.rules
        speed = r["speed_walk"] + stick.run * (r["speed_run"] - r["speed_walk"])
        self.strafe += r["strafe_smooth"] * (stick.strafe - self.strafe)
        amount = np.linalg.norm(stick.move, axis=-1)
        unit = stick.move / np.maximum(amount, 1e-6)[:, None]
        moving = (amount > 1e-5)[:, None]
        face = np.where(moving, unit, self.target_direction)
        face = slerp_y(face, stick.look, self.strafe)
        along = (unit * face).sum(-1)
        back = np.maximum(-along, 0) ** 2
        side = 1 - along**2
        factor = 1 - side * (1 - r["speed_side"]) - back * (1 - r["speed_back"])
        wanted = unit * (amount * speed * factor)[:, None]
        self.wanted = wanted
        self.target_velocity += r["velocity_smooth"] * (wanted - self.target_velocity)
        before = self.target_direction
        self.target_direction = slerp_y(before, face, np.full(len(face), r["direction_smooth"]))
        self._follow_turning(before)
        self._choose_gait(stick)

    def _follow_turning(self, before: np.ndarray) -> None:
        """Keep track of a steady turn of the wanted facing; a jump is none, and ends one."""
        a, b = (np.arctan2(d[:, 0], d[:, 1]) for d in (before, self.target_direction))
        angle = np.mod(b - a + np.pi, 2 * np.pi) - np.pi
        followed = self.turning + 0.1 * (angle - self.turning)
        self.turning = np.where(np.abs(angle) > 0.15, 0, followed)

    def _choose_gait(self, stick: Stick) -> None:
        r, gait = self.rules, self.gait[:, self.now]
        speed = np.linalg.norm(self.target_velocity, axis=-1)
        facing = self.facing()
        want = np.arctan2(self.target_direction[:, 0], self.target_direction[:, 1])
        error = np.mod(want - facing + np.pi, 2 * np.pi) - np.pi
        error = np.abs(error + r["turn_ahead"] * self.turning)
        stand = np.clip(1 - speed / r["stand_speed"], 0, 1)
        if r["turn_gait"] > 0:
            stand = np.where(error > r["turn_gait"], 0, stand)
        goal = np.zeros_like(gait)
        goal[:, self._role("stand")] = stand
        run = (stick.run > 0).astype(float)
        goal[:, self._role("run")] = (1 - stand) * run
        goal[:, self._role("walk")] = (1 - stand) * (1 - run)
        gait += r["gait_smooth"] * (goal - gait)

    def _bias(self, name: str) -> np.ndarray:
        a, b = self.rules[name], self.rules[name + "_strafe"]
        return a + self.strafe * (b - a)

    def _predict_path(self, stick: Stick) -> None:
        r, now = self.rules, self.now
        count = self.position.shape[1] - now - 1
        t = (np.arange(1, count + 1) / (count + 1))[None]
        share = 1 - (1 - t) ** self._bias("future_position_bias")[:, None]
        turn = 1 - (1 - t) ** self._bias("future_direction_bias")[:, None]
        wanted = self.target_velocity
        if r["speed_gain"] > 0:
            self._integrate()
            wanted = wanted * self.gain[:, None]
        step = np.diff(self.position[:, now:], axis=1)
        step = step + share[..., None] * (wanted[:, None] - step)
        ahead = self.position[:, now, None] + np.cumsum(step, axis=1)
        self.position[:, now + 1 :] = ahead
        want = np.arctan2(self.target_direction[:, 0], self.target_direction[:, 1])
        ahead_frames = np.minimum(np.arange(1, count + 1), r["turn_ahead"])
        angle = want[:, None] + self.turning[:, None] * ahead_frames
        goal = np.stack([np.sin(angle), np.cos(angle)], -1)
        self.direction[:, now + 1 :] = slerp_y(self.direction[:, now + 1 :], goal, turn)
        self.gait[:, now + 1 :] = self.gait[:, now, None]

    def _integrate(self) -> None:
        want = np.linalg.norm(self.target_velocity, axis=-1)
        error = (want - self.got) / np.maximum(want, 1e-3)
        grown = np.clip(self.gain + self.rules["speed_gain"] * error, 0.5, 1.6)
        self.gain = np.where(want > self.rules["stand_speed"], grown, 1.0)

    def _input(self) -> np.ndarray:
        c = self.contract
        at = self.now + np.array(c.samples)
        position = planar(self.position[:, at] - self.root[:, None], self.root_facing)
        direction = planar(self.direction[:, at], self.root_facing)
        parts = []
        half = self.fed.shape[1] // 2
        for b in c.inputs:
            kind, _, last = b.name.partition(".")
            if b.name == "trajectory.gait":
                names = [g for g, _ in c.gaits]
                parts.append(self.gait[:, at, names.index(b.args[0])])
            elif kind == "trajectory":
                value = position if last.startswith("position") else direction
                parts.append(value[..., "xz".index(last[-1])])
            elif kind == "joint":
                parts.append(self.fed[:, :half] if last == "position" else self.fed[:, half:])
            else:
                raise ValueError(f"input block '{b.name}' is not known here")
        return np.concatenate(parts, 1).astype(np.float32)

    def _move(self) -> None:
        r, now = self.rules, self.now
        self.fed = np.concatenate([self.column("joint.position"), self.column("joint.velocity")], 1)
        stand = self.gait[:, now, self._role("stand")]
        move = np.maximum(1 - stand, 0) ** r["stand_damping"]
        self.position[:, :now] = self.position[:, 1 : now + 1]
        self.direction[:, :now] = self.direction[:, 1 : now + 1]
        self.gait[:, :now] = self.gait[:, 1 : now + 1]
        step = np.concatenate([self.column("root.velocity.x"), self.column("root.velocity.z")], 1)
        step = from_root(step[:, None] * move[:, None, None], self.root_facing)[:, 0]
        step += self._anchor(step)
        turn = -self.column("root.turn")[:, 0] * move
        facing = self.root_facing + turn
        self.position[:, now] += step
        self.direction[:, now] = np.stack([np.sin(facing), np.cos(facing)], -1)
        self._take_future(facing)
        phased = any(b.name == "phase.advance" for b in self.out)
        if phased and not self.fixed_phase:
            advance = self.column("phase.advance")[:, 0]
            if r["phase_least"] > 0:
                advance = np.maximum(advance, r["phase_least"] * (1 - stand))
            share = r["phase_stand"] + (1 - r["phase_stand"]) * move
            self.phase = np.mod(self.phase + 2 * np.pi * share * advance, 2 * np.pi)
        self.got = 0.95 * self.got + 0.05 * np.linalg.norm(step, axis=-1)

    def toes_world(self) -> np.ndarray:
        """Toe positions [C, L, 3] of the last pose."""
        joints = self.column("joint.position").reshape(len(self.y), -1, 3)[:, self.toes]
        flat = from_root(joints[..., [0, 2]], self.root_facing) + self.root[:, None]
        return np.stack([flat[..., 0], joints[..., 1], flat[..., 1]], -1)

    def toe_contacts(self) -> np.ndarray:
        """The network's own toe contacts [C, L]."""
        parts = [self.column("contact", toe)[:, 0] for _, toe in self.heel_toe]
        return np.stack(parts, -1)

    def _anchor(self, step: np.ndarray) -> np.ndarray:
        """Part of the planted toes' slip taken off the root's step."""
        toes, before = self.toes_world(), self.last_toes
        self.last_toes = toes
        if self.rules["anchor"] <= 0 or before is None:
            return np.zeros_like(step)
        weight = np.clip(self.toe_contacts(), 0, 1)[..., None]
        weight = np.where(weight > 0.5, weight, 0)
        slip = ((toes - before)[..., [0, 2]] * weight).sum(1) / np.maximum(weight.sum(1), 1e-6)
        pull = -self.rules["anchor"] * slip
        size = np.linalg.norm(pull, axis=-1, keepdims=True)
        pull *= np.minimum(1, self.rules["anchor_limit"] / np.maximum(size, 1e-9))
        self.last_toes = toes + np.stack([pull[:, 0], 0 * pull[:, 0], pull[:, 1]], -1)[:, None]
        return pull

    def _take_future(self, facing: np.ndarray) -> None:
        """The predicted path, linear between the offsets given and the root itself at 0."""
        c, now = self.contract, self.now
        offsets = np.array([0, *c.future]) if c.future[0] > 0 else np.array(c.future)
        frames = np.arange(1, self.position.shape[1] - now)
        upper = np.clip(np.searchsorted(offsets, frames), 1, len(offsets) - 1)
        low, high = offsets[upper - 1], offsets[upper]
        t = np.clip((frames - low) / (high - low), 0, 1)[None, :, None]

        def curve(kind: str, first: list[float]) -> np.ndarray:
            points = np.stack([self.column(f"future.{kind}.{a}") for a in "xz"], -1)
            if c.future[0] > 0:
                head = np.broadcast_to(np.array(first), (len(points), 1, 2))
                points = np.concatenate([head, points], 1)
            return from_root(points[:, upper - 1] * (1 - t) + points[:, upper] * t, facing)

        self.position[:, now + 1 :] = self.position[:, now, None] + curve("position", [0.0, 0.0])
        direction = curve("direction", [0.0, 1.0])
        length = np.linalg.norm(direction, axis=-1, keepdims=True)
        self.direction[:, now + 1 :] = direction / np.maximum(length, 1e-6)
