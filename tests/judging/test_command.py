"""A judge session from its options to rows and a summary, against a server that answers by script."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.judging.commands import NAMES, judge, opened, rows_of
from tests.judging.raw_server import saying

from editgauge.errors import RunError, UsageError
from editgauge.judging.estimate import of_session, shown
from editgauge.judging.options import JudgeOptions
from editgauge.judging.run import drawn
from editgauge.store.run import Run
from editgauge.testing import FaultServer, ScriptedJudge
from editgauge.types import Status


def essence(run: Path) -> Counter[Any]:
    return Counter((row.key, row.value, row.status, row.fingerprint) for row in rows_of(run))


def test_every_protocol_gives_rows_with_their_origin(made: Path) -> None:
    """Two editors, five samples, both variants; each row says which judge, rubric, call and reply
    made it.
    """
    with FaultServer() as server:
        judge(made, server.url)
        asked = server.requests
        again = judge(made, server.url).as_json()
        assert server.requests == asked
    rows = rows_of(made)
    assert (again["rows_made"], again["rows_kept"]) == (0, len(rows))
    assert again["answered"] == "scripted-2026-01-01"
    metrics: dict[str, set[str]] = {}
    for row in rows:
        metrics.setdefault(row.sample, set()).add(row.metric)
        assert row.status is Status.SCORED
        assert row.source.startswith("scripted#")
        assert {"reply", "model", "usage"} <= row.detail.keys()
        assert {"rubric", "call", "protocol", "judge"} <= row.origin.keys()
    assert metrics == {
        "replace-06": {"IF", "TA", "VC", "LP", "SE"},
        "replace-01": {"IF", "TA", "VC", "LP"},
        "replace-02": {"Q1", "Q2", "Q3", "Q4", "Q5"},
        "replace-03": {"VC", "VQ", "IF", "KP"},
        "delete-04": {"EA", "VQ", "Context"},
    }
    entry = Run.open(made).manifest()["entries"][-1]
    assert (entry["command"], entry["answered"]) == ("judge", "scripted-2026-01-01")


def test_what_was_not_asked_leaves_no_row(made: Path) -> None:
    """Offline with an empty store: no row, so that no table shows a 0; an ordinary run then asks."""
    done = judge(made, "http://127.0.0.1:9/v1", ids=NAMES[:2], offline=True)
    assert "were not asked" in "\n".join(done.lines())
    assert rows_of(made) == []
    with FaultServer() as server:
        judge(made, server.url, ids=NAMES[:2])
    assert {row.status for row in rows_of(made)} == {Status.SCORED}
    before = essence(made)
    judge(made, "http://127.0.0.1:9/v1", ids=NAMES[:2], offline=True)
    assert essence(made) == before


def test_missing_outputs_are_rows_without_calls(made: Path) -> None:
    record = next(r for r in Run.open(made).edits("mini") if r.sample == "replace-01" and r.path)
    (made / str(record.path)).unlink()
    with FaultServer() as server:
        done = judge(made, server.url, ids=["replace-01"], editors=[record.editor])
        assert server.requests == 0
    assert {row.status for row in rows_of(made)} == {Status.MISSING}
    assert done.without_score == 4


def test_the_faithful_zero_and_the_corrected_failure_stand_side_by_side(made: Path) -> None:
    """TextEditBench: an unreadable reply is 0 in the released table and no score in ours."""
    with FaultServer(answer=ScriptedJudge(replies=("I like it.",) * 8)) as server:
        judge(made, server.url, ids=["replace-01"], editors=["copy"])
    rows = rows_of(made)
    assert {(row.variant, row.value, row.status) for row in rows} == {
        ("faithful", 0.0, Status.SCORED),
        ("corrected", None, Status.UNPARSABLE),
    }
    assert all(row.reason for row in rows)


def test_settings_are_sent_and_are_part_of_the_judges_name(made: Path) -> None:
    one: dict[str, Any] = {"ids": ["replace-02"], "editors": ["copy"]}
    with FaultServer() as server:
        judge(made, server.url, **one)
        more = {"temperature": 0.5, "seed": 7, "max_tokens": 900, "reasoning_effort": "low"}
        judge(made, server.url, **one, **more)
    plain, given = server.bodies
    assert "seed" not in plain
    assert {name: given[name] for name in more} == more
    sources = sorted({row.source for row in rows_of(made)}, key=len)
    words = "+temperature=0.5,seed=7,max_tokens=900,reasoning_effort=low"
    assert sources[1] == sources[0] + words


# -- which samples, in which order -----------------------------------------------------------------


def test_samples_go_one_after_the_other_over_all_editors_in_a_drawn_order(made: Path) -> None:
    """Wherever a budget ends, what was judged is a comparison of all editors."""
    with FaultServer() as server, opened(made, server.url, looking=True) as session:
        jobs = session.todo.jobs(session.samples, session.edits, None)
        order = [(job.about["sample"], job.about["editor"]) for job in jobs]
    samples = list(dict.fromkeys(sample for sample, _ in order))
    assert samples == sorted(NAMES, key=drawn) != sorted(NAMES)
    assert [editor for sample, editor in dict.fromkeys(order)] == ["copy", "reference"] * 5


def test_a_limit_takes_the_first_of_that_order_that_have_outputs(made: Path) -> None:
    for record in Run.open(made).edits("mini"):
        if record.sample == min(NAMES, key=drawn):
            (made / str(record.path)).unlink()
    with opened(made, "http://127.0.0.1:9/v1", limit=2, looking=True) as session:
        chosen = {sample.id for sample in session.samples}
    assert chosen == set(sorted(NAMES, key=drawn)[1:3])
    with opened(made, "http://127.0.0.1:9/v1", first=2, looking=True) as session:
        assert len(session.samples) == 2


def test_a_budget_says_what_it_pays_for_and_ends_as_a_comparison(made: Path) -> None:
    price = {"price": "1/10"}
    url = "http://127.0.0.1:9/v1"
    with opened(made, url, looking=True, budget=0.05, **price) as session:
        found = of_session(session)
    assert re.search(r"about \d of 5 samples, each for all 2 editors", found.bought)
    assert set(found.editors) == {"copy", "reference"}
    assert sum(line.calls for line in found.editors.values()) == found.total.calls
    with FaultServer() as server:
        done = judge(made, server.url, budget=0.02, **price)
    assert done.broke
    judged: dict[str, set[str]] = {}
    for row in rows_of(made):
        judged.setdefault(row.sample, set()).add(row.editor)
    assert sum(len(editors) == 1 for editors in judged.values()) <= 1, "where it ended"


# -- before anything is sent -----------------------------------------------------------------------


def test_estimate_counts_what_is_left_and_sends_nothing(made: Path) -> None:
    with FaultServer() as server:
        with opened(made, server.url, price="2/10", looking=True) as session:
            first = of_session(session).as_json()
        judge(made, server.url, ids=["replace-02"])
        asked = server.requests
        with opened(made, server.url, looking=True) as session:
            later = of_session(session)
        assert server.requests == asked == later.total.stored == 2
    calls = first["calls"]
    assert calls["total"]["calls"] == sum(v["calls"] for k, v in calls.items() if k != "total")
    assert first["batch"] == pytest.approx(calls["total"]["dollars"] / 2)
    assert later.total.dollars is None
    assert any("give it with --price" in line for line in later.lines())


def test_show_has_every_word_and_picture_that_is_sent(made: Path) -> None:
    one: dict[str, Any] = {"ids": ["replace-02"], "editors": ["copy"]}
    with FaultServer() as server:
        with opened(made, server.url, **one, looking=True) as session:
            (call,) = shown(session)
        judge(made, server.url, **one)
        (body,) = server.bodies
    parts = [part for message in call["messages"] for part in message["parts"]]
    content = body["messages"][0]["content"]
    assert len(parts) == len(content)
    assert {part["text"] for part in content if "text" in part} <= set(parts)
    assert [part for part in parts if part.startswith("[picture: ")][2].startswith(
        "[picture: output, replace-02.png, "
    )


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"set": ["refrence=false"]}, "did you mean reference"),
        ({"set": ["reference=perhaps"]}, "true, false"),
        ({"set": ["text=Z"]}, "D, P, DP"),
        ({"set": ["text"]}, "key=value"),
        ({"reasoning_effort": "much"}, "wanted one of none, minimal"),
        ({"price": "cheap"}, "IN/OUT"),
        ({"price": "-1/2"}, "IN/OUT"),
        ({"model": "two\nlines"}, "wanted a judge's name"),
        ({"dimensions": "XX"}, "--dimensions 'XX'"),
        ({"retry": "missing"}, "refused, unparsable"),
        ({"retry": "fialed"}, "wanted one of"),
        ({"concurrency": 0}, "wanted 1 to 1024"),
        ({"temperature": 3.0}, "wanted 0 to 2"),
        ({"budget": 1.0}, "--price IN/OUT"),
        ({"prompts": "papers"}, "did you mean paper"),
        ({"prompts": "paper"}, "no released prompts are known"),
    ],
)
def test_wrong_settings_are_errors_before_anything_is_paid(
    made: Path, options: dict[str, Any], match: str
) -> None:
    with FaultServer() as server:
        with pytest.raises(UsageError, match=re.escape(match)):
            judge(made, server.url, **options)
        assert server.requests == 0


def test_options_are_at_most_twenty_and_each_says_what_it_is() -> None:
    names = JudgeOptions.__dataclass_fields__
    source = Path(str(__import__("editgauge.judging.options", fromlist=["x"]).__file__)).read_text()
    assert len(names) <= 20
    for name in names:
        assert re.search(rf'\n    {name}: .*\n    """', source), name


