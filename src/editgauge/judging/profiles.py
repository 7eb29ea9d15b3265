"""Colour profiles (ICC.1:2022) without the names in them: a screen's owner, its maker, its number.

Lengths and everything that colours are computed from stay byte by byte.
"""

from __future__ import annotations

import struct

_HEADER = 128
_TAG = 12
_TEXTS = (b"mluc", b"desc", b"text", b"dict", b"mmod", b"utf8", b"ut16", b"zut8")
"""Types of tags that hold words: descriptions, copyright, and what systems note of a screen."""
_SHARED = 4
"""Times its length that the tags of a profile may add up to: some lie in one place on purpose, and
thousands of them only to be slow.
"""
LARGEST = 16 << 20
"""Bytes of a profile beyond which it is not looked into."""


def nameless(profile: bytes) -> bytes:
    """The profile with blanks in place of its words; empty for what is none, which no decoder
    heeds.
    """
    if not _HEADER + 4 <= len(profile) <= LARGEST or profile[36:40] != b"acsp":
        return b""
    out = bytearray(profile)
    out[48:56] = bytes(8)  # the device's maker and model
    out[80:100] = bytes(20)  # who made the profile, and its checksum: zero means none
    (count,) = struct.unpack_from(">I", profile, _HEADER)
    if not count <= (len(profile) - _HEADER - 4) // _TAG:
        return b""
    places = {
        struct.unpack_from(">II", profile, _HEADER + 8 + _TAG * number) for number in range(count)
    }
    if any(start < _HEADER or size < 8 or start + size > len(profile) for start, size in places):
        return b""
    if sum(size for _, size in places) > _SHARED * len(profile):
        return b""
    for start, size in places:
        kind = profile[start : start + 4]
        if kind in _TEXTS:
            out[start : start + size] = _blank(kind, profile[start : start + size])
    return bytes(out)


def _blank(kind: bytes, tag: bytes) -> bytes:
    """A tag of words with blanks in their place: its own lengths and places stay valid."""
    if kind == b"text":
        return tag[:8] + b" " * (len(tag) - 9) + b"\0" if len(tag) > 8 else tag
    if kind == b"desc" and len(tag) >= 12:
        (count,) = struct.unpack_from(">I", tag, 8)
        words = min(count, len(tag) - 12)
        blank = b" " * (words - 1) + b"\0" if words else b""
        return tag[:12] + blank + bytes(len(tag) - 12 - words)
    if kind == b"mluc" and len(tag) >= 16:
        (records,) = struct.unpack_from(">I", tag, 8)
        fixed = min(len(tag), 16 + 12 * min(records, len(tag)))
        return tag[:fixed] + (b"\0 " * len(tag))[: len(tag) - fixed]
    return tag[:8] + bytes(len(tag) - 8)
