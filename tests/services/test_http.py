"""The transport on servers that say whatever they like: one deadline, one limit for an exchange."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from editgauge.services import http as http_module
from editgauge.services.http import Http, Lost, Request, is_own_network
from editgauge.services.secrets import Secrets

Talk = Callable[[socket.socket, int], None]
"""What a server says on a connection, after a request; the number is the connection's."""


@contextmanager
def talking(talk: Talk) -> Iterator[str]:
    """The address of a server that hears one request a connection."""

    def one(connection: socket.socket, number: int) -> None:
        with connection:
            try:
                connection.recv(65536)
                talk(connection, number)
            except OSError:  # the client has left
                pass

    def serve() -> None:
        for number in range(1000):
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection, number), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        listening.shutdown(socket.SHUT_RDWR)


def get(url: str, http: Http | None = None, **more: Any) -> bytes:
    http = http or Http({"Authorization": "Bearer k"}, Secrets(["k-secret"]), timeout=5)
    return http.send(Request(url=url, method="GET", **more)).data


def dripping(piece: bytes, first: bytes = b"HTTP/1.1 200 OK\r\n") -> Talk:
    def talk(connection: socket.socket, number: int) -> None:
        connection.sendall(first)
        for _ in range(400):
            connection.sendall(piece)
            time.sleep(0.01)

    return talk


@pytest.mark.parametrize(
    ("piece", "first"),
    [
        (b"x: y\r\n", b"HTTP/1.1 200 OK\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b""),
        (b"1\r\n \r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (b"", b""),
    ],
    ids=["headers", "promises", "a body without end", "silence"],
)
def test_one_deadline_for_all_of_an_exchange(piece: bytes, first: bytes) -> None:
    with talking(dripping(piece, first)) as url:
        with pytest.raises(Lost, match=r"within 0\.15 s") as lost:
            get(url, seconds=0.15)
        assert lost.value.sent
        assert lost.value.late


def test_an_answer_may_take_longer_than_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit for connecting ends with the connection, a new one's too."""

    def talk(connection: socket.socket, number: int) -> None:
        time.sleep(1.0)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")

    monkeypatch.setattr(http_module, "CONNECT", 0.5)
    with talking(talk) as url:
        assert get(url, Http(timeout=60)) == b"late"


def test_a_connection_that_is_not_made_ends_at_its_own_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(connection: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr(http.client.HTTPConnection, "connect", never)
    with pytest.raises(Lost, match="no connection within 30 s") as lost:
        get("http://127.0.0.1:9/", Http(timeout=300))
    assert not lost.value.sent


def test_a_reply_ends_at_the_limit_and_is_not_unpacked() -> None:
    def talk(connection: socket.socket, number: int) -> None:
        more = "Content-Encoding: gzip\r\n" if number else ""
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {2 << 20}\r\n{more}\r\n"
        connection.sendall(head.encode() + bytes(2 << 20))

    with talking(talk) as url:
        http = Http(timeout=5)
        with pytest.raises(Lost, match="larger than 1 MiB"):
            get(url, http, limit=1 << 20)
        with pytest.raises(Lost, match="encoding that was not asked for: 'gzip'"):
            get(url, http)


@pytest.mark.parametrize(
    ("hosts", "own"),
    [
        ("localhost 127.0.0.1 ::1 0.0.0.0 10.1.2.3 192.168.0.7 100.64.0.9 box node7.local", True),
        ("api.openai.com 8.8.8.8 2606:4700::1111 vllm.example.org", False),
    ],
)
def test_ones_own_network_is_known_by_address_and_name(hosts: str, own: bool) -> None:
    assert {is_own_network(host) for host in hosts.split()} == {own}
    assert not is_own_network("")
