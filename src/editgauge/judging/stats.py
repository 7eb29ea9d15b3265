"""What has happened so far in a judge command: for the live line, the manifest and the summary."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, kw_only=True)
class Stats:
    """Counts of one engine."""

    done: int = 0
    by_editor: Counter[str] = field(default_factory=Counter)
    """`done` for each model whose edits are judged."""
    asked: int = 0
    """Requests that were sent in this command, those that failed or were repeated included."""
    stored: int = 0
    """Calls that were served from the store without any request."""
    unasked: int = 0
    """Calls that are not in the store and were not to be asked (offline): they leave no row."""
    refused: int = 0
    failed: int = 0
    unparsable: int = 0
    repaired: int = 0
    cut_off: int = 0
    """Replies that ended at their token limit."""
    blind: int = 0
    """Replies that may come from a judge that saw no picture: see `Engine.warnings`."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    spent: float = 0.0
    """US dollars of this command: bills, and estimates of what was sent and never billed."""
    unbilled: float = 0.0
    """The part of `spent` that is estimated, because the server sent no usable bill."""
    began: float = field(default_factory=time.monotonic)

    def facts(self) -> dict[str, Any]:
        """The counts as JSON."""
        return {
            "done": self.done,
            "requests": self.asked,
            "from_store": self.stored,
            "unasked": self.unasked,
            "refused": self.refused,
            "failed": self.failed,
            "unparsable": self.unparsable,
            "repaired": self.repaired,
            "cut_off": self.cut_off,
            "tokens_in": self.tokens_in,
            "tokens_cached": self.tokens_cached,
            "tokens_out": self.tokens_out,
            "dollars": round(self.spent, 6),
            "dollars_unbilled": round(max(0.0, self.unbilled), 6),
        }
