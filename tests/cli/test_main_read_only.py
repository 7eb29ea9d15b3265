"""Runs and data sets where nothing can be written: whatever reads them works, whatever would write
ends in one line, before anything is paid, and says where.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import invoke
from tests.curation.made_set import make_set
from tests.fault_server import FaultServer

from editgauge.errors import EditgaugeError
from editgauge.store.run import Run
from editgauge.study.assign import answered, next_task
from editgauge.study.ratings import FOLDER
from editgauge.web.log import Log

LIMIT = ("--sample", "replace-01", "--sample", "replace-03")
JUDGE = ("--model", "scripted", "--sample", "replace-01", "--editor", "reference")
DESIGN = """
name = "first"
mode = "rate"
annotators_per_sample = 2
seed = 1
[[questions]]
id = "EA"
text = "Does the output follow the instruction?"
[samples]
count = 2
"""


class Sealed:
    """A run with scores, a judge's replies and a study of which one answer is not in the rows, and
    a data set, behind a mount (or rights) that lets nobody write.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.run, self.set = place / "sealed" / "run", place / "sealed" / "set"
        self.asked = 0


def ok(*words: object, code: int = 0) -> str:
    done = invoke([str(word) for word in words], env={"EDITGAUGE_JUDGE_KEY": "none"})
    assert done.exit_code == code, done.output
    return done.output


def _make(here: Sealed, server: FaultServer) -> None:
    for editor in ("copy", "reference"):
        ok("edit", "mini", "--run", here.run, "--editor", editor, *LIMIT, "--workers", "0")
    ok("score", "mini", "--run", here.run, *LIMIT, "--workers", "0")
    ok("judge", "mini", "--run", here.run, *JUDGE, "--base-url", server.url)
    design = here.place / "design.toml"
    design.write_text(DESIGN)
    ok("study", "start", here.run, design, "--annotators", "ann,ben")
    _answer(here.run, 1)
    ok("study", "status", here.run)
    _answer(here.run, 2)
    make_set(here.set)
    here.asked = sum(server.seen.values())


def _answer(run: Path, count: int) -> None:
    with Log(run / FOLDER / "first.sqlite") as log:
        for person in log.people()[:count]:
            task = next_task(log, person.name)
            assert task is not None
            answer = {"answers": {"EA": [3] * len(task.data["editors"])}}
            answered(log, task, person.name, answer, 1.0, f"{count} {person.name}")


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as made:
        yield made


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory, server: FaultServer) -> Iterator[Sealed]:
    here = Sealed(tmp_path_factory.mktemp("read only"))
    _make(here, server)
    folder = here.place / "sealed"
    if os.geteuid():
        subprocess.run(["chmod", "-R", "a-w", folder], check=True)
        undo = ["chmod", "-R", "u+w", str(folder)]
    else:  # rights mean nothing to it
        for words in (["--bind", str(folder), str(folder)], ["-o", "remount,ro,bind", str(folder)]):
            if subprocess.run(["mount", *words], capture_output=True, check=False).returncode:
                pytest.skip("this machine lets nobody mount")
        undo = ["umount", "--lazy", str(folder)]  # a library may still hold a file open
    try:
        yield here
    finally:
        subprocess.run(undo, check=True)


def test_whatever_reads_works(sealed: Sealed, server: FaultServer) -> None:
    run = sealed.run
    for words in (
        ("table", run), ("compare", run, "copy", "reference"), ("check", run), ("study", "status", run),
        ("study", "export", run, sealed.place / "ratings.csv"), ("study", "agree", run, "--format", "csv"),
        ("report", run, "--to", sealed.place / "report"),
        ("grid", run, "--sample", "replace-01", "--to", sealed.place / "grid.png"),
        ("judge", "--show", "mini", "--run", run, *JUDGE), ("plan", "mini", "--run", run),
        ("curate", "log", sealed.set),
    ):  # fmt: skip
        ok(*words)
    estimate = ok("judge", "--estimate", "mini", "--run", run, *JUDGE, "--base-url", server.url)
    assert "nothing was sent" in estimate
    assert sum(server.seen.values()) == sealed.asked


def test_what_is_not_in_the_rows_yet_is_said(sealed: Sealed) -> None:
    for words in (("study", "agree"), ("study", "status")):
        assert "study first: 4 of its ratings are not in the run" in ok(*words, sealed.run)


def test_a_merge_takes_the_replies_of_a_run_that_cannot_be_written(sealed: Sealed) -> None:
    said = ok("merge", sealed.run, "--to", sealed.place / "merged")
    assert "0 replies" not in said
    assert Run.open(sealed.place / "merged").replies_path.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("score", "mini", "--run", "RUN", "--limit", "5", "--workers", "0"),
        ("edit", "mini", "--run", "RUN", "--editor", "blank"),
        ("judge", "mini", "--run", "RUN", "--model", "another", "--sample", "replace-03", "--base-url", "SERVER"),
        ("check", "RUN", "--repair"),
        ("report", "RUN"),
        ("study", "invite", "RUN", "cy"),
        ("curate", "set", "SET", "s00", "caption=x"),
    ],
    ids=lambda words: " ".join(words[:2]),
)  # fmt: skip
def test_whatever_writes_ends_in_one_line(
    sealed: Sealed, server: FaultServer, words: tuple[str, ...]
) -> None:
    told = {"RUN": str(sealed.run), "SET": str(sealed.set), "SERVER": server.url}
    done = invoke([told.get(word, word) for word in words], env={"EDITGAUGE_JUDGE_KEY": "none"})
    assert isinstance(done.exception, EditgaugeError), done.output
    said = str(done.exception)
    assert "cannot be written" in said or "cannot be read or written" in said
    assert said.startswith(str(sealed.place / "sealed"))
    assert sum(server.seen.values()) == sealed.asked, "nothing was paid"
