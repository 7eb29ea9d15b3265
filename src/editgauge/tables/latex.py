r"""A drawn table as LaTeX: booktabs, one float that is never wider than its column or page.

Too wide a table is scaled by ``adjustbox``; one of more lines than a page holds is a ``longtable``
whose pages end between groups of lines, never inside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from editgauge import escape
from editgauge.tables.drawn import NOTHING, Drawn, Item

Place = Literal["auto", "column", "text"]
PLACES: tuple[Place, ...] = ("auto", "column", "text")
_WIDE = 7
"""Columns from which a table is set across the page."""
_LONG = 50
"""Lines from which a table goes over several pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What stands around the numbers: texts that are not yet escaped."""

    label: str
    caption: str
    notes: Sequence[str]
    origin: str = ""
    """A comment: what made the numbers, in full."""


def latex(drawn: Drawn, words: Words, place: Place = "auto") -> str:
    r"""The table as a ``table`` (as wide as a column) or ``table*`` (as the page).

    `place`: which of the two; ``auto`` is the page from `_WIDE` columns on.
    """
    long = len(drawn.lines) >= _LONG
    wide = place == "text" or (place == "auto" and len(drawn.headings) >= _WIDE)
    caption = rf"\caption{{{escape.latex(words.caption, None)}}}"
    plain = re.sub("[^A-Za-z0-9]+", "-", words.label).strip("-")
    label = rf"\label{{tab:{plain}}}"
    below = _notes(words.notes)
    columns = "l" * drawn.names + "r" * (len(drawn.headings) - drawn.names)
    if long:
        head = [r"\toprule", *_head(drawn), r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
        lines = [r"\begingroup\footnotesize", rf"\begin{{longtable}}{{{columns}}}"]
        lines += [rf"{caption}{label}\\", *head, *_body(drawn, long=True)]
        lines += [r"\end{longtable}", *below, r"\endgroup"]
    else:
        float_ = "table*" if wide else "table"
        lines = [rf"\begin{{{float_}}}[tbp]", r"\centering", caption, label]
        lines += [r"\begin{adjustbox}{max width=\linewidth}", rf"\begin{{tabular}}{{{columns}}}"]
        lines += [r"\toprule", *_head(drawn), r"\midrule", *_body(drawn), r"\bottomrule"]
        lines += [r"\end{tabular}", r"\end{adjustbox}", *below, rf"\end{{{float_}}}"]
    text = "\n".join(lines) + "\n"
    said = ["needs booktabs, " + ("longtable" if long else "adjustbox")]
    said += [f"scored by {escape.plain(words.origin, None)}"] if words.origin else []
    if not re.fullmatch("[\x00-\u024f]*", text):
        said.append("has letters that pdfLaTeX does not know: compile with LuaLaTeX or XeLaTeX")
    return f"% {'; '.join(said)}\n{text}"


def _notes(notes: Sequence[str]) -> list[str]:
    """What stands below the numbers, in one paragraph."""
    if not notes:
        return []
    told = " ".join(_text(note, None) for note in notes)
    return [r"\par\smallskip", rf"{{\footnotesize\raggedright {told}\par}}"]


def _head(drawn: Drawn) -> list[str]:
    """The levels of headings; neighbours under one broad heading share it, above a thin rule."""
    levels = max(len(heading) for heading in drawn.headings)
    padded = [(*[""] * (levels - len(heading)), *heading) for heading in drawn.headings]
    lines = []
    for level in range(levels):
        cells: list[str] = []
        rules: list[str] = []
        start = 0
        while start < len(padded):
            text, end = padded[start][level], start + 1
            same = text and level < levels - 1 and start >= drawn.names
            above = padded[start][: level + 1]
            while same and end < len(padded) and padded[end][: level + 1] == above:
                end += 1
            width = end - start
            wide = rf"\multicolumn{{{width}}}{{c}}{{{_text(text)}}}"
            cells.append(wide if width > 1 else _text(text))
            rules += [rf"\cmidrule(lr){{{start + 1}-{end}}}"] if width > 1 else []
            start = end
        lines.append(" & ".join(cells) + r" \\")
        lines += ["".join(rules)] if rules else []
    return lines


def _body(drawn: Drawn, *, long: bool = False) -> list[str]:
    lines = []
    for number, line in enumerate(drawn.lines):
        if number in drawn.breaks:
            lines.append(r"\midrule")
        inside = long and number + 1 < len(drawn.lines) and number + 1 not in drawn.breaks
        cells = [_cell(item) for item in line]
        if drawn.names > 1 and number and number not in drawn.breaks:  # a group's name once
            cells[0] = "" if line[0] == drawn.lines[number - 1][0] else cells[0]
        lines.append(" & ".join(cells) + (r" \\*" if inside else r" \\"))
    return lines


def _cell(item: Item) -> str:
    text = _text(item.text)
    if item.mark == "best":
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if item.mark == "second" else text


def _text(text: str, limit: int | None = 200) -> str:
    return "--" if text == NOTHING else escape.latex(text, limit)
