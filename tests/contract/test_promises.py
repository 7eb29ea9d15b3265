"""Every line of README.md names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_promise_names_tests_that_there_are() -> None:
    lines = (HERE / "README.md").read_text(encoding="utf-8").splitlines()
    promises = [line for line in lines if "::" in line]
    assert len(promises) > 60
    for line in promises:
        file = ""
        for name, test, more in re.findall(r"`(\w+\.py|…)::(\w+?)(_…)?`", line):
            file = file if name == "…" else name
            source = (HERE / file).read_text(encoding="utf-8")
            assert f"def {test}{'_' if more else '('}" in source, f"{file}::{test}"
        assert file, line
