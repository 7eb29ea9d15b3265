"""The ten attributes of difficulty (TextEditBench, arXiv 2512.16270, section 3.3 and appendix B).

They are attributes of a sample like others. Four follow from the sample itself: the number of
regions (components of the mask), the length of the target text, the kind of operation, and whether
a knowledge prompt links elements; the page proposes them.
"""

from __future__ import annotations

import unicodedata

import cv2
import numpy as np

from editgauge.curation.conventions import operation_of
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Record
from editgauge.images import read_mask

_GEOMETRIC = frozenset(
    {"scaling", "font_change", "position_shift", "text_relocation", "text_attribute"}
)
_SEMANTIC = frozenset({"translation", "text_correction", "rotation"})


def computed(data: DataSet, record: Record) -> dict[str, int]:
    """What follows from the sample: attribute -> 0, 1 or 2, where what it follows from is there."""
    operation = operation_of(record)
    made = {
        "task_category": 2 if operation in _SEMANTIC else int(operation in _GEOMETRIC),
        "semantic_linkage": 2 if record.knowledge else 0,
    }
    masks = record.masks
    if path := masks.get("second") or masks.get("input") or masks.get("roi"):
        mask = read_mask(data.path(path)).astype(np.uint8)
        regions = int(cv2.connectedComponents(mask, connectivity=8)[0]) - 1
        made["num_text_regions"] = 0 if regions <= 1 else 1 if regions <= 3 else 2
    if record.target_text:
        words = words_in(record.target_text)
        made["text_length"] = 0 if words <= 2 else 1 if words <= 4 else 2
    return made


def words_in(text: str) -> int:
    """Words, where each Chinese, Japanese or Korean character is one: the unit of Table 2."""
    ideographs = sum(_is_ideograph(c) for c in text)
    return ideographs + len("".join(" " if _is_ideograph(c) else c for c in text).split())


def _is_ideograph(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"))
