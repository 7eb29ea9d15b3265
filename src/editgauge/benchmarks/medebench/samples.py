"""Reads MedEBench's released files: ``editing/editing_metadata.json`` and the pictures that it
names.

Keys are accepted in the released spelling and in the paper's; organs go by the names of the paper's
Table 2 (see `organs`). A picture whose name leads nowhere is looked for where the release keeps it,
``editing/{previous,changed,previous_mask}/<id>.png``. The mask is called ``roi``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from editgauge.benchmarks.base import Note, Samples, need_folder, not_this_folder
from editgauge.benchmarks.medebench.organs import depth_of, organ_of, task_type_of
from editgauge.benchmarks.reading import Record, Tree, read_json, safe_name, shown, unique
from editgauge.errors import UsageError
from editgauge.types import Finding, Sample

METADATA = "editing_metadata.json"
_FIELDS = {
    "id": ("id", "Id", "ID"),
    "organ": ("Organ", "organ"),
    "task": ("Task", "task"),
    "prompt": ("prompt", "Prompt"),
    "rephrased": ("rephrased_prompt", "Rephrased_prompt"),
    "change": (
        "detailed_prompt",
        "Detailed_prompt",
        "Detailed_description",
        "detailed_description",
    ),
    "input": ("previous_image", "Previous_image", "Input_image", "input_image"),
    "reference": ("changed_image", "Changed_image", "GroundTruth_image", "groundtruth_image"),
    "mask": ("previous_mask", "Previous_mask", "ROI_mask", "roi_mask"),
    "concept": ("concept", "key_concept", "Key_concept"),
    "url": ("url", "Url", "URL"),
}
_FOLDERS = {"input": "previous", "reference": "changed", "mask": "previous_mask"}


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`: the folder that holds ``editing``, or ``editing`` itself.

    Raises `DataError` for another folder, `UsageError` for a split: there is none.
    """
    folder = need_folder(root, "medebench")
    if split is not None:
        raise UsageError(f"split {split!r}: medebench has none")
    if (folder / "editing" / METADATA).exists():
        return Samples("medebench", folder, partial(_read, folder, folder / "editing"))
    if (folder / METADATA).exists():
        above = folder.parent if folder.name == "editing" else folder
        return Samples("medebench", above, partial(_read, above, folder))
    raise not_this_folder(folder, "medebench", f"editing/{METADATA}")


def _read(root: Path, folder: Path, note: Note) -> Iterator[Sample]:
    tree = Tree(root)
    file = tree.relative(folder / METADATA)
    value, findings = read_json(tree, folder / METADATA)
    if isinstance(value, list):
        findings.append(
            Finding("json-list", file, 'a list, wanted {"samples": […]}', "it is the samples")
        )
        value = {"samples": value}
    if not isinstance(value, dict) or not isinstance(value.get("samples"), list):
        if all(finding.repaired for finding in findings):
            found = f'{type(value).__name__} {shown(value)}, wanted {{"samples": […]}}'
            findings.append(Finding("json-wrong-type", file, found, "there are no samples", False))
        value = {"samples": []}
    for finding in findings:
        note(finding)
    if not value["samples"]:
        note(Finding("samples-none", file, "no records", "there are no samples", False))
    taken: dict[str, int] = {}
    seen: dict[str, str] = {}
    for number, entry in enumerate(value["samples"], start=1):
        where = f"{file}#{number}"
        same = json.dumps(entry, sort_keys=True, default=str)
        record = Record(entry if isinstance(entry, dict) else {}, _FIELDS, where)
        if not isinstance(entry, dict):
            found = f"{type(entry).__name__} {shown(entry)}, wanted an object"
            record.findings.append(
                Finding("json-wrong-type", where, found, "nothing is known of the sample", False)
            )
        elif same in seen:
            note(Finding("record-twice", where, f"the same record as {seen[same]}", "read once"))
            continue
        seen.setdefault(same, where)
        yield _sample(tree, folder, record, number, taken)


def _sample(tree: Tree, folder: Path, record: Record, number: int, taken: dict[str, int]) -> Sample:
    findings, file, known = record.findings, record.file, bool(record.data)
    written = record.identity()
    identity = safe_name(written) if written else f"record-{number}"
    if written is None and known:
        found = f"id {shown(record.raw('id'))}"
        findings.append(
            Finding("id-missing", file, found, "outputs are named by id: none can be found", False)
        )
    elif written is not None and identity != written:
        findings.append(Finding("id-name", file, shown(written), f"called {identity!r}"))
    own = unique(identity, taken)
    if own != identity:
        found = f"id {identity!r} again, with another record"
        findings.append(
            Finding("id-twice", file, found, f"called {own!r}: outputs are the first one's", False)
        )
    image, more = _picture(tree, folder, record, identity, "input")
    findings += more if known else []
    reference, more = _picture(tree, folder, record, identity, "reference")
    findings += more if known else []
    mask, more = _picture(tree, folder, record, identity, "mask")
    findings += more if known else []
    texts = {
        name: record.text(name) for name in ("organ", "task", "change", "rephrased", "concept")
    }
    for name in ("organ", "task", "change"):
        if texts[name] is None and known:
            found = f"no {name}"
            findings.append(
                Finding(f"{name}-missing", file, found, "what needs it has none", False, name)
            )
    organ, task = ((texts[name] or "").strip() for name in ("organ", "task"))
    organ = organ_of(organ)
    attributes = {"organ": organ, "task": task, "url": record.text("url") or ""}
    if depth := depth_of(organ):
        attributes["organ_depth"] = depth
    if task:
        attributes["task_type"] = task_type_of(task)
    return Sample(
        benchmark="medebench",
        id=own,
        split="all",
        category=(organ or "unknown", task or "unknown"),
        instruction=record.text("prompt", needed=known) or "",
        images=(image,),
        output_stems=(f"{own}_0", own),
        reference=reference,
        masks={"roi": mask},
        change=texts["change"],
        concept=texts["concept"],
        rephrased=texts["rephrased"],
        attributes=attributes,
        findings=tuple(findings),
    )


def _picture(
    tree: Tree, folder: Path, record: Record, identity: str, what: str
) -> tuple[Path, list[Finding]]:
    """A picture's path: as the record names it (from the root, or from ``editing``), else by the
    id.
    """
    part = "" if what == "input" else what
    name = record.raw(what)
    path, finding = tree.locate(tree.root, name, file=record.file, what=what, part=part)
    if finding is None or finding.repaired or finding.kind.endswith("-outside"):
        return path, [finding] if finding else []
    bare = str(name).strip().removeprefix("editing/")
    near, other = tree.locate(folder, bare, file=record.file, what=what, part=part)
    if other is None and isinstance(name, str):
        return near, []
    usual = tree.similar(folder / _FOLDERS[what] / f"{identity}.png")
    if usual is not None:
        return usual, [
            Finding(finding.kind, finding.file, finding.found, f"{tree.relative(usual)!r} is meant")
        ]
    return path, [finding]
