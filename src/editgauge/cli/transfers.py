"""Progress of transfers, as lines on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable

MB = 1_000_000


def bytes_shown(name: str, quiet: bool) -> Callable[[int, int | None], None]:
    """A progress line every tenth of a file (every 100 MB where the size is unknown), on standard
    error.
    """
    shown = -1

    def show(have: int, wanted: int | None) -> None:
        nonlocal shown
        step = 10 * have // wanted if wanted else have // (100 * MB)
        if step != shown and not quiet:
            shown = step
            of = f" of {wanted / MB:.1f}" if wanted else ""
            print(f"{name}: {have / MB:.1f}{of} MB", file=sys.stderr)

    return show


def files_shown(quiet: bool) -> Callable[[int, int], None]:
    """A progress line every twentieth of the files, on standard error."""
    shown = -1

    def show(done: int, wanted: int) -> None:
        nonlocal shown
        step = 20 * done // max(1, wanted)
        if step != shown and not quiet:
            shown = step
            print(f"{done} of {wanted} files", file=sys.stderr)

    return show
