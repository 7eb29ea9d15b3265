"""Settings against a declared shape: one error that names the place, the wish and what was there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from editgauge.errors import DataError
from editgauge.schema import MOST_BYTES, read_toml


class Question(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    mode: Literal["rank", "rate"]
    concurrency: Annotated[int, msgspec.Meta(ge=1)] = 4
    questions: list[Question] = []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'mode = "rank"\nconcurrency = 0',
            ["a.toml", "concurrency", "whole number >= 1", "found 0"],
        ),
        ('mode = "rnk"', ["a.toml", "mode", "rnk"]),
        ("concurrency = 1", ["a.toml", "mode"]),
        ('mode = "rank"\nmdoe = 1', ["a.toml", "unknown field", "mdoe"]),
        ('mode = "rank"\n[[questions]]\nid = 3', ["questions[0].id", "a text", "found 3"]),
        ("mode = ", ["a.toml", "no valid TOML"]),
        ("a = " + "[" * 5000, ["a.toml", "no valid TOML"]),
    ],
)
def test_error_names_place_wish_and_what_was_found(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_toml(path, Settings)
    for word in words:
        assert word in str(error.value)


def test_missing_and_endless_files_are_one_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="check the path"):
        read_toml(tmp_path / "none.toml", Settings)
    (tmp_path / "long.toml").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(DataError, match="at most"):
        read_toml(tmp_path / "long.toml", Settings)
