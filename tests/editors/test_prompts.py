"""Prompt tracks: templates around an instruction, and what edits say of how they were asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.tracks import Track, checked_template, on_track
from editgauge.errors import UsageError
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.store.variants import Learned, learned
from editgauge.testing import ConstantEditor, make_sample
from editgauge.types import Edit, Sample, Status

TEMPLATE = "Edit this image: {instruction}"


@dataclass
class Heard(BaseEditor):
    """Keeps the instructions that it was given."""

    name: str = "ears"
    parallel: Mode = "serial"
    shows: bool = True
    told: list[str] = field(default_factory=list)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        self.told.append(sample.instruction)
        return replace(ConstantEditor(name=self.name)(sample, folder), settings={"own": 1})


def test_edits_say_how_they_were_asked_also_those_that_failed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples = [
        replace(make_sample(tmp_path, "fine"), rephrased="other words"),
        make_sample(tmp_path, "wordless", rephrased=None),
    ]
    made = on_track(Heard(), Track(instruction="rephrased", template=TEMPLATE))
    assert edit_all(run, "mini", samples, made).counts == {"scored": 1, "not_applicable": 1}
    records = run.edits("mini")
    assert {record.editor for record in records} == {made.name} != {"ears"}
    assert {record.settings["template"] for record in records} == {TEMPLATE}
    assert [r.settings["own"] for r in records if r.status is Status.SCORED] == [1]


def test_what_an_editor_learned_from_is_in_its_name_and_its_edits(tmp_path: Path) -> None:
    samples = [make_sample(tmp_path, f"s{n}") for n in range(3)]
    shown = on_track(Heard(), Track(shots=2), pool=samples)
    tuned = on_track(Heard(), Track(tuned=0))
    assert (shown.name, tuned.name) == ("ears[2 shots]", "ears[tuned 0]")
    told = learned((e.name, e(samples[0], tmp_path).settings) for e in (shown, tuned))
    assert told == {
        shown.name: Learned("ears", "shots", 2),
        tuned.name: Learned("ears", "tuned", 0),
    }


def test_a_template_is_put_around_the_instruction(tmp_path: Path) -> None:
    ears = Heard()
    made = on_track(ears, Track(template="{{so}} {instruction}!"))
    sample = make_sample(tmp_path, instruction="{concept} {0}")
    edit = made(sample, tmp_path)
    assert ears.told == ["{so} {concept} {0}!"], "an instruction's own braces are only text"
    assert edit.instruction == "{so} {concept} {0}!"
    other = on_track(ears, Track(template="{instruction}."))
    assert made.name != other.name


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("no placeholder", "found no placeholder"),
        ("{instruction} {organ}", "{organ} is not known"),
        ("{}", "is not known"),
        ("{0}{instruction}", "is not known"),
        ("{instruction!r}", "takes no format"),
        ("{instruction", "expected '}'"),
    ],
)
def test_a_template_with_another_placeholder_is_refused(template: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_template(template)
    assert message in str(caught.value)
    with pytest.raises(UsageError):
        Track(template=template)
