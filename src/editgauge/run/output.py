"""One sample edited, checked and brought into the run: made under a temporary name and renamed into
its place; its record is written by the step (`run.edit`).
"""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

from editgauge import machine, temporary
from editgauge.editors.calling import AGAIN
from editgauge.errors import (
    BudgetExceeded,
    EditgaugeError,
    ImageError,
    MissingExtra,
    RunError,
    Unavailable,
)
from editgauge.images import EXTENSIONS, fingerprint, read_header
from editgauge.services.secrets import words
from editgauge.store import hashes, lease, paths
from editgauge.store.outputs import given_back, one_colour_of
from editgauge.store.paths import plain_name, portable, without_roots
from editgauge.store.schema import EditRecord
from editgauge.types import Edit, Editor, Sample, Status

STOPS = (Unavailable, MissingExtra)
"""What ends an editing call at once: no other sample would fare better."""


def no_output(
    benchmark: str, sample: Sample, editor: str, status: Status, reason: str
) -> EditRecord:
    """The record of a sample that has no output."""
    return EditRecord(
        benchmark=benchmark, sample=sample.id, editor=editor, status=status, reason=reason
    )


def edit_one(
    run: Path, benchmark: str, sample: Sample, editor: Editor, again: str = ""
) -> EditRecord:
    """Call the editor on one sample, bring its output into the run, and return the record (not yet
    written). `again` stands for the outcome that a user's retry replaces: a service is told that
    this is another call.

    Whatever the editor raises becomes a record with a status and a reason, but for `RunError`,
    `BudgetExceeded`, and what says that the editor cannot work at all (`STOPS`). Raises `RunError`
    when the machine is at fault, a full disk for example: that is no failure of the editor's.
    """
    stem = PurePosixPath(sample.output_stems[0])
    if why := paths.misplaced(str(stem)):  # stems come from metadata
        why = f"sample {sample.id!r}: its output name {str(stem)!r} {why}; correct the data"
        return no_output(benchmark, sample, editor.name, Status.DATASET_FAULT, why)
    with temporary.folder(paths.folder(run, lease.TEMPORARY)) as scratch:
        began = time.perf_counter()
        if again:
            (scratch / AGAIN).write_text(again, encoding="ascii")
        if sample.fault is not None:
            edit = Edit.without(sample.id, editor.name, Status.DATASET_FAULT, sample.fault)
        else:
            edit = _checked(_call(editor, sample, scratch), sample, editor)
        if edit.seconds is None:
            edit = replace(edit, seconds=round(time.perf_counter() - began, 6))
        if edit.path is None and sample.fault is None:
            machine.raise_full_disk(edit.reason, scratch)
        return _into_place(run, benchmark, sample, stem, edit, scratch)


def _call(editor: Editor, sample: Sample, scratch: Path) -> Edit:
    try:
        return editor(sample, scratch)
    except (RunError, BudgetExceeded, *STOPS):
        raise
    except (Exception, SystemExit) as error:  # somebody's model: its crash is a record
        machine.raise_fault(error, scratch)
        status, reason = Status.FAILED, words(f"{type(error).__name__}: {error}")
        if isinstance(error, EditgaugeError):
            reason = str(error)
            status = Status.DATASET_FAULT if isinstance(error, ImageError) else status
        return Edit.without(sample.id, editor.name, status, reason)


def _checked(made: object, sample: Sample, editor: Editor) -> Edit:
    """The edit, or a failed one when the editor gave back something else, or another's."""
    path: object = getattr(made, "path", None)
    if not isinstance(made, Edit):
        why = f"wanted an Edit, found {type(made).__name__}"
    elif (made.sample, made.editor) != (sample.id, editor.name):
        why = f"wanted an edit of {sample.id!r}, found one of {made.sample!r} by {made.editor!r}"
    elif (path is None) == (made.status is Status.SCORED):
        why = f"status {made.status} with {'no file' if path is None else 'a file'}"
    elif not isinstance(path, Path | None):
        why = f"path: wanted a Path, found {type(path).__name__}"
    elif not all(
        isinstance(one, int | float | None) for one in (made.seed, made.seconds, made.cost)
    ):
        why = "seed, seconds, cost: wanted numbers"
    else:
        return made
    return Edit.without(sample.id, editor.name, Status.FAILED, f"the editor's answer: {why}")


_FACTS = ("status", "seed", "seconds", "cost", "instruction")


def _into_place(
    run: Path, benchmark: str, sample: Sample, stem: PurePosixPath, made: Edit, scratch: Path
) -> EditRecord:
    """Bring a delivered file into the run: from the editor's own folder moved, else copied."""
    facts = {name: getattr(made, name) for name in _FACTS}
    facts |= {name: without_roots(getattr(made, name), [run]) for name in ("settings", "detail")}
    reason = portable(made.reason, [run])
    record = EditRecord(
        benchmark=benchmark, sample=sample.id, editor=made.editor, reason=reason, **facts
    )
    if made.path is None:
        return record
    try:
        header = read_header(made.path)
    except ImageError as error:
        return replace(record, status=Status.UNREADABLE, reason=portable(str(error), [run]))
    place = PurePosixPath("edits", plain_name(benchmark), plain_name(made.editor), stem)
    place = place.with_name(stem.name + header.extension)
    try:
        file = _own_file(made.path, scratch)
        mark, back = fingerprint(file), given_back(file, sample)
        above = paths.folder(run, place.parent)
        for extension in EXTENSIONS:  # an older output of another format would be found first
            (above / (stem.name + extension)).unlink(missing_ok=True)
        os.replace(file, above / place.name)
    except OSError as error:
        raise paths.unwritable(run / place, error) from error
    detail = {**record.detail, **one_colour_of(above / place.name)}
    record = replace(
        record, width=header.width, height=header.height, given_back=back, detail=detail
    )
    return replace(record, path=str(place), fingerprint=mark)


def _own_file(path: Path, scratch: Path) -> Path:
    """The delivered file, or a copy where it is somebody's (perhaps under a name of ours)."""
    shared = path.is_symlink() or path.stat().st_nlink > 1
    if not shared and path.resolve().is_relative_to(scratch.resolve()):
        return path
    copied = scratch / f"copy-{secrets.token_hex(4)}"
    hashes.copy(path, copied)
    return copied
