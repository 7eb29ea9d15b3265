"""`--calibrate` of `table` and `compare`: their tables when few ratings correct many scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.errors import EditgaugeError, UsageError

if TYPE_CHECKING:
    from editgauge.study.calibration import Gold
    from editgauge.tables.frame import Frame
    from editgauge.tables.table import Table

CalibrateOpt = Annotated[
    str,
    typer.Option(
        metavar="human | JUDGE@N",
        help="Correct a judge's scores by people's ratings, or by a stronger judge on N samples.",
    ),
]
ProxyOpt = Annotated[
    list[str] | None,
    typer.Option(
        metavar="QUESTION=METRIC",
        help="With --calibrate: the metric that stands for a question; default: of its name.",
    ),
]
StrataOpt = Annotated[
    str,
    typer.Option(
        metavar="ATTR", help="With --calibrate: what the rated samples were drawn by (organ, tier)."
    ),
]


def mean_tables(
    runs: Sequence[Path],
    gold: str,
    *,
    benchmark: str = "",
    where: Sequence[str] | None = None,
    editors: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
    strata: str = "",
    seed: int = 0,
) -> list[Table]:
    """Corrected means of every metric that has gold, each as a table."""
    from editgauge.study.calibrated_sheets import means_table
    from editgauge.study.calibration import calibrated

    found: list[Table] = []
    for frame, items in _golds(runs, gold, benchmark, where, editors, sources, proxies, seed):
        made = calibrated(frame, items, strata=strata, seed=seed)
        found += [means_table(frame.benchmark, item, gold, strata) for item in made]
    return found


def difference_tables(
    run: Sequence[Path],
    gold: str,
    a: str,
    b: str,
    *,
    benchmark: str = "",
    where: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    proxies: Sequence[str] | None = None,
    strata: str = "",
    seed: int = 0,
) -> list[Table]:
    """Corrected differences of two editors, a table for each benchmark."""
    from editgauge.study.calibrated_sheets import differences_table
    from editgauge.study.calibration import differences

    found: list[Table] = []
    for frame, items in _golds(run, gold, benchmark, where, [a, b], sources, proxies, seed):
        made = differences(frame, items, a, b, strata=strata)
        found.append(differences_table(frame.benchmark, a, b, made, gold, strata))
    return found


def _golds(
    runs: Sequence[Path],
    gold: str,
    benchmark: str,
    where: Sequence[str] | None,
    editors: Sequence[str] | None,
    sources: Sequence[str] | None,
    proxies: Sequence[str] | None,
    seed: int,
) -> Iterator[tuple[Frame, list[Gold]]]:
    """Each benchmark's frame of scores and its gold. Raises the first error where none has any."""
    from editgauge.study.calibration import gold_of
    from editgauge.study.people import directions_of
    from editgauge.tables import rows

    given = dict(word.partition("=")[::2] for word in proxies or ())
    if not all(given.values()):
        raise UsageError("--proxy: wanted QUESTION=METRIC, such as --proxy CP=masked_ssim")
    frames = rows.every_frame(rows.open_runs(runs), benchmark, where=where, editors=editors)
    errors, found = [], 0
    for frame in frames:
        try:
            rest, items = gold_of(frame, gold, directions_of(frame), proxies=given, seed=seed)
            known = [name for name in sources or () if rest.sources_called(name)]
            rest = rest.of_sources(known)
        except EditgaugeError as error:
            errors.append(error)
            continue
        if items:
            found += 1
            yield rest, items
    if not found:
        raise (
            errors[0]
            if errors
            else UsageError(
                f"--calibrate {gold}: nobody has rated anything in this run; see: editgauge study "
                f"import --help"
            )
        )
