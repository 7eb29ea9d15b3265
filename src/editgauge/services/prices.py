"""Prices of judges and editors: one table with dates and sources (``prices.json``), how many tokens
go in, and how a bill is made of a reply's usage record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import msgspec

from editgauge.errors import UsageError

MOST_TOKENS = 10_000_000
"""Tokens of one call beyond which a usage record is not believed: no model takes or gives more."""
DEAREST_REPLY = 100.0
"""US dollars of one reply beyond which a cost that it tells is in other units."""
BYTES_A_TOKEN = 3.6
"""UTF-8 bytes of English rubric text in a token, roughly."""
CAUTIOUS = 3.0
"""Bytes in a token for a reservation, which must not be too small."""
TYPICAL_REPLY = 150
"""Tokens of a usual reply (a reason and a score), for an estimate; a budget reserves the limit."""
_SNAPSHOT = re.compile(
    r"(?:[-@:_.](?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|\d{3,8}"
    r"|[0-9a-f]{8,40}|\d+(?:\.\d+)?b|a\d+b|preview|latest|exp|experimental|instruct|thinking"
    r"|awq|gptq|fp8|int[48]|moe))*"
)
"""What may follow a model's name and still be the model: dates, snapshots, sizes of weights."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens of a judge. `cached`: of repeated beginnings; `batch`: the
    share that a batch costs; `images` and `factor`: the rule for picture tokens (see `_RULES`).
    """

    input: float
    output: float
    cached: float | None = None
    batch: float = 0.5
    images: str = "openai-tiles"
    factor: float = 1.0
    source: str = ""

    @property
    def free(self) -> bool:
        """Whether nothing costs anything: no budget can be kept with such a price."""
        return not self.input and not self.output

    def of(
        self, tokens_in: float, tokens_out: float, cached: float = 0.0, *, batch: bool = False
    ) -> float:
        """Dollars of so many tokens, `cached` of the input ones at the cached price."""
        cheap = self.input if self.cached is None else self.cached
        fresh = (tokens_in - cached) * self.input
        total = (fresh + cached * cheap + tokens_out * self.output) / 1e6
        return total * self.batch if batch else total


class ImagePrice(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars of an image model, for a million tokens and for one output; None = not known.

    `out` is the price of pictures, `text_out` that of text and thinking: None where the provider
    names none of its own, and then they cost as pictures do.
    """

    text_in: float | None = None
    image_in: float | None = None
    text_out: float | None = None
    out: float | None = None
    picture: float | None = None
    source: str = ""

    def of(self, usage: Mapping[str, int] | None) -> float | None:
        """What a call cost, by its token counts under ``text_in``, ``image_in``, ``text_out`` and
        ``out``; one output's price where these cannot be believed or have no price.
        """
        text_out = self.out if self.text_out is None else self.text_out
        rates = {
            "text_in": self.text_in,
            "image_in": self.image_in,
            "text_out": text_out,
            "out": self.out,
        }
        counts = usage or {}
        billed = [(_count(n), rates.get(name)) for name, n in counts.items() if n or name == "out"]
        if "out" not in counts or any(None in pair for pair in billed):
            return self.picture
        return round(sum((n or 0) * (rate or 0.0) for n, rate in billed) / 1e6, 6)


# -- the table -------------------------------------------------------------------------------------


class _Table(msgspec.Struct, frozen=True):
    sources: dict[str, str]
    judges: dict[str, Price]
    editors: dict[str, ImagePrice]


@cache
def _table() -> _Table:
    data = (resources.files("editgauge.services") / "prices.json").read_bytes()
    return msgspec.json.decode(data, type=_Table)


def _line(model: str, lines: Mapping[str, Any]) -> Any:
    """The line of a model, its source written out: of those that the model is (``gpt-4o`` is
    ``gpt-4o-2024-11-20``, neither ``gpt-4o-mini`` nor ``gpt-4o-audio``) the longest. None where
    there is none.
    """
    wanted = model.lower().rpartition("/")[2]
    fits = [
        name
        for name in lines
        if wanted.startswith(name) and _SNAPSHOT.fullmatch(wanted[len(name) :])
    ]
    if not fits:
        return None
    line = lines[max(fits, key=len)]
    return msgspec.structs.replace(line, source=_table().sources[line.source])


def judges() -> dict[str, Price]:
    """Every judge of the table."""
    return {name: _line(name, _table().judges) for name in _table().judges}


def price_of(model: str) -> Price | None:
    """The price of a judge by the table. None when there is none."""
    price: Price | None = _line(model, _table().judges)
    return price


