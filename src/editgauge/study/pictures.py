"""Blind copies of a sample's pictures: nothing but pixels tells two editors apart.

Every picture of a sample becomes a PNG of one width and height (fitted into the input's frame, grey
bars where its shape differs), without metadata, and of one length in bytes: shorter files are
filled up with an ancillary chunk that decoders pass over. Copies lie in the run's cache and may be
deleted at any time.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from editgauge.errors import ImageError
from editgauge.images import Array, read_image
from editgauge.store import paths
from editgauge.store.run import Run
from editgauge.store.schema import digest

LONGEST = 1600
"""The longest side of a copy in pixels."""
GREY = 127
_BLOCK = 4096
_CHUNK = b"paDd"
"""Ancillary, private, safe to copy: PNG specification, section 5.4."""
_OVERHEAD = 12
_VERSION = 1


class Frame(NamedTuple):
    """Where a picture lies in the common frame: its place and size there, and its own size."""

    left: int
    top: int
    width: int
    height: int
    own_width: int
    own_height: int


class Pictures:
    """Blind copies of one run's pictures. Safe to call from several threads."""

    def __init__(
        self, run: Run, records: Mapping[str, Mapping[str, Any]],
        outputs: Mapping[tuple[str, str], str],
    ) -> None:  # fmt: skip
        self.run = run
        self.records = records
        self.outputs = outputs
        """(sample, editor) -> path of the output in the run."""
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def names(self, sample: str) -> list[str]:
        """What there is beside the outputs: ``input0``…, ``reference``, ``mask``."""
        record = self.records[sample]
        found = [
            f"input{k}" for k, path in enumerate(record.get("images") or []) if self._has(path)
        ]
        if self._has(record.get("reference")):
            found.append("reference")
        masks = record.get("masks") or {}
        if any(self._has(path) for path in masks.values()):
            found.append("mask")
        return found

    def png(self, sample: str, name: str, editors: Sequence[str]) -> bytes:
        """One picture: a name of `names`, or an editor. Raises `ImageError` where it cannot be
        made. `editors`: everybody whose output of the sample may be shown.
        """
        folder = self.folder(sample, editors)
        place = f"{folder}/{digest(name)}.png"
        with self._lock(sample):
            if paths.fault(self.run.path, place) is not None:
                self._make(sample, folder, editors)
        return paths.read(paths.inside(self.run.path, place))

    def folder(self, sample: str, editors: Sequence[str]) -> str:
        """Where the copies of a sample lie, relative to the run: another place when any file behind
        them changed.
        """
        marks = [
            (name, path, stat.st_size, stat.st_mtime_ns)
            for name, path in sorted(self._paths(sample, editors).items())
            for stat in [(self.run.path / path).stat()]
        ]
        return f"cache/study/{digest(_VERSION, LONGEST, sample, marks)}"

    def frame(self, sample: str, editor: str) -> Frame:
        """Where an output lies in the common frame: what a marked region is measured by."""
        width, height = self.size(sample)
        picture = read_image(self.run.path / self.outputs[sample, editor])
        return fitted(picture.shape[1], picture.shape[0], width, height)

    def _lock(self, sample: str) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(sample, threading.Lock())

    def _has(self, path: object) -> bool:
        """Pictures are served from inside the run only, and through no link."""
        return self.run.picture(path) is not None

    def _paths(self, sample: str, editors: Sequence[str]) -> dict[str, str]:
        record = self.records[sample]
        found = {f"input{k}": path for k, path in enumerate(record.get("images") or [])}
        found["reference"] = record.get("reference")
        found |= {f"mask {name}": path for name, path in (record.get("masks") or {}).items()}
        found |= {f"output {e}": self.outputs[sample, e] for e in editors}
        return {name: path for name, path in found.items() if self._has(path)}

    def size(self, sample: str) -> tuple[int, int]:
        """The common frame: the first input's shape, no side longer than `LONGEST`."""
        first = next((p for p in self.records[sample].get("images") or [] if self._has(p)), None)
        if first is None:
            raise ImageError(f"sample {sample!r}: the run has no input picture of it")
        height, width = read_image(self.run.path / first).shape[:2]
        scale = min(1.0, LONGEST / max(width, height))
        return max(1, round(width * scale)), max(1, round(height * scale))

    def _make(self, sample: str, folder: str, editors: Sequence[str]) -> None:
        width, height = self.size(sample)
        made: dict[str, bytes] = {}
        masks = []
        for name, path in self._paths(sample, editors).items():
            pixels = read_image(self.run.path / path)
            if name.startswith("mask "):
                masks.append(placed(pixels, width, height)[..., 0] >= 128)
            else:
                made[name.removeprefix("output ")] = encode(placed(pixels, width, height))
        if masks:
            made["mask"] = encode(outline(np.any(masks, axis=0)))
        length = max(len(data) for data in made.values()) + _OVERHEAD
        length = -(-length // _BLOCK) * _BLOCK
        for name, data in made.items():
            place = f"{folder}/{digest(name)}.png"
            paths.write(self.run.path, place, filled(data, length))


def fitted(own_width: int, own_height: int, width: int, height: int) -> Frame:
    """The largest place of a picture's shape in the middle of a frame."""
    scale = min(width / own_width, height / own_height)
    inner = (max(1, round(own_width * scale)), max(1, round(own_height * scale)))
    inner = (min(inner[0], width), min(inner[1], height))
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    return Frame(left, top, inner[0], inner[1], own_width, own_height)


def placed(pixels: Array, width: int, height: int) -> Array:
    """A picture (H, W, 3) fitted into a frame of the given size, with grey bars."""
    place = fitted(pixels.shape[1], pixels.shape[0], width, height)
    if (place.width, place.height) != (pixels.shape[1], pixels.shape[0]):
        smaller = place.width < pixels.shape[1]
        way = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
        pixels = np.asarray(cv2.resize(pixels, (place.width, place.height), interpolation=way))
    if (place.width, place.height) == (width, height):
        return pixels
    out = np.full((height, width, 3), GREY, dtype=np.uint8)
    out[place.top : place.top + place.height, place.left : place.left + place.width] = pixels
    return out


def outline(mask: NDArray[np.bool_]) -> Array:
    """The edge of a mask (H, W) as a picture with an alpha channel: (H, W, 4), red where the edge
    is, transparent elsewhere.
    """
    size = max(1, round(max(mask.shape) / 300))
    kernel = np.ones((2 * size + 1, 2 * size + 1), np.uint8)
    grey = mask.astype(np.uint8)
    edge = (cv2.dilate(grey, kernel) - cv2.erode(grey, kernel)) > 0
    out = np.zeros((*mask.shape, 4), dtype=np.uint8)
    out[edge] = (255, 40, 40, 255)
    return out


def encode(pixels: Array) -> bytes:
    """A picture (H, W, 3 or 4), RGB(A), as a PNG without metadata."""
    code = cv2.COLOR_RGBA2BGRA if pixels.shape[2] == 4 else cv2.COLOR_RGB2BGR
    good, data = cv2.imencode(".png", cv2.cvtColor(pixels, code), [cv2.IMWRITE_PNG_COMPRESSION, 3])
    if not good:
        raise ImageError(f"a picture of shape {pixels.shape} could not be encoded as PNG")
    return bytes(data.tobytes())


def filled(png: bytes, length: int) -> bytes:
    """A PNG made exactly so long by a chunk of zeros before its end."""
    room = length - len(png) - _OVERHEAD
    if room < 0:
        raise ValueError(f"{len(png)} bytes do not fit {length} with a chunk of {_OVERHEAD}")
    zeros = b"\0" * room
    chunk = struct.pack(">I", room) + _CHUNK + zeros
    chunk += struct.pack(">I", zlib.crc32(_CHUNK + zeros))
    return png[:-_OVERHEAD] + chunk + png[-_OVERHEAD:]
