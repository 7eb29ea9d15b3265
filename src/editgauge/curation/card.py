"""The card of a data set: what it is, where it comes from, how it was made, what it cannot do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from editgauge.curation.dataset import DataSet
from editgauge.curation.duplicates import accepted
from editgauge.curation.statistics import statistics
from editgauge.escape import markdown

Records = Sequence[dict[str, Any]]


def card(data: DataSet, records: Records | None = None) -> str:
    """Markdown with the set's counts, sources, process and limits, of all samples or of those that
    leave. Everything in it follows from the set; what nobody said is said to be unknown.
    """
    records = data.records() if records is None else records
    about, told = data.about, statistics(data, records)
    lines = [
        f"# {markdown(about.title or about.name)}",
        "",
        markdown(about.description, None) if about.description else "No description was given.",
        "",
        f"- name: `{about.name}`, version {markdown(about.version)}",
        f"- licence of the set: {markdown(about.licence) if about.licence else 'not stated'}",
        f"- samples: {told['samples']}",
        f"- with a reference: {told['with_reference']}",
        f"- with a knowledge prompt: {told['with_knowledge']}",
        "",
    ]
    for name, counts in told["counts"].items():
        lines += [f"## By {name}", "", f"| {name} | samples |", "| --- | ---: |"]
        lines += [f"| {markdown(str(label))} | {n} |" for label, n in counts.items()]
        lines.append("")
    lines += _masks(told) + _provenance(records) + _process(data, told)
    lines += _alike(records) + _limits(told)
    return "\n".join(lines) + "\n"


def _masks(told: dict[str, Any]) -> list[str]:
    share = told["mask_share"]
    if not share["of"]:
        return ["No sample has a mask.", ""]
    lines = [
        "## Area that may change",
        "",
        f"Mean share of the picture: {share['mean']:.1%} over {share['of']} samples with masks.",
        "",
        "| share | samples |",
        "| --- | ---: |",
    ]
    return [*lines, *(f"| {label} | {n} |" for label, n in share["histogram"].items()), ""]


def _provenance(records: Records) -> list[str]:
    lines = ["## Provenance", ""]
    for name in ("url", "licence", "consent"):
        said = sum(bool((record.get("source") or {}).get(name)) for record in records)
        lines.append(f"- {name} stated for {said} of {len(records)} samples")
    scans = sum(
        any(fact.get("needs_look") for fact in (record.get("pictures") or {}).values())
        for record in records
    )
    hidden = sum(
        len(fact.get("hidden", ()))
        for record in records
        for fact in (record.get("pictures") or {}).values()
    )
    lines.append(f"- from DICOM files: {scans} samples; areas hidden in pictures: {hidden}")
    return [*lines, ""]


def _process(data: DataSet, told: dict[str, Any]) -> list[str]:
    policy, agreed = data.about.policy, told["agreement"]
    events = data.events()
    people = {event.who for event in events}
    lines = [
        "## Process",
        "",
        f"- recorded changes: {len(events)}, by {len(people)} people and tools",
        f"- reviews that a sample needs: {policy.reviews}",
        f"- fields that a source needs: {', '.join(policy.required) or 'none'}",
        "",
    ]
    if agreed["samples"]:
        alpha = "not defined" if agreed["alpha"] is None else f"{agreed['alpha']:.2f}"
        lines += [
            f"- samples that two or more people reviewed: {agreed['samples']}",
            f"- all of them accepted at first: {agreed['accepted_by_all']} ({agreed['share']:.1%})",
            f"- Krippendorff's alpha of the verdicts: {alpha}",
            "",
        ]
    return lines


def _alike(records: Records) -> list[str]:
    """What people said of samples that look like leaks between splits."""
    pairs = accepted(records)
    if not pairs:
        return []
    lines = ["## Pictures that are nearly the same", "", "Looked at, and said to be no leak:", ""]
    return [*lines, *(f"- `{one}` and `{two}`: {markdown(why, None)}" for one, two, why in pairs),
            ""]  # fmt: skip


def _limits(told: dict[str, Any]) -> list[str]:
    unverified = told["samples"] - told["counts"]["state"].get("verified", 0)
    lines = ["## Known limits", ""]
    lines.append(f"- {unverified} of {told['samples']} samples are not verified by a reviewer.")
    if told["samples"] < 100:
        lines.append("- Fewer than 100 samples: differences between models have wide intervals.")
    unknown = told["counts"]["difficulty"].get("not known", 0)
    if unknown:
        lines.append(f"- The difficulty of {unknown} samples is not known.")
    if told["disagreements"]:
        lines.append(f"- Reviewers disagree on {len(told['disagreements'])} samples.")
    return [*lines, ""]
