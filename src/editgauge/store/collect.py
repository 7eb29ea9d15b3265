"""Outputs that somebody else made: find them in a folder of official naming and take them into the
run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError, ImageError, ImageTooLarge
from editgauge.images import MAX_FILE_BYTES, read_header
from editgauge.store import paths
from editgauge.store.copies import same
from editgauge.store.hashes import HashStore
from editgauge.store.local_copies import local_folder
from editgauge.store.outputs import OutputFolder, given_back, model_folder
from editgauge.store.paths import plain_name, portable
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Sample, Status

_TOGETHER = 64
"""Outputs that a thread is given at once: a task of its own for each costs more than a decoding."""


def editors_in(outputs: Path, samples: Sequence[Sample]) -> dict[str, Path]:
    """The editors of an outputs folder: each of its sub-folders that holds at least one output, by
    name.

    Raises `DataError` when the folder is not there or no sub-folder holds an output of these
    samples.
    """
    model_folder(outputs, None)
    found = {
        folder.name: folder
        for folder in sorted(outputs.iterdir())
        if folder.is_dir() and not folder.name.startswith(".") and _holds_any(folder, samples)
    }
    if not found:
        wanted = samples[0].output_stems[0] if samples else "…"
        raise DataError(
            f"{outputs}: no outputs found; wanted files such as "
            f"{outputs.name}/<editor>/{wanted}.png "
            "(or name the editor with --editor when the folder is the editor's own)"
        )
    return found


def outputs_of(outputs: Path, editor: str, samples: Sequence[Sample]) -> Path:
    """The folder of one editor's outputs: `outputs`/`editor` when that is there, else `outputs`
    itself.

    Raises `DataError` when neither is a folder with at least one output of these samples.
    """
    plain_name(editor)
    folder = model_folder(outputs, editor)
    if _holds_any(folder, samples):
        return folder
    wanted = samples[0].output_stems[0] if samples else "…"
    near = sorted(p.name for p in outputs.iterdir() if p.is_dir())[:8] if outputs.is_dir() else []
    raise DataError(
        f"{outputs}: no outputs of {editor!r} found; wanted files such as {editor}/{wanted}.png, "
        f"found {'the folders ' + ', '.join(near) if near else 'nothing of the kind'}; files of "
        f"other names: see editgauge import-outputs"
    )


def _holds_any(folder: Path, samples: Sequence[Sample]) -> bool:
    outputs = OutputFolder(folder)
    return any(outputs.find(sample) for sample in samples)


def import_outputs(
    run: Run,
    benchmark: str,
    editor: str,
    folder: Path,
    samples: Iterable[Sample],
    hashes: HashStore,
    named: Mapping[str, Path] | None = None,
    *,
    known: Mapping[str, EditRecord] | None = None,
) -> list[EditRecord]:
    """Record the output, or its absence, of one editor for each sample; keep the files in the run;
    return the records.

    Nothing is resized or decoded: the first bytes are read. An output that is the same as at the
    last call costs a look at its size and time. Whether one was given back says `tell`. `named`:
    sample id -> its file, where the names are not the official ones. `known`: sample id -> the
    editor's record in the run, from who has read them already.
    """
    if known is None:
        known = _by_editor(run, benchmark).get(editor, {})
    outputs = OutputFolder(folder, named)
    records = [
        _take(run, benchmark, editor, outputs, sample, hashes, known.get(sample.id))
        for sample in samples
    ]
    new = _changed(records, known)
    run.write_edits(new)
    return records


def _take(
    run: Run,
    benchmark: str,
    editor: str,
    outputs: OutputFolder,
    sample: Sample,
    hashes: HashStore,
    old: EditRecord | None,
) -> EditRecord:
    try:
        file = outputs.find(sample)
        if file is None:
            return EditRecord(
                benchmark=benchmark,
                sample=sample.id,
                editor=editor,
                status=Status.MISSING,
                reason="no output file",
            )
        stem = sample.output_stems[0]
        if "/" in stem or stem in ("", "."):
            stem = str(PurePosixPath(stem))
        place = f"edits/{plain_name(benchmark)}/{plain_name(editor)}/{stem}{file.suffix.lower()}"
        kept = f"{run.path}{os.sep}{place}"
        taken = same(file, kept)
        if not taken:
            _need_readable(file)
    except DataError as error:
        reason = portable(str(error), [outputs.root])
        return EditRecord(
            benchmark=benchmark,
            sample=sample.id,
            editor=editor,
            status=Status.UNREADABLE,
            reason=reason,
        )
    why = paths.misplaced(place, f"edits/{benchmark}/{editor}")
    if why is not None:
        reason = f"its output name {sample.output_stems[0]!a}: {why}; correct the data"
        return EditRecord(
            benchmark=benchmark,
            sample=sample.id,
            editor=editor,
            status=Status.DATASET_FAULT,
            reason=reason,
        )
    if not taken:
        run.keep(file, Path(place), hashes)
    elif old is not None and old.path == place and hashes(kept) != old.fingerprint:
        os.unlink(kept)  # changed in the run, behind its size and time
        run.keep(file, Path(place), hashes)
    mark = hashes(kept)  # of what is kept: the file outside may change at any moment
    if old is not None and old.fingerprint == mark and old.path == place:
        return old
    try:
        header = read_header(Path(kept))
    except ImageError as error:
        reason = portable(str(error), [run.path])
        return EditRecord(
            benchmark=benchmark,
            sample=sample.id,
            editor=editor,
            status=Status.UNREADABLE,
            reason=reason,
            fingerprint=mark,
            path=place,
        )
    return EditRecord(
        benchmark=benchmark,
        sample=sample.id,
        editor=editor,
        status=Status.SCORED,
        path=place,
        fingerprint=mark,
        width=header.width,
        height=header.height,
        detail={"source": "folder", "format": header.format},
    )


def tell(run: Run, records: Sequence[EditRecord], samples: Iterable[Sample]) -> list[EditRecord]:
    """Say of each output whether it is its input handed back (`EditRecord.given_back`), and keep
    that in the run; return the records in their order.

    What a record knows already is not looked up again. Outputs of their input's size are decoded,
    which takes about as long as scoring them: `score` does this last. Of those that cannot be told
    the record says nothing (None).
    """
    by_id = {sample.id: sample for sample in samples}
    open_ones = [
        number
        for number, record in enumerate(records)
        if record.given_back is None
        and record.status is Status.SCORED
        and record.path is not None
        and record.sample in by_id
    ]
    found = list(records)

    def told(numbers: Sequence[int]) -> list[bool | None]:
        return [given_back(run.path / str(found[n].path), by_id[found[n].sample]) for n in numbers]

    parts = [open_ones[start : start + _TOGETHER] for start in range(0, len(open_ones), _TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # decoding lets other threads run
        for numbers, answers in zip(parts, pool.map(told, parts), strict=True):
            for number, answer in zip(numbers, answers, strict=True):
                found[number] = replace(found[number], given_back=answer)
    new = [record for record, old in zip(found, records, strict=True) if record != old]
    if new:
        run.write_edits(new)
    return found


def _need_readable(file: Path) -> None:
    """Raises `ImageError` for an output that cannot be taken: no rights, too large, or a link to
    something that is no picture (a link may lead to any file of this machine).
    """
    if file.is_symlink():
        read_header(file)
    try:
        with file.open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
    except OSError as error:
        raise ImageError(f"{file}: cannot be read ({error.strerror or error})") from error
    if size > MAX_FILE_BYTES:
        raise ImageTooLarge(
            f"{file}: {size:,} bytes, wanted at most {MAX_FILE_BYTES:,}; shrink the file"
        )


def refresh(
    run: Run,
    benchmark: str,
    editor: str,
    samples: Sequence[Sample],
    hashes: HashStore,
    known: Mapping[str, EditRecord],
) -> list[EditRecord]:
    """The records of an editor whose outputs are in the run already, one for each sample. `known`:
    sample id -> the editor's record in the run.

    A file that was replaced or removed by hand since gets a new record, and `Run.problems`
    names one that was replaced; a sample without any is `Status.MISSING`.
    """
    there = [sample for sample in samples if sample.id in known]
    again = [_look_again(run, known[sample.id], hashes) for sample in there]
    run.problems += [
        f"{record.path}: another picture than the one of {editor} that the run was given; from now "
        f"on it counts as the output"
        for record in again
        if record.fingerprint not in ("", known[record.sample].fingerprint)
    ]
    seen = {record.sample: record for record in again}
    records = [
        seen.get(sample.id)
        or EditRecord(
            benchmark=benchmark,
            sample=sample.id,
            editor=editor,
            status=Status.MISSING,
            reason="not edited yet",
        )
        for sample in samples
    ]
    new = _changed(again, known)
    run.write_edits(new)
    return records


def _look_again(run: Run, old: EditRecord, hashes: HashStore) -> EditRecord:
    if old.path is None:
        return old
    path = run.path / old.path
    why = paths.fault(run.path, old.path, "edits")
    if why not in (None, "not there"):
        return replace(
            old,
            status=Status.UNREADABLE,
            fingerprint="",
            width=None,
            height=None,
            reason=f"{old.path}: {why}; it is not opened",
        )
    if why is not None:
        return replace(
            old,
            status=Status.MISSING,
            path=None,
            fingerprint="",
            width=None,
            height=None,
            given_back=None,
            reason="its output is no longer in the run folder",
        )
    if (mark := hashes(path)) == old.fingerprint:
        return old
    try:
        header = read_header(path)
    except ImageError as error:
        reason = portable(str(error), [run.path])
        return replace(
            old,
            status=Status.UNREADABLE,
            reason=reason,
            fingerprint=mark,
            width=None,
            height=None,
            given_back=None,
        )
    return replace(
        old,
        status=Status.SCORED,
        reason="",
        fingerprint=mark,
        width=header.width,
        height=header.height,
        given_back=None,
    )


def _changed(records: Iterable[EditRecord], known: Mapping[str, EditRecord]) -> list[EditRecord]:
    """The records that say another thing than those of the run. Most are the very same object."""
    pairs = ((record, known.get(record.sample)) for record in records)
    return [record for record, old in pairs if record is not old and record != old]


def _by_editor(run: Run, benchmark: str) -> dict[str, dict[str, EditRecord]]:
    """Editor -> sample id -> its record: the records of a run are read once for all editors."""
    found: dict[str, dict[str, EditRecord]] = {}
    for record in run.edits(benchmark):
        found.setdefault(record.editor, {})[record.sample] = record
    return found


def edits_of(
    run: Run,
    benchmark: str,
    outputs: Path | None,
    editors: Sequence[str],
    samples: Sequence[Sample],
    hashes: HashStore,
) -> list[EditRecord]:
    """The records of the wanted editors (all of them when none is named): taken in from `outputs`
    (a folder, or an address: see `store.local_copies`), or those of the run.

    Raises `DataError` for an editor without outputs.
    """
    outputs = local_folder(outputs)
    there = _by_editor(run, benchmark)
    if outputs is not None:
        places = (
            {name: outputs_of(outputs, name, samples) for name in editors}
            if editors
            else editors_in(outputs, samples)
        )
        return [
            record
            for name, place in places.items()
            for record in import_outputs(
                run, benchmark, name, place, samples, hashes, known=there.get(name, {})
            )
        ]
    known = sorted(there)
    for name in editors:
        if name not in known:
            raise DataError(
                f"editor {name!r}: the run has no outputs of it on {benchmark} (it has: "
                f"{', '.join(known) or 'none'}); "
                f"give --outputs DIR, or make them: editgauge edit {benchmark} … --editor {name} "
                f"--run {run.path.name}"
            )
    if not known:
        raise DataError(
            f"{run.path.name}: no outputs of {benchmark} in the run; give --outputs DIR, or make "
            f"some: "
            f"editgauge edit {benchmark} … --editor copy --run {run.path.name}"
        )
    return [
        record
        for name in (editors or known)
        for record in refresh(run, benchmark, name, samples, hashes, there[name])
    ]
