"""The workbench's server: strangers, hostile bodies, and verdicts that stay apart."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Policy
from tests.contract import server
from tests.curation.made_set import area, make_set

pytest.importorskip("starlette")
testclient = pytest.importorskip("starlette.testclient")


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataSet]:
    with make_set(tmp_path / "set", 2) as made:
        yield made


def come(data: DataSet, name: str = "") -> Any:
    """A browser, of somebody who was invited where there is a name."""
    from editgauge.curation.server import Workbench

    client = testclient.TestClient(Workbench(data).application(), base_url="http://127.0.0.1")
    if name:
        assert client.get(f"/a/{data.log.invite(name)}").status_code == 200
        client.headers["X-Key"] = client.get("/api/set").json()["key"]
    return client


def send(client: Any, what: str, **facts: Any) -> Any:
    body = {"what": what, "sample": "s00", "version": 1, "nonce": f"{client.headers['X-Key'][:16]}"}
    if what == "review":
        body["content"] = client.get("/api/sample/s00").json()["content"]
    return client.post("/api/do", json={**body, **facts})


def sent(png: bytes) -> str:
    return base64.b64encode(png).decode()


MASK = server.png(area((8, 8)).astype(np.uint8) * 255)


def test_a_stranger_sees_nothing(data: DataSet) -> None:
    stranger, ann = come(data), come(data, "ann")
    url = next(iter(ann.get("/api/sample/s00").json()["urls"].values()))
    for path in ("/api/set", "/api/sample/s00", url):
        assert stranger.get(path).status_code == 401
    assert stranger.post("/api/do", json={}).status_code == 401
    assert ann.get(url).headers["content-type"] == "image/png"
    assert ann.get("/picture/0/set.sqlite").status_code == 404


@pytest.mark.parametrize(
    ("what", "facts"),
    [
        ("change", {"fields": {"reviews": "{}"}}),
        ("change", {"fields": {"instruction": "x"}, "version": True}),
        ("change", {"fields": {"instruction": "x"}, "nonce": "<script>"}),
        ("change", {"fields": {"split": "../../x"}}),
        ("change", {"state": "verified"}),
        ("review", {"verdict": "perhaps"}),
        ("mask", {"name": "roi", "png": sent(b"no picture")}),
        ("mask", {"name": "roi", "png": sent(MASK)}),
        ("mask", {"name": "roi", "png": sent(server.promising(MASK, 60_000))}),
        ("hide", {"path": "dataset.json", "boxes": []}),
        ("erase", {}),
    ],
)
def test_a_body_that_is_none_changes_nothing(data: DataSet, what: str, facts: Any) -> None:
    before = data.records()
    answer = send(come(data, "ann"), what, **facts)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]
    assert data.records() == before


def test_who_has_not_voted_sees_no_verdict(data: DataSet) -> None:
    data.describe("ann", policy=Policy(reviews=2))
    ann, ben = come(data, "ann"), come(data, "ben")
    told = send(ann, "review", verdict="reject", comment="secret of ann").json()
    assert "0 of 2 reviews accept it" in told["lacking"]
    for path in ("/api/sample/s00", "/api/set"):
        for word in ("secret of ann", "reject", "reviews accept it"):
            assert word not in ben.get(path).text
    answer = send(ben, "review", verdict="accept")
    assert "secret of ann" in answer.text
    assert "1 of 2 reviews accept it" in answer.text
    data.describe("ann", policy=Policy(reviews=1))
    send(ann, "review", verdict="accept", nonce="another-nonce".replace("-", ""))
    cy = come(data, "cy")
    for path in ("/api/sample/s00", "/api/set"):
        assert "verified" in ann.get(path).text
        assert "verified" not in cy.get(path).text


def test_only_the_owner_deletes_originals_and_withdraws(data: DataSet) -> None:
    ann, owner = come(data, "ann"), come(data, "owner")
    (path,) = data.record("s00").images
    box = {"kind": "text", "box": [4, 4, 20, 10]}
    told = send(ann, "hide", path=path, boxes=[box]).json()
    assert path not in told["images"]
    assert told["originals"] == 1
    assert (data.root / path).is_file(), "a reviewer deletes nothing"
    version = told["version"]
    withdrawn = send(ann, "change", state="withdrawn", version=version, nonce="a" * 16)
    assert withdrawn.status_code == 400
    refused = send(ann, "delete originals", version=version, nonce="b" * 16)
    assert refused.status_code == 400
    assert "owner" in refused.json()["error"]
    assert (data.root / path).is_file()
    assert send(owner, "delete originals", version=version).json()["originals"] == 0
    assert not (data.root / path).exists()
    newest = data.record("s00").version
    state = send(owner, "change", state="withdrawn", version=newest, nonce="c" * 16)
    assert state.json()["state"] == "withdrawn"


def test_the_owner_deletes_an_original_by_hiding(data: DataSet) -> None:
    owner = come(data, "owner")
    (path,) = data.record("s00").images
    box = {"kind": "text", "box": [4, 4, 20, 10]}
    assert send(owner, "hide", path=path, boxes=[box]).json()["originals"] == 0
    assert not (data.root / path).exists()


def test_a_late_change_says_whether_it_was_ones_own(data: DataSet) -> None:
    ann, ben = come(data, "ann"), come(data, "ben")
    send(ann, "change", fields={"instruction": "first"})
    facts = {"fields": {"instruction": "second"}, "nonce": "d" * 16}
    own = send(ann, "change", **facts)
    other = send(ben, "change", **facts)
    assert own.status_code == other.status_code == 409
    assert "yourself, in another tab" in own.json()["error"]
    assert "Somebody was faster" in other.json()["error"]
