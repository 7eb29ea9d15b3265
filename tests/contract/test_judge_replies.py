"""What becomes of a reply: a verdict in any ordinary form gives its number, whatever its words;
what is no verdict gives a status and a reason, never a number.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from editgauge import Evaluation
from tests.contract.server import ENV, Answer, Asked, Judge, chat, error, filled, pixels_of, verdict
from tests.contract.support import Result, cli, rows_of

WORDS = "The new word is there, and the rest of the picture is as it was."
Reply = Callable[[Asked], Answer]


ONE = ("--sample", "replace-02", "--editor", "copy")
"""An output that takes one call."""


def judge(run: Path, reply: Reply, *words: Any, expect: int | None = 0) -> tuple[Result, Judge]:
    """Judge what the run holds, with a server that answers so."""
    words = words if "--sample" in words else (*ONE, *words)
    with Judge(reply) as server:
        asked = ("judge", "mini", "--run", run, *server.words, "--json", *words)
        done = cli(*asked, env=ENV, expect=expect)
    return done, server


def corrected(run: Path, **where: str) -> list[dict[str, Any]]:
    """The corrected rows of a judge."""
    where |= {"scorer": "judge", "variant": "corrected"}
    return [r for r in rows_of(run) if all(r[name] == value for name, value in where.items())]


def shown_values(run: Path) -> set[Any]:
    rows = corrected(run)
    assert rows
    return {row["value"] for row in rows}


# -- ordinary verdicts -----------------------------------------------------------------------------


def fence(text: str, name: str = "json") -> str:
    return f"```{name}\n{text}\n```"


def turned(value: Any) -> Any:
    """The same object with its keys in the reverse order."""
    if not isinstance(value, dict):
        return value
    return {name: turned(value[name]) for name in reversed(value)}


def thinking(text: str) -> str:
    return f"<think>\nLet me see. Is it a 1? Perhaps 3, since 2 of 5 letters differ.\n</think>\n\n{text}"


FORMS: Mapping[str, Callable[[Any], Any]] = {
    "bare": json.dumps,
    "indented, with line breaks of Windows": lambda value: json.dumps(value, indent=4).replace(
        "\n", "\r\n"
    ),
    "in a fence": lambda value: fence(json.dumps(value)),
    "in a fence without a name": lambda value: fence(json.dumps(value), ""),
    "after a sentence": lambda value: f"Here is my verdict:\n{json.dumps(value)}",
    "after prose with numbers": lambda value: (
        "I compared the 3 pictures. 1 line of 5 was to change.\n\n" + json.dumps(value)
    ),
    "after thinking": lambda value: thinking(json.dumps(value)),
    "after thinking that holds a draft": lambda value: thinking(json.dumps(value)).replace(
        "Let me see.", json.dumps(value).replace("2", "1").replace("4", "1")
    ),
    "with its keys in another order": lambda value: json.dumps(turned(value)),
    "with a reason in another script": lambda value: json.dumps(value, ensure_ascii=False).replace(
        WORDS, "新的文字在那里，其余部分没有变化。"
    ),
    "with quotes and braces in its reason": lambda value: json.dumps(value).replace(
        WORDS, r"The sign reads \"NEW {x}\" now; a \\ and a [note] stayed as they were."
    ),
    "with a long reason": lambda value: json.dumps(value).replace(WORDS, " ".join([WORDS] * 60)),
    "with an empty reason": lambda value: json.dumps(value).replace(WORDS, ""),
    "as parts of a message": lambda value: [{"type": "text", "text": json.dumps(value)}],
}
NUMBERS = {"copy": 2, "reference": 4}
"""What the judge gives each editor."""


@functools.cache
def look(data: bytes) -> str:
    return hashlib.sha256(pixels_of(data).tobytes()).hexdigest()


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Form -> the corrected rows of a judge that answers in it. One command judges all: each sample
    has a form, known by the pictures of a request; each editor a number.
    """
    run = tmp_path_factory.mktemp("forms") / "run"
    samples = [
        sample
        for sample in Evaluation("mini", run=run).samples
        if sample.attributes["protocol"] != "medebench"
    ][: len(FORMS)]
    assert len(samples) == len(FORMS)
    form_of = dict(zip((sample.id for sample in samples), FORMS, strict=True))
    ids = [word for sample in samples for word in ("--sample", sample.id)]
    for editor in NUMBERS:
        cli("edit", "mini", "--editor", editor, "--run", run, "--workers", 0, *ids)
    inputs = {look(sample.images[0].read_bytes()): sample.id for sample in samples}
    outputs = {look(sample.reference.read_bytes()): sample.id for sample in samples}

    def reply(asked: Asked) -> Answer:
        seen = [look(data) for data in asked.pictures]
        before, after = (
            [known[one] for one in seen if one in known] for known in (inputs, outputs)
        )
        (sample,) = {*before, *after}
        number = NUMBERS["copy" if len(before) > len(after) else "reference"]
        assert asked.schema is not None
        return chat(FORMS[form_of[sample]](filled(asked.schema, number, WORDS)))

    judge(run, reply, *ids, expect=None)
    rows: dict[str, list[dict[str, Any]]] = {form: [] for form in FORMS}
    for row in corrected(run):
        rows[form_of[row["sample"]]].append(row)
    return rows


