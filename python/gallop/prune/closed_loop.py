"""The last stage of a pruned controller: its own loop (gallop.polish, gallop.dog.polish), masked.

The dense network is the teacher: it says in every state that the pruned one comes to what it would
have done there. What keeps the dense one's feet still and its course straight is asked of the
pruned one too.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from gallop import contract, start
from gallop.choice import Steps
from gallop.distil import said_to
from gallop.dog import polish as dog_polish
from gallop.dog import train as dog_train
from gallop.features import Dataset, Scale
from gallop.interrupt import Interrupt
from gallop.losses import Unroll, Weights
from gallop.modelfile import Model
from gallop.network import MANN, PFNN
from gallop.polish import Plan, Polish
from gallop.progress import Progress
from gallop.torch_layers import FileModule
from gallop.trainer import Batches, Settings, Stage, World, load_checkpoint, save_checkpoint

KEEP = 2.0  # how much the teacher counts
ACTIVATIONS = ["elu", "elu", "none"]


@dataclass(frozen=True)
class Course:
    """A stage: `steps` of it, its rate, the `size` of its batches beside the trainer's own, how
    much the teacher counts (`keep`), and how many characters live (0: as many as the trainer's, by
    the size)."""

    steps: int
    rate: float = 3e-4
    size: float = 1.0
    seed: int = 1
    keep: float = KEEP
    characters: int = 0


class Person(Steps):
    """The walker or the runner on its way."""

    def __init__(self, model: Model, pruned: FileModule, there: list[torch.Tensor], data: Dataset,
                 style: int, course: Course, device: str, checkpoint: Path | None = None) -> None:
        """`data` of the contract of the model; `style` of it is the one to be walked in."""
        self.original = model
        rules = contract.parse(model.contract, "contract")
        world = World(device)
        dense = FileModule(model).to(world.device)
        data = dataclasses.replace(data, y=said_to(dense, rules, data, world.device))
        scale = Scale(*(getattr(model, name).astype(np.float64) for name in (
            "input_mean", "input_std", "output_mean", "output_std")))
        styles = len(data.styles)
        net = pfnn_of(model, pruned, styles).to(world.device)
        unroll = Unroll(net, rules, scale).to(world.device)
        rows = data.style == style
        batches = Batches(data, rows, Settings(kind=model.gate), world)
        stage = Stage(1, max(1, round(256 * course.size)), 16, weights=Weights(3.0, 1.0))
        pool = course.characters or max(8, round(512 * course.size))
        plan = Plan(course.steps, pool, rate=course.rate, keep=course.keep, stage=stage)
        super().__init__(Polish(net, unroll, rules, data, batches, style, plan, course.seed, world,
                                checkpoint, pfnn_of(model, dense, styles).to(world.device), there))

    def save(self) -> None:
        """Write the checkpoint."""
        self.polish.save()

    def model(self) -> Model:
        """The controller as it is now."""
        net, masks = self.polish.average, self.polish.masks
        out = put_back(self.original, [(m.weight, m.bias) for m in net.layers], masks.there)
        start.from_standing(out)
        return out


class Dog:
    """The dog on its way."""

    def __init__(self, model: Model, pruned: FileModule, there: list[torch.Tensor], folder: Path,
                 course: Course, device: str, checkpoint: Path | None = None) -> None:
        self.original, self.course, self.checkpoint = model, course, checkpoint
        rules, frames = dog_train.prepare(folder)
        rules.rules = contract.parse(model.contract, "contract").rules
        scale = {name: getattr(model, file) for name, file in (
            ("x_mean", "input_mean"), ("x_std", "input_std"),
            ("y_mean", "output_mean"), ("y_std", "output_std"))}
        net = mann_of(model, pruned)
        settings = dog_train.Settings(net.hidden, net.experts, anchor=0.5, fast=2.0,
                                      seed=course.seed)
        self.trainer = dog_train.Trainer(rules, frames, settings, device,
                                         {"net": net.state_dict(), "scale": scale})
        count = course.characters or round(128 * course.size)
        plan = dog_polish.Plan(course.steps, count, rate=course.rate, keep=course.keep,
                               batch=round(64 * course.size))
        teacher = FileModule(model).to(device).requires_grad_(False)
        self.polish = dog_polish.Polish(self.trainer, plan, teacher, there)
        self.polish.masks.hold(self.trainer.average)
        self.step = 0
        if checkpoint and checkpoint.exists():
            self._load(checkpoint)
        else:
            self.polish.warm_up()

    def train(self, quiet: bool, stop: int) -> bool:
        """Go on to a step; whether it was let."""
        bar = Progress(self.course.steps, "polishing", quiet, self.step)
        with Interrupt() as asked:
            while self.step < stop and not asked.asked:
                loss, penalty = self.polish.step(self.step / self.course.steps)
                self.step += 1
                if self.step % 20 == 0:
                    bar.step(self.step, f"loss {loss:.4f} penalty {penalty:.4f}")
                if not math.isfinite(loss):
                    raise FloatingPointError(f"the loss is not finite at step {self.step}")
        self.save()
        return not asked.asked

    def model(self) -> Model:
        """The controller as it is now."""
        net = self.trainer.average
        gate = [(linear.weight[None], linear.bias[None]) for linear in net.gate]
        return put_back(self.original, [(m.weight, m.bias) for m in net.layers],
                        self.polish.masks.there, gate)

    def save(self) -> None:
        """Write the checkpoint, replacing the old one in one move."""
        if not self.checkpoint:
            return
        t, sticks = self.trainer, vars(self.polish.sticks)
        device = t.device
        state = {"step": self.step, "course": repr(self.course), "net": t.net.state_dict(),
                 "average": t.average.state_dict(), "adam": t.adam.state_dict(),
                 "dogs": self.polish.control.memory(), "there": self.polish.masks.there,
                 "sticks": {k: v for k, v in sticks.items() if isinstance(v, np.ndarray)},
                 "random": sticks["rng"].bit_generator.state, "age": self.polish.control.age,
                 "torch": torch.get_rng_state(),
                 "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None}
        save_checkpoint(state, self.checkpoint)

    def _load(self, path: Path) -> None:
        state = load_checkpoint(path, torch.device("cpu"))
        if state["course"] != repr(self.course):
            raise ValueError(f"{path} was made with another plan; remove it to start anew")
        t, polish = self.trainer, self.polish
        polish.masks.put([mask.to(t.device) for mask in state["there"]])
        t.net.load_state_dict(state["net"])
        t.average.load_state_dict(state["average"])
        t.adam.load_state_dict(state["adam"])
        polish.control.remember({k: v.to(t.device) for k, v in state["dogs"].items()})
        polish.control.age, self.step = state["age"], state["step"]
        vars(polish.sticks).update(state["sticks"])
        polish.sticks.rng.bit_generator.state = state["random"]
        torch.set_rng_state(state["torch"])
        if state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], t.device)


# ---- a file's network as the trainers have it, and back ----


def pfnn_of(model: Model, module: FileModule, styles: int) -> PFNN:
    """The module as a PFNN whose styles say nothing."""
    shapes = [tuple(layer.weight.shape) for layer in module.layers]
    if model.gate not in ("cubic", "linear", "constant") or len(shapes) != 3 or [
            layer.activation for layer in model.layers] != ACTIVATIONS:
        raise ValueError("no pfnn of three layers with ELU between: its loop cannot be trained")
    net = PFNN(shapes[0][2], shapes[2][1], shapes[0][1], model.gate, model.experts, styles)
    with torch.no_grad():
        for mine, layer in zip(net.layers, module.layers):
            mine.weight.zero_()
            mine.weight[:, :, : layer.weight.shape[2]] = layer.weight
            mine.bias.copy_(layer.bias)
    return net


def mann_of(model: Model, module: FileModule) -> MANN:
    """The module as a MANN."""
    shapes = [tuple(layer.weight.shape) for layer in module.layers]
    gate = [tuple(layer.weight.shape) for layer in module.gate_layers]
    if model.gate != "network" or len(shapes) != 3 or len(gate) != 3 or [
            layer.activation for layer in model.layers] != ACTIVATIONS:
        raise ValueError("no mann of three layers with ELU between: its loop cannot be trained")
    net = MANN(shapes[0][2], shapes[2][1], shapes[0][1], model.experts,
               list(model.gate_features), gate[0][1])
    with torch.no_grad():
        for mine, layer in zip(net.layers, module.layers):
            mine.weight.copy_(layer.weight)
            mine.bias.copy_(layer.bias)
        for mine, layer in zip(net.gate, module.gate_layers):
            mine.weight.copy_(layer.weight[0])
            mine.bias.copy_(layer.bias[0])
    return net


def put_back(model: Model, layers: list[tuple[torch.Tensor, torch.Tensor]],
             there: list[torch.Tensor],
             gate: list[tuple[torch.Tensor, torch.Tensor]] | None = None) -> Model:
    """The model with other weights and biases, of which only the patches that are there are kept;
    those of the gate, if given. Columns beyond the model's inputs, styles, are left off."""
    made = []
    for layer, (weight, bias), mask in zip(model.layers, layers, there):
        mask = mask.cpu().numpy()
        kept = _array(weight)[:, :, : layer.weights.shape[2]]
        if mask.all():
            made.append(dataclasses.replace(layer, weights=kept, bias=_array(bias)))
            continue
        made.append(dataclasses.replace(
            layer, weights=kept, bias=_array(bias), kind="sparse", mask=mask, scales=None, block=0,
            type=layer.type if layer.type in ("f32", "f16", "bf16") else "f32"))
    out = dataclasses.replace(model, layers=made, golden=None, provenance=dict(model.provenance))
    if gate:
        out.gate_layers = [dataclasses.replace(layer, weights=_array(weight), bias=_array(bias))
                           for layer, (weight, bias) in zip(model.gate_layers, gate)]
    return out


def _array(t: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(t.detach().cpu().numpy().astype(np.float32))
