"""What a report says of one benchmark beside its samples, as JSON values: the columns of scores,
the attributes that samples are filtered by, its metrics, and how far each editor came.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.reports.scripts import as_bytes
from editgauge.store.schema import EditRecord
from editgauge.tables.metrics import on_scale, titles, unknown
from editgauge.tables.results import STATUSES, Key, Results
from editgauge.types import Metric, Status


def columns(frame: Results, metrics: Mapping[str, Metric]) -> Iterator[dict[str, Any]]:
    """Every (metric, variant, source) that has rows, for every editor, with its values in the order
    of the samples.
    """
    for metric, variant, source in sorted({key[:3] for key in frame.cubes}):
        grid = frame.of_source(source).grid(metric, variant)
        if (grid.status < 0).all():
            continue
        about = metrics.get(metric) or unknown(metric)
        if about.whole_set:
            continue
        values = on_scale(about, grid.values)
        for row, editor in enumerate(frame.editors):
            if (grid.status[row] < 0).all():
                continue
            status = np.where(grid.status[row] < 0, 255, grid.status[row]).astype(np.uint8)
            yield {
                "editor": editor,
                "metric": metric,
                "variant": variant,
                "source": source,
                "scored": int((status == 0).sum()),
                "values": values[row],
                "status_codes": status,
            }


def attributes(frame: Results) -> tuple[list[dict[str, Any]], list[str]]:
    """What samples are filtered and sorted by: for each the values there are, and one code a sample
    (16 bits).
    """
    about, codes = [], []
    for name in frame.samples.names():
        labels = frame.samples.labels(name)
        values, code = np.unique(labels, return_inverse=True)
        if len(values) > 2000 or (len(values) == 1 and values[0] == ""):
            continue  # free text, or nothing: no use as a filter
        texts = [str(value) for value in values]
        numeric = all(_is_number(text) for text in texts if text)
        if numeric:
            order = sorted(
                range(len(texts)), key=lambda i: float(texts[i]) if texts[i] else float("-inf")
            )
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            texts, code = [texts[i] for i in order], place[code]
        about.append({"name": name, "values": texts, "numeric": numeric})
        codes.append(as_bytes(np.ascontiguousarray(code, dtype="<u2")))
    return about, codes


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def described(metrics: Mapping[str, Metric]) -> dict[str, dict[str, Any]]:
    """What a reader is told of each metric, and how its numbers are printed."""
    names = titles(metrics)
    return {
        name: {
            "title": names[name],
            "direction": metric.direction,
            "range": [_end(on_scale(metric, metric.low)), _end(on_scale(metric, metric.high))],
            "digits": metric.digits,
            "unit": metric.unit,
            "note": metric.note,
            "plain": metric.plain,
            "keeps": metric.keeps,
            "whole_set": metric.whole_set,
        }
        for name, metric in metrics.items()
    }


def _end(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def coverage(frame: Results, marks: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """For each editor how many samples have a row, or an output, of each status (a sample that has
    two statuses counts for both), and in which metrics, where not in all of them.
    """
    machine = frame.without_people().cubes
    have = {
        key: [(cube.status == code).any(axis=(0, 2)) for code in range(-1, len(STATUSES))]
        for key, cube in machine.items()
    }
    amounts: dict[str, NDArray[np.int64]] = {}
    metrics: dict[str, NDArray[np.bool_]] = {}
    every = _metrics(frame, {key: np.any(found[1:], axis=0) for key, found in have.items()})
    for code, status in enumerate(STATUSES):
        amounts[status.value] = (marks >> code & 1).sum(axis=1, dtype=np.int64)
        metrics[status.value] = _metrics(frame, {k: mine[code + 1] for k, mine in have.items()})
    found = []
    for row, editor in enumerate(frame.editors):
        counts = {status: int(n[row]) for status, n in amounts.items() if n[row]}
        where = {}
        for name in counts:
            mine = metrics[name][row]
            if (mine != every[row]).any():
                where[name] = [frame.metrics[metric] for metric in np.flatnonzero(mine)]
        found.append({"editor": editor, "counts": counts, "metrics": where})
    return found


def _metrics(frame: Results, of: Mapping[Key, Any]) -> NDArray[np.bool_]:
    """(E, M): the editors of which `of` is true in any key of a metric."""
    found = np.zeros((len(frame.editors), len(frame.metrics)), np.bool_)
    for key, mine in of.items():
        found[:, frame.metrics.index(key.metric)] |= mine
    return found


def models(frame: Results) -> list[dict[str, Any]]:
    """What ``models.toml`` says of the editors: size, licence, and whether several pictures are
    taken (None where nobody says); those of which it says nothing are left out.
    """
    known = {editor: frame.models.of(editor) for editor in frame.editors}
    return [
        {
            "editor": editor,
            "params": one.params,
            "licence": one.licence,
            "several_images": one.several_images,
        }
        for editor, one in known.items()
        if one.params or one.licence or one.several_images is not None
    ]


def cost(frame: Results, edits: Mapping[tuple[str, str], EditRecord]) -> list[dict[str, Any]]:
    """Seconds and dollars an editor took, over the outputs for which they are known."""
    by_editor: dict[str, list[EditRecord]] = {editor: [] for editor in frame.editors}
    for (_, editor), record in edits.items():
        if editor in by_editor:
            by_editor[editor].append(record)
    found = []
    for editor, mine in by_editor.items():
        seconds = [record.seconds for record in mine if record.seconds is not None]
        costs = [record.cost for record in mine if record.cost is not None]
        found.append(
            {
                "editor": editor,
                "outputs": sum(record.status is Status.SCORED for record in mine),
                "given_back": sum(record.given_back is True for record in mine),
                "seconds": sum(seconds) / len(seconds) if seconds else None,
                "cost": sum(costs) if costs else None,
            }
        )
    return found
