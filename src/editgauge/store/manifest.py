"""Manifests of outputs: a csv or JSON file of any shape in which one column names the files and
another the samples. The columns are found by what is in them; in doubt none is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from editgauge.errors import DataError, UsageError
from editgauge.images import EXTENSIONS
from editgauge.store import csv_files, paths
from editgauge.store.guessing import is_sure, release_ids, words_of
from editgauge.store.patterns import Matches, alike, facts_of, pictures_in, without_extension
from editgauge.types import Sample

_KINDS = ("sample", "file", "editor")
_COUNTING = {"index", "idx", "row", "line", "number", "no", "nr", "n", "i", "place", "unnamed", "0"}
"""Words of headings over columns that number the records."""
_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of a manifest that somebody named; "" where the content tells."""

    sample: str = ""
    file: str = ""
    editor: str = ""

    @staticmethod
    def of(pairs: Sequence[str]) -> Columns:
        """The columns that words such as ``file=output_path`` name. Raises `UsageError`."""
        named: dict[str, str] = {}
        for pair in pairs:
            kind, _, column = pair.partition("=")
            if kind not in _KINDS or not column:
                why = f"{pair}: wanted sample=COLUMN, file=COLUMN or editor=COLUMN"
                raise UsageError(why, argument="column")
            named[kind] = column
        return Columns(**named)

    def words(self) -> list[str]:
        """The columns as they are typed."""
        named = [(kind, getattr(self, kind)) for kind in _KINDS]
        return [word for kind, name in named if name for word in ("--column", f"{kind}={name}")]


class Record(NamedTuple):
    """A record of a manifest: where it stands (``line 3``), and its cells by column."""

    place: str
    cells: Mapping[str, str]


class Candidate(NamedTuple):
    """A column that names samples: the sample of each record, by the record's number. `sure`: the
    values are more than numbers.
    """

    column: str
    samples: Mapping[int, str]
    sure: bool


def by_manifest(folder: Path, samples: Sequence[Sample], path: Path, columns: Columns) -> Matches:
    """The files that a manifest names for one editor. A sample whose picture is not below the
    folder has no file. Raises `DataError` for a manifest that cannot be read, where no column names
    files or samples, where several do and differ, and for a sample that the data lack.
    """
    there = pictures_in(folder)
    by_editor = _files(folder, there, samples, path, columns)
    files: dict[str, tuple[str, ...]] = {sample.id: () for sample in samples}
    for some in by_editor.values():
        for sample, named in some.items():
            files[sample] = (*files[sample], *named)
    return Matches(rule=path.name, folder=folder, files=files, there=there, map=path)


def editors_of_manifest(
    folder: Path,
    samples: Sequence[Sample],
    path: Path,
    columns: Columns,
    editors: Sequence[str] = (),
) -> dict[str, Matches]:
    """Editor -> its files, where a column names the editors (`Columns.editor`). Of these `editors`
    alone, where there are any. Raises as `by_manifest`.
    """
    there = pictures_in(folder)
    matches: dict[str, Matches] = {}
    for editor, some in sorted(_files(folder, there, samples, path, columns).items()):
        if not editors or editor in editors:
            files = {sample.id: some.get(sample.id, ()) for sample in samples}
            matches[editor] = Matches(
                rule=path.name, folder=folder, files=files, there=there, map=path
            )
    if not matches:
        wanted = ", ".join(editors) or "an editor"
        raise DataError(f"{path}: the column {columns.editor!r} names no files of {wanted}")
    return matches


