"""What can be checked in the tables that the four papers publish: scales, sums and averages, and
what a mean can be beside others (Jensen's inequality).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of, title_of
from editgauge.benchmarks.medebench.facts import ORGANS
from editgauge.benchmarks.textedit.facts import QUESTIONS, WEIGHTS
from editgauge.benchmarks.texteditbench.facts import DIMENSIONS
from editgauge.metrics import PEAK
from editgauge.tables.audit import (
    Audit,
    Cells,
    Claim,
    Printed,
    Rule,
    limits,
    scale,
    total,
)


def _audit(
    kind: str, headings: str, columns: Sequence[str], files: str, *rules: Rule, **more: Any
) -> Audit:
    """`headings` and `files`: words; the rules hold for tables that have all of the headings."""
    here = Path(__file__).parent / kind.partition(",")[0]
    paths = tuple(here / f"published_{file}.csv" for file in files.split())
    return Audit(kind, frozenset(headings.split()), tuple(columns), rules, paths, **more)


def _each(parts: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The columns ``<part>_<name>``."""
    return tuple(f"{part}_{name}" for part in parts for name in names)


# -- TextEditBench ---------------------------------------------------------------------------------

_SPLITS = ("synthetic", "real")


def _psnr(mse: Printed) -> tuple[float, float]:
    """Between which PSNRs a mean PSNR lies beside a printed mean squared error."""
    largest = mse.value + mse.half
    return (10 * math.log10(PEAK**2 / largest) if mse.value > 0 else -math.inf), math.inf


_JENSEN = "a mean of PSNRs cannot be below the PSNR of the mean squared error"
_SUM = f"the sum of {', '.join(DIMENSIONS)}"
TEXTEDITBENCH = (
    _audit(
        "texteditbench, pixels",
        "model synthetic_ssim real_mse",
        _each(_SPLITS, ("ssim", "lpips", "psnr", "mse")),
        "pixel",
        scale(-1, 1, *_each(_SPLITS, ["ssim"])),
        scale(0, math.inf, *_each(_SPLITS, ["lpips"])),
        scale(0, PEAK**2, *_each(_SPLITS, ["mse"])),
        *(limits(f"{split}_psnr", [f"{split}_mse"], _psnr, _JENSEN) for split in _SPLITS),
    ),
    _audit(
        "texteditbench, judge",
        "model synthetic_IF real_overall",
        _each(_SPLITS, (*DIMENSIONS, "overall")),
        "judge",
        scale(0, 5, *_each(_SPLITS, DIMENSIONS)),
        *(total(f"{s}_overall", _each([s], DIMENSIONS), [1.0] * 5, _SUM) for s in _SPLITS),
    ),
    _audit(
        "texteditbench, repeated judge",
        "model run synthetic real",
        _SPLITS,
        "judge_repeats",
        scale(0, 25, *_SPLITS),
    ),
)


# -- TextEdit --------------------------------------------------------------------------------------

_HALVES = ("real", "virtual")
_QUESTIONS, _WEIGHTS = tuple(QUESTIONS.values()), tuple(WEIGHTS.values())
_ASKED = _each(_HALVES, _QUESTIONS)
_OCR = _each(_HALVES, ("OA", "OP", "OR", "F1", "NED"))


def _f1(precision: Printed, recall: Printed) -> tuple[float, float]:
    """Between which F1s a mean F1 lies beside the means of precision and recall."""
    most, other = precision.value + precision.half, recall.value + recall.half
    return 0.0, 2 * most * other / (most + other)


_PERMUTED = (
    "In the README's table the header alternates Real and Virtual, and the lines do not: of ten "
    "values, Real's five come first. Read so, every average follows."
)
_HARMONIC = "a mean of F1s cannot be above the harmonic mean of OP and OR"
_WEIGHTED = "the weighted mean .4 TA + .3 TP + .1 (SI + LR + VC)"
TEXTEDIT = (
    _audit(
        "textedit, classic",
        "model real_OA virtual_NED",
        _OCR,
        "full_classic mini_classic",
        scale(0, 1, *_OCR),
        *(limits(f"{half}_F1", (f"{half}_OP", f"{half}_OR"), _f1, _HARMONIC) for half in _HALVES),
    ),
    _audit(
        "textedit, judge",
        "model real_TA virtual_avg",
        (*_ASKED, *_each(_HALVES, ["avg"])),
        "full_judge full_judge_as_printed mini_judge mini_judge_as_printed",
        scale(0, 1, *_ASKED),
        *(total(f"{half}_avg", _each([half], _QUESTIONS), _WEIGHTS, _WEIGHTED) for half in _HALVES),
        remark=_PERMUTED,
    ),
)


