"""How far people agree with each other, themselves and every metric. "Per sample" is over each
sample's editors (level ones left out), as MedEBench does; intervals are over samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from editgauge.escape import counted
from editgauge.statistics import agreement as alpha
from editgauge.statistics import correlation
from editgauge.statistics.limits import CORRELATION, LEAST
from editgauge.statistics.ranks import bradley_terry
from editgauge.statistics.resampling import NOTHING, Estimate, pooled_mean_interval
from editgauge.study.people import (
    Answers,
    Comparisons,
    Floats,
    answers,
    comparisons,
    mean_of,
)
from editgauge.tables.metrics import directions, range_text
from editgauge.tables.notes import NO_ROWS
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow

ALPHA, _KAPPA = "Krippendorff's alpha (ordinal)", "quadratic kappa"
MEAN_OF_ALL = "mean of all"
GOOD, FAIR = 0.8, 0.667
"""From which alpha on data are reliable, and from which on they allow tentative conclusions
(Krippendorff, Content Analysis, 2004, section 11.4.2).
"""
SAME_STRENGTH = 1e-6
"""Strengths that differ by less are equal: they are computed to about 1e-10."""
_CLUSTERED = (
    "Intervals: 95 %, over samples (all ratings of a sample stay together); none of fewer than "
    f"{LEAST} samples, of a coefficient or an error fewer than {correlation.LEAST_COEFFICIENT}."
)
_LEVEL = (
    "Per-sample statistics are means over pairs of annotators and samples; a sample in which one "
    "annotator puts all editors level has no order and is left out."
)
_MATRICES = {
    "spearman": "Spearman's rho per sample over the editors, averaged",
    "no_ties": "the same by the paper's formula, which takes no ties into account",
    "pearson": "Pearson's r over all outputs",
    "mae": "mean absolute error, where a metric rates the very question",
}


class Machine(NamedTuple):
    """A metric of the run as something that rates: its values (E, S), higher = better."""

    metric: str
    variant: str
    source: str
    values: Floats

    @property
    def name(self) -> str:
        """The metric with what made it: ``IF · judge-1 (corrected)``."""
        source = f" · {self.source}" if self.source else ""
        return f"{self.metric}{source}" + (" (corrected)" if self.variant == "corrected" else "")


class Agreement(NamedTuple):
    """What `agree` says of one benchmark, in one sentence and in tables."""

    benchmark: str
    sentence: str
    tables: list[Table]


Pairs = Sequence[tuple[Answers, Machine]]


def agreement(
    frame: Results, published: Sequence[TableRow] = (), *, brief: bool = False
) -> Agreement:
    """All of it, from a frame that still has the annotators' rows; `brief`: one statistic of each
    kind. `published`: the lines of the paper's rank correlations, below those by its formula.
    """
    given, machines = answers(frame), machines_of(frame)
    pairs = [*product(given, machines), *_means(frame, given, machines)]
    pairs = [(one, m) for one, m in pairs if not np.isnan(one.mean + m.values).all()]
    people, rankings = _people(frame.benchmark, given, brief), list(_rankings(frame))
    matrices = [
        _matrix(frame.benchmark, pairs, name, published if name == "no_ties" else ())
        for name in list(_MATRICES)[: 1 if brief else None]
    ]
    told = "; ".join([_together(people), *_best(matrices[0]), *_preferred(rankings)])
    every = [table for table in (people, *matrices, *rankings) if table.rows]
    return Agreement(frame.benchmark, f"{told[0].upper()}{told[1:]}.", every)


def published_alone(benchmark: str, published: Sequence[TableRow]) -> Table:
    """The paper's rank correlations, where nobody has rated anything in the run."""
    title = f"{benchmark}: metrics against people, Spearman's rho"
    notes = [f"{NO_ROWS} Ratings by people come with: editgauge study import."]
    return _questions(benchmark, "no_ties", title, published, notes)


