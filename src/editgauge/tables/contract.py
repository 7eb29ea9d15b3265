"""Is a benchmark complete? The check that the catalog makes when it first hands one out, and that
`editgauge.testing.check_benchmark` makes in tests of other packages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from editgauge.errors import BenchmarkError
from editgauge.tables import reading
from editgauge.tables.results import WHOLE_SET, Results
from editgauge.tables.spec import PaperTable, generic
from editgauge.types import TRACKS, VARIANTS, Benchmark, JudgeTrack, Metric, Row, Status

_FUNCTIONS = ("load", "scorers", "audits", "agreement", "importers")
_OR_NONE = ("scheme", "judging", "prompts", "settled")


def verify(benchmark: Any, package: str = "") -> None:
    """Check a benchmark's declaration; see `problems`. Raises `BenchmarkError` with all that is
    wrong, each named by its member; `package` is where it comes from.
    """
    _refuse("benchmark", benchmark, package, list(problems(benchmark)))


def verify_judge(track: Any, package: str = "") -> None:
    """Check a judge protocol of another package: its members, and the metrics that it gives. Raises
    `BenchmarkError` as `verify` does.
    """
    if not isinstance(track, JudgeTrack):
        told = f"wanted an editgauge.JudgeTrack, found {type(track).__name__}"
        return _refuse("judge", track, package, [told])
    found = list(_rubrics(track.rubrics))
    try:
        found += [told for metric in track.judging().metrics for told in _metric(metric)]
    except Exception as error:  # somebody's function: whatever it raises is what is wrong
        found.append(f"judging: {type(error).__name__}: {error}")
    return _refuse("judge", track, package, found)


def _refuse(kind: str, thing: Any, package: str, found: list[str]) -> None:
    if found:
        name = getattr(thing, "name", None) or type(thing).__name__
        where = f" (package {package})" if package else ""
        raise BenchmarkError(f"{kind} {name}{where}: {'; '.join(found)}")


def problems(benchmark: Any) -> Iterator[str]:
    """What is wrong with a declaration, a text each that begins with the member's name.

    Metrics have a direction, a range and a known variant, and no name stands for two. What is to be
    called can be called. Every table column shows a declared metric; every declared metric is in a
    table or named in `not_in_tables`. Parents of derived metrics are declared. Scorers are not
    made: that may need an extra; see `fed`.
    """
    if not isinstance(benchmark, Benchmark):
        yield f"wanted an editgauge.Benchmark, found {type(benchmark).__name__}"
        return
    early = [*_members(benchmark), *_metrics(benchmark), *_derived(benchmark)]
    yield from early
    if not early:  # tables of metrics that are wrong would only repeat it
        yield from _tables(benchmark)


def fed(benchmark: Benchmark, metrics: Iterable[Metric]) -> Iterator[str]:
    """What is wrong with the metrics that a benchmark's scorers and judge hand out, and with
    declared ones that none of them feeds.
    """
    declared = {metric.name: metric for metric in benchmark.metrics}
    given = {metric.name: metric for metric in metrics}
    for name, metric in given.items():
        if name not in declared:
            yield f"metrics: {name} is scored and not declared"
        elif metric != declared[name]:
            yield f"metrics: {name} is scored as another metric than the declared one"
    for name in sorted(set(declared) - set(given)):
        yield f"metrics: {name} is declared, and neither a scorer nor the judge gives it"


# -- parts -----------------------------------------------------------------------------------------


def _members(benchmark: Benchmark) -> Iterator[str]:
    for name in ("name", "title", "citation"):
        if not str(getattr(benchmark, name)).strip():
            yield f"{name}: wanted a text, found {getattr(benchmark, name)!r:.40}"
    for name in (*_FUNCTIONS, *_OR_NONE):
        value = getattr(benchmark, name)
        if not callable(value) and not (value is None and name in _OR_NONE):
            yield f"{name}: wanted a function, found {value!r:.40}"
    yield from _rubrics(benchmark.rubrics)
    for track in benchmark.main_tracks:
        if track not in TRACKS:
            yield f"main_tracks: {track!r} is none of {', '.join(TRACKS)}"


def _rubrics(rubrics: Path | Mapping[str, Path] | None) -> Iterator[str]:
    homes = rubrics.values() if isinstance(rubrics, Mapping) else filter(None, [rubrics])
    for home in homes:
        if not Path(home).is_dir():
            yield f"rubrics: wanted a folder of .md files, found {home!r:.60}"


def _metrics(benchmark: Benchmark) -> Iterator[str]:
    seen: set[str] = set()
    if not benchmark.metrics:
        yield "metrics: none is declared"
    for metric in (*benchmark.metrics, *(derived.metric for derived in benchmark.derived)):
        if not _is_a(metric, Metric):
            yield f"metrics: wanted editgauge.Metric, found {metric!r:.40}"
            continue
        if metric.name in seen:
            yield f"metrics: {metric.name} is declared twice"
        seen.add(metric.name)
        yield from _metric(metric)
    for name in benchmark.not_in_tables:
        if name not in seen:
            yield f"not_in_tables: {name!r} is no declared metric"


def _metric(metric: Metric) -> Iterator[str]:
    where = f"metrics: {metric.name}"
    if metric.of_sample:
        if metric.direction is not None:
            yield f"{where}: direction: a property of the sample has none"
    elif metric.direction not in ("higher", "lower"):
        yield f"{where}: direction: wanted 'higher' or 'lower', found {metric.direction!r}"
    if math.isnan(metric.low) or math.isnan(metric.high) or not metric.low < metric.high:
        yield f"{where}: low, high: wanted a range, found {metric.low} to {metric.high}"
    elif metric.failure is not None and not metric.low <= metric.failure <= metric.high:
        yield f"{where}: failure: {metric.failure} lies outside of {metric.low} to {metric.high}"
    if not metric.variants or set(metric.variants) - set(VARIANTS):
        yield f"{where}: variants: wanted some of {', '.join(VARIANTS)}, found {metric.variants}"


def _derived(benchmark: Benchmark) -> Iterator[str]:
    known = {metric.name for metric in benchmark.metrics if _is_a(metric, Metric)}
    combined = {derived.metric.name for derived in benchmark.derived}
    for derived in benchmark.derived:
        where = f"derived: {derived.metric.name}"
        if not derived.of:
            yield f"{where}: of: wanted the names of its parents, found none"
        for name in (*derived.of, *derived.optional):
            if name in combined:
                yield f"{where}: of: {name!r} is derived itself; name its parents instead"
            elif name not in known:
                yield f"{where}: of: {name!r} is no declared metric"
        if not _is_a(derived.rule, Callable):
            yield f"{where}: rule: wanted a function, found {derived.rule!r:.40}"


def _tables(benchmark: Benchmark) -> Iterator[str]:
    every = benchmark.every_metric
    frame = specimen(benchmark)
    source = generic if benchmark.tables is None else benchmark.tables
    try:
        papers = list(source(frame) if callable(source) else source)
    except Exception as error:  # somebody's function: whatever it raises is what is wrong
        yield f"tables: {type(error).__name__}: {error}"
        return
    if not all(_is_a(one, PaperTable) for one in papers):
        yield "tables: wanted editgauge.PaperTable objects"
        return
    shown: set[str] = set()
    for paper in papers:
        for column in paper.every_column:
            names = {part for mean in column.of for part in mean.parts}
            names |= set() if isinstance(column.shows, Metric) else {column.metric}
            shown |= names
            for name in sorted(names - set(every)):
                where = f"tables: {paper.name}, column {column.name}"
                yield f"{where}: {name!r} is no declared metric"
        if paper.headline and paper.headline not in {one.name for one in paper.every_column}:
            yield f"tables: {paper.name}: headline: there is no column {paper.headline!r}"
    for name in sorted(set(every) - shown - set(benchmark.not_in_tables)):
        yield f"tables: {name} is in none of them; show it, or name it in not_in_tables"


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value is what its annotation says: it was written by somebody else."""
    return isinstance(value, kind)


def specimen(benchmark: Benchmark) -> Results:
    """A frame with one score of every declared metric, for looking at a benchmark's tables without
    a run.
    """
    described = benchmark.every_metric
    rows = [
        Row(
            benchmark=benchmark.name,
            sample=WHOLE_SET if metric.whole_set else "specimen",
            editor="specimen",
            scorer="specimen",
            metric=metric.name,
            variant=variant,
            value=metric.low if math.isfinite(metric.low) else 0.0,
            status=Status.SCORED,
            reason="",
            fingerprint="specimen",
        )
        for metric in described.values()
        for variant in metric.variants
    ]
    return reading.of_rows(rows, [{"id": "specimen"}], benchmark.name, described=described)
