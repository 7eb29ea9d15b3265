"""Figures of outputs by kind of failure, and the page that shows them: right colours, right order,
and nothing that a hostile run could do.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editgauge.images import read_image
from editgauge.reports import diagnosis, site
from editgauge.reports.part import part
from editgauge.run.diagnose import Request, diagnose
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.testing import make_sample
from tests.fakes import ConstantEditor

HOSTILE = 'Remove "<img src=x onerror=alert(1)>"\u202e & more'


@pytest.fixture
def run(tmp_path: Path) -> Run:
    samples = [
        make_sample(tmp_path / "data", f"s{n}", size=(64, 48), instruction=HOSTILE)
        for n in range(2)
    ]
    made = Run.create(tmp_path / "run")
    keep_samples(made, "mini", tmp_path / "data", samples, samples)
    edit_all(made, "mini", samples, ConstantEditor())
    diagnose(made, Request(basis="pixels"))
    return Run.open(made.path)


def test_the_colours_are_where_mask_and_region_are() -> None:
    picture = np.full((8, 8, 3), 200, np.uint8)
    values = np.array([[1.0, 0.0], [1.0, 0.0]])
    mask = np.zeros((8, 8), np.bool_)
    mask[:4] = True
    made = diagnosis.figure(picture, values, 0.5, mask)
    assert made.shape == (8, 4 * 8 + 3 * 6, 3)
    overlap = made[:, 3 * (8 + 6) :].astype(int)
    red, green, blue = np.moveaxis(overlap, 2, 0)
    assert (red[:4, 4:] > green[:4, 4:] + 40).all(), "mask alone: red"
    assert (green[4:, :4] > red[4:, :4] + 40).all(), "region alone: green"
    assert (np.minimum(red, green)[:4, :4] > blue[:4, :4] + 40).all(), "both: yellow"
    assert (np.ptp(overlap[4:, 4:], axis=2) == 0).all(), "neither: grey as the picture is"


def test_the_page_of_a_report(run: Run, tmp_path: Path) -> None:
    to = tmp_path / "report"
    shown = part([run], "mini", published=False, intervals=False)
    site.build([run], [shown], to)
    assert "mini.failures_pixels" in [table.name for table in shown.tables]
    page = (to / diagnosis.PAGE).read_text()
    assert "changed elsewhere (2)" in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "\u202e" not in page
    pictures = sorted((to / diagnosis.FOLDER).iterdir())
    assert [p.name for p in pictures] == ["0.webp", "1.webp"]
    assert read_image(pictures[0]).shape == (diagnosis.HEAD + 48, 5 * 64 + 4 * 6, 3)
