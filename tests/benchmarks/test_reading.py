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
from editgauge.benchmarks.reading import Notes, Record
from editgauge.benchmarks.tree import Tree, natural
from editgauge.types import Finding


def parse_json(text: str) -> tuple[Any, list[Finding]]:
    notes = Notes("x")
    return reading.parse_json(text, notes), notes.findings


def read_json(tree: Tree, path: Path) -> tuple[Any, list[Finding]]:
    notes = Notes(tree.relative(path))
    return reading.read_json(tree, path, notes), notes.findings


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


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


def test_accents_composed_in_another_way(tmp_path: Path) -> None:
    apart = tmp_path / unicodedata.normalize("NFD", "café.png")
    apart.touch()
    name = unicodedata.normalize("NFC", "café.png")
    path, located = Tree(tmp_path).locate(tmp_path, name, file="x.json", what="input")
    assert path == apart
    assert located is not None
    assert located.repaired


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_no_name_leads_out(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    base = tmp_path_factory.getbasetemp() / "names"
    base.mkdir(exist_ok=True)
    tree = Tree(base)
    path, finding = tree.locate(base, name, file="x.json", what="input")
    assert os.path.realpath(path).startswith(str(base.resolve()))
    assert finding is not None or path.is_file()


def test_the_natural_order_is_total() -> None:
    names = ["10", "9", "a10", "a9", "B1", "b1", "01", "1", "", "²", "9" * 30]
    expected = sorted(names, key=natural)
    for turn in range(len(names)):
        assert sorted(names[turn:] + names[:turn], key=natural) == expected
    assert sorted(["10", "9", "100"], key=natural) == ["9", "10", "100"]
    assert len({natural(name) for name in names}) == len(names)


def test_a_near_key_is_taken_only_where_the_field_is_missing() -> None:
    fields = {"input": ("input_image",), "output": ("output_image",)}
    record = Record({"input_image": "a", "inputimage": "b"}, fields, Notes("x"))
    assert (record.raw("input"), record.note.findings) == ("a", [])
    record = Record({"output_imgae": "a"}, fields, Notes("x"))
    assert (record.raw("input"), record.raw("output")) == (None, "a")
    assert [f.kind for f in record.note.findings] == ["key-name"]
