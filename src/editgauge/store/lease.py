"""Who works on what. Locks are of the operating system (`filelock`): they end with the process that
holds them, however it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.store import locks, paths

FOLDER, TEMPORARY, HOST = ".locks", ".tmp", ".host"
"""Where a run's locks and temporary files lie, and who writes it."""
ALIVE = 45.0
"""Seconds after which a machine that has not renewed its lease no longer keeps others out."""
_RENEWED = 10.0
"""Seconds between two renewals: some may be late without an end of the lease."""
_LOOKED = 1.0
"""Seconds between two looks at another machine's lease."""
_PATIENCE = 10.0
"""Seconds for which a lock is waited for without a word: at work most are held for much less."""


@contextlib.contextmanager
def lease(run: Path, work: str, *parts: str) -> Iterator[None]:
    """Hold a piece of work on a run for the length of a `with` block. `work` names it in one word
    (``edit``, ``judge``), `parts` say on what (a benchmark, an editor). Raises `RunError` when
    another process holds it; never waits.
    """
    mark = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=6)
    place = paths.folder(run, FOLDER) / f"{work}-{mark.hexdigest()}.lock"
    held = _taken(place, 0)
    if held is None:
        about = f" of {' by '.join(parts)}" if parts else ""
        raise RunError(
            f"{run.name}: another `editgauge {work}`{about} is at work on this run; what it does "
            f"would be paid for twice. Wait for its end, or stop it"
        )
    with held:
        yield


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (made if it is not there) for the length of a `with` block;
    waits for whoever has it, and says so after a while: that process may be suspended.
    """
    held = _taken(path, _PATIENCE)
    if held is None:
        message = "if it is suspended, resume or end it"
        print(f"waiting for another process, which holds {path}; {message}", file=sys.stderr)
        held = _taken(path, -1)
    assert held is not None
    with held:
        yield


def _taken(path: Path, seconds: float) -> contextlib.AbstractContextManager[object] | None:
    from filelock import FileLock, Timeout  # 10 ms, which what only reads does not wait for

    locks.need(path.parent)
    try:
        return FileLock(path, thread_local=False).acquire(timeout=seconds)
    except Timeout:
        return None
    except OSError as error:
        raise paths.unwritable(path, error) from error


def claim(run: Path, *, wait: bool = True) -> bool:
    """Say that this machine writes the run, since SQLite's locks do not reach over a network's file
    system. Returns whether another machine had said so: what is known of the run may be old then.

    While another machine is at work, wait for its end, and say so; without `wait` raise `RunError`.
    A machine that was killed does not renew its lease, which then ends within a minute.
    """
    place = run / HOST
    if _holder(place) in (b"", _machine()):
        _renew(run)
        return False
    is_said = False
    while _holder(place) not in (b"", _machine()):
        age = _age(run, place)
        if age >= ALIVE:
            break
        seen = f"{run}: another machine is writing this run (last seen {age:.0f} seconds ago)"
        if not wait:
            raise RunError(f"{seen}; wait for its end")
        if not is_said:
            print(
                f"{seen}; waiting for its end, or until it was not seen for {ALIVE:.0f} seconds. "
                f"To work at the same time, use a run of its own here and `editgauge merge`",
                file=sys.stderr,
                flush=True,
            )
            is_said = True
        time.sleep(_LOOKED)
    paths.write(run, HOST, _machine())
    return True


def hold(run: Path) -> None:
    """Renew this machine's lease on a run until `release`, once for each call of this function."""
    with _guard:
        if run not in _renewals:
            _renewals[run] = _Renewal(run)
            _renewals[run].start()
        _renewals[run].holders += 1


def release(run: Path) -> None:
    """Let other machines write the run, unless another part of this process holds it."""
    with _guard:
        renewal = _renewals.get(run)
        if renewal is not None:
            renewal.holders -= 1
            if renewal.holders > 0:
                return
            renewal.ended.set()
            del _renewals[run]
    let_go(run)


def let_go(run: Path) -> None:
    """End a `claim` of which nothing in this process is a `hold`."""
    with _guard, contextlib.suppress(OSError):
        if run not in _renewals and _holder(run / HOST) == _machine():
            (run / HOST).unlink()


class _Renewal(threading.Thread):
    """Renews this machine's lease on a run. It ends with the process, however that ends."""

    def __init__(self, run: Path) -> None:
        super().__init__(daemon=True)
        self._run_folder = run
        self.holders = 0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(_RENEWED):
            with contextlib.suppress(OSError, RunError), _guard:
                is_ours = _holder(self._run_folder / HOST) in (b"", _machine())
                if is_ours and not self.ended.is_set():
                    _renew(self._run_folder)


_guard = threading.Lock()
_renewals: dict[Path, _Renewal] = {}
"""Run -> what renews this process's lease on it."""


def _renew(run: Path) -> None:
    """Write this machine's lease, or its time where it was not renewed for a while."""
    place = run / HOST
    if _holder(place) != _machine():
        paths.write(run, HOST, _machine())
    elif abs(time.time() - place.lstat().st_mtime) >= _RENEWED:
        os.utime(place)


def _holder(place: Path) -> bytes:
    """The machine that holds a lease; empty where none does."""
    try:
        return paths.read(place)
    except (OSError, RunError):
        return b""


def _age(run: Path, place: Path) -> float:
    """The seconds since a lease was renewed, by the clock of the disk that it lies on: the clocks
    of two machines may differ by more than a lease lasts.
    """
    scratch = run / temporary.new_name()
    try:
        scratch.write_bytes(b"now")
        now = scratch.stat().st_mtime
    except OSError as error:
        raise paths.unwritable(scratch, error) from error
    finally:
        scratch.unlink(missing_ok=True)
    try:
        return abs(now - place.lstat().st_mtime)
    except FileNotFoundError:  # it was released
        return ALIVE


def _machine() -> bytes:
    return hashlib.blake2b(platform.node().encode(), digest_size=8).hexdigest().encode()


def sweep(root: Path) -> int:
    """Remove the temporary folders and files of a run whose owners are gone; how many."""
    return sum(temporary.sweep(Path(above)) for above, _, _ in os.walk(root))
