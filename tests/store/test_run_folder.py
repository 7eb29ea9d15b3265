"""The run folder and its segments: damaged, full, unwritable, shared."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.errors import RunError
from editgauge.images import fingerprint
from editgauge.store import segments
from editgauge.store.collect import edits_of
from editgauge.store.hashes import HashStore
from editgauge.store.run_folder import EditRecord, RunFolder, digest, plain_name
from editgauge.testing import make_sample
from editgauge.types import Row, Status


def row(sample: str = "s1", value: float | None = 1.0, mark: str = "f", **more: object) -> Row:
    status = more.pop("status", Status.SCORED)
    return Row(
        benchmark="b",
        sample=sample,
        editor="e",
        scorer="x",
        metric="m",
        variant="faithful",
        value=value,
        status=status,
        reason="",
        fingerprint=mark,
        **more,
    )  # type: ignore[arg-type]


def segment_of(run: RunFolder) -> Path:
    return segments.segments(run.path / "rows" / "segments")[0]


def test_a_torn_last_line_is_cut_and_kept_aside(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row("s1"), row("s2")])
    with segment_of(run).open("ab") as file:
        file.write(b'{"benchmark":"b","sam')
    again = RunFolder.open(run.path)
    assert [r.sample for r in again.rows()] == ["s1", "s2"]
    assert "cut 21 bytes" in again.problems[0]
    assert segment_of(run).with_suffix(".torn").read_bytes() == b'{"benchmark":"b","sam'
    assert RunFolder.open(run.path).problems == []


def test_a_segment_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    writer = run.writer()
    writer.write([row("s1")])
    with segment_of(run).open("ab") as file:
        file.write(b'{"half')
    assert [r.sample for r in RunFolder.open(run.path).rows()] == ["s1"]
    assert segment_of(run).read_bytes().endswith(b'{"half')
    writer.close()
    assert "cut" in RunFolder.open(run.path).problems[0]


def test_a_damaged_line_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        for name in ("s1", "s2", "s3"):
            writer.write([row(name)])
    lines = segment_of(run).read_bytes().split(b"\n")
    lines[1] = b"\0" * len(lines[1])
    segment_of(run).write_bytes(b"\n".join(lines))
    run = RunFolder.open(run.path)
    assert [r.sample for r in run.rows()] == ["s1", "s3"]
    assert any("line 2: damaged" in problem for problem in run.problems)


def test_contradicting_rows_are_reported_never_overwritten(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    for value in (1.0, 2.0):
        with run.writer() as writer:
            writer.write([row(value=value)])
    run.rows()
    assert any("contradiction: b s1 e x m" in problem for problem in run.problems)


def test_the_same_row_twice_is_one_row(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    for _ in range(2):
        with run.writer() as writer:
            writer.write([row()])
    assert run.rows() == [row()]
    assert run.problems == []


def test_a_retired_row_may_come_back(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row(mark="old")])
        writer.retire([(row().key, "old")])
        writer.write([row(mark="new", value=2.0)])
        assert [r.fingerprint for r in run.rows()] == ["new"]
        writer.retire([(row().key, "new")])
        writer.write([row(mark="old")])
    assert [r.fingerprint for r in run.rows()] == ["old"]


@pytest.mark.parametrize("damage", [b"", b"junk", b"PAR1 and no end"])
def test_a_damaged_parquet_file_is_made_again(tmp_path: Path, damage: bytes) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row()])
    (file,) = run.parquet()
    file.write_bytes(damage)
    assert RunFolder.open(run.path).rows() == [row()]


def test_a_file_that_another_reader_deletes_at_once_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that already sees newer rows deletes the files of older ones."""
    from editgauge.store import parquet

    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row()])
    real, made = parquet._build, []

    def build(parts: object, target: tuple[Path, str], *rest: object) -> None:
        real(parts, target, *rest)  # type: ignore[arg-type]
        root, place = target
        made.append(place)
        if len(made) == 1:
            (root / place).unlink()

    monkeypatch.setattr(parquet, "_build", build)
    assert [one.value for one in run.rows()] == [1.0]
    assert len(made) == 2


def test_damage_inside_a_parquet_file_is_found_and_it_is_made_again(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row()])
    (file,) = run.parquet()
    whole = file.read_bytes()
    for place in range(0, len(whole), 97):
        data = bytearray(whole)
        data[place] ^= 4
        file.write_bytes(data)
        assert RunFolder.open(run.path).rows() == [row()]
        assert file.read_bytes() == whole


