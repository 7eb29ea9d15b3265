"""DICOM files as pictures: frames through a window, and the few facts that name nobody.

No element of the file is kept but those of `KEPT`: what is not named here is gone, private elements
with it. What is burnt into the pixels is found elsewhere (see `privacy`). A file of several frames
gives those that are chosen; each is shown by the rescaling and the window of its own functional
group where the file has such groups (enhanced CT and MR, DICOM PS3.3, C.7.6.16).
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

from editgauge import confinement
from editgauge.curation.privacy import words_of
from editgauge.errors import DataError, ImageTooLarge, MissingExtra, UsageError
from editgauge.images import (
    Array,
    max_pixels,
    memory_limit,
)
from editgauge.types import MAX_FILE_BYTES

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
PRESETS: Mapping[str, tuple[float, float]] = {
    "brain": (40, 80),
    "lung": (-600, 1500),
    "mediastinum": (50, 350),
    "abdomen": (50, 400),
    "liver": (30, 150),
    "bone": (400, 1800),
}
"""Usual windows of computed tomography, centre and width in Hounsfield units (Radiopaedia,
"Windowing (CT)"). They mean nothing for another modality.
"""
WINDOWS = f"file, full, CENTRE,WIDTH, or for CT {', '.join(PRESETS)}"
FRAMES = "first, middle, last, all, or numbers from 1: 1,5,20"
MOST_FRAMES = 1000
"""That are taken of one file."""
_SHOWN: Mapping[str, Sequence[str]] = {
    "PixelValueTransformationSequence": (
        "RescaleSlope",
        "RescaleIntercept",
        "ModalityLUTSequence",
    ),
    "FrameVOILUTSequence": ("WindowCenter", "WindowWidth", "VOILUTFunction", "VOILUTSequence"),
}
"""Functional group -> its elements, which stand in the file itself where it has no groups."""
Values = npt.NDArray[Any]


class Scan(NamedTuple):
    """What is used of a frame."""

    pixels: Array
    """Shape (H, W, 3), uint8."""
    facts: dict[str, Any]
    """``window`` = [centre, width], ``modality``…, ``frame`` of a file that has several; nothing
    about a person.
    """
    words: frozenset[str]
    """Words that name the patient or staff, and their numbers: never stored, only looked for."""


def is_dicom(path: Path) -> bool:
    """Whether a file begins as DICOM files do."""
    try:
        with path.open("rb") as file:
            return file.read(132)[128:] == b"DICM"
    except OSError:
        return False


class ScanFile:
    """An open file. Raises `DataError` for one that cannot be read, `ImageTooLarge` for frames over
    the pixel limit before any is decoded, `MissingExtra` without pydicom.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            import pydicom
        except ImportError as error:
            raise MissingExtra("reading DICOM", "pydicom", "study") from error
        if not path.is_file():
            raise DataError(f"{path}: not there; wanted a DICOM file")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ImageTooLarge(f"{path.name}: larger than {MAX_FILE_BYTES:,} bytes", path=path)
        with self._told("no DICOM picture"):
            self._data = pydicom.dcmread(path)
            self.size = (int(self._data.Columns), int(self._data.Rows))
            self.frames = max(1, int(self._data.get("NumberOfFrames") or 1))
            self.words = _words(self._data)
        if (pixels := self.size[0] * self.size[1]) > max_pixels():
            raise ImageTooLarge(
                f"{path.name}: {pixels:,} pixels a frame, the limit is {max_pixels():,}", path=path
            )

    def scan(self, frame: int = 1, window: str = "file") -> Scan:
        """A frame, counted from 1, through a window (see `WINDOWS`). A colour picture has none.

        Raises `DataError` for a frame or window that the file does not have, and pixels that cannot
        be decoded.
        """
        if not 1 <= frame <= self.frames:
            raise DataError(f"{self.path.name}: frame {frame}: it has {self.frames}, from 1")
        with self._told("its pixels cannot be read"):
            pixels, used = self._picture(frame, window)
        facts: dict[str, Any] = {
            name: text
            for name, key in KEPT.items()
            if _CODED.fullmatch(text := str(self._data.get(key) or "").strip())
            and not self.words & set(text.casefold().replace("_", " ").split())
        }
        if self.frames > 1:
            facts["frame"] = frame
        if used:
            facts["window"] = [float(number) for number in used]
        return Scan(pixels, facts, self.words)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """pydicom warns of, and raises, whatever its parsers do: one clear error instead. A file
        that is compressed as a whole may be any size: memory is limited.
        """
        with warnings.catch_warnings(), confinement.silenced():
            warnings.simplefilter("ignore")
            try:
                yield
            except (DataError, UsageError):
                raise
            except MemoryError as error:
                raise ImageTooLarge(
                    f"{self.path.name}: takes more than the {memory_limit() >> 20:,} MB that a "
                    f"process may use; raise it with EDITGAUGE_MEMORY",
                    path=self.path,
                ) from error
            except Exception as error:
                lines = str(error).strip().splitlines() or [type(error).__name__]
                raise DataError(f"{self.path.name}: {what} ({lines[0][:160]})") from error

    def _picture(self, frame: int, window: str) -> tuple[Array, tuple[float, float] | None]:
        from pydicom.pixels import apply_voi

        shown = self._shown(frame)
        values = self._values(frame, shown)
        if values.ndim == 3:
            return _colour(values), None
        used = self._window(window, shown)
        if used is None and window == "file" and shown.get("VOILUTSequence"):
            bits = int(shown.VOILUTSequence[0].LUTDescriptor[2])
            grey = apply_voi(values, shown).astype(np.float64) * 255.0 / (2**bits - 1)
        else:
            low, high = float(values.min()), float(values.max())
            used = used or ((low + high) / 2, max(high - low, 1.0))  # all there is
            grey = _through(values, used, shown)
        if shown.PhotometricInterpretation == "MONOCHROME1":
            grey = 255.0 - grey
        eight = np.rint(np.clip(grey, 0, 255)).astype(np.uint8)
        return np.repeat(eight[:, :, None], 3, axis=2), used

    def _values(self, frame: int, shown: Any) -> Values:
        from pydicom.pixels import apply_color_lut, apply_modality_lut, pixel_array

        values = np.asarray(pixel_array(self._data, index=frame - 1))
        if shown.PhotometricInterpretation == "PALETTE COLOR":
            return np.asarray(apply_color_lut(values, self._data))
        return values if values.ndim == 3 else np.asarray(apply_modality_lut(values, shown))

    def _window(self, window: str, shown: Any) -> tuple[float, float] | None:
        """Centre and width; None for a file's table of values, and for all there is."""
        window = checked_window(window)
        if window in PRESETS:
            modality = str(self._data.get("Modality") or "")
            if modality != "CT":
                told = modality if _CODED.fullmatch(modality) else "of no modality"
                raise DataError(
                    f"{self.path.name}: window {window} is for CT, this is {told}; give "
                    f"CENTRE,WIDTH"
                )
            return PRESETS[window]
        if window not in ("file", "full"):
            centre, width = (float(part) for part in window.split(","))
            return centre, width
        ends = [_first(shown.get(key)) for key in ("WindowCenter", "WindowWidth")]
        if window == "full" or shown.get("VOILUTSequence") or None in ends or not ends[1]:
            return None
        return ends[0] or 0.0, ends[1]

    def _shown(self, frame: int) -> Any:
        """What shows a frame: elements of its own functional group, else of the shared one, else
        of the file.
        """
        from pydicom.dataset import Dataset

        made = Dataset()
        own = self._data.get("PerFrameFunctionalGroupsSequence") or []
        shared = self._data.get("SharedFunctionalGroupsSequence") or []
        groups = [*own[frame - 1 : frame], *shared[:1]]
        for sequence, keywords in _SHOWN.items():
            inside = [group[sequence][0] for group in groups if group.get(sequence)]
            for source in (*inside, self._data):
                there = [keyword for keyword in keywords if keyword in source]
                for keyword in there:
                    made[keyword] = source[keyword]
                if there:
                    break
        made.PhotometricInterpretation = str(self._data.get("PhotometricInterpretation") or "")
        return made


