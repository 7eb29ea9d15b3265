"""The built-in benchmark: the same bytes whenever it is made, whole after any damage, and true to
what it says.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import PIL
import pytest

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.mini import BENCHMARK
from editgauge.benchmarks.mini import samples as making
from editgauge.benchmarks.mini.faces import FACES, write
from editgauge.benchmarks.mini.records import RECORDS, TEN
from editgauge.errors import DataError
from editgauge.images import fingerprint, read_header, read_image, read_mask
from editgauge.store.addresses import user_cache
from editgauge.types import Benchmark, Dataset, Sample

SOURCE = Path(__file__).resolve().parents[2] / "src"
IDS = [record.id for record in RECORDS]


@pytest.fixture(scope="session")
def by_id(mini: Samples) -> dict[str, Sample]:
    return {sample.id: sample for sample in mini}


@pytest.fixture
def made(mini: Samples, tmp_path: Path) -> Path:
    """A folder of this test's own, complete, in a root of its own."""
    folder = tmp_path / mini.root.name
    shutil.copytree(mini.root, folder)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): fingerprint(path)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_is_a_benchmark_and_says_what_it_is_for(mini: Samples) -> None:
    assert isinstance(BENCHMARK, Benchmark)
    assert isinstance(mini, Dataset)
    assert "not for comparing models" in BENCHMARK.title
    assert "no result on them says anything" in BENCHMARK.citation


def test_counts_are_those_of_the_samples(mini: Samples) -> None:
    samples = list(mini)
    found = Counter(s.split for s in samples) + Counter(s.category[0] for s in samples)
    assert BENCHMARK.published_counts == {"": len(samples), **found}
    assert len({s.id for s in samples}) == len(samples) == 26
    assert [s.id for s in mini] == [s.id for s in samples], "iterating again gives the same order"


def test_every_operation_protocol_and_tier_occurs(by_id: dict[str, Sample]) -> None:
    def values(name: str) -> set[object]:
        return {s.attributes[name] for s in by_id.values()}

    assert values("operation") == {
        "replace", "delete", "insert", "move", "recolour", "scale", "rotate", "compose", "temporal",
    }  # fmt: skip
    assert values("protocol") == {"texteditbench", "textedit", "medebench", "krisbench"}
    assert values("difficulty") == {"easy", "medium", "hard"}
    assert {len(s.images) for s in by_id.values()} == {1, 2, 3, 4}
    assert any(
        "\u4e00" <= letter <= "\u9fff" for s in by_id.values() for letter in s.target_text or ""
    )


def test_a_split_narrows_and_a_wrong_one_is_named() -> None:
    assert {s.split for s in BENCHMARK.load(None, split="plain")} == {"plain"}
    with pytest.raises(DataError, match="wanted split plain or textured, found 'real'"):
        BENCHMARK.load(None, split="real")


@pytest.mark.parametrize("id", IDS)
def test_the_reference_differs_from_the_input_inside_the_masks_and_nowhere_else(
    id: str, by_id: dict[str, Sample]
) -> None:
    sample = by_id[id]
    pixels, edited = read_image(sample.image), read_image(sample.reference)
    assert edited.shape == pixels.shape
    masks = [read_mask(path) for path in sample.masks.values()]
    assert {mask.shape for mask in masks} == {pixels.shape[:2]}
    changed = (pixels != edited).any(axis=2)
    allowed = np.logical_or.reduce(masks)
    assert not (changed & ~allowed).any()
    assert all(0.005 < mask.mean() < 0.75 for mask in masks)
    # Each mask earns its place: the picture does change inside it, and visibly.
    difference = np.abs(pixels.astype(int) - edited.astype(int)).max(axis=2)
    for mask in masks:
        assert (difference[mask] > 40).mean() > 0.02


@pytest.mark.parametrize("id", IDS)
def test_a_sample_has_what_its_protocol_needs(id: str, by_id: dict[str, Sample]) -> None:
    sample = by_id[id]
    protocol = sample.attributes["protocol"]
    assert sample.instruction
    assert sample.caption
    assert sample.output_stems == (id,)
    assert set(sample.masks) == (
        {"input", "second", "roi"} if protocol == "medebench" else {"input", "second"}
    )
    if protocol == "textedit":
        assert sample.source_text
        assert sample.target_text
    if protocol == "medebench":
        assert all((sample.change, sample.concept, sample.rephrased))
        assert {"organ", "task"} <= set(sample.attributes)
        assert read_header(sample.image).width == 512
    if protocol == "krisbench":
        assert {"task", "knowledge_type", "dimension"} <= set(sample.attributes)
    for text in (sample.source_text, sample.target_text):
        assert (
            text is None
            or text in sample.instruction
            or sample.knowledge
            or sample.attributes["multi_image"]
        )


@pytest.mark.parametrize("id", IDS)
def test_the_difficulty_follows_from_the_ten_attributes(id: str, by_id: dict[str, Sample]) -> None:
    sample = by_id[id]
    values = [sample.attributes[name] for name in TEN]
    assert set(values) <= {0, 1, 2}
    assert sample.attributes["difficulty_total"] == sum(values)
    tier = (
        {True: "easy", False: "hard"}.get(sum(values) <= 5)
        if not 6 <= sum(values) <= 10
        else "medium"
    )
    assert sample.attributes["difficulty"] == tier
    # As in TextEditBench: linkage is 2 exactly when there is a knowledge hint.
    assert (sample.attributes["semantic_linkage"] == 2) == (sample.knowledge is not None)


