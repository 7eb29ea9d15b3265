"""What can be checked in TextEditBench's published tables: sums, means, scales, and what a mean
PSNR can be (Jensen: not below the PSNR of the mean squared error).
"""

from __future__ import annotations

import math
from pathlib import Path

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, SPLITS
from editgauge.metrics import PEAK
from editgauge.tables.audit import Audit, Printed, limits, scale, total

_HERE = Path(__file__).parent
_PIXEL = tuple(f"{split}_{name}" for split in SPLITS for name in ("ssim", "lpips", "psnr", "mse"))
_ASKED = {split: tuple(f"{split}_{name}" for name in DIMENSIONS) for split in SPLITS}


def _psnr(mse: Printed) -> tuple[float, float]:
    """Between which PSNRs a mean PSNR lies beside a printed mean squared error."""
    largest = mse.value + mse.half
    return (10 * math.log10(PEAK**2 / largest) if mse.value > 0 else -math.inf), math.inf


AUDITS = (
    Audit(
        "texteditbench, pixels",
        frozenset({"model", "synthetic_ssim", "real_mse"}),
        _PIXEL,
        (
            scale(-1, 1, *(f"{split}_ssim" for split in SPLITS)),
            scale(0, math.inf, *(f"{split}_lpips" for split in SPLITS)),
            scale(0, PEAK**2, *(f"{split}_mse" for split in SPLITS)),
            *(
                limits(
                    f"{split}_psnr",
                    [f"{split}_mse"],
                    _psnr,
                    "a mean of PSNRs cannot be below the PSNR of the mean squared error",
                )
                for split in SPLITS
            ),
        ),
        (_HERE / "published_pixel.csv",),
    ),
    Audit(
        "texteditbench, judge",
        frozenset({"model", "synthetic_IF", "real_overall"}),
        tuple(name for split, asked in _ASKED.items() for name in (*asked, f"{split}_overall")),
        (
            scale(0, 5, *(name for asked in _ASKED.values() for name in asked)),
            *(
                total(f"{split}_overall", asked, [1.0] * 5, f"the sum of {', '.join(DIMENSIONS)}")
                for split, asked in _ASKED.items()
            ),
        ),
        (_HERE / "published_judge.csv",),
    ),
    Audit(
        "texteditbench, repeated judge",
        frozenset({"model", "run", "synthetic", "real"}),
        tuple(SPLITS),
        (scale(0, 25, *SPLITS),),
        (_HERE / "published_judge_repeats.csv",),
    ),
)
