"""Rows and sample records for tests of tables, made in code."""

from __future__ import annotations

from typing import Any

from editgauge.tables import reading
from editgauge.tables.results import Results
from editgauge.types import Row, Status


def row(
    sample: str,
    editor: str,
    metric: str,
    value: float | None,
    *,
    status: Status = Status.SCORED,
    benchmark: str = "mini",
    variant: str = "faithful",
    source: str = "",
    repeat: int = 0,
    infinite: bool = False,
    scorer: str = "test",
    fingerprint: str = "",
) -> Row:
    """One row; a value of None with status SCORED must be `infinite`."""
    assert (value is None) == (infinite or status is not Status.SCORED)
    return Row(
        benchmark=benchmark,
        sample=sample,
        editor=editor,
        scorer=scorer,
        metric=metric,
        variant=variant,
        value=value,
        status=status,
        reason="" if value is not None else "made",  # type: ignore[arg-type]
        fingerprint=fingerprint or f"{sample}{editor}{metric}{variant}{source}{repeat}",
        source=source,
        repeat=repeat,
        detail={"infinite": True} if infinite else {},
    )


def record(
    identity: str, *, split: str = "all", category: tuple[str, ...] = (), **attributes: Any
) -> dict[str, Any]:
    """A sample's record as a run keeps it."""
    known = {
        "knowledge": attributes.pop("knowledge", None),
        "instruction": attributes.pop("instruction", "edit it"),
    }
    return {
        "id": identity,
        "split": split,
        "category": list(category),
        "attributes": attributes,
        **known,
    }


def frame(rows: list[Row], records: list[dict[str, Any]], benchmark: str = "mini") -> Results:
    return reading.of_rows(rows, records, benchmark)
