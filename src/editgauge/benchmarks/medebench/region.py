"""How large the region is that a sample of MedEBench may change (paper, Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping

from editgauge.errors import ImageError
from editgauge.images import read_mask
from editgauge.types import Sample


def measure(sample: Sample) -> Mapping[str, str | float]:
    """``mask_ratio``: the share of the picture that the region's mask marks, 0 to 1, to 4 places;
    ``mask_band``: the same as a tenth (``0.2–0.3``), for slices.

    A pixel of 128 or more is marked. Empty where the mask cannot be read.
    """
    try:
        ratio = float(read_mask(sample.masks["roi"]).mean())
    except (KeyError, ImageError):
        return {}
    tenth = min(9, int(ratio * 10))
    return {"mask_ratio": round(ratio, 4), "mask_band": f"{tenth / 10:.1f}–{(tenth + 1) / 10:.1f}"}
