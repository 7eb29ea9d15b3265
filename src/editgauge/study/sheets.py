"""What `agree` found as a sentence, as tables that are drawn like every other, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from editgauge.statistics.resampling import Estimate
from editgauge.study.agreement import ALPHA, Against, Agreement, Between, Ranking
from editgauge.tables.notes import NO_ROWS
from editgauge.tables.table import Cell, Column, Table, TableRow

_CLUSTERED = "Intervals: 95 %, over samples (all ratings of a sample stay together)."
GOOD, FAIR = 0.8, 0.667
"""From which alpha on data are reliable, and from which on they allow tentative conclusions
(Krippendorff, Content Analysis, 2004, section 11.4.2).
"""
_MATRICES = {
    "spearman": "Spearman's rho per sample over the editors, averaged",
    "no_ties": "the same by the paper's formula, which takes no ties into account",
    "pearson": "Pearson's r over all outputs",
    "mae": "mean absolute error, where a metric rates the very question",
}


def cell(interval: Estimate, *, of: int | None = None) -> Cell:
    """A statistic with its interval, and its count where `of` is how many were rated."""
    if math.isnan(interval.value):
        return Cell(value=None)
    low, high = (None if math.isnan(end) else end for end in (interval.low, interval.high))
    n = None if of is None else interval.n
    return Cell(value=interval.value, low=low, high=high, n=n, of=of)


def sentence(found: Agreement) -> str:
    """What an agreement says, in one sentence: how well people agree with each other, and which
    metric agrees best with them on each question.
    """
    parts = [_people(found)]
    defined = [line for line in found.against if not math.isnan(line.spearman.value)]
    for question in dict.fromkeys(line.question for line in defined):
        lines = [line for line in defined if line.question == question]
        best = max(lines, key=lambda line: line.spearman.value)
        parts.append(f"{question} agrees best with {name_of(best)}, {best.spearman.value:.2f}")
    for item in found.rankings:
        parts.append(f"{item.editors[0]} is preferred most ({item.question})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _people(found: Agreement) -> str:
    every = [line.interval.value for line in found.between if line.statistic == ALPHA]
    alphas = [value for value in every if not math.isnan(value)]
    if not alphas:
        return (
            "how well people agree cannot be said (no two of them rated the same outputs, or all "
            "gave one answer)"
        )
    low, high = min(alphas), max(alphas)
    word = "well" if low >= GOOD else "fairly" if low >= FAIR else "poorly"
    several = f"{low:.2f}" if len(alphas) == 1 else f"{low:.2f} to {high:.2f}"
    return f"people agree {word}, alpha {several}"


def tables(
    found: Agreement, published: Sequence[TableRow] = (), *, brief: bool = False
) -> list[Table]:
    """Every table of an agreement that has something in it; `brief`: one statistic of each kind.
    `published`: the lines of the paper's rank correlations, below those by its formula.
    """
    made = [_between(found, brief)]
    for statistic in list(_MATRICES)[: 1 if brief else None]:
        made.append(_matrix(found, statistic, published if statistic == "no_ties" else ()))
    made += [_ranking(found.benchmark, item) for item in found.rankings]
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


def _between(found: Agreement, brief: bool) -> Table | None:
    short = (ALPHA, "self: quadratic kappa")
    lines = [line for line in found.between if not brief or line.statistic in short]
    if not lines:
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
        for line in lines
    ]
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
        columns=[
            Column(name="value", heading=("agreement",), digits=3),
            Column(name="annotators", heading=("annotators",), digits=0),
            Column(name="samples", heading=("samples",), digits=0),
        ],
        rows=rows,
        benchmark=found.benchmark,
        by="question",
        notes=notes,
        meta={"names": "statistic"},
    )


def name_of(line: Against) -> str:
    """A metric with what made it: ``IF · judge-1 (corrected)``."""
    source = f" · {line.source}" if line.source else ""
    return f"{line.metric}{source}" + (" (corrected)" if line.variant == "corrected" else "")


def _matrix(found: Agreement, statistic: str, published: Sequence[TableRow]) -> Table | None:
    """MedEBench's Table 3: metrics down, people's questions across."""
    lines: Sequence[Against] = found.against
    if statistic == "mae":
        lines = [line for line in lines if not math.isnan(line.mae.value)]
    if not lines:
        return None
    rows: dict[str, dict[str, Cell]] = {}
    for line in lines:
        value = cell(getattr(line, statistic), of=line.rated)
        rows.setdefault(name_of(line), {})[line.question] = value
    every = [*(TableRow(name=name, cells=cells) for name, cells in rows.items()), *published]
    return Table(
        name=f"agree.{statistic}",
        title=f"{found.benchmark}: metrics against people, {_MATRICES[statistic]}",
        columns=_questions(every),
        rows=every,
        benchmark=found.benchmark,
        notes=[*_who(lines, statistic), _CLUSTERED],
        meta={"names": "metric"},
    )


def _who(lines: Sequence[Against], statistic: str) -> Iterator[str]:
    for question in dict.fromkeys(line.question for line in lines):
        own = [line for line in lines if line.question == question]
        counts = sorted({getattr(line, statistic).n for line in own})
        samples = " to ".join(dict.fromkeys((str(counts[0]), str(counts[-1]))))
        yield f"{question}: {max(line.annotators for line in own)} annotators, {samples} samples."


def _ranking(benchmark: str, item: Ranking) -> Table:
    rows = [
        TableRow(name=editor, cells={"strength": cell(Estimate(value, low, high, item.samples))})
        for editor, value, low, high in _strengths(item)
    ]
    notes = [
        (
            f"{item.comparisons} comparisons ({item.ties} ties) by {item.annotators} annotators on "
            f"{item.samples} samples; a tie is half a win for each."
        ),
        "A difference of d: the stronger one wins with probability 1/(1 + exp(-d)). " + _CLUSTERED,
    ]
    if any(math.isnan(value) for _, value, _, _ in _strengths(item)):
        notes.append("No strengths: somebody never lost, or never won, against the others.")
    elif item.strengths.connected < 0.9:
        notes.append("No intervals: in too many resamples somebody never lost or never won.")
    return Table(
        name="agree.bradley_terry",
        title=f"{benchmark}: Bradley-Terry ranking, {item.question}",
        columns=[Column(name="strength", heading=("log strength",), digits=3, direction="higher")],
        rows=rows,
        benchmark=benchmark,
        notes=notes,
    )


def _strengths(item: Ranking) -> list[tuple[str, float, float, float]]:
    ends = (part.tolist() for part in item.strengths[:3])
    return list(zip(item.editors, *ends, strict=True))


def as_dict(found: Agreement) -> dict[str, Any]:
    """An agreement as JSON values; what is not defined is None."""
    names = ("editor", "strength", "low", "high")
    return {
        "benchmark": found.benchmark,
        "summary": sentence(found),
        "left_out": list(found.left_out),
        "people": [_plain(line) for line in found.between],
        "metrics": [_plain(line) for line in found.against],
        "bradley_terry": [
            {
                **{name: value for name, value in _plain(item).items() if name != "strengths"},
                "editors": [
                    dict(zip(names, map(_finite, place), strict=True)) for place in _strengths(item)
                ],
            }
            for item in found.rankings
        ],
    }


def _plain(line: Between | Against | Ranking) -> dict[str, Any]:
    """A line by its fields; an interval as value, low, high and samples."""
    return {name: _finite(value) for name, value in line._asdict().items()}


def _finite(value: Any) -> Any:
    if isinstance(value, Estimate):
        low, high = _finite(value.low), _finite(value.high)
        return {"value": _finite(value.value), "low": low, "high": high, "samples": value.n}
    return None if isinstance(value, float) and not math.isfinite(value) else value
