"""A record of TextEdit as a sample."""

from __future__ import annotations

from pathlib import PurePosixPath

from editgauge.benchmarks.reading import Record
from editgauge.benchmarks.textedit.facts import split_of
from editgauge.benchmarks.tree import Tree
from editgauge.types import Sample


def sample_of(
    tree: Tree, chosen: str, category: str, record: Record, number: int, taken: set[str]
) -> Sample:
    """The sample of a line. `chosen`: its set; `number`: the line's; `taken`: see
    `Record.identity`. Outputs are called by the input's name.
    """
    ident = record.identity(number, taken, needed=False)
    base, written = tree.root / "data", record.raw("input")
    stem = PurePosixPath(str(written or "").strip().replace("\\", "/")).stem.strip(". ")
    return Sample(
        benchmark="textedit",
        id=f"{category}/{ident}",
        split=split_of(category),
        category=(category,),
        instruction=record.text("prompt", needed="") or "",
        images=(record.picture(tree, base, "input"),),
        output_stems=(f"{category}/{stem or ident}",),
        reference=record.picture(tree, base, "reference", part="reference"),
        source_text=record.text("source_text", needed="source_text"),
        target_text=record.text("target_text", needed="target_text"),
        caption=record.text("gt_caption", needed="gt_caption"),
        attributes={"category": category, "set": chosen},
        findings=tuple(record.note.findings),
    )
