"""A small run of each benchmark with known scores, taken in from files as the released scripts write
them. What the tables must say follows from the scores.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from tests.contract.datasets import (
    KNOWLEDGE,
    MANUAL,
    TAXONOMY,
    WEB,
    every_task,
    instance,
    organ_record,
    organs,
    prompt_record,
    prompts,
)
from tests.contract.support import cli

EDITORS = ("ours", "theirs")
JUDGES = ("gpt-4o-2024-08-06", "qwen2.5-vl-72b")
Scores = dict[str, dict[str, dict[str, Any]]]
"""Editor -> sample -> metric -> value."""


@dataclass(frozen=True)
class Known:
    """A run, its data, and judge -> the scores that were taken in ("": no judge). `corrected`: what
    the corrected variant makes of the same file where that is something else; None: no score.
    """

    run: Path
    data: Path
    scores: dict[str, Scores]
    corrected: dict[tuple[str, str, str, str], Any] = field(default_factory=dict)

    def of(self, judge: str, editor: str, variant: str) -> dict[str, dict[str, Any]]:
        """Sample -> metric -> value."""
        found = {sample: dict(made) for sample, made in self.scores[judge][editor].items()}
        for (of, by, sample, metric), value in self.corrected.items():
            if (of, by, variant) == (judge, editor, "corrected"):
                found[sample][metric] = value
        return found

    def column(
        self, judge: str, editor: str, metric: str, variant: str = "faithful", within: str = ""
    ) -> list[float]:
        """The scores of the samples whose id has `within` in it."""
        samples = self.of(judge, editor, variant).items()
        found = [made.get(metric) for sample, made in samples if within in sample]
        return [value for value in found if value is not None]


def mean(values: Any) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def take_in(benchmark: str, data: Path, run: Path, judge: str, source: Path, *more: Any) -> None:
    about = (benchmark, data, "--run", run, "--from", source, *more)
    if judge:
        cli("import", *about, "--model", judge)
    else:
        cli("import", *about)


# -- TextEditBench ---------------------------------------------------------------------------------

DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")


def text_edit_bench(place: Path) -> Known:
    """Both splits, two judges, and the pixel scores of both released scripts. One call of the first
    judge failed, which its script recorded as 0.
    """
    data, run, rng = place / "data", place / "run", random.Random(1)
    tiers = {"easy": "4(0,1,1,2,0,0,0,0,0,0)", "medium": "6(0,2,2,0,0,0,0,1,1,0)"}
    parts = [(MANUAL, "synthetic", range(1, 6)), (WEB, "real", range(1, 5))]
    art = "Art_Creative_Expression"
    for split, _, numbers in parts:
        for number in numbers:
            tier = "easy" if number < 3 else "medium"
            more = {"difficulty": tier, "difficulty_score": tiers[tier]}
            more |= {"knowledge_prompt": "It is 2024."} if number % 2 else {}
            instance(data, number, split=split, **more)
    scores: dict[str, Scores] = {
        judge: {editor: {} for editor in EDITORS} for judge in ("", *JUDGES)
    }
    failed = (JUDGES[0], "ours", f"{WEB}/{art}/002", "LP")
    for judge, (split, part, numbers), editor in product(JUDGES, parts, EDITORS):
        entries = []
        for number in numbers:
            asked = [name for name in DIMENSIONS if name != "SE" or number % 2]
            given = {name: rng.randint(0, 5) for name in asked}
            sample = f"{split}/{art}/{number:03d}"
            scores[judge][editor][sample] = given
            results = {name: {name: v, "rationale": "so"} for name, v in given.items()}
            if (judge, editor, sample) == failed[:3]:
                given["LP"] = 0
                results["LP"] = {"LP": 0, "rationale": "API Error: 429"}
            name = f"TextEditing_Art & Creative Expression_{number:03d}"
            entries.append({"task_id": name, "category": art, "evaluation_results": results})
        file = write(place / judge / split / f"{editor}.json", entries)
        take_in("texteditbench", data, run, judge, file, "--split", part)
    for (split, part, numbers), editor in product(parts, EDITORS):
        similar, error = [], []
        for number in numbers:
            pixels = {
                "ssim": rng.uniform(0.5, 1), "lpips": rng.uniform(0, 0.3),
                "mse": rng.uniform(1, 99), "psnr": rng.uniform(20, 40),
            }  # fmt: skip
            scores[""][editor][f"{split}/{art}/{number:03d}"] = pixels
            outside = {f"{n}_similarity_outside_mask": pixels[n] for n in ("ssim", "lpips")}
            similar.append({"topic": art, "id": str(number), **outside})
            error.append({"id": str(number), "mse": pixels["mse"], "psnr": pixels["psnr"]})
        for script, value in (("lipis", similar), ("error", {"details": error})):
            file = write(place / script / split / f"{editor}.json", value)
            take_in("texteditbench", data, run, "", file, "--split", part)
    return Known(run, data, scores, {failed: None})


# -- TextEdit --------------------------------------------------------------------------------------

CLASSIC = {
    "OA": "ocr_accuracy", "OP": "ocr_precision", "OR": "ocr_recall", "F1": "ocr_f1",
    "NED": "ned_score", "CLIP": "clip_score", "AES": "aesthetic_score",
}  # fmt: skip
"""Our column -> the name in the released script's file."""


