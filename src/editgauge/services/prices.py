"""Prices of judges and editors: one table with dates and sources, one way to find a model in it,
and how a bill is made of a reply's usage record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import UsageError
from editgauge.services.cost import image_tokens

BATCH = 0.5
"""The share of its price that a call in a batch costs, where a table says nothing else."""
MOST_TOKENS = 10_000_000
"""Tokens of one call beyond which a usage record is not believed: no model takes or gives more."""
DEAREST_REPLY = 100.0
"""US dollars of one reply beyond which a cost that it tells is in other units."""
_SNAPSHOT = re.compile(
    r"(?:[-@:_.](?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|\d{3,8}"
    r"|[0-9a-f]{8,40}|\d+(?:\.\d+)?b|a\d+b|preview|latest|exp|experimental|instruct|thinking"
    r"|awq|gptq|fp8|int[48]|moe))*"
)
"""What may follow a model's name and still be the model: dates, snapshots, sizes of weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens of a judge. `cached` is what repeated beginnings cost,
    `batch` the share of a batch, `images` and `factor` the rule for picture tokens (see `cost`).
    """

    input: float
    output: float
    cached: float | None = None
    batch: float = BATCH
    images: str = "openai-tiles"
    factor: float = 1.0
    source: str = ""
    """Where the price is from, and of which date."""

    @property
    def free(self) -> bool:
        """Whether nothing costs anything: no budget can be kept with such a price."""
        return not self.input and not self.output

    def of(
        self, tokens_in: float, tokens_out: float, cached: float = 0.0, *, batch: bool = False
    ) -> float:
        """Dollars of so many tokens, `cached` of the input ones at the cached price."""
        cheap = self.input if self.cached is None else self.cached
        total = (
            (tokens_in - cached) * self.input + cached * cheap + tokens_out * self.output
        ) / 1e6
        return total * self.batch if batch else total

    def of_usage(self, usage: Usage, *, batch: bool = False) -> float:
        """Dollars of a usage record."""
        return self.of(usage.tokens_in, usage.tokens_out, usage.cached, batch=batch)


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
    that only the sum tells of, or a count of thinking, wherever it stands in the record, that is
    larger (some servers leave thinking out of ``completion_tokens``); tokens in likewise a larger
    count of pictures.
    """
    if not isinstance(record, Mapping):
        return None
    tokens_in = _count(record.get("prompt_tokens", record.get("input_tokens")))
    tokens_out = _count(record.get("completion_tokens", record.get("output_tokens")))
    if tokens_in is None or tokens_out is None or tokens_out < least_out:
        return None
    if "prompt_tokens" not in record:  # Anthropic counts what its cache wrote or read apart
        tokens_in += sum(_count(record.get(f"cache_{done}_input_tokens")) or 0 for done in _CACHE)
    if tokens_in < max(1.0, least):
        return None
    seen, thought = _most(record, _SEEN), _most(record, _THOUGHT)
    tokens_in += seen if seen > tokens_in else 0
    tokens_out += thought if thought > tokens_out else 0
    total = _count(record.get("total_tokens"))
    if total is not None:
        tokens_out = max(tokens_out, total - tokens_in)
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


_CACHE = ("creation", "read")
_THOUGHT = re.compile("reason|think|thought", re.IGNORECASE)
_SEEN = re.compile("image|vision|picture", re.IGNORECASE)


def _most(record: Mapping[Any, Any], names: re.Pattern[str], levels: int = 3) -> int:
    """The largest count in a usage record under a name that tells of `names`; 0 where none is."""
    most = 0
    for name, value in record.items():
        if isinstance(value, Mapping):
            most = max(most, _most(value, names, levels - 1) if levels else 0)
        elif names.search(str(name)):
            most = max(most, _count(value) or 0)
    return most


