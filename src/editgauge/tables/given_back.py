"""Inputs handed back, in tables: how many outputs of each editor are none of its doing, and the
means without them.

Whether an output was given back is decided once (`store.outputs.given_back`) and stored in the
edit's record; `Results.deliveries` brings it here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from editgauge.tables.results import Results
from editgauge.tables.table import Table, TableRow

EDITED_ONLY = ", edited only"
"""What follows an editor's name in its line of means over the outputs that are no input."""


def counted(results: Results) -> dict[str, tuple[int, int]]:
    """(edited, given back) for each editor that handed at least one input back."""
    here, there = set(results.samples.ids), results.deliveries
    counts = {
        editor: (len(there[editor].edited & here), len(there[editor].given_back & here))
        for editor in results.editors
        if editor in there
    }
    return {editor: count for editor, count in counts.items() if count[1]}


def note(results: Results) -> str:
    """``The input handed back, pixel by pixel: typeset: 38 edited, 42 given back.``, or "" where
    nothing was.
    """
    told = [f"{e}: {edited} edited, {back} given back" for e, (edited, back) in
            counted(results).items()]  # fmt: skip
    return f"The input handed back, pixel by pixel: {'; '.join(told)}." if told else ""


def edited_only(results: Results) -> Results:
    """The rows of outputs that were not given back: see `Results.without`."""
    known = results.deliveries
    back = [known[e].given_back if e in known else () for e in results.editors]
    return results.without(np.array([[s in mine for s in results.samples.ids] for mine in back]))


def with_edited(results: Results, table: Table, build: Callable[[Results], Table | None]) -> Table:
    """The table with the note, and after each editor that handed inputs back a line of its means
    over the others.

    `build` makes the same table from other results. A line of edited ones is of kind ``edited``: it
    is of fewer samples by its nature, so that it is neither best nor second.
    """
    counts = counted(results)
    if not counts or not any(row.kind == "run" for row in table.rows):
        return table
    rows: list[TableRow] = []
    for row in table.rows:
        rows.append(row)
        if row.kind == "run" and counts.get(row.name, (0, 0))[0]:
            part = build(edited_only(results.of_editors([row.name])))
            if part is not None and part.rows:
                name = row.name + EDITED_ONLY
                rows.append(replace(part.rows[0], name=name, kind="edited", part=row.part))
    return replace(table, rows=rows, notes=[*table.notes, note(results)])
