"""A user's functions may be declared for a `dict` or for a `Mapping`: a strict type checker takes
both, since what they are called with is a `dict`.
"""

from __future__ import annotations

from typing import Any, get_args

import pytest

from editgauge.judging import chat, questions
from editgauge.types import Rule


@pytest.mark.parametrize(
    ("kind", "argument"),
    [
        (chat.Ask, dict[str, Any]),
        (questions.Ask, dict[str, Any]),
        (Rule, dict[str, float]),
    ],
)
def test_functions_of_users_get_a_dict(kind: Any, argument: Any) -> None:
    arguments, _ = get_args(kind)
    assert arguments[-1] == argument
