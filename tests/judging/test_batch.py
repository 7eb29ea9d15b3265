"""Batches over a bad line and over kills: no call is paid twice, and no result is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contract.server import Answer, Asked, Server, error
from tests.judging.commands import command, rows_of

from editgauge.services import policy
from editgauge.store.paid import Paid
from editgauge.types import Status

USAGE = {"prompt_tokens": 1500, "completion_tokens": 40}
COST = 0.5 * (1500 * 1.0 + 40 * 10.0) / 1e6
SCORES = json.dumps(
    {"pictures_visible": True, "reason": "fine", "score": {f"Q{n}": 3 for n in range(1, 6)}}
)


class BatchServer(Server):
    """OpenAI's pages of batches. `making` is what happens to the next batches as they are made,
    `fetching` to the next files that are fetched; `made` are the calls of all batches.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, list[bytes]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.made: list[str] = []
        self.making: list[str] = []
        self.fetching: list[int] = []
        self.left_out, self.usage, self.lists = 0, USAGE, True

    def respond_to(self, asked: Asked) -> Answer:
        return self.post(asked) if asked.method == "POST" else self.get(asked.path)

    def post(self, asked: Asked) -> Answer:
        if asked.path.endswith("/files"):
            name = f"f{len(self.files)}"
            self.files[name] = [line for line in asked.body.splitlines() if line.startswith(b"{")]
            return Answer({"id": name})
        fault = self.making.pop(0) if self.making else ""
        number = f"b{len(self.batches)}"
        if not fault or fault.startswith("made"):
            lines = [json.loads(line) for line in self.files[asked.json["input_file_id"]]]
            self.made += [line["custom_id"] for line in lines]
            self.files[f"o{number}"] = list(map(self.line, lines[self.left_out :]))
            marks = {"metadata": asked.json["metadata"], "output_file_id": f"o{number}"}
            self.batches[number] = {"id": number, "status": "completed", **marks}
        if "lost" in fault:
            return Answer(drop=True)
        if fault:
            return error(int(fault[-3:]), fault)
        return Answer({"id": number, "status": "validating"})

    def line(self, line: dict[str, Any]) -> bytes:
        choice = {"message": {"content": SCORES}, "finish_reason": "stop"}
        body = {"model": "m-2026-01-01", "choices": [choice], "usage": self.usage}
        response = {"status_code": 200, "body": body}
        return json.dumps({"custom_id": line["custom_id"], "response": response}).encode()

    def get(self, path: str) -> Answer:
        kind, _, name = path.rpartition("/v1/")[2].partition("/")
        if kind.startswith("batches?") and self.lists:
            return Answer({"data": list(self.batches.values())})
        if kind == "batches":
            return Answer(self.batches[name])
        if kind == "files" and not self.fetching:
            return Answer(b"\n".join(self.files[name.partition("/")[0]]))
        return error(self.fetching.pop() if kind == "files" else 404)


def batch(made: Path, server: BatchServer, what: str, code: int = 0) -> str:
    done = command(
        "judge", "mini", "--run", str(made), "--sample", "replace-02",
        "--price", "1/10", "--budget", "1", "--batch", what, url=server.url, code=code,
    )  # fmt: skip
    return done.stdout + done.stderr


def booked(made: Path) -> tuple[float, int]:
    with Paid(made / "paid.sqlite") as paid:
        totals = paid.totals("judge")
    return totals.booked, totals.calls


@pytest.mark.parametrize("fault", ["made and lost", "made and 504"])
def test_a_batch_that_was_made_unheard_is_found_and_paid_once(made: Path, fault: str) -> None:
    with BatchServer() as server:
        server.making, server.lists = [fault], False
        assert "not known" in batch(made, server, "submit", code=2)
        assert booked(made)[1] == 2, "what may have been taken stays booked"
        server.lists = True
        batch(made, server, "submit")
        assert len(server.made) == 2
        batch(made, server, "collect")
    assert {row.status for row in rows_of(made)} == {Status.SCORED}
    assert booked(made) == (pytest.approx(2 * COST), 2)


@pytest.mark.parametrize("fault", ["refused 400", "lost"])
def test_a_batch_that_was_never_made_costs_nothing(made: Path, fault: str) -> None:
    with BatchServer() as server:
        server.making = [fault]
        batch(made, server, "submit", code=2)
        batch(made, server, "submit")
        assert len(server.made) == 2
    assert booked(made)[1] == 2


def test_results_that_cannot_be_fetched_now_are_there_tomorrow(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "pause_before", lambda attempt, first: 0.01)
    with BatchServer() as server:
        batch(made, server, "submit")
        server.fetching = [503] * 5
        batch(made, server, "collect")
        assert rows_of(made) == []
        batch(made, server, "collect")
    assert {row.status for row in rows_of(made)} == {Status.SCORED}


def test_a_line_that_a_finished_batch_lost_stays_booked(made: Path) -> None:
    with BatchServer() as server:
        server.left_out, server.usage = 1, {"prompt_tokens": 1, "completion_tokens": 0}
        batch(made, server, "submit")
        before = booked(made)
        batch(made, server, "collect", code=1)
        assert booked(made) == (pytest.approx(before[0]), 2)
