"""DICOM files as pictures: pixels through the window, and the few facts that name nobody.

No element of the file is kept but those of `KEPT`: what is not named here is gone, private elements
with it. What is burnt into the pixels is found elsewhere (see `privacy`).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from editgauge.errors import DataError, ImageTooLarge, MissingExtra
from editgauge.images import MAX_FILE_BYTES, Array, max_pixels

KEPT: Mapping[str, str] = {
    "modality": "Modality",
    "body_part": "BodyPartExamined",
    "photometric": "PhotometricInterpretation",
    "view": "ViewPosition",
}
"""Our name -> the element's keyword: coded strings of the standard, which are about the picture."""
_CODE = 16
"""The longest coded string of the standard."""
_NUMBERS = frozenset({"PatientID", "OtherPatientIDs", "AccessionNumber", "PatientBirthDate"})
"""Elements beside all names of people (value representation PN) that lead to somebody. Not those of
places and of what was examined: their words are ordinary ones.
"""


class Scan(NamedTuple):
    """What is used of a DICOM file."""

    pixels: Array
    """Shape (H, W, 3), uint8."""
    facts: dict[str, Any]
    """``window`` = [centre, width], ``modality``…; nothing about a person."""
    words: frozenset[str]
    """Words that name the patient or staff, and their numbers: never stored, only looked for."""


def is_dicom(path: Path) -> bool:
    """Whether a file begins as DICOM files do."""
    try:
        with path.open("rb") as file:
            head = file.read(132)
    except OSError:
        return False
    return head[128:] == b"DICM"


def read(path: Path, *, frame: int = 0, window: tuple[float, float] | None = None) -> Scan:
    """A frame of a file as a picture, through `window` = (centre, width) or the file's own.

    Raises `DataError` for a file that cannot be read, `ImageTooLarge` over the pixel limit before
    decoding, `MissingExtra` without pydicom.
    """
    try:
        import pydicom
    except ImportError as error:
        raise MissingExtra("reading DICOM", "pydicom", "study") from error
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ImageTooLarge(f"{path.name}: larger than {MAX_FILE_BYTES:,} bytes", path=path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = pydicom.dcmread(path)
            size = int(data.Rows) * int(data.Columns)
            frames = int(data.get("NumberOfFrames") or 1)
        except Exception as error:  # pydicom raises whatever its parsers do
            raise DataError(f"{path.name}: no DICOM picture ({_said(error)})") from error
        if size * frames > max_pixels():
            raise ImageTooLarge(
                f"{path.name}: {size * frames:,} pixels, the limit is {max_pixels():,}", path=path
            )
        if not 0 <= frame < frames:
            raise DataError(f"{path.name}: frame {frame}: it has {frames}, counted from 0")
        try:
            values = np.asarray(pydicom.pixels.pixel_array(data, index=frame))
            pixels, used = _shown(data, values, window)
        except Exception as error:
            raise DataError(f"{path.name}: its pixels cannot be read ({_said(error)})") from error
    facts = {name: str(data.get(key) or "")[:_CODE] for name, key in KEPT.items()}
    kept = {name: text for name, text in facts.items() if text}
    return Scan(pixels, {**kept, **({"window": used} if used else {})}, _words(data))


def _shown(
    data: Any, values: np.ndarray[Any, Any], window: tuple[float, float] | None
) -> tuple[Array, list[float] | None]:
    from pydicom.pixels import apply_modality_lut, apply_voi_lut, apply_windowing

    if values.ndim == 3:  # colour: no window is meant
        if values.dtype != np.uint8:
            raise ValueError(f"colour of {values.dtype}, wanted 8 bits")
        return np.ascontiguousarray(values[:, :, :3]), None
    values = apply_modality_lut(values, data)
    low, high = float(values.min()), float(values.max())
    used: list[float] | None = None
    if window is not None:
        data.WindowCenter, data.WindowWidth = window
        used = [float(window[0]), float(window[1])]
        values = apply_windowing(values, data)
    elif data.get("VOILUTSequence") or data.get("WindowCenter") is not None:
        centre, width = data.get("WindowCenter"), data.get("WindowWidth")
        used = None if centre is None else [_first(centre), _first(width)]
        values = apply_voi_lut(values, data)
    if used is None and not data.get("VOILUTSequence"):
        used = [(low + high) / 2, max(high - low, 1.0)]  # all there is
    values = values.astype(np.float64)
    low, high = float(values.min()), float(values.max())
    if used is not None and (window is not None or data.get("WindowCenter") is not None):
        low, high = _range(data)
    grey = np.clip((values - low) / max(high - low, 1e-9) * 255.0, 0, 255)
    if data.get("PhotometricInterpretation") == "MONOCHROME1":
        grey = 255.0 - grey
    eight = np.rint(grey).astype(np.uint8)
    return np.repeat(eight[:, :, None], 3, axis=2), used


def _range(data: Any) -> tuple[float, float]:
    """What a window maps to, before and after a rescaling: pydicom keeps the stored range."""
    bits = int(data.BitsStored)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if int(data.get("PixelRepresentation") or 0) == 0:
        low, high = 0, 2**bits - 1
    slope, intercept = (
        float(data.get("RescaleSlope") or 1),
        float(data.get("RescaleIntercept") or 0),
    )
    return low * slope + intercept, high * slope + intercept


def _first(value: Any) -> float:
    return float(value[0] if hasattr(value, "__getitem__") else value)


def _words(data: Any) -> frozenset[str]:
    """Words of at least four letters or digits in elements that name somebody."""
    found: set[str] = set()
    for element in data.iterall():
        if element.VR == "PN" or element.keyword in _NUMBERS:
            text = str(element.value)
            found.update("".join(c if c.isalnum() else " " for c in text).split())
    return frozenset(word.casefold() for word in found if len(word) >= 4)


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:160] if lines else type(error).__name__
