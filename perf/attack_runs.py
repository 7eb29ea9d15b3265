"""Attacks on everything that writes: commands are killed, two of them work on one run at once, folders
vanish or turn into links under them.

    python perf/attack_runs.py kills --each 10      whole process groups, then the command again
    python perf/attack_runs.py parts --each 5       one worker, the writer alone, a judge's server
    python perf/attack_runs.py pairs --turns 20     two commands on one run at once
    python perf/attack_runs.py gone --each 3        the run is deleted while a command works
    python perf/attack_runs.py races --each 8       folders become links while a command works
    python perf/attack_runs.py full --each 3        the disk is full, sooner or later (needs root)
    python perf/attack_runs.py readonly             nothing can be written (needs root)
    python perf/attack_runs.py clock --each 2       killed under a clock that is days ahead, or behind
    python perf/attack_runs.py stopped --each 2     suspended; the same command; resumed

What a command leaves behind after it was disturbed and given again is compared with what it leaves
undisturbed: rows, outputs, samples, replies, records of a data set, exported files. Prints a line
for each command and exits with 1 when anything differs. Needs no network. `import-scores` needs the
shared sample data (``EDITGAUGE_SHARED``). A call with the same ``--seed`` does the same, as far as
the machine's pace lets it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from editgauge.cli.main import main as editgauge  # noqa: E402
from editgauge.images import write_png  # noqa: E402
from editgauge.store.run_folder import RunFolder  # noqa: E402

LIMIT = ("--limit", "6")
JUDGE = ("--model", "scripted", "--concurrency", "2", "--limit", "3", "--editor", "reference")
SHARED = Path(os.environ.get("EDITGAUGE_SHARED", ROOT.parent / "shared"))
DESIGN = """name = "first"\nmode = "rate"\nannotators_per_sample = 2\nseed = 1
[[questions]]\nid = "EA"\ntext = "Good?"\n[samples]\ncount = 2\n"""
LONGEST = 120.0


@dataclass(frozen=True, slots=True)
class Attacked:
    """A command by its words, relative to a workspace; `codes` it may end with when it is given
    again after a kill. ``SERVER`` in its words is a judge's address.
    """

    name: str
    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)


COMMANDS = [
    Attacked("edit", ("edit", "mini", "--run", "new", "--editor", "copy", *LIMIT, "--workers", "2")),
    Attacked("score", ("score", "mini", "--run", "edits", *LIMIT, "--workers", "2")),
    Attacked("judge", ("judge", "mini", "--run", "edits", *JUDGE, "--base-url", "SERVER")),
    Attacked("table", ("table", "run", "--format", "csv")),
    Attacked("compare", ("compare", "run", "copy", "reference")),
    Attacked("report", ("report", "run", "--to", "report", "--no-intervals")),
    Attacked("merge", ("merge", "run", "other", "--to", "all")),
    Attacked("import-scores", ("import-scores", "texteditbench", str(SHARED / "data/texteditbench"), "--from", "scores.json", "--run", "new")),
    Attacked("study import", ("study", "import", "run", "ratings.csv", "--scale", "1-5")),
    Attacked("study start", ("study", "start", "run", "design.toml", "--annotators", "ann,ben"), (0, 2)),
    Attacked("study export", ("study", "export", "rated", "ratings-out.csv"), (0, 2)),
    Attacked("curate add", ("curate", "add", "set", "pictures")),
    Attacked("curate set", ("curate", "set", "set", "s00", "caption=another")),
    Attacked("curate export", ("curate", "export", "set", "--to", "exported", "--layout", "textedit"), (0, 2)),
    Attacked("curate release", ("curate", "release", "set", "--version", "1.0.0", "--to", "set.zip"), (0, 2)),
    Attacked("check-run --repair", ("check-run", "spoilt", "--repair"), (0, 1)),
    Attacked("grid", ("grid", "run", "--sample", "replace-01", "--to", "grid.png")),
    Attacked("import-outputs", ("import-outputs", "mini", "--from", "run/edits/mini/copy", "--editor", "copy", "--to", "matched"), (0, 1, 2)),
]  # fmt: skip


# -- commands as processes -------------------------------------------------------------------------


def start(words: tuple[str, ...], place: Path, url: str = "") -> tuple[int, Path]:
    """Begin a command in a process group of its own; its number, and the file of what it says."""
    log = Path(tempfile.mkstemp(prefix="editgauge-said-")[1])
    sys.stdout.flush()
    number = os.fork()
    if number:
        return number, log
    os.setsid()
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.chdir(place)
    os.environ["EDITGAUGE_JUDGE_KEY"] = "none"
    sys.argv = ["editgauge", *(url if word == "SERVER" else word for word in words)]
    code = 99
    try:
        editgauge()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1 if stop.code else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def ended(number: int, seconds: float = LONGEST) -> int | None:
    """The exit code of a process (negative: a signal); None when it has not ended by then."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(number, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def done(words: tuple[str, ...], place: Path, url: str = "") -> tuple[int, str, float]:
    """A command from beginning to end: exit code, what it said, seconds."""
    began = time.monotonic()
    number, log = start(words, place, url)
    code = ended(number)
    if code is None:
        kill_group(number)
        ended(number)
        code = 98  # it hung
    said = log.read_text(errors="replace")
    log.unlink()
    return code, said, time.monotonic() - began


