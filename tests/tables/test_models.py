"""Facts about models: the papers' lines, a user's file, and what tables do with them."""

from __future__ import annotations

from pathlib import Path

from editgauge.tables.layouts import tables
from editgauge.tables.models import ModelFacts, built_in, load
from editgauge.types import Status
from tests.made_rows import frame, record, row


def test_names_are_compared_without_case_and_punctuation() -> None:
    models = built_in()
    assert models.of("qwen_image_edit").params == "20B"
    assert models.of("BAGEL[rephrased]").params == "7B+7B"
    assert models.of("InternVL-U (Ours)").name == "InternVL-U"
    assert models.of("bagel-think").several_images is False
    assert models.of("my-model") == ModelFacts(name="")


def test_a_users_file_adds_and_replaces(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(
        '[[model]]\nname = "my-model"\nparams = "3B"\n[[model]]\nname = "BAGEL"\nparams = "1B"\n'
    )
    models = load([tmp_path, tmp_path / "no such folder"])
    assert (models.of("My Model").params, models.of("bagel").params) == ("3B", "1B")
    assert models.of("Qwen-Image-Edit").params == "20B"


def judged(editor: str, value: float, *, several: Status = Status.MISSING) -> list[object]:
    """One dimension of KRIS-Bench: a sample with one picture, one with several."""
    rows = []
    for metric in ("VC", "VQ", "IF"):
        for variant in ("faithful", "corrected"):
            words = {"benchmark": "krisbench", "variant": variant, "source": "gpt-4o#1"}
            rows.append(row("one", editor, metric, value, **words))
            rows.append(row("two", editor, metric, None, status=several, **words))
    return rows


def krisbench(*editors: str, worse: float = 0.0) -> object:
    dimension = ("Procedural", "Instruction Decomposition", "multi-element_composition")
    records = [
        record("one", category=dimension, multi_image=False),
        record("two", category=dimension, multi_image=True),
    ]
    rows = [
        each
        for number, editor in enumerate(editors)
        for each in judged(editor, 5.0 - number % 2 * worse)
    ]
    return frame(rows, records, "krisbench")


def test_a_single_image_model_has_the_lowest_score_where_several_are_needed() -> None:
    """By hand: 5 on one sample and 1 on the other is a mean of 3, which is 50 of 100."""
    made = krisbench("BAGEL", "OmniGen")
    faithful = tables(made, "faithful")[0]
    cell = {line.name: line.cells["Instruction Decomposition/VC"] for line in faithful.rows}
    assert (cell["BAGEL"].value, cell["BAGEL"].n) == (50.0, 2)
    assert (cell["OmniGen"].value, cell["OmniGen"].n) == (100.0, 1)
    corrected = tables(made, "corrected")[0]
    cell = {line.name: line.cells["Instruction Decomposition/VC"] for line in corrected.rows}
    assert (cell["BAGEL"].value, cell["BAGEL"].n) == (100.0, 1)
