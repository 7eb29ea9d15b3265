"""How many tokens go in: image tokens by the providers' published rules, words by their bytes.

Every number here is an estimate until the server's own usage says what it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from editgauge.errors import UsageError

BYTES_A_TOKEN = 3.6
"""UTF-8 bytes of English rubric text in a token, roughly; Chinese has about one character in a
token.
"""
CAUTIOUS = 3.0
"""Bytes in a token for a reservation, which must not be too small."""
TYPICAL_REPLY = 150
"""Tokens of a usual reply (a reason and a score): for `--estimate`. A budget reserves the whole
limit instead.
"""
_TILES = {"openai-tiles": (85, 170), "openai-tiles-mini": (2833, 5667)}


def image_tokens(rule: str, width: int, height: int, factor: float = 1.0) -> int:
    """Tokens of one picture of `width` x `height` pixels under a provider's rule.

    ``openai-tiles``: 85 + 170 for each 512-pixel tile, after fitting into 2048 x 2048 and shrinking
    the short side to 768 (``-mini``: 2833 + 5667). ``openai-patches``: 32-pixel patches, at most
    1536, times `factor`. ``gemini-flat``: 1120. ``gemini-crops``: 258, or 258 for each crop of a
    picture larger than 384. ``qwen2.5-vl``: sides to multiples of 28, H·W / 784 + 2; ``qwen3-vl``:
    32 and 1024. Raises `UsageError` for another.
    """
    if width < 1 or height < 1:
        raise ValueError(f"a picture of {width} x {height}: wanted 1 x 1 at least")
    if rule in _TILES:
        base, tile = _TILES[rule]
        scale = min(1.0, 2048 / max(width, height))
        wide, high = width * scale, height * scale
        shrink = min(1.0, 768 / min(wide, high))
        return base + tile * math.ceil(wide * shrink / 512 - 1e-9) * math.ceil(
            high * shrink / 512 - 1e-9
        )
    if rule == "openai-patches":
        patches = math.ceil(width / 32) * math.ceil(height / 32)
        return math.ceil(min(patches, 1536) * factor)
    if rule == "gemini-flat":
        return 1120
    if rule == "gemini-crops":
        if max(width, height) <= 384:
            return 258
        unit = min(max(256, math.floor(min(width, height) / 1.5)), 768)
        return 258 * math.ceil(width / unit) * math.ceil(height / unit)
    if rule in ("qwen2.5-vl", "qwen3-vl"):
        side = 28 if rule == "qwen2.5-vl" else 32
        return max(1, round(width / side)) * max(1, round(height / side)) + 2
    known = ", ".join(
        [*_TILES, "openai-patches", "gemini-flat", "gemini-crops", "qwen2.5-vl", "qwen3-vl"]
    )
    raise UsageError(f"image rule {rule!r} in the price table: wanted one of {known}")


def estimate_input(
    text_bytes: int,
    sizes: Sequence[tuple[int, int]],
    rule: str = "openai-tiles",
    factor: float = 1.0,
    *,
    bytes_a_token: float = BYTES_A_TOKEN,
) -> int:
    """Tokens that go in: words by their bytes, pictures by the provider's `rule` and `factor`."""
    return math.ceil(text_bytes / bytes_a_token) + sum(
        image_tokens(rule, *size, factor) for size in sizes
    )
