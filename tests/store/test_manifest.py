"""Manifests of any shape: the columns are found by what is in them; in doubt none is taken."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import DataError, UsageError
from editgauge.store.manifest import Columns, by_manifest, editors_of_manifest
from editgauge.store.matching import several_editors
from editgauge.testing import make_sample
from editgauge.types import Sample

NUMBERS = (38, 45, 48, 53)
FILES = {"38": "b.png", "45": "d.png", "48": "a.png", "53": "c.png"}
"""Sample -> its file: the order of the files is not that of the samples."""


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    first = make_sample(tmp_path / "data")
    return [
        replace(
            first,
            id=str(number),
            images=(Path(f"/data/inputs/{number}.png"),),
            output_stems=(f"{number}_0",),
            attributes={"key": f"Lung_kind_{number}"},
        )
        for number in NUMBERS
    ]


def folder(root: Path, names: Sequence[str]) -> Path:
    for name in names:
        path = root / "outs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"picture")
    return root / "outs"


def table(rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


PAIRS = [*FILES.items()]
SHAPES = {
    "named.csv": table([{"sample": s, "file": f} for s, f in PAIRS]),
    "other.csv": table([{"output_path": f, "uid": s, "score": 3} for s, f in PAIRS]),
    "tabs.tsv": table([{"uid": s, "picture": f} for s, f in PAIRS], "\t"),
    "semicolons.csv": table([{"uid": s, "picture": f} for s, f in PAIRS], ";"),
    "elsewhere.csv": table([{"uid": s, "out": f"/home/me/x/{f}"} for s, f in PAIRS]),
    "windows.csv": table([{"uid": s, "out": f"C:\\me\\{f}"} for s, f in PAIRS]),
    "release.csv": table([{"n": n, "key": f"Lung_kind_{s}", "out": f}
                          for n, (s, f) in enumerate(PAIRS)]),
    "inputs.csv": table([{"in": f"inputs/{s}.png", "out": f} for s, f in PAIRS]),
    "stems.csv": table([{"as": f"{s}_0.png", "out": f} for s, f in PAIRS]),
    "map.json": json.dumps(FILES),
    "back.json": json.dumps({f: s for s, f in PAIRS}),
    "list.json": json.dumps([{"id": int(s), "path": f} for s, f in PAIRS]),
    "deep.json": json.dumps({"run": {"date": "today"}, "results": [
        {"sample": {"uid": s, "lang": "en"}, "image": {"path": f"out/{f}"}} for s, f in PAIRS]}),
    "keyed.json": json.dumps({s: {"file": f, "seconds": 2.5} for s, f in PAIRS}),
    "lines.jsonl": "\n".join(json.dumps({"uid": s, "text": "a\u2028b", "out": f}) for s, f in PAIRS),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_columns_are_found_by_what_is_in_them(
    name: str, tmp_path: Path, samples: list[Sample]
) -> None:
    place = folder(tmp_path, [*FILES.values(), "other.png"])
    (tmp_path / name).write_text(SHAPES[name], encoding="utf-8")
    found = by_manifest(place, samples, tmp_path / name, Columns())
    assert {sample: file.name for sample, file in found.named.items()} == FILES


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"a": s, "b": t, "out": f} for (s, f), t in zip(PAIRS, ["45", "48", "53", "38"], strict=True)],
         "the columns a, b name different samples"),
        ([{"uid": s, "out": f, "ref": g} for (s, f), g in
          zip(PAIRS, ["a.png", "b.png", "c.png", "d.png"], strict=True)],
         "the columns out, ref name different pictures"),
        ([{"uid": f"{s}x", "out": f} for s, f in PAIRS], "names a sample for each file, found none"),
        ([{"uid": s, "out": f"{f}x"} for s, f in PAIRS], "names pictures of"),
        ([{"uid": s, "out": f"../{f}"} for s, f in PAIRS], "names pictures of"),
        ([{"sample": "39", "file": "a.png"}], "line 2: the data have no sample '39'"),
    ],
)  # fmt: skip
def test_in_doubt_nothing_is_taken(
    rows: list[dict[str, Any]], told: str, tmp_path: Path, samples: list[Sample]
) -> None:
    place = folder(tmp_path, [*FILES.values()])
    (tmp_path / "a.csv").write_text(table(rows), encoding="utf-8")
    with pytest.raises(DataError, match=told):
        by_manifest(place, samples, tmp_path / "a.csv", Columns())


def test_a_column_that_counts_the_lines_is_no_sample(tmp_path: Path, samples: list[Sample]) -> None:
    counted = [replace(sample, id=str(n)) for n, sample in enumerate(samples)]
    place = folder(tmp_path, [*FILES.values()])
    rows = [{"index": n, "out": file} for n, file in enumerate(FILES.values())]
    (tmp_path / "a.csv").write_text(table(rows), encoding="utf-8")
    with pytest.raises(DataError, match="names a sample for each file, found none"):
        by_manifest(place, counted, tmp_path / "a.csv", Columns())
    found = by_manifest(place, counted, tmp_path / "a.csv", Columns.of(["sample=index"]))
    assert [file.name for file in found.named.values()] == [*FILES.values()]


def test_a_named_column_counts(tmp_path: Path, samples: list[Sample]) -> None:
    place = folder(tmp_path, [*FILES.values()])
    rows = [{"a": s, "b": t, "out": f} for (s, f), t in
            zip(PAIRS, ("45", "48", "53", "38"), strict=True)]  # fmt: skip
    (tmp_path / "a.csv").write_text(table(rows), encoding="utf-8")
    found = by_manifest(place, samples, tmp_path / "a.csv", Columns.of(["sample=a"]))
    assert {sample: file.name for sample, file in found.named.items()} == FILES
    with pytest.raises(DataError, match=r"wanted the column 'c' \(sample\); there are: a, b, out"):
        by_manifest(place, samples, tmp_path / "a.csv", Columns.of(["sample=c"]))
    with pytest.raises(UsageError, match="wanted sample=COLUMN"):
        Columns.of(["model=x"])


def test_the_manifest_of_another_model_names_none_of_its_files(
    tmp_path: Path, samples: list[Sample]
) -> None:
    place = folder(tmp_path, ["one/a.png", "one/b.png", "two/c.png"])
    rows = [{"uid": "38", "out": "two/a.png"}, {"uid": "45", "out": "two/c.png"}]
    (tmp_path / "a.csv").write_text(table(rows), encoding="utf-8")
    found = by_manifest(place, samples, tmp_path / "a.csv", Columns())
    assert {s: file.relative_to(place).as_posix() for s, file in found.named.items()} == {
        "45": "two/c.png"
    }


def test_a_column_names_the_editors(tmp_path: Path, samples: list[Sample]) -> None:
    names = {(s, m): f"{m}/{f}" for s, f in PAIRS for m in ("SeedX", "Gemini 2")}
    place = folder(tmp_path, [*names.values()])
    rows = [{"model": m, "uid": s, "out": file} for (s, m), file in names.items()]
    nested: dict[str, dict[str, str]] = {}
    for (sample, model), file in names.items():
        nested.setdefault(model, {})[sample] = file
    (tmp_path / "a.csv").write_text(table(rows), encoding="utf-8")
    (tmp_path / "a.json").write_text(json.dumps(nested), encoding="utf-8")
    for name, column in (("a.csv", "model"), ("a.json", "key")):
        columns = Columns.of([f"editor={column}"])
        found = editors_of_manifest(place, samples, tmp_path / name, columns)
        for model, matches in found.items():
            assert {s: f.relative_to(place).as_posix() for s, f in matches.named.items()} == {
                s: file for (s, m), file in names.items() if m == model
            }
        assert [*found] == ["Gemini 2", "SeedX"]
    whole = by_manifest(place, samples, tmp_path / "a.csv", Columns())
    assert (whole.named, len(whole.ambiguous)) == ({}, 4)


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("{id}_{editor}", "{s}_{m}.png"),
        ("{editor}_{id}", "{m}_{s}.jpg"),
        ("{id}_0_{editor}.png", "{s}_0_{m}.png"),
        ("outs/{editor}-{id}-x", "outs/{m}-{s}-x.webp"),
        ("{editor}/{id}", "{m}/{s}.png"),
    ],
)
def test_all_editors_in_one_folder(
    pattern: str, form: str, tmp_path: Path, samples: list[Sample]
) -> None:
    models = ("SeedX", "Gemini_2 flash", "step1x-v1.1", "7")
    files = {(s.id, m): form.format(s=s.id, m=m) for s in samples for m in models}
    place = folder(tmp_path, [*files.values(), "contact-sheet.png"])
    found = several_editors(place, samples, pattern)
    told = {
        (sample, editor): file.relative_to(place).as_posix()
        for editor, matches in found.items()
        for sample, file in matches.named.items()
    }
    assert told == files
    assert [*several_editors(place, samples, pattern, ["SeedX"])] == ["SeedX"]


def test_a_file_that_two_samples_fit_is_nobodys(tmp_path: Path, samples: list[Sample]) -> None:
    two = [samples[0], replace(samples[1], id="38_45")]
    place = folder(tmp_path, ["38_45_x.png", "38_y.png"])
    found = several_editors(place, two, "{id}_{editor}")
    assert {name: one.named for name, one in found.items()} == {"y": {"38": place / "38_y.png"}}
    with pytest.raises(UsageError, match=r"wanted \{editor\} once, and no \*"):
        several_editors(place, two, "{id}_*_{editor}")
    with pytest.raises(DataError, match="fits no file"):
        several_editors(place, two, "{id}+++{editor}.webp")
