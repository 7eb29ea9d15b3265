"""What an editor costs: before it runs, under a budget, and afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from editgauge.editors.editor import as_editor
from editgauge.errors import UsageError
from editgauge.store.run import PAID
from editgauge.types import Editor, Sample


class Estimate(NamedTuple):
    """How many edits are still to be made, and their US dollars by list prices; None where the
    price of one is not known.
    """

    samples: int
    dollars: float | None


def estimate(editor: Editor, samples: Sequence[Sample]) -> Estimate:
    """The costs of editing these samples, by the editor's own word. Nothing is called."""
    costs = [as_editor(editor).estimate(sample) for sample in samples]
    known = [cost for cost in costs if cost is not None]
    return Estimate(len(samples), sum(known) if len(known) == len(costs) else None)


@contextlib.contextmanager
def kept_in(editor: Editor, run: Path, budget: float | None) -> Iterator[None]:
    """Keep the editor's costs in the run's ledger, which counts all commands, under a budget in US
    dollars. Raises `UsageError` for a budget where the price is not known, or is zero.
    """
    editor_in, why = as_editor(editor), ""
    if editor_in.ledger is None:
        why = f"the editor {editor_in.name!r} has no costs that are known; leave it out"
    elif editor_in.price is not None and not editor_in.price.picture:
        what = "not known" if editor_in.price.picture is None else "zero"
        why = f"the price of {editor_in.name} is {what}: name the price of an output as well"
    if budget is not None and why:
        raise UsageError(f"{budget}: {why}", argument="budget")
    if editor_in.ledger is None:
        yield
        return
    editor_in.ledger.keep_in(run / PAID, budget)
    try:
        yield
    finally:
        editor_in.ledger.keep_in(None, None)  # closes the run's file


def spent(editor: Editor) -> str:
    """What editing in the run has cost, and by which price; empty for editors without costs."""
    book, price = as_editor(editor).ledger, as_editor(editor).price
    if book is None or price is None:
        return ""
    known = price.picture is not None or price.out is not None
    if not known and not book.totals.calls:
        return "not counted: no price is known (the setting price: US dollars for one output)"
    source = price.source if known else "no price is known; these are the replies' own bills"
    return (
        f"{book.spent:z.4f} US dollars now, {book.totals.booked:z.4f} in this run, all commands "
        f"together (prices: {source})"
    )
