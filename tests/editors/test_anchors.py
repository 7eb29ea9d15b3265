"""The anchor editors give what they say, to the byte; faults have a status and a reason."""

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.testing import make_sample
from editgauge.types import Status


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
        known = {sample.id: sample for sample in samples}
        for sample in samples:
            edit = editor(sample, tmp_path / "out" / sample.id)
            taken = known[edit.detail["taken_from"]]
            assert taken.category != sample.category
            assert edit.path.read_bytes() == taken.image.read_bytes()


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
