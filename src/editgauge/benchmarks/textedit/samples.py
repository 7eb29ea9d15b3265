"""A record of TextEdit as a sample."""

from __future__ import annotations

from pathlib import PurePosixPath

from editgauge.benchmarks.reading import Record, unique
from editgauge.benchmarks.textedit.facts import split_of
from editgauge.benchmarks.tree import Tree, shown
from editgauge.types import Sample


def sample_of(
    tree: Tree, chosen: str, category: str, record: Record, number: int, taken: dict[str, int]
) -> Sample:
    """The sample of a line. `chosen`: its set; `number`: the line's; `taken`: see
    `reading.unique`.
    """
    ident = _identity(record, number, taken)
    base = tree.root / "data"
    image = record.picture(tree, base, "original_image", what="input")
    reference = record.picture(tree, base, "gt_image", what="reference", part="reference")
    stem = _stem(category, record)
    return Sample(
        benchmark="textedit",
        id=f"{category}/{ident}",
        split=split_of(category),
        category=(category,),
        instruction=record.text("prompt", needed="") or "",
        images=(image,),
        output_stems=(f"{category}/{stem if stem.strip('. ') else ident}",),
        reference=reference,
        source_text=record.text("source_text", needed="source_text"),
        target_text=record.text("target_text", needed="target_text"),
        caption=record.text("gt_caption", needed="gt_caption"),
        attributes={"category": category, "set": chosen},
        findings=tuple(record.note.findings),
    )


def _identity(record: Record, number: int, taken: dict[str, int]) -> str:
    """The record's id as a file's name, once in its category."""
    identity = record.identity()
    if identity is None:
        identity = f"line-{number}"
        if record.known:
            record.note("id-missing", f"id {shown(record.raw('id'))}", f"called {identity!r}")
    safe = record.name(identity)
    ident = unique(safe, taken)
    if ident != safe:
        record.note("id-twice", f"id {safe!r} again", f"called {ident!r}")
    return ident


def _stem(category: str, record: Record) -> str:
    """The input's name without its extension: outputs are called by it."""
    written = record.raw("original_image")
    if not isinstance(written, str):
        return ""
    clean = written.strip().replace("\\", "/")
    if not clean.startswith(f"{category}/"):
        record.note("category-name", f"{shown(written)} in {category!r}", f"it is of {category!r}")
    return PurePosixPath(clean).stem
