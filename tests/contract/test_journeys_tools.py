"""From end to end: the demo, what is installed, a benchmark and a metric of other packages, merge,
scores from elsewhere, a run on a store, Ray, the notebook.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.contract.faults import cells, content, copy_of, files, graded
from tests.contract.packages import installed
from tests.contract.server import ENV, KEY, Server
from tests.contract.support import cli, finished, picture, process, rows_of, same_rows, save, values

ROOT = Path(__file__).resolve().parents[2]


# -- the first commands ----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_demo_runs_from_nothing_to_a_report(tmp_path: Path) -> None:
    cli("demo", "--run", tmp_path / "run")
    assert (tmp_path / "run/report/index.html").is_file()
    table = cells(cli("table", tmp_path / "run", "--json"))
    assert {editor for _, _, editor, _ in table} >= {"copy", "reference", "blank"}


def test_what_there_is_and_what_is_missing_is_listed() -> None:
    listed = cli("list", "--json").json
    sizes = {one["name"]: one["samples"] for one in listed["benchmarks"]}
    assert sizes == {
        "mini": 26, "texteditbench": 1196, "textedit": 2148, "medebench": 1182, "krisbench": 1267,
    }  # fmt: skip
    editors = {one["name"] for one in listed["editors"]}
    assert editors >= {"copy", "reference", "blank", "shuffle", "typeset", "command", "http"}
    doctor = cli("list", "installation", env={"OPENAI_API_KEY": KEY}).out
    assert KEY not in doctor
    for word in ("OPENAI_API_KEY", "EDITGAUGE_CACHE", "lpips-squeeze", "neural", "ocr", "study"):
        assert word in doctor


# -- merge -----------------------------------------------------------------------------------------


def scored(place: Path, editor: str, seeds: dict[str, int]) -> Path:
    """A run with an editor's outputs, drawn by a seed for each sample."""
    for sample, seed in seeds.items():
        save(place / "outputs" / editor / f"{sample}.png", picture(seed))
    told = ("--outputs", place / "outputs", "--editor", editor, "--run", place / "run")
    one = [word for sample in seeds for word in ("--sample", sample)]
    cli("score", "mini", *told, *one, "--tracks", "pixel", "--workers", 0, expect=None)
    return place / "run"


def test_merge_brings_everything_and_nothing_twice(
    mini_run: Path, judged_run: Path, tmp_path: Path
) -> None:
    other = scored(tmp_path / "other", "mine", {"replace-01": 1, "replace-02": 2})
    merged = tmp_path / "all"
    cli("merge", mini_run, judged_run, other, "--to", merged)
    keys = ("sample", "editor", "scorer", "metric", "variant", "source", "repeat")
    rows = [{tuple(r[key] for key in keys): r for r in rows_of(one)} for one in
            (mini_run, judged_run, other)]  # fmt: skip
    wanted = {key: row["value"] for part in rows for key, row in part.items()}
    found = [(tuple(row[key] for key in keys), row["value"]) for row in rows_of(merged)]
    assert len(found) == len(dict(found))
    assert {key: str(value) for key, value in found} == {k: str(v) for k, v in wanted.items()}
    for run in (mini_run, judged_run, other):
        assert content(run / "edits").items() <= content(merged / "edits").items()
    before = rows_of(merged)
    cli("merge", mini_run, "--to", merged)
    assert rows_of(merged) == before
    cli("check", merged)
    cli("report", merged, "--to", tmp_path / "report")


def test_merge_of_contradictions_writes_nothing(tmp_path: Path) -> None:
    one = scored(tmp_path / "one", "mine", {"replace-01": 1, "replace-02": 2})
    two = scored(tmp_path / "two", "mine", {"replace-02": 3, "replace-03": 4})
    refused = cli("merge", one, two, "--to", tmp_path / "all", expect=2)
    assert "replace-02" in refused.err
    assert "mine" in refused.err
    assert not (tmp_path / "all").exists() or not rows_of(tmp_path / "all")
    into = copy_of(one, tmp_path / "into")
    before, rows = content(into / "edits"), rows_of(into)
    cli("merge", two, "--to", into, expect=2)
    assert (content(into / "edits"), rows_of(into)) == (before, rows)


