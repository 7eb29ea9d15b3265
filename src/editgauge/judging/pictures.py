"""Pictures as a judge's server wants them: base64 text, encoded once for each content and shared by
all calls.

A file in a format that servers take (PNG, JPEG, GIF, and WebP unless the server cannot) is sent
byte by byte as it is; anything else, and a picture that must have another one's size, is sent as
PNG.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from editgauge.images import read_header, read_image, resize
from editgauge.judging.calls import Picture
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
    mark: str
    width: int
    height: int


class PictureStore:
    """Encodes pictures and keeps the most recent ones, up to `kept` bytes.

    `identity` is cheap and decodes nothing: the file's content hash (remembered by `hashes`) and
    the wanted size. Two pictures with one identity are the same bytes on the wire.
    """

    def __init__(self, hashes: HashStore, *, webp: bool = True, kept: int = KEPT_BYTES) -> None:
        self._hashes = hashes
        self._webp = webp
        self._kept = kept
        self._size = 0
        self._store: OrderedDict[str, Encoded] = OrderedDict()
        self._identities: dict[Picture, str] = {}
        self._headers: dict[Path, tuple[str, int, int]] = {}
        self.encoded = 0
        """How many pictures were really encoded."""

    def identity(self, picture: Picture) -> str:
        """What is sent, as a hash: file content, and the size it is brought to. Raises
        `ImageError`.
        """
        if picture in self._identities:
            return self._identities[picture]
        mark = self._hashes(picture.path)
        kind, width, height = self._header(picture.path)
        wanted = self.size(picture)
        if picture.mime:
            mark = hashlib.blake2b(f"{mark}:{picture.mime}".encode(), digest_size=16).hexdigest()
        if wanted != (width, height) or not self._sent_as_is(kind):
            mark = hashlib.blake2b(f"{mark}:png:{wanted}".encode(), digest_size=16).hexdigest()
        self._identities[picture] = mark
        return mark

    def size(self, picture: Picture) -> tuple[int, int]:
        """Width and height as sent. Raises `ImageError`."""
        _, width, height = self._header(picture.size_of or picture.path)
        return width, height

    def as_it_is(self, picture: Picture) -> bool:
        """Whether the file's own bytes are sent, not a resized or converted copy. Raises
        `ImageError`.
        """
        kind, width, height = self._header(picture.path)
        return self.size(picture) == (width, height) and self._sent_as_is(kind)

    def encode(self, picture: Picture) -> Encoded:
        """The picture's data address. Raises `ImageError` for a file that is no readable
        picture.
        """
        mark = self.identity(picture)
        if mark in self._store:
            self._store.move_to_end(mark)
            return self._store[mark]
        return self._keep(mark, self._encode(picture, mark))

    async def encode_aside(self, picture: Picture) -> Encoded:
        """`encode` that leaves the event loop free where a picture has to be decoded and
        resized.
        """
        mark = self.identity(picture)
        if mark in self._store or self.as_it_is(picture):
            return self.encode(picture)
        return self._keep(mark, await asyncio.to_thread(self._encode, picture, mark))

    def length(self, picture: Picture) -> int:
        """About how many bytes the picture's text will have, without encoding it. Raises
        `ImageError`.
        """
        mark = self.identity(picture)
        if mark in self._store:
            return len(self._store[mark].url)
        if self.as_it_is(picture):
            return picture.path.stat().st_size * 4 // 3
        width, height = self.size(picture)
        return width * height * 4

    def _keep(self, mark: str, encoded: Encoded) -> Encoded:
        self.encoded += 1
        if mark in self._store:
            return self._store[mark]
        self._store[mark] = encoded
        self._size += len(encoded.url)
        while self._size > self._kept and len(self._store) > 1:
            _, old = self._store.popitem(last=False)
            self._size -= len(old.url)
        return encoded

    def _encode(self, picture: Picture, mark: str) -> Encoded:
        kind, width, height = self._header(picture.path)
        wanted = self.size(picture)
        if wanted == (width, height) and self._sent_as_is(kind):
            data, mime = picture.path.read_bytes(), _TYPES[kind]
        else:
            pixels = resize(read_image(picture.path), wanted, "lanczos")
            buffer = io.BytesIO()
            Image.fromarray(np.ascontiguousarray(pixels)).save(
                buffer, format="PNG", compress_level=1
            )
            data, mime = buffer.getvalue(), "image/png"
        mime = picture.mime or mime
        return Encoded(b"data:" + mime.encode() + b";base64," + _base64(data), mark, *wanted)

    def _sent_as_is(self, kind: str) -> bool:
        return kind in _TYPES and (kind != "WEBP" or self._webp)

    def _header(self, path: Path) -> tuple[str, int, int]:
        if path not in self._headers:
            header = read_header(path)
            self._headers[path] = (header.format, header.width, header.height)
        return self._headers[path]


def _base64(data: bytes) -> bytes:
    try:
        import pybase64
    except ImportError:
        import base64

        return base64.b64encode(data)
    return bytes(pybase64.b64encode(data))
