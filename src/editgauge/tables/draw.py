"""A `table.Table` drawn: terminal, markdown, csv, LaTeX, JSON.

In every format a mean comes with its count (``n scored / n in the benchmark``), an infinite mean is
∞, the papers' lines are marked, the best number of a column is bold and the second underlined -
unless the editors were not scored on the same samples, in which case a note says so. Text from
outside is escaped by `escape`.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import orjson
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from editgauge import escape
from editgauge.tables import latex
from editgauge.tables.drawn import (
    EMPTY,
    Drawn,
    Item,
    Mark,
    cell_text,
    grid,
    number,
    shared_counts,
)
from editgauge.tables.table import OWN, Cell, Table, TableRow, standing

Format = Literal["terminal", "markdown", "csv", "latex", "json"]
Failures = Literal["out", "floor", "both"]
FORMATS: tuple[Format, ...] = ("terminal", "markdown", "csv", "latex", "json")

NOTE_LINES = 5
"""Lines of notes below a table, where not all are asked for."""
SCREEN = 100
"""Columns of a screen."""


def _whole(console: Console) -> bool:
    """Whether lines stay whole: in a file; a terminal wraps them between words."""
    return not console.is_terminal


def draw(
    table: Table,
    form: Format,
    *,
    failures: Failures = "out",
    width: int | None = None,
    every_note: bool = True,
) -> str:
    """The table as text, ending in a newline.

    `failures`: ``out`` prints means over scored samples, ``floor`` means with failures at the
    scale's minimum, ``both`` the second in brackets where it differs. `width`: for the terminal;
    None = as wide as it needs. `every_note`: all notes in
    the terminal and in markdown, else those that fit into `NOTE_LINES`.
    """
    table = with_failures(table, failures)
    if form == "json":
        return orjson.dumps(as_json(table), option=orjson.OPT_INDENT_2).decode() + "\n"
    if form == "csv":
        return _csv(table)
    table = _scored(table)
    if form == "latex":
        return _latex(table)
    if form == "markdown":
        return _markdown(table, every_note=every_note)
    stream = io.StringIO()
    console = Console(file=stream, width=width or 10_000, no_color=True, highlight=False)
    _terminal(table, console, fit=bool(width), every_note=every_note)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def show(
    table: Table, console: Console, *, failures: Failures = "out", every_note: bool = False
) -> None:
    """Print the table to a console: in as many parts as a terminal's width asks for; to a file as
    wide as ``COLUMNS`` says, in full length where that says nothing.
    """
    asked = os.environ.get("COLUMNS", "")
    if console.is_terminal or asked.isdigit():
        console.width = max(40, console.width if console.is_terminal else int(asked))
        table = _scored(with_failures(table, failures))
        _terminal(table, console, fit=True, every_note=every_note)
    else:
        text = draw(table, "terminal", failures=failures, every_note=every_note)
        console.out(text, end="", highlight=False)


# -- what is drawn ---------------------------------------------------------------------------------


def merged(tables: Sequence[Table]) -> list[Table]:
    """The tables, without the corrected one of two whose own lines are printed alike."""
    kept: list[Table] = []
    for table in tables:
        name = (table.name, table.source)
        same = [k for k, one in enumerate(kept) if (one.name, one.source) == name]
        alike = next((k for k in same if _own(kept[k]) == _own(table)), None)
        if alike is None or kept[alike].variant == table.variant:
            kept.append(table)
        else:
            kept[alike] = replace(kept[alike], variant="faithful and corrected")
    return kept


def _own(table: Table) -> list[list[str]]:
    """What is printed of the run's own lines."""
    own = [row for row in table.rows if row.kind in OWN]
    return [
        [row.name, row.group, *(cell_text(row.cells.get(c.name), c) for c in table.columns)]
        for row in own
    ]