def cell(
    value: float, low: float, high: float, n: int | None = None, of: int | None = None
) -> Cell:
    """A statistic with its interval; what is not defined (NaN) is not there."""
    if math.isnan(value):
        return Cell()
    # numbers of Python: JSON would have those of numpy as texts
    ends = (None if math.isnan(end) else float(end) for end in (low, high))
    return Cell(value=float(value), low=next(ends), high=next(ends), n=n, of=of)


# -- the sentence ----------------------------------------------------------------------------------


def _together(people: Table) -> str:
    """How well people agree with each other."""
    values = [row.cells["value"].value for row in people.rows if row.name == ALPHA]
    alphas = sorted(value for value in values if value is not None)
    if not alphas:
        return (
            "how well people agree cannot be said (no two of them rated the same outputs, or all "
            "gave one answer)"
        )
    word = "well" if alphas[0] >= GOOD else "fairly" if alphas[0] >= FAIR else "poorly"
    several = " to ".join(dict.fromkeys(f"{one:.2f}" for one in (alphas[0], alphas[-1])))
    return f"people agree {word}, alpha {several}"


def _best(matrix: Table) -> Iterator[str]:
    """The metric that agrees best with people on each question, on half the samples at least."""
    for question in (column.name for column in matrix.columns if column.name != MEAN_OF_ALL):
        cells = {row.name: row.cell(question) for row in matrix.rows}
        known = {
            name: one.value
            for name, one in cells.items()
            if one.value is not None and 2 * (one.n or 0) >= (one.of or 0)
        }
        if known:
            name, value = max(known.items(), key=lambda item: item[1])
            none = "agrees with no metric; the best is"
            yield f"{question} {'agrees best with' if value > 0 else none} {name}, {value:.2f}"


def _preferred(rankings: Sequence[Table]) -> Iterator[str]:
    """Say for each question which editor is preferred, or why none can be named."""
    for table in rankings:
        question = table.meta["question"]
        strengths = {row.name: row.cells["strength"].value for row in table.rows}
        known = {name: value for name, value in strengths.items() if value is not None}
        if not known:
            unbeaten = table.meta["unbeaten"]
            if unbeaten:
                yield f"{unbeaten} won every comparison ({question})"
            else:
                yield f"comparisons give no order ({question})"
            continue
        strongest = max(known.values())
        first = [name for name, value in known.items() if strongest - value < SAME_STRENGTH]
        if len(first) == len(strengths):
            yield f"no editor is preferred ({question})"
        elif len(first) > 1:
            yield f"{' and '.join(first)} are preferred equally ({question})"
        else:
            yield f"{first[0]} is preferred most ({question})"


# -- people among themselves -----------------------------------------------------------------------


def _people(benchmark: str, given: Sequence[Answers], brief: bool) -> Table:
    digits = {"value": ("agreement", 3), "annotators": ("annotators", 0), "samples": ("samples", 0)}
    rows = [row for one in given for row in between(one)]
    return Table(
        name="agree.people",
        title=f"{benchmark}: people among themselves",
        columns=[Column(name=n, heading=(word,), digits=k) for n, (word, k) in digits.items()],
        rows=[row for row in rows if not brief or row.name in (ALPHA, f"self: {_KAPPA}")],
        benchmark=benchmark,
        by="question",
        notes=[_LEVEL, _CLUSTERED],
        meta={"names": "statistic"},
    )


def between(one: Answers) -> Iterator[TableRow]:
    """How far the annotators agree with each other, and with themselves where they saw a sample
    twice: a line for each statistic.
    """
    first = one.first
    if len(first) > 1:
        yield _line(one, ALPHA, len(first), _alpha(first))
        a, b = (np.stack(side) for side in zip(*combinations(first, 2), strict=True))
        for name, found in _of_pairs(a, b):
            yield _line(one, name, len(first), found)
    if one.values.shape[1] > 1:
        twice = one.values[~np.isnan(one.values[:, 1]).all(axis=(1, 2))]
        for name, found in _of_pairs(twice[:, 0], twice[:, 1]):
            yield _line(one, f"self: {name}", len(twice), found)


