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

from editgauge.errors import DataError, ImageTooLarge, MissingExtra, UsageError
from editgauge.images import (
    MAX_FILE_BYTES,
    Array,
    confined,
    free_memory,
    max_pixels,
    memory_limit,
)

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
WINDOWS = f"file, file:2, full, CENTRE,WIDTH, or for CT {', '.join(PRESETS)}"
FRAMES = "first, middle, last, all, or numbers from 1: 1,5,20-40:4"
MOST_FRAMES = 1000
"""That are taken of one file."""
_PICKED = re.compile(r"(\d{1,10})(?:-(\d{1,10})(?::(\d{1,10}))?)?")


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
            head = file.read(132)
    except OSError:
        return False
    return head[128:] == b"DICM"


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
        if self.size[0] * self.size[1] > max_pixels():
            raise ImageTooLarge(
                f"{path.name}: {self.size[0] * self.size[1]:,} pixels a frame, the limit is "
                f"{max_pixels():,}",
                path=path,
            )
        wanted = self.size[0] * self.size[1] * _DECODING + path.stat().st_size
        if wanted > free_memory():
            raise ImageTooLarge(
                f"{path.name}: takes up to {wanted >> 20:,} MB to read, a process may use "
                f"{memory_limit() >> 20:,} MB; raise it with EDITGAUGE_MEMORY",
                path=path,
            )

    @property
    def modality(self) -> str:
        """The coded string, or ""."""
        return str(self._data.get("Modality") or "")

    def windows(self, frame: int = 1) -> list[tuple[float, float]]:
        """The windows that the file names for a frame, centre and width, in its order."""
        self._check(frame)
        with self._told("its windows cannot be read"):
            return _windows(self._shown(frame))

    def range_of(self, frame: int = 1) -> tuple[float, float]:
        """The lowest and highest value of a frame, rescaled: what ``full`` shows."""
        self._check(frame)
        with self._told("its pixels cannot be read"):
            values = self._values(frame, self._shown(frame))
            return float(values.min()), float(values.max())

    def scan(self, frame: int = 1, window: str = "file") -> Scan:
        """A frame, counted from 1, through a window (see `WINDOWS`). A colour picture has none.

        Raises `DataError` for a frame or window that the file does not have, and pixels that cannot
        be decoded.
        """
        self._check(frame)
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
        return Scan(pixels, {**facts, **({"window": used} if used else {})}, self.words)

    def _check(self, frame: int) -> None:
        if not 1 <= frame <= self.frames:
            raise DataError(f"{self.path.name}: frame {frame}: it has {self.frames}, from 1")

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """pydicom warns of, and raises, whatever its parsers do: one clear error instead. A file
        that is compressed as a whole may be any size: memory is limited.
        """
        with warnings.catch_warnings(), confined():
            warnings.simplefilter("ignore")
            try:
                yield
            except (DataError, UsageError):
                raise
            except MemoryError as error:
                raise ImageTooLarge(
                    f"{self.path.name}: takes more than {memory_limit() >> 20:,} MB to read; raise "
                    f"the limit with EDITGAUGE_MEMORY",
                    path=self.path,
                ) from error
            except Exception as error:
                raise DataError(f"{self.path.name}: {what} ({_said(error)})") from error

    def _values(self, frame: int, shown: Any) -> np.ndarray[Any, Any]:
        from pydicom.pixels import apply_color_lut, apply_modality_lut, pixel_array

        values = np.asarray(pixel_array(self._data, index=frame - 1))
        if shown.PhotometricInterpretation == "PALETTE COLOR":
            return np.asarray(apply_color_lut(values, self._data))
        if values.ndim == 3:
            return values
        return np.asarray(apply_modality_lut(values, shown))

    def _picture(self, frame: int, window: str) -> tuple[Array, list[float] | None]:
        from pydicom.pixels import apply_voi

        shown = self._shown(frame)
        values = self._values(frame, shown)
        if values.ndim == 3:  # colour: no window is meant
            if values.dtype == np.uint16:  # a palette's entries fill 16 bits
                values = (values >> 8).astype(np.uint8)
            if values.dtype != np.uint8:
                raise ValueError(f"colour of {values.dtype}, wanted 8 bits")
            return np.ascontiguousarray(values[:, :, :3]), None
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
        told = None if used is None else [float(number) for number in used]
        return np.repeat(eight[:, :, None], 3, axis=2), told

    def _window(self, window: str, shown: Any) -> tuple[float, float] | None:
        """Centre and width; None for a file's table of values, and for all there is."""
        window = checked_window(window)
        if window == "full":
            return None
        if window in PRESETS:
            if self.modality != "CT":
                raise DataError(
                    f"{self.path.name}: --window {window} is for CT, this is "
                    f"{_shortened(self.modality) or 'of no modality'}; give CENTRE,WIDTH"
                )
            return PRESETS[window]
        if not window.startswith("file"):
            centre, width = (float(part) for part in window.split(","))
            return centre, width
        there = _windows(shown)
        number = int(window.partition(":")[2] or 1)
        if window == "file" and (not there or shown.get("VOILUTSequence")):
            return None
        if number > len(there):
            raise DataError(
                f"{self.path.name}: --window {window}: the file names {len(there)} windows; give "
                f"CENTRE,WIDTH"
            )
        return there[number - 1]

    def _shown(self, frame: int) -> Any:
        """What shows a frame: elements of its own functional group, else of the shared one, else
        of the file.
        """
        from pydicom.dataset import Dataset

        made = Dataset()
        groups = [
            group
            for keyword, place in (
                ("PerFrameFunctionalGroupsSequence", frame - 1),
                ("SharedFunctionalGroupsSequence", 0),
            )
            if len(sequence := self._data.get(keyword) or []) > place
            for group in [sequence[place]]
        ]
        for sequence, keywords in _SHOWN.items():
            inside = [group[sequence][0] for group in groups if group.get(sequence)]
            for source in (*inside, self._data):
                if any(keyword in source for keyword in keywords):
                    for keyword in keywords:
                        if keyword in source:
                            made[keyword] = source[keyword]
                    break
        made.PhotometricInterpretation = str(self._data.get("PhotometricInterpretation") or "")
        return made


