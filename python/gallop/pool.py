"""Whom training in the loop runs: a pool of characters, and what their players ask of them.

Characters begin in frames of the data; each has a command (ahead, around, aside, back, turn, stop,
a jump), which ends after a while, and gets another. Who comes too far from the data is lost, and
begins anew. All chance is the pool's own, so that a run that goes on sees what it would have seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch

from gallop import terrain
from gallop.contract import Contract
from gallop.course import kinds
from gallop.features import Dataset
from gallop.loop import Loop, State, Stick, mix, rows, turned
from gallop.losses import Unroll
from gallop.manner import MANNERS

CIRCLES, GOES = 0.15, 0.94  # shares of commands that circle, and that are no plain stop
FIDGET = 6.0  # rad/s at which a stick circles that nobody can follow


@dataclass
class Orders:
    """What the players of the pool want until a command ends: their sticks' fields [C] (see
    loop.Stick), spin [C] (rad/frame, of stick and look), by how much the command changed the wanted
    velocity, and speed [C] (m/s), age and life [C] of the command in frames, manner [C] (see
    manner.MANNERS; -1 none), kind [C] (see course.kinds)."""

    move: torch.Tensor
    run: torch.Tensor
    look: torch.Tensor
    strafe: torch.Tensor
    crouch: torch.Tensor
    jump: torch.Tensor
    spin: torch.Tensor
    change: torch.Tensor
    faster: torch.Tensor
    age: torch.Tensor
    life: torch.Tensor
    manner: torch.Tensor
    kind: torch.Tensor

    def stick(self) -> Stick:
        return Stick(self.move, self.run, self.look, self.strafe, self.crouch, self.jump)

    def later(self) -> Orders:
        """A frame later."""
        return replace(self, move=turned(self.move, self.spin), look=self.look + self.spin,
                       age=self.age + 1)

    def replaced(self, where: torch.Tensor, other: Orders) -> Orders:
        """The orders with the rows `where` [C] of others."""
        return Orders(**{k: rows(where, getattr(other, k), v) for k, v in vars(self).items()})


@dataclass(frozen=True)
class Shares:
    """Shares of the commands that go ahead, turn on the spot, crouch, and of those to go ahead that
    throw the stick right over or jump; of those who stand that are told to step aside or back; of
    the pool that is on made-up ground."""

    ahead: float = 0.4
    spins: float = 0.09
    asides: float = 0.0
    reverses: float = 0.0
    crouches: float = 0.12
    jumps: float = 0.15
    ground: float = 0.0


class Pool:
    """Characters that begin in frames of the data, and the commands that they get."""

    def __init__(
        self, contract: Contract, data: Dataset, unroll: Unroll, style: int, count: int, seed: int,
        loop: Loop, known: np.ndarray | None = None, shares: Shares | None = None,
    ) -> None:
        """`known` [8] tells which of MANNERS the data shows; only those are commanded."""
        self.shares = shares or Shares()
        self.unit = contract.unit
        self.loop, self.unroll, self.count, self.device = loop, unroll, count, loop.device
        self.rules, self.rate = loop.rules, contract.rate
        self.per_second = contract.unit * contract.rate
        self.host = np.random.default_rng((seed, 77))
        labels = [t.labels for t in data.takes]
        base = np.concatenate([[0], np.cumsum([len(t) for t in data.takes])])
        self.path = self._tensor(np.concatenate([x.path for x in labels]))
        self.facing = self._tensor(np.concatenate([x.facing for x in labels]))
        gait = np.concatenate([x.gait for x in labels])
        self.gait = self._tensor(gait)
        frame = base[data.take] + data.frame
        begins = data.style == style
        if "jump" in loop.roles:  # one in the air would not know why
            begins &= gait[frame, loop.roles["jump"]] < 0.01
        chosen = np.flatnonzero(begins)
        self.frame = torch.tensor(frame[chosen], device=self.device)
        self.fed = torch.tensor(data.x[chosen][:, unroll.at.x_fed], device=self.device)
        self.phase = torch.tensor(data.phase[chosen], device=self.device)
        weight = np.ones(len(chosen)) if data.weight is None else data.weight[chosen]
        self.cumulated = np.cumsum(weight) / weight.sum()
        self.strangest = self._strange(self.fed).max()
        shown = np.ones(len(MANNERS), bool) if known is None else known
        self.known = shown if shown.any() else np.arange(len(MANNERS)) < 1
        self.stops = float(data.stand[chosen].mean()) > 0.01
        # where a run is much more than a walk there is a jog between them
        self.jogs = self.rules["speed_run"] > 2 * self.rules["speed_walk"]

    def _strange(self, fed: torch.Tensor) -> torch.Tensor:
        """The largest deviation [C] of fed-back joints from the mean, in the network's units."""
        at, u = self.unroll.at.x_fed, self.unroll
        return ((fed - u.x_mean[at]) / u.x_std[at]).abs().amax(1)

    def _tensor(self, a: np.ndarray) -> torch.Tensor:
        return torch.tensor(a, dtype=torch.float32, device=self.device)

    def fresh(self) -> State:
        """A whole pool begun at random frames of the data, the root at the origin."""
        pick = np.searchsorted(self.cumulated, self.host.random(self.count), side="right")
        pick = torch.tensor(np.minimum(pick, len(self.cumulated) - 1), device=self.device)
        index, now = self.frame[pick][:, None] + self.loop.frames, self.loop.now
        path, facing, gait = self.path[index], self.facing[index], self.gait[index]
        rest = self.loop.at_rest(self.fed[pick], facing[:, now], self.phase[pick])
        crouch = gait[:, now, self.loop.roles["crouch"]] if "crouch" in self.loop.roles else (
            rest.crouch)
        fresh = replace(rest, path=path - path[:, now, None], facing=facing, gait=gait,
                        velocity=path[:, now] - path[:, now - 1], crouch=crouch)
        return self.loop.on_ground(fresh, self._grounds()) if self.shares.ground > 0 else fresh

    def _grounds(self) -> torch.Tensor:
        """A ground [C, P] for each of a pool."""
        uneven = self.host.random(self.count) < self.shares.ground
        made = terrain.drawn(self.host, self.count, self.unit)
        return self._tensor(np.where(uneven[:, None], made, terrain.level(self.count)))

    def commanded(self, state: State) -> Orders:
        """New commands for everyone: go ahead, circle, strafe, or stop; some of them crouched, a
        few with jumps."""
        n, host, shares = self.count, self.host, self.shares
        facing = state.facing[:, self.loop.now].detach()
        draw = self._drawn(state)
        stop = (draw >= GOES - shares.spins) & self.stops
        pivot = stop & (draw >= 1 - shares.spins)  # a stop that turns on the spot
        shown = self.known.reshape(-1, 2)  # ahead, left, right, back; walk and run
        sides = [t for t, row in zip((0.5, -0.5, 1.0), shown[1:]) if row.any()]
        slants = [0.25, -0.25, 0.75, -0.75] if len(sides) == 3 else []
        circle = (draw >= shares.ahead) & (draw < shares.ahead + CIRCLES)
        ahead = ~circle & ~stop & ((draw < shares.ahead) | (len(sides) == 0))
        quarter = host.choice(sides + sides + slants or [0.0], n)
        swerve = np.where(host.random(n) < 0.5, host.normal(0, 0.5, n),
                          host.uniform(-math.pi, math.pi, n))
        if shares.reverses > 0:
            swerve = np.where(host.random(n) < shares.reverses, math.pi, swerve)
        relative = np.where(ahead | circle, swerve, quarter * math.pi)
        crouch = host.random(n) < (shares.crouches if "crouch" in self.loop.roles else 0)
        run = host.random(n) < shown[:, 1].any() / (1.0 + shown[:, 0].any())
        jog = run & (host.random(n) < (0.35 if self.jogs else 0)) & ~crouch
        run = np.where(jog, host.uniform(0.25, 1, n), run & ~crouch)
        part = np.where(host.random(n) < 0.8, host.uniform(0.9, 1.08, n), host.uniform(0.4, 0.9, n))
        way = facing + self._tensor(relative)
        move = turned(torch.stack([0 * way, self._tensor(np.where(stop, 0, part))], -1), way)
        spin = np.where(circle, host.uniform(-1, 1, n) * np.where(run > 0, 0.9, 0.6), 0)
        spin = np.where(pivot, host.uniform(-1.3, 1.3, n), spin) / self.rate
        jump = ahead & (host.random(n) < (shares.jumps if self.loop.jumps else 0)) & ~crouch
        kind = kinds(relative, spin, (run > 0).astype(float), circle, stop)
        kind = np.where(jump, -1, kind)
        manner = _manner(ahead, circle | stop, part, quarter, (run > 0).astype(float))
        manner = np.where(jog | crouch | jump, -1, manner)
        life = np.where(host.random(n) < 0.3, host.uniform(30, 90, n), host.uniform(90, 260, n))
        life = np.where(jump, 80, life)
        fidget = ~jump & (host.random(n) < 0.08)  # too short, or too quick, to be followed
        life = np.where(fidget, host.uniform(12, 35, n), life)
        quick = np.where(host.random(n) < 0.5, host.uniform(-FIDGET, FIDGET, n) / self.rate, spin)
        spin = np.where(fidget & ~stop, quick, spin)
        kind, manner = np.where(fidget, -1, kind), np.where(fidget, -1, manner)
        strafe = ~(ahead | circle) & (~stop | pivot)
        given = (run, strafe, crouch, jump, spin, life, manner, kind)
        t = [self._tensor(np.asarray(g, float)) for g in given]
        speed = mix(self.rules["speed_walk"], self.rules["speed_run"], t[0])[:, None]
        change = (move * speed - state.velocity.detach()).norm(dim=-1) * self.per_second
        change = change + self._tensor(np.where(fidget, 100, 0))
        faster = (move.norm(dim=-1) * speed[:, 0] - state.velocity.detach().norm(dim=-1))
        return Orders(move, t[0], facing, *t[1:4], t[4], change, faster * self.per_second,
                      torch.zeros_like(facing), *t[5:])

    def _drawn(self, state: State) -> np.ndarray:
        """What says each one's command [C], 0..1; `asides` of those who stand step aside."""
        draw = self.host.random(self.count)
        if self.shares.asides <= 0:
            return draw
        speed = state.velocity.detach().norm(dim=-1).cpu().numpy()
        still = speed < self.rules["stand_speed"]
        chosen = still & (self.host.random(self.count) < self.shares.asides)
        first, end = self.shares.ahead + CIRCLES, GOES - self.shares.spins
        return np.where(chosen, first + (end - first) * draw, draw)

    def renewed(self, state: State, orders: Orders) -> tuple[State, Orders]:
        """New commands where the old ones end; new characters where one was lost, and for a few."""
        lost = ~torch.isfinite(state.fed).all(1) | (self._strange(state.fed) > 1.3 * self.strangest)
        lost = lost | torch.tensor(self.host.random(self.count) < 0.01, device=self.device)
        clean = State(**{k: torch.nan_to_num(v) for k, v in vars(state).items()})
        state = clean.replaced(lost, self.fresh())
        over = lost | (orders.age > orders.life)
        return state, orders.replaced(over, self.commanded(state))


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
