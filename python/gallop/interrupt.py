"""^C as a question that a loop answers between two steps, so that what it has is whole and kept."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interrupt:
    """While it is entered, the first ^C sets `asked`; the second goes to who entered one before it,
    in the end to Python's own.

    Does nothing off the main thread, which gets no signals, and where `on` is false: processes that
    train together would stop at different steps and wait for each other.
    """

    def __init__(self, on: bool = True) -> None:
        self.asked = False
        self.on = on and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Interrupt:
        if self.on:
            self.before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self.on:
            signal.signal(signal.SIGINT, self.before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self.before)
