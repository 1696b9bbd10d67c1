"""Training of the dog: ever longer rollouts, speeds balanced; on a GPU a step is one graph."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from gallop import dog, graph
from gallop.contract import Contract
from gallop.dog import gate_features
from gallop.dog.features import TURN_BIN, Frames
from gallop.dog.rollout import Rollout, Weights, scale_of
from gallop.features import Scale
from gallop.interrupt import Interrupt
from gallop.network import MANN
from gallop.progress import Progress

BROKEN = 3  # losses that are not finite, of those looked at one after another, end a training


@dataclass(frozen=True)
class Stage:
    """`steps` steps of `batch` rollouts of `unroll` frames, paces[i] of which are evaluated once in
    2^(i + 1) frames."""

    steps: int
    batch: int
    unroll: int
    paces: tuple[int, ...] = ()


@dataclass(frozen=True)
class Settings:
    """A whole training."""

    hidden: int = 256
    experts: int = 8
    stages: tuple[Stage, ...] = ()
    rate: float = 1e-3
    decay: float = 1e-3
    noise: float = 0.05
    average: float = 0.998
    clip: float = 1.0
    drop: float = 0.0
    anchor: float = 0.0
    fast: float = 1.0
    seed: int = 1
    weights: Weights = field(default_factory=Weights)


QUICK = (Stage(800, 256, 1), Stage(800, 64, 4), Stage(600, 32, 12), Stage(1200, 32, 24))
BATCH = 704  # rollouts of a step on a GPU, in all its parts: one size, for which it has kernels
FULL = (Stage(10000, BATCH, 1), Stage(4250, BATCH, 4), Stage(2350, BATCH, 12),
        Stage(2350, BATCH, 24), Stage(700, BATCH, 40))


def chances(frames: Frames, unroll: int, fast: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Frames a rollout may start from, and their cumulated chances: speeds balanced, those above
    2.4 m/s `fast` times as likely."""
    last = np.arange(len(frames) - unroll)
    good = (frames.run[last] == frames.run[last + unroll]) & ~frames.held[last]
    first = last[good]
    if len(first) == 0:
        raise ValueError(f"no stretch of motion is {unroll + 1} frames long")
    number = np.bincount(frames.speed[first], minlength=int(frames.speed.max()) + 1)
    speed = frames.speed[first]
    quick = np.where((speed > 4) & (speed < TURN_BIN), fast, 1.0)
    total = np.cumsum(quick * np.maximum(number, 1)[speed] ** -0.65)
    return first, total / total[-1]


