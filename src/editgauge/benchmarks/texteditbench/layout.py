"""TextEditBench's official folder, read and written: ``<split>/<Topic_Folder>/<NNN>/`` with pictures,
masks and one JSON file.

An instance is a folder with files below a topic's folder. Every one gives a sample: one whose record
cannot be read, or whose picture is not there, carries an unrepaired finding. A copy of another
instance (one of the release lies inside its sibling's folder) would be counted twice; it is left
out, and named.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder, write_json
from editgauge.benchmarks.reading import Notes, Record, read_bytes, read_json, unique
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, FOLDERS, tier_of
from editgauge.benchmarks.texteditbench.samples import Place, number_in, sample_of
from editgauge.benchmarks.tree import Tree, below, is_folder, plain, shown
from editgauge.errors import DataError, ImageError, UsageError
from editgauge.escape import file_name
from editgauge.images import fingerprint
from editgauge.types import CopyPicture, Finding, Sample

FIELDS = {
    name: (name,)
    for name in (
        "id", "topic", "prompt", "editing_method", "difficulty", "difficulty_score", "input_image",
        "output_image", "source_tag", "knowledge_prompt",
    )
}  # fmt: skip
DEPTH = 5
"""Folders below a split's folder that are looked into."""
_SPLIT_OF = {name: split for split, names in FOLDERS.items() for name in (split, *names)}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds the split folders, or the released
    repository's.

    Raises `DataError` when there is no split folder in it, `UsageError` for a split that does not
    exist.
    """
    folder = need_folder(root, "texteditbench")
    wanted = _SPLIT_OF.get((split or "").lower())
    if split is not None and wanted is None:
        raise UsageError(f"split {split!r}: texteditbench has synthetic and real")
    for place in (folder, folder / "TextEditBench"):
        folders = [(name, path) for name, path in _splits(place) if wanted in (None, name)]
        if folders:
            return Samples("texteditbench", place, partial(_read, place, folders), wanted or "")
    if folder.name.lower() in _SPLIT_OF:
        above = f"wanted the one above it ({folder.parent})"
        raise DataError(f"{folder}: this is the folder of one split; {above}")
    names = [name for key, some in FOLDERS.items() if wanted in (None, key) for name in some[:2]]
    raise not_this_folder(folder, "texteditbench", f"a folder {' or '.join(names)}")


def _splits(root: Path) -> list[tuple[str, Path]]:
    """The folder of each split, the one of the released name where there are two."""
    there = {entry.name.lower(): entry.name for entry in below(root) if is_folder(entry)}
    folders = {split: [there[n] for n in names if n in there] for split, names in FOLDERS.items()}
    return [(split, root / names[0]) for split, names in folders.items() if names]


def _read(root: Path, splits: Sequence[tuple[str, Path]], note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    read = {path.name for _, path in _splits(root)}
    for entry in below(root):
        if is_folder(entry) and entry.name not in read:
            again = entry.name.lower() in _SPLIT_OF
            found = "a second folder of a split" if again else "a folder that is no split's"
            kind = "split-twice" if again else "folder-unknown"
            note(Finding(kind, entry.name, found, "not read", not again))
    every = [place for split, folder in splits for place in _places(tree, split, folder, (), note)]
    copies = _copies(tree, every)
    for number, first in copies.items():
        found = f"the same record and the same pictures as {_name(every[first])}"
        where = tree.relative(every[number].folder)
        note(Finding("instance-copy", where, found, "left out"))
    places = [place for number, place in enumerate(every) if number not in copies]
    numbers = Counter((place.split, place.topic, place.parts[-1]) for place in places)
    taken: dict[str, int] = {}
    for place in places:
        alone = numbers[place.split, place.topic, place.parts[-1]] == 1
        identity = unique(_name(place), taken)
        yield sample_of(tree, place, _record(tree, place), identity, alone=alone)


def _name(place: Place) -> str:
    return plain("/".join((FOLDERS[place.split][0], place.topic, *place.parts)))


# -- places ----------------------------------------------------------------------------------------


def _places(
    tree: Tree, split: str, folder: Path, parts: tuple[str, ...], note: Note
) -> Iterator[Place]:
    """Every instance at or below a folder, the outer one first; `parts` lead there from the
    split's. What lies there and is none becomes a finding.
    """
    here = tree.relative(folder)
    if not tree.inside(folder) or len(parts) > DEPTH:
        found = f"a link that leads out of the data folder, or more than {DEPTH} folders deep"
        note(Finding("folder-outside", here, found, "not read", False))
        return
    entries = list(below(folder))
    files = tuple(entry.name for entry in entries if not is_folder(entry))
    if not entries:
        note(Finding("folder-empty", here, "an empty folder", "there is no instance", False))
    if files and len(parts) > 1:
        yield Place(split=split, topic=parts[0], folder=folder, parts=parts[1:], files=files)
    elif files:
        found = f"{len(files)} files beside the instances: {shown(files)}"
        note(Finding("file-stray", here, found, "not read"))
    for name in (entry.name for entry in entries if is_folder(entry)):
        yield from _places(tree, split, folder / name, (*parts, name), note)


def _copies(tree: Tree, places: Sequence[Place]) -> dict[int, int]:
    """The number of each instance that is a copy of another one -> that one's.

    Two are copies where their records are the same but for line ends and their pictures have the
    same content. Of two the one is kept that lies in no other instance's folder, and whose files
    have its number. Pictures are read only where records are the same.
    """
    alike: dict[bytes, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        if len(place.records) == 1 and place.pictures:
            path = place.folder / place.records[0]
            lines = (read_bytes(tree, path, Notes("")) or b"").splitlines()
            if len(data := b"\n".join(lines).rstrip(b"\n")) > len(b"[{}]"):
                alike[data].append(number)
    same: dict[tuple[bytes, *tuple[str, ...]], list[int]] = defaultdict(list)
    for data, numbers in alike.items():
        for number in numbers if len(numbers) > 1 else ():
            with suppress(ImageError):
                same[data, *_pictures(tree, places[number])].append(number)
    copies: dict[int, int] = {}
    for some in same.values():
        first = min(some, key=lambda number: (*_rank(places[number]), number))
        copies |= {number: first for number in some if number != first}
    return dict(sorted(copies.items()))


def _pictures(tree: Tree, place: Place) -> list[str]:
    """What an instance's pictures hold, whatever they are called. Raises `ImageError`."""
    paths = [place.folder / name for name in place.pictures]
    return sorted(map(fingerprint, filter(tree.inside, paths)))


