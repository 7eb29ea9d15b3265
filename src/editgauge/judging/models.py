"""What is known of judges' names, in ``models.json``: aliases, which think, when one ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from importlib import resources
from typing import Any

import orjson

from editgauge.errors import UsageError

WARN_DAYS = 90
_HOSTED = re.compile(
    r"(?:^|/)(?:gpt-|chatgpt|o\d(?:-|$)|gemini|claude|grok|mistral-|pixtral-|command-|qwen-vl-(?:max|plus))",
    re.I,
)
_DATED = re.compile(
    r"(?:^|[-@_.:])(?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|(?:0[1-9]|1[0-2]|2[3-9])\d{2}|20\d{6}|00\d)(?:$|[-@_.:])"
)


def is_alias(model: str) -> bool:
    """Whether a name of a hosted service, not of one's own, has no date."""
    return _HOSTED.search(model) is not None and _DATED.search(model) is None


def check_model(model: str, allow_alias: bool) -> None:
    """Raises `UsageError` for a name that no server has, and for an alias that is not allowed."""
    if not model.isprintable() or model.strip() != model or not model:
        why = f"{model!r}: wanted a judge's name in one line, such as gpt-4o-2024-11-20"
        raise UsageError(why, argument="model")
    if is_alias(model) and not allow_alias:
        dated = [name for name in known() if name.startswith(model) and not is_alias(name)]
        why = f"is wanted for {model}, an alias that is another model tomorrow; or name a dated one"
        raise UsageError(
            f"{why} ({', '.join(dated) or 'see its provider'})", argument="allow_alias"
        )


@cache
def _data() -> Any:
    return orjson.loads((resources.files("editgauge.judging") / "models.json").read_bytes())


def known() -> Mapping[str, Mapping[str, str]]:
    """What is known of models: id -> its date ``ends``, ``revision`` of open weights, ``note``."""
    models: Mapping[str, Mapping[str, str]] = _data()["models"]
    return models


def about(model: str) -> str:
    """One line on a known model."""
    return "; ".join(f"{name} {value}" for name, value in known().get(model, {}).items())


def thinking(model: str) -> tuple[int, int]:
    """The token limit of a judge that thinks, and what it usually uses of it; zeros for others."""
    name = model.lower().rpartition("/")[2]
    fits = (line for line in _data()["thinking"] if re.search(line["names"], name))
    return next(((line["room"], line["usual"]) for line in fits), (0, 0))


def end_warning(model: str, today: date | None = None) -> str:
    """A sentence for the user when the model has ended or ends within `WARN_DAYS` days, else ""."""
    ends = known().get(model, {}).get("ends", "9999-12-31")
    left = (date.fromisoformat(ends) - (today or datetime.now(UTC).date())).days
    if left > WARN_DAYS:
        return ""
    when = f"ended on {ends}" if left < 0 else f"ends on {ends}, in {left} days"
    return f"the judge {model} {when}: numbers made with it cannot be repeated then; keep replies"
