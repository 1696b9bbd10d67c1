"""Learning in the controller's own loop, without a gradient through time.

Characters live under random sticks, most of them led by the pruned network, the others by the dense
one: so what the pruned one strays to is seen, and what it should have come to. The last states are
remembered, and in a draw of them the pruned network learns to say what the dense one says. A step
is a frame of all lives and one of Adam, a tenth of the time of a step of polish.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch

from gallop import graph
from gallop.dog.control import DEFAULTS, Command
from gallop.dog.loop import State
from gallop.dog.rollout import Weights
from gallop.interrupt import Interrupt
from gallop.polish import named, parted
from gallop.progress import Progress
from gallop.prune.closed_loop import Dog, Person
from gallop.prune.pads import Pads
from gallop.trainer import follow, load_checkpoint, save_checkpoint

RENEW = 8  # steps between two looks at which commands of people have ended
COUNTED = {"hinge.change": "hinge", "body.change": "posture", "hinge.velocity": "hinge_rate",
           "body.rate": "rate", "contact": "contact", "leg.phase": "phase",
           "leg.phase.rate": "turns", "future": "path"}  # dogs: outputs, and what weighs them
WEIGHTS = Weights()  # feet: what a centimetre counts beside the outputs' mean deviation
PLANTED = 3.0  # how much more a foot counts that stands
KEEP = 0.999  # of the mean of the weights that a step leaves


@dataclass(frozen=True)
class Plan:
    """`steps` steps of so many characters, of whom a share is `led` by the pruned network; `memory`
    states of which `batch` are drawn a step."""

    steps: int
    rate: float = 1e-3
    characters: int = 2048
    led: float = 0.75
    memory: int = 1_500_000
    batch: int = 4096
    seed: int = 2


class Walk:
    """The lives of people: a row is the inputs in their deviations, and the phase."""

    def __init__(self, loop: Person) -> None:
        self.polish = loop.polish
        self.net, self.average = self.polish.net, self.polish.average
        self.masks = self.polish.masks
        self.width = len(self.polish.unroll.x_mean) + 1
        self.count = self.polish.plan.pool

    def given(self, step: int) -> graph.Tensors:
        """What a frame begins with, and what the host decides about it."""
        p = self.polish
        if step % RENEW == 0:
            p.state, p.orders = p.pool.renewed(p.state.detached(), p.orders)
        return named(p.state, p.orders)

    def live(self, given: graph.Tensors, led: torch.Tensor) -> tuple[graph.Tensors, torch.Tensor]:
        """A frame of those `led` [C] by the pruned network and of the others: what is after it, and
        the rows of the states that were come to."""
        p, u = self.polish, self.polish.unroll
        state, orders = parted(given)
        state, orders = p.loop.command(state, orders.stick()), orders.later()
        x = (p.loop.inputs(state) - u.x_mean) / u.x_std
        rows = torch.cat([x, state.phase[:, None]], 1)
        out = torch.where(led[:, None], self.of(p.net, rows), self.of(p.teacher, rows))
        state = p.loop.moved(state, out * u.y_std + u.y_mean)
        return named(state.detached(), orders), rows

    def then(self, made: graph.Tensors) -> None:
        """What the next frame begins with."""
        self.polish.state, self.polish.orders = parted(made)

    def of(self, net: torch.nn.Module, rows: torch.Tensor) -> torch.Tensor:
        style = self.polish.style[:1].expand(len(rows), -1)
        return net(torch.cat([rows[:, :-1], style], 1), rows[:, -1])

    def error(self, rows: torch.Tensor) -> torch.Tensor:
        """How far from the dense network's the pruned one's words are, in the outputs' deviations,
        each as much as it counts."""
        with torch.no_grad():
            wanted = self.of(self.polish.teacher, rows)
        return ((self.of(self.net, rows) - wanted) * self.polish.kept).abs().mean()

    def memory(self) -> dict:
        """All that lives from step to step."""
        p = self.polish
        return {"lives": named(p.state, p.orders), "random": p.pool.host.bit_generator.state}

    def remember(self, kept: dict) -> None:
        """The lives as memory() told them."""
        self.then(kept["lives"])
        self.polish.pool.host.bit_generator.state = kept["random"]


class Run:
    """The lives of dogs, by the rules of their contract, as players with pads lead them: a row is
    the raw inputs."""

    def __init__(self, loop: Dog, seed: int) -> None:
        self.polish, self.trainer = loop.polish, loop.trainer
        self.net, self.average = self.trainer.net, self.trainer.average
        self.masks = self.polish.masks
        self.width = len(self.trainer.rollout.x_mean)
        self.count = self.polish.plan.count
        control = self.polish.control
        control.rules = {**DEFAULTS, **control.contract.rules}
        self.counts = self._counts()
        self.polish.sticks = Pads(self.count, control.rules, seed, self.polish.device)

    def given(self, step: int) -> graph.Tensors:
        """What a frame begins with, and what the host decides about it."""
        del step
        lives = {"dog." + k: v for k, v in self.polish.control.memory().items()}
        return {**lives, **vars(self.polish.sticks.next())}

    def live(self, given: graph.Tensors, led: torch.Tensor) -> tuple[graph.Tensors, torch.Tensor]:
        """As of people."""
        control = self.polish.control
        self.then(given)

        def lead(x: torch.Tensor) -> torch.Tensor:
            return torch.where(led[:, None], self.trainer.rollout.call(x), self.polish.teacher(x))

        control.net = lead  # type: ignore[assignment]
        control.step(Command(*(given[f.name] for f in fields(Command))))
        self.polish.detach()
        return {"dog." + k: v for k, v in control.memory().items()}, control.x

    def then(self, made: graph.Tensors) -> None:
        """What the next frame begins with."""
        self.polish.control.remember({k[4:]: v for k, v in made.items() if k.startswith("dog.")})

    def error(self, rows: torch.Tensor) -> torch.Tensor:
        """How far from the dense network's the pruned one's words are, in the outputs' deviations,
        each as much as it counts; and how far feet, planted ones most, go from where its words
        take them."""
        r = self.trainer.rollout
        with torch.no_grad():
            wanted = self.polish.teacher(rows)
            planted = PLANTED * (wanted[:, r.body.at["contact"]] >= 0.5)[..., None] + 1
        said, before = r.call(rows), self._state(rows)
        feet, there = (r.body.advance(before, y)[0].feet_rate for y in (said, wanted))
        return (((said - wanted) / r.y_std * self.counts).abs().mean()
                + WEIGHTS.feet * ((feet - there) * planted).abs().mean())

    def _counts(self) -> torch.Tensor:
        """How much each output counts [N], 1 on the mean: those of a block together as much as in
        the dog's training (gallop.dog.rollout.Weights)."""
        body, counts = self.trainer.rollout.body, torch.zeros(self.trainer.rollout.y_std.shape)
        for name, weight in COUNTED.items():
            at = body.at[name]
            counts[at] = getattr(WEIGHTS, weight) / (at.stop - at.start)
        root = slice(body.at["root.velocity.x"].start, body.at["root.turn"].stop)
        counts[root] = (WEIGHTS.root + WEIGHTS.step) / 3
        return (counts / counts.mean()).to(self.polish.device)

    def _state(self, rows: torch.Tensor) -> State:
        """The states that raw inputs begin with."""
        rest = self.trainer.rollout.body.resting(1)
        shapes = [getattr(rest, f.name).shape[1:] for f in fields(State)]
        sizes = [shape.numel() for shape in shapes]
        parts = rows[:, : sum(sizes)].split(sizes, 1)
        return State(*(part.view(-1, *shape) for part, shape in zip(parts, shapes)))

    def memory(self) -> dict:
        """All that lives from step to step."""
        sticks = vars(self.polish.sticks)
        return {"lives": {"dog." + k: v for k, v in self.polish.control.memory().items()},
                "age": self.polish.control.age,
                "sticks": {k: v for k, v in sticks.items() if isinstance(v, np.ndarray)},
                "random": sticks["rng"].bit_generator.state}

    def remember(self, kept: dict) -> None:
        """The lives as memory() told them."""
        self.then(kept["lives"])
        self.polish.control.age = kept["age"]
        vars(self.polish.sticks).update(kept["sticks"])
        self.polish.sticks.rng.bit_generator.state = kept["random"]


