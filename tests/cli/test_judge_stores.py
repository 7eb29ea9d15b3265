"""Judging in a run on a store: rows and replies are handed over, and nobody pays twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editgauge.cli.main import build_app
from editgauge.store import addresses
from editgauge.store.store_run import readable
from editgauge.testing import FaultServer

fsspec = pytest.importorskip("fsspec")
pytestmark = pytest.mark.slow  # whole commands, three machines
RUN = "memory://lab/runs/judged"


def call(*words: object) -> int:
    try:
        build_app()([str(word) for word in words], standalone_mode=False)
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_another_machine_takes_the_replies_from_the_store_and_the_report_goes_there(
    memory_store: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    monkeypatch.setenv("EDITGAUGE_JUDGE_KEY", "none")
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "first"))
    chosen = ("--run", RUN, "--sample", "replace-01")
    call("edit", "mini", *chosen, "--editor", "reference", "--workers", 0)
    judge = ("judge", "mini", *chosen, "--model", "scripted")
    with FaultServer() as server:
        capsys.readouterr()
        call(*judge, "--base-url", server.url, "--json")
        first = json.loads(capsys.readouterr().out)
    assert first["run"] == RUN
    wanted = readable(Path(RUN)).rows()
    assert wanted
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "second"))
    call(*judge, "--offline", "--retry", "unparsable,failed,refused")
    assert readable(Path(RUN)).rows() == wanted
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "third"))
    assert call("report", RUN, "--workers", 0, "--no-intervals") == 0
    names = [name.removeprefix("/lab/runs/judged/") for name in memory_store.system.store]
    assert "report/index.html" in names
    assert any(name.startswith("report/thumbs/0/input/") for name in names)
    details = memory_store.system.cat_file("/lab/runs/judged/report/data/0/detail-0.js")
    assert b'"reply"' in details, "the judge's own words are there"
    assert b"../inputs/mini/" in details, "pictures are not sent again: they lie beside it"
