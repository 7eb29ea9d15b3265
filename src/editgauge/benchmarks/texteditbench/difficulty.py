"""The difficulty of a TextEditBench sample: ten attributes, their total, a tier, and whether the
three agree.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from editgauge.benchmarks.reading import shown
from editgauge.types import Finding

ATTRIBUTES: tuple[str, ...] = (
    "num_text_regions",
    "text_length",
    "font_complexity",
    "language",
    "surface_geometry",
    "occlusion",
    "context_dependency",
    "background_clutter",
    "task_category",
    "semantic_linkage",
)
"""In the order of the released field; each 0, 1 or 2."""
TIERS: tuple[str, ...] = ("easy", "medium", "hard")
_WRITTEN = re.compile(r"(-?\d+)?\s*(?:\(([^()]*)\)?)?")


def tier_of(total: int) -> str:
    """The tier that follows from a total: easy 0 to 5, medium 6 to 10, hard 11 to 20."""
    return "easy" if total <= 5 else "medium" if total <= 10 else "hard"


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What the record says. None where it does not say it; nothing is made up but a total that is
    left out.
    """

    tier: str | None
    total: int | None
    values: tuple[int, ...] | None
    """The ten attributes, when there are exactly ten, each 0, 1 or 2."""

    @property
    def agrees(self) -> bool:
        """Ten values, whose sum is the total, from which the tier follows."""
        return (
            self.values is not None
            and sum(self.values) == self.total
            and tier_of(self.total) == self.tier
        )

    def attributes(self) -> Mapping[str, str | int | bool]:
        """For `Sample.attributes`: what is known, and ``difficulty_agrees``."""
        found: dict[str, str | int | bool] = {}
        if self.tier is not None:
            found["difficulty"] = self.tier
        if self.total is not None:
            found["difficulty_total"] = self.total
            found["difficulty_from_total"] = tier_of(self.total)
        if self.values is not None:
            found.update(zip(ATTRIBUTES, self.values, strict=True))
        found["difficulty_agrees"] = self.agrees
        return found


def read_difficulty(
    tier: str | None, score: str | None, file: str
) -> tuple[Difficulty, list[Finding]]:
    """Tier and ``total(a,b,c,…)`` as released, with a finding for everything that had to be
    repaired or left open.
    """
    findings: list[Finding] = []

    def note(kind: str, found: str, assumed: str) -> None:
        findings.append(Finding(f"difficulty-{kind}", file, found, assumed))

    name = _tier(tier)
    if tier is None or name is None:
        note("tier", "no tier" if tier is None else shown(tier), "the tier is not known")
    elif name != tier:
        note("tier", shown(tier), f"{name!r} is meant")
    total, values = _score(score, note)
    if values is not None:
        if total is None:
            total = sum(values)
            note("total", f"{shown(score)}: no total", f"{total}, the sum")
        elif total != sum(values):
            note(
                "sum",
                f"total {total}, the ten values sum to {sum(values)}",
                "both are kept as written",
            )
    if total is not None and name is not None and tier_of(total) != name:
        note(
            "disagrees",
            f"{name!r}, but {tier_of(total)!r} follows from the total {total}",
            "the tier as written",
        )
    return Difficulty(name, total, values), findings


def _tier(text: str | None) -> str | None:
    cleaned = re.sub(r"[^a-z]", "", unicodedata.normalize("NFKC", text or "").lower())
    near = difflib.get_close_matches(cleaned, TIERS, n=1, cutoff=0.7)
    return near[0] if near else None


def _score(
    text: str | None, note: Callable[[str, str, str], None]
) -> tuple[int | None, tuple[int, ...] | None]:
    if text is None:
        note("missing", "no difficulty score", "total and attributes are not known")
        return None, None
    cleaned = unicodedata.normalize("NFKC", text).strip()
    match = _WRITTEN.fullmatch(cleaned.rstrip(", "))
    if match is None or not cleaned or len(match[1] or "") > 4:
        note("unreadable", shown(text), "total and attributes are not known")
        return None, None
    total = int(match[1]) if match[1] else None
    if total is not None and not 0 <= total <= 20:
        note("total", f"{shown(text)}: the total is not 0 to 20", "the total is not known")
        total = None
    if match[2] is None:
        note("count", f"{shown(text)}: no attributes", "the attributes are not known")
        return total, None
    parts = [part.strip() for part in match[2].split(",")]
    if parts[-1] == "" or cleaned.endswith(","):
        note("comma", f"{shown(text)}: ends in a comma", "the comma is left out")
        parts = parts[:-1] if parts[-1] == "" else parts
    if not cleaned.rstrip(", ").endswith(")"):
        note("bracket", f"{shown(text)}: no closing bracket", "it is meant")
    if len(parts) != len(ATTRIBUTES):
        note(
            "count",
            f"{shown(text)}: {len(parts)} values, wanted {len(ATTRIBUTES)}",
            "the attributes are not known",
        )
        return total, None
    if any(part not in ("0", "1", "2") for part in parts):
        note("value", f"{shown(text)}: wanted 0, 1 or 2 each", "the attributes are not known")
        return total, None
    return total, tuple(int(part) for part in parts)
