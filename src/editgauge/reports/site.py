"""The report: one folder that opens from disk in any browser, with every picture behind every
number.

::

    report/index.html               the page; its content-security policy forbids inline code and every request
    report/static/*.js *.css        the same for every report
    report/data/meta.js             benchmarks, tables, figures, the manifest
    report/data/<n>/index.js        one benchmark's samples, columnar: what is filtered and sorted by
    report/data/<n>/column-<k>.js   one editor's scores in one metric, loaded when they are looked at
    report/data/<n>/study.js        what people said, where they did
    report/data/<n>/text.js         instructions, loaded at the first search
    report/data/<n>/detail-<k>.js   everything about some dozens of samples, loaded when one is opened
    report/thumbs/<n>/…             thumbnails, made once
    report/figures/*.svg            the plots
    report/diagnosis.html           why edits failed, with diagnosis/*.webp; where a run was diagnosed

Data are scripts that hand one JSON value to one function, because a page opened from disk may load
scripts but not fetch files. Texts from data sets, judges and editors are untrusted: they are JSON
strings here and text nodes there.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import orjson
from numpy.typing import NDArray

from editgauge import __version__, escape
from editgauge.errors import ImageError, RunError
from editgauge.images import MAX_FILE_BYTES, write_bytes
from editgauge.reports import details, diagnosis, figures, overview, thumbs
from editgauge.store import copies, paths, segments
from editgauge.store.hashes import HashStore
from editgauge.store.run_folder import EditRecord, RunFolder
from editgauge.tables import failures
from editgauge.tables.draw import as_json
from editgauge.tables.frame import STATUSES, Frame
from editgauge.tables.scale import on_scale, titles
from editgauge.tables.spec import unknown
from editgauge.tables.table import Table
from editgauge.types import VARIANTS, Metric, Plot, Status

Progress = Callable[[int, int, str], None]
MARKER = ".editgauge-report"
"""A file that says: this folder is a report of ours. Written first, so that a report that was
interrupted is taken up again.
"""
STATIC = (
    "app.js", "data.js", "gallery.js", "notes.js", "reviewers.js", "sample.js", "scores.js",
    "select.js", "start.js", "study.js", "style.css", "tables.js", "zoom.js",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One benchmark of a report: its rows, its tables, what is known of its metrics, what it is
    called, and what its paper plots.
    """

    frame: Frame
    tables: Sequence[Table] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    _: KW_ONLY
    title: str = ""
    plots: Sequence[Plot] = ()
    study: Mapping[str, Any] | None = None
    """What people said, as `study.reporting.reported` gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What was built: where, of what size, and how many pictures were not there."""

    page: Path
    bytes: int
    samples: int
    thumbnails: int
    seconds: float = 0.0


def build(
    runs: Sequence[RunFolder],
    parts: Sequence[Part],
    to: Path,
    *,
    copy_images: bool = False,
    thumbnails: bool = True,
    workers: int = 1,
    progress: Progress | None = None,
) -> Site:
    """Write the report of one or several runs to the folder `to`; what an older report left there
    is replaced.

    Pictures are linked by relative path when `to` lies inside the only run, and copied otherwise or
    with `copy_images`: a path that leads out of the run would tell a reader about this machine.
    Thumbnails that are there already are kept. Raises `RunError` when `to` cannot be written, holds
    something else, or holds a link: a report is never written through one.
    """
    to = _claim(to, runs)
    inside = len(runs) == 1 and to.is_relative_to(runs[0].path)
    places = Places(runs, to, copied=copy_images or not inside)
    shown = []
    diagnosed = []
    made = 0
    for number, part in enumerate(parts):
        folder = to / "data" / str(number)
        places.know(part.frame)
        if thumbnails:
            jobs = thumbs.wanted(part.frame, places, to / "thumbs" / str(number))
            made += thumbs.make(jobs, workers=workers, progress=progress)
        shown.append(_write_part(part, number, folder, places, runs))
        shown[-1]["figures"] = figures.write(
            part.frame, part.metrics, part.plots, to / "figures", prefix=str(number)
        )
        cutoffs = failures.recorded(runs, part.frame.benchmark)
        outputs = diagnosis.every(runs, part.frame, cutoffs)
        diagnosed.append((part.title or part.frame.benchmark, number, outputs, cutoffs))
    places.close()
    meta = {
        "version": __version__,
        "runs": [run.path.name for run in runs],
        "benchmarks": shown,
        "statuses": [status.value for status in STATUSES],
        "manifest": [entry for run in runs for entry in run.manifest().get("entries", [])],
        "problems": [text for run in runs for text in run.problems],
        "thumbnails": thumbnails,
        "variants": [
            name
            for name in VARIANTS
            if any(column["variant"] == name for part in shown for column in part["columns"])
        ],
        "copied": places.copied,
        "id": _identity(runs),
        "diagnosis": diagnosis.PAGE if diagnosis.write_page(diagnosed, runs, to) else None,
    }
    write_script(to / "data" / "meta.js", "meta", meta)
    for name in STATIC:
        write_bytes(
            to / "static" / name, files("editgauge.reports").joinpath("static", name).read_bytes()
        )
    write_bytes(
        to / "index.html",
        files("editgauge.reports").joinpath("templates", "index.html").read_bytes(),
    )
    size = sum(p.stat().st_size for p in to.rglob("*") if p.is_file() and "thumbs" not in p.parts)
    return Site(
        page=to / "index.html",
        bytes=size,
        samples=sum(len(part.frame.samples) for part in parts),
        thumbnails=made,
    )


