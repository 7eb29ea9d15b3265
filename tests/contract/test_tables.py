"""Every table of the four papers from known scores: faithful and corrected, one judge and two."""

from __future__ import annotations

import json
import math
import random
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract import runs
from tests.contract.datasets import (
    KNOWLEDGE,
    MANUAL,
    TAXONOMY,
    WEB,
    every_task,
    instance,
    prompt_record,
    prompts,
)
from tests.contract.golden import published
from tests.contract.runs import EDITORS, JUDGES, Known, mean, take_in, write
from tests.contract.server import Judge, chat, verdict
from tests.contract.support import cli, rows_of
from tests.contract.tables import every_table, numbers, printed
from tests.oracles import textedit as oracle

VARIANTS = ("faithful", "corrected")
GPT, QWEN = JUDGES


def check(cells: Any, expected: dict[tuple[str, str], float]) -> None:
    """Every column of every line of `expected`, and no other column with a number."""
    found = {
        (line, column): cell["value"]
        for line, columns in cells.items()
        if line in EDITORS
        for column, cell in columns.items()
        if cell["value"] is not None and cell.get("n") != 0
    }
    assert found == pytest.approx(expected, abs=1e-9)


# -- TextEditBench: Tables 3, 4, 5 ----------------------------------------------------------------

SPLITS = {"synthetic": MANUAL, "real": WEB}


def judged(known: Known, judge: str, editor: str, variant: str, split: str) -> dict[str, float]:
    return {
        name: mean(known.column(judge, editor, name, variant, SPLITS[split]))
        for name in runs.DIMENSIONS
    }


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("judge", JUDGES)
def test_texteditbench_table_4_sums_five_means(
    text_edit_bench: Known, judge: str, variant: str
) -> None:
    expected: dict[tuple[str, str], float] = {}
    for editor in EDITORS:
        for split in SPLITS:
            means = judged(text_edit_bench, judge, editor, variant, split)
            expected |= {(editor, f"{split}_{name}"): value for name, value in means.items()}
            expected[editor, f"{split}_overall"] = sum(means.values())
    check(numbers(text_edit_bench.run, "texteditbench.judge", variant, source=judge), expected)


def test_a_failed_call_is_0_as_released_and_left_out_when_corrected(text_edit_bench: Known) -> None:
    cells = {
        variant: numbers(text_edit_bench.run, "texteditbench.judge", variant, source=GPT)
        for variant in VARIANTS
    }
    counts = [cells[variant]["ours"]["real_LP"]["n"] for variant in VARIANTS]
    assert counts == [4, 3]
    assert cells["corrected"]["ours"]["real_LP"]["of"] == 4
    low = numbers(
        text_edit_bench.run, "texteditbench.judge", "corrected", "--failures", "floor", source=GPT
    )
    floor, as_released = (c["ours"]["real_LP"]["value"] for c in (low, cells["faithful"]))
    assert floor == pytest.approx(as_released)


def test_texteditbench_table_3_averages_values_of_four_places(text_edit_bench: Known) -> None:
    expected: dict[tuple[str, str], float] = {}
    for editor in EDITORS:
        for split, folder in SPLITS.items():
            for name, places in {"ssim": 20, "lpips": 20, "psnr": 4, "mse": 4}.items():
                values = text_edit_bench.column("", editor, name, within=folder)
                expected[editor, f"{split}_{name}"] = mean(round(v, places) for v in values)
    check(numbers(text_edit_bench.run, "texteditbench.pixel", "faithful"), expected)


def test_means_over_slices(text_edit_bench: Known) -> None:
    tiers = {"easy": ("001", "002"), "medium": ("003", "004", "005")}
    tables = every_table(
        text_edit_bench.run,
        options=("--by", "difficulty", "--only", "texteditbench.judge", "--variant", "corrected"),
    )
    (table,) = [one for one in tables if GPT in one["source"]]
    found = {(row["name"], row["group"]): row["cells"]["real_LP"]["value"] for row in table["rows"]}
    samples = {editor: text_edit_bench.of(GPT, editor, "corrected") for editor in EDITORS}
    assert found == pytest.approx(
        {
            (editor, tier): mean(
                made["LP"]
                for sample, made in samples[editor].items()
                if sample.startswith(WEB) and sample[-3:] in ends and made["LP"] is not None
            )
            for editor in EDITORS
            for tier, ends in tiers.items()
        }
    )


