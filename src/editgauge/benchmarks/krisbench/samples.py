"""Reads KRIS-Bench's released files: ``KRIS_Bench/<category>/annotation.json`` and the pictures
beside it.

Three tasks share the folder ``temporal_prediction``; the frame that is to be made tells them apart.
It is the one that the names of the given frames (``<id>-<frame>``) leave out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS, FRAMES, temporal_task
from editgauge.benchmarks.reading import (
    Record,
    Tree,
    below,
    is_folder,
    natural,
    own_set,
    read_json,
    safe_name,
    shown,
    unique,
)
from editgauge.errors import UsageError
from editgauge.types import Finding, Sample

ANNOTATION = "annotation.json"
MAX_IMAGES = 5
MOST_IMAGES = 16
"""Input pictures of a record that are still looked for. A run's index takes four times as many
(`store.records`): a sample that is loaded is never left out of it.
"""
_FIELDS = {
    "id": ("id",),
    "input": ("ori_img",),
    "reference": ("gt_img",),
    "prompt": ("ins_en", "instruction"),
    "knowledge": ("explain_en", "explain"),
}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder ``KRIS_Bench``, or the one above it.

    Raises `DataError` for another folder, `UsageError` for a split: there is none.
    """
    folder = need_folder(root, "krisbench")
    if split is not None:
        raise UsageError(f"split {split!r}: krisbench has none")
    for place in (folder / "KRIS_Bench", folder):
        own = own_set(place)  # whose categories are its own
        if any(
            (own or _known(entry.name)) and (Path(entry.path) / ANNOTATION).exists()
            for entry in below(place)
        ):
            return Samples("krisbench", place, partial(_read, place))
    raise not_this_folder(
        folder, "krisbench", f"KRIS_Bench/<category>/{ANNOTATION} (categories: chemistry, …)"
    )


def _known(name: str) -> str | None:
    """The released name of a category's folder, whatever its case, dashes and blanks."""
    bare = re.sub(r"[\s_\-]+", "_", name.strip().lower())
    return next((folder for folder in FOLDERS if folder.replace("-", "_") == bare), None)


