"""What a judge is asked: with the papers' prompts exactly what the released scripts send, with ours
the same pictures, a form, and one order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.contract import released
from tests.contract.datasets import organ_record, organs
from tests.contract.server import ENV, KEY, MODEL, Asked, Judge, chat, sensible
from tests.contract.support import cli, picture, rows_of, save

RECORDED: dict[str, Any] = json.loads(released.FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def scripts(shared: Path) -> Path:
    """The released scripts; tests that want them are skipped where they are not."""
    folder = shared / "released"
    if not folder.is_dir():
        pytest.skip("the released scripts are not here")
    return folder


def judged(root: Path, benchmark: str, *words: Any, answer: Any = sensible) -> list[Asked]:
    """What is asked about the outputs of ``m`` below `root`."""
    with Judge(answer) as judge:
        cli(
            "judge", benchmark, root / "DATA", "--outputs", root / "OUTPUTS",
            "--editor", "m", "--run", root / "run", *judge.words, *words, env=ENV, expect=None,
        )  # fmt: skip
        return judge.chats


def test_what_is_recorded_is_what_the_released_scripts_send(scripts: Path) -> None:
    assert released.record_all(scripts) == RECORDED


def papers_requests(name: str, scripts: Path, root: Path) -> list[released.Sent]:
    benchmark = name.split()[0]
    released.DATA[name](root)
    cli("fetch", "prompts", benchmark, "--run", root / "run", "--from", scripts / benchmark)
    asked = judged(root, benchmark, "--prompts", "paper", answer=lambda _: chat("{}"))
    names = released.names_of(root)
    return released.ordered(released.canonical(one.json, names) for one in asked)


@pytest.mark.parametrize("name", released.DATA)
def test_the_papers_requests_are_those_of_the_released_scripts(
    name: str, scripts: Path, tmp_path: Path
) -> None:
    assert papers_requests(name, scripts, tmp_path) == RECORDED[name]


MEDICAL = """
def build_gpt4o_prompt(editing_prompt, prev_img, edited_img, gt_img):
    return [
        {"role": "user", "content": [{"type": "text", "text": f"Wanted: {editing_prompt}"}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{prev_img}"}}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{gt_img}"}}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{edited_img}"}}]},
        {"role": "user", "content": [{"type": "text", "text": ("Two " "steps")}]},
    ]

def evaluate_sample(prompt, prev_path, edit_path, gt_path):
    client.chat.completions.create(model="gpt-4o", messages=build(), max_tokens=400)
"""


def medebench(root: Path) -> None:
    """One sample; beside the data, scripts of the released ones' shape in words of our own."""
    words = {"prompt": released.ODD, "detailed_prompt": "The stains are {gone}."}
    organs(root / "DATA", [organ_record(38, **words)])
    save(root / "OUTPUTS" / "m" / "38_0.png", picture(9, 48, 64))
    (root / "clone").mkdir()
    (root / "clone" / "evaluate_gpt4o.py").write_text(MEDICAL, encoding="utf-8")


def test_a_script_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    medebench(tmp_path)
    words = ("fetch", "prompts", "medebench", "--run", tmp_path / "run", "--from")
    done = cli(*words, tmp_path / "clone", expect=2)
    assert "is not the pinned" in done.err
    asked = judged(tmp_path, "medebench", "--prompts", "paper")
    assert asked == [], "nothing is asked with the words of another script"


# -- our prompts -----------------------------------------------------------------------------------


def shown(root: Path, asked: list[Asked]) -> Iterator[list[str]]:
    """The pictures of each request by file, each behind the line of words that stands before it."""
    names = released.names_of(root)
    for one in asked:
        said, seen = "", []
        for part in (part for _, part in one.parts):
            if isinstance(part, dict) and "image_url" in part:
                _, file = released.part_of(part, names)
                seen.append(f"{said.splitlines()[-1]} {file}")
                said = "\n"
            else:
                said = part if isinstance(part, str) else part["text"]
        yield seen


MADE = {**released.DATA, "medebench": medebench}
SYNTHETIC, REAL = "data_manual_production", "data_web-sourced_instances"
ART = "Art_Creative_Expression"


