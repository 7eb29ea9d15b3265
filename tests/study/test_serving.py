"""The server of a study is killed while annotators send: nothing that it said it has is lost."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from editgauge.store.labels import Samples
from editgauge.store.run_folder import RunFolder
from editgauge.study.design import make_design
from editgauge.study.ratings import ratings_of
from editgauge.study.running import collect, editors_by_sample, outputs_of, start
from editgauge.study.serving import _SPARE, impatient, network_of
from editgauge.study.store import StudyStore
from tests.study.made_study import EDITORS, make_run
from tests.study.served import Server

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

NAMES = ["ann", "ben", "cy", "dan"]
AT_MOST = 300
"""Seconds after which an annotator gives up, so that a failure is told and the test ends."""


class Count:
    """How many answers all annotators together were told are kept, and whether one gave up."""

    def __init__(self) -> None:
        self.value = 0
        self.failed = False
        self._changed = threading.Condition()

    def add(self) -> None:
        with self._changed:
            self.value += 1
            self._changed.notify_all()

    def wait_for(self, value: int) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self.failed or self.value >= value, AT_MOST)
            return self.value >= value and not self.failed

    def fail(self) -> None:
        with self._changed:
            self.failed = True
            self._changed.notify_all()


class Annotator(threading.Thread):
    """Somebody who answers until nothing is left. When an answer is not acknowledged, they press
    "send" again (the same answer), or load the page again and do what it then asks for.
    """

    def __init__(self, server: Server, token: str, count: Count, seed: int) -> None:
        super().__init__(daemon=True)
        self.server, self.token, self.count = server, token, count
        self.random = random.Random(seed)
        self.until = time.monotonic() + AT_MOST
        self.kept: dict[int, list[int]] = {}
        """Task -> values of the answer that the server said it has."""
        self.sent: dict[int, list[list[int]]] = {}
        """Task -> values of every answer that was sent, acknowledged or not."""
        self.unheard = 0
        """How often an answer was sent and the connection was lost."""
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            with httpx.Client(base_url=self.server.url, timeout=30) as client:
                while (state := self._state(client))["task"] is not None:
                    self._answer(client, state)
        except BaseException as error:  # told by the test, which joins this thread
            self.error = error
            self.count.fail()

    def _state(self, client: Any) -> Any:
        while True:
            self._check_time()
            try:
                found = client.get("/api/task")
                if found.status_code == 401:
                    client.get(f"/a/{self.token}", follow_redirects=True)
                elif found.status_code == 200:
                    return found.json()
            except httpx.TransportError:
                pass
            time.sleep(0.1)

    def _answer(self, client: Any, state: Any) -> None:
        task = state["task"]["id"]
        assert task not in self.kept, "an answer that was acknowledged is asked for again"
        values = [self.random.randint(1, 5) for _ in state["task"]["outputs"]]
        self.sent.setdefault(task, []).append(values)
        body = {"task": task, "nonce": secrets.token_hex(8), "seconds": 1.0, "comment": "",
                "answers": {"IF": values}, "regions": []}  # fmt: skip
        while True:
            self._check_time()
            try:
                found = client.post("/api/answer", json=body, headers={"X-Study-Key": state["key"]})
            except httpx.TransportError:
                self.unheard += 1
                if self.random.random() < 0.5:
                    return None
            else:
                if found.status_code == 200:
                    self.kept[task] = values
                    return self.count.add()
                assert found.status_code == 429, (found.status_code, found.text)
            time.sleep(0.1)

    def _check_time(self) -> None:
        assert time.monotonic() < self.until, f"{len(self.kept)} answers kept, and no end"


def started(place: Path, samples: int) -> tuple[RunFolder, list[str]]:
    run = make_run(place, samples=samples)
    outputs = outputs_of(run, "bench")
    facts = {"name": "first", "mode": "rate", "questions": [{"id": "IF", "text": "?"}]}
    there = editors_by_sample(outputs)
    design = make_design(facts, Samples(run.samples("bench")), there, "bench")
    return run, start(run, design, outputs, NAMES)


@pytest.mark.parametrize(
    ("kills", "samples"),
    [(3, 12), pytest.param(20, 60, marks=pytest.mark.slow)],
    ids=["3 kills", "20 kills"],
)
def test_no_acknowledged_answer_is_lost_or_doubled_by_kill(
    tmp_path: Path, kills: int, samples: int
) -> None:
    run, tokens = started(tmp_path, samples)
    server, count, moments = Server(run.path), Count(), random.Random(kills)
    server.begin()
    everybody = [Annotator(server, token, count, seed) for seed, token in enumerate(tokens)]
    for annotator in everybody:
        annotator.start()
    killed = 0
    try:
        for _ in range(kills):
            # while there is work: after some more answers, at a moment between two of them
            if not count.wait_for(count.value + moments.randint(1, 3)):
                break
            time.sleep(moments.uniform(0, 0.02))
            server.kill()
            server.begin()
            killed += 1
        for annotator in everybody:
            annotator.join(0 if count.failed else AT_MOST)
    finally:
        server.kill()
    assert [each.error for each in everybody if each.error is not None] == []
    assert killed == kills, "nobody could answer any more"
    with StudyStore(run.path / "study" / "first.sqlite") as store:
        answers = list(store.answers())
        told = Counter(task for _, _, event, task, _ in store.trail() if event == "answered")
        assert store.missing() == 0
    stored = {item.task.id: item.payload["answers"]["IF"] for item in answers}
    assert len(stored) == len(answers) == 2 * samples
    assert set(told.values()) == {1}
    for annotator in everybody:
        assert annotator.kept.items() <= stored.items()
        assert all(stored[task] in sent for task, sent in annotator.sent.items())
    collect(run)
    ratings = Counter((r.sample, r.editor) for r in ratings_of(run))
    assert len(ratings) == samples * len(EDITORS)
    assert set(ratings.values()) == {2}, "every sample has its number of ratings"


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET"]
)
def test_who_sends_too_slowly_is_hung_up_on(sent: bytes) -> None:
    """Nothing, half a head, or half the head of a second request."""

    async def whole(address: tuple[str, int]) -> bytes:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(sent)
        got = await reader.read()  # ends once the server hangs up
        writer.close()
        return got

    try:
        got = _with_server(impatient(0.05), whole)
    except ConnectionResetError:
        got = b""
    assert got.startswith(b"HTTP/1.1 204") or not got


@pytest.mark.parametrize("limits", [{"of_one": 3}, {"most": 3}])
def test_who_holds_too_many_connections_is_told(limits: dict[str, int]) -> None:
    """The fourth is told so, and heard once another one has ended."""

    async def four(address: tuple[str, int]) -> list[bytes]:
        held = [await asyncio.open_connection(*address) for _ in range(3)]
        told = [await _asked(address)]
        for reader, writer in held:
            writer.write(b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\n"
                         b"Connection: Upgrade, close\r\n\r\n")  # fmt: skip
            told.append(await reader.read())
            writer.close()
        while (last := await _asked(address)).startswith(b"HTTP/1.1 503"):
            await asyncio.sleep(0.01)
        return [*told, last]

    refused, *answered = _with_server(impatient(20.0, **limits), four)
    assert refused.startswith(b"HTTP/1.1 503")
    assert b"too many connections" in refused
    assert [text[:12] for text in answered] == [b"HTTP/1.1 204"] * 4


def test_a_flood_of_connections_takes_nothing() -> None:
    """Beyond those that are told there is too much, nobody is kept waiting for."""

    async def flood(address: tuple[str, int]) -> int:
        held = [await asyncio.open_connection(*address) for _ in range(_SPARE + 5)]
        ends = await asyncio.wait_for(asyncio.gather(*(_end(reader) for reader, _ in held)), 30)
        for _, writer in held:
            writer.close()
        return len(ends)

    assert _with_server(impatient(0.2, of_one=2), flood) == _SPARE + 5


def test_whose_a_connection_is() -> None:
    assert network_of(("192.0.2.7", 80)) == network_of(("::ffff:192.0.2.7", 80, 0, 0))
    assert network_of(("2001:db8::1", 80)) == network_of(("2001:db8::ffff:1", 80))
    assert network_of(("2001:db8::1", 80)) != network_of(("2001:db8:0:1::1", 80))
    assert network_of(None) == network_of("") == network_of(("a name", 1)) == "here"


async def _asked(address: tuple[str, int]) -> bytes:
    reader, writer = await asyncio.open_connection(*address)
    writer.write(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    told = await reader.read()
    writer.close()
    return told


async def _end(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read()


def _with_server(
    protocol: Any, visit: Callable[[tuple[str, int]], Coroutine[Any, Any, Any]]
) -> Any:
    """What `visit` gives for the address of a server of this protocol, which answers 204."""
    uvicorn = pytest.importorskip("uvicorn")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def whole() -> Any:
        config = uvicorn.Config(app, lifespan="off", ws="none", timeout_keep_alive=600)
        config.load()
        state = uvicorn.Server(config).server_state
        server = await asyncio.get_running_loop().create_server(
            lambda: protocol(config=config, server_state=state, app_state={}), "127.0.0.1"
        )
        async with server:
            return await visit(server.sockets[0].getsockname())

    return asyncio.run(asyncio.wait_for(whole(), 60))
