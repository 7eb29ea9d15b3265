"""The tables of environment variables and extras."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from editgauge.run.installation import BRINGS, VARIABLES, extras

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
