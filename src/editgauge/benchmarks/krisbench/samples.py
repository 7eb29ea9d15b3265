"""A record of KRIS-Bench as a sample.

Three tasks share the folder ``temporal_prediction``; the frame that is to be made tells them apart.
It is the one that the names of the given frames (``<id>-<frame>``) leave out.
"""

from __future__ import annotations

import re
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS, FRAMES, temporal_task
from editgauge.benchmarks.reading import Record, unique
from editgauge.benchmarks.tree import Tree, safe_name, shown
from editgauge.types import Sample

MOST_IMAGES = 5
"""Input pictures of a sample of the release."""
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
    images, reference = _images(tree, folder, record), None
    if record.raw("reference") not in (None, "", []) or (name in REFERENCED and record.known):
        what = "reference"
        reference = record.picture(tree, folder, what, what=what, part=what)
    knowledge_type, dimension = FOLDERS.get(name, ("Other", "Other"))
    attributes: Facts = {
        "task": name,
        "folder": name,
        "dimension": dimension,
        "knowledge_type": knowledge_type,
        "image_count": len(images),
        "multi_image": len(images) > 1,
    }
    if name == "temporal_prediction":
        attributes |= _frames(record)
    explained = dimension in EXPLAINED or name == "anomaly_correction"
    return Sample(
        benchmark="krisbench",
        id=f"{name}/{identity}",
        split="all",
        category=(knowledge_type, dimension, str(attributes["task"])),
        instruction=record.text("prompt", needed="") or "",
        images=images,
        output_stems=tuple(dict.fromkeys((f"{name}/{identity}", f"{folder.name}/{identity}"))),
        reference=reference,
        knowledge=record.text("knowledge", needed="knowledge" if explained else None),
        attributes=attributes,
        findings=tuple(record.note.findings),
    )


def _names(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _images(tree: Tree, folder: Path, record: Record) -> tuple[Path, ...]:
    """The input pictures in order, at least one path; those of a record that cannot be read lead
    nowhere.
    """
    names = _names(record.raw("input"))
    if not record.known or not 1 <= len(names) <= MOST_IMAGES:
        if record.known:
            found = f"{len(names):,} input pictures, wanted 1 to {MOST_IMAGES}"
            record.note("input-many" if names else "input-unnamed", found, "none is read", False)
        return (tree.nowhere("input"),)
    file = record.note.file
    located = [tree.locate(folder, name, file=file, what="input") for name in names]
    record.note.findings += [finding for _, finding in located if finding]
    return tuple(path for path, _ in located)


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
    match = re.search(
        rf"-([1-{FRAMES}])(\.[^./]*)?$", name.strip() if isinstance(name, str) else ""
    )
    return int(match[1]) if match else None
