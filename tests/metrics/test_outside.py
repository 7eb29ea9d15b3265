"""A difference outside of masks that JPEG cannot account for."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from editgauge.metrics.outside import outside_difference
from editgauge.testing import make_picture


@pytest.mark.parametrize("quality", [50, 75, 95])
@pytest.mark.parametrize(
    "sampling", [cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
)
def test_jpeg_noise_is_no_difference(quality: int, sampling: int) -> None:
    """A picture encoded once and twice."""
    drawn = cv2.GaussianBlur(make_picture((256, 192), seed=3), (0, 0), 1.2)
    nothing = np.zeros((192, 256), dtype=np.bool_)
    settings = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling]
    once = cv2.imdecode(cv2.imencode(".jpg", drawn, settings)[1], cv2.IMREAD_COLOR)
    twice = cv2.imdecode(cv2.imencode(".jpg", once, settings)[1], cv2.IMREAD_COLOR)
    assert np.abs(drawn.astype(int) - once).max() > 8  # single pixels do move
    assert outside_difference(drawn, once, nothing) is None
    assert outside_difference(drawn, twice, nothing) is None


def test_a_difference_is_seen_at_the_edge_and_not_under_the_mask() -> None:
    image = make_picture((70, 50))
    other, blue = image.copy(), image.copy()
    other[44:, 64:] = 255 - other[44:, 64:]
    blue[:, :, 2] ^= 32  # one channel is enough
    nothing, edge = np.zeros((2, 50, 70), dtype=np.bool_)
    edge[44:, 64:] = True
    seen = [(other, nothing), (blue, nothing), (other, edge), (other, ~nothing)]
    found = [outside_difference(image, one, area) is not None for one, area in seen]
    assert found == [True, True, False, False]
