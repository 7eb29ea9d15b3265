"""Segments, manifests and the answers of other people's scorers and editors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.errors import EditgaugeError, RunError
from editgauge.images import write_png
from editgauge.run.edit import edit
from editgauge.run.score import score
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.testing import make_picture
from editgauge.types import Edit, Sample, Score, Status
from tests.fuzz.corpus import NASTY, fuzz, spoilt_bytes
from tests.run.fakes import MeanScorer, Painter, make_samples


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run with edits and rows."""
    place = tmp_path_factory.mktemp("made")
    run = Run.create(place / "run")
    samples = make_samples(place, 3)
    edit(run, "fake", samples, Painter(), workers=0)
    with HashStore(None) as hashes:
        score(run, "fake", samples, run.edits("fake"), [MeanScorer()], hashes=hashes, workers=0)
    assert len(run.rows()) == 6
    return run.path


@fuzz
@given(seed=st.integers(0, 2**32))
def test_a_spoilt_run(made: Path, seed: int) -> None:
    """No traceback, and no number that was not there before."""
    place = made.with_name("spoilt")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(made, place)
    victim = place / "run.sqlite"
    victim.write_bytes(spoilt_bytes(victim.read_bytes(), seed))
    whole = {(row.sample, row.variant): row.value for row in Run.open(made).rows()}
    try:
        run = Run.open(place)
        run.manifest()
        for row in run.rows():
            assert whole[row.sample, row.variant] == row.value
        run.edits("fake")
        run.samples("fake")
    except EditgaugeError as error:
        assert str(error)


@dataclass(frozen=True)
class Odd(MeanScorer):
    """A scorer of somebody else's that gives back anything."""

    name: str = "test.odd"
    given: Any = None

    def __call__(self, sample: Sample, edit: Edit) -> Any:
        return self.given


values = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers())


def answer(draw: Any) -> Any:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return draw(st.sampled_from(NASTY))
    if kind == 1:
        return [draw(st.sampled_from(NASTY)) for _ in range(draw(st.integers(0, 3)))]
    detail = draw(st.dictionaries(st.text(max_size=5), st.sampled_from(NASTY), max_size=3))
    variants: Sequence[Any] = ["faithful", "corrected", *([None] if kind == 2 else [])]
    scores = []
    for variant in variants:
        value = draw(values)
        status = Status.SCORED if value is not None else Status.FAILED
        reason = "" if value is not None else draw(st.text(max_size=30))
        try:
            scores.append(
                Score(
                    metric="mean",
                    value=value,
                    variant=variant,
                    status=status,
                    reason=reason,
                    detail=detail,
                )
            )
        except (ValueError, TypeError, OverflowError):
            continue
    return scores


@fuzz
@given(data=st.data())
def test_answers_of_scorers(
    tmp_path_factory: pytest.TempPathFactory, made: Path, data: Any
) -> None:
    """Each ends as a row with a value, or with a status and a reason."""
    place = tmp_path_factory.mktemp("odd")
    samples = make_samples(made.parent, 3)[:1]
    run = Run.create(place / "run")
    edit(run, "fake", samples, Painter(), workers=0)
    odd = Odd(given=answer(data.draw))
    with HashStore(None) as hashes:
        score(run, "fake", samples, run.edits("fake"), [odd], hashes=hashes, workers=0)
    rows = run.rows()
    assert len(rows) == 2
    for row in rows:
        assert (row.value is not None) == (row.status is Status.SCORED) or row.detail
        assert row.value is not None or row.status is Status.FAILED or row.detail
    json.dumps([row.reason for row in rows]).encode()


@dataclass
class OddEditor:
    given: Any
    name: str = "odd"
    parallel: str = "serial"

    def __call__(self, sample: Sample, folder: Path) -> Any:
        write_png(folder / "out.png", make_picture())
        return self.given(sample, folder) if callable(self.given) else self.given


edits = st.one_of(
    st.sampled_from(NASTY),
    st.builds(
        lambda path, status, reason, detail, seed: (
            lambda sample, folder: Edit(
                sample=sample.id,
                editor="odd",
                path=folder / path if isinstance(path, str) and "\0" not in path else path,
                status=status,
                reason=reason,
                seed=seed,
                detail=detail,
                settings=detail,
            )
        ),
        st.sampled_from(["out.png", "nothing.png", ".", None, *NASTY]),
        st.sampled_from([*Status, "scored", None]),
        st.one_of(st.text(max_size=20), st.sampled_from(NASTY)),
        st.dictionaries(st.text(max_size=5), st.sampled_from(NASTY), max_size=3),
        st.one_of(st.none(), st.integers(), st.sampled_from(NASTY)),
    ),
)


@fuzz
@given(given=edits)
def test_answers_of_editors(
    tmp_path_factory: pytest.TempPathFactory, made: Path, given: Any
) -> None:
    place = tmp_path_factory.mktemp("odd")
    samples = make_samples(made.parent, 3)[:1]
    run = Run.create(place / "run")
    try:
        edit(run, "fake", samples, OddEditor(given))
    except RunError as error:
        raise AssertionError("an editor's answer is never the run's fault") from error
    (record,) = run.edits("fake")
    assert (record.path is None) == (record.status is not Status.SCORED)
    assert record.path is None or (run.path / record.path).is_file()
    assert samples[0].image.is_file()
