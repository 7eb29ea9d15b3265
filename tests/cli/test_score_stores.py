"""Commands on an S3 server of this machine: the same rows as from folders, with failing answers."""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks.releases import organ_record, organ_set

from editgauge.cli.main import build_app
from editgauge.store import addresses
from editgauge.store.run_folder import RunFolder
from editgauge.store.store_run import StoreRun
from editgauge.tables import rows

pytest.importorskip("s3fs")
pytest.importorskip("moto.server")
pytestmark = [
    pytest.mark.slow,
    # of botocore's and werkzeug's own
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "EDITGAUGE_CACHE": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.01)
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    system.mkdir("lab")
    yield system
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def one_in_ten_fails(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Calls of the driver fail before, or after, they have done what they do; how many did."""
    import s3fs

    chance, lock, failed = random.Random(4), threading.Lock(), []
    for name in ("_pipe_file", "_cat_file", "_get_file", "_find"):
        true = getattr(s3fs.S3FileSystem, name)

        async def sometimes(*args: Any, _true: Any = true, **more: Any) -> Any:
            with lock:
                draw = chance.random()
                if draw < 0.1:
                    failed.append(draw)
            if draw < 0.05:
                raise ConnectionError("reset by peer")
            result = await _true(*args, **more)
            if draw < 0.1:
                raise TimeoutError("no answer")
            return result

        monkeypatch.setattr(s3fs.S3FileSystem, name, sometimes)
    return lambda: len(failed)


def call(*words: object) -> int:
    return int(build_app()([str(word) for word in words], standalone_mode=False) or 0)


def test_data_outputs_and_run_on_a_store(
    bucket: Any,
    one_in_ten_fails: Callable[[], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = tmp_path / "data"
    numbers = tuple(range(1, 13))
    organ_set(data, [organ_record(n) for n in numbers], numbers=numbers)
    bucket.put(f"{data}/", "lab/data/", recursive=True)
    here = ("--run", tmp_path / "here", "--workers", 0)
    call("edit", "medebench", data, "--editor", "shuffle", *here)
    call("score", "medebench", data, *here)
    outputs = tmp_path / "here" / "edits" / "medebench"
    bucket.put(f"{outputs}/", "lab/outputs/", recursive=True)
    wanted = RunFolder.open(tmp_path / "here").rows()
    assert len(wanted) > 50
    shutil.rmtree(data)
    options = ("--outputs", "s3://lab/outputs", "--run", "s3://lab/runs/one", "--workers", 0)
    call("score", "medebench", "s3://lab/data", *options, "--limit", 5)
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "another machine"))
    capsys.readouterr()
    call("score", "medebench", "s3://lab/data", *options, "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["run"] == "s3://lab/runs/one"
    assert told["kept"] > 0, "what the first machine handed over is not done again"
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "a third"))
    (run,) = rows.open_runs([Path("s3://lab/runs/one")])
    assert isinstance(run, StoreRun), "the rows are read where they lie"
    assert run.rows() == wanted
    assert not run.problems
    (run,) = rows.open_runs([Path("s3://lab/runs/one")], pictures=True)
    assert run.rows() == wanted
    texts = [path.read_text() for path in run.path.glob("rows/segments/*.jsonl")]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    keys = [(r["sample"], r["editor"], r["scorer"], r["metric"], r["variant"]) for r in lines]
    assert len(keys) == len(set(keys)) == len(wanted), "nothing twice"
    assert call("table", "s3://lab/runs/one", "--format", "csv") == 0
    assert call("table", "s3://lab/runs/*", "--format", "csv") == 0
    assert call("report", "s3://lab/runs/one") == 0
    assert bucket.exists("lab/runs/one/report/index.html")
    assert bucket.find("lab/runs/one/report/thumbs")
    call("merge", "s3://lab/runs/one", "--to", tmp_path / "brought")
    assert RunFolder.open(tmp_path / "brought").rows() == wanted
    assert one_in_ten_fails() > 10
