"""Figures from made-up rows: what is missing shows as missing, and nothing is lost or averaged over
sources.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editgauge.reports import drawing, figures, plots
from editgauge.types import Metric, Plot, Row, Status
from tests.made_rows import frame, record, row

TASKS = ("count", "colour", "order", "time", "space")
RECORDS = [record(f"{task}{n}", task=task) for task in TASKS for n in (1, 2)]


def rows(editor: str = "m", *, without: tuple[str, ...] = (), source: str = "") -> list[Row]:
    """`editor` has 1 and 3 for every task, but no output for those in `without`."""
    found = []
    for task in TASKS:
        for n in (1, 2):
            given: float | None = None if task in without else 2.0 * n - 1
            status = Status.MISSING if given is None else Status.SCORED
            found.append(row(f"{task}{n}", editor, "VC", given, status=status, source=source))
    return found


def one(kind: str, made: list[Row]) -> figures.Figure:
    known = {"VC": Metric("VC", direction="higher", low=1, high=5)}
    wanted = [Plot(kind, "task", "by task")]  # type: ignore[arg-type]
    found = plots.figures(frame(made, RECORDS), known, wanted)
    assert len(found) == 1
    return found[0]


@contextlib.contextmanager
def drawing_of(figure: figures.Figure) -> Iterator[Any]:
    """The figure drawn, closed at the end."""
    pytest.importorskip("matplotlib", reason="figures need the extra report")
    mpl, pyplot = drawing.matplotlib_of("a test")
    with mpl.rc_context(drawing.SETTINGS):
        drawn = drawing.drawn(figure, pyplot)
        yield drawn
        pyplot.close(drawn)


class TestMissing:
    def test_a_label_without_any_score_keeps_its_place(self) -> None:
        figure = one("bars", rows(without=("time",)))
        assert figure.labels == ("colour", "count", "order", "space", "time")
        assert figure.series["m"][:4] == (2.0, 2.0, 2.0, 2.0)
        assert math.isnan(figure.series["m"][4])
        assert figure.counts == (2, 2, 2, 2, 2)
        assert figure.scored["m"] == (2, 2, 2, 2, 0)

    def test_a_bar_that_is_not_there_is_a_crossed_stub(self) -> None:
        with drawing_of(one("bars", [*rows("a", without=("time",)), *rows("b")])) as drawn:
            (axes,) = drawn.axes
            bars = [bar for bar in axes.patches if bar.get_width() > 0]
            assert [bar.get_hatch() for bar in bars].count("xxxxxxxx") == 1
            legend = [text.get_text() for text in drawn.legends[0].get_texts()]
            assert legend == ["a", "b", figures.NO_SCORE]

    def test_a_point_between_gaps_is_drawn(self) -> None:
        """Around the radar: colour, count, order, space, time. Without colour, order and time the
        points of count and of space stand alone, and no line joins them across the gap.
        """
        figure = one("radar", [*rows("a", without=("colour", "order", "time")), *rows("b")])
        with drawing_of(figure) as drawn:
            lengths = [len(line.get_xdata()) for line in drawn.axes[0].lines]
            assert [length for length in lengths if length] == [1, 1, 6]


class TestNumbers:
    def test_a_bar_of_two_samples_has_no_interval(self) -> None:
        """Two samples say nothing of how far a mean may lie from theirs."""
        figure = one("bars", rows())
        assert all(math.isnan(limit) for limit in figure.limits["m"][0])

    def test_the_table_behind_a_figure(self) -> None:
        figure = one("bars", rows(without=("time",)))
        lines = list(csv.DictReader(io.StringIO(figures.as_csv(figure))))
        assert [line["label"] for line in lines] == list(figure.labels)
        assert [line["value"] for line in lines] == ["2", "2", "2", "2", ""]
        assert [line["n"] for line in lines] == ["2", "2", "2", "2", "0"]
        assert {line["of"] for line in lines} == {"2"}


def test_samples_are_counted_for_each_value_of_another_attribute() -> None:
    records = [
        record("1", split="real", task="count"),
        record("2", split="synthetic", task="count"),
        record("3", split="synthetic", task="colour"),
        record("4", split="synthetic", task="count"),
        record("5", split="real"),
    ]
    found = frame([row("1", "m", "VC", 1.0)], records)
    plot = Plot("counts", "task", "Samples of each task", ("count",), each="split")
    (figure,) = plots.figures(found, {}, [plot])
    assert figure.labels == ("count", "colour")
    assert figure.series == {"real": (1.0, 0.0), "synthetic": (2.0, 1.0)}
    assert figure.counts == (3, 1)
    assert figures.NO_SCORE not in figures.as_text(figure)
    line = next(csv.DictReader(io.StringIO(figures.as_csv(figure))))
    assert (line["model"], line["value"], line["of"]) == ("real", "1", "3")


def test_what_is_kept_apart_has_a_figure_for_each_value() -> None:
    """Means of the two splits are no mean of both: 1 and 5, never 3."""
    records = [
        record(f"{split}{task}", split=split, task=task)
        for split in ("real", "synthetic")
        for task in TASKS
    ]
    made = [row(f"real{task}", "m", "VC", 1.0) for task in TASKS]
    made += [row(f"synthetic{task}", "m", "VC", 5.0) for task in TASKS]
    known = {"VC": Metric("VC", direction="higher", low=0, high=5)}
    plot = Plot("radar", "task", "by task", each="split")
    first, second = plots.figures(frame(made, records), known, [plot])
    assert (set(first.series["m"]), set(second.series["m"])) == ({1.0}, {5.0})
    assert (first.title, second.title) == (
        "VC (faithful) by task, real",
        "VC (faithful) by task, synthetic",
    )
    assert first.name != second.name
    assert figures.limits_of(first) == (0.0, 5.0), (
        "the rim is the scale's end, not the largest mean"
    )


def test_each_judge_has_its_figure() -> None:
    made = [*rows(source="gpt-4o#1"), *rows(without=("time",), source="qwen#2")]
    found = plots.figures(frame(made, RECORDS), {}, [Plot("radar", "task", "by task")])
    assert len(found) == 2
    assert len({figure.name for figure in found}) == 2
    assert "gpt-4o" in found[0].title
    assert "qwen" in found[1].title
    assert found[0].series["m"][4] == 2.0
    assert math.isnan(found[1].series["m"][4])


def test_twelve_long_names_do_not_lie_on_each_other(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    mpl, pyplot = drawing.matplotlib_of("a test")
    names = [f"some-vendor/an-image-editing-model-with-a-long-name-{n:02}" for n in range(10)]
    names += ["UniWorld-V1-SigLIP-highres", "a_name_with_underscores_and_a_long_tail"]
    made = [
        line for n, name in enumerate(names) for line in rows(name, without=("time",) if n else ())
    ]
    with mpl.rc_context(drawing.SETTINGS):
        for kind in ("bars", "curve", "radar"):
            drawn = drawing.drawn(one(kind, made), pyplot)
            drawn.canvas.draw()
            page = drawn.get_window_extent()
            legend = drawn.legends[0].get_window_extent()  # marks and lines included
            assert page.x0 <= legend.x0 <= legend.x1 <= page.x1, kind
            texts = [*drawn.legends[0].get_texts(), *drawn.texts]
            if kind != "radar":
                right = drawn.axes[0].get_xlim()[1]
                below = drawn.axes[0].get_xticklabels()
                texts += [text for text in below if text.get_position()[0] <= right]
                texts += drawn.axes[0].get_yticklabels() if kind == "bars" else []
            texts.append(drawn.axes[0].xaxis.label)
            texts = [text for text in texts if text.get_text()]
            boxes = [text.get_window_extent() for text in texts]
            for number, box in enumerate(boxes):
                assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1, (kind, texts[number])
                assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1, (kind, texts[number])
                hit = [other for other in boxes[number + 1 :] if box.overlaps(other)]
                assert not hit, (kind, texts[number])
            pyplot.close(drawn)


def test_files_for_papers_embed_their_fonts(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = drawing.for_papers([one("bars", rows(without=("time",)))], tmp_path)
    assert {path.suffix for path in files} == {".svg", ".png", ".pdf", ".csv"}
    pdf = next(path for path in files if path.suffix == ".pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    from PIL import Image

    with Image.open(next(path for path in files if path.suffix == ".png")) as picture:
        assert picture.width == pytest.approx(drawing.COLUMN * 300, abs=1)


def test_an_open_scale_has_no_radar() -> None:
    known = {"VC": Metric("VC", direction="higher", low=0, high=math.inf, unit="dB")}
    wanted = [Plot("radar", "task", "by task")]
    (figure,) = plots.figures(frame(rows(), RECORDS), known, wanted)
    assert figure.kind == "bars"
    assert figure.axis == "VC, dB (higher is better)"


def test_a_bar_says_how_many_samples_it_has() -> None:
    figure = one("bars", rows())
    with drawing_of(figure) as drawn:
        labels = [text.get_text() for text in drawn.axes[0].get_yticklabels()]
    assert labels == [f"{task} (2)" for task in sorted(TASKS)]


def test_only_the_wanted_metrics_are_shown() -> None:
    made = [replace(r, metric=name) for name in ("VC", "VQ") for r in rows()]
    found = plots.figures(frame(made, RECORDS), {}, [Plot("bars", "task", "by task")], only=["VQ"])
    assert [figure.name for figure in found] == ["bars-task-VQ-faithful"]


def test_a_figure_beside_the_page_has_its_numbers_and_words(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra report")
    (facts,) = drawing.beside_page([one("bars", rows())], tmp_path, "0")
    assert facts["file"] == "0-bars-task-VC-faithful.svg"
    assert "m: colour 2, count 2" in facts["text"]
    svg = (tmp_path / facts["file"]).read_text()
    assert "VC (faithful) by task" in svg
    assert "<script" not in svg
    assert (tmp_path / "0-bars-task-VC-faithful.csv").is_file()
