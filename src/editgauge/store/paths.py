"""Texts and facts without absolute paths: a run folder is zipped, published, and read on other
machines.

An error names its file in full, which helps who sees it happen; what is stored of it names the file
as a reader of the run can find it: below the run or the data folder, or by its name alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

LONGEST = 2000
"""Characters of a reason that are kept."""
_FOLDERS = re.compile(
    r"(?<![\w.~/:<\\-])(?:/(?:[^\s/'\"`:;,|<>()\[\]{}]+/)+|[A-Za-z]:[\\/](?:[^\s\\/'\"`:*?<>|]+[\\/])*)"
)
"""The folders of an absolute path, POSIX or Windows: at least one folder and a separator; no URL,
no fraction.
"""


def portable(text: str, roots: Iterable[Path | str] = ()) -> str:
    """`text` with the names of `roots` (absolute folders) cut out of it, and other absolute paths
    cut to their names.

    A path below one of `roots` is left relative to it, a root itself becomes ``.``, the home folder
    ``~``. At most `LONGEST` characters are kept.
    """
    text = without_roots(text, roots)
    return _FOLDERS.sub("", text)[:LONGEST]


def without_roots(value: Any, roots: Iterable[Path | str]) -> Any:
    """A JSON value whose texts (not its keys) do not name `roots` or the home folder; the rest
    stays to the letter.

    For details of a score, where a text may be what somebody read in a picture: only paths of this
    machine are cut.
    """
    names = sorted({str(root).rstrip("/\\") for root in roots} - {""}, key=len, reverse=True)
    return _cut(value, [*((name, ".") for name in names), (str(Path.home()), "~")])


def facts(value: Any) -> Any:
    """A JSON value for the manifest: a text that is an absolute path becomes its last name."""
    if isinstance(value, Mapping):
        return {str(key): facts(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [facts(part) for part in value]
    if isinstance(value, Path) or (
        isinstance(value, str) and (value.startswith(("/", "~")) or value[1:3] == ":\\")
    ):
        return Path(value).name
    return value


def _cut(value: Any, names: list[tuple[str, str]]) -> Any:
    if isinstance(value, str):
        for name, instead in names:
            if len(name) > 1 and name in value:
                value = value.replace(f"{name}/", "" if instead == "." else f"{instead}/")
                value = re.sub(rf"{re.escape(name)}(?![\w.-])", instead, value)
        return value
    if isinstance(value, Mapping):
        return {key: _cut(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(part, names) for part in value]
    return value