class Learning:
    """Runs the plan on the network of a loop, which is the loop's controller afterwards."""

    def __init__(self, loop: Person | Dog, plan: Plan, device: str,
                 checkpoint: Path | None = None) -> None:
        """The loop has as many characters as the plan."""
        self.loop, self.plan, self.device = loop, plan, torch.device(device)
        self.life: Walk | Run = (Walk(loop) if isinstance(loop, Person)
                                 else Run(loop, plan.seed))
        count = self.life.count
        self.rows = torch.zeros(max(1, plan.memory // count) * count, self.life.width,
                                device=self.device)
        self.led = torch.arange(count, device=self.device) < round(plan.led * count)
        self.adam = graph.adam(torch.optim.Adam, self.life.net.parameters(), plan.rate, self.device)
        self.update = graph.Replayed(self._update, self.device)
        self.step, self.checkpoint = 0, checkpoint
        self.history: list[tuple[int, float]] = []  # step, error
        if checkpoint and checkpoint.exists():
            self._load(checkpoint)

    def train(self, quiet: bool = False, stop: int | None = None) -> bool:
        """Run all steps, or up to step `stop`; whether it was let."""
        bar = Progress(self.plan.steps, "learning in the loop", quiet, self.step)
        with Interrupt() as asked:
            while self.step < (self.plan.steps if stop is None else stop) and not asked.asked:
                self._one()
                if self.step % 100 == 0 or self.step == self.plan.steps:
                    bar.step(self.step, f"error {self.history[-1][1]:.4f}")
        if asked.asked or self.step == self.plan.steps:
            self.save()
        return not asked.asked

    def save(self) -> None:
        """Write the checkpoint, replacing the old one in one move; of what is done without what was
        seen."""
        if not self.checkpoint:
            return
        done = self.step == self.plan.steps
        state = {"step": self.step, "plan": repr(self.plan), "net": self.life.net.state_dict(),
                 "average": self.life.average.state_dict(), "adam": self.adam.state_dict(),
                 "there": self.life.masks.there, "history": self.history,
                 "rows": None if done else self.rows[: self._seen()], **self.life.memory()}
        save_checkpoint(state, self.checkpoint)

    def _load(self, path: Path) -> None:
        state = load_checkpoint(path, self.device)
        if state["plan"] != repr(self.plan):
            raise ValueError(f"{path} was made with another plan; remove it to start anew")
        self.step, self.history = state["step"], state["history"]
        self.life.masks.put(state["there"])
        self.life.net.load_state_dict(state["net"])
        self.life.average.load_state_dict(state["average"])
        self.adam.load_state_dict(state["adam"])
        self.life.remember(state)
        if state["rows"] is not None:
            self.rows[: len(state["rows"])] = state["rows"]

    def _seen(self) -> int:
        """Rows that are filled."""
        return min(self.step * self.life.count, len(self.rows))

    def _one(self) -> None:
        plan, count = self.plan, self.life.count
        fraction = 0.5 + 0.5 * math.cos(math.pi * self.step / plan.steps)
        graph.set_rate(self.adam, plan.rate * min(1.0, (self.step + 1) / 50)
                       * (0.01 + 0.99 * fraction))
        first = self.step * count % len(self.rows)
        host = np.random.default_rng((plan.seed, self.step))
        drawn = host.integers(0, max(self._seen(), count), plan.batch)
        keep = min(KEEP, (1 + self.step) / (10 + self.step))
        made = self.update({**self.life.given(self.step),
                            "follow": torch.full((), 1 - keep, device=self.device),
                            "slots": torch.arange(first, first + count, device=self.device),
                            "drawn": torch.tensor(drawn, device=self.device)})
        self.life.then(made)
        if self.step % 50 == 0:
            self.history.append((self.step, float(made["error"])))
            if not math.isfinite(self.history[-1][1]):
                raise FloatingPointError(f"the error is not finite at step {self.step}")
        self.step += 1

    def _update(self, given: graph.Tensors) -> graph.Tensors:
        """One step: the lives after it, and how far from the teacher's words the batch's are."""
        net, masks = self.life.net, self.life.masks
        with torch.no_grad():
            made, rows = self.life.live(given, self.led)
            rows = torch.nan_to_num(rows, 0.0, 0.0, 0.0)
            self.rows.index_copy_(0, given["slots"], rows)
            batch = self.rows.index_select(0, given["drawn"])
        error = self.life.error(batch)
        self.adam.zero_grad(set_to_none=True)
        error.backward()
        masks.hold_gradients()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        for p in net.parameters():  # a step that would break the network is none
            p.grad.copy_(torch.where(torch.isfinite(norm), p.grad, torch.zeros_like(p.grad)))
        self.adam.step()
        masks.hold()
        follow(self.life.average, net, given["follow"])
        return {**made, "error": error.detach()}
