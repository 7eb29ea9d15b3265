"""A data set as a benchmark: ``dir:DIR``, and in a run ``dir.<name>``.

A set that names a protocol is that benchmark with other samples: its scorers, its judge, its
tables. One that names none is measured as the built-in benchmark is: by the metrics that all share,
and by the judge of each sample's own protocol. ``dir.<name>.<protocol>`` measures any set by any
protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from editgauge import catalog
from editgauge.benchmarks.base import Note, Samples
from editgauge.benchmarks.tree import Tree
from editgauge.curation import records
from editgauge.curation.conventions import sample_of
from editgauge.curation.dataset import FILE, OUT, DataSet
from editgauge.errors import DataError, UsageError
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable, generic
from editgauge.types import Benchmark, Plot, Sample

_BASE = "mini"
"""What measures a set without a protocol."""


def named(name: str) -> Benchmark:
    """The benchmark of a name: ``dir:DIR`` (a folder), or ``dir.<set>[.<protocol>]`` as runs have
    it, whose data are then named beside it.

    Raises `DataError` for a folder that is no data set, `UsageError` for an unknown protocol.
    """
    if name.startswith("dir:"):
        folder = Path(name.removeprefix("dir:"))
        about, _ = _contents(folder)
        return _made(about.name, about.protocol, folder.absolute())
    _, set_name, *rest = name.split(".")
    protocol = rest[0] if rest else ""
    if len(rest) > 1 or (rest and protocol not in records.PROTOCOLS):
        raise UsageError(
            f"benchmark {name!r}: wanted dir.<set> or dir.<set>.<protocol>, the protocol one of "
            f"{', '.join(records.PROTOCOLS)}"
        )
    return _made(set_name, protocol, None)


def name_of(set_name: str, protocol: str) -> str:
    """What the benchmark of a set is called in rows and runs."""
    return f"dir.{set_name}.{protocol}" if protocol else f"dir.{set_name}"


def _made(set_name: str, protocol: str, folder: Path | None) -> Benchmark:
    base: Benchmark = catalog.find("benchmarks", protocol or _BASE)
    name = name_of(set_name, protocol)
    like = f", measured as {base.title}" if protocol else ""
    return replace(
        base,
        name=name,
        title=f"the data set {set_name}{like}",
        citation=f"the data set {set_name}: see its card (README.md in an export)",
        about=f"The data set {set_name}{like}.",
        published_counts={},
        marks=(),
        data=None,
        load=partial(_load, folder, set_name, protocol),
        tables=partial(_tables, base, name),
        audits=tuple,
        figures=(
            Plot("bars", "category", "by category"),
            Plot("curve", "difficulty", "by difficulty", ("easy", "medium", "hard")),
        ),
    )


def _load(
    own: Path | None, set_name: str, protocol: str, root: Path | None, *, split: str | None = None
) -> Samples:
    """The samples of the folder. Raises `DataError` for a folder that is no data set, or another
    one.
    """
    folder = root or own
    name = name_of(set_name, protocol)
    if folder is None:
        raise DataError(f"{name}: wanted the folder of the data set; name it: dir:DIR")
    about, every = _contents(folder)
    if about.name != set_name:
        raise DataError(
            f"{folder}: wanted the data set {set_name!r}, found {about.name!r}; name it as "
            f"{name_of(about.name, protocol)} or dir:{folder}"
        )
    found = [record for record in every if record.state != OUT and split in (None, record.split)]
    if split is not None and not found:
        there = sorted({record.split for record in every})
        raise UsageError(f"split {split!r}: the set has {', '.join(there) or 'no samples'}")

    def read(note: Note) -> Iterator[Sample]:
        del note
        tree = Tree(folder)
        for record in found:
            yield sample_of(record, tree.root, name, protocol, tree)

    return Samples(name, folder.absolute(), read, split or "")


def _contents(folder: Path) -> tuple[records.About, list[records.Record]]:
    """What is said of a set, and its samples: of one that is being made, or of a released one.
    Raises `DataError` for a folder that is neither.
    """
    if (folder / FILE).is_file():
        data = DataSet(folder)
        with data.log:
            return data.about, data.records()
    return records.read_about(folder), records.read_samples(folder)


# -- tables ----------------------------------------------------------------------------------------


def _tables(base: Benchmark, name: str, frame: Results) -> Sequence[PaperTable]:
    """The base's own tables without what its paper published; without a protocol, every metric."""
    if base.name == _BASE or base.tables is None:
        return generic(frame)
    made = base.tables(frame) if callable(base.tables) else base.tables
    return [_unpublished(table, name) for table in made]


def _unpublished(table: PaperTable, name: str) -> PaperTable:
    return replace(
        table,
        name=f"{name}.{table.name.rpartition('.')[2]}",
        title=f"{name}: {table.title}",
        size=None,
        published=(),
        alone=False,
        published_repeats=None,
    )
