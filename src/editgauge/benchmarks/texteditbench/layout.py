"""TextEditBench's official folder, read and written: ``<split>/<Topic_Folder>/<NNN>/`` with pictures,
masks and one JSON file.

An instance is a folder with files at any depth below a topic's folder. Folders that hold the files
of several numbers are several instances; a copy of another instance (one of the release lies inside
its sibling's folder) is left out, and named. Every folder with files gives a sample: one whose
record cannot be read, or whose picture is not there, carries an unrepaired finding and ends as
`Status.DATASET_FAULT`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import (
    Note,
    Samples,
    need_folder,
    not_this_folder,
    write_json,
)
from editgauge.benchmarks.reading import Notes, Record, at, read_json, unique, wrong_type
from editgauge.benchmarks.texteditbench.copies import without_copies
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, FOLDERS, tier_of
from editgauge.benchmarks.texteditbench.samples import Place, number_in, sample_of
from editgauge.benchmarks.tree import PICTURES, Tree, below, is_folder, natural, plain, shown
from editgauge.errors import DataError, UsageError
from editgauge.escape import file_name
from editgauge.types import CopyPicture, Sample

FIELDS = {
    name: (name,)
    for name in (
        "id", "topic", "prompt", "editing_method", "difficulty", "difficulty_score", "input_image",
        "output_image", "source_tag", "knowledge_prompt",
    )
}  # fmt: skip
DEPTH = 4
"""Folders below a topic's folder that are looked into."""


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds the split folders, or the released
    repository's.

    Raises `DataError` when there is no split folder in it, `UsageError` for a split that does not
    exist.
    """
    folder = need_folder(root, "texteditbench")
    wanted = _split_of(split)
    for place in (folder, folder / "TextEditBench"):
        folders = [(name, path) for name, path in _splits(place) if wanted in (None, name)]
        if folders:
            return Samples("texteditbench", place, partial(_read, place, folders), wanted or "")
    if any(folder.name.lower() in names for names in FOLDERS.values()):
        above = f"wanted the one above it ({folder.parent})"
        raise DataError(f"{folder}: this is the folder of one split; {above}")
    names = [name for key, some in FOLDERS.items() if wanted in (None, key) for name in some[:2]]
    raise not_this_folder(folder, "texteditbench", f"a folder {' or '.join(names)}")


def _split_of(text: str | None) -> str | None:
    """The split that a name of it, or of its folder, means; None for None."""
    if text is None:
        return None
    for split, names in FOLDERS.items():
        if text.lower() in (split, *names):
            return split
    raise UsageError(f"split {text!r}: texteditbench has synthetic and real")


def _splits(root: Path) -> list[tuple[str, Path]]:
    """Folders of splits, the released name first where two names of one split are there."""
    names = {entry.name.lower(): entry.name for entry in below(root) if is_folder(entry)}
    return [
        (split, root / names[name])
        for split, some in FOLDERS.items()
        for name in some
        if name in names
    ]


def _read(root: Path, splits: Sequence[tuple[str, Path]], note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    known = {path.name.lower() for _, path in splits}.union(*FOLDERS.values())
    for entry in below(root):
        if is_folder(entry) and entry.name.lower() not in known:
            at(entry.name, note)("folder-unknown", "a folder that is no split's", "not read")
    places: list[Place] = []
    seen: set[str] = set()
    for split, folder in splits:
        if split in seen:
            here, first = at(folder.name, note), f"not read: {FOLDERS[split][0]!r} or the first is"
            here("split-twice", f"a second folder of the split {split!r}", first, False)
        else:
            seen.add(split)
            places += _of_split(tree, split, folder, note)
    places = without_copies(tree, places, note)
    numbers = Counter((place.split, place.topic, place.parts[-1]) for place in places)
    taken: dict[str, int] = {}
    for place in places:
        identity = plain("/".join((FOLDERS[place.split][0], place.topic, *place.parts)))
        alone = numbers[place.split, place.topic, place.parts[-1]] == 1
        yield sample_of(tree, place, _record(tree, place), unique(identity, taken), alone=alone)


# -- places ----------------------------------------------------------------------------------------


def _of_split(tree: Tree, split: str, folder: Path, note: Note) -> Iterator[Place]:
    """The instances below one split's folder; what lies there and is none becomes a finding."""
    if not tree.inside(folder):
        _note_outside(folder.name, note)
        return
    visited = {os.path.realpath(folder)}
    for entry in below(folder):
        path = Path(entry.path)
        if is_folder(entry):
            yield from _below_topic(tree, split, entry.name, path, (), note, visited)
        else:
            found = "a file beside the topics' folders"
            at(tree.relative(path), note)("file-stray", found, "not read")