def _read(root: Path, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    folders: dict[str, Path] = {}
    others: list[Path] = []
    for entry in below(root):
        path, known = Path(entry.path), _known(entry.name)
        if not tree.inside(path):
            note(
                Finding(
                    "folder-outside",
                    entry.name,
                    "a link that leads out of the data folder",
                    "not read",
                    False,
                )
            )
        elif not is_folder(entry):
            note(
                Finding(
                    "file-stray", entry.name, "a file beside the categories' folders", "not read"
                )
            )
        elif known is None and not (path / ANNOTATION).exists():
            note(
                Finding("folder-unknown", entry.name, f"a folder without {ANNOTATION}", "not read")
            )
        elif known is None:
            note(
                Finding(
                    "category-unknown",
                    entry.name,
                    "a category that the paper has not",
                    "read all the same",
                )
            )
            others.append(path)
        elif known in folders:
            note(
                Finding(
                    "category-twice",
                    entry.name,
                    f"{known!r} again",
                    f"{folders[known].name!r} counts",
                    False,
                )
            )
        else:
            folders[known] = path
            if entry.name != known:
                note(Finding("folder-name", entry.name, "another spelling", f"{known!r} is meant"))
    for name in FOLDERS:
        if name in folders:
            yield from _read_category(tree, name, folders[name], note)
        else:
            note(
                Finding(
                    "category-missing", name, "no such folder", "the category has no samples", False
                )
            )
    for path in others:
        yield from _read_category(tree, path.name, path, note)


def _read_category(tree: Tree, name: str, folder: Path, note: Note) -> Iterator[Sample]:
    """A category's samples in the order of their numbers."""
    file = tree.relative(folder / ANNOTATION)
    value, findings = read_json(tree, folder / ANNOTATION)
    if isinstance(value, list):
        findings.append(
            Finding("json-list", file, "a list, wanted an object by id", "its entries' own ids")
        )
        value = {
            str(entry.get("id", number) if isinstance(entry, dict) else number): entry
            for number, entry in enumerate(value, start=1)
        }
    if not isinstance(value, dict) or not value:
        if all(finding.repaired for finding in findings):
            found = f"{type(value).__name__} {shown(value)}, wanted records by id"
            findings.append(
                Finding("json-wrong-type", file, found, "the category has no samples", False)
            )
        value = {}
    for finding in findings:
        note(finding)
    taken: dict[str, int] = {}
    for key in sorted(value, key=natural):
        entry, where = value[key], f"{file}#{key}"
        record = Record(entry if isinstance(entry, dict) else {}, _FIELDS, where)
        if not isinstance(entry, dict):
            found = f"{type(entry).__name__} {shown(entry)}, wanted an object"
            record.findings.append(
                Finding("json-wrong-type", where, found, "nothing is known of the sample", False)
            )
        yield _sample(tree, name, folder, key, record, taken)


def _sample(
    tree: Tree, name: str, folder: Path, key: str, record: Record, taken: dict[str, int]
) -> Sample:
    findings, file, known = record.findings, record.file, bool(record.data)
    identity = unique(safe_name(key), taken)
    if identity != key:
        findings.append(Finding("id-name", file, shown(key), f"called {identity!r}"))
    images = _images(tree, folder, record)
    knowledge_type, dimension = FOLDERS.get(name, ("Other", "Other"))
    needs_reference = name in ("viewpoint_change", "temporal_prediction")
    reference: Path | None = None
    if record.raw("reference") not in (None, "", []) or (needs_reference and known):
        reference, finding = tree.locate(
            folder, record.raw("reference"), file=file, what="reference", part="reference"
        )
        findings += [finding] if finding else []
    knowledge = record.text("knowledge")
    if knowledge is None and known and (dimension in EXPLAINED or name == "anomaly_correction"):
        findings.append(
            Finding(
                "knowledge-missing", file, "no explanation", "judged without", False, "knowledge"
            )
        )
    attributes: dict[str, str | int | float | bool] = {
        "task": name,
        "folder": name,
        "dimension": dimension,
        "knowledge_type": knowledge_type,
        "image_count": len(images),
        "multi_image": len(images) > 1,
    }
    if name == "temporal_prediction":
        attributes.update(_frames(record, known))
    return Sample(
        benchmark="krisbench",
        id=f"{name}/{identity}",
        split="all",
        category=(knowledge_type, dimension, str(attributes["task"])),
        instruction=record.text("prompt", needed=known) or "",
        images=images,
        output_stems=tuple(dict.fromkeys((f"{name}/{identity}", f"{folder.name}/{identity}"))),
        reference=reference,
        knowledge=knowledge,
        attributes=attributes,
        findings=tuple(findings),
    )


def _names(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _images(tree: Tree, folder: Path, record: Record) -> tuple[Path, ...]:
    """The input pictures in order, at least one path; those of a record that cannot be read lead
    nowhere.
    """
    names = _names(record.raw("input"))
    if not record.data or not names:
        if record.data:
            record.findings.append(
                Finding("input-unnamed", record.file, "an empty list", "there is no input", False)
            )
        return (tree.nowhere("input"),)
    if len(names) > MOST_IMAGES:
        found = f"{len(names):,} input pictures, wanted at most {MAX_IMAGES}"
        record.findings.append(
            Finding("input-many", record.file, found, "none of them is read", False)
        )
        return (tree.nowhere("input"),)
    if len(names) > MAX_IMAGES:
        found = f"{len(names)} input pictures, wanted at most {MAX_IMAGES}"
        record.findings.append(Finding("input-many", record.file, found, "all are kept"))
    paths = []
    for name in names:
        path, finding = tree.locate(folder, name, file=record.file, what="input")
        record.findings += [finding] if finding else []
        paths.append(path)
    return tuple(paths)


def _frames(record: Record, known: bool) -> dict[str, str | int | float | bool]:
    """The given frames, the missing one, and with it the task; an unrepaired finding where the
    names do not say.
    """
    given = [_frame(name) for name in _names(record.raw("input"))[: MOST_IMAGES + 1]]
    wanted = _frame(record.raw("reference"))
    numbers = [frame for frame in given if frame is not None]
    left = sorted(set(range(1, FRAMES + 1)) - set(numbers))
    missing = left[0] if len(left) == 1 and len(numbers) == len(given) == FRAMES - 1 else None
    file = record.file
    if missing is not None and wanted is not None and wanted != missing:
        found = f"the names leave out frame {missing}, the reference is frame {wanted}"
        record.findings.append(
            Finding("frame-disagrees", file, found, "the frame that is left out")
        )
    if missing is None and wanted is not None and wanted in left:
        missing = wanted
        found = f"frames {shown(given)}, wanted three of {FRAMES}"
        record.findings.append(
            Finding("frame-unclear", file, found, f"frame {missing}, the reference's")
        )
    if missing is None and known:
        found = f"frames {shown(given)}, reference {wanted}"
        record.findings.append(
            Finding("frame-unknown", file, found, "the task is not known", False)
        )
    result: dict[str, str | int | float | bool] = {"task": temporal_task(missing)}
    result["frames"] = ",".join("?" if frame is None else str(frame) for frame in given)
    if missing is not None:
        result["missing_frame"] = missing
    return result


def _frame(name: object) -> int | None:
    """The frame in a name ``<id>-<frame>.<extension>``, 1 to 4."""
    match = (
        re.search(r"-(\d)$", os.path.splitext(name.strip())[0]) if isinstance(name, str) else None
    )
    return int(match[1]) if match and 1 <= int(match[1]) <= FRAMES else None
