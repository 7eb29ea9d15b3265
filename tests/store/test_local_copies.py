"""Data on stores and in shards: the same samples and rows as from a folder; hostile ones refused."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pytest
from tests.benchmarks.releases import organ_record, organ_set

from editgauge import catalog
from editgauge.errors import DataError, DownloadError
from editgauge.store import addresses, local_copies, shards
from editgauge.store.addresses import address_of

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object]:
    """fsspec's store in memory, empty, and a cache of its own."""
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A small data set in MedEBench's layout."""
    organ_set(tmp_path / "release", [organ_record(n) for n in range(1, 5)], numbers=(1, 2, 3, 4))
    return tmp_path / "release"


def samples_of(place: Path) -> list[tuple[str, str, bytes]]:
    """Id, instruction and picture of each sample."""
    _, _, samples = catalog.open_data("medebench", place, None)
    return [(one.id, one.instruction, one.image.read_bytes()) for one in samples]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("s3://bucket/data", "s3://bucket/data"),
        ("s3://bucket/data/", "s3://bucket/data"),
        ("hf://datasets/a/b", "hf://datasets/a/b"),
        ("data/s3", None),
        ("/data", None),
        ("C:/data", None),
    ],
)
def test_addresses_are_told_from_paths(text: str, address: str | None) -> None:
    assert address_of(text) == address_of(Path(text)) == address


def test_a_store_gives_the_samples_of_its_folder(memory: object, release: Path) -> None:
    wanted = samples_of(release)
    assert len(wanted) == 4
    memory.put(f"{release}/", "/bucket/data/", recursive=True)  # type: ignore[attr-defined]
    shutil.rmtree(release)
    assert samples_of(Path("memory://bucket/data")) == wanted


