"""Which tables a benchmark prints: those that its object declares, and one mean for each metric
that is in none of them and not left out on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editgauge import catalog
from editgauge.tables import notes
from editgauge.tables.build import MEANS, Shown, build
from editgauge.tables.metrics import benchmark_of, metrics_of
from editgauge.tables.repeats import beside
from editgauge.tables.results import Results
from editgauge.tables.slices import sliced
from editgauge.tables.spec import PaperTable, generic
from editgauge.tables.table import Table
from editgauge.types import Variant

_FURTHER = ".further"
"""How the name of the table ends that has the metrics of no paper's table."""


def tables(
    results: Results,
    variant: Variant,
    shown: Shown = MEANS,
    *,
    among: Sequence[Variant] = (),
) -> list[Table]:
    """Every table of the results' benchmark that has rows, in order.

    `among`: the variants in which the caller makes the same tables; one that has no rows of
    `variant` of its own is left to the variant among them whose rows it would repeat.
    """

    def mine(part: Results) -> list[PaperTable]:
        every = every_table(part, only=shown.only)
        return [paper for paper in every if _belongs(results, paper, variant, among)]

    there: list[Table | None] = []
    if shown.by:
        there += sliced(results, shown.by, mine, variant, shown)
    for paper in () if shown.by else mine(results):
        alone = paper.alone and shown.only == paper.name
        beside_papers = replace(shown, published=shown.published or alone)
        there.append(build(results, replace(paper, alone=alone), variant, beside_papers))
    if results.repeats > 1 and not shown.by:
        there += (beside(results, p, variant, shown) for p in mine(results))
    back = list(filter(None, [notes.given_back(results)]))
    return [
        replace(one, notes=[*one.notes, *back], warnings=[*one.warnings, *back])
        for one in there
        if one is not None
    ]


def _belongs(
    results: Results, paper: PaperTable, variant: Variant, among: Sequence[Variant]
) -> bool:
    """Whether it has rows of this variant, or none of another among those asked for."""
    if paper.fixed is not None:
        variants = [v for v in among if v == paper.fixed]
    else:
        variants = [v for v in among if any(results.has(metric, v) for metric in paper.metrics)]
    return not among or variant in (variants or among[:1])


def papers_first(every: Sequence[Table]) -> list[Table]:
    """Tables of benchmarks' sides: of each its papers' before those of other metrics."""
    order = list(dict.fromkeys(table.benchmark for table in every))
    return sorted(every, key=lambda t: (order.index(t.benchmark), is_further(t.name)))


def is_further(name: str) -> bool:
    """Whether a table of that name has the metrics that are in no paper's table."""
    return name.endswith(_FURTHER)


def every_table(results: Results, *, only: str = "") -> list[PaperTable]:
    """The benchmark's own tables, and plain means of the metrics that are in none of them; of these
    what belongs to the results' side. Metrics that another package's benchmark leaves out on
    purpose are shown where the further table is asked for by its name.
    """
    benchmark, side = benchmark_of(results.benchmark), results.side
    without = set(metrics_of(results)) - side.shown if side is not None and side.shown else set()
    if benchmark is None or benchmark.tables is None:
        return generic(results, without=without)
    source, name = benchmark.tables, f"{results.benchmark}{_FURTHER}"
    specs = list(source(results) if callable(source) else source)
    specs = [paper if paper.name == only else paper.always() for paper in specs]
    if benchmark.name not in catalog.BENCHMARKS and only != name:
        without = without.union(benchmark.not_in_tables)
    without = without.union(*(paper.metrics for paper in specs))
    specs = [paper for paper in specs if side is None or side.takes(paper.metrics)]
    title = f"{results.benchmark}: metrics that are in none of the paper's tables"
    return [*specs, *generic(results, name=name, title=title, without=without)]
