"""What decoders of pictures may do to this process: take no more memory than they are given, and
write nothing to standard error.

They are libraries in C, and what they decode may mean harm. One that was lied to would take the
machine's memory, and lines such as ``libpng warning: …`` would go round everything that makes our
own output safe for a terminal. Both limits are of the operating system and hold for all threads of
the process, so they are there only while somebody decodes.

Commands and their workers are confined (`enable`, `enabled`); a program that imports this package
is not, unless it asks: its other threads may be at work.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TextIO

_STDERR = 2
_enabled = False


class _Held:
    """Something of this process that is another while anybody wants it so: from the first that
    enters to the last that leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted_by = 0
        self._change: Callable[[], Callable[[], None]]
        self._back: Callable[[], None]

    @contextlib.contextmanager
    def held(self, change: Callable[[], Callable[[], None]]) -> Iterator[None]:
        """`change` changes it, and returns what puts it back."""
        with self._lock:
            if not self._wanted_by:
                self._change, self._back = change, change()
            self._wanted_by += 1
        try:
            yield
        finally:
            with self._lock:
                self._wanted_by -= 1
                if not self._wanted_by:
                    self._back()

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        with self._lock:
            if self._wanted_by:
                self._back()
            try:
                yield
            finally:
                if self._wanted_by:
                    self._back = self._change()


_MEMORY, _OUTPUT = _Held(), _Held()


def enable() -> None:
    """From now on `confined` confines: for worker processes. Our own messages are written to a copy
    of standard error, so that none is lost while a decoder works.
    """
    global _enabled  # noqa: PLW0603 - a process has one standard error
    if not _enabled:
        sys.stderr = _own(sys.stderr)
    _enabled = True


@contextlib.contextmanager
def enabled() -> Iterator[None]:
    """`enable` within a `with` block: for commands."""
    global _enabled
    before, stream = _enabled, sys.stderr
    enable()
    try:
        yield
    finally:
        _enabled, sys.stderr = before, stream


@contextlib.contextmanager
def confined(memory: int) -> Iterator[None]:
    """Decode within a `with` block: see the module. `memory`: bytes that this process may take on
    top of what it has. Does nothing in a process that is not confined.
    """
    if not _enabled:
        yield
        return
    with limited(memory), _OUTPUT.held(_silence):
        yield


@contextlib.contextmanager
def limited(memory: int) -> Iterator[None]:
    """Within a `with` block this process gets no more than `memory` bytes on top of what it has,
    and `MemoryError` beyond. Linux only; elsewhere nothing is limited.
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    with _MEMORY.held(lambda: _limit(memory)):
        yield


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Start a program within a `with` block: it gets neither our limit on memory, which it would
    keep, nor the silenced standard error, whatever other threads are decoding.
    """
    with _MEMORY.suspended(), _OUTPUT.suspended():
        yield


def _limit(memory: int) -> Callable[[], None]:
    import resource  # there is none outside POSIX

    before = resource.getrlimit(resource.RLIMIT_DATA)
    statm = os.open("/proc/self/statm", os.O_RDONLY)  # for every picture: no file object is made
    try:
        pages = int(os.read(statm, 200).split()[5])  # the sixth number: pages of data and stack
    finally:
        os.close(statm)
    wanted = pages * resource.getpagesize() + memory
    soft = min(wanted, *(size for size in before if size >= 0), wanted)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, before[1]))
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, before)


def _silence() -> Callable[[], None]:
    try:
        kept = os.dup(_STDERR)
    except OSError:  # it is closed: nothing can be written to it
        return lambda: None
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STDERR)
    os.close(nowhere)

    def back() -> None:
        os.dup2(kept, _STDERR)
        os.close(kept)

    return back


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
    encoding, errors = stream.encoding, stream.errors
    return open(copy, "w", 1, encoding=encoding, errors=errors, closefd=False)
