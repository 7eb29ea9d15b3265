"""Which prompts are used: ours, the paper's, a folder; shown, compared, started."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.judging import choice, paper
from editgauge.types import Benchmark

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
