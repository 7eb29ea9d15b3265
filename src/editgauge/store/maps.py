"""Files that say which output belongs to which sample: a csv with the columns ``sample`` and
``file``, or lmms-eval's logged samples, ``<date>_samples_<task>.jsonl`` (``--log_samples``): an
entry of a line names ``category``, ``image_id`` (or ``key``) and ``edited_image_path``.

lmms-eval writes paths of the machine that it ran on: their ends say which file is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from editgauge.errors import DataError, RunError
from editgauge.store import csv_files, paths


class Line(NamedTuple):
    """What a line of a map says. `elsewhere`: the path is one of another machine."""

    number: int
    sample: str
    file: str
    elsewhere: bool


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a map. A sample for which there is no picture is passed over. Raises `DataError`
    for a file of neither form.
    """
    if path.suffix.lower() == ".jsonl":
        yield from _logged(path)
        return
    names, lines = csv_files.named(path)
    if not {"sample", "file"} <= set(names):
        told = ", ".join(names)[:200] or "none"
        raise DataError(f"{path}: wanted the columns sample and file, found {told}")
    for number, line in lines:
        yield Line(number, line["sample"], line["file"].replace("\\", "/"), False)


def end_of(file: str, there: Collection[str]) -> str | None:
    """The longest end of a path of another machine that is a file of the folder; None for none."""
    parts = [part for part in file[-paths.LONGEST_PATH :].replace("\\", "/").split("/") if part]
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if end in there), None)


def _logged(path: Path) -> Iterator[Line]:
    try:
        lines = paths.read(path, limit=csv_files.MOST_BYTES).decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError, RunError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = _entry(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: no JSON ({error})") from error
        if not entry:
            raise DataError(
                f"{path}, line {number}: wanted an entry with edited_image_path (lmms-eval's "
                "--log_samples of a task that edits), found none"
            )
        if isinstance(entry["edited_image_path"], str):
            named = entry.get("category") and entry.get("image_id")
            sample = f"{entry['category']}/{entry['image_id']}" if named else entry.get("key")
            yield Line(number, str(sample or ""), entry["edited_image_path"], True)


def _entry(line: Any) -> dict[str, Any]:
    for entry in line.values() if isinstance(line, dict) else ():
        if isinstance(entry, dict) and "edited_image_path" in entry:
            return entry
    return {}
