"""The ten attributes of difficulty (TextEditBench, arXiv 2512.16270, section 3.3 and appendix B).

Four follow from the sample itself and are computed: the number of regions (components of the mask),
the length of the target text, the kind of operation, and whether a knowledge prompt links elements.
Language and clutter are measured as a hint; all but the four are for a person to say. The sum of
all ten gives the tier.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np

from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, tier_of
from editgauge.curation.conventions import operation_of
from editgauge.curation.dataset import DataSet
from editgauge.errors import DataError
from editgauge.images import Array, Mask, read_image, read_mask
from editgauge.metrics.text import language_of
from editgauge.web.log import Act

COMPUTED: tuple[str, ...] = ("num_text_regions", "text_length", "task_category", "semantic_linkage")
YES_NO = frozenset({"context_dependency", "semantic_linkage"})
"""Attributes that are 0 or 2."""
_GEOMETRIC = frozenset({"scaling", "font_change", "position_shift", "text_relocation",
                        "text_attribute"})  # fmt: skip
_SEMANTIC = frozenset({"translation", "text_correction", "rotation"})
_CLEAN, _CLUTTERED = 0.01, 0.06
"""Share of edge pixels around the masks, below and above which the ground is clean or cluttered:
our hint, not the paper's.
"""


def regions_of(mask: Mask) -> int:
    """Connected white components of a mask, by eight neighbours."""
    count, _ = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    return int(count) - 1


def letters_in(text: str) -> int:
    """The length of a target text by appendix B: each Chinese, Japanese or Korean character counts
    one, and so does each visible letter of another script; blanks do not.
    """
    return sum(not c.isspace() and unicodedata.category(c)[0] != "C" for c in text)


def words_in(text: str) -> int:
    """Words, where each Chinese, Japanese or Korean character is one: the unit of Table 2."""
    ideographs = sum(_is_ideograph(c) for c in text)
    others = "".join(" " if _is_ideograph(c) else c for c in text).split()
    return ideographs + len(others)


def computed(data: DataSet, record: Mapping[str, Any]) -> dict[str, int]:
    """What follows from the sample: some of `COMPUTED`, where what it follows from is there."""
    made: dict[str, int] = {}
    masks = record.get("masks") or {}
    path = masks.get("second") or masks.get("input") or masks.get("roi")
    if path:
        number = regions_of(read_mask(data.path(path)))
        made["num_text_regions"] = 0 if number <= 1 else 1 if number <= 3 else 2
    if record.get("target_text"):
        words = words_in(record["target_text"])
        made["text_length"] = 0 if words <= 2 else 1 if words <= 4 else 2
    operation = operation_of(record)
    made["task_category"] = 2 if operation in _SEMANTIC else 1 if operation in _GEOMETRIC else 0
    made["semantic_linkage"] = 2 if record.get("knowledge") else 0
    return made


def hints(data: DataSet, record: Mapping[str, Any]) -> dict[str, int]:
    """A first guess at two attributes that a person decides: language (by the letters of source and
    target text) and clutter (edges around the masks).
    """
    made: dict[str, int] = {}
    texts = [record.get(name) or "" for name in ("source_text", "target_text")]
    if any(texts):
        languages = {language_of(text) for text in texts if text}
        made["language"] = 2 if len(languages) > 1 else 0 if languages == {"en"} else 1
    masks = [read_mask(data.path(path)) for path in (record.get("masks") or {}).values()]
    image = read_image(data.path(record["images"][0]))
    fitting = [mask for mask in masks if mask.shape == image.shape[:2] and mask.any()]
    if fitting:
        made["background_clutter"] = _clutter(image, np.logical_or.reduce(fitting))
    return made


def _clutter(image: Array, mask: Mask) -> int:
    reach = max(5, min(mask.shape) // 12)
    around = cv2.dilate(mask.astype(np.uint8), np.ones((2 * reach + 1,) * 2, np.uint8)) > 0
    inner = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    ring = around & ~inner
    if not ring.any():
        return 0
    edges = cv2.Canny(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), 60, 160) > 0
    share = float(edges[ring].mean())
    return 0 if share < _CLEAN else 1 if share < _CLUTTERED else 2


def rate(
    data: DataSet, sample: str, values: Mapping[str, Any], who: str, *, nonce: str = ""
) -> dict[str, Any]:
    """Keep one person's ratings of a sample, and what follows from everybody's: each attribute's
    median (the higher of two middle ones), the total and the tier once all ten are known.

    Raises `DataError` for an attribute that there is not, and a value that is none of it.
    """
    for name, value in values.items():
        if name not in ATTRIBUTES:
            raise DataError(
                f"difficulty: {str(name)[:40]!r}: wanted some of {', '.join(ATTRIBUTES)}"
            )
        allowed = (0, 2) if name in YES_NO else (0, 1, 2)
        if type(value) is not int or value not in allowed:
            raise DataError(f"difficulty: {name}: wanted one of {allowed}, found {value!r:.20}")

    def made(record: dict[str, Any]) -> Mapping[str, Any]:
        ratings = {**(record.get("ratings") or {}), who: dict(values)}
        settled = {**_medians(ratings), **computed(data, record)}
        attributes = {**(record.get("attributes") or {}), **settled}
        if record.get("target_text"):
            attributes["target_letters"] = letters_in(record["target_text"])
        if all(name in settled for name in ATTRIBUTES):
            total = sum(settled[name] for name in ATTRIBUTES)
            attributes |= {"difficulty_total": total, "difficulty": tier_of(total)}
        return {"ratings": ratings, "attributes": attributes}

    return data.update(sample, made, Act(who, "rated", nonce=nonce))


def _medians(ratings: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    made = {}
    for name in ATTRIBUTES:
        values = sorted(one[name] for one in ratings.values() if name in one)
        if values:
            made[name] = values[len(values) // 2]
    return made


def _is_ideograph(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"))
