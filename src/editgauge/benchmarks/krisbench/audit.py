"""What can be checked in KRIS-Bench's published tables: all averages follow from the metrics'
means.

A metric is (m - 1)·25 of a mean m rounded to 2 places, so it is a multiple of 0.25 and printed
exactly. A dimension's average is the mean of its metrics; those of the types of knowledge and
overall weigh dimensions by samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of, title_of
from editgauge.tables.audit import Audit, Printed, Report, Sheet

_HERE = Path(__file__).parent
_STEP = 0.25
_GROUPS: Mapping[str, tuple[str, ...]] = {
    **{title_of(knowledge): tuple(dimensions) for knowledge, dimensions in TAXONOMY.items()},
    "Overall": tuple(SAMPLES),
}
"""Line of an average of averages -> the dimensions that it weighs by their samples."""


def judge(sheet: Sheet, report: Report) -> None:
    """Tables 2 and 3, models across."""
    for model in (heading for heading in sheet.headings if heading not in ("dimension", "metric")):
        cells = {
            (line["dimension"], line["metric"]): value
            for line in sheet.lines
            if (value := sheet.number(line, model)) is not None
        }
        _check_metrics(report, model, cells)
        _check_averages(report, model, cells)


def _check_metrics(report: Report, model: str, cells: Mapping[tuple[str, str], Printed]) -> None:
    for (dimension, metric), cell in cells.items():
        if metric == "avg":
            continue
        name = f"{dimension} {metric}"
        report.between(model, name, cell, 0, 100, "the scale is 0 to 100")
        if 0 <= cell.value <= 100:
            near = round(cell.value / _STEP) * _STEP
            report.equal(
                model,
                name,
                cell,
                near,
                0.0,
                "(m − 1)·25 of a mean with 2 places is a multiple of 0.25",
            )


def _check_averages(report: Report, model: str, cells: Mapping[tuple[str, str], Printed]) -> None:
    """Each printed average against the one that the metrics give; metrics that are multiples of
    0.25 count as exact.

    An average of averages may follow from the metrics, or from the dimensions' averages as they are
    printed: only the cell at which a contradiction starts is reported, not those above it that were
    computed from it.
    """
    metrics = {key: cell.value for key, cell in cells.items() if key[1] != "avg"}
    exact = all(abs(value / _STEP - round(value / _STEP)) < 1e-6 for value in metrics.values())
    room = 0.0 if exact else max((cell.half for cell in cells.values()), default=0.0)
    expected = _averages(metrics)
    for dimension in SAMPLES:
        printed = cells.get((dimension, "avg"))
        if printed is not None and dimension in expected:
            rule = f"the mean of {', '.join(metrics_of(dimension))}"
            report.equal(model, f"{dimension} average", printed, expected[dimension], room, rule)
    for kind, dimensions in _GROUPS.items():
        printed = cells.get((kind, "avg"))
        below = [cells.get((dimension, "avg")) for dimension in dimensions]
        if printed is None or kind not in expected:
            continue
        values = [expected[kind]]
        if all(item is not None for item in below):
            weights = [SAMPLES[dimension] for dimension in dimensions]
            total = sum(
                w * item.value for w, item in zip(weights, below, strict=True) if item is not None
            )
            values.append(total / sum(weights))
        nearest = min(values, key=lambda value: abs(value - printed.value))
        # the dimensions' averages may have been rounded before they were weighted: half a unit more
        rule = "the dimensions' averages weighted by samples"
        report.equal(model, f"{kind} average", printed, nearest, room + printed.half, rule)


def _averages(numbers: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """Averages of dimensions, types of knowledge and all, from printed (dimension, metric) numbers.

    A name is missing where a number that it needs is missing.
    """
    found: dict[str, float] = {}
    for dimension in SAMPLES:
        values = [numbers.get((dimension, metric)) for metric in metrics_of(dimension)]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            found[dimension] = sum(known) / len(known)
    for kind, dimensions in _GROUPS.items():
        if all(dimension in found for dimension in dimensions):
            total = sum(SAMPLES[dimension] for dimension in dimensions)
            found[kind] = sum(found[d] * SAMPLES[d] for d in dimensions) / total
    return found


AUDITS = (
    Audit(
        "krisbench, judge",
        frozenset({"dimension", "metric"}),
        judge,
        (_HERE / "published_gpt4o.csv", _HERE / "published_qwen2.5-vl-72b.csv"),
    ),
)
