"""Faces and eyes in a picture, as proposals for a person to look at.

Two detectors: OpenCV's cascade of local binary patterns, as scikit-image ships it, which sees faces
from the front; and YuNet (OpenCV's `FaceDetectorYN`), which sees them from most sides and tells
where the eyes are, where its file is here: ``editgauge fetch weights yunet``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from editgauge.errors import MissingExtra, WeightsError
from editgauge.images import Array

YUNET = "yunet"
LEAST_SCORE = 0.6
"""Of YuNet, whose own default is 0.9: a proposal too many costs a click, one too few a name."""
_LONGEST = 640
_LEAST_SIDE = 48
_SAME = 0.3
"""Overlap from which on two boxes are of one face."""
Box = tuple[int, int, int, int]


def faces_in(pixels: Array, weights: Path | None = None) -> list[dict[str, Any]]:
    """A proposal (``kind``, ``box``) for each face that a detector finds, and for the eyes in it.

    Raises `MissingExtra` without scikit-image and YuNet's file, `WeightsError` for a file that is
    not YuNet's.
    """
    if min(pixels.shape[:2]) < _LEAST_SIDE:
        return []
    model = _yunet_here(weights)
    found = by_yunet(pixels, model) if model is not None else []
    try:
        more = by_cascade(pixels)
    except MissingExtra:
        if model is None:
            raise
        more = []
    found += [one for one in more if not any(_overlap(one[0], two[0]) > _SAME for two in found)]
    return [
        {"kind": kind, "box": list(box)}
        for face, eyes in found
        for kind, box in (("face", face), ("eyes", eyes))
    ]


def by_cascade(pixels: Array) -> list[tuple[Box, Box]]:
    """Frontal faces, each with the band where eyes lie in a face of usual proportions. Raises
    `MissingExtra` without scikit-image.
    """
    try:
        from skimage.data import lbp_frontal_face_cascade_filename
        from skimage.feature import Cascade
    except ImportError as error:
        raise MissingExtra("finding faces", "scikit-image", "study") from error
    small, scale = _small(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
    longest = min(small.shape)
    boxes = Cascade(lbp_frontal_face_cascade_filename()).detect_multi_scale(
        img=small, scale_factor=1.2, step_ratio=1, min_size=(36, 36), max_size=(longest, longest)
    )
    made = []
    for box in boxes:
        x, y, w, h = (round(box[key] / scale) for key in ("c", "r", "width", "height"))
        eyes = (x + w * 0.08, y + h * 0.2, w * 0.84, h * 0.32)
        made.append((_inside((x, y, w, h), pixels), _inside(eyes, pixels)))
    return made


def by_yunet(pixels: Array, model: Path) -> list[tuple[Box, Box]]:
    """Faces from most sides, each with a band around its two eyes. `model` is YuNet as an ONNX
    file. Raises `WeightsError` for one that OpenCV cannot read.
    """
    small, scale = _small(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    try:
        detector = cv2.FaceDetectorYN.create(
            str(model), "", (small.shape[1], small.shape[0]), LEAST_SCORE
        )
        _, rows = detector.detect(small)
    except cv2.error as error:
        raise WeightsError(
            f"{model}: no face detector that OpenCV can read ({error.err})"
        ) from error
    made = []
    for row in [] if rows is None else rows:
        x, y, w, h, *points = (float(number) / scale for number in row[:8])
        one, other = np.array(points[:2]), np.array(points[2:])
        reach = max(0.6 * float(np.hypot(*(one - other))), 0.12 * w)
        low, high = np.minimum(one, other) - reach, np.maximum(one, other) + reach
        eyes = (low[0], low[1], high[0] - low[0], high[1] - low[1])
        made.append((_inside((x, y, w, h), pixels), _inside(eyes, pixels)))
    return made


def _yunet_here(weights: Path | None) -> Path | None:
    from editgauge.networks.weights import locate

    try:
        (model,) = locate(YUNET, weights).paths.values()
    except WeightsError as error:
        if "not here" in str(error):
            return None
        raise
    return model


def _small(pixels: Array) -> tuple[Array, float]:
    scale = min(1.0, _LONGEST / max(pixels.shape[:2]))
    return cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), scale


def _inside(box: tuple[float, float, float, float], pixels: Array) -> Box:
    """Whole pixels within the picture: at least one."""
    height, width = pixels.shape[:2]
    x, y = min(max(0, round(box[0])), width - 1), min(max(0, round(box[1])), height - 1)
    right = min(width, max(x + 1, round(box[0] + box[2])))
    bottom = min(height, max(y + 1, round(box[1] + box[3])))
    return x, y, right - x, bottom - y


def _overlap(one: Box, other: Box) -> float:
    """Intersection over union."""
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    both = max(0, across) * max(0, down)
    return both / (one[2] * one[3] + other[2] * other[3] - both)
