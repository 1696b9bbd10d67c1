"""What the judge misses in a controller, and of two controllers which it has less against."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gallop import judge, modelfile
from gallop.modelfile import Model

Miss = tuple[str, str]  # figure, script
THREADS_MOST = 256  # that the command takes
ASTRAY = ("direction", "facing")  # figures in degrees that say where one goes and looks


@dataclass(frozen=True)
class Verdict:
    """Bars that a model misses, and another one, if there is one, keeps: by what share of the bar.
    `own` are those that the general ones would let pass; `astray` is how far ways and facings are
    off in the sum of all scripts, degrees."""

    new: dict[Miss, float]
    own: frozenset[Miss] = frozenset()
    astray: float = 0.0

    def over(self) -> float:
        return sum(self.new.values())

    def rank(self) -> tuple[int, int, float]:
        """How much there is against it: general bars, all bars, by how much."""
        return len(self.new.keys() - self.own), len(self.new), self.over()

    def __str__(self) -> str:
        first = ", ".join(f"{figure} of {script} by {share:.1%}"
                          for (figure, script), share in sorted(self.new.items())[:6])
        count = "1 bar" if len(self.new) == 1 else f"{len(self.new)} bars"
        return f"{count} missed" + (f": {first}" if first else "")


def listed(verdict: Verdict) -> list[list]:
    """What is missed, for a report: figure, script, by what share of the bar."""
    return [[*key, round(share, 3)] for key, share in sorted(verdict.new.items())]


def cores() -> int:
    """Cores that this process may use."""
    may = getattr(os, "sched_getaffinity", None)
    return len(may(0)) if may else os.cpu_count() or 1


def at_once() -> int:
    """How many models a machine judges at once, beside what it trains."""
    return max(1, cores() // 4)


class Judge:
    """Judges models, also while something else goes on; beside a dense one only by the bars that
    that one keeps."""

    def __init__(self, dense: Path | None, gallop: Path | None, bars: Path | None,
                 seconds: float, at_once: int = 1) -> None:
        """`bars` are a model's own, beside the general ones; so many models are judged at once,
        which share the machine's cores."""
        self.gallop, self.bars, self.seconds = judge.command(gallop), bars, seconds
        self.threads = max(1, min(cores() // at_once, THREADS_MOST))
        self.dense = self._judged(dense).new if dense else {}
        self.pool = ThreadPoolExecutor(at_once)

    def of_file(self, path: Path) -> Verdict:
        """The verdict on a model file."""
        said = self._judged(path)
        new = {k: v for k, v in said.new.items() if k not in self.dense}
        return Verdict(new, said.own, said.astray)

    def of(self, model: Model) -> Verdict:
        """The verdict on a model."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "judged.gallop"
            modelfile.write(model, path)
            return self.of_file(path)

    def begin(self, model: Model) -> Future[Verdict]:
        """The same, at once."""
        return self.pool.submit(self.of, model)

    def _judged(self, path: Path) -> Verdict:
        said = judge.figures(self.gallop, path, self.seconds, self.bars, self.threads)
        out = {(m["figure"], m["script"]): _over(m) for m in said["missed"]}
        if not said["finite"]:
            out["finite", "any"] = 100.0
        astray = sum(abs(figures.get(name) or 0.0)
                     for figures in said["scripts"].values() for name in ASTRAY)
        own = frozenset((m["figure"], m["script"]) for m in said["missed"] if _lets_pass(m))
        return Verdict(out, own, astray)


def _lets_pass(miss: dict) -> bool:
    """Whether the general bar, if there is one, is kept."""
    if "general" not in miss:
        raise ValueError("the judge is of an older gallop: it says nothing of general bars")
    general = miss["general"]
    return general is None or abs(miss["got"]) <= general


def _over(miss: dict) -> float:
    """By what share of the bar a figure is over it."""
    value, most = abs(miss["got"]), miss["most"]
    return value / most - 1 if most > 0 else value
