"""Pruning with training: on frames while patches go, then in the controller's own loop."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

import numpy as np
import torch

from gallop import exporter, modelfile, patches
from gallop.modelfile import Model
from gallop.prune import blocks, closed_loop, frames, regress
from gallop.prune.closed_loop import Course, Dog, Person
from gallop.prune.frames import Frames
from gallop.prune.learn import Learning
from gallop.prune.learn import Plan as Learn
from gallop.prune.verdict import Judge, Verdict
from gallop.torch_layers import FileModule

Say = Callable[[str], None]
Loop = Union[Person, Dog]


@dataclass(frozen=True)
class Plan:
    """What is done: training on frames, learning in the loop, polish, steps of polish and of
    learning between two looks of the judge, and at which means of a polished and of the learnt
    network it looks, too: the polished one's shares."""

    regress: regress.Plan
    course: Course
    every: int = 600
    learn_every: int = 4000
    learn: Learn = field(default_factory=lambda: Learn(0))
    means: tuple[float, ...] = ()
    device: str = "cpu"
    checkpoint: Path | None = None
    start: Path | None = None  # a pruned model, in place of the training on frames

    def place(self, suffix: str) -> Path | None:
        """The checkpoint of a stage."""
        return self.checkpoint.with_suffix(suffix) if self.checkpoint else None


def on_frames(model: Model, some: Frames, plan: Plan, quiet: bool
              ) -> tuple[FileModule, list[torch.Tensor], dict]:
    """The network after the first stage, the patches that it has, and a report."""
    begun = time.monotonic()
    stage = regress.Regression(model, some, plan.regress, plan.device, plan.place(".frames"))
    net = stage.train(quiet)
    if stage.interrupted:
        raise KeyboardInterrupt
    said = {"steps": stage.step, "seconds": round(time.monotonic() - begun, 1),
            "share": round(stage.masks.share(), 4), "error": stage.history[-1][2],
            "shares of layers": [round(1 - float(mask.float().mean()), 4)
                                 for mask in stage.masks.there],
            "curve": stage.history[::10]}
    return net, stage.masks.there, said


def begun(model: Model, path: Path) -> tuple[FileModule, list[torch.Tensor], dict]:
    """The network of a file that the model was pruned to, and the patches that it has."""
    pruned = modelfile.read(path)
    shapes = [layer.weights.shape for layer in model.layers]
    if [layer.weights.shape for layer in pruned.layers] != shapes or pruned.gate != model.gate:
        raise ValueError(f"{path}: not what the model was pruned to: other layers")
    there = [torch.ones(patches.counts(*shape[1:]), dtype=torch.bool)
             if layer.mask is None else torch.tensor(layer.mask)
             for layer, shape in zip(pruned.layers, shapes)]
    share = round(blocks.share_of(pruned), 4)
    return FileModule(rescaled(pruned, model)), there, {"start": str(path), "share": share}


def rescaled(pruned: Model, model: Model) -> Model:
    """The same network with the model's mean outputs: which mean a file has is free."""
    last = pruned.layers[-1]
    shift = (pruned.output_mean.astype(np.float64) - model.output_mean) / model.output_std
    moved = dataclasses.replace(last, bias=(last.bias + shift).astype(np.float32))
    return dataclasses.replace(pruned, layers=[*pruned.layers[:-1], moved],
                               output_mean=model.output_mean)


def loop_of(model: Model, where: Path, net: FileModule, there: list[torch.Tensor], data: Path,
            course: Course, device: str, place: Path | None = None) -> Loop:
    """The controller's own loop."""
    if model.provenance.get("model") == "dog":
        return Dog(model, net, there, data, course, device, place)
    dataset = frames.dataset(model, data, str(where))
    return Person(model, net, there, dataset, 0, course, device, place)


def learnt(model: Model, where: Path, net: FileModule, there: list[torch.Tensor], data: Path,
           plan: Plan, judge: Judge | None, say: Say, quiet: bool) -> tuple[Model, dict]:
    """The controller after learning in the loop, or the one on the way that the judge has the least
    against, and a report."""
    begun = time.monotonic()
    course = Course(0, size=0.1, characters=plan.learn.characters)
    loop = loop_of(model, where, net, there, data, course, plan.device)
    stage = Learning(loop, plan.learn, plan.device, plan.place(".learn"))
    looks = Looks(judge, say) if judge else None
    out = looked(stage, plan.learn.steps, plan.learn_every, looks, loop.model, quiet)
    said = {"steps": stage.step, "seconds": round(time.monotonic() - begun, 1),
            "error": stage.history[-1][1], "curve": stage.history[::20],
            "judge": looks.report if looks else []}
    return out, said


def mean(one: Model, other: Model, share: float) -> Model:
    """The model whose weights are a share of one's and the rest of the other's, of one shape."""
    def mixed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (share * a.astype(np.float64) + (1 - share) * b).astype(np.float32)

    def layers(a: list, b: list) -> list:
        return [dataclasses.replace(p, weights=mixed(p.weights, q.weights),
                                    bias=mixed(p.bias, q.bias)) for p, q in zip(a, b)]

    return dataclasses.replace(one, layers=layers(one.layers, other.layers),
                               gate_layers=layers(one.gate_layers, other.gate_layers),
                               output_mean=mixed(one.output_mean, other.output_mean))


