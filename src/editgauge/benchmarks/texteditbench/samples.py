"""A record of TextEditBench as a sample: its words, its difficulty and its pictures.

The folder's name decides the number, and the topic's folder the topic, because the records are wrong
about both at times. A picture is what the record names, else what the folder's number or the
pictures that are left say, with a finding that tells what was assumed. Masks: ``input`` (what is
edited in the input), ``second`` (in the edit), ``extra1``… where a folder has more, which the
released code refuses.
"""

from __future__ import annotations

import difflib
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from editgauge.benchmarks.reading import Note, Notes, Record
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
from editgauge.benchmarks.tree import Tree, natural, shown
from editgauge.instructions import read_instruction
from editgauge.types import Sample

Facts = dict[str, str | int | float | bool]


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
    others: tuple[str, ...] = ()


def number_in(text: str) -> int | None:
    """The last number in a name, which is the instance's; None where there is none."""
    digits = re.findall(r"\d{1,9}", text)
    return int(digits[-1]) if digits else None


def sample_of(tree: Tree, place: Place, record: Record, identity: str, *, alone: bool) -> Sample:
    """The sample of an instance. `alone`: no other one of its topic has its number, so that an
    instance inside another's folder is called by its own number.
    """
    operation = operation_of(record.text("editing_method"), record.note) if record.known else ""
    knowledge = record.text("knowledge_prompt")
    here = Notes(tree.relative(place.folder))
    if len(place.parts) > 1:
        found = f"inside the folder of {place.parts[-2]!r}"
        here("instance-nested", found, "an instance of its own")
    image = _input(tree, place, record)
    reference = _reference(tree, place, record, image)
    masks = _masks(tree, place, here, image, reference)
    _note_unused(place, here, [image, *([reference] if reference else []), *masks.values()])
    instruction = record.text("prompt", needed=True) or ""
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
    written = record.text("topic") if record.known else ""
    attributes: Facts = {
        "topic": topic_of(place.topic, written, record.note if record.known else None),
        "operation": operation,
        "source_tag": tag_of(record.text("source_tag"), record.note),
        "has_knowledge": known,
    }
    key = record.key("knowledge_prompt")
    if known and key not in (None, "knowledge_prompt"):
        attributes["knowledge_key"] = str(key)  # the released judge does not see it: no SE there
    if (method := record.raw("editing_method")) != operation and isinstance(method, str):
        attributes["operation_written"] = method  # what the released judge is told
    if record.known:
        tier, score = record.text("difficulty"), record.text("difficulty_score")
        attributes |= read_difficulty(tier, score, record.note).attributes()
    else:
        attributes["difficulty_agrees"] = False
    if record.identity():
        attributes["record_id"] = str(record.identity())
    return attributes


def _note_unused(place: Place, note: Note, used: Sequence[Path]) -> None:
    names = {path.name for path in used}
    unused = [name for name in (*place.pictures, *place.others) if name not in names]
    if unused:
        note("file-unused", shown(unused), "no part of the instance")


def _stems(place: Place, alone: bool) -> tuple[str, ...]:
    """Where an output may lie: the outputs' own split name first, either spelling of the topic's
    folder.
    """
    nested, own = "/".join(place.parts), place.parts[-1]
    names = [own, nested] if alone else [nested]
    released, in_outputs = FOLDERS[place.split][:2]
    topics = dict.fromkeys((place.topic, *spellings_of(place.topic)))
    stems = [
        f"{split}/{topic}/{name}_edited"
        for split in (in_outputs, released)
        for topic in topics
        for name in names
    ]
    return tuple(dict.fromkeys(stems))


# -- words -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def folder_name(name: str) -> str:
    """A topic folder's name as `TOPICS` has it: two letters swapped (``Digtial_…``) are put right,
    the other name of a topic becomes its first one, a name that is not known stays.
    """
    near = difflib.get_close_matches(name, (*TOPICS, *OTHER_FOLDERS), n=1, cutoff=0.93)
    return OTHER_FOLDERS.get(near[0], near[0]) if near else name


def spellings_of(name: str) -> list[str]:
    """The names that a topic's folder of outputs may have, the usual one first, the released
    misspelling last.
    """
    usual = folder_name(name)
    return [usual, *(other for other, meant in OTHER_FOLDERS.items() if meant == usual)]


def topic_of(folder: str, written: str | None = "", note: Note | None = None) -> str:
    """The topic as printed, from the folder (which is reliable). Another spelling of the record's
    own is noted.
    """
    topic = TOPICS.get(folder_name(folder), folder.replace("_", " "))
    if note is None:
        return topic
    new = folder_name(folder) not in TOPICS
    if written is None:
        note("topic-missing", "no topic", f"{topic!r}, from the folder")
    elif written != topic and not (new and _letters(written) == _letters(topic)):
        note("topic-name", shown(written), f"{topic!r}, from the folder")
    return topic


