"""The last stage of training: the controller's own loop, differentiable, on synthetic commands.

A data set of a small room holds few straight paths and no player. So a pool of characters runs
the runtime's loop (rollout tells it in numpy) under commands that a player would give, a few frames
with gradient per step, and the network is moved so that

- planted feet stay where they are (slide),
- the root goes as fast as, and where, it was told once a command has settled (track), and does so
  on the mean in each kind of command (course),
- feet travel as far and step as often as in the data in each manner of going (manner),
- feet stay over the floor, and bones have their lengths (body),
- everything else stays what the network said before this stage (keep), and
- stretches of data are still reproduced (data).
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from gallop import graph
from gallop.contract import Contract
from gallop.course import Course, kinds
from gallop.features import Dataset
from gallop.interrupt import Interrupt
from gallop.losses import Unroll
from gallop.manner import MANNERS, Moments, targets
from gallop.network import PFNN
from gallop.progress import Progress
from gallop.rollout import DEFAULTS
from gallop.trainer import Batches, Stage, World, follow, given_of, load_checkpoint

TAU = 2 * math.pi
PARTS = ("slide", "keep", "track", "course", "body", "manner", "data")


@dataclass(frozen=True)
class Plan:
    """How to polish: `steps` steps of `pool` characters for `frames` frames, and the weights."""

    steps: int
    pool: int = 512
    frames: int = 16
    rate: float = 2e-4
    slide: float = 3.0
    track: float = 1.0
    keep: float = 0.5
    rhythm: float = 5.0  # how much more than a joint's the phase's advance must stay
    data: float = 1.0
    body: float = 0.5
    manner: float = 1.0
    course: float = 20.0
    settle: tuple[int, int] = (10, 40)  # frames after a command: to count first, and fully
    settle_still: tuple[int, int] = (4, 18)
    stage: Stage = field(default_factory=lambda: Stage(1, 256, 16))


@dataclass
class State:
    """The pool: path [C, W, 2], facing [C, W], gait [C, W, G] over the window, fed joints [C, F],
    phase [C]; commands: wanted velocity [C, 2], face [C], spin [C] (rad/frame), strafe, run [C]
    (0 or 1), bias [C], age and life [C] of the command in frames, manner [C] (see manner.MANNERS;
    -1 none), kind [C] (see course.kinds)."""

    path: torch.Tensor
    facing: torch.Tensor
    gait: torch.Tensor
    fed: torch.Tensor
    phase: torch.Tensor
    velocity: torch.Tensor
    face: torch.Tensor
    spin: torch.Tensor
    run: torch.Tensor
    bias: torch.Tensor
    age: torch.Tensor
    life: torch.Tensor
    manner: torch.Tensor
    kind: torch.Tensor

    def detached(self) -> State:
        return State(**{k: v.detach() for k, v in vars(self).items()})

    def replaced(self, where: torch.Tensor, other: State, names: tuple[str, ...] = ()) -> State:
        """The state with the rows `where` [C] (and the fields `names`, default all) of another."""
        out = {}
        for k, v in vars(self).items():
            mask = where.view(-1, *[1] * (v.ndim - 1))
            out[k] = torch.where(mask, getattr(other, k), v) if not names or k in names else v
        return State(**out)


def wrap(angle: torch.Tensor) -> torch.Tensor:
    """An angle brought to -pi..pi."""
    return torch.remainder(angle + math.pi, TAU) - math.pi


def turned(vector: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Planar vectors [..., 2] (x, z) turned by an angle that takes +z towards +x."""
    c, s = torch.cos(angle), torch.sin(angle)
    x, z = vector[..., 0], vector[..., 1]
    return torch.stack([c * x + s * z, c * z - s * x], -1)