def test_repeated_judgements_have_a_table_each_and_their_spread(tmp_path: Path) -> None:
    """Table 5 of TextEditBench: the whole judge track three times."""
    for number in (1, 2):
        instance(tmp_path / "data", number, split=WEB, knowledge_prompt="It is 2024.")
    about = ("texteditbench", tmp_path / "data", "--run", tmp_path / "run")
    cli("edit", *about, "--editor", "copy", "--workers", 0)
    given = random.Random(5)
    with Judge(lambda asked: chat(verdict(asked, given.randint(0, 5)))) as server:
        cli("judge", *about, "--model", "judge-1-2025-01-01", "--base-url", server.url,
            "--repeat", 3)  # fmt: skip
    rows = [row for row in rows_of(tmp_path / "run") if row["metric"] in runs.DIMENSIONS]
    overall = []
    for repeat in range(3):
        once = [r for r in rows if r["repeat"] == repeat and r["variant"] == "faithful"]
        assert len(once) == 10
        overall.append(
            sum(mean(r["value"] for r in once if r["metric"] == name) for name in runs.DIMENSIONS)
        )
    told = [
        cell["value"]
        for table in every_table(tmp_path / "run", options=("--variant", "faithful"))
        for row in table["rows"]
        for cell in row["cells"].values()
        if isinstance(cell["value"], int | float)
    ]
    for value in (*overall, statistics.mean(overall), statistics.stdev(overall)):
        assert any(math.isclose(value, one, abs_tol=1e-9) for one in told), value


# -- TextEdit: classic metrics, judge with and without the cut-off ---------------------------------

COLUMNS = dict(zip(oracle.QUESTIONS, ("TA", "TP", "SI", "LR", "VC"), strict=True))
HALVES = {"virtual": "1.", "real": "2."}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("cut_off", [True, False])
def test_textedit_judge_tables(text_edit: Known, variant: str, cut_off: bool) -> None:
    expected: dict[tuple[str, str], float] = {}
    for editor in EDITORS:
        answers = text_edit.of("gemini-3-pro", editor, variant)
        for half, start in HALVES.items():
            mine = [made for sample, made in answers.items() if sample.startswith(start)]
            scaled = [oracle.normalise(made, cut_off=cut_off) or {} for made in mine]
            means = {name: mean(one[name] for one in scaled) for name in COLUMNS}
            expected |= {(editor, f"{half}_{COLUMNS[name]}"): m for name, m in means.items()}
            expected[editor, f"{half}_avg"] = oracle.weighted(means)
    table = "textedit.judge" if cut_off else "textedit.judge_no_cutoff"
    check(numbers(text_edit.run, table, variant), expected)


def test_textedit_classic_table(text_edit: Known) -> None:
    expected = {
        (editor, f"{half}_{name}"): mean(
            made[name]
            for sample, made in text_edit.scores[""][editor].items()
            if sample.startswith(start)
        )
        for editor in EDITORS
        for half, start in HALVES.items()
        for name in runs.CLASSIC
    }
    check(numbers(text_edit.run, "textedit.classic", "faithful"), expected)


# -- MedEBench: Table 2, the six judged scores ------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("judge", [GPT, "gemini-3-pro"])
def test_medebench_table_2_is_by_organ_over_10(medical: Known, judge: str, variant: str) -> None:
    expected: dict[tuple[str, str], float] = {}
    for editor in EDITORS:
        for name in ("EA", "VQ"):
            for number, organ in enumerate(runs.ORGANS, start=1):
                samples = medical.of(judge, editor, variant)
                values = [samples[f"{turn}{number:02d}"][name] for turn in (1, 2)]
                expected[editor, f"{organ}_{name}"] = mean(values) / 10
            expected[editor, f"Overall_{name}"] = mean(medical.column(judge, editor, name)) / 10
    check(numbers(medical.run, "medebench.organs", variant, source=judge), expected)


def test_medebench_scores_by_description_and_by_prompt(medical: Known) -> None:
    expected = {
        (editor, name): mean(medical.column(GPT, editor, name)) / 10
        for editor in EDITORS
        for name in runs.MEDICAL
    }
    check(numbers(medical.run, "medebench.judged", "faithful", source=GPT), expected)


# -- KRIS-Bench: Tables 2 and 3 --------------------------------------------------------------------


