"""Prompt tracks: other words, templates, demonstrations, and what edits say of how they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.fakes import ConstantEditor

from editgauge.editors.editor import BaseEditor, Mode, as_editor
from editgauge.editors.tracks import Track, demonstrations, on_track
from editgauge.errors import UsageError
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Shot, Status

TEMPLATE = "Edit this image: {instruction}"


@dataclass
class Heard(BaseEditor):
    """Keeps the instructions and demonstrations that it was given."""

    name: str = "ears"
    parallel: Mode = "serial"
    shows: bool = True
    told: list[str] = field(default_factory=list)
    shown: list[Sequence[Shot]] = field(default_factory=list)

    def estimate(self, sample: Sample) -> float:
        return 0.5

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        self.told.append(sample.instruction)
        self.shown.append(sample.shots)
        return replace(ConstantEditor(name=self.name)(sample, folder), settings={"own": 1})


def of_organs(folder: Path, *organs: str) -> list[Sample]:
    return [
        make_sample(folder, f"s{n}", category=(organ,), attributes={"task": "remove"})
        for n, organ in enumerate(organs)
    ]


def test_a_track_is_another_editor_with_other_words(tmp_path: Path) -> None:
    ears = Heard()
    sample = make_sample(tmp_path, instruction="plain", rephrased="other words", change="changed")
    assert on_track(ears) is ears
    for track, words in (("rephrased", "other words"), ("description", "changed")):
        told = on_track(ears, Track(instruction=track))
        edit = told(sample, tmp_path)
        assert told.name == edit.editor == f"ears[{track}]"
        assert (edit.instruction, edit.settings["instruction"]) == (words, track)
    assert ears.told == ["other words", "changed"]
    both = Track(instruction="rephrased", shots=2)
    assert on_track(ears, both).name == "ears[rephrased, 2 shots]"
    with pytest.raises(UsageError, match="wanted one of original, rephrased, description"):
        Track(instruction="shouted")


def test_edits_say_how_they_were_asked_also_those_that_failed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples = [
        replace(make_sample(tmp_path, "fine"), rephrased="other words"),
        make_sample(tmp_path, "wordless", rephrased=None),
    ]
    made = on_track(Heard(), Track(instruction="rephrased", template=TEMPLATE))
    assert edit_all(run, "mini", samples, made).counts == {"scored": 1, "not_applicable": 1}
    records = {record.sample: record for record in run.edits("mini")}
    assert {record.editor for record in records.values()} == {made.name} != {"ears"}
    assert {record.settings["template"] for record in records.values()} == {TEMPLATE}
    assert records["fine"].settings["own"] == 1
    assert records["wordless"].reason == "the sample has no rephrased instruction"


def test_demonstrations_are_of_the_same_task_and_never_the_sample_itself(tmp_path: Path) -> None:
    samples = of_organs(tmp_path, "lung", "lung", "lung", "eye", "lung")
    for sample in samples:
        shots = demonstrations(sample, samples, 2)
        assert sample.id not in [shot.id for shot in shots]
        assert all(samples[int(shot.id[1:])].category == sample.category for shot in shots)
        assert shots == demonstrations(sample, samples[::-1], 2), "the data's order changes nothing"
    assert len(demonstrations(samples[0], samples, 9)) == 3
    assert demonstrations(samples[3], samples, 2) == []
    samples[1].image.write_bytes(samples[0].image.read_bytes())
    assert "s1" not in {shot.id for shot in demonstrations(samples[0], samples, 9)}


def test_a_sample_that_cannot_have_all_demonstrations_is_not_applicable(tmp_path: Path) -> None:
    samples, inside = of_organs(tmp_path, "lung", "lung", "lung", "eye"), Heard()
    told = as_editor(on_track(inside, Track(shots=2, template="{instruction}!"), pool=samples))
    edits = [told(sample, tmp_path) for sample in samples]
    assert [len(edit.settings.get("demonstrations", ())) for edit in edits] == [2, 2, 2, 0]
    assert [len(shown) for shown in inside.shown] == [2, 2, 2]
    assert all(shot.instruction.endswith("!") for shot in inside.shown[0])
    assert (edits[3].status, edits[3].path) == (Status.NOT_APPLICABLE, None)
    assert "2 demonstrations were asked for, 0 other samples" in edits[3].reason
    assert told.estimate(samples[0]) == 0.5
