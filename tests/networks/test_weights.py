"""The weights table, finding files, checksums, and what is said when something is not there."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from msgspec import structs
from pytest_httpserver import HTTPServer

from editgauge.errors import WeightsError
from editgauge.networks import weights
from editgauge.networks.weights import WEIGHTS, WeightFile, Weights, fetch, find, locate


def entry(*files: WeightFile) -> Weights:
    return structs.replace(find("yunet"), name="tiny", revision="v1", files=files)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.delenv(weights.ENVIRONMENT, raising=False)
    data = b"weights" * 1000
    file = WeightFile(name="net.pth", url="http://127.0.0.1:9/net.pth", sha256=sha(data))
    monkeypatch.setitem(WEIGHTS, "tiny", entry(file))
    return data


@pytest.mark.parametrize("name", list(WEIGHTS))
def test_every_file_has_an_address_and_the_publishers_checksum(name: str) -> None:
    for file in find(name).files:
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert find(name).address(file).startswith("https://")
        # the publishers put the hash's start into the file's name
        if begins := re.search(r"-([0-9a-f]{8})\.pth$", file.name):
            assert str(file.sha256).startswith(begins[1])


@pytest.mark.parametrize("place", ["tiny/net.pth", "net.pth"])
def test_a_filled_folder_is_enough_and_another_file_is_refused(
    tiny: bytes, tmp_path: Path, place: str
) -> None:
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(tiny)
    found = locate("tiny", tmp_path)
    assert found.paths["net.pth"] == path
    assert found.identity == {"weights": "tiny", "revision": "v1", "net.pth": sha(tiny)}
    path.write_bytes(tiny[:-1] + b"X")
    with pytest.raises(WeightsError, match=r"another file .*remove it, then: editgauge fetch"):
        locate("tiny", tmp_path)


def test_a_file_without_a_published_checksum_is_held_to_that_of_its_first_use(
    tiny: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = WeightFile(name="net.pth", url="http://127.0.0.1:9/net.pth")
    monkeypatch.setitem(WEIGHTS, "tiny", entry(file))
    path = tmp_path / "net.pth"
    path.write_bytes(tiny)
    assert locate("tiny", tmp_path).identity["net.pth"] == sha(tiny)
    assert (tmp_path / "net.pth.sha256").read_text().strip() == sha(tiny)
    path.write_bytes(tiny[:-1] + b"X")
    with pytest.raises(WeightsError, match=r"another file .*remove it and net\.pth\.sha256"):
        locate("tiny", tmp_path)
    assert weights.state("tiny", tmp_path) == "wrong"
    path.write_bytes(tiny)
    assert locate("tiny", tmp_path).identity["net.pth"] == sha(tiny)


def test_no_network_has_a_revision_that_moves() -> None:
    for entry in WEIGHTS.values():
        assert entry.revision not in ("", "main", "master", "HEAD"), entry.name
        for file in entry.files:
            is_pinned = file.sha256 is not None or entry.revision in entry.address(file)
            assert is_pinned, f"{entry.name}: {file.name}"


def test_fetch_downloads_what_is_missing_and_keeps_what_is_there(
    tiny: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_ordered_request("/net.pth").respond_with_data(tiny)
    file = WeightFile(
        name="net.pth", url=httpserver.url_for("/net.pth"), sha256=sha(tiny), size=len(tiny)
    )
    monkeypatch.setitem(WEIGHTS, "tiny", entry(file))
    assert fetch("tiny", tmp_path).paths["net.pth"].read_bytes() == tiny
    assert fetch("tiny", tmp_path).paths["net.pth"] == tmp_path / "tiny" / "net.pth"
    assert len(httpserver.log) == 1
    httpserver.check_assertions()
