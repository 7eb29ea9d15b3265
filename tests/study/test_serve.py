"""The application of a study: blindness, sign-in, other sites' pages, limits, one answer for all."""

from __future__ import annotations

import secrets
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from editgauge.store.run import Run
from editgauge.study.assign import TASK, progress
from editgauge.study.pictures import Pictures
from editgauge.study.ratings import ratings_of
from editgauge.study.studies import collect
from tests.study.made_study import EDITORS, started

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from starlette.testclient import TestClient

from editgauge.study.serve import study_application
from editgauge.web.log import Item, Log

BASE = "http://127.0.0.1:8600"


class Made:
    """A study of 6 samples, its annotators' tokens, and clients."""

    def __init__(self, place: Path, **more: Any) -> None:
        ids = {"ids": [f"s{n:02}" for n in range(6) if n or "training" not in more]}
        self.run, tokens = started(place, ["ann", "ben"], samples=ids, **more)
        self.tokens = list(tokens.values())
        self.log = Log(self.run.path / "study" / "first.sqlite")
        self.app = study_application(self.log, Pictures(self.run, "bench"))

    def client(self, who: int | None = 0) -> TestClient:
        client = TestClient(self.app, base_url=BASE)
        if who is not None:
            assert client.get(f"/a/{self.tokens[who]}").status_code == 200
        return client

    def answers(self) -> list[Item]:
        return self.log.all(TASK, state="done")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def send(client: TestClient, state: dict[str, Any], **more: Any) -> Any:
    task = state["task"]
    answers = {"IF": [3] * len(task["outputs"])}
    body = {"task": task["id"], "version": task["version"], "nonce": secrets.token_hex(8),
            "seconds": 2.5, "comment": "", "answers": answers}  # fmt: skip
    return client.post("/api/answer", json=body | more, headers={"X-Key": state["key"]})


def test_what_the_browser_gets_tells_no_two_editors_apart(made: Made) -> None:
    info = PngInfo()
    info.add_text("model", "beta")
    for number in range(6):
        alpha, beta = (made.run.path / f"edits/bench/{name}/{number}.png" for name in EDITORS[:2])
        Image.new("RGB", (33, 50), "red").save(alpha, "JPEG", comment=b"made by alpha")
        Image.new("RGB", (300, 200), "blue").save(beta, "PNG", pnginfo=info)
    client = made.client()
    state = client.get("/api/task")
    pages = [state, client.get("/"), client.get("/static/app.js")]
    task = state.json()["task"]
    pictures = [client.get(url) for url in task["outputs"]]
    pages += pictures + [client.get(url) for url in (*task["inputs"], task["reference"])]
    assert client.get(task["mask"]).content[:4] == b"\x89PNG"
    for page in pages:
        text = page.content + str(page.headers).encode()
        assert not [name for name in EDITORS if name.encode() in text]
        assert not {"etag", "last-modified", "server", "content-disposition"} & set(page.headers)
    facts = [{**page.headers, "content-length": ""} for page in pictures]
    assert all(one == facts[0] for one in facts)
    assert len({page.content[:33] for page in pictures}) == 1, "one PNG header: size, depth, kind"
    assert len({page.content for page in pictures}) == len(EDITORS)
    assert not [page for page in pages[3:] if b"tEXt" in page.content or b"eXIf" in page.content]


def test_orders_differ_and_an_answer_goes_to_the_right_editor(made: Made) -> None:
    orders = []
    for who in (0, 1):
        client = made.client(who)
        while (state := client.get("/api/task").json())["task"]:
            task = made.log.get(state["task"]["id"]).data
            orders.append((task["sample"], tuple(task["editors"])))
            values = [EDITORS.index(editor) + 1 for editor in task["editors"]]
            assert send(client, state, answers={"IF": values}).json()["ok"]
    assert len(set(orders)) == len(orders), "no two annotators see one order"
    assert collect(made.run) == (6 * 2 * 3, 0, 0)
    for rating in ratings_of(made.run):
        assert rating.value == EDITORS.index(rating.editor) + 1
    assert collect(made.run) == (0, 0, 36)


