"""A run to a hub and back, the hub played by a local server that keeps what it is sent."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from editgauge.errors import DownloadError, UsageError
from editgauge.run import hub_runs
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.testing import make_sample
from tests.command_line import invoke
from tests.made_rows import row

pytest.importorskip("huggingface_hub", reason="the hub needs the extra hub")
COMMIT = "c" * 40


class Hub:
    """A hub with one data set: it takes commits, lists what it has, and gives it back. Pictures go
    to its store of large files, as those of every new data set on the hub do.
    """

    def __init__(self, server: HTTPServer) -> None:
        self.files: dict[str, bytes] = {}
        self.large: dict[str, bytes] = {}
        """By SHA-256: what was put into the store of large files."""
        self.full = False
        self.made: list[dict[str, Any]] = []
        api = "/api/datasets/me/run"
        server.expect_request("/api/repos/create").respond_with_handler(self.create)
        server.expect_request("/api/validate-yaml").respond_with_json(
            {"errors": [], "warnings": []}
        )
        server.expect_request(f"{api}/preupload/main").respond_with_handler(self.preupload)
        batch = "/datasets/me/run.git/info/lfs/objects/batch"
        server.expect_request(batch).respond_with_handler(self.batch)
        server.expect_request(re.compile("^/large/.*")).respond_with_handler(self.put)
        server.expect_request(f"{api}/commit/main").respond_with_handler(self.commit)
        sha = {"id": "me/run", "sha": COMMIT, "private": True, "tags": [], "downloads": 0}
        server.expect_request(f"{api}/revision/main").respond_with_json(sha)
        server.expect_request(f"{api}/tree/{COMMIT}").respond_with_handler(self.tree)
        server.expect_request(f"{api}/tree/{'d' * 40}").respond_with_json({}, status=404)
        server.expect_request(
            re.compile(f"^/datasets/me/run/resolve/{COMMIT}/.*")
        ).respond_with_handler(self.resolve)
        self.url = server.url_for("").rstrip("/")

    def create(self, request: Request) -> Response:
        assert request.headers["Authorization"] == "Bearer hf_secret_token"
        self.made.append(request.get_json())
        return answer({"url": f"{self.url}/datasets/me/run", "id": "me/run"})

    def preupload(self, request: Request) -> Response:
        wanted = request.get_json()["files"]
        files = [{"path": one["path"], "uploadMode": mode(one["path"]), "shouldIgnore": False}
                 for one in wanted]  # fmt: skip
        return answer({"files": files})

    def batch(self, request: Request) -> Response:
        objects = [
            {**one, "actions": {"upload": {"href": f"{self.url}/large/{one['oid']}"}}}
            for one in request.get_json()["objects"]
        ]
        return answer({"transfer": "basic", "objects": objects})

    def put(self, request: Request) -> Response:
        if self.full:
            return Response(status=403)
        self.large[request.path.rpartition("/")[2]] = request.get_data()
        return Response()

    def commit(self, request: Request) -> Response:
        for line in request.get_data().splitlines():
            told = json.loads(line)
            if told["key"] == "file":
                data = told["value"]
                self.files[data["path"]] = base64.b64decode(data["content"])
            elif told["key"] == "lfsFile":
                self.files[told["value"]["path"]] = self.large[told["value"]["oid"]]
        return answer({"success": True, "commitOid": COMMIT,
                       "commitUrl": f"{self.url}/datasets/me/run/commit/{COMMIT}"})  # fmt: skip

    def tree(self, _: Request) -> Response:
        return answer([
            {"type": "file", "oid": blob(data), "size": len(data), "path": path, **lfs(path, data)}
            for path, data in self.files.items()
        ])  # fmt: skip

    def resolve(self, request: Request) -> Response:
        path = request.path.partition(f"{COMMIT}/")[2]
        data = self.files[path]
        etag = hashlib.sha256(data).hexdigest() if lfs(path, data) else blob(data)
        return Response(data, headers={"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT})


def answer(value: Any) -> Response:
    return Response(json.dumps(value), content_type="application/json")


def mode(path: str) -> str:
    return "lfs" if path.endswith(".png") else "regular"


def lfs(path: str, data: bytes) -> dict[str, Any]:
    """What a hub lists beside a large file: the checksum of its bytes, not of git's pointer."""
    if mode(path) == "regular":
        return {}
    oid = hashlib.sha256(data).hexdigest()
    return {"lfs": {"oid": oid, "size": len(data), "pointerSize": 130}}


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@pytest.fixture
def hub(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Hub:
    monkeypatch.setenv("HF_TOKEN", "hf_secret_token")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    made = Hub(httpserver)
    monkeypatch.setenv("HF_ENDPOINT", made.url)
    return made


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = Run.create(tmp_path / "first")
    sample = make_sample(tmp_path / "data")
    keep_samples(folder, "mini", tmp_path / "data", [sample], [sample])
    with folder.writer("score") as writer:
        writer.write([row(sample.id, "copy", "mse", 1.5, benchmark="mini")])
    for place in ("cache/x.sqlite", "report/index.html", f"{hub_runs.STUDIES}/a.sqlite", ".hidden"):
        path = folder.path / place
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"not sent")
    return Run.open(folder.path)


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # how the library uploads
def test_a_run_goes_to_the_hub_and_comes_back(hub: Hub, run: Run, tmp_path: Path) -> None:
    pushed = invoke(["merge", str(run.path), "--to", "hub:me/run"])
    assert pushed.exit_code == 0, pushed.output
    assert f"me/run at {COMMIT}" in pushed.stdout
    assert "private" in (hub.made[0].get("visibility"), hub.made[0].get("private") and "private")
    sent = set(hub.files) - {"README.md"}
    assert sent == set(hub_runs.files_of(run))
    assert not any(b"not sent" in data for data in hub.files.values())
    pictures = {data for name, data in hub.files.items() if name.startswith("inputs/")}
    assert pictures
    assert pictures <= set(hub.large.values()), "through the store of large files"
    assert b"editgauge fetch me/run" in hub.files["README.md"]
    words = ["fetch", "me/run", "--to", str(tmp_path / "theirs"), "--json"]
    pulled = invoke(words)
    assert pulled.exit_code == 0, pulled.output
    assert json.loads(pulled.stdout)["commit"] == COMMIT
    theirs = Run.open(tmp_path / "theirs")
    assert theirs.rows() == run.rows()
    assert theirs.manifest() == run.manifest()
    again = json.loads(invoke(words).stdout)
    assert again["new"] == 0, "what is there and right is not fetched again"


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
def test_a_large_file_that_is_not_taken_is_one_clear_error(hub: Hub, run: Run) -> None:
    hub.full = True
    with pytest.raises(DownloadError, match=r"me/run: .*inputs.*png"):
        hub_runs.push(run, "me/run")
    assert not hub.files


def test_what_goes_wrong_is_one_clear_error(
    hub: Hub, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        hub_runs.push(run, "../evil")
    with pytest.raises(DownloadError, match="404"):
        hub_runs.pull("me/run", tmp_path / "a", revision="d" * 40)
    hub.files["README.md"] = b"# something else\n"
    with pytest.raises(UsageError, match="no run of editgauge"):
        hub_runs.pull("me/run", tmp_path / "b")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "mine.txt").write_text("x")
    with pytest.raises(UsageError, match="not empty, and no run"):
        hub_runs.pull("me/run", tmp_path / "c")
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(UsageError, match="HF_TOKEN is not set"):
        hub_runs.push(run, "me/run")
