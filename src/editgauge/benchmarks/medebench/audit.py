"""What can be checked in MedEBench's published tables: scales, and that overall means lie among the
organs' means.
"""

from __future__ import annotations

import math
from pathlib import Path

from editgauge.tables.audit import Audit, Report, Sheet, models, within

_HERE = Path(__file__).parent
_METRICS = ("EA", "CP", "VQ")


def organs(sheet: Sheet, report: Report) -> None:
    """Table 2: 0 to 1 everywhere, FID not negative, each overall number between the lowest and the
    highest organ.
    """
    per_metric = {
        metric: [
            h
            for h in sheet.headings
            if h.endswith(f"_{metric}") and not h.lower().startswith("overall")
        ]
        for metric in _METRICS
    }
    for line in models(sheet, report, []):
        for metric, columns in per_metric.items():
            within(sheet, report, line, [*columns, f"Overall_{metric}"], 0, 1)
            parts = sheet.numbers(line, columns)
            printed = sheet.number(line, f"Overall_{metric}")
            if parts and printed is not None:
                low = min(part.value - part.half for part in parts)
                high = max(part.value + part.half for part in parts)
                rule = "a mean over all samples lies between the lowest and the highest organ"
                report.between(sheet.title(line), f"Overall_{metric}", printed, low, high, rule)
        within(sheet, report, line, ["overall_FID"], 0, math.inf)


def paradigms(sheet: Sheet, report: Report) -> None:
    """Fine-tuning and in-context editing: 0 to 1."""
    for line in sheet.lines:
        within(sheet, report, line, _METRICS, 0, 1)


def attention(sheet: Sheet, report: Report) -> None:
    """Attention against the region's mask: an intersection over union, 0 to 1."""
    for line in sheet.lines:
        within(sheet, report, line, ["iou"], 0, 1)


def spearman(sheet: Sheet, report: Report) -> None:
    """Rank correlations: -1 to 1."""
    for line in sheet.lines:
        within(sheet, report, line, _METRICS, -1, 1)


AUDITS = (
    Audit(
        "medebench, organs",
        frozenset({"model", "Overall_EA", "overall_FID"}),
        organs,
        (_HERE / "published_organs.csv",),
    ),
    Audit(
        "medebench, paradigms",
        frozenset({"paradigm", "shots", "EA"}),
        paradigms,
        (_HERE / "published_paradigms.csv",),
    ),
    Audit(
        "medebench, attention",
        frozenset({"organ", "iou"}),
        attention,
        (_HERE / "published_attention_iou.csv",),
    ),
    Audit(
        "medebench, correlations",
        frozenset({"metric", "EA", "CP", "VQ"}),
        spearman,
        (_HERE / "published_spearman.csv",),
    ),
)
