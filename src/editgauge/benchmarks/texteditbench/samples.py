"""A record of TextEditBench as a sample: its words, its difficulty and its pictures.

The folder's name decides the number, and the topic's folder the topic, because the records are wrong
about both at times. A picture is what the record names, else what the folder's number says, with a
finding that tells what was assumed. Masks: ``input`` (what is edited in the input), ``second`` (in
the edit), ``extra1``… where a folder has more, which the released code refuses.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
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
from editgauge.benchmarks.tree import PICTURES, Tree, plain, shown
from editgauge.instructions import read_instruction
from editgauge.types import Sample

Facts = dict[str, str | int | float | bool]
_DIFFICULTY = re.compile(r"(\d{1,2})?\s*(?:\(([^()]*)\)?)?\s*,?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an instance lies, and what is in its folder. `topic`: its folder's name on disk."""

    split: str
    topic: str
    folder: Path
    entries: list[Path]

    @property
    def number(self) -> int | None:
        """The number that the folder's files are named by."""
        return number_in(self.folder.name)


def number_in(text: str) -> int | None:
    """The last number in a name, which is the instance's; None where there is none."""
    digits = re.findall(r"\d{1,9}", text)
    return int(digits[-1]) if digits else None


def sample_of(tree: Tree, place: Place, record: Record) -> Sample:
    """The sample of an instance."""
    attributes = _attributes(place, record)
    image, reference = _input(tree, place, record), None
    if place.split == "synthetic":
        reference = record.picture(tree, place.folder, "reference", part="reference")
    here = Notes(tree.relative(place.folder))
    masks = _masks(tree, place, here, image, reference)
    instruction = record.text("prompt", needed="") or ""
    parsed = read_instruction(instruction, str(attributes["operation"]) or None)
    return Sample(
        benchmark="texteditbench",
        id=plain(f"{FOLDERS[place.split][0]}/{place.topic}/{place.folder.name}"),
        split=place.split,
        category=(folder_name(place.topic),),
        instruction=instruction,
        images=(image,),
        output_stems=_stems(place),
        reference=reference,
        masks=masks,
        source_text=parsed.source,
        target_text=parsed.target,
        knowledge=record.text("knowledge"),
        attributes=attributes,
        findings=(*record.note.findings, *here.findings),
    )


def _attributes(place: Place, record: Record) -> Facts:
    note, known = record.note, (*OPERATIONS, *OTHER_OPERATIONS)
    written, key = record.text("method", needed="operation") or "", record.key("knowledge")
    operation = _spelt(written, known, "operation-name", note)
    attributes: Facts = {
        "topic": _topic(place.topic, record),
        "operation": operation,
        "source_tag": _spelt(record.text("tag") or "", TAGS, "tag-name", note),
        "has_knowledge": record.text("knowledge") is not None,
    }
    if attributes["has_knowledge"] and key != "knowledge_prompt":
        attributes["knowledge_key"] = key  # the released judge does not see it: no SE there
        note("key-name", shown(key), "'knowledge_prompt' is meant")
    if written != operation:
        attributes["operation_written"] = written  # what the released judge is told
    if isinstance(identity := record.raw("id"), str) and identity.strip():
        attributes["record_id"] = identity.strip()
    tier, score = record.text("difficulty"), record.text("score")
    return attributes | (read_difficulty(tier, score, note) if record.data else {})


def _stems(place: Place) -> tuple[str, ...]:
    """Where an output may lie: the outputs' own split name first, either spelling of the topic."""
    usual = folder_name(place.topic)
    topics = (place.topic, usual, *(one for one, meant in OTHER_FOLDERS.items() if meant == usual))
    splits = FOLDERS[place.split][1::-1]
    stems = (f"{split}/{topic}/{place.folder.name}_edited" for split in splits for topic in topics)
    return tuple(dict.fromkeys(stems))


# -- words -----------------------------------------------------------------------------------------


def folder_name(name: str) -> str:
    """A topic folder's name as `TOPICS` has it; one that is not known stays."""
    return OTHER_FOLDERS.get(name, name)


def _topic(folder: str, record: Record) -> str:
    """The topic by its folder, which is reliable; another spelling in the record is noted."""
    written = record.text("topic")
    topic = TOPICS.get(folder_name(folder)) or written or folder.replace("_", " ")
    if written not in (None, topic):
        record.note("topic-name", shown(written), f"{topic!r}, from the folder")
    return topic


