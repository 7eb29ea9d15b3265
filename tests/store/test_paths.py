"""What a run folder keeps of texts that name files of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.store.paths import portable, without_roots


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/data/set/a/4.jpg: not a picture", "a/4.jpg: not a picture"),
        ("in '/data/set': nothing", "in '.': nothing"),
        ("/data/settled/4.jpg: not a picture", "4.jpg: not a picture"),  # another folder
        ("weights at (/opt/models/clip/model.bin) are torn", "weights at (model.bin) are torn"),
        (r"C:\Users\me\pictures\4.jpg: not a picture", "4.jpg: not a picture"),
        ("score 7/10, n/a, 3 / 4, a/b/c", "score 7/10, n/a, 3 / 4, a/b/c"),
        ("see https://example.org/a/b and </b/i>", "see https://example.org/a/b and </b/i>"),
        ("inputs/mini/4.png: not there", "inputs/mini/4.png: not there"),
        ("", ""),
    ],
)
def test_reasons_name_files_as_a_reader_finds_them(text: str, wanted: str) -> None:
    assert portable(text, [Path("/data/set")]) == wanted


def test_details_keep_what_was_read_in_a_picture() -> None:
    detail = {"text": "rm -rf /usr/local/lib", "file": "/run/a/x.png"}
    assert without_roots(detail, ["/run/a"]) == {**detail, "file": "x.png"}