def price_as_given(text: str, known: Price | None = None) -> Price:
    """``IN/OUT`` as a price, with the `known` price's rule for pictures. Raises `UsageError`."""
    try:
        parts = [float(part) for part in text.split("/")]
    except ValueError:
        parts = []
    if len(parts) != 2 or not all(0 <= part < 1e6 for part in parts):
        why = f"{text!r}: wanted IN/OUT, US dollars for a million tokens in and out, such as 2.5/10"
        raise UsageError(why, argument="price")
    price = known or Price(input=0.0, output=0.0)
    given = {"input": parts[0], "output": parts[1], "cached": None, "batch": 0.5}
    return msgspec.structs.replace(price, **given, source="as given")


def image_price_of(model: str, given: float | None = None) -> ImagePrice:
    """The price of an image model by the table; `given` is one output's, said by the user."""
    if given is not None:
        return ImagePrice(picture=given, source="as given")
    price: ImagePrice = _line(model, _table().editors) or ImagePrice()
    return price


# -- bills -----------------------------------------------------------------------------------------


class Usage(NamedTuple):
    """Tokens of one chat reply, as its own record says."""

    tokens_in: int
    tokens_out: int
    cached: int = 0


def usage_of(record: Any, *, least: float = 1.0, least_out: float = 0.0) -> Usage:
    """A chat reply's usage record. Raises `ValueError`, with why, for one that is no bill: a count
    is missing, not whole, above `MOST_TOKENS`, or below `least` in or `least_out` out. Tokens out
    include those that only the sum tells of, and a larger count of thinking: some servers leave it
    out of the completion.
    """
    if not isinstance(record, Mapping) or not record:
        raise ValueError("no usage record")
    tokens_in = _count(record.get("prompt_tokens"))
    tokens_out = _count(record.get("completion_tokens"))
    if tokens_in is None or tokens_out is None:
        raise ValueError(f"tokens are missing, or no whole number up to {MOST_TOKENS:,}")
    if tokens_out < least_out:
        raise ValueError("fewer tokens out than the reply must have")
    if tokens_in < max(1.0, least):
        raise ValueError("fewer tokens in than the request must have")
    total, thought = _count(record.get("total_tokens")) or 0, _thought(record)
    tokens_out = max(tokens_out + (thought if thought > tokens_out else 0), total - tokens_in)
    details = record.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    return Usage(tokens_in, tokens_out, min(cached or 0, tokens_in))


def told_cost(record: Any) -> float | None:
    """The US dollars that a usage record names itself (OpenRouter's ``cost``), up to
    `DEAREST_REPLY`, else None.
    """
    cost: Any = record.get("cost") if isinstance(record, Mapping) else None
    return float(cost) if type(cost) in (int, float) and 0 <= cost <= DEAREST_REPLY else None


_THINKING = re.compile("reason|think|thought", re.IGNORECASE)


def _thought(record: Mapping[Any, Any], levels: int = 3) -> int:
    """The largest count in a usage record under a name that tells of thinking; 0 where none is."""
    most = 0
    for name, value in record.items():
        if isinstance(value, Mapping):
            most = max(most, _thought(value, levels - 1) if levels else 0)
        elif _THINKING.search(str(name)):
            most = max(most, _count(value) or 0)
    return most


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


# -- tokens that go in -----------------------------------------------------------------------------


def _tiles(width: int, height: int) -> int:
    """OpenAI's tiles of 512, after fitting into 2048 x 2048 and shrinking the short side to 768."""
    fit = min(1.0, 2048 / max(width, height))
    scale = fit * min(1.0, 768 / (min(width, height) * fit))
    return math.prod(math.ceil(side * scale / 512 - 1e-9) for side in (width, height))


def _crops(width: int, height: int) -> int:
    if max(width, height) <= 384:
        return 1
    unit = min(max(256, math.floor(min(width, height) / 1.5)), 768)
    return math.ceil(width / unit) * math.ceil(height / unit)


def _sides(side: int) -> Callable[[int, int], int]:
    return lambda width, height: max(1, round(width / side)) * max(1, round(height / side)) + 2


_RULES: Mapping[str, Callable[[int, int], int]] = {
    "openai-tiles": lambda w, h: 85 + 170 * _tiles(w, h),
    "openai-tiles-mini": lambda w, h: 2833 + 5667 * _tiles(w, h),
    "openai-patches": lambda w, h: min(math.ceil(w / 32) * math.ceil(h / 32), 1536),
    "gemini-flat": lambda w, h: 1120,
    "gemini-crops": lambda w, h: 258 * _crops(w, h),
    "qwen2.5-vl": _sides(28),
    "qwen3-vl": _sides(32),
}
"""The providers' published rules: tokens of one picture by its width and height in pixels."""


def estimate_input(
    text_bytes: int,
    sizes: Sequence[tuple[int, int]],
    price: Price | None = None,
    *,
    bytes_a_token: float = BYTES_A_TOKEN,
) -> int:
    """An estimate of the tokens in: words by their bytes, pictures by the provider's rule."""
    price = price or Price(input=0.0, output=0.0)
    tokens = (math.ceil(_RULES[price.images](*size) * price.factor) for size in sizes)
    return math.ceil(text_bytes / bytes_a_token) + sum(tokens)
