"""Copies inside TextEditBench's release: one instance that lies in two places, and would be counted
twice.

Two are copies where their records are the same but for line ends and their pictures have the same
content, whatever the files are called. Pictures are read only where records and sizes of pictures
are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from editgauge.benchmarks.base import Note
from editgauge.benchmarks.reading import Notes, at, parse_json, read_bytes
from editgauge.benchmarks.texteditbench.facts import FOLDERS
from editgauge.benchmarks.texteditbench.samples import Place, folder_name, number_in, topic_of
from editgauge.benchmarks.tree import Tree
from editgauge.errors import ImageError
from editgauge.images import fingerprint


class _Content(NamedTuple):
    """What an instance is made of: the bytes of its record with LF line ends, the record itself,
    its pictures, and their sizes.
    """

    data: bytes
    record: dict[str, Any]
    pictures: tuple[Path, ...]
    sizes: tuple[int, ...]


def without_copies(tree: Tree, places: Sequence[Place], note: Note) -> list[Place]:
    """The instances but for those that are copies of another one, each named as a finding.

    Of two the one is kept that lies in no other instance's folder, whose number its record names,
    and whose topic it names. An instance whose record cannot be read is no copy.
    """
    alike: dict[tuple[bytes, tuple[int, ...]], list[tuple[int, _Content]]] = defaultdict(list)
    for number, place in enumerate(places):
        if (content := _content(tree, place)) is not None:
            alike[content.data, content.sizes].append((number, content))
    copy_of: dict[int, int] = {}
    for group in alike.values():
        for same in _same_pictures(group) if len(group) > 1 else []:
            kept = min(same, key=lambda one: (_rank(places[one[0]], one[1].record), one[0]))[0]
            copy_of |= {number: kept for number, _ in same if number != kept}
    for number, kept in sorted(copy_of.items()):
        other = places[kept]
        name = "/".join((FOLDERS[other.split][0], other.topic, *other.parts))
        found = f"the same record and the same pictures as {name}"
        here = at(tree.relative(places[number].folder), note)
        here("instance-copy", found, "left out")
    return [place for number, place in enumerate(places) if number not in copy_of]


def _content(tree: Tree, place: Place) -> _Content | None:
    """None for an instance of which nothing can be told: an empty or unreadable file."""
    pictures = tuple(place.folder / name for name in place.pictures)
    if len(place.records) != 1 or not pictures or not all(map(tree.inside, pictures)):
        return None
    data = read_bytes(tree, place.folder / place.records[0], Notes(""))
    text = (data or b"").decode("utf-8-sig", "replace")
    value = parse_json(text, Notes(""))
    record = value[0] if isinstance(value, list) and len(value) == 1 else value
    try:
        sizes = tuple(sorted(path.stat().st_size for path in pictures))
    except OSError:
        return None
    if data is None or not isinstance(record, dict) or not record or not sizes[0]:
        return None
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip(b"\n")
    return _Content(lines, record, pictures, sizes)


def _same_pictures(group: list[tuple[int, _Content]]) -> list[list[tuple[int, _Content]]]:
    """Those of a group that have the same pictures, in groups of two and more."""
    same: dict[tuple[str, ...], list[tuple[int, _Content]]] = defaultdict(list)
    for one in group:
        try:
            same[tuple(sorted(map(fingerprint, one[1].pictures)))].append(one)
        except ImageError:
            continue
    return [some for some in same.values() if len(some) > 1]


def _rank(place: Place, record: dict[str, Any]) -> tuple[int, bool, bool]:
    """The lowest is kept."""
    written = str(record.get("topic", "")).strip().replace(" & ", "_").replace(" ", "_")
    other_number = number_in(str(record.get("id", ""))) != place.number
    return len(place.parts), other_number, topic_of(folder_name(written)) != topic_of(place.topic)
