"""What a data set is made of: counts, and how large the masks are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES
from editgauge.curation.conventions import operation_of, organ_and_task, topic_of
from editgauge.curation.dataset import DataSet
from editgauge.curation.masks import share_of
from editgauge.curation.review import agreement, disagreements
from editgauge.errors import EditgaugeError
from editgauge.metrics.text import language_of

Counts = dict[str, int]
_BINS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)


def statistics(data: DataSet, records: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Of all samples, or of those given: counts by state, split, category, operation, language,
    difficulty, topic (TextEditBench, figure 3), organ and task (MedEBench, table 5); the ten
    attributes of difficulty (TextEditBench, table 2); a histogram of the masks' share of the
    picture; words an instruction; agreement of reviewers and raters.
    """
    records = data.records() if records is None else records
    shares = [share for record in records if (share := _share(data, record)) is not None]
    words = [len((record.get("instruction") or "").split()) for record in records]
    return {
        "samples": len(records),
        "counts": {
            "state": _count(records, lambda r: r.get("state", "draft")),
            "split": _count(records, lambda r: r.get("split") or "all"),
            "category": _count(records, lambda r: "/".join(r.get("category") or ["unsorted"])),
            "operation": _count(records, operation_of),
            "language": _count(records, _language),
            "difficulty": _count(
                records, lambda r: str((r.get("attributes") or {}).get("difficulty", "not known"))
            ),
            "topic": _count(records, lambda r: topic_of(r)[1]),
            "organ and task": _count(records, lambda r: " / ".join(organ_and_task(r))),
            "licence": _count(records, lambda r: (r.get("source") or {}).get("licence", "none")),
        },
        "by_kind": {
            kind: _count([r for r in records if bool(r.get("reference")) is there],
                         lambda r: topic_of(r)[1])
            for kind, there in (("with a reference", True), ("without", False))
        },
        "attributes": {name: _values(records, name) for name in ATTRIBUTES},
        "mask_share": {"of": len(shares), "mean": float(np.mean(shares)) if shares else None,
                       "histogram": _histogram(shares)},
        "instruction_words": {"mean": float(np.mean(words)) if words else None},
        "with_reference": sum(bool(record.get("reference")) for record in records),
        "with_knowledge": sum(bool(record.get("knowledge")) for record in records),
        "agreement": agreement(data.events(), records),
        "disagreements": disagreements(records),
    }  # fmt: skip


def _values(records: Sequence[dict[str, Any]], name: str) -> Counts:
    """How many samples have which value of an attribute of difficulty."""
    found = [str((record.get("attributes") or {}).get(name)) for record in records]
    return {value: found.count(value) for value in ("0", "1", "2")}


def _share(data: DataSet, record: dict[str, Any]) -> float | None:
    try:
        return share_of(data, record)
    except EditgaugeError:  # a mask that is not there is no statistic
        return None


def _language(record: dict[str, Any]) -> str:
    texts = [record.get("target_text") or "", record.get("source_text") or ""]
    return language_of(*texts) if any(texts) else "no text"


def _count(records: Sequence[dict[str, Any]], label: Any) -> Counts:
    return dict(Counter(str(label(record)) for record in records).most_common())


def _histogram(shares: Sequence[float]) -> Counts:
    counts, _ = np.histogram(shares, bins=_BINS)
    return {
        f"{low:.0%} to {high:.0%}": int(n)
        for low, high, n in zip(_BINS, _BINS[1:], counts, strict=False)
    }
