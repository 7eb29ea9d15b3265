"""Scorers that several benchmarks share: pixels, LPIPS, CLIP, Fréchet distance, adapters of other
packages.
"""

from __future__ import annotations

from editgauge.types import Status


class NoScore(Exception):
    """Raised where a pair cannot be scored: with the status and the reason that its rows get."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
