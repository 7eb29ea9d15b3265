"""A run, its report and a merged run can be given away: no path of this machine, no user, no secret
is in any file.
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import sqlite3
from pathlib import Path

import pytest

from editgauge.benchmarks.mini.samples import DATA
from editgauge.testing import FaultServer, ScriptedJudge
from tests.command_line import invoke

SECRET = "sk-a-secret-that-nobody-may-see-4711"
SHORT = 4
"""Names of users and machines this short (root, ci) are ordinary words: they are not looked for."""


def leaks(folder: Path, needles: dict[str, str]) -> list[str]:
    """``file: what`` for each needle in any file of a folder: raw bytes, texts of Parquet and
    SQLite files, names.
    """
    import duckdb

    found = []
    for path in sorted(folder.rglob("*")):
        texts = [str(path.relative_to(folder)).encode()]
        if path.is_symlink():
            texts.append(os.fsencode(os.readlink(path)))
        elif path.is_file():
            texts.append(path.read_bytes())
            if path.suffix == ".parquet":
                with duckdb.connect(":memory:") as db:
                    name = str(path).replace("'", "''")
                    texts += [
                        repr(row).encode()
                        for row in db.execute(f"SELECT * FROM '{name}'").fetchall()
                    ]
            if path.suffix == ".sqlite":
                db = sqlite3.connect(path)
                for (table,) in db.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                ).fetchall():
                    texts += [
                        repr(row).encode()
                        for row in db.execute(f'SELECT * FROM "{table}"').fetchall()
                    ]
                db.close()
        for what, needle in needles.items():
            if any(needle.encode() in text for text in texts):
                found.append(f"{path.relative_to(folder)}: {what}")
    return found


def call(*words: object) -> None:
    result = invoke([str(word) for word in words])
    assert result.exit_code in (0, 1), f"{words}: {result.output} {result.exception}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder whose name is not found by chance, with data, outputs, a run, its report and a
    merged run in it.
    """
    home = tmp_path_factory.mktemp("home-of-somebody-9341")
    few = ("--limit", 3)
    with (
        pytest.MonkeyPatch.context() as patch,
        FaultServer(["ok", "500"], answer=ScriptedJudge()) as server,
    ):
        patch.setenv("OPENAI_API_KEY", SECRET)
        run, data, outputs = home / "run", home / "data", home / "outputs"
        shutil.copytree(DATA, data)
        for editor in ("copy", "blank"):
            call("edit", "mini", data, "--editor", editor, "--run", run, "--workers", 0, *few)
        broken = outputs / "broken"
        broken.mkdir(parents=True)
        for output in (run / "edits" / "mini" / "copy").rglob("*.*"):
            (broken / output.name).write_text("not a picture")
        call("score", "mini", data, "--outputs", outputs, "--run", run, "--workers", 0, *few)
        call("score", "mini", data, "--run", run, "--workers", 0, *few)
        call(
            "judge",
            "mini",
            data,
            "--run",
            run,
            "--model",
            "scripted-2026-01-01",
            "--base-url",
            server.url,
            *few,
        )
        call("report", run, "--copy-images", "--workers", 0)
        call("merge", run, "--to", home / "merged")
    return home


@pytest.mark.parametrize("folder", ["run", "merged"])
def test_nothing_of_this_machine_is_in_it(home: Path, folder: str) -> None:
    needles = {
        "the secret": SECRET,
        "the folder": str(home),
        "its name": home.name,
        # with its slash: a short one is found in other words
        "the home folder": f"{Path.home()}{os.sep}",
    }
    needles |= {"the project's folder": str(Path(__file__).resolve().parents[1])}
    for what, name in (("the user", getpass.getuser()), ("the machine", socket.gethostname())):
        if len(name) > SHORT:
            needles[what] = name
    assert (home / folder / "run.sqlite").is_file()
    assert leaks(home / folder, needles) == []


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    """The search itself: a needle in a Parquet file, a store, a text and a file's name."""
    import duckdb

    with duckdb.connect(":memory:") as db:
        db.execute(
            f"COPY (SELECT 'x needle y' AS a) TO '{tmp_path / 'a.parquet'}' (FORMAT parquet, "
            f"COMPRESSION zstd)"
        )
    store = sqlite3.connect(tmp_path / "b.sqlite")
    with store:
        store.execute("CREATE TABLE t AS SELECT 'a needle' AS a")
    store.close()
    (tmp_path / "c.txt").write_text("needle")
    (tmp_path / "needle.png").write_text("")
    (tmp_path / "clean.txt").write_text("nothing")
    assert leaks(tmp_path, {"it": "needle"}) == [
        "a.parquet: it",
        "b.sqlite: it",
        "c.txt: it",
        "needle.png: it",
    ]
