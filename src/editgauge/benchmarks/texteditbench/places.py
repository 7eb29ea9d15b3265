"""Where TextEditBench's instances lie: the folders of its splits, and in them every folder with
files.

An instance is a folder with files at any depth below a topic's folder. Folders that hold the files
of several numbers are several instances; a copy of another instance is left out, and named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge.benchmarks.base import Note
from editgauge.benchmarks.copies import Content, copies
from editgauge.benchmarks.reading import (
    PICTURES,
    Tree,
    below,
    is_folder,
    read_bytes,
    read_json,
    shown,
)
from editgauge.benchmarks.texteditbench.words import folder_name, topic_of
from editgauge.errors import UsageError
from editgauge.types import Finding

SPLITS: dict[str, tuple[str, ...]] = {
    "synthetic": ("data_manual_production", "canva", "synthetic"),
    "real": ("data_web-sourced_instances", "real"),
}
"""Split -> names of its folder; the first is the one in sample ids, the second the one in outputs.
"""
_DEPTH = 4


def split_of(text: str | None) -> str | None:
    """The split that a name of it, or of its folder, means; nothing for no name.

    Raises `UsageError` for any other text.
    """
    if text is None:
        return None
    for split, names in SPLITS.items():
        if text.lower() in (split, *names):
            return split
    raise UsageError(f"split {text!r}: texteditbench has synthetic and real")


def split_folders(root: Path) -> list[tuple[str, Path]]:
    """Folders of splits, the released name first where two names of one split are there."""
    names = {entry.name.lower(): entry.name for entry in below(root) if is_folder(entry)}
    return [
        (split, root / names[name])
        for split, all_names in SPLITS.items()
        for name in all_names
        if name in names
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an instance lies: its folder, the number that its files are named by, and what is in
    the folder.
    """

    split: str
    topic: str
    """The topic's folder as it is called on disk."""
    folder: Path
    number: int | None
    parts: tuple[str, ...]
    """The path below the topic's folder."""
    records: tuple[str, ...]
    pictures: tuple[str, ...]
    others: tuple[str, ...]


def places_of_split(tree: Tree, split: str, folder: Path, note: Note) -> Iterator[Place]:
    """The instances below one split's folder; what lies there and is none becomes a finding."""
    if not tree.inside(folder):
        note(
            Finding(
                "folder-outside",
                folder.name,
                "a link that leads out of the data folder",
                "not read",
                False,
            )
        )
        return
    for entry in below(folder):
        path = Path(entry.path)
        if not is_folder(entry):
            note(
                Finding(
                    "file-stray",
                    tree.relative(path),
                    "a file beside the topics' folders",
                    "not read",
                )
            )
            continue
        yield from _places(tree, split, entry.name, path, (), note, {os.path.realpath(folder)})


def _places(
    tree: Tree,
    split: str,
    topic: str,
    folder: Path,
    parts: tuple[str, ...],
    note: Note,
    visited: set[str],
) -> Iterator[Place]:
    """Every instance at or below a folder, the outer one first; links inside the root are followed
    once.
    """
    relative = tree.relative(folder)
    if not tree.inside(folder):
        note(
            Finding(
                "folder-outside",
                relative,
                "a link that leads out of the data folder",
                "not read",
                False,
            )
        )
        return
    real = os.path.realpath(folder)
    if real in visited or len(parts) > _DEPTH:
        found = (
            "a link to a folder that was read"
            if real in visited
            else f"more than {_DEPTH} folders deep"
        )
        note(Finding("folder-loop", relative, found, "not read", False))
        return
    visited.add(real)
    entries = list(below(folder))
    files = [entry.name for entry in entries if not is_folder(entry)]
    folders = [entry.name for entry in entries if is_folder(entry)]
    if not entries:
        note(Finding("folder-empty", relative, "an empty folder", "there is no instance", False))
    if files and not parts:
        note(
            Finding(
                "file-stray",
                relative,
                f"{len(files)} files beside the instances: {shown(files)}",
                "not read",
            )
        )
    elif files:
        yield from _split_flat(split, topic, folder, parts, files)
    for name in folders:
        yield from _places(tree, split, topic, folder / name, (*parts, name), note, visited)


