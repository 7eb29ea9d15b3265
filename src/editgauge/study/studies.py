"""The studies of a run: what can be shown, starting one, serving it, and its answers as rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, UsageError
from editgauge.store import sqlite
from editgauge.store.labels import Samples
from editgauge.store.run import Run
from editgauge.study import assign
from editgauge.study.answers import rows_of
from editgauge.study.design import Design, read_design
from editgauge.study.pictures import Pictures
from editgauge.study.ratings import FOLDER, ImportedRatings, import_ratings, known_of
from editgauge.study.scales import SCORERS
from editgauge.types import Row, Status
from editgauge.web.log import Log

SUFFIX = ".sqlite"
_START = "study start"
Outputs = dict[tuple[str, str], str]


def outputs_of(run: Run, benchmark: str) -> Outputs:
    """(sample, editor) -> path in the run, of every output that is there and is a picture."""
    return {
        (record.sample, record.editor): record.path
        for record in run.edits(benchmark)
        if record.status is Status.SCORED and record.path and run.picture(record.path)
    }


def editors_by_sample(outputs: Outputs) -> dict[str, list[str]]:
    """Sample -> its editors with an output, by name."""
    editors: dict[str, list[str]] = {}
    for sample, editor in sorted(outputs):
        editors.setdefault(sample, []).append(editor)
    return editors


def designed(run: Run, path: Path, benchmark: str = "") -> tuple[Design, Outputs]:
    """The design in a file for this run, and the run's outputs."""
    name = known_of(run, benchmark).benchmark
    outputs = outputs_of(run, name)
    samples = Samples(run.samples(name))
    return read_design(path, samples, editors_by_sample(outputs), name), outputs


def begin(run: Run, design: Design, outputs: Outputs, annotators: Sequence[str]) -> dict[str, str]:
    """Assign every sample, write the study into the run and record it there; returns pseudonym ->
    token. Tokens are kept nowhere.
    """
    if design.name in _elsewhere(run):
        raise UsageError(
            f"{run.path.name}: a study {design.name!r} of this run was started on another "
            f"machine, and stays there; give this one another name"
        )
    tasks = assign.assign(design, editors_by_sample(outputs), len(annotators))
    path = run.path / FOLDER / f"{design.name}{SUFFIX}"
    tokens = assign.start(path, design, annotators, tasks)
    run.record(_START, study=design.name, annotators=len(annotators), samples=len(design.drawn))
    return dict(zip(annotators, tokens, strict=True))


def state_of(run: Run, name: str = "") -> tuple[dict[str, Any], list[str]]:
    """How far a study is, by default the run's only one, as JSON values and in words; answers
    become rows of the run. Raises `UsageError` for a study that is not there.
    """
    with _reading(study_path(run, name)) as log:
        people, missing = list(assign.progress(log)), assign.missing(log)
    counts = collect(run)
    lines = []
    for one in people:
        checks = f", checks {one.checks_passed} passed {one.checks_failed} failed"
        checks = checks if one.checks_passed or one.checks_failed else ""
        revoked = " (link revoked)" if one.revoked else ""
        done = f"{one.done} of {one.total}, {one.seconds:.0f} s each"
        lines.append(f"{one.pseudonym}: {done}{checks}{revoked}")
    new = counts.new + counts.changed
    lines.append(f"{missing} ratings of samples to come; {new} new in the run")
    return {"annotators": [one._asdict() for one in people], "missing": missing}, lines


def studies(run: Run) -> list[Path]:
    """The files of the run's studies, by name."""
    return sorted((run.path / FOLDER).glob(f"*{SUFFIX}"))


def _elsewhere(run: Run) -> set[str]:
    """Studies that were started in this run, by its manifest, and whose answers are not here: of a
    run on a store they stay on the machine that serves them.
    """
    entries = run.manifest()["entries"]
    begun = {str(e.get("study")) for e in entries if e.get("command") == _START}
    return begun - {path.stem for path in studies(run)}


def study_path(run: Run, name: str = "") -> Path:
    """The file of a study, by default of the only one. Raises `UsageError`."""
    there = {path.stem: path for path in studies(run)}
    chosen = name or (next(iter(there)) if len(there) == 1 else "")
    if chosen in there:
        return there[chosen]
    names = ", ".join(there) or "none; start one: editgauge study start RUN DESIGN.toml"
    away = "".join(f"; {one!r} was started on another machine" for one in sorted(_elsewhere(run)))
    raise UsageError(f"of {run.path.name}: wanted one of {names}{away}", argument="study")


def pictures_of(run: Run, design: Design) -> Pictures:
    """Blind copies of the pictures of a study."""
    records = {str(record["id"]): record for record in run.samples(design.benchmark)}
    return Pictures(run, records, outputs_of(run, design.benchmark))


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


def pseudonyms_of(word: str) -> list[str]:
    """A number of annotators as ``rater-1``…, or pseudonyms joined by commas."""
    if word.strip().isdigit():
        return [f"rater-{number}" for number in range(1, min(int(word), 1000) + 1)]
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
    with Log(path) as log:
        design = assign.design_of(log)
        pictures = pictures_of(run, design)
        ahead = (pictures, [*design.training.samples, *design.drawn], design.editors)
        threading.Thread(target=Pictures.make, args=ahead, daemon=True).start()
        yield design, study_application(log, pictures, hosts=hosts)
