"""May a sample leave the house? What the policy, the layout and the patients ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS
from editgauge.curation import duplicates, masks, privacy, review
from editgauge.curation.conventions import task_folder
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import TEXTS, pictures_of
from editgauge.errors import EditgaugeError
from editgauge.images import read_image

Record = Mapping[str, Any]


class Fault(NamedTuple):
    """One reason why a sample is not exported."""

    sample: str
    why: str


def faults(
    data: DataSet, records: Sequence[Record], layout: str = "", *, engine: Any = None
) -> list[Fault]:
    """What keeps samples back, in order; empty when all may leave.

    `layout` adds what that layout must have. An OCR `engine` reads scans once more and looks for
    the names that their files carried. Samples of `records` that leak between splits are both told.
    """
    leaking = _leaks(data, records)
    found: list[Fault] = []
    for record in records:
        every = [*_faults(data, record, layout, engine), *leaking.get(record["id"], ())]
        found += [Fault(record["id"], why) for why in every]
    return found


def of_set(data: DataSet) -> list[str]:
    """What is wrong with the set as a whole: names in what is said of it."""
    about = data.about
    texts = (about.name, about.title, about.description, about.licence, *about.policy.expert)
    named = privacy.names_in(data, texts)
    return [f"what is said of the set holds {len(named)} words that name somebody"] if named else []


def _leaks(data: DataSet, records: Sequence[Record]) -> dict[str, list[str]]:
    """Sample -> what it leaks to."""
    said: dict[str, list[str]] = {}
    splits = {record["id"]: record.get("split") or "none" for record in records}
    for near in duplicates.leaks(records, data.root):
        for one, other in ((near.first, near.second), (near.second, near.first)):
            said.setdefault(one, []).append(
                f"leak between splits: it shows nearly the same as {other} of {splits[other]} "
                f"({near.bits} of 64 bits differ); take one out, or: editgauge curate similar DIR "
                f"--accept {near.first},{near.second} --why TEXT"
            )
    return said


def _faults(data: DataSet, record: Record, layout: str, engine: Any) -> Iterator[str]:
    if not (record.get("instruction") or "").strip():
        yield "no instruction"
    policy = data.about.policy
    source = record.get("source") or {}
    for name in policy.required:
        if not (source.get(name) or "").strip():
            yield f"no {name} (the policy asks for it)"
    if policy.reviews:
        yield from review.lacking(record, policy)
    unseen = privacy.unseen(record)
    if unseen:
        yield f"{len(unseen)} pictures nobody has looked at for names and faces"
    named = privacy.names_in(data, _texts(record))
    if named:
        yield f"a text holds {len(named)} words that name a patient or staff"
    yield from _pictures(data, record, engine)
    if layout:
        yield from _NEEDS.get(layout, _nothing)(record)


def _pictures(data: DataSet, record: Record, engine: Any) -> Iterator[str]:
    facts = record.get("pictures") or {}
    try:
        for path in pictures_of(record):
            pixels = read_image(data.path(path))
            if engine is not None and facts.get(path, {}).get("needs_look"):
                texts = [text.text for text in engine(pixels, "en")]
                if privacy.names_in(data, texts):
                    yield f"{path}: a name is still to be read in the pixels"
        yield from masks.faults(data, record)
    except EditgaugeError as error:
        yield str(error)


def _texts(record: Record) -> Iterator[str]:
    yield from (record.get(name) or "" for name in TEXTS)
    yield from record.get("paraphrases") or ()
    yield from record.get("category") or ()
    yield from (str(value) for value in (record.get("attributes") or {}).values())
    yield from (record.get("source") or {}).values()
    yield from (said["why"] for said in (record.get("alike") or {}).values())
    yield record["id"]


# -- what a layout must have -----------------------------------------------------------------------


def _missing(record: Record, *names: str) -> Iterator[str]:
    for name in names:
        if not record.get(name):
            yield f"no {name.replace('_', ' ')}, which the layout has"


def _texteditbench(record: Record) -> Iterator[str]:
    yield from _missing(record, "masks")


def _textedit(record: Record) -> Iterator[str]:
    yield from _missing(record, "reference", "source_text", "target_text", "caption")


def _medebench(record: Record) -> Iterator[str]:
    yield from _missing(record, "reference", "masks", "change")


def _krisbench(record: Record) -> Iterator[str]:
    folder = task_folder(record)
    if FOLDERS.get(folder, ("", ""))[1] in EXPLAINED or folder == "anomaly_correction":
        yield from _missing(record, "knowledge")
    if folder in ("viewpoint_change", "temporal_prediction"):
        yield from _missing(record, "reference")
    if folder == "temporal_prediction" and len(record["images"]) != 3:
        yield f"{len(record['images'])} frames are given, the layout has 3"


def _nothing(record: Record) -> Iterator[str]:
    del record
    return iter(())


_NEEDS: Mapping[str, Callable[[Record], Iterator[str]]] = {
    "texteditbench": _texteditbench,
    "textedit": _textedit,
    "medebench": _medebench,
    "krisbench": _krisbench,
}
