"""One benchmark of a report: what it is made of, and its data files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.catalog import is_anchor
from editgauge.reports import details, facts, overview, thumbs
from editgauge.reports.places import Places
from editgauge.reports.scripts import as_bytes, as_floats, write_script
from editgauge.store.run import Run
from editgauge.tables.draw import as_json
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import STATUSES, Results
from editgauge.tables.table import Table
from editgauge.types import Metric, Plot


@dataclass(frozen=True, slots=True)
class Part:
    """One benchmark of a report: its rows, its tables, what is known of its metrics, what it is
    called, what it is about, and what its paper plots.
    """

    frame: Results
    tables: Sequence[Table] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    _: KW_ONLY
    title: str = ""
    about: str = ""
    plots: Sequence[Plot] = ()
    study: Mapping[str, Any] | None = None
    """What people said, as `study.reporting.reported` gives it."""


def write(
    part: Part, number: int, folder: Path, places: Places, runs: Sequence[Run]
) -> dict[str, Any]:
    """Write a benchmark's data files into `folder`; what the page's first file says of it. `number`
    is its place in the report.
    """
    frame = part.frame
    columns = list(facts.columns(frame, part.metrics))
    for index, column in enumerate(columns):
        write_script(
            folder / f"column-{index}.js",
            f"{number}/column/{index}",
            {
                "values": as_floats(column.pop("values")),
                "status": as_bytes(column.pop("status_codes")),
            },
        )
    attributes, codes = facts.attributes(frame)
    edits = places.edits(frame.benchmark)
    state = np.full((len(frame.editors), len(frame.samples)), 255, np.uint8)
    back = np.zeros(state.shape, np.bool_)
    order = {status.value: code for code, status in enumerate(STATUSES)}
    there = thumbs.present(places.to / "thumbs" / str(number), frame)
    marks = overview.marks(frame, edits)
    for row, editor in enumerate(frame.editors):
        for column_number, sample in enumerate(frame.samples.ids):
            record = edits.get((sample, editor))
            if record is not None:
                state[row, column_number] = order[record.status.value]
                back[row, column_number] = record.given_back is True
    write_script(
        folder / "index.js",
        f"{number}/index",
        {
            "ids": list(frame.samples.ids),
            "codes": codes,
            "edits": [as_bytes(row) for row in state],
            "marks": [as_bytes(row) for row in marks],
            "back": [as_bytes(row.astype(np.uint8)) for row in back],
            "thumbs": {
                slot: as_bytes(np.packbits(flags, bitorder="little"))
                for slot, flags in there.items()
            },
        },
    )
    instructions = [
        str(record.get("instruction") or "") for record in frame.samples.records.values()
    ]
    write_script(folder / "text.js", f"{number}/text", [text[:2000] for text in instructions])
    shards = _write_details(part, columns, number, folder, places, runs)
    return {
        "name": frame.benchmark,
        "title": part.title or frame.benchmark,
        "about": part.about,
        "samples": len(frame.samples),
        "editors": list(frame.editors),
        "anchors": [editor for editor in frame.editors if is_anchor(editor)],
        "columns": columns,
        "attributes": attributes,
        "tables": [as_json(table) for table in part.tables],
        "shards": shards,
        "metrics": facts.described(part.metrics),
        "overview": overview.overview(frame, part.metrics, part.tables, marks, part.plots),
        "coverage": facts.coverage(frame, marks),
        "cost": facts.cost(frame, edits),
        "models": facts.models(frame),
        "study": _study(part, number, folder),
    }


def _study(part: Part, number: int, folder: Path) -> dict[str, Any] | None:
    """Writes what people said; returns what every view needs of it, None where nobody did."""
    if part.study is None:
        return None
    questions = [
        {**question, "metrics": [_printed(metric, part.metrics) for metric in question["metrics"]]}
        for question in part.study["questions"]
    ]
    write_script(folder / "study.js", f"{number}/study", {**part.study, "questions": questions})
    return {"tables": part.study["tables"]}


def _printed(metric: Mapping[str, Any], known: Mapping[str, Metric]) -> dict[str, Any]:
    """What machines said of outputs that people rated, on the scale of print."""
    about = known.get(metric["metric"])
    if about is None or not about.printed:
        return dict(metric)
    values = [
        None if value is None else float(on_scale(about, value)) for value in metric["values"]
    ]
    return {**metric, "values": values}


def _write_details(
    part: Part,
    columns: Sequence[Mapping[str, Any]],
    number: int,
    folder: Path,
    places: Places,
    runs: Sequence[Run],
) -> dict[str, Any]:
    """The shards, each of some 200 kB; returns how many there are and how many samples each
    holds.
    """
    frame, metrics = part.frame, part.metrics
    column_of = {
        (c["editor"], c["metric"], c["variant"], c["source"]): i for i, c in enumerate(columns)
    }
    size = details.shard_size(len(frame), len(frame.samples))
    shard: list[Any] = []
    count = 0
    for sample in details.samples(frame, runs, places, column_of, metrics):
        shard.append(sample)
        if len(shard) == size:
            write_script(folder / f"detail-{count}.js", f"{number}/detail/{count}", shard)
            count, shard = count + 1, []
    if shard:
        write_script(folder / f"detail-{count}.js", f"{number}/detail/{count}", shard)
        count += 1
    return {"size": size, "count": count}
