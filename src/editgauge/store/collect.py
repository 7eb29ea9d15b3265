"""Outputs that somebody else made: find them in a folder of official naming and take them into the
run; look again at those that are in the run already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from editgauge.errors import DataError, ImageError, RunError
from editgauge.images import EXTENSIONS, read_header
from editgauge.store import paths
from editgauge.store.hashes import HashStore
from editgauge.store.outputs import ONE_COLOUR, OutputFolder, given_back, one_colour_of
from editgauge.store.paths import plain_name, portable
from editgauge.store.remote import local_folder
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Sample, Status

_TOGETHER = 64
"""Outputs that a thread is given at once: a task of its own for each costs more than a decoding."""
_NOT_YET = "not edited yet"
Takes = Callable[[Sequence[Sample]], list[EditRecord]]
"""What brings the outputs of one editor on some samples up to date, and gives their records."""


def editors_in(
    outputs: Path, samples: Sequence[Sample], editors: Sequence[str] = ()
) -> dict[str, OutputFolder]:
    """Editor -> the folder of its outputs. Of these editors: `outputs`/<editor> when that is there,
    else `outputs` itself. Of all: each sub-folder that holds at least one output, by name; else the
    folder itself, as one editor's of its name. Raises `DataError` when `outputs` is not there, and
    where nothing in a folder is an output of these samples.
    """
    if not outputs.is_dir():
        raise DataError(f"{outputs}: wanted a folder of outputs, found none; check the path")
    folders = {one.name: OutputFolder(one) for one in sorted(outputs.iterdir()) if one.is_dir()}
    whole = OutputFolder(outputs)

    def holds(folder: OutputFolder) -> bool:
        return any(map(folder.find, samples))

    every = [name for name in folders if _can_be_editor(name) and holds(folders[name])]
    for name in (wanted := editors or every or [outputs.absolute().name]):
        if not holds(folders.get(name, whole)):
            file = f"{samples[0].output_stems[0] if samples else '…'}.png"
            raise DataError(
                f"{outputs}: no outputs found; wanted files such as {outputs.name}/"
                f"{name if editors else '<editor>'}/{file}, or {outputs.name}/{file} of one "
                f"editor, found the folders: {', '.join([*folders][:8]) or 'none'}; "
                f"{import_of(samples[0].benchmark if samples else 'BENCHMARK', outputs)}"
            )
    return {plain_name(name): folders.get(name, whole) for name in wanted}


def import_of(benchmark: str, outputs: Path) -> str:
    """The next step where pictures may have other names."""
    command = f"editgauge import {benchmark} DATA --from {quote(str(outputs))}"
    return f"are its files named otherwise? {command} shows what they match"


def left_out(outputs: Path, editors: Iterable[str]) -> list[Path]:
    """The folders beside those of these editors that hold pictures: none is at an output's place.
    Of a folder that is one editor's itself: none. A folder whose name no editor can have, or that
    cannot be read, is no reason to stop.
    """
    known = {*editors}
    if outputs.absolute().name in known:
        return []
    folders = [one for one in _folders_in(outputs) if one.name not in known]
    return [one for one in folders if _holds_pictures(one)]


def why_left_out(benchmark: str, folder: Path) -> str:
    """The reason why a folder of pictures beside those of editors was left out, and what to do."""
    if not _can_be_editor(folder.name):
        return f"{folder.name}: left out: no editor can have this name; rename the folder"
    return f"{folder.name}: left out; {import_of(benchmark, folder)}"


def _can_be_editor(name: str) -> bool:
    try:
        return bool(plain_name(name))
    except RunError:
        return False


def _folders_in(outputs: Path) -> list[Path]:
    """The folders below a folder, but for hidden ones; none where it cannot be read."""
    try:
        return sorted(one for one in outputs.iterdir() if one.name[0] != "." and one.is_dir())
    except OSError:
        return []


def _holds_pictures(folder: Path) -> bool:
    """Whether there is a picture below a folder, as far as it can be read."""
    for _, _, names in os.walk(folder):  # leaves out what it may not read
        if any(os.path.splitext(name)[1].lower() in EXTENSIONS for name in names):
            return True
    return False


def takes_of(
    run: Run,
    benchmark: str,
    folders: Mapping[str, OutputFolder] | None,
    editors: Sequence[str],
    hashes: HashStore,
) -> dict[str, Takes]:
    """Each editor with what takes its outputs in from its folder of `folders`, or, without these,
    of the wanted editors (all where none is named) what looks at the outputs that the run has.
    Raises `DataError` for an editor of whom it has none.
    """
    room = run.path / "edits" / plain_name(benchmark)
    there = _there(run, benchmark, room)
    if folders is None:
        for name in editors or ([] if there else [""]):
            if name not in there:
                raise DataError(
                    f"{run.place}: the run has no outputs{f' of {name}' if name else ''} on "
                    f"{benchmark} (it has: {', '.join(sorted(there)) or 'none'}); give a folder of "
                    f"outputs, or make them: editgauge edit {benchmark} … --editor "
                    f"{name or 'copy'} --run {run.place}"
                )
        folders = {}
    return {
        name: _Outputs(
            run, benchmark, name, hashes, folders.get(name), there.get(name, {}),
            OutputFolder(room / name),
        )
        for name in folders or editors or sorted(there)
    }  # fmt: skip


def _there(run: Run, benchmark: str, room: Path) -> dict[str, dict[str, EditRecord]]:
    """The records of each editor in the run, by sample; none of one whose records are lost."""
    records: dict[str, dict[str, EditRecord]] = {
        one.name: {}
        for one in (room.iterdir() if room.is_dir() else ())
        if any(names for *_, names in os.walk(one))
    }
    for record in run.edits(benchmark):
        records.setdefault(record.editor, {})[record.sample] = record
    return records


def edits_of(
    run: Run,
    benchmark: str,
    outputs: Path | None,
    editors: Sequence[str],
    samples: Sequence[Sample],
    hashes: HashStore,
) -> list[EditRecord]:
    """The records of the wanted editors' outputs on these samples, from `outputs` (a folder, or an
    address: see `store.remote`), or those of the run. Raises as `editors_in` and `takes_of`.
    """
    place = local_folder(outputs)
    folders = None if place is None else editors_in(place, samples, editors)
    for one in left_out(place, folders) if place and folders and not editors else ():
        run.note(why_left_out(benchmark, one))
    takes = takes_of(run, benchmark, folders, editors, hashes)
    return [record for take in takes.values() for record in take(samples)]


@dataclass(slots=True)
class _Outputs:
    """Takes one editor's outputs from a folder: records the output, or its absence, of each sample,
    and keeps the files in the run. Without a folder it looks at those of the run again.

    Nothing is resized or decoded: the first bytes are read. An output that is the same as at the
    last call costs a look at its size and time. `known`: sample id -> the editor's record in the
    run; `kept`: the folder of its outputs there, which may have more.
    """

    run: Run
    benchmark: str
    editor: str
    hashes: HashStore
    folder: OutputFolder | None
    known: Mapping[str, EditRecord]
    kept: OutputFolder

    def __call__(self, samples: Sequence[Sample]) -> list[EditRecord]:
        folder, known = self.folder, self.known
        records = [self._taken(s, folder) if folder else self._again(s) for s in samples]
        changed = [
            one for one in records if one != known.get(one.sample) and one.reason != _NOT_YET
        ]
        for instead in (True, False):  # `edit` may have told of its output meanwhile
            some = [one for one in changed if instead is bool(folder or one.sample in known)]
            self.run.write_edits(some, instead=instead)
        return records

    def _without(self, sample: Sample, reason: str, status: Status = Status.MISSING) -> EditRecord:
        return EditRecord(
            benchmark=self.benchmark,
            sample=sample.id,
            editor=self.editor,
            status=status,
            reason=reason,
        )

    def _taken(self, sample: Sample, folder: OutputFolder) -> EditRecord:
        """The record of a file that is kept in the run; its hash is of what is kept."""
        if (file := folder.find(sample)) is None:
            return self._without(sample, "no output file")
        name = f"{sample.output_stems[0]}{os.path.splitext(file)[1].lower()}"
        place = f"edits/{plain_name(self.benchmark)}/{plain_name(self.editor)}/{name}"
        old = self.known.get(sample.id)
        ours = old if old is not None and old.path == place else None
        if ours is None and (why := paths.misplaced(place)):
            reason = f"its output name {place!a}: {why}; correct the data"
            return self._without(sample, reason, Status.DATASET_FAULT)
        try:
            mark = self._kept(place, file, ours)
        except DataError as error:
            return self._without(sample, portable(str(error), [folder.root]), Status.UNREADABLE)
        if ours is not None and ours.fingerprint == mark:
            return ours
        new = replace(self._without(sample, ""), path=place, fingerprint=mark)
        return self._looked_at(replace(new, detail={"source": "folder"}))

    def _kept(self, place: str, file: str, ours: EditRecord | None) -> str:
        """Keep the file; the hash of what is kept."""
        kept = f"{self.run.path}{os.sep}{place}"
        if self.hashes.is_copy(file, kept):
            return self.hashes(kept)
        if os.path.islink(file):  # it may lead to any file of this machine
            read_header(Path(file))
        self.run.keep(file, place, hashes=self.hashes)
        return self.hashes(kept)

    def _looked_at(self, record: EditRecord) -> EditRecord:
        """The record of a picture that is new, with what its first bytes say."""
        detail = {name: value for name, value in record.detail.items() if name != ONE_COLOUR}
        plain = replace(record, width=None, height=None, given_back=None, reason="", detail=detail)
        try:
            header = read_header(self.run.path / str(record.path))
        except ImageError as error:
            reason = portable(str(error), [self.run.path])
            return replace(plain, status=Status.UNREADABLE, reason=reason)
        if detail:
            detail["format"] = header.format
        scored = replace(plain, status=Status.SCORED, detail=detail)
        return replace(scored, width=header.width, height=header.height)

    def _again(self, sample: Sample) -> EditRecord:
        """The record of an output in the run: a new one where it was replaced or removed."""
        old = self.known.get(sample.id) or self._without(sample, _NOT_YET)
        if sample.id not in self.known and (file := self.kept.find(sample)) is not None:
            place = Path(file).relative_to(self.run.path).as_posix()
            old = replace(old, path=place, detail={"source": "folder"})
        if old.path is None:
            return old
        why = paths.fault(self.run.path, old.path, "edits")
        if why is None:
            mark = self.hashes(f"{self.run.path}{os.sep}{old.path}")
            if mark == old.fingerprint:
                return old
            if old.fingerprint:
                self.run.note(
                    f"{old.path}: another picture than the one of {self.editor} that the run was "
                    f"given; from now on it counts as the output"
                )
            return self._looked_at(replace(old, fingerprint=mark))
        if why == "not there":
            return self._without(sample, "its output is no longer in the run folder")
        reason = f"{old.path}: {why}; it is not opened"
        return replace(
            old, fingerprint="", given_back=None, status=Status.UNREADABLE, reason=reason
        )


def tell(run: Run, records: Sequence[EditRecord], samples: Iterable[Sample]) -> list[EditRecord]:
    """Say of each output whether it is its input handed back (`EditRecord.given_back`), and whether
    it has one colour all over (`ONE_COLOUR`), and keep that in the run; return the records in their
    order.

    What a record knows already is not looked up again. Outputs of their input's size are decoded,
    which takes about as long as scoring them: `score` does this last. Of those that cannot be told
    the record says nothing (None).
    """
    by_id = {sample.id: sample for sample in samples}

    def told(part: Sequence[EditRecord]) -> list[EditRecord]:
        return [
            replace(
                one,
                given_back=given_back(run.path / one.path, by_id[one.sample]),
                detail={**one.detail, **one_colour_of(run.path / one.path)},
            )
            if one.given_back is None and one.status is Status.SCORED and one.path
            and one.sample in by_id else one
            for one in part
        ]  # fmt: skip

    parts = [records[start : start + _TOGETHER] for start in range(0, len(records), _TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # decoding lets other threads run
        looked_at = [one for part in pool.map(told, parts) for one in part]
    run.write_edits(new for new, old in zip(looked_at, records, strict=True) if new != old)
    return looked_at
