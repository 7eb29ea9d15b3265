"""Data sets from a hub, played by a local server: pinned, continued, verified, and never outside
their folder.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from editgauge.errors import DataError, DownloadError
from editgauge.services.hub import LOCK_FILE, fetch_dataset
from editgauge.types import DataSource

COMMIT, OTHER = "a" * 40, "b" * 40
SOURCE = DataSource("someone/bench", "MIT")
SMALL, LARGE = b'{"samples": []}\n', bytes(range(256)) * 100
FILES = {"editing/metadata.json": SMALL, "editing/previous/1 a.png": LARGE}


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def entries(files: dict[str, bytes]) -> list[dict[str, Any]]:
    """As the hub lists them: small files by git's blob id, large ones by SHA-256."""
    found: list[dict[str, Any]] = [{"type": "directory", "oid": "0" * 40, "path": "editing"}]
    for path, data in files.items():
        entry: dict[str, Any] = {"type": "file", "oid": blob(data), "size": len(data), "path": path}
        if data is LARGE:
            mark = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
            entry |= {"oid": "1" * 40, "lfs": mark}
        found.append(entry)
    return found


@pytest.fixture
def hub(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> HTTPServer:
    monkeypatch.setenv("HF_ENDPOINT", httpserver.url_for("").rstrip("/"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    api = "/api/datasets/someone/bench"
    told = {"id": "someone/bench", "sha": COMMIT, "private": False, "tags": [], "downloads": 0}
    httpserver.expect_request(f"{api}/revision/main").respond_with_json(told)
    httpserver.expect_request(f"{api}/tree/{COMMIT}").respond_with_json(entries(FILES))
    for path, data in FILES.items():
        serve(httpserver, path, data)
    return httpserver


def serve(httpserver: HTTPServer, path: str, data: bytes) -> None:
    """A file with the headers that the hub sends."""
    headers = {"ETag": f'"{blob(data)}"', "X-Repo-Commit": COMMIT}
    httpserver.expect_request(f"/datasets/someone/bench/resolve/{COMMIT}/{path}").respond_with_data(
        data, headers=headers
    )


def lists(hub: HTTPServer, *paths: str) -> None:
    """From now on it has these small files alone."""
    hub.clear_all_handlers()
    tree = hub.expect_request(f"/api/datasets/someone/bench/tree/{COMMIT}")
    tree.respond_with_json(entries(dict.fromkeys(paths, SMALL)))


def asked(hub: HTTPServer, part: str) -> int:
    return sum(part in request.path for request, _ in hub.log)


def test_a_branch_is_resolved_fetched_and_recorded(hub: HTTPServer, tmp_path: Path) -> None:
    found = fetch_dataset(SOURCE, tmp_path / "d", revision="main")
    counts = (found.commit, found.files, found.new, found.bytes)
    assert counts == (COMMIT, 2, 2, len(SMALL) + len(LARGE))
    assert {path: (tmp_path / "d" / path).read_bytes() for path in FILES} == FILES
    lock = json.loads((tmp_path / "d" / LOCK_FILE).read_text())
    assert lock == {"repo": "someone/bench", "commit": COMMIT, "asked": "main"}


def test_a_second_call_needs_no_revision_and_brings_only_what_is_missing_or_wrong(
    hub: HTTPServer, tmp_path: Path
) -> None:
    fetch_dataset(SOURCE, tmp_path, revision="main")
    assert fetch_dataset(SOURCE, tmp_path).new == 0
    (tmp_path / "editing/metadata.json").write_bytes(SMALL.replace(b"[", b"{"))
    (tmp_path / "editing/previous/1 a.png").unlink()
    before = asked(hub, "resolve")
    assert fetch_dataset(SOURCE, tmp_path).new == 2
    assert asked(hub, "resolve") - before == 4, "each file is described (HEAD) and sent"
    assert asked(hub, "/revision/") == 1, "from then on the commit counts"
    assert (tmp_path / "editing/metadata.json").read_bytes() == SMALL


def test_two_states_never_mix_in_one_folder(hub: HTTPServer, tmp_path: Path) -> None:
    fetch_dataset(SOURCE, tmp_path, revision=COMMIT)
    with pytest.raises(DataError, match=f"holds someone/bench at {COMMIT}.*another folder"):
        fetch_dataset(SOURCE, tmp_path, revision=OTHER)
    with pytest.raises(DataError, match="another folder"):
        fetch_dataset(SOURCE, tmp_path, repo="else/bench", revision=COMMIT)


def test_other_bytes_than_listed_are_refused(hub: HTTPServer, tmp_path: Path) -> None:
    path = "editing/metadata.json"
    lists(hub, path)
    serve(hub, path, SMALL.upper())
    with pytest.raises(DownloadError, match="git blob"):
        fetch_dataset(SOURCE, tmp_path, revision=COMMIT)
    assert not (tmp_path / path).exists()


@pytest.mark.parametrize(
    "path", ["/etc/evil", "a/../../evil", "a\\evil", "C:evil", LOCK_FILE, "evil\x1b]52;\x07"]
)  # fmt: skip
def test_a_listing_that_leaves_the_folder_is_refused_as_a_whole(
    hub: HTTPServer, tmp_path: Path, path: str
) -> None:
    lists(hub, "good.json", path)
    with pytest.raises(DownloadError, match="does not stay in its folder"):
        fetch_dataset(SOURCE, tmp_path / "d", revision=COMMIT)
    assert not list(tmp_path.rglob("*evil*"))
    assert not asked(hub, "resolve")
