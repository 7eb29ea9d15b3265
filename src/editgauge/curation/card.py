"""The card of a data set: what it is, where it comes from, how it was made, what it cannot do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from editgauge.curation.conventions import tier
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import SOURCE, Record
from editgauge.curation.review import agreement, disagreements
from editgauge.escape import markdown
from editgauge.metrics.text import language_of


def _language(record: Record) -> str:
    texts = [record.target_text, record.source_text]
    return language_of(*texts) if any(texts) else "no text"


_LABELS: dict[str, Callable[[Record], str]] = {
    "state": lambda record: record.state,
    "split": lambda record: record.split or "all",
    "category": lambda record: "/".join(record.category) or "unsorted",
    "language": _language,
    "difficulty": lambda record: tier(record) or "not known",
    "licence": lambda record: record.source.get("licence", "none"),
}
"""What the samples are counted by."""


def card(data: DataSet, records: Sequence[Record], *, version: str = "") -> str:
    """``README.md`` of what leaves: of these samples."""
    about = data.about
    lines = [
        f"# {markdown(about.title or about.name)}",
        "",
        *([markdown(about.description, limit=None), ""] if about.description else []),
        f"- version: {version or about.version}",
        f"- licence: {markdown(about.licence or 'not stated')}",
        f"- measured as: {about.protocol or 'each sample by its own protocol'}",
        f"- samples: {len(records)}",
        f"- with a reference: {sum(bool(record.reference) for record in records)}",
        "",
    ]
    for name, label in _LABELS.items():
        counts = Counter(label(record) for record in records).most_common()
        rows = [f"| {markdown(value)} | {count} |" for value, count in counts]
        lines += [f"## By {name}", "", f"| {name} | samples |", "| --- | ---: |", *rows, ""]
    parts = (_provenance(records), _process(data, records), _limits(records))
    for title, part in zip(("Provenance", "Process", "Known limits"), parts, strict=True):
        lines += [f"## {title}", "", *(f"- {line}" for line in part), ""]
    return "\n".join(lines)


def _provenance(records: Sequence[Record]) -> Iterator[str]:
    for name in SOURCE:
        said = sum(name in record.source for record in records)
        yield f"{name} stated for {said} of {len(records)} samples"
    pictures = [about for record in records for about in record.pictures.values()]
    scans = sum(bool(about.scan) for about in pictures)
    hidden = sum(len(about.hidden) for about in pictures)
    yield f"from scans: {scans} pictures; areas hidden in pictures: {hidden}"


def _process(data: DataSet, records: Sequence[Record]) -> Iterator[str]:
    events, agreed = data.events(), agreement(data.events(), records)
    yield f"recorded changes: {len(events)}, by {len({e.who for e in events})} people and tools"
    yield f"reviews that a sample needs: {data.about.policy.reviews}"
    if agreed["samples"]:
        alpha = "not defined" if agreed["alpha"] is None else f"{agreed['alpha']:.2f}"
        yield f"samples that two or more people reviewed: {agreed['samples']}"
        yield f"all of them accepted at first: {agreed['accepted_by_all']} ({agreed['share']:.1%})"
        yield f"Krippendorff's alpha of the verdicts: {alpha}"


def _limits(records: Sequence[Record]) -> Iterator[str]:
    unverified = sum(record.state != "verified" for record in records)
    yield f"{unverified} of {len(records)} samples are not verified by a reviewer."
    if len(records) < 100:
        yield "Fewer than 100 samples: differences between models have wide intervals."
    if differing := disagreements(records):
        yield f"Reviewers disagree on {len(differing)} samples."
