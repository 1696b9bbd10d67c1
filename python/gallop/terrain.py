"""Made-up ground under motion that was captured on a floor.

A pose is predicted as over level ground and laid on the ground that is there (docs/controller.md,
16), so what a network can learn from the ground is where to put its feet, how far to step and how
to lean. A ground is a row of P numbers (FIELDS): a slope, stairs that go up and down by turns, and
waves, in the contract's unit. `fitted` chooses for a stretch of motion, among random grounds, the
one on which its feet stand best, as Holden et al. 2017 (section 4) fit patches of terrain to
theirs: planted feet do not lie across an edge, and edges are crossed by feet that are lifted. Their
patches are then bent to the feet's heights; here that is done by laying the pose.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from gallop.contract import Block, Contract, to_text
from gallop.features import HEIGHT, Dataset
from gallop.modelfile import Model

FIELDS = ("slope_x", "slope_z", "angle", "high", "deep", "steps", "landing", "begin",
          "wave", "wave_x", "wave_z", "wave_at")
P = len(FIELDS)
SIDES = (-0.1, 0.1)  # m beside the path at which a network sees the ground: where its feet go
RISER = 0.15  # of a step's depth over which it rises,
SOFT = 0.5  # and where a slope is wanted that leads feet off its edge
STEEPEST = 1.5  # as the runtime has it (GALI_STEEPEST)
CANDIDATES = 8
SPAN, EVERY = 60, 5  # frames before and after a stretch whose feet count, and every how many
LIFTED = 0.08  # m: a toe this high over where it stands is lifted wholly


def blocks(unit: float) -> list[Block]:
    """The inputs with which a network sees the ground."""
    return [Block("trajectory.height", (f"{side / unit:g}",)) for side in SIDES]


def sides(contract: Contract) -> list[float]:
    """How far beside the path a contract's network sees the ground, to the left."""
    return [float(b.args[0]) for b in contract.inputs if b.name == "trajectory.height"]


def drawn(host: np.random.Generator, count: int, unit: float, rough: float = 1.0) -> np.ndarray:
    """Random grounds [count, P]: a third slopes, a share `rough` of the rest stairs, waves the
    others, some of them on a slope. `unit`: metres in one unit."""
    kind, made = host.random(count), np.zeros((count, P))
    field = {name: made[:, i] for i, name in enumerate(FIELDS)}
    way, steep = host.uniform(-math.pi, math.pi, count), host.uniform(0, 0.6, count)
    stairs = kind >= 1 - 2 / 3 * rough
    slope = np.where(stairs & (host.random(count) < 0.85), 0, steep * np.where(stairs, 0.3, 1))
    field["slope_x"][:], field["slope_z"][:] = slope * np.sin(way), slope * np.cos(way)
    field["angle"][:] = host.uniform(-math.pi, math.pi, count)
    field["high"][:] = np.where(stairs, host.uniform(0.05, 0.2, count) / unit, 0)
    field["deep"][:] = host.uniform(0.26, 0.45, count) / unit
    field["steps"][:] = np.where(host.random(count) < 0.3, 1, host.integers(3, 16, count))
    field["landing"][:] = host.uniform(1, 3, count) / unit
    field["begin"][:] = host.uniform(-4, 4, count) / unit
    waves = ~stairs & (host.random(count) < 0.5)
    length, course = host.uniform(1.5, 6, count) / unit, host.uniform(-math.pi, math.pi, count)
    field["wave"][:] = np.where(waves, length * host.uniform(0, 0.05, count), 0)
    turn = 2 * math.pi / length
    field["wave_x"][:], field["wave_z"][:] = turn * np.sin(course), turn * np.cos(course)
    field["wave_at"][:] = host.uniform(0, 2 * math.pi, count)
    return made


def level(count: int) -> np.ndarray:
    """Grounds [count, P] that are level: with a depth, by which is divided."""
    made = np.zeros((count, P))
    made[:, [FIELDS.index("deep"), FIELDS.index("steps")]] = 1
    return made


def is_uneven(ground: torch.Tensor) -> torch.Tensor:
    """Which grounds [..., P] are not level."""
    parts = [_field(ground, n).abs() for n in ("slope_x", "slope_z", "high", "wave")]
    return torch.stack(parts).sum(0) > 0


def _field(ground: torch.Tensor, name: str) -> torch.Tensor:
    return ground[..., FIELDS.index(name)]


