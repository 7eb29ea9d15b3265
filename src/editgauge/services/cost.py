"""What judging costs: image tokens by the providers' published rules, prices from a data file, and
a budget.

Every number here is an estimate until the server's own usage says what it was; the ratio of the two
is learned from the first calls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import UsageError

BYTES_A_TOKEN = 3.6
"""UTF-8 bytes of English rubric text in a token, roughly; Chinese has about one character in a
token.
"""
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


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens. `cached` is what repeated beginnings cost, `batch` the share
    of a batch.
    """

    input: float
    output: float
    cached: float | None = None
    batch: float = 0.5
    images: str = "openai-tiles"
    factor: float = 1.0

    def of(
        self, tokens_in: float, tokens_out: float, cached: float = 0.0, *, batch: bool = False
    ) -> float:
        """Dollars of so many tokens, `cached` of the input ones at the cached price."""
        cheap = self.input if self.cached is None else self.cached
        total = (
            (tokens_in - cached) * self.input + cached * cheap + tokens_out * self.output
        ) / 1e6
        return total * self.batch if batch else total

    def of_usage(self, usage: Mapping[str, Any], *, batch: bool = False) -> float:
        """Dollars of a reply's own usage record."""
        details = usage.get("prompt_tokens_details")
        cached = _number(details.get("cached_tokens")) if isinstance(details, dict) else 0.0
        return self.of(
            _number(usage.get("prompt_tokens")),
            _number(usage.get("completion_tokens")),
            cached,
            batch=batch,
        )


def load_prices(own: Path | None = None) -> dict[str, Price]:
    """The package's price table, with the lines of the user's file in place of, or beside, its own.

    Raises `UsageError` for a file that is no such table, naming the line.
    """
    table = orjson.loads((resources.files("editgauge.judging") / "prices.json").read_bytes())[
        "models"
    ]
    if own is not None:
        try:
            value = orjson.loads(own.read_bytes())
        except (OSError, orjson.JSONDecodeError) as error:
            raise UsageError(f"--prices {own}: wanted a JSON file ({error})") from error
        lines = value.get("models", value) if isinstance(value, dict) else None
        if not isinstance(lines, dict):
            raise UsageError(
                f'--prices {own}: wanted {{"models": {{"<id>": {{"input": …, "output": …}}}}}}'
            )
        table = {**table, **lines}
    prices = {}
    for name, line in table.items():
        try:
            prices[name] = Price(**line)
            image_tokens(prices[name].images, 64, 64, prices[name].factor)
            if min(prices[name].input, prices[name].output) < 0:
                raise ValueError("a price below 0")
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"price of {name!r}: {error}; wanted input and output, and perhaps cached, batch, "
                f"images"
            ) from error
    return prices


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model: its own line, else that of the longest name it begins with (``gpt-4o``
    for ``gpt-4o-2024-11-20``), without regard to case and a provider's prefix. None when there is
    none.
    """
    name = model.lower().rpartition("/")[2]
    fits = [
        known
        for known in prices
        if name == known.lower() or name.startswith((known.lower() + "-", known.lower() + "@"))
    ]
    return prices[max(fits, key=len)] if fits else None


def estimate_input(text_bytes: int, sizes: Sequence[tuple[int, int]], price: Price | None) -> int:
    """Tokens that go in: words by their bytes, pictures by the provider's rule (OpenAI's when there
    is no price).
    """
    rule, factor = (price.images, price.factor) if price else ("openai-tiles", 1.0)
    return math.ceil(text_bytes / BYTES_A_TOKEN) + sum(
        image_tokens(rule, *size, factor) for size in sizes
    )


@dataclass(slots=True)
class Budget:
    """Money that may be spent by one command. Calls reserve their worst case before they are
    sent.
    """

    limit: float | None = None
    spent: float = 0.0
    reserved: float = 0.0
    known: bool = True
    """False when replies came without a price."""
    ratio: float = 1.0
    """The largest real cost of a call over its estimate so far, at least 1: providers count more
    than we do.
    """
    costs: list[float] = field(default_factory=list, repr=False)

    def reserve(self, estimate: float) -> float | None:
        """Set the worst case aside; the amount, or None when the limit could be passed."""
        amount = estimate * self.ratio
        if self.limit is not None and self.spent + self.reserved + amount > self.limit:
            return None
        self.reserved += amount
        return amount

    def settle(self, reserved: float, estimate: float, real: float | None) -> None:
        """A reserved call is over: put its real cost in place of the reservation (None: it cost
        nothing).
        """
        self.reserved = max(0.0, self.reserved - reserved)
        if real is not None:
            self.spent += real
            if estimate > 0:
                self.ratio = max(self.ratio, real / estimate)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
