"""What libraries in C may do to a command and its workers.

A decoder that was lied to would take the machine's memory, and lines such as ``libpng warning: …``
would go round everything that makes our own output safe for a terminal. A process that is a
command's or a worker's is confined where it starts (`enable`, `enabled`); a program that imports
this package is not: its other threads may be at work.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

from editgauge import machine

_STDERR = 2
_LOCK = threading.RLock()
_enabled = False
_quiet: list[int] = []
"""Standard error as it was, once for each that wants it silenced: what it is silenced for."""


def enable() -> None:
    """Confine this process from now on: a worker. It gets no more than the machine's memory on top
    of what it has (Linux only), and `MemoryError` beyond; our own messages are written to a copy of
    standard error, so that none is lost while that is silenced.
    """
    global _enabled  # noqa: PLW0603 - a process has one standard error
    if not _enabled:
        sys.stderr = _own(sys.stderr)
        _limit()
    _enabled = True


@contextlib.contextmanager
def enabled() -> Iterator[None]:
    """`enable` within a `with` block: a command."""
    global _enabled
    before, stream = _enabled, sys.stderr
    enable()
    try:
        yield
    finally:
        _enabled, sys.stderr = before, stream


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Within a `with` block of a confined process nothing reaches standard error but our own."""
    if not _enabled:
        yield
        return
    with _LOCK:
        kept = os.dup(_STDERR) if not _quiet else _quiet[0]
        _quiet.append(kept)
        _point(os.devnull)
    try:
        yield
    finally:
        with _LOCK:
            _quiet.pop()
            if not _quiet:
                os.dup2(kept, _STDERR)
                os.close(kept)


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Start a program within a `with` block: it gets standard error as it is."""
    with _LOCK:
        if _quiet:
            os.dup2(_quiet[0], _STDERR)
        try:
            yield
        finally:
            if _quiet:
                _point(os.devnull)


def _point(place: str) -> None:
    there = os.open(place, os.O_WRONLY)
    os.dup2(there, _STDERR)
    os.close(there)


def _limit() -> None:
    if not sys.platform.startswith("linux"):
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        has = int(file.read().split()[5]) * resource.getpagesize()  # data and stack
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = has + machine.memory()
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))


def _own(stream: TextIO) -> TextIO:
    """The stream, written through a descriptor of its own where it is standard error."""
    try:
        if stream.fileno() != _STDERR:
            return stream
        stream.flush()
        copy = os.dup(_STDERR)
    except (AttributeError, OSError, ValueError):  # none at all, closed, or none of the system
        return stream
    # never closed: whoever logs keeps the stream to the end of the process
    return open(copy, "w", 1, encoding=stream.encoding, errors=stream.errors, closefd=False)
