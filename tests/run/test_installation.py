"""`editgauge doctor`, and the one table of environment variables."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from editgauge.run.installation import BRINGS, VARIABLES, extras
from tests.command_line import invoke

ROOT = Path(__file__).resolve().parents[2]
NOT_FOR_USERS = {"dev", "docs"}


def test_every_variable_that_the_code_reads_is_in_the_table() -> None:
    known = {name for names in VARIABLES for name in names}
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        named |= set(re.findall(r"\bEDITGAUGE_[A-Z_]+\b", path.read_text(encoding="utf-8")))
    assert named - known == set()
    assert {name for name in known if name.startswith("EDITGAUGE_")} - named == set()


def test_every_extra_is_described() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(declared["optional-dependencies"]) - NOT_FOR_USERS == set(BRINGS)
    assert {entry["name"] for entry in extras()} == set(BRINGS)


def test_doctor_names_keys_and_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    for words in (["list", "installation"], ["list", "installation", "--json"]):
        done = invoke(words)
        assert done.exit_code == 0, done.output
        assert "sk-very-secret" not in done.output
        assert "OPENAI_API_KEY" in done.output
    found = json.loads(done.output)
    entry = next(e for e in found["environment"] if e["name"] == "OPENAI_API_KEY")
    assert entry["set"] is True
    assert {e["name"] for e in found["extras"]} == set(BRINGS)
    assert all("sk-" not in str(e) for e in found["environment"])