def _split_flat(
    split: str, topic: str, folder: Path, parts: tuple[str, ...], files: list[str]
) -> Iterator[Place]:
    """One instance, or several where a folder holds records and pictures of several numbers side by
    side.
    """
    records = [name for name in files if name.lower().endswith(".json")]
    pictures = [name for name in files if os.path.splitext(name)[1].lower() in PICTURES]
    others = tuple(name for name in files if name not in records and name not in pictures)
    number = number_in(parts[-1])
    own: dict[int, tuple[list[str], list[str]]] = {}
    for name in records:
        found = number_in(os.path.splitext(name)[0])
        if (
            found is not None
            and found != number
            and any(os.path.splitext(p)[0] == str(found) for p in pictures)
        ):
            mine = [p for p in pictures if re.search(rf"(?<!\d){found}(?!\d)", p)]
            own.setdefault(found, ([], mine))[0].append(name)
    nested = {name for names, mine in own.values() for name in (*names, *mine)}
    has_own = number is not None and any(os.path.splitext(p)[0] == str(number) for p in pictures)
    if not has_own and len(own) == 1 and len(records) == 1:
        own, nested = (
            {},
            set(),
        )  # one record, one set of pictures, another number than the folder's: still one instance
    left = [[name for name in names if name not in nested] for names in (records, pictures)]
    yield Place(
        split=split,
        topic=topic,
        folder=folder,
        number=number,
        parts=parts,
        records=tuple(left[0]),
        pictures=tuple(left[1]),
        others=others,
    )
    for found, (names, mine) in sorted(own.items()):
        yield Place(
            split=split,
            topic=topic,
            folder=folder,
            number=found,
            parts=(*parts, f"{found:03d}"),
            records=tuple(names),
            pictures=tuple(mine),
            others=(),
        )


def number_in(text: str) -> int | None:
    """The last number in a name, which is the instance's; nothing where there is none."""
    digits = re.findall(r"\d{1,9}", text)
    return int(digits[-1]) if digits else None


def without_copies(tree: Tree, places: Sequence[Place], note: Note) -> list[Place]:
    """The instances but for those that are copies of another one, each named as a finding.

    Of two the one is kept that lies in no other instance's folder, whose number its record names,
    and whose topic it names.
    """
    written: dict[int, tuple[str, str]] = {}

    def content(place: Place) -> Content | None:
        if len(place.records) != 1 or not place.pictures:
            return None
        path = place.folder / place.records[0]
        data, _ = read_bytes(tree, path)
        pictures = [place.folder / name for name in place.pictures]
        if data is None or not all(tree.inside(picture) for picture in pictures):
            return None
        value, _ = read_json(tree, path)
        record = value[0] if isinstance(value, list) and len(value) == 1 else value
        if not isinstance(record, dict) or not record:
            return None
        written[id(place)] = (str(record.get("id", "")), str(record.get("topic", "")))
        return Content(data, tuple(pictures))

    def preferred(place: Place) -> tuple[int, ...]:
        identity, topic = written[id(place)]
        here, _ = topic_of(place.topic, None, "")
        named = folder_name(topic.strip().replace(" & ", "_").replace(" ", "_"))
        return (
            len(place.parts),
            number_in(identity) != place.number,
            topic_of(named, None, "")[0] != here,
        )

    left_out = copies(places, content, preferred)
    for number, kept in sorted(left_out.items()):
        place, other = places[number], places[kept]
        name = "/".join((SPLITS[other.split][0], other.topic, *other.parts))
        found = f"the same record and the same pictures as {name}"
        note(Finding("instance-copy", tree.relative(place.folder), found, "left out"))
    return [place for number, place in enumerate(places) if number not in left_out]
