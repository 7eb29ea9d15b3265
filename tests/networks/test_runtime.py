"""Devices, threads, reading ahead, and batches that do not fit into memory."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

torch = pytest.importorskip("torch", reason="networks need torch")

from editgauge.errors import UsageError  # noqa: E402
from editgauge.networks import runtime  # noqa: E402
from editgauge.networks.runtime import Halving, Runtime, read_ahead, resolve, threads  # noqa: E402


def test_what_a_device_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve() == resolve("auto") == Runtime("cpu", "float32")
    for device, precision, word in [
        ("cuda", None, "no CUDA device"), ("tpu", None, "wanted auto"),
        ("cpu", "bfloat16", "for a GPU"),
        (None, "int8", "float32, bfloat16"),
    ]:  # fmt: skip
        with pytest.raises(UsageError, match=word):
            resolve(device, precision)


def test_threads_are_set_inside_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    monkeypatch.setenv(runtime.THREADS, "3")
    with threads():
        assert torch.get_num_threads() == 3
    assert torch.get_num_threads() == before
    monkeypatch.setenv(runtime.THREADS, "many")
    with pytest.raises(UsageError, match=runtime.THREADS), threads():
        pass


def test_reading_ahead_keeps_the_order_and_hands_over_errors() -> None:
    def read(number: int) -> int:
        time.sleep(0.002 * (5 - number % 5))
        if number == 7:
            raise ValueError("seven")
        return number * number

    found = list(read_ahead(range(20), read, depth=6, workers=4))
    assert [item for item, _ in found] == list(range(20))
    assert isinstance(found[7][1], ValueError)
    assert [value for item, value in found if item != 7] == [n * n for n in range(20) if n != 7]


def limited(most: int, sizes: list[int]) -> object:
    def run(items: Sequence[int]) -> list[int]:
        sizes.append(len(items))
        if len(items) > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return [item * 2 for item in items]

    return run


def test_results_stay_in_order_and_the_size_is_kept() -> None:
    sizes: list[int] = []
    halving = Halving()
    assert halving(limited(3, sizes), range(10)) == [2 * n for n in range(10)]  # type: ignore[arg-type]
    assert sizes[:3] == [10, 5, 2]
    sizes.clear()
    halving(limited(3, sizes), range(4))  # type: ignore[arg-type]
    assert sizes == [2, 2], "nothing too large is tried again"
