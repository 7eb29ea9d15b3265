"""DICOM files as pictures: frames through a window, each of its own functional group where there
are such groups (enhanced CT and MR, DICOM PS3.3, C.7.6.16), and facts (`KEPT`) that name nobody.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editgauge.curation.privacy import words_of
from editgauge.errors import DataError, ImageTooLarge, MissingExtra, UsageError
from editgauge.images import Array, max_pixels
from editgauge.types import MAX_FILE_BYTES, JsonObject

KEPT: Mapping[str, str] = {
    "modality": "Modality",
    "body_part": "BodyPartExamined",
    "photometric": "PhotometricInterpretation",
    "view": "ViewPosition",
}
"""Our name -> the element's keyword: coded strings of the standard, which are about the picture."""
_CODED = re.compile(r"[A-Z0-9 _]{1,16}")
"""A coded string (value representation CS)."""
_NUMBERS = frozenset({"PatientID", "OtherPatientIDs", "AccessionNumber", "PatientBirthDate"})
"""Elements beside all names of people (value representation PN) that lead to somebody. Not those of
places and of what was examined: their words are ordinary ones.
"""
WINDOWS = "file, full, or CENTRE,WIDTH"
FRAMES = "middle, all, or numbers from 1: 1,5,20"
_SHOWN: Mapping[str, Sequence[str]] = {
    "PixelValueTransformationSequence": (
        "RescaleSlope", "RescaleIntercept", "ModalityLUTSequence",
    ),
    "FrameVOILUTSequence": ("WindowCenter", "WindowWidth", "VOILUTFunction", "VOILUTSequence"),
}  # fmt: skip
"""Functional group -> its elements, which stand in the file itself where it has no groups."""
Values = npt.NDArray[Any]


class Scan(NamedTuple):
    """What is used of a frame: pixels, (H, W, 3), uint8; and ``window`` = [centre, width],
    ``modality``…, ``frame`` of a file that has several: nothing about a person.
    """

    pixels: Array
    facts: JsonObject


def is_dicom(path: Path) -> bool:
    """Whether a file begins as DICOM files do."""
    try:
        with path.open("rb") as file:
            return file.read(132)[128:] == b"DICM"
    except OSError:
        return False


