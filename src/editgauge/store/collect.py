"""Outputs that somebody else made: find them in a folder of official naming and take them into the
run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError, ImageError, ImageTooLarge
from editgauge.images import MAX_FILE_BYTES, read_header
from editgauge.store import paths
from editgauge.store.copies import same
from editgauge.store.hashes import HashStore
from editgauge.store.outputs import OutputFolder, given_back, model_folder
from editgauge.store.paths import plain_name, portable
from editgauge.store.remote import local_folder
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Sample, Status

_TOGETHER = 64
"""Outputs that a thread is given at once: a task of its own for each costs more than a decoding."""


# -- which folders ---------------------------------------------------------------------------------


def editors_in(outputs: Path, samples: Sequence[Sample]) -> dict[str, Path]:
    """The editors of an outputs folder: each of its sub-folders that holds at least one output, by
    name.

    Raises `DataError` when the folder is not there or no sub-folder holds an output of these
    samples.
    """
    model_folder(outputs, None)
    folders = [one for one in sorted(outputs.iterdir()) if one.is_dir() and one.name[0] != "."]
    found = {folder.name: folder for folder in folders if _holds_any(folder, samples)}
    if not found:
        raise DataError(
            f"{outputs}: no outputs found; wanted files such as "
            f"{outputs.name}/<editor>/{_wanted(samples)}.png "
            "(or name the editor with --editor when the folder is the editor's own)"
        )
    return found


def outputs_of(outputs: Path, editor: str, samples: Sequence[Sample]) -> Path:
    """The folder of one editor's outputs: `outputs`/`editor` when that is there, else `outputs`
    itself.

    Raises `DataError` when neither is a folder with at least one output of these samples.
    """
    folder = model_folder(outputs, plain_name(editor))
    if _holds_any(folder, samples):
        return folder
    near = sorted(one.name for one in outputs.iterdir() if one.is_dir())[:8]
    raise DataError(
        f"{outputs}: no outputs of {editor!r} found; wanted files such as "
        f"{editor}/{_wanted(samples)}.png, found "
        f"{'the folders ' + ', '.join(near) if near else 'nothing of the kind'}; files of other "
        f"names: see editgauge import"
    )


def _wanted(samples: Sequence[Sample]) -> str:
    return samples[0].output_stems[0] if samples else "…"


def _holds_any(folder: Path, samples: Sequence[Sample]) -> bool:
    outputs = OutputFolder(folder)
    return any(outputs.find(sample) for sample in samples)


def edits_of(
    run: Run,
    benchmark: str,
    outputs: Path | None,
    editors: Sequence[str],
    samples: Sequence[Sample],
    hashes: HashStore,
) -> list[EditRecord]:
    """The records of the wanted editors (all of them when none is named): taken in from `outputs`
    (a folder, or an address: see `store.remote`), or those of the run.

    Raises `DataError` for an editor without outputs.
    """
    outputs = local_folder(outputs)
    there: dict[str, dict[str, EditRecord]] = {}
    for record in run.edits(benchmark):
        there.setdefault(record.editor, {})[record.sample] = record
    found: list[EditRecord] = []
    if outputs is not None:
        chosen = {name: outputs_of(outputs, name, samples) for name in editors}
        places = chosen or editors_in(outputs, samples)
        for name, place in places.items():
            known = there.get(name, {})
            found += import_outputs(run, benchmark, name, place, samples, hashes, known=known)
        return found
    _need_editors(run, benchmark, editors, sorted(there))
    for name in editors or sorted(there):
        found += refresh(run, benchmark, name, samples, hashes, there[name])
    return found


def _need_editors(run: Run, benchmark: str, editors: Sequence[str], known: Sequence[str]) -> None:
    missing = [name for name in editors if name not in known]
    if missing:
        raise DataError(
            f"editor {missing[0]!r}: the run has no outputs of it on {benchmark} (it has: "
            f"{', '.join(known) or 'none'}); give --outputs DIR, or make them: editgauge edit "
            f"{benchmark} … --editor {missing[0]} --run {run.path.name}"
        )
    if not known:
        raise DataError(
            f"{run.path.name}: no outputs of {benchmark} in the run; give --outputs DIR, or make "
            f"some: editgauge edit {benchmark} … --editor copy --run {run.path.name}"
        )


# -- taken in --------------------------------------------------------------------------------------


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
        known = {one.sample: one for one in run.edits(benchmark) if one.editor == editor}
    taking = _Taking(run, benchmark, editor, OutputFolder(folder, named), hashes)
    records = [taking.take(sample, known.get(sample.id)) for sample in samples]
    run.write_edits(_changed(records, known))
    return records


@dataclass(frozen=True, slots=True)
class _Taking:
    """The outputs of one editor on their way into a run."""

    run: Run
    benchmark: str
    editor: str
    outputs: OutputFolder
    hashes: HashStore

    def take(self, sample: Sample, old: EditRecord | None) -> EditRecord:
        try:
            file = self.outputs.find(sample)
            if file is None:
                return self._without(sample, Status.MISSING, "no output file")
            place, room = self._place(sample, file)
            taken = same(file, self.run.path / place)
            if not taken:
                _need_readable(file)
        except DataError as error:
            return self._without(sample, Status.UNREADABLE, self._told(error))
        if why := paths.misplaced(place, room):
            reason = f"its output name {sample.output_stems[0]!a}: {why}; correct the data"
            return self._without(sample, Status.DATASET_FAULT, reason)
        mark = self._kept(file, place, taken, old)
        if old is not None and old.fingerprint == mark and old.path == place:
            return old
        return _looked_at(
            EditRecord(
                benchmark=self.benchmark,
                sample=sample.id,
                editor=self.editor,
                status=Status.SCORED,
                path=place,
                fingerprint=mark,
                detail={"source": "folder"},
            ),
            self.run,
        )

    def _place(self, sample: Sample, file: Path) -> tuple[str, str]:
        """Where an output lies in the run, and its room."""
        room = f"edits/{plain_name(self.benchmark)}/{plain_name(self.editor)}"
        stem = sample.output_stems[0]
        if "/" in stem or stem in ("", "."):
            stem = str(PurePosixPath(stem))
        return f"{room}/{stem}{file.suffix.lower()}", room

    def _kept(self, file: Path, place: str, taken: bool, old: EditRecord | None) -> str:
        """Keep the file; the hash of what is kept: the file outside may change at any moment."""
        kept = f"{self.run.path}{os.sep}{place}"
        known = taken and old is not None and old.path == place
        if known and old is not None and self.hashes(kept) != old.fingerprint:
            os.unlink(kept)  # changed behind its size and time
            taken = False
        if not taken:
            self.run.keep(file, Path(place), self.hashes)
        return self.hashes(kept)

    def _told(self, error: DataError) -> str:
        return portable(str(error), [self.outputs.root])

    def _without(self, sample: Sample, status: Status, reason: str) -> EditRecord:
        return EditRecord(
            benchmark=self.benchmark,
            sample=sample.id,
            editor=self.editor,
            status=status,
            reason=reason,
        )


def _looked_at(record: EditRecord, run: Run) -> EditRecord:
    """The record of a picture that is new, with what its first bytes say."""
    plain = replace(record, width=None, height=None, given_back=None, reason="")
    try:
        header = read_header(run.path / str(record.path))
    except ImageError as error:
        told = portable(str(error), [run.path])
        return replace(plain, status=Status.UNREADABLE, reason=told)
    detail = {**record.detail, "format": header.format} if record.detail else record.detail
    scored = replace(plain, status=Status.SCORED, detail=detail)
    return replace(scored, width=header.width, height=header.height)


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


# -- in the run already ----------------------------------------------------------------------------


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
    seen = {
        sample.id: _look_again(run, known[sample.id], hashes)
        for sample in samples
        if sample.id in known
    }
    for name, record in seen.items():
        if record.fingerprint not in ("", known[name].fingerprint):
            run.note(
                f"{record.path}: another picture than the one of {editor} that the run was given; "
                f"from now on it counts as the output"
            )
    run.write_edits(_changed(seen.values(), known))
    none = EditRecord(
        benchmark=benchmark,
        sample="",
        editor=editor,
        status=Status.MISSING,
        reason="not edited yet",
    )
    return [seen.get(sample.id) or replace(none, sample=sample.id) for sample in samples]


def _look_again(run: Run, old: EditRecord, hashes: HashStore) -> EditRecord:
    if old.path is None:
        return old
    why = paths.fault(run.path, old.path, "edits")
    if why is None:
        mark = hashes(run.path / old.path)
        return old if mark == old.fingerprint else _looked_at(replace(old, fingerprint=mark), run)
    gone = replace(old, fingerprint="", width=None, height=None, given_back=None)
    if why == "not there":
        told = "its output is no longer in the run folder"
        return replace(gone, status=Status.MISSING, path=None, reason=told)
    return replace(gone, status=Status.UNREADABLE, reason=f"{old.path}: {why}; it is not opened")


def _changed(records: Iterable[EditRecord], known: Mapping[str, EditRecord]) -> list[EditRecord]:
    """The records that say another thing than those of the run. Most are the very same object."""
    pairs = ((record, known.get(record.sample)) for record in records)
    return [record for record, old in pairs if record is not old and record != old]


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
        if record.given_back is None and record.status is Status.SCORED and record.path is not None
        if record.sample in by_id
    ]
    found = list(records)

    def told(numbers: Sequence[int]) -> list[bool | None]:
        return [given_back(run.path / str(found[n].path), by_id[found[n].sample]) for n in numbers]

    parts = [open_ones[start : start + _TOGETHER] for start in range(0, len(open_ones), _TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # decoding lets other threads run
        for numbers, answers in zip(parts, pool.map(told, parts), strict=True):
            for number, answer in zip(numbers, answers, strict=True):
                found[number] = replace(found[number], given_back=answer)
    run.write_edits(new for new, old in zip(found, records, strict=True) if new != old)
    return found
