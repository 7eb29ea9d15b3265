"""What the first page says, from made-up rows: who is ahead, what to look at, what went wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from editgauge.reports.overview import overview
from editgauge.tables.build import Shown
from editgauge.tables.layouts import tables
from editgauge.tables.metrics import metrics_of, on_scale
from editgauge.tables.results import Delivery, Results
from editgauge.types import Metric, Row
from tests.made_rows import frame, record, row, scores

HIGHER = {"VC": Metric("VC", direction="higher", low=1, high=5, printed=((1, 0), (5, 100)))}
LOWER = {"VC": Metric("VC", direction="lower", low=0, high=9)}
GPT, OTHER = "gpt-4o-2024-11-20[paper]#1", "other-judge-2026-01-01[paper]#1"
RECORDS = [record(f"s{number}") for number in range(12)]


def rows(**values: list[float | None]) -> list[Row]:
    return [r for name, of in values.items() for r in scores(name, "VC", of, benchmark="unheard")]


def told(made: list[Row], metrics: dict[str, Metric]) -> dict[str, Any]:
    return first_page(frame(made, RECORDS, "unheard"), metrics)


def test_a_clear_lead_is_certain_and_a_near_one_is_not() -> None:
    far = told(rows(a=[1.0, 2] * 6, b=[5.0, 4] * 6), HIGHER)["leads"]["faithful"]
    assert [(line["editor"], line["rank"]) for line in far["lines"]] == [("b", 1), ("a", 2)]
    assert far["certain"]
    near = told(rows(a=[5.0, 1] * 6, b=[1.0, 5] * 5 + [1, 4.5]), HIGHER)["leads"]["faithful"]
    assert near["lines"][0]["editor"] == "a"
    assert not near["certain"]
    assert near["lines"][1]["rank_low"] == 1


def test_of_five_samples_there_is_no_interval_and_every_rank_is_possible() -> None:
    lead = told(rows(a=[1.0] * 5, b=[5.0] * 5), HIGHER)["leads"]["faithful"]
    assert [(line["rank_low"], line["rank_high"], line["low"]) for line in lead["lines"]] == [
        (1, 2, None)
    ] * 2
    assert not lead["certain"]


@pytest.mark.parametrize(("metrics", "worst"), [(HIGHER, 3), (LOWER, 5)])
def test_the_worst_follows_the_direction(metrics: dict[str, Metric], worst: int) -> None:
    values: list[float | None] = [3.0] * 12
    values[3], values[5], values[7] = 1.0, 5.0, None
    found = told(rows(a=values, b=[3.0] * 12), metrics)
    assert found["worst"][0][:1] == [worst]
    assert [line[0] for line in found["contested"]] == [3, 5]
    assert len(found["worst"]) == 4
    given = {0: values, 1: [3.0] * 12}
    for sample, *editors in (*found["worst"], *found["contested"]):
        for editor, number in editors:
            assert number == on_scale(metrics["VC"], given[editor][sample])


def first_page(of: Results, metrics: dict[str, Metric] = HIGHER) -> dict[str, Any]:
    of = replace(of, described=metrics)
    return overview(of, metrics, tables(of, "faithful", Shown(intervals=True)))


def test_anchors_and_models_that_gave_all_back_are_not_ranked() -> None:
    made = rows(a=[4.0, 3] * 6, b=[2.0, 3] * 6, idle=[5.0] * 12, copy=[5.0] * 12)
    every = frozenset(one["id"] for one in RECORDS)
    edited, back = Delivery(edited=every), Delivery(given_back=every)
    deliveries = {"a": edited, "b": edited, "idle": back, "copy": back}
    lead = first_page(replace(frame(made, RECORDS, "unheard"), deliveries=deliveries))["leads"][
        "faithful"
    ]
    assert [line["editor"] for line in lead["lines"]] == ["a", "b"]
    assert lead["returned"] == ["idle"]


@pytest.mark.parametrize(
    ("count", "source", "papers"), [(1267, GPT, True), (1266, GPT, False), (1267, OTHER, False)]
)
def test_the_papers_headline_columns_and_its_lines_where_they_can_be_compared(
    count: int, source: str, papers: bool
) -> None:
    """The three types of knowledge and the average over all, of every model; the published lines
    beside the whole release alone, by the paper's judge with the paper's words.
    """
    from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY

    places = [(kind, one) for kind, dimensions in TAXONOMY.items() for one in dimensions]
    every = [place for place in places for _ in range(SAMPLES[place[1]])][:count]
    records = [record(f"s{n}", category=(*place, "t")) for n, place in enumerate(every)]
    made = [
        row(f"s{n}", editor, name, value + n % 2, benchmark="krisbench", source=source)
        for editor, value in (("a", 2.0), ("b", 4.0))
        for name in ("VC", "VQ", "IF", "KP")
        for n in range(count)
    ]
    of = frame(made, records, "krisbench")
    found = overview(of, metrics_of(of), tables(of, "faithful", Shown(intervals=True)))
    shown = found["leads"]["faithful"]["paper"]
    columns = [column["name"] for column in shown["columns"]]
    assert columns == [f"{kind} Knowledge/avg" for kind in TAXONOMY] + ["Overall/avg"]
    kinds = [line["kind"] for line in shown["rows"]]
    assert (kinds[:2], "published" in kinds) == (["run", "run"], papers)
