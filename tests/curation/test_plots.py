"""The statistics of a set as pictures."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from editgauge.curation import plots
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import About
from editgauge.curation.statistics import statistics
from tests.curation.made_set import add, make_set

EVIL = "<script>alert(1)</script>"


def test_every_count_is_drawn_with_its_table(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 3)
    ten = {"topic": EVIL, "operation": "rotation", "occlusion": 2, "language": 0}
    add(data, 3, reference=None, attributes=ten)
    told = statistics(data)
    found = {figure.name: figure for figure in plots.figures(told)}
    assert set(found) == {*plots.TITLES, "mask-share", "attributes"}
    assert dict(zip(found["operation"].labels, found["operation"].counts, strict=True)) == {
        "text_change": 3, "rotation": 1,
    }  # fmt: skip
    assert found["difficulty"].labels == ("easy", "hard", "not known")
    assert found["topic"].series["without"].count(1.0) == 1
    assert sum(found["topic"].series["with a reference"]) == 3
    (place,) = (n for n, label in enumerate(found["attributes"].labels) if label == "occlusion")
    assert [found["attributes"].series[value][place] for value in "012"] == [0.0, 0.0, 1.0]
    files = plots.write(list(found.values()), tmp_path / "out")
    assert len(files) == 2 * len(found)
    for path in files:
        text = path.read_text("utf-8")
        if path.suffix == ".svg":
            assert xml.fromstring(text).tag.endswith("svg")
            assert "<script" not in text
    lines = list(csv.DictReader(io.StringIO((tmp_path / "out" / "operation.csv").read_text())))
    assert [(line["label"], line["value"]) for line in lines] == [("text_change", "3"),
                                                                  ("rotation", "1")]  # fmt: skip


def test_an_empty_set_has_no_figure(tmp_path: Path) -> None:
    data = DataSet.create(tmp_path / "set", About(name="wards"))
    assert plots.figures(statistics(data)) == []


def test_of_many_categories_the_rare_ones_are_one_bar(tmp_path: Path) -> None:
    told = statistics(make_set(tmp_path / "set", 1))
    told["counts"]["category"] = {f"c{n}": 100 - n for n in range(60)}
    (figure,) = (one for one in plots.figures(told) if one.name == "category")
    assert len(figure.labels) == 40
    assert figure.labels[-1] == "21 others"
    assert sum(figure.counts) == sum(100 - n for n in range(60))


def test_figures_for_papers(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figures = plots.figures(statistics(make_set(tmp_path / "set", 2)))
    files = plots.write(figures[:1], tmp_path / "out", for_papers=True)
    assert {path.suffix for path in files} == {".svg", ".png", ".pdf", ".csv"}
