"""TOML that somebody sent: settings, policies, facts of models."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from editgauge import toml
from editgauge.cli import project
from editgauge.errors import DataError, UsageError
from editgauge.tables import gate, models

DEEP = ("a=" + "[" * 5000, "a=" + "{b=" * 3000)


@pytest.mark.parametrize("text", [*DEEP, "a", "[a]\n[a]", "a = 1\0"])
def test_what_is_none_is_one_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"nested too deeply|line|end of document"):
        toml.parsed(text)


def test_a_line_of_quotes_takes_no_square_of_time() -> None:
    """Each escaped quote was looked at as the beginning of a string to the end of the line."""
    taken = []
    for length in (1 << 15, 1 << 18):
        began = time.process_time()
        with pytest.raises(ValueError, match="end of document"):
            toml.parsed('"\\' * (length // 2))
        taken.append(time.process_time() - began)
    assert taken[1] < 4 * 8 * taken[0] + 0.5


@pytest.mark.parametrize("before", ["", " ", "[", "[[ ", "x = {", "x = {a = 1, "])
def test_a_long_key_is_found_wherever_a_key_may_begin(before: str) -> None:
    with pytest.raises(ValueError, match="more than 100 parts"):
        toml.parsed(before + ".".join(["'a'", '"b"', "c"] * 40) + " = 1")


@pytest.mark.parametrize("text", DEEP)
def test_whoever_reads_it_says_which_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "editgauge.toml").write_text(text)
    with pytest.raises(UsageError, match=r"editgauge\.toml: .*nested too deeply"):
        project.read(tmp_path / "editgauge.toml")
    with pytest.raises(UsageError, match=r"POLICY: .*nested too deeply"):
        gate.read_policy(text, "POLICY")
    (tmp_path / "models.toml").write_text(text)
    with pytest.raises(DataError, match=r"models\.toml: .*nested too deeply"):
        models.load([tmp_path])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 0x" + "f" * 9000, "more than 64 bits"),
        ("a = 9223372036854775808", "more than 64 bits"),
        ("b." * 200_000 + "a = 1", "nested too deeply"),
        ('"a b" . ' * 200_000 + "a = 1", "nested too deeply"),
        ("[" + "c." * 200_000 + "a]", "nested too deeply"),
        ("a = {" + "d." * 200_000 + "a = 1}", "nested too deeply"),
        (
            "\n".join("[" + ".".join("e" * n) + "]" for n in range(1, 99)) + "\na.b = [[[1]]]",
            "deeply",
        ),
    ],
)
def test_giants_are_refused_at_once(text: str, told: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=told):
        toml.parsed(text)
    assert time.process_time() - began < 2


def test_what_settings_hold_is_read() -> None:
    said = "... and so on. " * 500
    found = toml.parsed(f'a.b.c = 9223372036854775807\nd = "{said}"\n"e f".g = [[1], [{{h = 2}}]]')
    assert found == {"a": {"b": {"c": 2**63 - 1}}, "d": said, "e f": {"g": [[1], [{"h": 2}]]}}


def test_no_more_is_read_of_a_file_than_settings_have(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="wanted at most 1,048,576 bytes"):
        toml.read(Path("/dev/zero"))
    (tmp_path / "a.toml").write_bytes(b"a = 1\r\n")
    assert toml.read(tmp_path / "a.toml") == {"a": 1}
