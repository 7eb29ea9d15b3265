"""Rows and sample records for tests of tables, made in code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from editgauge.store.labels import Samples
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.results import STATUSES, WHOLE_SET, Cube, Key, Results, Whole
from editgauge.types import Metric, Row, Status


def row(
    sample: str,
    editor: str,
    metric: str,
    value: float | None,
    *,
    status: Status = Status.SCORED,
    benchmark: str = "mini",
    variant: str = "faithful",
    source: str = "",
    repeat: int = 0,
    infinite: bool = False,
    scorer: str = "test",
    fingerprint: str = "",
) -> Row:
    """One row; a value of None with status SCORED must be `infinite`."""
    assert (value is None) == (infinite or status is not Status.SCORED)
    return Row(
        benchmark=benchmark,
        sample=sample,
        editor=editor,
        scorer=scorer,
        metric=metric,
        variant=variant,
        value=value,
        status=status,
        reason="" if value is not None else "made",  # type: ignore[arg-type]
        fingerprint=fingerprint or f"{sample}{editor}{metric}{variant}{source}{repeat}",
        source=source,
        repeat=repeat,
        detail={"infinite": True} if infinite else {},
    )


def scores(
    editor: str, metric: str, values: Iterable[float | None], name: str = "s{}", **words: Any
) -> list[Row]:
    """A row for each value, of samples called `name` with their number: None is missing."""
    rows = []
    for n, value in enumerate(values):
        infinite = value is not None and bool(np.isinf(value))
        status = Status.MISSING if value is None else Status.SCORED
        number = None if value is None or infinite else float(value)
        words |= {"status": status, "infinite": infinite}
        rows.append(row(name.format(n), editor, metric, number, **words))
    return rows


def record(
    identity: str, *, split: str = "all", category: tuple[str, ...] = (), **attributes: Any
) -> dict[str, Any]:
    """A sample's record as a run keeps it."""
    known = {
        "knowledge": attributes.pop("knowledge", None),
        "instruction": attributes.pop("instruction", "edit it"),
    }
    return {
        "id": identity,
        "split": split,
        "category": list(category),
        "attributes": attributes,
        **known,
    }


def frame(
    rows: Iterable[Row],
    records: Iterable[Mapping[str, Any]],
    benchmark: str = "mini",
    described: Mapping[str, Metric] | None = None,
) -> Results:
    """What `reading.of_runs` gives of a run that holds these rows, one of a place."""
    mine = [row for row in rows if row.benchmark == benchmark]
    samples = Samples([*records, *({"id": row.sample} for row in mine if row.sample != WHOLE_SET)])
    editors = tuple(sorted({row.editor for row in mine}))
    place = {name: number for number, name in enumerate(samples.ids)}
    most: dict[Key, int] = {}
    for row in mine:
        key = Key(row.metric, row.variant, row.source, row.scorer)
        if row.sample != WHOLE_SET:
            most[key] = max(most.get(key, 0), row.repeat + 1)
    sets: dict[Key, dict[str, Whole]] = {}
    cubes = {}
    for key in sorted(most):
        shape = (most[key], len(editors), len(samples))
        cubes[key] = Cube(np.full(shape, np.nan), np.full(shape, -1, np.int8))
    for row in mine:
        key = Key(row.metric, row.variant, row.source, row.scorer)
        value = np.nan if row.number is None else row.number
        if row.sample == WHOLE_SET:
            sets.setdefault(key, {})[row.editor] = Whole(value, row.detail.get("samples", 0))
        else:
            at = row.repeat, editors.index(row.editor), place[row.sample]
            cubes[key].values[at], cubes[key].status[at] = value, STATUSES.index(row.status)
    results = Results(benchmark, samples, editors, cubes, sets, described=described or {})
    settle = getattr(benchmark_of(benchmark), "settled", None)
    return results if settle is None else settle(results)  # type: ignore[no-any-return]