def _count(value: Any) -> int | None:
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if fine else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePrice:
    """US dollars of an image model: for a million tokens in as text, in as pictures, and out; and
    for one output. None = not known.
    """

    text_in: float | None = None
    image_in: float | None = None
    out: float | None = None
    picture: float | None = None
    source: str = ""
    batch: float = BATCH

    def times(self, share: float) -> ImagePrice:
        """The same prices times a share: those in a batch."""

        def part(rate: float | None) -> float | None:
            return None if rate is None else rate * share

        return replace(
            self,
            text_in=part(self.text_in),
            image_in=part(self.image_in),
            out=part(self.out),
            picture=part(self.picture),
        )

    def of(self, usage: Mapping[str, int] | None, *, batch: bool = False) -> float | None:
        """What a call cost; in a batch, its share of that.

        `usage` counts tokens under ``text_in``, ``image_in``, ``out``; without it, without those
        that came out, with counts that cannot be believed or that have no price, one output's
        price; None where neither is known.
        """
        rates = {"text_in": self.text_in, "image_in": self.image_in, "out": self.out}
        believed = all(_count(value) is not None for value in (usage or {}).values())
        if usage and believed and "out" in usage and self.out is not None:
            costs = [(usage[name], rate) for name, rate in rates.items() if usage.get(name)]
            if all(rate is not None for _, rate in costs):
                share = self.batch if batch else 1.0
                return round(share * sum(n * rate for n, rate in costs if rate) / 1e6, 6)
        return self.picture if self.picture is None or not batch else self.picture * self.batch


@dataclass(frozen=True, slots=True)
class _Table:
    as_of: str
    sources: Mapping[str, str]
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    editors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def told(self, line: Mapping[str, Any]) -> str:
        """A line's source and date in words."""
        source = str(line.get("source") or "")
        return f"{self.sources.get(source, source)}, {line.get('as_of', self.as_of)}"


@cache
def _table() -> _Table:
    value = orjson.loads((resources.files("editgauge.services") / "prices.json").read_bytes())
    return _Table(value["as_of"], value["sources"], value["judges"], value["editors"])


def named(model: str, names: Any) -> str | None:
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
    beside, its own.

    Raises `UsageError` for a file that is no such table, naming the line.
    """
    table = _table()
    lines = {name: {**line, "source": table.told(line)} for name, line in table.judges.items()}
    if own is not None:
        lines |= _own(own)
    return {name: _price(name, line) for name, line in lines.items()}


def _own(path: Path) -> dict[str, Any]:
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise UsageError(f"--prices {path}: wanted a JSON file ({error})") from error
    lines = value.get("models", value) if isinstance(value, dict) else None
    if not isinstance(lines, dict):
        raise UsageError(
            f'--prices {path}: wanted {{"models": {{"<id>": {{"input": …, "output": …}}}}}}'
        )
    return {
        name: {"source": path.name, **line} if isinstance(line, dict) else line
        for name, line in lines.items()
    }


def _price(name: str, line: Any) -> Price:
    try:
        price = Price(**{key: value for key, value in line.items() if key != "as_of"})
        image_tokens(price.images, 64, 64, price.factor)
        if min(price.input, price.output) < 0 or not max(price.input, price.output) <= 1e6:
            raise ValueError("a price below 0, or above a dollar a token")
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"price of {name!r}: {error}; wanted input and output, and perhaps cached, batch, "
            f"images"
        ) from error
    return price


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a judge, found by `named`. None when there is none."""
    name = named(model, prices)
    return None if name is None else prices[name]


def price_as_given(text: str, known: Price | None = None) -> Price:
    """``IN/OUT`` of an option ``--price`` as a price: US dollars for a million tokens in and out.

    The rule for picture tokens is that of the `known` price. Raises `UsageError` for other words.
    """
    try:
        parts = [float(part) for part in text.split("/")]
    except ValueError:
        parts = []
    if len(parts) != 2 or not all(0 <= part < 1e6 for part in parts):
        raise UsageError(
            f"--price {text!r}: wanted IN/OUT, US dollars for a million tokens in and out, for "
            f"example --price 2.5/10"
        )
    rule = (known.images, known.factor) if known is not None else ("openai-tiles", 1.0)
    return Price(input=parts[0], output=parts[1], images=rule[0], factor=rule[1], source="--price")


def image_price_of(model: str, given: float | None = None) -> ImagePrice:
    """The price of an image model, found by `named`; `given` is one output's, said by the user: in
    a batch, too.
    """
    if given is not None:
        return ImagePrice(picture=given, source="--price", batch=1.0)
    table = _table()
    name = named(model, table.editors)
    if name is None:
        return ImagePrice()
    line = {key: value for key, value in table.editors[name].items() if key != "as_of"}
    return ImagePrice(**{**line, "source": table.told(table.editors[name])})
