"""Small data sets in the official layouts, made in code: clean ones, to be spoilt by a test one
defect at a time. A change of a field to ``...`` (Ellipsis) takes the field out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.images import write_png
from editgauge.testing import make_picture
from editgauge.types import Finding, Sample

SIZE = (64, 48)


def picture(path: Path, seed: int = 0, size: tuple[int, int] = SIZE) -> Path:
    """A PNG by content, whatever its name says."""
    write_png(path, make_picture(size, seed=seed))
    return path


def mask(path: Path, size: tuple[int, int] = SIZE) -> Path:
    pixels = np.zeros((size[1], size[0]), dtype=np.bool_)
    pixels[: size[1] // 3, : size[0] // 4] = True
    write_png(path, pixels)
    return path


def edited(path: Path, seed: int = 0, size: tuple[int, int] = SIZE) -> Path:
    """`picture` with the area of `mask` inverted."""
    pixels = make_picture(size, seed=seed)
    area = pixels[: size[1] // 3, : size[0] // 4]
    area[:] = 255 - area
    write_png(path, pixels)
    return path


def _record(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**fields, **changes}.items() if value is not ...}


def _as_bytes(value: Any) -> bytes:
    """Bytes and texts as they stand, all else as JSON."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def text_record(
    number: int, topic: str = "Art & Creative Expression", **changes: Any
) -> dict[str, Any]:
    """A clean record of TextEditBench's synthetic split."""
    fields = {
        "id": f"TextEditing_{topic}_{number:03d}",
        "topic": topic,
        "prompt": "Change 'OLD' to 'NEW'",
        "editing_method": "text_change",
        "difficulty": "easy",
        "difficulty_score": "4(0,1,1,2,0,0,0,0,0,0)",
        "input_image": f"{number}.png",
        "output_image": f"text_change_{number}.png",
        "source_tag": "human_annotation",
    }
    return _record(fields, changes)


def text_instance(
    root: Path,
    number: int = 4,
    *,
    split: str = "data_manual_production",
    content: Any = None,
    **changes: Any,
) -> Path:
    """An instance of TextEditBench with all its files; `content` replaces the JSON file's."""
    folder = root / split / "Art_Creative_Expression" / f"{number:03d}"
    folder.mkdir(parents=True)
    picture(folder / f"{number}.png", number)
    mask(folder / f"{number}_mask.png")
    if split in ("real", "data_web-sourced_instances"):
        changes.setdefault("output_image", ...)
        mask(folder / f"{number}_edited_mask.png")
    else:
        edited(folder / f"text_change_{number}.png", number)
        mask(folder / f"text_change_{number}_mask.png")
    value = [text_record(number, **changes)] if content is None else content
    (folder / f"Art & Creative Expression_{number:03d}.json").write_bytes(_as_bytes(value))
    return folder


def prompt_record(number: int, category: str = "1.1.1", **changes: Any) -> dict[str, Any]:
    """A clean record of TextEdit."""
    fields = {
        "id": number,
        "prompt": "Replace the text 'OLD' with 'NEW'.",
        "original_image": f"{category}/image/original/{1000 + number}.0.png",
        "gt_image": f"{category}/image/gt/{1000 + number}.0.png",
        "source_text": "OLD",
        "target_text": "NEW",
        "gt_caption": "A sign that reads NEW.",
    }
    return _record(fields, changes)


def prompt_set(
    root: Path, lines: list[Any], *, name: str = "miniset", category: str = "1.1.1"
) -> Path:
    """A category of TextEdit: each line a record, or text or bytes as they stand. Returns the
    .jsonl file.
    """
    path = root / "eval_prompts" / name / f"{category}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\n".join(map(_as_bytes, lines)) + b"\n")
    for line in lines:
        if isinstance(line, dict) and isinstance(number := line.get("id"), int):
            for kind in ("original", "gt"):
                folder = root / "data" / category / "image" / kind
                picture(folder / f"{1000 + number}.0.png", number)
    return path


def organ_record(number: int, **changes: Any) -> dict[str, Any]:
    """A clean record of MedEBench."""
    fields = {
        "id": number,
        "Organ": "Teeth",
        "Task": "Remove stains.",
        "prompt": "Remove the stains.",
        "rephrased_prompt": "Clean off the stains",
        "detailed_prompt": "The stains are gone.",
        "previous_image": f"editing/previous/{number}.png",
        "changed_image": f"editing/changed/{number}.png",
        "previous_mask": f"editing/previous_mask/{number}.png",
        "url": "",
    }
    return _record(fields, changes)


def organ_set(
    root: Path, records: list[Any], *, content: Any = None, numbers: tuple[int, ...] = (38, 45)
) -> Path:
    """MedEBench with the pictures of `numbers`. Returns the folder ``editing``."""
    folder = root / "editing"
    for number in numbers:
        picture(folder / "previous" / f"{number}.png", number)
        edited(folder / "changed" / f"{number}.png", number)
        mask(folder / "previous_mask" / f"{number}.png")
    value = {"samples": records} if content is None else content
    (folder / "editing_metadata.json").write_bytes(_as_bytes(value))
    return folder


def task_record(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A clean record of KRIS-Bench."""
    fields = {"gt_img": "", "ins_en": "Heat the water.", "explain_en": "It boils."}
    return _record({"ori_img": f"{number}.png", **fields}, changes)


def task_set(
    root: Path, records: Any, *, category: str = "chemistry", names: tuple[str, ...] = ("1.png",)
) -> Path:
    """A category of KRIS-Bench with pictures of these names. Returns its folder."""
    folder = root / "KRIS_Bench" / category
    for seed, name in enumerate(names):
        picture(folder / name, seed)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "annotation.json").write_bytes(_as_bytes(records))
    return folder


def kinds(sample: Sample) -> list[str]:
    return [finding.kind for finding in sample.findings]


def finding(sample: Sample, kind: str) -> Finding:
    """The one finding of a kind; fails where there is none or are more."""
    (found,) = [f for f in sample.findings if f.kind == kind]
    return found
