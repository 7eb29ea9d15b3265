"""A record of TextEditBench as a sample: its words, its difficulty and its pictures.

The folder's name decides the number, and the topic's folder the topic, because the records are wrong
about both at times. A picture is what the record names, else what the folder's number says, with a
finding that tells what was assumed. Masks: ``input`` (what is edited in the input), ``second`` (in
the edit), ``extra1``… where a folder has more, which the released code refuses.
"""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from editgauge.benchmarks.reading import Notes, Record
from editgauge.benchmarks.texteditbench.facts import (
    ATTRIBUTES,
    FOLDERS,
    OPERATIONS,
    OTHER_FOLDERS,
    OTHER_OPERATIONS,
    TAGS,
    TIERS,
    TOPICS,
    tier_of,
)
from editgauge.benchmarks.tree import PICTURES, Tree, natural, shown
from editgauge.instructions import read_instruction
from editgauge.types import Sample

Facts = dict[str, str | int | float | bool]
_DIFFICULTY = re.compile(
    r"(?P<total>\d{1,2})?[, ]*(?:\((?P<values>[^()]*)(?P<end>\))?)?(?P<comma>,?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an instance lies, and what is in its folder."""

    split: str
    topic: str
    """The topic's folder as it is called on disk."""
    folder: Path
    parts: tuple[str, ...]
    """The path below the topic's folder."""
    files: tuple[str, ...]

    @property
    def number(self) -> int | None:
        """The number that the folder's files are named by."""
        return number_in(self.parts[-1])

    @property
    def records(self) -> list[str]:
        return [name for name in self.files if name.lower().endswith(".json")]

    @property
    def pictures(self) -> list[str]:
        return [name for name in self.files if os.path.splitext(name)[1].lower() in PICTURES]


def number_in(text: str) -> int | None:
    """The last number in a name, which is the instance's; None where there is none."""
    digits = re.findall(r"\d{1,9}", text)
    return int(digits[-1]) if digits else None


def sample_of(tree: Tree, place: Place, record: Record, identity: str, *, alone: bool) -> Sample:
    """The sample of an instance. `alone`: no other one of its topic has its number, so that an
    instance inside another's folder is called by its own number.
    """
    operation = _operation(record) if record.known else ""
    knowledge = record.text("knowledge_prompt")
    here = Notes(tree.relative(place.folder))
    if len(place.parts) > 1:
        found = f"inside the folder of {place.parts[-2]!r}"
        here("instance-nested", found, "an instance of its own")
    image, reference = _input(tree, place, record), None
    if place.split == "synthetic":
        what = "reference"
        reference = record.picture(tree, place.folder, "output_image", what=what, part=what)
    masks = _masks(tree, place, here, image, reference)
    used = {path.name for path in (image, reference, *masks.values()) if path is not None}
    if unused := [name for name in place.files if name not in used.union(place.records[:1])]:
        here("file-unused", shown(unused), "no part of the instance")
    instruction = record.text("prompt", needed="") or ""
    parsed = read_instruction(instruction, operation or None)
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
        source_text=parsed.source,
        target_text=parsed.target,
        knowledge=knowledge,
        attributes=_attributes(place, record, operation, known=knowledge is not None),
        findings=(*record.note.findings, *here.findings),
    )


def _attributes(place: Place, record: Record, operation: str, *, known: bool) -> Facts:
    """`known`: the record has a knowledge prompt."""
    attributes: Facts = {
        "topic": _topic(place.topic, record),
        "operation": operation,
        "source_tag": _spelt(record.text("source_tag") or "", TAGS, "tag-name", record.note),
        "has_knowledge": known,
    }
    key = record.key("knowledge_prompt")
    if known and key not in (None, "knowledge_prompt"):
        attributes["knowledge_key"] = str(key)  # the released judge does not see it: no SE there
    if (method := record.raw("editing_method")) != operation and isinstance(method, str):
        attributes["operation_written"] = method  # what the released judge is told
    if record.identity():
        attributes["record_id"] = str(record.identity())
    tier, score = record.text("difficulty"), record.text("difficulty_score")
    return attributes | (read_difficulty(tier, score, record.note) if record.known else {})


