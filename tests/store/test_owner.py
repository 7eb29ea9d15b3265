"""A file of another run, laid among a run's own: told, left out, and made again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import invoke
from tests.made_rows import row
from tests.store.damaged import make_run, state, without_ids

from editgauge.errors import RunError
from editgauge.services.ledger import Ledger
from editgauge.store import owner
from editgauge.store.examine import examine, repair
from editgauge.store.merge import merge
from editgauge.store.run_folder import RunFolder
from editgauge.store.segments import MARK
from editgauge.study.store import StudyStore

Two = tuple[Path, Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Two:
    """Two runs of one benchmark, made alike; the other has other numbers."""
    place = tmp_path_factory.mktemp("made")
    other = make_run(place / "other")
    rows = other.rows()
    with other.writer("score") as writer:
        writer.retire((one.key, one.fingerprint) for one in rows)
    with other.writer("score") as writer:
        writer.write(row(f"s{n}", "one", "ssim", 0.9, variant="corrected") for n in range(6))
    other.record("score")
    other.parquet()
    return make_run(place / "run").path, other.path


@pytest.fixture
def two(tmp_path: Path, made: Two) -> Two:
    """Copies of them: a copy has the id of the run."""
    run, other = (Path(shutil.copytree(path, tmp_path / path.name)) for path in made)
    return run, other


def last(run: Path, room: str = "rows/segments") -> Path:
    """The newest segment; their numbers tell."""
    return max((run / room).glob("*.jsonl"), key=lambda path: path.name.split("-")[1])


def lay_segment(run: Path, other: Path) -> str:
    return shutil.copy(last(other), run / "rows/segments")


def swap_segment(run: Path, other: Path) -> str:
    return shutil.copy(last(other), last(run))


def lay_edits(run: Path, other: Path) -> str:
    return shutil.copy(last(other, "rows/edits"), run / "rows/edits")


def swap_samples(run: Path, other: Path) -> str:
    return shutil.copy(other / "samples/mini.jsonl", run / "samples")


def lay_line(run: Path, other: Path) -> str:
    with last(run).open("ab") as file:
        file.write(last(other).read_bytes().splitlines(keepends=True)[-1])
    return str(last(run))


LAID: list[Callable[[Path, Path], str]] = [
    lay_segment, swap_segment, lay_edits, swap_samples, lay_line,
]  # fmt: skip


@pytest.mark.parametrize("lay", LAID)
def test_records_of_another_run(two: Two, lay: Callable[[Path, Path], str]) -> None:
    run, other = two
    truth = state(RunFolder.open(run))
    name = Path(lay(run, other)).name
    opened = RunFolder.open(run)
    found = state(opened)
    for kind, known in truth.items():
        assert found[kind].items() <= known.items()
    (said,) = [text for text in opened.problems if "of another run" in text]
    assert name in said
    assert "left out" in said
    told = invoke(["check-run", str(run)])
    assert told.exit_code == 1
    assert f"{name}: " in told.output
    assert "of another run" in told.output
    merged = RunFolder.create(run.parent / "merged")
    assert any("of another run" in text for text in merge([opened], merged).problems)
    assert state(merged)["rows"].keys() == found["rows"].keys()
    repair(RunFolder.open(run))
    again = RunFolder.open(run)
    assert examine(again) == []
    assert again.problems == []
    assert state(again) == found


def test_a_row_that_was_swapped_is_not_done(tmp_path: Path) -> None:
    runs = [tmp_path / "one", tmp_path / "two"]
    for run in runs:
        made = RunFolder.create(run)
        with made.writer("score") as writer:
            writer.write([row("s1", "one", "ssim", 0.25)])
        made.record("score")
    shutil.copy(last(runs[1]), last(runs[0]))
    run = RunFolder.open(runs[0])
    assert run.done("mini") == {}  # what is not done is what `score` makes
    with run.writer("score") as writer:
        writer.write([row("s1", "one", "ssim", 0.25)])
    assert len(run.done("mini")) == 1


def test_what_is_said_of_metrics(two: Two) -> None:
    run, other = two
    shutil.copy(other / "metrics.json", run)
    with pytest.raises(RunError, match=r"metrics\.json: cannot be read \(of another run"):
        RunFolder.open(run).metrics("mini")
    assert "of another run" in invoke(["check-run", str(run), "--repair"]).output
    assert (run / "metrics.json.damaged").exists()
    assert RunFolder.open(run).metrics("mini") == {}


def test_a_parquet_file_of_another_run_is_not_taken(two: Two) -> None:
    run, other = two
    truth = state(RunFolder.open(run))["rows"]
    (theirs,) = RunFolder.open(other).parquet()
    (mine,) = RunFolder.open(run).parquet()
    for suffix in (".parquet", ".json"):
        shutil.copy(Path(theirs).with_suffix(suffix), Path(mine).with_suffix(suffix))
    assert state(RunFolder.open(run))["rows"] == truth


@pytest.mark.parametrize("earlier", [False, True], ids=["now", "of an earlier version"])
def test_a_manifest_of_another_run_ends_no_rows(two: Two, earlier: bool) -> None:
    run, other = two
    if earlier:
        without_ids(run)
    truth = state(RunFolder.open(run))["rows"]
    own = (run / "manifest.json").read_bytes()
    shutil.copy(other / "manifest.json", run)
    opened = RunFolder.open(run)
    assert opened.rows() == []
    assert any("of another run" in text for text in opened.problems)
    told = invoke(["check-run", str(run), "--repair"])
    assert "manifest.json: of another run" in told.output
    assert not list(run.rglob("*.damaged"))
    (run / "manifest.json").write_bytes(own)
    again = RunFolder.open(run)
    assert state(again)["rows"] == truth
    assert again.problems == []


def test_a_flipped_bit_in_the_id_loses_nothing(two: Two) -> None:
    run, _ = two
    truth = state(RunFolder.open(run))
    path = run / "manifest.json"
    (mine,) = RunFolder.open(run).owner().ids
    data = path.read_bytes()
    assert mine.encode() in data
    flipped = "0" if mine[0] != "0" else "1"
    path.write_bytes(data.replace(mine.encode(), (flipped + mine[1:]).encode()))
    opened = RunFolder.open(run)
    assert any("manifest.json: changed by hand or damaged" in text for text in opened.problems)
    assert state(opened) == truth
    opened.record("look")
    again = RunFolder.open(run)
    assert again.problems == []
    assert again.owner().ids == (mine,)
    assert state(again) == truth


def test_costs_and_studies_of_another_run_are_refused(two: Two) -> None:
    for run in two:
        with Ledger(run / "ledger.sqlite", purpose="judge"):
            pass
        StudyStore(run / "study/first.sqlite", RunFolder.open(run).owner()).close()
    run, other = two
    for name in ("ledger.sqlite", "study/first.sqlite"):
        shutil.copy(other / name, run / name)
    with pytest.raises(RunError, match="of another run"):
        Ledger(run / "ledger.sqlite", purpose="judge")
    with pytest.raises(RunError, match="of another run"):
        StudyStore(run / "study/first.sqlite", RunFolder.open(run).owner())


def test_copies_and_new_names_keep_their_records(two: Two, tmp_path: Path) -> None:
    run, _ = two
    truth = state(RunFolder.open(run))["rows"]
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    renamed = run.rename(tmp_path / "renamed")
    with RunFolder.create(copy).writer() as writer:
        writer.write([row("s1", "three", "ssim", 0.5)])
    shutil.copy(last(copy), renamed / "rows/segments")
    found = RunFolder.open(renamed)
    assert len(state(found)["rows"]) == len(truth) + 1
    assert found.problems == []


def test_an_older_copy_of_a_segment_is_told(two: Two) -> None:
    run, _ = two
    path = last(run)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    assert "lines at its end are gone" in RunFolder.open(run).problems[0]
    path.unlink()
    assert "lines at its end are gone" in RunFolder.open(run).problems[0]


# -- runs of earlier versions ----------------------------------------------------------------------


def test_a_run_of_an_earlier_version(two: Two) -> None:
    run, other = two
    truth = state(RunFolder.open(run))
    without_ids(run)
    assert "run" not in MARK.sub(b"", last(run).read_bytes().splitlines()[-1]).decode()
    opened = RunFolder.open(run)
    assert state(opened) == truth
    assert opened.problems == []
    assert "cannot be told" in invoke(["check-run", str(run)]).output
    lay_segment(run, other)  # one with an id is told even so
    with_id = RunFolder.open(run)
    assert state(with_id) == truth
    assert any("of another run" in text for text in with_id.problems)
    repair(RunFolder.open(run))
    with RunFolder.create(run).writer() as writer:
        writer.write([row("s1", "three", "ssim", 0.5)])
    again = RunFolder.open(run)
    assert again.problems == []
    assert len(state(again)["rows"]) == len(truth["rows"]) + 1
    assert again.owner().older
    without_ids(other)  # and one without, once the run has an id
    lay_segment(run, other)
    late = RunFolder.open(run)
    assert state(late)["rows"] == state(again)["rows"]
    assert any("no run's id" in text for text in late.problems)


def test_copies_of_an_older_run_get_the_same_id(two: Two, tmp_path: Path) -> None:
    run, _ = two
    without_ids(run)
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    assert RunFolder.create(run).own_id() == RunFolder.create(copy).own_id()


def test_ids_that_are_none_refuse_nothing() -> None:
    assert owner.owner_of({"ids": ["../x"]}) == owner.ANYONE
    assert owner.owner_of({"ids": "abc"}) == owner.ANYONE
    assert owner.ANYONE.fault("segments/x.jsonl", "0123456789ab") == ""