def _files(
    folder: Path,
    there: Sequence[str],
    samples: Sequence[Sample],
    path: Path,
    columns: Columns,
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Editor ("" where no column names them) -> sample -> its files."""
    names = SampleNames(samples)
    records = read_records(path, names, {PurePosixPath(file).name for file in there})
    every = list(dict.fromkeys(name for record in records for name in record.cells))
    _need_columns(path, every, columns)
    column, files = _files_column(path, folder, there, records, every, columns)
    by_record = _samples_column(path, records, every, column, files, names, columns)
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for number, record in enumerate(records):
        sample = by_record.get(number)
        if sample is None or number not in files:
            continue
        editor = record.cells.get(columns.editor, "") if columns.editor else ""
        some = found.setdefault(editor, {})
        if files[number] not in some.get(sample, ()):
            some[sample] = (*some.get(sample, ()), files[number])
    return found


def _need_columns(path: Path, every: Sequence[str], columns: Columns) -> None:
    for kind in _KINDS:
        name = getattr(columns, kind)
        if name and name not in every:
            shown = ", ".join(every[:_SHOWN]) or "none"
            raise DataError(f"{path}: wanted the column {name!r} ({kind}); there are: {shown}")


# -- which column names the files ------------------------------------------------------------------


def _files_column(
    path: Path,
    folder: Path,
    there: Sequence[str],
    records: Sequence[Record],
    every: Sequence[str],
    columns: Columns,
) -> tuple[str, dict[int, str]]:
    """The column of the files, and the file of each record that has one in the folder. Raises
    `DataError` where there is none, and where several name different files.
    """
    named = columns.file or ("file" if {"sample", "file"} <= {*every} else "")
    if named:
        return named, _files_named(records, named, folder, there)
    found = {column: _files_named(records, column, folder, there) for column in every}
    found = {column: files for column, files in found.items() if files}
    if not found:
        shown = ", ".join(every[:_SHOWN]) or "none"
        raise DataError(
            f"{path}: wanted a column that names pictures of {folder}, found none among the "
            f"columns {shown}; name it: --column file=COLUMN"
        )
    first, *others = found
    if any(found[other] != found[first] for other in others):
        raise DataError(
            f"{path}: the columns {', '.join(found)} name different pictures of {folder}; say "
            f"which one names the outputs: --column file=COLUMN"
        )
    return first, found[first]


def _files_named(
    records: Sequence[Record], column: str, folder: Path, there: Sequence[str]
) -> dict[int, str]:
    """Number of a record -> the picture of the folder that its cell names.

    A manifest may have been written elsewhere, with paths of that machine: the same beginning is
    then taken off all of them. A path with ``..`` names nothing.
    """
    values: dict[int, str] = {}
    for number, record in enumerate(records):
        text = record.cells.get(column, "").strip().replace("\\", "/").removeprefix("./")
        if text.lower().endswith(EXTENSIONS) and ".." not in text.split("/"):
            values[number] = text
    known = {*there}
    for root in ("", f"{folder.absolute().as_posix()}/", f"{folder.resolve().as_posix()}/"):
        found = {n: text.removeprefix(root) for n, text in values.items() if text.startswith(root)}
        found = {number: text for number, text in found.items() if text in known}
        if found:
            return found
    return _with_another_root(values, folder, there)


def _with_another_root(
    values: Mapping[int, str], folder: Path, there: Sequence[str]
) -> dict[int, str]:
    """Files by paths that begin with another machine's folder: the folder's own name, or what all
    paths begin with; or by paths that begin within the one folder of the pictures.
    """
    known = {*there}
    heads = {text[: -len(file)] for text in values.values() for file in _endings(text, known)}
    own = [head for head in heads if head.rstrip("/").rpartition("/")[2] == folder.name]
    shared = [head for head in heads if all(text.startswith(head) for text in values.values())]
    for heads_of_a_kind in (own, shared):
        readings = [
            {n: t.removeprefix(head) for n, t in values.items() if t.removeprefix(head) in known}
            for head in heads_of_a_kind
        ]
        if len(readings) == 1:
            return readings[0]
    tops = {file.rpartition("/")[0] for file in there}
    if len(tops) == 1 and all("/" not in text for text in values.values()):
        below = {number: f"{min(tops)}/{text}" for number, text in values.items()}
        return {number: text for number, text in below.items() if text in known}
    return {}


def _endings(text: str, known: set[str]) -> Iterator[str]:
    """The files whose whole path a path ends with."""
    parts = text.split("/")
    for at in range(1, len(parts)):
        file = "/".join(parts[at:])
        if file in known:
            yield file


# -- which column names the samples ----------------------------------------------------------------


class SampleNames:
    """The names by which a manifest may call a sample: its id, an id of the release, the official
    name of its output, its input picture, or its number.
    """

    def __init__(self, samples: Sequence[Sample]) -> None:
        release = release_ids(samples)
        self.kinds = ("id", *release, "flat", "stem", "image", "name", "number")
        self._index: dict[str, dict[str, set[str]]] = {kind: {} for kind in self.kinds}
        for sample in samples:
            facts = facts_of(sample)
            for kind in self.kinds:
                texts = [facts[kind]] if kind in facts else []
                if kind == "stem":
                    texts = [*sample.output_stems]
                if kind == "image":
                    texts = [*_path_ends(sample.image)]
                for text in texts:
                    self._index[kind].setdefault(alike(text), set()).add(sample.id)

    def find(self, kind: str, text: str) -> str:
        """The one sample of that name; "" where none has it, or several have."""
        name = text.strip().replace("\\", "/")
        if kind in ("stem", "image") and name.lower().endswith(EXTENSIONS):
            name = without_extension(name)
        if kind == "number":
            name = (name.lstrip("0") or "0") if name.isdigit() else ""
        ends = [name]
        if kind == "image":
            parts = name.split("/")
            ends = ["/".join(parts[at:]) for at in range(len(parts))]
        for end in ends:
            found = self._index[kind].get(alike(end), set())
            if found:
                return next(iter(found)) if len(found) == 1 else ""
        return ""

    def __contains__(self, text: str) -> bool:
        return any(self.find(kind, text) for kind in self.kinds)


def _path_ends(image: Path) -> Iterator[str]:
    """The name of a picture without its extension, and with one, two and three of its folders."""
    parts = image.with_suffix("").parts[-4:]
    for at in range(len(parts)):
        yield "/".join(parts[at:])


def _samples_column(
    path: Path,
    records: Sequence[Record],
    every: Sequence[str],
    of_files: str,
    files: Mapping[int, str],
    names: SampleNames,
    columns: Columns,
) -> Mapping[int, str]:
    """Number of a record -> the sample that it names. Raises `DataError` where no column names
    samples, and where several name different ones.
    """
    named = columns.sample or ("sample" if {"sample", "file"} <= {*every} else "")
    if named:
        return _samples_named(path, records, named, names)
    candidates = [
        candidate
        for column in every
        if column not in (of_files, columns.editor)
        and (candidate := _candidate(records, column, files, names))
    ]
    sure = [one for one in candidates if one.sure]
    candidates = sure or candidates
    if not candidates:
        shown = ", ".join(every[:_SHOWN])
        raise DataError(
            f"{path}: wanted a column that names a sample for each file, found none among the "
            f"columns {shown}; name it: --column sample=COLUMN"
        )
    first = candidates[0].samples
    of = {number: first[number] for number in first if number in files}
    for other in candidates[1:]:
        if any(other.samples.get(number, sample) != sample for number, sample in of.items()):
            both = ", ".join(one.column for one in candidates)
            raise DataError(
                f"{path}: the columns {both} name different samples; say which one counts: "
                f"--column sample=COLUMN"
            )
    return first


def _samples_named(
    path: Path, records: Sequence[Record], column: str, names: SampleNames
) -> dict[int, str]:
    """The samples by the column that somebody named."""
    values = {n: record.cells.get(column, "") for n, record in enumerate(records)}
    values = {number: text for number, text in values.items() if text.strip()}
    for kind in names.kinds:
        found = {number: names.find(kind, text) for number, text in values.items()}
        if all(found.values()):
            return found
    known = [number for number, text in values.items() if names.find("id", text)]
    first = next(number for number in values if number not in known)
    message = f"the data have no sample {values[first]!r}"
    raise DataError(f"{path}, {records[first].place}: {message}")


def _candidate(
    records: Sequence[Record], column: str, files: Mapping[int, str], names: SampleNames
) -> Candidate | None:
    """A column as one that names samples; None where it does not.

    A column of numbers must name a sample wherever there is a file, and must not only count the
    records: in a table of a hundred lines some numbers are a sample's by coincidence.
    """
    values = {number: records[number].cells.get(column, "") for number in files}
    for kind in names.kinds:
        found = {number: names.find(kind, text) for number, text in values.items()}
        found = {number: sample for number, sample in found.items() if sample}
        if not found:
            continue
        sure = all(is_sure(words_of(values[number])) for number in found)
        if sure and kind not in ("image", "name"):
            return Candidate(column, found, sure=True)
        if len(found) == len(values) and not _counts(records, column):
            return Candidate(column, found, sure=sure)
    return None


def _counts(records: Sequence[Record], column: str) -> bool:
    """Whether a column only numbers the records, from 0 or from 1, and is not called otherwise."""
    if not {*words_of(column.rpartition(".")[2])} <= _COUNTING:
        return False
    values = [record.cells.get(column, "").strip() for record in records]
    return any(
        values == [str(number) for number in range(first, first + len(values))] for first in (0, 1)
    )


# -- reading ---------------------------------------------------------------------------------------


def read_records(path: Path, samples: SampleNames, files: set[str]) -> list[Record]:
    """The records of a manifest: of a csv file its lines, of a JSON file its objects. `samples` and
    `files` are names that a JSON object may have as its keys. Raises `DataError`.
    """
    suffix = path.suffix.lower()
    if suffix not in (".json", ".jsonl", ".ndjson"):
        return _csv_records(path)
    try:
        if why := paths.unlike_file(path.stat(), csv_files.MOST_BYTES):
            raise DataError(f"{path}: {why}")
        text = path.read_bytes().decode("utf-8-sig")
        if suffix == ".json":
            nodes = [msgspec.json.decode(text)]
        else:
            nodes = [msgspec.json.decode(line) for line in text.split("\n") if line.strip()]
        found = [cells for node in nodes for cells in _records_of(node, {}, samples, files)]
    except (OSError, UnicodeDecodeError, msgspec.DecodeError, RecursionError) as error:
        raise DataError(f"{path}: no JSON in UTF-8 ({error}); correct it") from error
    return [Record(f"record {number}", cells) for number, cells in enumerate(found, start=1)]


def _csv_records(path: Path) -> list[Record]:
    lines = csv_files.records(path)
    headings = [cell.strip() for cell in next(lines, csv_files.Record(1, [])).cells]
    empty = dict.fromkeys(headings, "")
    records: list[Record] = []
    for line in lines:
        if line.cells:
            cells = empty | dict(zip(headings, line.cells, strict=False))
            records.append(Record(f"line {line.number}", cells))
    return records


def _records_of(
    node: Any, above: Mapping[str, str], samples: SampleNames, files: set[str]
) -> Iterator[dict[str, str]]:
    """The records below a JSON value; `above` are the cells that stand above it.

    An object whose keys are samples or files is a table by these keys (columns ``key``, ``key2``…),
    and so is one that holds only objects and lists, where it stands in no list. Every other object
    is a record.
    """
    if isinstance(node, list):
        for item in node:
            if isinstance(item, dict) and not _is_keyed(item, samples, files):
                yield from _record(above, item)
            else:
                yield from _records_of(item, above, samples, files)
    elif isinstance(node, dict) and (_is_keyed(node, samples, files) or _is_nested(node)):
        level = sum(1 for name in above if name.startswith("key")) + 1
        name = "key" if level == 1 else f"key{level}"
        for key, item in node.items():
            yield from _records_of(item, {**above, name: str(key)}, samples, files)
    elif isinstance(node, dict):
        yield from _record(above, node)
    else:
        yield {**above, "value": _text(node)}


def _record(above: Mapping[str, str], node: Mapping[Any, Any]) -> Iterator[dict[str, str]]:
    """An object as a record; where it has lists of objects, as a record for each of these."""
    cells = {**above, **_flat(node, "")}
    parts = {name: item for name, item in node.items() if _is_list_of_objects(item)}
    if not parts:
        yield cells
    for name, items in parts.items():
        for item in items:
            yield {**cells, **_flat(item, f"{name}.")}


def _is_nested(node: Mapping[Any, Any]) -> bool:
    return all(isinstance(item, dict | list) for item in node.values())


def _is_keyed(node: Mapping[Any, Any], samples: SampleNames, files: set[str]) -> bool:
    return any(
        str(key) in samples or PurePosixPath(str(key).replace("\\", "/")).name in files
        for key in node
    )


def _is_list_of_objects(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(one, dict) for one in item)


def _flat(node: Mapping[Any, Any], prefix: str) -> dict[str, str]:
    """The cells of an object: parts of parts are called ``part.name``, items ``list.0``."""
    cells: dict[str, str] = {}
    for key, item in node.items():
        name = f"{prefix}{key}"
        if isinstance(item, dict):
            cells |= _flat(item, f"{name}.")
        elif isinstance(item, list):
            plain = [one for one in item if not isinstance(one, dict | list)]
            cells |= {f"{name}.{number}": _text(one) for number, one in enumerate(plain)}
        else:
            cells[name] = _text(item)
    return cells


def _text(value: Any) -> str:
    return "" if value is None else str(value)