@pytest.mark.parametrize(
    "text", ["{", "[]", "7", '{"format": 1, "entries": 7}', '{"format": 99}', "\0"]
)
def test_a_damaged_manifest_is_one_clear_error(tmp_path: Path, text: str) -> None:
    run = RunFolder.create(tmp_path / "run")
    (run.path / "manifest.json").write_text(text)
    with pytest.raises(
        RunError, match=r"restore it or start a new run|use the editgauge that wrote it"
    ):
        RunFolder.open(run.path)


def test_a_full_disk_is_one_clear_error_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunFolder.create(tmp_path / "run")
    writer = run.writer()
    writer.write([row("s1")])
    real = os.write

    def full(handle: int, data: bytes) -> int:
        real(handle, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(RunError, match=r"No space left on device.*make room"):
            writer.write([row("s2")])
    writer.write([row("s3")])
    writer.close()
    run = RunFolder.open(run.path)
    assert [r.sample for r in run.rows()] == ["s1", "s3"]
    assert run.problems == []


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not a run folder"):
        RunFolder.open(tmp_path)
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(RunError, match="not empty, and not a run"):
        RunFolder.create(tmp_path)
    with pytest.raises(RunError, match="not empty"):
        RunFolder.create(tmp_path / "letter.txt")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RunError, match="cannot be written"):
        RunFolder.create(tmp_path / "run")


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match="cannot be written"):
        RunFolder.create(tmp_path / "file" / "run")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "wanted an object"),
        ('{"format": 99, "editgauge": "9.9"}', "run format 99"),
    ],
)
def test_a_manifest_that_cannot_be_used(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(RunError, match=message):
        RunFolder.open(tmp_path)


def _record(path: str, name: str) -> None:
    for number in range(20):
        RunFolder.open(Path(path)).record(name, number=number)


def test_two_commands_may_write_the_manifest_at_once(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_record, args=(str(run.path), name)) for name in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    entries = run.manifest()["entries"]
    assert sorted((e["command"], e["number"]) for e in entries) == [
        (n, i) for n in "ab" for i in range(20)
    ]
    assert {"editgauge", "python", "numpy"} <= set(entries[0]["versions"])


def test_the_manifest_keeps_no_absolute_path(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    run.record(
        "edit", settings={"path": str(tmp_path / "outputs"), "also": [tmp_path], "text": "a/b"}
    )
    entry = run.manifest()["entries"][0]
    assert entry["settings"] == {"path": "outputs", "also": [tmp_path.name], "text": "a/b"}


def test_samples_are_merged_by_id(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    run.write_samples("b", [{"id": "1", "x": 1}, {"id": "2", "x": 1}])
    run.write_samples("b", [{"id": "2", "x": 5}, {"id": "3", "x": 1}])
    assert [(r["id"], r["x"]) for r in run.samples("b")] == [("1", 1), ("2", 5), ("3", 1)]
    assert run.benchmarks() == ["b"]


def test_a_kept_file_follows_the_original_when_that_is_replaced(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    source = tmp_path / "a.png"
    for text in ("one", "two longer"):
        (tmp_path / "new").write_text(text)
        (tmp_path / "new").replace(source)
        kept = run.keep(source, Path("inputs/b/a.png"))
        assert kept.read_text() == text
    assert [p.name for p in kept.parent.iterdir()] == ["a.png"]


def test_a_file_is_copied_where_it_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EXDEV, "other file system")

    monkeypatch.setattr(os, "link", no_links)
    run = RunFolder.create(tmp_path / "run")
    (tmp_path / "a").write_text("x")
    assert run.keep(tmp_path / "a", Path("inputs/a")).read_text() == "x"


def test_the_newest_record_of_an_edit_counts(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    for status in (Status.FAILED, Status.SCORED):
        with run.edit_writer() as writer:
            run.write_edits(
                [
                    EditRecord(
                        benchmark="b", sample="s", editor="e", status=status, path="edits/b/e/s.png"
                    )
                ],
                writer,
            )
    assert [record.status for record in run.edits("b")] == [Status.SCORED]
    assert run.edits("other") == []
    edit = run.edits()[0].edit(run.path)
    assert edit.path == run.path / "edits/b/e/s.png"


ROWS = st.fixed_dictionaries(
    {
        "value": st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        "text": st.text(max_size=30),
        "detail": st.dictionaries(
            st.text(max_size=5), st.one_of(st.integers(-9, 9), st.text(max_size=9), st.booleans())
        ),
        "repeat": st.integers(0, 5),
    }
)


@settings(max_examples=15)
@given(drawn=st.lists(ROWS, min_size=1, max_size=12))
def test_any_row_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[dict[str, Any]]
) -> None:
    given_rows = [
        row(
            f"{number} {one['text']}",
            one["value"],
            detail=one["detail"],
            repeat=one["repeat"],
            status=Status.FAILED if one["value"] is None else Status.SCORED,
        )
        for number, one in enumerate(drawn)
    ]
    run = RunFolder.create(tmp_path_factory.mktemp("r") / "run")
    with run.writer() as writer:
        writer.write(given_rows)
    assert sorted(run.rows(), key=lambda r: int(r.sample.split()[0])) == given_rows


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", ".x", "a\nb", "x" * 121, 'a"b'])
def test_names_that_are_no_folder_name(name: str) -> None:
    with pytest.raises(RunError, match="wanted 1 to 120 characters"):
        plain_name(name)


def test_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest("ab", "c") != digest("a", "bc")


def test_digest_of_what_json_cannot_hold() -> None:
    assert digest("\ud800", 1 << 80) == digest("\ud800", 1 << 80) != digest("\ud801", 1 << 80)


def test_hashes_are_remembered_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    os.utime(path, (1_000_000, 1_000_000))
    with HashStore(tmp_path / "h.sqlite") as hashes:
        first = hashes(path)
    assert first == fingerprint(path)
    with monkeypatch.context() as patch:
        patch.setattr("editgauge.images.fingerprint", lambda path: pytest.fail("it was read again"))
        with HashStore(tmp_path / "h.sqlite") as hashes:
            assert hashes(path) == first
    path.write_text("two")
    os.utime(path, (2_000_000, 2_000_000))
    with HashStore(tmp_path / "h.sqlite") as hashes:
        assert hashes(path) == fingerprint(path) != first
    assert str(tmp_path).encode() not in (tmp_path / "h.sqlite").read_bytes()


def test_a_file_changed_just_now_is_not_remembered(tmp_path: Path) -> None:
    """Within one tick of the clock it may change again, with the same size and time."""
    path = tmp_path / "a"
    path.write_text("one")
    with HashStore(tmp_path / "h.sqlite") as hashes:
        hashes(path)
    stat = path.stat()
    path.write_text("two")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with HashStore(tmp_path / "h.sqlite") as hashes:
        assert hashes(path) == fingerprint(path)


def test_rows_are_plain_json_lines(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row()])
    line = orjson.loads(segment_of(run).read_bytes())
    assert (line["sample"], line["value"], line["status"]) == ("s1", 1.0, "scored")


def test_many_damaged_records_are_a_list_that_ends(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.edit_writer() as writer:
        writer.write({"benchmark": "b", "sample": str(n), "status": str(n)} for n in range(3000))
    assert run.edits() == []
    assert len(run.problems) == 1001
    assert run.problems[-1].startswith("and more that is damaged")


def test_the_records_of_outputs_are_read_once_for_all_editors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunFolder.create(tmp_path / "run")
    with run.edit_writer() as writer:
        made = (
            EditRecord(benchmark="b", sample="s", editor=e, status=Status.MISSING) for e in "xyz"
        )
        run.write_edits(made, writer)
    readings: list[object] = []
    real = RunFolder.edits
    monkeypatch.setattr(RunFolder, "edits", lambda *words: readings.append(words) or real(*words))
    samples = [make_sample(tmp_path / "data", "s")]
    with HashStore(None) as hashes:
        found = edits_of(run, "b", None, [], samples, hashes)
    assert [record.editor for record in found] == ["x", "y", "z"]
    assert len(readings) == 1


@pytest.mark.parametrize("when", ["before it reads", "while it reads"])
def test_a_run_that_is_deleted_under_a_reader_is_one_right_line(tmp_path: Path, when: str) -> None:
    from editgauge.store import parquet

    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write([row()])
    run = RunFolder.open(run.path)
    files = run.parquet()
    shutil.rmtree(run.path)
    readers = (run.rows, run.edits, lambda: run.samples("mini"))
    if when == "while it reads":
        readers = (lambda: parquet.fetch(files, "SELECT * FROM rows"),) * 3
    for reads in readers:
        with pytest.raises(RunError, match="gone while it was read"):
            reads()