class Trainer:
    """Trains a network; `history` is (step, loss, terms)."""

    def __init__(self, contract: Contract, frames: Frames, settings: Settings,
                 device: str = "cpu", before: dict | None = None) -> None:
        """`before` is what save() wrote: training goes on from there, with its scale."""
        torch.manual_seed(settings.seed)
        self.settings, self.frames, self.device = settings, frames, torch.device(device)
        self.contract = contract
        self.scale = scale_of(contract, frames)
        if before:
            self.scale = Scale(**{k: np.asarray(v) for k, v in before["scale"].items()})
        sizes = len(contract.input_names()), len(contract.output_names())
        self.net = MANN(*sizes, settings.hidden, settings.experts,
                               gate_features(contract)).to(self.device)
        if before:
            self.net.load_state_dict(before["net"])
        self.rollout = Rollout(self.net, contract, self.scale, frames, self.device,
                               settings.weights)
        self.rollout.anchor, self.rollout.drop = settings.anchor, settings.drop
        self.average = copy.deepcopy(self.net)
        self.history: list[tuple[int, float, list[float]]] = []
        torch.backends.cuda.matmul.allow_tf32 = True
        self.adam = graph.adam(torch.optim.AdamW, self.net.parameters(), settings.rate,
                               self.device, weight_decay=settings.decay)
        self.last: graph.Tensors = {}
        self.broken = 0
        self.interrupted = False

    def step(self, given: graph.Tensors, stage: Stage) -> graph.Tensors:
        """One optimisation step from rollouts that start at given["rows"]."""
        self.adam.zero_grad(set_to_none=True)
        loss, terms = self.rollout(given["rows"], stage.unroll, self.settings.noise,
                                   stage.paces)
        loss.backward()
        graph.sound(self.net.parameters(), self.settings.clip)
        self.adam.step()
        with torch.no_grad():
            for a, b in zip(self.average.parameters(), self.net.parameters()):
                a.lerp_(b, 1 - self.settings.average)
        return {"loss": loss.detach(), "terms": terms.detach()}

    def stepper(self, stage: Stage) -> Callable[[], None]:
        """A call that makes one step of a stage."""
        first, total = chances(self.frames, stage.unroll, self.settings.fast)
        starts = torch.tensor(first, device=self.device)
        chance = torch.tensor(total, dtype=torch.float32, device=self.device)
        step = graph.Replayed(lambda given: self.step(given, stage), self.device)

        def call() -> None:
            drawn = torch.rand(stage.batch, device=self.device)
            rows = starts[torch.searchsorted(chance, drawn).clamp(max=len(starts) - 1)]
            self.last = step({"rows": rows})

        return call

    def warm_up(self, *anchors: float) -> float:
        """Let PyTorch write its kernels, for other anchors too; returns the seconds that it took,
        of which no stage is to have less."""
        begun = time.monotonic()
        if self.rollout.fuses:
            graph.set_rate(self.adam, 0.0)
            for anchor in (*anchors, self.settings.anchor):
                self.rollout.anchor = anchor
                self.stepper(Stage(1, self.settings.stages[0].batch, 3))()
        return time.monotonic() - begun

    def train(self, quiet: bool = False, seconds: float | None = None) -> MANN:
        """Run the stages; with `seconds` the steps are shares of that time instead. ^C ends them
        after the step that they are at: then `interrupted` is true."""
        with Interrupt() as asked:
            for _ in self.steps(quiet, seconds):
                if asked.asked:
                    break
        self.interrupted = asked.asked
        return self.average

    def steps(self, quiet: bool = False, seconds: float | None = None) -> Iterator[int]:
        """The same, one step at a time: yields the number of the stage. Of `seconds` each stage
        gets the share of the frames that it rolls out."""
        total = sum(s.steps for s in self.settings.stages)
        bar, begun, end, made = Progress(total, "dog", quiet), time.monotonic(), 0, 0
        ends = np.cumsum([0, *(s.steps for s in self.settings.stages)])
        spent = np.cumsum([0, *(s.steps * s.batch * s.unroll for s in self.settings.stages)])
        for number, stage in enumerate(self.settings.stages):
            self._set_rate(end / total, made)
            call, done = self.stepper(stage), end
            end += stage.steps
            while done < end:
                self._set_rate(done / total, made)
                call()
                made += 1
                if not seconds:
                    done += 1
                elif made % 10 == 0:
                    self._sync()
                    share = (time.monotonic() - begun) / seconds
                    done = max(done, int(np.interp(share * spent[-1], spent, ends)))
                if made % 50 == 0:
                    loss = self._note(made)
                    bar.step(min(done, total), f"loss {loss:.4f} unroll {stage.unroll} step {made}")
                yield number
            del call

    def _sync(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.current_stream().synchronize()

    def _set_rate(self, share: float, step: int) -> None:
        value = self.settings.rate * min(1.0, (step + 1) / 100)
        value *= 0.02 + 0.98 * (0.5 + 0.5 * float(np.cos(np.pi * share)))
        graph.set_rate(self.adam, value)

    def _note(self, step: int) -> float:
        """The loss of the last step, noted if it is finite; BROKEN in a row that are not end it."""
        loss = float(self.last["loss"])
        self.broken = 0 if np.isfinite(loss) else self.broken + 1
        if self.broken == BROKEN:
            raise FloatingPointError(f"the loss is not finite at step {step}")
        if not self.broken:
            self.history.append((step, loss, self.last["terms"].tolist()))
        return loss

    def save(self, path: Path) -> None:
        """Write what export and judge need (a pickle: load only your own)."""
        scale = {k: torch.tensor(v) for k, v in vars(self.scale).items()}
        torch.save({"net": self.average.state_dict(), "hidden": self.settings.hidden,
                    "experts": self.settings.experts, "scale": scale,
                    "history": self.history}, path)


def prepare(folder: Path | None = None, seed: int = 1, stops: int = 6) -> tuple[Contract, Frames]:
    """The dog's contract and its frames, with up to so many rests made of a clip."""
    from gallop.dog import data as dog_data
    from gallop.dog import features as dog_features

    takes = dog_data.takes(folder or dog.default_folder(), seed, stops)
    return dog.contract(), dog_features.build(takes)
