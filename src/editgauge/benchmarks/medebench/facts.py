"""MedEBench's scales, sizes, organs and metrics."""

from __future__ import annotations

import csv
from pathlib import Path

from editgauge.scoring.metrics import read_metrics

LOW, HIGH = 0, 10
"""The judge's scale; tables divide by `HIGH`."""
SIZE = 1182
ORGANS: tuple[str, ...] = (
    "Teeth", "Eyes", "Spine", "Skin", "Nose", "Face", "GI Tract", "Ears", "Hands", "Mouth", "Torso",
    "Feet", "Hair",
)  # fmt: skip
"""In the order of the paper's Table 2."""
RELEASED: dict[str, str] = {"Spine and Bones": "Spine", "Gastrointestinal Tract": "GI Tract"}
"""What the released metadata (and the paper's Table 5) call an organ -> Table 2's name of it."""


def tasks() -> dict[str, int]:
    """``organ/task`` -> samples, as the paper's Table 5 has them: the tasks with more than five. Its
    line of facial acne stands at the edge of Face and Feet; it is of the face.
    """
    with (Path(__file__).parent / "tasks.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    return {f"{line['organ']}/{line['task']}": int(line["samples"]) for line in lines}


TASK_TYPES = {
    "removal": "remove reduce fade whiten lighten liposuction",
    "addition": "implant add complete create make augmentation filler",
    "reconstruction": "reconstruct repair restore correct fix straighten",
}
"""Section 4 speaks of removal, addition and reconstruction and lists no tasks: the words that tell
are ours. The first of a task that is here decides.
"""
INTERNAL: frozenset[str] = frozenset({"GI Tract", "Spine", "Teeth"})
"""The organs that the paper counts as internal (conclusion: "internal organ tasks, e.g.,
gastrointestinal tract, spine, teeth"); it gives no full list, and all others are superficial here.
"""

METRICS = read_metrics(__file__)
PIXEL = METRICS["pixel"]
(LPIPS,) = METRICS["lpips"]
ISIM, TALIGN_P, TALIGN_D, DALIGN_P, DALIGN_D = METRICS["clip"]
MEDCLIP, IMAGEREWARD = METRICS["medclip"], METRICS["imagereward"]
(CLIP_INSTRUCTION,) = METRICS["input"]
EMBEDDING = (*METRICS["clip"], *MEDCLIP, *IMAGEREWARD)
JUDGE = {"D": METRICS["judge"], "P": METRICS["judge_by_prompt"]}
"""Judged by the change description (``D``, the paper's) or by the prompt (``P``)."""
