"""`editgauge edit --batch`: submitted by one command, collected by another."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.editors.fake_batches import FakeBatches
from tests.editors.fake_service import KEY

from editgauge.cli.main import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["editgauge", "edit", "mini", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return run


def test_submit_wait_collect(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    run = ["--run", str(tmp_path / "run")]
    with FakeBatches() as service:
        words = [
            "--editor",
            "openai",
            "--base-url",
            service.url,
            "--limit",
            "3",
            *run,
            "--price",
            "0.07",
        ]
        code, out, err = call(*words, "--batch", "submit", "--budget", "1")
        assert code == 0, err
        assert "3 samples in 1 batches; 3 wait" in out
        assert "--batch collect" in out
        code, out, _ = call(*words, "--json")
        assert (code, json.loads(out)["counts"]) == (1, {"in_batch": 3})
        code, out, err = call(*words, "--batch", "collect")
        assert code == 0, err
        assert "3 outputs" in out
        assert call(*words)[0] == 0, "nothing is left to do"
        assert len(service.billed) == 3
        assert service.calls.total() == 0
        code, _, err = call(*words, "--batch", "later")
        assert code == 2
        assert "submit" in err
    code, _, err = call("--editor", "copy", "--batch", "submit", *run)
    assert code == 2
    assert "cannot be asked by batches" in err
