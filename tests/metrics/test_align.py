"""Alignment: known transforms are found, and the result is that of a fresh process whatever came
before.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from editgauge.images import write_png
from editgauge.metrics.align import Features, estimate_alignment, provenance, sift_features, warp
from editgauge.metrics.error import masked_mse
from tests.metrics.drawn import Array, blocks, noisy

PLAIN = """
import json, sys, cv2, numpy as np
fixed, moving = cv2.imread(sys.argv[1]), cv2.imread(sys.argv[2])
sift = cv2.SIFT.create()
points_f, described_f = sift.detectAndCompute(cv2.cvtColor(fixed, cv2.COLOR_BGR2GRAY), None)
points_m, described_m = sift.detectAndCompute(cv2.cvtColor(moving, cv2.COLOR_BGR2GRAY), None)
flann = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50})
near = [a for a, b in flann.knnMatch(described_f, described_m, k=2) if a.distance < 0.7 * b.distance]
to = np.float32([points_f[m.queryIdx].pt for m in near]).reshape(-1, 1, 2)
source = np.float32([points_m[m.trainIdx].pt for m in near]).reshape(-1, 1, 2)
matrix, _ = cv2.estimateAffinePartial2D(source, to, method=cv2.LMEDS)
size = fixed.shape[1], fixed.shape[0]
warped = cv2.warpAffine(moving, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
print(json.dumps([matrix.tolist(), float(np.mean((fixed.astype(float) - warped) ** 2)), len(near)]))
"""
"""The recipe of protocols.md, straight, for a process that has matched nothing before."""


@pytest.fixture(scope="module")
def scene() -> Array:
    return blocks(320, 240)


def moved(
    picture: Array, angle: float, scale: float, dx: float, dy: float
) -> tuple[Array, np.ndarray]:
    """The picture turned, scaled and shifted, and the matrix that brings it back."""
    height, width = picture.shape[:2]
    forth = cv2.getRotationMatrix2D((width / 2, height / 2), angle, scale)
    forth[:, 2] += (dx, dy)
    result = cv2.warpAffine(
        picture, forth, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(result), cv2.invertAffineTransform(forth)


@pytest.mark.parametrize("transform", [(0, 1, 7, -4), (2.5, 1.0, 0, 0), (-1, 0.8, 3, 5)], ids=str)
def test_a_known_transform_is_found(
    scene: Array, transform: tuple[float, float, float, float]
) -> None:
    picture, back = moved(scene, *transform)
    found = estimate_alignment(sift_features(scene), sift_features(picture))
    assert found.matrix is not None
    corners = np.array([[0, 0, 1], [319, 0, 1], [0, 239, 1], [319, 239, 1]]).T
    assert np.abs(found.matrix @ corners - back @ corners).max() < 0.5
    assert found.matches >= 4
    assert found.reason == ""


def test_the_value_is_that_of_a_fresh_process(
    scene: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, _ = moved(noisy(scene, 9), 1.2, 0.97, 3, 2)
    names = {"fixed": scene, "moving": picture}
    for name, pixels in names.items():
        write_png(tmp_path / f"{name}.png", pixels)
    kept = sift_features(scene)
    for seed in range(3):
        estimate_alignment(kept, sift_features(blocks(200, 160, seed)))
    found = estimate_alignment(kept, sift_features(picture))
    if provenance()["blas"]:
        monkeypatch.setenv("OPENBLAS_CORETYPE", provenance()["blas"])
    program = [sys.executable, "-c", PLAIN, *(f"{tmp_path}/{name}.png" for name in names)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    matrix, mse, matches = json.loads(done.stdout)
    assert found.matrix is not None
    assert found.matches == matches
    assert found.matrix.tolist() == matrix
    after = masked_mse(scene, warp(picture, found.matrix, (320, 240)))
    assert after == pytest.approx(mse, rel=1e-12)


def test_too_little_to_match_ends_as_a_reason(scene: Array) -> None:
    kept = sift_features(scene)

    def first(count: int) -> Features:
        return Features(kept.points[:count], kept.descriptors[:count])

    assert "too few SIFT features" in estimate_alignment(kept, first(1)).reason
    assert estimate_alignment(first(3), kept).reason == "3 matches, 4 are needed"
    same = Features(*(np.repeat(one[:1], 9, axis=0) for one in (kept.points, kept.descriptors)))
    assert estimate_alignment(same, same).reason == "0 matches, 4 are needed"
