"""A sample taken out of a set, and back in."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.curation import review, withdrawal
from editgauge.curation.records import pictures_of
from editgauge.errors import UsageError
from editgauge.web.log import Act
from tests.curation.made_set import make_set


def test_what_is_withdrawn_is_not_there_and_comes_back_as_it_was(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 2)
    review.review(data, "s00", 1, "accept", "ben")
    withdrawal.withdraw(data, "s00", "ann", why="blurred")
    assert [record["id"] for record in data.records()] == ["s01"]
    benchmark = catalog.find("benchmarks", f"dir:{data.root}")
    assert [sample.id for sample in benchmark.load(None)] == ["s01"]
    assert (data.events()[-1].what, data.events()[-1].note) == ("withdrawn", "blurred")
    assert withdrawal.restore(data, "s00", "ann")["state"] == "verified"
    with pytest.raises(UsageError, match="it is not withdrawn"):
        withdrawal.restore(data, "s00", "ann")


def test_what_was_changed_meanwhile_is_verified_no_longer(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    review.review(data, "s00", 1, "accept", "ben")
    version = withdrawal.withdraw(data, "s00", "ann")["version"]
    data.change("s00", version, {"instruction": "Another one."}, Act("ann"))
    assert withdrawal.restore(data, "s00", "ann")["state"] == "refined"


def test_pictures_are_erased_but_those_that_another_sample_shows(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 2)
    shared, own = data.record("s01")["images"][0], data.record("s00")["reference"]
    data.change("s00", 1, {"images": [shared]}, Act("ann"))
    withdrawal.withdraw(data, "s00", "ann")
    record = withdrawal.withdraw(data, "s00", "ann", why="consent withdrawn", erase=True)
    assert (data.root / shared).is_file()
    assert not (data.root / own).exists()
    assert [p for p in pictures_of(record) if (data.root / p).exists()] == [shared,
        record["masks"]["input"]]  # fmt: skip
    assert data.events()[-1].after == {"pictures": 1, "why": "consent withdrawn"}
    with pytest.raises(UsageError, match="1 of its pictures were erased"):
        withdrawal.restore(data, "s00", "ann")


def test_of_samples_that_share_a_picture_the_last_one_takes_it_away(tmp_path: Path) -> None:
    """Frames of one scan may look the same: then they are one file."""
    data = make_set(tmp_path / "set", 3)
    shared = data.record("s00")["images"][0]
    for sample in ("s01", "s02"):
        data.change(sample, 1, {"images": [shared]}, Act("ann"))
    withdrawal.withdraw(data, "s00", "ann", erase=True)
    withdrawal.withdraw(data, "s01", "ann")
    withdrawal.withdraw(data, "s02", "ann", erase=True)
    assert (data.root / shared).is_file(), "s01 may still be restored"
    withdrawal.withdraw(data, "s01", "ann", erase=True)
    assert not (data.root / shared).exists()
