"""The anchor editors give what they say, to the byte, and answer faults with a status and a
reason.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import make_samples

from editgauge import catalog
from editgauge.testing import make_sample
from editgauge.types import Finding, Status


class TestShuffle:
    def test_never_the_sample_itself_and_another_category_where_there_is_one(
        self, tmp_path: Path
    ) -> None:
        samples = [
            make_sample(tmp_path, f"{topic}-{n}", category=(topic,))
            for topic in ("signs", "labels")
            for n in range(4)
        ]
        editor = catalog.find("editors", "shuffle")(samples)
        topics = {s.id: s.category[0] for s in samples}
        for sample in samples:
            edit = editor(sample, tmp_path / "out" / sample.id)
            taken = edit.detail["taken_from"]
            assert topics[taken] != sample.category[0]
            assert (
                edit.path.read_bytes()
                == next(s for s in samples if s.id == taken).image.read_bytes()
            )

    def test_faulty_samples_are_not_taken(self, tmp_path: Path) -> None:
        good, bad, other = make_samples(tmp_path, 3)
        bad = replace(
            bad, findings=(Finding("gone", "x.png", "nothing", "nothing", repaired=False),)
        )
        partners = catalog.find("editors", "shuffle")([good, bad, other]).partners
        assert partners[good.id] is other
        assert partners[other.id] is good


@pytest.mark.parametrize("name", ["copy", "blank"])
@pytest.mark.parametrize("damage", [b"", b"this is text", None])
def test_an_unreadable_input_is_the_data_sets_fault(
    name: str, damage: bytes | None, tmp_path: Path
) -> None:
    sample = make_sample(tmp_path)
    sample.image.write_bytes(sample.image.read_bytes()[:-200] if damage is None else damage)
    edit = catalog.find("editors", name)([sample])(sample, tmp_path / "out")
    assert (edit.path, edit.status) == (None, Status.DATASET_FAULT)
    assert "input.png" in edit.reason
    assert str(tmp_path) not in edit.reason, "rows hold no machine's paths"
