"""Which tables a benchmark prints, found through its name: the way from a frame to its tables.

A benchmark's own tables are those that its object declares. Metrics that are in none of them, and
that it does not leave out on purpose, get one mean each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from editgauge import catalog
from editgauge.tables import given_back
from editgauge.tables.build import build, fed_variants, plan
from editgauge.tables.metrics import benchmark_of, directions, metrics_of
from editgauge.tables.reading import settled
from editgauge.tables.results import Results
from editgauge.tables.slices import beside, noise, repeated, sliced
from editgauge.tables.spec import PaperTable, generic
from editgauge.tables.table import Table
from editgauge.types import Variant

__all__ = ["Shown", "benchmark_of", "directions", "every_table", "is_further", "metrics_of",
           "papers_first", "tables"]  # fmt: skip
_FURTHER = ".further"
"""How the name of the table ends that has the metrics of no paper's table."""
MakeTables = Callable[[Results], Sequence[PaperTable]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown beside the means: see `build.build`. `only`: the table of this name alone, also
    one that is shown on demand only.
    """

    by: str = ""
    published: bool = False
    intervals: bool = False
    mean: bool = False
    only: str = ""
    seed: int = 0


def tables(
    frame: Results,
    variant: Variant,
    shown: Shown | None = None,
    *,
    make: MakeTables | None = None,
    among: Sequence[Variant] = (),
) -> list[Table]:
    """Every table of the frame's benchmark that has rows, in order.

    `make`: other tables than the benchmark's own. `among`: the variants in which the caller makes
    the same tables; one that has no rows of `variant` of its own is left to the variant among them
    whose rows it would repeat.
    """
    asked = shown or Shown()
    frame = settled(frame)
    every = partial(every_table, make=make, only=asked.only)
    if asked.by:
        told = [*filter(None, [given_back.note(frame)])]
        parts = sliced(frame, asked.by, every, variant, intervals=asked.intervals, seed=asked.seed)
        return [replace(part, notes=[*part.notes, *told]) for part in parts]
    found: list[Table | None] = []
    mine = every(frame)
    for item in mine:
        if _repeats(frame, item, variant, among):
            continue
        item = replace(item, alone=item.alone and asked.only == item.name)
        again = partial(
            build,
            table=item,
            variant=variant,
            intervals=asked.intervals,
            mean=asked.mean,
            seed=asked.seed,
        )
        made = again(frame, published=asked.published or item.alone)
        found.append(made and given_back.with_edited(frame, made, again))
    if frame.repeats > 1:
        found += [repeated(frame, item, variant) for item in mine]
        found += [beside(frame, item, variant, published=asked.published) for item in mine]
        found.append(noise(frame.own(), variant))
    return [table for table in found if table is not None]


def _repeats(frame: Results, table: PaperTable, variant: Variant, among: Sequence[Variant]) -> bool:
    """Whether a table has no rows of its own variant, and the same one of another variant has."""
    if table.lines is not None:
        return False
    if table.fixed is not None:
        return table.fixed != variant and table.fixed in among
    if variant in fed_variants(frame, plan(frame, table, variant)):
        return False
    others = [other for other in among if other != variant]
    return any(other in fed_variants(frame, plan(frame, table, other)) for other in others)


def papers_first(made: Sequence[Table]) -> list[Table]:
    """The tables of benchmarks' sides: of each benchmark the papers' before those of the metrics
    that no paper has.
    """
    order = list(dict.fromkeys(table.benchmark for table in made))
    return sorted(made, key=lambda t: (order.index(t.benchmark), is_further(t.name)))


def is_further(name: str) -> bool:
    """Whether a table of that name has the metrics that are in no paper's table."""
    return name.endswith(_FURTHER)


def every_table(
    frame: Results, *, make: MakeTables | None = None, only: str = ""
) -> list[PaperTable]:
    """The benchmark's own tables, and plain means of the metrics that are in none of them; of these
    what belongs to the frame's side. Metrics that another package's benchmark leaves out on purpose
    are shown where the further table is asked for by its name.
    """
    metrics = metrics_of(frame)
    benchmark = benchmark_of(frame.benchmark)
    side = frame.side
    elsewhere = set(metrics) - side.shown if side is not None and side.shown else set()
    declared = None if benchmark is None else benchmark.tables
    source = make or declared
    if source is None:
        return generic(frame, without=elsewhere)
    own = list(source(frame) if callable(source) else source)
    name = f"{frame.benchmark}{_FURTHER}"
    outside = benchmark is not None and benchmark.name not in catalog.BENCHMARKS and only != name
    silent = benchmark.not_in_tables if benchmark is not None and outside else ()
    without = elsewhere.union(silent, *(item.metrics for item in own))
    own = [item for item in own if side is None or side.takes(item.metrics)]
    title = f"{frame.benchmark}: metrics that are in none of the paper's tables"
    return [*own, *generic(frame, name=name, title=title, without=without)]
