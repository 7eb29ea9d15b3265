"""Which reference edits of TextEditBench change more than their masks allow."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from editgauge.errors import ImageError
from editgauge.images import read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.types import Sample


def measure(sample: Sample) -> Mapping[str, bool]:
    """``reference_outside``: whether the reference differs from the input outside the union of the
    sample's masks (`metrics.outside`: some block of 16 x 16 pixels by more than 6 of 255 levels).

    The same rule as ``editgauge check``. Empty for a sample without a reference, or where a file
    cannot be read or has another size than the input: nothing can be told there.
    """
    if sample.reference is None or not sample.masks:
        return {}
    try:
        image, reference = read_image(sample.image), read_image(sample.reference)
        masks = [read_mask(path) for path in sample.masks.values()]
    except ImageError:
        return {}
    if reference.shape != image.shape or any(mask.shape != image.shape[:2] for mask in masks):
        return {}
    return {
        "reference_outside": outside_difference(image, reference, np.logical_or.reduce(masks))
        is not None
    }