def kris(task: str, number: int, inputs: list[str], instruction: str = "") -> list[list[str]]:
    """The three requests about a sample of KRIS-Bench; `instruction` is what its question shows
    beside what all others do.
    """
    output = f"OUTPUTS/m/{task}/{number}.png"
    seen = [one.replace("IN/", f"DATA/KRIS_Bench/{task}/") for one in inputs]
    seen = [one.replace("OUT", output) for one in seen]
    more = [instruction.replace("IN/", f"DATA/KRIS_Bench/{task}/")] if instruction else []
    return [seen, [*seen, *more], [f"Picture: {output}"]]


PICTURES: dict[str, list[list[str]]] = {
    "texteditbench": 5
    * [
        [f"Original picture: DATA/{SYNTHETIC}/{ART}/004/4.jpg",
         f"Result of the editor: OUTPUTS/m/canva/{ART}/004_edited.jpg",
         f"Reference, one perfect result: DATA/{SYNTHETIC}/{ART}/004/text_change_4.jpg"],
        *([f"Original picture: DATA/{REAL}/{ART}/{n:03d}/{n}.jpg",
           f"Result of the editor: OUTPUTS/m/real/{ART}/{n:03d}_edited.jpg"] for n in (5, 6)),
    ],
    "textedit": [
        [f"Original: DATA/data/{category}/image/original/{name}",
         f"Reference: DATA/data/{category}/image/gt/{name}",
         f"Result of the editor: OUTPUTS/m/{category}/{name} in 64 x 48"]
        for category, name in (("1.1.1", "1.0.png"), ("2.3", "2.0.png"))
    ],
    "medebench": [
        ["Input: DATA/editing/previous/38.png",
         "Reference, the intended result: DATA/editing/changed/38.png",
         "Edited picture: OUTPUTS/m/38_0.png"]
    ],
    "krisbench": [
        *kris("color_change", 1, ["Original: IN/1.jpg", "Edited: OUT"]),
        *kris("anomaly_correction", 2, ["Original: IN/2.jpg", "Edited: OUT"]),
        *kris("chemistry", 3, ["Original: IN/3.png", "Edited: OUT"]),
        *kris("abstract_reasoning", 4, ["Original: IN/4.jpg", "Edited: OUT"]),
        *kris("viewpoint_change", 5, ["Original: IN/5.jpg", "Edited: OUT"],
              "Wanted viewpoint: IN/5-gt.png"),
        *kris("multi-element_composition", 6,
              ["Reference picture 1: IN/6-1.jpg", "Reference picture 2: IN/6-2.png",
               "Reference picture 3: IN/6-3.jpg", "Composed picture: OUT"]),
    ],
    "krisbench temporal": kris(
        "temporal_prediction", 7,
        ["Frame 1 (real): IN/7-1.png", "Frame 2 (generated): OUT", "Frame 3 (real): IN/7-3.png",
         "Frame 4 (real): IN/7-4.png"],
    ),
}  # fmt: skip
"""The pictures of each request with our prompts, in their order, each behind its name."""


@pytest.mark.parametrize("name", PICTURES)
def test_our_prompts_show_the_pictures_in_the_order_of_the_words(name: str, tmp_path: Path) -> None:
    MADE[name](tmp_path)
    asked = judged(tmp_path, name.split()[0])
    assert sorted(shown(tmp_path, asked)) == sorted(PICTURES[name])
    for one in asked:  # each declares the form of its reply
        assert one.schema is not None
        assert one.schema["type"] == "object"
        assert set(one.schema["required"]) == set(one.schema["properties"])


