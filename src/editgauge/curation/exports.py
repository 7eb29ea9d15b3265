"""What leaves a data set: a folder in the layout of a benchmark or of Hugging Face (`export`), or a
version in a zip file with checksums and what changed since the last one (`release`). Files are
written anew: nothing of the set's process is in them, and pictures carry no metadata. The hidden
file `OWN_SET` says how samples are called there.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import orjson

from editgauge import catalog, temporary
from editgauge.benchmarks.base import write_json
from editgauge.benchmarks.tree import OWN_SET, Tree
from editgauge.curation.benchmark import sample_of, tier
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import (
    DATASET,
    PROTOCOLS,
    SAMPLES,
    SOURCE,
    TEXTS,
    Picture,
    Record,
)
from editgauge.curation.review import Fault, agreement, disagreements, leaving
from editgauge.errors import EditgaugeError, ImageError, UsageError
from editgauge.escape import counted, file_name, markdown
from editgauge.images import read_file, read_header, write_bytes
from editgauge.judging.pictures import bare
from editgauge.store import paths

IMAGEFOLDER = "imagefolder"
LAYOUTS: tuple[str, ...] = (*PROTOCOLS, IMAGEFOLDER)
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")
_DATE = (1980, 1, 1, 0, 0, 0)
_INDENT = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
Numbered = Sequence[tuple[int, Record]]
"""Samples, each with its number in the order of their making: the same in every version."""


class Exported(NamedTuple):
    """What an export wrote, and which samples it left out."""

    folder: Path
    samples: int
    left_out: list[Fault]


def export(
    data: DataSet, to: Path, layout: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> Exported:  # fmt: skip
    """Write the set to the folder `to` in one of `LAYOUTS`; all or nothing.

    Raises `DataError` when a sample may not leave (with `ready_only` those are left out), and
    `UsageError` for another layout or a folder in use.
    """
    need_layout(layout)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"{to}: there is something already; name a new or an empty folder")
    numbers = {record.id: n for n, record in enumerate(data.records(withdrawn=True), start=1)}
    records, withheld = leaving(data, layout, ready_only=ready_only, engine=engine)
    numbered = [(numbers[record.id], record) for record in records]
    mark = {"layout": layout, "name": data.about.name, "version": data.about.version}
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        temporary.sweep(to.parent)
        with temporary.folder(to.parent) as scratch:
            if layout == IMAGEFOLDER:
                names = _imagefolder(data, scratch, numbered)
            else:
                names = _official(data, scratch, layout, numbered)
            write_bytes(scratch / "README.md", card(data, records).encode())
            write_json(scratch / OWN_SET, {**mark, "samples": names})
            scratch.chmod(0o755)
            if to.exists():
                to.rmdir()
            scratch.rename(to)
    except OSError as error:
        raise paths.unwritable(to, error) from error
    data.log.note(who, "exported", layout=layout, samples=len(records))
    return Exported(to, len(records), withheld)


def need_layout(layout: str) -> None:
    """Raise `UsageError` for a layout that there is not; "" is none."""
    if layout not in ("", *LAYOUTS):
        raise UsageError(f"layout {layout!r}: wanted one of {', '.join(LAYOUTS)}")


def _bare(data: DataSet, relative: str) -> bytes:
    """A picture, its coded pixels untouched, without what its metadata tell. Raises `ImageError`
    for one that was put there by hand and is no PNG.
    """
    path = data.path(relative)
    if read_header(path).format != "PNG":
        raise ImageError(f"{relative}: no PNG; take it in with: editgauge curate add", path=path)
    return bare(read_file(path), "PNG")


def _official(data: DataSet, root: Path, layout: str, samples: Numbered) -> dict[str, str]:
    """By the benchmark's own writer, which takes samples as its loader gives them."""
    tree, name = Tree(data.root), f"dir.{data.about.name}.{layout}"
    shaped = [(n, sample_of(r, data.root, name, layout, tree)) for n, r in samples]

    def copy(path: Path, to: Path) -> None:
        write_bytes(to, _bare(data, path.relative_to(data.root).as_posix()))

    names: dict[str, str] = catalog.find("benchmarks", layout).write(root, shaped, copy)
    return names


