"""Prices of judges and editors: one table with dates and sources (``prices.json``), one way to find
a model in it, how many tokens go in, and how a bill is made of a reply's usage record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import msgspec

from editgauge import schema
from editgauge.errors import DataError, UsageError

MOST_TOKENS = 10_000_000
"""Tokens of one call beyond which a usage record is not believed: no model takes or gives more."""
DEAREST_REPLY = 100.0
"""US dollars of one reply beyond which a cost that it tells is in other units."""
BYTES_A_TOKEN = 3.6
"""UTF-8 bytes of English rubric text in a token, roughly; Chinese has about one character in a
token.
"""
CAUTIOUS = 3.0
"""Bytes in a token for a reservation, which must not be too small."""
TYPICAL_REPLY = 150
"""Tokens of a usual reply (a reason and a score), for an estimate; a budget reserves the limit."""
Rate = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
_SNAPSHOT = re.compile(
    r"(?:[-@:_.](?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|\d{3,8}"
    r"|[0-9a-f]{8,40}|\d+(?:\.\d+)?b|a\d+b|preview|latest|exp|experimental|instruct|thinking"
    r"|awq|gptq|fp8|int[48]|moe))*"
)
"""What may follow a model's name and still be the model: dates, snapshots, sizes of weights."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a table. `source`: where the price is from, and of which date."""

    source: str = ""


class Price(Line, frozen=True, kw_only=True):
    """US dollars for a million tokens of a judge. `cached` is what repeated beginnings cost,
    `batch` the share that a call in a batch costs, `images` and `factor` the rule for picture
    tokens (see `image_tokens`).
    """

    input: Rate
    output: Rate
    cached: Rate | None = None
    batch: Rate = 0.5
    images: str = "openai-tiles"
    factor: Rate = 1.0

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

    def of_usage(self, usage: Usage, *, batch: bool = False) -> float:
        """Dollars of a usage record."""
        return self.of(usage.tokens_in, usage.tokens_out, usage.cached, batch=batch)


class ImagePrice(Line, frozen=True, kw_only=True):
    """US dollars of an image model: for a million tokens in as text, in as pictures, and out; and
    for one output. None = not known.
    """

    text_in: Rate | None = None
    image_in: Rate | None = None
    out: Rate | None = None
    picture: Rate | None = None

    def of(self, usage: Mapping[str, int] | None) -> float | None:
        """What a call cost. `usage` counts tokens under ``text_in``, ``image_in``, ``out``; without
        it, without those that came out, with counts that cannot be believed or that have no price,
        one output's price; None where neither is known.
        """
        rates = {"text_in": self.text_in, "image_in": self.image_in, "out": self.out}
        believed = all(_count(value) is not None for value in (usage or {}).values())
        if usage and believed and "out" in usage and self.out is not None:
            costs = [(usage[name], rate) for name, rate in rates.items() if usage.get(name)]
            if all(rate is not None for _, rate in costs):
                return round(sum(n * rate for n, rate in costs if rate) / 1e6, 6)
        return self.picture


# -- the table -------------------------------------------------------------------------------------


class _Table(msgspec.Struct, frozen=True):
    as_of: str
    sources: dict[str, str]
    judges: dict[str, Price]
    editors: dict[str, ImagePrice]


@cache
def _table() -> _Table:
    data = (resources.files("editgauge.services") / "prices.json").read_bytes()
    table = msgspec.json.decode(data, type=_Table)

    def dated(line: Any) -> Any:
        source = f"{table.sources[line.source]}, {table.as_of}"
        return msgspec.structs.replace(line, source=source)

    judges = {name: dated(line) for name, line in table.judges.items()}
    editors = {name: dated(line) for name, line in table.editors.items()}
    return msgspec.structs.replace(table, judges=judges, editors=editors)


def named(model: str, names: Iterable[str]) -> str | None:
    """The longest of `names` that the model is, without regard to case and a provider's prefix.

    A name is the model's own, or is followed by a date or another word of a snapshot alone:
    ``gpt-4o`` is ``gpt-4o-2024-11-20``, and is neither ``gpt-4o-mini`` nor ``gpt-4o-audio``;
    ``gpt-image-1`` is not ``gpt-image-1.5``. None when there is none.
    """
    wanted = model.lower().rpartition("/")[2]
    fits = [
        name
        for name in names
        if wanted.startswith(name.lower()) and _SNAPSHOT.fullmatch(wanted[len(name) :])
    ]
    return max(fits, key=len) if fits else None


def load_prices(own: Path | None = None) -> dict[str, Price]:
    """Prices of judges: the package's table, with the lines of the user's file in place of, or
    beside, its own. Raises `UsageError` for a file that is no such table, naming the line.
    """
    return _table().judges | ({} if own is None else _own(own))


