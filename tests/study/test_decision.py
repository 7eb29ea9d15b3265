"""Asking a judge until two editors are told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from editgauge.errors import UsageError
from editgauge.study.decision import decide, order

IDS = [f"s{k:03}" for k in range(200)]


class Judge:
    """Scores from 0 to 10 of A and B; B is `lead` better on average. Counts what it is asked."""

    def __init__(self, lead: float, fails: int = 0) -> None:
        random = np.random.default_rng(0)
        a = np.clip(np.round(random.normal(5, 1.5, len(IDS))), 0, 10)
        b = np.clip(np.round(a + lead + random.normal(0, 1.0, len(IDS))), 0, 10)
        self.scores = dict(zip(IDS, zip(a.tolist(), b.tolist(), strict=True), strict=True))
        self.asked: list[str] = []
        self.fails = fails

    def __call__(self, ids: Sequence[str]) -> dict[str, tuple[float | None, float | None]]:
        self.asked += ids
        found: dict[str, tuple[float | None, float | None]] = {k: self.scores[k] for k in ids}
        for name in ids[: self.fails]:
            found[name] = (None, 3.0)
        return found


def test_a_clear_lead_is_decided_early() -> None:
    judge = Judge(2.0)
    found = decide(judge, order(IDS), low=0, high=10)
    assert found.verdict == "better"
    assert found.asked == len(judge.asked) < 60
    assert found.low > 0
    assert "better, against old" in found.line("old", "new")
    assert decide(Judge(2.0), order(IDS), low=0, high=10, direction="lower").verdict == "worse"
    assert decide(Judge(-2.0), order(IDS), low=0, high=10).verdict == "worse"


def test_equivalence_needs_a_margin() -> None:
    found = decide(Judge(0.0), order(IDS), low=0, high=10, margin=1.0)
    assert found.verdict == "equivalent"
    assert found.asked < len(IDS)
    assert -1 <= found.low <= found.high <= 1


def test_all_samples_are_asked_where_nothing_tells() -> None:
    same = Judge(0.0)
    same.scores = dict.fromkeys(IDS, (5.0, 5.0))
    found = decide(same, order(IDS), low=0, high=10)
    assert (found.verdict, found.asked) == ("no significant difference", len(IDS))
    assert found.low == found.high == 0
    assert "no significant difference" in found.line("a", "b")


def test_the_order_is_seeded_and_in_proportion() -> None:
    strata = ["eye" if k % 4 == 0 else "hand" for k in range(200)]
    found = order(IDS, strata, seed=1)
    assert sorted(found) == IDS
    assert found == order(IDS, strata, seed=1) != order(IDS, strata, seed=2)
    for size in (20, 40, 100):
        eyes = sum(strata[IDS.index(name)] == "eye" for name in found[:size])
        assert abs(eyes - size / 4) <= 2


@pytest.mark.parametrize(
    "facts",
    [{"alpha": 0.0}, {"margin": -1.0}, {"margin": 10.0}, {"batch": 0}, {"high": float("inf")}],
)
def test_what_makes_no_sense_is_refused(facts: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="--decide"):
        decide(Judge(0), IDS, **{"low": 0.0, "high": 10.0, **facts})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no sample"):
        decide(Judge(0), [], low=0, high=10)
