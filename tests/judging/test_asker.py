"""What a request is booked at when its reply has come."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from editgauge.judging.asker import Asker
from editgauge.judging.client import Outcome
from editgauge.services.prices import Price

TOKENS = {"prompt_tokens": 1000, "completion_tokens": 100}
PRICE = Price(input=2.0, output=10.0)  # 0.003 for TOKENS


@pytest.mark.parametrize(
    ("price", "usage", "wanted"),
    [
        (PRICE, TOKENS, 0.003),
        (PRICE, {**TOKENS, "cost": 0.02}, 0.02),
        (PRICE, {**TOKENS, "cost": 0.0001}, 0.003),
        (PRICE, {**TOKENS, "cost": "0.02"}, 0.003),
        (PRICE, {"cost": 0.02}, None),
        (None, {**TOKENS, "cost": 0.02}, 0.02),
        (None, TOKENS, None),
    ],
)
def test_a_bill_is_by_tokens_or_by_what_the_reply_says_that_it_cost_where_that_is_more(
    price: Price | None, usage: dict[str, Any], wanted: float | None
) -> None:
    asker = Asker(SimpleNamespace(price=price))  # type: ignore[arg-type]
    assert asker.bill(Outcome(kind="ok", content="4", usage=usage), 100) == pytest.approx(wanted)
