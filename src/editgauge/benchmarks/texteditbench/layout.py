"""TextEditBench's official folder, read and written: ``<split>/<Topic_Folder>/<NNN>/`` with pictures,
masks and one JSON file.

Every folder below a topic's gives a sample: one whose record cannot be read, or whose picture is not
there, carries an unrepaired finding. A folder inside an instance's (one of the release, a copy of its
sibling, which would be counted twice) is named and not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder, write_json
from editgauge.benchmarks.reading import Notes, Record, read_bytes, read_json
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, FOLDERS, tier_of
from editgauge.benchmarks.texteditbench.samples import Place, number_in, sample_of
from editgauge.benchmarks.tree import Tree, below, shown
from editgauge.errors import ImageError, UsageError
from editgauge.escape import file_name
from editgauge.images import fingerprint
from editgauge.types import CopyPicture, Finding, JsonObject, Sample

FIELDS = {
    "id": "id",
    "topic": "topic",
    "prompt": "prompt",
    "method": "editing_method",
    "difficulty": "difficulty",
    "score": "difficulty_score",
    "input": "input_image",
    "reference": "output_image",
    "tag": "source_tag",
    "knowledge": "knowledge_prompt knoeledge_prompt konwledge_prompt",
}
_SPLIT_OF = {name: split for split, names in FOLDERS.items() for name in (split, *names)}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds the split folders, or the released
    repository's.

    Raises `DataError` when there is no split folder in it, `UsageError` for a split that does not
    exist.
    """
    folder = need_folder(root, "texteditbench")
    wanted = _SPLIT_OF.get((split or "").lower())
    if split is not None and wanted is None:
        raise UsageError(f"split {split!r}: texteditbench has synthetic and real")
    splits = {name: some for name, some in FOLDERS.items() if wanted in (None, name)}
    for place in (folder, folder / "TextEditBench"):
        there = {path.name.lower(): path for path in below(place) if path.is_dir()}
        folders = [
            (name, there[one]) for name, some in splits.items() for one in some if one in there
        ]
        if folders:
            read = partial(_read, place, dict(reversed(folders)))
            return Samples("texteditbench", place, read, wanted or "")
    names = [name for some in splits.values() for name in some[:2]]
    raise not_this_folder(folder, "texteditbench", f"a folder {' or '.join(names)}")


def _read(root: Path, folders: dict[str, Path], note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    for split in filter(folders.__contains__, FOLDERS):
        for topic in below(folders[split]):
            for folder in below(topic) if tree.inside(topic) else ():
                if folder.is_dir():
                    yield from _instance(
                        tree, Place(split, topic.name, folder, below(folder)), note
                    )


def _instance(tree: Tree, place: Place, note: Note) -> Iterator[Sample]:
    """The sample of an instance; a finding for each folder that lies in it."""
    if not tree.inside(place.folder):
        found = "a link that leads out of the data folder"
        note(Finding("folder-outside", tree.relative(place.folder), found, "not read", False))
        return
    for inner in (path for path in place.entries if path.is_dir()):
        sibling = place.folder.parent / inner.name
        copied = _content(tree, inner) == _content(tree, sibling) != []
        found, kind = "a folder inside an instance's", "instance-nested"
        if copied:
            found, kind = f"the same files as {tree.relative(sibling)}", "instance-copy"
        note(Finding(kind, tree.relative(inner), found, "left out", copied))
    yield sample_of(tree, place, _record(tree, place))


def _content(tree: Tree, folder: Path) -> list[Any]:
    """What the files of a folder hold, of JSON but for line ends, whatever they are called."""
    with suppress(ImageError):
        files = [path for path in below(folder) if tree.inside(path) and path.is_file()]
        texts = [path for path in files if path.suffix == ".json"]
        lines = [(read_bytes(tree, path, Notes("")) or b"").splitlines() for path in texts]
        return [*lines, *sorted(fingerprint(path) for path in files if path not in texts)]
    return []


def _record(tree: Tree, place: Place) -> Record:
    """The instance's record, empty where it cannot be read."""
    path = next((path for path in place.entries if path.suffix == ".json"), None)
    if path is None:
        notes = Notes(tree.relative(place.folder))
        notes("json-missing", "no JSON file", "nothing is known of the instance", False)
        return Record({}, FIELDS, notes)
    notes = Notes(tree.relative(path))
    value = read_json(tree, path, notes)
    if isinstance(value, dict):
        notes("json-object", "an object, not a list of one", "it is the record")
    elif isinstance(value, list) and len(value) == 1:
        (value,) = value
    record = Record(value, FIELDS, notes)
    written = record.raw("id")
    if record.data and number_in(str(written)) != place.number:
        counts = f"the folder's name {place.folder.name!r} counts"
        notes("id-number", f"id {shown(written)}", counts)
    elif record.data and written != str(written).strip():
        notes("id-name", shown(written), f"{str(written).strip()!r} is meant")
    return record


# -- writing ---------------------------------------------------------------------------------------


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder; sample id -> its id there. `copy` puts a
    picture of a sample to a place.
    """
    names: dict[str, str] = {}
    for number, sample in samples:
        topic = sample.category[0]
        place = f"{FOLDERS[sample.split][0]}/{topic}/{number:03d}"
        edited = f"{number}_edited"
        if sample.reference is not None:
            edited = f"{file_name(str(sample.attributes['operation']))}_{number}"
        pictures = {
            f"{number}.png": sample.image,
            f"{number}_mask.png": sample.masks.get("input"),
            f"{edited}_mask.png": sample.masks.get("second"),
            f"{edited}.png": sample.reference,
        }
        for name, path in pictures.items():
            if path is not None:
                copy(path, root / place / name)
        record = _as_record(sample, number, f"{edited}.png")
        write_json(root / place / f"{topic}_{number:03d}.json", [record])
        names[sample.id] = place
    return names


def _as_record(sample: Sample, number: int, edited: str) -> JsonObject:
    facts = sample.attributes
    tier, score = facts.get("difficulty"), None
    if all(isinstance(facts.get(name), int) for name in ATTRIBUTES):
        values = [int(facts[name]) for name in ATTRIBUTES]
        tier = tier_of(sum(values))
        score = f"{sum(values)}({','.join(map(str, values))})"
    record = {
        "id": f"TextEditing_{facts['topic']}_{number:03d}",
        "topic": facts["topic"],
        "prompt": sample.instruction,
        "editing_method": facts["operation"],
        "difficulty": tier,
        "difficulty_score": score,
        "input_image": f"{number}.png",
        "output_image": edited if sample.reference else None,
        "source_tag": facts.get("source_tag") or "human_annotation",
        "knowledge_prompt": sample.knowledge,
    }
    return {key: value for key, value in record.items() if value is not None}