def on_scale(values: list[float], variant: str) -> float:
    average = mean(values)
    if variant == "faithful":
        average = round(average, 2)
    return (average - 1) * 25


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("judge", JUDGES)
def test_krisbench_metrics_of_dimensions(kris: Known, judge: str, variant: str) -> None:
    """Means rounded to two places (faithful), then on the scale of 0 to 100; averages weighted by
    samples. A faithful average may differ by what rounding its parts first makes of it.
    """
    of_parts, of_averages = (0.0051, 0.0101) if variant == "faithful" else (1e-9, 1e-9)
    cells = numbers(kris.run, "krisbench.judge", variant, source=judge)
    for editor in EDITORS:
        samples = kris.of(judge, editor, variant)
        sums: dict[str, list[tuple[int, float]]] = {"Overall": []}
        for kind, dimensions in TAXONOMY.items():
            for dimension, inside in dimensions.items():
                made = [m for name, m in samples.items() if name.split("/")[0] in inside]
                metrics = ("VC", "VQ", "IF", *(["KP"] if dimension in KNOWLEDGE else []))
                scaled = [on_scale([m[name] for m in made], variant) for name in metrics]
                for name, value in zip(metrics, scaled, strict=True):
                    cell = cells[editor][f"{dimension}/{name}"]
                    assert cell["value"] == pytest.approx(value), (dimension, name)
                    assert cell["n"] == len(made)
                average = cells[editor][f"{dimension}/avg"]["value"]
                assert average == pytest.approx(mean(scaled), abs=of_parts)
                for above in (f"{kind} Knowledge", "Overall"):
                    sums.setdefault(above, []).append((len(made), mean(scaled)))
        for above, parts in sums.items():
            total = sum(n * value for n, value in parts) / sum(n for n, _ in parts)
            found = cells[editor][f"{above}/avg"]["value"]
            assert found == pytest.approx(total, abs=of_averages)


FULL = {
    "Factual": {
        "Attribute Perception": {"count_change": 275},
        "Spatial Perception": {"position_movement": 100},
        "Temporal Prediction": {"temporal_prediction": 74},
    },
    "Conceptual": {
        "Social Science": {"humanities": 125},
        "Natural Science": {"physics": 393},
    },
    "Procedural": {
        "Logical Reasoning": {"abstract_reasoning": 150},
        "Instruction Decomposition": {"multi-instruction_execution": 150},
    },
}
"""As many samples of each dimension as the release has: the weights of the averages."""


