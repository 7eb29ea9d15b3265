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
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.reading import (
    Record,
    Tree,
    below,
    is_folder,
    natural,
    plain,
    read_json,
    shown,
    unique,
)
from editgauge.benchmarks.texteditbench.difficulty import read_difficulty
from editgauge.benchmarks.texteditbench.pictures import input_of, masks_of, reference_of
from editgauge.benchmarks.texteditbench.places import (
    SPLITS,
    Place,
    number_in,
    places_of_split,
    split_folders,
    split_of,
    without_copies,
)
from editgauge.benchmarks.texteditbench.words import (
    folder_name,
    operation_of,
    spellings_of,
    tag_of,
    topic_of,
)
from editgauge.errors import DataError
from editgauge.instructions import read_instruction
from editgauge.types import Finding, Sample

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


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds the split folders, or the released
    repository's.

    Raises `DataError` when there is no split folder in it, `UsageError` for a split that does not
    exist.
    """
    folder = need_folder(root, "texteditbench")
    wanted = split_of(split)
    for place in (folder, folder / "TextEditBench"):
        found = [(name, path) for name, path in split_folders(place) if wanted in (None, name)]
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


def _read(root: Path, splits: Sequence[tuple[str, Path]], note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    taken: dict[str, int] = {}
    seen: set[str] = set()
    known = {path.name.lower() for _, path in splits} | {
        name for names in SPLITS.values() for name in names
    }
    for entry in below(root):
        if is_folder(entry) and entry.name.lower() not in known:
            note(Finding("folder-unknown", entry.name, "a folder that is no split's", "not read"))
    places: list[Place] = []
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
        places += places_of_split(tree, split, folder, note)
    places = without_copies(tree, places, note)
    numbers = Counter((place.split, place.topic, place.parts[-1]) for place in places)
    for place in places:
        identity = plain("/".join((SPLITS[place.split][0], place.topic, *place.parts)))
        # An instance inside another's folder is called by its own number, where no other one is
        alone = numbers[place.split, place.topic, place.parts[-1]] == 1
        yield _sample(tree, place, unique(identity, taken), alone)


def _sample(tree: Tree, place: Place, identity: str, alone: bool) -> Sample:
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
    image, more = input_of(tree, place, record)
    findings += more
    reference, more = reference_of(tree, place, record, image)
    findings += more
    masks, more = masks_of(tree, place, image, reference)
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


def _stems(place: Place, alone: bool) -> tuple[str, ...]:
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


def _record(tree: Tree, place: Place) -> tuple[Record, list[Finding]]:
    """The instance's record, empty where it cannot be read, and what was wrong with its file."""
    here = tree.relative(place.folder)
    if not place.records:
        finding = Finding(
            "json-missing", here, "no JSON file", "nothing is known of the instance", False
        )
        return Record({}, _FIELDS, here), [finding]
    ranked = sorted(
        place.records,
        key=lambda name: (number_in(os.path.splitext(name)[0]) != place.number, natural(name)),
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
    chosen = next(
        (r for r in records if number_in(str(r.get("id", ""))) == place.number), records[0]
    )
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


def _identity(record: Record, place: Place) -> list[Finding]:
    raw, identity = record.raw("id"), record.identity()
    if identity is None:
        return [Finding("id-missing", record.file, f"id {shown(raw)}", "the folder's name counts")]
    if number_in(identity) != place.number:
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