def _note_outside(name: str, note: Note) -> None:
    found = "a link that leads out of the data folder"
    at(name, note)("folder-outside", found, "not read", False)


def _below_topic(
    tree: Tree, split: str, topic: str, folder: Path, parts: tuple[str, ...], note: Note,
    visited: set[str],
) -> Iterator[Place]:  # fmt: skip
    """Every instance at or below a folder, the outer one first; links inside the root are followed
    once.
    """
    here = at(tree.relative(folder), note)
    if not tree.inside(folder):
        _note_outside(tree.relative(folder), note)
        return
    real = os.path.realpath(folder)
    if real in visited or len(parts) > DEPTH:
        deep = f"more than {DEPTH} folders deep"
        found = "a link to a folder that was read" if real in visited else deep
        here("folder-loop", found, "not read", False)
        return
    visited.add(real)
    entries = list(below(folder))
    files = [entry.name for entry in entries if not is_folder(entry)]
    if not entries:
        here("folder-empty", "an empty folder", "there is no instance", False)
    if files and parts:
        yield from _instances(split, topic, folder, parts, files)
    elif files:
        here("file-stray", f"{len(files)} files beside the instances: {shown(files)}", "not read")
    for name in (entry.name for entry in entries if is_folder(entry)):
        inner = (*parts, name)
        yield from _below_topic(tree, split, topic, folder / name, inner, note, visited)


def _instances(
    split: str, topic: str, folder: Path, parts: tuple[str, ...], files: list[str]
) -> Iterator[Place]:
    """One instance, or several where a folder holds records and pictures of several numbers side by
    side.
    """
    records = [name for name in files if name.lower().endswith(".json")]
    pictures = [name for name in files if os.path.splitext(name)[1].lower() in PICTURES]
    others = tuple(name for name in files if name not in records and name not in pictures)
    number = number_in(parts[-1])
    further = _further(number, records, pictures)
    taken = {name for some, mine in further.values() for name in (*some, *mine)}
    place = partial(Place, split=split, topic=topic, folder=folder)
    yield place(
        number=number,
        parts=parts,
        records=tuple(name for name in records if name not in taken),
        pictures=tuple(name for name in pictures if name not in taken),
        others=others,
    )
    for other, (some, mine) in sorted(further.items()):
        inner = (*parts, f"{other:03d}")
        yield place(number=other, parts=inner, records=tuple(some), pictures=tuple(mine))


def _further(
    number: int | None, records: list[str], pictures: list[str]
) -> dict[int, tuple[list[str], list[str]]]:
    """Records and pictures by another number than the folder's, where a picture bears it."""
    stems = {os.path.splitext(name)[0] for name in pictures}
    further: dict[int, tuple[list[str], list[str]]] = {}
    for name in records:
        other = number_in(os.path.splitext(name)[0])
        if other not in (None, number) and str(other) in stems:
            mine = [p for p in pictures if re.search(rf"(?<!\d){other}(?!\d)", p)]
            further.setdefault(int(other or 0), ([], mine))[0].append(name)
    if len(further) == len(records) == 1 and str(number) not in stems:
        return {}  # one record and one set of pictures of another number: still one instance
    return further


# -- records ---------------------------------------------------------------------------------------


