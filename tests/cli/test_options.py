"""`editgauge.toml`, `-q` and `-v`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import invoke
from tests.test_docs import DOCS, blocks

from editgauge.errors import EditgaugeError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_defaults_that_what_is_typed_stands_before(here: Path) -> None:
    (here / "editgauge.toml").write_text(
        '[all]\nrun = "runs/ours"\nno-such = 1\n[edit]\neditor = "copy"\nlimit = 2\nworkers = 0\n'
        'where = ["difficulty=easy"]\n[study.serve]\n'
    )
    done = invoke(["edit", "mini", "--limit", "1", "--json"])
    assert done.exit_code == 0, done.output
    assert (
        "editgauge.toml: --run, --editor, --limit, --workers, --where, unless typed" in done.stderr
    )
    assert len(list((here / "runs/ours/edits/mini/copy").iterdir())) == 1
    assert invoke(["-q", "edit", "mini", "--json"]).stderr == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[edit]\nedtor = 'copy'\n",
            r"\[edit\]: editgauge edit has no --edtor; did you mean editor",
        ),
        ("[scor]\n", r"\[scor\]: no such command; did you mean score"),
        ("edit = 1\n", "wanted a table"),
        ("[all]\nbase-url = 'http://x'\n", "an address to which a key is sent"),
        ("[edit\n", "no valid TOML"),
    ],
)
def test_what_is_wrong_is_said(here: Path, text: str, told: str) -> None:
    (here / "editgauge.toml").write_text(text)
    result = invoke(["edit", "mini"])
    with pytest.raises(EditgaugeError, match=told):
        raise result.exception or AssertionError(result.output)


def test_the_file_of_the_page_is_one(here: Path) -> None:
    page = DOCS / "how-to" / "run-at-scale.md"
    (text,) = blocks(page, "toml")
    (here / "editgauge.toml").write_text(text, encoding="utf-8")
    assert "--run, --tracks, --workers, --where, unless typed" in invoke(["score", "mini"]).stderr
