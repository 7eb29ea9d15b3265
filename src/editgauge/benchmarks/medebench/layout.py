"""MedEBench's official folder: ``editing/editing_metadata.json`` and the pictures that it names, read
and written. Keys are accepted in the released spelling and in the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder, write_json
from editgauge.benchmarks.medebench.samples import FOLDERS, sample_of
from editgauge.benchmarks.reading import Notes, Record, read_json
from editgauge.benchmarks.tree import Tree
from editgauge.errors import UsageError
from editgauge.types import CopyPicture, Sample

FOLDER = "editing"
METADATA = "editing_metadata.json"
FIELDS = {
    "id": "id",
    "organ": "Organ",
    "task": "Task",
    "prompt": "prompt",
    "rephrased": "rephrased_prompt",
    "change": "detailed_prompt detailed_description",
    "input": "previous_image input_image",
    "reference": "changed_image groundtruth_image",
    "mask": "previous_mask roi_mask",
    "concept": "concept key_concept",
    "url": "url",
}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds ``editing``, or ``editing`` itself. Raises
    `DataError` for another folder, `UsageError` for a split: there is none.
    """
    folder = need_folder(root, "medebench")
    if split is not None:
        raise UsageError(f"split {split!r}: medebench has none")
    for place in (folder / FOLDER, folder):
        if (place / METADATA).exists():
            above = place.parent if place.name == FOLDER else place
            return Samples("medebench", above, partial(_read, above, place))
    raise not_this_folder(folder, "medebench", f"{FOLDER}/{METADATA}")


def _read(root: Path, folder: Path, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    notes = Notes(tree.relative(folder / METADATA))
    value = read_json(tree, folder / METADATA, notes)
    entries = value.get("samples") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not entries:
        notes.wrong_type(value, '{"samples": [record…]}', "there are no samples")
        entries = []
    taken: set[str] = set()
    for number, entry in enumerate(entries, start=1):
        record = Record(entry, FIELDS, Notes(f"{notes.file}#{number}"))
        yield sample_of(tree, folder, record, number, taken)
    for finding in notes.findings:
        note(finding)


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder; sample id -> its id there. `copy` puts a
    picture of a sample to a place.
    """
    entries = []
    for number, sample in samples:
        places = {what: f"{FOLDER}/{name}/{number}.png" for what, name in FOLDERS.items()}
        pictures = zip(
            places.values(), (sample.image, sample.reference, sample.masks.get("roi")), strict=True
        )
        for place, path in pictures:
            if path is not None:
                copy(path, root / place)
        values = {
            "id": number,
            "organ": sample.attributes["organ"],
            "task": sample.attributes["task"],
            "prompt": sample.instruction,
            "rephrased": sample.rephrased,
            "change": sample.change,
            "concept": sample.concept,
            **places,
            "url": sample.attributes.get("url", ""),
        }
        entries.append(
            {FIELDS[key].split()[0]: text for key, text in values.items() if text is not None}
        )
    write_json(root / FOLDER / METADATA, {"samples": entries})
    return {sample.id: str(number) for number, sample in samples}
