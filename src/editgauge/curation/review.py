"""Review by people who decide alone, of the content as it was. Verified: accepted by as many as the
policy asks for, an expert among them where the category needs one, rejected by nobody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS
from editgauge.curation import masks, privacy
from editgauge.curation.benchmark import kris_folder
from editgauge.curation.dataset import OUT, DataSet
from editgauge.curation.records import CONTENT, TEXTS, Policy, Record, Review
from editgauge.errors import DataError, EditgaugeError, UsageError
from editgauge.images import read_image
from editgauge.web.log import Act, Conflict

EXPERT = "expert"
"""The role of who may accept samples that need an expert."""
OWNER = "owner"
"""The name of who starts the server. Only the owner deletes originals and withdraws samples."""
_LACKING: Mapping[str, Sequence[str]] = {
    "texteditbench": ("masks",),
    "textedit": ("reference", "source_text", "target_text", "caption"),
    "medebench": ("reference", "masks", "change"),
}


def owner_link(data: DataSet, base: str) -> str:
    """A new link for the owner, who starts the server; an older one of theirs ends with it."""
    if any(person.name == OWNER and not person.revoked for person in data.log.people()):
        data.log.revoke(OWNER)
    return f"{base}/a/{data.log.invite(OWNER)}"


def content_of(record: Record) -> str:
    """A hash of what a reviewer accepts."""
    content = {name: value for name, value in record.data().items() if name in CONTENT}
    data = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def current(record: Record) -> dict[str, Review]:
    """The reviews that are of the sample as it is: who -> review."""
    wanted = content_of(record)
    return {who: one for who, one in record.reviews.items() if one.content == wanted}


def state_for(record: Record, who: str) -> str:
    """A sample's state for a reviewer; before an own verdict "": it says what others decided."""
    return record.state if record.state in OUT or who in current(record) else ""


def review(
    data: DataSet, sample: str, content: str, verdict: str, who: str, *, comment: str = "",
    expert: bool = False, nonce: str = "",
) -> Record:  # fmt: skip
    """Keep one person's verdict on a sample, and verify it where the policy is then met. `content`
    is `content_of` what they saw. Raises `Conflict` where the sample is another one now:
    nobody accepts what they have not seen; another person's review alone is no such change;
    `UsageError` for a sample that was taken out.
    """

    def made(record: Record) -> Mapping[str, Any]:
        if content_of(record) != content:
            raise Conflict(data.log.get(sample))
        if record.state in OUT:
            raise UsageError(f"{sample}: it was taken out of the set ({record.state})")
        one = Review(verdict, content, comment, expert)  # type: ignore[arg-type]
        record.reviews = {**record.reviews, who: one}
        if not lacking(record, data.about.policy):
            return {"reviews": record.reviews, "state": "verified"}
        state = "refined" if record.state == "verified" else record.state
        return {"reviews": record.reviews, "state": state}

    try:
        return data.update(sample, made, Act(who, "reviewed", verdict, nonce))
    except Conflict:
        data.log.note(who, "refused", sample, verdict=verdict, comment=comment)
        raise


def lacking(record: Record, policy: Policy) -> list[str]:
    """What is missing before a sample counts as verified, in words."""
    reviews = current(record).values()
    accepted = [one for one in reviews if one.verdict == "accept"]
    verdicts = {one.verdict for one in reviews}
    wanted = max(1, policy.reviews)
    special = bool(record.category) and record.category[0] in policy.expert
    alone = (special or "flag" in verdicts) and not any(one.expert for one in accepted)
    reasons = {
        "it was rejected": "reject" in verdicts,
        f"{len(accepted)} of {wanted} reviews accept it": len(accepted) < wanted,
        "no expert has accepted it": alone,
    }
    return [words for words, true in reasons.items() if true]


def queue(records: Sequence[Record], who: str, policy: Policy) -> list[str]:
    """The samples that wait for this person's review: those that others have begun first."""
    waiting = [
        record
        for record in records
        if record.instruction and who not in current(record) and lacking(record, policy)
    ]
    return [record.id for record in sorted(waiting, key=lambda record: -len(current(record)))]


class Fault(NamedTuple):
    """One reason why a sample is not exported."""

    sample: str
    why: str