def _record(tree: Tree, place: Place) -> Record:
    """The instance's record, empty where it cannot be read."""
    here = tree.relative(place.folder)
    if not place.records:
        notes = Notes(here)
        notes("json-missing", "no JSON file", "nothing is known of the instance", False)
        return Record({}, FIELDS, notes)
    ranked = sorted(place.records, key=lambda name: (not _is_of(place, name), natural(name)))
    path = place.folder / ranked[0]
    notes = Notes(tree.relative(path))
    value = read_json(tree, path, notes)
    if len(ranked) > 1:
        at(here, notes.findings.append)(
            "json-several", shown(ranked), f"{ranked[0]!r} is the instance's"
        )
    record = Record(_chosen(value, place, notes), FIELDS, notes)
    if record.known:
        _note_identity(record, place)
    return record


def _is_of(place: Place, record: str) -> bool:
    return number_in(os.path.splitext(record)[0]) == place.number


def _chosen(value: Any, place: Place, notes: Notes) -> dict[str, Any]:
    """The instance's record among a file's; {} where there is none."""
    if isinstance(value, dict):
        notes("json-object", "an object, not a list of one", "it is the record")
        value = [value]
    entries = value if isinstance(value, list) else []
    records = [entry for entry in entries if isinstance(entry, dict)]
    if not records:
        if not notes.lost:
            unknown = "nothing is known of the instance"
            wrong_type(notes, value, "a list of one record", unknown)
        return {}
    own = (r for r in records if number_in(str(r.get("id", ""))) == place.number)
    chosen = next(own, records[0])
    if len(entries) > 1:
        found = f"{len(entries)} entries, wanted one record"
        notes("json-several-records", found, f"the one with id {shown(chosen.get('id'))}")
    return chosen


def _note_identity(record: Record, place: Place) -> None:
    raw, identity = record.raw("id"), record.identity()
    if identity is None:
        record.note("id-missing", f"id {shown(raw)}", "the folder's name counts")
    elif number_in(identity) != place.number:
        counts = f"the folder's name {place.parts[-1]!r} counts"
        record.note("id-number", f"id {shown(raw)}", counts)
    elif raw != identity:
        record.note("id-name", shown(raw), f"{shown(identity)} is meant")


# -- writing ---------------------------------------------------------------------------------------


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder; sample id -> its id there. `copy` puts a
    picture of a sample to a place.
    """
    names: dict[str, str] = {}
    for number, sample in samples:
        topic = sample.category[0]
        place = f"{FOLDERS[sample.split][0]}/{topic}/{number:03d}"
        edited = _edited(sample, number)
        pictures = {
            f"{number}.png": sample.image,
            f"{number}_mask.png": sample.masks.get("input"),
            f"{edited}_mask.png": sample.masks.get("second"),
            f"{edited}.png": sample.reference,
        }
        for name, path in pictures.items():
            if path is not None:
                copy(path, root / place / name)
        write_json(root / place / f"{topic}_{number:03d}.json", [_as_record(sample, number)])
        names[sample.id] = place
    return names


def _edited(sample: Sample, number: int) -> str:
    """What the reference edit is called, or would be."""
    if sample.reference is None:
        return f"{number}_edited"
    return f"{file_name(str(sample.attributes['operation']))}_{number}"


def _as_record(sample: Sample, number: int) -> dict[str, Any]:
    facts = sample.attributes
    tier, score = facts.get("difficulty"), None
    if all(isinstance(facts.get(name), int) for name in ATTRIBUTES):
        values = [int(facts[name]) for name in ATTRIBUTES]
        tier = tier_of(sum(values))
        score = f"{sum(values)}({','.join(map(str, values))})"
    record = {
        "id": f"TextEditing_{facts['topic']}_{number:03d}",
        "topic": facts["topic"],
        "prompt": sample.instruction,
        "editing_method": facts["operation"],
        "difficulty": tier,
        "difficulty_score": score,
        "input_image": f"{number}.png",
        "output_image": f"{_edited(sample, number)}.png" if sample.reference else None,
        "source_tag": facts.get("source_tag") or "human_annotation",
        "knowledge_prompt": sample.knowledge,
    }
    return {key: value for key, value in record.items() if value is not None}