def kill_group(number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)


def apart(do: Callable[..., Any], *args: Any) -> Any:
    """What a function returns, called in a process of its own: this one stays fit to fork."""
    read, write = os.pipe()
    number = os.fork()
    if not number:
        os.close(read)
        with os.fdopen(write, "wb") as file:
            try:
                pickle.dump(do(*args), file)
            except Exception as error:  # told to the caller
                pickle.dump(error, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        data = file.read()
    os.waitpid(number, 0)
    found = pickle.loads(data)
    if isinstance(found, Exception):
        raise found
    return found


@contextmanager
def judge_server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A fake judge in a process of its own; it may be killed and begun anew at the same port."""
    process, url = begin_server(0)
    try:
        yield process, url
    finally:
        process.kill()
        process.wait()


def begin_server(port: int) -> tuple[subprocess.Popen[str], str]:
    code = (
        "import sys, time\nfrom editgauge.testing import FaultServer\n"
        "with FaultServer(latency=0.02, port=int(sys.argv[1])) as server:\n"
        "    print(server.url, flush=True)\n    time.sleep(1e6)\n"
    )
    path = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(port)], stdout=subprocess.PIPE, text=True, env=path
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


# -- what is there ---------------------------------------------------------------------------------


def state(place: Path, name: str) -> dict[str, Any]:
    """All that counts of a workspace after a command: runs, data sets, and other files by hash."""
    found: dict[str, Any] = {}
    for folder in sorted(place.iterdir()):
        if (folder / "manifest.json").exists():
            found[folder.name] = of_run(folder)
        elif (folder / "samples.jsonl").exists() and (folder / "dataset.json").exists():
            found[folder.name] = of_set(folder)
        elif folder.is_dir() and folder.name in ("report", "exported", "matched"):
            files = (path for path in folder.rglob("*") if path.is_file())
            found[folder.name] = sorted(str(path.relative_to(folder)) for path in files)
        elif folder.is_file():
            found[folder.name] = hashlib.sha256(folder.read_bytes()).hexdigest()
    found["check-run"] = sound(place)
    if name == "curate add":  # ids are given by the order of files; times differ
        found["set"] = sorted(str(record) for record in found["set"])
    return found


def of_run(folder: Path) -> dict[str, Any]:
    import sqlite3

    run = RunFolder.open(folder)
    rows = Counter((row.key, row.value, row.status.value, row.reason) for row in run.rows())
    edits = {
        (one.benchmark, one.sample, one.editor): (one.status.value, one.fingerprint, one.path)
        for one in run.edits()
    }
    samples = {name: run.samples(name) for name in run.benchmarks()}
    metrics = {name: run.metrics(name) for name in run.described_benchmarks()}
    replies = []
    if run.replies_path.exists():
        with closing(sqlite3.connect(run.replies_path)) as db:
            replies = sorted(db.execute("SELECT key, status, content FROM replies").fetchall())
    studies: dict[str, Any] = {}
    for path in sorted(folder.glob("study/*.sqlite")):
        with closing(sqlite3.connect(path)) as db:
            names = ("annotators", "tasks", "answers")
            studies[path.name] = [
                db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in names
            ]
    return {"rows": rows, "edits": edits, "samples": samples, "metrics": metrics,
            "replies": replies, "studies": studies, "problems": run.problems}  # fmt: skip


def of_set(folder: Path) -> list[Any]:
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.releases import releases

    data = DataSet(folder)
    records = [
        {k: v for k, v in one.items() if k not in ("reviews", "id", "proposed")}
        for one in data.records()
    ]
    return [*records, data.about, [one["version"] for one in releases(data)]]


def sound(place: Path) -> list[str]:
    """What `check-run` finds in the runs of a workspace, and temporary files that stay after that
    in the eyes of a reader.
    """
    from editgauge.store.examine import examine

    said = []
    for folder in sorted(place.iterdir()):
        if (folder / "manifest.json").exists():
            said += [
                f"{folder.name}: {one.place}: {one.found}"
                for one in examine(RunFolder.open(folder))
            ]
            left = [p for p in folder.rglob(".editgauge-*") if p.parent.name != ".locks"]
            said += [f"{path.relative_to(place)}: left behind" for path in left]
    return said


# -- the workspace ---------------------------------------------------------------------------------


def make(place: Path, url: str) -> None:
    """Everything that the commands work on."""
    from tests.curation.made_set import make_set, scene

    def ok(*words: str) -> None:
        code, said, _ = done(words, place, url)
        if code not in (0, 1):  # 1: some samples have no score
            raise SystemExit(f"{' '.join(words)}: {code}\n{said}")

    place.mkdir()
    for run, editors in (("edits", ("copy", "reference")), ("other", ("blank",))):
        for editor in editors:
            ok("edit", "mini", "--run", run, "--editor", editor, *LIMIT, "--workers", "0")
    shutil.copytree(place / "edits", place / "run")
    ok("score", "mini", "--run", "run", *LIMIT, "--workers", "0")
    ok("score", "mini", "--run", "other", *LIMIT, "--workers", "0")
    ok("judge", "mini", "--run", "run", *JUDGE, "--base-url", "SERVER")
    ok("table", "run", "--format", "csv")
    lines = ["sample,annotator,editor,value"] + [
        f"replace-0{sample},{who},{editor},{value}"
        for sample in (1, 3) for who in ("ann", "ben")
        for editor, value in (("copy", 2), ("reference", 4 + (who == "ben")))
    ]  # fmt: skip
    (place / "ratings.csv").write_text("\n".join(lines) + "\n")
    (place / "design.toml").write_text(DESIGN)
    shutil.copytree(place / "run", place / "rated")
    ok("study", "import", "rated", "ratings.csv", "--scale", "1-5")
    shutil.copytree(place / "run", place / "spoilt")
    for path in sorted((place / "spoilt/rows/segments").glob("*.jsonl"))[:2]:
        path.write_bytes(path.read_bytes().replace(b'"value":0', b'"value":9', 3))
    apart(lambda: len(make_set(place / "set", 3).records()))
    (place / "pictures").mkdir()
    for number in range(4):
        write_png(place / "pictures" / f"p{number}.png", scene(20 + number))
    entry = {"topic": "", "id": "", "ssim_similarity_outside_mask": 0.625}
    data = SHARED / "data/texteditbench"
    if data.is_dir():
        from editgauge import catalog

        samples = list(catalog.find("benchmarks", "texteditbench").load(data, split=None))
        entries = [
            {**entry, "topic": s.id.split("/")[1], "id": s.id.split("/")[2]} for s in samples
        ]
        (place / "scores.json").write_text(json.dumps(entries))


class Field:
    """A workspace that is copied for each attack, and what each command makes of it undisturbed."""

    def __init__(self, place: Path, url: str) -> None:
        self.place, self.url = place, url
        make(place / "base", url)
        self._number = 0

    def copy(self) -> Path:
        self._number += 1
        target = self.place / str(self._number) / "work"
        target.parent.mkdir()
        shutil.copytree(self.place / "base", target, symlinks=True)
        return target

    def undisturbed(self, command: Attacked) -> tuple[dict[str, Any], float]:
        place = self.copy()
        code, said, seconds = done(command.words, place, self.url)
        if code not in (0, 1) or "Traceback" in said:
            raise SystemExit(f"{command.name}: {code} undisturbed\n{said}")
        truth = apart(state, place, command.name)
        shutil.rmtree(place.parent)
        return truth, seconds


def judged(
    command: Attacked, field: Field, place: Path, truth: dict[str, Any], what: str
) -> list[str]:
    """What is wrong after a disturbed command was given again."""
    code, said, _ = done(command.words, place, field.url)
    wrong = []
    if code not in command.codes and code != 0:
        wrong.append(f"{what}: again: exit {code}: {said[-600:]}")
    if "Traceback" in said or "a mistake in editgauge" in said:
        wrong.append(f"{what}: traceback: {said[-1500:]}")
    now = apart(state, place, command.name)
    for name in truth.keys() | now.keys():
        if now.get(name) != truth.get(name):
            wrong.append(f"{what}: {name} differs: {differs(now.get(name), truth.get(name))}")
    return wrong


def differs(now: Any, truth: Any) -> str:
    if isinstance(now, list) and isinstance(truth, list):
        lost, more = ([str(x) for x in a if x not in b] for a, b in ((truth, now), (now, truth)))
        return f"{len(lost)} lost {lost[:3]}, {len(more)} more {more[:3]}"
    if not isinstance(now, dict) or not isinstance(truth, dict):
        return f"{str(now)[:300]} was {str(truth)[:300]}"
    said = []
    for kind in truth:
        if now.get(kind) != truth[kind]:
            if isinstance(truth[kind], dict):
                lost, more = (
                    truth[kind].keys() - now[kind].keys(),
                    now[kind].keys() - truth[kind].keys(),
                )
                said.append(
                    f"{kind}: {len(lost)} lost, {len(more)} more {sorted(map(str, more))[:2]}"
                )
            else:
                said.append(f"{kind}: {str(now[kind])[:200]} was {str(truth[kind])[:200]}")
    return "; ".join(said)


# -- attacks ---------------------------------------------------------------------------------------


def kills(field: Field, command: Attacked, each: int, draw: random.Random) -> tuple[int, list[str]]:
    """Kill the whole group of a command at any moment of its work, once or twice."""
    truth, seconds = field.undisturbed(command)
    count, wrong = 0, []
    while count < each:
        place = field.copy()
        for _ in range(draw.choice([1, 1, 2])):
            number, log = start(command.words, place, field.url)
            pause = draw.uniform(0, seconds)
            code = ended(number, pause)
            if code is None:
                kill_group(number)
                ended(number)
                count += 1
            log.unlink()
        wrong += judged(command, field, place, truth, f"{command.name} killed at {pause:.2f} s")
        shutil.rmtree(place.parent)
    return count, wrong


def parts(field: Field, name: str, each: int, draw: random.Random) -> tuple[int, list[str]]:
    """Kill one process of a command: a worker of it, itself alone, or the server that it asks."""
    named = {one.name: one for one in COMMANDS}
    count, wrong = 0, []
    command = named[{"worker": "score", "writer": "score", "server": "judge"}[name]]
    truth, seconds = field.undisturbed(command)
    for _ in range(each):
        place = field.copy()
        if name == "server":
            server, url = begin_server(0)
            number, log = start(command.words, place, url)
            code = ended(number, draw.uniform(0.2, 1) * seconds)
            server.kill()
            server.wait()
            count += code is None
            if code is None and ended(number) is None:
                wrong.append("judge: did not end without its server")
                kill_group(number)
            said = log.read_text()
            if "Traceback" in said:
                wrong.append(f"judge without its server: {said[-800:]}")
        else:
            number, log = start(command.words, place, field.url)
            for _ in range(4 if name == "worker" else 1):
                if ended_early(number, draw.uniform(0.1, 0.4) * seconds):
                    break
                victims = children(number) if name == "worker" else [number]
                if victims:
                    os.kill(draw.choice(victims), signal.SIGKILL)
                    count += 1
            code = ended(number)
            if name == "worker" and code != 0:
                wrong.append(f"score with killed workers: exit {code}: {log.read_text()[-500:]}")
            if name == "worker" and code == 0:
                now = apart(state, place, command.name)
                if now["edits"]["rows"] != truth["edits"]["rows"]:
                    wrong.append(
                        f"score with killed workers: {differs(now['edits'], truth['edits'])}"
                    )
            time.sleep(0.3)
            kill_group(number)
        log.unlink()
        again = command
        if name == "server":  # what it did not answer is asked again when one says so
            again = replace(command, words=(*command.words, "--retry", "failed"))
        wrong += judged(again, field, place, truth, f"{name} killed")
        shutil.rmtree(place.parent)
    return count, wrong


def ended_early(number: int, seconds: float) -> bool:
    """Whether a process is about to be waited for by then (it is not waited for here)."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if _stat(number)[:1] in ("Z", ""):
            return True
        time.sleep(0.01)
    return False


def _stat(number: int) -> str:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].strip()
    except OSError:
        return ""


