"""The parts that every loader reads with: JSON with repairs, paths that stay inside, names in a
stable order.
"""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.benchmarks import reading
from editgauge.benchmarks.base import Samples, by_track
from editgauge.benchmarks.reading import Notes, Record, unique
from editgauge.benchmarks.tree import Tree, below, is_folder, natural, safe_name
from editgauge.types import Finding


def parse_json(text: str) -> tuple[Any, list[Finding]]:
    notes = Notes("x")
    return reading.parse_json(text, notes), notes.findings


def read_json(tree: Tree, path: Path) -> tuple[Any, list[Finding]]:
    notes = Notes(tree.relative(path))
    return reading.read_json(tree, path, notes), notes.findings


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_what_is_json_is_read_as_it_is(value: Any, indent: int | None, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only)) == (value, [])


@given(st.lists(VALUES, min_size=2, max_size=4))
@settings(max_examples=100, deadline=None)
def test_no_break_spaces_are_the_only_thing_that_changes(values: list[Any]) -> None:
    """Those inside texts are texts."""
    text = "[" + ",\u00a0".join(json.dumps(value) for value in values) + "\u00a0]"
    value, findings = parse_json(text)
    assert value == values
    assert [(f.kind, f.repaired) for f in findings] == [("json-odd-blank", True)]


@pytest.mark.parametrize("text", ["[1,]", '["a"，"b"]', '["a\tb"]', "[1" + "\u00a0" * 30 + "]"])
def test_what_no_release_has_is_one_finding_that_names_the_place(text: str) -> None:
    value, (finding,) = parse_json(text)
    assert (value, finding.kind, finding.repaired) == (None, "json-unreadable", False)
    assert "line 1 column" in finding.found


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_ends_as_a_value_or_a_finding(text: str) -> None:
    value, findings = parse_json(text)
    assert value is None or all(f.repaired for f in findings)


def test_a_long_hostile_text_takes_no_time() -> None:
    """Linear: an unfinished text full of escapes would take hours with a scanner that starts again
    at each quote.
    """
    value, findings = parse_json('["' + '\\"' * 300_000 + "," * 300_000)
    assert value is None
    assert not findings[0].repaired


def test_a_text_is_not_repaired_where_it_is_no_comma() -> None:
    assert parse_json('["a,]", "b，c", "d\u00a0e"]') == (["a,]", "b，c", "d\u00a0e"], [])


@pytest.mark.parametrize(
    ("data", "text", "kinds"),
    [
        ("Größe 大".encode(), "Größe 大", []),
        (b"\xef\xbb\xbfa", "a", ["json-byte-order-mark"]),
        ("ä大".encode("utf-16"), None, ["json-encoding"]),
        ("it\u2019s caf\u00e9".encode("cp1252"), None, ["json-encoding"]),
        ("大小".encode("gb18030"), None, ["json-encoding"]),
        (b"a\x81b", None, ["json-encoding"]),
    ],
)
def test_encodings(data: bytes, text: str | None, kinds: list[str]) -> None:
    notes = Notes("x")
    assert (reading.decode(data, notes), [f.kind for f in notes.findings]) == (text, kinds)
    assert notes.lost is (text is None)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (tmp_path / "folder.json").mkdir()
    for name in ("folder.json", "none.json"):
        value, (finding,) = read_json(tree, tmp_path / name)
        assert value is None
        assert (finding.kind, finding.file, finding.repaired) == ("json-unreadable", name, False)


def test_half_a_letter_is_no_text() -> None:
    """JSON can spell it, and no row, file or terminal can hold it."""
    value, (finding,) = parse_json('["\\ud83d", 1]')
    assert (value, finding.kind, finding.repaired) == (None, "json-unreadable", False)
    assert parse_json('["\\ud83d\\ude00"]') == (["\U0001f600"], [])


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.json")
    os.mkfifo(tmp_path / "x.png")
    tree = Tree(tmp_path)
    value, (finding,) = read_json(tree, tmp_path / "x.json")
    assert (value, finding.kind, finding.found) == (None, "json-unreadable", "not a file")
    _, located = tree.locate(tmp_path, "x.png", file="x.json", what="input")
    assert located is not None
    assert located.kind == "input-missing"


def test_accents_composed_in_another_way(tmp_path: Path) -> None:
    apart = tmp_path / unicodedata.normalize("NFD", "café.png")
    apart.touch()
    name = unicodedata.normalize("NFC", "café.png")
    path, located = Tree(tmp_path).locate(tmp_path, name, file="x.json", what="input")
    assert path == apart
    assert located is not None
    assert located.repaired


