"""Reads TextEditBench's released folders: ``<split>/<Topic_Folder>/<NNN>/`` with pictures, masks
and one JSON file.

An instance is a folder with files at any depth below a topic's folder (one of the release lies
inside another's: a copy of its sibling, which is left out); its name decides its number and its topic's folder the topic, because the records
are wrong about both at times. Every folder with files gives a sample: one whose record cannot be
read, or whose picture is not there, carries an unrepaired finding and ends as
`Status.DATASET_FAULT`. Masks: ``input`` (what is edited in the input), ``second`` (in the edit),
``extra1``… where a folder has more, which the released code refuses.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.copies import Content, copies
from editgauge.benchmarks.reading import (
    PICTURES,
    Record,
    Tree,
    below,
    is_folder,
    natural,
    plain,
    read_bytes,
    read_json,
    shown,
    unique,
)
from editgauge.benchmarks.texteditbench.difficulty import read_difficulty
from editgauge.benchmarks.texteditbench.words import (
    folder_name,
    operation_of,
    spellings_of,
    tag_of,
    topic_of,
)
from editgauge.errors import DataError, UsageError
from editgauge.instructions import read_instruction
from editgauge.types import Finding, Sample

SPLITS: dict[str, tuple[str, ...]] = {
    "synthetic": ("data_manual_production", "canva", "synthetic"),
    "real": ("data_web-sourced_instances", "real"),
}
"""Split -> names of its folder; the first is the one in sample ids, the second the one in outputs.
"""
_FIELDS = {
    "id": ("id",),
    "topic": ("topic",),
    "prompt": ("prompt",),
    "editing_method": ("editing_method",),
    "difficulty": ("difficulty",),
    "difficulty_score": ("difficulty_score",),
    "input_image": ("input_image",),
    "output_image": ("output_image",),
    "source_tag": ("source_tag",),
    "knowledge_prompt": ("knowledge_prompt",),
}
_DEPTH = 4


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds the split folders, or the released
    repository's.

    Raises `DataError` when there is no split folder in it, `UsageError` for a split that does not
    exist.
    """
    folder = need_folder(root, "texteditbench")
    wanted = _split_of(split)
    for place in (folder, folder / "TextEditBench"):
        found = [(name, path) for name, path in _split_folders(place) if wanted in (None, name)]
        if found:
            return Samples("texteditbench", place, partial(_read, place, found), wanted or "")
    names = " or ".join(
        name for key, all_names in SPLITS.items() if wanted in (None, key) for name in all_names[:2]
    )
    if any(folder.name.lower() in all_names for all_names in SPLITS.values()):
        raise DataError(
            f"{folder}: this is the folder of one split; wanted the one above it ({folder.parent})"
        )
    raise not_this_folder(folder, "texteditbench", f"a folder {names}")


def _split_of(text: str | None) -> str | None:
    if text is None:
        return None
    for split, names in SPLITS.items():
        if text.lower() in (split, *names):
            return split
    raise UsageError(f"split {text!r}: texteditbench has synthetic and real")


