"""Runs that are killed: each line on standard input is one, killed at a point of its way (see
`POINTS`); the answer is a line with the child's exit status.

One process imports everything once and forks before it has threads, so that fifty kills do not cost
fifty starts.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.editors.test_remote import editor, samples_for

from editgauge.editors import jobs, remote
from editgauge.run import edit as running
from editgauge.run import output
from editgauge.services.booking import Ledger
from editgauge.services.http import Http, Request
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


def _asks(http: Http, request: Request) -> bool:
    return request.method == "POST"


def _polls(http: Http, request: Request) -> bool:
    return "/poll/" in request.url


def _fetches(http: Http, request: Request) -> bool:
    return "/picture/" in request.url


POINTS: dict[str, Callable[[], None]] = {
    "booked": lambda: _after(Ledger, "book"),
    "answered": lambda: _after(Http, "send", _asks),
    "job written": lambda: _after(jobs.JobEditor, "_note"),
    "job asked for": lambda: _after(Http, "send", _polls),
    "picture fetched": lambda: _after(Http, "send", _fetches),
    "billed": lambda: _after(Ledger, "settle"),
    "delivered": lambda: _after(remote, "deliver"),
    "in place": lambda: _after(output, "_into_place"),
    "recorded": lambda: _after(Run, "write_edits"),
}


def main() -> None:
    for line in sys.stdin:
        told = json.loads(line)
        child = os.fork()
        if not child:
            POINTS[told["point"]]()
            folder = Path(told["folder"])
            run = Run.create(folder / "run")
            made = editor(told["shape"], told["url"], run, told["budget"], concurrency=1)
            running.edit(run, "mini", samples_for(folder, told["samples"]), made)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