class Pool:
    """Characters that begin in frames of the data, and the commands that they get."""

    def __init__(
        self, contract: Contract, data: Dataset, unroll: Unroll, style: int, count: int, seed: int,
        device: torch.device, known: np.ndarray | None = None,
    ) -> None:
        """`known` [8] tells which of MANNERS the data shows; only those are commanded."""
        self.contract, self.unroll, self.count, self.device = contract, unroll, count, device
        self.rules = {**DEFAULTS, **contract.rules}
        self.host = np.random.default_rng((seed, 77))
        labels = [t.labels for t in data.takes]
        base = np.concatenate([[0], np.cumsum([len(t) for t in data.takes])])
        self.path = self._tensor(np.concatenate([x.path for x in labels]))
        self.facing = self._tensor(np.concatenate([x.facing for x in labels]))
        self.gait = self._tensor(np.concatenate([x.gait for x in labels]))
        rows = np.flatnonzero(data.style == style)
        self.rows = rows
        self.frame = torch.tensor(base[data.take[rows]] + data.frame[rows], device=device)
        self.fed = torch.tensor(data.x[rows][:, unroll.at.x_fed], device=device)
        self.phase = torch.tensor(data.phase[rows], device=device)
        self.strangest = self._strange(self.fed).max()
        past, future = contract.window
        self.window = torch.arange(-past, future, device=device)
        self.now = past
        roles = [r for _, r in contract.gaits]
        shown = np.ones(len(MANNERS), bool) if known is None else known
        self.known = shown if shown.any() else np.arange(len(MANNERS)) < 1
        self.stops = float(data.stand[rows].mean()) > 0.01
        self.stand, self.walk, self.run = (roles.index(r) for r in ("stand", "walk", "run"))

    def _strange(self, fed: torch.Tensor) -> torch.Tensor:
        """The largest deviation [C] of fed-back joints from the mean, in the network's units."""
        at, u = self.unroll.at.x_fed, self.unroll
        return ((fed - u.x_mean[at]) / u.x_std[at]).abs().amax(1)

    def _tensor(self, a: np.ndarray) -> torch.Tensor:
        return torch.tensor(a, dtype=torch.float32, device=self.device)

    def fresh(self) -> State:
        """A whole pool begun at random frames of the data, the root at the origin."""
        pick = torch.tensor(self.host.integers(len(self.rows), size=self.count), device=self.device)
        index = self.frame[pick][:, None] + self.window
        path = self.path[index]
        path = path - path[:, self.now, None]
        zero = torch.zeros(self.count, device=self.device)
        state = State(path, self.facing[index], self.gait[index], self.fed[pick], self.phase[pick],
                      torch.zeros(self.count, 2, device=self.device), zero, zero, zero, zero, zero,
                      zero, zero - 1, zero - 1)
        return self.commanded(state)

    def commanded(self, state: State) -> State:
        """The state with a new command for everyone: go ahead, circle, strafe, or stop."""
        n, host, r = self.count, self.host, self.rules
        facing = state.facing[:, self.now].detach()
        kind = host.random(n)
        stop = (kind >= 0.87) & self.stops
        pivot = stop & (kind >= 0.93)  # a stop that turns on the spot
        shown = self.known.reshape(-1, 2)  # ahead, left, right, back; walk and run
        sides = [t for t, row in zip((0.5, -0.5, 1.0), shown[1:]) if row.any()]
        slants = [0.25, -0.25, 0.75, -0.75] if len(sides) == 3 else []
        circle = (kind >= 0.4) & (kind < 0.55)
        ahead = ~circle & ~stop & ((kind < 0.4) | (len(sides) == 0))
        quarter = host.choice(sides + sides + slants or [0.0], n)
        swerve = np.where(host.random(n) < 0.5, host.normal(0, 0.5, n),
                          host.uniform(-math.pi, math.pi, n))
        relative = np.where(ahead | circle, swerve, quarter * math.pi)
        run = (host.random(n) < shown[:, 1].any() / (1.0 + shown[:, 0].any())).astype(float)
        side, back = np.abs(np.sin(relative)), np.maximum(-np.cos(relative), 0)
        part = np.where(host.random(n) < 0.8, host.uniform(0.9, 1.08, n), host.uniform(0.4, 0.9, n))
        factor = 1 - side**2 * (1 - r["speed_side"]) - back**2 * (1 - r["speed_back"])
        speed = r["speed_walk"] + run * (r["speed_run"] - r["speed_walk"])
        speed = speed * part * np.where(ahead | circle, 1, factor)
        speed = np.where(stop, 0, speed)
        heading = facing + self._tensor(relative)
        velocity = turned(torch.stack([0 * heading, self._tensor(speed)], -1), heading)
        face = torch.where(self._bool(ahead | circle), heading, facing)
        most = np.where(run > 0, 0.9, 0.6)
        spin = np.where(circle, host.uniform(-1, 1, n) * most, 0)
        spin = np.where(pivot, host.uniform(-1.3, 1.3, n), spin) / self.contract.rate
        kind = kinds(relative, spin, run, circle, stop)
        life = np.where(host.random(n) < 0.3, host.uniform(30, 90, n), host.uniform(90, 260, n))
        return State(state.path, state.facing, state.gait, state.fed, state.phase, velocity, face,
                     self._tensor(spin), self._tensor(run), self._tensor(host.uniform(2, 6, n)),
                     torch.zeros_like(face), self._tensor(life),
                     self._tensor(_manner(ahead, circle | stop, part, quarter, run)),
                     self._tensor(kind))

    def _bool(self, a: np.ndarray) -> torch.Tensor:
        return torch.tensor(a, device=self.device)

    def renewed(self, state: State) -> State:
        """New commands where the old ones end; new characters where one was lost, and for a few."""
        lost = ~torch.isfinite(state.fed).all(1) | (self._strange(state.fed) > 1.3 * self.strangest)
        lost = lost | self._bool(self.host.random(self.count) < 0.01)
        clean = State(**{k: torch.nan_to_num(v) for k, v in vars(state).items()})
        state = clean.replaced(lost, self.fresh())
        return state.replaced(state.age > state.life, self.commanded(state),
                              ("velocity", "face", "spin", "run", "bias", "age", "life", "manner",
                               "kind"))


