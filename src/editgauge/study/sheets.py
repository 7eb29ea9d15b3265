"""What `agree` and `--calibrate` found, as tables that are drawn like every other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from editgauge.statistics.resampling import Estimate
from editgauge.study.agreement import Against, Agreement, Between, Ranking
from editgauge.tables.notes import NO_ROWS
from editgauge.tables.table import Cell, Column, Table, TableRow

_CLUSTERED = "Intervals: 95 %, bootstrap over samples (all ratings of a sample stay together)."


def cell(interval: Estimate, *, of: int | None = None) -> Cell:
    """A statistic with its interval, and its count where `of` is how many were rated."""
    if math.isnan(interval.value):
        return Cell(value=None)
    low, high = (None if math.isnan(end) else end for end in (interval.low, interval.high))
    return Cell(
        value=interval.value, low=low, high=high, n=None if of is None else interval.n, of=of
    )


GOOD, FAIR = 0.8, 0.667
"""From which alpha on data are reliable, and from which on they allow tentative conclusions
(Krippendorff, Content Analysis, 2004, section 11.4.2).
"""
FIRST = "Krippendorff's alpha (ordinal)"
_SELF = "self: quadratic kappa"


def sentence(found: Agreement) -> str:
    """What an agreement says, in one sentence: how well people agree with each other, and which
    metric agrees best with them on each question.
    """
    parts = [_people(found)]
    for question in dict.fromkeys(line.question for line in found.against):
        lines = [one for one in found.against if one.question == question]
        lines = [one for one in lines if not math.isnan(one.spearman.value)]
        if lines:
            best = max(lines, key=lambda one: one.spearman.value)
            parts.append(f"{question} agrees best with {name_of(best)}, {best.spearman.value:.2f}")
    for item in found.rankings:
        parts.append(f"{item.editors[0]} is preferred most ({item.question})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _people(found: Agreement) -> str:
    alphas = [
        line.interval.value
        for line in found.between
        if line.statistic == FIRST and not math.isnan(line.interval.value)
    ]
    if not alphas:
        return (
            "how well people agree cannot be said (no two of them rated the same outputs, or all "
            "gave one answer)"
        )
    low, high = min(alphas), max(alphas)
    word = "well" if low >= GOOD else "fairly" if low >= FAIR else "poorly"
    several = f"{low:.2f}" if len(alphas) == 1 else f"{low:.2f} to {high:.2f}"
    return f"people agree {word}, alpha {several}"


def brief(found: Agreement) -> list[Table]:
    """One statistic of each kind: ordinal alpha, annotators' agreement with themselves, Spearman of
    the metrics, the ranking.
    """
    between = tuple(line for line in found.between if line.statistic in (FIRST, _SELF))
    made = [
        _between(replace(found, between=between)),
        _matrix(found, "spearman", _SPEARMAN),
        *(_ranking(found.benchmark, item) for item in found.rankings),
    ]
    return [table for table in made if table is not None]


_SPEARMAN = "Spearman's rho per sample over the editors, averaged"


def tables(found: Agreement, published: Sequence[TableRow] = ()) -> list[Table]:
    """Every table of an agreement that has something in it. `published`: the lines of the paper's
    rank correlations, which stand below those by its formula.
    """
    made = [
        _between(found),
        _matrix(found, "spearman", _SPEARMAN),
        _matrix(
            found,
            "no_ties",
            "the same by the paper's formula, which takes no ties into account",
            published,
        ),
        _matrix(found, "kendall", "Kendall's tau-b per sample over the editors, averaged"),
        _matrix(found, "pearson", "Pearson's r over all outputs"),
        _matrix(found, "mae", "mean absolute error, where a metric rates the very question"),
        *(_ranking(found.benchmark, item) for item in found.rankings),
    ]
    return [table for table in made if table is not None]


def published_alone(benchmark: str, published: Sequence[TableRow]) -> Table:
    """The paper's rank correlations, where nobody has rated anything in the run."""
    return Table(
        name="agree.no_ties",
        title=f"{benchmark}: metrics against people, Spearman's rho",
        columns=_questions(published),
        rows=published,
        benchmark=benchmark,
        notes=[f"{NO_ROWS} Ratings by people come with: editgauge study import."],
        meta={"names": "metric"},
    )


def _questions(lines: Sequence[TableRow]) -> list[Column]:
    names = dict.fromkeys(name for line in lines for name in line.cells)
    return [Column(name=name, heading=(name,), digits=3) for name in names]


