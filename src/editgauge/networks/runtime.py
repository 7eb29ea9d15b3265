"""Where and how networks run: device, threads; reading pictures ahead of them."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from editgauge.errors import MissingExtra, UsageError
from editgauge.machine import cores

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = "EDITGAUGE_THREADS"
_READERS = 16
"""Threads that read for one GPU, at most."""


def torch_for(feature: str) -> Any:
    """The torch module. Raises `MissingExtra` naming the feature."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra(feature, "torch", "neural") from error
    return torch


def told(error: BaseException) -> str:
    """A library's error as one line: its first cause; advice if torchvision does not fit torch."""
    causes = [error]
    while (before := causes[-1].__cause__ or causes[-1].__context__) and before not in causes:
        causes.append(before)
    first = causes[-1]
    line = " ".join(f"{type(first).__name__}: {first}".split())[:300]
    if any("torchvision" in str(cause).lower() for cause in causes):
        return (
            f"it needs a torchvision that fits this torch: pip install --upgrade torch torchvision "
            f"'editgauge[diffusion]' ({line})"
        )
    return line


@dataclass(frozen=True, slots=True)
class Runtime:
    """A device, resolved: ``cuda`` and not ``auto``. Networks run in float32, which reproduces
    published numbers.
    """

    device: str = "cpu"


def resolve(device: str | None = None) -> Runtime:
    """The runtime for a device (``auto``, ``cpu``, ``cuda``, ``cuda:1``). On CUDA, TF32 is switched
    off: with it float32 would not be float32. Raises `UsageError` for an unknown word or a device
    that is not there, and `MissingExtra` without torch.
    """
    wanted = device or "auto"
    torch = torch_for("a neural metric")
    if wanted == "auto":
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, place = wanted.partition(":")
    if kind not in ("cpu", "cuda") or not (place or "0").isdigit():
        raise UsageError(f"device {wanted!r}: wanted auto, cpu, cuda or cuda:N")
    if kind == "cuda":
        if not torch.cuda.is_available():
            raise UsageError(f"device {wanted!r}: torch finds no CUDA device here; take cpu")
        if int(place or 0) >= torch.cuda.device_count() and os.environ.get("CUDA_VISIBLE_DEVICES"):
            wanted = "cuda"  # a worker of a cluster sees its own GPU alone, whatever its number
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
    return Runtime(wanted)


def gpus(device: str | None) -> int | None:
    """How many GPUs of a cluster's node a device wants; None: one if there is any (``auto``)."""
    return None if device in (None, "auto") else int(device != "cpu")


@contextlib.contextmanager
def threads() -> Iterator[None]:
    """Torch's CPU threads inside: ``EDITGAUGE_THREADS``, else the processors this process may use;
    the former number is set again afterwards.
    """
    torch, text = torch_for("a neural metric"), os.environ.get(THREADS, "")
    before = torch.get_num_threads()
    torch.set_num_threads(int(text) if text.isdigit() else cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)


def reading_for(device: str, batch: int = 1) -> tuple[int, int]:
    """How far pictures are read ahead of a network that takes `batch` at once, and by how many
    threads: a processor's own time is short, a GPU waits for whoever decodes.
    """
    if device == "cpu":
        return (4, 1) if batch == 1 else (2 * batch, 2)
    workers = max(2, min(_READERS, cores() - 1))
    return max(2 * batch, 4 * workers), workers


def read_ahead(
    items: Iterable[Item], read: Callable[[Item], Result], *, depth: int = 4, workers: int = 1
) -> Iterator[tuple[Item, Result | Exception]]:
    """Apply `read` in other threads, at most `depth` items ahead, and give the results in order.
    An exception is given as a result, not raised.
    """
    with ThreadPoolExecutor(workers, thread_name_prefix="read-ahead") as pool:
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        source = iter(items)
        try:
            while True:
                for item in itertools.islice(source, depth + 1 - len(waiting)):
                    waiting.append((item, pool.submit(read, item)))
                if not waiting:
                    return
                item, future = waiting.popleft()
                error = future.exception()
                # the caller gives it a status and a reason
                yield item, error if isinstance(error, Exception) else future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, the last one shorter."""
    source = iter(items)
    while batch := list(itertools.islice(source, size)):
        yield batch


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that a device's memory (or the CPU's) did not suffice."""
    if isinstance(error, MemoryError):
        return True
    text = str(error).lower()  # torch's own errors are of this kind
    named = "out of memory" in text or "can't allocate memory" in text
    return isinstance(error, RuntimeError) and named


def free_memory() -> None:
    """Give back what the GPU's allocator keeps for later."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
