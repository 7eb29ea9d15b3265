"""One benchmark of a report: its rows and tables, and the data files that the page reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.catalog import is_anchor
from editgauge.diagnosis import failures
from editgauge.reports import details
from editgauge.reports.overview import link, overview
from editgauge.reports.pictures import Pictures, present
from editgauge.reports.scripts import number, packed, write_script
from editgauge.store.run import Run
from editgauge.tables import reading
from editgauge.tables.build import Shown
from editgauge.tables.draw import as_json
from editgauge.tables.layouts import every_table, papers_first, tables
from editgauge.tables.metrics import benchmark_of, metrics_of, on_scale, titles, unknown
from editgauge.tables.results import STATUSES, Results
from editgauge.tables.rows import without_training
from editgauge.tables.sheet import Sheet
from editgauge.tables.slices import in_order
from editgauge.tables.table import Table
from editgauge.types import VARIANTS, JsonObject, Metric, Plot, Status, Variant

_MOST_VALUES = 2000
"""An attribute of more values is free text: no use as a filter."""
_TOLD = ("direction", "digits", "unit", "note", "plain", "keeps")
"""What a reader is told of a metric."""
_CODE = {status: code for code, status in enumerate(STATUSES)}


@dataclass(frozen=True, slots=True)
class Part:
    """One benchmark of a report. `people`: one sentence on what people said, "" where none did."""

    frame: Results
    tables: Sequence[Table] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    _: KW_ONLY
    title: str
    about: str = ""
    plots: Sequence[Plot] = ()
    published: bool = False
    people: str = ""


def part(runs: Sequence[Run], name: str, *, published: bool, intervals: bool) -> Part:
    """A benchmark's part of a report on these runs, with the papers' lines and intervals or not."""
    frame = without_training(reading.of_runs(runs, name), runs)
    benchmark, shown = benchmark_of(name), Shown(published=published, intervals=intervals)
    listed: list[Table] = []
    for side in frame.without_people().sides():
        for table in (one for variant in VARIANTS for one in _tables(side, variant, shown)):
            same = (t for t in listed if (t.name, t.source) == (table.name, table.source))
            if table.rows not in [t.rows for t in same]:  # of one variant only it says it once
                listed.append(table)
    if frame.makers():
        listed = papers_first(listed)
    listed += failures.tables(frame, failures.recorded(runs, name), intervals=intervals)
    return Part(
        frame,
        listed,
        metrics_of(frame),
        title=name if benchmark is None else benchmark.title,
        about="" if benchmark is None else benchmark.about,
        plots=() if benchmark is None else benchmark.figures,
        published=published,
    )


def _tables(side: Results, variant: Variant, shown: Shown) -> Iterator[Table]:
    """The benchmark's tables, each with where its numbers come from: see `overview.link`."""
    papers = {paper.name: paper for paper in every_table(side)}
    source = "" if side.side is None else side.side.source
    for table in tables(side, variant, shown, among=VARIANTS):
        paper = papers.get(table.name)
        fields = Sheet(side, paper, variant).fields if paper is not None else ()
        links = {one.column.name: link(side, one) for one in fields if one.spec.of}
        yield replace(table, meta={**table.meta, "links": links, "made_by": source})


# -- data files ------------------------------------------------------------------------------------


def write(part: Part, at: int, folder: Path, pictures: Pictures, runs: Sequence[Run]) -> JsonObject:
    """Write a benchmark's data files; what the page's first file says of it. `at`: its place."""
    frame, columns = part.frame, []

    def put(name: str, value: Any) -> None:
        write_script(folder / f"{name}.js", f"{at}/{name.replace('-', '/')}", value)

    for place, (column, values, status) in enumerate(_columns(frame, part.metrics)):
        put(f"column-{place}", {"values": packed(values.astype("<f4")), "status": packed(status)})
        columns.append(column)
    attributes, codes = _attributes(frame)
    outputs = _outputs(frame, pictures)
    packed_outputs = {name: [*map(packed, lines)] for name, lines in outputs.items()}
    there = present(pictures.to / "thumbs" / str(at), frame)
    thumbs = {slot: packed(np.packbits(f, bitorder="little")) for slot, f in there.items()}
    index = {"ids": frame.samples.ids, "codes": codes, "thumbs": thumbs, **packed_outputs}
    put("index", index)
    records = frame.samples.records.values()
    put("text", [str(record.get("instruction") or "")[:2000] for record in records])
    keys = ("editor", "metric", "variant", "source")
    places = {tuple(column[key] for key in keys): at for at, column in enumerate(columns)}
    samples = details.samples(frame, runs, pictures, places, part.metrics)
    size = details.shard_size(frame)
    for count, shard in enumerate(iter(lambda: [*islice(samples, size)], [])):
        put(f"detail-{count}", shard)
    coverage = _coverage(frame, outputs["marks"], pictures)
    facts = {"columns": columns, "attributes": attributes, "shard": size, "coverage": coverage}
    return _about(part) | facts


def _about(part: Part) -> JsonObject:
    """What the page's first file says of a benchmark, whatever data files there are."""
    frame = part.frame
    return {
        "name": frame.benchmark,
        "title": part.title,
        "about": part.about,
        "samples": len(frame.samples),
        "used": frame.used(),
        "editors": frame.editors,
        "anchors": [*filter(is_anchor, frame.editors)],
        "tables": [*map(as_json, part.tables)],
        "metrics": _described(part.metrics),
        "overview": {
            **overview(frame, part.metrics, part.tables, part.plots),
            "people": _people(part),
        },
    }


