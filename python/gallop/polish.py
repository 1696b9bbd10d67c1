"""The last stage of training: the controller's own loop, differentiable, on synthetic commands.

A data set of a small room holds few straight paths and no player. So a pool of characters (pool.py)
runs the runtime's loop (loop.py) under the sticks of players, a few frames with gradient per step,
and the network is moved so that

- planted feet stay where they are (slide),
- the root goes as fast as, and where, it was told once a command has settled (track), and does so
  on the mean in each kind of command (course),
- feet travel as far and step as often as in the data in each manner of going (manner),
- hips are as high in it, and go up and down as far (hips),
- who jumps goes on as fast as told (leap), his hips rise and fall once, as the data's (arc), and
  who runs keeps his hips up (tall),
- who begins to go does not overshoot (over),
- no joint's motion changes by more in a frame than a body's can (calm), nor does one turn by more
  (flip), nor is a bone of a leg twisted further about itself (twist),
- feet stay over the floor, and bones have their lengths (body),
- everything else stays what the network said before this stage (keep), and
- stretches of data are still reproduced (data).

Where the network sees the ground (Plan.ground) it goes over made-up ground (terrain.py), and learns
only what the ground changes, so that all else stays what it was to the bit:

- planted feet lie on steps and not across their edges (tread),
- legs are not asked for more than their length (reach), and
- the body leans into a hill (lean).
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from gallop import arc, graph, terrain
from gallop.contract import Contract
from gallop.course import CIRCLES, KINDS, PIVOTS, Course
from gallop.features import Dataset
from gallop.interrupt import Interrupt
from gallop.loop import Loop, State, mix, turned, wrap
from gallop.losses import Unroll
from gallop.manner import Moments, targets
from gallop.masks import Masks
from gallop.network import PFNN
from gallop.pool import Orders, Pool, Shares
from gallop.progress import Progress
from gallop.trainer import Batches, Stage, World, follow, given_of, load_checkpoint

SLOW = 0.02  # m/s: planted feet that go more slowly are still
CALM, CALM_HIPS = 7.0, 1.8  # cm: most that a joint's way of a frame changes in the next, and hips'
TURN = 18.0  # degrees: most that a joint turns in a frame against what it hangs on
TWIST = 30.0  # degrees: most that a thigh or a shank is twisted about itself
LEAST = 0.85  # of the hips' height at rest: lower they are not but in a crouch or a jump
STRIDE = 0.6  # s that even out strides, as the judge's figure of overshooting has it
OVER = 0.04  # share of the wanted speed by which a mean over a stride may lie above it
LEAN = 0.15  # how far the head is ahead of the hips for each unit of the slope's rise over run
STRETCHED = 0.975  # of its length: from there on a shown leg gives way
BEGINS = (1.0, 0.05)  # s after its first stride in which one begins; m/s faster than he went
PARTS = ("slide", "calm", "keep", "track", "course", "body", "manner", "hips", "leap", "arc",
         "tall", "over", "flip", "twist", "data", "tread", "reach", "lean")


@dataclass(frozen=True)
class Plan:
    """How to polish: `steps` steps of `pool` characters for `frames` frames, and the weights."""

    steps: int
    pool: int = 512
    frames: int = 16
    rate: float = 2e-4
    slide: float = 3.0
    blunt: float = math.inf  # m/s; from there on a slide counts no more as its square
    creep: float = 0.15  # m/s; how much a small slide counts beside its square
    calm: float = 0.02
    track: float = 1.0
    keep: float = 0.5
    rhythm: float = 5.0  # how much more than a joint's the phase's advance must stay
    data: float = 1.0
    body: float = 0.5
    manner: float = 1.0
    hips: float = 0.0
    course: float = 20.0
    facing: float = 1.0  # how much more than of the way the course's errors of facing count
    settle: tuple[int, int] = (6, 26)  # frames after a command: to count first, and fully
    settle_still: tuple[int, int] = (4, 18)
    brisk: tuple[float, float] = (3.0, 1.5)  # m/s: larger changes of speed take longer, still too
    longest: float = 2.0  # times as long at most
    spins: float = 0.09  # share of commands that turn on the spot
    turns: float = 1.0  # how much more the slides of those count who turn on the spot,
    leaps: float = 1.0  # of those who jump,
    squats: float = 1.0  # of those who crouch,
    steady: float = 1.0  # and of those who go as they were told and have settled
    sway: float = 0.0  # how much more the facing of those counts in `track` who strafe, rad, m/s
    leap: float = 0.0  # who jumps is to go on as fast as told
    arc: float = 0.0  # and his hips are to rise and fall as in the data
    jumps: float = 0.15  # share of the commands to go ahead that jump
    ahead: float = 0.4  # share of commands that go ahead
    crouches: float = 0.12  # share of commands that crouch
    carry: float = 0.0  # the rule jump_carry meanwhile
    tall: float = 0.0  # hips stay up
    over: float = 0.0  # who begins to go does not overshoot
    flip: float = 0.0  # no joint turns at once
    twist: float = 0.0  # no thigh or shank is twisted far about itself
    asides: float = 0.0  # share of those who stand that are told to step aside, or back
    reverses: float = 0.0  # share of commands to go ahead that throw the stick right over
    least: float = CALM  # cm: `calm` counts from here on
    pushed: bool = False  # the rules that hurry on a slow one are at work, as at run time
    paced: bool = False  # who turns on the spot has the rule's least advance of the phase, and the
    # ways of who crouches are corrected apart
    ground: float = 0.0  # share of the pool on made-up ground; what is seen of it alone is trained
    tread: float = 0.0  # planted feet do not lie across edges
    reach: float = 0.0  # legs are not stretched
    lean: float = 0.0  # the body leans into a hill
    stage: Stage = field(default_factory=lambda: Stage(1, 256, 16))


class Polish:
    """Runs the plan on a trained network; the result is the averaged network."""

    def __init__(
        self, net: PFNN, unroll: Unroll, contract: Contract, data: Dataset,
        batches: Batches, style: int, plan: Plan, seed: int, world: World,
        checkpoint: Path | None = None, teacher: torch.nn.Module | None = None,
        there: list[torch.Tensor] | None = None,
    ) -> None:
        """`teacher` says what everything else should be, in place of the network as it was;
        `there` [rows, columns] are the patches of each layer that a pruned network has: no
        others get any weight."""
        self.plan, self.batches, self.seed = plan, batches, seed
        self.unroll = copy.deepcopy(unroll)
        self.unroll.net = self.net = copy.deepcopy(net)
        self.masks = Masks(self.net, len(contract.input_names()), there) if there else None
        self.teacher = copy.deepcopy(net) if teacher is None else teacher.to(world.device)
        self.average = copy.deepcopy(net)
        goal = targets(contract, data, style)
        # What pushes a slow network on at run time is off: under it nothing would teach the root
        # to go as fast as told, and the phase to go on, by themselves, from any phase.
        off = {} if plan.pushed else {
            "speed_push": 0, "speed_push_side": 0, "phase_least": 0, "phase_aside": 0}
        # Nobody brakes, either: who stops at once in training stops well when he may take longer.
        self.loop = Loop(contract, world.device, speed_gain=0, speed_brake=0,
                         jump_carry=plan.carry, **off)
        self.pace = Loop(contract, world.device)
        self.pool = Pool(contract, data, unroll, style, plan.pool, seed, self.loop, goal.known,
                         Shares(plan.ahead, plan.spins, plan.asides, plan.reverses, plan.crouches,
                                plan.jumps, plan.ground))
        one = torch.zeros(plan.pool, net.styles, device=world.device)
        one[:, style] = 1
        self.style = one
        self.kept = self._kept(contract, teacher is None).to(world.device)
        self.moments = Moments(goal, contract.unit, world.device)
        self.arc = arc.Arc(arc.shown(contract, data, style), world.device)
        self.course = Course(world.device, plan.facing)
        feet = self.unroll.at.feet
        self.feet = torch.tensor([j for _, j, _ in feet], device=world.device)
        self.toes = torch.tensor([j for _, j, w in feet if w == 1], device=world.device)
        self.planted = torch.tensor([c for c, _, _ in feet], device=world.device)
        self.foot_weight = torch.tensor([w for _, _, w in feet], device=world.device)
        hangs = [(j, p) for j, p in enumerate(self.unroll.at.parents) if p >= 0]
        self.hanging, self.parents = torch.tensor(hangs, device=world.device).T.contiguous()
        self.legs, self.top = self._leg_joints(contract), self._highest()
        self.bones, self.lines = self._leg_bones(contract)
        taught = self._sight_alone(contract) if plan.ground > 0 else self.net.parameters()
        self.adam = graph.adam(torch.optim.Adam, taught, plan.rate, world.device)
        self.update = graph.Replayed(self._update, world.device)
        self.history: list[tuple[int, dict[str, float]]] = []
        self.step, self.checkpoint, self.interrupted = 0, checkpoint, False
        self.state = self.pool.fresh()
        self.orders = self.pool.commanded(self.state)
        if checkpoint and checkpoint.exists():
            self._load(checkpoint)

    def save(self) -> None:
        """Write the checkpoint, replacing the old one in one move."""
        if not self.checkpoint:
            return
        state = {"step": self.step, "net": self.net.state_dict(), "adam": self.adam.state_dict(),
                 "average": self.average.state_dict(), "history": self.history,
                 "pool": named(self.state, self.orders), "moments": self.moments.means.state,
                 "course": self.course.means.state,
                 "random": self.pool.host.bit_generator.state,
                 "plan": repr(self.plan), "there": self.masks.there if self.masks else None}
        part = self.checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.replace(self.checkpoint)

    def _load(self, path: Path) -> None:
        state = load_checkpoint(path, self.pool.device)
        if state["plan"] != repr(self.plan):
            raise ValueError(f"{path} was made with another plan; remove it to start anew")
        if self.masks:
            self.masks.put(state.get("there") or [])
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.adam.load_state_dict(state["adam"])
        self.step, self.history = state["step"], state["history"]
        self.state, self.orders = parted(state["pool"])
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

    def _leg_joints(self, contract: Contract) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Hip and heel joints [L] of each leg, and how long its two bones are [L]."""
        names, device = contract.joint_names(), self.pool.device
        legs = [[names.index(j) for j in leg[:3]] for leg in contract.legs]
        length = [sum(float(np.linalg.norm(self.unroll.at.offsets[j])) for j in leg[1:])
                  for leg in legs]
        return (torch.tensor([leg[0] for leg in legs], device=device),
                torch.tensor([leg[2] for leg in legs], device=device),
                torch.tensor(length, device=device))

    def _leg_bones(self, contract: Contract) -> tuple[torch.Tensor, torch.Tensor]:
        """Places in `hanging` of the joints [B] that turn thighs and shanks, and the bones' lines
        at rest [B, 3]."""
        names, hanging = contract.joint_names(), self.hanging.tolist()
        bones = []
        for leg in contract.legs:
            for joint, end in zip(leg[:2], leg[1:3]):
                upper, child = names.index(joint), names.index(end)
                while self.unroll.at.parents[child] != upper:
                    child = self.unroll.at.parents[child]
                line = self.unroll.at.offsets[child]
                bones.append((hanging.index(upper), line / np.linalg.norm(line)))
        joints, lines = zip(*bones)
        return (torch.tensor(joints, device=self.pool.device),
                torch.tensor(np.array(lines), device=self.pool.device))

    def _highest(self) -> int:
        """The joint that is highest at rest."""
        at, high = self.unroll.at, []
        for parent, offset in zip(at.parents, at.offsets):
            high.append(float(offset[1]) + (high[parent] if parent >= 0 else 0))
        return int(np.argmax(high))

    def _sight_alone(self, contract: Contract) -> list[torch.nn.Parameter]:
        """What is trained where the rest is to stay: the weights of the ground's heights."""
        self.net.requires_grad_(False)
        first = self.net.layers[0].weight.requires_grad_(True)
        seen = torch.zeros(first.shape[2], device=first.device)
        seen[terrain.height_columns(contract)] = 1
        first.register_hook(lambda gradient: gradient * seen)
        return [first]

    def train(self, quiet: bool = False, stop: int | None = None) -> PFNN:
        """Run all steps, or up to step `stop`; ^C as in Trainer.train."""
        with Interrupt() as asked:
            self._steps(quiet, self.plan.steps if stop is None else stop, asked)
        self.interrupted = asked.asked
        self.save()
        return self.average

    def _steps(self, quiet: bool, stop: int, interrupt: Interrupt) -> None:
        bar = Progress(self.plan.steps, "polishing", quiet, self.step)
        while self.step < stop and not interrupt.asked:
            fraction = 0.5 + 0.5 * math.cos(math.pi * self.step / self.plan.steps)
            graph.set_rate(self.adam, self.plan.rate * (0.02 + 0.98 * fraction))
            self._step(self.step)
            if self.step % 20 == 0:
                last = self.history[-1][1]
                bar.step(self.step, " ".join(f"{k} {v:.3f}" for k, v in last.items()))
            self.step += 1
            if self.step % 500 == 0:
                self.save()
        if self.step == self.plan.steps:
            bar.step(self.step)

    def _step(self, step: int) -> None:
        state, orders = self.pool.renewed(self.state.detached(), self.orders)
        keep = min(0.998, (1 + step) / (10 + step))
        draw = self.batches.draw(self.plan.stage, self.seed + 1000, step, 0, [])
        made = self.update({**given_of(draw, 1 - keep), **named(state, orders)})
        if step % 20 == 0:
            terms = {k: float(made["part." + k]) for k in PARTS if "part." + k in made}
            self.history.append((step, terms))
        self.state, self.orders = parted(made)

    def _update(self, given: graph.Tensors) -> graph.Tensors:
        """One step of the network: the pool's state after it, and the terms of the loss."""
        state, orders, parts = self.closed_loop(*parted(given))
        batch = (given[k] for k in ("x", "y", "phase", "style"))
        error = self.unroll(*batch, None, None, self.plan.stage.weights)[0]
        parts["data"] = self.plan.data * error
        self.adam.zero_grad(set_to_none=True)
        torch.stack(list(parts.values())).sum().backward()
        if self.masks:
            self.masks.hold_gradients()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.adam.step()
        if self.masks:
            self.masks.hold(self.average)
        follow(self.average, self.net, given["follow"])
        made = {"part." + k: v.detach() for k, v in parts.items()}
        return {**made, **named(state.detached(), orders)}

    def closed_loop(
        self, state: State, orders: Orders
    ) -> tuple[State, Orders, dict[str, torch.Tensor]]:
        """Some frames of the pool with gradient: what is after them, and the weighted terms."""
        u, plan, loop = self.unroll, self.plan, self.loop
        begin = state.path[:, loop.now]
        wanted, slide, keep, raw, ways, over, last = 0.0, [], [], [], [], [], None
        phase, tops = [], []
        leaping = self._leaping(state)
        for _ in range(plan.frames):
            state, orders = loop.command(state, orders.stick()), orders.later()
            wanted = wanted + state.velocity
            x = (loop.inputs(state) - u.x_mean) / u.x_std
            full = torch.cat([x, self.style], 1)
            out = self.net(full, state.phase)
            with torch.no_grad():
                said = self.teacher(full.detach(), state.phase.detach())
            keep.append(((out - said).abs() * self.kept).mean())
            y = out * u.y_std + u.y_mean
            raw.append(y)
            phase.append(state.phase.detach())
            tops.append(state.jump_top)
            ways.append(self._world(state, y))
            feet = self._feet(state, y)
            if plan.ground > 0:
                over.append(self._on_ground(state, y, said * u.y_std + u.y_mean, feet))
            if last is not None:
                slide.append(self._slide(last, feet))
            last = feet
            state = self._moved(state, y, orders)
        went = state.path[:, loop.now] - begin
        still = (state.velocity.norm(dim=-1) < self.pool.rules["stand_speed"]).float()
        first, full = (a + (b - a) * still for a, b in zip(plan.settle, plan.settle_still))
        slow = (orders.change / mix(*plan.brisk, still)).clamp(1, plan.longest)
        first, full = first * slow, full * slow
        settled = torch.clamp((orders.age - plan.frames - first) / (full - first), 0, 1)
        landed = ~self._leaping(state)
        settled = settled * landed
        track = self._track(went, wanted, state, settled, orders.strafe)
        if plan.ground > 0:  # the others stay as they are: of theirs nothing is trained
            uneven = terrain.is_uneven(state.ground).float()
            settled = settled * uneven
        kind = torch.where(settled >= 1, orders.kind, -torch.ones_like(settled))
        if plan.paced:
            kind = torch.where((kind >= 0) & (orders.crouch > 0), kind + KINDS, kind)
        off = wrap(state.face - state.facing[:, loop.now])
        course = self.course.loss(went, wanted, off, kind)
        stacked = torch.stack(raw, 1)
        manner = torch.where(settled >= 1, orders.manner, -torch.ones_like(settled))
        hips = stacked[..., u.at.position][..., 1]
        habits, bent = self.moments.loss(self._foot_points(stacked), hips, self._advance(stacked),
                                         torch.stack(phase, 1), manner)
        care = self._care(orders, leaping | ~landed, settled >= 1)
        parts = dict(zip(("tread", "reach", "lean"), torch.stack(over).mean(0))) if over else {}
        if plan.flip > 0:
            parts["flip"] = self._flip(stacked)
        if plan.twist > 0:
            parts["twist"] = self._twist(stacked)
        parts = {k: getattr(plan, k) * v for k, v in parts.items()}
        return state, orders, {**parts, "slide": plan.slide * (torch.stack(slide) * care).mean(),
                               "calm": plan.calm * self._calm(torch.stack(ways, 1)),
                               "keep": plan.keep * torch.stack(keep).mean(),
                               "track": plan.track * track,
                               "course": plan.course * course,
                               "body": plan.body * self._body(stacked),
                               "manner": plan.manner * habits,
                               "hips": plan.hips * bent,
                               "leap": plan.leap * self._leap(went - wanted, leaping & ~landed),
                               "arc": plan.arc * self._arc(hips, torch.stack(tops, 1)),
                               "tall": plan.tall * self._tall(stacked, state, leaping | ~landed),
                               "over": plan.over * self._over(state, orders)}

    def _moved(self, s: State, y: torch.Tensor, orders: Orders) -> State:
        """The state after the raw output y. One who turns on the spot would let the phase stand and
        slide without a step, which nothing could mend: at run time it goes on, as here."""
        after = self.loop.moved(s, y)
        if not self.plan.paced or after.phase is s.phase:
            return after
        phase = torch.where(orders.kind >= PIVOTS, self.pace.phased(s, y), after.phase)
        return replace(after, phase=phase)

    def _on_ground(
        self, s: State, y: torch.Tensor, said: torch.Tensor, feet: tuple
    ) -> torch.Tensor:
        """How badly they go on the ground that is there [3], decimetres squared: edges under
        planted feet, what legs are too short by, and how far the head is from where it would lean
        from what was said on the level."""
        dm = 10 * self.unroll.at.metres
        at, planted = (f.unflatten(1, (-1, 2)) for f in feet)
        under = terrain.rough(s.ground[:, None, None], at, terrain.SOFT)
        tread = (under[..., 1] - under[..., 0]).square() * planted[..., 0] * planted[..., 1]
        points = self._world(s, y)
        hip, heel, length = self.legs
        way = points.index_select(1, hip) - points.index_select(1, heel)
        flat = way.detach().norm(dim=-1).maximum(STRETCHED * length)
        place = points.index_select(1, heel)[..., 0::2]
        rise = terrain.height(s.ground[:, None], place) - s.height[:, None]
        reach = torch.stack([way[..., 0], way[..., 1] - rise, way[..., 2]], -1).norm(dim=-1)
        reach = torch.relu(reach - flat).square()
        lean = (self._head(y) - self._head(said)) - LEAN * self._uphill(s, said)
        terms = (tread.sum(1), reach.sum(1), lean.square().sum(-1))
        return torch.stack([t.mean() for t in terms]) * dm * dm

    def _head(self, raw: torch.Tensor) -> torch.Tensor:
        """How far the highest joint is ahead of the first [C, 2], to the left and ahead."""
        points = raw[:, self.unroll.at.position].unflatten(-1, (-1, 3))
        return (points[:, self.top] - points[:, 0])[:, 0::2]

    def _uphill(self, s: State, said: torch.Tensor) -> torch.Tensor:
        """The slope [C, 2] in the root frame, times how high the head is over the hips, of those
        who go."""
        points = said[:, self.unroll.at.position].unflatten(-1, (-1, 3))
        tall = points[:, self.top, 1] - points[:, 0, 1]
        goes = (s.velocity.norm(dim=-1) / self.pool.rules["speed_walk"]).clamp(max=1)
        return turned(s.slope, -s.facing[:, self.loop.now]) * (tall * goes)[:, None]

    def _care(
        self, orders: Orders, leaping: torch.Tensor, settled: torch.Tensor
    ) -> torch.Tensor:
        """How much more the slides of each character [C] count."""
        one = torch.ones_like(orders.kind)
        going = settled & (orders.kind >= 0) & (orders.kind < PIVOTS)
        one = torch.where(going, self.plan.steady * one, one)
        care = torch.where(orders.crouch > 0, self.plan.squats * torch.ones_like(one), one)
        care = torch.where(orders.kind >= PIVOTS, self.plan.turns * care, care)
        return torch.where(leaping, self.plan.leaps * torch.ones_like(one), care)

    def _leaping(self, s: State) -> torch.Tensor:
        """Who jumps [C], from the button until he has landed."""
        return s.jump_top > -self.pool.rules["jump_time"]

    def _leap(self, off: torch.Tensor, leaping: torch.Tensor) -> torch.Tensor:
        """By how much the mean velocity of those who jump is off, m/s, small errors squared."""
        size = off.norm(dim=-1) * self.pool.per_second / self.plan.frames
        cost = torch.where(size < 1, size.square(), 2 * size - 1)
        return (cost * leaping).sum() / leaping.sum().clamp(min=1)

    def _arc(self, hips: torch.Tensor, tops: torch.Tensor) -> torch.Tensor:
        """How far the hips [C, F] of who jumps are off the data's; `tops` [C, F]: frames to go."""
        return self.arc.loss(hips, tops, self.loop.jump_amount(-tops))

    def _tall(self, raw: torch.Tensor, s: State, leaping: torch.Tensor) -> torch.Tensor:
        """How far under LEAST the hips of those are who neither crouch nor jump, cm squared."""
        at = self.unroll.at
        low = LEAST * float(at.offsets[0, 1]) - raw[..., at.position][..., 1]
        upright = ~leaping
        if "crouch" in self.loop.roles:  # nor did a moment ago
            upright = upright & (s.gait[..., self.loop.roles["crouch"]].amax(1) < 0.01)
        return (torch.relu(low * at.metres * 100).square().mean(1) * upright).mean()

    def _over(self, s: State, orders: Orders) -> torch.Tensor:
        """By how much more than OVER those who begin to go straight on are too fast: mean square of
        shares of the wanted speed."""
        now, rate = self.loop.now, self.pool.rate
        span = round(STRIDE * rate)
        wanted = s.velocity.norm(dim=-1)
        went = (s.path[:, now] - s.path[:, now - span]).norm(dim=-1) / span
        most, rise = BEGINS
        begins = (orders.age >= span) & (orders.age <= span + most * rate)
        begins = begins & (orders.faster > rise) & (orders.kind >= 0) & (orders.kind < CIRCLES)
        begins = begins & (wanted > self.pool.rules["stand_speed"])
        excess = torch.relu(went / wanted.clamp(min=1e-3) - 1 - OVER).square()
        return (excess * begins).sum() / begins.sum().clamp(min=1)

    def _world(self, s: State, y: torch.Tensor) -> torch.Tensor:
        """Joints [C, J, 3] in the world."""
        now = self.loop.now
        points = y[:, self.unroll.at.position].unflatten(-1, (-1, 3))
        flat = turned(points[..., 0::2], s.facing[:, now, None]) + s.path[:, now, None]
        return torch.stack([flat[..., 0], points[..., 1], flat[..., 1]], -1)

    def _calm(self, joints: torch.Tensor) -> torch.Tensor:
        """By how much joints' ways [C, F, J, 3] change more from frame to frame than they may:
        mean over characters and frames of the sum over joints, cm squared; hips count tenfold."""
        change = torch.diff(joints, n=2, dim=1).square().sum(-1).add(1e-6).sqrt()
        change = change * self.unroll.at.metres * 100
        hips = torch.relu(change[..., 0] - CALM_HIPS).square()
        rest = torch.relu(change[..., 1:] - self.plan.least).square().sum(-1)
        return (10 * hips + rest).mean()

    def _flip(self, raw: torch.Tensor) -> torch.Tensor:
        """By how much more than TURN joints turn from frame to frame, each against what it hangs
        on: mean over characters and frames of the sum over joints, tens of degrees squared."""
        change = torch.diff(self._against(raw), dim=1)
        chord = change.square().sum((-1, -2)).add(1e-6).sqrt() / math.sqrt(2)  # 2 sin(angle / 2)
        most = 2 * math.sin(math.radians(TURN / 2))
        return (torch.relu(chord - most) / math.radians(10)).square().sum(-1).mean()

    def _twist(self, raw: torch.Tensor) -> torch.Tensor:
        """By how much further than TWIST thighs and shanks are twisted about their lines, beside
        the shortest turns that take those where they are: mean over characters and frames of the
        sum over bones, tens of degrees squared."""
        turn = self._against(raw).index_select(2, self.bones)
        around = torch.stack([turn[..., 2, 1] - turn[..., 1, 2], turn[..., 0, 2] - turn[..., 2, 0],
                              turn[..., 1, 0] - turn[..., 0, 1]], -1)
        trace = turn.diagonal(dim1=-2, dim2=-1).sum(-1)
        half = (around * self.lines).sum(-1).abs() / (1 + trace).clamp(min=0.1)  # its tangent
        excess = torch.relu(2 * torch.atan(half) - math.radians(TWIST)) / math.radians(10)
        return excess.square().sum(-1).mean()

    def _against(self, raw: torch.Tensor) -> torch.Tensor:
        """How joints are turned against what they hang on [C, F, J, 3, 3], in the order of
        `hanging`."""
        turn = self.unroll.turns(raw[..., self.unroll.at.rotation])
        base = turn.index_select(2, self.parents)
        return base.transpose(-1, -2) @ turn.index_select(2, self.hanging)

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
        """How much the planted feet of each character [C] slide from a frame to the next."""
        at = self.unroll.at
        squared = (b[0] - a[0]).square().sum(-1) * (at.metres * at.rate) ** 2
        size = (squared + SLOW**2).sqrt() - SLOW  # of a square alone nothing small would be mended
        if self.plan.blunt < math.inf:
            squared = squared - torch.relu(size - self.plan.blunt).square()
        slide = squared + self.plan.creep * size
        return (slide * a[1] * b[1] * self.foot_weight).sum(1)

    def _track(
        self, went: torch.Tensor, wanted: torch.Tensor, s: State, settled: torch.Tensor,
        strafe: torch.Tensor,
    ) -> torch.Tensor:
        """Mean square errors of mean velocity (m/s) and of facing (rad) of settled commands."""
        at, plan = self.unroll.at, self.plan
        size = at.metres * at.rate / plan.frames
        velocity = ((went - wanted) * size).square().sum(-1)
        face = wrap(s.face - s.facing[:, self.loop.now]).square()
        face = (0.5 + plan.sway * strafe) * face
        return (settled * (velocity + face)).sum() / settled.sum().clamp(min=1)


def named(state: State, orders: Orders) -> graph.Tensors:
    """The pool by name."""
    both = (("state.", state), ("orders.", orders))
    return {prefix + k: v for prefix, part in both for k, v in vars(part).items()}


def parted(given: graph.Tensors) -> tuple[State, Orders]:
    """The pool that was named."""
    def of(prefix: str) -> graph.Tensors:
        return {k[len(prefix) :]: v for k, v in given.items() if k.startswith(prefix)}

    return State(**of("state.")), Orders(**of("orders."))
