"""SQLite's write-ahead log, read without SQLite: it stops at the first page that is not as it was
written, without a word, and the pages behind it would be lost with the next command.

The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PAGE = 4096
"""Bytes of a page of a file that editgauge makes."""
_HEADER, _FRAME = 32, 24 + PAGE
_MAGIC = {0x377F0682: "<u4", 0x377F0683: ">u4"}
"""The first number of a log -> how its checksums read the words of a page."""
_SUMMED = (8 + PAGE) // 4
"""Words of a frame that its checksum is of: its page number and size, and the page."""
_WORD = 0xFFFFFFFF


class Frame(NamedTuple):
    """One page in the log. `commit`: pages of the file after the transaction that ends here, else
    0. `bad`: it is not what was written, so that SQLite reads neither it nor what lies behind.
    """

    page: int
    commit: int
    content: bytes
    bad: bool


def need_whole(database: Path) -> None:
    """Raise `sqlite3.DatabaseError` where the log of a database has sound pages behind a bad one.
    Half a page at its end is none: so a command ends that is killed.
    """
    for _ in range(2):  # who writes at this moment may begin the log anew
        behind = _sound_behind_bad(frames(_log_of(database)))
        if not behind:
            return
    raise sqlite3.DatabaseError(
        f"its write-ahead log: a page is not what was written, and {behind} sound pages lie behind "
        "it"
    )


def _log_of(database: Path) -> bytes:
    with contextlib.suppress(OSError):
        log = Path(f"{database}-wal")
        if os.path.getsize(log) > _HEADER:
            return log.read_bytes()
    return b""


def _sound_behind_bad(every: list[Frame]) -> int:
    first = next((number for number, frame in enumerate(every) if frame.bad), len(every))
    return sum(not frame.bad for frame in every[first:])


def frames(log: bytes) -> list[Frame]:
    """Return the pages of a log in their order, without those that an older use of the file has
    left behind its end; an empty list where there are none.
    """
    number = max(0, (len(log) - _HEADER) // _FRAME)
    if not number:
        return []
    import numpy as np  # 100 ms, which a run without a log does not wait for

    starts = [_HEADER + _FRAME * at for at in range(number)]
    heads = [struct.unpack(">6I", log[start : start + 24]) for start in starts]
    magic, *_, salt, other_salt = struct.unpack(">6I", log[:24])
    order = _MAGIC.get(magic, "<u4")
    body = np.frombuffer(log, np.uint8, number * _FRAME, _HEADER).reshape(number, _FRAME)
    summed = np.concatenate([body[:, :8], body[:, 24:]], axis=1)
    sums = _sums(summed.view(order).astype(np.uint32))
    first = _sums(np.frombuffer(log[:24], order).astype(np.uint32)[None])[0]
    header = struct.unpack(">2I", log[24:32])
    header_sound = _sum((0, 0), first, words=6) == header and magic in _MAGIC
    salts = (salt, other_salt) if header_sound else heads[0][2:4]
    before, every = header, list[Frame]()
    for at, (page, commit, mine, others, *mark) in enumerate(heads):
        linked = header_sound or at > 0
        linked = linked and _sum(before, sums[at], words=_SUMMED) == tuple(mark)
        before = (mark[0], mark[1])
        content = log[starts[at] + 24 : starts[at] + _FRAME]
        every.append(Frame(page, commit, content, bad=not linked or (mine, others) != salts))
    while every and every[-1].bad:  # half a page, or of an older use of the file
        every.pop()
    return every


@functools.cache
def _powers(words: int) -> tuple[NDArray[np.uint32], tuple[int, int, int, int]]:
    """Return what each word adds to the two numbers of a checksum, (2, words), and what the numbers
    before it add: their checksum is ``a += word + b; b += next word + a`` for each two words.
    """
    import numpy as np

    weights = np.zeros((2, words), np.uint32)
    a_of_a, a_of_b, b_of_a, b_of_b = 1, 0, 0, 1
    for pair in reversed(range(words // 2)):
        # one step takes (a, b) to (a + b + x, a + 2b + x + y): all steps behind it are known
        weights[0, 2 * pair] = (a_of_a + a_of_b) & _WORD
        weights[1, 2 * pair] = (b_of_a + b_of_b) & _WORD
        weights[0, 2 * pair + 1] = a_of_b
        weights[1, 2 * pair + 1] = b_of_b
        a_of_a, a_of_b = (a_of_a + a_of_b) & _WORD, (a_of_a + 2 * a_of_b) & _WORD
        b_of_a, b_of_b = (b_of_a + b_of_b) & _WORD, (b_of_a + 2 * b_of_b) & _WORD
    return weights, (a_of_a, a_of_b, b_of_a, b_of_b)


def _sums(words: NDArray[np.uint32]) -> Any:
    """Return what the words of each frame (N, words) add to its checksum, (N, 2)."""
    return words @ _powers(words.shape[1])[0].T


def _sum(before: tuple[int, ...], added: Any, *, words: int) -> tuple[int, int]:
    """Return a checksum of the one before it and of what its own words add."""
    a_of_a, a_of_b, b_of_a, b_of_b = _powers(words)[1]
    a = (a_of_a * before[0] + a_of_b * before[1] + int(added[0])) & _WORD
    b = (b_of_a * before[0] + b_of_b * before[1] + int(added[1])) & _WORD
    return a, b


def applied(data: bytes, database: Path) -> list[bytes]:
    """Return the bytes of a database with its log in it, up to the last whole transaction: first
    with all pages, then without the bad ones, where there are any: in a bad one either the page
    may be another, or its place.
    """
    every = frames(_log_of(database))
    ends = [number for number, frame in enumerate(every) if frame.commit and not frame.bad]
    every = every[: ends[-1] + 1] if ends else []
    images = [_with(data, every)]
    if any(frame.bad for frame in every):
        images.append(_with(data, [frame for frame in every if not frame.bad]))
    return images


def _with(data: bytes, every: list[Frame]) -> bytes:
    image, pages = bytearray(data), len(data) // PAGE + len(every)
    for frame in every:
        if 0 < frame.page <= pages:
            end = frame.page * PAGE
            image.extend(bytes(max(0, end - len(image))))
            image[end - PAGE : end] = frame.content
    return bytes(image)
