"""The application of a study: blindness, sign-in, other sites' pages, limits, one answer for all."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from editgauge.store.run_folder import RunFolder
from editgauge.study.design import make_design
from editgauge.study.ratings import ratings_of
from editgauge.study.running import collect, editors_by_sample, outputs_of, pictures_of, start
from editgauge.study.store import StudyStore
from tests.study.made_study import EDITORS, make_run

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from starlette.testclient import TestClient

from editgauge.store.labels import Samples
from editgauge.study.server import Study
from editgauge.study.site import Buckets, Limits

BASE = "http://127.0.0.1:8600"


class Made:
    """A study of 6 samples, its annotators' tokens, and clients."""

    def __init__(self, place: Path, **more: Any) -> None:
        self.run = make_run(place, samples=6)
        outputs = outputs_of(self.run, "bench")
        facts = {
            "name": "first",
            "mode": "rate",
            "labels": ["artefact"],
            "questions": [{"id": "IF", "text": "<b>?</b>"}],
            **more,
        }
        samples = Samples(self.run.samples("bench"))
        design = make_design(facts, samples, editors_by_sample(outputs), "bench")
        self.tokens = start(self.run, design, outputs, ["ann", "ben"])
        self.store = StudyStore(self.run.path / "study" / "first.sqlite")
        limits = Limits(Buckets(1000, 1000), Buckets(1000, 1000), Buckets(0.01, 3))
        self.study = Study(self.store, pictures_of(self.run, design), limits=limits)

    def client(self, who: int | None = 0) -> TestClient:
        client = TestClient(self.study.app(), base_url=BASE)
        if who is not None:
            assert client.get(f"/a/{self.tokens[who]}").status_code == 200
        return client


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def send(client: TestClient, state: dict[str, Any], **more: Any) -> Any:
    shown = len(state["task"]["outputs"])
    body = {
        "task": state["task"]["id"],
        "nonce": secrets.token_hex(8),
        "seconds": 2.5,
        "comment": "",
        "answers": {"IF": [3] * shown},
        "regions": [],
    }
    return client.post("/api/answer", json=body | more, headers={"X-Study-Key": state["key"]})


def test_what_the_browser_gets_tells_no_two_editors_apart(made: Made) -> None:
    client = made.client()
    state = client.get("/api/task")
    pages = [state, client.get("/"), client.get("/static/app.js")]
    task = state.json()["task"]
    pictures = [client.get(url) for url in task["outputs"]]
    pages += pictures
    for page in pages:
        text = page.content + str(page.headers).encode()
        assert not [name for name in EDITORS if name.encode() in text]
        assert not {"etag", "last-modified", "server", "content-disposition"} & set(page.headers)
    assert len({str(sorted(page.headers.items())) for page in pictures}) == 1
    assert len({len(page.content) for page in pictures}) == 1
    assert len({page.content[:33] for page in pictures}) == 1, "one PNG header: size, depth, kind"
    assert len({page.content for page in pictures}) == len(EDITORS)


def test_orders_differ_and_an_answer_goes_to_the_right_editor(made: Made) -> None:
    orders = []
    for who in (0, 1):
        client = made.client(who)
        while (state := client.get("/api/task").json())["task"]:
            task = made.store.task(state["task"]["id"], who + 1)
            assert task is not None
            orders.append((task.sample, task.editors))
            values = [EDITORS.index(editor) + 1 for editor in task.editors]
            assert send(client, state, answers={"IF": values}).json() == {
                "ok": True,
                "feedback": "",
            }
    assert len(set(orders)) == len(orders), "no two annotators see one order"
    assert collect(made.run).new == 6 * 2 * 3
    for rating in ratings_of(made.run):
        assert rating.value == EDITORS.index(rating.editor) + 1
    counts = Counter(rating.sample for rating in ratings_of(made.run))
    assert set(counts.values()) == {6}
    assert collect(made.run) == (0, 0, 36)


def test_strangers_see_nothing(made: Made) -> None:
    client, friend = made.client(None), made.client()
    url = friend.get("/api/task").json()["task"]["outputs"][0]
    assert client.get("/api/task").status_code == 401
    assert client.get(url).status_code == 401
    assert made.client(1).get(url).status_code == 404, "another annotator's picture"
    assert friend.get(url[:-4] + "0000").status_code == 404
    assert friend.get(url.replace("/0/", "/1/")).status_code == 404
    codes = [client.get(f"/a/guess{n}").status_code for n in range(5)]
    assert codes == [404, 404, 404, 429, 429]
    assert made.client(1).get("/api/task").status_code == 200, "who has a link is let in"
    made.store.revoke("ann")
    assert friend.get("/api/task").status_code == 401


def test_a_page_of_another_site_cannot_answer(made: Made) -> None:
    client = made.client()
    state = client.get("/api/task").json()
    assert send(client, {**state, "key": ""}).status_code == 403
    assert send(client, {**state, "key": made.study.key_of(2)}).status_code == 403
    body = {"task": state["task"]["id"]}
    other = {"Origin": "http://evil.example", "X-Study-Key": state["key"]}
    assert client.post("/api/answer", json=body, headers=other).status_code == 403
    assert client.get("/api/task", headers={"Host": "evil.example"}).status_code == 421
    cookie = client.get(f"/a/{made.tokens[0]}", follow_redirects=False).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


