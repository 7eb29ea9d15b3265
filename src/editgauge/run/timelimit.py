"""A time limit for calls in this process, where no other process can be stopped instead."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from editgauge.editors.editor import BaseEditor, Outside
from editgauge.run.processes import TOO_SLOW
from editgauge.types import Edit, Sample, Status


class TooSlow(BaseException):
    """The time is over. It is no `Exception`, so that an editor's own handlers let it pass."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` inside of a `with` block that takes longer. Only the main thread of a system
    with interval timers can be interrupted; elsewhere there is no limit. A library's own code is
    interrupted when it returns to Python.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Limited(Outside):
    """An editor whose calls take `seconds` at most: a longer one is a failed edit."""

    def __init__(self, editor: BaseEditor, seconds: float) -> None:
        super().__init__(editor)
        self.seconds = seconds

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        try:
            with time_limit(self.seconds):
                return super().__call__(sample, folder)
        except TooSlow:
            return Edit.without(sample.id, self.name, Status.FAILED, TOO_SLOW)
