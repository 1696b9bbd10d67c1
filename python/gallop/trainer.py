"""The training loop: stages of ever longer unrolls, checkpoints, several processes.

Every random number of a step is drawn from a generator seeded by (seed, step), for the whole batch;
a process of several takes its slice of it. So a resumed run equals an uninterrupted one, and two
processes see what one would.
"""

from __future__ import annotations

import copy
import math
import os
import pickle
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import distributed

from gallop import graph
from gallop.contract import Contract
from gallop.features import Dataset, Scale
from gallop.interrupt import Interrupt
from gallop.losses import Unroll, Weights
from gallop.mode_network import ModeNetwork, gate_columns
from gallop.network import PFNN
from gallop.progress import Progress
from gallop.terrain import Under, height_columns


@dataclass(frozen=True)
class Stage:
    """One part of a schedule: `steps` steps of `batch` sequences of `unroll` frames.

    Learning rate from `rate` down a cosine to 2 % of it; dropout on every layer's input (only with
    unroll 1); `noise` deviations of Gaussian noise on the first fed-back joints.
    """

    steps: int
    batch: int
    unroll: int = 1
    rate: float = 1e-3
    dropout: float = 0.0
    noise: float = 0.0
    weights: Weights = field(default_factory=Weights)


@dataclass(frozen=True)
class Settings:
    """A whole training: the network's size and the schedule."""

    hidden: int = 256
    kind: str = "cubic"
    experts: int = 4
    stages: tuple[Stage, ...] = ()
    style_weight: dict[str, float] = field(default_factory=dict)
    stand_weight: float = 0.5
    average: float = 0.999
    clip: float = 1.0
    seed: int = 1
    save_every: int = 500


def load_checkpoint(path: Path, device: torch.device) -> dict:
    """A checkpoint that this package wrote (a pickle: load only your own)."""
    options = {"weights_only": False} if torch.__version__ >= "2" else {}
    try:
        return torch.load(path, map_location=device, **options)
    except (pickle.UnpicklingError, EOFError, RuntimeError) as e:
        raise ValueError(f"{path}: no checkpoint ({str(e).splitlines()[0]})") from None


def save_checkpoint(state: dict, path: Path) -> None:
    """Write a checkpoint, replacing the old one in one move."""
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.replace(path)


def given_of(batch: tuple, share: float) -> graph.Tensors:
    """A batch (see Batches.draw) by name, and how far the averaged weights follow a step."""
    x, y, phase, style, noise, masks = batch
    given = {"x": x, "y": y, "phase": phase, "style": style,
             "follow": torch.full((), share, device=x.device)}
    if noise is not None:
        given["noise"] = noise
    given.update({f"mask{i}": m for i, m in enumerate(masks or [])})
    return given


def follow(average: torch.nn.Module, net: torch.nn.Module, share: torch.Tensor) -> None:
    """Moves the averaged weights by a share of the way to the network's."""
    with torch.no_grad():
        for a, b in zip(average.parameters(), net.parameters()):
            a.lerp_(b, share)


class World:
    """The processes that train together; alone when not started by torchrun."""

    def __init__(self, device: str) -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        if device.startswith("cuda") and self.size > 1:
            device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
            torch.cuda.set_device(device)
        self.device = torch.device(device)
        if self.size > 1 and not distributed.is_initialized():
            distributed.init_process_group("nccl" if device.startswith("cuda") else "gloo")

    def share(self, count: int) -> slice:
        """This process's part of a batch of `count`."""
        if count % self.size:
            raise ValueError(f"a batch of {count} does not split over {self.size} processes")
        part = count // self.size
        return slice(self.rank * part, (self.rank + 1) * part)


