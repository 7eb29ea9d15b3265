"""The transports on servers that say whatever they like: one deadline, one answer a
question, no cookies, no bombs.
"""

from __future__ import annotations

import gc
import gzip
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("httpx", reason="services need the extra api")

from editgauge import json_text
from editgauge.services.secrets import Secrets
from editgauge.services.transport import (
    Limits,
    Lost,
    ThreadTransport,
    decode,
    unpacked,
)

Talk = Callable[[socket.socket, int], None]
"""What a server says on a connection, after a request; the number is the connection's."""


@contextmanager
def talking(talk: Talk) -> Iterator[tuple[str, list[bytes]]]:
    """A server's address and the requests that it was sent, one a connection."""
    heard: list[bytes] = []

    def one(connection: socket.socket, number: int) -> None:
        with connection:
            try:
                heard.append(connection.recv(65536))
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
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/", heard
        listening.shutdown(socket.SHUT_RDWR)


def transport(timeout: float = 5.0, reply: int = 1 << 20) -> ThreadTransport:
    limits = Limits(timeout=timeout, connections=2, reply=reply)
    return ThreadTransport({"Authorization": "Bearer k"}, Secrets(["k-secret"]), limits)


def answer(body: bytes, more: str = "") -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


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
    with talking(dripping(piece, first)) as (url, _):
        began = time.monotonic()
        with pytest.raises(Lost, match=r"within 0\.15 s") as lost:
            transport(timeout=0.15).exchange("GET", url)
        assert lost.value.sent
        assert lost.value.late
        assert time.monotonic() - began < 2


def test_what_follows_an_answer_answers_nothing_else() -> None:
    """A gateway that answers twice: the second one is of somebody's other question."""

    def talk(connection: socket.socket, number: int) -> None:
        connection.sendall(answer(b"%d" % number) + answer(b"a stranger's"))
        connection.recv(1)

    with talking(talk) as (url, heard):
        asking = transport()
        assert [asking.exchange("GET", url).data for _ in range(3)] == [b"0", b"1", b"2"]
        assert len(heard) == 3


def test_cookies_are_not_sent_back() -> None:
    def talk(connection: socket.socket, number: int) -> None:
        connection.sendall(answer(b"{}", "Set-Cookie: session=k-secret; Path=/\r\n"))

    with talking(talk) as (url, heard):
        asking = transport()
        asking.exchange("GET", url)
        asking.exchange("GET", url, own=False)
        assert b"cookie" not in heard[1].lower()
        assert b"authorization" not in heard[1].lower()


def test_a_bomb_ends_at_the_limit() -> None:
    bomb = gzip.compress(bytes(64 << 20), 9)

    def talk(connection: socket.socket, number: int) -> None:
        named = ("gzip", "gzip, gzip")[number % 2]
        connection.sendall(answer(bomb, f"Content-Encoding: {named}\r\n"))

    with talking(talk) as (url, _):
        asking = transport(reply=1 << 20)
        with pytest.raises(Lost, match="larger than 1 MiB"):
            asking.exchange("GET", url)
        with pytest.raises(Lost, match="encoding that was not asked for: 'gzip, gzip'"):
            asking.exchange("GET", url)


def test_what_is_packed_is_unpacked_in_pieces() -> None:
    packed = gzip.compress(bytes(5 << 20))
    pieces = list(unpacked([packed[:100], packed[100:]], "gzip"))
    assert b"".join(pieces) == bytes(5 << 20)
    assert max(map(len, pieces)) <= 1 << 20
    assert list(unpacked([b"as", b"is"], "")) == [b"as", b"is"]
    for body, said in ((b"no gzip at all", "no gzip"), (packed[:-9], "ends early")):
        with pytest.raises(ValueError, match=said):
            list(unpacked([body], "gzip"))


def test_a_reply_of_brackets_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """256 MB of them, which a service may send, took 4 GB."""
    monkeypatch.setattr(json_text, "MOST_PARTS", 20)
    assert decode(b"[[],[],[],[],[]]") == [[], [], [], [], []]
    assert decode(b'{"a": "' + b"x" * 99 + b'"}') == {"a": "x" * 99}
    assert decode(b"[" + b"[]," * 20 + b"[]]") is None


def test_what_was_too_large_is_let_go() -> None:
    """Each such reply stayed in memory until garbage was next collected: ten of 256 MB are 3 GB."""

    def endless(connection: socket.socket, number: int) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            connection.sendall(bytes(1 << 20))

    gc.disable()
    tracemalloc.start()
    try:
        with talking(endless) as (address, _):
            transport = ThreadTransport({}, Secrets([]), Limits(10, 2, 4 << 20))
            for _ in range(5):
                with pytest.raises(Lost, match="larger than 4 MiB"):
                    transport.exchange("POST", address)
        assert tracemalloc.get_traced_memory()[0] < 8 << 20
    finally:
        tracemalloc.stop()
        gc.enable()
