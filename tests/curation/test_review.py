"""Two people who decide alone, an expert, and how far they agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editgauge.curation import review
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Policy, Record
from editgauge.errors import UsageError
from editgauge.web.log import Act, Conflict
from tests.curation.made_set import make_set


def say(data: DataSet, sample: str, verdict: str, who: str, **more: Any) -> Record:
    """Who reviews the sample as it is."""
    seen = review.content_of(data.record(sample))
    return review.review(data, sample, seen, verdict, who, **more)


def test_two_reviews_verify_and_a_change_takes_it_back(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1, policy=Policy(reviews=2))
    first = say(data, "s00", "accept", "ann")
    assert first.state == "draft"
    assert review.lacking(first, data.about.policy) == ["1 of 2 reviews accept it"]
    second = say(data, "s00", "accept", "ben")
    assert second.state == "verified", "another's review is no change of content"
    changed = data.change("s00", second.version, {"caption": "other"}, Act("ann"))
    assert changed.state == "refined"
    assert review.current(changed) == {}


def test_nobody_accepts_what_they_have_not_seen(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    seen = review.content_of(data.record("s00"))
    data.change("s00", 1, {"caption": "other"}, Act("ann"))
    with pytest.raises(Conflict):
        review.review(data, "s00", seen, "accept", "ben")
    assert data.events()[-1].what == "refused"
    assert data.record("s00").reviews == {}


def test_a_flagged_domain_needs_an_expert(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 2, policy=Policy(reviews=1, expert=("Lung",)))
    say(data, "s01", "accept", "ann")
    assert review.lacking(data.record("s01"), data.about.policy) == ["no expert has accepted it"]
    made = say(data, "s01", "accept", "eve-expert", expert=True)
    assert made.state == "verified"
    assert say(data, "s00", "accept", "ann").state == "verified"
    assert say(data, "s00", "flag", "ben").state == "refined"


@pytest.mark.parametrize("state", ["withdrawn", "erased"])
def test_a_verdict_brings_nothing_back_that_was_taken_out(tmp_path: Path, state: str) -> None:
    data = make_set(tmp_path / "set", 1)
    data.change("s00", 1, {"state": state}, Act("ann"))
    with pytest.raises(UsageError, match=f"taken out of the set .{state}"):
        say(data, "s00", "accept", "ben")
    assert data.record("s00").state == state
