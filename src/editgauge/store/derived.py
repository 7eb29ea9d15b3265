"""Derived metrics: what follows from the scores of a sample, computed where rows are read.

They are in no run's database: ``rows.parquet`` has them beside the rows that they follow from (see
`store.snapshot`), so that they cannot be older than those. A row is made for each editor, sample,
variant, source and repeat of its parents, and keeps their fingerprints in its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.store.schema import digest
from editgauge.types import DERIVED, Benchmark, Derived, Rule, Status


class Line(NamedTuple):
    """A row of one benchmark, without what makes no difference here. A score that is infinite has
    the value +∞; what has none None.
    """

    editor: str
    sample: str
    variant: str
    metric: str
    source: str
    repeat: int
    value: float | None
    status: Status
    reason: str
    fingerprint: str


Place = tuple[str, str, str]
"""Editor, sample and variant."""
Repeats = Mapping[tuple[str, str], int]
"""The largest repeat of each metric and source, of the whole benchmark."""


def benchmark_of(name: str) -> Benchmark | None:
    """The benchmark of a run's rows; None where it is not installed here, or broken."""
    try:
        found: Benchmark = catalog.find("benchmarks", name)
    except (EditgaugeError, ImportError):
        return None
    return found


def origins_of(benchmark: Benchmark) -> dict[str, dict[str, Any]]:
    """Derived metric -> what its rows were made by: parents, version, another package's name."""
    package = catalog.source_of("benchmarks", benchmark.name)
    ours = {"package": package.name, "package_version": package.version} if package.name else {}
    return {
        one.metric.name: {"of": list(one.of), "version": one.version, **ours}
        for one in benchmark.derived
    }


def derived(
    rules: Sequence[Derived], parents: Iterable[Line], repeats: Repeats
) -> Iterator[tuple[Line, dict[str, Any]]]:
    """The rows of derived metrics, each with its detail (``of``: the parents' values).

    `parents`: the rows of the metrics that `rules` name, those of one editor, sample and variant
    one after the other; people's ratings and whole sets are not combined. Of two rows of one
    metric, source and repeat a score stands before a failure. Pure.
    """
    groups = [(rule, _groups(rule, repeats)) for rule in rules]
    for place, lines in groupby(parents, key=lambda line: line[:3]):
        here: dict[tuple[str, str, int], Line] = {}
        for line in lines:
            known = here.get(line[3:6])
            if known is None or known.status is not Status.SCORED:
                here[line[3:6]] = line
        for rule, sources in groups:
            if place[2] in rule.metric.variants:
                for source, chosen in sources:
                    yield from _of_place(rule, place, source, chosen, here, repeats)


def _groups(rule: Derived, repeats: Repeats) -> list[tuple[str, dict[str, str]]]:
    """The sources of the derived rows, and for each the source that every parent is taken from.

    A parent with one source goes with every source of the others: a judge's scores are combined
    with the pixels', and two judges' scores are never mixed.
    """
    sources = {name: sorted(s for metric, s in repeats if metric == name) for name in rule.of}
    sources = {name: there for name, there in sources.items() if there}
    if not sources:
        return []
    several = {one for there in sources.values() if len(there) > 1 for one in there}
    groups = []
    for wanted in sorted(several) if several else [""]:
        chosen = {
            name: there[0] if len(there) == 1 else wanted
            for name, there in sources.items()
            if len(there) == 1 or wanted in there
        }
        groups.append(("+".join(sorted({source for source in chosen.values() if source})), chosen))
    return groups


def _of_place(
    rule: Derived,
    place: Place,
    source: str,
    chosen: Mapping[str, str],
    here: Mapping[tuple[str, str, int], Line],
    repeats: Repeats,
) -> Iterator[tuple[Line, dict[str, Any]]]:
    """The rows of one derived metric and source of a place, a repeat each."""
    for repeat in range(max(repeats[pair] for pair in chosen.items()) + 1):
        parts = _parts(here, chosen, repeat, repeats)
        if not parts or not set(rule.of) <= {*parts, *rule.optional}:
            continue
        value, status, reason = _combined(rule, parts)
        marks = [(name, parts[name].fingerprint if name in parts else None) for name in rule.of]
        mark = digest(DERIVED, rule.metric.name, rule.version, marks)
        known = {n: p.value for n, p in parts.items() if p.value is not None}
        line = Line(*place, rule.metric.name, source, repeat, value, status, reason, mark)
        yield line, {"of": {name: one for name, one in known.items() if math.isfinite(one)}}


def _parts(
    here: Mapping[tuple[str, str, int], Line],
    chosen: Mapping[str, str],
    repeat: int,
    repeats: Repeats,
) -> dict[str, Line]:
    """The parents of one repeat. A parent that was never repeated goes with every repeat; a repeat
    of which no repeated parent has a row is none.
    """
    parts, repeated, any_here = {}, False, False
    for name, source in chosen.items():
        again = repeats[name, source] > 0
        part = here.get((name, source, repeat if again else 0))
        repeated |= again
        if part is not None:
            parts[name] = part
            any_here |= again
    return parts if any_here or not repeated else {}


def _combined(rule: Derived, parts: Mapping[str, Line]) -> tuple[float | None, Status, str]:
    """The value, or the status and the reason of the parent that lacks one."""
    lacking = [name for name in rule.of if name not in parts or parts[name].value is None]
    for name in lacking:
        part = parts.get(name)
        left_out = part is None or part.status is Status.NOT_APPLICABLE or rule.tolerant
        if name not in rule.optional or not left_out:
            return None, *_lack(name, part)
    known = {name: part.value for name, part in parts.items() if part.value is not None}
    value, said = _ruled(rule.rule, known)
    if value is not None:
        return value, Status.SCORED, ""
    if said or not lacking:
        return None, Status.FAILED, said or f"the rule of {rule.metric.name} gives no value"
    return None, *_lack(lacking[0], parts.get(lacking[0]))


def _ruled(rule: Rule, known: Mapping[str, float]) -> tuple[float | None, str]:
    """What the rule gives, or why it gives nothing that can be stored."""
    try:
        value = rule(known)
        number = None if value is None else float(value)
    except Exception as error:  # somebody's rule: its fault is a row that says so
        return None, f"{type(error).__name__}: {error}"
    if number is not None and (math.isnan(number) or number == -math.inf):
        return None, f"the rule gives {number}"
    return number, ""


def _lack(name: str, part: Line | None) -> tuple[Status, str]:
    if part is None:  # an optional one: without the others the row is not made
        return Status.FAILED, f"{name}: there is no score of it"
    return part.status, f"{name}: {part.reason or part.status.value.replace('_', ' ')}"