@pytest.mark.parametrize("form", FORMS)
def test_an_ordinary_reply_gives_its_number(
    form: str, read: dict[str, list[dict[str, Any]]]
) -> None:
    rows = [row for row in read[form] if row["metric"] != "KP"]  # KP follows from IF by a rule
    assert {row["editor"] for row in rows} == set(NUMBERS)
    for row in rows:
        told = (row["metric"], row["status"], row["value"], row["reason"])
        assert row["value"] == NUMBERS[row["editor"]], told


def test_thinking_beside_the_reply_is_not_read(run: Path) -> None:
    judge(run, lambda asked: chat(verdict(asked, 4), reasoning_content=verdict(asked, 1)))
    assert shown_values(run) == {4.0}


def test_a_server_that_takes_no_schema_is_asked_without_one(run: Path) -> None:
    def reply(asked: Asked) -> Answer:
        if asked.schema is not None:
            wanted.append(asked.schema)
            return error(400, "response_format json_schema is not supported by this server")
        return chat(json.dumps(filled(wanted[0], 3, WORDS)))

    wanted: list[Any] = []
    judge(run, reply)
    assert shown_values(run) == {3.0}


def test_a_complete_verdict_is_not_paid_for_twice_for_its_form(run: Path) -> None:
    """Fences, a sentence behind, numbers as texts: read, and the row says what was broken."""

    def reply(asked: Asked) -> Answer:
        value = json.loads(verdict(asked, 4))
        value["score"] = {name: f"{number}/5" for name, number in value["score"].items()}
        return chat(f"Sure!\n{fence(json.dumps(value))}\nI hope this helps.")

    _, server = judge(run, reply)
    assert len(server.chats) == 1
    assert shown_values(run) == {4.0}
    assert all("read although" in row["detail"] for row in corrected(run))


def test_a_merged_run_makes_all_rows_offline_and_pays_for_nothing_again(
    run: Path, tmp_path: Path
) -> None:
    """Each run had a server that accepts something else; that is no part of the question."""
    wanted: list[Any] = []

    def particular(asked: Asked) -> Answer:
        if asked.schema is not None:
            wanted.append(asked.schema)
            return error(400, "response_format json_schema is not supported by this server")
        return chat(json.dumps(filled(wanted[0], 3, WORDS)))

    other = Path(shutil.copytree(run, tmp_path / "other"))
    judge(run, particular)
    judge(
        other, lambda asked: chat(verdict(asked, 3)), "--sample", "replace-01", "--editor", "copy"
    )
    merged = tmp_path / "merged"
    cli("merge", other, run, "--to", merged)
    both = ("--sample", "replace-01", "--sample", "replace-02", "--editor", "copy")
    scored = {(row["sample"], row["metric"], row["value"]) for row in corrected(merged)}
    assert {sample for sample, _, _ in scored} == {"replace-01", "replace-02"}
    for words in (("--offline",), ()):
        done, server = judge(merged, lambda asked: chat(verdict(asked, 1)), *both, *words)
        assert len(server.chats) == 0
        assert done.json["unasked"] == 0
        rows = {(row["sample"], row["metric"], row["value"]) for row in corrected(merged)}
        assert rows == scored


# -- no verdict ------------------------------------------------------------------------------------


NO_VERDICT: Mapping[str, Callable[[Asked], str]] = {
    "talk": lambda asked: "I like this picture very much.",
    "an empty object": lambda asked: "{}",
    "a number off the scale": lambda asked: verdict(asked, 4).replace("4", "99"),
    "no numbers": lambda asked: verdict(asked, 4).replace("4", "null"),
    "two verdicts that differ": lambda asked: verdict(asked, 4) + "\n" + verdict(asked, 2),
    "an error page": lambda asked: "<html><body>Bad gateway. Score: 4/5</body></html>",
}


