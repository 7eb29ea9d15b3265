"""Outputs with other names: patterns, maps, guesses, and what is said of what does not match."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import DataError, UsageError
from editgauge.store.matching import matches_of
from editgauge.store.patterns import by_pattern
from editgauge.testing import make_sample
from editgauge.types import Sample


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    first = make_sample(tmp_path / "data")
    return [
        replace(first, id=f"Real/{n:03}", split="real", category=("signs", f"kind {n}"),
                output_stems=(f"out/{n}",), attributes={"topic": "t"})
        for n in range(3)
    ]  # fmt: skip


def folder(root: Path, *names: str) -> Path:
    for name in names:
        path = root / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"picture " + name.encode())
    return root / "mine"


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("{id}", "Real/000.png"),
        ("{flat}_edited", "Real_000_edited.JPG"),
        ("{flat}_edited.jpg", "Real_000_edited.jpg"),
        ("{category2}/{name}_*", "kind 0/000_seed[7].webp"),
        ("{split}-{topic}-{name}", "real-t-000.png"),
        ("{stem}", "out/0.jpeg"),
        ("{folder}/{name}_x", "out/000_x.png"),
    ],
)
def test_patterns(tmp_path: Path, samples: list[Sample], pattern: str, name: str) -> None:
    found = by_pattern(folder(tmp_path, name, "other.txt"), samples, pattern)
    assert found.named == {"Real/000": tmp_path / "mine" / name}
    assert found.as_dict()["missing"] == ["Real/001", "Real/002"]
    assert found.as_dict()["unexpected"] == []


def test_what_does_not_match_is_said(tmp_path: Path, samples: list[Sample]) -> None:
    place = folder(tmp_path, "000_a.png", "000_b.png", "001_a.png", "else.png")
    found = by_pattern(place, samples, "{name}_*")
    assert set(found.named) == {"Real/001"}
    assert found.ambiguous == {"Real/000": ["000_a.png", "000_b.png"]}
    told = "\n".join(found.lines())
    assert "samples without a file (1): Real/002" in told
    assert "unexpected files (1): else.png" in told
    with pytest.raises(DataError, match="wanted one file of its own for 'Real/000'"):
        found.need_one_each()


@pytest.mark.parametrize(
    "name",
    [
        "synthetic-{topic}-{n}-mymodel",
        "synthetic/{kind}/{n}/output",
        "{kind}/{n}/output",
        "{title}/{n}-out",
        "KRIS_{upper}-{n}",
        "edited_{kind}_{n}_seed42",
        "results/ours v2/{kind}.{n}.edited",
    ],
)
def test_realistic_names_are_guessed(tmp_path: Path, name: str) -> None:
    first, files = make_sample(tmp_path / "data"), dict[str, str]()
    samples = []
    for kind, topic in (("count_change", "Shops & Signs"), ("color_change", "Maps")):
        for n in ("0107", "0219"):
            spelled = {"title": kind.replace("_", " ").title(), "upper": kind.upper()}
            files[f"{kind}/{n}"] = name.format(n=n, kind=kind, topic=topic, **spelled) + ".png"
            labels: dict[str, Any] = {"split": "synthetic", "attributes": {"topic": topic}}
            stem = f"synthetic/{kind}/{n}"
            samples.append(replace(first, id=f"{kind}/{n}", category=("B", kind),
                                   output_stems=(stem,), **labels))  # fmt: skip
    place = folder(tmp_path, *files.values())
    found = matches_of(place, samples)
    assert {one: path.relative_to(place).as_posix() for one, path in found.named.items()} == files
    again = by_pattern(place, samples, found.rule)
    assert again.named == found.named, "what is offered is what is taken"


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        (("res-0-final.png", "res-1-final.png", "res-2-final.png"), "res-{number}-final"),
        (("v2/signs/res.000.png", "v2/signs/res.001.png"), "v2/{category1}/res.{name}"),
        (("x-000-a dog.png", "x-001-two.png", "x-002-or more.png"), "x-{name}-*"),
        (("r_00.png", "r_01.png", "r_02.png"), "r_{number:02}"),
        (("ComfyUI_00001_.png", "ComfyUI_00002_.png", "ComfyUI_00003_.png"), "{stem}"),
        (("sd3 7/10.png", "sd3 7/11.png"), "{stem}"),
        (("notes.png", "another.png"), "{stem}"),
    ],
)
def test_the_pattern_is_told_by_the_names(
    files: tuple[str, ...], rule: str, tmp_path: Path, samples: list[Sample]
) -> None:
    found = matches_of(folder(tmp_path, *files), samples)
    assert found.rule == rule
    assert len(found.named) == (0 if rule == "{stem}" else len(files))


def test_nothing_outside_the_folder_is_looked_at(tmp_path: Path, samples: list[Sample]) -> None:
    with pytest.raises(DataError, match="wanted a folder of outputs"):
        by_pattern(tmp_path / "none", samples, "{id}")
    outside = [replace(samples[0], id="../../etc/passwd")]
    assert by_pattern(folder(tmp_path, "x.png"), outside, "{id}").named == {}


def test_numbered_files_are_counted_in_the_order_of_the_metadata_anew_in_each_folder(
    tmp_path: Path, samples: list[Sample]
) -> None:
    words = [("b", "x"), ("c", "y"), ("a", "x")]
    named = [replace(samples[0], id=name, category=(kind,), output_stems=(name,))
             for name, kind in words]  # fmt: skip
    for names, rule in (
        (("s7_0.png", "s7_1.png", "s7_2.png"), "s7_{place0}"),
        (("x/1.png", "y/1.png", "x/2.png"), "{category}/{place}"),
    ):
        place = folder(tmp_path / names[0][0], *names)
        assert not matches_of(place, named).named, "nobody said that they are counted"
        found = matches_of(place, named, rule)
        assert found.by_place
        told = {name: file.relative_to(place).as_posix() for name, file in found.named.items()}
        assert told == dict(zip("bca", names, strict=True))
        assert "the names tell no sample" in "\n".join(found.lines())
        assert list(found.of(named[2:]).files) == ["a"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("{organ}", "", r"no sample has \{organ\}; there are: topic, category1"),
        ("x.png", "", "wanted a field"),
        ("a.csv", "index,answer\n1,A\n", "none among the columns index, answer; name it"),
        ("b.csv", "sample,file\nReal/009,x.png\n", "line 2: the data have no sample 'Real/009'"),
    ],
)
def test_what_is_no_pattern_and_no_map_is_said(
    tmp_path: Path, samples: list[Sample], name: str, text: str, told: str
) -> None:
    (map := tmp_path / name).write_text(text, encoding="utf-8")
    pattern = name if map.suffix != ".csv" else ""
    with pytest.raises((DataError, UsageError), match=told):
        matches_of(folder(tmp_path, "x.png"), samples, pattern, map if text else None)
