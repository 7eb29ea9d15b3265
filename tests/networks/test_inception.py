"""Inception-v3 against torch-fidelity's network of the same seeded weights.

The golden numbers come from torch-fidelity 0.4.0,
`FeatureExtractorInceptionV3("inception-v3-compat", ["2048"])`, loaded with `tiny.inception_state()`
(and a classifier of zeros). Its resize was switched off, because the pictures are 299 × 299
already, and it was given pixels · 256/255, which its scaling (x - 128)/128 turns into pytorch-fid's
2·x/255 - 1.
"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="FID needs torch")

from editgauge.networks.inception import Inception, prepare  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.networks import tiny  # noqa: E402

FIRST = ([0.320676, 0.277663, 0.144605, 0.111209], [0.333776, 0.27318, 0.144933, 0.108155])
SUMS = (746.629333, 748.100708)
SQUARES = 1587.457031


@pytest.fixture(scope="module")
def network() -> Inception:
    return Inception(tiny.inception_state())


def test_equals_torch_fidelity(network: Inception) -> None:
    found = network.features_of([prepare(make_picture((299, 299), seed=n)) for n in (0, 1)])
    assert found.shape == (2, 2048)
    assert found[:, :4] == pytest.approx(np.array(FIRST), abs=1e-5)
    assert found.sum(axis=1) == pytest.approx(np.array(SUMS), abs=5e-3)
    assert float(np.square(found).sum()) == pytest.approx(SQUARES, abs=1e-2)


def test_other_sizes_are_resized_as_torch_does_it() -> None:
    picture = make_picture((120, 77))
    tensor = torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255
    how = {"mode": "bilinear", "align_corners": False}
    by_hand = torch.nn.functional.interpolate(tensor, (299, 299), **how)[0] * 2 - 1
    assert prepare(picture) == pytest.approx(by_hand.numpy(), abs=1e-6)
