"""Review of samples: people who decide alone, an expert where the category needs one.

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

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import CONTENT, VERDICTS, Policy, Record, Review
from editgauge.errors import DataError
from editgauge.web.log import Act, Conflict, Event, Person

EXPERT = "expert"
"""The role of who may accept samples that need an expert."""
_OWNER = "owner"


def owner_link(data: DataSet, base: str) -> str:
    """A new link for the owner, who starts the server; an older one of theirs ends with it."""
    if any(person.name == _OWNER and not person.revoked for person in data.log.people()):
        data.log.revoke(_OWNER)
    return f"{base}/a/{data.log.invite(_OWNER)}"


def is_expert(person: Person) -> bool:
    """Whether somebody was invited as an expert."""
    return person.role == EXPERT


def content_of(record: Record) -> str:
    """A hash of what a reviewer accepts."""
    content = {name: value for name, value in record.data().items() if name in CONTENT}
    data = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def current(record: Record) -> dict[str, Review]:
    """The reviews that are of the sample as it is: who -> review."""
    wanted = content_of(record)
    return {who: one for who, one in record.reviews.items() if one.content == wanted}


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
) -> Record:
    """Keep one person's verdict on a sample, and verify it where the policy is then met.

    Raises `Conflict` when the content changed since `version`: nobody accepts what they have not
    seen; another person's review alone is no such change.
    """
    if verdict not in VERDICTS:
        raise DataError(f"verdict {str(verdict)[:40]!r}: wanted one of {', '.join(VERDICTS)}")
    seen = content_of(data.record_at(sample, version))

    def made(record: Record) -> Mapping[str, Any]:
        if content_of(record) != seen:
            raise Conflict(data.log.get(sample), version)
        one = Review(verdict, seen, comment, expert)  # type: ignore[arg-type]
        record.reviews = {**record.reviews, who: one}
        if not lacking(record, data.about.policy):
            return {"reviews": record.reviews, "state": "verified"}
        state = "refined" if record.state == "verified" else record.state
        return {"reviews": record.reviews, "state": state}

    try:
        return data.update(sample, made, Act(who, "reviewed", verdict, nonce))
    except Conflict:
        data.note(who, "refused", sample, verdict=verdict, comment=comment)
        raise


def lacking(record: Record, policy: Policy) -> list[str]:
    """What is missing before a sample counts as verified, in words."""
    reviews = current(record)
    accepted = [one for one in reviews.values() if one.verdict == "accept"]
    said = []
    if any(one.verdict == "reject" for one in reviews.values()):
        said.append("it was rejected")
    wanted = max(1, policy.reviews)
    if len(accepted) < wanted:
        said.append(f"{len(accepted)} of {wanted} reviews accept it")
    flagged = any(one.verdict == "flag" for one in reviews.values())
    special = bool(record.category) and record.category[0] in policy.expert
    if (special or flagged) and not any(one.expert for one in accepted):
        said.append("no expert has accepted it")
    return said


def queue(records: Sequence[Record], who: str, policy: Policy) -> list[str]:
    """The samples that wait for this person's review: those that others have begun first."""
    waiting = [
        record
        for record in records
        if record.instruction and who not in current(record) and lacking(record, policy)
    ]
    return [record.id for record in sorted(waiting, key=lambda record: -len(current(record)))]


def seen_by(record: Record, who: str) -> dict[str, Review]:
    """The reviews that a person may see: of others only once they have given their own, so that two
    reviews are two.
    """
    reviews = current(record)
    return reviews if who in reviews else {}


def disagreements(records: Sequence[Record]) -> list[str]:
    """Samples on whose present content two people gave two verdicts."""
    return [
        record.id
        for record in records
        if len({one.verdict for one in current(record).values()}) > 1
    ]


# -- agreement -------------------------------------------------------------------------------------


def agreement(events: Sequence[Event], records: Sequence[Record]) -> dict[str, Any]:
    """How far reviewers agree, from the first verdict of each on each sample.

    ``accepted_by_all`` of ``samples`` with two or more: what the paper's 243 of 260 is (MedEBench,
    D.1). ``alpha`` is Krippendorff's, nominal, over all three verdicts. None where it cannot be
    told.
    """
    from editgauge.statistics.agreement import krippendorff_alpha

    ids = [record.id for record in records]
    people = sorted({event.who for event in events if event.what == "reviewed"})
    table = np.full((len(people), len(ids)), np.nan)
    for event in events:
        if event.what == "reviewed" and event.item in ids and event.note in VERDICTS:
            place = people.index(event.who), ids.index(event.item)
            if np.isnan(table[place]):
                table[place] = VERDICTS.index(event.note)
    both = (~np.isnan(table)).sum(axis=0) > 1
    count, accepted = int(both.sum()), int((np.nan_to_num(table[:, both]) == 0).all(axis=0).sum())
    alpha = krippendorff_alpha(table, "nominal") if len(people) > 1 else np.nan
    return {
        "samples": count,
        "accepted_by_all": accepted,
        "share": accepted / count if count else None,
        "alpha": alpha if np.isfinite(alpha) else None,
    }
