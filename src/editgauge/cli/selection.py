"""What `table`, `compare`, `merge` and `report` share: opening runs and choosing rows from words."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from editgauge.errors import UsageError
from editgauge.types import VARIANTS, Variant

if TYPE_CHECKING:
    from editgauge.frame import Frame
    from editgauge.results import RunFolder


def one_of(option: str, given: str, known: Sequence[str]) -> str:
    """`given` if it is one of the known words. Raises `UsageError` naming them."""
    if given not in known:
        near = difflib.get_close_matches(given, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{option} {given!r}: wanted one of {', '.join(known)}{hint}")
    return given


def variants(given: str) -> tuple[Variant, ...]:
    """``faithful``, ``corrected`` or ``both``."""
    one_of("--variant", given, (*VARIANTS, "both"))
    return VARIANTS if given == "both" else (cast(Variant, given),)


def open_runs(paths: Sequence[Path]) -> list[RunFolder]:
    """The run folders, each once. Raises `RunError` for one that is none."""
    from editgauge.results import RunFolder

    return [RunFolder.open(path) for path in dict.fromkeys(path.resolve() for path in paths)]


def benchmarks(runs: Sequence[RunFolder], wanted: str = "") -> list[str]:
    """The benchmarks that the runs have samples of, or the wanted one. Raises `UsageError` when it is not there."""
    from editgauge.catalog import canonical

    found = sorted({name for run in runs for name in run.benchmarks()})
    if not wanted:
        return found
    wanted = canonical(wanted)
    if wanted not in found:
        raise UsageError(f"--benchmark {wanted}: not in this run; there are: {', '.join(found) or 'none'}")
    return [wanted]


def conditions(given: Sequence[str] | None) -> dict[str, str]:
    """``attribute=value`` words as a mapping. Raises `UsageError` for one without ``=``."""
    found = {}
    for word in given or ():
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise UsageError(f"--where {word!r}: wanted attribute=value, such as topic=Posters")
        found[name] = value
    return found


def narrowed(
    runs: Sequence[RunFolder],
    benchmark: str,
    *,
    where: Sequence[str] | None = None,
    editors: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
) -> Frame:
    """A benchmark's rows in the runs: of these editors and samples, and of one source for each metric."""
    from editgauge.frame import Frame

    frame = Frame.of_runs(runs, benchmark)
    known = [name for name in sources or () if name in frame.sources]
    frame = frame.of_sources(known if len(frame.sources) and known else list(sources or ()))
    if editors:
        frame = frame.of_editors(list(editors))
    wanted = conditions(where)
    if wanted:
        mask = frame.samples.where(wanted)
        if not mask.any():
            told = ", ".join(f"{name}={value}" for name, value in wanted.items())
            raise UsageError(f"--where {told}: no sample of {benchmark}")
        frame = frame.of_samples(mask)
    return frame
