"""A data set is a benchmark without a line of Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.curation import privacy
from editgauge.errors import UsageError
from editgauge.web.log import Act
from tests.command_line import did
from tests.curation.made_set import make_set
from tests.editors.provider import KEY, Provider


def test_a_split_and_a_withdrawn_sample(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 3)
    data.change("s00", 1, {"split": "test"}, Act("ann"))
    data.change("s01", 1, {"state": "withdrawn"}, Act("ann"))
    benchmark = catalog.find("benchmarks", f"dir:{tmp_path / 'set'}")
    assert [sample.id for sample in benchmark.load(None)] == ["s00", "s02"]
    assert [sample.id for sample in benchmark.load(None, split="test")] == ["s00"]
    with pytest.raises(UsageError, match="split 'dev'"):
        benchmark.load(None, split="dev")


def test_what_nobody_has_looked_at_is_sent_to_no_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = make_set(tmp_path / "set", 1)
    data.update("s00", lambda _: {"pictures": {}, "protocol": "krisbench"}, Act("ann"))
    ours = [f"dir:{data.root}", "--run", str(tmp_path / "run")]
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    with Provider(instructions={data.record("s00").instruction: "s00"}) as service:
        far = [*ours, "--editor", "http", "--set", "name=far", "--base-url", service.url]
        told = did(["edit", *far])
        assert (told.exit_code, "nobody has looked at" in told.stdout) == (1, True)
        assert did(["edit", *ours, "--editor", "copy"]).exit_code == 0, "here it may be edited"
        words = ["--model", "m", "--base-url", f"{service.url}/v1", "--estimate", "--json"]
        assert json.loads(did(["judge", *ours, *words]).stdout)["calls"]["total"]["calls"] == 0
        assert not service.asked
        for version, path in enumerate(data.record("s00").shown, start=2):
            privacy.hide(data, "s00", version, path, [], "ann")
        assert did(["edit", *far, "--retry", "dataset_fault"]).exit_code == 0
        assert service.asked
