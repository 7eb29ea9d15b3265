"""Files that say which output belongs to which sample: our own csv, and what two evaluation
harnesses write.

* a csv with the columns ``sample`` and ``file``;
* VLMEvalKit's prediction file of an editing data set, ``<model>_<dataset>.tsv`` (its
  ``PRED_FORMAT=tsv``): ``index`` is the sample, ``prediction`` a list of pictures of which the last
  counts, as its own evaluation takes it;
* lmms-eval's logged samples, ``<date>_samples_<task>.jsonl`` (``--log_samples``): an entry of a
  line names ``category``, ``image_id`` (or ``key``) and ``edited_image_path``.

The harnesses write paths of the machine that they ran on: their ends say which file is meant.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from editgauge.errors import DataError
from editgauge.images import EXTENSIONS
from editgauge.store import csv_files, paths

_BYTES = 1 << 26
_LONGEST_LIST = 20_000
"""Letters of a prediction that are read as a list."""


class Line(NamedTuple):
    """What a line of a map says. `elsewhere`: the path is one of another machine."""

    number: int
    sample: str
    file: str
    elsewhere: bool


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a map. A sample for which the harness has no picture is passed over. Raises
    `DataError` for a file of none of the three forms.
    """
    kind = path.suffix.lower()
    if kind == ".xlsx":
        raise DataError(f"{path}: a workbook is not read; VLMEvalKit writes PRED_FORMAT=tsv")
    if kind == ".jsonl":
        yield from _logged(path, _text(path))
    else:
        yield from _columns(path, *csv_files.named(path, delimiter="\t" if kind == ".tsv" else ","))


def end_of(file: str, there: Collection[str]) -> str | None:
    """The longest end of a path of another machine that is a file of the folder; None for none."""
    if len(file) > paths.LONGEST_PATH:
        return None
    parts = [part for part in file.replace("\\", "/").split("/") if part]
    for start in range(len(parts)):
        if (end := "/".join(parts[start:])) in there:
            return end
    return None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error
    if len(data) > _BYTES:
        raise DataError(f"{path}: wanted at most {_BYTES:,} bytes")
    return text


def _columns(
    path: Path, names: Sequence[str], lines: Iterator[tuple[int, Mapping[str, str]]]
) -> Iterator[Line]:
    if {"sample", "file"} <= set(names):
        for number, line in lines:
            yield Line(number, line["sample"], line["file"].replace("\\", "/"), False)
        return
    if not {"index", "prediction"} <= set(names):
        raise DataError(
            f"{path}: wanted the columns sample and file (or VLMEvalKit's index and prediction), "
            f"found {', '.join(names)[:200] or 'none'}"
        )
    for number, line in lines:
        pictures = _pictures(line["prediction"])
        if pictures:
            yield Line(number, line["index"], pictures[-1], True)


def _pictures(text: str) -> list[str]:
    """The paths in a prediction: one path, or a list of them as Python writes it, whose parts may
    be lists again. Empty where it is something else, such as the message of a failed call.
    """
    if not text.startswith("["):
        return [text] if text.lower().endswith(EXTENSIONS) else []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as for "\d", which a path of Windows may hold
            value = ast.literal_eval(text) if len(text) <= _LONGEST_LIST else []
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return []  # TypeError: a list where Python wants a key
    parts = [part for one in value for part in (one if isinstance(one, list) else [one])]
    return [part for part in parts if isinstance(part, str)]


def _logged(path: Path, text: str) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: no JSON ({error})") from error
        entry = _entry(value)
        if entry is None:
            raise DataError(
                f"{path}, line {number}: wanted an entry with edited_image_path (lmms-eval's "
                "--log_samples of a task that edits), found none"
            )
        if isinstance(entry["edited_image_path"], str):
            yield Line(number, _sample(entry), entry["edited_image_path"], True)


def _entry(line: Any) -> Mapping[str, Any] | None:
    entries = line.values() if isinstance(line, dict) else ()
    for entry in entries:
        if isinstance(entry, dict) and "edited_image_path" in entry:
            return entry
    return None


def _sample(entry: Mapping[str, Any]) -> str:
    if entry.get("category") and entry.get("image_id"):
        return f"{entry['category']}/{entry['image_id']}"
    return str(entry.get("key") or "")
