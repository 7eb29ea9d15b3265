"""MedEBench's scales, sizes, organs and metrics."""

from __future__ import annotations

import csv
import math
from functools import partial
from pathlib import Path

from editgauge.scoring.metrics import SAME_PICTURE, higher, judged, lower, psnr, ssim
from editgauge.types import VARIANTS, Metric

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


TASK_TYPES: dict[str, tuple[str, ...]] = {
    "removal": ("remove", "reduce", "fade", "whiten", "lighten", "liposuction"),
    "addition": ("implant", "add", "complete", "create", "make", "augmentation", "filler"),
    "reconstruction": ("reconstruct", "repair", "restore", "correct", "fix", "straighten"),
}
"""Section 4 speaks of removal, addition and reconstruction and lists no tasks: the words that tell
are ours. The first of a task that is here decides.
"""
INTERNAL: frozenset[str] = frozenset({"GI Tract", "Spine", "Teeth"})
"""The organs that the paper counts as internal (conclusion: "internal organ tasks, e.g.,
gastrointestinal tract, spine, teeth"); it gives no full list, and all others are superficial here.
"""

PIXEL = (
    ssim(
        "masked_ssim",
        heading="CP",
        digits=2,
        variants=VARIANTS,
        note="Contextual preservation. Faithful: whole frame, masked area darkened. Corrected: "
        "windows that touch no masked pixel.",
        keeps=True,
        plain=SAME_PICTURE,
    ),
    psnr(
        "psnr", heading="PSNR", digits=2, note="Against the reference, whole frame; infinite at MSE 0.",
    ),
    ssim("ssim_full", heading="SSIM", note="Against the reference, whole frame."),
)  # fmt: skip
LPIPS = lower(
    "lpips",
    heading="LPIPS",
    failure=1.0,
    note="AlexNet, v0.1 heads, output against reference, both resized to the input's size "
    "(bicubic).",
)
_cosine = partial(higher, low=-1.0, high=1.0)
ISIM, TALIGN_P, TALIGN_D, DALIGN_P, DALIGN_D, *MEDCLIP = (
    _cosine(heading.lower().replace(" ", "_"), heading=heading, note=f"Cosine of {what}.")
    for heading, what in {
        "ISim": "the CLIP ViT-L/14 features of output and reference",
        "TAlign P": "output and prompt",
        "TAlign D": "output and change description",
        "DAlign P": "(output - input) and prompt",
        "DAlign D": "(output - input) and change description",
        "MedCLIP P": "the MedCLIP features of the output and the text",
        "MedCLIP D": "the MedCLIP features of the output and the text",
    }.items()
)
CLIP_INSTRUCTION = _cosine(
    "clip_instruction",
    heading="CLIP input P",
    direction=None,
    of_sample=True,
    note="Cosine of the input picture and the prompt: a property of the sample (paper, Figure 4, "
    "left). The paper does not say whether it scales the cosine; this one is not scaled.",
)
IMAGEREWARD = tuple(
    higher(
        f"imagereward_{letter.lower()}",
        heading=f"ImageReward {letter}",
        low=-math.inf,
        high=math.inf,
        note="ImageReward-v1.0 of the output and the text; no fixed range, about -2.5 to 2.5.",
    )
    for letter in "PD"
)
EMBEDDING = (ISIM, TALIGN_P, TALIGN_D, DALIGN_P, DALIGN_D, *MEDCLIP, *IMAGEREWARD)
PLAIN = {
    "EA": "how exactly the instruction was carried out, as a model that looked at it judged",
    "VQ": "how natural and clean the picture looks, as a model that looked at it judged",
    "Context": "how well everything else was kept, as a model that looked at it judged",
}
JUDGE: dict[str, tuple[Metric, ...]] = {
    kind: judged(
        {name + suffix: said for name, said in PLAIN.items()},
        LOW,
        HIGH,
        "faithful: the released line parser, where one unreadable score drops the others; "
        "corrected: integers in range",
        headings={name + suffix: f"{name} P" if suffix else name for name in PLAIN},
        printed=((LOW, 0.0), (HIGH, 1.0)),
    )
    for kind, suffix in (("D", ""), ("P", "_P"))
}
"""Judged by the change description (``D``, the paper's) or by the prompt (``P``)."""
