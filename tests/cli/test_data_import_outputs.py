"""`editgauge import` of outputs and `score --pattern` on the built-in benchmark."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import Result, invoke

from editgauge import catalog
from editgauge.images import read_image, write_png


def call(*words: object) -> Result:
    return invoke([str(word) for word in words])


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """Outputs for three samples, named by id with an ending, and a file that is none."""
    _, _, samples = catalog.open_data("mini", None, None)
    for sample in samples[:3]:
        place = tmp_path / "mine" / f"{sample.id.replace('/', '_')}_edited.png"
        write_png(place, np.asarray(255 - read_image(sample.image), np.uint8))
    write_png(tmp_path / "mine" / "contact-sheet.png", np.zeros((4, 4, 3), np.uint8))
    return tmp_path / "mine"


def test_look_then_copy_then_score(outputs: Path, tmp_path: Path) -> None:
    looked = call("import", "mini", "--from", outputs, "--pattern", "{flat}_edited")
    assert looked.exit_code == 1, "samples have no output"
    assert "samples with a file of their own: 3" in looked.stdout
    assert "unexpected files (1): contact-sheet.png" in looked.stdout
    words = ("--from", outputs, "--editor", "mine", "--to", tmp_path / "official", "--json")
    done = json.loads(call("import", "mini", *words).stdout)
    assert (done["copied"], len(done["missing"])) == (3, 23)
    told = call("score", "mini", "--outputs", tmp_path / "official", "--tracks", "pixel", "--run",
                tmp_path / "a", "--limit", 3, "--workers", 0, "--json")  # fmt: skip
    named = call("score", "mini", "--outputs", outputs, "--pattern", "{flat}_edited",
                 "--editor", "mine", "--tracks", "pixel", "--run", tmp_path / "b", "--limit", 3,
                 "--workers", 0, "--json")  # fmt: skip
    counts = [json.loads(result.stdout)["counts"] for result in (told, named)]
    assert counts[0] == counts[1]
    assert {sum(line["statuses"].values()) for line in counts[0]} == {3}
    assert any(line["statuses"] == {"scored": 3} for line in counts[0])


def test_a_pattern_is_looked_for_in_the_folder_of_each_editor(
    outputs: Path, tmp_path: Path
) -> None:
    both = tmp_path / "both"
    for name in ("a", "b"):
        shutil.copytree(outputs, both / name)
    (both / "notes").mkdir()
    looked = call("import", "mini", "--from", both, "--limit", 3, "--json").stdout
    assert json.loads(looked)["editors"] == {"a": 3, "b": 3}
    rule = json.loads(looked)["rule"]
    assert f"--pattern '{rule}' --run" in call("import", "mini", "--from", both).stdout
    words = ("score", "mini", "--outputs", both, "--pattern", "{flat}_edited", "--limit", 3,
             "--workers", 0, "--json", "--run", tmp_path / "run")  # fmt: skip
    scored = json.loads(call(*words).stdout)["samples"]
    assert {name: one["scored"] for name, one in scored.items()} == {"a": 3, "b": 3}
    assert "no such folder" in str(call(*words, "--editor", "a", "--editor", "c").exception)
    other = call(*words[:5], "{flat}_no", *words[6:])
    assert "fits no file" in str(other.exception)


def test_nothing_is_copied_through_a_link(outputs: Path, tmp_path: Path) -> None:
    """TO may be a link, which the user has named; what stands in it under the editor's name not."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "official").mkdir()
    (tmp_path / "official" / "mine").symlink_to(tmp_path / "elsewhere")
    result = call("import", "mini", "--from", outputs, "--editor", "mine", "--to",
                  tmp_path / "official")  # fmt: skip
    assert "a link where a folder" in str(result.exception)
    assert list((tmp_path / "elsewhere").iterdir()) == []