def _stems(place: Place, alone: bool) -> tuple[str, ...]:
    """Where an output may lie: the outputs' own split name first, either spelling of the topic's
    folder.
    """
    nested, usual = "/".join(place.parts), folder_name(place.topic)
    topics = (place.topic, usual, *(one for one, meant in OTHER_FOLDERS.items() if meant == usual))
    stems = (
        f"{split}/{topic}/{name}_edited"
        for split in FOLDERS[place.split][1::-1]
        for topic in topics
        for name in ([place.parts[-1], nested] if alone else [nested])
    )
    return tuple(dict.fromkeys(stems))


# -- words -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def folder_name(name: str) -> str:
    """A topic folder's name as `TOPICS` has it: two letters swapped (``Digtial_…``) are put right,
    the other name of a topic becomes its first one, a name that is not known stays.
    """
    near = difflib.get_close_matches(name, (*TOPICS, *OTHER_FOLDERS), n=1, cutoff=0.93)
    return OTHER_FOLDERS.get(near[0], near[0]) if near else name


def topic_of(folder: str) -> str:
    """The topic as printed, from its folder, which is reliable."""
    return TOPICS.get(folder_name(folder), folder.replace("_", " "))


def _topic(folder: str, record: Record) -> str:
    """The topic; another spelling of the record's own is noted."""
    topic, written = topic_of(folder), record.text("topic")
    if record.known and written is None:
        record.note("topic-missing", "no topic", f"{topic!r}, from the folder")
    elif written is not None and written != topic:
        letters = {re.sub(r"[\W_]+", "", text).casefold() for text in (written, topic)}
        if folder_name(folder) in TOPICS or len(letters) > 1:  # else a title that nobody gave
            record.note("topic-name", shown(written), f"{topic!r}, from the folder")
    return topic


def _operation(record: Record) -> str:
    """``editing_method`` in one spelling; one that is not known stays as written, in lower case
    with ``_``; "" where there is none.
    """
    written, known = record.text("editing_method"), (*OPERATIONS, *OTHER_OPERATIONS)
    if written is None:
        record.note("operation-missing", "no editing method", "it is not known")
        return ""
    operation = _spelt(written, known, "operation-name", record.note)
    if operation not in known:
        record.note("operation-unknown", shown(written), "kept as written")
    return operation


def _spelt(written: str, names: Sequence[str], kind: str, note: Notes, cutoff: float = 0.8) -> str:
    """The one of `names` that is meant, which is noted where it is spelt otherwise; else the text in
    lower case with ``_``.
    """
    cleaned = re.sub(r"[\s\-_]+", "_", unicodedata.normalize("NFKC", written).strip().lower())
    near = difflib.get_close_matches(cleaned, names, n=1, cutoff=cutoff)
    if near and near[0] != written:
        note(kind, shown(written), f"{near[0]!r} is meant")
    return near[0] if near else cleaned


# -- difficulty ------------------------------------------------------------------------------------


def read_difficulty(tier: str | None, score: str | None, note: Notes) -> Facts:
    """The attributes that tier and ``total(a,b,c,…)`` tell, as released: nothing is made up but a
    total that is left out. What had to be repaired or left open is noted.

    ``difficulty_agrees``: ten values, whose sum is the total, from which the tier follows.
    """
    facts: Facts = {}
    name = _spelt(tier or "", TIERS, "difficulty-tier", note, 0.7)
    if name in TIERS:
        facts["difficulty"] = name
    else:
        note("difficulty-tier", shown(tier or "no tier"), "the tier is not known")
    total, values = _score(score, note)
    if values is not None:
        facts.update(zip(ATTRIBUTES, values, strict=True))
        if total is None:
            total = sum(values)
            note("difficulty-total", f"{shown(score)}: no total", f"{total}, the sum")
        elif total != sum(values):
            found = f"total {total}, the ten values sum to {sum(values)}"
            note("difficulty-sum", found, "both are kept as written")
    if total is not None:
        facts |= {"difficulty_total": total, "difficulty_from_total": tier_of(total)}
        if name in TIERS and tier_of(total) != name:
            found = f"{name!r}, but {tier_of(total)!r} follows from the total {total}"
            note("difficulty-disagrees", found, "the tier as written")
    sums = values is not None and sum(values) == total
    return facts | {"difficulty_agrees": sums and facts["difficulty_from_total"] == name}