def children(number: int) -> list[int]:
    """The worker processes of a command."""
    found = []
    for entry in Path("/proc").iterdir():
        fields = _stat(int(entry.name)).split() if entry.name.isdigit() else []
        if not fields or int(fields[1]) != number or fields[0] == "Z":
            continue
        with suppress(OSError):
            if b"resource_tracker" not in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


PAIRS = [
    (("score", "mini", "--run", "edits", *LIMIT, "--workers", "0"),) * 2,
    (("score", "mini", "--run", "edits", *LIMIT, "--workers", "0"),
     ("judge", "mini", "--run", "edits", *JUDGE, "--base-url", "SERVER")),
    (("score", "mini", "--run", "edits", *LIMIT, "--workers", "0"),
     ("report", "edits", "--to", "report", "--no-intervals")),
    (("edit", "mini", "--run", "edits", "--editor", "blank", *LIMIT, "--workers", "0"),
     ("merge", "other", "--to", "edits")),
    (("score", "mini", "--run", "edits", *LIMIT, "--workers", "0"), ("check-run", "edits", "--repair")),
    (("study", "import", "run", "ratings.csv", "--scale", "1-5"), ("merge", "other", "--to", "run")),
    (("table", "run", "--format", "csv"), ("score", "mini", "--run", "run", "--limit", "8", "--workers", "0")),
    (("curate", "set", "set", "s00", "caption=another"), ("curate", "add", "set", "pictures")),
    (("judge", "mini", "--run", "edits", *JUDGE, "--base-url", "SERVER"),) * 2,
    (("compare", "run", "copy", "reference"), ("merge", "other", "--to", "run")),
]  # fmt: skip


