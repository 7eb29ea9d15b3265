"""MedEBench's neural metrics: LPIPS (AlexNet), CLIP similarities with prompt (P) and change
description (D), ImageReward, MedCLIP, and FID over the whole set.
"""

from __future__ import annotations

from typing import Any

from editgauge.benchmarks.medebench.facts import (
    CLIP_INSTRUCTION,
    DALIGN_D,
    DALIGN_P,
    IMAGEREWARD,
    ISIM,
    LPIPS,
    MEDCLIP,
    TALIGN_D,
    TALIGN_P,
)
from editgauge.images import read_header, read_image, resize
from editgauge.scoring import NoScore
from editgauge.scoring.adapter import AdapterScorer
from editgauge.scoring.clip import ClipScorer, Measure
from editgauge.scoring.fid import FidScorer
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import place
from editgauge.types import Edit, Metric, Sample, Status

MEASURES = (
    Measure(ISIM, "image"),
    Measure(TALIGN_P, "text", "instruction"),
    Measure(TALIGN_D, "text", "change"),
    Measure(DALIGN_P, "direction", "instruction"),
    Measure(DALIGN_D, "direction", "change"),
    Measure(CLIP_INSTRUCTION, "input", "instruction"),
)


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
        _adapter("imagereward", "ImageReward", IMAGEREWARD),
        _adapter("medclip", "MedCLIP", MEDCLIP),
        FidScorer(**here),
    ]


def _adapter(name: str, title: str, metrics: tuple[Metric, ...]) -> AdapterScorer:
    return AdapterScorer(
        name=name,
        title=title,
        variable=f"EDITGAUGE_{name.upper()}",
        example=f"examples/{name}_adapter.py",
        measures=tuple(zip(metrics, ("instruction", "change"), strict=True)),
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
        reference=resize(reference, size, "bicubic"),
        output=resize(output, size, "bicubic"),
        detail=detail,
    )
