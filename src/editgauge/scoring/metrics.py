"""The metrics of scorers that benchmarks share, and how a file ``metrics.toml`` is read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from editgauge.types import JsonObject, Metric


def read_metrics(module: str) -> dict[str, tuple[Metric, ...]]:
    """The metrics that ``metrics.toml`` beside a module declares, by group: a table with what the
    group's metrics share and ``metric``, a list of them. A shared note stands behind their own.
    """
    groups = tomllib.loads((Path(module).parent / "metrics.toml").read_text(encoding="utf-8"))
    return {name: tuple(_metric(group, one) for one in group["metric"])
            for name, group in groups.items()}  # fmt: skip


def _metric(group: JsonObject, own: JsonObject) -> Metric:
    notes = [fields["note"] for fields in (own, group) if "note" in fields]
    fields = {name: value for name, value in group.items() if name != "metric"}
    own = {"direction": None, **fields, **own, "note": "; ".join(notes)}
    return msgspec.convert(own, Metric)


_SHARED = read_metrics(__file__)
BACKGROUND = _SHARED["background"]
"""What stayed as it was outside the masks."""
REFERENCE = _SHARED["reference"]
"""How near the output comes to the reference."""
(LPIPS,) = _SHARED["lpips"]
(FID,) = _SHARED["sets"]
OCR = _SHARED["ocr"]
"""What is scored by reading: TextEdit's five scores."""
