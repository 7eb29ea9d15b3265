"""May a sample leave the house? What the policy, the layout and the patients ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS
from editgauge.curation import duplicates, masks, privacy, review
from editgauge.curation.conventions import task_folder
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import TEXTS, Record
from editgauge.errors import DataError, EditgaugeError
from editgauge.images import read_image


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
    return [
        Fault(record.id, why)
        for record in records
        for why in (*_faults(data, record, layout, engine), *leaking.get(record.id, ()))
    ]


def of_set(data: DataSet) -> list[str]:
    """What is wrong with the set as a whole: names in what is said of it."""
    about = data.about
    texts = (about.name, about.title, about.description, about.licence, *about.policy.expert)
    named = privacy.names_in(data, texts)
    return [f"what is said of the set holds {len(named)} words that name somebody"] if named else []


def leaving(
    data: DataSet, layout: str = "", *, ready_only: bool = False, engine: Any = None
) -> tuple[list[Record], list[Fault]]:
    """The samples that may leave, and why others (with `ready_only`) may not. Raises `DataError`
    where one may not and all are wanted, and where none may.
    """
    records = data.records()
    found = faults(data, records, layout, engine=engine)
    if found and not ready_only:
        raise DataError(_refusal(found, layout))
    if whole := of_set(data):
        raise DataError(f"{whole[0]}; change it with: editgauge curate set DIR . title=…")
    back = {fault.sample for fault in found}
    kept = [record for record in records if record.id not in back]
    if not kept:
        raise DataError(_refusal(found, layout) if found else "the set has no sample")
    return kept, found


def engine_for_scans(data: DataSet, name: str) -> Any:
    """The OCR engine that looks for names before an export: only where the set has scans.

    An empty name is ``rapidocr``. Raises `UsageError` where it is not installed.
    """
    pictures = (about for record in data.records() for about in record.pictures.values())
    scans = any(about.needs_look for about in pictures)
    return privacy.engine_of(name or "rapidocr") if scans else None


def _refusal(found: Sequence[Fault], layout: str) -> str:
    """What an error says of samples that may not leave, and the command that names them all."""
    first = "; ".join(f"{fault.sample}: {fault.why}" for fault in found[:5])
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    count = len({fault.sample for fault in found})
    command = "editgauge curate export DIR" + (f" --layout {layout}" if layout else "")
    return (
        f"{count} samples are not ready: {first}{more}. Nothing was written; fix them (all of "
        f"them: {command}), or leave them out with --ready-only"
    )


def _leaks(data: DataSet, records: Sequence[Record]) -> dict[str, list[str]]:
    """Sample -> what it leaks to."""
    said: dict[str, list[str]] = {}
    for pair in duplicates.leaks(records, data.root):
        for one, other in (pair, pair[::-1]):
            said.setdefault(one.id, []).append(
                f"leak between splits: it shows nearly the same as {other.id} of "
                f"{other.split or 'none'}; take one out, or give both one split"
            )
    return said


def _faults(data: DataSet, record: Record, layout: str, engine: Any) -> Iterator[str]:
    if not record.instruction.strip():
        yield "no instruction"
    policy = data.about.policy
    for name in policy.required:
        if not record.source.get(name, "").strip():
            yield f"no {name} (the policy asks for it)"
    if policy.reviews:
        yield from review.lacking(record, policy)
    if unseen := privacy.unseen(record):
        several = f"{len(unseen)} pictures" if len(unseen) > 1 else "a picture"
        yield f"{several} that nobody has looked at for names and faces"
    if named := privacy.names_in(data, _texts(record)):
        yield f"a text holds {len(named)} words that name a patient or staff"
    yield from _pictures(data, record, engine)
    yield from _needs(record, layout)


def _pictures(data: DataSet, record: Record, engine: Any) -> Iterator[str]:
    try:
        for path in record.files:
            pixels = read_image(data.path(path))
            if engine is not None and record.facts(path).needs_look:
                texts = [text.text for text in engine(pixels, "en")]
                if privacy.names_in(data, texts):
                    yield f"{path}: a name is still to be read in the pixels"
        yield from masks.faults(data, record)
    except EditgaugeError as error:
        yield str(error)


def _texts(record: Record) -> Iterator[str]:
    yield from (getattr(record, name) for name in TEXTS)
    yield from record.category
    yield from (str(value) for value in record.attributes.values())
    yield from record.source.values()
    yield record.id


# -- what a layout must have -----------------------------------------------------------------------

_LACKING: Mapping[str, Sequence[str]] = {
    "texteditbench": ("masks",),
    "textedit": ("reference", "source_text", "target_text", "caption"),
    "medebench": ("reference", "masks", "change"),
}


def _needs(record: Record, layout: str) -> Iterator[str]:
    wanted = list(_LACKING.get(layout, ()))
    folder = task_folder(record) if layout == "krisbench" else ""
    if folder and (FOLDERS.get(folder, ("", ""))[1] in EXPLAINED or folder == "anomaly_correction"):
        wanted.append("knowledge")
    if folder in ("viewpoint_change", "temporal_prediction"):
        wanted.append("reference")
    for name in wanted:
        if not getattr(record, name):
            yield f"no {name.replace('_', ' ')}, which the layout has"
    if folder == "temporal_prediction" and len(record.images) != 3:
        yield f"{len(record.images)} frames are given, the layout has 3"