def operation_of(written: str | None, note: Note) -> str:
    """``editing_method`` in one spelling; one that is not known stays as written, in lower case
    with ``_``; "" where there is none.
    """
    if written is None:
        note("operation-missing", "no editing method", "it is not known")
        return ""
    operation, known = _spelling(written, (*OPERATIONS, *OTHER_OPERATIONS), 0.85)
    if operation != written:
        note("operation-name", shown(written), f"{operation!r} is meant")
    elif not known:
        note("operation-unknown", shown(written), "kept as written")
    return operation


def tag_of(written: str | None, note: Note) -> str:
    """``source_tag`` in one spelling, "" where there is none."""
    if written is None:
        return ""
    tag, _ = _spelling(written, TAGS, 0.8)
    if tag != written:
        note("tag-name", shown(written), f"{tag!r} is meant")
    return tag


def _spelling(written: str, names: Sequence[str], cutoff: float) -> tuple[str, bool]:
    """The name that is meant, in lower case with ``_``, and whether it is one of `names`."""
    cleaned = re.sub(r"[\s\-_]+", "_", written.strip().lower())
    near = difflib.get_close_matches(cleaned, names, n=1, cutoff=cutoff)
    return (near[0], True) if near else (cleaned, False)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


# -- difficulty ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Ten attributes, their total and a tier, as the record says them. None where it does not;
    nothing is made up but a total that is left out.
    """

    tier: str | None
    total: int | None
    values: tuple[int, ...] | None
    """The ten attributes, when there are exactly ten, each 0, 1 or 2."""

    @property
    def agrees(self) -> bool:
        """Ten values, whose sum is the total, from which the tier follows."""
        total = None if self.values is None else sum(self.values)
        return total is not None and total == self.total and tier_of(total) == self.tier

    def attributes(self) -> Mapping[str, str | int | bool]:
        """For `Sample.attributes`: what is known, and ``difficulty_agrees``."""
        known: dict[str, str | int | bool] = {}
        if self.tier is not None:
            known["difficulty"] = self.tier
        if self.total is not None:
            known["difficulty_total"] = self.total
            known["difficulty_from_total"] = tier_of(self.total)
        if self.values is not None:
            known.update(zip(ATTRIBUTES, self.values, strict=True))
        return known | {"difficulty_agrees": self.agrees}


def read_difficulty(tier: str | None, score: str | None, note: Note) -> Difficulty:
    """Tier and ``total(a,b,c,…)`` as released; everything that had to be repaired or left open is
    noted.
    """
    name = _tier(tier, note)
    total, values = _score(score, note)
    if values is not None and total is None:
        total = sum(values)
        note("difficulty-total", f"{shown(score)}: no total", f"{total}, the sum")
    elif values is not None and total != sum(values):
        found = f"total {total}, the ten values sum to {sum(values)}"
        note("difficulty-sum", found, "both are kept as written")
    if total is not None and name is not None and tier_of(total) != name:
        found = f"{name!r}, but {tier_of(total)!r} follows from the total {total}"
        note("difficulty-disagrees", found, "the tier as written")
    return Difficulty(name, total, values)


def _tier(text: str | None, note: Note) -> str | None:
    cleaned = re.sub(r"[^a-z]", "", unicodedata.normalize("NFKC", text or "").lower())
    near = difflib.get_close_matches(cleaned, TIERS, n=1, cutoff=0.7)
    if not near:
        note("difficulty-tier", "no tier" if text is None else shown(text), "the tier is not known")
        return None
    if near[0] != text:
        note("difficulty-tier", shown(text), f"{near[0]!r} is meant")
    return near[0]


def _score(text: str | None, note: Note) -> tuple[int | None, tuple[int, ...] | None]:
    """The total and the ten attributes, each None where it cannot be read."""
    unknown = "total and attributes are not known"
    if text is None:
        note("difficulty-missing", "no difficulty score", unknown)
        return None, None
    cleaned = unicodedata.normalize("NFKC", text).strip()
    total_text, bracket, rest = cleaned.rstrip(", ").partition("(")
    total_text = total_text.strip()
    if not cleaned or "(" in rest or not re.fullmatch(r"(-?\d{1,4})?", total_text):
        note("difficulty-unreadable", shown(text), unknown)
        return None, None
    total = int(total_text) if total_text else None
    if total is not None and not 0 <= total <= 20:
        assumed = "the total is not known"
        note("difficulty-total", f"{shown(text)}: the total is not 0 to 20", assumed)
        total = None
    if not bracket:
        note("difficulty-count", f"{shown(text)}: no attributes", "the attributes are not known")
        return total, None
    return total, _values(text, cleaned, rest, note)


def _values(text: str, cleaned: str, rest: str, note: Note) -> tuple[int, ...] | None:
    """The ten attributes after the bracket."""
    parts = [part.strip() for part in rest.removesuffix(")").split(",")]
    if parts[-1] == "" or cleaned.endswith(","):
        note("difficulty-comma", f"{shown(text)}: ends in a comma", "the comma is left out")
        parts = parts[:-1] if parts[-1] == "" else parts
    if not rest.endswith(")"):
        note("difficulty-bracket", f"{shown(text)}: no closing bracket", "it is meant")
    unknown = "the attributes are not known"
    if len(parts) != len(ATTRIBUTES):
        found = f"{shown(text)}: {len(parts)} values, wanted {len(ATTRIBUTES)}"
        note("difficulty-count", found, unknown)
        return None
    if any(part not in ("0", "1", "2") for part in parts):
        note("difficulty-value", f"{shown(text)}: wanted 0, 1 or 2 each", unknown)
        return None
    return tuple(int(part) for part in parts)


# -- pictures --------------------------------------------------------------------------------------


def _input(tree: Tree, place: Place, record: Record) -> Path:
    """The input picture: as the record names it, else ``N`` by the folder's number."""
    name, file = record.raw("input_image"), record.note.file
    path, finding = tree.locate(place.folder, name, file=file, what="input")
    if finding is None:
        return path
    if not finding.repaired and place.number is not None:
        numbered = tree.similar(place.folder / f"{place.number}.jpg")
        if numbered is not None:
            assumed = f"{numbered.name!r}, by the folder's number"
            record.note(finding.kind, finding.found, assumed)
            return numbered
    record.note.findings.append(finding)
    return path


