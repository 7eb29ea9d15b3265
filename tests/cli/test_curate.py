"""`editgauge curate …` at the command line: what is said, exit codes, and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import did
from tests.curation.made_set import edited, make_set, scene

from editgauge.curation.dataset import DataSet
from editgauge.errors import EditgaugeError
from editgauge.images import write_png
from editgauge.web.log import Act


def run(*words: object, code: int = 0) -> str:
    done = did(["curate", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.output


def refused(*words: object) -> str:
    with pytest.raises(EditgaugeError) as error:
        run(*words)
    assert error.value.exit_code == 2
    return str(error.value)


def value(*words: object, code: int = 0) -> Any:
    return json.loads(run(*words, "--json", code=code))


def test_a_mask_from_a_pair_and_two_reviews(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 0)
    write_png(tmp_path / "a.png", scene(1, (256, 200)))
    write_png(tmp_path / "b.png", edited(scene(1, (256, 200))))
    said = run("add", data.root, tmp_path / "a.png", "--references", tmp_path / "b.png")
    assert "aligned (sift)" in said
    made = value("set", data.root, "s0001", "mask=difference", "mask.roi=difference")
    assert set(made["masks"]) == {"input", "roi"}
    assert "mask.second" in refused("set", data.root, "s0001", "mask.other=difference")
    assert "no instruction" in run("export", data.root, code=1)
    run("set", data.root, "s0001", "instruction=Invert it.")
    assert "1 of 1 samples are ready" in run("export", data.root)
    assert "verified" in run("set", data.root, "s0001", "review=accept", "--who", "ann")
    assert "refined" in run("set", data.root, "s0001", "review=reject", "--who", "ben")
    assert "invite" in run("invite", data.root, "eve", "--expert", "--base", "https://invite")
    value("set", data.root, "s0001", "review=accept", "--who", "eve", "--note", "sure")
    assert data.record("s0001").reviews["eve"].expert
    assert "erased" in run("set", data.root, "s0001", "state=erased", "--note", "no consent")
    assert not list((data.root / "pictures").iterdir())


def test_what_leaves_and_what_stays(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 2)
    to = tmp_path / "out"
    told = run("export", data.root, "--layout", "medebench", "--to", to)
    assert "next:  editgauge check medebench" in told
    assert "something already" in refused("export", data.root, "--layout", "medebench", "--to", to)
    wrong = refused("export", data.root, "--layout", "coco", "--to", tmp_path / "x")
    assert "wanted one of" in wrong
    data.change("s00", 1, {"instruction": None}, Act("ann"))
    words = ("export", data.root, "--version", "1.0.0", "--to", tmp_path / "a.zip")
    assert "Nothing was written" in refused(*words)
    assert "added:   s01" in run(*words, "--ready-only")
    assert DataSet(data.root).about.version == "1.0.0"
