"""`editgauge import` of outputs and `score --pattern` on the built-in benchmark."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import invoke

from editgauge import catalog
from editgauge.images import read_image, write_png


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    """Outputs for three samples, named by id with an ending, and a file that is none."""
    _, _, samples = catalog.open_data("mini", None, None)
    for sample in samples[:3]:
        place = tmp_path / "mine" / f"{sample.id.replace('/', '_')}_edited.png"
        write_png(place, np.asarray(255 - read_image(sample.image), np.uint8))
    write_png(tmp_path / "mine" / "contact-sheet.png", np.zeros((4, 4, 3), np.uint8))
    return tmp_path / "mine"


def test_a_pattern_is_looked_for_in_the_folder_of_each_editor(
    outputs: Path, tmp_path: Path
) -> None:
    both = tmp_path / "both"
    for name in ("a", "b"):
        shutil.copytree(outputs, both / name)
    (both / "notes").mkdir()
    looked = invoke(["import", "mini", "--from", both, "--limit", 3, "--json"]).stdout
    assert json.loads(looked)["editors"] == {"a": 3, "b": 3}
    rule = json.loads(looked)["rule"]
    assert f"--pattern '{rule}' --run" in invoke(["import", "mini", "--from", both]).stdout
    words = ("score", "mini", "--outputs", both, "--pattern", "{flat}_edited", "--limit", 3,
             "--workers", 0, "--json", "--run", tmp_path / "run")  # fmt: skip
    scored = json.loads(invoke(words).stdout)["samples"]
    assert {name: one["scored"] for name, one in scored.items()} == {"a": 3, "b": 3}
    assert "no such folder" in str(invoke([*words, "--editor", "a", "--editor", "c"]).exception)
    other = invoke([*words[:5], "{flat}_no", *words[6:]])
    assert "fits no file" in str(other.exception)


def test_no_editor_gets_the_outputs_of_another(outputs: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):  # each editor's name stands in its files' names
        for file in sorted(outputs.glob("*_edited.png")):
            write_png(tmp_path / "all" / name / f"{file.stem}_by_{name}.png", read_image(file))
    words = ["import", "mini", "--from", tmp_path / "all", "--limit", 3]
    looked = json.loads(invoke([*words, "--json"]).stdout)
    assert (looked["editors"], looked["rule"][-1]) == ({"a": 3, "b": 3}, "*")
    took = json.loads(invoke([*words, "--editor", "b", "--to", tmp_path / "to", "--json"]).stdout)
    assert {Path(file).stem[-1] for file in took["matched"].values()} == {"b"}
    refused = invoke([*words, "--editor", "ours", "--to", tmp_path / "to"])
    assert "one folder of several" in str(refused.exception)
    assert not (tmp_path / "to" / "ours").exists()


def test_a_folder_whose_files_have_other_names_is_named_with_the_next_step(
    outputs: Path, tmp_path: Path
) -> None:
    sample = catalog.open_data("mini", None, None)[2][0]
    write_png(tmp_path / "all" / "known" / f"{sample.id}.png", read_image(sample.image))
    shutil.copytree(outputs, tmp_path / "all" / "their own")
    words = ["mini", "--outputs", tmp_path / "all"]
    step = f"--from '{tmp_path / 'all' / 'their own'}' shows what they match"
    checked = invoke(["check", *words])
    assert (checked.exit_code, step in checked.stdout) == (1, True)
    run = ["--sample", sample.id, "--workers", 0, "--run", tmp_path / "run"]
    for _ in range(2):  # also where there is nothing to do
        scored = invoke(["score", *words, *run])
        assert (scored.exit_code, step in scored.stdout) == (1, True)
    assert invoke(["score", *words, *run, "--editor", "known"]).exit_code == 0
    assert step in str(invoke(["check", *words[:2], tmp_path / "all" / "their own"]).exception)


def test_nothing_is_copied_through_a_link(outputs: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "official").mkdir()
    (tmp_path / "official" / "mine").symlink_to(tmp_path / "elsewhere")
    words = ["import", "mini", "--from", outputs, "--editor", "mine"]
    result = invoke([*words, "--to", tmp_path / "official"])
    assert "a link where a folder" in str(result.exception)
    assert list((tmp_path / "elsewhere").iterdir()) == []
