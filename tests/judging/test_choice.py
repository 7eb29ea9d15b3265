"""Which prompts are used: ours, the paper's, a folder; shown, compared, started."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.judging import choice, paper
from editgauge.types import Benchmark, Edit, Sample

JUDGED = ("texteditbench", "textedit", "medebench", "krisbench")


def bench(name: str = "textedit") -> Benchmark:
    found: Benchmark = catalog.find("benchmarks", name)
    return found


@pytest.mark.parametrize("name", JUDGED)
def test_a_copy_of_ours_is_ours(tmp_path: Path, name: str) -> None:
    ours = choice.choose(bench(name), "ours")
    copied = choice.choose(bench(name), str(choice.start(bench(name), tmp_path / "mine")))
    assert copied.fingerprint == ours.fingerprint
    assert (ours.name, copied.name) == ("ours", "mine")
    assert list(choice.differences(ours, copied)) == []


def test_a_changed_copy_has_another_hash_and_a_diff(tmp_path: Path) -> None:
    folder = choice.start(bench(), tmp_path / "mine")
    path = folder / "questions.md"
    path.write_text(path.read_text() + "One more line.\n")
    ours, mine = choice.choose(bench(), "ours"), choice.choose(bench(), str(folder))
    assert ours.fingerprint != mine.fingerprint
    assert "+One more line." in list(choice.differences(ours, mine))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        choice.start(bench(), tmp_path)


@pytest.mark.parametrize(
    ("word", "words"),
    [("papers", "did you mean paper"), ("nowhere", "no such folder")],
)
def test_a_word_that_is_no_set_is_named(word: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        choice.choose(bench(), word)


def test_a_file_that_replaces_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "qestions.md").write_text("x")
    with pytest.raises(UsageError, match=r"qestions\.md replaces no rubric"):
        choice.choose(bench(), str(tmp_path))


def test_the_papers_prompts_are_asked_for_where_they_are_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="editgauge fetch prompts textedit"):
        choice.choose(bench(), "paper", tmp_path)
    with pytest.raises(UsageError, match="name the run"):
        choice.choose(bench(), "paper")


@pytest.mark.parametrize("name", ["texteditbench", "textedit", "krisbench"])
def test_the_papers_prompts_are_a_set_of_their_own(shared: Path, tmp_path: Path, name: str) -> None:
    declared = choice.declared(bench(name))
    paper.fetch(declared, choice.folder_of(tmp_path, name), clone=shared / "released" / name)
    chosen, ours = choice.choose(bench(name), "paper", tmp_path), choice.choose(bench(name), "ours")
    assert (chosen.name, ours.name) == ("paper", "ours")
    assert chosen.fingerprint != ours.fingerprint
    assert {m.name for m in chosen.judging.metrics} == {m.name for m in ours.judging.metrics}
    copied = choice.start(bench(name), tmp_path / "own", "paper", tmp_path)
    again = choice.choose(bench(name), str(copied))
    assert (again.fingerprint, again.name) == (chosen.fingerprint, "own")


@pytest.mark.parametrize("task", ["color_change", "temporal_prediction", "chemistry"])
def test_krisbench_can_be_asked_simply_and_without_hints(tmp_path: Path, task: str) -> None:
    """The two baselines of the paper's study: no hint, and plain questions without anchors."""
    attributes = {"task": task, "dimension": "Natural Science" if task == "chemistry" else ""}
    images = tuple(tmp_path / f"{n}.png" for n in range(3 if "temporal" in task else 1))
    item = Sample(
        benchmark="krisbench", id="1", split="", category=(), instruction="Add acid",
        images=images, output_stems=("1",), knowledge="it turns red", attributes=attributes,
    )  # fmt: skip
    edit = Edit(sample="1", editor="m", path=tmp_path / "out.png")
    chosen = choice.choose(bench("krisbench"), "ours")

    def asked(**options: bool) -> dict[str, str]:
        calls = chosen.judging.calls(item, edit, chosen.rubrics, options)
        return {call.name: str(call.parts[0]) for call in calls}

    plain, unhinted, simple = asked(), asked(hint=False), asked(simple=True)
    assert ("it turns red" in "".join(plain.values())) == (task == "chemistry")
    assert "it turns red" not in "".join([*unhinted.values(), *simple.values()])
    assert set(simple) == {m.name for m in chosen.judging.metrics_for(item, {})}
    assert all("Question: " in text for text in simple.values())
