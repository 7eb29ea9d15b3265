"""How much of a JSON text from outside is read: one of 60 MB that is all brackets becomes two
gigabytes of Python's objects.
"""

from __future__ import annotations

MOST_PARTS = 2_000_000
"""Values of one text, and commas in its texts: each takes up to some 200 bytes once it is read."""


def parts(text: str | bytes) -> int:
    """The values of a JSON text at the most: its commas and opening brackets, also in its texts."""
    if isinstance(text, bytes):
        return sum(map(text.count, (b"[", b"{", b",")))
    return sum(map(text.count, ("[", "{", ",")))


def crowded(text: str | bytes) -> bool:
    """Whether a JSON text may hold more than `MOST_PARTS` values. A short one costs nothing."""
    return len(text) > MOST_PARTS and parts(text) > MOST_PARTS


def uncrowded(text: bytes) -> bytes:
    """`text` as it is. Raises `ValueError` where it is `crowded`."""
    if crowded(text):
        raise ValueError(f"more than {MOST_PARTS:,} values")
    return text
