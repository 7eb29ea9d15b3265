"""TOML that somebody sent: settings, policies, facts of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import schema
from editgauge.cli import project
from editgauge.errors import DataError
from editgauge.tables import gate, models

DEEP = ("a=" + "[" * 5000, "a=" + "{b=" * 3000)


@pytest.mark.parametrize("text", [*DEEP, "a", "[a]\n[a]", "a = 1\0"])
def test_whoever_reads_it_says_which_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "editgauge.toml").write_text(text)
    with pytest.raises(DataError, match=r"editgauge\.toml: no valid TOML"):
        project.read(tmp_path / "editgauge.toml")
    with pytest.raises(DataError, match="POLICY: no valid TOML"):
        gate.read_policy(text, "POLICY")
    (tmp_path / "models.toml").write_text(text)
    with pytest.raises(DataError, match=r"models\.toml: no valid TOML"):
        models.load([tmp_path])


def test_no_more_is_read_of_a_file_than_settings_have(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="wanted at most 1,048,576 bytes"):
        schema.toml_tables(Path("/dev/zero"))
    (tmp_path / "a.toml").write_bytes(b"a = 1\r\n")
    assert schema.toml_tables(tmp_path / "a.toml") == {"a": 1}
    (tmp_path / "a.toml").write_bytes(b"\xff")
    with pytest.raises(DataError, match="no UTF-8"):
        schema.toml_tables(tmp_path / "a.toml")
