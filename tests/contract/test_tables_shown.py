"""How tables are shown: the papers' own lines, formats, intervals, counts, judges side by side; and
the tables of pixel scores that were made here.
"""

from __future__ import annotations

import json
import math
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.datasets import (
    WEB,
    instance,
    organ_record,
    organs,
    prompt_record,
    prompts,
)
from tests.contract.golden import published
from tests.contract.runs import DIMENSIONS, EDITORS, JUDGES, Known, mean
from tests.contract.server import Judge, chat, sensible, verdict
from tests.contract.support import cli, picture, rectangle, rows_of, save
from tests.contract.tables import every_table, numbers, printed

GPT, QWEN = JUDGES

PAPERS = pytest.mark.parametrize(
    ("fixture", "table", "name"),
    [
        ("text_edit_bench", "texteditbench.pixel", "texteditbench_pixel"),
        ("text_edit_bench", "texteditbench.judge", "texteditbench_judge"),
        ("text_edit", "textedit.classic", "textedit_full_classic"),
        ("text_edit", "textedit.judge", "textedit_full_judge"),
        ("medical", "medebench.organs", "medebench_organs"),
    ],
)

# -- the papers' lines -----------------------------------------------------------------------------


def published_lines(run: Path, table: str, source: str = "") -> dict[str, dict[str, Any]]:
    options = ("--published", "--only", table)
    found = [t for t in every_table(run, options=options) if source in (t["source"] or "")]
    return {
        row["name"]: {name: cell["value"] for name, cell in row["cells"].items()}
        for row in found[0]["rows"]
        if row["kind"] == "published"
    }


@PAPERS
def test_the_papers_lines_stand_beside_ours(
    request: pytest.FixtureRequest, fixture: str, table: str, name: str
) -> None:
    known: Known = request.getfixturevalue(fixture)
    source = GPT if fixture in ("text_edit_bench", "medical") and "pixel" not in table else ""
    lines = published_lines(known.run, table, source)
    compared = 0
    for line in (one for one in published(name) if one["model"] != "Mean"):
        model = line.pop("model")
        line.pop("params", None)
        for column, cell in line.items():
            if column in lines[model] and cell not in ("", "-"):
                assert lines[model][column] == pytest.approx(float(cell), abs=1e-9), (model, column)
                compared += 1
    assert compared >= len(lines) * 8
    assert len(lines) >= 7


@pytest.mark.parametrize("variant", ["faithful", "corrected"])
@PAPERS
def test_columns_stand_in_the_papers_order(
    request: pytest.FixtureRequest, fixture: str, table: str, name: str, variant: str
) -> None:
    """Whoever copies a table into a paper compares it with hers column by column."""
    known: Known = request.getfixturevalue(fixture)
    made = every_table(known.run, options=("--only", table, "--variant", variant))[0]
    ours = [column["name"] for column in made["columns"]]
    wanted = [column for column in published(name)[0] if column in ours]
    assert len(wanted) >= 8
    assert [column for column in ours if column in wanted] == wanted


@pytest.mark.parametrize(
    ("judge", "name"), [(GPT, "kris_bench_gpt4o"), (QWEN, "kris_bench_qwen2.5-vl-72b")]
)
def test_each_judge_has_the_papers_lines_of_that_judge(kris: Known, judge: str, name: str) -> None:
    lines = published_lines(kris.run, "krisbench.judge", judge)
    told = published(name)
    for line in told:
        column = f"{line.pop('dimension')}/{line.pop('metric')}"
        for model, cell in line.items():
            assert lines[model][column] == float(cell), (model, column)
    assert len(lines) == 11
    assert len(told) == 35


def test_the_papers_tables_that_a_run_seldom_has_rows_of(medical: Known) -> None:
    attention = published_lines(medical.run, "medebench.attention")["instruct-pix2pix"]
    for line in published("medebench_attention_iou"):
        assert attention[line["organ"]] == float(line["iou"])
    shots = published("medebench_paradigms")
    for letter, paradigm in zip("ab", dict.fromkeys(r["paradigm"] for r in shots), strict=True):
        lines = published_lines(medical.run, f"medebench.paradigms_{letter}")
        for record in (r for r in shots if r["paradigm"] == paradigm):
            for metric in ("EA", "CP", "VQ"):
                found = lines[record["task"]][f"{record['shots']}_{metric}"]
                assert found == float(record[metric])


