"""Every golden value, through the command line and the public names."""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from editgauge import Evaluation
from tests.contract import oracle
from tests.contract.datasets import (
    instance,
    organ_record,
    organs,
    prompt_record,
    prompts,
    task_record,
    tasks,
)
from tests.contract.golden import golden
from tests.contract.packages import installed
from tests.contract.support import cli, picture, rectangle, rows_of, save, values
from tests.contract.tables import numbers

INFO = Path("/proc/cpuinfo")
FMA = INFO.is_file() and " fma" in INFO.read_text()
"""The released SIFT numbers were made by a processor that multiplies and adds in one step; another
kernel of its linear algebra moves them in the fifth digit.
"""

# -- TextEdit: 500 answers of a judge, 120 pairs of recognised texts -------------------------------

QUESTIONS = {
    "TA": "Q1_Text_Accuracy",
    "TP": "Q2_Text_Preservation",
    "SI": "Q3_Scene_Integrity",
    "LR": "Q4_Local_Realism",
    "VC": "Q5_Visual_Coherence",
}
"""The column of our table -> the name in the released report."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with the 500 answers."""
    place = tmp_path_factory.mktemp("answers")
    entries = golden("textedit_judge")["answers"]
    by_category: dict[str, list[Any]] = defaultdict(list)
    for entry in entries:
        by_category[entry["category"]].append(prompt_record(entry["id"], entry["category"]))
    for category, records in by_category.items():
        prompts(place / "data", records, category=category, part="miniset")
    file = place / "answers.jsonl"
    file.write_text("\n".join(json.dumps({**entry, "reason": ""}) for entry in entries))
    about = ("--run", place / "run", "--from", file, "--editor", "m")
    cli("import", "textedit", place / "data", *about, "--model", "gemini-3-pro")
    return place / "run"


@pytest.mark.parametrize(
    ("table", "report"), [("textedit.judge", "cutoff"), ("textedit.judge_no_cutoff", "no_cutoff")]
)
def test_the_reports_of_500_answers_are_the_released_ones(
    answers: Path, table: str, report: str
) -> None:
    cells = numbers(answers, table, "faithful")["m"]
    for split, expected in golden("textedit_judge")["expected"][report].items():
        for column, name in QUESTIONS.items():
            cell = cells[f"{split.lower()}_{column}"]
            assert round(cell["value"], 4) == expected["Detail Metrics"][name], (split, column)
            assert cell["n"] == expected["Count"]
        assert round(cells[f"{split.lower()}_avg"]["value"], 4) == expected["Weighted Score"]


ENGINE = '''
import json
from pathlib import Path
from editgauge.ocr import Identity, Text

READ = json.loads((Path(__file__).parent / "read.json").read_text())

class Recorded:
    """Reads what was recorded: the colour of a picture says of which."""
    name = "recorded"
    def identity(self):
        return Identity("recorded", "1")
    def own_language(self, language):
        return language
    def __call__(self, image, language="en"):
        pair, which, _ = image[image.shape[0] // 2, image.shape[1] // 2].tolist()
        return [Text(tuple(map(tuple, box)), text, sure) for box, text, sure in READ[pair][which]]
'''


def test_ocr_scores_of_120_pairs_are_the_released_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = golden("textedit_ocr")
    names = {"editgauge.ocr_engines": {"recorded": "recorded:Recorded"}}
    installed(tmp_path / "recorded-engine", monkeypatch, names, {"recorded.py": ENGINE})
    read = [[pair["raw"] or [], pair["edited"] or []] for pair in pairs]
    (tmp_path / "recorded-engine" / "read.json").write_text(json.dumps(read))
    texts = [{name: pair[name] for name in ("source_text", "target_text")} for pair in pairs]
    records = [prompt_record(n, **text) for n, text in enumerate(texts)]
    prompts(tmp_path / "data", records)
    for number, pair in enumerate(pairs):
        height, width = pair["size"]
        for which, path in enumerate(("data/data/1.1.1/image/original", "out/m/1.1.1")):
            pixels = np.full((height, width, 3), (number, which, 0), np.uint8)
            save(tmp_path / path / f"{number}.0.png", pixels)
    about = ("--run", tmp_path / "run", "--outputs", tmp_path / "out", "--workers", 0)
    cli("score", "textedit", tmp_path / "data", *about, "--tracks", "ocr",
        "--ocr-engine", "recorded", expect=None)  # fmt: skip
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows_of(tmp_path / "run"):
        if row["variant"] == "faithful":
            found[row["sample"]][row["metric"]] = row["value"]
    assert len(pairs) == 120
    for number, pair in enumerate(pairs):
        assert found[f"1.1.1/{number}"] == pytest.approx(pair["expected"], abs=1e-9), number


