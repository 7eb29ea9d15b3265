"""What can be checked in the tables that the four papers publish.

TextEditBench: sums, scales, and what a mean PSNR can be (Jensen: not below the PSNR of the mean
squared error). TextEdit: the weighted mean of the judge's five questions, and OCR's F1 (Jensen: a
mean of F1s is not above the F1 of the means). MedEBench: scales, and that overall means lie among
the organs' means. KRIS-Bench: all averages follow from the metrics' means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of, title_of
from editgauge.benchmarks.medebench.facts import ORGANS
from editgauge.benchmarks.textedit.facts import QUESTIONS, WEIGHTS
from editgauge.benchmarks.texteditbench.facts import DIMENSIONS
from editgauge.metrics import PEAK
from editgauge.tables.audit import (
    Audit,
    Line,
    Printed,
    Report,
    Rule,
    limits,
    scale,
    total,
    weighted_sum,
)

_HERE = Path(__file__).parent


def _files(benchmark: str, *names: str) -> tuple[Path, ...]:
    return tuple(_HERE / benchmark / f"published_{name}.csv" for name in names)


def _each(parts: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The columns ``<part>_<name>``."""
    return tuple(f"{part}_{name}" for part in parts for name in names)


# -- TextEditBench ---------------------------------------------------------------------------------

_SPLITS = ("synthetic", "real")


def _psnr(mse: Printed) -> tuple[float, float]:
    """Between which PSNRs a mean PSNR lies beside a printed mean squared error."""
    largest = mse.value + mse.half
    return (10 * math.log10(PEAK**2 / largest) if mse.value > 0 else -math.inf), math.inf


def _pixel_rules(split: str) -> tuple[Rule, ...]:
    told = "a mean of PSNRs cannot be below the PSNR of the mean squared error"
    return (
        scale(-1, 1, f"{split}_ssim"),
        scale(0, math.inf, f"{split}_lpips"),
        scale(0, PEAK**2, f"{split}_mse"),
        limits(f"{split}_psnr", [f"{split}_mse"], _psnr, told),
    )


def _sum_of_five(split: str) -> Rule:
    told = f"the sum of {', '.join(DIMENSIONS)}"
    return total(f"{split}_overall", _each([split], DIMENSIONS), [1.0] * 5, told)


TEXTEDITBENCH = (
    Audit(
        "texteditbench, pixels",
        frozenset({"model", "synthetic_ssim", "real_mse"}),
        _each(_SPLITS, ("ssim", "lpips", "psnr", "mse")),
        tuple(rule for split in _SPLITS for rule in _pixel_rules(split)),
        _files("texteditbench", "pixel"),
    ),
    Audit(
        "texteditbench, judge",
        frozenset({"model", "synthetic_IF", "real_overall"}),
        _each(_SPLITS, (*DIMENSIONS, "overall")),
        (scale(0, 5, *_each(_SPLITS, DIMENSIONS)), *map(_sum_of_five, _SPLITS)),
        _files("texteditbench", "judge"),
    ),
    Audit(
        "texteditbench, repeated judge",
        frozenset({"model", "run", *_SPLITS}),
        _SPLITS,
        (scale(0, 25, *_SPLITS),),
        _files("texteditbench", "judge_repeats"),
    ),
)


# -- TextEdit --------------------------------------------------------------------------------------

_HALVES = ("real", "virtual")
_QUESTIONS = tuple(QUESTIONS.values())
_WEIGHTS = tuple(WEIGHTS.values())
_ASKED = _each(_HALVES, _QUESTIONS)
_INTERLEAVED = (0, 5, 1, 6, 2, 7, 3, 8, 4, 9)
"""Place k of Real's five and then Virtual's five, when ten values in that order stand under a
header that alternates Real and Virtual: the k-th value is printed in the column with this number.
"""
_OCR = _each(_HALVES, ("OA", "OP", "OR", "F1", "NED"))


def _f1(precision: Printed, recall: Printed) -> tuple[float, float]:
    """Between which F1s a mean F1 lies beside the means of precision and recall."""
    most, other = precision.value + precision.half, recall.value + recall.half
    return 0.0, 2 * most * other / (most + other)


def _f1_rule(half: str) -> Rule:
    told = "a mean of F1s cannot be above the harmonic mean of OP and OR"
    return limits(f"{half}_F1", (f"{half}_OP", f"{half}_OR"), _f1, told)


def _weighted_mean(half: str) -> Rule:
    told = "the weighted mean .4 TA + .3 TP + .1 (SI + LR + VC)"
    return total(f"{half}_avg", _each([half], _QUESTIONS), _WEIGHTS, told)


def _permuted(lines: Sequence[Line], report: Report) -> None:
    """Where averages do not follow from the columns as they stand: whether the order that the
    README's header suggests explains them all.
    """
    if not report.findings:
        return
    where = dict(zip(_ASKED, (_ASKED[place] for place in _INTERLEAVED), strict=True))
    for line in lines:
        for half in _HALVES:
            parts = line.numbers([where[name] for name in _each([half], _QUESTIONS)])
            printed = line.cells.get(f"{half}_avg")
            if parts is not None and printed is not None:
                value, room = weighted_sum(parts, _WEIGHTS)
                if abs(value - printed.value) > room + printed.half + 1e-9:
                    told = "the numbers themselves, or another order of the columns, are at fault"
                    report.remarks.append(f"Averages do not follow from the columns: {told}.")
                    return
    moved = (f"{true} is printed under {place}" for true, place in where.items() if true != place)
    report.remarks.append(
        "The columns are permuted: the header alternates Real and Virtual, the lines do not. "
        f"Consistent in every line: {', '.join(moved)}."
    )
    report.remarks.append("SI, LR and VC have one weight: their order cannot be told from means.")