def _rank(place: Place) -> tuple[int, bool]:
    """The lowest is kept."""
    return len(place.parts), place.number not in map(number_in, place.files)


# -- records ---------------------------------------------------------------------------------------


def _record(tree: Tree, place: Place) -> Record:
    """The instance's record, empty where it cannot be read."""
    if not place.records:
        notes = Notes(tree.relative(place.folder))
        notes("json-missing", "no JSON file", "nothing is known of the instance", False)
        return Record({}, FIELDS, notes)
    path = place.folder / place.records[0]
    notes = Notes(tree.relative(path))
    record = Record(_only(read_json(tree, path, notes), notes), FIELDS, notes)
    identity = record.identity()
    if record.known and (identity is None or number_in(identity) != place.number):
        counts = f"the folder's name {place.parts[-1]!r} counts"
        notes("id-number", f"id {shown(record.raw('id'))}", counts)
    elif record.known and record.raw("id") != identity:
        notes("id-name", shown(record.raw("id")), f"{shown(identity)} is meant")
    return record


def _only(value: Any, notes: Notes) -> dict[str, Any]:
    """The record of a file, the first where there are several; {} where there is none."""
    if isinstance(value, dict):
        notes("json-object", "an object, not a list of one", "it is the record")
        return value
    if isinstance(value, list) and value and isinstance(value[0], dict):
        if len(value) > 1:
            notes("json-several-records", f"{len(value)} entries, wanted one", "the first")
        record: dict[str, Any] = value[0]
        return record
    notes.wrong_type(value, "a list of one record", "nothing is known of the instance")
    return {}


# -- writing ---------------------------------------------------------------------------------------


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder; sample id -> its id there. `copy` puts a
    picture of a sample to a place.
    """
    names: dict[str, str] = {}
    for number, sample in samples:
        topic = sample.category[0]
        place = f"{FOLDERS[sample.split][0]}/{topic}/{number:03d}"
        edited = f"{number}_edited"
        if sample.reference is not None:
            edited = f"{file_name(str(sample.attributes['operation']))}_{number}"
        pictures = {
            f"{number}.png": sample.image,
            f"{number}_mask.png": sample.masks.get("input"),
            f"{edited}_mask.png": sample.masks.get("second"),
            f"{edited}.png": sample.reference,
        }
        for name, path in pictures.items():
            if path is not None:
                copy(path, root / place / name)
        record = _as_record(sample, number, f"{edited}.png")
        write_json(root / place / f"{topic}_{number:03d}.json", [record])
        names[sample.id] = place
    return names


def _as_record(sample: Sample, number: int, edited: str) -> dict[str, Any]:
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
        "output_image": edited if sample.reference else None,
        "source_tag": facts.get("source_tag") or "human_annotation",
        "knowledge_prompt": sample.knowledge,
    }
    return {key: value for key, value in record.items() if value is not None}
