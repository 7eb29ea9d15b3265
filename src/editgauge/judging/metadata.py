"""Picture files without what they tell of people: place, author, camera, comments, thumbnails.

Lossless: the coded pixels, colour profiles and the orientation stay byte by byte, the rest goes.
The orientation stays because decoders turn the picture by it. Formats that are not known here are
not taken: whoever sends them writes their pixels anew, as PNG.
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
_WEBP_KEPT = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})
_ORIENTATION = 0x0112
_EXIF = b"Exif\0\0"


def bare(data: bytes, kind: str) -> bytes:
    """The file without metadata. `kind` is Pillow's name of its format: JPEG, PNG or WEBP.

    Raises `ValueError` for a file whose parts do not follow its format, and for another format.
    """
    if kind not in _PARTS:
        raise ValueError(f"format {kind}: wanted one of {', '.join(_PARTS)}")
    try:
        return b"".join(_PARTS[kind](data))
    except (IndexError, struct.error) as error:
        raise ValueError(f"a {kind} file that ends early") from error


def _turned(exif: bytes) -> bytes:
    """EXIF that holds the orientation of another one alone; empty for an upright picture."""
    known, kept = Image.Exif(), Image.Exif()
    try:
        known.load(exif)
        turned = known.get(_ORIENTATION, 1)
    except Exception:  # whatever Pillow finds in it: an orientation that cannot be read is none
        return b""
    if turned not in range(2, 9):
        return b""
    kept[_ORIENTATION] = turned
    return kept.tobytes()


def _jpeg(data: bytes) -> Iterator[bytes]:
    if data[:2] != b"\xff\xd8":
        raise ValueError("no start of a JPEG file")
    yield data[:2]
    position = 2
    while True:
        while data[position] == 0xFF and data[position + 1] == 0xFF:
            position += 1  # padding before a marker
        if data[position] != 0xFF:
            raise ValueError("no marker where a JPEG file must have one")
        marker = data[position + 1]
        if marker == 0xD9:  # what follows is no part of the picture
            yield b"\xff\xd9"
            return
        end = position + 2 + struct.unpack_from(">H", data, position + 2)[0]
        if end > len(data) or end < position + 4:
            raise ValueError("a segment that is longer than its JPEG file")
        yield _segment(marker, data[position:end])
        position = end
        if marker == 0xDA:
            position = _scan_end(data, end)
            yield data[end:position]


def _segment(marker: int, segment: bytes) -> bytes:
    """A segment of a JPEG file as it is kept: what decides how pixels look, and the orientation."""
    body = segment[4:]
    if marker == 0xE1 and body.startswith(_EXIF):
        exif = _turned(body)
        return b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif if exif else b""
    if marker == 0xE0 and body.startswith(b"JFIF\0") and len(body) >= 14:
        return b"\xff\xe0\0\x10" + body[:12] + b"\0\0"  # without its thumbnail
    kept = (marker == 0xEE and body.startswith(b"Adobe")) or (
        marker == 0xE2 and body.startswith(b"ICC_PROFILE\0")
    )
    return segment if kept or not (0xE0 <= marker <= 0xEF or marker == 0xFE) else b""


def _scan_end(data: bytes, position: int) -> int:
    """Where the coded pixels end: at the first marker that is neither stuffing nor a restart."""
    while True:
        position = data.find(b"\xff", position)
        if position < 0 or position + 1 >= len(data):
            raise ValueError("a JPEG file without an end")
        if data[position + 1] == 0 or 0xD0 <= data[position + 1] <= 0xD7:
            position += 2
        elif data[position + 1] == 0xFF:
            position += 1
        else:
            return position


def _png(data: bytes) -> Iterator[bytes]:
    if not data.startswith(_PNG):
        raise ValueError("no start of a PNG file")
    yield _PNG
    position, name = len(_PNG), b""
    while name != b"IEND":
        (length,) = struct.unpack_from(">I", data, position)
        name, end = data[position + 4 : position + 8], position + 12 + length
        if end > len(data) or len(name) != 4:
            raise ValueError("a chunk that is longer than its PNG file")
        if name == b"eXIf":
            exif = _turned(data[position + 8 : end - 4]).removeprefix(_EXIF)
            named = name + exif
            check = struct.pack(">I", zlib.crc32(named))
            yield struct.pack(">I", len(exif)) + named + check if exif else b""
        elif name in _PNG_KEPT or not name[0] & 0x20:
            yield data[position:end]
        position = end


def _webp(data: bytes) -> Iterator[bytes]:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError("no start of a WebP file")
    if struct.unpack_from("<I", data, 4)[0] + 8 > len(data):
        raise ValueError("a WebP file that ends early")
    kept, position = [], 12
    while position + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, position + 4)
        name, end = data[position : position + 4], position + 8 + length + length % 2
        chunk = data[position:end]
        if len(chunk) < 8 + length:
            raise ValueError("a chunk that is longer than its WebP file")
        if name == b"VP8X":  # it says no longer that there is EXIF or XMP
            chunk = chunk[:8] + bytes([chunk[8] & ~0x0C]) + chunk[9:]
        kept += [chunk] if name in _WEBP_KEPT else []
        position = end
    whole = b"".join(kept)
    yield b"RIFF" + struct.pack("<I", len(whole) + 4) + b"WEBP" + whole


_PARTS = {"JPEG": _jpeg, "PNG": _png, "WEBP": _webp}
