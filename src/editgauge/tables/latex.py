r"""A drawn table as LaTeX: booktabs, in floats that are never wider than their column or page.

Too wide a table is scaled by ``adjustbox``; one of more lines than a page holds is several floats,
which part between groups of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from editgauge import escape
from editgauge.tables.drawn import NOTHING, Drawn, Item

_WIDE = 7
"""Columns from which a table is set across the page."""
_LONG = 50
"""Lines that a page holds."""


def latex(drawn: Drawn, label: str, caption: str, notes: Sequence[str], *, origin: str = "") -> str:
    r"""The table as a ``table`` (as wide as a column), a ``table*`` (as the page), or several, with
    `notes` in one paragraph below. `origin`: what made the numbers, for a comment.
    """
    float_ = "table*" if len(drawn.headings) >= _WIDE else "table"
    label = re.sub("[^A-Za-z0-9]+", "-", label).strip("-")
    columns = "l" * drawn.names + "r" * (len(drawn.headings) - drawn.names)
    pages = list(_pages(drawn))
    sentence = " ".join(_text(note, None) for note in notes)
    below = (
        [r"\par\smallskip", rf"{{\footnotesize\raggedright {sentence}\par}}"] if sentence else []
    )
    lines: list[str] = []
    for number, page in enumerate(pages, start=1):
        count, mark = (f" ({number} of {len(pages)})", f"-{number}") if pages[1:] else ("", "")
        lines += [
            rf"\begin{{{float_}}}[tbp]",
            r"\centering",
            rf"\caption{{{escape.latex(caption + count, None)}}}",
            rf"\label{{tab:{label}{mark}}}",
            r"\begin{adjustbox}{max width=\linewidth, max totalheight=.8\textheight}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *_head(drawn),
            r"\midrule",
            *_body(drawn, page),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{adjustbox}",
            *(below if number == len(pages) else ()),
            rf"\end{{{float_}}}",
        ]
    text = "\n".join(lines) + "\n"
    comments = ["needs booktabs, adjustbox"]
    comments += [f"scored by {escape.plain(origin, None)}"] if origin else []
    if not re.fullmatch("[\x00-\u024f]*", text):
        comments.append("has letters that pdfLaTeX does not know: compile with LuaLaTeX or XeLaTeX")
    return f"% {'; '.join(comments)}\n{text}"


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


def _head(drawn: Drawn) -> list[str]:
    """The levels of headings; neighbours under one broad heading share it, above a thin rule."""
    levels = max(len(heading) for heading in drawn.headings)
    padded = [(*[""] * (levels - len(heading)), *heading) for heading in drawn.headings]
    lines = []
    for level in range(levels):

        def above(place: int, level: int = level) -> Any:
            shared = padded[place][level] and level < levels - 1 and place >= drawn.names
            return padded[place][: level + 1] if shared else place

        cells, rules = [], ""
        for _, group in groupby(range(len(padded)), above):
            first, *others = group
            cells.append(_text(padded[first][level]))
            if others:
                cells[-1] = rf"\multicolumn{{{len(others) + 1}}}{{c}}{{{cells[-1]}}}"
                rules += rf"\cmidrule(lr){{{first + 1}-{others[-1] + 1}}}"
        lines.append(" & ".join(cells) + r" \\")
        lines += [rules] if rules else []
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
