"""Which file of a folder is the output of which sample, where the names are not the official ones:
by a pattern, by a map, or by a guess; and how files come to their official names.

Only files below the folder are ever looked at: a pattern or a map names nothing else.
"""

from __future__ import annotations

import bisect
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from editgauge.errors import DataError, RunError, UsageError
from editgauge.images import EXTENSIONS
from editgauge.store import csv_files, hashes, lease, paths, schema
from editgauge.store.matches import FIELD, PLACES, Matches, filled, pictures
from editgauge.types import Sample

_TELLING = ("stem", "id", "flat", "image", "name", "number")
"""Facts that may tell a sample in a file's name, the surest first."""
_FOLDERS = ("split", "category", "category1", "category2", "folder", "folder1", "folder2")
_LOOKED_AT = 40
"""Files whose names are looked at for patterns, spread over the folder."""
_SUGGESTED = 8
"""Patterns of each kind that are tried."""


def matches_of(
    folder: Path, samples: Sequence[Sample], pattern: str = "", map: Path | None = None
) -> Matches:
    """`by_pattern` or `by_map`; where neither is given the matches of that pattern that gives most
    samples one file of their own: the official names, or what the files' names suggest, those that
    only count (`Matches.by_place`) last. Of all samples of the data (see `Matches.of`), since some
    patterns count them. Raises `UsageError` for both, and where there are no samples.
    """
    if pattern and map is not None:
        raise UsageError("a pattern and a map: wanted one of them")
    if not samples:
        raise UsageError("no samples to find outputs of")
    if map is not None:
        return by_map(folder, samples, map)
    there = pictures(folder)
    best = by_pattern(folder, samples, pattern or "{stem}", there)
    for suggested in [] if pattern else _suggestions(there, samples):
        if len(best.named) == len(samples):
            break
        matches = by_pattern(folder, samples, suggested, there)
        best = max(best, matches, key=lambda one: len(one.named))
    return best


def by_editor(matches: Matches, samples: Sequence[Sample]) -> dict[str, Matches]:
    """What the guessed rule finds in each folder, where it begins with the name of one folder of
    several: each is then an editor's. Empty where it does not, or fits files in one of them alone.
    """
    head, _, rest = matches.rule.partition("/")
    folders = {file.partition("/")[0] for file in matches.there if "/" in file}
    if matches.map is not None or not rest or head not in folders:
        return {}
    every = {name: by_pattern(matches.folder / name, samples, rest) for name in sorted(folders)}
    fitting = {name: one for name, one in every.items() if one.named}
    return fitting if len(fitting) > 1 else {}


# -- patterns --------------------------------------------------------------------------------------


def by_pattern(
    folder: Path, samples: Sequence[Sample], pattern: str, there: tuple[str, ...] | None = None
) -> Matches:
    """The files whose path below the folder is the pattern with the sample's facts filled in.

    Fields: those of `_facts`, every attribute, and ``{place}``: which sample it is in the order of
    the metadata, from 1 (``{place0}``: from 0), counted for each value of the other fields.
    ``{place:04}`` has leading zeros. ``*`` stands for any text without ``/``. Without an extension
    any picture's will do; letters' case, and which of blank, ``-`` and ``_`` stands between words,
    matter only where files differ in nothing else. `there`: the pictures of the folder, where they
    are known. Raises `UsageError` for a field that no sample has, `DataError` where the folder is
    none.
    """
    there = pictures(folder) if there is None else there
    fields = {name for name, _ in FIELD.findall(pattern)}
    every = {sample.id: _facts(sample) for sample in samples}
    counts = Counter[str]()
    for facts in every.values():  # numbered files of one folder start anew in the next
        rest = filled(pattern, {**facts, **dict.fromkeys(PLACES, "")})
        facts |= {name: str(first + counts[rest]) for name, first in PLACES.items()}
        counts[rest] += 1
    if unknown := fields - {name for facts in every.values() for name in facts}:
        offered = ", ".join(next(iter(every.values())))
        why = f"{pattern!r}: no sample has {{{min(unknown)}}}; there are: {offered}"
        raise UsageError(why, argument="pattern")
    if not fields:
        why = f"{pattern!r}: wanted a field such as {{id}} or {{name}}"
        raise UsageError(why, argument="pattern")
    whole = pattern.lower().endswith(EXTENSIONS)
    by_name: dict[str, list[str]] = {}
    for file in there:
        by_name.setdefault(_alike(file if whole else os.path.splitext(file)[0]), []).append(file)
    turn, files = -1 if pattern.startswith("*") else 1, {}
    in_order = sorted(name[::turn] for name in by_name)
    for name, facts in every.items():
        fitting = _fitting(pattern, facts, in_order, turn) if fields <= facts.keys() else []
        fit = sorted(file for one in fitting for file in by_name[one])
        exact = [file for file in fit if _exactly(pattern, facts, file)] if len(fit) > 1 else fit
        files[name] = tuple(exact or fit)
    missed = next((every[name] for name in every if not files[name]), {})
    return Matches(rule=pattern, folder=folder, files=files, there=there, facts=missed)


