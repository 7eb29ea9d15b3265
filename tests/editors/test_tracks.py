"""Prompt tracks, demonstrations, batches, and what `editgauge edit` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from editgauge.editors.asking import conversation, numbered
from editgauge.editors.editor import BaseEditor, Mode, as_editor
from editgauge.editors.tracks import Track, demonstrations, on_track
from editgauge.errors import UsageError
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.testing import ConstantEditor, make_sample
from editgauge.types import Edit, Sample, Shot, Status


@dataclass
class Heard(BaseEditor):
    """Keeps the instructions it was given, and how many came at once."""

    name: str = "ears"
    parallel: Mode = "serial"
    shows: bool = True
    batch_size: int = 1
    told: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    breaks_on: str = ""
    shown: list[Sequence[Shot]] = field(default_factory=list)
    cost: float = 0.0

    def estimate(self, sample: Sample) -> float:
        return self.cost

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if sample.id == self.breaks_on:
            raise ValueError("cannot")
        self.told.append(sample.instruction)
        self.shown.append(sample.shots)
        return ConstantEditor(name=self.name)(sample, folder)

    def edit_batch(self, samples: Sequence[Sample], folders: Sequence[Path]) -> list[Edit]:
        self.batches.append(len(samples))
        return [self(sample, folder) for sample, folder in zip(samples, folders, strict=True)]


def test_a_track_is_another_editor_with_other_words(tmp_path: Path) -> None:
    ears = Heard()
    sample = make_sample(
        tmp_path, instruction="plain", rephrased="in other words", change="what changed"
    )
    assert on_track(ears) is ears
    for track, words in (("rephrased", "in other words"), ("description", "what changed")):
        told = on_track(ears, Track(instruction=track))
        edit = told(sample, tmp_path)
        assert (told.name, edit.editor, edit.instruction) == (
            f"ears[{track}]",
            f"ears[{track}]",
            words,
        )
        assert edit.settings["instruction"] == track
    assert ears.told == ["in other words", "what changed"]
    assert (
        on_track(ears, Track(instruction="rephrased", shots=2)).name == "ears[rephrased, 2 shots]"
    )


def test_a_sample_without_the_tracks_words_is_not_applicable(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    edit = on_track(Heard(), Track(instruction="rephrased"))(sample, tmp_path)
    assert (edit.status, edit.reason) == (
        Status.NOT_APPLICABLE,
        "the sample has no rephrased instruction",
    )
    assert Track(instruction="description").told(sample) is None
    with pytest.raises(UsageError, match="wanted one of original, rephrased, description"):
        Track(instruction="shouted")


# --- demonstrations -----------------------------------------------------------------------------


def test_demonstrations_are_of_the_same_task_and_never_the_sample_itself(tmp_path: Path) -> None:
    organs = ["lung", "lung", "lung", "eye", "lung"]
    samples = [
        make_sample(tmp_path, f"s{n}", category=(organ,), attributes={"task": "remove"})
        for n, organ in enumerate(organs)
    ]
    for sample in samples:
        shots = demonstrations(sample, samples, 2)
        assert sample.id not in [shot.id for shot in shots]
        assert all(samples[int(shot.id[1:])].category == sample.category for shot in shots)
        assert shots == demonstrations(sample, samples[::-1], 2), (
            "the order of the data set changes nothing"
        )
    assert len(demonstrations(samples[0], samples, 9)) == 3
    assert demonstrations(samples[3], samples, 2) == []


def test_a_sample_that_cannot_have_all_demonstrations_is_not_applicable(tmp_path: Path) -> None:
    """Three samples of one task, one of another: with two demonstrations three can be edited."""
    samples = [
        make_sample(tmp_path, f"s{n}", category=(organ,), attributes={"task": "remove"})
        for n, organ in enumerate(["lung", "lung", "lung", "eye"])
    ]
    inside = Heard()
    told = on_track(inside, Track(shots=2), pool=samples)
    edits = [told(sample, tmp_path) for sample in samples]
    assert [edit.editor for edit in edits] == ["ears[2 shots]"] * 4
    assert [len(edit.settings.get("demonstrations", ())) for edit in edits] == [2, 2, 2, 0]
    assert [len(shown) for shown in inside.shown] == [2, 2, 2]
    assert (edits[3].status, edits[3].path) == (Status.NOT_APPLICABLE, None)
    assert "2 demonstrations were asked for, 0 other samples" in edits[3].reason
    assert edits[3].settings["learning"] == {"of": "ears", "kind": "shots", "samples": 2}


def test_demonstrations_are_told_in_the_words_of_the_track(tmp_path: Path) -> None:
    samples = [make_sample(tmp_path, f"s{n}", instruction=f"do {n}") for n in range(2)]
    inside = Heard()
    on_track(inside, Track(shots=1, template="{instruction}!"), pool=samples)(samples[0], tmp_path)
    assert [shot.instruction for shot in inside.shown[0]] == ["do 1!"]


def test_an_editor_of_one_picture_is_shown_nothing() -> None:
    with pytest.raises(UsageError, match="cannot be shown demonstrations"):
        on_track(ConstantEditor(name="plain"), Track(shots=1))


def test_a_batch_leaves_out_who_cannot_have_them_and_an_estimate_charges_nothing(
    tmp_path: Path,
) -> None:
    samples = [make_sample(tmp_path, f"s{n}", category=(c,)) for n, c in enumerate("aab")]
    told = as_editor(on_track(Heard(cost=0.5), Track(shots=1), pool=samples))
    statuses = [edit.status for edit in told.edit_batch(samples, [tmp_path] * 3)]
    assert statuses == [Status.SCORED, Status.SCORED, Status.NOT_APPLICABLE]
    assert [told.estimate(sample) for sample in samples] == [0.5, 0.5, 0.0]


def test_a_sample_with_the_same_picture_is_no_demonstration(tmp_path: Path) -> None:
    first, second = make_sample(tmp_path, "a"), make_sample(tmp_path, "b")
    second.image.write_bytes(first.image.read_bytes())
    assert demonstrations(first, [first, second], 3) == []


def test_both_ways_of_showing_them(tmp_path: Path) -> None:
    samples = [make_sample(tmp_path, f"s{n}", instruction=f"do {n}") for n in range(3)]
    shots = demonstrations(samples[0], samples, 2)
    parts = conversation(samples[0], shots)
    assert parts[-2:] == [samples[0].image, "Result:"]
    assert sum(isinstance(part, Path) for part in parts) == 5
    prompt, pictures = numbered(samples[0], shots)
    assert pictures[-1] == samples[0].image
    assert pictures[1] == shots[0].reference
    assert prompt.splitlines()[-1] == "Now edit image 5 in the same way by this instruction: do 0"
    assert numbered(samples[0], []) == ("do 0", [samples[0].image])


# --- the loop and the command -------------------------------------------------------------------


def test_a_serial_editor_with_a_batch_size_gets_batches(tmp_path: Path) -> None:
    ears = Heard(batch_size=4)
    samples = [make_sample(tmp_path / "data", f"s{n}") for n in range(10)]
    run = Run.create(tmp_path / "run")
    assert edit_all(run, "mini", samples, ears).counts == {"scored": 10}
    assert ears.batches == [4, 4, 2]
    assert len([record for record in run.edits("mini") if record.path]) == 10


def test_one_bad_sample_does_not_take_its_batch_along(tmp_path: Path) -> None:
    ears = Heard(batch_size=4, breaks_on="s2")
    samples = [make_sample(tmp_path / "data", f"s{n}") for n in range(4)]
    summary = edit_all(Run.create(tmp_path / "run"), "mini", samples, ears)
    assert summary.counts == {"scored": 3, "failed": 1}
