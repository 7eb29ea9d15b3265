"""The spellings of TextEditBench's released records: topics, operations, tags."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache

from editgauge.benchmarks.reading import shown
from editgauge.types import Finding

TOPICS: dict[str, str] = {
    "Art_Creative_Expression": "Art & Creative Expression",
    "Business_Advertising": "Business & Advertising",
    "Crafts_Personal_Creations": "Crafts & Personal Creations",
    "Data_Analytics": "Data & Analytics",
    "Digital_Interfaces_Interaction": "Digital Interfaces & Interaction",
    "Documents_Credentials": "Documents & Credentials",
    "Environmental_Spatial_Signage": "Environmental & Spatial Signage",
    "Merchandise_Apparel": "Merchandise & Apparel",
    "Packaging_Logistics": "Packaging & Logistics",
    "Personal_Communication_Social_Media": "Personal Communication & Social Media",
    "Professional_Documents_Reports": "Professional Documents & Reports",
    "Scientific_Technical_Diagrams": "Scientific & Technical Diagrams",
}
"""Folder name -> topic as printed. A folder that is not here keeps its own name as its topic."""
_OTHER_FOLDERS = {
    "Digital_Interfaces_Reports": "Digital_Interfaces_Interaction",
    "Digtial_Interfaces_Reports": "Digital_Interfaces_Interaction",
}
"""Another name of a folder -> its name in `TOPICS`: the synthetic part calls one topic otherwise than
the real part, with two letters swapped. The last one is the released spelling.
"""
OPERATIONS: tuple[str, ...] = (
    "text_delete",
    "text_insert",
    "text_change",
    "text_relocation",
    "scaling",
    "text_attribute",
)
"""The six of the release."""
_OTHER_OPERATIONS = ("text_correction", "font_change", "translation", "position_shift", "rotation")
"""Named in the released rubrics."""
TAGS: tuple[str, ...] = ("human_annotation", "model_generated")


@lru_cache(maxsize=1024)
def folder_name(name: str) -> str:
    """A topic folder's name as `TOPICS` has it: two letters swapped (``Digtial_…``) are put right,
    the other name of a topic becomes its first one, a name that is not known stays.
    """
    near = difflib.get_close_matches(name, (*TOPICS, *_OTHER_FOLDERS), n=1, cutoff=0.93)
    return _OTHER_FOLDERS.get(near[0], near[0]) if near else name


def spellings_of(name: str) -> list[str]:
    """The names that a topic's folder of outputs may have, the usual one first, the released
    misspelling last.
    """
    usual = folder_name(name)
    return [usual, *(other for other, meant in _OTHER_FOLDERS.items() if meant == usual)]


def topic_of(folder: str, written: str | None, file: str) -> tuple[str, list[Finding]]:
    """The topic as printed, from the folder (which is reliable), and what the record's own spelling
    is.
    """
    topic = TOPICS.get(folder_name(folder), folder.replace("_", " "))
    if written is None:
        return topic, [Finding("topic-missing", file, "no topic", f"{topic!r}, from the folder")]
    same = written == topic or (
        folder_name(folder) not in TOPICS and _letters(written) == _letters(topic)
    )
    return topic, [] if same else [
        Finding("topic-name", file, shown(written), f"{topic!r}, from the folder")
    ]


def operation_of(written: str | None, file: str) -> tuple[str, list[Finding]]:
    """``editing_method`` in one spelling; one that is not known stays as written, in lower case
    with ``_``.
    """
    if written is None:
        return "", [Finding("operation-missing", file, "no editing method", "it is not known")]
    cleaned = re.sub(r"[\s\-_]+", "_", written.strip().lower())
    near = difflib.get_close_matches(cleaned, (*OPERATIONS, *_OTHER_OPERATIONS), n=1, cutoff=0.85)
    operation = near[0] if near else cleaned
    if operation != written:
        return operation, [
            Finding("operation-name", file, shown(written), f"{operation!r} is meant")
        ]
    return operation, [] if near else [
        Finding("operation-unknown", file, shown(written), "kept as written")
    ]


def tag_of(written: str | None, file: str) -> tuple[str, list[Finding]]:
    """``source_tag`` in one spelling, "" where there is none."""
    if written is None:
        return "", []
    cleaned = re.sub(r"[\s\-_]+", "_", written.strip().lower())
    near = difflib.get_close_matches(cleaned, TAGS, n=1, cutoff=0.8)
    tag = near[0] if near else cleaned
    return tag, [] if tag == written else [
        Finding("tag-name", file, shown(written), f"{tag!r} is meant")
    ]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