def _line(one: Answers, name: str, annotators: int, found: Estimate) -> TableRow:
    numbers = {"annotators": Cell(value=annotators), "samples": Cell(value=found.n)}
    return TableRow(name=name, group=one.label, cells={"value": cell(*found[:3]), **numbers})


def _of_pairs(a: Floats, b: Floats) -> Iterator[tuple[str, Estimate]]:
    """Statistics of pairs of tables (P, E, S), pooled over pairs and clustered by sample."""
    count, editors, samples = a.shape
    x, y = (np.moveaxis(t, 2, 1).reshape(count * samples, editors) for t in (a, b))
    rows = correlation.spearman_rows(x, y).reshape(count, samples).T
    yield "Spearman per sample", pooled_mean_interval(rows, CORRELATION)
    parts = alpha.kappa_parts(x, y).reshape(count, samples, -1).sum(axis=0)
    yield _KAPPA, correlation.coefficient_interval(parts, alpha.kappa_of)


def _alpha(first: Floats) -> Estimate:
    count, editors, samples = first.shape
    parts = alpha.coincidences(np.moveaxis(first, 2, 1).reshape(count, samples * editors))
    size = parts.shape[-1]
    if not size:
        return NOTHING
    summed = parts.reshape(samples, editors, size * size).sum(axis=1)
    lines = np.concatenate([summed, summed.sum(axis=1, keepdims=True)], axis=1)

    def statistic(total: Floats) -> Floats:
        return alpha.alpha_of(total[..., :-1].reshape(*total.shape[:-1], size, size))

    return correlation.coefficient_interval(lines, statistic)


# -- metrics against people ------------------------------------------------------------------------


def machines_of(frame: Results) -> list[Machine]:
    """Every metric, variant and source that machines made rows of, where its direction is known."""
    machines, ways, listed = frame.without_people(), directions(frame), []
    for metric, variant, source in sorted({key[:3] for key in machines.cubes}):
        direction = ways.get(metric)
        values = machines.of_source(source).grid(metric, variant).values
        if direction is not None and not np.isnan(values).all():
            better = values if direction == "higher" else -values
            listed.append(Machine(metric, variant, source, better))
    return listed


def _against(one: Answers, machine: Machine, statistic: str) -> Estimate:
    """One metric against the mean of the annotators."""
    people, values = one.goodness.T, machine.values.T
    match statistic:
        case "spearman":
            return pooled_mean_interval(correlation.spearman_rows(people, values), CORRELATION)
        case "no_ties":
            rows = correlation.spearman_no_ties_rows(people, values)
            return pooled_mean_interval(rows, CORRELATION)
        case "pearson":
            return correlation.pearson_interval(people, values)
    if machine.metric != one.metric or one.scale not in ("rate", "grade"):
        return NOTHING  # no common scale
    with np.errstate(invalid="ignore"):
        errors = np.abs(one.as_metric.T - values)
    return pooled_mean_interval(errors, (0.0, math.inf))


def _matrix(benchmark: str, pairs: Pairs, statistic: str, published: Sequence[TableRow]) -> Table:
    """MedEBench's Table 3: metrics down, people's questions across."""
    rows: dict[str, dict[str, Cell]] = {}
    who: dict[str, str] = {}
    scales: dict[str, str] = {}
    for one, machine in pairs:
        found = _against(one, machine, statistic)
        if statistic != "mae" or found.n:
            if statistic == "mae":  # an error is on a scale, a correlation is not
                scales[one.label] = range_text(*one.range)
            rated = int((~np.isnan(one.mean)).any(axis=0).sum())
            rows.setdefault(machine.name, {})[one.label] = cell(*found, of=rated)
            who[one.label] = f"{one.label}: {counted(len(one.annotators), 'annotator')}."
    every = [TableRow(name=name, cells=cells) for name, cells in rows.items()]
    every += published if every else ()
    title = f"{benchmark}: metrics against people, {_MATRICES[statistic]}"
    return _questions(benchmark, statistic, title, every, [*who.values(), _CLUSTERED], scales)


