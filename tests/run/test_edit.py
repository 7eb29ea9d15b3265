"""The editing loop: outputs in their places, a record for each sample, nothing edited twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import RunError
from editgauge.run.edit import edit
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Edit, Finding, Sample, Status
from tests.run.fakes import Painter, make_samples


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    return make_samples(tmp_path, 6)


def by_sample(run: Run) -> dict[str, EditRecord]:
    return {record.sample: record for record in run.edits("fake")}


def test_an_output_that_is_gone_is_made_again_and_takes_the_place_of_another_format(
    run: Run, samples: list[Sample]
) -> None:
    edit(run, "fake", samples, Painter(), workers=0)
    output = run.path / str(by_sample(run)["s000"].path)
    before = sorted(output.parent.iterdir())
    output.rename(output.with_suffix(".jpg"))
    assert edit(run, "fake", samples, Painter(), workers=0).edited == 1
    assert sorted(output.parent.iterdir()) == before


@pytest.mark.parametrize("workers", [0, 2])
def test_every_end_has_a_record(run: Run, samples: list[Sample], workers: int) -> None:
    trap = {"s001": "raise", "s002": "refuse", "s003": "text"}
    trap |= {"s004": "die"} if workers else {}
    finding = Finding("json", "x.json", "not JSON", "nothing", repaired=False)
    faulty = replace(samples[5], findings=(finding,))
    summary = edit(run, "fake", [*samples[:5], faulty], Painter(trap=trap), workers=workers)
    found = {name: (record.status, record.reason) for name, record in by_sample(run).items()}
    assert found["s000"][0] is Status.SCORED
    assert found["s001"] == (Status.FAILED, "RuntimeError: the model fell over")
    assert found["s002"] == (Status.REFUSED, "the provider declined")
    assert found["s003"][0] is Status.UNREADABLE
    assert "not a picture" in found["s003"][1]
    if workers:
        assert found["s004"] == (Status.FAILED, "the worker died on this picture: exit code 9")
    assert found["s005"][0] is Status.DATASET_FAULT
    assert sum(summary.counts.values()) == 6
    assert edit(run, "fake", samples[:5], Painter(), workers=0).edited == 0
    again = edit(run, "fake", samples[:5], Painter(), workers=0, retry=frozenset({Status.FAILED}))
    assert again.edited == (2 if workers else 1)
    assert by_sample(run)["s001"].status is Status.SCORED


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden"])
def test_an_editor_name_must_be_a_plain_folder_name(
    run: Run, samples: list[Sample], name: str
) -> None:
    with pytest.raises(RunError, match="rename it"):
        edit(run, "fake", samples, Painter(name=name), workers=0)


@dataclass
class Answers:
    """An editor that gives back whatever it was made with."""

    answer: Callable[[Sample, Path], Any]
    name: str = "odd"
    parallel: str = "serial"

    def __call__(self, sample: Sample, folder: Path) -> Any:
        return self.answer(sample, folder)


def answered(**fields: Any) -> Callable[[Sample, Path], Any]:
    def answer(sample: Sample, folder: Path) -> Edit:
        return Edit(**{"sample": sample.id, "editor": "odd", "path": sample.image, **fields})

    return answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda sample, folder: None, "wanted an Edit, found NoneType"),
        (answered(sample="other"), "found one of 'other'"),
        (answered(editor="else"), "by 'else'"),
        (answered(path=None), "needs the path of a picture"),
        (answered(path="out.png"), "path"),
        (answered(seed="seven"), "seed, seconds, cost: wanted numbers"),
        (answered(status=Status.FAILED), "with a file"),
    ],
)
def test_an_answer_that_is_no_edit_is_a_failed_edit(
    run: Run, samples: list[Sample], answer: Any, said: str
) -> None:
    edit(run, "fake", samples[:1], Answers(answer))
    (record,) = run.edits("fake")
    assert record.status is Status.FAILED
    assert said in record.reason


def test_a_file_of_somebody_else_is_copied_and_never_moved(
    run: Run, samples: list[Sample], tmp_path: Path
) -> None:

    def link(sample: Sample, folder: Path) -> Edit:
        (folder / "out.png").symlink_to(sample.image)
        return Edit(sample=sample.id, editor="odd", path=folder / "out.png")

    def own(sample: Sample, folder: Path) -> Edit:
        return Edit(sample=sample.id, editor="odd", path=sample.image)

    before = samples[0].image.read_bytes()
    for number, answer in enumerate((own, link)):
        edit(run, "fake", samples[number : number + 1], Answers(answer))
    for record, sample in zip(run.edits("fake"), samples, strict=False):
        kept = run.path / str(record.path)
        assert record.status is Status.SCORED
        assert sample.image.is_file()
        assert not kept.is_symlink()
        assert kept.stat().st_ino != sample.image.stat().st_ino
        kept.write_bytes(b"changed in the run")
    assert samples[0].image.read_bytes() == before


def test_two_commands_do_not_edit_the_same(run: Run, samples: list[Sample]) -> None:
    seen: list[str] = []

    def inner(sample: Sample, folder: Path) -> Edit:
        with pytest.raises(RunError, match="another `editgauge edit`"):
            edit(run, "fake", samples, Painter(name="odd"), workers=0)
        seen.append(edit(run, "fake", samples[1:2], Painter(name="else"), workers=0).editor)
        return Edit(sample=sample.id, editor="odd", path=sample.image)

    edit(run, "fake", samples[:1], Answers(inner))
    assert seen == ["else"]