def test_the_key_goes_to_the_judge_and_into_no_file_or_message(tmp_path: Path) -> None:
    released.textedit(tmp_path)
    outputs = ("--outputs", tmp_path / "OUTPUTS", "--editor", "m", "--run", tmp_path / "run")
    with Judge() as judge:
        done = cli("judge", "textedit", tmp_path / "DATA", *outputs, *judge.words, env=ENV)
        assert {one.headers["authorization"] for one in judge.chats} == {f"Bearer {KEY}"}
    assert KEY not in done.text
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_show_prints_the_words_that_would_be_sent(tmp_path: Path) -> None:
    released.textedit(tmp_path)
    one = ("--sample", "1.1.1/1")
    (asked,) = judged(tmp_path, "textedit", *one)
    there = (tmp_path / "DATA", "--run", tmp_path / "run", "--model", MODEL)
    done = cli("judge", "--show", "textedit", *there, *one)
    said = " ".join(done.out.split())
    for line in asked.text.splitlines():
        assert " ".join(line.split()) in said


def test_pictures_go_without_metadata(tmp_path: Path) -> None:
    released.textedit(tmp_path)
    for path in tmp_path.rglob("*.png"):
        with Image.open(path) as opened:
            told = PngInfo()
            told.add_text("Comment", "patient 4711")
            exif = opened.getexif()
            exif[0x010E] = "ward 12"
            opened.save(path, pnginfo=told, exif=exif)
    asked = judged(tmp_path, "textedit")
    sent = [data for one in asked for data in one.pictures]
    assert sent
    for secret in (b"patient 4711", b"ward 12"):
        assert not any(secret in data for data in sent)
    assert sorted(shown(tmp_path, asked)) == sorted(PICTURES["textedit"])


def test_webp_goes_as_png(tmp_path: Path) -> None:
    released.textedit(tmp_path)
    for path in (tmp_path / "OUTPUTS").rglob("*.png"):
        with Image.open(path) as opened:
            opened.save(path.with_suffix(".webp"), lossless=True)
        path.unlink()
    sent = [data for one in judged(tmp_path, "textedit") for data in one.pictures]
    assert sent
    assert {data[:4] for data in sent} <= {b"\x89PNG", b"\xff\xd8\xff\xe0"}


def test_a_probe_says_that_a_judge_which_answers_the_same_to_all_does_not_see(
    tmp_path: Path,
) -> None:
    cli("edit", "mini", "--editor", "reference", "--run", tmp_path / "run", "--workers", 0)
    with Judge(sensible) as judge:
        words = ("judge", "mini", "--run", tmp_path / "run", *judge.words, "--probe")
        done = cli(*words, env=ENV, expect=1)
    assert any(one.pictures for one in judge.chats)
    assert "sight: FAILED" in done.text
    assert rows_of(tmp_path / "run") == [], "a probe scores nothing"


def test_a_rubric_of_ones_own_replaces_ours_and_makes_another_source(tmp_path: Path) -> None:
    released.textedit(tmp_path)
    judged(tmp_path, "textedit")
    rubrics = tmp_path / "rubrics"
    rubrics.mkdir()
    (rubrics / "questions.md").write_text(
        '{{source}} {{target}} In my words. Answer {"score": {"Q1": 1}}', encoding="utf-8"
    )
    asked = judged(tmp_path, "textedit", "--prompts", rubrics)
    assert all("In my words." in one.text for one in asked)
    sources = {row["source"] for row in rows_of(tmp_path / "run")}
    assert len(sources) == 2
    assert {source.partition("#")[0] for source in sources} == {MODEL, f"{MODEL}[rubrics]"}
    (rubrics / "questions.md").rename(rubrics / "question.md")
    stray = judged(tmp_path, "textedit", "--prompts", rubrics, "--model", "new-2026-01-01")
    assert stray == [], "a file that replaces no rubric is an error before anything is paid"


def test_repeats_are_rows_of_their_own_and_two_judges_are_compared(tmp_path: Path) -> None:
    released.textedit(tmp_path)
    asked = judged(tmp_path, "textedit", "--repeat", 3)
    assert len(asked) == 6
    assert {row["repeat"] for row in rows_of(tmp_path / "run")} == {0, 1, 2}
    judged(tmp_path, "textedit", "--model", "another-2026-01-01")
    words = ("--only", "textedit.judges", "--variant", "corrected", "--format", "json")
    (told,) = cli("table", tmp_path / "run", *words).json["tables"]
    names = {line["name"] for line in told["rows"]} | {line.get("group") for line in told["rows"]}
    assert any("another-2026-01-01" in (name or "") for name in names), told
