"""What leaves a data set: a folder in a benchmark's layout, or a release in a zip file. Files are
written anew: nothing of the set's process is in them, and pictures carry no metadata.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import orjson

from editgauge import catalog, temporary
from editgauge.benchmarks.base import write_json
from editgauge.benchmarks.tree import OWN_SET, Tree
from editgauge.curation.benchmark import sample_of, tier
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import DATASET, PROTOCOLS, SAMPLES, SOURCE, Picture, Record
from editgauge.curation.review import Fault, leaving
from editgauge.errors import EditgaugeError, ImageError, UsageError
from editgauge.escape import markdown
from editgauge.images import read_file, read_header, write_bytes
from editgauge.judging.pictures import bare
from editgauge.store import paths
from editgauge.types import JsonMapping, JsonObject

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")
_DATE = (1980, 1, 1, 0, 0, 0)
_INDENT = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def export(
    data: DataSet, to: Path, layout: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> tuple[int, list[Fault]]:  # fmt: skip
    """Write the set to the folder `to` in one of `PROTOCOLS`; all or nothing. Returns how many
    samples left, and why others did not. The hidden file `OWN_SET` says how they are called there.

    Raises `DataError` when a sample may not leave (with `ready_only` those are left out), and
    `UsageError` for another layout or a folder in use.
    """
    need_layout(layout)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"{to}: there is something already; name a new or an empty folder")
    records, withheld = leaving(data, layout, ready_only=ready_only, engine=engine)
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        temporary.sweep(to.parent)
        with temporary.folder(to.parent) as scratch:
            names = _official(data, scratch, layout, records)
            write_bytes(scratch / "README.md", card(data, records).encode())
            mark = {"layout": layout, "name": data.about.name, "version": data.about.version}
            write_json(scratch / OWN_SET, {**mark, "samples": names})
            scratch.chmod(0o755)
            if to.exists():
                to.rmdir()
            scratch.rename(to)
    except OSError as error:
        raise paths.unwritable(to, error) from error
    data.log.note(who, "exported", layout=layout, samples=len(records))
    return len(records), withheld


def need_layout(layout: str) -> None:
    """Raise `UsageError` for a layout that there is not; "" is none."""
    if layout not in ("", *PROTOCOLS):
        raise UsageError(f"layout {layout!r}: wanted one of {', '.join(PROTOCOLS)}")


def _bare(data: DataSet, relative: str) -> bytes:
    """A picture, its coded pixels untouched, without its metadata. Raises `ImageError`."""
    path = data.path(relative)
    if read_header(path).format != "PNG":
        raise ImageError(f"{relative}: no PNG; take it in with: editgauge curate add", path=path)
    return bare(read_file(path), "PNG")


def _official(data: DataSet, root: Path, layout: str, records: Sequence[Record]) -> dict[str, str]:
    """By the benchmark's own writer; a sample has the same number in every version."""
    tree, name = Tree(data.root), f"dir.{data.about.name}.{layout}"
    numbers = {record.id: n for n, record in enumerate(data.records(withdrawn=True), start=1)}
    shaped = [(numbers[r.id], sample_of(r, tree, name, layout)) for r in records]

    def copy(path: Path, to: Path) -> None:
        write_bytes(to, _bare(data, path.relative_to(data.root).as_posix()))

    names: dict[str, str] = catalog.find("benchmarks", layout).write(root, shaped, copy)
    return names


def published(record: Record) -> JsonObject:
    """A record as a release has it: without what names the people who made it."""
    facts = {
        path: Picture(hidden=about.hidden, scan=about.scan, alignment=about.alignment)
        for path, about in record.pictures.items()
    }
    pictures = {path: about for path, about in facts.items() if about != Picture()}
    return msgspec.structs.replace(record, reviews={}, pictures=pictures).data()


def changes(old: JsonMapping, new: JsonMapping) -> dict[str, list[str]]:
    """What two releases (id -> published record) differ in: ids of samples."""
    return {
        "added": sorted({*new} - {*old}),
        "removed": sorted({*old} - {*new}),
        "changed": sorted(name for name in {*new} & {*old} if old[name] != new[name]),
    }


def release(
    data: DataSet, to: Path, version: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> JsonObject:  # fmt: skip
    """Write the set as one zip file with checksums, card and change list, which is returned; all or
    nothing. Raises `DataError` when a sample may not leave, `UsageError` for a version that is none
    or is there already, or a file in use.
    """
    released = [event.after for event in data.events() if event.what == "released"]
    last = released[-1] if released else {"version": None, "samples": {}}
    _need_higher(version, last["version"] or "")
    if os.path.lexists(to):
        raise UsageError(f"{to}: there is something already; name a new file")
    records, _ = leaving(data, ready_only=ready_only, engine=engine)
    new = {record.id: published(record) for record in records}
    facts = {"version": version, "since": last["version"], **changes(last["samples"], new)}
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


def _need_higher(version: str, last: str) -> None:
    if not _VERSION.fullmatch(version):
        raise UsageError(f"version {version!r}: wanted three numbers: 1.2.0")
    if last and [*map(int, version.split("."))] <= [*map(int, last.split("."))]:
        raise UsageError(f"version {version}: wanted a higher one than the last, {last}")


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


def card(data: DataSet, records: Sequence[Record], *, version: str = "") -> str:
    """``README.md`` of what leaves: of these samples."""
    about = data.about
    pictures = [one for record in records for one in record.pictures.values()]
    verified = sum(record.state == "verified" for record in records)
    labels = {
        "split": [record.split or "all" for record in records],
        "category": ["/".join(record.category) or "unsorted" for record in records],
        "difficulty": [tier(record) or "not known" for record in records],
        "licence": [record.source.get("licence", "none") for record in records],
    }
    lines = [
        f"# {markdown(about.title or about.name)}",
        "",
        *([markdown(about.description, limit=None), ""] if about.description else []),
        f"- version: {version or about.version}",
        f"- licence: {markdown(about.licence or 'not stated')}",
        f"- measured as: {about.protocol or 'each sample by its own protocol'}",
        f"- samples: {len(records)}, with a reference: {sum(bool(r.reference) for r in records)}",
        *(f"- {name} stated for {sum(name in r.source for r in records)}" for name in SOURCE),
        f"- pictures from scans: {sum(bool(one.scan) for one in pictures)}",
        f"- areas hidden in pictures: {sum(len(one.hidden) for one in pictures)}",
        f"- verified by {about.policy.reviews or 1} reviewers and more: {verified}",
    ]
    for name, values in labels.items():
        lines += ["", f"## By {name}", "", f"| {name} | samples |", "| --- | ---: |"]
        lines += [f"| {markdown(one)} | {count} |" for one, count in Counter(values).most_common()]
    return "\n".join([*lines, ""])
