"""Diagnosing a run from end to end, on tiny random pipelines: rows, resuming, and what goes wrong."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import invoke
from tests.fakes import ConstantEditor

pytest.importorskip("diffusers", reason="attention needs the extra neural")
pytest.importorskip("transformers", reason="attention needs the extra neural")
pytest.importorskip("torch", reason="attention needs the extra neural")


from editgauge import catalog
from editgauge.diagnosis import remake
from editgauge.errors import Unavailable, UsageError
from editgauge.run.diagnose import Request, diagnose, with_concepts
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples, stored_samples
from editgauge.store.summary import Summary
from editgauge.testing import make_sample
from editgauge.types import Edit, Status
from tests.editors import tiny_pipelines

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries warn of each other's renamings
CONCEPTS = ("old", None, "giraffe")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_pipelines.instructpix2pix(tmp_path_factory.mktemp("pipelines") / "tiny")


@pytest.fixture(scope="module")
def finished(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with three samples edited by a diffusion model and by an editor of another kind."""
    root = tmp_path_factory.mktemp("made")
    samples = [
        make_sample(root / "data", f"s{n}", size=(64, 48), concept=concept)
        for n, concept in enumerate(CONCEPTS)
    ]
    run = Run.create(root / "run")
    keep_samples(run, "mini", root / "data", samples, samples)
    model = catalog.find("editors", "instructpix2pix")(
        [], model=str(weights), num_inference_steps="2", device="cpu", side="64", seed="3"
    )
    edit_all(run, "mini", samples, model)
    edit_all(run, "mini", samples, ConstantEditor())
    run.record("edit")
    return run.path


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Run:
    shutil.copytree(finished, tmp_path / "run")
    return Run.open(tmp_path / "run")


def looked(run: Run, weights: Path | None, progress: Any = None, **more: Any) -> Summary:
    """Attention of the run's own editor, in this process unless `workers` says otherwise."""
    model = str(weights) if weights else ""
    maps = {"model": model, "device": "cpu", "resolution": more.pop("resolution", 4)}
    request = Request(basis="attention", editors=["instructpix2pix"], maps=maps, **more)
    return diagnose(Run.open(run.path), request, progress).summaries["attention"]


def rows(run: Run) -> dict[tuple[str, str], Any]:
    found = Run.open(run.path).rows()
    return {(row.sample, row.metric): row for row in found if row.scorer == "attention_grounding"}


def test_rows_of_a_watched_editor_and_nothing_twice(run: Run, weights: Path) -> None:
    told: list[Any] = []
    assert looked(run, weights, lambda *now: told.append(now)).computed == 3 * 3
    assert told[-1] == (2, 2, "attention of instructpix2pix")
    found = rows(run)
    iou = found["s0", "attention_iou"]
    assert 0 <= iou.value <= 1
    assert iou.detail["reproduced"] == "to the last bit"
    assert iou.detail["token"] == ["d"]
    assert (iou.detail["calls"], iou.detail["layers"], iou.detail["maps"]) == (2, 8, ["4x3"])
    assert found["s1", "attention_iou"].status is Status.NOT_APPLICABLE
    assert "names no key concept" in found["s1", "attention_iou"].reason
    assert "'giraffe' is not in the prompt" in found["s2", "attention_iou"].reason
    again = looked(run, None)
    assert (again.computed, again.kept) == (0, 9), "no weights are asked for where nothing is left"
    assert looked(run, weights, retry=frozenset({Status.NOT_APPLICABLE})).computed == 6


def test_other_weights_and_unknown_weights_end_the_call_and_are_no_outputs_failure(
    run: Run, weights: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(weights, other)
    (other / "unet" / "config.json").write_text("{}")
    with pytest.raises(
        UsageError, match="a folder called 'tiny'; name it by the setting model=DIR"
    ):
        looked(run, None)
    with pytest.raises((UsageError, Unavailable)):
        looked(run, other)
    assert {row.status for row in rows(run).values()} == {Status.NOT_APPLICABLE}


def test_a_run_of_somebody_else_does_not_choose_what_is_loaded_nor_does_its_track() -> None:
    settings = {"family": "instructpix2pix", "model": "evil/weights", "revision": "abc"}
    edit = Edit(sample="s", editor="e", path=Path("x.png"), settings=settings, seed=7)
    with pytest.raises(
        UsageError, match="not those of its family; name them by the setting model=evil"
    ):
        remake.settings_of(edit, device="cpu")
    made = remake.settings_of(edit, model="evil/weights", device="cpu")
    assert (made["model"], made["revision"], made["seed"]) == ("evil/weights", "abc", 7)
    own = replace(edit, settings={**settings, "model": "timbrooks/instruct-pix2pix"})
    assert remake.settings_of(own, device="cpu")["revision"] == "abc"
    track = {"instruction": "original", "template": "Edit: {instruction}", "learning": {"of": "e"}}
    tracked = replace(own, settings={**own.settings, **track})
    assert remake.why_not(tracked) is None
    assert not track.keys() & remake.settings_of(tracked, device="cpu").keys()
    tuned = replace(own, settings={**own.settings, "tuned": {"task": "t"}})
    assert "fine-tuned" in (remake.why_not(tuned) or "")


def test_concepts_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "concepts.csv"
    file.write_text("sample,concept\ns1,word\ns2,new\n")
    samples = with_concepts(stored_samples(run, "mini"), file)
    assert [sample.concept for sample in samples] == ["old", "word", "new"]


def test_asked_for_attention_that_nothing_has_is_an_error_and_pixels_need_no_weights(
    run: Run,
) -> None:
    base = ["diagnose", str(run.path), "--workers", "0"]
    done = invoke([*base, "--editor", "constant", "--from", "attention"])
    assert isinstance(done.exception, UsageError)
    assert "not made by a diffusers pipeline" in str(done.exception)
    done = invoke([*base, "--from", "both"])
    assert "model=DIR (for change grounding alone: basis pixels)" in str(done.exception)
    done = invoke([*base, "--from", "pixels"])
    assert "0 new rows, 18 reused" in done.output, "what was done before is kept"
