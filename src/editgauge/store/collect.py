"""Outputs that somebody else made: find them in a folder of official naming and take them into the
run; look again at those that are in the run already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

from editgauge.errors import DataError, ImageError
from editgauge.images import read_header
from editgauge.store import paths
from editgauge.store.hashes import HashStore, same
from editgauge.store.outputs import OutputFolder, given_back
from editgauge.store.paths import plain_name, portable
from editgauge.store.remote import local_folder
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Sample, Status

_TOGETHER = 64
"""Outputs that a thread is given at once: a task of its own for each costs more than a decoding."""


def editors_in(
    outputs: Path, samples: Sequence[Sample], editors: Sequence[str] = ()
) -> dict[str, OutputFolder]:
    """Editor -> the folder of its outputs. Of these editors: `outputs`/<editor> when that is there,
    else `outputs` itself. Of all: each sub-folder that holds at least one output, by name; else the
    folder itself, as one editor's of its name. Raises `DataError` when `outputs` is not there, and
    where nothing in a folder is an output of these samples.
    """
    if not outputs.is_dir():
        there = "a file" if outputs.exists() else "nothing"
        raise DataError(f"{outputs}: wanted a folder of outputs, found {there}; check the path")

    def holds_any(folder: OutputFolder) -> bool:
        return any(folder.find(sample) for sample in samples)

    folders = {one.name: OutputFolder(one) for one in sorted(outputs.iterdir()) if one.is_dir()}
    itself = OutputFolder(outputs)
    if editors:
        folders_of = {name: folders.get(plain_name(name), itself) for name in editors}
    else:
        folders_of = {
            name: one for name, one in folders.items() if name[0] != "." and holds_any(one)
        }
        folders_of = folders_of or {outputs.name: itself}
    for name, folder in folders_of.items():
        if not holds_any(folder):
            wanted = f"{samples[0].output_stems[0] if samples else '…'}.png"
            message = f"no outputs of {name!r} found" if editors else "no outputs found"
            raise DataError(
                f"{outputs}: {message}; wanted files such as {outputs.name}/<editor>/{wanted}, or "
                f"{outputs.name}/{wanted} of one editor, found the folders: "
                f"{', '.join([*folders][:8]) or 'none'}; files of other names: see editgauge import"
            )
        plain_name(name)
    return folders_of


Takes = Callable[[Sequence[Sample]], list[EditRecord]]
"""What brings the outputs of one editor on some samples up to date, and gives their records."""


def takes_of(
    run: Run,
    benchmark: str,
    outputs: Path | None,
    editors: Sequence[str],
    samples: Sequence[Sample],
    hashes: HashStore,
) -> dict[str, Takes]:
    """The wanted editors (all of them when none is named), each with what takes its outputs in from
    `outputs` (a folder, or an address: see `store.remote`), or looks at those of the run.

    Raises `DataError` for an editor without outputs.
    """
    outputs = local_folder(outputs)
    there: dict[str, dict[str, EditRecord]] = {}
    for record in run.edits(benchmark):
        there.setdefault(record.editor, {})[record.sample] = record
    if outputs is not None:
        return {
            name: Folder(run, benchmark, name, hashes, folder, there.get(name, {}))
            for name, folder in editors_in(outputs, samples, editors).items()
        }
    for name in editors or [*sorted(there)] or [""]:
        if name not in there:
            raise DataError(
                f"{run.place}: the run has no outputs{f' of {name}' if name else ''} on "
                f"{benchmark} (it has: {', '.join(sorted(there)) or 'none'}); give a folder of "
                f"outputs, or make them: editgauge edit {benchmark} … --editor {name or 'copy'} "
                f"--run {run.place}"
            )
    return {
        name: partial(_refreshed, run, benchmark, name, hashes, there[name])
        for name in editors or sorted(there)
    }


def edits_of(
    run: Run,
    benchmark: str,
    outputs: Path | None,
    editors: Sequence[str],
    samples: Sequence[Sample],
    hashes: HashStore,
) -> list[EditRecord]:
    """The records of the wanted editors' outputs on these samples: see `takes_of`."""
    takes = takes_of(run, benchmark, outputs, editors, samples, hashes)
    return [record for take in takes.values() for record in take(samples)]


