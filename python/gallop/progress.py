"""A progress bar on stderr: one line rewritten on a terminal, a line every tenth elsewhere."""

from __future__ import annotations

import sys
import time


class Progress:
    """Counts steps up to `total`, some of them `done` before; `note` stands behind the bar."""

    def __init__(self, total: int, label: str, quiet: bool = False, done: int = 0) -> None:
        self.total, self.label, self.quiet, self.begun = max(total, 1), label, quiet, done
        self.start = self.shown = time.monotonic()
        self.tenth = -1

    def step(self, done: int, note: str = "") -> None:
        """Show that `done` steps are done."""
        if self.quiet:
            return
        now, tenth = time.monotonic(), 10 * done // self.total
        terminal = sys.stderr.isatty()
        due = now - self.shown > 0.2 if terminal else tenth != self.tenth
        if not due and done < self.total:
            return
        self.shown, self.tenth = now, tenth
        left = (now - self.start) / max(done - self.begun, 1) * (self.total - done)
        bar = "#" * (20 * done // self.total)
        text = f"{self.label} [{bar:<20}] {done}/{self.total} {_clock(left)} left {note}"
        end = "\r" if terminal and done < self.total else "\n"
        print(text[:150].ljust(100 if terminal else 0), end=end, file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
