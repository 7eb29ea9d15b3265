"""TextEdit's official folder: ``eval_prompts/<set>/<category>.jsonl`` and the pictures below ``data/``,
read and written. A line that cannot be read stays a sample, with an unrepaired finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import orjson

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.reading import Notes, Record, parse_json, read_bytes
from editgauge.benchmarks.textedit.facts import REAL, SETS, VIRTUAL, split_of
from editgauge.benchmarks.textedit.samples import sample_of
from editgauge.benchmarks.tree import Tree, below
from editgauge.errors import DataError, UsageError
from editgauge.images import write_bytes
from editgauge.types import CopyPicture, Finding, Sample

PROMPTS = "eval_prompts"
FIELDS = {
    "id": "id",
    "prompt": "prompt",
    "input": "original_image",
    "reference": "gt_image",
    "source_text": "source_text",
    "target_text": "target_text",
    "gt_caption": "gt_caption",
}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`, the folder of ``eval_prompts`` and ``data``.

    `split`: ``fullset`` or ``miniset``; ``Virtual`` or ``Real`` for half of the set that is there.
    Where both sets are there and none is named, the full set. Raises `DataError` for another
    folder, `UsageError` for another split.
    """
    folder = need_folder(root, "textedit")
    wanted = (split or "").lower()
    if wanted not in ("", *SETS, "virtual", "real"):
        raise UsageError(f"split {split!r}: textedit has fullset, miniset, Virtual and Real")
    there = [name for name in SETS if any((folder / PROMPTS / name).glob("*.jsonl"))]
    if not there:
        files = f"{PROMPTS}/fullset or {PROMPTS}/miniset with *.jsonl files"
        raise not_this_folder(folder, "textedit", files)
    if wanted in SETS and wanted not in there:
        found = f"found {', '.join(there)}; name that one"
        raise DataError(f"{folder}: wanted the {wanted} in {PROMPTS}, {found}")
    chosen = wanted if wanted in SETS else there[0]
    half = "" if wanted in SETS else wanted.title()
    name = f"{chosen}/{half}" if half else chosen
    return Samples("textedit", folder, partial(_read, folder, chosen, half), name)


def _read(root: Path, chosen: str, half: str, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    folder = root / PROMPTS / chosen
    there = {path.stem: path for path in below(folder) if path.suffix == ".jsonl"}
    for category in (*VIRTUAL, *REAL):
        if category not in there and half in ("", split_of(category)):
            place, lost = f"{tree.relative(folder)}/{category}.jsonl", "the category has no samples"
            note(Finding("category-missing", place, "no such file", lost, False))
    for category, path in there.items():
        if half in ("", split_of(category)):
            yield from _read_category(tree, chosen, path, note)


def _read_category(tree: Tree, chosen: str, path: Path, note: Note) -> Iterator[Sample]:
    """The samples of one file, ids unique within it."""
    notes = Notes(tree.relative(path))
    taken: set[str] = set()
    for number, line in enumerate((read_bytes(tree, path, notes) or b"").split(b"\n"), start=1):
        if line.strip():
            here = Notes(f"{notes.file}:{number}")
            record = Record(parse_json(line.strip(), here), FIELDS, here)
            yield sample_of(tree, chosen, path.stem, record, number, taken)
    for finding in notes.findings:
        note(finding)


def write(root: Path, samples: Sequence[tuple[int, Sample]], copy: CopyPicture) -> dict[str, str]:
    """Write numbered samples as the official folder, all in the full set; sample id -> its id
    there. `copy` puts a picture of a sample to a place.
    """
    names: dict[str, str] = {}
    lines: dict[str, list[bytes]] = {}
    for number, sample in samples:
        category = str(sample.attributes["category"])
        image, reference = (
            f"{category}/image/{kind}/{1000 + number}.0.png" for kind in ("original", "gt")
        )
        copy(sample.image, root / "data" / image)
        if sample.reference:
            copy(sample.reference, root / "data" / reference)
        texts = (sample.source_text, sample.target_text, sample.caption)
        values = (number, sample.instruction, image, reference, *texts)
        record = dict(zip(FIELDS.values(), values, strict=True))
        lines.setdefault(category, []).append(orjson.dumps(record) + b"\n")
        names[sample.id] = f"{category}/{number}"
    for category, every in lines.items():
        write_bytes(root / PROMPTS / SETS[0] / f"{category}.jsonl", b"".join(every))
    return names