def _fitting(
    pattern: str, facts: Mapping[str, str], in_order: Sequence[str], turn: int
) -> Iterator[str]:
    """The names that the filled pattern fits: those alone are tried that begin as it does, or end
    so where `turn` is -1: then `in_order` has them from their ends.
    """
    steps = [_alike(filled(part, facts)) for part in pattern.split("*")]
    wanted = re.compile("[^/]*".join(map(re.escape, steps)))
    begin = steps[0] if turn == 1 else steps[-1][::-1]
    for at in range(bisect.bisect_left(in_order, begin), len(in_order)):
        if not in_order[at].startswith(begin):
            return
        if wanted.fullmatch(name := in_order[at][::turn]):
            yield name
        elif len(steps) == 1:
            return


def _alike(name: str) -> str:
    """Equal for names that differ in case, or in what stands between words."""
    return re.sub(r"[ _-]+", "_", name.casefold())


def _exactly(pattern: str, facts: Mapping[str, str], file: str) -> bool:
    wanted = "[^/]*".join(re.escape(filled(part, facts)) for part in pattern.split("*"))
    return re.fullmatch(rf"{wanted}(\.\w+)?", file) is not None


def _facts(sample: Sample) -> dict[str, str]:
    """What a pattern may name of a sample: ``flat`` is the id with ``_`` for ``/``, ``name`` its
    last part, ``number`` that without leading zeros, ``stem`` the official output name, ``folder``
    and ``folder1``… are of that name (``canva`` where TextEditBench's split is ``synthetic``).
    """
    name = sample.id.rpartition("/")[2]
    facts = {name: str(value) for name, value in sample.attributes.items()}
    facts |= {f"category{n}": text for n, text in enumerate(sample.category, start=1)}
    facts |= {
        "id": sample.id,
        "flat": sample.id.replace("/", "_"),
        "name": name,
        "number": name.lstrip("0") or "0",
        "split": sample.split,
        "category": "/".join(sample.category),
        "image": sample.image.stem,
    }
    if sample.output_stems:
        facts["stem"] = sample.output_stems[0]
        parts = PurePosixPath(sample.output_stems[0]).parent.parts
        facts |= {"folder": "/".join(parts)} if parts else {}
        facts |= {f"folder{n}": part for n, part in enumerate(parts, start=1)}
    return facts