@pytest.mark.parametrize(
    "host",
    ["[", "]", "[::1", "evil.example", "127.0.0.1.evil.example", "evil@127.0.0.1", "127.0.0.1/x",
     "127.0.0.1:x", "127.0.0.1:999999", "127.0.0.1@evil.example", "localhost.", "[127.0.0.1]", ""],
)  # fmt: skip
def test_a_name_that_is_not_ours_is_refused(made: Made, host: str) -> None:
    """Also a page of another site whose name was bound to this address (DNS rebinding)."""
    assert made.client(None).get("/", headers={"Host": host}).status_code == 421


def test_names_that_are_ours(made: Made) -> None:
    study = Study(made.store, made.study.pictures, hosts=["Study.Example", "fe80::1"])
    for name in ("LOCALHOST:1", "127.0.0.1", "[::1]:8600", "study.example", "[FE80::1]:80"):
        client = TestClient(study.app(), base_url=BASE)
        assert client.get("/", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/picture/" + "9" * 5000 + "/0/x", "/picture/99999999999999999999/0/x", "/picture/1/²/x"],
)
def test_a_picture_that_we_linked_nowhere(made: Made, path: str) -> None:
    assert made.client().get(path).status_code == 404


def test_a_body_that_never_ends_is_not_waited_for(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editgauge.study import site

    monkeypatch.setattr(site, "BODY_SECONDS", 0.01)

    async def post() -> list[Any]:
        sent: list[Any] = []
        asked = asyncio.Event()

        async def receive() -> Any:
            await asked.wait()

        async def send(message: Any) -> None:
            sent.append(message)

        client = made.client()
        key = client.get("/api/task").json()["key"]
        cookie = f"editgauge_study={client.cookies['editgauge_study']}"
        told = {"host": "127.0.0.1", "x-study-key": key, "cookie": cookie}
        headers = [(name.encode(), value.encode()) for name, value in told.items()]
        scope = {
            "type": "http", "method": "POST", "path": "/api/answer", "headers": headers,
            "query_string": b"", "raw_path": b"/api/answer", "scheme": "http", "root_path": "",
        }  # fmt: skip
        await made.study.app()(scope, receive, send)
        return sent

    assert asyncio.run(post())[0]["status"] == 408


def test_every_answer_has_a_strict_policy(made: Made) -> None:
    client = made.client()
    for path in ("/", "/api/task", "/static/app.js", "/static/nothing", "/a/nobody"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    page = client.get("/").text
    assert "<script>" not in page
    assert "style=" not in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"answers": {}}, "wanted exactly IF"),
        ({"answers": {"IF": [1, 2]}}, "a list of 3 values"),
        ({"answers": {"IF": [1, 2, 6]}}, "whole numbers from 1 to 5"),
        ({"answers": {"IF": [1, 2, True]}}, "whole numbers"),
        ({"answers": {"IF": "<script>"}}, "a list of 3"),
        ({"comment": "x" * 5000}, "at most 4000"),
        ({"skip": "because"}, "skip: wanted one of"),
        ({"nonce": "x"}, "nonce"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": "1"}, "seconds"),
        ({"task": "1"}, "task"),
        ({"regions": [{"slot": 9, "label": "artefact", "box": [0, 0, 1, 1]}]}, "regions"),
        ({"regions": [{"slot": 0, "label": "other", "box": [0, 0, 1, 1]}]}, "regions"),
        ({"regions": [{"slot": 0, "label": "artefact", "box": [0.5, 0, 0.1, 1]}]}, "left < right"),
        ({"regions": [{"slot": 0, "label": "artefact", "box": [0, 0, 2, 1]}]}, "fractions"),
        ({"regions": [1]}, "regions"),
    ],
)
def test_answers_that_do_not_fit_are_refused(made: Made, more: dict[str, Any], told: str) -> None:
    client = made.client()
    found = send(client, client.get("/api/task").json(), **more)
    assert found.status_code == 400
    assert told in found.json()["error"]
    assert not list(made.store.answers())


def test_bodies_that_are_none_and_bodies_too_long(made: Made) -> None:
    client = made.client()
    headers = {"X-Study-Key": client.get("/api/task").json()["key"]}
    assert client.post("/api/answer", content=b"{", headers=headers).status_code == 400
    assert client.post("/api/answer", content=b"[]", headers=headers).status_code == 400
    assert client.post("/api/answer", content=b"x" * 70_000, headers=headers).status_code == 413


def test_two_tabs_and_a_lost_connection(made: Made) -> None:
    client = made.client()
    first, second = client.get("/api/task").json(), client.get("/api/task").json()
    assert first["task"]["id"] == second["task"]["id"]
    assert send(client, first, nonce="same-nonce").status_code == 200
    assert send(client, second, nonce="same-nonce").status_code == 200, "sent again: once counted"
    assert send(client, second).status_code == 409, "the other tab is told"
    assert len(list(made.store.answers())) == 1