def _questions(
    benchmark: str,
    name: str,
    title: str,
    rows: Sequence[TableRow],
    notes: Sequence[str],
    scales: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """`scales`: question -> the scale of its column."""
    columns = []
    for question in dict.fromkeys(name for row in rows for name in row.cells):
        scale = scales.get(question, "")
        heading = f"{question} ({scale})" if scale else question
        columns.append(Column(name=question, heading=(heading,), digits=3))
    return Table(name=f"agree.{name}", title=title, columns=columns, rows=rows, notes=notes,
                 benchmark=benchmark, meta={"names": "metric"})  # fmt: skip


def _means(
    frame: Results, said: Sequence[Answers], machines: Sequence[Machine]
) -> Iterator[tuple[Answers, Machine]]:
    """TextEditBench's Figure 11: the mean of all questions against that of a judge's metrics."""
    scores = [one for one in said if one.scale in ("rate", "grade")]
    names = {key.metric for key in frame.cubes if key.scorer == "judge"}
    judged = [one for one in machines if one.metric in names]
    if not scores:
        return
    people = mean_of(np.stack([one.mean for one in scores]))
    most = max(scores, key=lambda one: len(one.annotators))
    whole = most._replace(
        question=MEAN_OF_ALL, label=MEAN_OF_ALL, metric="", values=people[None, None]
    )
    for source, variant in dict.fromkeys((one.source, one.variant) for one in judged):
        group = [one.values for one in judged if (one.source, one.variant) == (source, variant)]
        if len(group) > 1 or len(scores) > 1:
            values = mean_of(np.stack(group))
            yield whole, Machine(MEAN_OF_ALL, variant, source, values)


# -- comparisons -----------------------------------------------------------------------------------


def _rankings(frame: Results) -> Iterator[Table]:
    """A Bradley-Terry ranking of each question, the strongest editor first."""
    for one in comparisons(frame):
        fit, samples = bradley_terry(one.wins), int(one.wins.any(axis=(1, 2)).sum())
        order = np.argsort(-fit.strength, kind="stable").tolist()
        strengths = np.stack([fit.strength, fit.low, fit.high]).T[order].tolist()
        who, what = counted(one.annotators, "annotator"), counted(samples, "sample")
        notes = [
            f"{one.total} comparisons ({one.ties} ties) by {who} on {what}; a tie is half a win.",
            "A difference of d: the stronger one wins with probability 1/(1 + exp(-d)).",
            _CLUSTERED,
        ]
        if np.isnan(fit.strength).any():
            notes.append("No strengths: somebody never lost, or never won, against the others.")
        elif fit.connected < 0.9:
            notes.append("No intervals: in too many resamples somebody never lost or never won.")
        yield Table(
            name="agree.bradley_terry",
            title=f"{frame.benchmark}: Bradley-Terry ranking, {one.question}",
            columns=[
                Column(name="strength", heading=("log strength",), digits=3, direction="higher")
            ],
            rows=[
                TableRow(name=one.editors[k], cells={"strength": cell(*found)})
                for k, found in zip(order, strengths, strict=True)
            ],
            benchmark=frame.benchmark,
            notes=notes,
            meta={"question": one.question, "unbeaten": _unbeaten(one)},
        )


def _unbeaten(one: Comparisons) -> str:
    """Return the only editor that never lost and never tied, or an empty text."""
    losses = one.wins.sum(axis=(0, 1))  # (E,), a tie is half a loss
    names = [name for name, lost in zip(one.editors, losses, strict=True) if lost == 0]
    return names[0] if len(names) == 1 else ""
