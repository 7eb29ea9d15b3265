"""Options of `editgauge diagnose`: whose attention, how a map is cut, what is high."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from editgauge.cli.options import DeviceOpt, LimitOpt, SampleOpt, WhereOpt

if TYPE_CHECKING:
    from editgauge.run.diagnose import Maps


@dataclass(slots=True, kw_only=True)
class Chosen:
    """Which samples of a run."""

    limit: LimitOpt = None
    sample: SampleOpt = None
    where: WhereOpt = None


@dataclass(slots=True, kw_only=True)
class Looking:
    """Whose attention is looked at, how the model runs again, and how maps are cut."""

    title: ClassVar[str] = "Attention and maps"
    concepts: Annotated[
        Path | None,
        typer.Option(
            "--concepts",
            help="A CSV file with the columns sample,concept or task,concept: whose attention is "
            "looked at.",
        ),
    ] = None
    model: Annotated[
        str,
        typer.Option("--model", help="The weights' folder or hub id, where the run does not tell."),
    ] = ""
    device: DeviceOpt = None
    dtype: Annotated[
        str, typer.Option("--dtype", help="Of the weights; default: as recorded, float32 on a CPU.")
    ] = ""
    resolution: Annotated[
        str,
        typer.Option("--resolution", help="Longer side of a U-Net's maps that count, or all."),
    ] = "16"
    alpha: Annotated[
        float, typer.Option("--alpha", min=0.0, help="Factor of Otsu's threshold.")
    ] = 1.3
    bins: Annotated[
        int, typer.Option("--bins", min=2, max=65536, help="Of the histogram for Otsu's threshold.")
    ] = 256
    floor: Annotated[
        float,
        typer.Option("--floor", min=0.0, max=255.0, help="Differences up to it are no change."),
    ] = 10.0

    def maps(self) -> Maps:
        """Raises `UsageError` for a resolution that is none."""
        from editgauge.errors import UsageError
        from editgauge.run.diagnose import Maps

        side = None
        if self.resolution != "all":
            side = int(self.resolution) if self.resolution.isdecimal() else 0
            if not 1 <= side <= 1 << 16:
                raise UsageError(
                    f"--resolution {self.resolution!r}: wanted a number such as 16, or all"
                )
        return Maps(
            alpha=self.alpha,
            bins=self.bins,
            floor=self.floor,
            resolution=side,
            model=self.model,
            device=self.device,
            dtype=self.dtype,
        )


@dataclass(slots=True, kw_only=True)
class High:
    """From where on a score is high."""

    title: ClassVar[str] = "What counts as high"
    accurate: Annotated[
        float | None,
        typer.Option("--accurate", help="From where on the judged accuracy is high; MedEBench: 5."),
    ] = None
    preserved: Annotated[
        float | None,
        typer.Option("--preserved", help="From where on preservation is high; MedEBench: 0.7."),
    ] = None
    iou: Annotated[
        float, typer.Option("--iou", min=0.0, max=1.0, help="From where on an IoU is high.")
    ] = 0.3
    changed: Annotated[
        float,
        typer.Option(
            "--changed", min=0.0, max=1.0, help="The share of a picture that must have changed."
        ),
    ] = 0.005
