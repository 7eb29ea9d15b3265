"""Is a published table consistent with itself and with its benchmark's formula?

A printed number stands for an interval: 83.17 for everything that rounds to it. A cell is
inconsistent when no numbers behind the printed ones could have given it, so nothing is flagged that
rounding alone explains. Benchmarks write `Audit`s: headings and rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from editgauge import catalog
from editgauge.errors import DataError, EditgaugeError, UsageError
from editgauge.store import csv_files

_SLACK = 1e-9
_MAX_BYTES = 16 * 2**20
_EMPTY = ("", "-", "–", "—", "n/a", "N/A")
_MEANS = ("mean", "average")


class Printed(NamedTuple):
    """A number as printed: 83.17 is anything from 83.165 to 83.175 (`half` = 0.005)."""

    value: float
    half: float


def number(text: str) -> Printed:
    """A cell's number. Raises `ValueError` for anything else."""
    value = float(text)
    if not abs(value) < 1e12:
        raise ValueError(text)
    digits = len(text.partition(".")[2]) if "." in text and "e" not in text.lower() else 0
    return Printed(value, 0.5 * 10.0**-digits)


@dataclass(frozen=True, slots=True)
class Finding:
    """A cell that does not follow: `expected` is what its own numbers give, `allowed` how far
    its own rounding may move it.
    """

    line: str
    cell: str
    printed: float
    expected: float
    allowed: float
    rule: str

    def __str__(self) -> str:
        return (
            f"{self.line}, {self.cell}: printed {self.printed:g}, by its own numbers "
            f"{self.expected:.4g} (rounding allows {self.allowed:.2g}): {self.rule}"
        )


@dataclass(slots=True)
class Report:
    """What an audit of one table found: `checked` comparisons, `remarks` about the whole table."""

    name: str
    kind: str
    checked: int = 0
    findings: list[Finding] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def consistent(self) -> bool:
        return not self.findings


# -- rules -----------------------------------------------------------------------------------------

Cells = Mapping[str, Printed]
"""The numbers of a line by their headings; empty cells are not there."""


class Claim(NamedTuple):
    """A printed number lies between two ends, give or take its own rounding."""

    column: str
    low: float
    high: float
    rule: str


Rule = Callable[[Cells], Iterable[Claim]]
"""What must hold in a line; claims about cells that are empty are passed over."""


def scale(low: float, high: float, *columns: str) -> Rule:
    """Every number of these columns lies on the metric's scale."""
    message = f"the scale is {low:g} to {high:g}"
    return lambda cells: (Claim(name, low, high, message) for name in columns)


def limits(
    column: str, of: Sequence[str], ends: Callable[..., tuple[float, float]], told: str
) -> Rule:
    """A column lies between the `ends` that the numbers of others give."""

    def rule(cells: Cells) -> Iterator[Claim]:
        if all(name in cells for name in of):
            yield Claim(column, *ends(*(cells[name] for name in of)), told)

    return rule


def total(column: str, of: Sequence[str], weights: Sequence[float], told: str) -> Rule:
    """A column is the weighted sum of others, as far as rounding of all can tell."""
    return limits(column, of, lambda *parts: weighted_sum(parts, weights), told)


def weighted_sum(parts: Sequence[Printed], weights: Sequence[float]) -> tuple[float, float]:
    """Between which ends Σ w·x lies."""
    value = sum(weight * part.value for weight, part in zip(weights, parts, strict=True))
    room = sum(abs(weight) * part.half for weight, part in zip(weights, parts, strict=True))
    return value - room, value + room


@dataclass(frozen=True, slots=True)
class Audit:
    """One kind of table: how it is recognised (all of `headings` are there), which of its columns
    are numbers, what holds in each line, and our own copies. `remark`: what is known of a table
    with findings. `turned`: the columns of numbers are models, and the rules get the cells of each
    by the two `turned` headings.
    """

    kind: str
    headings: frozenset[str]
    columns: tuple[str, ...]
    rules: tuple[Rule, ...]
    files: tuple[Path, ...] = ()
    turned: tuple[str, ...] = ()
    remark: str = ""

    def __call__(self, sheet: Sheet) -> Report:
        report = Report(sheet.name, self.kind)
        lines = _turned(sheet, self.turned) if self.turned else sheet.parsed(self.columns)
        others = [cells for title, cells in lines if title.lower() not in _MEANS]
        for title, cells in lines:
            rules = [_mean_of(others)] if title.lower() in _MEANS else self.rules
            for claim in (claim for rule in rules for claim in rule(cells)):
                if (printed := cells.get(claim.column)) is None:
                    continue
                report.checked += 1
                nearest = min(max(printed.value, claim.low), claim.high)
                if abs(printed.value - nearest) > printed.half + _SLACK:
                    found = (printed.value, nearest, printed.half, claim.rule)
                    report.findings.append(Finding(title, claim.column, *found))
        if report.findings and self.remark:
            report.remarks.append(self.remark)
        return report


