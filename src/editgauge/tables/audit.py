"""Is a published table consistent with itself and its benchmark's formula? A printed number stands
for all that rounds to it: what rounding alone explains is no contradiction.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from editgauge import catalog
from editgauge.errors import PluginError
from editgauge.tables.spec import records

_SLACK = 1e-9
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
    """Published tables with the columns `model` and `columns`, and what holds in each line.
    `turned`: models are columns, and the rules get the cells of each by the two `turned` headings.
    `remark`: what is known of a table with findings.
    """

    files: tuple[Path, ...]
    columns: tuple[str, ...]
    rules: tuple[Rule, ...]
    turned: tuple[str, ...] = ()
    remark: str = ""

    def __call__(self, path: Path) -> Report:
        lines, checked, wrong = self._lines(path), 0, []
        others = [cells for title, cells in lines.items() if title.lower() not in _MEANS]
        for title, cells in lines.items():
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

    def _lines(self, path: Path) -> dict[str, dict[str, Printed]]:
        lines: dict[str, dict[str, Printed]] = {}
        for line in records(path):
            key = " ".join(line[heading] for heading in self.turned)
            models = [name for name in line if name not in self.turned]
            for name in models if self.turned else self.columns:
                model, column = (name, key) if self.turned else (line["model"], name)
                if line[name] not in ("", "-"):
                    half = 0.5 * 10.0 ** -len(line[name].partition(".")[2])
                    lines.setdefault(model, {})[column] = Printed(float(line[name]), half)
        return lines


def _mean_of(others: Sequence[Cells]) -> Rule:
    """What a line called Mean says of the other lines."""

    def rule(cells: Cells) -> Iterator[Claim]:
        for name in cells:
            values = [other[name] for other in others]
            ends = weighted_sum(values, [1 / len(values)] * len(values))
            yield Claim(name, *ends, f"the mean of the {len(values)} lines above")

    return rule


def reports() -> list[Report]:
    """The report of every table that was published for the benchmarks."""
    kinds: list[Audit] = []
    for name in catalog.names("benchmarks"):
        with contextlib.suppress(PluginError):  # another package's fault costs its own audits
            kinds += catalog.find("benchmarks", name).audits()
    return [kind(path) for kind in kinds for path in kind.files]