_DECODING = 28
"""Bytes a pixel at the peak of decoding and windowing a frame; measured with 98 million pixels."""
_SHOWN: Mapping[str, Sequence[str]] = {
    "PixelValueTransformationSequence": (
        "RescaleSlope",
        "RescaleIntercept",
        "ModalityLUTSequence",
    ),
    "FrameVOILUTSequence": ("WindowCenter", "WindowWidth", "VOILUTFunction", "VOILUTSequence"),
}
"""Functional group -> its elements, which stand in the file itself where it has no groups."""


def read(path: Path, *, frame: int = 1, window: str = "file") -> Scan:
    """One frame of a file. Raises as `ScanFile` does."""
    return ScanFile(path).scan(frame, window)


def described(file: ScanFile, frame: int = 1) -> dict[str, Any]:
    """What can be chosen of a file, without a word that could name somebody. Raises as `ScanFile`
    does.
    """
    modality = _shortened(file.modality)
    return {
        "modality": modality,
        "size": file.size,
        "frames": file.frames,
        "windows": file.windows(frame),
        "range": file.range_of(frame),
        "presets": dict(PRESETS) if modality == "CT" else {},
    }


def frames_of(choice: str, count: int) -> list[int]:
    """The frames, from 1, that words choose of `count` (see `FRAMES`); in order, each once.

    Raises `UsageError` for words that are none, `DataError` for frames that are not there and more
    than `MOST_FRAMES`.
    """
    named = {"first": [1], "middle": [(count + 1) // 2], "last": [count]}
    if choice in named:
        return named[choice]
    found: set[int] = set()
    for part in ("1-" + str(count),) if choice == "all" else choice.split(","):
        match = _PICKED.fullmatch(part.strip())
        begin, end, step = (int(text or 0) for text in match.groups()) if match else (0, 0, 0)
        end, step = end or begin, step or 1
        if match is None or not 1 <= begin <= end:
            raise UsageError(f"--frames {choice!r}: wanted {FRAMES}")
        if end > count:
            raise DataError(f"frame {end} is asked for, the file has {count}")
        if (end - begin) // step >= MOST_FRAMES:
            raise DataError(
                f"more than {MOST_FRAMES} frames are asked for; take some of them: 1-{count}:"
                f"{count // MOST_FRAMES + 1}"
            )
        found.update(range(begin, end + 1, step))
    return sorted(found)


def checked_window(text: str) -> str:
    """The words for a window without blanks. Raises `UsageError` for others than `WINDOWS`."""
    window = text.replace(" ", "").lower() or "file"
    if window in (*PRESETS, "full", "file") or re.fullmatch(r"file:[1-9]\d?", window):
        return window
    try:
        centre, width = (float(part) for part in window.split(","))
    except ValueError:
        centre, width = 0.0, 0.0
    if not (np.isfinite(centre) and 1 <= width < np.inf):
        raise UsageError(f"--window {text!r}: wanted {WINDOWS}; a width of 1 or more: 40,400")
    return window


def _windows(shown: Any) -> list[tuple[float, float]]:
    centres, widths = (_numbers(shown.get(key)) for key in ("WindowCenter", "WindowWidth"))
    return [pair for pair in zip(centres, widths, strict=False) if pair[1] >= 1]


def _numbers(value: Any) -> list[float]:
    if value is None or value == "":
        return []
    several = value if hasattr(value, "__getitem__") else [value]
    return [float(number) for number in several]


def _through(
    values: np.ndarray[Any, Any], window: tuple[float, float], shown: Any
) -> np.ndarray[Any, Any]:
    """Values through a window, 0 to 255, by the file's function (linear or sigmoid)."""
    from pydicom.dataset import Dataset
    from pydicom.pixels import apply_windowing

    rule = Dataset()  # of 8 bits and without a rescaling: pydicom then maps to 0 to 255
    rule.PhotometricInterpretation, rule.PixelRepresentation = "MONOCHROME2", 0
    rule.BitsStored = 8
    rule.WindowCenter, rule.WindowWidth = window
    rule.VOILUTFunction = str(shown.get("VOILUTFunction") or "LINEAR")
    if window[1] == 1.0 and rule.VOILUTFunction == "LINEAR":
        rule.VOILUTFunction = "LINEAR_EXACT"  # LINEAR divides by the width less 1
    return np.asarray(apply_windowing(values, rule), dtype=np.float64)


def _shortened(text: str) -> str:
    return text if _CODED.fullmatch(text) else ""


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
