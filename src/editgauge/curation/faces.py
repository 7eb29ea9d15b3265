"""Faces and eyes in a picture, as proposals for a person to look at.

YuNet (OpenCV's `FaceDetectorYN`) sees faces from most sides and tells where the eyes are:
``editgauge fetch weights yunet``. Where its file is not here, the cascade that scikit-image ships
sees faces from the front, and the eyes are the usual band of a face.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from editgauge.curation.records import Box
from editgauge.errors import MissingExtra, WeightsError
from editgauge.images import Array

YUNET = "yunet"
LEAST_SCORE = 0.6
"""Of YuNet, whose own default is 0.9: a proposal too many costs a click, one too few a name."""
_LONGEST = 640
_LEAST_SIDE = 48
Area = tuple[float, float, float, float]


def faces_in(pixels: Array) -> list[Box]:
    """A proposal for each face that is found, and for the eyes in it.

    Raises `MissingExtra` without YuNet's file and scikit-image, `WeightsError` for a file that is
    not YuNet's.
    """
    if min(pixels.shape[:2]) < _LEAST_SIDE:
        return []
    scale = min(1.0, _LONGEST / max(pixels.shape[:2]))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    model = _yunet_here()
    found = _by_cascade(small) if model is None else _by_yunet(small, model)
    return [
        box
        for face, eyes in found
        for box in (
            Box("face", _inside(face, scale, pixels)),
            Box("eyes", _inside(eyes, scale, pixels)),
        )
    ]


def _by_yunet(pixels: Array, model: Path) -> Iterator[tuple[Area, Area]]:
    """Faces, each with a band around its two eyes."""
    try:
        size = (pixels.shape[1], pixels.shape[0])
        detector = cv2.FaceDetectorYN.create(str(model), "", size, LEAST_SCORE)
        _, rows = detector.detect(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    except cv2.error as error:
        raise WeightsError(f"{model}: no face detector ({error.err}); fetch it anew") from error
    for row in [] if rows is None else rows:
        x, y, w, h, *points = (float(number) for number in row[:8])
        one, other = np.array(points[:2]), np.array(points[2:])
        reach = max(0.6 * float(np.hypot(*(one - other))), 0.12 * w)
        low, high = np.minimum(one, other) - reach, np.maximum(one, other) + reach
        yield (x, y, w, h), (low[0], low[1], high[0] - low[0], high[1] - low[1])


def _by_cascade(pixels: Array) -> Iterator[tuple[Area, Area]]:
    """Frontal faces, each with the band where eyes lie in a face of usual proportions."""
    try:
        from skimage.data import lbp_frontal_face_cascade_filename
        from skimage.feature import Cascade
    except ImportError as error:
        raise MissingExtra("finding faces", "scikit-image", "study") from error
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    longest = min(grey.shape)
    for box in Cascade(lbp_frontal_face_cascade_filename()).detect_multi_scale(
        img=grey, scale_factor=1.2, step_ratio=1, min_size=(36, 36), max_size=(longest, longest)
    ):
        x, y, w, h = (float(box[key]) for key in ("c", "r", "width", "height"))
        yield (x, y, w, h), (x + w * 0.08, y + h * 0.2, w * 0.84, h * 0.32)


def _yunet_here() -> Path | None:
    from editgauge.networks.weights import locate

    try:
        (model,) = locate(YUNET, None).paths.values()
    except WeightsError as error:
        if "not here" in str(error):
            return None
        raise
    return model


def _inside(area: Area, scale: float, pixels: Array) -> tuple[int, int, int, int]:
    """Whole pixels within the picture: at least one."""
    height, width = pixels.shape[:2]
    x, y, w, h = (number / scale for number in area)
    left, top = min(max(0, round(x)), width - 1), min(max(0, round(y)), height - 1)
    right, bottom = min(width, max(left + 1, round(x + w))), min(height, max(top + 1, round(y + h)))
    return left, top, right - left, bottom - top