def test_strangers_see_nothing(made: Made) -> None:
    client, friend = made.client(None), made.client()
    url = friend.get("/api/task").json()["task"]["outputs"][0]
    assert client.get("/api/task").status_code == 401
    assert client.get(url).status_code == 401
    assert made.client(1).get(url).status_code == 404, "another annotator's picture"
    assert friend.get(url[:-4] + "0000").status_code == 404
    assert friend.get(url.replace("/0/", "/1/")).status_code == 404
    made.log.revoke("ann")
    assert friend.get("/api/task").status_code == 401


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"answers": {}}, "wanted exactly IF"),
        ({"answers": {"IF": [1, 2]}}, "IF: wanted a list of length"),
        ({"answers": {"IF": [1, 2, 6]}}, "wanted a whole number <= 5"),
        ({"answers": {"IF": "<script>"}}, "wanted a list"),
        ({"comment": "x" * 5000}, "length <= 4000"),
        ({"skip": "because"}, "skip: wanted one of cannot tell"),
        ({"nonce": "x"}, "nonce"),
        ({"seconds": -1}, "seconds"),
    ],
)
def test_answers_that_do_not_fit_are_refused(made: Made, more: dict[str, Any], told: str) -> None:
    client = made.client()
    found = send(client, client.get("/api/task").json(), **more)
    assert found.status_code == 400
    assert told in found.json()["error"]
    assert not made.answers()


def test_undo_and_skip(made: Made) -> None:
    client = made.client()
    state = client.get("/api/task").json()
    headers = {"X-Key": state["key"]}
    undo = {"nonce": secrets.token_hex(8)}
    assert client.post("/api/undo", json=undo, headers=headers).json() == {"ok": False}
    send(client, state, comment="<img src=x onerror=alert(1)>")
    assert client.post("/api/undo", json=undo, headers=headers).json() == {"ok": True}
    again = client.get("/api/task").json()
    assert again["task"]["id"] == state["task"]["id"]
    assert again["task"]["previous"]["comment"].startswith("<img")
    assert send(client, again, skip="cannot tell", comment="blurred").status_code == 200
    collect(made.run)
    ratings = ratings_of(made.run)
    assert {(r.value, r.reason, r.detail["comment"]) for r in ratings} == {
        (None, "skipped: cannot tell", "blurred")
    }


def test_an_undo_that_is_sent_again_takes_back_one_answer(made: Made) -> None:
    client = made.client()
    for _ in range(2):
        state = client.get("/api/task").json()
        send(client, state)
    undo, headers = {"nonce": secrets.token_hex(8)}, {"X-Key": state["key"]}
    for _ in range(3):  # the reply was lost, and the page sends its request again
        assert client.post("/api/undo", json=undo, headers=headers).json() == {"ok": True}
    assert len(made.answers()) == 1
    assert client.post("/api/undo", json={}, headers=headers).status_code == 400


def test_no_reply_to_a_late_request_names_an_editor(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = made.client()
    state = client.get("/api/task").json()
    headers = {"X-Key": state["key"]}
    send(client, state)
    replies = [send(client, state)]
    change = made.log.change

    def late(item: str, version: int, *more: Any, **facts: Any) -> Item:
        return change(item, version - 1, *more, **facts)

    monkeypatch.setattr(made.log, "change", late)
    undo = {"nonce": secrets.token_hex(8)}
    replies.append(client.post("/api/undo", json=undo, headers=headers))
    assert [reply.status_code for reply in replies] == [409, 409]
    for reply in replies:
        assert not [name for name in EDITORS if name in reply.text]


def test_training_tells_and_checks_count(tmp_path: Path) -> None:
    training = {"samples": ["s00"], "feedback": {"s00": "see the edge"}}
    made = Made(tmp_path, training=training, checks={"every": 2}, repeats={"share": 0.4}, hint=True)
    client = made.client()
    state = client.get("/api/task").json()
    assert state["task"]["training"]
    assert state["task"]["hint"] == "what is known of 0"
    assert send(client, state).json()["feedback"] == "see the edge"
    passed = 0
    while (state := client.get("/api/task").json())["task"]:
        check = state["task"]["instruction"].startswith("Attention check")
        passed += check
        assert send(client, state, answers={"IF": [1 if check else 4] * 3}).status_code == 200
    (ann, _) = progress(made.log)
    assert (ann["done"], ann["checks_passed"], ann["checks_failed"]) == (ann["of"], 2, 0)
    assert passed == 2
    collect(made.run)
    ratings = ratings_of(made.run)
    assert len(ratings) == (5 + 2) * 3, "training and checks are no ratings"
    assert Counter(rating.repeat for rating in ratings) == {0: 15, 1: 6}


def test_damaged_answer_takes_no_sound_rating_along(made: Made) -> None:
    client = made.client()
    for _ in range(2):
        assert send(client, client.get("/api/task").json()).json()["ok"]
    before = collect(made.run).new
    made.log.close()
    with sqlite3.connect(made.log.path) as other:
        other.execute("UPDATE items SET data = replace(data, '3', '5') WHERE state = 'done'")
    again = Run.open(made.run.path)
    assert collect(again).new == 0
    assert len(ratings_of(again)) == before
    assert {rating.value for rating in ratings_of(again)} == {3.0}
    assert sum("is damaged" in text for text in again.problems) == 2
