"""The workbench's server: strangers, other sites, hostile bodies, and who is late."""

from __future__ import annotations

import base64
import io
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editgauge.curation import review
from editgauge.curation.records import Policy
from tests.curation.made_set import area, make_set

pytest.importorskip("starlette")
testclient = pytest.importorskip("starlette.testclient")

NONCE = "a" * 16


class Bench:
    """An application and two people."""

    def __init__(self, place: Path) -> None:
        from editgauge.curation.server import Workbench

        self.data = make_set(place, 2)
        self.store = self.data.log
        self.tokens = {n: self.store.invite(n) for n in ("ann", "ben")}
        self.app = Workbench(self.data).application()

    def come(self, name: str = "") -> Any:
        client = testclient.TestClient(self.app, base_url="http://127.0.0.1")
        if name:
            assert client.get(f"/a/{self.tokens[name]}").status_code == 200
            client.headers["X-Key"] = client.get("/api/set").json()["key"]
        return client


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    made = Bench(tmp_path / "set")
    yield made
    made.store.close()


def bomb(side: int) -> str:
    """A PNG of a few bytes whose header promises a square picture."""
    buffer = io.BytesIO()
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(buffer, "PNG")
    data = bytearray(buffer.getvalue())
    data[16:24] = side.to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    return base64.b64encode(data).decode()


def png(mask: Any) -> str:
    buffer = io.BytesIO()
    Image.fromarray(mask.astype(np.uint8) * 255).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def change(**facts: Any) -> dict[str, Any]:
    return {"sample": "s00", "version": 1, "nonce": NONCE, **facts}


def test_a_stranger_sees_nothing(bench: Bench) -> None:
    stranger, ann = bench.come(), bench.come("ann")
    url = next(iter(ann.get("/api/sample/s00").json()["urls"].values()))
    for path in ("/api/set", "/api/sample/s00", url):
        assert stranger.get(path).status_code == 401
    assert stranger.post("/api/change", json=change(fields={})).status_code == 401
    assert stranger.get("/a/wrong").status_code == 404
    assert ann.get(url).headers["content-type"] == "image/png"
    assert ann.get(url).headers["content-security-policy"].startswith("default-src 'none'")
    assert ann.get("/picture/0/samples.jsonl").status_code == 404
    other = testclient.TestClient(bench.app, base_url="http://evil.example")
    assert other.get("/").status_code == 400


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("change", {"fields": {"reviews": {}}}),
        ("change", {"fields": {"images": ["pictures/x.png"]}}),
        ("change", {"fields": {"instruction": 3}}),
        ("change", {"fields": {"instruction": "x"}, "version": True}),
        ("change", {"fields": {"instruction": "x"}, "nonce": "<script>"}),
        ("change", {"fields": {"instruction": "x"}, "sample": "../s00"}),
        ("change", {"fields": {"protocol": "imagenet"}}),
        ("review", {"verdict": "perhaps"}),
        ("change", {"fields": {"state": "verified"}}),
        ("mask", {"name": "../roi", "png": ""}),
        ("mask", {"name": "roi", "png": base64.b64encode(b"no picture").decode()}),
        ("mask", {"name": "roi", "png": png(area((8, 8)))}),
        ("mask", {"name": "roi", "png": bomb(60_000)}),
        ("hide", {"path": "dataset.json", "boxes": []}),
        ("change", {"fields": {"split": "../../x"}}),
        ("propose", {"how": "magic"}),
        ("propose", {"how": "segment", "box": [1, 1, 9, 9]}),
        ("propose", {"how": "words"}),
    ],
)
def test_a_body_that_is_none_changes_nothing(
    bench: Bench, name: str, facts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITGAUGE_WEIGHTS", str(tmp_path / "none"))
    ann, before = bench.come("ann"), bench.data.records()
    answer = ann.post(f"/api/{name}", json=change(**facts))
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]
    assert bench.data.records() == before


def test_a_mask_comes_and_goes(bench: Bench) -> None:
    ann = bench.come("ann")
    wanted = area()
    answer = ann.post("/api/mask", json=change(name="roi", png=png(wanted)))
    assert answer.status_code == 200
    proposed = ann.post("/api/propose", json=change(how="difference")).json()
    with Image.open(io.BytesIO(base64.b64decode(proposed["proposals"][0]["png"]))) as image:
        found = np.asarray(image) >= 128
    assert (found & wanted).sum() / wanted.sum() > 0.95


def test_verdicts_stay_apart(bench: Bench) -> None:
    ann, ben = bench.come("ann"), bench.come("ben")
    ann.post("/api/review", json=change(verdict="reject", comment="secret of ann"))
    assert "secret of ann" not in ben.get("/api/sample/s00").text
    assert "secret of ann" not in ben.get("/api/set").text
    assert "reject" not in ben.get("/api/sample/s00").text, "who has not voted sees no verdict"
    assert ben.get("/api/sample/s00").json()["lacking"] == []
    answer = ben.post("/api/review", json=change(verdict="accept", nonce="b" * 16))
    assert answer.status_code == 200
    assert "secret of ann" in answer.text
    assert set(review.current(bench.data.record("s00"))) == {"ann", "ben"}


def test_who_has_not_voted_does_not_learn_how_many_accepted(bench: Bench) -> None:
    bench.data.describe("ann", policy=Policy(reviews=2))
    ann, ben = bench.come("ann"), bench.come("ben")
    told = ann.post("/api/review", json=change(verdict="accept")).json()
    assert "1 of 2 reviews accept it" in told["lacking"]
    for one, seen in ((ann, True), (ben, False)):
        assert ("reviews accept it" in one.get("/api/sample/s00").text) is seen