TEXTEDIT = (
    Audit(
        "textedit, classic",
        frozenset({"model", "real_OA", "virtual_NED"}),
        _OCR,
        (scale(0, 1, *_OCR), *map(_f1_rule, _HALVES)),
        _files("textedit", "full_classic", "mini_classic"),
    ),
    Audit(
        "textedit, judge",
        frozenset({"model", "real_TA", "virtual_avg"}),
        (*_ASKED, *_each(_HALVES, ["avg"])),
        (scale(0, 1, *_ASKED), *map(_weighted_mean, _HALVES), _permuted),
        _files(
            "textedit",
            *("full_judge", "full_judge_as_printed", "mini_judge", "mini_judge_as_printed"),
        ),
    ),
)


# -- MedEBench -------------------------------------------------------------------------------------

_METRICS = ("EA", "CP", "VQ")
_MEANS = _each((*ORGANS, "Overall"), _METRICS)


def _among(*parts: Printed) -> tuple[float, float]:
    return min(p.value - p.half for p in parts), max(p.value + p.half for p in parts)


def _overall_rule(metric: str) -> Rule:
    told = "a mean over all samples lies between the lowest and the highest organ"
    return limits(f"Overall_{metric}", _each(ORGANS, [metric]), _among, told)


MEDEBENCH = (
    Audit(
        "medebench, organs",
        frozenset({"model", "Overall_EA", "overall_FID"}),
        (*_MEANS, "overall_FID"),
        (scale(0, 1, *_MEANS), scale(0, math.inf, "overall_FID"), *map(_overall_rule, _METRICS)),
        _files("medebench", "organs"),
    ),
    *(
        Audit(
            f"medebench, {name}",
            frozenset(headings),
            columns,
            (scale(low, 1, *columns),),
            _files("medebench", file),
        )
        for name, headings, columns, low, file in (
            ("paradigms", ("paradigm", "shots", "EA"), _METRICS, 0, "paradigms"),
            ("attention", ("organ", "iou"), ("iou",), 0, "attention_iou"),
            ("correlations", ("metric", *_METRICS), _METRICS, -1, "spearman"),
        )
    ),
)


# -- KRIS-Bench ------------------------------------------------------------------------------------

_STEP = 0.25
"""A metric is (m - 1)·25 of a mean m rounded to 2 places: a multiple of this, printed exactly."""
_OF = {f"{dimension} {name}": dimension for dimension in SAMPLES for name in metrics_of(dimension)}
"""A metric's line -> its dimension."""
_GROUPS: Mapping[str, tuple[str, ...]] = {
    **{title_of(knowledge): tuple(dimensions) for knowledge, dimensions in TAXONOMY.items()},
    "Overall": tuple(SAMPLES),
}
"""Line of an average of averages -> the dimensions that it weighs by their samples."""


def _steps(lines: Sequence[Line], report: Report) -> None:
    """Every metric lies on the scale and is one of its steps."""
    for line in lines:
        for name in filter(_OF.__contains__, line.cells):
            cell = line.cells[name]
            report.between(line.title, name, cell, 0, 100, "the scale is 0 to 100")
            if 0 <= cell.value <= 100:
                near = round(cell.value / _STEP) * _STEP
                told = "(m − 1)·25 of a mean with 2 places is a multiple of 0.25"
                report.between(line.title, name, cell, near, near, told)


def _averages(lines: Sequence[Line], report: Report) -> None:
    """Each printed average against the one that the metrics give; metrics that are multiples of
    0.25 count as exact.
    """
    for line in lines:
        given = [cell for name, cell in line.cells.items() if name in _OF]
        exact = all(abs(c.value / _STEP - round(c.value / _STEP)) < 1e-6 for c in given)
        room = 0.0 if exact else max((cell.half for cell in line.cells.values()), default=0.0)
        means: dict[str, float] = {}
        for dimension in SAMPLES:
            parts = line.numbers([name for name, of in _OF.items() if of == dimension])
            if parts is None:
                continue
            mean = means[dimension] = sum(part.value for part in parts) / len(parts)
            if (printed := line.cells.get(f"{dimension} avg")) is not None:
                told = f"the mean of {', '.join(metrics_of(dimension))}"
                name = f"{dimension} average"
                report.between(line.title, name, printed, mean, mean, told, room=room)
        _weighted(line, means, room, report)


def _weighted(line: Line, means: Mapping[str, float], room: float, report: Report) -> None:
    """Averages of averages, weighted by samples: they may follow from the metrics (`means`), or from
    the dimensions' averages as they are printed. So only the cell at which a contradiction starts is
    reported. They may also have been rounded before they were weighted: half a unit more.
    """
    cells = line.cells
    as_printed = {d: cells[f"{d} avg"].value for d in SAMPLES if f"{d} avg" in cells}
    for kind, dimensions in _GROUPS.items():
        printed, size = cells.get(f"{kind} avg"), sum(SAMPLES[d] for d in dimensions)
        every = [
            sum(one[d] * SAMPLES[d] for d in dimensions) / size
            for one in (means, as_printed)
            if all(d in one for d in dimensions)
        ]
        if printed is not None and every:
            value = printed.value
            near = min(every, key=lambda one, value=value: abs(one - value))  # type: ignore[misc]
            told = "the dimensions' averages weighted by samples"
            wide = room + printed.half
            report.between(line.title, f"{kind} average", printed, near, near, told, room=wide)


KRISBENCH = (
    Audit(
        "krisbench, judge",
        frozenset({"dimension", "metric"}),
        (),
        (_steps, _averages),
        _files("krisbench", "gpt4o", "qwen2.5-vl-72b"),
        turned=("dimension", "metric"),
    ),
)
