r"""A drawn table as LaTeX: booktabs, in floats that are never wider than their column or page.

Too wide a table is scaled by ``adjustbox``; one of more lines than a page holds is several floats,
which part between groups of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editgauge import escape
from editgauge.tables.drawn import NOTHING, Drawn, Item

_WIDE = 7
"""Columns from which a table is set across the page."""
_LONG = 50
"""Lines that a page holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What stands around the numbers: texts that are not yet escaped."""

    label: str
    caption: str
    notes: Sequence[str]
    origin: str = ""
    """A comment: what made the numbers, in full."""


def latex(drawn: Drawn, words: Words) -> str:
    r"""The table as a ``table`` (as wide as a column), a ``table*`` (as the page), or several."""
    float_ = "table*" if len(drawn.headings) >= _WIDE else "table"
    label = re.sub("[^A-Za-z0-9]+", "-", words.label).strip("-")
    columns = "l" * drawn.names + "r" * (len(drawn.headings) - drawn.names)
    pages = list(_pages(drawn))
    lines: list[str] = []
    for number, page in enumerate(pages, start=1):
        several = len(pages) > 1
        caption = words.caption + (f" ({number} of {len(pages)})" if several else "")
        lines += [
            rf"\begin{{{float_}}}[tbp]",
            r"\centering",
            rf"\caption{{{escape.latex(caption, None)}}}",
            rf"\label{{tab:{label}{f'-{number}' if several else ''}}}",
            r"\begin{adjustbox}{max width=\linewidth}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *_head(drawn),
            r"\midrule",
            *_body(drawn, page),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{adjustbox}",
            *_notes(words.notes if number == len(pages) else ()),
            rf"\end{{{float_}}}",
        ]
    text = "\n".join(lines) + "\n"
    said = ["needs booktabs, adjustbox"]
    said += [f"scored by {escape.plain(words.origin, None)}"] if words.origin else []
    if not re.fullmatch("[\x00-\u024f]*", text):
        said.append("has letters that pdfLaTeX does not know: compile with LuaLaTeX or XeLaTeX")
    return f"% {'; '.join(said)}\n{text}"


def _pages(drawn: Drawn) -> Iterator[range]:
    """The lines of each float: whole groups, as many as a page holds."""
    ends = [*sorted(drawn.breaks), len(drawn.lines)]
    first = last = 0
    for end in ends:
        if last > first and end - first > _LONG:
            yield range(first, last)
            first = last
        last = end
    yield range(first, last)


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


def _body(drawn: Drawn, page: range) -> list[str]:
    lines = []
    for number in page:
        line, inside = drawn.lines[number], number > page.start and number not in drawn.breaks
        if number > page.start and not inside:
            lines.append(r"\midrule")
        cells = [_cell(item) for item in line]
        if drawn.names > 1 and inside and line[0] == drawn.lines[number - 1][0]:
            cells[0] = ""  # a group's name once
        lines.append(" & ".join(cells) + r" \\")
    return lines


def _cell(item: Item) -> str:
    text = _text(item.text)
    if item.mark == "best":
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if item.mark == "second" else text


def _text(text: str, limit: int | None = 200) -> str:
    return "--" if text == NOTHING else escape.latex(text, limit)
