"""What a data set is made of, in numbers, and its card: what it is, where it comes from, how it was
made, what it cannot do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from editgauge.curation.conventions import operation_of, organ_and_task, tier, topic_of
from editgauge.curation.dataset import DataSet
from editgauge.curation.masks import share_of
from editgauge.curation.records import SOURCE, Record
from editgauge.curation.review import agreement, disagreements
from editgauge.errors import EditgaugeError
from editgauge.escape import markdown
from editgauge.metrics.text import language_of

Records = Sequence[Record]
_BINS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)


def statistics(data: DataSet, records: Records | None = None) -> dict[str, Any]:
    """Of all samples, or of those given: counts by state, split, category, operation, language,
    difficulty, topic (TextEditBench, figure 3), organ and task (MedEBench, table 5); a histogram of
    the masks' share of the picture; agreement of reviewers and raters.
    """
    records = data.records() if records is None else records
    shares = [share for record in records if (share := _share(data, record)) is not None]
    labels: dict[str, Callable[[Record], object]] = {
        "state": lambda r: r.state,
        "split": lambda r: r.split or "all",
        "category": lambda r: "/".join(r.category) or "unsorted",
        "operation": operation_of,
        "language": _language,
        "difficulty": lambda r: tier(r) or "not known",
        "topic": lambda r: topic_of(r)[1],
        "organ and task": lambda r: " / ".join(organ_and_task(r)),
        "licence": lambda r: r.source.get("licence", "none"),
    }
    counts = {
        name: dict(Counter(str(label(record)) for record in records).most_common())
        for name, label in labels.items()
    }
    bins, _ = np.histogram(shares, bins=_BINS)
    steps = zip(_BINS, _BINS[1:], bins, strict=False)
    return {
        "samples": len(records),
        "with_reference": sum(bool(record.reference) for record in records),
        "with_knowledge": sum(bool(record.knowledge) for record in records),
        "counts": counts,
        "mask_share": {
            "of": len(shares),
            "mean": float(np.mean(shares)) if shares else None,
            "histogram": {f"{low:.0%} to {high:.0%}": int(n) for low, high, n in steps},
        },
        "agreement": agreement(data.events(), records),
        "disagreements": disagreements(records),
    }


def card(data: DataSet, records: Records | None = None, *, version: str = "") -> str:
    """Markdown with the set's counts, sources, process and limits, of all samples or of those that
    leave with a `version`. Everything in it follows from the set; what nobody said is unknown.
    """
    records = data.records() if records is None else records
    about, told = data.about, statistics(data, records)
    lines = [
        f"# {markdown(about.title or about.name)}",
        "",
        markdown(about.description, None) if about.description else "No description was given.",
        "",
        f"- name: `{about.name}`, version {markdown(version or about.version)}",
        f"- licence of the set: {markdown(about.licence) if about.licence else 'not stated'}",
        f"- samples: {told['samples']}",
        f"- with a reference: {told['with_reference']}",
        f"- with a knowledge prompt: {told['with_knowledge']}",
        "",
    ]
    for name, counts in told["counts"].items():
        lines += [f"## By {name}", "", *_table(name, counts)]
    share = told["mask_share"]
    if share["of"]:
        mean = f"Mean share of the picture: {share['mean']:.1%} over {share['of']} samples."
        lines += ["## Area that may change", "", mean, "", *_table("share", share["histogram"])]
    lines += [*_provenance(records), *_process(data, told), *_limits(told)]
    return "\n".join(lines) + "\n"


def _table(name: str, counts: dict[str, int]) -> list[str]:
    rows = [f"| {markdown(str(label))} | {n} |" for label, n in counts.items()]
    return [f"| {name} | samples |", "| --- | ---: |", *rows, ""]


def _provenance(records: Records) -> list[str]:
    lines = ["## Provenance", ""]
    for name in SOURCE:
        said = sum(name in record.source for record in records)
        lines.append(f"- {name} stated for {said} of {len(records)} samples")
    pictures = [about for record in records for about in record.pictures.values()]
    scans = sum(any(p.scan for p in record.pictures.values()) for record in records)
    hidden = sum(len(about.hidden) for about in pictures)
    return [*lines, f"- from scans: {scans} samples; areas hidden in pictures: {hidden}", ""]


def _process(data: DataSet, told: dict[str, Any]) -> list[str]:
    policy, agreed = data.about.policy, told["agreement"]
    events = data.events()
    lines = [
        "## Process",
        "",
        f"- recorded changes: {len(events)}, by {len({e.who for e in events})} people and tools",
        f"- reviews that a sample needs: {policy.reviews}",
        f"- fields that a source needs: {', '.join(policy.required) or 'none'}",
    ]
    if agreed["samples"]:
        alpha = "not defined" if agreed["alpha"] is None else f"{agreed['alpha']:.2f}"
        lines += [
            f"- samples that two or more people reviewed: {agreed['samples']}",
            f"- all of them accepted at first: {agreed['accepted_by_all']} ({agreed['share']:.1%})",
            f"- Krippendorff's alpha of the verdicts: {alpha}",
        ]
    return [*lines, ""]


def _limits(told: dict[str, Any]) -> list[str]:
    unverified = told["samples"] - told["counts"]["state"].get("verified", 0)
    lines = ["## Known limits", ""]
    lines.append(f"- {unverified} of {told['samples']} samples are not verified by a reviewer.")
    if told["samples"] < 100:
        lines.append("- Fewer than 100 samples: differences between models have wide intervals.")
    if unknown := told["counts"]["difficulty"].get("not known", 0):
        lines.append(f"- The difficulty of {unknown} samples is not known.")
    if told["disagreements"]:
        lines.append(f"- Reviewers disagree on {len(told['disagreements'])} samples.")
    return [*lines, ""]


def _share(data: DataSet, record: Record) -> float | None:
    try:
        return share_of(data, record)
    except EditgaugeError:  # a mask that is not there is no statistic
        return None


def _language(record: Record) -> str:
    texts = [record.target_text, record.source_text]
    return language_of(*texts) if any(texts) else "no text"
