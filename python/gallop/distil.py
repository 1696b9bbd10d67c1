"""Distillation: a smaller network that does what a larger one does, for characters far away.

The teacher is a model file. The student goes through the schedule that the teacher went through,
with two differences: its targets are what the teacher says to the same inputs, and in the last
stage, in the controller's own loop, the teacher says in every state that the student comes to what
it would have done there (S. Ross, G. Gordon, D. Bagnell, "A Reduction of Imitation Learning and
Structured Prediction to No-Regret Online Learning", 2011). `gallop judge`, which runs the file in
the runtime, says when to stop: when the student's figures are within the bars of the teacher's.
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from gallop import contract as contract_text
from gallop import exporter, judge, modelfile
from gallop.contract import Contract
from gallop.features import Dataset, Scale
from gallop.network import PFNN
from gallop.polish import Polish
from gallop.torch_layers import FileModule

SECONDS = 30  # of each script, where the judge only says whether to stop
EVERY = 600  # steps of polish between two looks of the judge
CHUNK = 8192  # frames that the teacher sees at once


class Bar(NamedTuple):
    """What a figure of the student may be: `factor` times the teacher's and `more`, or `least`."""

    figure: str
    factor: float
    more: float
    least: float
    what: str


BARS = (
    Bar("direction", 1, 1.0, 3.0, "degrees"),
    Bar("facing", 1, 1.0, 4.0, "degrees"),
    Bar("start", 1, 0.15, 0.5, "s"),
    Bar("stop", 1, 0.1, 0.45, "s"),
    Bar("skate", 1.25, 1.0, 4.0, "cm/s"),
    Bar("locked", 1.25, 0.3, 1.0, "cm/s"),
    Bar("jump999", 1.15, 0.5, 3.0, "cm"),
)
SPEED = 0.03  # share by which the speed may be off, or as far as the teacher's


class Teacher(nn.Module):
    """A model file's network between a student's normalised values, not to be trained; the
    student's style columns, the last `styles` of its input, are not the teacher's."""

    def __init__(self, module: FileModule, scale: Scale, styles: int) -> None:
        super().__init__()
        self.module, self.styles = module.requires_grad_(False), styles
        for name in ("x_mean", "x_std", "y_mean", "y_std"):
            self.register_buffer(name, torch.tensor(getattr(scale, name), dtype=torch.float32))

    def forward(self, x: torch.Tensor, phase: torch.Tensor) -> torch.Tensor:
        """Normalised y [B, N] of normalised x [B, K + styles] at phases [B]."""
        raw = x[:, : x.shape[1] - self.styles] * self.x_std + self.x_mean
        return (self.module(raw, phase[:, None]) - self.y_mean) / self.y_std


def read(path: Path, contract: Contract) -> FileModule:
    """The teacher in a model file, which must be a pfnn of the contract's features."""
    model = modelfile.read(path)
    if model.gate not in ("cubic", "linear", "constant"):
        raise ValueError(f"{path}: its gate is '{model.gate}'; a pfnn's is needed")
    own = contract_text.parse(model.contract, str(path))
    for side in ("input", "output"):
        names, wanted = getattr(own, f"{side}_names")(), getattr(contract, f"{side}_names")()
        other = [f"'{a}' for '{b}'" for a, b in zip(names, wanted) if a != b]
        if len(names) != len(wanted) or other:
            raise ValueError(f"{path}: {len(names)} {side}s, {len(wanted)} expected"
                             + (f"; {other[0]}" if other else ""))
    return FileModule(model)


def said_to(module: FileModule, contract: Contract, data: Dataset, device: torch.device
            ) -> np.ndarray:
    """What a pfnn says to the frames of a data set [F, N]."""
    said = []
    with torch.no_grad():
        for i in range(0, len(data.x), CHUNK):
            x, phase = (torch.tensor(a[i : i + CHUNK], device=device)
                        for a in (data.x, data.phase))
            said.append(module(x, phase[:, None]).cpu().numpy())
    y = np.concatenate(said)
    for block, where in contract.ranges(contract.outputs):
        if block.name == "contact":  # weights of the slide term: under 0 they would reward it
            y[:, where] = y[:, where].clip(0, 1)
    return y


def misses(student: dict, teacher: dict) -> dict[str, float]:
    """What is over its bar, in words, and by what share of the bar."""
    out = {}
    if not student["finite"] or student["set_back"]:
        out["it does not stay finite"] = 100.0
    for script, figures in student["scripts"].items():
        models = teacher["scripts"][script]
        for bar in BARS:
            value, known = figures.get(bar.figure), models.get(bar.figure)
            if value is None or known is None:
                continue
            most = max(bar.factor * abs(known) + bar.more, bar.least)
            if abs(value) > most:
                words = f"{script}: {bar.figure} {value:.2f} {bar.what}, at most {most:.2f}"
                out[words] = abs(value) / most - 1
        if figures.get("wanted"):
            off, known = (abs(f["speed"] / f["wanted"] - 1) for f in (figures, models))
            if off > max(SPEED, known):
                out[f"{script}: speed off by {100 * off:.1f} %"] = off - max(SPEED, known)
    return out


class Pupil:
    """A student's lessons: what the teacher says, and when the judge is content.

    The best of the judged students is kept; `best` is what it misses, None before the first.
    """

    def __init__(
        self, path: Path, gallop: Path | None, contract: Contract, scale: Scale,
        styles: list[str], style: str,
    ) -> None:
        self.module = read(path, contract)
        self.teacher = Teacher(self.module, scale, len(styles))
        self.contract, self.scale = contract, scale
        self.fixed = np.array([float(s == style) for s in styles])
        self.gallop = judge.command(gallop)
        self.goal = judge.figures(self.gallop, path, SECONDS)
        self.best: dict[str, float] | None = None
        self.model: modelfile.Model | None = None

    def relabelled(self, data: Dataset, device: torch.device) -> Dataset:
        """The data with the teacher's outputs in place of the motion's."""
        said = said_to(self.module.to(device), self.contract, data, device)
        return dataclasses.replace(data, y=said)

    def polished(self, stage: Polish, quiet: bool = False) -> PFNN:
        """The last stage, until the judge is content or its steps are done."""
        net = stage.average
        while stage.step < stage.plan.steps:
            net = stage.train(quiet, min(stage.step + EVERY, stage.plan.steps))
            if stage.interrupted:
                break
            if self.sees(exporter.to_model(net, self.contract, self.scale, fixed=self.fixed)):
                break
        return net

    def sees(self, model: modelfile.Model) -> bool:
        """Whether a student is good enough; keeps it if none before was better."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "student.gallop"
            modelfile.write(model, place)
            found = misses(judge.figures(self.gallop, place, SECONDS), self.goal)
        if self.best is None or sum(found.values()) < sum(self.best.values()):
            self.best, self.model = found, model
        return not found

    def finished(self, model: modelfile.Model) -> modelfile.Model:
        """The best student that the judge saw; `model` if it saw none."""
        return self.model or model

    def report(self) -> str:
        """What the best student misses, in words."""
        if not self.best:
            return "the judge is content" if self.best is not None else "not judged"
        return "\n  ".join(["the judge misses:", *self.best])
