"""Devices, threads, and reading ahead."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="networks need torch")

from editgauge.errors import UsageError  # noqa: E402
from editgauge.networks.runtime import Runtime, resolve  # noqa: E402


def test_what_a_device_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve() == resolve("auto") == Runtime("cpu")
    for device, word in (("cuda", "no CUDA device"), ("tpu", "wanted auto")):
        with pytest.raises(UsageError, match=word):
            resolve(device)