def _imagefolder(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``<split>/metadata.jsonl`` beside the pictures that its ``…file_name`` columns name."""
    lines: dict[str, list[bytes]] = {}
    for _, record in samples:
        split = file_name(record.split or "test")
        line = {
            "id": record.id,
            "category": "/".join(record.category),
            **{name: getattr(record, name) or None for name in TEXTS},
            **{f"attribute_{name}": value for name, value in record.attributes.items()},
            **{f"source_{name}": text for name, text in record.source.items()},
        }
        pictures = {f"input_{n}_": path for n, path in enumerate(record.images, start=1)}
        pictures |= {f"mask_{name}_": path for name, path in record.masks.items()}
        pictures |= {"reference_": record.reference} if record.reference else {}
        for column, path in pictures.items():
            place = f"{column.strip('_')}/{record.id}.png"
            write_bytes(root / split / place, _bare(data, path))
            line[f"{column}file_name".removeprefix("input_1_")] = place
        lines.setdefault(split, []).append(orjson.dumps(line) + b"\n")
    for split, every in lines.items():
        write_bytes(root / split / "metadata.jsonl", b"".join(every))
    return {record.id: record.id for _, record in samples}


def published(record: Record) -> dict[str, Any]:
    """A record as a release has it: without what names the people who made it."""
    facts = {
        path: Picture(hidden=about.hidden, scan=about.scan, alignment=about.alignment)
        for path, about in record.pictures.items()
    }
    pictures = {path: about for path, about in facts.items() if about != Picture()}
    return msgspec.structs.replace(record, reviews={}, pictures=pictures).data()


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What two releases (id -> published record) differ in: ids, and the fields of changed ones."""
    changed = {
        name: sorted(k for k in {**old[name], **new[name]} if old[name].get(k) != new[name].get(k))
        for name in sorted(set(new) & set(old))
        if old[name] != new[name]
    }
    added, removed = sorted(set(new) - set(old)), sorted(set(old) - set(new))
    return {"added": added, "removed": removed, "changed": changed}


def release(
    data: DataSet, to: Path, version: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> dict[str, Any]:  # fmt: skip
    """Write the set as one zip file with checksums, card and change list. Returns the change list.

    Raises `DataError` when a sample may not leave, `UsageError` for a version that is none or is
    there already, or a file in use, and `OSError` or `EditgaugeError` where the file or the set
    cannot be written: then there is no file, and no release is noted.
    """
    past = [event.after for event in data.events() if event.what == "released"]
    last = str(past[-1]["version"]) if past else ""
    if not _VERSION.fullmatch(version):
        raise UsageError(f"version {version!r}: wanted three numbers: 1.2.0")
    if past and [*map(int, version.split("."))] <= [*map(int, last.split("."))]:
        raise UsageError(f"version {version}: the last one is {last}")
    if os.path.lexists(to):
        raise UsageError(f"{to}: there is something already; name a new file")
    records, _ = leaving(data, ready_only=ready_only, engine=engine)
    new = {record.id: published(record) for record in records}
    facts = {"version": version, "since": last or None}
    facts |= changes(past[-1]["samples"] if past else {}, new)
    about = msgspec.structs.replace(data.about, version=version)
    files = {path: _bare(data, path) for record in records for path in record.files}
    files |= {
        DATASET: orjson.dumps(about.as_dict(), option=_INDENT),
        SAMPLES: b"".join(orjson.dumps(one, option=_LINE) for one in new.values()),
        "CHANGES.json": orjson.dumps(facts, option=_INDENT),
        "README.md": card(data, records, version=version).encode(),
    }
    try:
        write_bytes(to, _zipped(files), sync=True)
        with data.log.transaction():
            data.log.note(who, "released", version=version, samples=new)
            data.describe(who, version=version)
    except (OSError, EditgaugeError):
        to.unlink(missing_ok=True)
        raise
    return facts


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """The files and their checksums; the same files give the same bytes."""
    sums = "".join(f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted({**files, "SHA256SUMS": sums.encode()}.items()):
            about = zipfile.ZipInfo(name, _DATE)
            about.external_attr = 0o644 << 16
            archive.writestr(about, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


_LABELS: Mapping[str, Callable[[Record], str]] = {
    "state": lambda record: record.state,
    "split": lambda record: record.split or "all",
    "category": lambda record: "/".join(record.category) or "unsorted",
    "difficulty": lambda record: tier(record) or "not known",
    "licence": lambda record: record.source.get("licence", "none"),
}
"""What the samples are counted by."""


def card(data: DataSet, records: Sequence[Record], *, version: str = "") -> str:
    """``README.md`` of what leaves: of these samples."""
    about = data.about
    lines = [
        f"# {markdown(about.title or about.name)}",
        "",
        *([markdown(about.description, limit=None), ""] if about.description else []),
        f"- version: {version or about.version}",
        f"- licence: {markdown(about.licence or 'not stated')}",
        f"- measured as: {about.protocol or 'each sample by its own protocol'}",
        f"- samples: {len(records)}, with a reference: {sum(bool(r.reference) for r in records)}",
        "",
    ]
    for name, label in _LABELS.items():
        counts = Counter(label(record) for record in records).most_common()
        rows = [f"| {markdown(value)} | {count} |" for value, count in counts]
        lines += [f"## By {name}", "", f"| {name} | samples |", "| --- | ---: |", *rows, ""]
    return "\n".join([*lines, "## Provenance, process, limits", "", *_facts(data, records), ""])


def _facts(data: DataSet, records: Sequence[Record]) -> Iterator[str]:
    count, events = len(records), data.events()
    pictures = [about for record in records for about in record.pictures.values()]
    for name in SOURCE:
        stated = sum(name in record.source for record in records)
        yield f"- {name} stated for {stated} of {counted(count, 'sample')}"
    hidden, scans = sum(len(p.hidden) for p in pictures), sum(bool(p.scan) for p in pictures)
    yield f"- pictures from scans: {scans}; areas hidden in pictures: {hidden}"
    yield f"- recorded changes: {len(events)}, by {len({e.who for e in events})} people or tools"
    yield f"- reviews that a sample needs: {data.about.policy.reviews}"
    several, accepted = agreement(events, records)
    if several:
        share = f"{accepted} ({accepted / several:.1%}) were accepted by all at first"
        yield f"- of {several} samples that two or more people reviewed {share}"
    yield f"- not verified by a reviewer: {sum(r.state != 'verified' for r in records)} samples"
    yield f"- reviewers disagree on {len(disagreements(records))} samples"
    if count < 100:
        yield "- fewer than 100 samples: differences between models have wide intervals"
