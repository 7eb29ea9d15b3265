"""Replies of a run on a store: no machine pays for what another has paid for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import RunError
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.store import addresses, reply_parts
from editgauge.store.remote_run import fetched, working
from editgauge.store.run_folder import RunFolder

RUN = Path("memory://lab/runs/one")


def put(run: Path, *keys: str, content: str = "paid") -> None:
    with ReplyStore(run / "replies" / "replies.sqlite") as store:
        for key in keys:
            store.put(Reply(key=key, status="ok", content=f"{content} {key}"))


def contents(run: Path) -> dict[str, str | None]:
    with ReplyStore(run / "replies" / "replies.sqlite") as store:
        return {reply.key: reply.content for reply in store}


def test_each_part_has_what_no_earlier_one_has(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run").path
    assert reply_parts.hand_over(run, []) is None, "nobody was asked"
    put(run, "a", "b")
    first = reply_parts.hand_over(run, [])
    assert reply_parts.hand_over(run, []) is None, "nothing new"
    put(run, "c")
    second = reply_parts.hand_over(run, [])
    assert first is not None
    assert second is not None
    other = RunFolder.create(tmp_path / "other").path
    (other / reply_parts.FOLDER).mkdir()
    for part in (first, second):
        (other / reply_parts.FOLDER / part.name).write_bytes(part.read_bytes())
    assert reply_parts.take_over(other, []) == 3
    assert contents(other) == contents(run)
    assert reply_parts.take_over(other, []) == 0, "nothing twice"
    assert reply_parts.hand_over(other, []) is None, "what came in parts is in parts"


def test_machines_share_what_they_paid_for(
    memory_store: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    for machine, key in (("first", "a"), ("second", "b"), ("third", "c")):
        monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / machine))
        with working(RUN) as here:
            RunFolder.create(here).record("judge", key=key)
            put(here, key)
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "first"))
    assert contents(fetched(RUN)) == {"a": "paid a", "b": "paid b", "c": "paid c"}


def test_a_part_that_is_no_database_is_named_and_costs_nothing(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run").path
    put(run, "a")
    reply_parts.hand_over(run, [])
    (run / reply_parts.FOLDER / "20200101T000000-bad.sqlite").write_bytes(b"no database" * 100)
    problems: list[str] = []
    put(run, "b")
    assert reply_parts.hand_over(run, problems) is not None
    assert len(problems) == 1
    assert "20200101T000000-bad.sqlite: cannot be read" in problems[0]
    assert reply_parts.take_over(run, []) == 0
    assert contents(run) == {"a": "paid a", "b": "paid b"}


def test_replies_that_cannot_be_read_end_the_hand_over(
    memory_store: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path))

    def damage() -> None:
        with working(RUN) as here:
            RunFolder.create(here)
            (here / "replies").mkdir(exist_ok=True)
            (here / "replies" / "replies.sqlite").write_bytes(b"no database" * 100)

    with pytest.raises(RunError, match="replies were not handed over"):
        damage()