def _between(found: Agreement) -> Table | None:
    if not found.between:
        return None
    rows = [
        TableRow(
            name=line.statistic,
            cells={
                "value": cell(line.interval),
                "annotators": Cell(value=float(line.annotators)),
                "samples": Cell(value=float(line.interval.n)),
            },
            group=line.question,
        )
        for line in found.between
    ]
    columns = [Column(name="value", heading=("agreement",), digits=3), *_COUNTS]
    notes = [
        (
            "Per-sample statistics are means over pairs of annotators and samples; a sample in "
            "which one annotator puts all editors level has no order and is left out."
        ),
        _CLUSTERED,
    ]
    if found.left_out:
        names = ", ".join(found.left_out)
        notes.append(f"Not compared with people, because their direction is not known: {names}.")
    return Table(
        name="agree.people",
        title=f"{found.benchmark}: people among themselves",
        columns=columns,
        rows=rows,
        benchmark=found.benchmark,
        by="question",
        notes=notes,
        meta={"names": "statistic"},
    )


_COUNTS = [
    Column(name="annotators", heading=("annotators",), digits=0),
    Column(name="samples", heading=("samples",), digits=0),
]


def name_of(line: Against) -> str:
    """A metric with what made it: ``IF · judge-1 (corrected)``."""
    source = f" · {line.source}" if line.source else ""
    return f"{line.metric}{source}" + (" (corrected)" if line.variant == "corrected" else "")


def _matrix(
    found: Agreement, statistic: str, title: str, published: Sequence[TableRow] = ()
) -> Table | None:
    """MedEBench's Table 3: metrics down, people's questions across."""
    there = [line for line in found.against if not math.isnan(getattr(line, statistic).value)]
    if not there and (statistic == "mae" or not found.against):
        return None
    rows: dict[str, dict[str, Cell]] = {}
    counts: dict[str, list[Against]] = {}
    for line in there if statistic == "mae" else found.against:
        made = cell(getattr(line, statistic), of=line.rated)
        rows.setdefault(name_of(line), {})[line.question] = made
        counts.setdefault(line.question, []).append(line)
    lines = [*(TableRow(name=name, cells=cells) for name, cells in rows.items()), *published]
    notes = [_who(question, lines, statistic) for question, lines in counts.items()]
    return Table(
        name=f"agree.{statistic}",
        title=f"{found.benchmark}: metrics against people, {title}",
        columns=_questions(lines),
        rows=lines,
        benchmark=found.benchmark,
        notes=[*notes, _CLUSTERED],
        meta={"names": "metric"},
    )


def _who(question: str, lines: Sequence[Against], statistic: str) -> str:
    samples = sorted({getattr(line, statistic).n for line in lines})
    told = f"{samples[0]}" if len(samples) == 1 else f"{samples[0]} to {samples[-1]}"
    annotators = max(line.annotators for line in lines)
    return f"{question}: {annotators} annotators, {told} samples."


def _ranking(benchmark: str, item: Ranking) -> Table:
    found = item.strengths
    ends = zip(item.editors, *(part.tolist() for part in found[:3]), strict=True)
    rows = [
        TableRow(name=editor, cells={"strength": cell(Estimate(value, low, high, item.samples))})
        for editor, value, low, high in ends
    ]
    notes = [
        (
            f"{item.comparisons} comparisons ({item.ties} ties) by {item.annotators} annotators on "
            f"{item.samples} samples; a tie is half a win for each."
        ),
        "A difference of d: the stronger one wins with probability 1/(1 + exp(-d)). " + _CLUSTERED,
    ]
    if any(math.isnan(value) for value in found.strength.tolist()):
        notes.append("No strengths: somebody never lost, or never won, against the others.")
    elif found.connected < 0.9:
        notes.append("No intervals: in too many resamples somebody never lost or never won.")
    return Table(
        name="agree.bradley_terry",
        title=f"{benchmark}: Bradley-Terry ranking, {item.question}",
        columns=[Column(name="strength", heading=("log strength",), digits=3, direction="higher")],
        rows=rows,
        benchmark=benchmark,
        notes=notes,
    )


def as_dict(found: Agreement) -> dict[str, Any]:
    """An agreement as JSON values; what is not defined is None."""
    return {
        "benchmark": found.benchmark,
        "summary": sentence(found),
        "left_out": list(found.left_out),
        "people": [_plain(line) for line in found.between],
        "metrics": [_plain(line) for line in found.against],
        "bradley_terry": [_as_ranking(item) for item in found.rankings],
    }


def _as_ranking(item: Ranking) -> dict[str, Any]:
    places = zip(item.editors, *(part.tolist() for part in item.strengths[:3]), strict=True)
    names = ("editor", "strength", "low", "high")
    counts = ("question", "annotators", "samples", "comparisons", "ties")
    return {
        **{name: getattr(item, name) for name in counts},
        "editors": [dict(zip(names, map(_finite, place), strict=True)) for place in places],
    }


def _plain(line: Between | Against) -> dict[str, Any]:
    """A line by its fields; an interval as value, low, high and samples."""
    names = line._fields if isinstance(line, Between) else line.__dataclass_fields__
    return {name: _finite(getattr(line, name)) for name in names}


def _finite(value: Any) -> Any:
    if isinstance(value, Estimate):
        names = ("value", "low", "high", "samples")
        return dict(zip(names, map(_finite, (*value[:3], value.n)), strict=True))
    return None if isinstance(value, float) and not math.isfinite(value) else value
