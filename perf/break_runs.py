"""Runs that are broken on purpose, and what is left of them: figures for the threat model.

    python perf/break_runs.py                   200 kills, 30 of workers, 20 pairs, 600 flips, 25 folders
    python perf/break_runs.py --kills 20 --workers 5 --pairs 3

Kills groups of processes at any moment of score, edit and merge, and single workers; starts two
commands on one run; turns bits of the database; puts links, pipes and folders into the places of
parts. Says how many rows were lost, twice or another. (A judge that is killed: the contract suite.)
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
sys.path.insert(0, SOURCE)

from editgauge.store.check import check  # noqa: E402
from editgauge.store.run import Run  # noqa: E402

SCORE = ("--tracks", "pixel", "--limit", "6")
choose = random.Random(1)


def start(words: Sequence[object]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "editgauge", *map(str, words)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(words: Sequence[object]) -> tuple[int, str]:
    child = start(words)
    said = child.communicate()[1].decode()
    assert "Traceback" not in said, said
    assert "Usage:" not in said, said
    return child.returncode, said


def rows(run: Path) -> dict[object, object]:
    """What counts in a run: rows and outputs, by their keys."""
    opened = Run.open(run)
    every = opened.rows()
    found: dict[object, object] = {
        row.key: (row.value, row.status, row.fingerprint) for row in every
    }
    assert len(found) == len(every), "a row is twice"
    for edit in opened.edits():
        found[edit.editor, edit.sample] = (edit.path, edit.status, edit.fingerprint)
    assert found, "nothing at all"
    assert not opened.problems, opened.problems
    opened.close()
    return found


def kills(
    make: Callable[[Path], Sequence[object]], fresh: Callable[[Path], None], count: int, place: Path
) -> str:
    """Kill a command so many times at any moment; each second time the run is begun anew."""
    whole = place / "whole"
    fresh(whole)
    began = time.monotonic()
    ended(make(whole))
    seconds, truth, hits = time.monotonic() - began, rows(whole), 0
    run = place / "run"
    for number in range(count):
        if number % 10 == 0:
            shutil.rmtree(run, ignore_errors=True)
            fresh(run)
        child = start(make(run))
        time.sleep(choose.uniform(0.3, 1.1) * seconds)
        hits += child.poll() is None
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        if number % 10 == 9:
            ended(make(run))
            assert rows(run) == truth, "other rows"
            opened = Run.open(run)
            assert not check(opened), check(opened)
            opened.close()
    shutil.rmtree(place)
    return f"{count} kills, {hits} of them at work: every row there, none twice, none another"


def worker_kills(base: Path, count: int, place: Path) -> str:
    shutil.copytree(base, place / "whole")
    score = ("score", "mini", *SCORE, "--workers", 2, "--run")
    ended((*score, place / "whole"))
    truth, hits = rows(place / "whole"), 0
    for number in range(count):
        run = place / f"{number}"
        shutil.copytree(base, run)
        child = start((*score, run))
        parent = psutil.Process(child.pid)
        until = time.monotonic() + choose.uniform(0.5, 4)
        while time.monotonic() < until and child.poll() is None:
            time.sleep(0.05)
        alive = _workers(parent) if child.poll() is None else []
        if alive:
            hits += 1
            choose.choice(alive).kill()
        child.communicate()
        assert rows(run) == truth, "other rows"
        shutil.rmtree(run)
    return f"{count} runs, a worker killed at work in {hits}: every row there, none failed"


def _workers(parent: psutil.Process) -> list[psutil.Process]:
    try:
        return [one for one in parent.children() if "spawn_main" in " ".join(one.cmdline())]
    except psutil.Error:
        return []


def pairs(base: Path, count: int, place: Path) -> str:
    score = ("score", "mini", *SCORE, "--workers", 0, "--run")
    shutil.copytree(base, place / "whole")
    ended((*score, place / "whole"))
    truth = rows(place / "whole")
    for number in range(count):
        run = place / f"{number}"
        shutil.copytree(base, run)
        both = [start((*score, run)) for _ in range(2)]
        said = [child.communicate()[1].decode() for child in both]
        assert not any("Traceback" in text for text in said), said
        assert rows(run) == truth, "other rows"
        shutil.rmtree(run)
    return f"{count} times two commands on one run: every row there, none twice"


def flips(base: Path, count: int, place: Path) -> str:
    """Turn a bit of the database and read all rows."""
    run = place / "run"
    shutil.copytree(base, run)
    truth, told = rows(run), 0
    truth = {key: row for key, row in truth.items() if len(key) > 2}  # type: ignore[arg-type]
    data = (run / "run.sqlite").read_bytes()
    for _ in range(count):
        spoilt = bytearray(data)
        spoilt[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
        (run / "run.sqlite").write_bytes(spoilt)
        opened = Run.open(run)
        found = {row.key: (row.value, row.status, row.fingerprint) for row in opened.rows()}
        assert all(truth.get(key) == row for key, row in found.items()), "another number"
        assert found == truth or opened.problems, "lost without a word"
        told += bool(opened.problems)
        opened.close()
    return f"{count} flipped bits: 0 other numbers, 0 tracebacks, {told} named"


def folders(base: Path, place: Path) -> str:
    """Links, pipes, folders, empty and giant files in the places of a run's parts."""
    secret = place / "secret"
    secret.mkdir(parents=True)
    (secret / "mine").write_text("mine")
    parts = ("run.sqlite", "rows.parquet", "run.sqlite-wal", "edits", "inputs")
    kinds = ("link", "link to a folder", "pipe", "empty", "full of zeros")
    count = refused = 0
    for part in parts:
        for kind in kinds:
            run = place / f"{count}"
            shutil.copytree(base, run)
            target = run / part
            if target.is_dir():
                shutil.rmtree(target)
            else:
                target.unlink(missing_ok=True)
            if kind.startswith("link"):
                target.symlink_to(secret / "mine" if kind == "link" else secret)
            elif kind == "pipe":
                os.mkfifo(target)
            else:
                target.write_bytes(b"" if kind == "empty" else bytes(1 << 20))
            for words in (
                ("table", run, "--format", "json"),
                ("check", run, "--repair"),
                ("merge", run, "--to", place / "to"),
            ):
                code, said = ended(words)
                assert code in (0, 1, 2), said
                refused += code == 2
            count += 1
            assert (secret / "mine").read_text() == "mine"
            assert sorted(one.name for one in secret.iterdir()) == ["mine"]
            shutil.rmtree(place / "to", ignore_errors=True)
    return f"{count} hostile folders, 3 commands each: {refused} refusals, nothing outside touched"