def test_photographs_are_jpegs(by_id: dict[str, Sample]) -> None:
    assert {read_header(s.image).format for s in by_id.values()} == {"PNG", "JPEG"}


def test_the_lines_for_other_programs_say_the_same(mini: Samples, by_id: dict[str, Sample]) -> None:
    lines = [
        json.loads(line)
        for line in (mini.root / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [line["id"] for line in lines] == list(by_id)
    for line in lines:
        sample = by_id[line["id"]]
        assert line["instruction"] == sample.instruction
        assert [mini.root / name for name in line["images"]] == list(sample.images)
        assert mini.root / line["reference"] == sample.reference


class TestMaking:
    def test_making_it_again_gives_the_same_bytes(self, mini: Samples, tmp_path: Path) -> None:
        code = (
            "import pathlib, sys; from editgauge.benchmarks.mini.samples import make; "
            "make(pathlib.Path(sys.argv[1]))"
        )
        environment = {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "PYTHONHASHSEED": "7",
            "LC_ALL": "C",
        }
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
        assert contents(tmp_path / mini.root.name) == contents(mini.root)
        assert [path.name for path in tmp_path.iterdir()] == [mini.root.name], (
            "nothing temporary is left"
        )

    def test_what_is_there_is_not_made_again(
        self, made: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(making, "_draw", pytest.fail)
        assert BENCHMARK.load(made.parent).root == made
        assert BENCHMARK.load(made).root == made, "the folder itself may be named, too"

    @pytest.mark.parametrize(
        "damage",
        [
            lambda folder: (folder / "images/move-01/input.png").unlink(),
            lambda folder: (folder / "images/move-01/input.png").write_bytes(b""),
            lambda folder: shutil.rmtree(folder / "images/scale-01"),
            lambda folder: (folder / "index.json").write_text("{"),
            lambda folder: (folder / "index.json").write_text("[1]"),
            lambda folder: (folder / "index.json").unlink(),
            lambda folder: (folder / "samples.jsonl").write_text("no"),
        ],
    )
    def test_damage_is_repaired(self, damage, mini, made, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
        # Drawing takes seconds; a copy of the session's folder is what it would give (see the first
        # test).
        monkeypatch.setattr(
            making, "_draw", lambda to: shutil.copytree(mini.root, to, dirs_exist_ok=True)
        )
        damage(made)
        BENCHMARK.load(made.parent)
        assert contents(made) == contents(mini.root)
        assert [path.name for path in made.parent.iterdir()] == [made.name]

    def test_two_processes_at_once_both_get_it(self, mini: Samples, tmp_path: Path) -> None:
        code = (
            "import shutil, sys, time\n"
            "from pathlib import Path\n"
            "from editgauge.benchmarks.mini import samples as making\n"
            "root, source, start = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])\n"
            "making._draw = lambda to: shutil.copytree(source, to, dirs_exist_ok=True)\n"
            "while time.time() < start: pass\n"
            "making.make(root)\n"
        )
        import time

        arguments = [
            sys.executable,
            "-c",
            code,
            str(tmp_path),
            str(mini.root),
            str(time.time() + 1.5),
        ]
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        started = [subprocess.Popen(arguments, env=environment) for _ in range(4)]
        assert [process.wait(60) for process in started] == [0, 0, 0, 0]
        assert contents(tmp_path / mini.root.name) == contents(mini.root)
        assert [path.name for path in tmp_path.iterdir()] == [mini.root.name]

    def test_a_place_that_cannot_be_written_is_one_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(DataError, match=r"cannot be made here .* EDITGAUGE_CACHE"):
            BENCHMARK.load(tmp_path / "file" / "below")

    def test_without_a_root_the_cache_is_used(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.delenv("EDITGAUGE_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setattr(sys, "platform", "linux")
        assert user_cache() == tmp_path / "editgauge"
        monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "own"))
        assert user_cache() == tmp_path / "own"

    def test_without_a_home_there_is_one_clear_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def nowhere() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("EDITGAUGE_CACHE")
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", nowhere)
        with pytest.raises(DataError, match="set EDITGAUGE_CACHE"):
            user_cache()

    def test_a_library_under_another_name_still_counts(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unknown(package: str) -> str:
            raise making.PackageNotFoundError(package)

        monkeypatch.setattr(making, "version", unknown)
        assert making._version("opencv-python-headless") == cv2.__version__
        assert making._version("pillow") == PIL.__version__
        assert making._version("font-caladea") == ""


@pytest.mark.parametrize("face", FACES)
def test_each_face_draws_capitals_as_high_as_asked(face: str) -> None:
    pixels = write("HEN", face, 60).pixels
    rows = np.flatnonzero(pixels.max(axis=1) > 128)
    assert abs((rows[-1] - rows[0] + 1) - 60) <= 2


def test_an_opencv_without_typefaces_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(cv2, "FontFace")
    with pytest.raises(DataError, match="draws text with OpenCV 5, found"):
        write("A", "sans", 41)


def test_chinese_is_drawn_and_not_replaced_by_boxes() -> None:
    drawn = [write(character, "chinese", 40).pixels for character in "山水茶馆"]
    assert len({pixels.tobytes() for pixels in drawn}) == 4


def test_importing_the_benchmark_draws_and_loads_nothing() -> None:
    code = (
        "import sys; from editgauge.benchmarks.mini import BENCHMARK; "
        "print([m for m in ('cv2', 'PIL', 'numpy') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
