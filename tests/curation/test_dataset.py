"""The folder of a data set: nothing is lost by two people, kill -9, or an editor of texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.curation import exports, records
from editgauge.curation.fields import set_words
from editgauge.curation.records import Record
from editgauge.errors import DataError, UsageError
from editgauge.web.log import Act
from tests.curation.made_set import make_set


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 2: no JSON"),
        (b'{"id": "b", "images": ["../x.png"]}', "line 2: b: '../x.png': leads out"),
        (b'{"id": "../b", "images": ["x.png"]}', "line 2: id: expected"),
        (b'{"id": "a", "images": ["x.png"]}', "line 2: the id 'a' is that of an earlier line"),
        (b'{"id": "b", "images": ["x.png"], "instrution": "x"}', "unknown field instrution"),
        (b'{"id": "b", "images": ["x.png"], "masks": {"roi2": "x"}}', "masks"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    root = tmp_path / "set"
    root.mkdir()
    (root / records.SAMPLES).write_bytes(b'{"id": "a", "images": ["x.png"]}\n' + line + b"\n")
    with pytest.raises(DataError, match=said):
        records.read_samples(root)


def test_pictures_are_erased_but_those_that_another_sample_shows(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 3)
    shared, own = data.record("s01").images[0], data.record("s00").reference
    for sample in ("s00", "s02"):
        data.change(sample, 1, {"images": [shared]}, Act("ann"))
    mask = data.record("s00").masks["input"]
    set_words(data, "s00", ["state=erased"], "ann", note="consent withdrawn")
    assert (data.events()[-1].what, data.events()[-1].note) == ("erased", "consent withdrawn")
    assert not (data.root / own).exists()
    assert (data.root / shared).is_file()
    assert (data.root / mask).is_file()
    for sample, state in (("s01", "withdrawn"), ("s02", "erased")):
        set_words(data, sample, [f"state={state}"], "ann")
    assert (data.root / shared).is_file(), "s01 may still come back"
    set_words(data, "s01", ["state=erased"], "ann")
    assert not (data.root / shared).exists()


def test_a_renamed_sample_has_its_old_id_nowhere(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 2)
    before = set_words(data, "s00", ["caption=Words.", "rename=zwieback_hildegard"], "ben")
    exports.release(data, tmp_path / "a.zip", "1.0.0")
    with pytest.raises(UsageError, match="there is something of this id"):
        set_words(data, "zwieback_hildegard", ["rename=s01"], "ben")
    with pytest.raises(DataError, match="id: expected"):
        set_words(data, "zwieback_hildegard", ["rename=../x"], "ben")
    after = set_words(data, "zwieback_hildegard", ["rename="], "ben")
    assert isinstance(before, Record)
    assert isinstance(after, Record)
    assert after.id == "s0001"
    assert {**after.data(), "id": ""} == {**before.data(), "id": ""}
    assert [event.what for event in data.events("s0001")] == ["added", "changed", *["renamed"] * 2]
    changed = exports.release(data, tmp_path / "b.zip", "1.1.0")
    assert (changed["added"], changed["removed"]) == (["s0001"], []), "nor does a release name it"
    held = [path.read_bytes() for path in data.root.rglob("*") if path.is_file()]
    assert not [one for one in held if b"hildegard" in one]
    assert not data.log.problems


def test_a_change_names_what_was_changed(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    (picture,) = data.record("s00").images
    seen = {picture: {"looked": "ann", "hidden": [{"kind": "text", "box": [1, 2, 3, 4]}]}}
    data.change("s00", 1, {"pictures": seen}, Act("ann"))
    set_words(data, "s00", ["instruction=Remove it."], "ann")
    assert data.events()[-1].after == {"instruction": "Remove it."}


def test_fields_are_set_by_words(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    words = ["category=A / B", "url=https://x", "attribute.depth=3", "caption="]
    record = set_words(data, "s00", words, "ben")
    assert isinstance(record, Record)
    assert (record.category, record.source, record.caption) == (
        ["A", "B"],
        {"url": "https://x"},
        "",
    )
    assert record.attributes["depth"] == 3
    for pair, said in (
        ("instruction", "wanted NAME=VALUE"),
        ("instrution=Do", "did you mean instruction"),
        ("id=other", "no field of a sample"),
        ("source.name=x", "no field of a sample"),
        ("state=verified", "reviews verify a sample"),
    ):
        with pytest.raises(UsageError, match=said):
            set_words(data, "s00", [pair], "ben")
    with pytest.raises(DataError, match="s00: state: "):
        set_words(data, "s00", ["state=perfect"], "ben")
