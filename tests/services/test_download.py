"""Downloads: continued, checked, retried, and never half a file in place."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
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


@pytest.fixture
def cutting_server() -> Iterator[tuple[str, list[bytes]]]:
    """Announces everything, sends 30,000 bytes more on each connection, then hangs up."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    asked.append(connection.recv(65536))
                    _, _, rest = asked[-1].partition(b"Range: bytes=")
                    start = int(rest.partition(b"-")[0] or 0)
                    status = b"206 Partial Content" if start else b"200 OK"
                    length = len(DATA) - start
                    head = b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n" % (status, length)
                    connection.sendall(head + DATA[start : start + 30_000])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/f", asked
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def test_a_connection_that_breaks_is_continued(
    cutting_server: tuple[str, list[bytes]], tmp_path: Path
) -> None:
    url, asked = cutting_server
    download(Remote(url=url, sha256=SHA), tmp_path / "f", wait=0)
    assert (tmp_path / "f").read_bytes() == DATA
    assert len(asked) == 4, "102,400 bytes, 30,000 at a time"
