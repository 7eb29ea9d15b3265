"""Which kernels OpenCV computes with in a scoring process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from editgauge.metrics import native

SOURCE = Path(__file__).resolve().parents[2] / "src"
FRESH = """
import ctypes, json, os, sys
sys.path.insert(0, sys.argv[1])
import cv2
from editgauge.metrics import native
library, own = native._bundled_openblas(), None
if library is not None:
    library.openblas_get_corename.restype = ctypes.c_char_p
    own = library.openblas_get_corename().decode()
found = [native.settle_opencv(), native.settle_opencv()]
print(json.dumps([own, *found, "OPENBLAS_CORETYPE" in os.environ]))
"""


def test_kernels_are_the_same_on_every_able_processor() -> None:
    """Kernels before, after, after once more, and whether the variable is set then."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    program = [sys.executable, "-c", FRESH, str(SOURCE)]
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=environment)
    own, found, again, left_behind = json.loads(done.stdout)
    if own is None:
        pytest.skip("this build of OpenCV has no OpenBLAS of its own")
    assert found == again
    assert found == ("Haswell" if own in (*native._ABLE, "Haswell") else own)
    assert left_behind is False
