"""Downloads: continued, checked, retried, and never half a file in place."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.contract.server import Answer, Asked, Server

from editgauge.errors import DownloadError
from editgauge.services.download import Remote, download

DATA = bytes(range(256)) * 400
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.mark.parametrize(
    ("status", "wanted"), [(404, {}), (200, {"sha256": "0" * 64}), (200, {"size": len(DATA) + 1})]
)
def test_a_refusal_is_final_and_other_bytes_are_thrown_away(
    httpserver: HTTPServer, tmp_path: Path, status: int, wanted: Any
) -> None:
    httpserver.expect_request("/f").respond_with_data(DATA, status=status)
    with pytest.raises(DownloadError, match="nothing was kept"):
        download(Remote(url=httpserver.url_for("/f"), **wanted), tmp_path / "f")
    assert not (tmp_path / "f").exists()
    assert len(httpserver.log) == 1


def test_a_connection_that_breaks_is_continued_and_the_file_appears_whole_and_checked(
    tmp_path: Path,
) -> None:
    def answer(asked: Asked) -> Answer:
        """Announces everything, sends 30,000 bytes more and hangs up."""
        start = int(asked.headers.get("range", "bytes=0-")[6:-1])
        head = {"Content-Length": str(len(DATA) - start), "Connection": "close"}
        return Answer(DATA[start : start + 30_000], 206 if start else 200, headers=head)

    seen: list[tuple[int, int | None]] = []
    target = tmp_path / "deep" / "f.bin"
    with Server(answer) as server:
        remote = Remote(url=server.url, sha256=SHA, size=len(DATA))
        known = download(remote, target, wait=0, progress=lambda *numbers: seen.append(numbers))
        assert len(server.asked) == 4, "102,400 bytes, 30,000 at a time"
    assert (known, target.read_bytes(), seen[-1]) == (SHA, DATA, (len(DATA), len(DATA)))
    assert not list(target.parent.glob("*.part"))
