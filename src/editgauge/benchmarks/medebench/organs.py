"""MedEBench's organs by the paper's names, whatever the data call them, and where they lie."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from editgauge.benchmarks.medebench.facts import INTERNAL, ORGANS, RELEASED, TASK_TYPES
from editgauge.store.labels import Samples, mapping
from editgauge.tables.frame import Frame

_NAMES = {organ.casefold(): organ for organ in ORGANS} | {
    released.casefold(): organ for released, organ in RELEASED.items()
}


def organ_of(text: str) -> str:
    """Table 2's name of an organ; one that the paper does not have stays as it is."""
    return _NAMES.get(" ".join(text.split()).casefold(), text)


def depth_of(organ: str) -> str:
    """``internal`` or ``superficial``; "" for an organ that the paper does not have."""
    if organ not in ORGANS:
        return ""
    return "internal" if organ in INTERNAL else "superficial"


def task_type_of(task: str) -> str:
    """``removal``, ``addition`` or ``reconstruction``, by the first word of a task that tells;
    ``other`` where none does.
    """
    for word in re.findall(r"[a-z]+", task.lower()):
        for kind, words in TASK_TYPES.items():
            if word in words:
                return kind
    return "other"


def settled(frame: Frame) -> Frame:
    """A frame whose samples name their organs as the paper does and have a type of task, for runs
    of earlier versions, which kept the released names and no type.
    """
    records = list(frame.samples.records.values())
    named = [_named(record) for record in records]
    return frame if named == records else replace(frame, samples=Samples(named))


def _named(record: Any) -> Any:
    attributes, category = mapping(record.get("attributes")), record.get("category")
    organ = attributes.get("organ")
    if not isinstance(organ, str) or not organ:
        return record
    name = organ_of(organ)
    added = {"organ_depth": depth_of(name)} if depth_of(name) else {}
    if isinstance(task := attributes.get("task"), str) and task:
        added["task_type"] = task_type_of(task)
    changed = {**record, "attributes": {**attributes, "organ": name, **added}}
    if isinstance(category, list | tuple) and category and category[0] == organ:
        changed["category"] = [name, *category[1:]]
    return changed
