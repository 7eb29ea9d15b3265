"""KRIS-Bench's official folder, ``KRIS_Bench/<category>/`` (pictures and a JSON), read and written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder, write_json
from editgauge.benchmarks.krisbench.facts import FOLDERS, FRAMES
from editgauge.benchmarks.krisbench.samples import sample_of
from editgauge.benchmarks.reading import Notes, Record, read_json
from editgauge.benchmarks.tree import Tree, below, natural, own_set
from editgauge.errors import UsageError
from editgauge.types import CopyPicture, Finding, JsonObject, Sample

ANNOTATION = "annotation.json"
FOLDER = "KRIS_Bench"
FIELDS = {
    "id": "id",
    "input": "ori_img",
    "reference": "gt_img",
    "prompt": "ins_en instruction",
    "knowledge": "explain_en explain",
}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder ``KRIS_Bench``, or the one above it. Raises `DataError`
    for another folder, `UsageError` for a split: there is none.
    """
    folder = need_folder(root, "krisbench")
    if split is not None:
        raise UsageError(f"split {split!r}: krisbench has none")
    for place in (folder / FOLDER, folder):
        there = _categories(place)
        if set(there) & set(FOLDERS) or (there and own_set(place)):  # whose categories are its own
            return Samples("krisbench", place, partial(_read, place))
    wanted = f"{FOLDER}/<category>/{ANNOTATION} (categories: chemistry, …)"
    raise not_this_folder(folder, "krisbench", wanted)


def _categories(root: Path) -> list[str]:
    return [path.name for path in below(root) if (path / ANNOTATION).exists()]


def _read(root: Path, note: Note) -> Iterator[Sample]:
    tree, there = Tree(root), _categories(root)
    for name in dict.fromkeys((*FOLDERS, *there)):
        if name in there:
            yield from _read_category(tree, name, note)
        else:
            lost = "the category has no samples"
            note(Finding("category-missing", name, "no such folder", lost, False))


def _read_category(tree: Tree, name: str, note: Note) -> Iterator[Sample]:
    """A category's samples in the order of their numbers."""
    path = tree.root / name / ANNOTATION
    notes = Notes(tree.relative(path))
    records = read_json(tree, path, notes)
    if not isinstance(records, dict) or not records:
        notes.wrong_type(records, "records by id", "the category has no samples")
        records = {}
    for finding in notes.findings:
        note(finding)
    taken: set[str] = set()
    for key in sorted(records, key=natural):
        record = Record(records[key], FIELDS, Notes(f"{notes.file}#{key}"))
        yield sample_of(tree, name, key, record, taken)


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder; sample id -> its id there. `copy` puts a
    picture of a sample to a place.
    """
    names: dict[str, str] = {}
    records: dict[str, JsonObject] = {}
    for number, sample in samples:
        task = str(sample.attributes["folder"])
        count, reference = len(sample.images), f"{number}_gt.png"
        files = [f"{number}.png"] if count == 1 else [f"{number}-{n + 1}.png" for n in range(count)]
        if task == "temporal_prediction":  # frames say by their names which one is left out
            left = sample.attributes["missing_frame"]
            frames = sorted(range(1, FRAMES + 1), key=left.__eq__)
            *files, reference = (f"{number}-{frame}.png" for frame in frames)
        paths = dict(zip(files, sample.images, strict=True))
        if sample.reference:
            paths[reference] = sample.reference
        for name, path in paths.items():
            copy(path, root / FOLDER / task / name)
        records.setdefault(task, {})[str(number)] = {
            "ori_img": files[0] if len(files) == 1 else files,
            "gt_img": reference if sample.reference else "",
            "ins_en": sample.instruction,
            "explain_en": sample.knowledge or "",
        }
        names[sample.id] = f"{task}/{number}"
    for task, entries in records.items():
        write_json(root / FOLDER / task / ANNOTATION, entries)
    return names
