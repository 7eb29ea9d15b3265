"""Sweeps, seeds, templates and presets: which editors a command stands for, and what their edits
say of themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.sweeps import MOST, PRESETS, editors, hand_over, numbers, preset, variants
from editgauge.editors.tracks import Track, checked_template, on_track
from editgauge.errors import RunError, UsageError
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.store.variants import Learned, Swept
from editgauge.store.variants import variants as told_by
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


def names(wanted: Any) -> list[str]:
    return [e.name for e in editors(wanted, lambda one: on_track(Heard(), one.track))]


def test_every_combination_is_a_variant_with_a_name_of_its_own() -> None:
    found = variants(
        {"side": "64"},
        sweeps=["guidance_scale=3,7.5", "image_guidance_scale=1.2"],
        seeds="0..1",
    )
    assert names(found) == [
        f"ears[guidance_scale={g}, image_guidance_scale=1.2, seed={s}]"
        for g in (3, 7.5)
        for s in (0, 1)
    ]
    assert [dict(one.settings) for one in found][-1] == {
        "side": "64",
        "guidance_scale": 7.5,
        "image_guidance_scale": 1.2,
        "seed": 1,
    }
    (alone,) = variants({"a": "1"})
    assert (dict(alone.settings), alone.track) == ({"a": "1"}, Track())


@pytest.mark.parametrize(
    ("text", "wanted"), [("0..3", [0, 1, 2, 3]), ("7", [7]), ("1,5,8..9", [1, 5, 8, 9])]
)
def test_seeds(text: str, wanted: list[int]) -> None:
    assert numbers(text) == wanted


@pytest.mark.parametrize(
    "text", ["", "a", "3..1", "0..", "-1", "1,1", "0..1,1", f"0..{MOST}", "1.5"]
)
def test_seeds_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="seeds "):
        numbers(text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sweeps": ["guidance"]}, "wanted name=value,value"),
        ({"sweeps": ["g="]}, "wanted name=value,value"),
        ({"sweeps": ["=3"]}, "wanted name=value,value"),
        ({"sweeps": ["g=1,,2"]}, "wanted name=value,value"),
        ({"sweeps": ["g=3,3.0"]}, "stands there twice"),
        ({"sweeps": ["g=nan"]}, "finite"),
        ({"sweeps": ["g=1", "g=2"]}, "given twice"),
        ({"sweeps": ["seed=1"], "seeds": "0"}, "seeds already"),
        ({"sweeps": ["side=32,64"]}, "set to 64 as well"),
        ({"sweeps": ["name=a,b"]}, "cannot be swept"),
        ({"sweeps": ["shots=1,2"]}, "cannot be swept"),
        ({"sweeps": [f"g={','.join(map(str, range(100)))}"], "seeds": "0..2"}, "300 variants"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_in_words(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        variants({"side": "64"}, **given)


def test_a_value_that_is_a_path_is_told_by_its_last_name_and_names_stay_apart() -> None:
    found = variants({}, sweeps=["model=lab/a:1,other/b"])
    assert names(found) == ["ears[model=a-1]", "ears[model=b]"]
    assert [one.settings["model"] for one in found] == ["lab/a:1", "other/b"]
    with pytest.raises(UsageError, match="two variants are called"):
        names(variants({}, sweeps=["model=lab/a,other/a"]))
    with pytest.raises(RunError, match="120 characters"):
        names(variants({}, sweeps=[f"{'long' * 40}=1,2"]))


def test_edits_say_which_variant_made_them_also_those_that_failed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples = [
        make_sample(tmp_path, "fine"),
        make_sample(tmp_path, "wordless", rephrased=None),
    ]
    samples[0] = replace(samples[0], rephrased="other words")
    for one in variants({}, Track(instruction="rephrased", template=TEMPLATE), seeds="0,1"):
        made = on_track(Heard(), one.track)
        assert edit_all(run, "mini", samples, made).counts == {"scored": 1, "not_applicable": 1}
    records = run.edits("mini")
    of = Track(instruction="rephrased", template=TEMPLATE).name("ears")
    assert {record.editor for record in records} == {f"{of[:-1]}, seed={n}]" for n in (0, 1)}
    for record in records:
        found = told_by([(record.editor, record.settings)]).swept[record.editor]
        assert found == Swept(of, {"seed": int(record.editor[-2])})
        assert record.settings["template"] == TEMPLATE
    assert [r.settings["own"] for r in records if r.status is Status.SCORED] == [1, 1]


def test_shots_and_training_are_told_apart_from_the_swept_settings(tmp_path: Path) -> None:
    samples = [make_sample(tmp_path, f"s{n}") for n in range(3)]
    made = on_track(Heard(), Track(shots=2, swept={"seed": 1}), pool=samples)
    assert made.name == "ears[2 shots, seed=1]"
    settings = made(samples[0], tmp_path).settings
    found = told_by([("e", settings)])
    assert found.swept["e"] == Swept("ears[2 shots]", {"seed": 1})
    assert found.learned["e"] == Learned("ears[seed=1]", "shots", 2)
    tuned = on_track(Heard(), Track(tuned=0))
    assert tuned.name == "ears[tuned 0]"
    found = told_by([("e", tuned(samples[0], tmp_path).settings)])
    assert found.learned["e"] == Learned("ears", "tuned", 0)


# -- templates -------------------------------------------------------------------------------------


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


# -- presets ---------------------------------------------------------------------------------------


def test_a_preset_is_a_sweep_where_the_paper_gives_several_values() -> None:
    one = preset("medebench", "instructpix2pix")
    found = variants({}, Track(preset="medebench"), paper=one)
    assert len(found) == 6
    assert {v.settings["num_inference_steps"] for v in found} == {50}
    assert names(found)[0] == "ears[medebench, guidance_scale=7.5, image_guidance_scale=1.55]"
    own = variants({"guidance_scale": "7.5"}, sweeps=["image_guidance_scale=1.2"], paper=one)
    assert [dict(v.settings) for v in own] == [
        {"num_inference_steps": 50, "guidance_scale": "7.5", "image_guidance_scale": 1.2}
    ]
    (words,) = variants({}, paper=preset("medebench", "gemini"))
    assert words.track.template.startswith("You are good at image editing.")
    (mine,) = variants({}, Track(template=TEMPLATE), paper=preset("medebench", "gemini"))
    assert mine.track.template == TEMPLATE


def test_the_models_of_medebench_have_its_settings() -> None:
    named = {"gemini", "instructpix2pix", "paint-by-inpaint"}
    assert set(PRESETS["medebench"]) == named, "the other four are in models-of-the-papers"
    for one in PRESETS["medebench"].values():
        assert "appendix C" in one.origin
        checked_template(one.template)
    with pytest.raises(UsageError, match="wanted one of medebench"):
        preset("kris", "gemini")
    with pytest.raises(UsageError, match=r"has no settings of 'copy'.*models-of-the-papers"):
        preset("medebench", "copy")


# -- weights ---------------------------------------------------------------------------------------


def test_variants_share_loaded_weights_and_let_go_of_others() -> None:
    pytest.importorskip("diffusers", reason="diffusion editors need the extra neural")
    pytest.importorskip("torch", reason="diffusion editors need the extra neural")
    from editgauge.editors import diffusers

    def made(**settings: Any) -> Any:
        return diffusers.factory("instructpix2pix", [], device="cpu", **settings)

    first, second, third = made(seed=0), made(seed=1), made(model="elsewhere")
    first._loaded["cpu"] = ("pipeline", "revision")
    inside = on_track(second, Track(swept={"seed": 1}))
    hand_over(first, inside)
    assert second._loaded == {"cpu": ("pipeline", "revision")}
    assert first._loaded == {}
    hand_over(inside, third)
    assert (second._loaded, third._loaded) == ({}, {})
    hand_over(Heard(), Heard())
