"""Figures from made-up rows: what is missing shows as missing, and nothing is lost or averaged over
sources.
"""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from editgauge.reports import figures, papers
from editgauge.tables.results import PEOPLE
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
    plots = [Plot(kind, "task", "by task")]  # type: ignore[arg-type]
    found = figures.figures(frame(made, RECORDS), known, plots)
    assert len(found) == 1
    return found[0]


class TestMissing:
    def test_a_label_without_any_score_keeps_its_place(self) -> None:
        figure = one("bars", rows(without=("time",)))
        assert figure.labels == ("colour", "count", "order", "space", "time")
        assert figure.series["m"][:4] == (2.0, 2.0, 2.0, 2.0)
        assert math.isnan(figure.series["m"][4])
        assert figure.counts == (2, 2, 2, 2, 2)
        assert figure.scored["m"] == (2, 2, 2, 2, 0)

    def test_of_what_the_editor_cannot_take_as_well(self) -> None:
        made = [
            row(r.sample, r.editor, r.metric, None, status=Status.NOT_APPLICABLE)
            if r.value is None
            else r
            for r in rows(without=("time",))
        ]
        assert one("radar", made).labels[-1] == "time"

    def test_a_bar_that_is_not_there_is_an_empty_stub(self) -> None:
        text = figures.svg(one("bars", [*rows("a", without=("time",)), *rows("b")]))
        assert text.count('class="none"') == 1
        assert "a, time: no score (0 of 2)" in text
        assert "b, time: 2 (2 of 2)" in text
        assert f">{figures.NO_SCORE}</text>" in text

    def test_a_point_between_gaps_is_drawn(self) -> None:
        """Around the radar: colour, count, order, space, time. Without colour, order and time the
        points of count and of space stand alone, and no line joins them across the gap.
        """
        figure = one("radar", [*rows("a", without=("colour", "order", "time")), *rows("b")])
        text = figures.svg(figure)
        assert len(re.findall(r"<circle", text)) == 2 + 1  # and the legend's
        lines = re.findall(r'<polyline points="([^"]*)"', text)
        assert [len(line.split()) for line in lines] == [1, 1, 6]

    def test_stretches(self) -> None:
        nan = math.nan
        assert figures.stretches([1, 2, nan, 3], closed=False) == [[0, 1], [3]]
        assert figures.stretches([1, 2, nan, 3], closed=True) == [[3, 0, 1]]
        assert figures.stretches([1, 2, 3], closed=True) == [[0, 1, 2, 0]]
        assert figures.stretches([nan, 2, nan], closed=True) == [[1]]
        assert figures.stretches([nan, nan], closed=True) == []


class TestNumbers:
    def test_a_bar_of_two_samples_has_no_interval(self) -> None:
        """Two samples say nothing of how far a mean may lie from theirs."""
        figure = one("bars", rows())
        assert all(math.isnan(limit) for limit in figure.limits["m"][0])
        assert 'class="i"' not in figures.svg(figure)

    def test_the_table_behind_a_figure(self) -> None:
        figure = one("bars", rows(without=("time",)))
        lines = list(csv.DictReader(io.StringIO(figures.as_csv(figure))))
        assert [line["label"] for line in lines] == list(figure.labels)
        assert [line["value"] for line in lines] == ["2", "2", "2", "2", ""]
        assert [line["n"] for line in lines] == ["2", "2", "2", "2", "0"]
        assert {line["of"] for line in lines} == {"2"}

    def test_names_that_a_spreadsheet_would_run(self) -> None:
        figure = one("bars", rows("=1+1"))
        assert ",'=1+1," in figures.as_csv(figure)


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
    (figure,) = figures.figures(found, {}, [plot])
    assert figure.labels == ("count", "colour")
    assert figure.series == {"real": (1.0, 0.0), "synthetic": (2.0, 1.0)}
    assert figure.counts == (3, 1)
    text = figures.svg(figure)
    assert "synthetic, count: 2 of 3" in text
    assert figures.NO_SCORE not in text
    line = next(csv.DictReader(io.StringIO(figures.as_csv(figure))))
    assert (line["model"], line["value"], line["of"]) == ("real", "1", "3")


def test_no_two_figures_have_one_file(tmp_path: Path) -> None:
    """Attributes in Chinese are all dashes in the name of a file."""
    names = ("难度", "类别", "a/b", "a-b", "A-B")
    records = [record(str(n), **dict.fromkeys(names, n)) for n in range(3)]
    found = frame([row("1", "m", "VC", 1.0)], records)
    plots = [Plot("histogram", name, name) for name in names]
    written = figures.write(found, {}, plots, tmp_path, prefix="mini")
    assert len({one["file"].lower() for one in written}) == len(names)
    assert {one["title"][: len(name)] for one, name in zip(written, names, strict=True)} == {*names}


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
    first, second = figures.figures(frame(made, records), known, [plot])
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
    found = figures.figures(frame(made, RECORDS), {}, [Plot("radar", "task", "by task")])
    assert len(found) == 2
    assert len({figure.name for figure in found}) == 2
    assert "gpt-4o" in found[0].title
    assert "qwen" in found[1].title
    assert found[0].series["m"][4] == 2.0
    assert math.isnan(found[1].series["m"][4])


