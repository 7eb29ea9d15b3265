"""Options that belong together, one object for a command each (see `groups`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from editgauge.cli.options import (
    LimitOpt,
    SampleOpt,
    SplitOpt,
    WhereOpt,
)

if TYPE_CHECKING:
    from editgauge.run.material import Material
    from editgauge.store.run import Run
    from editgauge.study.calibrated_sheets import Calibration
    from editgauge.types import Sample


@dataclass(slots=True, kw_only=True)
class Narrowing:
    """Which samples of a benchmark."""

    split: SplitOpt = None
    limit: LimitOpt = None
    sample: SampleOpt = None
    where: WhereOpt = None

    def open(self, benchmark: str, data: Path | None, ids: Sequence[str] = ()) -> Material:
        """The benchmark's data and the samples that the options leave, or those of `ids` more."""
        from editgauge.run.material import Material

        return Material.open(
            benchmark,
            data,
            split=self.split,
            limit=self.limit,
            ids=[*(self.sample or ()), *ids],
            where=self.where or (),
        )

    def held_out(self, material: Material, run: Run) -> tuple[Material, Sequence[Sample]]:
        """The material with the test samples of a run's split alone, as far as the options leave
        them, and the samples that demonstrations may come from.
        """
        from dataclasses import replace

        from editgauge.store import selection
        from editgauge.tuning import split

        training, test = split.held_out(run, material.benchmark.name, material.every)
        ids, where = self.sample or (), self.where or ()
        chosen = selection.choose(test, limit=self.limit, ids=ids, where=where)
        return replace(material, samples=chosen), training


@dataclass(slots=True, kw_only=True)
class Correcting:
    """Scores corrected by a few ratings: the options of `study.calibrated_sheets`."""

    title: ClassVar[str] = "Scores corrected by ratings"
    calibrate: Annotated[
        str,
        typer.Option(
            metavar="human | JUDGE@N",
            help="Correct a judge's scores by people's ratings, or by a stronger judge on N "
            "samples.",
        ),
    ] = ""
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUESTION=METRIC",
            help="With --calibrate: the metric that stands for a question; default: of its name.",
        ),
    ] = None
    strata: Annotated[
        str,
        typer.Option(
            metavar="ATTR",
            help="With --calibrate: what the rated samples were drawn by (organ, tier).",
        ),
    ] = ""

    def of(
        self, benchmark: str, where: list[str] | None, source: list[str] | None, seed: int
    ) -> Calibration:
        """The calibration that the options ask for, of the scores that the others choose."""
        from editgauge.study.calibrated_sheets import Calibration

        return Calibration(
            gold=self.calibrate,
            benchmark=benchmark,
            where=where or (),
            sources=source or (),
            proxies=self.proxy or (),
            strata=self.strata,
            seed=seed,
        )


@dataclass(slots=True, kw_only=True)
class Gating:
    """A release gate, and where its verdict is written."""

    title: ClassVar[str] = "Release gate"
    gate: Annotated[
        Path | None,
        typer.Option(
            "--gate",
            metavar="POLICY.toml",
            help="Judge B by a policy: floors, margins, coverage, cost, latency. Exit code 0: "
            "PASS, 1: FAIL, 4: CANNOT TELL.",
        ),
    ] = None
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")
    ] = None
    step_summary: Annotated[
        Path | None,
        typer.Option(
            "--step-summary",
            metavar="FILE",
            help="Append the verdict as markdown, as to $GITHUB_STEP_SUMMARY.",
        ),
    ] = None
