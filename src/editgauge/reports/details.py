"""What the page shows of a sample: texts, pictures, every row with its reason and raw reply."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from editgauge.errors import ImageError, RunError
from editgauge.images import read_header
from editgauge.reports.pictures import Pictures
from editgauge.store import parquet, replies, schema
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import Results
from editgauge.types import JsonMapping, JsonObject, Metric

_TEXTS = (
    "instruction", "source_text", "target_text", "caption", "knowledge", "change", "concept",
    "rephrased",
)  # fmt: skip
_SHOWN = (
    "status", "reason", "width", "height", "given_back", "seed", "settings", "seconds", "cost",
    "instruction", "detail",
)  # fmt: skip
"""What of the record of an output the page has."""
ColumnKey = tuple[str, ...]  # editor, metric, variant and source


def shard_size(frame: Results) -> int:
    """How many samples a file holds so that it is about 200 kB."""
    each = 400 + 60 * len(frame) / max(1, len(frame.samples))
    return max(1, min(500, int(200_000 / each)))


def samples(
    frame: Results,
    runs: Sequence[Run],
    pictures: Pictures,
    column_of: Mapping[ColumnKey, int],
    metrics: Mapping[str, Metric],
) -> Iterator[JsonObject]:
    """Every sample of the frame, in its order, as JSON; memory does not grow with their number."""
    with contextlib.ExitStack() as stack:
        stores = []
        for run in runs:
            if run.replies_path.exists():
                try:
                    paid, faults = replies.reading(run.replies_path)
                except RunError as error:
                    run.note(f"{error}; the report has none of these replies")
                    continue
                stores.append(stack.enter_context(paid))
                for fault in faults:
                    run.note(f"{run.replies_path.name}: {fault}; see: editgauge check {run.place}")
        rows = stack.enter_context(_rows(frame, runs, column_of, metrics, stores))
        for (identity, record), mine in zip(frame.samples.records.items(), rows, strict=True):
            outputs = pictures.edits.get(identity, {}).items()
            edits = {editor: _known(edit, pictures) for editor, edit in outputs}
            yield {**_facts(record, pictures), "edits": edits, "rows": mine}


def _facts(record: JsonMapping, pictures: Pictures) -> JsonObject:
    images = list(record.get("images") or ())
    masks = (record.get("masks") or {}).items()
    first, size = pictures.file(images[0] if images else None), None
    if first is not None:
        with contextlib.suppress(ImageError):
            header = read_header(first)
            size = [header.width, header.height]
    return {
        "id": record["id"],
        **{name: str(record[name]) for name in _TEXTS if record.get(name)},
        "images": [pictures.url(path) for path in images],
        "size": size,
        "reference": pictures.url(record.get("reference")),
        "masks": {name: pictures.url(path) for name, path in masks},
        "findings": list(record.get("findings") or ()),
    }


def _known(record: EditRecord, pictures: Pictures) -> JsonObject:
    facts = {name: getattr(record, name) for name in _SHOWN} | {"url": pictures.url(record.path)}
    return {name: value for name, value in facts.items() if value not in (None, "", {}, [])}


# -- rows ------------------------------------------------------------------------------------------

_BARE = "reason = '' AND detail IN ('', '{}') AND repeat = 0 AND NOT printed"
"""Rows that are a number alone: the database writes their JSON, which is most of a large run's."""
_ROWS = f"""SELECT
string_agg(json_array(number, if(isfinite(value), value, NULL), status, 0), ',') FILTER ({_BARE}),
list(row(number, metric, value, status, repeat, reason, detail) ORDER BY number, repeat)
    FILTER (NOT ({_BARE}))
FROM place LEFT JOIN (FROM ROWS JOIN columns USING (editor, metric, variant, source)
    WHERE benchmark = ?) USING (sample) GROUP BY spot ORDER BY spot"""


@contextlib.contextmanager
def _rows(
    frame: Results,
    runs: Sequence[Run],
    column_of: Mapping[ColumnKey, int],
    metrics: Mapping[str, Metric],
    stores: Sequence[Paid],
) -> Iterator[Iterator[orjson.Fragment]]:
    """Of each sample in the frame's order its rows: [column, value, status, repeat, what else]."""
    paths = [path for run in runs for path in run.parquet()]
    if not paths:
        yield (orjson.Fragment(b"[]") for _ in frame.samples.ids)
        return
    with parquet.database() as db:
        db.execute(
            "CREATE TABLE place AS SELECT unnest(?::VARCHAR[]) AS sample, unnest(range(?)) AS spot",
            [list(frame.samples.ids), len(frame.samples)],
        )
        db.execute(
            "CREATE TABLE columns (editor VARCHAR, metric VARCHAR, variant VARCHAR, source VARCHAR,"
            " number INTEGER, printed BOOLEAN)"
        )
        scaled = {name for name, about in metrics.items() if about.printed}
        columns = [(*key, number, key[1] in scaled) for key, number in column_of.items()]
        if columns:
            db.executemany("INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?)", columns)
        fetched = db.execute(_ROWS.replace("ROWS", parquet.relation(paths)), [frame.benchmark])
        yield _written(fetched, metrics, stores)


def _written(
    fetched: Any, metrics: Mapping[str, Metric], stores: Sequence[Paid]
) -> Iterator[orjson.Fragment]:
    while lines := fetched.fetchmany(500):
        for bare, others in lines:
            parts = [bare.encode()] if bare else []
            parts += [orjson.dumps(_row(row, metrics, stores)) for row in others or ()]
            yield orjson.Fragment(b"[" + b",".join(parts) + b"]")


def _row(row: tuple[Any, ...], metrics: Mapping[str, Metric], stores: Sequence[Paid]) -> list[Any]:
    """The row as the page reads it, on the scale of print; ``stored`` is its own value."""
    column, metric, value, status, repeat, reason, text = row
    extra: JsonObject = {"reason": reason} if reason else {}
    detail = {name: part for name, part in schema.known(text).items() if name != "map"}
    if detail:
        reply = _reply(detail, stores)
        extra |= {"detail": detail} if reply is None else {"reply": reply, "detail": detail}
    about = metrics.get(metric)
    if value is not None and about is not None and about.printed:
        extra["stored"] = value
        value = float(on_scale(about, value))
    cells = [column, value, status, repeat]
    return [*cells, extra] if extra else cells


def _reply(detail: JsonMapping, stores: Sequence[Paid]) -> str | None:
    """The judge's raw reply behind a row."""
    key = detail.get("reply")
    if not isinstance(key, str):
        return None
    for store in stores:
        with contextlib.suppress(RunError):  # damaged since it was opened
            reply = store.get(key)
            if reply and reply.get("content"):
                return str(reply["content"])
    return None
