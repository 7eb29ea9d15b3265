"""MedEBench's tables and figures from made-up rows to the printed cell."""

from __future__ import annotations

import csv
import io
from typing import Any

from editgauge import catalog
from editgauge.benchmarks.medebench.facts import ORGANS
from editgauge.reports import figures
from editgauge.tables import layouts
from editgauge.tables.draw import draw
from editgauge.tables.table import Table
from editgauge.types import Row
from tests.made_rows import frame, record, row

B = "medebench"
RECORDS = [
    record("1", organ="Teeth", organ_depth="internal", mask_ratio=0.05),
    record("2", organ="Spine", organ_depth="internal", mask_ratio=0.12),
    record("3", organ="Skin", organ_depth="superficial", mask_ratio=0.4),
]


def judged() -> list[Row]:
    return [
        row(sample, "m", metric, value, benchmark=B)
        for metric, values in {
            "EA": (8.0, 6.0, 1.0), "VQ": (10.0, 5.0, 3.0), "Context": (9.0, 6.0, 6.0),
            "EA_P": (7.0, 7.0, 4.0), "Context_P": (3.0, 3.0, 3.0),
        }.items()
        for sample, value in zip("123", values, strict=True)
    ]  # fmt: skip


def made(rows: list[Row], **options: Any) -> dict[str, Table]:
    found = layouts.tables(frame(rows, RECORDS, B), "faithful", layouts.Shown(**options))
    return {table.name: table for table in found}


def printed(table: Table) -> list[dict[str, str]]:
    return [dict(line) for line in csv.DictReader(io.StringIO(draw(table, "csv")))]


def test_table_4_of_a_run_beside_the_papers() -> None:
    """IoU of Teeth 0.2 and 0.4: 0.300; of Spine, the paper's Bones, 0.25; overall 0.85 / 3."""
    records = [*RECORDS, record("4", organ="Teeth")]
    rows = [
        row(sample, "ip2p", "attention_iou", value, benchmark=B)
        for sample, value in (("1", 0.2), ("4", 0.4), ("2", 0.25))
    ]
    found = layouts.tables(frame(rows, records, B), "faithful", layouts.Shown(published=True))
    table = next(each for each in found if each.name == "medebench.attention")
    lines = {line["model"]: line for line in printed(table)}
    assert (lines["ip2p"]["Teeth"], lines["ip2p"]["Bones"]) == ("0.300", "0.250")
    assert (lines["ip2p"]["Overall"], lines["ip2p"]["Teeth_n"]) == ("0.283", "2")
    assert (lines["instruct-pix2pix"]["Bones"], lines["instruct-pix2pix"]["Teeth"]) == (
        "0.389",
        "0.268",
    )


def test_tables_4_and_7_stand_alone_until_a_run_has_their_rows() -> None:
    names = ("medebench.attention", "medebench.paradigms_a", "medebench.paradigms_b")
    assert not set(names) & set(made(judged(), published=True)), "only where they are named"
    found = {name: made(judged(), published=True, only=name)[name] for name in names}
    assert found["medebench.attention"].notes[0] == "This run has no rows of this table yet."
    (line,) = printed(found["medebench.attention"])
    assert (line["model"], line["kind"], line["Torso"]) == (
        "instruct-pix2pix",
        "published",
        "0.592",
    )
    tuned = {line["model"]: line for line in printed(found["medebench.paradigms_a"])}
    ear = tuned["Reconstruct ear"]
    assert [ear[f"16_{name}"] for name in ("EA", "CP", "VQ")] == ["0.43", "0.86", "0.68"]
    assert [ear[f"0_{name}"] for name in ("EA", "CP", "VQ")] == ["0.34", "0.90", "0.67"]
    assert "3_EA" in printed(found["medebench.paradigms_b"])[0]
    for form in ("terminal", "markdown", "latex", "json"):
        assert "0.592" in draw(found["medebench.attention"], form).replace("\\", "")  # type: ignore[arg-type]
    assert set(made(judged())) == {"medebench.organs", "medebench.judged"}


class TestFigures:
    def found(self) -> dict[str, figures.Figure]:
        wanted = catalog.find("benchmarks", B).figures
        made = figures.figures(frame(judged(), RECORDS, B), {}, wanted)
        return {figure.name: figure for figure in made}

    def test_organs_in_the_papers_order(self) -> None:
        figure = self.found()["bars-organ-EA-faithful"]
        assert figure.labels == ("Teeth", "Spine", "Skin")
        assert figure.labels == tuple(name for name in ORGANS if name in figure.labels)
        assert figure.series["m"] == (8.0, 6.0, 1.0)
