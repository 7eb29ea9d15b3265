"""Runs that are killed at a point of their way (see `POINTS`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.editors import test_remote

from editgauge.editors import jobs, remote
from editgauge.run import edit as running
from editgauge.run import output
from editgauge.services.booking import Ledger
from editgauge.services.http import Http
from editgauge.store.run import Run

DEAD = 9


def _after(owner: Any, name: str, wanted: Callable[..., bool] = lambda *a, **k: True) -> None:
    """Die right after the first call of a method for which `wanted` holds."""
    real = getattr(owner, name)

    def dying(*args: Any, **options: Any) -> Any:
        made = real(*args, **options)
        if wanted(*args, **options):
            os._exit(DEAD)
        return made

    setattr(owner, name, dying)


POINTS: dict[str, Callable[[], None]] = {
    "booked": lambda: _after(Ledger, "book"),
    "answered": lambda: _after(Http, "send", lambda _, asked: asked.method == "POST"),
    "job written": lambda: _after(jobs.JobEditor, "_note"),
    "job asked for": lambda: _after(Http, "send", lambda _, asked: "/poll/" in asked.url),
    "picture fetched": lambda: _after(Http, "send", lambda _, asked: "/picture/" in asked.url),
    "billed": lambda: _after(Ledger, "settle"),
    "delivered": lambda: _after(remote, "deliver"),
    "in place": lambda: _after(output, "_into_place"),
    "recorded": lambda: _after(Run, "write_edits"),
}


def run(point: str, shape: str, url: str, folder: Path, number: int, budget: float) -> None:
    """Edit `number` samples in a process that dies at the point."""
    POINTS[point]()
    made_run = Run.create(folder / "run")
    made = test_remote.editor(shape, url, made_run, budget, concurrency=1)
    running.edit(made_run, "mini", test_remote.samples_for(folder, number), made)