def _split_folders(root: Path) -> list[tuple[str, Path]]:
    """Folders of splits, the released name first where two names of one split are there."""
    names = {entry.name.lower(): entry.name for entry in below(root) if is_folder(entry)}
    return [
        (split, root / names[name])
        for split, all_names in SPLITS.items()
        for name in all_names
        if name in names
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
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


def _read(root: Path, splits: Sequence[tuple[str, Path]], note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    taken: set[str] = set()
    seen: set[str] = set()
    known = {path.name.lower() for _, path in splits} | {
        name for names in SPLITS.values() for name in names
    }
    for entry in below(root):
        if is_folder(entry) and entry.name.lower() not in known:
            note(Finding("folder-unknown", entry.name, "a folder that is no split's", "not read"))
    places: list[_Place] = []
    for split, folder in splits:
        if split in seen:
            found = f"a second folder of the split {split!r}"
            note(
                Finding(
                    "split-twice",
                    folder.name,
                    found,
                    f"not read: {SPLITS[split][0]!r} or the first is",
                    False,
                )
            )
            continue
        seen.add(split)
        places += _places_of_split(tree, split, folder, note)
    places = _without_copies(tree, places, note)
    numbers = Counter((place.split, place.topic, place.parts[-1]) for place in places)
    for place in places:
        identity = plain("/".join((SPLITS[place.split][0], place.topic, *place.parts)))
        # An instance inside another's folder is called by its own number, where no other one is
        alone = numbers[place.split, place.topic, place.parts[-1]] == 1
        yield _sample(tree, place, unique(identity, taken), alone)


def _without_copies(tree: Tree, places: Sequence[_Place], note: Note) -> list[_Place]:
    """The instances but for those that are copies of another one, each named as a finding.

    Of two the one is kept that lies in no other instance's folder, whose number its record names,
    and whose topic it names.
    """
    written: dict[int, tuple[str, str]] = {}

    def content(place: _Place) -> Content | None:
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

    def preferred(place: _Place) -> tuple[int, ...]:
        identity, topic = written[id(place)]
        here, _ = topic_of(place.topic, None, "")
        named = folder_name(topic.strip().replace(" & ", "_").replace(" ", "_"))
        return (
            len(place.parts),
            _number(identity) != place.number,
            topic_of(named, None, "")[0] != here,
        )

    left_out = copies(places, content, preferred)
    for number, kept in sorted(left_out.items()):
        place, other = places[number], places[kept]
        name = "/".join((SPLITS[other.split][0], other.topic, *other.parts))
        found = f"the same record and the same pictures as {name}"
        note(Finding("instance-copy", tree.relative(place.folder), found, "left out"))
    return [place for number, place in enumerate(places) if number not in left_out]


def _places_of_split(tree: Tree, split: str, folder: Path, note: Note) -> Iterator[_Place]:
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
) -> Iterator[_Place]:
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
) -> Iterator[_Place]:
    """One instance, or several where a folder holds records and pictures of several numbers side by
    side.
    """
    records = [name for name in files if name.lower().endswith(".json")]
    pictures = [name for name in files if os.path.splitext(name)[1].lower() in PICTURES]
    others = tuple(name for name in files if name not in records and name not in pictures)
    number = _number(parts[-1])
    own: dict[int, tuple[list[str], list[str]]] = {}
    for name in records:
        found = _number(os.path.splitext(name)[0])
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
    yield _Place(
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
        yield _Place(
            split=split,
            topic=topic,
            folder=folder,
            number=found,
            parts=(*parts, f"{found:03d}"),
            records=tuple(names),
            pictures=tuple(mine),
            others=(),
        )


def _number(text: str) -> int | None:
    digits = re.findall(r"\d{1,9}", text)
    return int(digits[-1]) if digits else None


def _sample(tree: Tree, place: _Place, identity: str, alone: bool) -> Sample:
    record, findings = _record(tree, place)
    file = record.file
    instruction = record.text("prompt", needed=bool(record.data)) or ""
    topic, more = (
        topic_of(place.topic, record.text("topic"), file)
        if record.data
        else topic_of(place.topic, "", file)
    )
    findings += more if record.data else []
    operation, more = operation_of(record.text("editing_method"), file) if record.data else ("", [])
    findings += more
    tag, more = tag_of(record.text("source_tag"), file)
    findings += more
    difficulty, more = read_difficulty(
        record.text("difficulty"), record.text("difficulty_score"), file
    )
    findings += more if record.data else []
    if len(place.parts) > 1:
        found = f"inside the folder of {place.parts[-2]!r}"
        findings.append(
            Finding("instance-nested", tree.relative(place.folder), found, "an instance of its own")
        )
    image, more = _input(tree, place, record)
    findings += more
    reference, more = _reference(tree, place, record, image)
    findings += more
    masks, more = _masks(tree, place, image, reference)
    findings += more
    used = {
        image.name,
        *(path.name for path in masks.values()),
        *([reference.name] if reference else []),
    }
    unused = [name for name in (*place.pictures, *place.others) if name not in used]
    if unused:
        findings.append(
            Finding(
                "file-unused", tree.relative(place.folder), shown(unused), "no part of the instance"
            )
        )
    knowledge = record.text("knowledge_prompt")
    source_text, target_text = quoted_texts(instruction, operation)
    attributes: dict[str, str | int | float | bool] = {
        "topic": topic,
        "operation": operation,
        "source_tag": tag,
    }
    attributes["has_knowledge"] = knowledge is not None
    key = record.key("knowledge_prompt")
    if knowledge is not None and key is not None and key != "knowledge_prompt":
        attributes["knowledge_key"] = key  # the released judge does not see it: no SE there
    if (written := record.raw("editing_method")) != operation and isinstance(written, str):
        attributes["operation_written"] = written  # what the released judge is told
    attributes.update(difficulty.attributes())
    if record.identity():
        attributes["record_id"] = str(record.identity())
    return Sample(
        benchmark="texteditbench",
        id=identity,
        split=place.split,
        category=(folder_name(place.topic),),
        instruction=instruction,
        images=(image,),
        output_stems=_stems(place, alone),
        reference=reference,
        masks=masks,
        source_text=source_text,
        target_text=target_text,
        knowledge=knowledge,
        attributes=attributes,
        findings=(*findings, *record.findings),
    )


def quoted_texts(instruction: str, operation: str) -> tuple[str | None, str | None]:
    """The text to be replaced and the text to appear, where the instruction names one each; the
    records have none.
    """
    parsed = read_instruction(instruction, operation or None)
    return parsed.source, parsed.target


def _stems(place: _Place, alone: bool) -> tuple[str, ...]:
    """Where an output may lie: the outputs' own split name first, either spelling of the topic's
    folder.
    """
    nested, own = "/".join(place.parts), place.parts[-1]
    names = [own, nested] if alone else [nested]
    released, in_outputs = SPLITS[place.split][0], SPLITS[place.split][1]
    topics = dict.fromkeys((place.topic, *spellings_of(place.topic)))
    return tuple(
        dict.fromkeys(
            f"{split}/{topic}/{name}_edited"
            for split in (in_outputs, released)
            for topic in topics
            for name in names
        )
    )


def _record(tree: Tree, place: _Place) -> tuple[Record, list[Finding]]:
    """The instance's record, empty where it cannot be read, and what was wrong with its file."""
    here = tree.relative(place.folder)
    if not place.records:
        finding = Finding(
            "json-missing", here, "no JSON file", "nothing is known of the instance", False
        )
        return Record({}, _FIELDS, here), [finding]
    ranked = sorted(
        place.records,
        key=lambda name: (_number(os.path.splitext(name)[0]) != place.number, natural(name)),
    )
    path = place.folder / ranked[0]
    file = tree.relative(path)
    value, findings = read_json(tree, path)
    if len(ranked) > 1:
        findings.append(
            Finding("json-several", here, shown(ranked), f"{ranked[0]!r} is the instance's")
        )
    if isinstance(value, dict):
        findings.append(
            Finding("json-object", file, "an object, not a list of one", "it is the record")
        )
        value = [value]
    if not isinstance(value, list) or not any(isinstance(entry, dict) for entry in value):
        if not findings or findings[0].repaired:
            found = f"{type(value).__name__} {shown(value)}, wanted a list of one record"
            findings.append(
                Finding("json-wrong-type", file, found, "nothing is known of the instance", False)
            )
        return Record({}, _FIELDS, file), findings
    records = [entry for entry in value if isinstance(entry, dict)]
    chosen = next((r for r in records if _number(str(r.get("id", ""))) == place.number), records[0])
    if len(value) > 1:
        found = f"{len(value)} entries, wanted one record"
        findings.append(
            Finding(
                "json-several-records", file, found, f"the one with id {shown(chosen.get('id'))}"
            )
        )
    record = Record(chosen, _FIELDS, file)
    findings += _identity(record, place)
    return record, findings


def _identity(record: Record, place: _Place) -> list[Finding]:
    raw, identity = record.raw("id"), record.identity()
    if identity is None:
        return [Finding("id-missing", record.file, f"id {shown(raw)}", "the folder's name counts")]
    if _number(identity) != place.number:
        return [
            Finding(
                "id-number",
                record.file,
                f"id {shown(raw)}",
                f"the folder's name {place.parts[-1]!r} counts",
            )
        ]
    return (
        []
        if raw == identity
        else [Finding("id-name", record.file, shown(raw), f"{shown(identity)} is meant")]
    )


def _input(tree: Tree, place: _Place, record: Record) -> tuple[Path, list[Finding]]:
    """The input picture: as the record names it, else ``N`` by the folder's number."""
    path, finding = tree.locate(
        place.folder, record.raw("input_image"), file=record.file, what="input"
    )
    if finding is None:
        return path, []
    if finding.repaired:
        return path, [finding]
    if place.number is not None:
        by_number = tree.similar(place.folder / f"{place.number}.jpg")
        if by_number is not None:
            assumed = f"{by_number.name!r}, by the folder's number"
            return by_number, [Finding(finding.kind, finding.file, finding.found, assumed)]
    return path, [finding]


def _reference(
    tree: Tree, place: _Place, record: Record, image: Path
) -> tuple[Path | None, list[Finding]]:
    """The reference edit of the synthetic split: as the record names it, else the one picture that
    is left.
    """
    name = record.raw("output_image")
    if place.split == "real" and name in (None, ""):
        return None, []
    path, finding = tree.locate(
        place.folder, name, file=record.file, what="reference", part="reference"
    )
    if finding is None or finding.repaired:
        return path, [finding] if finding else []
    if place.split == "real":
        return None, [
            Finding(finding.kind, finding.file, finding.found, "the real split has no references")
        ]
    left = [
        p
        for p in place.pictures
        if p != image.name and not _is_mask(p) and tree.inside(place.folder / p)
    ]
    if len(left) == 1:
        assumed = f"{left[0]!r}, the picture that is left"
        return place.folder / left[0], [Finding(finding.kind, finding.file, finding.found, assumed)]
    return path, [finding]


def _masks(
    tree: Tree, place: _Place, image: Path, reference: Path | None
) -> tuple[dict[str, Path], list[Finding]]:
    """The masks by name; one that is not there gets the path where it should be, and a finding."""
    here = tree.relative(place.folder)
    names = {os.path.splitext(p)[0].lower(): p for p in place.pictures if _is_mask(p)}
    findings: list[Finding] = []
    for stem, name in list(names.items()):
        if not tree.inside(place.folder / name):
            finding = Finding(
                "mask-outside",
                f"{here}/{name}",
                "a link out of the data folder",
                "not read",
                False,
                "mask",
            )
            findings.append(finding)
            del names[stem]
    number = "" if place.number is None else str(place.number)
    masks: dict[str, Path] = {}
    wished = {
        "input": [image.stem, number],
        "second": [reference.stem if reference else f"{number}_edited"],
    }
    for key, stems in wished.items():
        found = next(
            (f"{stem.lower()}_mask" for stem in stems if f"{stem.lower()}_mask" in names), None
        )
        if found is not None:
            masks[key] = place.folder / names.pop(found)
    for key, stems in wished.items():
        if key in masks:
            continue
        wanted = f"{stems[0]}_mask.jpg"
        if len(names) == 1:
            taken = names.pop(next(iter(names)))
            masks[key] = place.folder / taken
            findings.append(
                Finding("mask-name", here, f"no {wanted}", f"{taken!r} is the mask {key!r}")
            )
        else:
            masks[key] = (
                tree.nowhere(wanted)
                if os.path.lexists(place.folder / wanted)
                else place.folder / wanted
            )
            findings.append(
                Finding("mask-missing", here, f"no {wanted}", f"no mask {key!r}", False, "mask")
            )
    for index, stem in enumerate(sorted(names, key=natural), start=1):
        masks[f"extra{index}"] = place.folder / names[stem]
        findings.append(
            Finding(
                "mask-extra", here, f"a further mask {names[stem]!r}", f"kept as 'extra{index}'"
            )
        )
    return masks, findings


def _is_mask(name: str) -> bool:
    return os.path.splitext(name)[0].lower().endswith("_mask")
