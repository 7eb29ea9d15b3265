"""MedEBench's tables and figures from made-up rows to the printed cell."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from editgauge import catalog
from editgauge.benchmarks.medebench.facts import ORGANS
from editgauge.reports import figures, plots
from editgauge.store.run import Run
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


def test_three_judged_scores_by_description_and_by_prompt_on_one_scale() -> None:
    """Means of 8 6 1, 10 5 3, 9 6 6, 7 7 4, 3 3 3, each tenth: .5 .6 .7 .6 .3."""
    table = made(judged())["medebench.judged"]
    (line,) = printed(table)
    assert [line[name] for name in ("EA", "VQ", "Context")] == ["0.50", "0.60", "0.70"]
    assert (line["EA_P"], line["Context_P"]) == ("0.60", "0.30")
    assert {column.heading[0] for column in table.columns} == {"By description", "By prompt"}
    assert "medebench.judged" not in made([row("1", "m", "EA", 5.0, benchmark=B)])


def test_table_2_is_whole_for_each_of_two_judges() -> None:
    """EA and VQ of each judge beside the one CP and FID: EA of Teeth 8 and of the second judge 6,
    tenths; overall (8 + 6 + 1) / 30 and (6 + 4 + 0) / 30 (none below 0). CP is (0.9 + 0.7 + 0.5) / 3.
    """
    rows = [
        row(sample, "m", metric, value - less, benchmark=B, source=source)
        for source, less in (("gpt-4o-2024-11-20#1", 0.0), ("qwen2.5-vl-72b#2", 2.0))
        for metric, values in {"EA": (8.0, 6.0, 2.0), "VQ": (10.0, 5.0, 3.0)}.items()
        for sample, value in zip("123", values, strict=True)
    ]
    rows += [
        row(sample, "m", "masked_ssim", value, benchmark=B)
        for sample, value in zip("123", (0.9, 0.7, 0.5), strict=True)
    ]
    rows += [row("*", "m", "fid", 41.5, benchmark=B), row("1", "m", "psnr", 20.0, benchmark=B)]
    # the second judge alone was asked by the prompt: its score is in no table of the first
    rows += [row("1", "m", "EA_P", 3.0, benchmark=B, source="qwen2.5-vl-72b#2")]
    found = [
        table
        for side in frame(rows, RECORDS, B).sides()
        for table in layouts.tables(side, "faithful", layouts.Shown(published=True))
        if any(line.kind == "run" for line in table.rows)
    ]
    assert [(table.name, table.source.partition("#")[0]) for table in found] == [
        ("medebench.metrics", ""),
        ("medebench.organs", "gpt-4o-2024-11-20"),
        ("medebench.organs", "qwen2.5-vl-72b"),
        ("medebench.judged", "qwen2.5-vl-72b"),
    ]
    names = ("Teeth_EA", "Teeth_CP", "Teeth_VQ", "Spine_VQ", "Overall_EA", "Overall_CP",
             "overall_FID")  # fmt: skip
    gpt, qwen = (printed(table)[0] for table in found[1:3])
    assert [gpt[name] for name in names] == [
        "0.80",
        "0.90",
        "1.00",
        "0.50",
        "0.53",
        "0.70",
        "41.50",
    ]
    assert [qwen[name] for name in names] == [
        "0.60",
        "0.90",
        "0.80",
        "0.30",
        "0.33",
        "0.70",
        "41.50",
    ]
    assert not any("were made with" in note for note in found[1].notes)
    assert any("were made with GPT-4o" in note for note in found[2].notes)


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


def test_internal_against_superficial_organs() -> None:
    """EA of Teeth and Spine: (.8 + .6) / 2; of Skin .1. No column of one organ is half empty."""
    lines = printed(made(judged(), by="organ_depth")["medebench.organs"])
    assert [(line["by"], line["Overall_EA"]) for line in lines] == [
        ("internal", "0.70"), ("superficial", "0.10"),
    ]  # fmt: skip
    assert "Teeth_EA" not in lines[0]


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
        made = plots.figures(frame(judged(), RECORDS, B), {}, wanted)
        return {figure.name: figure for figure in made}

    def test_organs_in_the_papers_order(self) -> None:
        figure = self.found()["bars-organ-EA-faithful"]
        assert figure.labels == ("Teeth", "Spine", "Skin")
        assert figure.labels == tuple(name for name in ORGANS if name in figure.labels)
        assert figure.series["m"] == (8.0, 6.0, 1.0)

    def test_the_organs_distribution(self) -> None:
        """Figure 3: one sample of each of the three organs."""
        figure = self.found()["counts-organ"]
        assert (figure.labels, figure.series) == (
            ("Teeth", "Spine", "Skin"),
            {"samples": (1.0, 1.0, 1.0)},
        )

    def test_the_histogram_of_mask_ratios(self) -> None:
        """20 bins from 0 to 0.4, each of 0.02: 0.05 in the third, 0.12 in the seventh (its lower
        end), 0.4 in the last.
        """
        figure = self.found()["histogram-mask_ratio"]
        (counts,) = figure.series.values()
        assert sum(counts) == 3
        assert counts[2] == 1
        assert counts[5] + counts[6] == 1
        assert counts[19] == 1

    def test_the_histogram_of_instruction_and_input(self) -> None:
        """Figure 4, left. Cosines of 0.1, 0.2 and 0.24 of the three samples, said beside two
        editors of which neither has all of them: 20 bins of 0.012 from 0 to 0.24.
        """
        values = {("a", "1"): 0.1, ("a", "2"): 0.2, ("b", "2"): 0.2, ("b", "3"): 0.24}
        rows = [
            row(sample, editor, "clip_instruction", value, benchmark=B)
            for (editor, sample), value in values.items()
        ]
        benchmark = catalog.find("benchmarks", B)
        made = plots.figures(
            frame([*judged(), *rows], RECORDS, B), benchmark.every_metric, benchmark.figures
        )
        (figure,) = (found for found in made if found.name == "histogram-clip_instruction")
        (counts,) = figure.series.values()
        assert [place for place, count in enumerate(counts) if count] == [8, 16, 19]
        assert "(3 of 3 samples)" in figure.title
        assert not [found.name for found in made if "bars-organ-clip_instruction" in found.name]


def test_a_report_has_the_published_tables(tmp_path: Path) -> None:
    from editgauge.reports.parts import part

    run = Run.create(tmp_path / "run")
    run.write_samples(B, RECORDS)
    with run.writer() as writer:
        writer.write(judged())
    found = part([run], B, published=True, intervals=False)
    names = [table.name for table in found.tables]
    assert "medebench.organs" in names
    assert "medebench.attention" not in names, "a run has none of its own values"
