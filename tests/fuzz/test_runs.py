"""Segments, manifests and the answers of other people's scorers and editors."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.errors import EditgaugeError
from editgauge.run.edit import edit
from editgauge.run.score import score
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from tests.fuzz.corpus import fuzz, spoilt_bytes
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
