"""The statistics of a set as pictures: what it is made of, as the papers show of theirs.

TextEditBench, figure 3: samples by topic and split, and table 2: the ten attributes of difficulty.
MedEBench, figure 3: samples by organ, and table 5: by organ and task. Any set has each of them, by
its own categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.images import write_bytes
from editgauge.reports.figures import Figure, as_csv, as_text, svg
from editgauge.reports.papers import papers

TITLES: Mapping[str, str] = {
    "state": "Samples by state",
    "topic": "Samples by topic",
    "category": "Samples by category",
    "operation": "Samples by operation",
    "language": "Samples by language",
    "difficulty": "Samples by difficulty",
}
"""Counts that are drawn, and what is said above them."""
_MOST_BARS = 40
_TIERS = ("easy", "medium", "hard")


def figures(told: Mapping[str, Any]) -> list[Figure]:
    """The figures of a set's `statistics.statistics`; none of an empty set."""
    if not told["samples"]:
        return []
    made = []
    for name, title in TITLES.items():
        rows = told["by_kind"] if name == "topic" else {"samples": told["counts"][name]}
        made.append(_bars(name, title, rows))
    shares = told["mask_share"]
    if shares["of"]:
        title = f"Share of the picture that masks cover ({shares['of']} samples)"
        made.append(_bars("mask-share", title, {"samples": shares["histogram"]}, ordered=True))
    if any(any(line.values()) for line in told["attributes"].values()):
        values = {
            value: {name: line[value] for name, line in told["attributes"].items()}
            for value in ("0", "1", "2")
        }
        made.append(_bars("attributes", "Attributes of difficulty", values, ordered=True))
    return made


def write(found: Sequence[Figure], folder: Path, *, for_papers: bool = False) -> list[Path]:
    """Write each figure as SVG with the table behind it as csv; for papers as PDF and PNG, too.
    Returns the files.

    Raises `MissingExtra` without matplotlib where it is `for_papers`.
    """
    if for_papers:
        return papers(found, folder)
    files = []
    for figure in found:
        for ending, text in (("svg", svg(figure)), ("csv", as_csv(figure))):
            path = folder / f"{figure.name}.{ending}"
            write_bytes(path, text.encode())
            files.append(path)
    return files


def shown(found: Sequence[Figure]) -> list[dict[str, str]]:
    """Name, title and text alternative of each figure, for a page."""
    return [{"name": one.name, "title": one.title, "text": as_text(one)} for one in found]


def _bars(
    name: str, title: str, series: Mapping[str, Mapping[str, int]], *, ordered: bool = False
) -> Figure:
    """Bars of counts: series -> label -> samples. The most frequent labels first, unless they have
    an order of their own; of more than `_MOST_BARS` the others are one bar.
    """
    labels = list(dict.fromkeys(label for line in series.values() for label in line))
    total = {label: sum(line.get(label, 0) for line in series.values()) for label in labels}
    if not ordered:
        tiers = {tier: place for place, tier in enumerate(_TIERS)}
        labels.sort(key=lambda label: (tiers.get(label, 9), -total[label], label))
    rest = labels[_MOST_BARS - 1 :] if len(labels) > _MOST_BARS else []
    labels = labels[: len(labels) - len(rest)]
    values = {
        one: [float(line.get(label, 0)) for label in labels]
        + ([float(sum(line.get(label, 0) for label in rest))] if rest else [])
        for one, line in series.items()
    }
    counts = [total[label] for label in labels]
    if rest:
        labels, counts = [*labels, f"{len(rest)} others"], [*counts, sum(total[r] for r in rest)]
    return Figure(
        kind="bars",
        name=name,
        title=title,
        axis="samples",
        labels=tuple(labels),
        series={one: tuple(line) for one, line in values.items()},
        counts=tuple(counts),
    )
