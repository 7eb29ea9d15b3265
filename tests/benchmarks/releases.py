"""Small data sets in the official layouts, clean ones, to be spoilt by a test one defect at a time:
`tests.contract.datasets`' with PNGs whose references are edited. A change of a field to ``...`` takes
the field out.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.images import write_png
from editgauge.testing import make_picture
from editgauge.types import Finding, Sample
from tests.contract import datasets
from tests.contract.datasets import MANUAL, as_bytes, organ_record, prompt_record
from tests.contract.datasets import tasks as task_set

__all__ = ["organ_record", "prompt_record", "task_set"]
SIZE = (64, 48)
prompt_set = partial(datasets.prompts, part="miniset")


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


def text_instance(
    root: Path, number: int = 4, *, split: str = MANUAL, content: Any = None, **changes: Any
) -> Path:
    """An instance of TextEditBench with all its files; `content` replaces the JSON file's."""
    folder = root / split / "Art_Creative_Expression" / f"{number:03d}"
    picture(folder / f"{number}.png", number)
    mask(folder / f"{number}_mask.png")
    if split in ("real", datasets.WEB):
        changes.setdefault("output_image", ...)
        mask(folder / f"{number}_edited_mask.png")
    else:
        edited(folder / f"text_change_{number}.png", number)
        mask(folder / f"text_change_{number}_mask.png")
    named = {"input_image": f"{number}.png", "output_image": f"text_change_{number}.png"}
    value = [datasets.text_record(number, **named | changes)] if content is None else content
    (folder / f"Art & Creative Expression_{number:03d}.json").write_bytes(as_bytes(value))
    return folder


def organ_set(
    root: Path, records: list[Any], *, content: Any = None, numbers: tuple[int, ...] = (38, 45)
) -> Path:
    """MedEBench with the pictures of `numbers`. Returns the folder ``editing``."""
    for number in numbers:
        picture(root / "editing" / "previous" / f"{number}.png", number)
        edited(root / "editing" / "changed" / f"{number}.png", number)
        mask(root / "editing" / "previous_mask" / f"{number}.png")
    value = {"samples": records} if content is None else content
    (root / "editing" / "editing_metadata.json").write_bytes(as_bytes(value))
    return root / "editing"


def task_record(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A clean record of KRIS-Bench."""
    return datasets.task_record(**{"ori_img": f"{number}.png"} | changes)


def kinds(sample: Sample) -> list[str]:
    return [finding.kind for finding in sample.findings]


def finding(sample: Sample, kind: str) -> Finding:
    """The one finding of a kind; fails where there is none or are more."""
    (found,) = [f for f in sample.findings if f.kind == kind]
    return found