def _own(path: Path) -> dict[str, Price]:
    try:
        table = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        lines = table.get("models", table)
        prices = {name: schema.convert(line, Price, repr(name)) for name, line in lines.items()}
        for price in prices.values():
            image_tokens(price.images, 64, 64, price.factor)
    except (OSError, msgspec.DecodeError, DataError, AttributeError) as error:
        wanted = '{"models": {"<id>": {"input": 2.5, "output": 10}}}'
        why = f"{path}: {error}; wanted JSON such as {wanted}"
        raise UsageError(why, argument="prices") from error
    return {
        name: msgspec.structs.replace(price, source=price.source or path.name)
        for name, price in prices.items()
    }


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a judge, found by `named`. None when there is none."""
    name = named(model, prices)
    return None if name is None else prices[name]


def price_as_given(text: str, known: Price | None = None) -> Price:
    """``IN/OUT`` as a price: US dollars for a million tokens in and out. The rule for picture
    tokens is that of the `known` price. Raises `UsageError` for other words.
    """
    try:
        parts = [float(part) for part in text.split("/")]
    except ValueError:
        parts = []
    if len(parts) != 2 or not all(0 <= part < 1e6 for part in parts):
        why = f"{text!r}: wanted IN/OUT, US dollars for a million tokens in and out, such as 2.5/10"
        raise UsageError(why, argument="price")
    rule = (known.images, known.factor) if known is not None else ("openai-tiles", 1.0)
    return Price(input=parts[0], output=parts[1], images=rule[0], factor=rule[1], source="as given")


def image_price_of(model: str, given: float | None = None) -> ImagePrice:
    """The price of an image model, found by `named`; `given` is one output's, said by the user: in
    a batch, too.
    """
    if given is not None:
        return ImagePrice(picture=given, source="as given")
    name = named(model, _table().editors)
    return ImagePrice() if name is None else _table().editors[name]


# -- bills -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one chat reply, as its own record says."""

    tokens_in: int
    tokens_out: int
    cached: int = 0


def usage_of(record: Any, *, least: float = 1.0, least_out: float = 0.0) -> Usage | None:
    """A chat reply's usage record, or None where it is no bill.

    Not believed: a record that lacks a count, counts in texts or fractions, below zero or above
    `MOST_TOKENS`, or fewer tokens in than `least` or out than `least_out`. Tokens out include those
    that only the sum tells of, and a count of thinking, wherever it stands in the record, that is
    larger: some servers leave thinking out of ``completion_tokens``.
    """
    if not isinstance(record, Mapping):
        return None
    tokens_in = _count(record.get("prompt_tokens", record.get("input_tokens")))
    tokens_out = _count(record.get("completion_tokens", record.get("output_tokens")))
    if tokens_in is None or tokens_out is None or tokens_out < least_out:
        return None
    if "prompt_tokens" not in record:  # Anthropic counts what its cache wrote or read apart
        cache = (f"cache_{done}_input_tokens" for done in ("creation", "read"))
        tokens_in += sum(_count(record.get(name)) or 0 for name in cache)
    if tokens_in < max(1.0, least):
        return None
    total = _count(record.get("total_tokens")) or 0
    thought = _thought(record)
    tokens_out = max(tokens_out + (thought if thought > tokens_out else 0), total - tokens_in)
    details = record.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    return Usage(tokens_in, tokens_out, min(cached or 0, tokens_in))


def told_cost(record: Any) -> float | None:
    """The US dollars that a usage record names itself (OpenRouter's ``cost``), or None where it
    names none that can be believed: a number from 0 to `DEAREST_REPLY`.
    """
    told = record.get("cost") if isinstance(record, Mapping) else None
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return float(told) if 0 <= told <= DEAREST_REPLY else None


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
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if fine else None


# -- tokens that go in -----------------------------------------------------------------------------

_TILES = {"openai-tiles": (85, 170), "openai-tiles-mini": (2833, 5667)}
_SIDES = {"qwen2.5-vl": 28, "qwen3-vl": 32}


def image_tokens(rule: str, width: int, height: int, factor: float = 1.0) -> int:
    """Tokens of one picture of `width` x `height` pixels under a provider's published rule.

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
        fit = min(1.0, 2048 / max(width, height))
        scale = fit * min(1.0, 768 / (min(width, height) * fit))
        return base + tile * math.prod(
            math.ceil(side * scale / 512 - 1e-9) for side in (width, height)
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
    if rule in _SIDES:
        side = _SIDES[rule]
        return max(1, round(width / side)) * max(1, round(height / side)) + 2
    known = ", ".join([*_TILES, "openai-patches", "gemini-flat", "gemini-crops", *_SIDES])
    raise UsageError(f"image rule {rule!r} in the price table: wanted one of {known}")


def estimate_input(
    text_bytes: int,
    sizes: Sequence[tuple[int, int]],
    rule: str = "openai-tiles",
    factor: float = 1.0,
    *,
    bytes_a_token: float = BYTES_A_TOKEN,
) -> int:
    """Tokens that go in: words by their bytes, pictures by the provider's `rule` and `factor`. An
    estimate, until the server's own usage says what it was.
    """
    return math.ceil(text_bytes / bytes_a_token) + sum(
        image_tokens(rule, *size, factor) for size in sizes
    )
