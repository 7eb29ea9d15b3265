"""Scores of embedding vectors, (D,) or stacks (N, D) of any float type, as float64 of shape (N,) or
a scalar. A vector of length zero has no direction: its cosine is NaN, never 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.metrics import Floats

Vectors = npt.NDArray[np.floating[Any]]


def cosine(first: Vectors, second: Vectors) -> Floats:
    """Cosine of the angle between two vectors: in [-1, 1], higher is more alike."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    dot = np.sum(a * b, axis=-1)
    length = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(length > 0, dot / length, np.nan)
    return np.asarray(np.clip(value, -1.0, 1.0), dtype=np.float64)


def clip_score(image: Vectors, text: Vectors) -> Floats:
    """CLIPScore of image and text features: 2.5 · max(0, cosine), in [0, 2.5], higher is better.
    Hessel et al., CLIPScore (EMNLP 2021).
    """
    return np.asarray(2.5 * np.maximum(0.0, cosine(image, text)), dtype=np.float64)


def directional_alignment(output: Vectors, source: Vectors, text: Vectors) -> Floats:
    """Cosine of the change of the image features (output - source), **as the model gives them**,
    and the text: in [-1, 1], higher is better. NaN without a change.
    """
    return cosine(np.asarray(output, np.float64) - np.asarray(source, np.float64), text)


def aesthetic(image: Vectors, weight: Vectors, bias: float) -> Floats:
    """LAION's linear aesthetic score of image features: about 1 (poor) to 10, higher is better.

    The features are scaled to length 1, then `weight` (shape (D,)) · feature + `bias`. NaN for a
    vector of length zero.
    """
    a, w = np.asarray(image, np.float64), np.asarray(weight, np.float64).reshape(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = a / np.linalg.norm(a, axis=-1, keepdims=True)
    return np.asarray(unit @ w + bias, dtype=np.float64)
