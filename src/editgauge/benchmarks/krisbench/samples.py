"""A record of KRIS-Bench as a sample.

Three tasks share the folder ``temporal_prediction``; the frame that is to be made tells them apart.
It is the one that the names of the given frames (``<id>-<frame>``) leave out.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS, FRAMES, temporal_task
from editgauge.benchmarks.reading import Record, unique
from editgauge.benchmarks.tree import Tree, safe_name, shown
from editgauge.types import Sample

MAX_IMAGES = 5
MOST_IMAGES = 16
"""Input pictures of a record that are still looked for. A run's index takes four times as many: a
sample that is loaded is never left out of it.
"""
REFERENCED = ("viewpoint_change", "temporal_prediction")
"""Tasks whose judge compares with the reference."""
Facts = dict[str, str | int | float | bool]


def sample_of(
    tree: Tree, name: str, folder: Path, key: str, record: Record, taken: dict[str, int]
) -> Sample:
    """The sample of a category's record. `key`: its key there; `taken`: see `reading.unique`."""
    identity = unique(safe_name(key), taken)
    if identity != key:
        record.note("id-name", shown(key), f"called {identity!r}")
    images = _images(tree, folder, record)
    attributes = _attributes(name, images, record)
    knowledge_type, dimension = FOLDERS.get(name, ("Other", "Other"))
    return Sample(
        benchmark="krisbench",
        id=f"{name}/{identity}",
        split="all",
        category=(knowledge_type, dimension, str(attributes["task"])),
        instruction=record.text("prompt", needed=True) or "",
        images=images,
        output_stems=tuple(dict.fromkeys((f"{name}/{identity}", f"{folder.name}/{identity}"))),
        reference=_reference(tree, name, folder, record),
        knowledge=_knowledge(name, dimension, record),
        attributes=attributes,
        findings=tuple(record.note.findings),
    )


def _attributes(name: str, images: tuple[Path, ...], record: Record) -> Facts:
    knowledge_type, dimension = FOLDERS.get(name, ("Other", "Other"))
    attributes: Facts = {
        "task": name,
        "folder": name,
        "dimension": dimension,
        "knowledge_type": knowledge_type,
        "image_count": len(images),
        "multi_image": len(images) > 1,
    }
    return attributes | (_frames(record) if name == "temporal_prediction" else {})


def _reference(tree: Tree, name: str, folder: Path, record: Record) -> Path | None:
    if record.raw("reference") in (None, "", []) and not (name in REFERENCED and record.known):
        return None
    return record.picture(tree, folder, "reference", what="reference", part="reference")


def _knowledge(name: str, dimension: str, record: Record) -> str | None:
    knowledge = record.text("knowledge")
    needed = dimension in EXPLAINED or name == "anomaly_correction"
    if knowledge is None and needed and record.known:
        record.note("knowledge-missing", "no explanation", "judged without", False, "knowledge")
    return knowledge


def _names(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _images(tree: Tree, folder: Path, record: Record) -> tuple[Path, ...]:
    """The input pictures in order, at least one path; those of a record that cannot be read lead
    nowhere.
    """
    names = _names(record.raw("input"))
    many = f"{len(names):,} input pictures, wanted at most {MAX_IMAGES}"
    if not record.known or not names or len(names) > MOST_IMAGES:
        if record.known and not names:
            record.note("input-unnamed", "an empty list", "there is no input", False)
        elif record.known:
            record.note("input-many", many, "none of them is read", False)
        return (tree.nowhere("input"),)
    if len(names) > MAX_IMAGES:
        record.note("input-many", many, "all are kept")
    paths = []
    for name in names:
        path, finding = tree.locate(folder, name, file=record.note.file, what="input")
        record.note.findings += [finding] if finding else []
        paths.append(path)
    return tuple(paths)


def _frames(record: Record) -> Facts:
    """The given frames, the missing one, and with it the task; an unrepaired finding where the
    names do not say.
    """
    given = [_frame(name) for name in _names(record.raw("input"))[: MOST_IMAGES + 1]]
    missing = _missing_frame(record, given, _frame(record.raw("reference")))
    facts: Facts = {"task": temporal_task(missing)}
    facts["frames"] = ",".join("?" if frame is None else str(frame) for frame in given)
    return facts | ({} if missing is None else {"missing_frame": missing})


def _missing_frame(record: Record, given: list[int | None], wanted: int | None) -> int | None:
    numbers = [frame for frame in given if frame is not None]
    left = sorted(set(range(1, FRAMES + 1)) - set(numbers))
    if len(left) == 1 and len(numbers) == len(given) == FRAMES - 1:
        if wanted is not None and wanted != left[0]:
            found = f"the names leave out frame {left[0]}, the reference is frame {wanted}"
            record.note("frame-disagrees", found, "the frame that is left out")
        return left[0]
    if wanted is not None and wanted in left:
        found = f"frames {shown(given)}, wanted three of {FRAMES}"
        record.note("frame-unclear", found, f"frame {wanted}, the reference's")
        return wanted
    if record.known:
        found = f"frames {shown(given)}, reference {wanted}"
        record.note("frame-unknown", found, "the task is not known", False)
    return None


def _frame(name: object) -> int | None:
    """The frame in a name ``<id>-<frame>.<extension>``, 1 to 4."""
    stem = os.path.splitext(name.strip())[0] if isinstance(name, str) else ""
    match = re.search(r"-(\d)$", stem)
    return int(match[1]) if match and 1 <= int(match[1]) <= FRAMES else None
