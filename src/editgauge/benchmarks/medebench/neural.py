"""MedEBench's neural metrics: LPIPS (AlexNet), CLIP similarities with prompt (P) and change
description (D), ImageReward, MedCLIP, and FID over the whole set.
"""

from __future__ import annotations

import math
from typing import Any

from editgauge.images import read_header, read_image, resize
from editgauge.scoring.adapter import AdapterScorer
from editgauge.scoring.clip import ClipScorer, Measure
from editgauge.scoring.failures import NoScore
from editgauge.scoring.fid import FidScorer
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import place
from editgauge.types import Edit, Metric, Sample, Status

LPIPS = Metric(
    "lpips",
    "lower",
    0.0,
    math.inf,
    note="AlexNet, v0.1 heads, output against reference, both resized to the input's size "
    "(bicubic).",
)
MEASURES = (
    Measure(
        Metric(
            "isim",
            "higher",
            -1.0,
            1.0,
            note="Cosine of the CLIP ViT-L/14 features of output and reference.",
        ),
        "image",
    ),
    Measure(
        Metric("talign_p", "higher", -1.0, 1.0, note="Cosine of output and prompt."),
        "text",
        "instruction",
    ),
    Measure(
        Metric("talign_d", "higher", -1.0, 1.0, note="Cosine of output and change description."),
        "text",
        "change",
    ),
    Measure(
        Metric("dalign_p", "higher", -1.0, 1.0, note="Cosine of (output - input) and prompt."),
        "direction",
        "instruction",
    ),
    Measure(
        Metric(
            "dalign_d",
            "higher",
            -1.0,
            1.0,
            note="Cosine of (output - input) and change description.",
        ),
        "direction",
        "change",
    ),
)
_REWARD = "ImageReward-v1.0 of the output and the text; no fixed range, about -2.5 to 2.5."
_MEDCLIP = "Cosine of the MedCLIP features of the output and the text."


def lpips(**options: Any) -> list[LpipsScorer]:
    """LPIPS, which stands under ``pixel`` and ``embedding``. Options: ``weights``, ``device``,
    ``precision``.
    """
    return [
        LpipsScorer(
            frames=frames,
            net="alex",
            inputs=("images", "reference"),
            metrics=(LPIPS,),
            **place(options),
        )
    ]


def embedding(**options: Any) -> list[Any]:
    """CLIP, ImageReward, MedCLIP and FID. Options in use: ``weights``, ``cache``, ``device``,
    ``precision``.
    """
    here = {**place(options), "cache": options.get("cache")}
    return [
        ClipScorer(measures=MEASURES, **here),
        _adapter("imagereward", "ImageReward", _REWARD, -math.inf, math.inf),
        _adapter("medclip", "MedCLIP", _MEDCLIP, -1.0, 1.0),
        FidScorer(**here),
    ]


def _adapter(name: str, title: str, note: str, low: float, high: float) -> AdapterScorer:
    return AdapterScorer(
        name=name,
        title=title,
        variable=f"EDITGAUGE_{name.upper()}",
        example=f"examples/{name}_adapter.py",
        measures=tuple(
            (Metric(f"{name}_{letter}", "higher", low, high, note=note), field)
            for letter, field in (("p", "instruction"), ("d", "change"))
        ),
    )


def frames(sample: Sample, edit: Edit) -> Frames:
    """Reference and output at the input's size. Raises `NoScore` without a reference, `ImageError`
    as reading does.
    """
    if edit.path is None:
        raise NoScore(edit.status, edit.reason)
    if sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    header = read_header(sample.image)
    size = (header.width, header.height)
    reference, output = read_image(sample.reference), read_image(edit.path)
    detail = {}
    if (output.shape[1], output.shape[0]) != size:
        detail = {"resized_from": f"{output.shape[1]}x{output.shape[0]}"}
    return Frames(
        resize(reference, size, "bicubic"), resize(output, size, "bicubic"), detail=detail
    )