def test_a_file_over_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editgauge.benchmarks.reading.MAX_JSON_BYTES", 10)
    (tmp_path / "x.json").write_text("[" + " " * 20 + "]")
    _, (finding,) = read_json(Tree(tmp_path), tmp_path / "x.json")
    assert (finding.kind, finding.repaired) == ("json-size", False)


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_no_name_leads_out(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    base = tmp_path_factory.getbasetemp() / "names"
    base.mkdir(exist_ok=True)
    tree = Tree(base)
    path, finding = tree.locate(base, name, file="x.json", what="input")
    assert os.path.realpath(path).startswith(str(base.resolve()))
    assert finding is not None or path.is_file()


def test_names_stay_names() -> None:
    for text in ("../../x", "/etc/x", "a/b", "..", "", "a\0b", "C:\\x"):
        assert safe_name(text) == Path(safe_name(text)).name
        assert safe_name(text) not in ("", ".", "..")
    assert safe_name("1305545009193.0") == "1305545009193.0"
    assert safe_name("multi-element 大_1") == "multi-element 大_1"


def test_the_natural_order_is_total() -> None:
    names = ["10", "9", "a10", "a9", "B1", "b1", "01", "1", "", "²", "9" * 30]
    expected = sorted(names, key=natural)
    for turn in range(len(names)):
        assert sorted(names[turn:] + names[:turn], key=natural) == expected
    assert sorted(["10", "9", "100"], key=natural) == ["9", "10", "100"]
    assert len({natural(name) for name in names}) == len(names)


def test_unique_ids() -> None:
    taken: dict[str, int] = {}
    assert [unique(text, taken) for text in ("a", "a", "a~2", "a")] == ["a", "a~2", "a~2~2", "a~3"]


def test_a_near_key_is_taken_only_where_the_field_is_missing() -> None:
    fields = {"input": ("input_image",), "output": ("output_image",)}
    record = Record({"input_image": "a", "inputimage": "b"}, fields, Notes("x"))
    assert (record.raw("input"), record.note.findings) == ("a", [])
    record = Record({"output_imgae": "a"}, fields, Notes("x"))
    assert (record.raw("input"), record.raw("output")) == (None, "a")
    assert [f.kind for f in record.note.findings] == ["key-name"]
    assert Record({7: "a"}, fields, Notes("x")).raw("input") is None  # type: ignore[dict-item]


def test_a_data_set_keeps_a_finding_once() -> None:
    finding = Finding("a", "b", "c", "d")

    def read(note: Any) -> Any:
        note(finding)
        return iter(())

    samples = Samples("x", Path("x"), read)
    assert [*samples, *samples] == []
    assert samples.findings == [finding]


def test_scorers_are_made_by_track_and_each_once() -> None:
    called: list[Any] = []

    def two(**options: Any) -> list[Any]:
        called.append(options)
        return ["one", "two"]

    def never(**options: Any) -> list[Any]:
        raise AssertionError(options)

    make = by_track({"pixel": [two], "embedding": [two], "ocr": [never]})
    assert make(["pixel", "embedding"], device="cpu") == ["one", "two"]
    assert called == [{"device": "cpu"}]
    assert make(["judge"]) == make([]) == []


def test_a_link_in_a_circle_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    assert [(entry.name, is_folder(entry)) for entry in below(tmp_path)] == [
        ("circle", False),
        ("folder", True),
    ]


def test_a_json_text_of_too_many_values_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 MB of empty lists and objects took 1.9 GB."""
    monkeypatch.setattr(reading, "MOST_VALUES", 10)
    assert parse_json("[" + "[]," * 4 + "0]")[0] is not None
    value, findings = parse_json("[" + "[]," * 5 + "0]")
    assert value is None
    assert [(finding.kind, finding.repaired) for finding in findings] == [("json-size", False)]


def test_a_name_longer_than_any_path_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`os.path.realpath` looks at each step of it, and joins them anew."""
    tree = Tree(tmp_path)
    monkeypatch.setattr(os.path, "realpath", lambda name: pytest.fail(f"{len(name)} followed"))
    path, finding = tree.locate(tmp_path, "a/" * 40_000, file="x.json", what="input")
    assert finding is not None
    assert finding.kind == "input-missing"
    assert "80,000 characters" in finding.found
    assert len(finding.found) < 200
    assert not path.exists()