# -- KRIS-Bench: 30 replies ------------------------------------------------------------------------

METRICS = {"VC": "consistency", "VQ": "quality", "IF": "instruction"}
MISREAD = {4: (None,), 9: (5, None), 12: (None,), 13: (None,), 18: (None,)}
"""Replies that the released parsers misread (2 people, 7, 0, 4.6, "1.") -> what may be made of them."""


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, str, str], Any]:
    """(sample, metric, variant) -> row: each reply given to a common task and a knowledge task."""
    place = tmp_path_factory.mktemp("replies")
    cases = golden("kris_bench_parse")
    names = [f"{n + 1}.png" for n in range(len(cases))]
    for category in ("color_change", "chemistry"):
        records = {str(n + 1): task_record(ori_img=name) for n, name in enumerate(names)}
        folder = tasks(place / "data", records, category=category, names=names)
    shown = {b64encode((folder / name).read_bytes()).decode(): n for n, name in enumerate(names)}
    evaluation = Evaluation("krisbench", place / "data", run=place / "run")
    evaluation.edit("copy")

    def ask(request: Mapping[str, Any]) -> str:
        sent = json.dumps(request["messages"]).split("base64,")[-1].split('"')[0]
        reply: str = cases[shown[sent]]["response"]
        return reply

    evaluation.judge("fake", ask=ask)
    return {
        (row["sample"], row["metric"], row["variant"]): row["value"]
        for row in rows_of(place / "run")
    }


@pytest.mark.parametrize("number", range(30))
def test_replies_are_read_as_the_released_code_reads_them(
    replies: Mapping[tuple[str, str, str], Any], number: int
) -> None:
    case = golden("kris_bench_parse")[number]
    for metric, name in METRICS.items():
        found = replies[f"color_change/{number + 1}", metric, "faithful"]
        assert found == case[name], metric
    followed, knowledge = case["dual"]
    if followed is not None and followed <= 2:
        knowledge = 1  # the paper's rule (3.4)
    assert replies[f"chemistry/{number + 1}", "IF", "faithful"] == followed
    assert replies[f"chemistry/{number + 1}", "KP", "faithful"] == knowledge


@pytest.mark.parametrize("number", sorted(MISREAD))
def test_corrected_scores_repeat_no_misreading(
    replies: Mapping[tuple[str, str, str], Any], number: int
) -> None:
    assert replies[f"color_change/{number + 1}", "VC", "corrected"] in MISREAD[number]


# -- pixels: on the pictures of ../shared where they are, and on drawn ones everywhere -------------


def test_pixel_scores_of_seven_medical_models_are_those_of_scikit_image(
    shared: Path, tmp_path: Path
) -> None:
    data, outputs = shared / "data" / "medebench", shared / "data" / "outputs" / "medebench"
    found = faithful(scored("medebench", data, outputs, tmp_path))
    expected = {
        (model, sample, metric): value
        for model, samples in golden("medebench_pixel").items()
        for sample, scores in samples.items()
        for metric, value in scores.items()
    }
    assert len(expected) == 105
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-6)


def test_pixel_scores_outside_masks_are_the_released_ones(shared: Path, tmp_path: Path) -> None:
    told = golden("texteditbench_pixel")
    for sample in told["noop"]:  # without the references, which would be compared with as well
        (tmp_path / "data" / sample).mkdir(parents=True)
        for file in (shared / "data" / "texteditbench" / sample).iterdir():
            if file.suffix == ".json" or file.stem.endswith("_mask") or file.stem.isdigit():
                shutil.copy(file, tmp_path / "data" / sample)
    outputs = shared / "data" / "outputs" / "texteditbench"
    found = faithful(scored("texteditbench", tmp_path / "data", outputs, tmp_path))
    ssim = {(m, s, "ssim"): v.get("ssim_float64") for m in told for s, v in told[m].items()}
    assert len(ssim) == 60
    assert {key: found[key] for key in ssim} == pytest.approx(ssim, abs=2e-6)
    single = {(m, s, "ssim"): v["ssim_float32"] for m in told for s, v in told[m].items()}
    assert {key: found[key] for key in single} == pytest.approx(single, abs=5e-4)
    if cv2.__version__.startswith("5.0.") and FMA:
        error = {(m, s, n): v[n] for m in told for s, v in told[m].items() for n in ("mse", "psnr")}
        assert {key: found[key] for key in error} == pytest.approx(error, rel=1e-4)


