"""Inputs handed back, in tables: how many outputs of each editor are none of its doing, and the
means without them.

Whether an output was given back is decided once (`store.outputs.given_back`) and stored in the
edit's record; `Results.deliveries` brings it here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from editgauge.tables.compare import Comparison
from editgauge.tables.results import Results
from editgauge.tables.table import Table, TableRow

EDITED_ONLY = ", edited only"
"""What follows an editor's name in its line of means over the outputs that are no input."""


def counted(frame: Results) -> dict[str, tuple[int, int]]:
    """(edited, given back) for each editor of the frame that handed at least one input back."""
    here = set(frame.samples.ids)
    found = {}
    for editor in frame.editors:
        delivery = frame.deliveries.get(editor)
        if delivery is not None and (back := len(delivery.given_back & here)):
            found[editor] = (len(delivery.edited & here), back)
    return found


def note(frame: Results) -> str:
    """``Given back (the output is the input, pixel by pixel): typeset 38 edited, 42 given back.``,
    or "" where nothing was.
    """
    told = [
        f"{editor}: {edited} edited, {back} given back"
        for editor, (edited, back) in counted(frame).items()
    ]
    return f"The input handed back, pixel by pixel: {'; '.join(told)}." if told else ""


def edited_only(frame: Results) -> Results:
    """The rows of outputs that were not given back. Rows of whole sets go: they are of all
    outputs. Rows that say that a sample has no score by its nature stay: a count is of as many
    samples as that of all outputs.
    """
    back = [frame.deliveries[e].given_back if e in frame.deliveries else () for e in frame.editors]
    return frame.without(np.array([[name in mine for name in frame.samples.ids] for mine in back]))


def with_edited(frame: Results, table: Table, build: Callable[[Results], Table | None]) -> Table:
    """The table with the note, and after each editor that handed inputs back a line of its means
    over the others.

    `build` makes the same table from another frame. A line of edited ones is of kind ``edited``: it
    is of fewer samples by its nature, so that it is neither best nor second.
    """
    told = note(frame)
    if not told or not any(row.kind == "run" for row in table.rows):
        return table
    lines: dict[str, TableRow] = {}
    for editor, (edited, _) in counted(frame).items():
        part = build(edited_only(frame.of_editors([editor]))) if edited else None
        if part is not None and part.rows:
            row = part.rows[0]
            lines[editor] = replace(row, name=editor + EDITED_ONLY, kind="edited")
    rows: list[TableRow] = []
    for row in table.rows:
        rows.append(row)
        if row.kind == "run" and row.name in lines:
            rows.append(replace(lines[row.name], part=row.part))
    return replace(table, rows=rows, notes=[*table.notes, told])


def compared(frame: Results, found: Comparison) -> list[str]:
    """What `editgauge compare` says of inputs handed back: the counts, and both means of each
    metric over the samples that both editors edited. Nothing where nothing was handed back.
    """
    pair = frame.of_editors([found.a, found.b])
    told = note(pair)
    if not told:
        return []
    edited = edited_only(pair)
    means = []
    for line in found.lines:
        if line.slice:
            continue
        values = edited.grid(line.metric, line.variant).values
        both = values[:, ~np.isnan(values).any(axis=0)]
        if both.shape[1]:
            a, b = both.mean(axis=1)
            means.append(f"{line.metric} ({line.variant}) {a:.4g} → {b:.4g} (n {both.shape[1]})")
    tail = f" Means where both edited: {'; '.join(means)}." if means else ""
    return [told + tail]