def _reference(tree: Tree, place: Place, record: Record, image: Path) -> Path | None:
    """The reference edit of the synthetic split: as the record names it, else the one picture that
    is left.
    """
    name, file = record.raw("output_image"), record.note.file
    if place.split == "real" and name in (None, ""):
        return None
    path, finding = tree.locate(place.folder, name, file=file, what="reference", part="reference")
    if finding is not None and not finding.repaired:
        if place.split == "real":
            record.note(finding.kind, finding.found, "the real split has no references")
            return None
        left = [
            p
            for p in place.pictures
            if p != image.name and not _is_mask(p) and tree.inside(place.folder / p)
        ]
        if len(left) == 1:
            record.note(finding.kind, finding.found, f"{left[0]!r}, the picture that is left")
            return place.folder / left[0]
    record.note.findings += [finding] if finding else []
    return path


def _masks(
    tree: Tree, place: Place, note: Note, image: Path, reference: Path | None
) -> dict[str, Path]:
    """The masks by name; one that is not there gets the path where it should be, and a finding."""
    names = _mask_names(tree, place, note)
    number = "" if place.number is None else str(place.number)
    wished = {
        "input": [image.stem, number],
        "second": [reference.stem if reference else f"{number}_edited"],
    }
    masks: dict[str, Path] = {}
    for key, stems in wished.items():
        wanted = [f"{stem.lower()}_mask" for stem in stems]
        if (stem := next(filter(names.__contains__, wanted), None)) is not None:
            masks[key] = place.folder / names.pop(stem)
    for key, stems in wished.items():
        if key not in masks:
            masks[key] = _other_mask(tree, place, note, names, key, f"{stems[0]}_mask.jpg")
    for index, stem in enumerate(sorted(names, key=natural), start=1):
        masks[f"extra{index}"] = place.folder / names[stem]
        note("mask-extra", f"a further mask {names[stem]!r}", f"kept as 'extra{index}'")
    return masks


def _mask_names(tree: Tree, place: Place, note: Note) -> dict[str, str]:
    """Stem in lower case -> name, of the masks in the folder."""
    names = {os.path.splitext(p)[0].lower(): p for p in place.pictures if _is_mask(p)}
    for stem, name in list(names.items()):
        if not tree.inside(place.folder / name):
            found = f"{name!r}, a link out of the data folder"
            note("mask-outside", found, "not read", False, "mask")
            del names[stem]
    return names


def _other_mask(
    tree: Tree, place: Place, note: Note, names: dict[str, str], key: str, wanted: str
) -> Path:
    """The only mask that is left, else the path of the one that is wanted."""
    if len(names) == 1:
        taken = names.pop(next(iter(names)))
        note("mask-name", f"no {wanted}", f"{taken!r} is the mask {key!r}")
        return place.folder / taken
    note("mask-missing", f"no {wanted}", f"no mask {key!r}", False, "mask")
    path = place.folder / wanted
    return tree.nowhere(wanted) if os.path.lexists(path) else path


def _is_mask(name: str) -> bool:
    return os.path.splitext(name)[0].lower().endswith("_mask")
