"""Derived metrics as rows: what follows from the scores of a sample, computed when they are there.

A row is made for each editor, sample, variant, source and repeat of its parents. It keeps their
fingerprints in its own: the same parents are never combined twice, and a changed parent makes it
anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from editgauge import catalog
from editgauge.store import parquet
from editgauge.store.run import Run
from editgauge.store.schema import RowKey, digest
from editgauge.tables.frame import PEOPLE, WHOLE_SET
from editgauge.types import DERIVED, Benchmark, Derived, Row, Rule, Status, Variant

_BATCH = 5000
_STATUS = {status.value: status for status in Status}
_COLUMNS = "editor, sample, variant, metric, source, repeat, value, status, reason, fingerprint"


class Part(NamedTuple):
    """A parent's row."""

    value: float | None
    status: Status
    reason: str
    fingerprint: str


@dataclass(slots=True)
class Made:
    """What `derive` did: rows written now, and rows that were there."""

    written: int = 0
    kept: int = 0


Place = tuple[str, str, str]
"""Editor, sample and variant."""


@dataclass(slots=True)
class _Parents:
    """The current rows of all parents. `repeats`: the largest repeat of each metric and source."""

    at: dict[Place, dict[tuple[str, str, int], Part]] = field(default_factory=dict)
    repeats: dict[tuple[str, str], int] = field(default_factory=dict)

    def sources(self, metric: str) -> list[str]:
        return sorted(source for name, source in self.repeats if name == metric)


def derive(run: Run, benchmark: Benchmark) -> Made:
    """Bring the rows of a benchmark's derived metrics up to date with those of their parents.

    Rows whose parents are gone are retired. Raises `RunError` when rows cannot be written.
    """
    made = Made()
    if not benchmark.derived:
        return made
    package = catalog.source_of("benchmarks", benchmark.name)
    names = {name for derived in benchmark.derived for name in derived.of}
    parents = _read(run, benchmark.name, names)
    own = {derived.metric.name for derived in benchmark.derived}
    done = {key: old for key, old in run.done(benchmark.name, [DERIVED]).items() if key[4] in own}
    if not parents.at and not done:
        return made
    run.keep_metrics(benchmark.name, [derived.metric for derived in benchmark.derived])
    rows: list[Row] = []
    with run.writer(DERIVED) as writer:
        for wanted in _wanted(benchmark, parents):
            there = done.pop(wanted.key, {})
            if old := [
                (wanted.key, fingerprint)
                for fingerprint in there
                if fingerprint != wanted.fingerprint
            ]:
                writer.retire(old)
            if wanted.fingerprint in there:
                made.kept += 1
                continue
            rows.append(_row(wanted, package))
            if len(rows) >= _BATCH:
                made.written += writer.write(rows)
                rows = []
        made.written += writer.write(rows) if rows else 0
        gone: list[tuple[RowKey, str]] = [
            (key, fingerprint) for key, old in done.items() for fingerprint in old
        ]
        if gone:
            writer.retire(gone)
    return made


def _read(run: Run, benchmark: str, metrics: set[str]) -> _Parents:
    """The parents' rows; those of people and of whole sets are not combined. Of two rows of one
    place a score stands before a failure.
    """
    found = parquet.fetch_tuples(
        run.parquet(),
        f"SELECT {_COLUMNS} FROM rows WHERE benchmark = ? AND list_contains(?, metric) "
        f"AND sample <> ? AND scorer <> ? AND NOT starts_with(source, ?) ORDER BY ALL",
        [benchmark, sorted(metrics), WHOLE_SET, DERIVED, PEOPLE],
    )
    parents = _Parents()
    for (
        editor,
        sample,
        variant,
        metric,
        source,
        repeat,
        value,
        status,
        reason,
        fingerprint,
    ) in found:
        part = Part(_number(value, status), _STATUS[status], reason, fingerprint)
        here = parents.at.setdefault((editor, sample, variant), {})
        known = here.get((metric, source, repeat))
        if known is None or known.status is not Status.SCORED:
            here[metric, source, repeat] = part
        most = parents.repeats.get((metric, source), 0)
        parents.repeats[metric, source] = max(most, repeat)
    return parents


class _Wanted(NamedTuple):
    """A row that there should be, with what it is made of."""

    derived: Derived
    key: RowKey
    fingerprint: str
    parts: Mapping[str, Part]