@pytest.mark.parametrize("form", NO_VERDICT)
def test_what_is_no_verdict_is_unparsable_and_never_a_number(form: str, run: Path) -> None:
    done, _ = judge(run, lambda asked: chat(NO_VERDICT[form](asked)), expect=1)
    rows = corrected(run)
    assert {(row["value"], row["status"]) for row in rows} == {(None, "unparsable")}
    assert all(row["reason"] for row in rows)
    assert done.json["unparsable"] >= 1
    (table,) = [
        table
        for table in cli("table", run, "--json", "--variant", "corrected").json["tables"]
        if "Q1" in table["rows"][0]["cells"]
    ]
    (line,) = table["rows"]
    assert (line["cells"]["Q1"]["value"], line["cells"]["Q1"]["n"]) == (None, 0)


def test_a_reply_that_was_cut_off_is_no_number_even_where_it_is_whole(run: Path) -> None:
    """It ended at its limit: what came may be a draft. It is asked again with more room, once."""
    _, server = judge(run, lambda asked: chat(verdict(asked, 4), finish="length"), expect=1)
    assert shown_values(run) == {None}
    rooms = [one.json["max_tokens"] for one in server.chats]
    assert len(rooms) == 2
    assert rooms[1] > rooms[0]


def test_more_room_gives_the_number_that_the_limit_cut_off(run: Path) -> None:
    def reply(asked: Asked) -> Answer:
        cut = asked.json["max_tokens"] == asked_first.setdefault("room", asked.json["max_tokens"])
        whole = verdict(asked, 4)
        return chat(whole[:20] if cut else whole, finish="length" if cut else "stop")

    asked_first: dict[str, int] = {}
    judge(run, reply)
    assert shown_values(run) == {4.0}


REFUSALS: Mapping[str, Reply] = {
    "a field of the message": lambda asked: chat(None, refusal="I will not look at this picture."),
    "a content filter": lambda asked: chat("", finish="content_filter"),
    "an error": lambda asked: error(
        400, "flagged by our content policy", "content_policy_violation"
    ),
}


@pytest.mark.parametrize("way", REFUSALS)
def test_a_refusal_is_recorded_with_its_reason_and_is_no_score(way: str, run: Path) -> None:
    done, _ = judge(run, REFUSALS[way], expect=1)
    rows = rows_of(run)
    assert {(row["value"], row["status"]) for row in rows if row["scorer"] == "judge"} == {
        (None, "refused")
    }
    assert all(row["reason"] for row in rows)
    assert done.json["refused"] == 1


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        pytest.param("refused", REFUSALS["a field of the message"], id="refused"),
        pytest.param("unparsable", lambda asked: chat("I like it very much."), id="unparsable"),
        pytest.param("failed", lambda asked: error(400, "a wrong shape"), id="failed"),
        pytest.param(
            "unparsable",  # no phrase is interpreted
            lambda asked: chat("I'm sorry, but I can't assist with that request."),
            id="refused in words",
        ),
    ],
)
def test_retry_asks_again_for_what_ended_so_and_for_nothing_else(
    status: str, reply: Reply, run: Path
) -> None:
    judge(run, reply, expect=1)
    assert {row["status"] for row in corrected(run)} == {status}
    _, server = judge(run, lambda asked: chat(verdict(asked, 4)), expect=1)
    assert len(server.chats) == 0, "what ended is not asked again unasked"
    _, server = judge(run, lambda asked: chat(verdict(asked, 4)), "--retry", status)
    assert len(server.chats) == 1
    assert shown_values(run) == {4.0}
    _, server = judge(run, lambda asked: chat(verdict(asked, 1)), "--retry", status)
    assert len(server.chats) == 0
    assert shown_values(run) == {4.0}


# -- from Python -----------------------------------------------------------------------------------


def fives(request: Mapping[str, Any]) -> str:
    schema = request["response_format"]["json_schema"]["schema"]
    return json.dumps(filled(schema, 5, WORDS))


def test_a_client_of_ones_own_judges_from_python(run: Path) -> None:
    """Within a running event loop, as a notebook has."""

    async def cell() -> None:
        evaluation = Evaluation("mini", run=run, samples=["replace-02"])
        assert evaluation.judge("my-judge", ask=fives, editors="copy").without_score == 0

    asyncio.run(cell())
    assert Counter(row["editor"] for row in corrected(run)) == {"copy": 5}
    assert shown_values(run) == {5.0}
