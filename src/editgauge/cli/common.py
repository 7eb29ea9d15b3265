"""What commands share: progress, warnings, results as JSON."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from editgauge.cli import verbosity
from editgauge.cli.output import console, raw
from editgauge.errors import EditgaugeError
from editgauge.escape import plain

if TYPE_CHECKING:
    from editgauge.store.run import Run

_WARNINGS = 20


def warn(*runs: Run) -> None:
    """Say on standard error what was found damaged in runs, or left out of them."""
    for run in () if verbosity.quiet() else runs:
        for text in run.problems[:_WARNINGS]:
            typer.echo(f"warning: {run.path.name}: {text}", err=True)
        if len(run.problems) > _WARNINGS:
            typer.echo(
                f"warning: {run.path.name}: {len(run.problems) - _WARNINGS} more; see: editgauge "
                f"check-run {run.path.name}",
                err=True,
            )


@contextmanager
def warned(*runs: Run) -> Iterator[None]:
    """`warn` at the end of a `with` block, however it ends."""
    try:
        yield
    finally:
        warn(*runs)


@contextmanager
def warned_if_refused(*runs: Run) -> Iterator[None]:
    """`warn` where a `with` block ends in an error: what was left out may be why."""
    try:
        yield
    except EditgaugeError:
        warn(*runs)
        raise


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_memory(size: str) -> None:
    """Set the limit of `--memory` for this process and its workers. Raises `UsageError`."""
    from editgauge.images import memory_size

    os.environ["EDITGAUGE_MEMORY"] = str(memory_size(size))


def print_json(value: Any) -> None:
    """Print a value as JSON. A name that is not UTF-8 is written with escapes."""
    import json

    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    try:
        text = orjson.dumps(value, option=options, default=str).decode()
    except orjson.JSONEncodeError:
        text = json.dumps(value, indent=2, default=str)
    sys.stdout.write(f"{text}\n")


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on a terminal, a line now and then in a log; both on standard error."""
    if quiet or verbosity.quiet():
        yield lambda done, total, note: None
        return
    if not raw(sys.stderr).isatty():
        yield _plain_lines()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(done: int, total: int, note: str) -> None:
            if note not in tasks:
                tasks[note] = bar.add_task(plain(note), total=total)
            bar.update(tasks[note], completed=done, total=total)

        yield show


def _plain_lines() -> Callable[[int, int, str], None]:
    last = {"at": 0.0, "note": ""}

    def show(done: int, total: int, note: str) -> None:
        now = time.monotonic()
        if note != last["note"] or now - last["at"] >= 10 or done == total:  # type: ignore[operator]
            last.update(at=now, note=note)
            print(f"{note}: {done} of {total}", file=sys.stderr, flush=True)

    return show