def _wanted(benchmark: Benchmark, parents: _Parents) -> Iterator[_Wanted]:
    for derived in benchmark.derived:
        name = derived.metric.name
        for source, chosen in _groups(derived, parents):
            repeats = max((parents.repeats[pair] for pair in chosen.items()), default=0) + 1
            for (editor, sample, variant), parts in parents.at.items():
                if variant not in derived.metric.variants:
                    continue
                for repeat in range(repeats):
                    mine = _parts(parts, chosen, repeat, parents)
                    if mine and set(derived.of) <= {*mine, *derived.optional}:
                        key = (
                            benchmark.name,
                            sample,
                            editor,
                            DERIVED,
                            name,
                            variant,
                            source,
                            repeat,
                        )
                        yield _Wanted(derived, key, _fingerprint(derived, mine), mine)


def _fingerprint(derived: Derived, parts: Mapping[str, Part]) -> str:
    fingerprints = [
        (name, parts[name].fingerprint if name in parts else None) for name in derived.of
    ]
    return digest(DERIVED, derived.metric.name, derived.version, fingerprints)


def _groups(derived: Derived, parents: _Parents) -> list[tuple[str, dict[str, str]]]:
    """The sources of the derived rows, and for each the source that every parent is taken from.

    A parent with one source goes with every source of the others: a judge's scores are combined
    with the pixels', and two judges' scores are never mixed.
    """
    sources = {name: found for name in derived.of if (found := parents.sources(name))}
    if not sources:
        return []
    several = {one for found in sources.values() if len(found) > 1 for one in found}
    groups = []
    for wanted in sorted(several) if several else [None]:
        chosen = {
            name: found[0] if len(found) == 1 else wanted
            for name, found in sources.items()
            if len(found) == 1 or wanted in found
        }
        named = {name: source for name, source in chosen.items() if source is not None}
        label = "+".join(sorted({source for source in named.values() if source}))
        groups.append((label, named))
    return groups


def _parts(
    parts: Mapping[tuple[str, str, int], Part],
    chosen: Mapping[str, str],
    repeat: int,
    parents: _Parents,
) -> dict[str, Part]:
    """The parents' rows of one repeat. A parent that was never repeated goes with every repeat; a
    repeat of which no repeated parent has a row is none.
    """
    found, repeated, here = {}, False, False
    for name, source in chosen.items():
        again = parents.repeats[name, source] > 0
        part = parts.get((name, source, repeat if again else 0))
        repeated |= again
        if part is not None:
            found[name] = part
            here |= again
    return found if here or not repeated else {}


def _row(wanted: _Wanted, package: catalog.Package) -> Row:
    derived, parts = wanted.derived, wanted.parts
    benchmark, sample, editor, scorer, metric, variant, source, repeat = wanted.key
    value, status, reason = _combined(derived, parts)
    infinite = value is not None and math.isinf(value)
    detail: dict[str, Any] = {
        "of": {name: part.value for name, part in parts.items() if _finite(part.value)}
    }
    origin: dict[str, Any] = {"of": list(derived.of), "version": derived.version}
    if package.name:
        origin |= {"package": package.name, "package_version": package.version}
    return Row(
        benchmark=benchmark,
        sample=sample,
        editor=editor,
        scorer=scorer,
        metric=metric,
        variant=_variant(variant),
        value=None if infinite else value,
        status=status,
        reason=reason,
        fingerprint=wanted.fingerprint,
        source=source,
        repeat=repeat,
        detail=detail | ({"infinite": True} if infinite else {}),
        origin=origin,
    )


def _combined(derived: Derived, parts: Mapping[str, Part]) -> tuple[float | None, Status, str]:
    """The value, or the status and the reason of the parent that lacks one."""
    lacking = [name for name in derived.of if name not in parts or parts[name].value is None]
    for name in lacking:
        part = parts.get(name)
        left_out = part is None or part.status is Status.NOT_APPLICABLE or derived.tolerant
        if name not in derived.optional or not left_out:
            return None, *_lack(name, part)
    known = {name: part.value for name, part in parts.items() if part.value is not None}
    value, said = _ruled(derived.rule, known)
    if value is not None:
        return value, Status.SCORED, ""
    if said or not lacking:
        return None, Status.FAILED, said or f"the rule of {derived.metric.name} gives no value"
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


def _lack(name: str, part: Part | None) -> tuple[Status, str]:
    if part is None:  # an optional one: without the others the row is not made
        return Status.FAILED, f"{name}: there is no score of it"
    return part.status, f"{name}: {part.reason or part.status.value.replace('_', ' ')}"


def _number(value: float | None, status: str) -> float | None:
    """Scored without a value is an infinite score (see `types.Score`)."""
    return math.inf if value is None and status == Status.SCORED.value else value


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _variant(text: str) -> Variant:
    return "corrected" if text == "corrected" else "faithful"
