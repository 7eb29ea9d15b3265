"""Pictures as a judge's server wants them: base64 text, encoded once and shared by all calls.

A PNG or JPEG file is sent with its pixels as they are coded, and without metadata; anything else,
and a resized picture, as PNG. What a released script declares itself goes whole, as it sends it.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from editgauge.errors import ImageError
from editgauge.images import read_file, read_header, read_image, resize
from editgauge.judging.metadata import bare
from editgauge.judging.protocol import Picture

_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}
KEPT = 64
"""Pictures whose base64 text is kept: inputs and references come back for every call and editor."""


class PictureStore:
    """Encodes pictures and keeps the most recent ones. Thread-safe. `identity` decodes nothing; two
    pictures with one identity are the same bytes on the wire. Each method raises `ImageError`.
    """

    def __init__(self, hashes: Callable[[Path], str]) -> None:
        self._hashes, self._lock = hashes, threading.Lock()
        self._header = cache(read_header)
        self.identity = cache(self._identity)
        """Of a picture what is sent, as a hash."""
        self.encode = lru_cache(KEPT)(self._encode)
        """The picture's ``data:`` address."""

    def _identity(self, picture: Picture) -> str:
        with self._lock:
            marks = [self._hashes(picture.path), picture.mime, str(picture.jpeg)]
        if not self.as_it_is(picture):
            marks.append(f"png {self.size(picture)}")
        return hashlib.blake2b(":".join(marks).encode(), digest_size=16).hexdigest()

    def size(self, picture: Picture) -> tuple[int, int]:
        """Width and height as sent."""
        header = self._header(picture.size_of or picture.path)
        return header.width, header.height

    def as_it_is(self, picture: Picture) -> bool:
        """Whether the file's own coding is sent, not a resized or converted copy."""
        header = self._header(picture.path)
        fine = header.format in _TYPES or bool(picture.mime)
        return fine and not picture.jpeg and self.size(picture) == (header.width, header.height)

    def _encode(self, picture: Picture) -> bytes:
        data, mime = self._data(picture)
        return b"data:" + mime.encode() + b";base64," + _base64(data)

    def _data(self, picture: Picture) -> tuple[bytes, str]:
        """The file that is sent, and its media type."""
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
        pixels = resize(read_image(picture.path), self.size(picture), "lanczos")
        buffer = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, format="PNG", compress_level=1)
        return buffer.getvalue(), picture.mime or "image/png"


def as_jpeg(path: Path, quality: int) -> bytes:
    """A picture as a JPEG file of this quality, as Pillow reads and writes it: orientation is not
    regarded. Raises `ImageError`.
    """
    read_header(path)  # its limits hold for what comes from a data set
    try:
        with Image.open(path) as shown:
            buffer = io.BytesIO()
            shown.convert("RGB").save(buffer, format="JPEG", quality=quality)
    except (OSError, ValueError) as error:
        raise ImageError(f"{path}: is no readable picture ({error})", path=path) from error
    return buffer.getvalue()


def _base64(data: bytes) -> bytes:
    try:
        import pybase64
    except ImportError:
        import base64

        return base64.b64encode(data)
    return bytes(pybase64.b64encode(data))
