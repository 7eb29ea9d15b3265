"""A record of KRIS-Bench as a sample. Three tasks share ``temporal_prediction``: the frame to be
made, the one that the given names (``<id>-<frame>``) leave out, tells them apart.
"""

from __future__ import annotations

import re
from pathlib import Path

from editgauge.benchmarks.krisbench.facts import EXPLAINED, FOLDERS, FRAMES, temporal_task
from editgauge.benchmarks.reading import Record
from editgauge.benchmarks.tree import Tree, safe_name, shown
from editgauge.types import Sample

MOST_IMAGES = 5
"""Input pictures of a sample of the release."""
REFERENCED = ("viewpoint_change", "temporal_prediction")
"""Tasks whose judge compares with the reference."""
Facts = dict[str, str | int | float | bool]


def sample_of(tree: Tree, name: str, key: str, record: Record, taken: set[str]) -> Sample:
    """The sample of a record of the category `name`, where its key is `key`; `taken`: ids there."""
    identity, folder = _identity(key, record, taken), tree.root / name
    images, reference = _images(tree, folder, record), None
    if record.raw("reference") not in (None, "", []) or (name in REFERENCED and record.data):
        reference = record.picture(tree, folder, "reference", part="reference")
    knowledge_type, dimension = FOLDERS.get(name, ("Other", "Other"))
    task = _frames(record) if name == "temporal_prediction" else {"task": name}
    explained = dimension in EXPLAINED or name == "anomaly_correction"
    return Sample(
        benchmark="krisbench",
        id=f"{name}/{identity}",
        split="all",
        category=(knowledge_type, dimension, str(task["task"])),
        instruction=record.text("prompt", needed="") or "",
        images=images,
        output_stems=(f"{name}/{identity}",),
        reference=reference,
        knowledge=record.text("knowledge", needed="knowledge" if explained else None),
        attributes={
            **task,
            "folder": name,
            "dimension": dimension,
            "knowledge_type": knowledge_type,
            "image_count": len(images),
            "multi_image": len(images) > 1,
        },
        findings=tuple(record.note.findings),
    )


def _identity(key: str, record: Record, taken: set[str]) -> str:
    identity = safe_name(key)
    identity += f"~{len(taken)}" * (identity in taken)
    taken.add(identity)
    if identity != key:
        record.note("id-name", shown(key), f"called {identity!r}")
    return identity


def _names(record: Record) -> list[object]:
    value = record.raw("input")
    return value if isinstance(value, list) else [value]


def _images(tree: Tree, folder: Path, record: Record) -> tuple[Path, ...]:
    """The input pictures in order, at least one; those of an unreadable record lead nowhere."""
    names, file = _names(record), record.note.file
    if not record.data or not 1 <= len(names) <= MOST_IMAGES:
        if record.data:
            found = f"{len(names):,} input pictures, wanted 1 to {MOST_IMAGES}"
            record.note("input-many" if names else "input-unnamed", found, "none is read", False)
        return (tree.nowhere("input"),)
    located = [tree.locate(folder, name, file=file, what="input") for name in names]
    record.note.findings += [finding for _, finding in located if finding]
    return tuple(path for path, _ in located)


def _frames(record: Record) -> Facts:
    """The given frames, the missing one and the task; a finding where the names do not say."""
    given = [_frame(name) for name in _names(record)[:MOST_IMAGES]]
    frames = ",".join(str(frame or "?") for frame in given)
    left = set(range(1, FRAMES + 1)).difference(given)
    if len(given) == FRAMES - 1 and len(left) == 1:
        (missing,) = left
        return {"task": temporal_task(missing), "frames": frames, "missing_frame": missing}
    if record.data:
        found = f"frames {frames}, wanted {FRAMES - 1} of {FRAMES}"
        record.note("frame-unknown", found, "the task is not known", False)
    return {"task": temporal_task(None), "frames": frames}


def _frame(name: object) -> int | None:
    """The frame in a name ``<id>-<frame>.<extension>``, 1 to 4."""
    match = re.search(rf"-([1-{FRAMES}])(\.[^./]*)?$", str(name).strip())
    return int(match[1]) if match else None
