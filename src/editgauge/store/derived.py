"""Derived metrics: what follows from the scores of a sample. They are in no run's database:
``rows.parquet`` has them beside the rows that they follow from (`store.snapshot`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.store.schema import digest
from editgauge.types import DERIVED, Benchmark, Derived, JsonObject, Rule, Status


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


Repeats = Mapping[tuple[str, str], int]
"""The largest repeat of each metric and source, of the whole benchmark."""


def benchmark_of(name: str) -> Benchmark | None:
    """The benchmark of a run's rows; None where it is not installed here, or broken."""
    try:
        benchmark: Benchmark = catalog.find("benchmarks", name)
    except (EditgaugeError, ImportError):
        return None
    return benchmark


def origins_of(benchmark: Benchmark) -> dict[str, JsonObject]:
    """Derived metric -> what its rows were made by: parents, version, another package's name."""
    package = catalog.source_of("benchmarks", benchmark.name)
    ours = {"package": package.name, "package_version": package.version} if package.name else {}
    return {
        one.metric.name: {"of": list(one.of), "version": one.version, **ours}
        for one in benchmark.derived
    }


def rules_of(benchmark: Benchmark) -> str:
    """Return the hash of everything that the derived rows of a benchmark depend on beside rows.
    A rule itself is told by its version.
    """
    origins = origins_of(benchmark)
    rules = [
        {
            "metric": rule.metric.name,
            "variants": rule.metric.variants,
            "optional": rule.optional,
            "tolerant": rule.tolerant,
            "origin": origins[rule.metric.name],
        }
        for rule in benchmark.derived
    ]
    return digest(rules)


def derived(
    rules: Sequence[Derived], parents: Iterable[Line], repeats: Repeats
) -> Iterator[tuple[Line, JsonObject]]:
    """The rows of derived metrics, each with its detail (``of``: the parents' values); a row of
    each editor, sample, variant, source and repeat, with the parents' fingerprints in its own.

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
            for source, chosen in sources if place[2] in rule.metric.variants else ():
                most = max(repeats[pair] for pair in chosen.items())
                for repeat in range(most + 1):
                    parts = _parts(here, chosen, repeat, repeats)
                    if parts and set(rule.of) <= {*parts, *rule.optional}:
                        value, status, reason = _combined(rule, parts)
                        marks = [(n, parts[n].fingerprint if n in parts else None) for n in rule.of]
                        mark = digest(DERIVED, rule.metric.name, rule.version, marks)
                        new = (*place, rule.metric.name, source, repeat, value, status, reason)
                        finite = {n: p.value for n, p in parts.items() if _finite(p.value)}
                        yield Line._make((*new, mark)), {"of": finite}


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _groups(rule: Derived, repeats: Repeats) -> list[tuple[str, dict[str, str]]]:
    """Sources of derived rows, and each parent's: one source serves all, judges' never mix."""
    every = {name: sorted(s for metric, s in repeats if metric == name) for name in rule.of}
    sources = {name: there for name, there in every.items() if there}
    several = {one for there in sources.values() if len(there) > 1 for one in there}
    groups = []
    for wanted in sorted(several or {""}) if sources else ():
        chosen = {
            name: there[0] if len(there) == 1 else wanted
            for name, there in sources.items()
            if len(there) == 1 or wanted in there
        }
        groups.append(("+".join(sorted({*chosen.values()} - {""})), chosen))
    return groups


def _parts(
    here: Mapping[tuple[str, str, int], Line],
    chosen: Mapping[str, str],
    repeat: int,
    repeats: Repeats,
) -> dict[str, Line]:
    """The parents of one repeat; one never repeated goes with every repeat that another has."""
    again = {name for name, source in chosen.items() if repeats[name, source] > 0}
    by_name = {
        name: here.get((name, source, repeat if name in again else 0))
        for name, source in chosen.items()
    }
    parts = {name: part for name, part in by_name.items() if part is not None}
    return parts if not again or again & parts.keys() else {}


def _combined(rule: Derived, parts: Mapping[str, Line]) -> tuple[float | None, Status, str]:
    """The value, or the status and the reason of the parent that lacks one."""
    known = {name: part.value for name, part in parts.items() if part.value is not None}
    lacking = [name for name in rule.of if name not in known]
    for name in lacking:
        part = parts.get(name)
        left_out = part is None or part.status is Status.NOT_APPLICABLE or rule.tolerant
        if name not in rule.optional or not left_out:
            return None, *_lack(name, part)
    value, why = _ruled(rule.rule, known)
    if value is not None:
        return value, Status.SCORED, ""
    if why or not lacking:
        return None, Status.FAILED, why or f"the rule of {rule.metric.name} gives no value"
    return None, *_lack(lacking[0], parts.get(lacking[0]))


def _ruled(rule: Rule, known: dict[str, float]) -> tuple[float | None, str]:
    """What the rule gives, or why it gives nothing that can be stored."""
    try:
        value = rule(known)
        number = None if value is None else float(value)
    except Exception as error:  # somebody's rule: its fault is a row that says so
        return None, f"{type(error).__name__}: {error}"
    odd = number is not None and (math.isnan(number) or number == -math.inf)
    return (None, f"the rule gives {number}") if odd else (number, "")


def _lack(name: str, part: Line | None) -> tuple[Status, str]:
    if part is None:  # an optional one: without the others the row is not made
        return Status.FAILED, f"{name}: there is no score of it"
    return part.status, f"{name}: {part.reason or part.status.value.replace('_', ' ')}"
