"""A table as a grid of text: what every format that is not for programs is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NOTHING = "–"
"""Where there is no number."""
Mark = Literal["", "best", "second", "count", "published", "part"]


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of a drawn table: its text, not yet escaped, and what it is."""

    text: str
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Headings and lines of text. `headings`: one tuple of levels for each column; `names`: the
    columns that hold names and are set to the left.
    """

    headings: list[tuple[str, ...]]
    lines: list[list[Item]]
    names: int
    breaks: set[int]
    """Line numbers before which a rule is drawn."""