def copied(base: Path, run: Path) -> None:
    shutil.copytree(base, run)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, most in (("kills", 200), ("workers", 30), ("pairs", 20), ("flips", 600)):
        parser.add_argument(f"--{name}", type=int, default=most)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, base, scored = Path(folder), Path(folder) / "base", Path(folder) / "scored"
        for editor in ("copy", "reference"):
            ended(("edit", "mini", "--editor", editor, "--run", base, "--limit", 6, "--workers", 0))
        shutil.copytree(base, scored)
        ended(("score", "mini", *SCORE, "--run", scored, "--workers", 0))
        commands: tuple[
            tuple[str, Callable[[Path], Sequence[object]], Callable[[Path], None]], ...
        ] = (
            (
                "score",
                lambda run: ("score", "mini", *SCORE, "--run", run, "--workers", 2),
                lambda run: copied(base, run),
            ),
            (
                "edit",
                lambda run: ("edit", "mini", "--editor", "blank", "--run", run, "--workers", 2),
                lambda run: copied(base, run),
            ),
            ("merge", lambda run: ("merge", scored, "--to", run), lambda run: None),
        )
        steps: list[tuple[str, Callable[[], str]]] = [
            ("flips", lambda: flips(scored, given.flips, place / "flips")),
            ("folders", lambda: folders(scored, place / "folders")),
            ("pairs", lambda: pairs(base, given.pairs, place / "pairs")),
            ("workers", lambda: worker_kills(base, given.workers, place / "workers")),
        ]
        for name, make, fresh in commands:
            steps.append(
                (name, lambda m=make, f=fresh, n=name: kills(m, f, given.kills // 3, place / n))
            )  # type: ignore[misc]
        for name, step in steps:
            print(f"{name:<8} {step()}", flush=True)


if __name__ == "__main__":
    main()
