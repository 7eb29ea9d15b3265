"""The report's study page in a real headless Chromium: points, contested samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from editgauge.store.labels import Samples
from editgauge.store.run import Run
from editgauge.study.assign import answered, next_task
from editgauge.study.design import resolved
from editgauge.study.pictures import outputs_of
from editgauge.study.studies import begin, collect
from editgauge.types import Metric
from editgauge.web.log import Log
from tests.cli.test_study_command import type_
from tests.made_rows import row
from tests.reports.pages import Visit, browser
from tests.study.made_study import EDITORS, JUDGE, judged, make_run

__all__ = ["browser"]
pytestmark = pytest.mark.browser


def opinion(who: str, sample: str, editor: str) -> int:
    """`ann` says what the judge says, `ben` always 3."""
    return int(judged(int(sample[1:]), EDITORS.index(editor))) if who == "ann" else 3


def rate(run: Run) -> None:
    """Both annotators answer everything."""
    outputs = outputs_of(run, "bench")
    facts = {"name": "first", "mode": "rate", "questions": [{"id": "IF", "text": "?"}]}
    design = resolved(facts, Samples(run.samples("bench")), outputs, "bench")
    begin(run, design, outputs, ["ann", "ben"])
    with Log(run.path / "study" / "first.sqlite") as log:
        for who in ("ann", "ben"):
            while (task := next_task(log, who)) is not None:
                sample, editors = task.data["sample"], task.data["editors"]
                values = [opinion(who, sample, editor) for editor in editors]
                payload: dict[str, Any] = {"answers": {"IF": values}}
                answered(log, task, who, payload, 1.0, f"nonce-{task.id}")
    collect(run)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = make_run(tmp_path_factory.mktemp("people"), samples=6)
    run.keep_metrics("bench", [Metric("error", direction="lower", low=0.0, high=1.0)])
    for index in range(6):
        for editor in EDITORS:
            run.put([row(f"s{index:02}", editor, "error", index / 8, benchmark="bench")])
    rate(run)
    type_("report", run.path)
    return run


@pytest.fixture
def visit(browser: Any, made: Run) -> Iterator[Visit]:
    visit = Visit(browser, made.path / "report")
    yield visit
    visit.close()


def circles(page: Any) -> dict[tuple[float, float], int]:
    found = page.locator(".scatter .point").evaluate_all(
        "all => all.map(e => [e.dataset.value, e.dataset.people, e.dataset.outputs])"
    )
    return {(float(x), float(y)): int(n) for x, y, n in found}


def test_every_rated_output_is_a_point_below_one_sentence(visit: Visit) -> None:
    page = visit.go("#/study/bench", ".scatter")
    assert page.locator("h1 + p").inner_text().startswith("People agree ")
    values = (judged(index, number) for index in range(6) for number in range(len(EDITORS)))
    assert circles(page) == Counter((value, (value + 3) / 2) for value in values)


def test_another_metric_keeps_its_own_values_and_a_point_leads_to_its_samples(visit: Visit) -> None:
    page = visit.go("#/study/bench", ".scatter")
    page.locator("#metric-0").select_option(label="error")
    assert {value for value, _ in circles(page)} == {index / 8 for index in range(6)}
    page.locator("#who-0").select_option(label="beta")
    assert sum(circles(page).values()) == 6
    page.locator("#metric-0").select_option(label=f"IF · {JUDGE}")
    first = page.locator(".scatter .point[data-value='3']")
    first.click()
    page.locator(".picked a").first.click()
    page.locator("#scores").wait_for()
    index = int(page.locator("h1").inner_text().split(": s")[1])
    assert judged(index, EDITORS.index("beta")) == 3


def test_contested_samples_show_who_said_what(visit: Visit) -> None:
    page = visit.go("#/study/bench", ".contested")
    gaps = {
        f"s{k:02}": sum(abs(judged(k, n) - 3) for n in range(len(EDITORS))) / len(EDITORS)
        for k in range(6)
    }
    names = page.locator(".contested > li > p a").all_inner_texts()
    assert [gaps[name] for name in names] == sorted((g for g in gaps.values() if g), reverse=True)
    line = page.locator(".contested > li").first
    for editor in EDITORS:
        told = line.locator("figure", has_text=editor).inner_text()
        assert f"ann {opinion('ann', names[0], editor)}, ben 3" in told