class Places:
    """Where a picture of a run is, seen from the report: a relative URL, and a copy when pictures
    are copied.

    A picture that is not the one that was scored, or looked at, is not shown: the hash of its bytes
    is compared at the first report, and again whenever its size or time has changed.
    """

    def __init__(self, runs: Sequence[RunFolder], to: Path, *, copied: bool) -> None:
        self.runs, self.to, self.copied = runs, to, copied
        self._edits: dict[str, dict[tuple[str, str], EditRecord]] = {}
        self._homes: dict[str, list[RunFolder]] = {}
        self._marks: dict[str, str] = {}
        self._hashes = HashStore(runs[0].cache_folder / "shown.sqlite")

    def close(self) -> None:
        self._hashes.close()

    def know(self, frame: Frame) -> None:
        """Take from the samples' records which pictures the run has looked at."""
        for record in frame.samples.records.values():
            self._marks |= record.get("marks") or {}

    def file(self, relative: str | None) -> Path | None:
        """The file behind a path of a run folder, in the first run that has it; None when none
        has.
        """
        if not relative:
            return None
        for run in self._homes.get(relative, self.runs):
            path = run.picture(relative)
            if path is not None and self._is_the_one(path, relative, run):
                return path
        return None

    def _is_the_one(self, path: Path, relative: str, run: RunFolder) -> bool:
        wanted = self._marks.get(relative)
        if not wanted:
            return True
        try:
            same = self._hashes(path) == wanted
        except ImageError:
            same = False
        if not same:
            segments.note(
                run.problems,
                f"{relative}: not the picture that was scored or looked at, and not shown; "
                f"editgauge check-run {run.path.name} says more",
            )
        return same

    def url(self, relative: str | None) -> str | None:
        """The picture's URL relative to the page, or None when the run does not have it. Copies it
        where asked.
        """
        path = self.file(relative)
        if path is None or relative is None:
            return None
        if not self.copied:
            return quote(os.path.relpath(path, self.to))
        place = _portable_place(relative)
        target = self.to / "pictures" / place
        if not copies.same(path, target):
            paths.folder(self.to, f"pictures/{Path(place).parent.as_posix()}")
            with contextlib.suppress(FileNotFoundError):
                target.unlink()
            copies.copy(path, target, limit=MAX_FILE_BYTES)
        return quote(f"pictures/{place}")

    def edits(self, benchmark: str) -> dict[tuple[str, str], EditRecord]:
        """(sample, editor) -> what the last of the runs that has it knows of that output."""
        if benchmark not in self._edits:
            found: dict[tuple[str, str], EditRecord] = {}
            for run in self.runs:
                home = [run]
                for record in run.edits(benchmark):
                    key = (sys.intern(record.sample), sys.intern(record.editor))
                    again, found[key] = key in found, record
                    if record.path is None:
                        continue
                    self._marks[record.path] = record.fingerprint
                    if again and record.path in self._homes:
                        self._homes[record.path] = [*self._homes[record.path], run]
                    else:
                        self._homes[record.path] = home
            self._edits[benchmark] = found
        return self._edits[benchmark]


