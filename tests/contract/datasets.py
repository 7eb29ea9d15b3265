"""Small data sets in the four official layouts, and outputs beside them: clean ones, for a test to
spoil by one defect. A change of a field to ``...`` takes the field out.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

from tests.contract.support import picture, rectangle, save

MANUAL, WEB = "data_manual_production", "data_web-sourced_instances"
SIZE = (48, 64)
"""Height and width of the pictures where no test needs others."""
REGION = (4, 4, 20, 28)
"""What the masks mark."""


def record(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**fields, **changes}.items() if value is not ...}


@cache
def plain(suffix: str = ".png", seed: int = 0) -> bytes:
    """A small picture as a file's bytes, where its pixels do not matter."""
    file = io.BytesIO()
    Image.fromarray(picture(seed, *SIZE)).save(file, {".png": "PNG"}.get(suffix, "JPEG"))
    return file.getvalue()


def put(path: Path, seed: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(plain(path.suffix.lower(), seed))
    return path


def as_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


# -- TextEditBench ---------------------------------------------------------------------------------


def text_record(number: int, **changes: Any) -> dict[str, Any]:
    fields = {
        "id": f"TextEditing_Art & Creative Expression_{number:03d}",
        "topic": "Art & Creative Expression",
        "prompt": "Change 'OLD' to 'NEW'",
        "editing_method": "text_change",
        "difficulty": "easy",
        "difficulty_score": "4(0,1,1,2,0,0,0,0,0,0)",
        "input_image": f"{number}.jpg",
        "output_image": f"text_change_{number}.jpg",
        "source_tag": "human_annotation",
    }
    return record(fields, changes)


def instance(
    root: Path,
    number: int = 4,
    *,
    split: str = MANUAL,
    place: str = "Art_Creative_Expression",
    content: Any = None,
    **changes: Any,
) -> Path:
    """An instance of TextEditBench with all its files, in the folder `place` of a topic; `content`
    stands for the JSON file's."""
    folder = root / split / place / f"{number:03d}"
    put(folder / f"{number}.jpg", number)
    mask = rectangle(*SIZE, REGION)
    save(folder / f"{number}_mask.jpg", mask)
    if split in (WEB, "real"):
        changes.setdefault("output_image", ...)
        save(folder / f"{number}_edited_mask.jpg", mask)
    else:
        put(folder / f"text_change_{number}.jpg", number + 50)
        save(folder / f"text_change_{number}_mask.jpg", mask)
    value = [text_record(number, **changes)] if content is None else content
    (folder / f"Art & Creative Expression_{number:03d}.json").write_bytes(as_bytes(value))
    return folder


# -- TextEdit --------------------------------------------------------------------------------------


def prompt_record(number: Any, category: str = "1.1.1", **changes: Any) -> dict[str, Any]:
    fields = {
        "id": number,
        "prompt": "Replace the text 'OLD' with 'NEW'.",
        "original_image": f"{category}/image/original/{number}.0.png",
        "gt_image": f"{category}/image/gt/{number}.0.png",
        "source_text": "OLD",
        "target_text": "NEW",
        "gt_caption": "A sign that reads NEW.",
    }
    return record(fields, changes)


def prompts(
    root: Path, lines: Sequence[Any], *, part: str = "fullset", category: str = "1.1.1"
) -> Path:
    """A category of TextEdit: each line a record, or text or bytes as they stand."""
    file = root / "eval_prompts" / part / f"{category}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"\n".join(map(as_bytes, lines)) + b"\n")
    for line in lines:
        if isinstance(line, dict) and isinstance(line.get("id"), int):
            for kind in ("original", "gt"):
                seed = line["id"] + 50 * (kind == "gt")
                put(root / "data" / category / "image" / kind / f"{line['id']}.0.png", seed)
    return file


# -- MedEBench -------------------------------------------------------------------------------------


def organ_record(number: int, **changes: Any) -> dict[str, Any]:
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
    return record(fields, changes)


def organs(root: Path, records: Sequence[Any], *, content: Any = None) -> Path:
    """MedEBench; returns the folder ``editing``."""
    folder = root / "editing"
    mask = rectangle(*SIZE, REGION)
    for one in records:
        number = one.get("id") if isinstance(one, dict) else None
        if isinstance(number, int):
            put(folder / "previous" / f"{number}.png", number)
            put(folder / "changed" / f"{number}.png", number + 1)
            save(folder / "previous_mask" / f"{number}.png", mask)
    folder.mkdir(parents=True, exist_ok=True)
    value = {"samples": list(records)} if content is None else content
    (folder / "editing_metadata.json").write_bytes(as_bytes(value))
    return folder


# -- KRIS-Bench ------------------------------------------------------------------------------------

TAXONOMY = {
    "Factual": {
        "Attribute Perception": {
            "count_change": 3, "color_change": 2, "size_adjustment": 1,
            "part_completion": 1, "anomaly_correction": 2,
        },
        "Spatial Perception": {"position_movement": 1, "viewpoint_change": 2},
        "Temporal Prediction": {"temporal_prediction": 3},
    },
    "Conceptual": {
        "Social Science": {"practical_knowledge": 2, "humanities": 2},
        "Natural Science": {
            "biology": 2, "chemistry": 2, "geography": 1,
            "mathematics": 1, "medicine": 1, "physics": 2,
        },
    },
    "Procedural": {
        "Logical Reasoning": {"abstract_reasoning": 2, "rule-based_reasoning": 1},
        "Instruction Decomposition": {
            "multi-instruction_execution": 2, "multi-element_composition": 2,
        },
    },
}  # fmt: skip
"""Kind of knowledge -> dimension -> category: how many samples our small one has of each."""
KNOWLEDGE = ("Social Science", "Natural Science", "Logical Reasoning")
"""Dimensions whose tasks have an explanation and a score KP."""


def task_record(**changes: Any) -> dict[str, Any]:
    fields = {
        "ori_img": "1.png",
        "gt_img": "",
        "ins_en": "Heat the water.",
        "explain_en": "It boils.",
    }
    return record(fields, changes)


def frames(missing: int) -> dict[str, Any]:
    """The pictures of a task of `temporal_prediction` that asks for one of four frames."""
    shown = [f"1-{frame}.png" for frame in (1, 2, 3, 4) if frame != missing]
    return {"ori_img": shown, "gt_img": f"1-{missing}.png", "explain_en": ""}


def tasks(
    root: Path,
    records: Any,
    *,
    category: str = "chemistry",
    names: Sequence[str] = ("1.png",),
    seed: int = 0,
) -> Path:
    """A category of KRIS-Bench with pictures of these names. Returns its folder."""
    folder = root / "KRIS_Bench" / category
    for number, name in enumerate(names, start=seed):
        put(folder / name, number)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "annotation.json").write_bytes(as_bytes(records))
    return folder


EVERY_NAME = ("1.png", "2.png", *(f"1-{frame}.png" for frame in (1, 2, 3, 4)))
SPECIAL: dict[str, dict[str, Any]] = {
    "multi-element_composition": {"ori_img": ["1.png", "2.png"]},
    "viewpoint_change": {"gt_img": "2.png"},
}


def every_task(root: Path, sizes: Mapping[str, Any]) -> Path:
    """KRIS-Bench whole: `sizes` as `TAXONOMY`. The samples of a category share their pictures."""
    for dimensions in sizes.values():
        for dimension, categories in dimensions.items():
            told = {} if dimension in KNOWLEDGE else {"explain_en": ""}
            for category, count in categories.items():
                fields = [told | SPECIAL.get(category, {})] * count
                if category == "temporal_prediction":
                    fields = [frames(4 - number % 4) for number in range(count)]
                records = {str(n + 1): task_record(**one) for n, one in enumerate(fields)}
                tasks(root, records, category=category, names=EVERY_NAME)
    return root
