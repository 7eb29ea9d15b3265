"""The pictures of a TextEditBench instance: its input, its reference edit and its masks.

Each is what the record names, else what the folder's number or the pictures that are left say, with
a finding that tells what was assumed.
"""

from __future__ import annotations

import os
from pathlib import Path

from editgauge.benchmarks.reading import Record, Tree, natural
from editgauge.benchmarks.texteditbench.places import Place
from editgauge.types import Finding


def input_of(tree: Tree, place: Place, record: Record) -> tuple[Path, list[Finding]]:
    """The input picture: as the record names it, else ``N`` by the folder's number."""
    path, finding = tree.locate(
        place.folder, record.raw("input_image"), file=record.file, what="input"
    )
    if finding is None:
        return path, []
    if finding.repaired:
        return path, [finding]
    if place.number is not None:
        by_number = tree.similar(place.folder / f"{place.number}.jpg")
        if by_number is not None:
            assumed = f"{by_number.name!r}, by the folder's number"
            return by_number, [Finding(finding.kind, finding.file, finding.found, assumed)]
    return path, [finding]


def reference_of(
    tree: Tree, place: Place, record: Record, image: Path
) -> tuple[Path | None, list[Finding]]:
    """The reference edit of the synthetic split: as the record names it, else the one picture that
    is left.
    """
    name = record.raw("output_image")
    if place.split == "real" and name in (None, ""):
        return None, []
    path, finding = tree.locate(
        place.folder, name, file=record.file, what="reference", part="reference"
    )
    if finding is None or finding.repaired:
        return path, [finding] if finding else []
    if place.split == "real":
        return None, [
            Finding(finding.kind, finding.file, finding.found, "the real split has no references")
        ]
    left = [
        p
        for p in place.pictures
        if p != image.name and not _is_mask(p) and tree.inside(place.folder / p)
    ]
    if len(left) == 1:
        assumed = f"{left[0]!r}, the picture that is left"
        return place.folder / left[0], [Finding(finding.kind, finding.file, finding.found, assumed)]
    return path, [finding]


def masks_of(
    tree: Tree, place: Place, image: Path, reference: Path | None
) -> tuple[dict[str, Path], list[Finding]]:
    """The masks by name; one that is not there gets the path where it should be, and a finding."""
    here = tree.relative(place.folder)
    names = {os.path.splitext(p)[0].lower(): p for p in place.pictures if _is_mask(p)}
    findings: list[Finding] = []
    for stem, name in list(names.items()):
        if not tree.inside(place.folder / name):
            finding = Finding(
                "mask-outside",
                f"{here}/{name}",
                "a link out of the data folder",
                "not read",
                False,
                "mask",
            )
            findings.append(finding)
            del names[stem]
    number = "" if place.number is None else str(place.number)
    masks: dict[str, Path] = {}
    wished = {
        "input": [image.stem, number],
        "second": [reference.stem if reference else f"{number}_edited"],
    }
    for key, stems in wished.items():
        found = next(
            (f"{stem.lower()}_mask" for stem in stems if f"{stem.lower()}_mask" in names), None
        )
        if found is not None:
            masks[key] = place.folder / names.pop(found)
    for key, stems in wished.items():
        if key in masks:
            continue
        wanted = f"{stems[0]}_mask.jpg"
        if len(names) == 1:
            taken = names.pop(next(iter(names)))
            masks[key] = place.folder / taken
            findings.append(
                Finding("mask-name", here, f"no {wanted}", f"{taken!r} is the mask {key!r}")
            )
        else:
            masks[key] = (
                tree.nowhere(wanted)
                if os.path.lexists(place.folder / wanted)
                else place.folder / wanted
            )
            findings.append(
                Finding("mask-missing", here, f"no {wanted}", f"no mask {key!r}", False, "mask")
            )
    for index, stem in enumerate(sorted(names, key=natural), start=1):
        masks[f"extra{index}"] = place.folder / names[stem]
        findings.append(
            Finding(
                "mask-extra", here, f"a further mask {names[stem]!r}", f"kept as 'extra{index}'"
            )
        )
    return masks, findings


def _is_mask(name: str) -> bool:
    return os.path.splitext(name)[0].lower().endswith("_mask")
