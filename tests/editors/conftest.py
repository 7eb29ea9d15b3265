"""The services of these tests bill no error that they report, unless a test says otherwise.

No wider than a module: a worker runs files of other folders, whose servers do bill errors.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from editgauge.environment import FREE_ERRORS


@pytest.fixture(scope="module", autouse=True)
def _errors_are_free() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FREE_ERRORS, "127.0.0.1,localhost")
        yield
