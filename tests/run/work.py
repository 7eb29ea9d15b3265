"""What is done with batches in tests of workers; a module of its own because workers import it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path


def nothing() -> None:
    """A start without anything to prepare."""


def dies_at_start() -> None:
    os._exit(5)


def fails_at_start() -> None:
    raise LookupError("no weights here")


def fails(batch: Sequence[int]) -> list[int]:
    raise LookupError(f"no {batch[0]}")


def square_or_die(batch: Sequence[int]) -> list[int]:
    """Negative numbers end the process with their absolute value (less one) as exit code."""
    for item in batch:
        if item < 0:
            os._exit(-item - 1)
    return [item * item for item in batch]


def killed_once(batch: Sequence[str]) -> list[str]:
    """The first worker that takes an item is killed on it, as by the system; the next is not."""
    for item in batch:
        marker = Path(item)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return list(batch)


def slowly(batch: Sequence[int]) -> list[int]:
    time.sleep(0.02 * len(batch))
    return list(batch)


def hangs(batch: Sequence[int]) -> list[int]:
    if 13 in batch:
        time.sleep(600)
    return list(batch)


def seen(batch: Sequence[str]) -> list[str]:
    """Variables of the worker's environment."""
    return [os.environ.get(name, "none") for name in batch]
