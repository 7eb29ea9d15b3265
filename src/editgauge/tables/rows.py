"""What `table`, `compare`, `merge` and `report` share: opening runs and choosing rows from
words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from editgauge.errors import UnknownName, UsageError
from editgauge.store.labels import mapping
from editgauge.store.selection import one_of
from editgauge.types import VARIANTS, Variant

if TYPE_CHECKING:
    from editgauge.store.run import Run
    from editgauge.tables.frame import Frame


def variants(given: str) -> tuple[Variant, ...]:
    """``faithful``, ``corrected`` or ``both``."""
    one_of("--variant", given, (*VARIANTS, "both"))
    return VARIANTS if given == "both" else (cast(Variant, given),)


def open_runs(paths: Sequence[Path], *, pictures: bool = False) -> list[Run]:
    """The run folders, each once; a pattern (``runs/*``, also on a store) stands for every run that
    it matches, in the order of their names. Of a run on a store only what tables need is fetched
    (`store.remote`), with `pictures` all of it.

    Raises `RunError` for one that is none, `UsageError` for a pattern without any.
    """
    from editgauge.store.many_runs import matching, room_for
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run

    named = list(dict.fromkeys(one for path in paths for one in matching(path)))
    room_for(len(named))
    opened = {
        run.path: run for run in (Run.open(fetched(path, pictures=pictures)) for path in named)
    }
    return list(opened.values())


def benchmarks(runs: Sequence[Run], wanted: str = "") -> list[str]:
    """The benchmarks that the runs have samples of, or the wanted one. Raises `UsageError` when it
    is not there.
    """
    from editgauge.catalog import canonical

    found = sorted({name for run in runs for name in run.benchmarks()})
    if not wanted:
        return found
    wanted = canonical(wanted)
    if wanted not in found:
        raise UsageError(
            f"--benchmark {wanted}: not in this run; there are: {', '.join(found) or 'none'}"
        )
    return [wanted]


def read(
    runs: Sequence[Run], benchmark: str = "", editors: Sequence[str] | None = None
) -> list[Frame]:
    """Every row of each benchmark in the runs; with `editors` those of the others may be left
    unread. Raises as `benchmarks`.
    """
    from editgauge.tables.frame import Frame

    names = benchmarks(runs, benchmark)
    every = (Frame.of_runs(runs, name, editors=list(editors or ())) for name in names)
    return [without_training(frame, runs) for frame in every]


def without_training(frame: Frame, runs: Sequence[Run]) -> Frame:
    """The frame without the samples that `tune` trained on and that no editor was scored on: they
    are no part of a test, and of no table's count.
    """
    trained: set[str] = set()
    for run in runs:
        for entry in run.manifest().get("entries", []):
            if entry.get("command") == "tune" and entry.get("benchmark") == frame.benchmark:
                for split in mapping(entry.get("splits")).values():
                    trained.update(mapping(split).get("training", ()))
    if not trained:
        return frame
    keep = np.array([name not in trained for name in frame.samples.ids], dtype=np.bool_)
    keep[frame.columns.sample[frame.columns.sample >= 0]] = True
    return frame.without_unscored(keep)


def frames(
    runs: Sequence[Run],
    benchmark: str = "",
    *,
    where: Sequence[str] | None = None,
    editors: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    people: Callable[[Frame], Frame] | None = None,
    side_by_side: bool = False,
) -> list[Frame]:
    """The rows of each benchmark in the runs: of these editors and samples, and of one source for
    each metric. See `chosen`, which does it with rows that were read before.
    """
    return chosen(
        read(runs, benchmark, editors),
        where=where,
        editors=editors,
        sources=sources,
        people=people,
        side_by_side=side_by_side,
    )


def chosen(
    frames: Sequence[Frame],
    *,
    where: Sequence[str] | None = None,
    editors: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    people: Callable[[Frame], Frame] | None = None,
    side_by_side: bool = False,
) -> list[Frame]:
    """The rows that `read` gave: of these editors and samples, of one source for each metric.

    Annotators' rows are left out, or put together by `people`. With `side_by_side`, and no source
    named, metrics that several sources made come as a frame for each source, beside those that only
    one made (`Frame.sides`).

    Of several benchmarks, those that lack an editor, an attribute or its value are left out. Raises
    `UnknownName` for what none of them has, `UsageError` where rows of two sources would be mixed
    or no sample is left.
    """
    from editgauge.tables.frame import Frame

    gather = people or Frame.without_people
    frames = [gather(frame) for frame in frames]
    for source in sources or ():
        if not any(frame.sources_called(source) for frame in frames):
            there = sorted({name for frame in frames for name in frame.sources if name})
            raise UnknownName(
                f"--source {source!r} made no row of {', '.join(f.benchmark for f in frames)}; "
                f"sources here: {', '.join(there) or 'none'}"
            )
    found, errors = [], []
    for frame in frames:
        try:
            named = [source for source in sources or () if frame.sources_called(source)]
            parts = frame.sides() if side_by_side and not named else [frame.of_sources(named)]
            found += [narrowed(part, where or (), list(editors or ())) for part in parts]
        except UnknownName as error:
            errors.append(error)
    if errors and not found:
        raise errors[0]
    return found


def every_frame(
    runs: Sequence[Run],
    benchmark: str = "",
    *,
    where: Sequence[str] | None = None,
    editors: Sequence[str] | None = None,
) -> list[Frame]:
    """The rows of each benchmark with those of every source and of every annotator: whoever reads
    them chooses among them. Raises as `frames`.
    """
    return [
        narrowed(frame, where or (), list(editors or ()))
        for frame in read(runs, benchmark, editors)
    ]


def narrowed(frame: Frame, where: Sequence[str], editors: Sequence[str] = ()) -> Frame:
    """The rows of these editors (none named: of all) and of the samples with these labels. Raises
    as `chosen`.
    """
    if editors:
        frame = frame.of_editors(editors)
    return frame.of_samples(frame.samples.matching(where)) if where else frame