def test_no_editor_is_left_out() -> None:
    made = [line for number in range(14) for line in rows(f"model-{number:02}")]
    found = figures.figures(frame(made, RECORDS), {}, [Plot("radar", "task", "by task")])
    assert [len(figure.series) for figure in found] == [12, 2]
    assert len({figure.name for figure in found}) == 2


def test_twelve_long_names_do_not_lie_on_each_other(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    mpl, pyplot = papers.matplotlib_of("a test")
    names = [f"some-vendor/an-image-editing-model-with-a-long-name-{n:02}" for n in range(10)]
    names += ["UniWorld-V1-SigLIP-highres", "a_name_with_underscores_and_a_long_tail"]
    made = [
        line for n, name in enumerate(names) for line in rows(name, without=("time",) if n else ())
    ]
    with mpl.rc_context(papers.SETTINGS):
        for kind in ("bars", "curve", "radar"):
            drawing = papers.drawn(one(kind, made), pyplot)
            drawing.canvas.draw()
            page = drawing.get_window_extent()
            legend = drawing.legends[0].get_window_extent()  # marks and lines included
            assert page.x0 <= legend.x0 <= legend.x1 <= page.x1, kind
            texts = [*drawing.legends[0].get_texts(), *drawing.texts]
            if kind != "radar":
                right = drawing.axes[0].get_xlim()[1]
                below = drawing.axes[0].get_xticklabels()
                texts += [text for text in below if text.get_position()[0] <= right]
                texts += drawing.axes[0].get_yticklabels() if kind == "bars" else []
            texts.append(drawing.axes[0].xaxis.label)
            texts = [text for text in texts if text.get_text()]
            boxes = [text.get_window_extent() for text in texts]
            for number, box in enumerate(boxes):
                assert page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1, (kind, texts[number])
                assert page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1, (kind, texts[number])
                hit = [other for other in boxes[number + 1 :] if box.overlaps(other)]
                assert not hit, (kind, texts[number])
            pyplot.close(drawing)


def test_files_for_papers_embed_their_fonts(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = papers.papers([one("bars", rows(without=("time",)))], tmp_path)
    assert {path.suffix for path in files} == {".svg", ".png", ".pdf", ".csv"}
    pdf = next(path for path in files if path.suffix == ".pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    from PIL import Image

    with Image.open(next(path for path in files if path.suffix == ".png")) as picture:
        assert picture.width == pytest.approx(papers.COLUMN * 300, abs=1)


def test_annotators_have_no_figures_of_their_own() -> None:
    made = [*rows(source="gpt-4o#1"), *rows(source=f"{PEOPLE}ann")]
    found = figures.figures(frame(made, RECORDS), {}, [Plot("radar", "task", "by task")])
    assert len(found) == 1


def several(count: int) -> list[figures.Figure]:
    """Bars of so many metrics by task, of two editors."""
    names = [f"M{number}" for number in range(count)]
    made = [replace(r, metric=name) for name in names for e in "ab" for r in rows(e)]
    known = {name: Metric(name, direction="higher", low=1, high=5) for name in names}
    return figures.figures(frame(made, RECORDS), known, [Plot("bars", "task", "by task")])


def test_figures_of_one_question_stand_on_one_page(tmp_path: Path) -> None:
    found = papers.papers(several(3), tmp_path, ("pdf",))
    assert [path.name for path in found] == ["bars-task.pdf", "bars-task.csv"]
    lines = list(csv.DictReader(io.StringIO(found[1].read_text())))
    assert len(lines) == 3 * 2 * len(TASKS)
    assert {line["figure"] for line in lines} == {f"M{n} (faithful) by task" for n in range(3)}


def test_a_page_that_is_full_has_a_second() -> None:
    pages = papers.pages(several(12))
    assert [name for name, _ in pages] == [f"bars-task-{n}" for n in range(1, len(pages) + 1)]
    assert len(pages) > 1
    assert sum(len(page) for _, page in pages) == 12


def test_an_open_scale_has_no_radar() -> None:
    known = {"VC": Metric("VC", direction="higher", low=0, high=math.inf, unit="dB")}
    plots = [Plot("radar", "task", "by task")]
    (figure,) = figures.figures(frame(rows(), RECORDS), known, plots)
    assert figure.kind == "bars"
    assert figure.axis == "VC, dB (higher is better)"


def test_a_bar_says_how_many_samples_it_has() -> None:
    figure = one("bars", rows())
    text = figures.svg(figure)
    assert re.findall(r'class="n"[^>]*>(\d+)<', text) == ["2"] * len(TASKS)
