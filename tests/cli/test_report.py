"""`editgauge report`: one run, several runs, and what it says when there is nothing to report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import Result, did
from tests.made_rows import row

from editgauge.errors import UsageError
from editgauge.store.run import Run


def reported(*words: object) -> Result:
    return did(["report", *words])


def meta_of(folder: Path) -> dict[str, object]:
    text = (folder / "data" / "meta.js").read_text()
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


def test_several_runs_are_reported_as_one(tmp_path: Path) -> None:
    runs = [tmp_path / name for name in ("blank", "copy")]
    for run in runs:
        more = ["mini", "--run", run, "--limit", 1, "--workers", 0]
        did(["edit", *more, "--editor", run.name])
        did(["score", *more, "--tracks", "pixel"])
    with pytest.raises(UsageError, match="name a folder for their report"):
        reported(*runs)
    reported(*runs, "--to", tmp_path / "both")
    about = meta_of(tmp_path / "both")["benchmarks"][0]  # type: ignore[index]
    assert about["editors"] == ["blank", "copy"]
    (copied,) = (tmp_path / "both" / "pictures").glob("*-blank-*.png")
    assert copied.is_file()


def test_a_combined_cell_opens_the_samples_of_all_its_parts_by_the_combined_value(
    tmp_path: Path,
) -> None:
    run = Run.create(tmp_path / "run")
    dimensions = {"s1": "Spatial Perception", "s2": "Temporal Prediction"}
    run.write_samples(
        "krisbench",
        [{"id": id, "category": ["Factual", dimension, "t"], "split": "all"}
         for id, dimension in dimensions.items()],
    )  # fmt: skip
    for id in dimensions:
        for number, metric in enumerate(("VC", "VQ", "IF")):
            more = {"benchmark": "krisbench", "scorer": "judge", "source": "judge#1"}
            run.put([row(id, "m", metric, 3.0 + number, **more)])  # type: ignore[arg-type]
    reported(run.path)
    about = meta_of(run.path / "report")["benchmarks"][0]  # type: ignore[index]
    (table,) = [one for one in about["tables"] if one["name"] == "krisbench.judge"]
    links = table["meta"]["links"]
    average = {"metric": "average", "variant": "faithful"}
    assert links["Overall/avg"] == {**average, "where": {}}
    assert links["Factual Knowledge/avg"] == {**average, "where": {"category1": "Factual"}}
    spatial = {"category2": "Spatial Perception"}
    assert links["Spatial Perception/avg"] == {**average, "where": spatial}
    assert links["Spatial Perception/VC"]["metric"] == "VC"
    columns = {column["metric"]: column for column in about["columns"]}
    assert columns["average"]["scored"] == 2
    assert about["metrics"]["average"]["direction"] == "higher"
