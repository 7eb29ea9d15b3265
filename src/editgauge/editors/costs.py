"""What an editor costs: before it runs, under a budget, and afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from editgauge.editors.editor import as_editor
from editgauge.errors import UsageError
from editgauge.store.run import PAID
from editgauge.types import Editor, Sample


class Estimate(NamedTuple):
    """What edits that are still to be made would cost."""

    samples: int
    dollars: float | None
    """US dollars by list prices; None where the price of one of them is not known."""


def estimate(editor: Editor, samples: Sequence[Sample]) -> Estimate:
    """The costs of editing these samples, by the editor's own word (``editor.estimate(sample)``);
    an editor without it costs nothing. Nothing is called and nothing is written.
    """
    ask = as_editor(editor).estimate
    costs = [ask(sample) for sample in samples]
    known = [cost for cost in costs if cost is not None]
    return Estimate(len(samples), sum(known) if len(known) == len(costs) else None)


def keep_in(editor: Editor, run: Path, budget: float | None) -> None:
    """Keep the editor's costs in the run's ledger, which counts all commands, under a budget in US
    dollars.

    Raises `UsageError` when a budget is to be kept and the price is not known, or is zero.
    """
    book = as_editor(editor).ledger
    if book is None:
        if budget is not None:
            why = f"{budget}: the editor {editor.name!r} has no costs that are known; leave it out"
            raise UsageError(why, argument="budget")
        return
    price = as_editor(editor).price
    if budget is not None and price is not None and not price.picture:
        what = "not known" if price.picture is None else "zero"
        why = f"{budget}: the price of {editor.name} is {what}: name the price of an output as well"
        raise UsageError(why, argument="budget")
    book.keep_in(run / PAID, budget)


def spent(editor: Editor) -> str:
    """What editing in the run has cost, and by which price; empty for editors without costs."""
    book = as_editor(editor).ledger
    price = as_editor(editor).price
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