def with_failures(table: Table, failures: Failures) -> Table:
    """The table with its means as `draw` says."""
    if failures == "both":
        note = "In brackets: the mean with failures at the scale's minimum, where it is another."
        return replace(table, notes=[*table.notes, note])

    def changed(cell: Cell) -> Cell:
        if failures == "floor" and cell.floor is not None:
            return replace(cell, value=cell.floor, low=None, high=None, floor=None)
        return replace(cell, floor=None)

    told = ["Failures are counted at the scale's minimum."] if failures == "floor" else []
    rows = [replace(r, cells={n: changed(c) for n, c in r.cells.items()}) for r in table.rows]
    return replace(table, rows=rows, notes=[*table.notes, *told])


def _has_number(row: TableRow, column: str) -> bool:
    cell = row.cells.get(column, EMPTY)
    return cell.value is not None or cell.text is not None


def _scored(table: Table) -> Table:
    """The table without the columns that have no number in any line, named in a note."""
    there = {c.name for c in table.columns if any(_has_number(row, c.name) for row in table.rows)}
    if not there or len(there) == len(table.columns):
        return table
    lacking = dict.fromkeys(c.heading[-1] for c in table.columns if c.name not in there)
    return replace(
        table,
        columns=[column for column in table.columns if column.name in there],
        notes=[*table.notes, f"Columns without any score: {', '.join(lacking)}."],
    )


def _notes(table: Table) -> list[str]:
    notes = list(table.notes)
    if any(row.kind not in OWN for row in table.rows):
        released = ", from outputs scored as released" if table.variant == "corrected" else ""
        notes.append(f"† published: the paper's number{released}, not computed here.")
    if any(row.part for row in table.rows):
        notes.append("‡ made from a part of the release.")
    said: dict[str, list[str]] = {}
    for column in table.columns:
        if column.note and column.comparable:
            said.setdefault(column.note, []).append(" ".join(column.heading))
    return notes + [f"{', '.join(headings)}: {note}" for note, headings in said.items()]


