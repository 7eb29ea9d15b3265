"""Review of samples: two people who decide alone, an expert where the category needs one.

A review is of the content as it was: when a text, a picture or a mask changes, it counts no longer.
A sample is verified once as many people as the policy asks for have accepted it as it is, an expert
among them where its category needs one, and nobody has rejected it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from editgauge.curation.dataset import Conflict, DataSet
from editgauge.curation.records import CONTENT, VERDICTS, Policy
from editgauge.errors import DataError
from editgauge.web.log import Act, Event


def content_of(record: Mapping[str, Any]) -> str:
    """A hash of what a reviewer accepts."""
    content = {name: record.get(name) for name in sorted(CONTENT) if record.get(name)}
    data = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def current(record: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The reviews that are of the sample as it is: who -> review."""
    wanted = content_of(record)
    reviews = record.get("reviews") or {}
    return {who: one for who, one in reviews.items() if one.get("content") == wanted}


def review(
    data: DataSet,
    sample: str,
    version: int,
    verdict: str,
    who: str,
    *,
    comment: str = "",
    expert: bool = False,
    nonce: str = "",
) -> dict[str, Any]:
    """Keep one person's verdict on a sample, and verify it where the policy is then met.

    Raises `Conflict` when the content changed since `version`: nobody accepts what they have not
    seen; another person's review alone is no such change.
    """
    if verdict not in VERDICTS:
        raise DataError(f"verdict {str(verdict)[:40]!r}: wanted one of {', '.join(VERDICTS)}")
    seen = _at(data, sample, version)

    def made(record: dict[str, Any]) -> Mapping[str, Any]:
        if content_of(record) != seen:
            raise Conflict(record, version)
        one = {
            "verdict": verdict,
            "content": content_of(record),
            "comment": comment,
            "expert": expert,
        }
        reviews = {**(record.get("reviews") or {}), who: one}
        fields: dict[str, Any] = {"reviews": reviews}
        if settled({**record, "reviews": reviews}, data.about.policy):
            fields["state"] = "verified"
        elif record.get("state") == "verified":
            fields["state"] = "refined"
        return fields

    try:
        return data.update(sample, made, Act(who, "reviewed", verdict, nonce))
    except Conflict:
        data.note(who, "refused", sample, verdict=verdict, comment=comment)
        raise


def _at(data: DataSet, sample: str, version: int) -> str:
    """The content of a sample at one of its versions."""
    record: dict[str, Any] = {}
    for event in data.log.events(sample):
        if 0 < event.version <= version and event.what != "refused":
            record.update(event.after)
    return content_of({key: value for key, value in record.items() if value is not None})


def settled(record: Mapping[str, Any], policy: Policy) -> bool:
    """Whether the sample, as it is, is accepted as the policy asks; by one person at least."""
    return not lacking(record, policy)


def lacking(record: Mapping[str, Any], policy: Policy) -> list[str]:
    """What is missing before a sample counts as verified, in words."""
    reviews = current(record)
    accepted = [one for one in reviews.values() if one["verdict"] == "accept"]
    said = []
    if any(one["verdict"] == "reject" for one in reviews.values()):
        said.append("it was rejected")
    wanted = max(1, policy.reviews)
    if len(accepted) < wanted:
        said.append(f"{len(accepted)} of {wanted} reviews accept it")
    flagged = any(one["verdict"] == "flag" for one in reviews.values())
    broad = (record.get("category") or [""])[0]
    if (broad in policy.expert or flagged) and not any(one.get("expert") for one in accepted):
        said.append("no expert has accepted it")
    return said


def comment(data: DataSet, sample: str, text: str, who: str, *, nonce: str = "") -> dict[str, Any]:
    """Add a comment to a sample. Raises `DataError` for an empty or endless one."""
    if not text.strip() or len(text) > 4000:
        raise DataError("comment: wanted 1 to 4,000 characters")

    def made(record: dict[str, Any]) -> Mapping[str, Any]:
        return {"comments": [*(record.get("comments") or []), {"who": who, "text": text.strip()}]}

    return data.update(sample, made, Act(who, "commented", nonce=nonce))


def queue(records: Sequence[Mapping[str, Any]], who: str, policy: Policy) -> list[str]:
    """The samples that wait for this person's review: those that others have begun first."""
    waiting = [
        record
        for record in records
        if record.get("instruction") and who not in current(record) and lacking(record, policy)
    ]
    waiting.sort(key=lambda record: -len(current(record)))
    return [record["id"] for record in waiting]


def seen_by(record: Mapping[str, Any], who: str) -> dict[str, Any]:
    """The reviews that a person may see: of others only once they have given their own, so that two
    reviews are two.
    """
    reviews = current(record)
    return dict(reviews) if who in reviews else {}


# -- agreement -------------------------------------------------------------------------------------


def agreement(events: Sequence[Event], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How far reviewers agree, from the first verdict of each on each sample.

    ``accepted_by_all`` of ``samples`` with two or more: what the paper's 243 of 260 is (MedEBench,
    D.1). ``alpha`` is Krippendorff's, nominal, over all three verdicts; ``difficulty`` has that of
    each attribute, ordinal. None where it cannot be told.
    """
    from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES

    ids = {record["id"] for record in records}
    first: dict[tuple[str, str], float] = {}
    for event in events:
        if event.what != "reviewed" or event.item not in ids:
            continue
        verdict = (event.after.get("reviews") or {}).get(event.who, {}).get("verdict")
        if verdict in VERDICTS:
            first.setdefault((event.who, event.item), float(VERDICTS.index(verdict)))
    both = [s for s in ids if sum(key[1] == s for key in first) > 1]
    accepted = [s for s in both if all(v == 0.0 for key, v in first.items() if key[1] == s)]
    ratings = {name: _table(_rated(records, name)) for name in ATTRIBUTES}
    return {
        "samples": len(both),
        "accepted_by_all": len(accepted),
        "share": len(accepted) / len(both) if both else None,
        "alpha": _alpha(_table(first), "nominal"),
        "difficulty": {name: _alpha(table, "ordinal") for name, table in ratings.items()},
    }


def _rated(records: Sequence[Mapping[str, Any]], name: str) -> dict[tuple[str, str], float]:
    return {
        (who, record["id"]): float(values[name])
        for record in records
        for who, values in (record.get("ratings") or {}).items()
        if name in values
    }


def _table(said: Mapping[tuple[str, str], float]) -> np.ndarray[Any, Any]:
    people = sorted({who for who, _ in said})
    samples = sorted({sample for _, sample in said})
    made = np.full((len(people), len(samples)), np.nan)
    for (who, sample), value in said.items():
        made[people.index(who), samples.index(sample)] = value
    return made


def _alpha(table: np.ndarray[Any, Any], level: Any) -> float | None:
    from editgauge.statistics.agreement import krippendorff_alpha

    if table.shape[0] < 2:
        return None
    value = krippendorff_alpha(table, level)
    return value if np.isfinite(value) else None


def disagreements(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Samples on whose present content two people gave two verdicts."""
    return [
        record["id"]
        for record in records
        if len({one["verdict"] for one in current(record).values()}) > 1
    ]