def faults(
    data: DataSet, records: Sequence[Record], layout: str = "", *, engine: Any = None
) -> list[Fault]:
    """What keeps samples back. `layout` adds what that layout must have. An OCR `engine` reads
    scans once more and looks for the names that their files carried.
    """
    return [
        Fault(record.id, why) for record in records for why in _faults(data, record, layout, engine)
    ]


def faults_by_protocol(data: DataSet, records: Sequence[Record]) -> list[Fault]:
    """What keeps samples back, and what the layout of each sample's protocol must have besides: the
    set's protocol, or the sample's own where the set has none.
    """
    every: list[Fault] = []
    for record in records:
        every += faults(data, [record], data.about.protocol or record.protocol)
    return every


def of_set(data: DataSet) -> list[str]:
    """What is wrong with the set as a whole: names in what is said of it."""
    about = data.about
    texts = (about.name, about.title, about.description, about.licence, *about.policy.expert)
    named = privacy.names_in(data, texts)
    return [f"what is said of the set holds {len(named)} words that name somebody"] if named else []


def leaving(
    data: DataSet, layout: str = "", *, ready_only: bool = False, engine: Any = None
) -> tuple[list[Record], list[Fault]]:
    """The samples that may leave, and why others may not. Raises `DataError` where one may not and
    not only those are wanted, and where none may.
    """
    if whole := of_set(data):
        raise DataError(f"{whole[0]}; change it with: editgauge curate set DIR . title=…")
    records = data.records()
    withheld = faults(data, records, layout, engine=engine)
    back = {fault.sample for fault in withheld}
    kept = [record for record in records if record.id not in back]
    if withheld and not (kept and ready_only):
        first = "; ".join(f"{fault.sample}: {fault.why}" for fault in withheld[:5])
        command = "editgauge curate export DIR" + (f" --layout {layout}" if layout else "")
        raise DataError(
            f"{len(back)} samples are not ready: {first}. Nothing was written; fix them (all of "
            f"them: {command}), or leave them out with --ready-only"
        )
    if not kept:
        raise DataError("the set has no sample")
    return kept, withheld


def _faults(data: DataSet, record: Record, layout: str, engine: Any) -> Iterator[str]:
    if not record.instruction.strip():
        yield "no instruction"
    policy = data.about.policy
    for name in policy.required:
        if not record.source.get(name, "").strip():
            yield f"no {name} (the policy asks for it)"
    if policy.reviews:
        yield from lacking(record, policy)
    if unseen := record.unseen:
        several = f"{len(unseen)} pictures" if len(unseen) > 1 else "a picture"
        yield f"{several} that nobody has looked at for names and faces"
    facts = [*(getattr(record, name) for name in TEXTS), *record.category, record.id]
    texts = [str(text) for text in (*facts, *record.attributes.values(), *record.source.values())]
    if named := privacy.names_in(data, texts):
        yield f"a text holds {len(named)} words that name a patient or staff"
    try:
        for path in record.files:
            pixels = read_image(data.path(path))
            read = engine is not None and record.facts(path).needs_look
            if read and privacy.names_in(data, [text.text for text in engine(pixels, "en")]):
                yield f"{path}: a name is still to be read in the pixels"
        yield from masks.faults(data, record)
    except EditgaugeError as error:
        yield str(error)
    yield from _needs(record, layout)


def _needs(record: Record, layout: str) -> Iterator[str]:
    """What a layout must have and the sample lacks."""
    wanted = list(_LACKING.get(layout, ()))
    folder = kris_folder(record) if layout == "krisbench" else ""
    if folder and (FOLDERS.get(folder, ("", ""))[1] in EXPLAINED or folder == "anomaly_correction"):
        wanted.append("knowledge")
    if folder in ("viewpoint_change", "temporal_prediction"):
        wanted.append("reference")
    for name in wanted:
        if not getattr(record, name):
            yield f"no {name.replace('_', ' ')}, which the layout has"
    if folder == "temporal_prediction" and len(record.images) != 3:
        yield f"{len(record.images)} frames are given, the layout has 3"


def engine_for_scans(data: DataSet, name: str) -> Any:
    """The OCR engine that looks for names before an export; None for a set without scans."""
    pictures = (about for record in data.records() for about in record.pictures.values())
    scans = any(about.needs_look for about in pictures)
    return privacy.engine_of(name or "rapidocr") if scans else None
