"""Addresses that a browser can open."""

from __future__ import annotations

import socket

import pytest

from editgauge.web.addresses import is_local, names_of, url_of


def test_a_server_at_all_addresses_has_names_that_a_browser_can_open() -> None:
    names = names_of("0.0.0.0")
    assert "0.0.0.0" not in names
    assert names[-1] == socket.gethostname()


def test_without_a_network_the_machines_name_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    assert names_of("0.0.0.0") == [socket.gethostname()]


def test_a_named_host_is_its_own_name() -> None:
    assert names_of("127.0.0.1") == ["127.0.0.1"]
    assert names_of("rate.example.org") == ["rate.example.org"]


def test_ipv6_addresses_stand_in_brackets() -> None:
    assert url_of("::1", 8600) == "http://[::1]:8600"
    assert url_of("127.0.0.1", 1) == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("hosts", "local"),
    [
        (["127.0.0.1"], True),
        (["localhost", "::1"], True),
        (["192.168.1.5"], False),
        (["127.0.0.1", "rate.example.org"], False),
    ],
)
def test_plain_http_is_spoken_of_where_others_can_come(hosts: list[str], local: bool) -> None:
    assert is_local(hosts) is local