def _people(part: Part) -> JsonObject | None:
    """Who rated the outputs: how many people, how many outputs, and how well they agree."""
    ratings = part.frame.only_people()
    if not len(ratings):
        return None
    rated = np.zeros((len(ratings.editors), len(ratings.samples)), np.bool_)
    people = set()
    for key, cube in ratings.cubes.items():
        scored = cube.status == _CODE[Status.SCORED]
        if scored.any():
            people.add(key.source)
            rated |= scored.any(axis=0)
    return {"annotators": len(people), "outputs": int(rated.sum()), "sentence": part.people}


def _columns(
    frame: Results, metrics: Mapping[str, Metric]
) -> Iterator[tuple[JsonObject, NDArray[np.float64], NDArray[np.uint8]]]:
    """Every (metric, variant, source) that has rows, for every editor: what it is, its values on
    the scale of print and its statuses (255: no row).
    """
    for metric, variant, source in sorted({key[:3] for key in frame.cubes}):
        about = metrics.get(metric) or unknown(metric)
        if about.whole_set:
            continue
        grid = frame.of_source(source).grid(metric, variant, partial(on_scale, about))
        for row, editor in enumerate(frame.editors):
            status = np.where(grid.status[row] < 0, 255, grid.status[row]).astype(np.uint8)
            if (status < 255).any():
                names = {"editor": editor, "metric": metric, "variant": variant, "source": source}
                yield {**names, "scored": int((status == 0).sum())}, grid.values[row], status


def _attributes(frame: Results) -> tuple[list[JsonObject], list[str]]:
    """What samples are filtered and sorted by: values, and one code a sample (16 bits)."""
    about, codes = [], []
    for name in frame.samples.names():
        values, code = np.unique(frame.samples.labels(name), return_inverse=True)
        if len(values) > _MOST_VALUES or (len(values) == 1 and values[0] == ""):
            continue
        texts = in_order(map(str, values))
        place = np.array([texts.index(str(value)) for value in values])
        numeric = all(math.isfinite(number(text)) for text in texts if text)
        about.append({"name": name, "values": texts, "numeric": numeric})
        codes.append(packed(place[code].astype("<u2")))
    return about, codes


def _outputs(frame: Results, pictures: Pictures) -> dict[str, NDArray[Any]]:
    """Of every output (E, S): `edits`, its status (255: none is known); `marks`, which statuses its
    rows and it have (bit k for ``STATUSES[k]``; not people's); `back`: it is the input, given back.
    """
    shape = (len(frame.editors), len(frame.samples))
    state, marks = np.full(shape, 255, np.uint8), np.zeros(shape, "<u2")
    back = np.zeros(shape, np.uint8)
    for cube in frame.without_people().cubes.values():
        bits = np.where(cube.status < 0, 0, 1 << np.maximum(cube.status, 0).astype(np.uint16))
        marks |= np.bitwise_or.reduce(bits.astype(np.uint16), axis=0)
    for row, editor in enumerate(frame.editors):
        for at, sample in enumerate(frame.samples.ids):
            record = pictures.edits.get(sample, {}).get(editor)
            if record is not None:
                code = _CODE[record.status]
                state[row, at], back[row, at] = code, record.given_back is True
                marks[row, at] |= (1 << code) * (record.status is not Status.SCORED)
    return {"edits": state, "marks": marks, "back": back}


def _described(metrics: Mapping[str, Metric]) -> dict[str, JsonObject]:
    """What a reader is told of each metric, and how its numbers are printed."""
    names = titles(metrics)
    return {
        name: {
            **{fact: getattr(metric, fact) for fact in _TOLD},
            "title": names[name],
            "range": [
                float(end) if math.isfinite(end) else None
                for end in (on_scale(metric, metric.low), on_scale(metric, metric.high))
            ],
        }
        for name, metric in metrics.items()
    }


def _coverage(frame: Results, marks: NDArray[np.uint16], pictures: Pictures) -> list[JsonObject]:
    """For each editor how many samples have a row, or an output, of each status (two statuses count
    for both), in which metrics where not in all, and its outputs, with seconds each and dollars.
    """
    cubes, rows = frame.without_people().cubes.items(), []
    for row, editor in enumerate(frame.editors):
        having = {
            code: {key.metric for key, cube in cubes if (cube.status[:, row] == code).any()}
            for code in range(len(STATUSES))
        }
        every = set().union(*having.values())
        counts = {one.value: int((marks[row] >> code & 1).sum()) for one, code in _CODE.items()}
        edits = [edits[editor] for edits in pictures.edits.values() if editor in edits]
        seconds = [edit.seconds for edit in edits if edit.seconds is not None]
        costs = [edit.cost for edit in edits if edit.cost is not None]
        rows.append(
            {
                "editor": editor,
                "counts": {status: n for status, n in counts.items() if n},
                "metrics": {one.value: sorted(having[code]) if having[code] != every else []
                            for one, code in _CODE.items()},
                "outputs": sum(edit.status is Status.SCORED for edit in edits),
                "given_back": sum(edit.given_back is True for edit in edits),
                "seconds": sum(seconds) / len(seconds) if seconds else None,
                "cost": sum(costs) if costs else None,
            }
        )  # fmt: skip
    return rows
