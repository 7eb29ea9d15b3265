"""Which tables a benchmark prints, found through its name: the way from a frame to its tables.

A benchmark's own layouts are the function ``layouts(frame, variant)`` of the module ``tables``
beside its object, or a method of that name on the object (outside packages). A benchmark without
either gets one mean for each metric.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from editgauge import catalog
from editgauge.errors import UnknownName
from editgauge.tables import given_back
from editgauge.tables.build import build
from editgauge.tables.frame import Frame
from editgauge.tables.slices import noise, repeated, sliced
from editgauge.tables.spec import Layout, generic
from editgauge.tables.table import Table
from editgauge.types import Variant

Layouts = Callable[[Frame, Variant], Sequence[Layout]]


def layouts_of(benchmark: str) -> Layouts:
    """The function that makes a benchmark's layouts; `layout.generic` when the name is not known
    here.
    """
    try:
        found = catalog.find("benchmarks", benchmark)
    except UnknownName:
        return generic
    own = getattr(found, "layouts", None)
    if callable(own):
        return own  # type: ignore[no-any-return]
    package = type(found).__module__
    name = f"{package}.tables"
    if importlib.util.find_spec(package) is not None and importlib.util.find_spec(name) is not None:
        return importlib.import_module(name).layouts  # type: ignore[no-any-return]
    return generic


def tables(
    frame: Frame,
    variant: Variant,
    *,
    by: str = "",
    published: bool = False,
    intervals: bool = False,
    seed: int = 0,
    layouts: Layouts | None = None,
) -> list[Table]:
    """Every table of the frame's benchmark that has rows, in order: see `tabulate.build`,
    `slicing.sliced`.
    """
    every = partial(_every, layouts or layouts_of(frame.benchmark), variant)
    if by:
        told = [*filter(None, [given_back.note(frame)])]
        parts = sliced(frame, by, every, intervals=intervals, seed=seed)
        return [replace(part, notes=[*part.notes, *told]) for part in parts]
    found: list[Table | None] = []
    for item in every(frame):
        again = partial(build, layout=item, intervals=intervals, seed=seed)
        table = again(frame, published=published)
        found.append(table and given_back.with_edited(frame, table, again))
    if frame.columns.repeat.max(initial=0) > 0:
        found += [repeated(frame, item) for item in every(frame)]
        found.append(noise(frame, variant))
    return [table for table in found if table is not None]


def every_layout(frame: Frame, variant: Variant) -> list[Layout]:
    """What `tables` builds for a frame: the benchmark's own layouts, and plain means of the metrics
    they leave out.
    """
    return _every(layouts_of(frame.benchmark), variant, frame)


def _every(make: Layouts, variant: Variant, frame: Frame) -> list[Layout]:
    """The benchmark's own layouts, and plain means of the metrics that are in none of them."""
    own = list(make(frame, variant))
    shown = {
        metric
        for item in own
        for leaf in item.leaves.values()
        for metric in (leaf.metric, *leaf.others)
    }
    columns = [
        field.column.name for item in own for field in item.fields
    ]  # a PSNR may be made from squared errors
    shown |= {
        metric
        for metric in frame.metrics
        if any(f"_{name}".endswith(f"_{metric}") for name in columns)
    }
    name, title = (
        f"{frame.benchmark}.further",
        f"{frame.benchmark}: metrics that are in none of the paper's tables",
    )
    return [
        *own,
        *(replace(item, name=name, title=title) for item in generic(frame, variant, without=shown)),
    ]