@dataclass(slots=True)
class Folder:
    """Takes one editor's outputs from a folder: records the output, or its absence, of each sample,
    and keeps the files in the run.

    Nothing is resized or decoded: the first bytes are read. An output that is the same as at the
    last call costs a look at its size and time. `known`: sample id -> the editor's record in the
    run.
    """

    run: Run
    benchmark: str
    editor: str
    hashes: HashStore
    outputs: OutputFolder
    known: Mapping[str, EditRecord]

    @classmethod
    def open(
        cls, run: Run, benchmark: str, editor: str, hashes: HashStore, outputs: OutputFolder
    ) -> Self:
        """With what the run has of the editor."""
        known = {one.sample: one for one in run.edits(benchmark) if one.editor == editor}
        return cls(run, benchmark, editor, hashes, outputs, known)

    def __call__(self, samples: Iterable[Sample]) -> list[EditRecord]:
        room, records = f"edits/{plain_name(self.benchmark)}/{plain_name(self.editor)}", []
        for sample in samples:
            if (file := self.outputs.find(sample)) is None:
                record = _without(self.benchmark, sample.id, self.editor, "no output file")
            else:
                place = f"{room}/{sample.output_stems[0]}{os.path.splitext(file)[1].lower()}"
                record = self._taken(place, file, sample.id)
            records.append(record)
        new = [one for one in records if one is not self.known.get(one.sample)]
        self.run.write_edits(one for one in new if one != self.known.get(one.sample))
        return records

    def _taken(self, place: str, file: str, sample: str) -> EditRecord:
        """The record of a file that is kept in the run; its hash is of what is kept."""
        old = self.known.get(sample)
        ours = old if old is not None and old.path == place else None
        if ours is None and (why := paths.misplaced(place)):
            reason = f"its output name {place!a}: {why}; correct the data"
            record = _without(self.benchmark, sample, self.editor, reason)
            return replace(record, status=Status.DATASET_FAULT)
        try:
            mark = self._kept(place, file, ours)
        except DataError as error:
            reason = portable(str(error), [self.outputs.root])
            record = _without(self.benchmark, sample, self.editor, reason)
            return replace(record, status=Status.UNREADABLE)
        if ours is not None and ours.fingerprint == mark:
            return ours
        new = _without(self.benchmark, sample, self.editor, "")
        new = replace(new, path=place, fingerprint=mark, detail={"source": "folder"})
        return _looked_at(new, self.run)

    def _kept(self, place: str, file: str, ours: EditRecord | None) -> str:
        """Keep the file; the hash of what is kept."""
        kept = f"{self.run.path}{os.sep}{place}"
        if (there := same(file, kept)) is not None:
            mark = self.hashes(kept, there)
            if ours is None or mark == ours.fingerprint:
                return mark
            os.unlink(kept)  # changed behind its size and time
        elif os.path.islink(file):  # it may lead to any file of this machine
            read_header(Path(file))
        copied = self.run.keep(file, place)
        if copied is None:  # another command was faster
            return self.hashes(kept)
        self.hashes.learn(kept, os.lstat(kept), copied[0])
        return copied[0]


def import_outputs(
    run: Run,
    benchmark: str,
    editor: str,
    folder: Path,
    samples: Iterable[Sample],
    hashes: HashStore,
    named: Mapping[str, Path] | None = None,
) -> list[EditRecord]:
    """Take one editor's outputs on these samples from a folder: see `Folder`. `named`: sample id ->
    its file, where the names are not the official ones.
    """
    return Folder.open(run, benchmark, editor, hashes, OutputFolder(folder, named))(samples)


def _without(benchmark: str, sample: str, editor: str, reason: str) -> EditRecord:
    return EditRecord(
        benchmark=benchmark, sample=sample, editor=editor, status=Status.MISSING, reason=reason
    )


def _looked_at(record: EditRecord, run: Run) -> EditRecord:
    """The record of a picture that is new, with what its first bytes say."""
    plain = replace(record, width=None, height=None, given_back=None, reason="")
    try:
        header = read_header(run.path / str(record.path))
    except ImageError as error:
        reason = portable(str(error), [run.path])
        return replace(plain, status=Status.UNREADABLE, reason=reason)
    detail = {**record.detail, "format": header.format} if record.detail else record.detail
    scored = replace(plain, status=Status.SCORED, detail=detail)
    return replace(scored, width=header.width, height=header.height)


def _refreshed(
    run: Run,
    benchmark: str,
    editor: str,
    hashes: HashStore,
    known: Mapping[str, EditRecord],
    samples: Sequence[Sample],
) -> list[EditRecord]:
    """The records of an editor whose outputs are in the run already.

    A file that was replaced or removed by hand since gets a new record, and `Run.problems`
    names one that was replaced; a sample without any is `Status.MISSING`.
    """
    records, changed = [], []
    for sample in samples:
        old = known.get(sample.id) or _without(benchmark, sample.id, editor, "not edited yet")
        record = _look_again(run, old, hashes)
        records.append(record)
        if record is not old:
            changed.append(record)
        if record.fingerprint not in ("", old.fingerprint):
            run.note(
                f"{record.path}: another picture than the one of {editor} that the run was given; "
                f"from now on it counts as the output"
            )
    run.write_edits(changed)
    return records


def _look_again(run: Run, old: EditRecord, hashes: HashStore) -> EditRecord:
    if old.path is None:
        return old
    why = paths.fault(run.path, old.path, "edits")
    if why is None:
        mark = hashes(f"{run.path}{os.sep}{old.path}")
        return old if mark == old.fingerprint else _looked_at(replace(old, fingerprint=mark), run)
    gone = replace(old, fingerprint="", width=None, height=None, given_back=None)
    if why == "not there":
        message = "its output is no longer in the run folder"
        return replace(gone, status=Status.MISSING, path=None, reason=message)
    return replace(gone, status=Status.UNREADABLE, reason=f"{old.path}: {why}; it is not opened")


def tell(run: Run, records: Sequence[EditRecord], samples: Iterable[Sample]) -> list[EditRecord]:
    """Say of each output whether it is its input handed back (`EditRecord.given_back`), and keep
    that in the run; return the records in their order.

    What a record knows already is not looked up again. Outputs of their input's size are decoded,
    which takes about as long as scoring them: `score` does this last. Of those that cannot be told
    the record says nothing (None).
    """
    by_id = {sample.id: sample for sample in samples}

    def told(part: Sequence[EditRecord]) -> list[EditRecord]:
        return [
            replace(one, given_back=given_back(run.path / one.path, by_id[one.sample]))
            if one.given_back is None and one.status is Status.SCORED and one.path
            and one.sample in by_id else one
            for one in part
        ]  # fmt: skip

    parts = [records[start : start + _TOGETHER] for start in range(0, len(records), _TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # decoding lets other threads run
        looked_at = [one for part in pool.map(told, parts) for one in part]
    pairs = zip(looked_at, records, strict=True)
    run.write_edits(new for new, old in pairs if new is not old and new != old)
    return looked_at