def test_only_what_has_changed_is_fetched_again(
    memory: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe({"/b/d/one.txt": b"1", "/b/d/two.txt": b"2"})  # type: ignore[attr-defined]
    fetched: list[str] = []
    fetch = addresses.Store.fetch

    def noted(self: addresses.Store, entry: addresses.Entry, target: Path) -> None:
        fetched.append(entry.relative)
        fetch(self, entry, target)

    monkeypatch.setattr(addresses.Store, "fetch", noted)
    place = local_copies.local_folder(Path("memory://b/d"))
    assert place is not None
    assert local_copies.local_folder(Path("memory://b/d")) == place
    assert sorted(fetched) == ["one.txt", "two.txt"]
    memory.pipe("/b/d/one.txt", b"3")  # type: ignore[attr-defined]
    memory.rm("/b/d/two.txt")  # type: ignore[attr-defined]
    local_copies.local_folder(Path("memory://b/d"))
    assert sorted(fetched) == ["one.txt", "one.txt", "two.txt"]
    assert sorted(p.name for p in place.iterdir()) == ["one.txt"]
    assert (place / "one.txt").read_bytes() == b"3"


def test_the_cache_is_bounded(memory: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        memory.pipe(f"/b/{name}/file.bin", bytes(900_000))  # type: ignore[attr-defined]
    monkeypatch.setenv("EDITGAUGE_STORE_CACHE", "2MB")
    of_the_first = ExitStack()
    monkeypatch.setattr(local_copies, "_reading", of_the_first)
    first = local_copies.local_folder(Path("memory://b/a"))
    monkeypatch.setattr(local_copies, "_reading", ExitStack())
    second = local_copies.local_folder(Path("memory://b/b"))
    assert first is not None
    assert second is not None
    with pytest.raises(DataError, match=r"EDITGAUGE_STORE_CACHE"):
        local_copies.local_folder(Path("memory://b/c"))
    assert (first / "file.bin").exists(), "a copy that is read from is not removed"
    of_the_first.close()  # as when the process that read the first has ended
    local_copies.local_folder(Path("memory://b/c"))
    assert not first.exists()
    assert (second / "file.bin").exists()


def test_a_store_that_never_answers_is_named(
    memory: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="nothing is there"):
        local_copies.local_folder(Path("memory://b/nowhere"))
    memory.pipe("/b/d/one.txt", b"1")  # type: ignore[attr-defined]

    def broken(*_: object, **__: object) -> None:
        raise ConnectionError("reset by peer")

    monkeypatch.setattr(type(memory), "get_file", broken)
    with pytest.raises(DownloadError, match="memory://b/d: reset by peer; tried 8 times"):
        local_copies.local_folder(Path("memory://b/d"))


class NoCredentialsError(Exception):
    """As botocore has it."""


def test_an_error_that_no_second_call_mends_is_said_at_once(
    memory: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe("/b/d/one.txt", b"1")  # type: ignore[attr-defined]
    calls = []

    def refused(*_: object, **__: object) -> None:
        calls.append(1)
        raise NoCredentialsError("Unable to locate credentials")

    monkeypatch.setattr(type(memory), "find", refused)
    with pytest.raises(DownloadError, match="Unable to locate credentials; check the address"):
        local_copies.local_folder(Path("memory://b/d"))
    assert len(calls) == 1


# -- shards ----------------------------------------------------------------------------------------


def tar(path: Path, *members: tuple[str, bytes | str]) -> Path:
    """A tar file; a text as content makes a link to it."""
    with tarfile.open(path, "w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return path


def test_tar_shards_give_the_samples_of_their_folder(
    memory: object, release: Path, tmp_path: Path
) -> None:
    wanted = samples_of(release)
    files = sorted(path for path in release.rglob("*") if path.is_file())
    (tmp_path / "shards").mkdir()
    for number in range(3):
        tar(
            tmp_path / "shards" / f"data-{number:03d}.tar",
            *((p.relative_to(release).as_posix(), p.read_bytes()) for p in files[number::3]),
        )
    shutil.rmtree(release)
    assert samples_of(tmp_path / "shards") == wanted
    memory.put(f"{tmp_path / 'shards'}/", "/b/shards/", recursive=True)  # type: ignore[attr-defined]
    shutil.rmtree(tmp_path / "shards")
    assert samples_of(Path("memory://b/shards")) == wanted


def test_parquet_with_the_bytes_of_files_gives_them(
    memory: object, release: Path, tmp_path: Path
) -> None:
    wanted = samples_of(release)
    files = sorted(path for path in release.rglob("*") if path.is_file())
    target = tmp_path / "data.parquet"
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t (image STRUCT(bytes BLOB, path VARCHAR))")
        db.executemany(
            "INSERT INTO t VALUES ({'bytes': ?, 'path': ?})",
            [[p.read_bytes(), p.relative_to(release).as_posix()] for p in files],
        )
        db.execute(f"COPY t TO '{target}' (FORMAT parquet)")
    shutil.rmtree(release)
    assert samples_of(target) == wanted
    target.rename(tmp_path / "other.parquet")  # in columns of their own
    with duckdb.connect() as db:
        db.execute(
            f"COPY (SELECT image.bytes AS bytes, image.path AS path FROM "
            f"'{tmp_path / 'other.parquet'}') TO '{target}' (FORMAT parquet)"
        )
    assert samples_of(target) == wanted


@pytest.mark.parametrize("cut", [100, 700, 1300])
def test_a_truncated_shard_is_named(tmp_path: Path, cut: int) -> None:
    whole = tar(tmp_path / "whole.tar", ("a", bytes(600)), ("b", bytes(600))).read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:cut])
    with pytest.raises(DataError, match=r"cut\.tar: no tar file that can be read"):
        shards.unpack([tmp_path / "cut.tar"], tmp_path / "target", limit=10_000)


def test_a_parquet_file_of_something_else_is_named(tmp_path: Path) -> None:
    target = tmp_path / "rows.parquet"
    with duckdb.connect() as db:
        db.execute(f"COPY (SELECT 1 AS a) TO '{target}' (FORMAT parquet)")
    with pytest.raises(DataError, match=r"rows\.parquet: wanted a column .* found a"):
        shards.unpack([target], tmp_path / "one", limit=1000)
    target.write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"rows\.parquet: no Parquet file"):
        shards.unpack([target], tmp_path / "two", limit=1000)


def test_the_usual_writer_of_shards_is_read(tmp_path: Path) -> None:
    wds = pytest.importorskip("webdataset")
    with wds.TarWriter(str(tmp_path / "s.tar")) as sink:
        sink.write({"__key__": "0001", "png": b"not looked at", "txt": "a text"})
    shards.unpack([tmp_path / "s.tar"], tmp_path / "out", limit=1000)
    assert (tmp_path / "out" / "0001.png").read_bytes() == b"not looked at"
    shutil.rmtree(tmp_path / "out")
