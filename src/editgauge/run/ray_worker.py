"""What a worker of a Ray cluster does: it is made like the process that asks, then works batch by
batch and keeps what it has loaded.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge import confinement
from editgauge.errors import MissingExtra, RunError
from editgauge.installation import VARIABLES
from editgauge.run.processes import attempt, sendable
from editgauge.store.schema import versions


def library() -> Any:
    """The module `ray`. Raises `MissingExtra` without it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtra("Ray", "ray", "ray") from error


def _environment() -> dict[str, str]:
    """Our own variables as they are set here, but for secrets."""
    names = [name for one in VARIABLES if not one.secret for name in one.names]
    return {n: os.environ[n] for n in names if n.startswith("EDITGAUGE_") and n in os.environ}


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a worker is told once, and what the process is like that asks."""

    job: bytes
    places: tuple[Path, ...]
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    versions: dict[str, str] = field(default_factory=versions)
    environment: dict[str, str] = field(default_factory=_environment)
    path: tuple[str, ...] = field(default_factory=lambda: tuple(sys.path))
    folder: str = field(default_factory=os.getcwd)

    def begin(self) -> Any:
        """Make this process like the one that asks and prepare it; the function for batches.
        Raises `RunError` where this node is not like the other.
        """
        with contextlib.suppress(OSError):  # what is not seen from here is said below
            os.chdir(self.folder)
        sys.path += [place for place in self.path if place not in sys.path]
        host = os.uname().nodename
        for place in self.places:
            if not place.exists():
                raise RunError(
                    f"{place}: not there on the node {host}; put the run and the data on a file "
                    f"system that every node of the cluster sees under the same path"
                )
        mine = versions()
        other = [name for name, version in self.versions.items() if mine.get(name) != version]
        if other:
            raise RunError(
                f"the node {host} has {', '.join(f'{n} {mine.get(n)}' for n in other)}, this one "
                f"{', '.join(f'{n} {self.versions[n]}' for n in other)}: scores would not be the "
                f"same; install the same versions everywhere"
            )
        os.environ.update(self.environment)
        os.environ.setdefault("EDITGAUGE_THREADS", os.environ.get("OMP_NUM_THREADS") or "1")
        work, start, start_args = pickle.loads(self.job)
        start(*start_args)
        confinement.enable()
        return work


_prepared: tuple[str, Any] = ("", None)


def do(orders: list[Any], items: bytes) -> Iterator[tuple[str, Any]]:
    """A task: says that it begins, then what came of the batch."""
    global _prepared  # noqa: PLW0603 - a worker process is one worker
    try:
        told: Orders = library().get(orders[0])
        if _prepared[0] != told.token:
            _prepared = (told.token, told.begin())
    except Exception as error:  # it would be tried for ever: the caller is told why
        yield "error", pickle.dumps(sendable(error))
        return
    yield "begun", None
    kind, value = attempt(_prepared[1], pickle.loads(items))
    yield kind, pickle.dumps(value)
