"""MedEBench's organs by the paper's names, whatever the data call them, and where they lie."""

from __future__ import annotations

import re

from editgauge.benchmarks.medebench.facts import INTERNAL, ORGANS, RELEASED, TASK_TYPES

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
