"""Which tables a benchmark prints, found through its name: the way from a frame to its tables.

A benchmark's own layouts are those that its object declares. Metrics that are in none of them get
one mean each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from editgauge import catalog
from editgauge.errors import UnknownName
from editgauge.tables import given_back
from editgauge.tables.build import build, fed_variants
from editgauge.tables.frame import Frame
from editgauge.tables.slices import beside, noise, repeated, sliced
from editgauge.tables.spec import Layout, generic, unknown
from editgauge.tables.table import Table
from editgauge.types import Benchmark, Direction, Metric, Variant

_FURTHER = ".further"
"""How the name of the table ends that has the metrics of no paper's table."""
Layouts = Callable[[Frame, Variant], Sequence[Layout]]


def metrics_of(frame: Frame) -> dict[str, Metric]:
    """What is known of every metric that has rows, in the order in which the benchmark declares
    them and then by name.

    As the runs say; for a run that says nothing of a metric (an older one), as the benchmark
    declares it where it is installed. A metric of neither has no direction.
    """
    benchmark = benchmark_of(frame.benchmark)
    declared: Mapping[str, Metric] = {} if benchmark is None else benchmark.every_metric
    order = dict.fromkeys([*declared, *frame.metrics])
    known = {**declared, **frame.described}
    return {
        name: _presented(known.get(name, unknown(name)), declared.get(name))
        for name in order
        if name in frame.metrics
    }


def _presented(metric: Metric, declared: Metric | None) -> Metric:
    """The metric with how it is shown as its benchmark declares it: that is no fact of the rows,
    and older runs do not have it. Not where the rows have another range.
    """
    if declared is None or (metric.low, metric.high) != (declared.low, declared.high):
        return metric
    return replace(metric, printed=declared.printed, keeps=declared.keeps, plain=declared.plain)


def directions(frame: Frame) -> dict[str, Direction | None]:
    """By which way of each metric editors are compared; without what says something of the samples
    alone (`Metric.of_sample`).
    """
    known = metrics_of(frame)
    return {name: one.direction for name, one in known.items() if not one.of_sample}


def tables(
    frame: Frame,
    variant: Variant,
    *,
    by: str = "",
    published: bool = False,
    intervals: bool = False,
    seed: int = 0,
    layouts: Layouts | None = None,
    among: Sequence[Variant] = (),
) -> list[Table]:
    """Every table of the frame's benchmark that has rows, in order: see `tables.build.build`,
    `tables.slices.sliced`.

    `among`: the variants in which the caller makes the same tables. One that has no rows of
    `variant` of its own is left to the variant among them whose rows it would repeat.
    """
    frame = frame.settled()
    make = layouts or _layouts_of(frame.benchmark)
    every = partial(_every, make, variant)
    if by:
        told = [*filter(None, [given_back.note(frame)])]
        parts = sliced(frame, by, every, intervals=intervals, seed=seed)
        return [replace(part, notes=[*part.notes, *told]) for part in parts]
    found: list[Table | None] = []
    others = [item for other in among if other != variant for item in _every(make, other, frame)]
    for item in every(frame):
        if any(_repeats(frame, item, other) for other in others):
            continue
        again = partial(build, layout=item, intervals=intervals, seed=seed)
        table = again(frame, published=published)
        found.append(table and given_back.with_edited(frame, table, again))
    if frame.columns.repeat.max(initial=0) > 0:
        found += [repeated(frame, item) for item in every(frame)]
        found += [beside(frame, item, published=published) for item in every(frame)]
        found.append(noise(frame.own(), variant))
    return [table for table in found if table is not None]


def _repeats(frame: Frame, layout: Layout, other: Layout) -> bool:
    """Whether a layout has no rows of its own variant, and the same one of another variant has."""
    if layout.name != other.name or layout.lines is not None or other.lines is not None:
        return False
    own = layout.variant in fed_variants(frame, layout)
    return not own and other.variant in fed_variants(frame, other)


def papers_first(made: Sequence[Table]) -> list[Table]:
    """The tables of benchmarks' sides: of each benchmark the papers' before those of the metrics
    that no paper has.
    """
    order = list(dict.fromkeys(table.benchmark for table in made))
    return sorted(made, key=lambda t: (order.index(t.benchmark), is_further(t.name)))


def is_further(name: str) -> bool:
    """Whether a table or layout of that name has the metrics that are in no paper's table."""
    return name.endswith(_FURTHER)


def every_layout(frame: Frame, variant: Variant) -> list[Layout]:
    """What `tables` builds for a frame: the benchmark's own layouts, and plain means of the metrics
    they leave out.
    """
    return _every(_layouts_of(frame.benchmark), variant, frame)


def benchmark_of(name: str) -> Benchmark | None:
    """The benchmark of a name; None when it is not installed here: its rows can still be read."""
    try:
        found: Benchmark = catalog.find("benchmarks", name)
    except UnknownName:
        return None
    return found


def _layouts_of(name: str) -> Layouts | None:
    benchmark = benchmark_of(name)
    return None if benchmark is None else benchmark.tables


def _every(make: Layouts | None, variant: Variant, frame: Frame) -> list[Layout]:
    """The benchmark's own layouts, and plain means of the metrics that are in none of them; of
    these what belongs to the frame's side.
    """
    metrics = metrics_of(frame)
    side = frame.side
    elsewhere = set(metrics) - side.shown if side is not None and side.shown else set()
    if make is None:
        return generic(frame, variant, metrics=metrics, without=elsewhere)
    own = list(make(frame, variant))
    shown = elsewhere.union(*(item.metrics for item in own))
    own = [item for item in own if side is None or side.takes(item.metrics)]
    name, title = (
        f"{frame.benchmark}{_FURTHER}",
        f"{frame.benchmark}: metrics that are in none of the paper's tables",
    )
    further = generic(frame, variant, metrics=metrics, without=shown)
    return [*own, *(replace(item, name=name, title=title) for item in further)]
