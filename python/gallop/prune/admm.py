"""Training under constraints on weights by ADMM, then of what is left alone.

Zhang et al., ECCV 2018; PatDNN, section 4. The loss of the weights W gets rho / 2 |W - Z + U|^2
beside it. Z is the nearest to W + U that the constraint allows, found once an epoch, and U adds up
what W and Z differ by. So weights move towards holes while they still learn; then the holes are
cut, and the rest is trained again under its mask.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable, Iterable

import torch

Projection = Callable[[torch.Tensor], torch.Tensor]  # a weight's mask
Batches = Callable[[int], Iterable[tuple[torch.Tensor, torch.Tensor]]]  # of an epoch
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Progress = Callable[[str, int, float], None]  # phase, epoch, mean loss


@dataclasses.dataclass(frozen=True)
class Plan:
    """Epochs of each phase, and how they learn. rho rises from the first to the last of ADMM."""

    epochs: int = 20
    retrain: int = 40
    rate: float = 1e-3
    rho: tuple[float, float] = (1e-3, 1e-1)


class Pruner:
    """Prunes the named weights of a model in place.

    `projections`: by the name of each weight, as named_parameters() has it, what it keeps. State is
    kept in `checkpoint`, if given: a run that was stopped goes on there. `course` tells what else
    the state comes from, beside the plan: the data, say. With another plan or course it is refused.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        projections: dict[str, Projection],
        plan: Plan | None = None,
        checkpoint: pathlib.Path | None = None,
        course: str = "",
    ) -> None:
        self.model, self.course = model, course
        self.plan = plan or Plan()
        self.checkpoint = checkpoint
        self.projections = projections
        weights = dict(model.named_parameters())
        unknown = [name for name in projections if name not in weights]
        if unknown or not projections:
            raise ValueError(f"no parameter '{unknown[0]}' in the model" if unknown
                             else "no weight to prune")
        self.weights = {name: weights[name] for name in projections}
        self.dual = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.target = {name: self._projected(name, w.detach()) for name, w in self.weights.items()}
        self.masks: dict[str, torch.Tensor] = {}
        self.epoch = 0
        self.optimizer = self._fresh_optimizer()
        if checkpoint is not None and checkpoint.exists():
            self._load(checkpoint)

    def run(
        self, batches: Batches, loss: Loss, progress: Progress | None = None
    ) -> dict[str, torch.Tensor]:
        """Both phases; returns the masks.

        batches(e) is epoch e's, so that a run that goes on sees what it would have seen.
        """
        plan = self.plan
        while self.epoch < plan.epochs + plan.retrain:
            retrains = self.epoch >= plan.epochs
            if retrains and not self.masks:
                self._cut()
            if retrains:
                done = (self.epoch - plan.epochs) / plan.retrain
                self.optimizer.param_groups[0]["lr"] = plan.rate * (1 - done) + 1e-5
            mean = self._train_epoch(batches(self.epoch), loss)
            if not retrains:
                self._follow()
            if progress:
                progress("retrain" if retrains else "admm", self.epoch, mean)
            self.epoch += 1
            self._save()
        return self.masks

    def _fresh_optimizer(self) -> torch.optim.Adam:
        return torch.optim.Adam(self.model.parameters(), lr=self.plan.rate)

    def _projected(self, name: str, weight: torch.Tensor) -> torch.Tensor:
        return weight * self.projections[name](weight)

    def _rho(self) -> float:
        first, last = self.plan.rho
        return first * (last / first) ** (self.epoch / max(self.plan.epochs - 1, 1))

    def _penalty(self) -> torch.Tensor:
        terms = [
            (w - self.target[n] + self.dual[n]).square().sum() for n, w in self.weights.items()
        ]
        return torch.stack(terms).sum() * (self._rho() / 2)

    def _train_epoch(
        self, batches: Iterable[tuple[torch.Tensor, torch.Tensor]], loss: Loss
    ) -> float:
        self.model.train()
        total, count = 0.0, 0
        for x, y in batches:
            value = loss(self.model(x), y)
            self.optimizer.zero_grad()
            (value if self.masks else value + self._penalty()).backward()
            self.optimizer.step()
            self._mask()
            total, count = total + value.item(), count + 1
        return total / max(count, 1)

    def _follow(self) -> None:
        with torch.no_grad():
            for name, weight in self.weights.items():
                self.target[name] = self._projected(name, weight + self.dual[name])
                self.dual[name] += weight - self.target[name]

    def _cut(self) -> None:
        self.masks = {name: self.projections[name](w.detach()) for name, w in self.weights.items()}
        self.optimizer = self._fresh_optimizer()
        self._mask()

    def _mask(self) -> None:
        with torch.no_grad():
            for name, mask in self.masks.items():
                self.weights[name] *= mask

    def _save(self) -> None:
        if self.checkpoint is None:
            return
        state = {
            "epoch": self.epoch,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "dual": self.dual,
            "target": self.target,
            "masks": self.masks,
            "plan": repr(self.plan),
            "course": self.course,
        }
        fresh = self.checkpoint.with_suffix(".new")
        torch.save(state, fresh)
        fresh.replace(self.checkpoint)

    def _load(self, path: pathlib.Path) -> None:
        state = torch.load(path, map_location=next(iter(self.weights.values())).device)
        if (state["plan"], state.get("course", "")) != (repr(self.plan), self.course):
            raise ValueError(f"{path} was made with another plan; remove it to start anew")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch, self.dual, self.target = state["epoch"], state["dual"], state["target"]
        self.masks = state["masks"]
