"""KRIS-Bench's official folder: ``KRIS_Bench/<category>/annotation.json`` and the pictures beside it,
read and written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder, write_json
from editgauge.benchmarks.krisbench.facts import FOLDERS, FRAMES
from editgauge.benchmarks.krisbench.samples import sample_of
from editgauge.benchmarks.reading import Notes, Record, read_json
from editgauge.benchmarks.tree import Tree, below, is_folder, natural, own_set
from editgauge.errors import UsageError
from editgauge.types import CopyPicture, Finding, Sample

ANNOTATION = "annotation.json"
FOLDER = "KRIS_Bench"
FIELDS = {
    "id": ("id",),
    "input": ("ori_img",),
    "reference": ("gt_img",),
    "prompt": ("ins_en", "instruction"),
    "knowledge": ("explain_en", "explain"),
}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder ``KRIS_Bench``, or the one above it. Raises `DataError`
    for another folder, `UsageError` for a split: there is none.
    """
    folder = need_folder(root, "krisbench")
    if split is not None:
        raise UsageError(f"split {split!r}: krisbench has none")
    for place in (folder / FOLDER, folder):
        there = [one.name for one in below(place) if (Path(one.path) / ANNOTATION).exists()]
        if (there and own_set(place)) or any(map(_known, there)):  # whose categories are its own
            return Samples("krisbench", place, partial(_read, place))
    wanted = f"{FOLDER}/<category>/{ANNOTATION} (categories: chemistry, …)"
    raise not_this_folder(folder, "krisbench", wanted)


def _known(name: str) -> str | None:
    """The released name of a category's folder, whatever its case, dashes and blanks."""
    bare = re.sub(r"[\s_\-]+", "_", name.strip().lower())
    return next((folder for folder in FOLDERS if folder.replace("-", "_") == bare), None)


def _read(root: Path, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    folders: dict[str, Path] = {}
    others: list[Path] = []
    for entry in below(root):
        path, known, here = Path(entry.path), _known(entry.name), Notes(entry.name)
        if not is_folder(entry):
            here("file-stray", "a file beside the categories' folders", "not read")
        elif known is None and not (path / ANNOTATION).exists():
            here("folder-unknown", f"a folder without {ANNOTATION}", "not read")
        elif known is None:
            here("category-unknown", "a category that the paper has not", "read all the same")
            others.append(path)
        elif known in folders:
            here("category-twice", f"{known!r} again", f"{folders[known].name!r} counts", False)
        else:
            folders[known] = path
            if entry.name != known:
                here("folder-name", "another spelling", f"{known!r} is meant")
        for finding in here.findings:
            note(finding)
    for name in FOLDERS:
        if name in folders:
            yield from _read_category(tree, name, folders[name], note)
        else:
            lost = "the category has no samples"
            note(Finding("category-missing", name, "no such folder", lost, False))
    for path in others:
        yield from _read_category(tree, path.name, path, note)


def _read_category(tree: Tree, name: str, folder: Path, note: Note) -> Iterator[Sample]:
    """A category's samples in the order of their numbers."""
    notes = Notes(tree.relative(folder / ANNOTATION))
    records = read_json(tree, folder / ANNOTATION, notes)
    if not isinstance(records, dict) or not records:
        notes.wrong_type(records, "records by id", "the category has no samples")
        records = {}
    for finding in notes.findings:
        note(finding)
    taken: dict[str, int] = {}
    for key in sorted(records, key=natural):
        record = Record.of(records[key], FIELDS, Notes(f"{notes.file}#{key}"))
        yield sample_of(tree, name, folder, key, record, taken)


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder; sample id -> its id there. `copy` puts a
    picture of a sample to a place.
    """
    names: dict[str, str] = {}
    records: dict[str, dict[str, Any]] = {}
    for number, sample in samples:
        task = str(sample.attributes["folder"])
        count, reference = len(sample.images), f"{number}_gt.png"
        files = [f"{number}.png"] if count == 1 else [f"{number}-{n + 1}.png" for n in range(count)]
        if task == "temporal_prediction":  # frames say by their names which one is left out
            *files, reference = (
                f"{number}-{frame}.png"
                for frame in sorted(
                    range(1, FRAMES + 1), key=lambda n: n == sample.attributes["missing_frame"]
                )
            )
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
