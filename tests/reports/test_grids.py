"""Grids of pictures: every editor's output of a sample, and words where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from editgauge.errors import UsageError
from editgauge.images import write_png
from editgauge.reports import grids
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables import reading
from editgauge.types import Status
from tests.command_line import invoke
from tests.made_rows import record, row

B = "medebench"
EDITORS = [f"some-vendor-an-editing-model-with-a-long-name-{n}" for n in range(9)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """One sample with an input, a reference and nine editors: the first has a broken picture, the
    second was refused, the third's file is gone.
    """
    run = Run.create(tmp_path / "run")
    places = [f"edits/{B}/{editor}/7.png" for editor in EDITORS]
    inputs = [f"inputs/{B}/{name}.png" for name in ("in", "ref")]
    for shade, place in enumerate((*inputs, places[0], *places[3:])):
        write_png(run.path / place, np.full((60, 90, 3), 20 * shade, np.uint8))
    (run.path / places[0]).write_bytes(b"no picture")
    told = "Remove the $second$ tooth from the left, " * 6
    facts = {"images": inputs[:1], "reference": inputs[1]}
    run.write_samples(B, [record("7", organ="Teeth", instruction=told) | facts])
    for number, (editor, place) in enumerate(zip(EDITORS, places, strict=True)):
        made = {"status": Status.SCORED, "path": place}
        if number == 1:
            made = {"status": Status.REFUSED, "path": None, "reason": "safety"}
        run.write_edits([EditRecord(benchmark=B, sample="7", editor=editor, **made)])
    run.put([row("7", EDITORS[0], "EA", 1.0, benchmark=B)])
    return Run.open(run.path)


def test_every_editor_has_its_place_and_other_samples_and_files_are_refused(run: Run) -> None:
    frames = [reading.of_runs([run], B)]
    (line,) = grids.lines([run], frames, ["7"], ())
    assert line[0].startswith("7: Remove the $second$ tooth")
    assert [panel.heading for panel in line[1]] == ["Input", "Reference", *EDITORS]
    by = {panel.heading: (panel.picture, panel.words) for panel in line[1]}
    assert by[EDITORS[1]] == (None, "refused: safety")
    assert by[EDITORS[2]] == (None, "not in the run")
    with pytest.raises(UsageError, match="8: wanted samples of one benchmark"):
        grids.lines([run], frames, ["8"], ())
    with pytest.raises(UsageError, match="ends in pdf, png, svg"):
        grids.write([line], Path("grid.doc"))


def test_the_command_writes_pdf_and_png(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ["grid", str(run.path), "--sample", "7", "--to", str(tmp_path / "grid.pdf"), "--json"]
    files = [Path(name) for name in json.loads(invoke(words).stdout)["files"]]
    assert [path.name for path in files] == ["grid.pdf", "grid.png"]
    assert b"/FontFile2" in files[0].read_bytes()
