"""What an OCR engine is: a picture in, recognised text out; it says who it is. All passes through
`clean`: what is scored now and what is read from the store are the same to the last digit.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from editgauge.images import Array
from editgauge.store.schema import digest
from editgauge.types import JsonMapping, JsonObject

Point = tuple[float, float]
READING = 3
"""Raised when our own part of reading changes: what was kept before is then read anew."""


class Text(NamedTuple):
    """One recognised piece of text: a line of print as a rule, or what of it stands together.

    `polygon` holds four corners (x, y) in pixels of the picture that was read, clockwise from the
    text's top left one, to 0.01 px; `text` is in logical order; `confidence` lies in [0, 1], to
    four places.
    """

    polygon: tuple[Point, ...]
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Identity:
    """What made a recognised text: two identities that are equal read every picture alike.

    `models` maps the name of each model file to the SHA-256 of its content (the first 16 digits);
    `settings` holds all that changes results.
    """

    engine: str
    version: str
    models: Mapping[str, str] = field(default_factory=dict)
    settings: JsonMapping = field(default_factory=dict)

    @property
    def label(self) -> str:
        """``rapidocr-3.10.0-1f0a9c3d``: engine, version and a hash of all the rest."""
        return f"{self.engine}-{self.version}-{digest(self.as_dict())[:8]}"

    def as_dict(self) -> JsonObject:
        return {**asdict(self), "reading": READING}


class Engine(Protocol):
    """``(picture, language) -> recognised text``. An engine can be pickled; models are loaded in
    the process that reads, at the first picture. It uses one core.
    """

    @property
    def name(self) -> str: ...

    def identity(self) -> Identity:
        """Who reads. Raises `MissingExtra` or `UsageError` when what it needs is not installed."""
        ...

    def own_language(self, language: str) -> str | None:
        """The engine's name for a language of `metrics.text.language_of`; None: cannot read it."""
        ...

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        """The text in a picture (H, W, 3), uint8, RGB. Raises `OcrError` on a breakdown."""
        ...


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An engine of ours. `languages`: language -> its own name for it, which `read` is given."""

    name: str
    languages: Mapping[str, str]
    identity: Callable[[], Identity]
    read: Callable[[Array, str], list[Text]]

    def own_language(self, language: str) -> str | None:
        return self.languages.get(language)

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        return self.read(image, self.languages[language])


def clean(found: Iterable[tuple[Any, Any, Any]], size: tuple[int, int]) -> list[Text]:
    """(polygon, text, confidence) as an engine gave it, as everything else expects it; what has no
    text or no finite place is left out.

    `size` is (width, height) of the picture: corners outside are moved to its border. Control
    characters and lone surrogates go, a polygon of other than four corners becomes its box.
    """
    texts: list[Text] = []
    for polygon, text, confidence in found:
        words, corners = _printable(str(text or "")), _corners(polygon, size)
        if words and corners is not None:
            sure = float(confidence or 0.0)
            sure = min(1.0, max(0.0, sure)) if math.isfinite(sure) else 0.0
            texts.append(Text(corners, words, round(sure, 4)))
    return texts


def _printable(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text.strip()
    spaced = (" " if c.isspace() else c for c in text)
    words = "".join(c for c in spaced if unicodedata.category(c) not in ("Cc", "Cs", "Cn")).strip()
    return words if any(unicodedata.category(c) != "Cf" for c in words) else ""  # invisible marks


def _corners(polygon: Any, size: tuple[int, int]) -> tuple[Point, ...] | None:
    points = np.array([[float(x), float(y)] for x, y, *_ in polygon]).reshape(-1, 2)
    if len(points) < 2 or not np.isfinite(points).all():
        return None
    if len(points) != 4:
        (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
        points = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    inside = np.clip(points, 0.0, np.array(size, np.float64)).tolist()
    return tuple((round(x, 2), round(y, 2)) for x, y in inside)


def box_of(text: Text) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a recognised text."""
    xs, ys = [x for x, _ in text.polygon], [y for _, y in text.polygon]
    return min(xs), min(ys), max(xs), max(ys)


def model_hashes(paths: Sequence[Path]) -> dict[str, str]:
    """File name -> first 16 digits of the content's SHA-256, for `Identity.models`."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths}
