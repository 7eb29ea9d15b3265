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


def counted(results: Results) -> dict[str, tuple[int, int]]:
    """(edited, given back) for each editor that handed at least one input back."""
    here = set(results.samples.ids)
    counts = {
        editor: (len(delivery.edited & here), len(delivery.given_back & here))
        for editor, delivery in results.deliveries.items()
        if editor in results.editors
    }
    return {editor: counts[editor] for editor in results.editors if counts.get(editor, (0, 0))[1]}


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
    told = note(results)
    if not told or not any(row.kind == "run" for row in table.rows):
        return table
    counts = counted(results)
    rows: list[TableRow] = []
    for row in table.rows:
        rows.append(row)
        if row.kind == "run" and counts.get(row.name, (0, 0))[0]:
            part = build(edited_only(results.of_editors([row.name])))
            if part is not None and part.rows:
                name = row.name + EDITED_ONLY
                rows.append(replace(part.rows[0], name=name, kind="edited", part=row.part))
    return replace(table, rows=rows, notes=[*table.notes, told])


def compared(results: Results, comparison: Comparison) -> list[str]:
    """What `editgauge compare` says of inputs handed back: the counts, and both means of each
    metric over the samples that both editors edited. Nothing where nothing was handed back.
    """
    pair = results.of_editors([comparison.a, comparison.b])
    told = note(pair)
    if not told:
        return []
    edited = edited_only(pair)
    means = []
    for line in comparison.lines:
        values = edited.grid(line.metric, line.variant).values
        both = values[:, ~np.isnan(values).any(axis=0)]
        if both.shape[1] and not line.slice:
            a, b = both.mean(axis=1)
            means.append(f"{line.metric} ({line.variant}) {a:.4g} → {b:.4g} (n {both.shape[1]})")
    return [told + (f" Means where both edited: {'; '.join(means)}." if means else "")]
