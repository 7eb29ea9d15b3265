"""TextEdit's official folder: ``eval_prompts/<set>/<category>.jsonl`` and the pictures below ``data/``,
read and written.

A line is a sample. One that cannot be read stays a sample, with an unrepaired finding, under the id
``<category>/line-<number>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import orjson

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.reading import Notes, Record, decode, parse_json, read_bytes
from editgauge.benchmarks.textedit.facts import REAL, SETS, VIRTUAL, split_of
from editgauge.benchmarks.textedit.samples import sample_of
from editgauge.benchmarks.tree import Tree, below, is_folder
from editgauge.errors import DataError, UsageError
from editgauge.images import write_bytes
from editgauge.types import CopyPicture, Finding, Sample

PROMPTS = "eval_prompts"
FIELDS = {
    name: (name,)
    for name in (
        "id", "prompt", "original_image", "gt_image", "source_text", "target_text", "gt_caption",
    )
}  # fmt: skip


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
    half = {"virtual": "Virtual", "real": "Real"}.get(wanted, "")
    name = f"{chosen}/{half}" if half else chosen
    return Samples("textedit", folder, partial(_read, folder, chosen, half), name)


def _read(root: Path, chosen: str, half: str, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    folder = root / PROMPTS / chosen
    seen = set()
    for entry in below(folder):
        path = Path(entry.path)
        here, category = tree.relative(path), path.stem
        if path.suffix != ".jsonl" or is_folder(entry):
            note(Finding("file-stray", here, "no category's .jsonl file", "not read"))
            continue
        seen.add(category)
        if not split_of(category):
            assumed = "its samples are neither Virtual nor Real"
            note(Finding("category-unknown", here, f"the category {category!r}", assumed))
        if half in ("", split_of(category)):
            yield from _read_category(tree, chosen, path, note)
    for category in (*VIRTUAL, *REAL):
        if category not in seen and half in ("", split_of(category)):
            place, lost = f"{tree.relative(folder)}/{category}.jsonl", "the category has no samples"
            note(Finding("category-missing", place, "no such file", lost, False))


def _read_category(tree: Tree, chosen: str, path: Path, note: Note) -> Iterator[Sample]:
    """The samples of one file, ids unique within it."""
    notes = Notes(tree.relative(path))
    data = read_bytes(tree, path, notes) or b""
    taken: dict[str, int] = {}
    seen: dict[str, str] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        here = Notes(f"{notes.file}:{number}")
        text = decode(line, here)
        value = None if text is None else parse_json(text.strip(), here)
        if isinstance(value, dict) and value.get("id") is not None:
            first = seen.setdefault(json.dumps(value, sort_keys=True), here.file)
            if first != here.file:
                here("record-twice", f"the same record as {first}", "read once")
                notes.findings += here.findings[-1:]
                continue
        yield sample_of(tree, chosen, path.stem, Record.of(value, FIELDS, here), number, taken)
    if not (taken or notes.lost):
        notes("category-empty", "no lines", "the category has no samples", False)
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
        record = {
            "id": number,
            "prompt": sample.instruction,
            "original_image": image,
            "gt_image": reference,
            "source_text": sample.source_text,
            "target_text": sample.target_text,
            "gt_caption": sample.caption,
        }
        lines.setdefault(category, []).append(orjson.dumps(record) + b"\n")
        names[sample.id] = f"{category}/{number}"
    for category, every in lines.items():
        write_bytes(root / PROMPTS / SETS[0] / f"{category}.jsonl", b"".join(every))
    return names
