"""A run folder that somebody sent: nothing outside it is read into a report, changed or deleted,
and nothing waits for ever.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import invoke
from tests.store.damaged import make_run

from editgauge.errors import EditgaugeError, RunError
from editgauge.images import write_png
from editgauge.reports import site
from editgauge.reports.benchmark import Part
from editgauge.store import paths
from editgauge.store.collect import import_outputs
from editgauge.store.hashes import HashStore
from editgauge.store.run_folder import EditRecord, RunFolder
from editgauge.tables.frame import Frame
from editgauge.types import Sample, Status

SECRET = b"a secret of the user's home, on one line\nand the half of another"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder beside the run that nothing may touch."""
    place = tmp_path / "home"
    place.mkdir()
    (place / "secret.txt").write_bytes(SECRET)
    (place / "rows-0123456789abcdef.parquet").write_bytes(SECRET)
    (place / "x.jsonl").write_bytes(SECRET)
    return place


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "run")


def untouched(home: Path) -> bool:
    return sorted(path.name for path in home.iterdir()) == [
        "rows-0123456789abcdef.parquet",
        "secret.txt",
        "x.jsonl",
    ] and all(path.read_bytes() == SECRET for path in home.iterdir())


def read_all(run: Path, report: bool = True) -> list[str]:
    """Open a run as readers do; what they say, or their one line."""
    try:
        opened = RunFolder.open(run)
        frame = Frame.of_runs([opened], "mini")
        if report:
            site.build([opened], [Part(frame)], run / "report", copy_images=True)
        return opened.problems
    except EditgaugeError as error:
        return [str(error)]