def _spelt(written: str, names: Sequence[str], kind: str, note: Notes) -> str:
    """The one of `names` that is meant, noted where spelt otherwise; else lower case with ``_``."""
    cleaned = re.sub(r"[\s\-_]+", "_", written.strip().lower())
    near = difflib.get_close_matches(cleaned, names, n=1, cutoff=0.75)
    if near and near[0] != written:
        note(kind, shown(written), f"{near[0]!r} is meant")
    return near[0] if near else cleaned


# -- difficulty ------------------------------------------------------------------------------------


def read_difficulty(tier: str | None, score: str | None, note: Notes) -> Facts:
    """The attributes that tier and ``total(a,b,c,…)`` tell, as released: nothing is made up but a
    total that is left out. What had to be repaired or left open is noted.
    """
    facts: Facts = {}
    name = _spelt(tier or "", TIERS, "difficulty-tier", note)
    if name in TIERS:
        facts["difficulty"] = name
    text = unicodedata.normalize("NFKC", score or "").strip()
    match = _DIFFICULTY.fullmatch(text)
    if match is None or not text:
        note("difficulty-unreadable", shown(score), "total and attributes are not known")
        return facts
    total = int(match[1]) if match[1] else None
    values = re.findall(r"[^\s,]+", match[2] or "")
    if text.rstrip(")").endswith(","):
        note("difficulty-comma", f"{shown(score)}: ends in a comma", "the comma is left out")
    if len(values) == len(ATTRIBUTES) and {*values} <= {"0", "1", "2"}:
        facts.update(zip(ATTRIBUTES, map(int, values), strict=True))
        total = _total(total, sum(map(int, values)), note)
    else:
        found = f"{shown(score)}: wanted {len(ATTRIBUTES)} values, each 0, 1 or 2"
        note("difficulty-count", found, "the attributes are not known")
    if total is not None:
        facts["difficulty_total"] = total
        if name in TIERS and tier_of(total) != name:
            found = f"{name!r}, but {tier_of(total)!r} follows from the total {total}"
            note("difficulty-disagrees", found, "the tier as written")
    return facts


def _total(written: int | None, values: int, note: Notes) -> int:
    """The total as written, or the sum of the values."""
    if written is None:
        note("difficulty-total", "no total", f"{values}, the sum")
    elif written != values:
        found = f"total {written}, the ten values sum to {values}"
        note("difficulty-sum", found, "both are kept as written")
    return values if written is None else written


# -- pictures --------------------------------------------------------------------------------------


def _input(tree: Tree, place: Place, record: Record) -> Path:
    """The input picture: as the record names it, else ``N`` by the folder's number."""
    path, file = place.folder / f"{place.number}.jpg", record.note.file
    named, finding = tree.locate(place.folder, record.raw("input"), file=file, what="input")
    if finding is None or finding.repaired or (numbered := tree.similar(path)) is None:
        record.note.findings += [finding] if finding else []
        return named
    assumed = f"{numbered.name!r}, by the folder's number"
    record.note(finding.kind, finding.found, assumed)
    return numbered


def _masks(
    tree: Tree, place: Place, note: Notes, image: Path, reference: Path | None
) -> dict[str, Path]:
    """The masks by name; one that is not there gets the path where it should be, and a finding."""
    left = {
        path.stem.lower(): path
        for path in place.entries
        if path.stem.lower().endswith("_mask") and path.suffix.lower() in PICTURES
        if tree.inside(path)
    }
    edited = reference.stem if reference else f"{place.number}_edited"
    wanted = {"input": [image.stem, str(place.number)], "second": [edited]}
    masks: dict[str, Path] = {}
    for key, stems in wanted.items():
        if names := [stem for one in stems if (stem := f"{one}_mask".lower()) in left]:
            masks[key] = left.pop(names[0])
    for key in [key for key in wanted if key not in masks]:
        name = f"{wanted[key][0]}_mask"
        if len(left) == 1:
            _, masks[key] = left.popitem()
            note("mask-name", f"no {name}", f"{masks[key].name!r} is the mask {key!r}")
        else:
            masks[key] = tree.nowhere(f"{name}.jpg")
            note("mask-missing", f"no {name}", f"no mask {key!r}", False, "mask")
    masks = dict(sorted(masks.items()))
    for index, path in enumerate(left.values(), start=1):
        masks[f"extra{index}"] = path
        note("mask-extra", f"a further mask {path.name!r}", f"kept as 'extra{index}'")
    return masks