class Batches:
    """The data on the device, and the batch of any step."""

    def __init__(self, data: Dataset, rows: np.ndarray, settings: Settings, world: World) -> None:
        """`rows` [F] marks the rows that may be trained on."""
        to = world.device
        self.x, self.y = torch.tensor(data.x, device=to), torch.tensor(data.y, device=to)
        self.phase = torch.tensor(data.phase, device=to)
        self.still = torch.tensor(data.stand > 0.9, device=to)
        self.style = torch.nn.functional.one_hot(
            torch.tensor(data.style, device=to), len(data.styles)).float()
        self.run, self.rows, self.world = data.run, rows, world
        self.ground: Under | None = None  # where there is one: what is laid under the stretches
        weight = np.array([settings.style_weight.get(s, 1.0) for s in data.styles])[data.style]
        weight = weight if data.weight is None else weight * data.weight
        self.weight = weight * (1 - (1 - settings.stand_weight) * data.stand)
        self.cumulated: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def starts(self, unroll: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows at which a stretch of `unroll` frames begins, and their cumulated weights."""
        if unroll not in self.cumulated:
            first = np.arange(len(self.run) - unroll + 1)
            last = first + unroll - 1
            good = (self.run[first] == self.run[last]) & self.rows[first] & self.rows[last]
            first = first[good]
            if len(first) == 0:
                raise ValueError(f"no stretch of motion is {unroll} frames long")
            total = np.cumsum(self.weight[first])
            self.cumulated[unroll] = (first, total / total[-1])
        return self.cumulated[unroll]

    def draw(self, stage: Stage, seed: int, step: int, fed: int, widths: list[int]) -> tuple:
        """Arguments of Unroll.forward for a step: this process's share of the batch."""
        host = np.random.default_rng((seed, step))
        first, total = self.starts(stage.unroll)
        picked = first[np.searchsorted(total, host.random(stage.batch), side="right")]
        shift = torch.tensor(host.random(stage.batch) * 2 * math.pi, dtype=torch.float32)
        noise = self._random(host, stage, fed)
        masks = self._masks(host, stage, widths)
        mine, to = self.world.share(stage.batch), self.world.device
        at = torch.tensor(picked[mine], device=to)
        index = at[:, None] + torch.arange(stage.unroll, device=to)
        # Frozen phases of standing sit at few points only; at run time any may occur.
        phase = self.phase[index] + (self.still[at] * shift[mine].to(to))[:, None]
        style = self.style[at]
        x = self.x[index] if self.ground is None else self.ground.laid(host, self.x[index], at)
        return x, self.y[index], phase, style, noise, masks

    def _random(
        self, host: np.random.Generator, stage: Stage, fed: int
    ) -> torch.Tensor | None:
        if not stage.noise:
            return None
        g = torch.Generator(self.world.device).manual_seed(int(host.integers(1 << 62)))
        noise = torch.randn(stage.batch, fed, generator=g, device=self.world.device)
        return stage.noise * noise[self.world.share(stage.batch)]

    def _masks(
        self, host: np.random.Generator, stage: Stage, widths: list[int]
    ) -> list[torch.Tensor] | None:
        if not stage.dropout or stage.unroll > 1:
            return None
        g = torch.Generator(self.world.device).manual_seed(int(host.integers(1 << 62)))
        keep, masks = 1 - stage.dropout, []
        for width in widths:
            drawn = torch.rand(stage.batch, width, generator=g, device=self.world.device)
            masks.append((drawn < keep)[self.world.share(stage.batch)].float() / keep)
        return masks


def made_network(contract: Contract, settings: Settings, styles: int) -> PFNN:
    """The untrained network that the settings ask for."""
    sizes = len(contract.input_names()), len(contract.output_names()), settings.hidden
    if settings.kind == "network":
        return ModeNetwork(*sizes, settings.experts, styles, gate_columns(contract))
    return PFNN(*sizes, settings.kind, settings.experts, styles)


class Trainer:
    """Trains a network on a data set; `history` [(step, loss)] and the parts of each loss."""

    def __init__(
        self, contract: Contract, data: Dataset, rows: np.ndarray, scale: Scale,
        settings: Settings, device: str = "cpu", checkpoint: Path | None = None,
    ) -> None:
        self.settings, self.world = settings, World(device)
        torch.manual_seed(settings.seed)
        self.net = made_network(contract, settings, len(data.styles)).to(self.world.device)
        with torch.no_grad():  # of ground it learns last, and until then nothing
            self.net.layers[0].weight[..., height_columns(contract)] = 0
        self.unroll = Unroll(self.net, contract, scale).to(self.world.device)
        self.batches = Batches(data, rows, settings, self.world)
        self.average = copy.deepcopy(self.net)
        self.checkpoint, self.interrupted = checkpoint, False
        self.step, self.history = 0, []  # type: int, list[tuple[int, dict[str, float]]]
        self.adam = self._adam(settings.stages[0])
        self.shared = self._shared()
        if checkpoint and checkpoint.exists():
            self._load(checkpoint)

    def _adam(self, stage: Stage) -> torch.optim.Optimizer:
        return graph.adam(torch.optim.Adam, self.net.parameters(), stage.rate, self.world.device,
                          self.world.size)

    def _shared(self) -> torch.nn.Module:
        if self.world.size == 1:
            return self.unroll
        return torch.nn.parallel.DistributedDataParallel(self.unroll, broadcast_buffers=False)

    def train(self, quiet: bool = False, stop: int | None = None) -> PFNN:
        """Run the schedule (to step `stop` of it); returns the averaged network. ^C ends it after
        the step that it is at: then `interrupted` is true."""
        with Interrupt(self.world.size == 1) as asked:
            self._stages(quiet, stop, asked)
        self.interrupted = asked.asked
        if self.checkpoint:
            self.save()
        return self.average

    def _stages(self, quiet: bool, stop: int | None, interrupt: Interrupt) -> None:
        begin, total = 0, sum(s.steps for s in self.settings.stages)
        bar = Progress(total, "training", quiet or self.world.rank > 0, self.step)
        for number, stage in enumerate(self.settings.stages):
            update = self._updater(stage)
            while self.step < begin + stage.steps and (stop is None or self.step < stop):
                if interrupt.asked:
                    return
                if self.step == begin and number > 0:
                    self.adam = self._adam(stage)
                self._one(stage, self.step - begin, update)
                if self.step % 100 == 0 or self.step == total:
                    note = f"loss {self.history[-1][1]['loss']:.4f}" if self.history else ""
                    bar.step(self.step, note)
                if self.checkpoint and self.step % self.settings.save_every == 0:
                    self.save()
            begin += stage.steps

    def _updater(self, stage: Stage) -> graph.Replayed:
        """What changes the network, given a batch of the stage and how far the average follows."""

        def update(given: graph.Tensors) -> graph.Tensors:
            masks = [given[k] for k in sorted(given) if k.startswith("mask")]
            self.adam.zero_grad(set_to_none=True)
            loss, parts = self.shared(*(given[k] for k in ("x", "y", "phase", "style")),
                                      given.get("noise"), masks or None, stage.weights)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.clip)
            self.adam.step()
            follow(self.average, self.net, given["follow"])
            return {"loss": loss.detach(), **parts}

        return graph.Replayed(update, self.world.device, self.world.size)

    def _one(self, stage: Stage, at: int, update: graph.Replayed) -> None:
        fraction = 0.5 + 0.5 * math.cos(math.pi * at / stage.steps)
        graph.set_rate(self.adam, stage.rate * (0.02 + 0.98 * fraction))
        fed = self.unroll.at.x_fed
        widths = [layer.weight.shape[2] for layer in self.net.layers]
        batch = self.batches.draw(stage, self.settings.seed, self.step, fed.stop - fed.start,
                                  widths)
        keep = min(self.settings.average, (1 + self.step) / (10 + self.step))  # fast early on
        made = update(given_of(batch, 1 - keep))
        if self.step % 20 == 0:
            self._record(made["loss"], {k: v for k, v in made.items() if k != "loss"})
        self.step += 1

    def _record(self, loss: torch.Tensor, parts: dict[str, torch.Tensor]) -> None:
        if self.world.size > 1:
            distributed.all_reduce(loss)
            loss = loss / self.world.size
        entry = {"loss": float(loss)}
        entry.update({k: float(v) for k, v in parts.items()})
        if not math.isfinite(entry["loss"]):
            raise FloatingPointError(f"the loss is not finite at step {self.step}")
        self.history.append((self.step, entry))

    def save(self) -> None:
        """Write the checkpoint (the first process does), replacing the old one in one move."""
        if self.world.rank > 0 or not self.checkpoint:
            return
        state = {"step": self.step, "net": self.net.state_dict(), "adam": self.adam.state_dict(),
                 "average": self.average.state_dict(), "history": self.history,
                 "settings": repr(asdict(self.settings))}
        save_checkpoint(state, self.checkpoint)

    def _load(self, path: Path) -> None:
        state = load_checkpoint(path, self.world.device)
        if state["settings"] != repr(asdict(self.settings)):
            raise ValueError(f"{path} was made with other settings; remove it to start anew")
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.step, self.history = state["step"], state["history"]
        begin, current = 0, self.settings.stages[0]
        for stage in self.settings.stages:
            if begin < self.step:
                current = stage
            begin += stage.steps
        self.adam = self._adam(current)
        if "adam" in state:
            self.adam.load_state_dict(state["adam"])
