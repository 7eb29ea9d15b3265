"""What an edit costs: tokens as the reply counts them, by the prices in ``prices.json``, or a price
an output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars: for a million tokens in as text, in as pictures, and out; and for one output
    (None = not known).
    """

    text_in: float | None = None
    image_in: float | None = None
    out: float | None = None
    picture: float | None = None

    def of(self, usage: Mapping[str, int] | None) -> float | None:
        """What a call cost. `usage` counts tokens under ``text_in``, ``image_in``, ``out``; without
        it, one output's price; None where neither is known.
        """
        if usage and self.out is not None:
            rates = {
                "text_in": self.text_in or 0.0,
                "image_in": self.image_in or 0.0,
                "out": self.out,
            }
            return round(sum(rates[name] * usage.get(name, 0) for name in rates) / 1e6, 6)
        return self.picture


def price_of(model: str, given: float | None = None) -> Price:
    """The price of a model by the longest name in the table that its own name starts with; `given`
    is one output's.
    """
    if given is not None:
        return Price(picture=given)
    table = json.loads(
        resources.files("editgauge.editors").joinpath("prices.json").read_text("utf-8")
    )["models"]
    fitting = [name for name in table if model.rsplit("/", 1)[-1].startswith(name)]
    return Price(**table[max(fitting, key=len)]) if fitting else Price()
