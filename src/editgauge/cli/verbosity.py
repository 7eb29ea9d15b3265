"""How much a command says beside its results: `-q`, `-v`, `--log-level`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from editgauge.errors import UsageError

LEVELS = ("debug", "info", "warning", "error", "critical")
_QUIET = ContextVar("quiet", default=False)
_LIBRARIES = ("TRANSFORMERS_VERBOSITY", "DIFFUSERS_VERBOSITY", "HF_HUB_VERBOSITY")
"""What libraries with a log of their own read when they are imported, here and in workers."""


@contextmanager
def chosen(*, quiet: bool, level: str) -> Iterator[None]:
    """Set it within a `with` block. `level`: what libraries log to standard error; "" leaves it as
    it is. Raises `UsageError` for an unknown level.
    """
    if level:
        _log(level)
    named = [name for name in _LIBRARIES if quiet and name not in os.environ]
    os.environ |= dict.fromkeys(named, "error")
    before = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(before)
        for name in named:
            os.environ.pop(name, None)


def _log(level: str) -> None:
    if level.lower() not in LEVELS:
        raise UsageError(f"--log-level {level}: wanted one of {', '.join(LEVELS)}")
    import logging

    from editgauge.services.secrets import clean

    class Clean(logging.Formatter):
        """What libraries log holds addresses with keys in them, and what servers say."""

        def format(self, record: logging.LogRecord) -> str:
            return clean(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Clean("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def quiet() -> bool:
    """Whether progress and warnings are left out."""
    return _QUIET.get()
