"""What can be checked in TextEditBench's published tables: sums, means, scales, and what a mean
PSNR can be.
"""

from __future__ import annotations

import math
from pathlib import Path

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, SPLITS
from editgauge.metrics import PEAK
from editgauge.tables.audit import Audit, Report, Sheet, models, weighted_sum, within

_HERE = Path(__file__).parent


def pixel(sheet: Sheet, report: Report) -> None:
    """Table 3: scales; the Mean line; and that a mean of PSNRs is at least the PSNR of the mean
    error (Jensen).
    """
    columns = [
        f"{split}_{metric}" for split in SPLITS for metric in ("ssim", "lpips", "psnr", "mse")
    ]
    for line in models(sheet, report, columns):
        for split in SPLITS:
            within(sheet, report, line, [f"{split}_ssim"], -1, 1)
            within(sheet, report, line, [f"{split}_lpips"], 0, math.inf)
            within(sheet, report, line, [f"{split}_mse"], 0, PEAK**2)
            psnr, mse = sheet.number(line, f"{split}_psnr"), sheet.number(line, f"{split}_mse")
            if psnr is not None and mse is not None and mse.value > 0:
                least = 10 * math.log10(PEAK**2 / (mse.value + mse.half))
                rule = "a mean of PSNRs cannot be below the PSNR of the mean squared error"
                report.between(sheet.title(line), f"{split}_psnr", psnr, least, math.inf, rule)


def judge(sheet: Sheet, report: Report) -> None:
    """Table 4: each overall is the sum of its five means; the Mean line; the scale 0 to 5."""
    columns = [f"{split}_{name}" for split in SPLITS for name in (*DIMENSIONS, "overall")]
    for line in models(sheet, report, columns):
        for split in SPLITS:
            names = [f"{split}_{name}" for name in DIMENSIONS]
            within(sheet, report, line, names, 0, 5)
            parts, printed = sheet.numbers(line, names), sheet.number(line, f"{split}_overall")
            if parts is not None and printed is not None:
                value, room = weighted_sum(parts, [1.0] * 5)
                rule = f"the sum of {', '.join(DIMENSIONS)}"
                report.equal(sheet.title(line), f"{split}_overall", printed, value, room, rule)


def repeats(sheet: Sheet, report: Report) -> None:
    """Three runs of the judge: the scale 0 to 25."""
    for line in sheet.lines:
        within(sheet, report, line, tuple(SPLITS), 0, 25)


AUDITS = (
    Audit(
        "texteditbench, pixels",
        frozenset({"model", "synthetic_ssim", "real_mse"}),
        pixel,
        (_HERE / "published_pixel.csv",),
    ),
    Audit(
        "texteditbench, judge",
        frozenset({"model", "synthetic_IF", "real_overall"}),
        judge,
        (_HERE / "published_judge.csv",),
    ),
    Audit(
        "texteditbench, repeated judge",
        frozenset({"model", "run", "synthetic", "real"}),
        repeats,
        (_HERE / "published_judge_repeats.csv",),
    ),
)
