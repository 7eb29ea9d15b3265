"""How a secret may be written, and where a text holds one of its spellings.

A text is looked at four ways: as it is, with its escapes read (``\\u0073``, ``%2573``,
``&#115;``), without what joins pieces (``\\n`` of a literal, ``<br>``, the end of one JSON text and
the beginning of the next), and without the ``0x`` of numbers. Of each way only ASCII letters and
digits count, small ones and large ones alike, so that nothing between two letters hides a spelling.
The time is linear in the text.
"""

from __future__ import annotations

import base64
import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

CERTAIN = 12
"""Letters and digits of a spelling that is no ordinary word, whatever signs stand between them."""
_LEAST = 4
"""Letters and digits that a spelling must have to be looked for: fewer are everywhere."""
_BLOCK = 4096
_OTHER = bytes(number for number in range(256) if not (number < 128 and chr(number).isalnum()))
"""All bytes but those of ASCII letters and digits."""
_Z85 = bytes.maketrans(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
)
_ESCAPED = re.compile(
    r"(?<!\\)\\++(?:u00([0-9a-f]{2})|x([0-9a-f]{2}))|%(?:25){0,6}([0-9a-f]{2})"
    r"|&(?:amp;){0,6}\#x0{0,4}([0-9a-f]{1,2});|&(?:amp;){0,6}\#0{0,4}([0-9]{1,3});"
    r"|&(amp|lt|gt|quot);",
    re.IGNORECASE,
)
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}
_QUOTE = r"\\{0,4}\""
_NAME = rf"{_QUOTE}[^\"\\]{{0,40}}{_QUOTE}\s{{0,4}}:\s{{0,4}}"
_JOINTS = re.compile(
    r"\\[nrt]|\\u200b|<br ?/?>|&nbsp;"
    # from one JSON text to the next, the name of a field between them included
    rf"|{_QUOTE}[\s,\]}}{{\[]{{0,12}}(?:{_NAME}(?:[\d.eE+-]{{1,20}}|true|false|null)[\s,]{{1,8}}){{0,3}}"
    rf"{_NAME}[\s\[{{]{{0,8}}{_QUOTE}",
    re.IGNORECASE,
)
_NUMBERS = re.compile("0x", re.IGNORECASE)
"""What stands before hexadecimal digits; apart from the joints, for a secret may hold it."""