def test_a_failure_gives_way_to_a_score(tmp_path: Path) -> None:
    good = scored(tmp_path / "good", "mine", {"replace-01": 1, "replace-02": 2})
    bad = scored(tmp_path / "bad", "mine", {"replace-02": 2})
    told = ("--outputs", tmp_path / "bad/outputs", "--editor", "mine", "--run", bad)
    cli("score", "mini", *told, "--limit", 2, "--tracks", "pixel", "--workers", 0, expect=1)
    truth = values(good, "ssim", "corrected")
    assert None not in truth.values()
    assert values(bad, "ssim", "corrected") == {**truth, "replace-01": None}
    for number, order in enumerate([(good, bad), (bad, good)]):
        cli("merge", *order, "--to", tmp_path / str(number))
        assert values(tmp_path / str(number), "ssim", "corrected") == truth


# -- packages of other people ----------------------------------------------------------------------

PLUGINS = '''
from dataclasses import dataclass
import numpy as np
from editgauge import Edit, metric, read_image, write_png

@metric("brightness_gap", direction="lower", low=0, high=255, failure=255)
def brightness_gap(original, edited):
    """The difference of the mean brightness."""
    return float(abs(np.asarray(edited, float).mean() - np.asarray(original, float).mean()))

@dataclass(frozen=True)
class Mirror:
    name: str = "mirror"
    def __call__(self, sample, folder):
        write_png(folder / "mirror.png", read_image(sample.image)[:, ::-1])
        return Edit(sample=sample.id, editor=self.name, path=folder / "mirror.png")

def mirror(samples, **settings):
    return Mirror()
'''


def test_packages_of_other_people_are_known_to_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, data, run = tmp_path / "some-package", tmp_path / "data", tmp_path / "run"
    cli("new", "benchmark", "mybench", "--to", tmp_path / "new")
    points = {
        "editgauge.benchmarks": {"mybench": "mybench:BENCHMARK"},
        "editgauge.scorers": {"brightness_gap": "contract_plugins:brightness_gap"},
        "editgauge.editors": {"mirror": "contract_plugins:mirror", "gone": "not_there:gone"},
    }
    installed(package, monkeypatch, points, {"contract_plugins.py": PLUGINS})
    shutil.copytree(tmp_path / "new/mybench", package / "mybench")
    index = [
        {"id": f"s{number}", "image": f"{number}.png", "instruction": "Mirror it."}
        for number in range(3)
    ]
    for number in range(3):
        save(data / f"{number}.png", picture(number) // 3)
    (data / "samples.json").write_text(json.dumps(index))

    listed = cli("list").text
    assert "mybench" in listed
    assert "brightness_gap" in listed
    assert "mirror" in listed
    assert "not_there" in listed, "what cannot be imported costs a line of its own"
    cli("check", "mybench", data)
    for editor in ("copy", "mirror", "blank"):
        cli("edit", "mybench", data, "--editor", editor, "--run", run, "--workers", 0)
    cli("score", "mybench", data, "--run", run, "--workers", 0)
    with Server(graded) as server:
        cli("judge", "mybench", data, "--run", run, *server.words, env=ENV)
    assert all(value < 1e-9 for value in values(run, "brightness_gap", editor="mirror").values())
    assert all(value > 1 for value in values(run, "brightness_gap", editor="blank").values())
    lower = values(run, "overall", editor="mirror")
    assert len(lower) == 3
    for sample, value in lower.items():
        parts = (values(run, name, editor="mirror")[sample] for name in ("follows", "keeps"))
        assert value == min(parts)
    names = {name for _, _, _, name in cells(cli("table", run, "--json"))}
    assert names >= {"overall", "follows", "keeps", "brightness_gap"}
    compared = cli("compare", run, "mirror", "copy", "--json").json["comparisons"]
    directions = {line["metric"]: line["direction"] for line in compared[0]["lines"]}
    assert (directions["overall"], directions["brightness_gap"]) == ("higher", "lower")
    cli("report", run, "--to", tmp_path / "report")
    cli("merge", run, "--to", tmp_path / "all")
    same_rows(tmp_path / "all", run)
    query = f"SELECT origin FROM '{run}/rows.parquet' WHERE metric = 'brightness_gap'"
    origins = [json.loads(text) for (text,) in duckdb.connect().execute(query).fetchall()]
    assert {"some-package"} == {origin["package"] for origin in origins}


# -- a store, a cluster, a notebook ----------------------------------------------------------------


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, str]]:
    """An S3 server of this machine with an empty bucket `lab`: the environment that leads there."""
    pytest.importorskip("s3fs", reason="stores need the extra remote")
    server_of = pytest.importorskip("moto.server")
    import s3fs

    server = server_of.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    lab = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in lab.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    if system.exists("lab"):  # the server's memory is this process's, and outlives a server
        system.rm("lab", recursive=True)
        system.invalidate_cache()
    system.mkdir("lab")
    yield lab
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_run_on_a_store_is_the_run_of_a_folder(
    bucket: dict[str, str], edited_run: Path, tmp_path: Path
) -> None:
    run, score = "s3://lab/runs/one", ("--tracks", "pixel", "--limit", 3, "--workers", 0)
    here = copy_of(edited_run, tmp_path / "here")
    cli("score", "mini", "--run", here, *score)
    first, second, third = ({"EDITGAUGE_CACHE": str(tmp_path / name)} for name in "abc")
    cli("merge", edited_run, "--to", run, env=first)
    cli("score", "mini", "--run", run, *score, env=second)
    assert cells(cli("table", run, "--json", env=third)) == cells(cli("table", here, "--json"))
    cli("report", run, "--to", tmp_path / "report", env=third)
    assert (tmp_path / "report/index.html").is_file()
    cli("merge", run, "--to", tmp_path / "back", env=third)
    same_rows(tmp_path / "back", here)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_run_on_a_store_with_the_temporary_folder_on_another_file_system(
    bucket: dict[str, str], edited_run: Path, tmp_path: Path
) -> None:
    import s3fs

    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system here")
    run, score = "s3://lab/runs/two", ("--tracks", "pixel", "--limit", 3, "--workers", 0)
    with tempfile.TemporaryDirectory(dir=memory) as elsewhere:
        for name in ("a", "b"):
            env = {**bucket, "EDITGAUGE_CACHE": str(tmp_path / name), "TMPDIR": elsewhere}
            finished(process("merge", edited_run, "--to", run, env=env))
            finished(process("score", "mini", "--run", run, *score, env=env))
            finished(process("table", run, env=env))
    s3fs.S3FileSystem.clear_instance_cache()
    parts = s3fs.S3FileSystem().glob("lab/runs/two/parts/*")
    assert len(parts) == 4, "each of the commands that changed something has sent one part"
    here = copy_of(edited_run, tmp_path / "here")
    cli("score", "mini", "--run", here, *score)
    cli("merge", run, "--to", tmp_path / "back", env={"EDITGAUGE_CACHE": str(tmp_path / "c")})
    same_rows(tmp_path / "back", here)


