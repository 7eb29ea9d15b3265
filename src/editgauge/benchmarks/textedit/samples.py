"""Reads TextEdit's released files: ``eval_prompts/<set>/<category>.jsonl`` and the pictures below
``data/``.

A line is a sample. One that cannot be read stays a sample, with an unrepaired finding, under the id
``<category>/line-<number>``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.reading import (
    Record,
    Tree,
    below,
    decode,
    is_folder,
    parse_json,
    read_bytes,
    safe_name,
    shown,
    unique,
)
from editgauge.errors import DataError, UsageError
from editgauge.types import Finding, Sample

SETS: tuple[str, ...] = ("fullset", "miniset")
VIRTUAL: tuple[str, ...] = (
    "1.1.1",
    "1.1.2",
    "1.1.3",
    "1.2.1",
    "1.2.2",
    "1.3.1",
    "1.3.2",
    "1.4.1",
    "1.4.2",
    "1.4.3",
    "1.4.4",
)
REAL: tuple[str, ...] = ("2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7")
_FIELDS = {
    name: (name,)
    for name in (
        "id",
        "prompt",
        "original_image",
        "gt_image",
        "source_text",
        "target_text",
        "gt_caption",
    )
}


def split_of(category: str) -> str:
    """``Virtual`` or ``Real``, by the category's first number; "" for another one."""
    return {"1": "Virtual", "2": "Real"}.get(category.split(".")[0], "")


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
    prompts = folder / "eval_prompts"
    there = [name for name in SETS if any((prompts / name).glob("*.jsonl"))]
    if not there:
        raise not_this_folder(
            folder, "textedit", "eval_prompts/fullset or eval_prompts/miniset with *.jsonl files"
        )
    if wanted in SETS and wanted not in there:
        raise DataError(
            f"{folder}: wanted the {wanted} in eval_prompts, found {', '.join(there)}; name that "
            f"one"
        )
    chosen = wanted if wanted in SETS else there[0]
    half = {"virtual": "Virtual", "real": "Real"}.get(wanted, "")
    return Samples(
        "textedit",
        folder,
        partial(_read, folder, chosen, half),
        f"{chosen}/{half}" if half else chosen,
    )


def _read(root: Path, chosen: str, half: str, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    folder = root / "eval_prompts" / chosen
    found = []
    for entry in below(folder):
        path = Path(entry.path)
        if path.suffix != ".jsonl" or is_folder(entry):
            note(
                Finding("file-stray", tree.relative(path), "no category's .jsonl file", "not read")
            )
            continue
        found.append(path.stem)
        if not split_of(path.stem):
            assumed = "its samples are neither Virtual nor Real"
            note(
                Finding(
                    "category-unknown", tree.relative(path), f"the category {path.stem!r}", assumed
                )
            )
        if half in ("", split_of(path.stem)):
            yield from _read_category(tree, chosen, path, note)
    for category in (*VIRTUAL, *REAL):
        if category not in found and half in ("", split_of(category)):
            here = f"{tree.relative(folder)}/{category}.jsonl"
            note(
                Finding(
                    "category-missing", here, "no such file", "the category has no samples", False
                )
            )


def _read_category(tree: Tree, chosen: str, path: Path, note: Note) -> Iterator[Sample]:
    """The samples of one file, ids unique within it."""
    file = tree.relative(path)
    data, finding = read_bytes(tree, path)
    if data is None:
        if finding is not None:
            note(finding)
        return
    taken: dict[str, int] = {}
    seen: dict[str, str] = {}
    count = 0
    for number, value, findings in _values(data, file):
        count += 1
        where = f"{file}:{number}"
        if isinstance(value, dict):
            same = json.dumps(value, sort_keys=True)
            if value.get("id") is not None and same in seen:
                note(
                    Finding("record-twice", where, f"the same record as {seen[same]}", "read once")
                )
                continue
            seen.setdefault(same, where)
            yield _sample(
                tree, chosen, path.stem, Record(value, _FIELDS, where, findings), number, taken
            )
        else:
            if all(f.repaired for f in findings):
                found = f"{type(value).__name__} {shown(value)}, wanted an object"
                findings.append(
                    Finding(
                        "json-wrong-type", where, found, "nothing is known of the sample", False
                    )
                )
            yield _sample(
                tree, chosen, path.stem, Record({}, _FIELDS, where, findings), number, taken
            )
    if count == 0:
        note(Finding("category-empty", file, "no lines", "the category has no samples", False))


def _values(data: bytes, file: str) -> Iterator[tuple[int, object, list[Finding]]]:
    """Each line's number, value and findings; a file that is one JSON list gives its entries
    instead.
    """
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text, findings = decode(data, file)
        value, more = (
            parse_json(text, file) if text is not None and text.lstrip()[:1] == "[" else (None, [])
        )
        if isinstance(value, list):
            findings += [
                *more,
                Finding(
                    "json-list", file, "one list, wanted an object a line", "its entries are meant"
                ),
            ]
            for number, entry in enumerate(value, start=1):
                yield number, entry, list(findings)
            return
        if text is not None:
            data = text.encode()
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        text, findings = decode(line, where, start=number == 1)
        if text is None:
            yield number, None, findings
            continue
        value, more = parse_json(text.strip(), where)
        yield number, value, [*findings, *more]


def _sample(
    tree: Tree, chosen: str, category: str, record: Record, number: int, taken: dict[str, int]
) -> Sample:
    findings, file = record.findings, record.file
    identity = record.identity()
    if identity is None:
        identity = f"line-{number}"
        if record.data:
            findings.append(
                Finding("id-missing", file, f"id {shown(record.raw('id'))}", f"called {identity!r}")
            )
    if safe_name(identity) != identity:
        findings.append(
            Finding("id-name", file, shown(identity), f"called {safe_name(identity)!r}")
        )
        identity = safe_name(identity)
    own = unique(identity, taken)
    if own != identity:
        findings.append(Finding("id-twice", file, f"id {identity!r} again", f"called {own!r}"))
    base = tree.root / "data"
    image, finding = tree.locate(base, record.raw("original_image"), file=file, what="input")
    findings += [finding] if finding and record.data else []
    reference, finding = tree.locate(
        base, record.raw("gt_image"), file=file, what="reference", part="reference"
    )
    findings += [finding] if finding and record.data else []
    written = record.raw("original_image")
    name = (
        PurePosixPath(written.strip().replace("\\", "/")).name if isinstance(written, str) else ""
    )
    stem = os.path.splitext(name)[0]
    if record.data and isinstance(written, str) and not written.strip().startswith(f"{category}/"):
        findings.append(
            Finding(
                "category-name", file, f"{shown(written)} in {category!r}", f"it is of {category!r}"
            )
        )
    texts = {key: record.text(key) for key in ("source_text", "target_text", "gt_caption")}
    for key, text in texts.items():
        if text is None and record.data:
            findings.append(
                Finding(
                    f"{key}-missing", file, f"no {key}", "scores that need it have none", False, key
                )
            )
    return Sample(
        benchmark="textedit",
        id=f"{category}/{own}",
        split=split_of(category),
        category=(category,),
        instruction=record.text("prompt", needed=bool(record.data)) or "",
        images=(image,),
        output_stems=(f"{category}/{stem if stem.strip('. ') else own}",),
        reference=reference,
        source_text=texts["source_text"],
        target_text=texts["target_text"],
        caption=texts["gt_caption"],
        attributes={"category": category, "set": chosen},
        findings=tuple(findings),
    )
