"""What the judge misses in a pruned controller that it does not miss in the dense one."""

from __future__ import annotations

import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gallop import judge, modelfile
from gallop.modelfile import Model

Miss = tuple[str, str]  # figure, script


@dataclass(frozen=True)
class Verdict:
    """Bars that a model misses and the dense one keeps, and by what share of the bar, summed."""

    new: dict[Miss, float]

    def over(self) -> float:
        return sum(self.new.values())

    def __str__(self) -> str:
        first = ", ".join(f"{figure} of {script} by {share:.0%}"
                          for (figure, script), share in sorted(self.new.items())[:6])
        return f"{len(self.new)} bars missed that the dense model keeps" + (
            f": {first}" if first else "")


class Judge:
    """Judges models by the bars of the dense one, also while something else goes on."""

    def __init__(self, dense: Path, gallop: Path | None, bars: Path | None,
                 seconds: float) -> None:
        self.gallop, self.bars, self.seconds = judge.command(gallop), bars, seconds
        self.dense = self._missed(dense)
        self.pool = ThreadPoolExecutor(1)

    def of_file(self, path: Path) -> Verdict:
        """The verdict on a model file."""
        return Verdict({k: v for k, v in self._missed(path).items() if k not in self.dense})

    def of(self, model: Model) -> Verdict:
        """The verdict on a model."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pruned.gallop"
            modelfile.write(model, path)
            return self.of_file(path)

    def begin(self, model: Model) -> Future[Verdict]:
        """The same, at once."""
        return self.pool.submit(self.of, model)

    def _missed(self, path: Path) -> dict[Miss, float]:
        said = judge.figures(self.gallop, path, self.seconds, self.bars)
        out = {(m["figure"], m["script"]): _over(m) for m in said["missed"]}
        if not said["finite"]:
            out["finite", "any"] = 100.0
        return out


def _over(miss: dict) -> float:
    """By what share of the bar a figure is over it."""
    value, most = abs(miss["got"]), miss["most"]
    return value / most - 1 if most > 0 else value
