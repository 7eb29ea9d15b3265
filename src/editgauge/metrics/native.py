"""Settings of the native libraries in a process that computes scores."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
from pathlib import Path
from typing import Any

import cv2
from numpy.typing import NDArray

BLAS_CORE = "Haswell"
_ABLE = ("Zen", "SkylakeX", "Cooperlake", "SapphireRapids")
"""What OpenBLAS chooses itself where AVX2 is there as well."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_LARGEST_MMAP_THRESHOLD = 32 << 20  # glibc accepts no more


def tune_worker() -> None:
    """Prepare a process that only computes scores: one thread for OpenCV, and (glibc) memory kept
    between pictures: SIFT's large buffers take a fifth of the pixel track otherwise.
    """
    cv2.setNumThreads(1)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            mallopt = ctypes.CDLL(None).mallopt
            mallopt(_M_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD)
            mallopt(_M_TRIM_THRESHOLD, 1 << 30)


@functools.cache
def settle_opencv() -> str:
    """Make OpenCV's linear algebra the same on every x86 machine, once a process, before the first
    alignment; returns the name of the kernels in use, or "".

    OpenCV's wheels carry an OpenBLAS that chooses its kernels by the processor; the mean squared
    error after `estimateAffinePartial2D` moves by up to 1e-4 of itself between an AVX2 and an
    AVX-512 machine. The AVX2 kernels ("Haswell", also used on every AMD Zen) run on both. Where
    that is not possible, or the environment has ``OPENBLAS_CORETYPE``, everything stays as it is.
    NumPy has a copy of its own, which is left alone.
    """
    library = _bundled_openblas()
    if library is None:
        return ""
    name = library.openblas_get_corename
    name.restype = ctypes.c_char_p
    free = "OPENBLAS_CORETYPE" not in os.environ and hasattr(library, "gotoblas_dynamic_quit")
    if free and (name() or b"").decode("ascii", "replace") in _ABLE:
        os.environ["OPENBLAS_CORETYPE"] = BLAS_CORE
        try:
            library.gotoblas_dynamic_quit()
            library.gotoblas_dynamic_init()
        finally:
            del os.environ["OPENBLAS_CORETYPE"]
    return str((name() or b"").decode("ascii", "replace"))


def _bundled_openblas() -> ctypes.CDLL | None:
    """The OpenBLAS of OpenCV's own wheel, if loaded: never one that others use too."""
    if sys.platform != "linux":
        return None
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
        paths = {line.split(maxsplit=5)[5] for line in lines if "libopenblas" in line}
        ours = sorted(path for path in paths if Path(path).parent.name.startswith("opencv"))
        return ctypes.CDLL(ours[0], mode=os.RTLD_NOLOAD | os.RTLD_LAZY) if ours else None
    except OSError:
        return None


def on_device(array: NDArray[Any], device: str) -> Any:
    """An array as a tensor of torch on a device. On the way to a GPU it lies in pinned memory, so
    that the copy runs while the processor goes on; values do not depend on it.
    """
    import torch

    tensor = torch.from_numpy(array)
    if device.partition(":")[0] != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
