"""What a scoring process is set to, and that it changes no value."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

from editgauge import native
from editgauge.native import tune_worker

SOURCE = Path(__file__).resolve().parents[1] / "src"
FRESH = """
import json, sys
sys.path.insert(0, sys.argv[1])
import cv2
from editgauge import native
library = native._bundled_openblas()
def name():
    return None if library is None else library.gotoblas_corename and __import__("ctypes").cast(
        library.openblas_get_corename(), __import__("ctypes").c_char_p).value.decode()
if library is not None:
    library.openblas_get_corename.restype = __import__("ctypes").c_void_p
own = name()
found = native.settle_opencv()
print(json.dumps([own, found, native.settle_opencv(), "OPENBLAS_CORETYPE" in __import__("os").environ]))
"""


def fresh(**environment: str) -> list[object]:
    inherited = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    done = subprocess.run(
        [sys.executable, "-c", FRESH, str(SOURCE)],
        capture_output=True,
        text=True,
        check=True,
        env={**inherited, **environment},
    )
    result: list[object] = json.loads(done.stdout)
    return result


def test_kernels_are_the_same_on_every_able_processor() -> None:
    own, found, again, left_behind = fresh()
    if own is None:
        pytest.skip("this build of OpenCV has no OpenBLAS of its own")
    assert found == again
    assert found == ("Haswell" if own in (*native._ABLE, "Haswell") else own)
    assert left_behind is False


def test_the_users_choice_of_kernels_is_respected() -> None:
    own, found, _, left_behind = fresh(OPENBLAS_CORETYPE="Nehalem")
    if own is None:
        pytest.skip("this build of OpenCV has no OpenBLAS of its own")
    assert own == found == "Nehalem"
    assert left_behind is True


def test_a_worker_has_one_thread() -> None:
    before = cv2.getNumThreads()
    try:
        tune_worker()
        tune_worker()
        assert cv2.getNumThreads() == 1
    finally:
        cv2.setNumThreads(before)
