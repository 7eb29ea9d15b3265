"""Devices, threads, and reading ahead."""

from __future__ import annotations

import time

import pytest

torch = pytest.importorskip("torch", reason="networks need torch")

from editgauge.errors import UsageError  # noqa: E402
from editgauge.networks import runtime  # noqa: E402
from editgauge.networks.runtime import Runtime, read_ahead, resolve, threads  # noqa: E402


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