def test_drawn_medical_pictures_have_the_scores_of_the_formulas(tmp_path: Path) -> None:
    """Seven windows wide, so that each part of the definition counts: a soft mask, an output of
    another size.
    """
    expected: dict[tuple[str, str], float] = {}
    organs(tmp_path, [organ_record(1), organ_record(2)])
    folder = tmp_path / "editing"
    for number, size in ((1, (60, 80)), (2, (90, 120))):
        before, after = picture(number, 60, 80), picture(number + 10, 60, 80)
        output = np.clip(picture(number, *size) + 9.0, 0, 255).astype(np.uint8)
        grey = rectangle(60, 80, (10, 15, 30, 40))
        grey[30:34, 15:40] = 90
        save(folder / "previous" / f"{number}.png", before)
        save(folder / "changed" / f"{number}.png", after)
        save(folder / "previous_mask" / f"{number}.png", grey)
        save(tmp_path / "out" / "m" / f"{number}_0.png", output)
        fitted = np.asarray(Image.fromarray(output).resize((80, 60), Image.Resampling.BICUBIC))
        expected |= {
            (f"{number}", "masked_ssim"): oracle.darkened_ssim(before, fitted, grey),
            (f"{number}", "corrected"): oracle.clear_ssim(
                before, fitted, grey >= 128, gaussian=False
            ),
            (f"{number}", "ssim_full"): float(
                oracle.ssim_map(after, fitted, gaussian=False).mean()
            ),
            (f"{number}", "psnr"): oracle.psnr(oracle.squared_error(after, fitted)),
        }
    run = scored("medebench", tmp_path, tmp_path / "out", tmp_path)
    found = {key[1:]: number for key, number in faithful(run).items()}
    for sample, number in values(run, "masked_ssim", "corrected").items():
        found[sample, "corrected"] = number
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-6)


def test_drawn_pictures_have_the_scores_outside_masks_of_the_formulas(tmp_path: Path) -> None:
    area = np.zeros((120, 160), bool)
    area[20:60, 30:90] = True
    expected: dict[tuple[str, str], float] = {}
    for number, shift in ((1, 0), (2, 3)):
        folder = instance(tmp_path, number, output_image=...)
        (folder / f"text_change_{number}.jpg").unlink()
        before = picture(number, 120, 160)
        after = np.roll(np.clip(before + 5.0, 0, 255).astype(np.uint8), shift, axis=1)
        after[area] = picture(number + 5, 120, 160)[area]
        save(folder / f"{number}.jpg", before, format="PNG", quality=None)  # content decides
        for name in (f"{number}_mask.jpg", f"text_change_{number}_mask.jpg"):
            save(folder / name, rectangle(120, 160, (20, 30, 60, 90)))
        save(tmp_path / f"out/m/canva/Art_Creative_Expression/{number:03d}_edited.png", after)
        error = oracle.aligned_error(before, after, area)
        expected |= {
            (f"{number}", "mse"): error,
            (f"{number}", "psnr"): oracle.psnr(error),
            (f"{number}", "ssim"): oracle.black_ssim(before, after, area),
            (f"{number}", "corrected"): oracle.clear_ssim(before, after, area, gaussian=True),
        }
    run = scored("texteditbench", tmp_path, tmp_path / "out", tmp_path)
    found = {(key[1][-1], key[2]): number for key, number in faithful(run).items()}
    for sample, number in values(run, "ssim", "corrected").items():
        found[sample[-1], "corrected"] = number
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-6, abs=2e-6)


def test_the_formula_of_even_windows_is_that_of_scikit_image() -> None:
    metrics = pytest.importorskip("skimage.metrics")
    one, two = picture(1), picture(2)
    expected = metrics.structural_similarity(one, two, channel_axis=-1)
    assert oracle.ssim_map(one, two, gaussian=False).mean() == pytest.approx(expected, abs=1e-9)


def scored(benchmark: str, data: Path, outputs: Path, place: Path) -> Path:
    """A run with the pixel scores of outputs."""
    about = ("--run", place / "run", "--outputs", outputs, "--tracks", "pixel", "--workers", 0)
    cli("score", benchmark, data, *about, expect=None)
    return place / "run"


def faithful(run: Path) -> dict[tuple[str, str, str], Any]:
    """(editor, sample, metric) -> faithful value."""
    return {
        (row["editor"], row["sample"], row["metric"]): row["value"]
        for row in rows_of(run)
        if row["variant"] == "faithful"
    }