def _suggestions(there: Sequence[str], samples: Sequence[Sample]) -> list[str]:
    """Patterns that files' names suggest: a fact of a sample, or a number, stands in the name, the
    rest is the same in most of them, or is told by ``*`` or a fact that folders are called by.
    """
    names = [os.path.splitext(file)[0] for file in there[:: max(1, len(there) // _LOOKED_AT)]]
    names = [name for name in names if "{" not in name and "*" not in name]
    every = [_facts(sample) for sample in samples]
    labels = {name for one in samples for name, text in one.attributes.items()
              if isinstance(text, str) and len(text) > 2}  # fmt: skip
    places = (*_FOLDERS, *sorted(labels))
    alike = [{fact: _alike(text) for fact, text in facts.items()} for facts in every]
    sure = _surest(names, every, places) + _surest([_alike(one) for one in names], alike, places)
    folders = {facts[fact]: f"{{{fact}}}" for fact in reversed(places) for facts in every
               if facts.get(fact)}  # fmt: skip
    counted = Counter(one for name in names for one in _counting(name, folders))
    return [*dict.fromkeys(sure), *(one for one, _ in counted.most_common(_SUGGESTED))]


def _surest(
    names: Sequence[str], every: Sequence[Mapping[str, str]], places: Sequence[str]
) -> list[str]:
    """The patterns that most names suggest."""
    rank = {name: number for number, name in enumerate(_TELLING)}
    told = Counter[str]()
    for name in names:
        told.update({one for facts in every for one in _telling(name, facts, places)})
    order = sorted(
        told, key=lambda one: (-told[one], "*" in one, rank[FIELD.findall(one)[-1][0]], one)
    )
    return order[:_SUGGESTED]


def _telling(name: str, facts: Mapping[str, str], places: Sequence[str]) -> Iterator[str]:
    """The patterns that a name suggests if it is this sample's: the whole name, and with ``*``
    behind the fact, or for all that stands before it in the file's own name. `places`: facts that
    folders are called by.
    """
    called = [(facts[place], f"{{{place}}}") for place in places if facts.get(place)]
    facts_told = [(fact, facts.get(fact, ""), "") for fact in _TELLING]
    padded = [run for run in re.findall(r"0\d+", name) if run.lstrip("0") == facts["number"]]
    facts_told += [("number", run, f":0{len(run)}") for run in padded]
    for fact, value, width in facts_told:
        if not value or value not in name:
            continue
        before, _, after = name.rpartition(value)
        folder_s = "/" in after and not (after[0] == "/" and before[-1:] in ("", "/"))
        if before[-1:].isalnum() or after[:1].isalnum() or folder_s:
            continue  # a part of a longer word or number, or of a folder's name
        field = f"{{{fact}{width}}}"
        heads = {_headed(before, dict(order)) for order in (called, called[::-1])}
        for head in heads:  # one text may be a category and an output folder of another sample
            yield f"{head}{field}{after}"
            if after:
                yield f"{head}{field}{after[0]}*"
        folder, slash, stem = before.rpartition("/")
        mark = stem[len(stem.rstrip("_-. ")) :]
        if stem != mark:
            yield f"{_headed(folder, dict(called))}{slash}*{mark}{field}{after}"


def _counting(name: str, folders: Mapping[str, str]) -> Iterator[str]:
    """The patterns that a name suggests if one of its numbers counts the samples."""
    start = name.rfind("/") + 1
    for number in re.finditer(r"\d+", name[start:]):
        text = number[0]
        width = f":0{len(text)}" if text[0] == "0" and len(text) > 1 else ""
        before, after = name[: start + number.start()], name[start + number.end() :]
        for place in PLACES:
            yield f"{_headed(before, folders)}{{{place}{width}}}{after}"


def _headed(before: str, folders: Mapping[str, str]) -> str:
    """What stands before a fact, with the folders' facts as fields, each a word of its own."""
    words = "|".join(re.escape(one) for one in sorted(folders, key=len, reverse=True))
    whole = rf"(?<![^\W_])(?:{words})(?![^\W_])"
    return re.sub(whole, lambda word: folders[word[0]], before) if folders else before


# -- maps ------------------------------------------------------------------------------------------


def by_map(folder: Path, samples: Sequence[Sample], path: Path) -> Matches:
    """The files that a map names: a csv with the columns ``sample`` and ``file``, relative to the
    folder, or lmms-eval's logged samples, ``<date>_samples_<task>.jsonl``, whose paths are of the
    machine that it ran on: their ends say which file is meant. A sample whose picture is not below
    the folder has no file (`Matches.not_there`). Raises `DataError` for another kind of map and for
    a sample that the data lack.
    """
    there, not_there = pictures(folder), []
    named: dict[str, tuple[str, ...]] = {sample.id: () for sample in samples}
    flat = {sample.replace("/", "_"): sample for sample in named}
    files, logged = set(there), path.suffix.lower() == ".jsonl"
    for number, sample, picture in _logged(path) if logged else _listed(path):
        file = picture.replace("\\", "/")
        if logged:
            sample = sample if sample in named else flat.get(sample, sample)
            parts = file.split("/")
            ends = ("/".join(parts[start:]) for start in range(len(parts)))
            file = next((end for end in ends if end in files), file)
        if sample not in named:
            raise DataError(f"{path}, line {number}: the data have no sample {sample!r}")
        if file in files:
            named[sample] = (*named[sample], file)
        else:
            not_there.append(f"line {number}: {picture[:80]!r} is no picture below {folder.name}")
    facts: dict[str, Any] = {"rule": path.name, "map": path, "not_there": tuple(not_there)}
    return Matches(folder=folder, files=named, there=there, **facts)


def _listed(path: Path) -> Iterator[tuple[int, str, str]]:
    names, lines = csv_files.named(path)
    if not {"sample", "file"} <= set(names):
        message = ", ".join(names)[:200] or "none"
        raise DataError(f"{path}: wanted the columns sample and file, found {message}")
    return ((number, line["sample"], line["file"]) for number, line in lines)


def _logged(path: Path) -> Iterator[tuple[int, str, str]]:
    """An entry of a line names ``category`` and ``image_id`` (or ``key``), and
    ``edited_image_path``, which is null where there is no picture.
    """
    number = 0
    try:
        lines = paths.read(path, limit=csv_files.MOST_BYTES).split(b"\n")
        for number, line in enumerate(lines, start=1):
            parts = schema.parsed(line).values() if line.strip() else ()
            entries = [one for one in parts if isinstance(one, dict)]
            one = next((one for one in entries if "edited_image_path" in one), {})
            if line.strip() and not one:
                raise ValueError("wanted an entry with edited_image_path")
            if isinstance(file := one.get("edited_image_path"), str):
                named = one.get("category") and one.get("image_id")
                sample = f"{one['category']}/{one['image_id']}" if named else one.get("key", "")
                yield number, str(sample), file
    except (OSError, ValueError, RunError) as error:
        message = f"{path}, line {number}: no log of lmms-eval's --log_samples ({error})"
        raise DataError(message) from error


# -- files -----------------------------------------------------------------------------------------


def deliver(named: Mapping[str, Path], samples: Sequence[Sample], to: Path, editor: str) -> int:
    """Copy files to their official places below ``to/<editor>``, each whole or not at all; returns
    how many.

    `named`: sample id -> its file. A file that is there unchanged is not copied again. Raises
    `DataError` for an output name that leads out of the folder, `RunError` for an editor that no
    folder can be called and for a link where a folder belongs, and as `hashes.copy`.
    """
    to.mkdir(parents=True, exist_ok=True)
    root, copied = paths.folder(to, paths.plain_name(editor)), 0
    lease.sweep(root)
    for sample in samples:
        if (file := named.get(sample.id)) is not None:
            place = f"{sample.output_stems[0]}{file.suffix.lower()}"
            if why := paths.misplaced(place):
                raise DataError(f"sample {sample.id!r}: its output name {place!a}: {why}")
            if not hashes.same(file, root / place):
                paths.folder(root, place.rpartition("/")[0])
                hashes.copy(file, root / place)
                copied += 1
    return copied
