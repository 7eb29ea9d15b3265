"""Is a published table consistent with itself and with its benchmark's formula? The parts that
every audit uses.

A printed number stands for an interval: 83.17 for everything that rounds to it. A cell is
inconsistent when no numbers behind the printed ones could have given it, so nothing is flagged that
rounding alone explains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from editgauge import catalog
from editgauge.errors import DataError, EditgaugeError, UsageError
from editgauge.store import csv_files

_SLACK = 1e-9
_MAX_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Finding:
    """A cell that does not follow: `expected` is what its own numbers give, `allowed` how far
    rounding may move it.
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
            f"{self.expected:.4g} "
            f"(rounding allows {self.allowed:.2g}): {self.rule}"
        )


@dataclass(slots=True)
class Report:
    """What an audit of one table found. `checked` counts comparisons; `remarks` are findings about
    the whole table.
    """

    name: str
    kind: str
    checked: int = 0
    findings: list[Finding] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def consistent(self) -> bool:
        return not self.findings

    def equal(
        self, line: str, cell: str, printed: Printed, expected: float, allowed: float, rule: str
    ) -> None:
        """The printed number is the expected one, as far as rounding of both can tell."""
        self.checked += 1
        room = allowed + printed.half
        if abs(printed.value - expected) > room + _SLACK:
            self.findings.append(Finding(line, cell, printed.value, expected, room, rule))

    def between(
        self, line: str, cell: str, printed: Printed, low: float, high: float, rule: str
    ) -> None:
        """The printed number lies in [low, high], give or take its own rounding."""
        self.checked += 1
        nearest = min(max(printed.value, low), high)
        if abs(printed.value - nearest) > printed.half + _SLACK:
            self.findings.append(Finding(line, cell, printed.value, nearest, printed.half, rule))


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as printed: 83.17 is anything from 83.165 to 83.175 (`half` = 0.005)."""

    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Sheet:
    """A published table as text: headings, and lines as mappings from heading to text."""

    name: str
    headings: tuple[str, ...]
    lines: tuple[Mapping[str, str], ...]

    def number(self, line: Mapping[str, str], heading: str) -> Printed | None:
        """The number of a cell; None where the cell is empty or a dash. Raises `DataError` for
        anything else.
        """
        text = (line.get(heading) or "").strip()
        if text in ("", "-", "–", "—", "n/a", "N/A"):
            return None
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not abs(value) < 1e12:
            raise DataError(
                f"{self.name}: {heading!r} of {self.title(line)}: wanted a number, found "
                f"{text[:40]!r}"
            )
        digits = len(text.partition(".")[2]) if "." in text and "e" not in text.lower() else 0
        return Printed(value, 0.5 * 10.0**-digits)

    def title(self, line: Mapping[str, str]) -> str:
        """What a line is called: its first cell that is not a number."""
        return next((text for text in line.values() if text and not _numeric(text)), "a line")

    def numbers(self, line: Mapping[str, str], headings: Sequence[str]) -> list[Printed] | None:
        """Several cells, or None when one of them is empty."""
        found = [self.number(line, heading) for heading in headings]
        return (
            None
            if any(item is None for item in found)
            else [item for item in found if item is not None]
        )


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Audit:
    """One kind of table: how it is recognised (all of `headings` are there), what is checked, and
    our own copies.
    """

    kind: str
    headings: frozenset[str]
    check: Callable[[Sheet, Report], None]
    files: tuple[Path, ...] = ()

    def __call__(self, sheet: Sheet) -> Report:
        report = Report(sheet.name, self.kind)
        self.check(sheet, report)
        return report


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


def choose(kinds: Sequence[Audit], headings: tuple[str, ...], name: str, wanted: str) -> Audit:
    """The kind that a table is of. Raises `UsageError` when the headings are those of none, or the
    word of none.
    """
    if wanted:
        named = [kind for kind in kinds if kind.kind == wanted]
        if not named:
            raise UsageError(
                f"--as {wanted!r}: wanted one of: {'; '.join(kind.kind for kind in kinds)}"
            )
        missing = sorted(named[0].headings - set(headings))
        if missing:
            raise UsageError(
                f"{name}: a table of {wanted!r} has headings {', '.join(missing)}, which are not "
                f"there"
            )
        return named[0]
    fitting = [kind for kind in kinds if kind.headings <= set(headings)]
    if not fitting:
        known = "; ".join(f"{kind.kind}: {', '.join(sorted(kind.headings))}…" for kind in kinds)
        raise UsageError(
            f"{name}: the headings ({', '.join(headings)[:120]}) are those of no known table. "
            f"{known}"
        )
    return max(fitting, key=lambda kind: len(kind.headings))


def read_sheets(path: Path) -> list[Sheet]:
    """The tables of a csv file, as `editgauge table --format csv` writes them: each after an empty
    line and with headings of its own, whose first is that of the file's first table. An empty line
    before anything else separates nothing.

    Raises `DataError` when it cannot be read, is empty, or has a heading twice.
    """
    tables: list[list[tuple[int, list[str]]]] = [[]]
    apart = False
    for number, cells in _lines(path):
        if not any(cells):
            apart = True
            continue
        first = tables[0][0][1][0] if tables[0] else ""
        if apart and tables[-1] and cells[0] == first:
            tables.append([])
        tables[-1].append((number, cells))
        apart = False
    several = len(tables) > 1
    return [
        _sheet(f"{path.name}, table {number}" if several else path.name, table)
        for number, table in enumerate(tables, start=1)
    ]


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a csv file by their numbers, cells without the spaces around them."""
    for number, cells in csv_files.records(path, delimiter=",", most_bytes=_MAX_BYTES):
        yield number, [cell.strip() for cell in cells]


