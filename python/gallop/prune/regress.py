"""Training to say what the dense network says to frames of the controller, while patches go.

The frames are shaken and their phases turned, since a controller comes to states that no recording
has: the dense network knows what to say there, too. Patches go in steps, the first early, while
there is much left to learn; what is left is trained on alone.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from gallop import graph, masks
from gallop.interrupt import Interrupt
from gallop.masks import Masks
from gallop.modelfile import Model
from gallop.progress import Progress
from gallop.prune.frames import Frames
from gallop.torch_layers import FileModule
from gallop.trainer import load_checkpoint, save_checkpoint


@dataclass(frozen=True)
class Plan:
    """`steps` steps of `batch` frames; in the first `gradual` part of them the share grows in
    `cuts` steps. `noise`: most, in deviations of each input over the frames."""

    share: float
    steps: int = 3000
    batch: int = 1024
    rate: float = 1e-3
    gradual: float = 0.5
    cuts: int = 25
    noise: float = 0.5
    seed: int = 0

    def share_at(self, step: int) -> float:
        """The share that is left out from a step on: quick at first, then ever slower."""
        done = min(1.0, (step // self.every + 1) / self.cuts)
        return self.share * (1 - (1 - done) ** 3)

    @property
    def every(self) -> int:
        """Steps between two cuts."""
        return max(1, round(self.gradual * self.steps / self.cuts))


class Regression:
    """Runs the plan on a model's network; `net` and `masks` are the result."""

    def __init__(self, model: Model, frames: Frames, plan: Plan, device: str = "cpu",
                 checkpoint: Path | None = None) -> None:
        self.plan, self.device = plan, torch.device(device)
        self.teacher = FileModule(model).to(self.device).requires_grad_(False)
        self.net = copy.deepcopy(self.teacher).requires_grad_(True)
        self.masks = Masks(self.net)
        self.x = torch.tensor(frames.x, dtype=torch.float32, device=self.device)
        self.given = torch.tensor(frames.given, dtype=torch.float32, device=self.device)
        self.size = self.x.std(0)
        self.turns = model.gate in ("cubic", "linear", "constant")
        self.adam = graph.adam(torch.optim.Adam, self.net.parameters(), plan.rate, self.device)
        self.update = graph.Replayed(self._update, self.device)
        self.step, self.checkpoint, self.interrupted = 0, checkpoint, False
        self.history: list[tuple[int, float, float]] = []  # step, share, error
        if checkpoint and checkpoint.exists():
            self._load(checkpoint)

    def train(self, quiet: bool = False, stop: int | None = None) -> FileModule:
        """Run all steps, or up to step `stop`; ^C ends it after the step that it is at."""
        bar = Progress(self.plan.steps, f"pruning {self.plan.share:.0%}", quiet)
        with Interrupt() as asked:
            while self.step < (self.plan.steps if stop is None else stop) and not asked.asked:
                self._one()
                if self.step % 50 == 0 or self.step == self.plan.steps:
                    bar.step(self.step, "left out {1:.1%} error {2:.4f}".format(*self.history[-1]))
        self.interrupted = asked.asked
        self.save()
        return self.net

    def save(self) -> None:
        """Write the checkpoint, replacing the old one in one move."""
        if not self.checkpoint:
            return
        state = {"step": self.step, "net": self.net.state_dict(), "adam": self.adam.state_dict(),
                 "there": self.masks.there, "history": self.history, "plan": repr(self.plan)}
        save_checkpoint(state, self.checkpoint)

    def _load(self, path: Path) -> None:
        state = load_checkpoint(path, self.device)
        if state["plan"] != repr(self.plan):
            raise ValueError(f"{path} was made with another plan; remove it to start anew")
        self.net.load_state_dict(state["net"])
        self.adam.load_state_dict(state["adam"])
        self.masks.put(state["there"])
        self.step, self.history = state["step"], state["history"]

    def _one(self) -> None:
        plan, step = self.plan, self.step
        if step % plan.every == 0 and self.masks.share() < plan.share - 1e-9:
            self._cut(plan.share_at(step))
        fraction = 0.5 + 0.5 * math.cos(math.pi * step / plan.steps)
        graph.set_rate(self.adam, plan.rate * min(1.0, (step + 1) / 50) * (0.01 + 0.99 * fraction))
        made = self.update(self._draw(np.random.default_rng((plan.seed, step))))
        if step % 20 == 0:
            self.history.append((step, self.masks.share(), float(made["error"])))
            if not math.isfinite(self.history[-1][2]):
                raise FloatingPointError(f"the error is not finite at step {step}")
        self.step += 1

    def _cut(self, share: float) -> None:
        host = np.random.default_rng((self.plan.seed, self.step, 1))

        def run() -> torch.Tensor:
            return self._said(self.net, self._draw(host))

        self.masks.leave_out(share, masks.scores(self.masks, run, self.step))
        self.masks.hold()
        self.masks.forget(self.adam)

    def _draw(self, host: np.random.Generator) -> graph.Tensors:
        """Frames, each shaken by its own share of the noise, one in four not at all; one phase in
        eight is any."""
        count = self.plan.batch
        rows = torch.tensor(host.integers(0, len(self.x), count), device=self.device)
        much = np.maximum(host.uniform(-1 / 3, 1, (count, 1)), 0) * self.plan.noise
        g = torch.Generator(self.device).manual_seed(int(host.integers(1 << 62)))
        shake = torch.randn(count, self.x.shape[1], generator=g, device=self.device)
        shake = shake * torch.tensor(much, dtype=torch.float32, device=self.device)
        given = self.given[rows]
        if self.turns:
            turn = host.uniform(0, 2 * math.pi, count) * (host.random(count) < 1 / 8)
            given = given + torch.tensor(turn, dtype=torch.float32, device=self.device)[:, None]
        return {"x": self.x[rows] + shake * self.size, "given": given}

    def _said(self, net: FileModule, batch: graph.Tensors) -> torch.Tensor:
        """Outputs in their deviations."""
        return net(batch["x"], batch["given"]) / net.output_std

    def _update(self, batch: graph.Tensors) -> graph.Tensors:
        with torch.no_grad():
            wanted = self._said(self.teacher, batch)
        error = (self._said(self.net, batch) - wanted).abs().mean()
        self.adam.zero_grad(set_to_none=True)
        error.backward()
        self.masks.hold_gradients()
        self.adam.step()
        self.masks.hold()
        return {"error": error.detach()}