def bare(text: str) -> bytes:
    """The ASCII letters and digits of a text, small."""
    return text.encode("ascii", "replace").translate(None, _OTHER).lower()


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write a secret, and its letters and digits alone."""

    form: str
    bare: bytes


def spellings(secret: str) -> list[Spelling]:
    """The ways to write a secret that are looked for: as it is, in rot13, and in hexadecimal
    digits, base32 and base64, of the secret alone or as a part of a longer text, each backwards as
    well; in base85, in base64 of its base64, of its rot13 and of it backwards; and as the numbers
    of its letters.
    """
    data = secret.encode("utf-8", "surrogatepass")
    once = set(_base64(data))
    forms = {secret, codecs.encode(secret, "rot13"), data.hex(), *once}
    forms.add(base64.b32encode(data).decode().rstrip("="))
    forms |= {form[::-1] for form in forms}
    for other in (*once, codecs.encode(secret, "rot13"), secret[::-1]):
        forms |= set(_base64(other.encode("utf-8", "surrogatepass")))
    forms |= {code.encode().hex() for code in once}
    forms |= {"".join(format(byte, kind) for byte in data) for kind in ("d", "03o", "08b")}
    for code in (base64.b85encode, base64.a85encode, _z85):
        forms |= set(_base85(data, code))
    known: dict[object, Spelling] = {}
    for form in sorted(forms):
        one = Spelling(form, bare(form))
        if len(one.bare) >= _LEAST:  # of long ones the signs do not matter: one for all
            known[one.bare if len(one.bare) >= CERTAIN else form] = one
    return list(known.values())


def _base64(data: bytes) -> Iterator[str]:
    """The base64 of `data`, and what is the same of it wherever it begins in a longer text."""
    for code in (base64.b64encode, base64.urlsafe_b64encode):
        coded = code(data).decode().rstrip("=")
        yield from (coded, coded[:-1])
        for lead in (1, 2):
            middle = code(b"\0" * lead + data).decode().rstrip("=")
            yield middle[lead + 1 : len(middle) - 1]


def _base85(data: bytes, code: Callable[[bytes], bytes]) -> Iterator[str]:
    """As `_base64`: five letters for each four bytes."""
    yield code(data).decode()
    for lead in range(4):
        first = 4 if lead else 0  # the first letters hold what stands before as well
        whole = (lead + len(data)) // 4 * 4
        middle = code((b"\0" * lead + data)[first:whole]).decode()
        if len(middle) >= 10:
            yield middle


def _z85(data: bytes) -> bytes:
    return base64.b85encode(data).translate(_Z85)


# -- where a text holds one ------------------------------------------------------------------------


def spans(text: str, looked_for: Sequence[Spelling]) -> list[tuple[int, int]]:
    """The places of a text that hold one of the spellings, in order, without overlaps."""
    found: list[tuple[int, int]] = []
    for steps, way in _ways(text):
        letters = bare(way)
        hits = []
        for one in looked_for:
            at = letters.find(one.bare)
            while at >= 0:
                hits.append((at, at + len(one.bare), one.form))
                at = letters.find(one.bare, at + len(one.bare))
        if hits:
            maps, read = [], text
            for pattern in steps:
                maps.append(_Replaced.of(read, pattern))
                read = maps[-1].text
            for start, end in _placed(way, hits):
                for one_map in reversed(maps):
                    start, end = one_map.place(start, end)
                found.append((start, end))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _ways(text: str) -> Iterator[tuple[tuple[re.Pattern[str], ...], str]]:
    """The ways to look at a text, each with the patterns whose matches were replaced."""
    yield (), text
    read = _read(text, _ESCAPED)
    joined = _JOINTS.sub("", read)
    if read != text:
        yield (_ESCAPED,), read
    if joined != read:
        yield (_ESCAPED, _JOINTS), joined
    digits = _NUMBERS.sub("", joined)
    if digits != joined:
        yield (_ESCAPED, _JOINTS, _NUMBERS), digits


def _read(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: _meant(match[0]), text)


@dataclass(frozen=True, slots=True)
class _Replaced:
    """A text whose matches of a pattern were replaced by what they mean; `origins` says where each
    was, `starts` and `ends` where what it means is.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    origins: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, text: str, pattern: re.Pattern[str]) -> Self:
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        origins: list[tuple[int, int]] = []
        length = done = 0
        for match in pattern.finditer(text):
            kept, meant = text[done : match.start()], _meant(match[0])
            pieces += (kept, meant)
            starts.append(length + len(kept))
            length += len(kept) + len(meant)
            ends.append(length)
            origins.append(match.span())
            done = match.end()
        pieces.append(text[done:])
        return cls("".join(pieces), starts, ends, origins)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of this text lay before."""
        return self._origin(start, first=True), self._origin(end - 1, first=False) + 1

    def _origin(self, at: int, *, first: bool) -> int:
        number = bisect_right(self.starts, at) - 1
        if number < 0:
            return at
        start, end = self.origins[number]
        if at < self.ends[number]:  # inside what a match means
            return start if first else end - 1
        return end + at - self.ends[number]


@lru_cache(4096)
def _meant(escaped: str) -> str:
    """The letter that an escape stands for; nothing for a joint."""
    found = _ESCAPED.fullmatch(escaped)
    if found is None:
        return ""
    *hexadecimal, decimal, named = found.groups()
    if named:
        return _NAMED[named.lower()]
    number = int(decimal) if decimal else int(next(filter(None, hexadecimal)), 16)
    return chr(number) if number < 0x100 else ""


def _placed(text: str, hits: list[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """The stretches of `text` that hold these letters, counted among its letters and digits; those
    that lack a sign of a short spelling are left out.
    """
    wanted = sorted({at for start, end, _ in hits for at in (start, end - 1)})
    places = dict(zip(wanted, _letters(text, wanted), strict=True))
    for first, last, form in hits:
        start, end = places[first], places[last - 1] + 1
        before = len(form) - len(form.lstrip(_SIGNS))
        if before and text[max(0, start - before) : start] == form[:before]:
            start -= before
        after = len(form) - len(form.rstrip(_SIGNS))
        if after and text[end : end + after] == form[len(form) - after :]:
            end += after
        if last - first >= CERTAIN or _in_order(form.lower(), text[start:end].lower()):
            tail = text[end : end + 2]
            yield start, end + len(tail) - len(tail.lstrip("="))


_SIGNS = "".join(chr(number) for number in range(33, 127) if not chr(number).isalnum())


def _in_order(form: str, text: str) -> bool:
    at = 0
    for letter in form:
        at = text.find(letter, at) + 1
        if not at:
            return False
    return True


def _letters(text: str, wanted: Sequence[int]) -> Iterator[int]:
    """Where the letters and digits with these numbers (ascending) stand in a text."""
    data = text.encode("ascii", "replace")
    seen, start = 0, -_BLOCK
    many, block = 0, b""
    places: list[int] = []
    for number in wanted:
        while seen + many <= number:
            seen, start = seen + many, start + _BLOCK
            block, places = data[start : start + _BLOCK], []
            many = len(block.translate(None, _OTHER))
        if not places:
            places = [at for at, byte in enumerate(block, start) if byte not in _SKIPPED]
        yield places[number - seen]


_SKIPPED = frozenset(_OTHER)