def swap(path: Path, make: Callable[[Path], None]) -> None:
    """Put something else in a file's or a folder's place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)


ROOMS = (
    "rows", "rows/segments", "rows/edits", "rows/parquet", "samples", "edits", "inputs", "replies",
    "cache", "report", "report/static", "report/data", "report/figures", ".tmp", ".locks",
    "edits/mini", "inputs/mini",
)  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
def test_a_folder_that_is_a_link(run: RunFolder, home: Path, room: str) -> None:
    swap(run.path / room, lambda path: path.symlink_to(home))
    said = read_all(run.path)
    assert untouched(home)
    report = run.path / "report"
    if report.is_dir() and not report.is_symlink():
        assert SECRET not in b"".join(
            p.read_bytes() for p in report.rglob("*") if p.is_file() and not p.is_symlink()
        )
    assert said or room == "rows/parquet"  # rows are then made ready elsewhere


def named(run: RunFolder, kind: str) -> Path:
    return {
        "manifest": run.path / "manifest.json",
        "samples": run.path / "samples/mini.jsonl",
        "rows": next((run.path / "rows/segments").glob("*.jsonl")),
        "edits": next((run.path / "rows/edits").glob("*.jsonl")),
        "parquet": next((run.path / "rows/parquet").glob("*.parquet")),
        "parquet note": next((run.path / "rows/parquet").glob("*.json")),
        "replies": run.replies_path,
        "output": run.path / "edits/mini/one/s1.png",
        "input": run.path / "inputs/mini/s1.png",
        "lock": run.path / ".lock",
        "hashes": run.path / "cache/hashes.sqlite",
        "page": run.path / "report/index.html",
        "script": run.path / "report/data/meta.js",
    }[kind]


FILES = (
    "manifest", "samples", "rows", "edits", "parquet", "parquet note", "replies", "output", "input",
    "lock", "hashes", "page", "script",
)  # fmt: skip


@pytest.mark.parametrize("what", ["link", "pipe", "folder", "device"])
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_none(run: RunFolder, home: Path, kind: str, what: str) -> None:
    make = {
        "link": lambda path: path.symlink_to(home / "secret.txt"),
        "pipe": os.mkfifo,
        "folder": Path.mkdir,
        "device": lambda path: path.symlink_to("/dev/zero"),
    }[what]
    swap(named(run, kind), make)
    read_all(run.path)
    try:
        RunFolder.create(run.path).record("score")
        run.write_samples("mini", [])
    except RunError:
        pass
    assert untouched(home)
    report = run.path / "report"
    assert SECRET not in b"".join(
        p.read_bytes() for p in report.rglob("*") if p.is_file() and not p.is_symlink()
    )


def test_a_torn_segment_with_a_link_beside_it(run: RunFolder, home: Path) -> None:
    segment = named(run, "rows")
    with segment.open("ab") as file:
        file.write(b'{"half')
    segment.with_suffix(".torn").symlink_to(home / "secret.txt")
    assert any("cut 6 bytes" in text for text in RunFolder.open(run.path).problems)
    assert untouched(home)
    assert segment.with_name(f"{segment.stem}.torn-2").read_bytes() == b'{"half'


def test_a_torn_segment_that_has_another_name_outside(run: RunFolder, home: Path) -> None:
    os.link(home / "secret.txt", run.path / "rows/segments/score-1.jsonl")
    RunFolder.open(run.path).parquet()
    assert untouched(home)


def test_a_report_that_has_another_name_outside(run: RunFolder, home: Path) -> None:
    for name in ("index.html", "data/meta.js", "static/app.js", ".editgauge-report"):
        (run.path / "report" / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(home / "secret.txt", run.path / "report" / name)
    read_all(run.path)
    assert untouched(home)


@pytest.mark.parametrize(
    "place", ["/etc/hostname", "../home/secret.txt", "cache/x", "manifest.json"]
)
def test_a_record_that_names_a_file_elsewhere(run: RunFolder, home: Path, place: str) -> None:
    write_png(home.parent / "shown.png", __import__("numpy").zeros((4, 4, 3), "uint8"))
    with run.edit_writer() as writer:
        run.write_edits(
            [
                EditRecord(
                    benchmark="mini", sample="s1", editor="one", status=Status.SCORED, path=place
                ),
                EditRecord(
                    benchmark="mini",
                    sample="s2",
                    editor="one",
                    status=Status.SCORED,
                    path=str(home.parent / "shown.png"),
                ),
            ],
            writer,
        )
    said = read_all(run.path)
    assert sum("left out" in text for text in said) == 2
    pictures = [
        p for p in (run.path / "report").rglob("*") if p.suffix in (".png", ".webp", ".txt")
    ]
    assert pictures
    assert not [p for p in pictures if "shown" in p.name or "secret" in p.name]
    assert {e.path for e in run.edits() if e.sample in ("s1", "s2") and e.editor == "one"} == {
        "edits/mini/one/s1.png", "edits/mini/one/s2.png",
    }  # fmt: skip


def test_an_interrupted_report_is_taken_up_again(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = Frame.of_runs([run], "mini")
    with monkeypatch.context() as patch:
        patch.setattr(site.benchmark, "write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            site.build([run], [Part(frame)], run.path / "report")
    assert site.build([run], [Part(frame)], run.path / "report").page.is_file()


def test_what_a_killed_report_was_writing_is_swept(run: RunFolder) -> None:
    left = [run.path / "report" / place / f".editgauge-{'0' * 16}" for place in ("", "thumbs/0")]
    for number, path in enumerate(left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
        frame = Frame.of_runs([run], "mini")
        assert site.build([run], [Part(frame)], run.path / "report").page.is_file(), number
    assert not any(path.exists() for path in left)


def test_a_page_of_somebody_is_no_report(run: RunFolder, tmp_path: Path) -> None:
    (tmp_path / "web/data").mkdir(parents=True)
    (tmp_path / "web/index.html").write_text("mine")
    (tmp_path / "web/data/mine.js").write_text("mine")
    with pytest.raises(RunError, match="not a report"):
        site.build([run], [Part(Frame.of_runs([run], "mini"))], tmp_path / "web")
    assert (tmp_path / "web/data/mine.js").read_text() == "mine"


class TestPictures:
    """A run's pictures are its own, and nothing of the user's is moved or trusted."""

    def sample(self, stem: str = "s1") -> Sample:
        return Sample(
            benchmark="mini",
            id="s1",
            split="all",
            category=(),
            instruction="do",
            images=(Path("none.png"),),
            output_stems=(stem,),
        )

    def take(self, run: RunFolder, outputs: Path, stem: str = "s1") -> EditRecord:
        with HashStore(None) as hashes:
            return import_outputs(run, "mini", "new", outputs, [self.sample(stem)], hashes)[0]

    def outputs(self, tmp_path: Path) -> Path:
        write_png(tmp_path / "outputs/s1.png", __import__("numpy").zeros((4, 4, 3), "uint8"))
        return tmp_path / "outputs"

    def test_they_do_not_change_with_the_outputs(self, run: RunFolder, tmp_path: Path) -> None:
        outputs = self.outputs(tmp_path)
        record = self.take(run, outputs)
        kept = run.path / str(record.path)
        before = kept.read_bytes()
        with (outputs / "s1.png").open("r+b") as file:
            file.write(b"overwritten in place")
        assert kept.read_bytes() == before
        assert kept.stat().st_nlink == 1
        changed = self.take(run, outputs)
        assert (changed.status, changed.fingerprint != record.fingerprint) == (
            Status.UNREADABLE,
            True,
        )

    def test_a_hard_link_of_an_earlier_version_becomes_a_copy(
        self, run: RunFolder, tmp_path: Path
    ) -> None:
        outputs = self.outputs(tmp_path)
        record = self.take(run, outputs)
        kept = run.path / str(record.path)
        kept.unlink()
        os.link(outputs / "s1.png", kept)
        assert self.take(run, outputs) == record
        assert kept.stat().st_nlink == 1

    def test_an_output_name_that_leads_out(self, run: RunFolder, tmp_path: Path) -> None:
        sample = replace(self.sample(), output_stems=("../../../x", "s1"))
        with HashStore(None) as hashes:
            (record,) = import_outputs(run, "mini", "new", self.outputs(tmp_path), [sample], hashes)
        assert record.status is Status.DATASET_FAULT
        assert not list(run.path.glob("x.*"))

    def test_an_output_that_is_a_link_in_the_run(self, run: RunFolder, home: Path) -> None:
        swap(run.path / "edits/mini/one/s1.png", lambda p: p.symlink_to(home / "secret.txt"))
        (record,) = [e for e in run.edits() if (e.sample, e.editor) == ("s1", "one")]
        edit = record.edit(run.path)
        assert (edit.path, edit.status) == (None, Status.UNREADABLE)
        assert "a link" in edit.reason

    def test_what_is_kept_replaces_a_link_and_does_not_follow_it(
        self, run: RunFolder, home: Path, tmp_path: Path
    ) -> None:
        (run.path / "edits/mini/new").mkdir()
        (run.path / "edits/mini/new/s1.png").symlink_to(home / "secret.txt")
        record = self.take(run, self.outputs(tmp_path))
        assert record.status is Status.SCORED
        assert untouched(home)
        swap(run.path / "edits/mini/new", lambda path: path.symlink_to(home))
        with pytest.raises(RunError, match="a link"):
            self.take(run, self.outputs(tmp_path))
        assert untouched(home)


class TestNames:
    def test_a_run_folder_that_is_not_utf8(self, tmp_path: Path) -> None:
        with pytest.raises(RunError, match=r"udcff.*not valid text"):
            RunFolder.create(tmp_path / "run\udcff")

    def test_an_editor_that_is_not_utf8(self, tmp_path: Path) -> None:
        from editgauge.store.run_folder import plain_name

        with pytest.raises(RunError, match=r"'copy\\udcff': not valid text"):
            plain_name("copy\udcff")

    def test_a_sample_id_with_a_lone_surrogate(self, run: RunFolder) -> None:
        with pytest.raises(RunError, match=r"sample id 's\\ud800': not valid text"):
            run.write_samples("mini", [{"id": "s\ud800"}])

    def test_what_json_cannot_hold_is_written_as_far_as_it_can_be(self, run: RunFolder) -> None:
        deep: list[object] = []
        for _ in range(3000):
            deep = [deep]
        detail = {"big": 1 << 80, "lone": "\ud800x", "deep": deep, "odd": {1: {2}}}
        with run.edit_writer() as writer:
            run.write_edits(
                [
                    EditRecord(
                        benchmark="mini",
                        sample="s9",
                        editor="one",
                        status=Status.FAILED,
                        path=None,
                        reason="why \udcff",
                        detail=detail,
                    )
                ],
                writer,
            )
        (record,) = [e for e in run.edits() if e.sample == "s9"]
        assert record.reason == "why \\udcff"
        assert record.detail["big"] == str(1 << 80)
        assert record.detail["lone"] == "\\ud800x"
        assert record.detail["odd"] == {"1": [2]}


@pytest.mark.parametrize(
    ("relative", "why"),
    [
        ("a/b.png", "not there"), ("../x", "leads out"), ("/x", "absolute"), ("", "wanted a text"),
        ("a\0b", "characters"), ("C:\\x", "absolute"), ("a\\..\\..\\x", "leads out"), (7, "wanted"),
        ("x" * 2000, "wanted"), ("a/../../x", "leads out"), (None, "wanted"),
    ],
)  # fmt: skip
def test_the_door(tmp_path: Path, relative: object, why: str) -> None:
    assert why in str(paths.fault(tmp_path, relative))
    with pytest.raises(RunError, match="it is not opened"):
        paths.inside(tmp_path, relative)


@pytest.mark.parametrize("words", [["table"], ["report"], ["check-run"], ["compare"], ["merge"]])
@pytest.mark.parametrize("kind", ["manifest", "rows", "samples"])
def test_no_command_waits_for_a_pipe(run: RunFolder, words: list[str], kind: str) -> None:
    swap(named(run, kind), os.mkfifo)
    more = {"compare": ["one", "two"], "merge": ["--to", str(run.path.parent / "all")]}
    told = invoke([*words, str(run.path), *more.get(words[0], [])])
    assert isinstance(told.exception, SystemExit | EditgaugeError | None), told.exception


def write_rows(run: RunFolder) -> None:
    with run.writer() as writer:
        writer.write(run.rows()[:1])


def write_samples(run: RunFolder) -> None:
    run.write_samples("mini", [{"id": "another"}])


def keep_a_picture(run: RunFolder) -> None:
    run.keep(run.path / "inputs/mini/s0.png", "edits/mini/one/another.png")


def make_parquet(run: RunFolder) -> None:
    for path in (run.path / "rows/parquet").iterdir():
        path.unlink()
    RunFolder.open(run.path).parquet()


@pytest.mark.skipif(not paths._ENTERS, reason="no files below open folders on this system")
@pytest.mark.parametrize(
    ("do", "room"),
    [
        (write_rows, "rows/segments"), (write_rows, "rows"), (write_samples, "samples"),
        (keep_a_picture, "edits/mini/one"), (keep_a_picture, "edits"), (make_parquet, "rows/parquet"),
    ],
)  # fmt: skip
def test_a_folder_that_becomes_a_link_at_the_last_moment(
    run: RunFolder,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    do: Callable[[RunFolder], None],
    room: str,
) -> None:
    """Between the look at a folder and the file that is made in it: at each such moment."""
    (home / "mini/one").mkdir(parents=True)
    (home / "segments").mkdir()
    before = sorted(home.rglob("*"))
    place, moments = run.path / room, [0]

    def at_once(name: str) -> None:
        real = getattr(os, name)

        def then(*given: object, **named: object) -> object:
            if name == "open" and not int(given[1]) & os.O_CREAT:  # type: ignore[call-overload]
                return real(*given, **named)
            moments[0] += 1
            place.rename(run.path / "aside")
            place.symlink_to(home)
            try:
                return real(*given, **named)
            finally:
                place.unlink()
                (run.path / "aside").rename(place)

        monkeypatch.setattr(os, name, then)

    at_once("open")
    at_once("replace")
    do(run)
    monkeypatch.undo()
    assert moments[0]
    assert sorted(home.rglob("*")) == before
    assert untouched_files(home)
    again = RunFolder.open(run.path)
    assert again.rows()
    assert again.problems == []


def untouched_files(home: Path) -> bool:
    return all(path.read_bytes() == SECRET for path in home.rglob("*") if path.is_file())