def _score(text: str | None, note: Notes) -> tuple[int | None, tuple[int, ...] | None]:
    """The total and the ten attributes, each None where it cannot be read."""
    match = _DIFFICULTY.fullmatch(unicodedata.normalize("NFKC", text or "").strip())
    if match is None or not match[0] or int(match["total"] or 0) > 20:
        kind = "difficulty-missing" if text is None else "difficulty-unreadable"
        found = "no difficulty score" if text is None else shown(text)
        note(kind, found, "total and attributes are not known")
        return None, None
    total = int(match["total"]) if match["total"] else None
    parts = [part.strip() for part in (match["values"] or "").split(",")]
    if match["comma"] or (len(parts) > 1 and not parts[-1]):
        note("difficulty-comma", f"{shown(text)}: ends in a comma", "the comma is left out")
        parts = parts if parts[-1] else parts[:-1]
    if len(parts) != len(ATTRIBUTES) or not {*parts} <= {"0", "1", "2"}:
        found = f"{shown(text)}: wanted {len(ATTRIBUTES)} values, each 0, 1 or 2"
        note("difficulty-count", found, "the attributes are not known")
        return total, None
    if not match["end"]:
        note("difficulty-bracket", f"{shown(text)}: no closing bracket", "it is meant")
    return total, tuple(map(int, parts))


# -- pictures --------------------------------------------------------------------------------------


def _input(tree: Tree, place: Place, record: Record) -> Path:
    """The input picture: as the record names it, else ``N`` by the folder's number."""
    name, file = record.raw("input_image"), record.note.file
    path, finding = tree.locate(place.folder, name, file=file, what="input")
    if finding is not None and not finding.repaired and place.number is not None:
        numbered = tree.similar(place.folder / f"{place.number}.jpg")
        if numbered is not None:
            assumed = f"{numbered.name!r}, by the folder's number"
            record.note(finding.kind, finding.found, assumed)
            return numbered
    record.note.findings += [finding] if finding else []
    return path


def _masks(
    tree: Tree, place: Place, note: Notes, image: Path, reference: Path | None
) -> dict[str, Path]:
    """The masks by name; one that is not there gets the path where it should be, and a finding."""
    left = {
        stem: name
        for name in place.pictures
        if (stem := os.path.splitext(name)[0].lower()).endswith("_mask")
        and tree.inside(place.folder / name)
    }
    edited = reference.stem if reference else f"{place.number}_edited"
    wanted = {
        "input": (f"{image.stem}_mask", f"{place.number}_mask"),
        "second": (f"{edited}_mask",),
    }
    names: dict[str, str] = {}
    for key, some in wanted.items():
        if stem := next((stem.lower() for stem in some if stem.lower() in left), ""):
            names[key] = left.pop(stem)
    for key, some in wanted.items():
        if key not in names and len(left) == 1:
            _, names[key] = left.popitem()
            note("mask-name", f"no {some[0]}", f"{names[key]!r} is the mask {key!r}")
        elif key not in names:
            note("mask-missing", f"no {some[0]}", f"no mask {key!r}", False, "mask")
    masks = {
        key: place.folder / names[key] if key in names else tree.nowhere(f"{some[0]}.jpg")
        for key, some in wanted.items()
    }
    for index, stem in enumerate(sorted(left, key=natural), start=1):
        masks[f"extra{index}"] = place.folder / left[stem]
        note("mask-extra", f"a further mask {left[stem]!r}", f"kept as 'extra{index}'")
    return masks
