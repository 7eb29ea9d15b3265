"""Batches that do not fit into memory are halved, and what fitted is remembered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

torch = pytest.importorskip("torch", reason="networks need the extra neural")

from editgauge.networks.runtime import Halving  # noqa: E402


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


def test_one_that_does_not_fit_says_so_and_other_errors_pass() -> None:
    with pytest.raises(torch.cuda.OutOfMemoryError):
        Halving()(limited(0, []), [1])  # type: ignore[arg-type]

    def wrong(items: Sequence[int]) -> list[int]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Halving()(wrong, [1, 2])
