"""Prices of image models: see `editgauge.services.prices`, where all prices are."""

from __future__ import annotations

from editgauge.services.prices import ImagePrice as Price
from editgauge.services.prices import image_price_of as price_of

__all__ = ["Price", "price_of"]
