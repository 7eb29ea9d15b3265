"""Outputs that are taken into a run, and those that lie in it already."""

from __future__ import annotations

from pathlib import Path

from tests.store.made_run import SAMPLES, make_run

from editgauge.store.collect import refresh
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.types import Sample, Status


def look(path: Path) -> tuple[Run, dict[str, str]]:
    """A run after its outputs were looked at again, and the fingerprint of each."""
    run = Run.open(path)
    known = {record.sample: record for record in run.edits("mini") if record.editor == "one"}
    samples = [
        Sample(
            benchmark="mini",
            id=name,
            split="all",
            category=(),
            instruction="",
            images=(path / f"inputs/mini/{name}.png",),
            output_stems=(name,),
        )
        for name in SAMPLES
    ]
    records = refresh(run, "mini", "one", samples, HashStore(None), known)
    assert {record.status for record in records} == {Status.SCORED}
    return run, {record.sample: record.fingerprint for record in records}


def test_an_output_that_was_replaced_counts_as_the_output_and_is_named(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run").path
    sound, before = look(path)
    assert sound.problems == []
    place = "edits/mini/one/s1.png"
    (path / place).write_bytes((path / "edits/mini/one/s2.png").read_bytes())
    replaced, after = look(path)
    assert [text.partition(":")[0] for text in replaced.problems] == [place]
    assert after == {**before, "s1": before["s2"]}
    again, _ = look(path)
    assert again.problems == []