def _manner(
    ahead: np.ndarray, other: np.ndarray, part: np.ndarray, quarter: np.ndarray, run: np.ndarray
) -> np.ndarray:
    """The number of each command in MANNERS; -1 for slow, slanting, circling or no movement."""
    out = np.full(len(ahead), -1.0)
    strafe = ~ahead & ~other
    for number, where in enumerate((ahead, strafe & (quarter == 0.5), strafe & (quarter == -0.5),
                                    strafe & (quarter == 1.0))):
        out = np.where(where & (part >= 0.9), 2 * number + run, out)
    return out


class Loop:
    """One differentiable frame of the controller."""

    def __init__(self, pool: Pool, unroll: Unroll) -> None:
        self.pool, self.unroll, self.at = pool, unroll, unroll.at
        c = pool.contract
        self.c, self.now = c, pool.now
        phased = any(b.name == "phase.advance" for b in c.outputs)
        self.phase = c.columns(c.outputs, "phase.advance").start if phased else None
        self.samples = torch.tensor(c.samples, device=pool.device) + pool.now
        ahead = c.window[1] - 1
        self.share = torch.arange(1, ahead + 1, device=pool.device) / (ahead + 1)
        self.ahead = (self.share * (ahead + 1)).clamp(max=pool.rules["turn_ahead"])
        offsets = np.array([0, *c.future])
        frames = np.arange(1, ahead + 1)
        upper = np.clip(np.searchsorted(offsets, frames), 1, len(offsets) - 1)
        part = (frames - offsets[upper - 1]) / (offsets[upper] - offsets[upper - 1])
        between = np.zeros((ahead, len(offsets)))
        between[frames - 1, upper - 1], between[frames - 1, upper] = 1 - part, part
        self.between = torch.tensor(between, dtype=torch.float32, device=pool.device)
        self.front = torch.tensor([[0.0, 0.0], [0.0, 1.0]], device=pool.device)

    def command(self, s: State) -> tuple[State, torch.Tensor, torch.Tensor]:
        """Turn circling commands on, and blend the wanted path into the predicted one."""
        velocity, face = turned(s.velocity, s.spin), s.face + s.spin
        now = self.now
        step = torch.diff(s.path[:, now:], dim=1)
        share = (1 - (1 - self.share) ** s.bias[:, None])[..., None]
        lead = s.spin[:, None] * self.ahead
        step = step + share * (velocity[:, None] - step)
        path = torch.cat([s.path[:, : now + 1],
                          s.path[:, now, None] + torch.cumsum(step, 1)], 1)
        turn = share[..., 0] * wrap(face[:, None] + lead - s.facing[:, now + 1 :])
        facing = torch.cat([s.facing[:, : now + 1], s.facing[:, now + 1 :] + turn], 1)
        now_gait = self._gait(s, velocity, face)
        ahead = now_gait[:, None].expand(-1, len(self.share) + 1, -1)
        gait = torch.cat([s.gait[:, :now], ahead], 1)
        new = {**vars(s), "path": path, "facing": facing, "gait": gait, "velocity": velocity,
               "face": face, "age": s.age + 1}
        return State(**new), velocity, face

    def _gait(self, s: State, velocity: torch.Tensor, face: torch.Tensor) -> torch.Tensor:
        r, pool = self.pool.rules, self.pool
        still = (velocity.norm(dim=-1) < r["stand_speed"]).float()
        error = wrap(face + r["turn_ahead"] * s.spin - s.facing[:, self.now]).abs()
        if r["turn_gait"] > 0:
            still = still * (error < r["turn_gait"]).float()
        goal = torch.zeros_like(s.gait[:, self.now])
        goal[:, pool.stand] = still
        goal[:, pool.run] = (1 - still) * s.run
        goal[:, pool.walk] = (1 - still) * (1 - s.run)
        return s.gait[:, self.now] + r["gait_smooth"] * (goal - s.gait[:, self.now])

    def inputs(self, s: State) -> torch.Tensor:
        """Raw inputs [C, K] of the state."""
        c, facing = self.c, s.facing[:, self.now]
        at = s.path.index_select(1, self.samples) - s.path[:, self.now, None]
        path = turned(at, -facing[:, None])
        angle = s.facing.index_select(1, self.samples) - facing[:, None]
        gait = s.gait.index_select(1, self.samples)
        direction = torch.stack([torch.sin(angle), torch.cos(angle)], -1)
        half, parts = s.fed.shape[1] // 2, []
        for b in c.inputs:
            kind, _, last = b.name.partition(".")
            if b.name == "trajectory.gait":
                g = [n for n, _ in c.gaits].index(b.args[0])
                parts.append(gait[..., g])
            elif kind == "trajectory":
                value = path if last.startswith("position") else direction
                parts.append(value[..., "xz".index(last[-1])])
            elif kind == "joint":
                parts.append(s.fed[:, :half] if last == "position" else s.fed[:, half:])
            else:
                raise ValueError(f"input block '{b.name}' is not known here")
        return torch.cat(parts, 1)

    def moved(self, s: State, y: torch.Tensor) -> State:
        """The state after the raw output y [C, N]."""
        r, now, facing = self.pool.rules, self.now, s.facing[:, self.now]
        x, z, turn = (y[:, i] for i in self.at.step)
        stand = s.gait[:, now, self.pool.stand]
        move = torch.clamp(1 - stand, min=0) ** r["stand_damping"]
        step = turned(torch.stack([x, z], -1), facing) * move[:, None]
        root, face = s.path[:, now] + step, facing - turn * move
        path, angle = self._future(y)
        ahead = root[:, None] + turned(path, face[:, None])
        new = {**vars(s), "fed": y[:, self.at.y_fed]}
        new["path"] = torch.cat([s.path[:, 1 : now + 1], root[:, None], ahead], 1)
        new["facing"] = torch.cat(
            [s.facing[:, 1 : now + 1], face[:, None], face[:, None] + angle], 1)
        new["gait"] = torch.cat([s.gait[:, 1:], s.gait[:, -1:]], 1)
        if self.phase is not None:
            # without phase_least: under it nothing would teach the phase to go on by itself
            part = r["phase_stand"] + (1 - r["phase_stand"]) * move
            new["phase"] = torch.remainder(s.phase + TAU * part * y[:, self.phase], TAU)
        return State(**new)

    def _future(self, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Predicted path [C, A, 2] and turn [C, A] for every frame ahead."""
        c = self.c

        def points(kind: str, first: torch.Tensor) -> torch.Tensor:
            both = [y[:, c.columns(c.outputs, f"future.{kind}.{a}")] for a in "xz"]
            given = torch.cat([first.expand(len(y), 1, 2), torch.stack(both, -1)], 1)
            return self.between @ given

        direction = points("direction", self.front[1])
        return points("position", self.front[0]), torch.atan2(direction[..., 0], direction[..., 1])


class Polish:
    """Runs the plan on a trained network; the result is the averaged network."""

    def __init__(
        self, net: PFNN, unroll: Unroll, contract: Contract, data: Dataset,
        batches: Batches, style: int, plan: Plan, seed: int, world: World,
        checkpoint: Path | None = None, teacher: torch.nn.Module | None = None,
    ) -> None:
        """`teacher` says what everything else should be, in place of the network as it was."""
        self.plan, self.batches, self.seed = plan, batches, seed
        self.unroll = copy.deepcopy(unroll)
        self.unroll.net = self.net = copy.deepcopy(net)
        self.teacher = copy.deepcopy(net) if teacher is None else teacher.to(world.device)
        self.average = copy.deepcopy(net)
        goal = targets(contract, data, style)
        self.pool = Pool(contract, data, unroll, style, plan.pool, seed, world.device, goal.known)
        self.loop = Loop(self.pool, self.unroll)
        one = torch.zeros(plan.pool, net.styles, device=world.device)
        one[:, style] = 1
        self.style = one
        self.kept = self._kept(contract, teacher is None).to(world.device)
        self.moments, self.course = Moments(goal, world.device), Course(world.device)
        feet = self.unroll.at.feet
        self.feet = torch.tensor([j for _, j, _ in feet], device=world.device)
        self.toes = torch.tensor([j for _, j, w in feet if w == 1], device=world.device)
        self.planted = torch.tensor([c for c, _, _ in feet], device=world.device)
        self.foot_weight = torch.tensor([w for _, _, w in feet], device=world.device)
        self.adam = graph.adam(torch.optim.Adam, self.net.parameters(), plan.rate, world.device)
        self.update = graph.Replayed(self._update, world.device)
        self.history: list[tuple[int, dict[str, float]]] = []
        self.step, self.checkpoint = 0, checkpoint
        self.state = self.pool.fresh()
        if checkpoint and checkpoint.exists():
            self._load(checkpoint)

    def save(self) -> None:
        """Write the checkpoint, replacing the old one in one move."""
        if not self.checkpoint:
            return
        state = {"step": self.step, "net": self.net.state_dict(), "adam": self.adam.state_dict(),
                 "average": self.average.state_dict(), "history": self.history,
                 "pool": vars(self.state), "moments": self.moments.means.state,
                 "course": self.course.means.state,
                 "random": self.pool.host.bit_generator.state,
                 "plan": repr(self.plan)}
        part = self.checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.replace(self.checkpoint)

    def _load(self, path: Path) -> None:
        state = load_checkpoint(path, self.pool.device)
        if state["plan"] != repr(self.plan):
            raise ValueError(f"{path} was made with another plan; remove it to start anew")
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.adam.load_state_dict(state["adam"])
        self.step, self.history = state["step"], state["history"]
        self.state = State(**state["pool"])
        self.moments.means.state = state["moments"]
        self.course.means.state = state["course"]
        self.pool.host.bit_generator.state = state["random"]

    def _kept(self, contract: Contract, own: bool) -> torch.Tensor:
        """Outputs that must stay what they were; of the network's `own` all but the root's step and
        its future path, which a teacher has right."""
        kept = torch.ones(len(contract.output_names()))
        for block, where in contract.ranges(contract.outputs):
            if own and block.name.startswith(("root.velocity", "future.position")):
                kept[where] = 0
            elif block.name == "phase.advance":
                kept[where] = self.plan.rhythm
            elif block.name == "contact":
                kept[where] = 4
        return kept

    def train(self, quiet: bool = False, stop: int | None = None) -> PFNN:
        """Run all steps, or up to step `stop`; ^C as in Trainer.train."""
        with Interrupt() as asked:
            self._steps(quiet, self.plan.steps if stop is None else stop, asked)
        self.interrupted = asked.asked
        self.save()
        return self.average

    def _steps(self, quiet: bool, stop: int, interrupt: Interrupt) -> None:
        bar = Progress(self.plan.steps, "polishing", quiet)
        while self.step < stop and not interrupt.asked:
            fraction = 0.5 + 0.5 * math.cos(math.pi * self.step / self.plan.steps)
            graph.set_rate(self.adam, self.plan.rate * (0.02 + 0.98 * fraction))
            self.state = self._step(self.state, self.step)
            if self.step % 20 == 0:
                last = self.history[-1][1]
                bar.step(self.step, " ".join(f"{k} {v:.3f}" for k, v in last.items()))
            self.step += 1
            if self.step % 500 == 0:
                self.save()
        if not interrupt.asked:
            bar.step(self.plan.steps)

    def _step(self, state: State, step: int) -> State:
        state = self.pool.renewed(state.detached())
        keep = min(0.998, (1 + step) / (10 + step))
        draw = self.batches.draw(self.plan.stage, self.seed + 1000, step, 0, [])
        pool = {"pool." + k: v for k, v in vars(state).items()}
        made = self.update({**given_of(draw, 1 - keep), **pool})
        if step % 20 == 0:
            self.history.append((step, {k: float(made["part." + k]) for k in PARTS}))
        return State(**{k: made["pool." + k] for k in vars(state)})

    def _update(self, given: graph.Tensors) -> graph.Tensors:
        """One step of the network: the pool's state after it, and the terms of the loss."""
        pool = {k[5:]: v for k, v in given.items() if k.startswith("pool.")}
        state, parts = self.closed_loop(State(**pool))
        batch = (given[k] for k in ("x", "y", "phase", "style"))
        error = self.unroll(*batch, None, None, self.plan.stage.weights)[0]
        parts["data"] = self.plan.data * error
        self.adam.zero_grad(set_to_none=True)
        torch.stack(list(parts.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.adam.step()
        follow(self.average, self.net, given["follow"])
        made = {"part." + k: v.detach() for k, v in parts.items()}
        return {**made, **{"pool." + k: v.detach() for k, v in vars(state).items()}}

    def closed_loop(self, state: State) -> tuple[State, dict[str, torch.Tensor]]:
        """Some frames of the pool with gradient: the state after them, and the weighted terms."""
        u, plan, loop = self.unroll, self.plan, self.loop
        begin = state.path[:, loop.now]
        wanted, slide, keep, raw, last = 0.0, [], [], [], None
        for _ in range(plan.frames):
            state, velocity, _ = loop.command(state)
            wanted = wanted + velocity
            x = (loop.inputs(state) - u.x_mean) / u.x_std
            full = torch.cat([x, self.style], 1)
            out = self.net(full, state.phase)
            with torch.no_grad():
                said = self.teacher(full.detach(), state.phase.detach())
            keep.append(((out - said).abs() * self.kept).mean())
            y = out * u.y_std + u.y_mean
            raw.append(y)
            feet = self._feet(state, y)
            if last is not None:
                slide.append(self._slide(last, feet))
            last = feet
            state = loop.moved(state, y)
        went = state.path[:, loop.now] - begin
        still = (state.velocity.norm(dim=-1) < self.pool.rules["stand_speed"]).float()
        first, full = (a + (b - a) * still for a, b in zip(plan.settle, plan.settle_still))
        settled = torch.clamp((state.age - plan.frames - first) / (full - first), 0, 1)
        track = self._track(went, wanted, state, settled)
        kind = torch.where(settled >= 1, state.kind, -torch.ones_like(settled))
        off = wrap(state.face - state.facing[:, loop.now])
        course = self.course.loss(went, wanted, off, kind)
        stacked = torch.stack(raw, 1)
        manner = torch.where(settled >= 1, state.manner, -torch.ones_like(settled))
        habits = self.moments.loss(self._foot_points(stacked), self._advance(stacked), manner)
        return state, {"slide": plan.slide * torch.stack(slide).mean(),
                       "keep": plan.keep * torch.stack(keep).mean(), "track": plan.track * track,
                       "course": plan.course * course,
                       "body": plan.body * self._body(stacked), "manner": plan.manner * habits}

    def _foot_points(self, raw: torch.Tensor) -> torch.Tensor:
        """Heels and toes [C, F, 4, 3] in the root frame."""
        at = self.unroll.at
        return raw[..., at.position].unflatten(-1, (-1, 3)).index_select(-2, self.feet)

    def _advance(self, raw: torch.Tensor) -> torch.Tensor | None:
        return None if self.loop.phase is None else raw[..., self.loop.phase]

    def _feet(self, s: State, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """World points [C, 4, 2] of heels and toes, and how surely they are planted [C, 4]."""
        now, at = self.loop.now, self.unroll.at
        points = y[:, at.position].unflatten(-1, (-1, 3)).index_select(1, self.feet)[..., 0::2]
        world = turned(points, s.facing[:, now, None]) + s.path[:, now, None]
        contact = y.detach().index_select(1, self.planted)
        return world, torch.clamp((contact - 0.3) / 0.4, 0, 1)

    def _body(self, raw: torch.Tensor) -> torch.Tensor:
        """How far joints are from where the rotations draw them, and toes from 0.8 % of the
        hips' height under which they must not go."""
        at = self.unroll.at
        points = raw[..., at.position].unflatten(-1, (-1, 3))
        toes = points.index_select(-2, self.toes)[..., 1]
        floor = torch.relu(0.008 * float(at.offsets[0, 1]) - toes).mean() * at.metres * 100
        return self.unroll.kinematics(raw, raw) / 2 + floor

    def _slide(self, a: tuple, b: tuple) -> torch.Tensor:
        at = self.unroll.at
        speed = (b[0] - a[0]).square().sum(-1) * (at.metres * at.rate) ** 2
        return (speed * a[1] * b[1] * self.foot_weight).sum(1).mean()

    def _track(
        self, went: torch.Tensor, wanted: torch.Tensor, s: State, settled: torch.Tensor
    ) -> torch.Tensor:
        """Mean square errors of mean velocity (m/s) and of facing (rad) of settled commands."""
        at, plan = self.unroll.at, self.plan
        size = at.metres * at.rate / plan.frames
        velocity = ((went - wanted) * size).square().sum(-1)
        face = wrap(s.face - s.facing[:, self.loop.now]).square()
        return (settled * (velocity + 0.5 * face)).sum() / settled.sum().clamp(min=1)
