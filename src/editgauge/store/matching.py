"""The output of each sample in a folder whose names are not the official ones: by a pattern
(`store.patterns`), by a manifest (`store.manifest`), or by what the names prove (`store.guessing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editgauge.errors import DataError, UsageError
from editgauge.store import hashes, paths
from editgauge.store.guessing import Proof, guessed
from editgauge.store.manifest import Columns, by_manifest
from editgauge.store.patterns import (
    EDITOR,
    Matches,
    by_editor_field,
    by_pattern,
    pictures_in,
)
from editgauge.types import Sample


def matches_of(
    folder: Path,
    samples: Sequence[Sample],
    pattern: str = "",
    map: Path | None = None,
    columns: Columns | None = None,
) -> Matches:
    """One editor's outputs by a pattern or by a manifest (`map`, with its `columns`); where neither
    is given by the rule that the files' names prove, if there is one. Of all samples of the data
    (see `Matches.of`), since some patterns count them, and since a rule is proven by all of them.
    Raises `UsageError` for both, and where there are no samples.
    """
    if not samples or (pattern and map is not None):
        what = "a pattern and a map: wanted one of them" if samples else "no samples"
        raise UsageError(what, argument="pattern")
    if map is not None:
        return by_manifest(folder, samples, map, columns or Columns())
    if pattern:
        return by_pattern(folder, samples, pattern)
    return guessed(folder, samples, pictures_in(folder))


def several_editors(
    folder: Path,
    samples: Sequence[Sample],
    pattern: str,
    editors: Sequence[str] = (),
) -> dict[str, Matches]:
    """Editor -> its outputs, where they lie in one folder: by a pattern with ``{editor}``. Empty
    for another pattern. Raises `DataError` where no file fits it.
    """
    if EDITOR not in pattern:
        return {}
    found = by_editor_field(folder, samples, pattern, editors)
    if not found:
        some = ", ".join(pictures_in(folder)[:3]) or "no pictures"
        raise DataError(f"{folder}: {pattern!r} fits no file; there are: {some}")
    return found


def by_editor(matches: Matches, samples: Sequence[Sample]) -> dict[str, Matches]:
    """What the guessed rule finds in each folder, where it begins with the name of one folder of
    several: each is then an editor's. Where what stands behind its last field is in one of them
    alone, ``*`` stands for it. Empty where that does not help, or where it is in doubt in one of
    the folders.
    """
    rest = matches.rule.partition("/")[2]
    for rule in (rest, rest[: rest.rfind("}") + 2] + "*"):
        every = {name: by_pattern(matches.folder / name, samples, rule) for name in matches.beside}
        fitting = {name: one for name, one in every.items() if one.named}
        sure = all(not Proof(samples, one.folder, one.there).doubt(one) for one in fitting.values())
        if len(fitting) > 1:
            return fitting if sure else {}
    return {}


def deliver(named: Mapping[str, Path], samples: Sequence[Sample], to: Path, editor: str) -> int:
    """Copy files (`named`: sample id -> its file) to their official places below ``to/<editor>``,
    but for those that are there unchanged; return how many. Raises `DataError` for an output name
    that leads out of the folder, and as `paths.folder` and `hashes.copy`.
    """
    to.mkdir(parents=True, exist_ok=True)
    root = paths.folder(to, paths.plain_name(editor))
    copied = 0
    known = hashes.HashStore(None)
    for sample in samples:
        file = named.get(sample.id)
        if file is None:
            continue
        place = f"{sample.output_stems[0]}{file.suffix.lower()}"
        if why := paths.misplaced(place):
            raise DataError(f"sample {sample.id!r}: its output name {place!a}: {why}")
        if not known.is_copy(file, root / place):
            paths.folder(root, place.rpartition("/")[0])
            hashes.copy(file, root / place)
            copied += 1
    return copied
