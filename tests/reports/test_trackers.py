"""A run in experiment trackers: what is handed over, to stand-ins with the packages' own signatures
(wandb 0.31, mlflow 3.17, trackio 0.43), and to the packages themselves where they are installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from editgauge.errors import MissingExtra, ServiceStopped, UsageError
from editgauge.reports import trackers, tracking
from editgauge.run.evaluation import Evaluation
from editgauge.run.report import parts_of
from editgauge.store.run import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    place = tmp_path_factory.mktemp("tracked") / "first"
    evaluation = Evaluation("mini", run=place, limit=3)
    evaluation.edit("copy")
    evaluation.edit("shuffle")
    evaluation.score()
    return Run.open(place)


@pytest.fixture(scope="module")
def account(run: Run) -> tracking.Account:
    return tracking.account([run], parts_of([run], intervals=False), worst=2)


def test_an_account_is_what_the_tables_print(run: Run, account: tracking.Account) -> None:
    parts = parts_of([run], intervals=False)
    tables = {sheet.name: sheet for sheet in account.sheets}
    assert len(tables) == len(account.sheets) == sum(len(part.tables) for part in parts)
    for sheet in account.sheets:
        assert all(len(line) == len(sheet.columns) for line in sheet.lines)
        json.dumps(sheet.lines, allow_nan=False)
    printed = {
        (row.name, column.name): row.cells[column.name].value
        for row in parts[0].tables[0].rows
        for column in parts[0].tables[0].columns
    }
    name = tracking._named(parts[0].tables[0])
    logged = {key: value for key, value in account.means.items() if key.startswith(f"{name}/")}
    assert logged
    for key, value in logged.items():
        editor, column = key.removeprefix(f"{name}/").split("/")
        assert printed[editor, column] == value
    assert account.facts["benchmarks"] == {"mini": len(parts[0].frame.samples)}
    assert np.isfinite(list(account.means.values())).all()


def test_the_worst_outputs_come_with_input_and_output(account: tracking.Account) -> None:
    assert len(account.worst) == 2
    assert {worst.editor for worst in account.worst} <= {"copy", "shuffle"}
    for worst in account.worst:
        assert worst.picture is not None
        assert worst.picture.dtype == np.uint8
        height, width = worst.picture.shape[:2]
        assert height <= tracking.SIDE
        assert width > height, "several pictures side by side"
        assert worst.instruction in worst.caption


class Recorder:
    """Remembers every call, as `package.name(…)`; refuses what the real functions do not take."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def call(self, name: str, known: str, back: Any = None) -> Any:
        def called(*words: Any, **options: Any) -> Any:
            assert set(options) <= set(known.split()), f"{name}: {options}"
            self.calls.append((name, words, options))
            return back

        return called

    def named(self, name: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        return [(words, options) for called, words, options in self.calls if called == name]


def weights_and_biases(recorder: Recorder) -> SimpleNamespace:
    run = SimpleNamespace(
        summary=SimpleNamespace(update=recorder.call("summary.update", "")),
        log=recorder.call("log", "step commit"),
        finish=recorder.call("finish", "exit_code"),
    )
    return SimpleNamespace(
        init=recorder.call("init", "project name config", run),
        Table=recorder.call("Table", "columns data allow_mixed_types", "a table"),
        Image=recorder.call("Image", "caption", "an image"),
    )


def mlflow(recorder: Recorder) -> SimpleNamespace:
    known = {
        "set_experiment": "", "start_run": "run_name", "set_tags": "", "log_metrics": "step",
        "log_dict": "", "log_image": "", "log_text": "", "end_run": "",
    }  # fmt: skip
    return SimpleNamespace(**{name: recorder.call(name, words) for name, words in known.items()})


def trackio(recorder: Recorder) -> SimpleNamespace:
    run = SimpleNamespace(log=recorder.call("log", "step"))
    init = "project name config embed auto_log_cpu auto_log_gpu"
    return SimpleNamespace(
        init=recorder.call("init", init, run),
        finish=recorder.call("finish", ""),
        Table=recorder.call("Table", "dataframe", "a table"),
        Image=recorder.call("Image", "caption", "an image"),
    )


@pytest.mark.parametrize("made", [weights_and_biases, mlflow, trackio])
def test_everything_is_handed_over(
    monkeypatch: pytest.MonkeyPatch, account: tracking.Account, made: Any
) -> None:
    name = "wandb" if made is weights_and_biases else made.__name__
    if name == "trackio":
        pytest.importorskip("pandas")
    recorder = Recorder()
    monkeypatch.setitem(sys.modules, name, made(recorder))
    assert trackers.log(account, name, project="editing", name="first") == 2
    ended = recorder.calls[-1]
    images = recorder.named("log_image") if name == "mlflow" else recorder.named("Image")
    assert [words[0].shape for words, _ in images] == [w.picture.shape for w in account.worst]  # type: ignore[union-attr]
    if name == "wandb":
        assert recorder.named("init")[0][1]["project"] == "editing"
        assert recorder.named("summary.update")[0][0][0] == dict(account.means)
        assert len(recorder.named("Table")) == len(account.sheets)
        assert ended == ("finish", (), {"exit_code": 0})
    elif name == "mlflow":
        assert recorder.named("log_metrics")[0][0][0] == dict(account.means)
        assert [words[1] for words, _ in recorder.named("log_dict")] == [
            f"tables/{sheet.name}.json" for sheet in account.sheets
        ]
        assert ended == ("end_run", ("FINISHED",), {})
    else:
        assert recorder.named("log")[0][0][0] == dict(account.means)
        assert len(recorder.named("Table")) == len(account.sheets)
        assert ended[0] == "finish"


def test_names_are_what_every_tracker_takes(
    monkeypatch: pytest.MonkeyPatch, account: tracking.Account
) -> None:
    recorder = Recorder()
    monkeypatch.setitem(sys.modules, "mlflow", mlflow(recorder))
    evil = tracking.Worst(
        benchmark="b", sample="../../a:b?", editor="..", metric="m", value=1.0, instruction="",
        picture=np.zeros((2, 2, 3), np.uint8),
    )  # fmt: skip
    means = {"t/x: y/m": 1.0, "t/../m": 2.0}
    told = tracking.Account(means=means, sheets=[], worst=[evil], facts={})
    trackers.log(told, "mlflow", project="p", name="n")
    assert recorder.named("log_metrics")[0][0][0] == {"t/x_ y/m": 1.0, "t/_/m": 2.0}
    assert recorder.named("log_image")[0][0][1] == "worst/b/.._.._a_b_ ...png"


def test_what_goes_wrong_is_one_clear_error(
    monkeypatch: pytest.MonkeyPatch, account: tracking.Account
) -> None:
    with pytest.raises(UsageError, match="wanted one of wandb, mlflow, trackio"):
        trackers.log(account, "tensorboard", project="p", name="n")
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(MissingExtra, match=r"editgauge\[wandb\]"):
        trackers.log(account, "wandb", project="p", name="n")
    recorder = Recorder()
    refusing = mlflow(recorder)

    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("401 for the key sesame-sesame\n<html>")

    refusing.log_metrics = refuse
    monkeypatch.setitem(sys.modules, "mlflow", refusing)
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "sesame-sesame")
    with pytest.raises(ServiceStopped, match="RuntimeError: 401") as caught:
        trackers.log(account, "mlflow", project="p", name="n")
    assert "sesame" not in str(caught.value)
    assert recorder.calls[-1] == ("end_run", ("FAILED",), {})


@pytest.mark.parametrize("name", ["wandb", "mlflow", "trackio"])
def test_the_package_itself_takes_it(run: Run, tmp_path: Path, name: str) -> None:
    pytest.importorskip(name, reason=f"{name} is not installed; CI's job trackers has it")
    place = {
        "WANDB_MODE": "offline", "WANDB_DIR": str(tmp_path), "WANDB_SILENT": "true",
        "MLFLOW_TRACKING_URI": f"file:{tmp_path}/mlruns", "MLFLOW_ALLOW_FILE_STORE": "true",
        "MLFLOW_DISABLE_TELEMETRY": "true", "TRACKIO_DIR": str(tmp_path / "trackio"),
    }  # fmt: skip
    command = [sys.executable, "-m", "editgauge.cli.main", "log", str(run.path), "--to", name]
    done = subprocess.run(
        [*command, "--worst", "2", "--json"], capture_output=True, text=True, check=False,
        env={**os.environ, **place}, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["pictures"], told["means"] > 0) == (2, True)
    pictures = [path for path in tmp_path.rglob("*") if path.suffix in (".png", ".jpg", ".webp")]
    assert len(pictures) >= 2
