"""A record of MedEBench as a sample.

Organs go by the names of the paper's Table 2. A picture whose name leads nowhere is looked for where
the release keeps it, ``editing/{previous,changed,previous_mask}/<id>.png``. The mask is called
``roi``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from editgauge.benchmarks.medebench.facts import INTERNAL, ORGANS, RELEASED, TASK_TYPES
from editgauge.benchmarks.reading import Record
from editgauge.benchmarks.tree import Tree
from editgauge.errors import ImageError
from editgauge.images import read_mask
from editgauge.types import Sample

FOLDERS = {"input": "previous", "reference": "changed", "mask": "previous_mask"}
"""What a picture is -> the folder that the release keeps it in."""
_ORGANS = {organ.casefold(): organ for organ in ORGANS} | {
    released.casefold(): organ for released, organ in RELEASED.items()
}


def organ_of(text: str) -> str:
    """Table 2's name of an organ; one that the paper does not have stays as it is."""
    return _ORGANS.get(" ".join(text.split()).casefold(), text)


def depth_of(organ: str) -> str:
    """``internal`` or ``superficial``; "" for an organ that the paper does not have."""
    return "" if organ not in ORGANS else "internal" if organ in INTERNAL else "superficial"


def task_type_of(task: str) -> str:
    """``removal``, ``addition`` or ``reconstruction``, by the first word of a task that tells;
    ``other`` where none does.
    """
    words = re.findall(r"[a-z]+", task.lower())
    types = (kind for word in words for kind, known in TASK_TYPES.items() if word in known.split())
    return next(types, "other")


def sample_of(tree: Tree, folder: Path, record: Record, number: int, taken: set[str]) -> Sample:
    """The sample of a record, the file's `number`-th. `taken`: see `Record.identity`."""
    ident = record.identity(number, taken, needed=True)
    paths = {what: _picture(tree, folder, record, ident, what) for what in FOLDERS}
    organ = organ_of((record.text("organ", needed="organ") or "").strip())
    task = (record.text("task", needed="task") or "").strip()
    attributes = {"organ": organ, "task": task, "url": record.text("url") or ""}
    if depth := depth_of(organ):
        attributes["organ_depth"] = depth
    if task:
        attributes["task_type"] = task_type_of(task)
    return Sample(
        benchmark="medebench",
        id=ident,
        split="all",
        category=(organ or "unknown", task or "unknown"),
        instruction=record.text("prompt", needed="") or "",
        images=(paths["input"],),
        output_stems=(f"{ident}_0", ident),
        reference=paths["reference"],
        masks={"roi": paths["mask"]},
        change=record.text("change", needed="change"),
        concept=record.text("concept"),
        rephrased=record.text("rephrased"),
        attributes=attributes,
        findings=tuple(record.note.findings),
    )


def _picture(tree: Tree, folder: Path, record: Record, ident: str, what: str) -> Path:
    """The record's picture (from the root, or ``editing``), else the id's; faults are noted."""
    name, part = record.raw(what), "" if what == "input" else what
    if isinstance(name, str):
        name = name.strip().removeprefix("editing/")
    path, finding = tree.locate(folder, name, file=record.note.file, what=what, part=part)
    if finding and not finding.repaired and not finding.kind.endswith("-outside"):
        usual = tree.similar(folder / FOLDERS[what] / f"{ident}.png")
        if usual is not None:
            assumed = f"{tree.relative(usual)!r} is meant"
            path, finding = usual, replace(finding, assumed=assumed, repaired=True, part="")
    record.note.findings += [finding] if finding and record.data else []
    return path


def measure(sample: Sample) -> Mapping[str, str | float]:
    """How large the region is that the sample may change (paper, Figure 4): ``mask_ratio``, the
    share of the picture that the region's mask marks (128 and more), 0 to 1, to 4 places;
    ``mask_band``, the same as a tenth (``0.2–0.3``), for slices. Empty where it cannot be read.
    """
    try:
        ratio = float(read_mask(sample.masks["roi"]).mean())
    except (KeyError, ImageError):
        return {}
    tenth = min(9, int(ratio * 10))
    return {"mask_ratio": round(ratio, 4), "mask_band": f"{tenth / 10:.1f}–{(tenth + 1) / 10:.1f}"}
