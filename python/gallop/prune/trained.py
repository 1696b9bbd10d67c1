"""Pruning with training: on frames while patches go, then in the controller's own loop."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

import numpy as np
import torch

from gallop import exporter, modelfile, patches
from gallop.looks import Looks, Say, beside, looked
from gallop.modelfile import Model
from gallop.prune import blocks, closed_loop, frames, regress
from gallop.prune.closed_loop import Course, Dog, Person
from gallop.prune.frames import Frames
from gallop.prune.learn import Learning
from gallop.prune.learn import Plan as Learn
from gallop.torch_layers import FileModule
from gallop.verdict import Judge, listed

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
    looks = None
    if judge:
        looks = Looks(judge, say, plan.place(".learn.looks"), repr((plan.learn, plan.learn_every)))
    out = looked(stage, plan.learn.steps, plan.learn_every, looks, loop.model, quiet)
    said = {"steps": stage.step, "seconds": round(time.monotonic() - begun, 1),
            "error": stage.history[-1][1], "curve": stage.history[::20],
            "judge": looks.report if looks else []}
    return out, said


def polished(loop: Loop, plan: Plan, judge: Judge | None, say: Say, quiet: bool,
             other: Model | None = None) -> tuple[Model, list[dict]]:
    """The polish's controller, as `looked` has it, and what the judge said. `other` is what it
    looks at first, and at means with."""
    looks = None
    if judge:
        asked = repr((plan.course, plan.every, plan.means))
        looks = Looks(judge, say, plan.place(".polish.looks"), asked,
                      mixes=beside(other, plan.means))
    if looks and other is not None and not looks.report:
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
    other, polish = None, 0
    if plan.learn.steps and data is not None:
        other, report["learn"] = learnt(model, where, net, there, data, plan, judge, say, quiet)
        say("in the loop: error {error:.4f} deviations, {seconds} s".format(**report["learn"]))
        out, net = other, FileModule(rescaled(other, model))
        words += f", {report['learn']['steps']} steps of learning"
    if plan.course.steps and data is not None:
        loop = loop_of(model, where, net, there, data, plan.course, plan.device,
                       plan.place(".polish"))
        out, report["polish"] = polished(loop, plan, judge, say, quiet, other)
        polish = loop.step
    elif judge:
        verdict = judge.of(out)
        say(str(verdict))
        report["judge"] = listed(verdict)
    return finished(out, model, said["share"],
                    f"{words}, {polish} steps of polish"), report


def _pairs(layers: torch.nn.ModuleList) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(layer.weight, layer.bias) for layer in layers]
