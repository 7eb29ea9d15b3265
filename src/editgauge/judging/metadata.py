"""JPEG and PNG files without what they tell of people. Lossless: the coded pixels, colour profiles
and the orientation (decoders turn the picture by it) stay byte by byte, the rest goes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from PIL import Image

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = frozenset({
    b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"bKGD", b"pHYs", b"hIST", b"iCCP", b"cICP",
})  # fmt: skip
"""Ancillary chunks that decide how pixels look; of the others none is needed to show a picture."""
_ORIENTATION = 0x0112
_EXIF = b"Exif\0\0"


def bare(data: bytes, kind: str) -> bytes:
    """The file without metadata. `kind` is Pillow's name of its format: JPEG or PNG. Raises
    `ValueError` for a file whose parts do not follow its format, and for another format.
    """
    if kind not in _PARTS:
        raise ValueError(f"format {kind}: wanted JPEG or PNG")
    try:
        return b"".join(_PARTS[kind](data))
    except (IndexError, struct.error) as error:
        raise ValueError(f"a {kind} file that ends early") from error


def _turned(exif: bytes) -> bytes:
    """EXIF that holds the orientation of another one alone; empty for an upright picture."""
    known, kept = Image.Exif(), Image.Exif()
    try:
        known.load(exif)
        kept[_ORIENTATION] = known.get(_ORIENTATION, 1)
        return kept.tobytes() if kept[_ORIENTATION] in range(2, 9) else b""
    except Exception:  # whatever Pillow finds in it: an orientation that cannot be read is none
        return b""


def _jpeg(data: bytes) -> Iterator[bytes]:
    """The segments that decide how pixels look, up to the first scan; then all to the end of the
    picture.
    """
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
    """A segment as it is kept; empty for one that decides nothing."""
    body = segment[4:]
    if marker == 0xE1 and body.startswith(_EXIF):
        exif = _turned(body)
        return b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif if exif else b""
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
        if name == b"eXIf" and (exif := _turned(data[position + 8 : end - 4]).removeprefix(_EXIF)):
            chunk = name + exif
            yield struct.pack(">I", len(exif)) + chunk + struct.pack(">I", zlib.crc32(chunk))
        elif name in _PNG_KEPT or not name[0] & 0x20:
            yield data[position:end]
        position = end


_PARTS = {"JPEG": _jpeg, "PNG": _png}
