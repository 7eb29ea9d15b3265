"""A call with nothing to do is told by one digest: nothing that decides may change unnoticed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge import Evaluation
from editgauge.errors import RunError
from editgauge.images import write_png
from editgauge.run.score import Scoring
from editgauge.run.standing import Standing
from editgauge.store.run import Run
from editgauge.types import Status
from tests.run.fakes import MeanScorer

SCORER = MeanScorer(trap={"s2": "raise"})


def grey(path: Path, level: int) -> None:
    write_png(path, np.full((8, 8, 3), level, np.uint8))


class Place:
    """A data set of three samples, and the outputs of one editor; `stood`: what each call found."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.data, self.outputs, self.run = place / "set", place / "outputs", place / "run"
        self.stood: list[bool] = []
        facts = Standing.facts

        def noted(*given: Any) -> Any:
            self.stood.append((known := facts(*given)) is not None)
            return known

        monkeypatch.setattr(Standing, "facts", noted)
        self.data.mkdir()
        (self.data / "dataset.json").write_text(json.dumps({"name": "three"}))
        for number in range(3):
            for folder, level in ((self.data, 5), (self.data / "masks", 255), (self.outputs, 9)):
                grey(folder / f"s{number}.png", level + (number if level < 255 else 0))
        self.describe("do it")

    def describe(self, instruction: str) -> None:
        lines = [
            {"id": f"s{n}", "images": [f"s{n}.png"], "reference": f"s{n}.png",
             "masks": {"roi": f"masks/s{n}.png"}, "instruction": instruction}
            for n in range(3)
        ]  # fmt: skip
        text = "\n".join(map(json.dumps, lines))
        (self.data / "samples.jsonl").write_text(text)

    def score(self, *, scorer: MeanScorer = SCORER, **options: Any) -> Any:
        evaluation = Evaluation(f"dir:{self.data}", run=self.run, **options.pop("narrow", {}))
        options = {"outputs": self.outputs, "editors": "mine", **options}
        return evaluation.score(tracks="pixel", metrics=[scorer], **options)

    def sql(self, statement: str) -> None:
        with sqlite3.connect(self.run / "run.sqlite") as db:
            db.execute(statement)
        db.close()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path, monkeypatch)
    place.score()
    return place


def restored(path: Path, change: Callable[[Path], Any]) -> None:
    """Change a file and give it back its time."""
    facts = path.stat()
    change(path)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)


def kept(place: Place, room: str) -> Path:
    return next(path for path in (place.run / room).rglob("s0.png"))


CHANGES: dict[str, Callable[[Place], Any]] = {
    "output": lambda p: grey(p.outputs / "s1.png", 77),
    "output of the same size and time": lambda p: restored(p.outputs / "s1.png", flip),
    "output gone": lambda p: (p.outputs / "s1.png").unlink(),
    "output under a better name": lambda p: grey(p.outputs / "mine" / "s1.png", 77),
    "kept output": lambda p: flip(kept(p, "edits")),
    "kept output gone": lambda p: kept(p, "edits").unlink(),
    "input": lambda p: grey(p.data / "s1.png", 78),
    "input gone": lambda p: (p.data / "s1.png").unlink(),
    "kept input": lambda p: flip(kept(p, "inputs")),
    "mask": lambda p: grey(p.data / "masks" / "s1.png", 0),
    "instruction": lambda p: p.describe("do something else"),
    "row removed": lambda p: p.sql("DELETE FROM rows WHERE series = 1 AND sample = 1"),
    "row changed": lambda p: p.sql("UPDATE rows SET reason = 'other' WHERE series = 1"),
    "row changed, its count as before": lambda p: p.sql(
        "UPDATE counts SET marks = marks + 1 WHERE name = 'rows' AND part = 1"
    ),
    "edit removed": lambda p: p.sql("DELETE FROM edits WHERE sample = 1"),
    "rooms gone": lambda p: shutil.rmtree(p.run / "edits"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(place: Place, change: str) -> None:
    place.score()
    assert place.stood == [False, True]
    CHANGES[change](place)
    with contextlib.suppress(RunError):  # a damaged run is refused
        place.score()
    assert place.stood[2:] == [False]


def other_edit(place: Place) -> None:
    """What `edit` of another process does."""
    with contextlib.closing(Run.open(place.run)) as run:
        run.write_edits([replace(run.edits()[0], seconds=9.0)])


MEANWHILE = ("output", "kept output", "input", "kept input", "row removed", "edit removed")


@pytest.mark.parametrize("change", [*(CHANGES[name] for name in MEANWHILE), other_edit])
@pytest.mark.parametrize("own", [False, True], ids=["a folder's outputs", "the run's outputs"])
def test_a_change_during_a_call_is_noticed(
    place: Place, monkeypatch: pytest.MonkeyPatch, change: Callable[[Place], Any], own: bool
) -> None:
    look = Scoring._look

    def changed(*given: Any) -> Any:
        found = look(*given)
        change(place)
        return found

    options: dict[str, Any] = {"outputs": None} if own else {}
    shutil.rmtree(place.run / "cache" if own else place.run)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Scoring, "_look", changed)
        place.score(**options)
    looked = change is CHANGES["output"] and own  # not what is scored
    place.score(**options)
    assert place.stood == [False, False, looked]


@pytest.mark.parametrize(
    "options",
    [
        {"scorer": MeanScorer(version="2")},  # a rubric, a weights file: what an origin says
        {"scorer": MeanScorer(trap={"s2": "not_applicable"})},
        {"narrow": {"limit": 2}},
        {"editors": ()},
    ],
)
def test_another_call_is_looked_at_closely(place: Place, options: dict[str, Any]) -> None:
    place.score(**options)
    assert not any(place.stood)


def test_what_is_to_be_tried_again_is_tried(place: Place) -> None:
    summary = place.score(scorer=MeanScorer(), retry=Status.FAILED)
    assert summary.computed == 2
    assert {row.status for row in Run.open(place.run).rows() if row.scorer == "test.mean"} == {
        Status.SCORED
    }


def test_a_standing_call_says_what_a_close_look_says(place: Place) -> None:
    (place.run / "cache" / "standing.sqlite").rename(place.run / "cache" / "away")
    close = place.score()
    (place.run / "cache" / "away").rename(place.run / "cache" / "standing.sqlite")
    standing = place.score()
    assert place.stood[-1]
    assert (standing.counts, standing.kept) == (close.counts, close.kept)
    entries = Run.open(place.run).manifest()["entries"]
    assert [entry["data"] for entry in entries[-2:]] == [entries[-1]["data"]] * 2
    assert [entry["editors"] for entry in entries[-2:]] == [["mine"]] * 2
