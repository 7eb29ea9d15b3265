"""The frame of both applications: who gets in, what every answer carries, what a refusal says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from editgauge.web.log import Act, Log, Person, Refused
from editgauge.web.pages import HEADERS, application
from editgauge.web.people import key_of, person


def whoami(who: Person, request: Request) -> dict[str, Any]:
    return {"who": who.name, "path": request.url.path}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[TestClient, Log, dict[str, str]]]:
    with Log(tmp_path / "log.sqlite") as log:
        log.add("a", "sample", {"n": 1}, "plan")

        def set_number(who: Person, payload: dict[str, Any]) -> Any:
            if type(payload.get("version")) is not int:
                raise Refused("version: wanted a number")
            return {"version": log.change("a", payload["version"], {"n": 2}, Act(who.name)).version}

        routes = [
            Route("/api/me", person(whoami)),
            Route("/api/change", person(set_number, posts=True), methods=["POST"]),
            Route("/api/plain", person(lambda who, request: Response("x"))),
        ]
        app = application(log, routes, package="editgauge.web", hosts=["rate.example.org"])
        client = TestClient(app, base_url="http://localhost:8600", follow_redirects=False)
        token = log.invite("ann")
        answer = client.get(f"/a/{token}")
        assert answer.status_code == 303
        who = log.find(token)
        assert who is not None
        yield client, log, {"X-Key": key_of(log, who), "Origin": "http://localhost:8600"}


def test_cookie_is_kept_from_scripts_and_other_sites(site: Any, tmp_path: Path) -> None:
    client, log, _ = site
    set_cookie = client.get(f"/a/{log.invite('bob')}").headers["set-cookie"].lower()
    assert "httponly" in set_cookie
    assert "samesite=lax" in set_cookie


def test_every_answer_carries_the_headers(site: Any) -> None:
    client, _, _ = site
    for path in ("/api/me", "/api/plain", "/nowhere", "/static/none.js", "/a/wrong"):
        answer = client.get(path)
        assert {k: answer.headers[k] for k in HEADERS} == HEADERS, path


def test_stranger_and_wrong_link_see_nothing(site: Any) -> None:
    client, _, _ = site
    client.cookies.clear()
    assert client.get("/api/me").status_code == 401
    assert client.get("/a/guess").status_code == 404


def test_host_of_another_name_is_refused(site: Any) -> None:
    client, _, _ = site
    assert client.get("/api/me", headers={"Host": "evil.example.com"}).status_code == 400
    assert client.get("/api/me", headers={"Host": "rate.example.org:80"}).status_code == 200
    assert client.get("/api/me").json() == {"who": "ann", "path": "/api/me"}


@pytest.mark.parametrize(
    "spoil",
    [{"X-Key": ""}, {"X-Key": "0" * 32}, {"Origin": "http://evil.example.com"}, {"Origin": "null"}],
)
def test_post_without_the_pages_key_or_from_another_site_changes_nothing(
    site: Any, spoil: dict[str, str]
) -> None:
    client, log, headers = site
    answer = client.post("/api/change", json={"version": 1}, headers={**headers, **spoil})
    assert answer.status_code == 403
    assert log.get("a").version == 1


def test_a_late_change_is_refused_and_nothing_of_the_item_is_echoed(site: Any) -> None:
    client, _, headers = site
    assert client.post("/api/change", json={"version": 1}, headers=headers).json() == {"version": 2}
    late = client.post("/api/change", json={"version": 1}, headers=headers)
    assert late.status_code == 409
    assert set(late.json()) == {"error"}


@pytest.mark.parametrize("body", [b"[1]", b"{", b'{"version": "1"}', b"x" * (9 << 20)])
def test_bad_payload_is_one_sentence(site: Any, body: bytes) -> None:
    client, log, headers = site
    answer = client.post("/api/change", content=body, headers=headers)
    assert answer.status_code == 400
    assert "want" in answer.json()["error"] or "long" in answer.json()["error"]
    assert log.get("a").version == 1


def test_two_servers_of_one_host_keep_their_sessions_apart(tmp_path: Path) -> None:
    """A browser sends the cookies of a host to all of its ports."""
    cookies: dict[str, str] = {}
    for name in ("study", "set"):
        log = Log(tmp_path / f"{name}.sqlite")
        client = TestClient(
            application(log, [], package="editgauge.study"), base_url="http://localhost"
        )
        client.get(f"/a/{log.invite('ann')}", follow_redirects=False)
        cookies |= dict(client.cookies)
    assert len(cookies) == 2
