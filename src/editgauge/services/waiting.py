"""How long a server asks to wait: one reading of Retry-After for editors and judges."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST = 3600.0
"""Seconds; a server that asks for more is taken to mean an hour."""


def retry_after(headers: Mapping[str, str], error: Mapping[str, Any]) -> float | None:
    """Seconds to wait as the server says, in [0, 3600], None where it says nothing that can be
    read.

    `headers` has names in lower case (or is a mapping that folds case): ``retry-after-ms`` in
    milliseconds, or ``retry-after`` in seconds or as an HTTP date. `error` is the body's error
    object: Google's services put ``retryDelay`` ("17s") into one of its ``details``.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * scale
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - time.time()
            except (ValueError, TypeError, OverflowError):  # a year of a hundred digits
                continue
        if math.isfinite(seconds):
            return min(max(seconds, 0.0), LONGEST)
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        delay = str(detail.get("retryDelay", "")) if isinstance(detail, dict) else ""
        if match := re.fullmatch(r"(\d+(?:\.\d+)?)s", delay):
            return min(float(match[1]), LONGEST)
    return None
