"""Pictures as a judge's server wants them: base64 text, encoded once. PNG and JPEG go as they are
coded, without personal metadata; anything else, and one that EXIF turns, as PNG.
"""

from __future__ import annotations

import base64
import io
import struct
import threading
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from editgauge.errors import ImageError
from editgauge.images import oriented, read_file, read_header, read_image, resize
from editgauge.judging.protocol import Picture
from editgauge.store.schema import digest

_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}
KEPT = 64
"""Pictures whose base64 text is kept: inputs and references come back for every call and editor."""


class PictureStore:
    """Encodes pictures, and keeps the latest. Thread-safe. Each method raises `ImageError`."""

    def __init__(self, hashes: Callable[[Path], str]) -> None:
        self._hashes, self._lock = hashes, threading.Lock()
        self._header = cache(read_header)
        self.identity = cache(self._identity)
        """Of a picture what is sent, as a hash."""
        self._encoded = lru_cache(KEPT)(self._encode)
        self._locks = [threading.Lock() for _ in range(KEPT)]

    def encode(self, picture: Picture) -> bytes:
        """The picture's ``data:`` address. Calls that begin together wait for one encoding."""
        with self._locks[hash(picture) % KEPT]:
            return self._encoded(picture)

    def _identity(self, picture: Picture) -> str:
        with self._lock:
            content = self._hashes(picture.path)
        shape = "" if self.as_it_is(picture) else self.size(picture)
        return digest(content, picture.mime, picture.jpeg, shape)

    def size(self, picture: Picture) -> tuple[int, int]:
        """Width and height as sent."""
        header = self._header(picture.size_of or picture.path)
        return header.width, header.height

    def as_it_is(self, picture: Picture) -> bool:
        """Whether the file's own coding is sent, not a resized or converted copy."""
        header = self._header(picture.path)
        fine = bool(picture.mime) or (header.format in _TYPES and header.orientation == 1)
        return fine and not picture.jpeg and self.size(picture) == (header.width, header.height)

    def _encode(self, picture: Picture) -> bytes:
        data, mime = self._data(picture)
        return b"data:" + mime.encode() + b";base64," + base64.b64encode(data)

    def _data(self, picture: Picture) -> tuple[bytes, str]:
        if picture.jpeg:
            return as_jpeg(picture.path, picture.jpeg), picture.mime or "image/jpeg"
        if self.as_it_is(picture):
            data, kind = read_file(picture.path), self._header(picture.path).format
            if picture.mime:
                return data, picture.mime
            try:
                return bare(data, kind), _TYPES[kind]
            except ValueError:  # not built as its format says: its pixels are sent
                pass
        pixels = read_image(picture.path)
        if picture.size_of is None:
            pixels = oriented(pixels, self._header(picture.path).orientation)
        else:
            pixels = resize(pixels, self.size(picture), "lanczos")
        buffer = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, format="PNG", compress_level=1)
        return buffer.getvalue(), picture.mime or "image/png"


def as_jpeg(path: Path, quality: int) -> bytes:
    """A JPEG as Pillow writes it in this quality, orientation disregarded. Raises `ImageError`."""
    read_header(path)  # its limits hold for what comes from a data set
    try:
        with Image.open(path) as shown:
            buffer = io.BytesIO()
            shown.convert("RGB").save(buffer, format="JPEG", quality=quality)
    except (OSError, ValueError) as error:
        raise ImageError(f"{path}: is no readable picture ({error})", path=path) from error
    return buffer.getvalue()


_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = frozenset({
    b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"bKGD", b"pHYs", b"hIST", b"iCCP", b"cICP",
})  # fmt: skip
"""Ancillary chunks that decide how pixels look; of the others none is needed to show a picture."""


def bare(data: bytes, kind: str) -> bytes:
    """The JPEG or PNG without metadata, orientation included. Raises `ValueError` if it is none."""
    try:
        return b"".join(_PARTS[kind](data))
    except (IndexError, struct.error) as error:
        raise ValueError(f"a {kind} file that ends early") from error


def _jpeg(data: bytes) -> Iterator[bytes]:
    position, marker = 2, 0
    yield data[:2]
    while marker != 0xDA:
        start, marker, length = struct.unpack_from(">BBH", data, position)
        end = position + 2 + length
        if not data.startswith(b"\xff\xd8") or start != 0xFF or length < 2 or end > len(data):
            raise ValueError("no JPEG file, or one that is not built as its format says")
        yield _segment(marker, data[position:end])
        position = end
    end = data.find(b"\xff\xd9", position)  # coded pixels have no such bytes
    if end < 0:
        raise ValueError("a JPEG file without an end")
    yield data[position : end + 2]


def _segment(marker: int, segment: bytes) -> bytes:
    body = segment[4:]
    if marker == 0xE0 and body.startswith(b"JFIF\0") and len(body) >= 14:
        return b"\xff\xe0\0\x10" + body[:12] + b"\0\0"  # without its thumbnail
    colours = (marker == 0xEE and body.startswith(b"Adobe")) or (
        marker == 0xE2 and body.startswith(b"ICC_PROFILE\0")
    )
    return segment if colours or not (0xE0 <= marker <= 0xEF or marker == 0xFE) else b""


def _png(data: bytes) -> Iterator[bytes]:
    position, name = len(_PNG), b""
    yield _PNG
    while name != b"IEND":
        length, name = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if not data.startswith(_PNG) or end > len(data):
            raise ValueError("no PNG file, or one that is not built as its format says")
        if name in _PNG_KEPT or not name[0] & 0x20:
            yield data[position:end]
        position = end


_PARTS = {"JPEG": _jpeg, "PNG": _png}
