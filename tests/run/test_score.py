"""The scoring loop: the same rows however it is run, stopped or disturbed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.images import write_png
from editgauge.run.score import score
from editgauge.store.collect import edits_of
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord
from editgauge.store.summary import Summary
from editgauge.types import Sample, Status
from tests.run.fakes import BatchMean, MeanScorer, Spread, StreamMean, make_samples


def outputs(folder: Path, samples: list[Sample], shift: int = 5) -> Path:
    for index, sample in enumerate(samples):
        grey = np.full((8, 8, 3), (index * 7 + shift) % 256, np.uint8)
        write_png(folder / f"{sample.id}.png", grey)
    return folder


class Bench:
    """A run over fake samples and the outputs of one or more editors."""

    def __init__(self, place: Path, number: int = 12, editors: Sequence[str] = ("a", "b")) -> None:
        self.place, self.data, out = place, place / "data", place / "out"
        self.samples = make_samples(self.data, number)
        self.outputs = {n: outputs(out / n, self.samples, i * 11) for i, n in enumerate(editors)}

    def edits(self, run: Run, hashes: HashStore) -> list[EditRecord]:
        found = (
            edits_of(run, "fake", folder, [name], self.samples, hashes)
            for name, folder in self.outputs.items()
        )
        return [record for records in found for record in records]

    def score(self, name: str, *scorers: Any, **options: Any) -> tuple[Run, Summary]:
        run = Run.create(self.place / name)
        keep_samples(run, "fake", self.data, self.samples, self.samples)
        with HashStore(run.cache_folder / "hashes.sqlite") as hashes:
            edits, options = self.edits(run, hashes), {"roots": [self.data], **options}
            what = (run, "fake", [(self.samples, edits)], scorers or [MeanScorer()])
            summary = score(*what, hashes=hashes, **options)
        return Run.open(self.place / name), summary


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_rows_do_not_depend_on_the_workers(bench: Bench) -> None:
    scorers = (MeanScorer(), BatchMean(), Spread())
    runs = [bench.score(f"w{n}", *scorers, workers=n)[0].rows() for n in (0, 2)]
    assert runs[0] == runs[1]
    assert len(runs[0]) == 12 * 2 * 2 * 2 + 2, "samples, editors, variants, scorers; and of sets"
    assert all(row.status is Status.SCORED for row in runs[0])
    assert {row.value for row in runs[0] if row.scorer == "test.set"} == {12.0}


def test_an_output_that_kills_its_worker_costs_itself_only(bench: Bench) -> None:
    run, summary = bench.score("run", MeanScorer(trap={"s004": "die"}), workers=2)
    rows = run.rows()
    dead = [row for row in rows if row.status is not Status.SCORED]
    assert {(row.sample, row.status) for row in dead} == {("s004", Status.FAILED)}
    assert "died" in dead[0].reason
    assert (len(rows), summary.without_score) == (48, 4)
    clean = {row.key: row for row in bench.score("clean", MeanScorer(), workers=0)[0].rows()}
    assert all(row.value == clean[row.key].value for row in rows if row.sample != "s004")


def test_what_a_scorer_raises_or_forgets_becomes_a_reason(bench: Bench) -> None:
    trap = {"s000": "raise", "s001": "short", "s002": "not_applicable"}
    run, _ = bench.score("run", MeanScorer(trap=trap), workers=0)
    found = {row.sample: row for row in run.rows() if row.status is not Status.SCORED}
    statuses = (Status.FAILED, Status.FAILED, Status.NOT_APPLICABLE)
    assert tuple(row.status for _, row in sorted(found.items())) == statuses
    assert found["s000"].reason == "ValueError: no good: 0.png"  # without the machine's path
    assert "promised" in found["s001"].reason
    assert found["s002"].reason == "not for this one"


@pytest.mark.parametrize("broken", ["", "s003"])
def test_a_scorer_that_streams_gets_whole_batches_and_its_break_costs_nothing(
    tmp_path: Path, broken: str
) -> None:
    bench = Bench(tmp_path)
    wanted = bench.score("batches", BatchMean(name="test.stream"), workers=0)[0].rows()
    scorer = StreamMean(broken=broken)
    rows = bench.score("stream", scorer, workers=0)[0].rows()
    assert rows == wanted
    assert rows
    assert min(scorer.sizes) > scorer.batch, "not cut into what a network takes at once"
    assert sum(scorer.sizes) == 24
