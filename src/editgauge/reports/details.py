"""What the page shows of one sample: texts, pictures, and every row with its reason and the judge's
raw reply.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from editgauge.errors import ImageError, RunError
from editgauge.images import read_header
from editgauge.store import parquet
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import Results
from editgauge.types import Metric

if TYPE_CHECKING:
    from editgauge.reports.places import Places

_SHARD_BYTES = 200_000
_ROW_BYTES = 60
_TEXT_LIMIT = 1_100_000
"""A text of a megabyte is shown whole; one that is longer than this is cut, and says so."""
_REPLY_LIMIT = 50_000
_SHOWN = (
    "status", "reason", "width", "height", "given_back", "seed", "settings", "seconds", "cost",
    "instruction", "detail",
)  # fmt: skip
"""What of the record of an output the page has."""
ColumnKey = tuple[str, str, str, str]


def shard_size(rows: int, samples: int) -> int:
    """How many samples a shard holds so that it is about 200 kB."""
    each = 400 + _ROW_BYTES * rows / max(1, samples)
    return max(1, min(500, int(_SHARD_BYTES / each)))


def samples(
    frame: Results,
    runs: Sequence[Run],
    places: Places,
    column_of: Mapping[ColumnKey, int],
    metrics: Mapping[str, Metric],
) -> Iterator[dict[str, Any]]:
    """Every sample of the frame, in its order, as one JSON object; its ``rows`` are one piece of
    JSON. Memory does not grow with their number.
    """
    edits = places.edits(frame.benchmark)
    by_sample: dict[str, dict[str, EditRecord]] = {}
    for (sample, editor), record in edits.items():
        by_sample.setdefault(sample, {})[editor] = record
    with Replies(runs) as stored, _Rows(frame, runs, column_of, metrics) as rows:
        for number, identity in enumerate(frame.samples.ids):
            yield {
                **_facts(frame.samples.records[identity], places),
                "edits": {
                    editor: {**_known(record), "url": places.url(record.path)}
                    for editor, record in by_sample.get(identity, {}).items()
                },
                "rows": rows.of(number, stored),
            }


class Replies(contextlib.ExitStack):
    """The judges' raw replies of the runs, read from their stores; empty where there is none."""

    def __init__(self, runs: Sequence[Run]) -> None:
        super().__init__()
        self._stores: list[Paid] = []
        for run in runs:
            if run.replies_path.exists():
                with contextlib.suppress(RunError):
                    self._stores.append(self.enter_context(Paid(run.replies_path)))

    def __call__(self, detail: Mapping[str, Any]) -> str | None:
        key = detail.get("reply") or detail.get("reply_key") or detail.get("key")
        if not isinstance(key, str):
            return None
        for store in self._stores:
            reply = store.get(key)
            if reply and reply.get("content"):
                return cut(str(reply["content"]), _REPLY_LIMIT)
        return None


def cut(text: str, limit: int = _TEXT_LIMIT) -> str:
    """A text without control characters other than newlines and tabs, and not longer than
    `limit`.
    """
    text = "".join(c for c in text[: limit + 1] if c in "\n\t" or ord(c) >= 32)
    return text if len(text) <= limit else text[:limit] + f" … (cut after {limit:,} characters)"


def _facts(record: Mapping[str, Any], places: Places) -> dict[str, Any]:
    texts = (
        "instruction",
        "source_text",
        "target_text",
        "caption",
        "knowledge",
        "change",
        "concept",
        "rephrased",
    )
    return {
        "id": record["id"],
        **{name: cut(str(record[name])) for name in texts if record.get(name)},
        "images": [places.url(path) for path in record.get("images") or ()],
        "size": _size(places.file((record.get("images") or [None])[0])),
        "reference": places.url(record.get("reference")),
        "masks": {name: places.url(path) for name, path in (record.get("masks") or {}).items()},
        "findings": list(record.get("findings") or ()),
    }


def _size(path: Path | None) -> list[int] | None:
    """Width and height of a picture, from its first bytes; None where it cannot be read."""
    if path is None:
        return None
    try:
        header = read_header(path)
    except ImageError:
        return None
    return [header.width, header.height]


def _known(record: EditRecord) -> dict[str, Any]:
    told = {name: getattr(record, name) for name in _SHOWN}
    return {name: value for name, value in told.items() if value not in (None, "", {}, [])}