# -- MedEBench -------------------------------------------------------------------------------------

_METRICS = ("EA", "CP", "VQ")
_MEANS = _each((*ORGANS, "Overall"), _METRICS)
_AMONG = "a mean over all samples lies between the lowest and the highest organ"


def _among(*parts: Printed) -> tuple[float, float]:
    return min(p.value - p.half for p in parts), max(p.value + p.half for p in parts)


MEDEBENCH = (
    _audit(
        "medebench, organs",
        "model Overall_EA overall_FID",
        (*_MEANS, "overall_FID"),
        "organs",
        scale(0, 1, *_MEANS),
        scale(0, math.inf, "overall_FID"),
        *(limits(f"Overall_{name}", _each(ORGANS, [name]), _among, _AMONG) for name in _METRICS),
    ),
    *(
        _audit(f"medebench, {name}", headings, columns, file, scale(low, 1, *columns))
        for name, headings, columns, low, file in (
            ("paradigms", "paradigm shots EA", _METRICS, 0, "paradigms"),
            ("attention", "organ iou", ("iou",), 0, "attention_iou"),
            ("correlations", "metric EA CP VQ", _METRICS, -1, "spearman"),
        )
    ),
)


# -- KRIS-Bench ------------------------------------------------------------------------------------

_STEP = 0.25
"""A metric is (m - 1)·25 of a mean m rounded to 2 places: a multiple of this, printed exactly."""
_OF = {f"{dimension} {name}" for dimension in SAMPLES for name in metrics_of(dimension)}
_GROUPS: Mapping[str, tuple[str, ...]] = {
    **{title_of(knowledge): tuple(dimensions) for knowledge, dimensions in TAXONOMY.items()},
    "Overall": tuple(SAMPLES),
}
"""Line of an average of averages -> the dimensions that it weighs by their samples."""


def _steps(cells: Cells) -> Iterator[Claim]:
    """Every metric lies on the scale and is one of its steps."""
    for name in filter(_OF.__contains__, cells):
        value = cells[name].value
        yield Claim(name, 0, 100, "the scale is 0 to 100")
        if 0 <= value <= 100:
            near = round(value / _STEP) * _STEP
            yield Claim(
                name, near, near, "(m − 1)·25 of a mean with 2 places is a multiple of 0.25"
            )


def _averages(cells: Cells) -> Iterator[Claim]:
    """Each printed average against the one that the metrics give; metrics that are multiples of
    0.25 count as exact.

    Averages of averages, weighted by samples, may follow from the metrics or from the dimensions'
    averages as they are printed: only the cell at which a contradiction starts is reported. They may
    also have been rounded before they were weighted: half a unit more.
    """
    steps = [cells[name].value / _STEP for name in _OF & set(cells)]
    exact = all(abs(step - round(step)) < 1e-6 for step in steps)
    room = 0.0 if exact else max((cell.half for cell in cells.values()), default=0.0)
    means: dict[str, float] = {}
    for dimension in SAMPLES:
        names = [f"{dimension} {name}" for name in metrics_of(dimension)]
        if set(names) <= set(cells):
            mean = means[dimension] = sum(cells[name].value for name in names) / len(names)
            message = f"the mean of {', '.join(metrics_of(dimension))}"
            yield Claim(f"{dimension} avg", mean - room, mean + room, message)
    as_printed = {d: cells[f"{d} avg"].value for d in SAMPLES if f"{d} avg" in cells}
    for kind, dimensions in _GROUPS.items():
        every = [
            sum(one[d] * SAMPLES[d] for d in dimensions) / sum(SAMPLES[d] for d in dimensions)
            for one in (means, as_printed)
            if set(dimensions) <= set(one)
        ]
        if (printed := cells.get(f"{kind} avg")) is not None and every:
            near = min(every, key=lambda one: abs(one - printed.value))
            message, wide = "the dimensions' averages weighted by samples", room + printed.half
            yield Claim(f"{kind} avg", near - wide, near + wide, message)


KRISBENCH = (
    _audit(
        "krisbench, judge",
        "dimension metric",
        (),
        "gpt4o qwen2.5-vl-72b",
        _steps,
        _averages,
        turned=("dimension", "metric"),
    ),
)
