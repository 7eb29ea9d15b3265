"""What `agree` found: a sentence, tables, JSON, and what the study page of a report draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from editgauge.escape import counted
from editgauge.statistics.resampling import Estimate
from editgauge.study.agreement import (
    ALPHA,
    MEAN_OF_ALL,
    Against,
    Agreement,
    Between,
    Machine,
    Ranking,
    agreement,
    contested,
    machines_of,
)
from editgauge.study.people import Answers, answers
from editgauge.tables.notes import NO_ROWS
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow

_CLUSTERED = "Intervals: 95 %, over samples (all ratings of a sample stay together)."
_LEVEL = (
    "Per-sample statistics are means over pairs of annotators and samples; a sample in which one "
    "annotator puts all editors level has no order and is left out."
)
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
    value, low, high = (None if math.isnan(end) else end for end in interval[:3])
    if value is None:
        return Cell(value=None)
    return Cell(value=value, low=low, high=high, n=None if of is None else interval.n, of=of)


def sentence(found: Agreement) -> str:
    """What an agreement says, in one sentence: how well people agree with each other, and which
    metric agrees best with them on each question.
    """
    parts = [_people(found)]
    asked = [line for line in found.against if line.question != MEAN_OF_ALL]
    defined = [line for line in asked if not math.isnan(line.spearman.value)]
    for question in dict.fromkeys(line.question for line in defined):
        lines = [line for line in defined if line.question == question]
        best = max(lines, key=lambda line: line.spearman.value)
        words = (
            "agrees best with" if best.spearman.value > 0 else "agrees with no metric; the best is"
        )
        parts.append(f"{question} {words} {name_of(best)}, {best.spearman.value:.2f}")
    for item in found.rankings:
        parts.append(f"{next(iter(item.editors))} is preferred most ({item.question})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _people(found: Agreement) -> str:
    every = [line.interval.value for line in found.between if line.statistic == ALPHA]
    alphas = sorted(value for value in every if not math.isnan(value))
    if not alphas:
        return (
            "how well people agree cannot be said (no two of them rated the same outputs, or all "
            "gave one answer)"
        )
    word = "well" if alphas[0] >= GOOD else "fairly" if alphas[0] >= FAIR else "poorly"
    several = " to ".join(dict.fromkeys(f"{one:.2f}" for one in (alphas[0], alphas[-1])))
    return f"people agree {word}, alpha {several}"


def tables(
    found: Agreement, published: Sequence[TableRow] = (), *, brief: bool = False
) -> list[Table]:
    """Every table of an agreement that has something in it; `brief`: one statistic of each kind.
    `published`: the lines of the paper's rank correlations, below those by its formula.
    """
    listed = [_between(found, brief)]
    for statistic in list(_MATRICES)[: 1 if brief else None]:
        listed.append(_matrix(found, statistic, published if statistic == "no_ties" else ()))
    listed += [_ranking(found.benchmark, item) for item in found.rankings]
    return [table for table in listed if table.rows]


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


def _between(found: Agreement, brief: bool) -> Table:
    short = (ALPHA, "self: quadratic kappa")
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
        if not brief or line.statistic in short
    ]
    notes = [_LEVEL, _CLUSTERED]
    if names := ", ".join(found.left_out):
        notes.append(f"Not compared with people, because their direction is not known: {names}.")
    digits = {"value": ("agreement", 3), "annotators": ("annotators", 0), "samples": ("samples", 0)}
    return Table(
        name="agree.people",
        title=f"{found.benchmark}: people among themselves",
        columns=[
            Column(name=n, heading=(meaning,), digits=k) for n, (meaning, k) in digits.items()
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


def _matrix(found: Agreement, statistic: str, published: Sequence[TableRow]) -> Table:
    """MedEBench's Table 3: metrics down, people's questions across."""
    wanted = statistic == "mae"
    lines = [line for line in found.against if not (wanted and math.isnan(line.mae.value))]
    rows: dict[str, dict[str, Cell]] = {}
    for line in lines:
        value = cell(getattr(line, statistic), of=line.rated)
        rows.setdefault(name_of(line), {})[line.question] = value
    every = [TableRow(name=name, cells=cells) for name, cells in rows.items()]
    every += published if every else ()
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
        mine = [line for line in lines if line.question == question]
        counts = sorted({getattr(line, statistic).n for line in mine})
        samples = " to ".join(dict.fromkeys((str(counts[0]), str(counts[-1]))))
        who = counted(max(line.annotators for line in mine), "annotator")
        yield f"{question}: {who}, {samples} sample{'s' * (samples != '1')}."


def _ranking(benchmark: str, item: Ranking) -> Table:
    who = counted(item.annotators, "annotator")
    count = f"{item.comparisons} comparisons ({item.ties} ties) by {who}"
    notes = [
        f"{count} on {counted(item.samples, 'sample')}; a tie is half a win for each.",
        f"A difference of d: the stronger one wins with probability 1/(1 + exp(-d)). {_CLUSTERED}",
    ]
    if any(math.isnan(one.value) for one in item.editors.values()):
        notes.append("No strengths: somebody never lost, or never won, against the others.")
    elif item.connected < 0.9:
        notes.append("No intervals: in too many resamples somebody never lost or never won.")
    return Table(
        name="agree.bradley_terry",
        title=f"{benchmark}: Bradley-Terry ranking, {item.question}",
        columns=[Column(name="strength", heading=("log strength",), digits=3, direction="higher")],
        rows=[TableRow(name=n, cells={"strength": cell(one)}) for n, one in item.editors.items()],
        benchmark=benchmark,
        notes=notes,
    )


def as_dict(found: Agreement) -> dict[str, Any]:
    """An agreement as JSON values; what is not defined is NaN, which JSON has as null."""
    names = ("question", "annotators", "samples", "comparisons", "ties")
    return {
        "benchmark": found.benchmark,
        "summary": sentence(found),
        "left_out": found.left_out,
        "people": [_plain(line) for line in found.between],
        "metrics": [_plain(line) for line in found.against],
        "bradley_terry": [
            {
                **{name: getattr(item, name) for name in names},
                "editors": [
                    {"editor": name, "strength": one.value, "low": one.low, "high": one.high}
                    for name, one in item.editors.items()
                ],
            }
            for item in found.rankings
        ],
    }


def _plain(line: Between | Against) -> dict[str, Any]:
    def told(one: Any) -> Any:
        names = ("value", "low", "high", "samples")
        return dict(zip(names, one, strict=True)) if isinstance(one, Estimate) else one

    return {name: told(value) for name, value in line._asdict().items()}


class Reported(NamedTuple):
    """What a report shows of a study: the tables of agreement, and the `facts` that its page draws,
    as JSON values.

    In ``questions`` one item for each question that was answered with values: its ``outputs`` are
    ``[editor, sample, mean of the annotators]`` (positions in the frame's editors and samples),
    ``metrics`` what machines said of the same outputs in the same order, None where they have no
    finite value, and ``contested`` the samples on which annotators differ most, with every answer.
    """

    tables: list[Table]
    facts: dict[str, Any]


def reported(frame: Results, published: Sequence[TableRow] = ()) -> Reported | None:
    """What a report shows of the ratings of one benchmark; None where nobody rated anything.
    `published`: the lines of the paper's rank correlations.
    """
    if not len(frame.only_people()):
        return None
    agreed = agreement(frame)
    listed, machines = tables(agreed, published), machines_of(frame)
    facts = {
        "agreement": as_dict(agreed),
        "tables": [table.name for table in listed],
        "questions": [_question(one, machines) for one in answers(frame)],
    }
    return Reported(listed, facts)


def _question(one: Answers, machines: Sequence[Machine]) -> dict[str, Any]:
    people = one.mean
    rated = [*zip(*(places.tolist() for places in np.nonzero(np.isfinite(people))), strict=True)]
    return {
        "question": one.question,
        "scale": one.scale,
        "direction": one.direction,
        "outputs": [[e, s, float(people[e, s])] for e, s in rated],
        "metrics": [
            {
                **{name: getattr(m, name) for name in ("metric", "source", "variant", "direction")},
                "values": _own_values(m, rated),
            }
            for m in machines
        ],
        "contested": [
            {"sample": name, "difference": gap, "answers": _said(one, one.samples.index(name))}
            for name, gap in contested(one)
        ],
    }


def _own_values(machine: Machine, rated: Sequence[tuple[int, int]]) -> list[float | None]:
    """A metric's own values, as its rows have them: a `Machine` turns those that are better when
    lower.
    """
    sign = 1.0 if machine.direction == "higher" else -1.0
    values = [sign * float(machine.values[place]) for place in rated]
    return [value if np.isfinite(value) else None for value in values]


def _said(one: Answers, sample: int) -> list[list[Any]]:
    """``[editor, annotator, value]`` of every first answer about a sample."""
    return [
        [editor, who, float(value)]
        for editor, given in zip(one.editors, one.first[:, :, sample].T, strict=True)
        for who, value in zip(one.annotators, given, strict=True)
        if np.isfinite(value)
    ]