@pytest.fixture(scope="module")
def table_2(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """KRIS-Bench's Table 2 as it is printed from scores whose means are the paper's."""
    return from_scores(tmp_path_factory.mktemp("full"), "kris_bench_gpt4o", GPT)


@pytest.fixture(scope="module")
def table_3(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Its Table 3, of the other judge."""
    return from_scores(tmp_path_factory.mktemp("full"), "kris_bench_qwen2.5-vl-72b", QWEN)


def from_scores(place: Path, paper: str, judge: str) -> dict[str, dict[str, str]]:
    data = every_task(place / "data", FULL)
    lines = [line for line in published(paper) if line["metric"] in runs.NAMES]
    for model in list(lines[0])[2:]:
        for _, dimension, category, count in runs.categories(FULL):
            told: dict[str, Any] = {str(n): {} for n in range(1, count + 1)}
            for line in (one for one in lines if one["dimension"] == dimension):
                key = f"{runs.NAMES[line['metric']]}_score"
                for number, score in enumerate(scores_of(float(line[model]) / 25 + 1, count)):
                    told[str(number + 1)][key] = score
            write(place / "scores" / model / category / "metrics.json", told)
    take_in("krisbench", data, place / "run", judge, place / "scores")
    return printed(place / "run", "krisbench.judge", "faithful")


def scores_of(average: float, count: int) -> list[int]:
    """Whole scores whose mean is `average` when it is rounded to two places: of all samples, or of
    one less, where no sum of all has that mean.
    """
    for number in (count, count - 1, count - 2):
        total = round(average * number)
        if abs(total / number - average) < 0.00499:
            low, more = divmod(total, number)
            return [low + 1] * more + [low] * (number - more)
    raise AssertionError(average)


def printed_cells(
    model: str, metrics: tuple[str, ...], paper: str = "kris_bench_gpt4o"
) -> Iterator[tuple[str, str]]:
    for line in published(paper):
        if line["metric"] in metrics:
            yield f"{line['dimension']}/{line['metric']}", line[model]


MODELS = tuple(published("kris_bench_gpt4o")[0])[2:]


@pytest.mark.parametrize("model", MODELS)
def test_krisbench_table_2_to_the_printed_cell(
    table_2: dict[str, dict[str, str]], model: str
) -> None:
    for column, cell in printed_cells(model, ("VC", "VQ", "IF", "KP")):
        assert table_2[model][column] == cell, column


@pytest.mark.parametrize(
    ("fixture", "paper", "equal"),
    [("table_2", "kris_bench_gpt4o", 44), ("table_3", "kris_bench_qwen2.5-vl-72b", 40)],
)
def test_krisbench_averages_of_averages_to_the_printed_cell(
    request: pytest.FixtureRequest, fixture: str, paper: str, equal: int
) -> None:
    """The averages of the three types and of all, of which four of Table 3 do not follow from the
    paper's own metrics.
    """
    ours = request.getfixturevalue(fixture)
    same = [
        (model, column)
        for model in MODELS
        for column, cell in printed_cells(model, ("avg",), paper)
        if column.split("/")[0].endswith(("Knowledge", "Overall")) and ours[model][column] == cell
    ]
    assert len(same) == equal


def test_a_repeated_answer_is_cut_off_before_it_is_averaged(tmp_path: Path) -> None:
    """Three judgements of each edit, of which some have a Q1 below the cut-off: each is put on the
    table's scale by itself, and the mean is over what came out.
    """
    numbers_of = range(1, 7)
    data, run = tmp_path / "data", tmp_path / "run"
    prompts(data, [prompt_record(n, "2.1") for n in numbers_of], category="2.1")
    about = ("textedit", data, "--run", run)
    cli("edit", *about, "--editor", "copy", "--workers", 0)
    draw = random.Random(8)
    scores = {name: draw.choices((1, 2, 3, 4, 5), k=18) for name in oracle.QUESTIONS}

    def answer(asked: Any) -> Any:
        reply = json.loads(verdict(asked))
        for name in oracle.QUESTIONS:
            reply["score"][name] = scores[name][asked.number % 18]
        return chat(json.dumps(reply))

    with Judge(answer) as server:
        cli("judge", *about, "--model", "judge-1-2025-01-01", "--base-url", server.url,
            "--repeat", 3)  # fmt: skip
    for cut_off, table in ((True, "textedit.judge"), (False, "textedit.judge_no_cutoff")):
        by_sample: dict[str, dict[int, dict[str, int]]] = {}
        for row in rows_of(run):
            if row["metric"] in oracle.QUESTIONS and row["variant"] == "corrected":
                answers = by_sample.setdefault(row["sample"], {})
                answers.setdefault(row["repeat"], {})[row["metric"]] = int(row["value"])
        assert [len(answers) for answers in by_sample.values()] == [3] * 6
        means = {}
        for name in oracle.QUESTIONS:
            of_samples = []
            for answers in by_sample.values():
                shown = [oracle.normalise(one, cut_off=cut_off) or {} for one in answers.values()]
                of_samples.append(mean(one[name] for one in shown))
            means[name] = mean(of_samples)
        cells = numbers(run, table, "corrected")["copy"]
        for name, column in COLUMNS.items():
            assert cells[f"real_{column}"]["value"] == pytest.approx(means[name]), column
        assert cells["real_avg"]["value"] == pytest.approx(oracle.weighted(means))


# -- scores of several models in one call ----------------------------------------------------------

ART = "Art_Creative_Expression"


def judged_file(path: Path, values: list[int]) -> None:
    """What TextEditBench's released judge script writes of one model, one dimension of it."""
    entries = []
    for number, value in enumerate(values, start=1):
        name = f"TextEditing_Art & Creative Expression_{number:03d}"
        results = {"IF": {"IF": value, "rationale": "so"}}
        entries.append({"task_id": name, "category": ART, "evaluation_results": results})
    write(path, entries)


def test_a_folder_with_a_file_for_each_model_is_taken_in_one_call(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        instance(tmp_path / "data", number, split=WEB)
    given = {"bagel": [1, 2, 3], "qwen-image_edit": [5, 5, 4]}
    for model, values in given.items():
        judged_file(tmp_path / "results" / f"{model}.json", values)
        write(tmp_path / "results" / "failed" / f"{model}_failed.json", [])
    take_in("texteditbench", tmp_path / "data", tmp_path / "run", GPT, tmp_path / "results")
    cells = numbers(tmp_path / "run", "texteditbench.judge", "faithful")
    assert {model: one["real_IF"]["value"] for model, one in cells.items()} == {
        model: pytest.approx(mean(values)) for model, values in given.items()
    }


def test_three_runs_of_a_judge_are_repeats(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        instance(tmp_path / "data", number, split=WEB)
    given = {"bagel": [[1, 2, 3], [2, 2, 3], [1, 2, 5]], "flux": [[5, 5, 4], [5, 4, 4], [5, 5, 5]]}
    for model, several in given.items():
        for number, values in enumerate(several, start=1):
            judged_file(tmp_path / "results" / f"run{number}" / f"{model}.json", values)
    about = ("texteditbench", tmp_path / "data")
    take_in(*about, tmp_path / "run", GPT, tmp_path / "results")  # type: ignore[arg-type]
    for number in (1, 2, 3):
        cli("import", *about, "--run", tmp_path / "other", "--model", GPT, "--repeat", number,
            "--from", tmp_path / "results" / f"run{number}")  # fmt: skip
    for run in (tmp_path / "run", tmp_path / "other"):
        rows = [r for r in rows_of(run) if (r["metric"], r["variant"]) == ("IF", "faithful")]
        found = {
            model: [
                sorted(r["value"] for r in rows if (r["editor"], r["repeat"]) == (model, repeat))
                for repeat in range(3)
            ]
            for model in given
        }
        assert found == {
            model: [sorted(values) for values in several] for model, several in given.items()
        }
        cells = numbers(run, "texteditbench.judge", "faithful")
        for model, several in given.items():
            assert cells[model]["real_IF"]["value"] == pytest.approx(mean(map(mean, several)))


def test_one_file_with_several_models_is_taken_in_one_call(tmp_path: Path) -> None:
    """TextEdit's `summary_by_model`, of all models or of the one that is named."""
    prompts(tmp_path / "data", [prompt_record(n, "2.1") for n in (1, 2)], category="2.1")
    given = {"bagel": 0.25, "flux": 0.75}
    summary = {}
    for model, value in given.items():
        entries = [
            {
                "id": number,
                "path": {"original_image": f"data/2.1/image/original/{number}.0.png"},
                "score": {"ocr_accuracy": value},
            }
            for number in (1, 2)
        ]
        summary[model] = {"Real": {"detailed_results": entries}}
    file = write(tmp_path / "classic.json", {"summary_by_model": summary})
    about = ("textedit", tmp_path / "data")
    take_in(*about, tmp_path / "all", "", file)  # type: ignore[arg-type]
    take_in(*about, tmp_path / "one", "", file, "--editor", "flux")  # type: ignore[arg-type]
    for run, models in ((tmp_path / "all", given), (tmp_path / "one", {"flux": 0.75})):
        cells = numbers(run, "textedit.classic", "faithful")
        assert {model: one["real_OA"]["value"] for model, one in cells.items()} == models


@pytest.mark.parametrize("layout", ["{model}/{split}/{topic}", "{split}/{topic}/{model}_mse_psnr"])
def test_errors_of_all_topics_and_models_are_taken_in_one_call(tmp_path: Path, layout: str) -> None:
    """`mse_psnr.py` writes a file for each model and topic, which names neither."""
    data = tmp_path / "data"
    expected = {}
    places = [(WEB, ART), (WEB, "Documents_Credentials"), (MANUAL, ART)]
    for split, topic in places:
        for number in (1, 2):
            instance(data, number, split=split, place=topic, topic=topic.replace("_", " & ", 1))
    for model_number, model in enumerate(("bagel", "flux-1.dev")):
        for place, (split, topic) in enumerate(places):
            details = []
            for number in (1, 2):
                error = 1.0 + 100 * model_number + 10 * place + number
                expected[model, f"{split}/{topic}/{number:03d}"] = error
                name = f"{number:03d}"
                details.append({"id": name, "filename": f"{name}_edited.jpg", "mse": error,
                                "psnr": 30.0})  # fmt: skip
            file = layout.format(model=model, split=split, topic=topic)
            write(tmp_path / f"results/{file}.json", {"summary": {}, "details": details})
    take_in("texteditbench", data, tmp_path / "run", "", tmp_path / "results")
    rows = [row for row in rows_of(tmp_path / "run") if row["metric"] == "mse"]
    assert {(row["editor"], row["sample"]): row["value"] for row in rows} == expected