_BARE = "reason = '' AND detail IN ('', '{}') AND repeat = 0 AND NOT printed"
"""Rows that are a number alone: the database writes their JSON, which is most of a large run's."""


class _Rows(contextlib.ExitStack):
    """The rows of a frame's samples, read in the order of the samples."""

    def __init__(
        self,
        frame: Results,
        runs: Sequence[Run],
        column_of: Mapping[ColumnKey, int],
        metrics: Mapping[str, Metric],
    ) -> None:
        super().__init__()
        self._metrics = metrics
        files = [path for run in runs for path in run.parquet()]
        self._bare: Iterator[tuple[Any, ...]] = iter(())
        self._told: Iterator[tuple[Any, ...]] = iter(())
        if files:
            db = self.enter_context(parquet.database(files))
            self._known(db, frame, column_of)
            source = (
                f"FROM {parquet.relation(files)} AS r JOIN place ON place.sample = r.sample "
                "JOIN columns USING (editor, metric, variant, source) "
                "WHERE benchmark = ? AND"
            )
            self._bare = _fetched(
                db,
                "SELECT place.number, string_agg(json_array(columns.number, CASE WHEN "
                f"isfinite(value) THEN value END, status, 0), ',') {source} {_BARE} "
                "GROUP BY place.number ORDER BY place.number",
                frame.benchmark,
            )
            self._told = _fetched(
                db,
                "SELECT place.number, columns.number, metric, value, status, repeat, reason, "
                f"detail {source} NOT ({_BARE}) ORDER BY place.number, columns.number, repeat",
                frame.benchmark,
            )
        self._next_bare, self._next_told = next(self._bare, None), next(self._told, None)

    def _known(self, db: Any, frame: Results, column_of: Mapping[ColumnKey, int]) -> None:
        """Tables of the database: the samples' places, and the page's columns."""
        db.execute(
            "CREATE TABLE place AS SELECT unnest(?::VARCHAR[]) AS sample, "
            "unnest(range(?)) AS number",
            [list(frame.samples.ids), len(frame.samples)],
        )
        keys = list(zip(*column_of, strict=True)) or [(), (), (), ()]
        printed = [bool(m in self._metrics and self._metrics[m].printed) for m in keys[1]]
        db.execute(
            "CREATE TABLE columns AS SELECT unnest(?::VARCHAR[]) AS editor, unnest(?::VARCHAR[]) "
            "AS metric, unnest(?::VARCHAR[]) AS variant, unnest(?::VARCHAR[]) AS source, "
            "unnest(?::INTEGER[]) AS number, unnest(?::BOOLEAN[]) AS printed",
            [*map(list, keys), list(column_of.values()), printed],
        )

    def of(self, number: int, stored: Replies) -> orjson.Fragment:
        """The rows of the sample at a place, asked for in ascending order: a list of [column,
        value, status, repeat, what else is known].
        """
        parts = []
        if self._next_bare is not None and self._next_bare[0] == number:
            parts.append(self._next_bare[1].encode())
            self._next_bare = next(self._bare, None)
        while self._next_told is not None and self._next_told[0] == number:
            parts.append(orjson.dumps(_row(self._next_told, self._metrics, stored)))
            self._next_told = next(self._told, None)
        return orjson.Fragment(b"[" + b",".join(parts) + b"]")


def _fetched(db: Any, sql: str, benchmark: str) -> Iterator[tuple[Any, ...]]:
    cursor = db.cursor().execute(sql, [benchmark])
    while part := cursor.fetchmany(20_000):
        yield from part


def _row(row: tuple[Any, ...], metrics: Mapping[str, Metric], stored: Replies) -> list[Any]:
    """[column, value, status, repeat, extra] as the page reads it, the value on the scale of print;
    `extra["stored"]` is the row's own value where that scale is another.
    """
    _, column, metric, value, status, repeat, reason, text = row
    extra: dict[str, Any] = {"reason": cut(reason)} if reason else {}
    detail = {name: part for name, part in parquet.mapping(text).items() if name != "map"}
    if detail:
        reply = stored(detail)
        extra |= {"detail": detail} if reply is None else {"reply": reply, "detail": detail}
    about = metrics.get(metric)
    if value is not None and about is not None and about.printed:
        extra["stored"] = value
        value = float(on_scale(about, value))
    made = [column, value, status, repeat]
    return [*made, extra] if extra else made
