"""A process gets no more than the memory of the machine, and pictures are decoded where limits are."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from editgauge import machine

SOURCE = Path(machine.__file__).parent
DECODERS = {
    "Image.open", "cv2.imread", "cv2.imdecode", "cv2.VideoCapture", "simplejpeg.decode_jpeg",
}  # fmt: skip
HOMES = {"images.py", "judging/pictures.py"}
"""The last: KRIS shows its judge pictures as Pillow writes them, behind the limits of a header."""
GREEDY = """
from editgauge import machine
machine.memory = lambda: 256 << 20
machine.limit_memory()
try:
    bytearray(300 << 20)
except MemoryError:
    print("no more")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit of Linux")
def test_a_process_gets_no_more_than_the_memory_of_the_machine() -> None:
    path = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n"
    program = [sys.executable, "-c", path + GREEDY]
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == "no more\n"


def test_pictures_are_decoded_in_one_place() -> None:
    """What is decoded elsewhere is not limited."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in DECODERS
    }
    assert found == HOMES
