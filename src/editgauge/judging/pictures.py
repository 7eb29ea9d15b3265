"""Pictures as a judge's server wants them: base64 text, encoded once for each content and shared by
all calls.

A PNG or JPEG file is sent with its pixels as they are coded, and without metadata; anything else,
and a picture that must have another one's size, is sent as PNG. What a released script declares
itself (`Picture.mime`) goes whole, as the script sends it.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from editgauge.errors import ImageError
from editgauge.images import read_file, read_header, read_image, resize
from editgauge.judging.metadata import bare
from editgauge.judging.protocol import Picture
from editgauge.store.hashes import HashStore

_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}
KEPT_BYTES = 256 << 20
"""Base64 text that is kept for the next call: inputs and references come back for every dimension
and editor.
"""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A picture ready to be sent: ``data:`` address as bytes, and the hash of what is sent."""

    url: bytes
    fingerprint: str


class PictureStore:
    """Encodes pictures and keeps the most recent ones, up to `kept` bytes. Thread-safe.

    `identity` is cheap and decodes nothing: the file's content hash (remembered by `hashes`), the
    wanted size, and how it is sent. Two pictures with one identity are the same bytes on the wire.
    """

    def __init__(self, hashes: HashStore, *, kept: int = KEPT_BYTES) -> None:
        self._hashes, self._kept, self._size = hashes, kept, 0
        self._store: OrderedDict[str, Encoded] = OrderedDict()
        self._identities: dict[Picture, str] = {}
        self._headers: dict[Path, tuple[str, int, int]] = {}
        self._lock = threading.RLock()

    def identity(self, picture: Picture) -> str:
        """What is sent, as a hash: file content, the size it is brought to, and how. Raises
        `ImageError`.
        """
        known = self._identities.get(picture)
        if known is not None:
            return known
        with self._lock:
            marks = [self._hashes(picture.path), picture.mime, str(picture.jpeg)]
        if not self.as_it_is(picture):
            marks.append(f"png {self.size(picture)}")
        mark = hashlib.blake2b(":".join(marks).encode(), digest_size=16).hexdigest()
        self._identities[picture] = mark
        return mark

    def size(self, picture: Picture) -> tuple[int, int]:
        """Width and height as sent. Raises `ImageError`."""
        _, width, height = self._header(picture.size_of or picture.path)
        return width, height

    def as_it_is(self, picture: Picture) -> bool:
        """Whether the file's own coding is sent, not a resized or converted copy. Raises
        `ImageError`.
        """
        kind, *size = self._header(picture.path)
        fine = kind in _TYPES or bool(picture.mime)
        return fine and not picture.jpeg and self.size(picture) == tuple(size)

    def encode(self, picture: Picture) -> Encoded:
        """The picture's data address. Raises `ImageError` for a file that is no readable
        picture.
        """
        fingerprint = self.identity(picture)
        with self._lock:
            if fingerprint in self._store:
                self._store.move_to_end(fingerprint)
                return self._store[fingerprint]
        data, mime = self._data(picture)
        return self._keep(
            Encoded(b"data:" + mime.encode() + b";base64," + _base64(data), fingerprint)
        )

    def _keep(self, encoded: Encoded) -> Encoded:
        with self._lock:
            if encoded.fingerprint not in self._store:
                self._store[encoded.fingerprint] = encoded
                self._size += len(encoded.url)
            while self._size > self._kept and len(self._store) > 1:
                _, old = self._store.popitem(last=False)
                self._size -= len(old.url)
            return encoded

    def _data(self, picture: Picture) -> tuple[bytes, str]:
        """The file that is sent, and its media type."""
        if picture.jpeg:
            return as_jpeg(picture.path, picture.jpeg), picture.mime or "image/jpeg"
        if self.as_it_is(picture):
            data, kind = read_file(picture.path), self._header(picture.path)[0]
            if picture.mime:
                return data, picture.mime
            try:
                return bare(data, kind), _TYPES[kind]
            except ValueError:  # not built as its format says: its pixels are sent
                pass
        return as_png(picture.path, self.size(picture)), picture.mime or "image/png"

    def _header(self, path: Path) -> tuple[str, int, int]:
        if path not in self._headers:
            header = read_header(path)
            self._headers[path] = (header.format, header.width, header.height)
        return self._headers[path]


def as_png(path: Path, size: tuple[int, int]) -> bytes:
    """A picture, brought to a width and height by Lanczos' filter, as a PNG file. Raises
    `ImageError` for a file that is no readable picture.
    """
    pixels = resize(read_image(path), size, "lanczos")
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, format="PNG", compress_level=1)
    return buffer.getvalue()


def as_jpeg(path: Path, quality: int) -> bytes:
    """A picture as a JPEG file of this quality, without regard to its orientation, byte by byte as
    Pillow's own reading and writing give it. Raises `ImageError`.
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