def test_an_engine_that_is_not_there_is_one_line(edited_run: Path, tmp_path: Path) -> None:
    run = copy_of(edited_run, tmp_path / "run")
    for words in (("--engine", "slurm"), ("--engine", "local", "--address", "127.0.0.1:1")):
        refused = cli("score", "mini", "--run", run, "--limit", 1, *words, expect=2)
        assert "Traceback" not in refused.text
        assert words[-2].lstrip("-") in refused.err


@pytest.mark.slow
def test_ray_makes_the_rows_of_this_machine(edited_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="clusters need the extra ray")
    here, away = copy_of(edited_run, tmp_path / "here"), copy_of(edited_run, tmp_path / "away")
    score = ("score", "mini", "--tracks", "pixel", "--limit", 4)
    cli(*score, "--run", here, "--workers", 0)
    finished(process(*score, "--run", away, "--engine", "ray", "--workers", 2), timeout=300)
    same_rows(away, here)
    edit = ("edit", "mini", "--editor", "shuffle", "--limit", 4)
    cli(*edit, "--run", here, "--workers", 0)
    finished(process(*edit, "--run", away, "--engine", "ray", "--workers", 2), timeout=300)
    assert content(away / "edits") == content(here / "edits")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_example_notebook_runs_in_a_real_kernel(tmp_path: Path) -> None:
    manager = pytest.importorskip("jupyter_client.manager", reason="no kernel is installed here")
    pytest.importorskip("ipykernel", reason="no kernel is installed here")
    notebook = json.loads((ROOT / "examples/from-python.ipynb").read_text(encoding="utf-8"))
    kernel = manager.KernelManager(kernel_name="python3")
    kernel.start_kernel(cwd=str(tmp_path))
    client = kernel.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                source = "".join(cell["source"])
                told = client.execute_interactive(source, timeout=300, output_hook=lambda _: None)
                assert told["content"]["status"] == "ok", (source, told["content"])
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    run = tmp_path / "runs/python"
    assert {row["editor"] for row in rows_of(run)} == {"copy", "invert"}
    assert set(values(run, "mse", "corrected", editor="copy").values()) == {0.0}
    assert files(run / "report")
