"""The means of people's answers: a line for each editor, a column for each question."""

from __future__ import annotations

from editgauge.escape import counted
from editgauge.statistics.resampling import mean_interval
from editgauge.study.people import Answers, answers
from editgauge.study.scales import RANGES, SCALE_WORDS
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow

NAME = "people.means"
_NOTE = (
    "Each output counts once, with the mean over its annotators. Intervals: 95 %, over samples. "
    "Scores of judges and metrics are in other tables."
)


def means_of_people(frame: Results) -> Table | None:
    """Return what people gave each editor, on the scale on which they answered.

    The frame still has the annotators' rows. Returns None where nobody rated, ranked or graded an
    output; comparisons have a ranking of their own (`agreement`).
    """
    given = answers(frame)
    if not given:
        return None
    columns = [_column(one) for one in given]
    rows = []
    for place, editor in enumerate(frame.editors):
        cells = {}
        for one in given:
            cell = _cell(one, place)
            if cell is not None:
                cells[one.label] = cell
        if cells:
            rows.append(TableRow(name=editor, cells=cells))
    if not rows:
        return None
    raters = [f"{one.label}: {counted(len(one.annotators), 'annotator')}." for one in given]
    return Table(
        name=NAME,
        title=f"{frame.benchmark}: means of people",
        columns=columns,
        rows=rows,
        benchmark=frame.benchmark,
        size=len(frame.samples),
        notes=[*raters, _NOTE],
    )


def _column(one: Answers) -> Column:
    return Column(
        name=one.label,
        heading=(one.label, SCALE_WORDS[one.scale]),
        digits=2,
        direction=one.direction,
    )


def _cell(one: Answers, editor: int) -> Cell | None:
    """Return the mean of an editor over the samples that somebody answered, or None."""
    found = mean_interval(one.mean[editor], RANGES[one.scale])
    if not found.n:
        return None
    low, high = found.low, found.high
    if low != low or high != high:  # NaN: too few samples for an interval
        return Cell(value=found.value, n=found.n, of=one.mean.shape[1])
    return Cell(value=found.value, low=low, high=high, n=found.n, of=one.mean.shape[1])
