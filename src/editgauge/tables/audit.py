"""Is a published table consistent with itself and with its benchmark's formula?

A printed number stands for an interval: 83.17 for everything that rounds to it. What rounding alone
explains is no contradiction. Benchmarks write `Audit`s: headings and rules.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from editgauge import catalog
from editgauge.errors import DataError, PluginError, UsageError
from editgauge.store import csv_files

_SLACK = 1e-9
_EMPTY = ("", "-")
_MEANS = ("mean", "average")


class Printed(NamedTuple):
    """A number as printed: 83.17 is anything from 83.165 to 83.175 (`half` = 0.005)."""

    value: float
    half: float


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


def total(column: str, of: Sequence[str], weights: Sequence[float], told: str) -> Rule:
    """A column is the weighted sum of others, as far as rounding of all can tell."""

    def rule(cells: Cells) -> Iterator[Claim]:
        if all(name in cells for name in of):
            yield Claim(column, *weighted_sum([cells[name] for name in of], weights), told)

    return rule


def weighted_sum(parts: Sequence[Printed], weights: Sequence[float]) -> tuple[float, float]:
    """Between which ends Σ w·x lies."""
    value = sum(weight * part.value for weight, part in zip(weights, parts, strict=True))
    room = sum(abs(weight) * part.half for weight, part in zip(weights, parts, strict=True))
    return value - room, value + room


class Report(NamedTuple):
    """What an audit of a file found: `checked` claims, a sentence for each that does not hold, and
    what is known of such a table.
    """

    name: str
    checked: int
    inconsistent: list[str]
    remark: str


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

    def __call__(self, path: Path) -> Report:
        lines, checked, wrong = self._lines(path), 0, []
        others = [cells for title, cells in lines if title.lower() not in _MEANS]
        for title, cells in lines:
            rules = [_mean_of(others)] if title.lower() in _MEANS else self.rules
            for column, low, high, rule in (claim for each in rules for claim in each(cells)):
                if column not in cells:
                    continue
                checked += 1
                value, half = cells[column]
                nearest = min(max(value, low), high)
                if abs(value - nearest) > half + _SLACK:
                    wrong.append(
                        f"{title}, {column}: printed {value:g}, by its own numbers "
                        f"{nearest:.4g} (rounding allows {half:.2g}): {rule}"
                    )
        return Report(path.name, checked, wrong, self.remark if wrong else "")

    def _lines(self, path: Path) -> list[tuple[str, dict[str, Printed]]]:
        """The numbers of each line, which is called by its first words; or of each model."""
        headings, records = csv_files.named(path)
        wanted = {*headings} - {*self.turned} if self.turned else {*headings} & {*self.columns}
        lines: list[tuple[str, dict[str, Printed]]] = []
        models: dict[str, dict[str, Printed]] = {name: {} for name in headings if name in wanted}
        for number, line in records:
            cells = {}
            for name in models:
                if (text := line[name].strip()) not in _EMPTY:
                    cells[name] = _printed(text, f"{path.name}, line {number}, {name}")
                    key = " ".join(line[heading] for heading in self.turned)
                    models[name][key] = cells[name]
            title = next((text for name, text in line.items() if text and name not in wanted), "")
            lines.append((title or f"line {number}", cells))
        return list(models.items()) if self.turned else lines


def _printed(text: str, where: str) -> Printed:
    try:
        return Printed(float(text), 0.5 * 10.0 ** -len(text.partition(".")[2]))
    except ValueError:
        raise DataError(f"{where}: wanted a number, found {text[:40]!r}") from None


def _mean_of(others: Sequence[Cells]) -> Rule:
    """What a line called Mean says of the other lines."""

    def rule(cells: Cells) -> Iterator[Claim]:
        for name in cells:
            if values := [other[name] for other in others if name in other]:
                ends = weighted_sum(values, [1 / len(values)] * len(values))
                yield Claim(name, *ends, f"the mean of the {len(values)} lines above")

    return rule


def audited(files: Sequence[Path]) -> list[Report]:
    """The report of each file, by the kind of table whose headings it has; without files those of
    every table that was published for the benchmarks.

    Raises `UsageError` for the headings of no known table, `DataError` for a file that cannot be
    read.
    """
    kinds: list[Audit] = []
    for name in catalog.names("benchmarks"):
        with contextlib.suppress(PluginError):  # another package's fault costs its own audits
            kinds += catalog.find("benchmarks", name).audits()
    if not files:
        return [kind(path) for kind in kinds for path in kind.files]
    reports = []
    for path in files:
        headings, _ = csv_files.named(path)
        fitting = [kind for kind in kinds if kind.headings <= {*headings}]
        if not fitting:
            known = "; ".join(f"{one.kind}: {', '.join(sorted(one.headings))}…" for one in kinds)
            message = f"the headings ({', '.join(headings)[:120]}) are those of no known table"
            raise UsageError(f"{path.name}: {message}. {known}")
        reports.append(max(fitting, key=lambda kind: len(kind.headings))(path))
    return reports
