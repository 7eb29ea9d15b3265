"""`judge decide` against a server that answers by script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_study_command import type_
from tests.fault_server import FaultServer
from tests.judging.commands import SAMPLES, command

from editgauge.errors import UsageError


@pytest.fixture
def made(tmp_path: Path) -> Path:
    for editor in ("copy", "reference"):
        few = ["--run", str(tmp_path / "run"), *SAMPLES, "--workers", "0"]
        command("edit", "mini", "--editor", editor, *few)
    return tmp_path / "run"


def test_all_are_asked_where_nothing_tells_and_nothing_is_paid_twice(made: Path) -> None:
    words = [
        "judge",
        "decide",
        "mini",
        "--run",
        str(made),
        *SAMPLES,
        "--a",
        "copy",
        "--b",
        "reference",
    ]
    words += ["--metric", "VC", "--json"]
    with FaultServer() as server:
        said = json.loads(command(*words, url=server.url).stdout)
        asked = server.requests
        again = json.loads(command(*words, url=server.url).stdout)
        assert server.requests == asked, "the replies are kept"
    assert said == again
    assert said["verdict"] == "no significant difference", (
        "the scripted judge gives everybody the same"
    )
    assert said["asked"] == said["samples"] == 5
    assert asked > 0


def test_the_metric_has_to_be_named(made: Path) -> None:
    with FaultServer() as server, pytest.raises(UsageError, match="metric '': wanted one of"):
        type_("judge", "decide", "mini", "--run", made, "--a", "copy", "--b", "reference",
              "--model", "scripted", "--base-url", server.url)  # fmt: skip