# -- servers in trouble ----------------------------------------------------------------------------

HOSTILE = [
    b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": '
    + b"9" * 400
    + b"}}",
    b'{"choices": [{"message": {"content": "\\ud800 {\\"score\\": 1}"}}], "model": "\\udfff"}',
    b'{"choices": [{"message": {"content": "x"}}], "usage": ' + b'{"a":' * 400 + b"1" + b"}" * 401,
    b"[" * 200_000 + b"]" * 200_000,
    b'{"choices": [{"message": {"content": [{"text": 18446744073709551616}]}}]}',
    b'{"choices": [{"message": {"content": "x"}}], "error": 7, "model": {"a": [1]}}',
    b"\xff\xfe\x00",
    b'{"choices": {"0": 1}, "usage": [1, 2]}',
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_no_reply_ends_a_run_with_another_error(made: Path, data: bytes) -> None:
    with saying(data) as url:
        judge(made, url, ids=["replace-02"], editors=["copy"])
    assert {row.value for row in rows_of(made)} == {None}
    before = essence(made)
    judge(made, "http://127.0.0.1:9/v1", ids=["replace-02"], editors=["copy"], offline=True)
    assert essence(made) == before


def test_two_commands_of_one_judge_on_one_store_are_refused(made: Path) -> None:
    with FaultServer() as server, opened(made, server.url) as first:
        first.asks()
        with pytest.raises(RunError, match="judge"):
            judge(made, server.url)
        assert server.requests == 0


def test_refusals_are_counted_by_category_and_retried_on_request(made: Path) -> None:
    with FaultServer(lambda number: "refusal" if number % 2 else "ok") as server:
        done = judge(made, server.url)
        first = server.requests
    assert sum(done.session.todo.refused.values()) > 0
    assert json.dumps(done.as_json())
    with FaultServer() as server:
        judge(made, server.url)
        assert server.requests == 0
        judge(made, server.url, retry="refused")
        assert 0 < server.requests < first
    assert {row.status for row in rows_of(made)} == {Status.SCORED}
