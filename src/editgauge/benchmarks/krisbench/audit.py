"""What can be checked in KRIS-Bench's published tables: all averages follow from the metrics'
means.

A metric is (m - 1)·25 of a mean m rounded to 2 places, so it is a multiple of 0.25 and printed
exactly. A dimension's average is the mean of its metrics; those of the types of knowledge and
overall weigh dimensions by samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of, title_of
from editgauge.tables.audit import Audit, Line, Report

_HERE = Path(__file__).parent
_STEP = 0.25
_METRICS = {f"{dimension} {name}": dimension for dimension in SAMPLES
            for name in metrics_of(dimension)}  # fmt: skip
_GROUPS: Mapping[str, tuple[str, ...]] = {
    **{title_of(knowledge): tuple(dimensions) for knowledge, dimensions in TAXONOMY.items()},
    "Overall": tuple(SAMPLES),
}
"""Line of an average of averages -> the dimensions that it weighs by their samples."""


def metrics(lines: Sequence[Line], report: Report) -> None:
    """Every metric lies on the scale and is one of its steps."""
    for line in lines:
        for name in (name for name in line.cells if name in _METRICS):
            cell = line.cells[name]
            report.between(line.title, name, cell, 0, 100, "the scale is 0 to 100")
            if 0 <= cell.value <= 100:
                near = round(cell.value / _STEP) * _STEP
                told = "(m − 1)·25 of a mean with 2 places is a multiple of 0.25"
                report.between(line.title, name, cell, near, near, told)


def averages(lines: Sequence[Line], report: Report) -> None:
    """Each printed average against the one that the metrics give; metrics that are multiples of
    0.25 count as exact.

    An average of averages may follow from the metrics, or from the dimensions' averages as they are
    printed: only the cell at which a contradiction starts is reported, not those above it that were
    computed from it. Those may also have been rounded before they were weighted: half a unit more.
    """
    for line in lines:
        cells = line.cells
        given = [cell for name, cell in cells.items() if name in _METRICS]
        exact = all(abs(c.value / _STEP - round(c.value / _STEP)) < 1e-6 for c in given)
        room = 0.0 if exact else max((cell.half for cell in cells.values()), default=0.0)
        means: dict[str, float] = {}
        for dimension in SAMPLES:
            parts = line.numbers([name for name, of in _METRICS.items() if of == dimension])
            if parts is None:
                continue
            mean = means[dimension] = sum(part.value for part in parts) / len(parts)
            if (printed := cells.get(f"{dimension} avg")) is not None:
                told = f"the mean of {', '.join(metrics_of(dimension))}"
                name = f"{dimension} average"
                report.between(line.title, name, printed, mean, mean, told, room=room)
        as_printed = {d: cells[f"{d} avg"].value for d in SAMPLES if f"{d} avg" in cells}
        for kind, dimensions in _GROUPS.items():
            every = [weighted(one, dimensions) for one in (means, as_printed)
                     if all(d in one for d in dimensions)]  # fmt: skip
            if (printed := cells.get(f"{kind} avg")) is None or not every:
                continue
            value = printed.value
            near = min(every, key=lambda one, value=value: abs(one - value))  # type: ignore[misc]
            told = "the dimensions' averages weighted by samples"
            wide = room + printed.half
            report.between(line.title, f"{kind} average", printed, near, near, told, room=wide)


def weighted(means: Mapping[str, float], dimensions: Sequence[str]) -> float:
    """The mean of dimensions by their samples."""
    total = sum(SAMPLES[dimension] for dimension in dimensions)
    return sum(means[dimension] * SAMPLES[dimension] for dimension in dimensions) / total


AUDITS = (
    Audit(
        "krisbench, judge",
        frozenset({"dimension", "metric"}),
        (),
        (metrics, averages),
        (_HERE / "published_gpt4o.csv", _HERE / "published_qwen2.5-vl-72b.csv"),
        turned=("dimension", "metric"),
    ),
)