def rough(ground: torch.Tensor, at: torch.Tensor, riser: float = RISER) -> torch.Tensor:
    """The height of stairs and waves alone of grounds [..., P] at places [..., 2] (x, z)."""
    x, z = at[..., 0], at[..., 1]
    angle, deep, steps = (_field(ground, n) for n in ("angle", "deep", "steps"))
    along = torch.sin(angle) * x + torch.cos(angle) * z - _field(ground, "begin")
    run = _field(ground, "landing") + (steps - 1) * deep
    along = torch.remainder(along, 2 * (run + deep))
    down = along > run + deep
    along = torch.where(down, along - run - deep, along) - _field(ground, "landing") / 2
    nearest = torch.minimum((along / deep).round().clamp(min=0), steps - 1)
    part = ((along / deep - nearest) / riser + 0.5).clamp(0, 1)
    taken = nearest + part * part * (3 - 2 * part)
    taken = torch.where(down, steps - taken, taken)
    wave = _field(ground, "wave_x") * x + _field(ground, "wave_z") * z + _field(ground, "wave_at")
    return _field(ground, "high") * taken + _field(ground, "wave") * torch.sin(wave)


def height(ground: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """The height of grounds [..., P] at places [..., 2] (x, z)."""
    plane = _field(ground, "slope_x") * at[..., 0] + _field(ground, "slope_z") * at[..., 1]
    return plane + rough(ground, at)


def around(
    ground: torch.Tensor, at: torch.Tensor, front: torch.Tensor, reach: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Height [...] and slope [..., 2] of grounds around places, as the runtime looks at them
    (src/motion/body/ground.inc); `front` [..., 2]: unit vectors of the facing."""
    side = torch.stack([front[..., 1], -front[..., 0]], -1)
    here, total, slope = height(ground, at), 0.0, 0.0
    for arm, weight in ((front, 1.0), (side, 1 / 3)):
        a, b = height(ground, at + reach * arm), height(ground, at - reach * arm)
        total = total + weight * (a + b)
        slope = slope + ((a - b) / (2 * reach)).clamp(-STEEPEST, STEEPEST)[..., None] * arm
    return (total + here / 3) / 3, slope


def misfit(
    ground: torch.Tensor, feet: torch.Tensor, planted: torch.Tensor, low: torch.Tensor
) -> torch.Tensor:
    """How badly feet stand on grounds [..., P]: mean square of the edges (units) that planted feet
    lie across and that low ones cross. feet [..., T, L, 2, 2] heels and toes (x, z) of L legs in T
    moments, planted [..., T, L], low [..., T, L]: how little toes are lifted, 0..1."""
    under = rough(ground[..., None, None, None, :], feet)
    across = (under[..., 1] - under[..., 0]).square() * planted
    toe = under[..., 1]
    crossed = (toe[..., 1:, :] - toe[..., :-1, :]).square()
    both = torch.minimum(low[..., 1:, :], low[..., :-1, :])
    return across.mean((-1, -2)) + (crossed * both).mean((-1, -2))


def fitted(
    grounds: torch.Tensor, feet: torch.Tensor, planted: torch.Tensor, low: torch.Tensor
) -> torch.Tensor:
    """The best [S, P] of candidates [S, N, P] for the feet of S stretches (see misfit)."""
    worst = misfit(grounds, feet[:, None], planted[:, None], low[:, None])
    best = worst.argmin(1)
    return grounds[torch.arange(len(grounds), device=grounds.device), best]


class Under:
    """Lays grounds under stretches of a data set."""

    def __init__(self, contract: Contract, data: Dataset, device: torch.device) -> None:
        names = contract.joint_names()
        legs = [[names.index(j) for j in leg[2:]] for leg in contract.legs]
        base = np.concatenate([[0], np.cumsum([len(t) for t in data.takes])])
        takes, rest = data.takes, contract.rules["foot_toe_height"]

        def tensor(parts: list[np.ndarray]) -> torch.Tensor:
            return torch.tensor(np.concatenate(parts), dtype=torch.float32, device=device)

        self.unit, self.reach = contract.unit, contract.rules["ground_reach"]
        self.path = tensor([t.labels.path for t in takes])
        self.facing = tensor([t.labels.facing for t in takes])
        self.feet = tensor([t.position[:, legs][..., [0, 2]] for t in takes])
        high = tensor([t.position[:, [toe for _, toe in legs], 1] for t in takes]) - rest
        self.low = (1 - high * self.unit / LIFTED).clamp(0, 1)
        contact = tensor([t.labels.contacts for t in takes]).unflatten(-1, (len(legs), 2))
        self.planted = contact[..., 0] * contact[..., 1]
        self.frame = torch.tensor(base[data.take] + data.frame, device=device)
        self.end = torch.tensor(base[data.take + 1] - 1, device=device)
        self.begin = torch.tensor(base[data.take], device=device)
        self.where = {axis: contract.columns(contract.inputs, f"trajectory.position.{axis}")
                      for axis in "xz"}
        self.turn = {axis: contract.columns(contract.inputs, f"trajectory.direction.{axis}")
                     for axis in "xz"}
        self.columns, self.sides = height_columns(contract), sides(contract)

    def laid(self, host: np.random.Generator, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Raw inputs x [S, U, K] of stretches that begin at `rows` [S], with ground under them."""
        n, device = len(rows), x.device
        made = drawn(host, n * CANDIDATES, self.unit, 1.3).reshape(n, CANDIDATES, P)
        grounds = torch.tensor(made, dtype=torch.float32, device=device)
        offsets = torch.arange(-SPAN, x.shape[1] + SPAN, EVERY, device=device)
        at = (self.frame[rows][:, None] + offsets).clamp(self.begin[rows][:, None],
                                                         self.end[rows][:, None])
        origin = self.path[self.frame[rows]]
        feet = self.feet[at] - origin[:, None, None, None]
        chosen = fitted(grounds, feet, self.planted[at], self.low[at])
        return self._seen(x, self.frame[rows], origin, chosen)

    def _seen(
        self, x: torch.Tensor, first: torch.Tensor, origin: torch.Tensor, ground: torch.Tensor
    ) -> torch.Tensor:
        at = first[:, None] + torch.arange(x.shape[1], device=x.device)
        root, facing = self.path[at] - origin[:, None], self.facing[at]
        front = torch.stack([torch.sin(facing), torch.cos(facing)], -1)
        own = around(ground[:, None], root, front, self.reach)[0]
        place = torch.stack([x[..., self.where[a]] for a in "xz"], -1)
        way = torch.stack([x[..., self.turn[a]] for a in "xz"], -1)
        seen = beside(ground[:, None], root, facing, place, way, self.sides) - own[..., None]
        out = x.clone()
        out[..., self.columns] = seen
        return out


def beside(
    ground: torch.Tensor, root: torch.Tensor, facing: torch.Tensor, place: torch.Tensor,
    way: torch.Tensor, asides: list[float],
) -> torch.Tensor:
    """Heights [..., sides * K] so far beside K samples of a path: places and directions
    [..., K, 2] in the frame of a root [..., 2] that faces `facing` [...]."""
    c, s = torch.cos(facing)[..., None], torch.sin(facing)[..., None]

    def out(v: torch.Tensor) -> torch.Tensor:
        return torch.stack([c * v[..., 0] + s * v[..., 1], c * v[..., 1] - s * v[..., 0]], -1)

    at, front = root[..., None, :] + out(place), out(way)
    side = torch.stack([front[..., 1], -front[..., 0]], -1)
    return torch.cat([height(ground[..., None, :], at + a * side) for a in asides], -1)


def height_columns(contract: Contract) -> slice:
    """Where the network sees the ground."""
    found = [where for block, where in contract.ranges(contract.inputs)
             if block.name == "trajectory.height"]
    if any(a.stop != b.start for a, b in zip(found, found[1:])):
        raise ValueError("trajectory.height: its blocks must follow each other")
    return slice(found[0].start, found[-1].stop) if found else slice(0, 0)


def given_sight(model: Model, contract: Contract) -> Model:
    """A model that does the same with the inputs of a contract that sees the ground besides: the
    weights of these are 0."""
    at, count = height_columns(contract), len(contract.input_names())
    if len(model.input_mean) == count:
        return model
    if len(model.input_mean) != count - (at.stop - at.start):
        raise ValueError(f"{len(model.input_mean)} inputs, {count} expected")
    kept = np.r_[0 : at.start, at.stop : count]
    first = model.layers[0]
    weights = np.zeros((*first.weights.shape[:2], count), np.float32)
    weights[..., kept] = first.weights
    mean, std = np.zeros(count, np.float32), np.full(count, HEIGHT / contract.unit, np.float32)
    mean[kept], std[kept] = model.input_mean, model.input_std
    state, constant = np.zeros(count, model.input_state.dtype), np.zeros(count, np.float32)
    state[kept], constant[kept] = model.input_state, model.input_constant
    first.weights, model.input_mean, model.input_std = weights, mean, std
    model.input_state, model.input_constant = state, constant
    model.contract = to_text(contract)
    return model