def test_published_tables_are_checked_against_themselves() -> None:
    text = cli("audit", expect=1).text
    assert "Emu2" in text
    assert "48.83" in text
    assert "45.83" in text


@pytest.fixture(scope="module")
def judged_otherwise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of TextEdit with an editor that gives its input back, judged by another judge than the
    paper's, with our prompts.
    """
    place = tmp_path_factory.mktemp("otherwise")
    prompts(place / "data", [prompt_record(n, "2.1") for n in range(1, 7)], category="2.1")
    about = ("textedit", place / "data", "--run", place / "run")
    cli("edit", *about, "--editor", "copy", "--workers", 0)
    with Judge(sensible) as server:
        cli("judge", *about, "--model", "judge-1-2025-01-01", "--base-url", server.url)
    return place / "run"


def test_a_papers_table_keeps_every_note_without_which_it_misleads(judged_otherwise: Path) -> None:
    text = cli("table", judged_otherwise, "--paper", "--only", "textedit.judge").out
    below = text.replace("\n", " ").split("\\end{adjustbox}")[1]
    for words in ("prompts", "gemini-3-pro", "not comparable", "6 given back"):
        assert words in below, words
    caption = text.split("\\caption{")[1].split("\n")[0]
    assert "judge-1" in caption
    assert ". Scored by" not in caption, "the papers' lines were scored by another judge"


def test_a_caption_names_the_judge_of_all_lines(judged_otherwise: Path) -> None:
    options = ("--format", "latex", "--only", "textedit.judge", "--variant", "faithful")
    caption = cli("table", judged_otherwise, *options).out.split("\\caption{")[1]
    assert ". Scored by judge-1" in caption.split("\n")[0]


def test_a_model_is_ranked_in_the_section_that_it_is_said_to_be_in(tmp_path: Path) -> None:
    """Five points for every question: the best of its section, and of no other."""
    records = [prompt_record(n, "2.1") for n in range(1, 501)]
    prompts(tmp_path / "data", records, part="miniset", category="2.1")
    full = {f"Q{n}": 5 for n in range(1, 6)}
    entries = [
        {"id": one["id"], "category": "2.1", "reason": "so", "gemini_eval_score": full}
        for one in records
    ]
    file = tmp_path / "ours.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)))
    run = tmp_path / "run"
    about = ("textedit", tmp_path / "data", "--run", run, "--from", file, "--editor", "ours")
    cli("import", *about, "--model", "gemini-3-pro")
    options = ("--published", "--variant", "faithful", "--only", "textedit.judge")

    def best(*more: str) -> tuple[str, bool, list[str]]:
        """The section of ours, whether it is the best there, and the published lines that are."""
        (table,) = every_table(run, options=(*options, *more))
        lines = {row["name"]: row for row in table["rows"]}
        ours = lines.pop("ours")
        others = [
            row["section"] for row in lines.values() if row["cells"]["real_TA"].get("place") == 1
        ]
        return ours.get("section", ""), ours["cells"]["real_TA"].get("place") == 1, sorted(others)

    sections = ["Generation Models", "Unified Models"]
    assert best() == ("", False, sections)
    assert best("--section", "unified models") == ("Unified Models", True, sections[:1])
    said = ("--section", "ours=Generation Models")
    assert best(*said) == ("Generation Models", True, sections[1:])
    assert best("--section", "Ours") == ("Ours", False, sections)
    (run / "models.toml").write_text(
        '[[model]]\nname = "ours"\ngroup = { textedit = "Unified Models" }\n'
    )
    assert best() == ("Unified Models", True, sections[:1])
    assert "nobody" in cli("table", run, "--section", "nobody=Ours", expect=2).err


def test_a_table_over_the_samples_that_all_models_have(tmp_path: Path) -> None:
    """Three models with different outputs: nothing is ranked, and with --common everything is."""
    records = [organ_record(n, Organ="Teeth" if n % 2 else "Hair") for n in range(1, 13)]
    organs(tmp_path / "data", records)
    lacks = {"one": {3}, "two": set(), "three": {5, 6}}
    told = {}
    for number, (editor, out) in enumerate(lacks.items()):
        told[editor] = {
            str(n): {
                "gpt4o_editing_accuracy_detailed": (n * (number + 2)) % 11,
                "gpt4o_visual_quality_detailed": (n + 3 * number) % 11,
                "gpt4o_contextual_preservation_detailed": 5,
            }
            for n in range(1, 13)
            if n not in out
        }
    file = tmp_path / "gpt4o_detailed_scores.json"
    file.write_text(json.dumps(told))
    about = ("medebench", tmp_path / "data", "--run", tmp_path / "run")
    cli("import", *about, "--from", file, "--model", GPT)
    options = ("--only", "medebench.organs", "--variant", "faithful")
    (whole,) = every_table(tmp_path / "run", options=options)
    assert [row["cells"]["Overall_EA"]["n"] for row in whole["rows"]] == [11, 10, 12]
    assert not any("place" in cell for row in whole["rows"] for cell in row["cells"].values())
    (table,) = every_table(tmp_path / "run", options=(*options, "--common"))
    shared = [n for n in range(1, 13) if n not in {3, 5, 6}]
    for row in table["rows"]:
        wanted = mean(told[row["name"]][str(n)]["gpt4o_editing_accuracy_detailed"] for n in shared)
        cell = row["cells"]["Overall_EA"]
        assert cell["value"] == pytest.approx(wanted / 10)
        assert (cell["n"], cell["of"]) == (9, 9)
    assert sum(row["cells"]["Overall_EA"].get("place") == 1 for row in table["rows"]) == 1
    assert any("9 of 12" in note for note in table["notes"])
    text = cli("table", tmp_path / "run", *options[:2], "--paper", "--common").out
    assert "9 of 12" in text.replace("\n", " ")
    assert "\\textbf" in text


def test_models_without_a_common_sample_have_no_number(tmp_path: Path) -> None:
    organs(tmp_path / "data", [organ_record(n) for n in (1, 2)])
    told = {
        editor: {sample: {"gpt4o_editing_accuracy_detailed": 5, "gpt4o_visual_quality_detailed": 5}}
        for editor, sample in (("one", "1"), ("two", "2"))
    }
    file = tmp_path / "gpt4o_detailed_scores.json"
    file.write_text(json.dumps(told))
    about = ("medebench", tmp_path / "data", "--run", tmp_path / "run")
    cli("import", *about, "--from", file, "--model", GPT)
    result = cli("table", tmp_path / "run", "--common", "--only", "medebench.organs", "--notes")
    assert "No sample" in result.out


def test_medebench_table_2_has_models_as_lines_in_two_halves(medical: Known) -> None:
    options = ("--only", "medebench.organs", "--variant", "faithful", "--published")
    chosen = (*options, "--source", f"{GPT}#imported")
    (table,) = every_table(medical.run, options=chosen)
    assert not table["transposed"]
    models = {row["name"] for row in table["rows"]}
    assert len(models) == 9
    texts = {
        form: cli("table", medical.run, *chosen, "--format", form, env={"COLUMNS": ""}).out
        for form in ("terminal", "markdown", "latex")
    }
    for form, text in texts.items():
        lines = text.replace("\\", "").splitlines()
        for model in models:
            found = [line for line in lines if line.strip("| ").startswith(model)]
            assert len(found) == 2, (form, model)
        heads = [line for line in lines if "Teeth" in line or "Ears" in line]
        assert len(heads) == 2, form
        for organ in ("Teeth", "Eyes", "Spine", "Skin", "Nose", "Face", "GI Tract"):
            assert organ in heads[0], (form, organ)
        for organ in ("Ears", "Hands", "Mouth", "Torso", "Feet", "Hair", "Overall"):
            assert organ in heads[1], (form, organ)
    cells = printed(medical.run, "medebench.organs", "faithful", *chosen[5:])["ours"]
    assert {"Teeth_EA", "Overall_EA"} <= cells.keys(), "a csv keeps one line"


def test_a_column_without_scores_takes_no_rank_from_the_others(tmp_path: Path) -> None:
    """MedEBench's judge scored the whole release, and no preservation was measured. The judged
    columns are ranked among the paper's lines all the same.
    """
    records = [organ_record(n, Organ="Teeth" if n % 2 else "Hair") for n in range(1, 1183)]
    organs(tmp_path / "data", records)
    told = {
        str(one["id"]): {
            "gpt4o_editing_accuracy_detailed": 10,
            "gpt4o_visual_quality_detailed": 0,
            "gpt4o_contextual_preservation_detailed": 5,
        }
        for one in records
    }
    file = tmp_path / "gpt4o_detailed_scores.json"
    file.write_text(json.dumps({"ours": told}))
    about = ("medebench", tmp_path / "data", "--run", tmp_path / "run")
    cli("import", *about, "--from", file, "--model", GPT)
    options = ("--published", "--only", "medebench.organs", "--variant", "faithful")
    (table,) = every_table(tmp_path / "run", options=options)
    (ours,) = [row for row in table["rows"] if row["name"] == "ours"]
    papers = [row for row in table["rows"] if row["kind"] == "published"]
    assert len(papers) == 7
    assert "Overall_CP" not in ours["cells"] or ours["cells"]["Overall_CP"]["value"] is None
    assert ours["cells"]["Overall_EA"]["place"] == 1
    assert not any("place" in row["cells"]["Overall_EA"] and
                   row["cells"]["Overall_EA"]["place"] == 1 for row in papers)  # fmt: skip
    assert sum(row["cells"]["Overall_VQ"].get("place") == 1 for row in papers) <= 1
    assert "place" not in ours["cells"]["Overall_VQ"], "the last one is never marked"


# -- counts, intervals, judges ---------------------------------------------------------------------


def test_every_mean_has_its_count_and_its_interval(kris: Known) -> None:
    cells = numbers(kris.run, "krisbench.judge", "faithful", "--intervals", source=GPT)
    checked = 0
    for editor in EDITORS:
        for column, cell in cells[editor].items():
            assert cell["n"] == cell["of"] > 0, column
            if cell.get("low") is not None:
                assert 0 <= cell["low"] <= cell["value"] <= cell["high"] <= 100, column
                checked += 1
    assert checked >= 2
    again = numbers(kris.run, "krisbench.judge", "faithful", "--intervals", source=GPT)
    assert again == cells


def test_two_judges_are_never_mixed(kris: Known) -> None:
    for judge in JUDGES:
        tables = every_table(kris.run, options=("--source", f"{judge}#imported"))
        assert {table["source"] for table in tables} == {f"{judge}#imported"}
        assert {table["name"] for table in tables} == {"krisbench.judge"}
    assert "choose one" in cli("compare", kris.run, *EDITORS, expect=2).err
    options = ("--variant", "faithful", "--only", "krisbench.judge")
    sources = [table["source"] for table in every_table(kris.run, options=options)]
    assert sorted(sources) == sorted(f"{judge}#imported" for judge in JUDGES)


def test_unequal_coverage_is_told_and_nothing_is_ranked(
    text_edit_bench: Known,
) -> None:
    """One editor lacks one score in the corrected variant: no best in that column."""
    options = ("--variant", "corrected", "--only", "texteditbench.judge", "--source")
    chosen = (*options, f"{GPT}#imported")
    cells = numbers(text_edit_bench.run, "texteditbench.judge", *chosen[1:2], *chosen[4:])
    counts = {editor: cells[editor]["real_LP"]["n"] for editor in EDITORS}
    assert counts == {"ours": 3, "theirs": 4}
    text = cli("table", text_edit_bench.run, "--format", "latex", *chosen).out
    own = {line.split(" & ")[0]: line.split(" & ") for line in text.splitlines()}
    for editor in EDITORS:
        assert "\\textbf" not in own[editor][10], own[editor]
    assert any("\\textbf" in own[editor][7] for editor in EDITORS)


# -- formats ---------------------------------------------------------------------------------------


def test_the_formats_say_the_same_numbers(text_edit: Known) -> None:
    options = ("--variant", "faithful", "--only", "textedit.judge")
    exact = numbers(text_edit.run, "textedit.judge", "faithful")
    shown = printed(text_edit.run, "textedit.judge", "faithful")
    texts = {
        form: cli("table", text_edit.run, "--format", form, *options).out.replace("\\.", ".")
        for form in ("terminal", "markdown", "latex")
    }
    for editor in EDITORS:
        for column, cell in exact[editor].items():
            if cell["value"] is None:
                continue
            text = shown[editor][column]
            assert re.fullmatch(r"\d\.\d\d", text), column
            assert float(text) == pytest.approx(cell["value"], abs=0.00501)
            for form, whole in texts.items():
                line = next(one for one in whole.splitlines() if editor in one)
                assert text in line, (form, column)


def test_json_by_either_option_is_one_object(text_edit: Known) -> None:
    one = cli("table", text_edit.run, "--json").json
    assert one == cli("table", text_edit.run, "--format", "json").json
    assert json.dumps(one, allow_nan=False)


@pytest.mark.parametrize("fixture", ["text_edit_bench", "text_edit", "medical", "kris"])
def test_latex_is_whole(request: pytest.FixtureRequest, fixture: str) -> None:
    known: Known = request.getfixturevalue(fixture)
    text = cli("table", known.run, "--format", "latex", "--variant", "faithful", "--published").out
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") >= 1
    assert text.count("\\toprule") == text.count("\\bottomrule") >= 1
    bare = text.replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")
    for part in re.findall(r"\\midrule(.*?)\\bottomrule", text, re.DOTALL):
        rows = [one for one in part.split("\\\\") if " & " in one]
        assert rows
        assert not any(re.search(r"(?<!\\)[#%_]", one) for one in rows)


# -- pixel scores that were made here --------------------------------------------------------------


@pytest.fixture(scope="module")
def pixels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of TextEditBench with real pixel scores of two editors; one output is the input."""
    place = tmp_path_factory.mktemp("pixels")
    for number in (1, 2, 3):
        before = picture(number, 96, 128)
        folder = instance(place, number, split=WEB)
        save(folder / f"{number}.jpg", before)
        for name in (f"{number}_mask.jpg", f"{number}_edited_mask.jpg"):
            save(folder / name, rectangle(96, 128, (10, 20, 50, 80)))
        for editor, much in (("ours", 4), ("theirs", 9)):
            after = np.clip(before + float(much * number), 0, 255).astype(np.uint8)
            target = place / f"out/{editor}/real/Art_Creative_Expression/{number:03d}_edited"
            save(target.with_suffix(".jpg"), before if (number, much) == (1, 4) else after)
    about = ("--run", place / "run", "--outputs", place / "out", "--tracks", "pixel")
    cli("score", "texteditbench", place, *about, "--workers", 0, expect=None)
    return place / "run"


