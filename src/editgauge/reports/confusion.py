"""Judges compared as figures: how often each two scores of two judges came together (extra
`report`). Shades are told by number, too, and read in grey; the counts lie beside each as csv.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge import escape
from editgauge.images import write_bytes
from editgauge.reports.drawing import COLUMN, SETTINGS, matplotlib_of, plain_text, saved
from editgauge.reports.figures import portable

_MOST_VALUES = 21
"""Means over repeats have more values than a figure has room for: such a pair has its csv only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """How often each two scores of two judges met: `counts` of shape (K, K) over the K `values` in
    order, rows the first judge, columns the second.
    """

    metric: str
    first: str
    second: str
    values: Sequence[float]
    counts: NDArray[np.int64]


def write(
    found: Sequence[Met], folder: Path, formats: tuple[str, ...] = ("svg", "png", "pdf")
) -> list[Path]:
    """Draw the confusion figure of each; returns the files, with the csv of each.

    Raises `MissingExtra` without matplotlib, where there is anything to draw.
    """
    if not found:
        return []
    mpl, pyplot = matplotlib_of("figures for papers")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    with mpl.rc_context(SETTINGS):
        wishes = [
            portable(f"confusion-{pair.metric}-{pair.first}-{pair.second}")[:180] for pair in found
        ]
        for pair, name in zip(found, escape.apart(wishes), strict=True):
            table = folder / f"{name}.csv"
            table.unlink(missing_ok=True)
            write_bytes(table, as_csv(pair).encode())
            files.append(table)
            if len(pair.values) <= _MOST_VALUES:
                drawing = drawn(pair, pyplot)
                files += saved(drawing, folder / name, formats)
                pyplot.close(drawing)
    return files


def as_csv(pair: Met) -> str:
    """A line for each two scores that came together: both judges' score and how often."""
    values, counts = pair.values, pair.counts
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["metric", "first_judge", "second_judge", "first", "second", "edits"])
    names = [escape.csv_text(text) for text in (pair.metric, pair.first, pair.second)]
    for row, first in enumerate(values):
        for column, second in enumerate(values):
            writer.writerow([*names, f"{first:g}", f"{second:g}", int(counts[row, column])])
    return stream.getvalue()


def drawn(pair: Met, pyplot: Any) -> Any:
    """The figure, `COLUMN` wide: first judge down, second across; the caller closes it."""
    values, counts = pair.values, pair.counts
    names = [
        "\n".join(textwrap.wrap(name.partition("#")[0], 40)) for name in (pair.first, pair.second)
    ]
    drawing = pyplot.figure(figsize=(COLUMN, COLUMN * 0.95))
    axes = drawing.add_axes((0.22, 0.18, 0.74, 0.7))
    axes.imshow(counts, cmap="Greys", vmin=0, vmax=max(1, int(counts.max()) * 1.4), aspect="auto")
    ticks = [f"{value:g}" for value in values]
    axes.set_xticks(range(len(values)), ticks)
    axes.set_yticks(range(len(values)), ticks)
    axes.set_ylabel(plain_text(names[0]))
    axes.set_xlabel(plain_text(names[1]))
    axes.set_title(plain_text(f"{pair.metric}: {int(counts.sum())} edits"), fontsize=7.5)
    for row in range(len(values)):
        for column in range(len(values)):
            amount = int(counts[row, column])
            dark = amount > 0.7 * counts.max()
            axes.text(column, row, str(amount), ha="center", va="center",
                      fontsize=6 if len(values) < 12 else 4, color="white" if dark else "black",
                      fontweight="bold" if row == column else "normal")  # fmt: skip
    return drawing
