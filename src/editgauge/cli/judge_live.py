"""The live line of `editgauge judge`, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editgauge.judging.session import Session
    from editgauge.judging.stats import Stats


class LiveLine:
    """One line rewritten on a terminal, a line every ten seconds in a log; on standard error."""

    def __init__(self, opened: Session, *, quiet: bool) -> None:
        self._terminal, self._quiet = sys.stderr.isatty(), quiet
        self._total = 0 if quiet else opened.todo.expected(opened.samples, opened.edits)
        self._priced = opened.price is not None and not opened.price.free
        self._last = 0.0

    @property
    def show(self) -> Callable[[Stats], None] | None:
        return None if self._quiet else self._show

    def _show(self, stats: Stats) -> None:
        now = time.monotonic()
        if now - self._last < (0.2 if self._terminal else 10.0):
            return
        self._last = now
        rate, left = stats.done / max(1e-9, now - stats.began), self._total - stats.done
        parts = [f"{stats.done} of {self._total}", f"{rate:.1f}/s"]
        if len(stats.by_editor) > 1:
            parts += [", ".join(f"{name} {n}" for name, n in sorted(stats.by_editor.items()))]
        parts += [f"${stats.spent:.2f}"] if self._priced else []
        parts += [f"{stats.refused} refused", f"{stats.failed} failed"]
        parts += [f"{stats.unparsable} unparsable"]
        parts += [f"{left / rate:.0f} s left"] if rate and left > 0 else []
        line = " · ".join(parts)
        shown = f"\r\x1b[K{line}" if self._terminal else f"{line}\n"
        print(shown, end="", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def end(self) -> None:
        if self._terminal and not self._quiet:
            print(file=sys.stderr)