def _sheet(name: str, table: Sequence[tuple[int, list[str]]]) -> Sheet:
    if len(table) < 2:
        raise DataError(
            f"{name}: wanted a line of headings and lines of numbers, found {len(table)} line(s)"
        )
    headings = table[0][1]
    double = next((heading for heading, count in Counter(headings).items() if count > 1), None)
    if double is not None:
        raise DataError(f"{name}: the heading {double!r} is there twice")
    lines = []
    for number, line in table[1:]:
        if len(line) != len(headings):
            raise DataError(
                f"{name}, line {number}: {len(line)} cells under {len(headings)} headings"
            )
        lines.append(dict(zip(headings, line, strict=True)))
    return Sheet(name, tuple(headings), tuple(lines))


def audited(kinds: Sequence[Audit], path: Path, wanted: str = "") -> tuple[list[Report], list[str]]:
    """The reports of a file's tables, and the names of those that are of no kind that is checked.

    Raises `UsageError` where none is, `DataError` for a file that cannot be read.
    """
    sheets = read_sheets(path)
    reports, others = [], []
    for sheet in sheets:
        try:
            kind = choose(kinds, sheet.headings, sheet.name, wanted)
        except UsageError:
            if len(sheets) == 1:
                raise
            others.append(sheet.name)
            continue
        reports.append(kind(sheet))
    if not reports:
        choose(kinds, sheets[0].headings, sheets[0].name, wanted)
    return reports, others


def models(
    sheet: Sheet, report: Report, columns: Sequence[str], *, name: str = "model"
) -> Iterator[Mapping[str, str]]:
    """The lines of models; a line called Mean is checked to be their mean and not given on."""
    ordinary: list[Mapping[str, str]] = []
    means: list[Mapping[str, str]] = []
    for line in sheet.lines:
        (means if line[name].lower() in ("mean", "average") else ordinary).append(line)
    for line in means:
        _check_mean(sheet, report, line, ordinary, columns)
    yield from ordinary


def _check_mean(
    sheet: Sheet,
    report: Report,
    line: Mapping[str, str],
    others: Sequence[Mapping[str, str]],
    columns: Sequence[str],
) -> None:
    for column in columns:
        printed = sheet.number(line, column)
        values = [value for other in others if (value := sheet.number(other, column)) is not None]
        if printed is not None and values:
            mean = sum(value.value for value in values) / len(values)
            room = sum(value.half for value in values) / len(values)
            report.equal(
                sheet.title(line),
                column,
                printed,
                mean,
                room,
                f"the mean of the {len(values)} lines above",
            )


def within(
    sheet: Sheet,
    report: Report,
    line: Mapping[str, str],
    columns: Sequence[str],
    low: float,
    high: float,
) -> None:
    """Every number of these columns lies on the metric's scale."""
    for column in columns:
        printed = sheet.number(line, column)
        if printed is not None:
            report.between(
                sheet.title(line), column, printed, low, high, f"the scale is {low:g} to {high:g}"
            )


def weighted_sum(parts: Sequence[Printed], weights: Sequence[float]) -> tuple[float, float]:
    """Σ w·x, and how far the rounding of the parts may have moved it."""
    value = sum(weight * part.value for weight, part in zip(weights, parts, strict=True))
    return value, sum(abs(weight) * part.half for weight, part in zip(weights, parts, strict=True))