def _mean_of(others: Sequence[Cells]) -> Rule:
    """What a line called Mean says of the other lines."""

    def rule(cells: Cells) -> Iterator[Claim]:
        for name in cells:
            if values := [other[name] for other in others if name in other]:
                ends = weighted_sum(values, [1 / len(values)] * len(values))
                yield Claim(name, *ends, f"the mean of the {len(values)} lines above")

    return rule


# -- files -----------------------------------------------------------------------------------------


class Sheet(NamedTuple):
    """A table as text: headings, and lines as mappings from heading to text."""

    name: str
    headings: tuple[str, ...]
    lines: tuple[Mapping[str, str], ...]

    def parsed(self, columns: Iterable[str]) -> list[tuple[str, dict[str, Printed]]]:
        """The lines with the numbers of these columns; a line is called by its first cell that is
        not a number. Raises `DataError` for a cell that is none.
        """
        wanted = [column for column in columns if column in self.headings]
        rows = []
        for line in self.lines:
            words = (text for name, text in line.items() if name not in wanted and text)
            title, cells = next(words, "a line"), {}
            for column in wanted:
                try:
                    if line[column] not in _EMPTY:
                        cells[column] = number(line[column])
                except ValueError:
                    message = f"{column!r} of {title}: wanted a number, found {line[column][:40]!r}"
                    raise DataError(f"{self.name}: {message}") from None
            rows.append((title, cells))
        return rows


def _turned(sheet: Sheet, keys: Sequence[str]) -> list[tuple[str, dict[str, Printed]]]:
    """The columns of a table as its lines."""
    lines = sheet.parsed(heading for heading in sheet.headings if heading not in keys)
    models: dict[str, dict[str, Printed]] = {}
    for line, (_, cells) in zip(sheet.lines, lines, strict=True):
        for model, cell in cells.items():
            models.setdefault(model, {})[" ".join(line[key] for key in keys)] = cell
    return list(models.items())


def all_audits() -> list[Audit]:
    """Every kind of table that can be checked, in the order of the benchmarks."""
    kinds: list[Audit] = []
    for name in catalog.names("benchmarks"):
        try:
            kinds += catalog.find("benchmarks", name).audits()
        except EditgaugeError:
            if name in catalog.BENCHMARKS:
                raise  # another package's fault costs its own audits and nothing else
    return kinds


def audited(kinds: Sequence[Audit], path: Path) -> Report:
    """The report of a file, by the kind of table whose headings it has. Raises `UsageError` where
    they are those of none, `DataError` for a file that cannot be read.
    """
    sheet = read_sheet(path)
    fitting = [kind for kind in kinds if kind.headings <= set(sheet.headings)]
    if not fitting:
        known = "; ".join(f"{kind.kind}: {', '.join(sorted(kind.headings))}…" for kind in kinds)
        message = f"the headings ({', '.join(sheet.headings)[:120]}) are those of no known table"
        raise UsageError(f"{sheet.name}: {message}. {known}")
    return max(fitting, key=lambda kind: len(kind.headings))(sheet)


def read_sheet(path: Path) -> Sheet:
    """The table of a csv file. Raises `DataError` when it cannot be read, is empty, has a heading
    twice, or a line of another length.
    """
    every = csv_files.records(path, delimiter=",", most_bytes=_MAX_BYTES)
    table = [(line, [cell.strip() for cell in cells]) for line, cells in every if any(cells)]
    if len(table) < 2:
        message = f"wanted a line of headings and lines of numbers, found {len(table)} line(s)"
        raise DataError(f"{path.name}: {message}")
    (_, headings), *lines = table
    if double := [heading for heading in headings if headings.count(heading) > 1]:
        raise DataError(f"{path.name}: the heading {double[0]!r} is there twice")
    for place, cells in lines:
        if len(cells) != len(headings):
            message = f"{len(cells)} cells under {len(headings)} headings"
            raise DataError(f"{path.name}, line {place}: {message}")
    named = (dict(zip(headings, cells, strict=True)) for _, cells in lines)
    return Sheet(path.name, tuple(headings), tuple(named))
