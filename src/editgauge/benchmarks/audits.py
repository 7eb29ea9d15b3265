"""What follows from other numbers in the tables that the papers publish: sums and averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of, title_of
from editgauge.benchmarks.textedit.facts import QUESTIONS, WEIGHTS
from editgauge.benchmarks.texteditbench.facts import DIMENSIONS
from editgauge.tables.audit import Audit, Cells, Claim, Printed, total, weighted_sum

_HERE = Path(__file__).parent


def _of_halves(
    benchmark: str, halves: tuple[str, str], columns: tuple[str, ...], whole: str,
    weights: tuple[float, ...], told: str, files: tuple[str, ...], remark: str = "",
) -> Audit:  # fmt: skip
    """A table of which either half has these columns, and `whole`, their weighted sum."""
    of = {half: tuple(f"{half}_{column}" for column in columns) for half in halves}
    every = (*(name for names in of.values() for name in names), *(f"{h}_{whole}" for h in halves))
    return Audit(
        columns=every,
        rules=tuple(total(f"{half}_{whole}", of[half], weights, told) for half in halves),
        files=tuple(_HERE / benchmark / f"published_{file}.csv" for file in files),
        remark=remark,
    )


TEXTEDITBENCH = (
    _of_halves(
        "texteditbench",
        ("synthetic", "real"),
        DIMENSIONS,
        "overall",
        (1.0,) * len(DIMENSIONS),
        f"the sum of {', '.join(DIMENSIONS)}",
        ("judge",),
    ),
)
TEXTEDIT = (
    _of_halves(
        "textedit",
        ("real", "virtual"),
        tuple(QUESTIONS.values()),
        "avg",
        tuple(WEIGHTS.values()),
        "the weighted mean .4 TA + .3 TP + .1 (SI + LR + VC)",
        ("full_judge", "full_judge_as_printed", "mini_judge", "mini_judge_as_printed"),
        "In the README's table the header alternates Real and Virtual, and the lines do not: of ten "
        "values, Real's five come first. Read so, every average follows.",
    ),
)


# -- KRIS-Bench ------------------------------------------------------------------------------------

_GROUPS = {title_of(knowledge): tuple(dimensions) for knowledge, dimensions in TAXONOMY.items()}
_OF = {d: {f"{d} {name}": 1 / len(metrics_of(d)) for name in metrics_of(d)} for d in SAMPLES}
"""The metrics of a dimension, each with its weight in the dimension's average."""


def _ways(dimensions: tuple[str, ...]) -> list[Mapping[str, float]]:
    """How averages by samples may be made: from the printed dimensions, or from the metrics."""
    size = sum(SAMPLES[d] for d in dimensions)
    metrics = {name: w * SAMPLES[d] / size for d in dimensions for name, w in _OF[d].items()}
    return [{f"{d} avg": SAMPLES[d] / size for d in dimensions}, metrics]


_AVERAGES: dict[str, tuple[str, list[Mapping[str, float]]]] = {
    **{d: (f"the mean of {', '.join(metrics_of(d))}", [_OF[d]]) for d in SAMPLES},
    **{
        group: ("the dimensions' averages weighted by samples", _ways(dimensions))
        for group, dimensions in {**_GROUPS, "Overall": tuple(SAMPLES)}.items()
    },
}


def _averages(cells: Cells) -> Iterator[Claim]:
    """A metric is (m - 1)·25 of a mean m with 2 places: a multiple of 0.25 is printed exactly."""
    exact = {n: Printed(c.value, 0.0) for n, c in cells.items() if c.value % 0.25 == 0}
    cells = {**cells, **{name: cell for name, cell in exact.items() if not name.endswith("avg")}}
    for name, (told, ways) in _AVERAGES.items():
        every = [way for way in ways if way.keys() <= cells.keys()]
        if (printed := cells.get(f"{name} avg")) and every:
            ends = [weighted_sum([cells[n] for n in way], [*way.values()]) for way in every]
            low, high = min(ends, key=lambda end: abs(sum(end) / 2 - printed.value))
            yield Claim(f"{name} avg", low, high, told)


KRISBENCH = (
    Audit(
        columns=(),
        rules=(_averages,),
        files=tuple(
            _HERE / "krisbench" / f"published_{judge}.csv" for judge in ("gpt4o", "qwen2.5-vl-72b")
        ),
        turned=("dimension", "metric"),
    ),
)
