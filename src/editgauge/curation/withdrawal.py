"""Taking a sample out of a set, and back in: it stays in the trail, and leaves with no export.

A sample whose consent was withdrawn is erased: its pictures are deleted from the folder. What was
written about it stays in the trail, which proves what was done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editgauge.curation import review
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import pictures_of
from editgauge.errors import UsageError
from editgauge.store import paths
from editgauge.web.log import Act

OUT = "withdrawn"


def withdraw(
    data: DataSet, sample: str, who: str, *, why: str = "", erase: bool = False
) -> dict[str, Any]:
    """The sample's record with the state `OUT`; with `erase` its pictures are gone from the folder,
    but those that another sample shows, too, which is not erased itself. One that is out already
    may still be erased.
    """
    record = data.record(sample)
    if record.get("state") != OUT:
        fields = {"state": OUT}
        record = data.change(sample, record["version"], fields, Act(who, "withdrawn", why))
    if erase:
        gone = _erase(data, record)
        data.note(who, "erased", sample, pictures=gone, why=why)
    return record


def restore(data: DataSet, sample: str, who: str, *, why: str = "") -> dict[str, Any]:
    """The sample's record, back in the set in the state it was in; verified only where its reviews
    still say so.

    Raises `UsageError` for one that is not withdrawn, or whose pictures were erased.
    """
    record = data.record(sample)
    if record.get("state") != OUT:
        raise UsageError(f"{sample}: it is not withdrawn")
    if lost := [path for path in pictures_of(record) if not _there(data, path)]:
        raise UsageError(f"{sample}: {len(lost)} of its pictures were erased; take them in anew")
    before = [e.before for e in data.log.events(sample) if e.after.get("state") == OUT]
    state = str(before[-1].get("state") or "draft") if before else "draft"
    if state == "verified" and review.lacking(record, data.about.policy):
        state = "refined"
    fields = {"state": state}
    return data.change(sample, record["version"], fields, Act(who, "restored", why))


def _erase(data: DataSet, record: dict[str, Any]) -> int:
    """Delete the pictures that only this sample, and erased ones, show; returns how many."""
    erased = {record["id"], *(event.item for event in data.events() if event.what == "erased")}
    others = [
        one
        for one in data.records(withdrawn=True)
        if one["id"] not in erased or one.get("state") != OUT
    ]
    others = [one for one in others if one["id"] != record["id"]]
    shared = {path for one in others for path in pictures_of(one)}
    lone = [path for path in pictures_of(record) if path not in shared and _there(data, path)]
    for path in lone:
        Path(data.root / path).unlink()
    return len(lone)


def _there(data: DataSet, path: str) -> bool:
    return paths.fault(data.root, path) is None
