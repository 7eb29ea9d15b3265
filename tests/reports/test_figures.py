"""Figures from made-up rows: what is missing shows as missing, and nothing is lost or averaged over
sources.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from editgauge import catalog
from editgauge.reports import drawing, figures
from editgauge.tables.metrics import metrics_of
from editgauge.types import Metric, Plot, Row, Status
from tests.made_rows import frame, record, row

KNOWN = {"VC": Metric("VC", direction="higher", low=1, high=5)}
RADAR = [Plot("radar", "task", "by task")]
TASKS = ("count", "colour", "order", "time", "space")
RECORDS = [record(f"{task}{n}", task=task) for task in TASKS for n in (1, 2)]


def rows(editor: str = "m", *, without: tuple[str, ...] = (), source: str = "") -> list[Row]:
    """`editor` has 1 and 3 for every task, but no output for those in `without`."""
    given = [(f"{task}{n}", None if task in without else 2.0 * n - 1)
             for task in TASKS for n in (1, 2)]  # fmt: skip
    gone = {True: Status.MISSING, False: Status.SCORED}
    return [row(at, editor, "VC", one, status=gone[one is None], source=source)
            for at, one in given]  # fmt: skip


def means(figure: figures.Figure, name: str = "m") -> list[float]:
    return [found.value for found in figure.series[name]]


def one(kind: str, made: list[Row]) -> figures.Figure:
    (found,) = figures.figures(frame(made, RECORDS), KNOWN, [Plot(kind, "task", "by task")])  # type: ignore[arg-type]
    return found


@contextlib.contextmanager
def drawing_of(figure: figures.Figure) -> Iterator[Any]:
    pytest.importorskip("matplotlib", reason="figures need the extra report")
    mpl, pyplot = drawing.matplotlib_of("a test")
    with mpl.rc_context(drawing.SETTINGS):
        drawn = drawing.drawn(figure, pyplot)
        drawn.canvas.draw()
        yield drawn
        pyplot.close(drawn)


def test_a_bar_that_is_not_there_is_a_crossed_stub_and_counts_stand_beside_labels() -> None:
    with drawing_of(one("bars", [*rows("a", without=("time",)), *rows("b")])) as drawn:
        (axes,) = drawn.axes
        assert [bar.get_hatch() for bar in axes.patches].count("xxxxxxxx") == 1
        legend = [text.get_text() for text in drawn.legends[0].get_texts()]
        assert legend == ["a", "b", drawing.NO_SCORE]
        labels = [text.get_text() for text in axes.get_yticklabels()]
        assert labels == [f"{task} (2)" for task in sorted(TASKS)]


def test_each_judge_has_its_figure_and_only_wanted_metrics_are_shown() -> None:
    made = [*rows(source="gpt-4o#1"), *rows(without=("time",), source="qwen#2")]
    found = figures.figures(frame(made, RECORDS), KNOWN, RADAR)
    assert [("gpt-4o" in one.title, "qwen" in one.title) for one in found] == [(1, 0), (0, 1)]
    assert len({figure.name for figure in found}) == 2
    assert (means(found[0])[4], math.isnan(means(found[1])[4])) == (2.0, True)
    assert figures.figures(frame(made, RECORDS), KNOWN, RADAR, only=["VQ"]) == []


@pytest.mark.parametrize("kind", ["bars", "curve", "radar"])
def test_twelve_long_names_do_not_lie_on_each_other(kind: str) -> None:
    names = [f"some-vendor/an-image-editing-model-with-a-long-name-{n:02}" for n in range(10)]
    names += ["UniWorld-V1-SigLIP-highres", "a_name_with_underscores_and_a_long_tail"]
    made = [r for n, name in enumerate(names) for r in rows(name, without=("time",) if n else ())]
    with drawing_of(one(kind, made)) as drawn:
        page, (axes,) = drawn.get_window_extent(), drawn.axes
        legend = drawn.legends[0].get_window_extent()
        assert page.x0 - 1 <= legend.x0 <= legend.x1 <= page.x1 + 1
        texts = [*drawn.legends[0].get_texts(), *drawn.texts, axes.xaxis.label]
        texts += {"bars": axes.get_yticklabels(), "curve": axes.get_xticklabels()}.get(
            kind, axes.texts
        )
        boxes = [text.get_window_extent() for text in texts if text.get_text()]
        for number, box in enumerate(boxes):
            assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1
            assert kind == "radar" or not [o for o in boxes[number + 1 :] if box.overlaps(o)]


def test_the_papers_models_stand_beside_where_its_table_has_the_labels() -> None:
    organs = ("Teeth", "Liver", "Skin")
    records = [record(organ, organ=organ) for organ in organs]
    plots = catalog.find("benchmarks", "medebench").figures[:1]
    for source, beside in (("gpt-4o-2024-11-20#1", True), ("qwen#1", False)):
        made = [row(o, "m", "EA", 5.0, benchmark="medebench", source=source) for o in organs]
        of = frame(made, records, "medebench")
        (found,) = figures.figures(of, metrics_of(of), plots, published=True)
        assert found.labels == ("Teeth", "Skin", "Liver")
        assert ("imagic †" in found.series) is beside
        if beside:
            assert means(found, "imagic †")[:2] == [0.49, 0.19]
            assert math.isnan(means(found, "imagic †")[2])


def test_a_radar_of_many_models_has_a_panel_for_each_of_the_papers_groups() -> None:
    closed, open_ = ["GPT-4o", "Gemini 2.0", "Doubao"], ["OmniGen", "Emu2", "BAGEL", "AnyEdit"]
    every = [*closed, *open_, "ours"]
    made = [replace(one, benchmark="krisbench") for name in every for one in rows(name)]
    (figure,) = figures.figures(frame(made, RECORDS, "krisbench"), KNOWN, RADAR)
    assert [{*panel} for panel in figure.panels] == [{*closed, "ours"}, {*open_, "ours"}]
    with drawing_of(figure) as drawn:
        lines = [len(axes.get_lines()) for axes in drawn.axes]
        (legend,) = drawn.legends
        assert lines == [4, 5]
        assert sorted(text.get_text() for text in legend.get_texts()) == sorted(every)
    assert one("radar", [*rows(), *rows("other")]).panels == ()