@pytest.mark.parametrize("variant", ["faithful", "corrected"])
def test_texteditbench_table_3_from_rows(pixels: Path, variant: str) -> None:
    rows = [row for row in rows_of(pixels) if row["variant"] == variant]
    cells = numbers(pixels, "texteditbench.pixel", variant)
    for editor in EDITORS:
        value = {
            name: [r["value"] for r in rows if (r["metric"], r["editor"]) == (name, editor)]
            for name in ("ssim", "mse")
        }
        found = {name: cells[editor][f"real_{name}"]["value"] for name in ("ssim", "mse")}
        assert found["ssim"] == pytest.approx(mean(value["ssim"]))
        places = 4 if variant == "faithful" else 12
        assert found["mse"] == pytest.approx(mean(round(v, places) for v in value["mse"]))


def test_an_output_like_its_input_has_an_infinite_psnr_as_released_only(pixels: Path) -> None:
    """Faithful: one infinite value makes the mean infinite; corrected: PSNR of the mean error."""
    faithful = printed(pixels, "texteditbench.pixel", "faithful")
    assert faithful["ours"]["real_psnr"] in ("∞", "inf")
    assert math.isfinite(float(faithful["theirs"]["real_psnr"]))
    cells = numbers(pixels, "texteditbench.pixel", "corrected")["ours"]
    expected = 10 * math.log10(255**2 / cells["real_mse"]["value"])
    assert cells["real_psnr"]["value"] == pytest.approx(expected)