def pairs(field: Field, turn: int, draw: random.Random) -> tuple[int, list[str]]:
    """Two commands at once; what is there after both were given again is what is there when one
    follows the other.
    """
    pair = PAIRS[turn % len(PAIRS)]
    what = " + ".join(" ".join(words[:2]) for words in pair)
    place = field.copy()
    for words in (*pair, *pair):
        done(words, place, field.url)
    truth = apart(state, place, "curate add")
    shutil.rmtree(place.parent)
    place = field.copy()
    wrong = []
    running = []
    for words in pair:
        running.append(start(words, place, field.url))
        time.sleep(draw.uniform(0, 0.3))
    for number, log in running:
        code, said = ended(number), log.read_text()
        if code not in (0, 1, 2) or "Traceback" in said or "mistake in editgauge" in said:
            wrong.append(f"{what}: exit {code}: {said[-800:]}")
        if code == 2 and "is at work on this run" not in said and "not a run folder" not in said:
            wrong.append(f"{what}: refused otherwise: {said[-300:]}")
        log.unlink()
    for words in pair:
        code, said, _ = done(words, place, field.url)
        if code not in (0, 1):
            wrong.append(f"{what}: again: exit {code}: {said[-300:]}")
    now = apart(state, place, "curate add")
    for name in truth:
        if now.get(name) != truth[name]:
            wrong.append(f"{what}: {name}: {differs(now.get(name), truth[name])}")
    shutil.rmtree(place.parent)
    return 1, wrong


