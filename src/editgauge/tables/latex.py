r"""A table as LaTeX: booktabs, scaled by ``adjustbox`` where too wide; one of more lines than a
page holds is several floats, which part between groups of lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from editgauge import escape
from editgauge.tables.grid import NOTHING, Grid, Item, grid, shared_counts, shown_lines
from editgauge.tables.table import Table, notes_of_columns, with_numbers

_WIDE = 7
"""Columns from which a table is set across the page."""
_LONG = 50
"""Lines that a page holds."""


def paper(table: Table) -> str:
    """A published table with the run's lines in it, as LaTeX for a paper: the columns that have
    numbers, no variant in the caption, counts only where they differ, and below it where the
    published lines stand and every note without which its numbers mislead.
    """
    own = [row for row in table.rows if row.own]
    columns = with_numbers(table.columns, own or table.rows)
    table = replace(table, columns=columns)
    marks = [
        f"†: {note.rstrip('.')}"
        for note in table.notes
        if note.startswith("Published") and note not in table.warnings
    ]
    parts = dict.fromkeys(row.part for row in own if row.part is not None)
    for part in parts:
        names = ", ".join(row.name for row in own if row.part == part) if len(parts) > 1 else ""
        marks.append(f"‡ {names}: {part[0]:,} of {part[1]:,}".replace(" :", ":"))
    below = [f"{'; '.join(marks)}."] if marks else []
    below += [*table.warnings, *notes_of_columns(table)]
    return latex(replace(table, variant=""), below, bare=True)


def latex(table: Table, notes: Sequence[str], *, bare: bool = False) -> str:
    r"""The table as a ``table`` (as wide as a column), a ``table*`` (as the page), or several, with
    `notes` in one paragraph below. A count that all columns share stands in the caption, counts
    that lines share in a line (not when `bare`); the others keep their columns.
    """
    shared = {*shared_counts(table).values()}
    drawn = grid(table, count_line=len(shared) > 1 and not bare)
    judge, variant = table.source.partition("#")[0], f" ({table.variant})" if table.variant else ""
    caption = f"{table.title}{variant}."
    if judge:
        papers_too = any(not table.rows[place].own for place in shown_lines(table))
        caption += f" {'Numbers without † scored' if papers_too else 'Scored'} by {judge}."
    if len(shared) == 1 and not any("n" in heading for heading in drawn.headings):
        caption += f" n = {shared.pop().replace('/', ' of ')}."
    names = "-".join(filter(None, (table.name, table.variant, judge)))
    by = f"; scored by {escape.plain(table.source, None)}" if table.source else ""
    label = re.sub("[^A-Za-z0-9]+", "-", names).strip("-")
    return f"% needs booktabs, adjustbox{by}\n{_floats(drawn, label, caption, notes)}"


def _floats(drawn: Grid, label: str, caption: str, notes: Sequence[str]) -> str:
    widest = max(len(part.headings) for part in drawn.parts)
    float_ = "table*" if widest >= _WIDE else "table"
    below = " ".join(_text(note, None) for note in notes)
    pages = _pages(drawn)
    lines: list[str] = []
    for number, page in enumerate(pages, start=1):
        count, mark = (f" ({number} of {len(pages)})", f"-{number}") if pages[1:] else ("", "")
        lines += [
            rf"\begin{{{float_}}}[tbp]",
            r"\centering",
            rf"\caption{{{escape.latex(caption + count, None)}}}",
            rf"\label{{tab:{label}{mark}}}",
        ]
        for place, part in enumerate(page.parts):
            if place:
                lines.append(r"\par\medskip")
            lines += _tabular(part, height=0.8 / len(page.parts))
        if below and number == len(pages):
            lines += [r"\par\smallskip", rf"{{\footnotesize\raggedright {below}\par}}"]
        lines.append(rf"\end{{{float_}}}")
    return "\n".join(lines) + "\n"


def _pages(drawn: Grid) -> list[Grid]:
    """The lines of each page: whole blocks, as many as it holds."""
    room = _LONG // len(drawn.parts)
    pages: list[list[list[list[Item]]]] = [[]]
    for block in drawn.blocks:
        if pages[-1] and sum(map(len, pages[-1])) + len(block) > room:
            pages.append([])
        pages[-1].append(block)
    return [drawn._replace(blocks=blocks) for blocks in pages]


def _tabular(part: Grid, *, height: float) -> list[str]:
    """One table, at most as wide as the text and as high as a share of its height."""
    columns = "l" * part.names + "r" * (len(part.headings) - part.names)
    return [
        r"\begin{adjustbox}{max width=\linewidth, max totalheight="
        + f"{height:.1g}".lstrip("0")
        + r"\textheight}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *_head(part),
        *(line for block in part.blocks for line in (r"\midrule", *_block(block, part.names))),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{adjustbox}",
    ]


def _head(drawn: Grid) -> list[str]:
    """The levels of headings; neighbours under one broad heading share it, above a thin rule."""
    levels = max(map(len, drawn.headings))
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


def _block(block: Sequence[Sequence[Item]], names: int) -> list[str]:
    lines, before = [], None
    for line in block:
        cells = [_cell(item) for item in line]
        if names > 1 and line[0] == before:
            cells[0] = ""  # a group's name once
        before = line[0]
        lines.append(" & ".join(cells) + r" \\")
    return lines


def _cell(item: Item) -> str:
    text = _text(item.text)
    if item.mark == "best":
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if item.mark == "second" else text


def _text(text: str, limit: int | None = 200) -> str:
    return "--" if text == NOTHING else escape.latex(text, limit)
