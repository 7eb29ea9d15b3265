"""What leaves a data set: the readers of each layout take it back, and scores are the same."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES as TEN
from editgauge.curation import exports, privacy
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import PROTOCOLS, About
from editgauge.errors import DataError, UsageError
from editgauge.images import read_image, write_png
from editgauge.run.check_data import check_data
from editgauge.types import Edit, Sample
from editgauge.web.log import Act
from tests.curation.made_set import add, edited, scene
from tests.curation.test_review import say

ATTRIBUTES = {
    "topic": "Data & Analytics", "operation": "text_change", "organ": "Lung", "task": "remove",
    "kris_task": "color_change", "textedit_category": "2.1", **dict.fromkeys(TEN, 1),
}  # fmt: skip


def whole_set(root: Path, count: int = 3, **about: Any) -> DataSet:
    data = DataSet.create(root, About(**{"name": "wards", **about}))
    for number in range(count):
        add(data, number, attributes=ATTRIBUTES, state="draft")
    return data


def scores(benchmark: Any, sample: Sample, output: Path) -> dict[tuple[str, str], float | None]:
    """What the pixel track gives for an output."""
    edit = Edit(sample=sample.id, editor="alpha", path=output)
    made: dict[tuple[str, str], float | None] = {}
    for scorer in benchmark.scorers(("pixel",)):
        if scorer.applies(sample) is None and not scorer.name.startswith("lpips"):
            found = {(s.metric, s.variant): s.number for s in scorer.score(sample, edit)}
            made.update(found)
    return made


@pytest.mark.parametrize("layout", PROTOCOLS)
def test_an_export_is_read_back_clean_and_scores_the_same(tmp_path: Path, layout: str) -> None:
    data = whole_set(tmp_path / "set")
    exports.export(data, tmp_path / "out", layout)
    theirs = catalog.find("benchmarks", layout)
    samples, _, issues = check_data(theirs, theirs.load(tmp_path / "out"))
    assert [issue for issue in issues if issue.level != "note"] == []
    ours = catalog.find("benchmarks", f"dir.wards.{layout}")
    mine = {sample.id: sample for sample in ours.load(tmp_path / "set")}
    mark = json.loads((tmp_path / "out" / ".editgauge-set.json").read_bytes())
    official = {sample.id: sample for sample in samples}
    assert len(official) == 3
    output = tmp_path / "edit.png"
    for number, (identity, name) in enumerate(mark["samples"].items()):
        one, two = mine[identity], official[name]
        for fact in ("category", "instruction", "split"):
            assert getattr(one, fact) == getattr(two, fact)
        assert read_image(one.image).tobytes() == read_image(two.image).tobytes()
        write_png(output, edited(scene(number + 5)))
        same = scores(ours, one, output)
        assert same
        assert same == scores(theirs, two, output)


def test_what_is_said_of_the_set_names_no_patient(tmp_path: Path) -> None:
    data = whole_set(tmp_path / "set", 2, description="Scans of Mustermann.")
    privacy.remember(data, ["mustermann"])
    for leave in (
        lambda: exports.export(data, tmp_path / "out", "krisbench", ready_only=True),
        lambda: exports.release(data, tmp_path / "a.zip", "1.0.0", ready_only=True),
    ):
        with pytest.raises(DataError, match="what is said of the set holds 1 words"):
            leave()
    data.describe("ann", description="Scans.")
    data.change("s00", 1, {"category": ["Mustermann"]}, Act("ann"))
    exports.export(data, tmp_path / "out", "krisbench", ready_only=True)
    left = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(left) > 4
    assert not [data for data in left if b"ustermann" in data], "the card is of what leaves"


def test_a_release_is_a_benchmark_with_checksums_and_says_what_changed(tmp_path: Path) -> None:
    data = whole_set(tmp_path / "set", 3)
    say(data, "s00", "accept", "pseudonym-of-ann", comment="fine by me")
    assert exports.release(data, tmp_path / "a.zip", "1.0.0")["since"] is None
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
        archive.extractall(tmp_path / "a")
    for line in members["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(members[name]).hexdigest() == digest
    for word in (b"pseudonym-of-ann", b"fine by me"):
        assert not [name for name, content in members.items() if word in content]
    samples = list(catalog.find("benchmarks", f"dir:{tmp_path / 'a'}").load(None))
    assert [sample.id for sample in samples] == ["s00", "s01", "s02"]
    data.change("s00", data.record("s00").version, {"knowledge": "A new hint."}, Act("ann"))
    data.change("s01", 1, {"state": "withdrawn"}, Act("ann"))
    told = exports.release(data, tmp_path / "b.zip", "1.1.0")
    assert (told["changed"], told["removed"]) == (["s00"], ["s01"])
    with pytest.raises(UsageError, match=r"higher one than the last, 1\.1\.0"):
        exports.release(data, tmp_path / "c.zip", "1.1.0")


def test_pictures_that_were_put_there_by_hand_leave_without_metadata(tmp_path: Path) -> None:
    from PIL import Image, PngImagePlugin

    data = DataSet.create(tmp_path / "set", About(name="wards"))
    said = PngImagePlugin.PngInfo()
    said.add_text("Patient", "Erika Mustermann")
    Image.fromarray(scene(1)).save(tmp_path / "set" / "a.png", pnginfo=said)
    Image.fromarray(scene(1)).save(tmp_path / "set" / "b.bmp")
    line = {"id": "a", "instruction": "x", "images": ["a.png"], "category": ["color_change"]}
    looked = {name: {"looked": "ann"} for name in ("a.png", "b.bmp")}
    data.add({**line, "pictures": looked}, "ann")
    exports.export(data, tmp_path / "out", "krisbench")
    exports.release(data, tmp_path / "a.zip", "1.0.0")
    shutil.unpack_archive(tmp_path / "a.zip", tmp_path / "a")
    left = [p for folder in ("out", "a") for p in (tmp_path / folder).rglob("*")]
    assert all(b"Erika" not in path.read_bytes() for path in left if path.is_file())
    assert read_image(tmp_path / "a" / "a.png").tobytes() == scene(1).tobytes()
    data.change("a", 1, {"images": ["b.bmp"]}, Act("ann"))
    with pytest.raises(DataError, match="no PNG; take it in with"):
        exports.release(data, tmp_path / "b.zip", "1.1.0")