def test_medebench_table_2_has_the_preservation_that_was_measured(tmp_path: Path) -> None:
    records = [
        organ_record(n, Organ=organ) for n, organ in ((1, "Teeth"), (2, "Teeth"), (3, "Hair"))
    ]
    organs(tmp_path, records)
    about = ("medebench", tmp_path, "--run", tmp_path / "run", "--workers", 0)
    cli("edit", *about, "--editor", "reference")
    cli("score", *about, "--tracks", "pixel", expect=None)
    for variant in ("faithful", "corrected"):
        rows = [r for r in rows_of(tmp_path / "run") if r["variant"] == variant]
        kept = {r["sample"]: r["value"] for r in rows if r["metric"] == "masked_ssim"}
        cells = numbers(tmp_path / "run", "medebench.organs", variant)["reference"]
        assert cells["Teeth_CP"]["value"] == pytest.approx(mean([kept["1"], kept["2"]]))
        assert cells["Hair_CP"]["value"] == pytest.approx(kept["3"])
        assert cells["Overall_CP"]["value"] == pytest.approx(mean(kept.values()))
    full = numbers(tmp_path / "run", "medebench.metrics", "faithful")["reference"]
    assert full["ssim_full"]["value"] == pytest.approx(1)


# -- people's numbers ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of MedEBench with pixel scores of two editors, a judge's EA, and two people's ratings
    of EA on some of the samples.
    """
    place = tmp_path_factory.mktemp("rated")
    records = [organ_record(n, Organ="Teeth" if n % 2 else "Hair") for n in range(1, 21)]
    organs(place / "data", records)
    about = ("medebench", place / "data", "--run", place / "run")
    for editor in ("copy", "reference"):
        cli("edit", *about, "--editor", editor, "--workers", 0)
    cli("score", *about, "--tracks", "pixel", "--workers", 0, expect=None)
    told = {
        editor: {
            str(n): {
                "gpt4o_editing_accuracy_detailed": much + n % 3,
                "gpt4o_visual_quality_detailed": 6,
                "gpt4o_contextual_preservation_detailed": 5,
            }
            for n in range(1, 21)
        }
        for editor, much in (("copy", 2), ("reference", 8))
    }
    file = place / "gpt4o_detailed_scores.json"
    file.write_text(json.dumps(told))
    cli("import", *about, "--from", file, "--model", GPT)
    lines = ["sample,annotator,question,copy,reference"]
    for n in range(1, 13):
        lines += [f"{n},{who},EA,{1 + (n + k) % 2},{4 + (n + k) % 2}"
                  for k, who in enumerate(("ann", "ben"))]  # fmt: skip
    ratings = place / "ratings.csv"
    ratings.write_text("\n".join(lines))
    cli("study", "import", place / "run", ratings, "--scale", "1-5")
    return place / "run"


def test_a_calibrated_table_has_the_benchmarks_own_scale(rated: Path) -> None:
    """Ratings of 1 to 5, a judge of 0 to 10, a table of 0 to 1: all on the last."""
    options = ("--only", "medebench.organs", "--source", f"{GPT}#imported")
    plain = numbers(rated, "medebench.organs", "faithful", *options[2:])
    for variant_table in cli("table", rated, "--calibrate", "human", "--json").json["tables"]:
        headings = {c["name"]: c["heading"][-1] for c in variant_table["columns"]}
        assert all("0–1" in heading for heading in headings.values()), headings
        lines = {row["name"]: row["cells"] for row in variant_table["rows"]}
        for editor, people in (("copy", 0.125), ("reference", 0.875)):
            judge = plain[editor]["Overall_EA"]["value"]
            assert lines[editor]["judge"]["value"] == pytest.approx(judge)
            assert lines[editor]["alone"]["value"] == pytest.approx(people)
            assert lines[editor]["corrected"]["value"] == pytest.approx(people, abs=0.02)


def test_people_stand_alone_under_their_name_and_with_their_scale(rated: Path) -> None:
    tables = every_table(rated, options=("--source", "human"))
    names = {column["name"] for table in tables for column in table["columns"]}
    assert names == {"Teeth_EA", "Hair_EA", "Overall_EA"}, "no preservation, which pixels tell"
    for column in tables[0]["columns"]:
        assert column["heading"][-1] == "EA (0–1)"
    cells = numbers(rated, "medebench.organs", "faithful", "--source", "human")
    assert cells["reference"]["Overall_EA"]["value"] == pytest.approx(0.875)
    text = cli("table", rated, "--source", "human", "--variant", "faithful").out
    assert "EA (0–1)" in text
    (chosen,) = every_table(rated, options=("--source", "human", "--columns", "Overall EA"))
    assert [column["name"] for column in chosen["columns"]] == ["Overall_EA"]


def test_each_persons_answer_is_cut_off_by_itself(tmp_path: Path) -> None:
    """TextEdit: one of two people gives the text a 5, the other a 1, which sets the rest to 0."""
    prompts(tmp_path / "data", [prompt_record(n, "2.1") for n in (1, 2, 3)], category="2.1")
    run = tmp_path / "run"
    cli("edit", "textedit", tmp_path / "data", "--run", run, "--editor", "copy", "--workers", 0)
    lines = ["sample,annotator,question,copy"]
    for n in (1, 2, 3):
        for who, first in (("ann", 5), ("ben", 1)):
            lines += [f"2.1/{n},{who},Q{q},{first if q == 1 else 5}" for q in range(1, 6)]
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("\n".join(lines))
    cli("study", "import", run, ratings, "--scale", "1-5")
    cells = numbers(run, "textedit.judge", "faithful", "--source", "human")["copy"]
    for column in ("TA", "TP", "SI", "LR", "VC", "avg"):
        assert cells[f"real_{column}"]["value"] == pytest.approx(0.5), column


# -- scores outside of their scale -----------------------------------------------------------------


def _check_out_of_scale(run: Path, wanted: list[float]) -> None:
    """Of a run whose faithful IF of the real split has the `wanted` values."""
    rows = [r for r in rows_of(run) if (r["metric"], r["variant"]) == ("IF", "faithful")]
    odd = [r for r in rows if r["value"] > 5]
    assert len(odd) == sum(value > 5 for value in wanted) > 0
    assert all("outside of the scale 0 to 5" in r["reason"] for r in odd)
    assert not any("outside" in (r["reason"] or "") for r in rows if r["value"] <= 5)
    (table,) = every_table(
        run, options=("--only", "texteditbench.judge", "--variant", "faithful", "--intervals")
    )
    (cell,) = [row["cells"]["real_IF"] for row in table["rows"]]
    assert cell["value"] == pytest.approx(mean(wanted))
    assert cell["low"] < cell["value"] < cell["high"]
    (note,) = [note for note in table["notes"] if "IF: " in note and "outside of" in note]
    assert f"{len(odd)} of {len(rows)}" in note
    text = cli("table", run, "--paper", "--only", "texteditbench.judge").out
    assert "outside of the scale" in text.replace("\n", " ")


def test_imported_scores_outside_of_the_scale_are_marked_and_counted(tmp_path: Path) -> None:
    given = [5, 4, 100, 3, 5, 2, 60, 4, 5, 1, 3, 4]
    entries = []
    for number, value in enumerate(given, start=1):
        instance(tmp_path / "data", number, split=WEB)
        results = {"IF": {"IF": value, "rationale": "so"}}
        name = f"TextEditing_Art & Creative Expression_{number:03d}"
        about = {"task_id": name, "category": "Art_Creative_Expression"}
        entries.append({**about, "evaluation_results": results})
    file = tmp_path / "ours.json"
    file.write_text(json.dumps(entries))
    about = ("texteditbench", tmp_path / "data", "--run", tmp_path / "run")
    cli("import", *about, "--from", file, "--model", GPT, "--split", "real")
    _check_out_of_scale(tmp_path / "run", [float(value) for value in given])


def test_replies_outside_of_the_scale_are_marked_and_counted(tmp_path: Path) -> None:
    given = [5, 4, 90, 3, 5, 2, 4, 80, 1, 5]
    for number in range(1, len(given) + 1):
        instance(tmp_path / "data", number, split=WEB)
    about = ("texteditbench", tmp_path / "data", "--run", tmp_path / "run")
    cli("edit", *about, "--editor", "copy", "--workers", 0)
    lock = threading.Lock()
    asked_before: dict[tuple[bytes, ...], int] = {}

    def answer(asked: Any) -> Any:
        """A number for each edit: the same in every question, and when it is asked again."""
        with lock:
            place = asked_before.setdefault(tuple(asked.pictures), len(asked_before))
        reply = json.loads(verdict(asked))
        (name,) = set(DIMENSIONS) & reply.keys()
        return chat(json.dumps({**reply, name: given[place]}))

    with Judge(answer) as server:
        cli("judge", *about, "--model", "judge-1-2025-01-01", "--base-url", server.url, expect=None)
    assert len(asked_before) == len(given)
    _check_out_of_scale(tmp_path / "run", [float(value) for value in given])