def frames_of(choice: str, count: int) -> list[int]:
    """The frames, from 1, that words choose of `count` (see `FRAMES`); in order, each once.

    Raises `UsageError` for words that are none, `DataError` for frames that are not there and more
    than `MOST_FRAMES`.
    """
    named = {"first": [1], "middle": [(count + 1) // 2], "last": [count]}
    if choice in named:
        return named[choice]
    words = [part.strip() for part in choice.split(",")]
    numbers = range(1, count + 1) if choice == "all" else [int(w) for w in words if w.isdecimal()]
    if choice != "all" and (len(numbers) < len(words) or 0 in numbers):
        raise UsageError(f"frames {choice!r}: wanted {FRAMES}")
    if max(numbers) > count:
        raise DataError(f"frame {max(numbers)} is asked for, the file has {count}")
    if len(numbers) > MOST_FRAMES:
        raise DataError(f"{len(numbers)} frames are asked for, {MOST_FRAMES} at most: name some")
    return sorted(set(numbers))


def checked_window(text: str) -> str:
    """The words for a window without blanks. Raises `UsageError` for others than `WINDOWS`."""
    window = text.replace(" ", "").lower() or "file"
    if window in (*PRESETS, "full", "file"):
        return window
    try:
        centre, width = (float(part) for part in window.split(","))
    except ValueError:
        centre, width = 0.0, 0.0
    if not (np.isfinite(centre) and 1 <= width < np.inf):
        raise UsageError(f"window {text!r}: wanted {WINDOWS}; a width of 1 or more: 40,400")
    return window


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


def _through(values: Values, window: tuple[float, float], shown: Any) -> Values:
    """Values through a window, 0 to 255, by the file's function (DICOM PS3.3, C.11.2.1.2)."""
    centre, width = window
    function = str(shown.get("VOILUTFunction") or "LINEAR")
    scaled = values.astype(np.float64) - centre
    if function == "SIGMOID":
        return np.asarray(255.0 / (1.0 + np.exp(-4.0 * scaled / width)))
    if function == "LINEAR" and width > 1:  # the standard's centre is half a step off
        scaled, width = scaled + 0.5, width - 1.0
    return np.asarray((scaled / width + 0.5) * 255.0)


def _words(data: Any) -> frozenset[str]:
    """Words in elements that name somebody."""
    named = (e for e in data.iterall() if e.VR == "PN" or e.keyword in _NUMBERS)
    return frozenset(word.casefold() for e in named for word in words_of(str(e.value)))
