"""Pictures as a judge's server wants them: base64 text, encoded once for each content and shared by
all calls.

A file in a format that servers take (PNG, JPEG, GIF, and WebP unless the server cannot) is sent
with its pixels as they are coded, and without metadata unless they are asked for; anything else,
and a picture that must have another one's size, is sent as PNG.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from editgauge.errors import ImageError
from editgauge.images import read_file, read_header, read_image, resize
from editgauge.judging.metadata import bare, turned_png
from editgauge.judging.protocol import Picture
from editgauge.store.hashes import HashStore

_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
KEPT_BYTES = 256 << 20
"""Base64 text that is kept for the next call: inputs and references come back for every dimension
and editor.
"""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A picture ready to be sent: ``data:`` address as bytes, the hash of what is sent, and its
    size in pixels.
    """

    url: bytes
    fingerprint: str
    width: int
    height: int


class PictureStore:
    """Encodes pictures and keeps the most recent ones, up to `kept` bytes.

    `identity` is cheap and decodes nothing: the file's content hash (remembered by `hashes`), the
    wanted size, and how it is sent. Two pictures with one identity are the same bytes on the wire.
    `metadata` sends files with all that they hold; `png` sends every picture as PNG. The argument
    `webp` of the methods says whether the server reads WebP.
    """

    def __init__(
        self,
        hashes: HashStore,
        *,
        png: bool = False,
        metadata: bool = False,
        kept: int = KEPT_BYTES,
    ) -> None:
        self._hashes = hashes
        self._png = png
        self._metadata = metadata
        self._kept = kept
        self._size = 0
        self._store: OrderedDict[str, Encoded] = OrderedDict()
        self._identities: dict[tuple[Picture, bool], str] = {}
        self._lock = threading.RLock()
        self._headers: dict[Path, tuple[str, int, int]] = {}
        self.to_png: Callable[[Path, tuple[int, int]], bytes] = as_png
        """Who decodes, resizes and encodes; called in a thread."""
        self.encoded = 0
        """How many pictures were really encoded."""

    def identity(self, picture: Picture, webp: bool = True) -> str:
        """What is sent, as a hash: file content, the size it is brought to, and how. Raises
        `ImageError`.
        """
        known = self._identities.get((picture, webp))
        if known is not None:
            return known
        with self._lock:
            fingerprint = self._hashes(picture.path)
        if picture.jpeg:
            fingerprint = _digest(f"{fingerprint}:jpeg{picture.jpeg}")
        if picture.mime:
            fingerprint = _digest(f"{fingerprint}:{picture.mime}")
        if not self.as_it_is(picture, webp):
            turned = self._turned(picture)
            mark = f":turned:{turned}" if turned != 1 else ""
            fingerprint = _digest(f"{fingerprint}:png:{self.size(picture)}{mark}")
        elif self._metadata:
            fingerprint = _digest(f"{fingerprint}:metadata")
        self._identities[picture, webp] = fingerprint
        return fingerprint

    def size(self, picture: Picture) -> tuple[int, int]:
        """Width and height as sent. Raises `ImageError`."""
        _, width, height = self._header(picture.size_of or picture.path)
        return width, height

    def as_it_is(self, picture: Picture, webp: bool = True) -> bool:
        """Whether the file's own coding is sent, not a resized or converted copy. Raises
        `ImageError`.
        """
        kind, width, height = self._header(picture.path)
        fine = kind in _TYPES and (kind != "WEBP" or webp) and not self._png
        return fine and self.size(picture) == (width, height)

    def is_webp(self, picture: Picture) -> bool:
        """Whether the picture would be sent as WebP to a server that reads it. Raises
        `ImageError`.
        """
        return self._header(picture.path)[0] == "WEBP" and self.as_it_is(picture)

    def encode(self, picture: Picture, webp: bool = True) -> Encoded:
        """The picture's data address. Raises `ImageError` for a file that is no readable
        picture.
        """
        fingerprint = self.identity(picture, webp)
        with self._lock:
            if fingerprint in self._store:
                self._store.move_to_end(fingerprint)
                return self._store[fingerprint]
        return self._keep(fingerprint, self._encode(picture, fingerprint, webp))

    def _keep(self, fingerprint: str, encoded: Encoded) -> Encoded:
        with self._lock:
            self.encoded += 1
            if fingerprint in self._store:
                return self._store[fingerprint]
            self._store[fingerprint] = encoded
            self._size += len(encoded.url)
            while self._size > self._kept and len(self._store) > 1:
                _, old = self._store.popitem(last=False)
                self._size -= len(old.url)
            return encoded

    def _encode(self, picture: Picture, fingerprint: str, webp: bool) -> Encoded:
        kind, *_ = self._header(picture.path)
        wanted = self.size(picture)
        if picture.jpeg:
            data = as_jpeg(picture.path, picture.jpeg)
            return Encoded(b"data:image/jpeg;base64," + _base64(data), fingerprint, *wanted)
        data, mime = b"", "image/png"
        if self.as_it_is(picture, webp):
            data, mime = self._own_bytes(picture, kind), _TYPES[kind]
        if not data:
            png = self.to_png(picture.path, wanted)
            data, mime = turned_png(png, self._turned(picture)), "image/png"
        mime = picture.mime or mime
        return Encoded(b"data:" + mime.encode() + b";base64," + _base64(data), fingerprint, *wanted)

    def _turned(self, picture: Picture) -> int:
        """The orientation to be noted in a PNG of the same pixels, so that it is shown as the file
        is. Released scripts resize without a look at it, and so do we.
        """
        kind, *size = self._header(picture.path)
        if kind not in _TYPES or tuple(size) != self.size(picture):
            return 1
        found = read_header(picture.path).orientation
        return found if 1 <= found <= 8 else 1

    def _own_bytes(self, picture: Picture, kind: str) -> bytes:
        """The file's bytes, without metadata; empty for a file that is not built as its format
        says: such a file is sent as PNG. A released script's request has the file as it is.
        """
        data = read_file(picture.path)
        if self._metadata or picture.mime:
            return data
        try:
            return bare(data, kind)
        except ValueError:
            return b""

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


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _base64(data: bytes) -> bytes:
    try:
        import pybase64
    except ImportError:
        import base64

        return base64.b64encode(data)
    return bytes(pybase64.b64encode(data))
