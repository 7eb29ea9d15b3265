"""What `table`, `compare`, `merge` and `report` share: opening runs and choosing rows from
words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from editgauge.errors import UsageError
from editgauge.store.selection import conditions, one_of
from editgauge.types import VARIANTS, Variant

if TYPE_CHECKING:
    from editgauge.store.run_folder import RunFolder
    from editgauge.tables.frame import Frame


def variants(given: str) -> tuple[Variant, ...]:
    """``faithful``, ``corrected`` or ``both``."""
    one_of("--variant", given, (*VARIANTS, "both"))
    return VARIANTS if given == "both" else (cast(Variant, given),)


def open_runs(paths: Sequence[Path]) -> list[RunFolder]:
    """The run folders, each once. Raises `RunError` for one that is none."""
    from editgauge.store.run_folder import RunFolder

    return [RunFolder.open(path) for path in dict.fromkeys(path.resolve() for path in paths)]


def benchmarks(runs: Sequence[RunFolder], wanted: str = "") -> list[str]:
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


def frames(
    runs: Sequence[RunFolder],
    benchmark: str = "",
    *,
    where: Sequence[str] | None = None,
    editors: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    people: Callable[[Frame], Frame] | None = None,
) -> list[Frame]:
    """The rows of each benchmark in the runs: of these editors and samples, and of one source for
    each metric.

    Annotators' rows are left out, or put together by `people`.

    Of several benchmarks, those that lack an editor or an attribute are left out. Raises
    `UnknownName` for what none of them has, `UsageError` where rows of two sources would be mixed
    or no sample is left.
    """
    from editgauge.errors import UnknownName
    from editgauge.tables.frame import Frame

    names = benchmarks(runs, benchmark)
    gather = people or Frame.without_people
    read = [gather(Frame.of_runs(runs, name)) for name in names]
    for source in sources or ():
        if not any(frame.sources_called(source) for frame in read):
            there = sorted({name for frame in read for name in frame.sources if name})
            raise UnknownName(
                f"--source {source!r} made no row of {', '.join(names)}; sources here: "
                f"{', '.join(there) or 'none'}"
            )
    found, errors = [], []
    for frame in read:
        try:
            frame = frame.of_sources(
                [source for source in sources or () if frame.sources_called(source)]
            )
            found.append(_narrowed(frame, conditions(where), list(editors or ())))
        except UnknownName as error:
            errors.append(error)
    if errors and not found:
        raise errors[0]
    return found


def people_frames(runs: Sequence[RunFolder], benchmark: str = "") -> list[Frame]:
    """The rows of each benchmark that annotators rated, with annotators' and machines' rows."""
    from editgauge.tables.frame import Frame

    read = [Frame.of_runs(runs, name) for name in benchmarks(runs, benchmark)]
    return [frame for frame in read if len(frame.only_people())]


def _narrowed(frame: Frame, where: dict[str, str], editors: list[str]) -> Frame:
    if editors:
        frame = frame.of_editors(editors)
    if where:
        mask = frame.samples.where(where)
        if not mask.any():
            told = ", ".join(f"{name}={value}" for name, value in where.items())
            raise UsageError(f"--where {told}: no sample of {frame.benchmark}")
        frame = frame.of_samples(mask)
    return frame