def _some(notes: Sequence[str], every: bool, width: int = SCREEN) -> list[str]:
    """The notes that fit into `NOTE_LINES` lines of a screen, and how many more there are."""
    lines, shown = 0, 0
    for note in notes:
        lines += -(-len(note) // width)
        shown += lines < NOTE_LINES
    left = len(notes) - shown
    if every or left == 0:
        return list(notes)
    return [*notes[:shown], f"{left} more notes: --notes" if left > 1 else notes[-1]]


def _title(table: Table) -> str:
    extra = [part for part in (table.variant, table.source) if part]
    return f"{table.title} ({'; '.join(extra)})" if extra else table.title


# -- formats ---------------------------------------------------------------------------------------

_STYLES: dict[Mark, str] = {
    "": "", "best": "bold", "second": "underline", "count": "dim", "published": "italic",
    "part": "dim",
}  # fmt: skip


def _terminal(table: Table, console: Console, *, fit: bool, every_note: bool) -> None:
    """Print to a console; columns that do not fit its width go into further parts below (`fit`
    False: never).
    """
    drawn = grid(table)
    console.print(Text(escape.plain(_title(table), None), style="bold"), soft_wrap=_whole(console))
    for chosen in _parts(drawn, console.width if fit else None):
        console.print(_rich(drawn, chosen), soft_wrap=not fit, crop=fit)
    for note in _some(_notes(table), every_note, console.width if fit else SCREEN):
        console.print(Text(escape.plain(note, None), style="dim"), soft_wrap=_whole(console))


def _rich(drawn: Drawn, chosen: Sequence[int]) -> RichTable:
    drawing = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    places = [*range(drawn.names), *chosen]
    above: tuple[str, ...] = ()
    for place in places:
        levels = drawn.headings[place]
        once = ("" if levels[:1] == above and len(levels) > 1 else levels[0], *levels[1:])
        above = levels[:1]  # a heading over several columns stands once
        heading = Text("\n".join(escape.plain(level) for level in once), overflow="fold")
        side: Literal["left", "right"] = "left" if place < drawn.names else "right"
        drawing.add_column(heading, justify=side, no_wrap=True, vertical="bottom")
    for last, line in enumerate(drawn.lines, start=1):
        items = [line[place] for place in places]
        drawing.add_row(
            *(Text.assemble((escape.plain(item.text), _STYLES[item.mark])) for item in items),
            end_section=last in drawn.breaks,
        )
    return drawing


def _parts(drawn: Drawn, width: int | None) -> list[list[int]]:
    """Which columns of numbers are drawn together: as many as fit into the width beside the names;
    columns below one broad heading stay together where they fit.
    """
    places = list(range(drawn.names, len(drawn.headings)))
    if width is None:
        return [places]
    texts = [[*drawn.headings[n], *(line[n].text for line in drawn.lines)]
             for n in range(len(drawn.headings))]  # fmt: skip
    sizes = [2 + max(len(escape.plain(text)) for text in column) for column in texts]
    room = width + 2 - sum(sizes[: drawn.names])
    blocks: list[list[int]] = []
    for place in places:
        levels = drawn.headings[place]
        if blocks and len(levels) > 1 and levels[0] == drawn.headings[blocks[-1][0]][0]:
            blocks[-1].append(place)
        else:
            blocks.append([place])
    parts: list[list[int]] = [[]]
    for block in blocks:
        whole = sum(sizes[place] for place in block)
        if parts[-1] and sum(sizes[place] for place in parts[-1]) + whole > room >= whole:
            parts.append([])
        for place in block:
            if parts[-1] and sum(sizes[p] for p in (*parts[-1], place)) > room:
                parts.append([])
            parts[-1].append(place)
    return parts


def _markdown(table: Table, *, every_note: bool = True) -> str:
    drawn = grid(table)

    def set_cell(item: Item) -> str:
        text = escape.markdown(item.text)
        return {"best": f"**{text}**", "second": f"<u>{text}</u>"}.get(item.mark, text)

    head = [escape.markdown(" ".join(filter(None, heading))) for heading in drawn.headings]
    rule = [":---" if place < drawn.names else "---:" for place in range(len(head))]
    lines = [head, rule, *([set_cell(item) for item in line] for line in drawn.lines)]
    text = [f"**{escape.markdown(_title(table), None)}**", ""]
    text += [f"| {' | '.join(cells)} |" for cells in lines]
    notes = [f"- {escape.markdown(note, None)}" for note in _some(_notes(table), every_note)]
    return "\n".join([*text, "", *notes]).rstrip("\n") + "\n"


def _csv(table: Table) -> str:
    """One line a row; a column of counts and, where there are any, of bounds and of means with
    failures. A number is as printed, but empty where there is none and ``inf`` for ∞.
    """
    cells = [cell for row in table.rows for cell in row.cells.values()]
    parts = ["", "n", "of"]
    parts += ["low", "high"] if any(cell.low is not None for cell in cells) else []
    parts += ["floor"] if any(cell.floor is not None for cell in cells) else []
    named: dict[str, Callable[[TableRow], str]] = {
        "table": lambda row: table.name,
        "variant": lambda row: table.variant,
        **({"by": lambda row: row.group} if table.by else {}),
        "model": lambda row: row.name,
        "kind": lambda row: row.kind,
    }
    if any(row.section for row in table.rows):
        named["section"] = lambda row: row.section

    def text(cell: Cell, part: str, digits: int) -> str:
        if not part and cell.text is not None:
            return escape.csv_text(cell.text) if cell.value is None else f"{cell.value:.6g}"
        value = getattr(cell, part or "value")
        if value is None or part in ("n", "of"):
            return "" if value is None else str(value)
        return number(value, digits).replace("∞", "inf")

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    titles = ["_".join(filter(None, (c.name, part))) for c in table.columns for part in parts]
    writer.writerow(escape.csv_text(name) for name in (*named, *titles))
    for row in table.rows:
        line = [escape.csv_text(of(row)) for of in named.values()]
        for column in table.columns:
            cell = row.cells.get(column.name, EMPTY)
            line += [text(cell, part, column.digits) for part in parts]
        writer.writerow(line)
    return stream.getvalue()


def paper(table: Table) -> str:
    """A published table with the run's lines in it, as LaTeX for a paper: the columns that have
    numbers, one sentence of notes, no variant in the caption, and counts only where they differ.
    """
    own = [row for row in table.rows if row.kind in OWN]
    shown = [
        replace(column, note="")
        for column in table.columns
        if any(_has_number(row, column.name) for row in own)
    ]
    source = next((note for note in table.notes if note.startswith("Published")), "")
    marked = bool(source) and len(own) < len(table.rows)
    told = [f"†: {source.rstrip('.')}"] if marked else []
    parts = dict.fromkeys(row.part for row in table.rows if row.part is not None)
    for scored, size in parts:
        names = [row.name for row in table.rows if row.part == (scored, size)]
        told.append(f"‡{'' if len(parts) == 1 else ' ' + ', '.join(names)}: {scored:,} of {size:,}")
    notes = [f"{'; '.join(told)}."] if told else []
    return _latex(replace(table, columns=shown, variant="", notes=notes), bare=True)


def _latex(table: Table, *, bare: bool = False) -> str:
    """`latex.latex` of the table. Counts that all lines share stand in the caption, or below the
    table where columns differ; the others keep their columns. `bare`: without further notes.
    """
    drawn, shared = grid(table, count_line=False), shared_counts(table)
    counts = list(dict.fromkeys(shared.values()))
    whole = len(counts) == 1 and not any("n" in heading for heading in drawn.headings)
    titles = {c.name: c.heading[0] if len(c.heading) > 1 else c.heading[-1] for c in table.columns}
    given = {name: count for name, count in shared.items() if not count.startswith("0/")}
    each = dict.fromkeys(f"{titles[name]} {count}" for name, count in given.items())
    judge = table.source.partition("#")[0]
    caption = [
        f"{table.title} ({table.variant})." if table.variant else f"{table.title}.",
        *([f"Scored by {judge}."] if judge else []),
        *([f"n = {counts[0].replace('/', ' of ')}."] if whole else []),
    ]
    notes = [*([] if whole or not each else [f"n: {'; '.join(each)}."]), *_notes(table)]
    words = latex.Words(
        label="-".join(filter(None, (table.name, table.variant, judge))),
        caption=" ".join(caption),
        notes=list(table.notes) if bare else notes,
        origin=table.source,
    )
    return latex.latex(drawn, words)


def as_json(table: Table) -> dict[str, Any]:
    """The table as JSON values: an infinite value is None with ``"infinite": true``."""
    place = standing(table)

    def cell_json(line: int, name: str, cell: Cell) -> dict[str, Any]:
        infinite = cell.value is not None and math.isinf(cell.value)
        told: dict[str, Any] = {"value": None if infinite else cell.value}
        told |= {"infinite": True} if infinite else {}
        for part in ("n", "of", "low", "high", "floor", "text"):
            value = getattr(cell, part)
            if value is not None:
                told[part] = None if isinstance(value, float) and math.isinf(value) else value
        mark = place.mark(line, name)
        return told | ({"place": 1 if mark == "best" else 2} if mark else {})

    def row_json(line: int, row: TableRow) -> dict[str, Any]:
        told: dict[str, Any] = {"name": row.name, "kind": row.kind, "group": row.group}
        told |= {"section": row.section} if row.section else {}
        told |= {"part": list(row.part)} if row.part else {}
        if row.kind not in OWN and table.variant == "corrected":
            told["as_released"] = True
        told["cells"] = {name: cell_json(line, name, cell) for name, cell in row.cells.items()}
        return told

    plain = ("name", "title", "benchmark", "variant", "source", "size", "by", "transposed")
    parts = ("name", "heading", "digits", "direction", "comparable", "note")
    return {
        **{name: getattr(table, name) for name in plain},
        "columns": [{part: getattr(column, part) for part in parts} for column in table.columns],
        "rows": [row_json(line, row) for line, row in enumerate(table.rows)],
        "notes": _notes(table),
        "meta": dict(table.meta),
    }