def text_edit(place: Path) -> Known:
    """Two categories of either half, one judge, and the classic scores. One raw reply says something
    else than the script took from it.
    """
    data, run, rng = place / "data", place / "run", random.Random(2)
    categories = ("1.1.1", "1.4.4", "2.1", "2.7")
    for category in categories:
        prompts(data, [prompt_record(n, category) for n in range(1, 6)], category=category)
    scores: dict[str, Scores] = {"gemini-3-pro": {}, "": {}}
    for editor in EDITORS:
        entries, classic = [], []
        for category in categories:
            for number in range(1, 6):
                sample = f"{category}/{number}"
                given = {f"Q{n}": rng.choice((1, 2, 3, 4, 5, 5)) for n in range(1, 6)}
                scores["gemini-3-pro"].setdefault(editor, {})[sample] = given
                about = {"id": number, "category": category, "reason": "so"}
                entries.append({**about, "gemini_eval_score": given})
                if (editor, sample) == ("ours", "2.1/3"):
                    given.update(Q1=5, Q3=1)
                    entries[-1]["gemini_raw_response"] = json.dumps(
                        {"reason": "so", "score": {**given, "Q3": 5}}
                    )
                made = {name: round(rng.random(), 4) for name in CLASSIC}
                scores[""].setdefault(editor, {})[sample] = made
                file = f"data/{category}/image/original/{number}.0.png"
                told = {script: made[name] for name, script in CLASSIC.items()}
                classic.append({"id": number, "path": {"original_image": file}, "score": told})
        source = place / f"{editor}.jsonl"
        source.write_text("\n".join(json.dumps(entry) for entry in entries))
        take_in("textedit", data, run, "gemini-3-pro", source, "--editor", editor)
        whole = {"summary_by_model": {editor: {"All": {"detailed_results": classic}}}}
        take_in("textedit", data, run, "", write(place / "classic" / f"{editor}.json", whole))
    return Known(run, data, scores, {("gemini-3-pro", "ours", "2.1/3", "Q3"): 5})


# -- MedEBench -------------------------------------------------------------------------------------

ORGANS = (
    "Teeth", "Eyes", "Spine", "Skin", "Nose", "Face", "GI Tract", "Ears", "Hands", "Mouth", "Torso",
    "Feet", "Hair",
)  # fmt: skip
"""In the order of the paper's Table 2."""
RELEASED = {"Spine": "Spine and Bones", "GI Tract": "Gastrointestinal Tract"}
"""The released metadata's names of two of them."""
MEDICAL = {
    "EA": "editing_accuracy_detailed", "VQ": "visual_quality_detailed",
    "Context": "contextual_preservation_detailed", "EA_P": "editing_accuracy",
    "VQ_P": "visual_quality", "Context_P": "contextual_preservation",
}  # fmt: skip
"""Our metric -> the name in the released script's file."""


def medical(place: Path) -> Known:
    """Two samples of each organ, two judges. A sample's id ends in the organ's number."""
    data, run, rng = place / "data", place / "run", random.Random(3)
    records = [
        organ_record(100 * turn + n, Organ=RELEASED.get(organ, organ))
        for n, organ in enumerate(ORGANS, start=1)
        for turn in (1, 2)
    ]
    organs(data, records)
    scores: dict[str, Scores] = {}
    for judge in ("gpt-4o-2024-08-06", "gemini-3-pro"):
        scores[judge] = {
            editor: {
                str(one["id"]): {name: rng.randint(0, 10) for name in MEDICAL} for one in records
            }
            for editor in EDITORS
        }
        told = {
            editor: {
                sample: {f"gpt4o_{MEDICAL[name]}": value for name, value in made.items()}
                for sample, made in samples.items()
            }
            for editor, samples in scores[judge].items()
        }
        file = write(place / judge / "gpt4o_detailed_scores.json", told)
        take_in("medebench", data, run, judge, file)
    return Known(run, data, scores)


# -- KRIS-Bench ------------------------------------------------------------------------------------

NAMES = {"VC": "consistency", "VQ": "quality", "IF": "instruction", "KP": "knowledge"}


def categories(sizes: Any) -> list[tuple[str, str, str, int]]:
    """(kind of knowledge, dimension, category, samples)."""
    return [
        (kind, dimension, category, count)
        for kind, dimensions in sizes.items()
        for dimension, inside in dimensions.items()
        for category, count in inside.items()
    ]


def kris(place: Path) -> Known:
    """Every category, the judges of both published tables. Edits that fail the instruction have a KP
    in the files, which the released script kept and the paper's rule makes 1.
    """
    data, run, rng = every_task(place / "data", TAXONOMY), place / "run", random.Random(4)
    scores: dict[str, Scores] = {}
    implausible: dict[tuple[str, str, str, str], Any] = {}
    for judge in JUDGES:
        for editor in EDITORS:
            made = scores.setdefault(judge, {}).setdefault(editor, {})
            for _, dimension, category, count in categories(TAXONOMY):
                told: dict[str, Any] = {}
                for number in range(1, count + 1):
                    given = {name: rng.randint(1, 5) for name in ("VC", "VQ", "IF")}
                    if dimension in KNOWLEDGE:
                        given["KP"] = rng.randint(1, 5)
                        if given["IF"] <= 2:
                            implausible[judge, editor, f"{category}/{number}", "KP"] = 1
                    made[f"{category}/{number}"] = given
                    told[str(number)] = {f"{NAMES[name]}_score": v for name, v in given.items()}
                write(place / judge / editor / category / "metrics.json", told)
        take_in("krisbench", data, run, judge, place / judge)
    return Known(run, data, scores, implausible)
