"""What servers say about waiting, in all the ways they say it."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from editgauge.services.waiting import LONGEST, retry_after


@pytest.mark.parametrize(
    ("headers", "error", "wanted"),
    [
        ({}, {}, None),
        ({"retry-after": "7"}, {}, 7.0),
        ({"retry-after": "0.5"}, {}, 0.5),
        ({"retry-after": "-3"}, {}, 0.0),
        ({"retry-after": "1e12"}, {}, LONGEST),
        ({"retry-after": "nan"}, {}, None),
        ({"retry-after": "inf"}, {}, None),
        ({"retry-after": "soon"}, {}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 " + "1" * 300}, {}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, {}, 0.25),
        ({}, {"details": [{"x": 1}, {"retryDelay": "17s"}]}, 17.0),
        ({}, {"details": [{"retryDelay": "17 minutes"}]}, None),
        ({}, {"details": "none"}, None),
        ({}, {"details": [None, 3]}, None),
        ({"retry-after": "soon"}, {"details": [{"retryDelay": "1.5s"}]}, 1.5),
    ],
)
def test_seconds(headers: dict[str, str], error: dict[str, object], wanted: float | None) -> None:
    assert retry_after(headers, error) == wanted


def test_a_date() -> None:
    found = retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)}, {})
    assert found is not None
    assert 90 <= found <= 100