def test_undo_and_skip(made: Made) -> None:
    client = made.client()
    state = client.get("/api/task").json()
    headers = {"X-Study-Key": state["key"]}
    assert client.post("/api/undo", json={}, headers=headers).json() == {"ok": False}
    send(client, state, comment="<img src=x onerror=alert(1)>")
    assert client.post("/api/undo", json={}, headers=headers).json() == {"ok": True}
    again = client.get("/api/task").json()
    assert again["task"]["id"] == state["task"]["id"]
    assert again["task"]["previous"]["comment"].startswith("<img")
    assert send(client, again, skip="cannot tell", comment="blurred").status_code == 200
    collect(made.run)
    ratings = ratings_of(made.run)
    assert {(r.value, r.reason, r.detail["comment"]) for r in ratings} == {
        (None, "skipped: cannot tell", "blurred")
    }


def test_marked_regions_become_boxes_of_the_output(made: Made) -> None:
    client = made.client()
    state = client.get("/api/task").json()
    region = {"slot": 1, "label": "artefact", "box": [0.25, 0.25, 0.75, 0.75]}
    assert send(client, state, regions=[region]).status_code == 200
    collect(made.run)
    (row,) = [row for row in made.run.rows() if row.scorer == "human.regions"]
    task = made.store.task(state["task"]["id"], 1)
    assert task is not None
    assert (row.editor, row.value) == (task.editors[1], 1.0)
    (box,) = row.detail["boxes"]["output"]
    assert box[4] == "artefact"
    # taken back, and answered without: the row is retired
    client.post("/api/undo", json={}, headers={"X-Study-Key": state["key"]})
    assert send(client, client.get("/api/task").json()).status_code == 200
    collect(made.run)
    assert not [row for row in made.run.rows() if row.scorer == "human.regions"]


def test_who_is_too_fast_has_to_wait(made: Made) -> None:
    made.study.limits.posts = Buckets(0.01, 2)
    client = made.client()
    headers = {"X-Study-Key": client.get("/api/task").json()["key"]}
    codes = [client.post("/api/undo", json={}, headers=headers).status_code for _ in range(4)]
    assert codes == [200, 200, 429, 429]
    clock = iter([0.0, 0.0, 0.0, 1.0, 1.0])
    bucket = Buckets(1, 2, clock=lambda: next(clock))
    assert [bucket.take("x") for _ in range(5)] == [True, True, False, True, False]


def test_many_answers_share_a_write_and_all_are_told(made: Made) -> None:
    from editgauge.study.store import Sent

    async def main() -> list[str]:
        tasks = [made.store.next(who) for who in (1, 2)]
        sent = [
            Sent(
                annotator=task.annotator,
                task=task.id,
                nonce=f"nonce-{n}",
                payload={"answers": {}},
                seconds=1.0,
            )
            for task in tasks
            if task is not None
            for n in range(20)
        ]
        return list(await asyncio.gather(*(made.study.writer.submit(item) for item in sent)))

    assert Counter(asyncio.run(main())) == {"ok": 2, "conflict": 38}


def test_training_tells_and_checks_count(tmp_path: Path) -> None:
    made = Made(
        tmp_path,
        training={"samples": ["s00"], "feedback": {"s00": "see the edge"}},
        checks={"every": 2},
        repeats={"share": 0.4},
        hint=True,
    )
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
    (ann, _) = made.store.progress()
    assert (ann.done, ann.checks_passed, ann.checks_failed) == (ann.total, 2, 0)
    assert passed == 2
    collect(made.run)
    ratings = ratings_of(made.run)
    assert len(ratings) == (5 + 2) * 3, "training and checks are no ratings"
    assert Counter(rating.repeat for rating in ratings) == {0: 15, 1: 6}


def test_a_damaged_answer_takes_no_sound_rating_along(made: Made) -> None:
    """What was taken in while it was sound stays; what never was sound is not taken in."""
    client = made.client()
    for _ in range(2):
        assert send(client, client.get("/api/task").json()).json()["ok"]
    before = collect(made.run).new
    with sqlite3.connect(made.store.path) as other:
        other.execute("UPDATE answers SET payload = replace(payload, '3', '5') WHERE id = 1")
    again = RunFolder.open(made.run.path)
    assert collect(again).new == 0
    assert len(ratings_of(again)) == before
    assert {rating.value for rating in ratings_of(again)} == {3.0}
    assert [text for text in again.problems if "answer 1 is damaged" in text]
    with sqlite3.connect(made.store.path) as other:  # by somebody who knows the checksum
        other.execute("DELETE FROM checks")
        other.execute('UPDATE answers SET payload = \'{"answers": {"IF": [9]}}\' WHERE id = 1')
    forged = RunFolder.open(made.run.path)
    assert collect(forged).new == 0
    assert {rating.value for rating in ratings_of(forged)} == {3.0}
    assert [text for text in forged.problems if "wanted a list of" in text]
