"""The store of recognised text: once per content, shared by processes, nothing lost when they are
killed.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.errors import ImageError, OcrError
from editgauge.images import Array, write_png
from editgauge.ocr import Identity, Reader, Text, TextStore

TEXTS = [
    Text(((0.0, 0.25), (10.5, 0.0), (10.5, 9.0), (0.0, 9.0)), "naïve “逆风” 🎉\u0301", 0.9731),
    Text(((1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)), "", 0.0),
]


@dataclass(frozen=True)
class Counting:
    """An engine that tells the size of the picture and its first pixel, and writes down each
    call.
    """

    log: Path
    name: str = "counting"
    seconds: float = 0.0

    def identity(self) -> Identity:
        return Identity("counting", "1")

    def own_language(self, language: str) -> str | None:
        return None if language == "ko" else language

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        with self.log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(self.seconds)
        corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
        return [
            Text(
                corners, f"{image.shape[1]}x{image.shape[0]} {image[0, 0].tolist()} {language}", 1.0
            )
        ]

    @property
    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


def reader(tmp_path: Path, **more: Any) -> Reader:
    return Reader(Counting(tmp_path / "log", **more), "counting-1-0", TextStore(tmp_path / "cache"))


def picture(path: Path, colour: int, size: tuple[int, int] = (6, 4)) -> Path:
    write_png(path, np.full((size[1], size[0], 3), colour, np.uint8))
    return path


def test_what_is_kept_comes_back_the_same(tmp_path: Path) -> None:
    store = TextStore(tmp_path / "new" / "cache")
    assert store.get(b"k") is None
    store.put(b"k", "engine", TEXTS)
    store.put(b"none", "engine", [])
    assert store.get(b"k") == TEXTS
    assert store.get(b"none") == []
    assert pickle.loads(pickle.dumps(store)).get(b"k") == TEXTS
    assert len(store) == 2


def test_a_content_is_read_once_whatever_its_name(tmp_path: Path) -> None:
    read = reader(tmp_path)
    one, two = picture(tmp_path / "a.png", 7), picture(tmp_path / "b.png", 7)
    assert read(one) == read(two) == read(one)
    assert read.engine.calls == 1  # type: ignore[attr-defined]
    other = picture(tmp_path / "c.png", 8)
    assert read(other) != read(one)
    assert read(one, size=(6, 4)) == read(one)  # its own size
    assert read.engine.calls == 2  # type: ignore[attr-defined]


def test_size_language_and_engine_are_part_of_what_was_read(tmp_path: Path) -> None:
    read = reader(tmp_path)
    path = picture(tmp_path / "a.png", 7)
    assert read(path)[0].text == "6x4 [7, 7, 7] en"
    assert read(path, size=(12, 8))[0].text == "12x8 [7, 7, 7] en"
    assert read(path, "zh")[0].text == "6x4 [7, 7, 7] zh"
    assert read.engine.calls == 3  # type: ignore[attr-defined]
    other = Reader(read.engine, "counting-2-0", read.store)
    assert other(path) == read(path)
    assert read.engine.calls == 4  # type: ignore[attr-defined]


def test_without_a_store_everything_is_read_each_time(tmp_path: Path) -> None:
    read = Reader(Counting(tmp_path / "log"), "counting-1-0")
    path = picture(tmp_path / "a.png", 7)
    assert read(path) == read(path)
    assert read.engine.calls == 2  # type: ignore[attr-defined]


def test_what_cannot_be_read_is_an_error_and_not_kept(tmp_path: Path) -> None:
    read = reader(tmp_path)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    with pytest.raises(ImageError):
        read(tmp_path / "broken.png")
    with pytest.raises(ImageError):
        read(tmp_path / "gone.png")
    with pytest.raises(OcrError, match="'counting' cannot read the language 'ko'"):
        read(picture(tmp_path / "a.png", 1), "ko")
    assert read.store is not None
    assert len(read.store) == 0


@pytest.mark.parametrize(
    "junk", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_a_damaged_store_is_set_aside(tmp_path: Path, junk: bytes) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "ocr.sqlite").write_bytes(junk)
    store = TextStore(folder)
    assert store.get(b"k") is None
    store.put(b"k", "engine", TEXTS)
    assert store.get(b"k") == TEXTS
    assert (folder / "ocr.sqlite.damaged").read_bytes() == junk


def test_a_damaged_entry_is_read_again(tmp_path: Path) -> None:
    store = TextStore(tmp_path)
    store.put(b"k", "engine", TEXTS)
    with sqlite3.connect(tmp_path / "ocr.sqlite") as database:
        database.execute("UPDATE texts SET texts = ?", (b"[[torn",))
    database.close()
    assert store.get(b"k") is None
    store.put(b"k", "engine", TEXTS)
    assert store.get(b"k") == TEXTS


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    read = Reader(Counting(tmp_path / "log"), "counting-1-0", TextStore(tmp_path / "file"))
    path = picture(tmp_path / "a.png", 7)
    assert read(path) == read(path)
    assert read.engine.calls == 2  # type: ignore[attr-defined]


def _read_all(read: Reader, paths: list[Path], barrier: Any) -> None:
    barrier.wait(30)
    for path in paths:
        read(path)


def test_processes_that_want_the_same_picture_read_it_once(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="no file locks on this system")
    paths = [picture(tmp_path / f"{number}.png", number) for number in range(6)]
    read = reader(tmp_path, seconds=0.03)
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(3)
    workers = [context.Process(target=_read_all, args=(read, paths, barrier)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert read.engine.calls == 6  # type: ignore[attr-defined]


def _write_until_killed(folder: Path, acknowledged: Path) -> None:
    store = TextStore(folder)
    with acknowledged.open("a") as file:
        for number in range(1_000_000):
            store.put(str(number).encode(), "engine", TEXTS)
            file.write(f"{number}\n")
            file.flush()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_nothing_acknowledged_is_lost_by_a_kill(tmp_path: Path) -> None:
    acknowledged = tmp_path / "acknowledged"
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=_write_until_killed, args=(tmp_path / "cache", acknowledged))
    worker.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (
        not acknowledged.exists() or acknowledged.stat().st_size < 2000
    ):
        time.sleep(0.01)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(30)
    numbers = acknowledged.read_text().splitlines()
    assert len(numbers) > 100
    store = TextStore(tmp_path / "cache")
    assert all(store.get(number.encode()) == TEXTS for number in numbers if number)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_reader_does_not_block_the_next(tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png", 7)
    slow = reader(tmp_path, seconds=60.0)
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(1)  # kept: the system forgets a barrier that nobody holds
    worker = context.Process(target=_read_all, args=(slow, [path], barrier))
    worker.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not slow.engine.calls:  # type: ignore[attr-defined]
        time.sleep(0.01)
    assert slow.engine.calls == 1  # type: ignore[attr-defined]
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(30)
    quick = reader(tmp_path)
    assert quick(path)[0].text == "6x4 [7, 7, 7] en"