class ScanFile:
    """An open file. `words` name the patient or staff: they are only looked for, and never stored.
    Raises `DataError` for a file that cannot be read, `ImageTooLarge` for frames over the pixel
    limit before any is decoded, `MissingExtra` without pydicom.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            import pydicom
        except ImportError as error:
            raise MissingExtra("reading DICOM", "pydicom", "study") from error
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ImageTooLarge(f"{path.name}: larger than {MAX_FILE_BYTES:,} bytes", path=path)
        with self._told("no DICOM picture"):
            self._data = pydicom.dcmread(path)
            pixels = int(self._data.Columns) * int(self._data.Rows)
            self.frames = max(1, int(self._data.get("NumberOfFrames") or 1))
            every = self._data.iterall()
            named = (e for e in every if e.VR == "PN" or e.keyword in _NUMBERS)
            self.words = frozenset(w.casefold() for e in named for w in words_of(str(e.value)))
        if pixels > max_pixels():
            raise ImageTooLarge(
                f"{path.name}: {pixels:,} pixels a frame, the limit is {max_pixels():,}", path=path
            )

    def chosen(self, choice: str) -> list[int]:
        """The frames, from 1, that words choose (see `FRAMES`); in order, each once. Raises
        `UsageError` for words that are none, `DataError` for frames that are not there.
        """
        count = self.frames
        if choice == "all":
            return list(range(1, count + 1))
        if choice == "middle":
            return [(count + 1) // 2]
        words = [part.strip() for part in choice.split(",")]
        if not all(word.isdecimal() and int(word) for word in words):
            raise UsageError(f"frames {choice!r}: wanted {FRAMES}")
        numbers = sorted({int(word) for word in words})
        if numbers[-1] > count:
            name = self.path.name
            raise DataError(f"{name}: frame {numbers[-1]} is asked for, the file has {count}")
        return numbers

    def scan(self, frame: int = 1, window: str = "file") -> Scan:
        """A frame, counted from 1, through a window (see `WINDOWS`); a colour picture has none.
        Raises `DataError` for pixels that cannot be decoded.
        """
        with self._told("its pixels cannot be read"):
            pixels, used = self._picture(frame, window)
        facts: JsonObject = {
            name: text
            for name, key in KEPT.items()
            if _CODED.fullmatch(text := str(self._data.get(key) or "").strip())
            and not self.words & set(text.casefold().replace("_", " ").split())
        }
        if self.frames > 1:
            facts["frame"] = frame
        if used:
            facts["window"] = [float(number) for number in used]
        return Scan(pixels, facts)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """pydicom warns of, and raises, whatever its parsers do: one clear error instead."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                yield
            except (DataError, UsageError):
                raise
            except Exception as error:
                lines = str(error).strip().splitlines() or [type(error).__name__]
                raise DataError(f"{self.path.name}: {what} ({lines[0][:160]})") from error

    def _picture(self, frame: int, window: str) -> tuple[Array, tuple[float, float] | None]:
        from pydicom.pixels import apply_color_lut, apply_modality_lut, apply_voi, pixel_array

        shown = self._shown(frame)
        values: Values = np.asarray(pixel_array(self._data, index=frame - 1))
        if shown.PhotometricInterpretation == "PALETTE COLOR":
            values = np.asarray(apply_color_lut(values, self._data))
        if values.ndim == 3:
            return _colour(values), None
        values = np.asarray(apply_modality_lut(values, shown))
        used = self._window(window, shown)
        if used is None and window == "file" and shown.get("VOILUTSequence"):
            bits = int(shown.VOILUTSequence[0].LUTDescriptor[2])
            grey = apply_voi(values, shown).astype(np.float64) * 255.0 / (2**bits - 1)
        else:
            low, high = float(values.min()), float(values.max())
            used = used or ((low + high) / 2, max(high - low, 1.0))  # all there is
            grey = _through(values, *used, str(shown.get("VOILUTFunction") or "LINEAR"))
        if shown.PhotometricInterpretation == "MONOCHROME1":
            grey = 255.0 - grey
        eight = np.rint(np.clip(grey, 0, 255)).astype(np.uint8)
        return np.repeat(eight[:, :, None], 3, axis=2), used

    def _window(self, text: str, shown: Any) -> tuple[float, float] | None:
        """Centre and width; None for a file's table of values, and for all there is."""
        window = window_of(text)
        if not isinstance(window, str):
            return window
        centre, width = (_first(shown.get(key)) for key in ("WindowCenter", "WindowWidth"))
        if window == "full" or shown.get("VOILUTSequence") or centre is None or not width:
            return None
        return centre, width

    def _shown(self, frame: int) -> Any:
        """What shows a frame: elements of its own group, else of the shared one or the file."""
        from pydicom.dataset import Dataset

        header = Dataset()
        functional = self._data.get("PerFrameFunctionalGroupsSequence") or []
        shared = self._data.get("SharedFunctionalGroupsSequence") or []
        groups = [*functional[frame - 1 : frame], *shared[:1]]
        for sequence, keywords in _SHOWN.items():
            inside = [group[sequence][0] for group in groups if group.get(sequence)]
            every = (one for one in (*inside, self._data) if any(key in one for key in keywords))
            if (source := next(every, None)) is not None:
                for keyword in keywords:
                    if keyword in source:
                        header[keyword] = source[keyword]
        header.PhotometricInterpretation = str(self._data.get("PhotometricInterpretation") or "")
        return header


def window_of(text: str) -> str | tuple[float, float]:
    """``file``, ``full``, or centre and width. Raises `UsageError` for others than `WINDOWS`."""
    if text in ("full", "file"):
        return text
    try:
        centre, width = (float(part) for part in text.split(","))
    except ValueError:
        centre, width = 0.0, 0.0
    if not (np.isfinite(centre) and 1 <= width < np.inf):
        raise UsageError(f"window {text!r}: wanted {WINDOWS}; a width of 1 or more: 40,400")
    return centre, width


def _colour(values: Values) -> Array:
    if values.dtype == np.uint16:  # a palette's entries fill 16 bits
        values = (values >> 8).astype(np.uint8)
    if values.dtype != np.uint8:
        raise ValueError(f"colour of {values.dtype}, wanted 8 bits")
    return np.ascontiguousarray(values[:, :, :3])


def _first(value: Any) -> float | None:
    """The first of an element's numbers."""
    if value is None or value == "":
        return None
    return float(value[0] if hasattr(value, "__getitem__") else value)


def _through(values: Values, centre: float, width: float, function: str) -> Values:
    """Values through a window, 0 to 255, by the file's function (DICOM PS3.3, C.11.2.1.2)."""
    scaled = values.astype(np.float64) - centre
    if function == "SIGMOID":
        return np.asarray(255.0 / (1.0 + np.exp(-4.0 * scaled / width)))
    if function == "LINEAR" and width > 1:  # the standard's centre is half a step off
        scaled, width = scaled + 0.5, width - 1.0
    return np.asarray((scaled / width + 0.5) * 255.0)