@dataclass(frozen=True)
class Look:
    """A look that the judge takes at the mean of a polish's controller, of so many steps and with
    so much share, and of another's."""

    step: int
    share: float
    model: Model
    verdict: Future[Verdict]


class Looks:
    """The judge's looks at a polish, each while the next steps go on; `best` is the controller that
    it has the least against, `report` what it said."""

    def __init__(self, judge: Judge, say: Say, other: Model | None = None,
                 means: tuple[float, ...] = ()) -> None:
        """It looks at means with `other`, too, if there is one."""
        self.judge, self.say, self.begun = judge, say, time.monotonic()
        self.other, self.shares = other, (1.0, *(means if other is not None else ()))
        self.best: Model | None = None
        self.rank = (0, 0.0)
        self.report: list[dict] = []
        self.waiting: list[Look] = []

    def begin(self, step: int, model: Model) -> None:
        """Let it look at a controller."""
        for share in self.shares:
            made = model if self.other is None else mean(model, self.other, share)
            self.waiting.append(Look(step, share, made, self.judge.begin(made)))

    def first(self, model: Model) -> None:
        """Let it look at what the polish begins with."""
        self.waiting.append(Look(0, 1.0, model, self.judge.begin(model)))

    def content(self) -> bool:
        """Wait for what it says; whether it has nothing against one of the last."""
        looks, self.waiting = self.waiting, []
        return any([self._heard(look) for look in looks])

    def _heard(self, look: Look) -> bool:
        verdict = look.verdict.result()
        words = f"step {look.step}" + (f", {look.share:.0%} of it" if look.share < 1 else "")
        self.say(f"{words}, {time.monotonic() - self.begun:.0f} s: {verdict}")
        self.report.append({"step": look.step, "share": look.share, "missed": listed(verdict)})
        rank = len(verdict.new), verdict.over()
        if self.best is None or rank < self.rank:
            self.rank, self.best = rank, look.model
        return not verdict.new


def listed(verdict: Verdict) -> list[list]:
    """What is missed, for a report: figure, script, by what share of the bar."""
    return [[*key, round(share, 3)] for key, share in sorted(verdict.new.items())]


def looked(stage: Loop | Learning, steps: int, every: int, looks: Looks | None,
           model: Callable[[], Model], quiet: bool) -> Model:
    """The controller after all steps of a stage, or the first that the judge has nothing against,
    or else the one that it has the least against."""
    while stage.step < steps:
        if not stage.train(quiet, min(stage.step + every, steps)):
            raise KeyboardInterrupt
        if looks and looks.content():
            break
        if looks:
            looks.begin(stage.step, model())
    if looks:
        looks.content()
    best = looks.best if looks else None
    return model() if best is None else best


def polished(loop: Loop, plan: Plan, judge: Judge | None, say: Say, quiet: bool,
             other: Model | None = None) -> tuple[Model, list[dict]]:
    """The polish's controller, as `looked` has it, and what the judge said. `other` is what it
    looks at first, and at means with."""
    looks = Looks(judge, say, other, plan.means) if judge else None
    if looks and other is not None:
        looks.first(other)
        if looks.content():
            return other, looks.report
    out = looked(loop, plan.course.steps, plan.every, looks, loop.model, quiet)
    return out, looks.report if looks else []


def finished(out: Model, model: Model, share: float, words: str) -> Model:
    """The pruned model with golden frames and where it comes from."""
    out = dataclasses.replace(out, provenance=dict(model.provenance), licence=model.licence)
    out.provenance["pruned"] = f"{share:.1%} of the patches, {words}"
    if model.golden:
        exporter.add_golden(out, model.golden.x, model.golden.blend)
    return out


def pruned(model: Model, where: Path, some: Frames, data: Path | None, plan: Plan,
           judge: Judge | None, say: Say, quiet: bool) -> tuple[Model, dict]:
    """A model pruned with training, and a report."""
    if plan.start:
        net, there, said = begun(model, plan.start)
        words = "begun from a pruned one"
    else:
        net, there, said = on_frames(model, some, plan, quiet)
        words = f"{plan.regress.steps} steps on frames"
        say("on frames: {share:.1%} left out, error {error:.4f} deviations, {seconds} s".format(
            **said))
    report: dict = {"frames": said}
    out = closed_loop.put_back(model, _pairs(net.layers), there,
                               _pairs(net.gate_layers) if model.gate_layers else None)
    other = None
    if plan.learn.steps and data is not None:
        other, report["learn"] = learnt(model, where, net, there, data, plan, judge, say, quiet)
        say("in the loop: error {error:.4f} deviations, {seconds} s".format(**report["learn"]))
        out, net = other, FileModule(rescaled(other, model))
        words += f", {plan.learn.steps} steps of learning"
    if plan.course.steps and data is not None:
        loop = loop_of(model, where, net, there, data, plan.course, plan.device,
                       plan.place(".polish"))
        out, report["polish"] = polished(loop, plan, judge, say, quiet, other)
    elif judge:
        verdict = judge.of(out)
        say(str(verdict))
        report["judge"] = listed(verdict)
    return finished(out, model, said["share"],
                    f"{words}, {plan.course.steps} steps of polish"), report


def _pairs(layers: torch.nn.ModuleList) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(layer.weight, layer.bias) for layer in layers]
