"""Devices, threads, and reading ahead."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="networks need torch")

from editgauge.errors import UsageError  # noqa: E402
from editgauge.networks.runtime import Runtime, resolve  # noqa: E402


def test_what_a_device_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve() == resolve("auto") == Runtime("cpu", "float32")
    for device, precision, word in [
        ("cuda", None, "no CUDA device"), ("tpu", None, "wanted auto"),
        ("cpu", "bfloat16", "for a GPU"), (None, "int8", "float32, bfloat16"),
    ]:  # fmt: skip
        with pytest.raises(UsageError, match=word):
            resolve(device, precision)
