"""The studies of a run: what can be shown, starting one, serving it, and its answers as rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, UsageError
from editgauge.schema import toml_tables
from editgauge.store import sqlite
from editgauge.store.labels import Samples
from editgauge.store.run import Run
from editgauge.study import assign
from editgauge.study.answers import rows_of
from editgauge.study.design import Design, resolved
from editgauge.study.pictures import Outputs, Pictures, outputs_of
from editgauge.study.ratings import FOLDER, ImportedRatings, import_ratings, known_of
from editgauge.study.scales import SCORERS
from editgauge.types import JsonObject, Row
from editgauge.web.log import Log

SUFFIX = ".sqlite"
_START = "study start"


def designed(run: Run, path: Path, benchmark: str = "") -> tuple[Design, Outputs]:
    """The design in a file for this run, and the run's outputs."""
    name = known_of(run, benchmark).benchmark
    outputs = outputs_of(run, name)
    facts, samples = toml_tables(path), Samples(run.samples(name))
    return resolved(facts, samples, outputs, name, where=path.name), outputs


def begin(run: Run, design: Design, outputs: Outputs, annotators: Sequence[str]) -> dict[str, str]:
    """Assign every sample, write the study into the run and record it there; returns pseudonym ->
    token. Tokens are kept nowhere.
    """
    begun = {e.get("study") for e in run.manifest()["entries"] if e.get("command") == _START}
    path = run.path / FOLDER / f"{design.name}{SUFFIX}"
    if design.name in begun and not path.exists():  # its answers would retire those rows
        raise UsageError(
            f"{run.path.name}: a study {design.name!r} of this run was started on another "
            f"machine, and stays there; give this one another name"
        )
    tasks = assign.assign(design, outputs, len(annotators))
    tokens = assign.start(path, design, annotators, tasks)
    run.record(_START, study=design.name, annotators=len(annotators), samples=len(design.drawn))
    return dict(zip(annotators, tokens, strict=True))


def state_of(run: Run, name: str = "") -> JsonObject:
    """How far a study is, by default the run's only one, as JSON values; answers become rows of the
    run. Raises `UsageError` for a study that is not there.
    """
    with _reading(study_path(run, name)) as log:
        people, missing = list(assign.progress(log)), assign.missing(log)
    new, changed, _ = collect(run)
    return {"annotators": people, "missing": missing, "new": new + changed}


def studies(run: Run) -> list[Path]:
    """The files of the run's studies, by name."""
    return sorted((run.path / FOLDER).glob(f"*{SUFFIX}"))


def study_path(run: Run, name: str = "") -> Path:
    """The file of a study, by default of the only one. Raises `UsageError`."""
    there = {path.stem: path for path in studies(run)}
    chosen = name or (next(iter(there)) if len(there) == 1 else "")
    if chosen in there:
        return there[chosen]
    names = ", ".join(there) or "none; start one: editgauge study start RUN DESIGN.toml"
    raise UsageError(f"of {run.path.name}: wanted one of {names}", argument="study")


def collect(run: Run) -> ImportedRatings:
    """Write the answers of every study of the run as rows; answers that were taken back since the
    last time retire their rows. What is damaged, and what a run that cannot be written lacks, is
    named in the run's problems.
    """
    total = ImportedRatings(0, 0, 0)
    for path in studies(run):
        with _reading(path) as log:
            design = assign.design_of(log)
            answered = log.all(assign.TASK, state=assign.DONE)
            rows = [row for task in answered for row in rows_of(design, task)]
            damaged = log.problems
        if not os.access(run.path, os.W_OK):
            run.problems.append(f"study {design.name}: new answers are not counted: the run cannot "
                                f"be written here")  # fmt: skip
            continue
        counts = import_ratings(run, rows)
        total = ImportedRatings(*(a + b for a, b in zip(total, counts, strict=True)))
        run.problems.extend(damaged)
        if not damaged:  # what was taken in while it was sound stays
            _retire_taken_back(run, design, rows)
    return total


@contextmanager
def _reading(path: Path) -> Iterator[Log]:
    """A study of which nothing is changed: it may lie where nothing can be written."""
    with sqlite.readable(path) as place, Log(place) as log:
        yield log


def _retire_taken_back(run: Run, design: Design, rows: Sequence[Row]) -> None:
    """Retire rows of this study that none of its answers stands behind any more."""
    keys = {row.key for row in rows}
    old = [row for row in run.rows() if row.scorer in SCORERS and row.key not in keys]
    old = [row for row in old if row.origin.get("study") == design.name]
    run.drop([(row.key, row.fingerprint) for row in old])


def new_links(run: Run, name: str = "") -> dict[str, str]:
    """Return a new token for each annotator of a study, by pseudonym; their older links end."""
    with Log(study_path(run, name)) as log:
        return {who.name: log.new_link(who.name) for who in log.people() if not who.revoked}


def pseudonyms_of(word: str) -> list[str]:
    """A number of annotators as ``rater-1``…, or pseudonyms joined by commas."""
    if word.strip().isdigit():
        return [f"rater-{number}" for number in range(1, int(word) + 1)]
    return [name.strip() for name in word.split(",") if name.strip()]


@contextmanager
def application_of(run: Run, name: str, hosts: Sequence[str]) -> Iterator[tuple[Design, Any]]:
    """The design and the application of a study, open for answers. Raises `MissingExtra` without
    the extra `study`, `UsageError` for a study that is not there.
    """
    path = study_path(run, name)
    try:
        from editgauge.study.serve import study_application
    except ImportError as error:
        raise MissingExtra("editgauge study serve", str(error.name), "study") from error
    with Log(path, secret_elsewhere=True) as log:
        design = assign.design_of(log)
        pictures = Pictures(run, design.benchmark)
        ahead = [*design.training.samples, *design.drawn]
        threading.Thread(target=pictures.make, args=(ahead,), daemon=True).start()
        yield design, study_application(log, pictures, hosts=hosts)
