"""Constants of released scripts by `ast`, pinned by their text.

That the requests are equal to the scripts' own is `tests/contract/test_judge_requests.py`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from editgauge.judging.paper import ReleasedPrompts, ScriptFile, fetch, load
from editgauge.judging.questions import Track

SOURCE = 'PLAIN = "one" "two"\n\nRUBRICS = {"n": 3}\n'
FILE = ScriptFile(path="src/x.py", commit=None, sha256=hashlib.sha256(SOURCE.encode()).hexdigest())
TRACK = Track(metrics=(), ask=lambda *about: ())
DECLARED = ReleasedPrompts(
    benchmark="b", repository="o/r", files=(FILE,), track=lambda scripts: TRACK
)


@pytest.mark.parametrize(
    ("place", "ends"), [("src/x.py", "\n"), ("x.py", "\r\n"), ("deep/below/x.py", "\n")]
)
def test_a_script_is_found_in_a_clone_whatever_its_line_ends(
    tmp_path: Path, place: str, ends: str
) -> None:
    path = tmp_path / "clone" / place
    path.parent.mkdir(parents=True)
    path.write_bytes(SOURCE.replace("\n", ends).encode())
    found = fetch(DECLARED, tmp_path / "set", clone=tmp_path / "clone")
    assert found["src/x.py"].constant("PLAIN") == "onetwo"
    assert load(DECLARED, tmp_path / "set").fingerprint == found.fingerprint
