"""Downloads: continued, checked, retried, and never half a file in place."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from tests.contract.server import Answer, Asked, Server
from werkzeug import Request, Response

from editgauge.errors import DownloadError
from editgauge.services.download import Remote, download

DATA = bytes(range(256)) * 400
SHA = hashlib.sha256(DATA).hexdigest()


def with_ranges(request: Request) -> Response:
    start = int(request.headers.get("Range", "bytes=0-")[6:-1])
    if start >= len(DATA):
        return Response(status=416)
    return Response(DATA[start:], status=206 if start else 200)


def test_the_file_appears_whole_and_checked(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/f").respond_with_handler(with_ranges)
    seen: list[tuple[int, int | None]] = []
    remote = Remote(url=httpserver.url_for("/f"), sha256=SHA, size=len(DATA))
    target = tmp_path / "deep" / "f.bin"
    assert download(remote, target, progress=lambda *numbers: seen.append(numbers)) == SHA
    assert target.read_bytes() == DATA
    assert seen[-1] == (len(DATA), len(DATA))
    assert not list(target.parent.glob("*.part"))


def test_a_refusal_is_final(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/f").respond_with_data("no", status=404)
    with pytest.raises(DownloadError, match="HTTP 404"):
        download(Remote(url=httpserver.url_for("/f")), tmp_path / "f")
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("wrong", [{"sha256": "0" * 64}, {"size": len(DATA) + 1}])
def test_other_bytes_are_thrown_away(
    httpserver: HTTPServer, tmp_path: Path, wrong: dict[str, str]
) -> None:
    httpserver.expect_request("/f").respond_with_data(DATA)
    with pytest.raises(DownloadError):
        download(Remote(url=httpserver.url_for("/f"), **wrong), tmp_path / "f")  # type: ignore[arg-type]
    assert not (tmp_path / "f").exists()


def test_a_connection_that_breaks_is_continued(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Answer:
        """Announces everything, sends 30,000 bytes more and hangs up."""
        start = int(asked.headers.get("range", "bytes=0-")[6:-1])
        head = {"Content-Length": str(len(DATA) - start), "Connection": "close"}
        return Answer(DATA[start : start + 30_000], 206 if start else 200, headers=head)

    with Server(answer) as server:
        download(Remote(url=server.url, sha256=SHA), tmp_path / "f", wait=0)
        assert len(server.asked) == 4, "102,400 bytes, 30,000 at a time"
    assert (tmp_path / "f").read_bytes() == DATA