def gone(field: Field, command: Attacked, each: int, draw: random.Random) -> tuple[int, list[str]]:
    """Delete what a command works on at any moment: one line, no traceback, nothing that comes
    back as an empty run.
    """
    _, seconds = field.undisturbed(command)
    count, wrong = 0, []
    for _ in range(each):
        place = field.copy()
        number, log = start(command.words, place, field.url)
        code = ended(number, draw.uniform(0, seconds))
        targets = [p for p in place.iterdir() if p.is_dir() and p.name in command.words]
        for target in targets:
            shutil.rmtree(target, ignore_errors=True)
        count += code is None
        code = ended(number) if code is None else code
        said = log.read_text()
        wrong += one_line(command, "deleted", code, said)
        errors = [line for line in said.splitlines() if line.startswith("error:")]
        if "damaged" in " ".join(errors):
            wrong.append(f"{command.name}: deleted, and called damaged: {errors}")
        if code is None:
            kill_group(number)
        log.unlink()
        shutil.rmtree(place.parent, ignore_errors=True)
    return count, wrong


@contextmanager
def disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A small disk of its own."""
    place.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def one_line(command: Attacked, what: str, code: int | None, said: str) -> list[str]:
    """What is wrong with the end of a command that could not do its work."""
    errors = [line for line in said.splitlines() if line.startswith("error:")]
    if code not in (0, 1, 2) or "Traceback" in said or "mistake in editgauge" in said:
        return [f"{command.name}: {what}: exit {code}: {said[-1200:]}"]
    if code == 2 and len(errors) != 1:
        return [f"{command.name}: {what}: {len(errors)} lines of error: {said[-600:]}"]
    return []


def full(field: Field, command: Attacked, each: int, draw: random.Random) -> tuple[int, list[str]]:
    """Leave little room on the disk, take the rest away, give the command again with room."""
    truth, _ = field.undisturbed(command)
    count, wrong = 0, []
    for turn in range(each):
        with disk(field.place / f"disk-{command.name.replace(' ', '-')}-{turn}", 96) as place:
            work = shutil.copytree(field.place / "base", place / "work", symlinks=True)
            left = draw.choice([0, 4, 16, 64, 256, 1024]) * 1024
            filler = place / "filler"
            free = os.statvfs(place).f_bavail * os.statvfs(place).f_bsize
            filler.write_bytes(bytes(max(0, free - left)))
            code, said, _ = done(command.words, work, field.url)
            count += 1
            filler.unlink()
            what = f"{left // 1024} kB left"
            wrong += one_line(command, what, code, said)
            if code == 2 and not re.search(
                r"room|space|[Nn]o left|cannot be (written|used)|full", said
            ):
                wrong.append(f"{command.name}: {what}: says something else: {said[-300:]}")
            wrong += judged(command, field, work, truth, f"{command.name} with {what}")
    return count, wrong


def readonly(
    field: Field, command: Attacked, each: int, draw: random.Random
) -> tuple[int, list[str]]:
    """Nothing can be written: the command works, or ends in one line."""
    wrong = []
    with disk(field.place / f"sealed-{command.name.replace(' ', '-')}", 96) as place:
        work = shutil.copytree(field.place / "base", place / "work", symlinks=True)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        before = inventory(work)
        code, said, _ = done(command.words, work, field.url)
        wrong += one_line(command, "read-only", code, said)
        print(f"    {command.name}: exit {code}: {(said.strip().splitlines() or [''])[-1][:150]}")
        if inventory(work) != before:
            wrong.append(f"{command.name}: something was written")
    return 1, wrong


def clock(field: Field, command: Attacked, each: int, draw: random.Random) -> tuple[int, list[str]]:
    """Kill a command that works under a wrong clock; the same again under another one."""
    truth, seconds = field.undisturbed(command)
    wrong = []
    real, real_ns = time.time, time.time_ns
    for _ in range(each):
        place = field.copy()
        off = draw.choice([-400, -2, 3, 4000]) * 86400
        time.time, time.time_ns = (
            lambda off=off: real() + off,
            lambda off=off: real_ns() + off * 10**9,
        )
        try:
            number, log = start(command.words, place, field.url)
            if ended(number, draw.uniform(0.3, 1.5) * seconds) is None:
                kill_group(number)
                ended(number)
        finally:
            time.time, time.time_ns = real, real_ns
        log.unlink()
        wrong += judged(
            command, field, place, truth, f"{command.name}, clock {off // 86400} days off"
        )
        shutil.rmtree(place.parent)
    return each, wrong


def stopped(
    field: Field, command: Attacked, each: int, draw: random.Random
) -> tuple[int, list[str]]:
    """Suspend a command at any moment, give it again beside it, resume the first one."""
    truth, seconds = field.undisturbed(command)
    count, wrong = 0, []
    for _ in range(each):
        place = field.copy()
        number, log = start(command.words, place, field.url)
        code = ended(number, draw.uniform(0, seconds))
        if code is None:
            count += 1
            os.killpg(number, signal.SIGSTOP)
            second, other = start(command.words, place, field.url)
            found = ended(second, 3 * seconds + 15)
            said = other.read_text()
            if found is None and "waiting for process" not in said:
                wrong.append(
                    f"{command.name}: beside a suspended one: waits without a word: {said[-300:]}"
                )
            os.killpg(number, signal.SIGCONT)
            found = ended(second) if found is None else found
            said = other.read_text()
            wrong += one_line(command, "beside a suspended one", found, said)
            code = ended(number)
            wrong += one_line(command, "resumed", code, log.read_text())
            other.unlink()
        log.unlink()
        wrong += judged(command, field, place, truth, f"{command.name} suspended")
        shutil.rmtree(place.parent)
    return count, wrong


ROOMS = ("rows", "rows/segments", "rows/parquet", "rows/edits", "samples", "edits", "edits/mini", "edits/mini/copy",
         "edits/mini/reference", "inputs", "inputs/mini", ".tmp", ".locks", "cache", "replies", "report")  # fmt: skip


def races(field: Field, command: Attacked, each: int, draw: random.Random) -> tuple[int, list[str]]:
    """Somebody renames folders of the run to links to a folder outside while a command works:
    nothing may come to lie there, and nothing of it may change.
    """
    count, wrong = 0, []
    for _ in range(each):
        place = field.copy()
        outside = place.parent / "outside"
        shutil.copytree(place / "run", outside)
        before = inventory(outside)
        runs = [place / word for word in command.words if (place / word / "manifest.json").exists()]
        if command.name in ("edit", "merge"):
            runs.append(
                place
                / command.words[
                    command.words.index("--run" if command.name == "edit" else "--to") + 1
                ]
            )
        number, log = start(command.words, place, field.url)
        stop = threading.Event()
        thread = threading.Thread(
            target=_swap, args=(draw.choice(runs), outside, draw.random(), stop)
        )
        thread.start()
        code = ended(number)
        stop.set()
        thread.join()
        said = log.read_text()
        if "Traceback" in said or "mistake in editgauge" in said or code is None:
            wrong.append(f"{command.name}: exit {code}: {said[-1200:]}")
        if code is None:
            kill_group(number)
        now = inventory(outside)
        if now != before:
            changed = sorted(n for n in now.keys() | before.keys() if now.get(n) != before.get(n))
            wrong.append(f"{command.name}: won: {changed[:4]}")
        count += 1
        log.unlink()
        shutil.rmtree(place.parent, ignore_errors=True)
    return count, wrong


def _swap(run: Path, outside: Path, seed: float, stop: threading.Event) -> None:
    draw = random.Random(seed)
    while not stop.is_set():
        room = draw.choice(ROOMS)
        path, aside = run / room, run / f"{room}.aside"
        try:
            os.rename(path, aside)
            os.symlink(outside / room, path)
            time.sleep(draw.choice([0, 0, 0.0003, 0.003]))
            os.unlink(path)
            os.rename(aside, path)
            time.sleep(draw.choice([0, 0, 0.0003]))
        except OSError:
            continue


def inventory(folder: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file() else "folder"
        for path in folder.rglob("*")
    }  # fmt: skip


ATTACKS = {
    "kills": kills, "gone": gone, "races": races, "full": full, "readonly": readonly, "clock": clock,
    "stopped": stopped,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("attack", choices=["parts", "pairs", *ATTACKS])
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a regular expression of commands' names")
    args = parser.parse_args()
    draw = random.Random(args.seed)
    commands = [
        one for one in COMMANDS
        if re.search(args.only, one.name) and (one.name != "import-scores" or SHARED.is_dir())
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder, judge_server() as (_, url):
        field = Field(Path(folder), url)
        jobs: list[tuple[str, Callable[[], tuple[int, list[str]]]]]
        if args.attack == "pairs":
            jobs = [(f"pair {n}", lambda n=n: pairs(field, n, draw)) for n in range(args.turns)]
        elif args.attack == "parts":
            names = [name for name in ("worker", "writer", "server") if re.search(args.only, name)]
            jobs = [(name, lambda name=name: parts(field, name, args.each, draw)) for name in names]
        else:
            attack = ATTACKS[args.attack]
            jobs = [(c.name, lambda c=c: attack(field, c, args.each, draw)) for c in commands]
        total, every = 0, []
        for name, job in jobs:
            began = time.monotonic()
            count, wrong = job()
            total += count
            every += wrong
            print(
                f"{name}: {count} attacks, {len(wrong)} wrong, {time.monotonic() - began:.0f} s",
                flush=True,
            )
            for text in wrong:
                print(f"    {text}", flush=True)
        print(f"{args.attack}: {total} attacks, {len(every)} wrong", flush=True)
    sys.exit(1 if every else 0)


if __name__ == "__main__":
    main()