def _identity(runs: Sequence[RunFolder]) -> str:
    """What a reader's notes are kept under in the browser: the same for every report of the runs,
    and no path.
    """
    told = [[run.path.name, run.manifest().get("entries", [{}])[:1]] for run in runs]
    data = orjson.dumps(told, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _portable_place(relative: str) -> str:
    """Where a copied picture lies: its place in the run, in names that every system takes. A name
    that had to be changed carries a hash of the old one, so that no two become one.
    """
    parts = []
    for part in relative.split("/"):
        safe = escape.file_name(part)
        if safe != part:
            mark = hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
            safe = f"{mark}-{safe}"
        parts.append(safe)
    return "/".join(parts)


def write_script(path: Path, key: str, value: Any) -> None:
    """A data file: one call with a key and one JSON value. Every ``<`` is escaped, although no
    markup ever reads it.
    """
    data = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    data = (
        data.replace(b"<", b"\\u003c")
        .replace(b"\xe2\x80\xa8", b"\\u2028")
        .replace(b"\xe2\x80\xa9", b"\\u2029")
    )
    write_bytes(path, b"EG.take(" + orjson.dumps(key) + b"," + data + b");\n")


# -- one benchmark ---------------------------------------------------------------------------------


def _write_part(
    part: Part, number: int, folder: Path, places: Places, runs: Sequence[RunFolder]
) -> dict[str, Any]:
    frame = part.frame
    columns = list(_columns(frame, part.metrics))
    for index, column in enumerate(columns):
        write_script(
            folder / f"column-{index}.js",
            f"{number}/column/{index}",
            {"values": _floats(column.pop("values")), "status": _bytes(column.pop("status_codes"))},
        )
    attributes, codes = _attributes(frame)
    edits = places.edits(frame.benchmark)
    state = np.full((len(frame.editors), len(frame.samples)), 255, np.uint8)
    order = {status.value: code for code, status in enumerate(STATUSES)}
    marks = overview.marks(frame, edits)
    for row, editor in enumerate(frame.editors):
        for column_number, sample in enumerate(frame.samples.ids):
            record = edits.get((sample, editor))
            if record is not None:
                state[row, column_number] = order[record.status.value]
    write_script(
        folder / "index.js",
        f"{number}/index",
        {
            "ids": list(frame.samples.ids),
            "codes": codes,
            "edits": [_bytes(row) for row in state],
            "marks": [_bytes(row) for row in marks],
            "thumbs": {
                slot: _bytes(np.packbits(there, bitorder="little"))
                for slot, there in thumbs.present(places.to / "thumbs" / str(number), frame).items()
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
        "samples": len(frame.samples),
        "editors": list(frame.editors),
        "columns": columns,
        "attributes": attributes,
        "tables": [as_json(table) for table in part.tables],
        "shards": shards,
        "metrics": _metrics(part.metrics),
        "overview": overview.overview(frame, part.metrics, part.tables, marks),
        "coverage": _coverage(frame, marks),
        "cost": _cost(frame, edits),
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
    return {name: part.study[name] for name in ("tables", "regions_metric")}


def _printed(metric: Mapping[str, Any], known: Mapping[str, Metric]) -> dict[str, Any]:
    """What machines said of outputs that people rated, on the scale of print."""
    about = known.get(metric["metric"])
    if about is None or not about.printed:
        return dict(metric)
    values = [
        None if value is None else float(on_scale(about, value)) for value in metric["values"]
    ]
    return {**metric, "values": values}


def _columns(frame: Frame, metrics: Mapping[str, Metric]) -> Iterator[dict[str, Any]]:
    """Every (metric, variant, source) that has rows, for every editor, with its values in the order
    of the samples.
    """
    triples = np.unique(
        np.stack([frame.columns.metric, frame.columns.variant, frame.columns.source]), axis=1
    ).T  # (T, 3)
    for metric_code, variant_code, source_code in triples.tolist():
        metric, variant = frame.metrics[metric_code], frame.variants[variant_code]
        mine = frame.only(frame.columns.source == source_code)
        grid = mine.grid(metric, variant)
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
                "source": frame.sources[source_code],
                "scored": int((status == 0).sum()),
                "values": values[row],
                "status_codes": status,
            }


def _attributes(frame: Frame) -> tuple[list[dict[str, Any]], list[str]]:
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
        codes.append(_bytes(np.ascontiguousarray(code, dtype="<u2")))
    return about, codes


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _metrics(metrics: Mapping[str, Metric]) -> dict[str, dict[str, Any]]:
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


def _coverage(frame: Frame, marks: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """For each editor how many samples have a row, or an output, of each status (a sample that has
    two statuses counts for both), and in which metrics, where not in all of them.
    """
    columns = frame.without_people().columns
    shape = (len(frame.editors), len(frame.metrics))
    place = columns.editor.astype(np.int64) * shape[1] + columns.metric
    amounts: dict[str, NDArray[np.int64]] = {}
    metrics: dict[str, NDArray[np.bool_]] = {}
    every = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape) > 0
    for code, status in enumerate(STATUSES):
        amounts[status.value] = (marks >> code & 1).sum(axis=1, dtype=np.int64)
        with_it = np.bincount(place[columns.status == code], minlength=shape[0] * shape[1])
        metrics[status.value] = with_it.reshape(shape) > 0
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


def _cost(frame: Frame, edits: Mapping[tuple[str, str], EditRecord]) -> list[dict[str, Any]]:
    """Seconds and dollars an editor took, over the outputs for which they are known."""
    by_editor: dict[str, list[EditRecord]] = {editor: [] for editor in frame.editors}
    for (_, editor), record in edits.items():
        if editor in by_editor:
            by_editor[editor].append(record)
    found = []
    for editor, mine in by_editor.items():
        seconds = [record.seconds for record in mine if record.seconds is not None]
        cost = [record.cost for record in mine if record.cost is not None]
        found.append(
            {
                "editor": editor,
                "outputs": sum(record.status is Status.SCORED for record in mine),
                "given_back": sum(record.given_back is True for record in mine),
                "seconds": sum(seconds) / len(seconds) if seconds else None,
                "cost": sum(cost) if cost else None,
            }
        )
    return found


def _write_details(
    part: Part,
    columns: Sequence[Mapping[str, Any]],
    number: int,
    folder: Path,
    places: Places,
    runs: Sequence[RunFolder],
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


def _floats(values: NDArray[np.float64]) -> str:
    """Little-endian 32-bit floats in base64; NaN where there is no score. The exact value is in the
    detail shard.
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def _bytes(values: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def _claim(to: Path, runs: Sequence[RunFolder]) -> Path:
    """Make the folder ours; clear what an older report left, but for the thumbnails. Returns its
    own path.
    """
    named = to.absolute()
    for run in runs:
        if named.is_relative_to(run.path):
            paths.no_links(run.path, _steps(named.relative_to(run.path)))
    to = to.resolve()
    try:
        if to.exists() and any(to.iterdir()) and not _is_report(to):
            raise RunError(f"{to}: not empty, and not a report; name another folder with --to")
        paths.only_files(to, "")
        to.mkdir(parents=True, exist_ok=True)
        write_bytes(to / MARKER, f"editgauge {__version__}\n".encode())
        shutil.rmtree(to / "data", ignore_errors=True)
        shutil.rmtree(to / "figures", ignore_errors=True)
        shutil.rmtree(to / diagnosis.FOLDER, ignore_errors=True)
        (to / diagnosis.PAGE).unlink(missing_ok=True)
        (to / "static").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"{to}: the report cannot be written ({error.strerror}); name another folder with --to"
        ) from error
    return to


def _is_report(to: Path) -> bool:
    """Whether a folder that is not empty is a report: it says so, or it is one of an earlier
    version.
    """
    if os.path.lexists(to / MARKER):
        return True
    return all((to / name).is_file() for name in ("index.html", "static/app.js"))


def _steps(place: Path) -> list[str]:
    """A folder below a run and those above it, up to the run."""
    return [step.as_posix() for step in (place, *place.parents) if step.parts]
