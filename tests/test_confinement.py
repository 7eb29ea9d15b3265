"""What decoders may do to a process: seen in one of its own, as limits and standard error are its
own.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

from editgauge import confinement

SOURCE = Path(confinement.__file__).parent
DECODERS = (
    "Image.open",
    "cv2.imread",
    "cv2.imdecode",
    "cv2.VideoCapture",
    "simplejpeg.decode_jpeg",
)
HOMES = {"images.py", "judging/pictures.py"}
"""The last: KRIS shows its judge pictures as Pillow writes them, behind the limits of a header."""

DECODE = """
from pathlib import Path
from editgauge import confinement, images
for enabled in (False, True):
    if enabled:
        confinement.enable()
    print("confined" if enabled else "free", file=sys.stderr, flush=True)
    for path in sys.argv[1:]:
        try:
            images.read_image(Path(path))
        except images.ImageError as error:
            assert "a.tif" in str(error)
"""
START = """
import os, subprocess
from editgauge import confinement
PROGRAM = "import sys; print('of a program', file=sys.stderr)"
confinement.enable()
with confinement.silenced():
    os.write(2, b"of a library")
    print("our own", file=sys.stderr)
    subprocess.run([sys.executable, "-S", "-c", PROGRAM], check=True)
    with confinement.starting():
        subprocess.run([sys.executable, "-S", "-c", PROGRAM], check=True)
    with confinement.silenced():
        os.write(2, b"of a library")
    os.write(2, b"of a library")
os.write(2, b"the end")
"""
GREEDY = """
from editgauge import confinement, machine
machine.memory = lambda: 256 << 20
confinement.enable()
try:
    bytearray(300 << 20)
except MemoryError:
    print("no more", file=sys.stderr)
"""


def standard_error(code: str, *words: str) -> list[str]:
    """What a program writes there, by lines."""
    path = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n"
    program = [sys.executable, "-c", path + code, *words]
    return subprocess.run(program, capture_output=True, text=True, check=True).stderr.splitlines()


def damaged_tiff() -> bytes:
    """Its compressed pixels are none: libtiff says so on standard error."""
    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), (9, 99, 200)).save(buffer, "TIFF", compression="tiff_adobe_deflate")
    data = buffer.getvalue()
    at = data.index(zlib.compress(bytes(1))[:1], 8)
    return data[: at + 2] + b"\xff" * 8 + data[at + 10 :]


def test_what_libraries_write_reaches_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    path.write_bytes(damaged_tiff())
    lines = standard_error(DECODE, str(path))
    assert lines[0] == "free"
    assert "ZIPDecode" in lines[1]  # or there is nothing here to be silenced
    assert lines[-1] == "confined"


def test_no_message_of_ours_or_of_a_program_is_lost() -> None:
    assert standard_error(START) == ["our own", "of a program", "the end"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit of Linux")
def test_a_confined_process_gets_no_more_than_the_memory_of_the_machine() -> None:
    assert standard_error(GREEDY) == ["no more"]


def test_pictures_are_decoded_in_one_place() -> None:
    """What is decoded elsewhere is neither limited nor silenced."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in DECODERS
    }
    assert found == HOMES
