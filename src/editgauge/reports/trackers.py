"""Weights & Biases, MLflow and Trackio: what a run comes to, in the tracker that a group uses.

Each is one class over that package's own calls, imported when it is opened; keys, servers and
offline modes are the package's own matter (``WANDB_MODE=offline``, ``MLFLOW_TRACKING_URI``,
``TRACKIO_DIR``). Texts of data sets are handed over as texts; names are cleaned to what every one
of the three takes.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Protocol

from editgauge import __version__
from editgauge.errors import MissingExtra, ServiceStopped, UsageError
from editgauge.reports.tracking import Account, Sheet, Worst
from editgauge.services.secrets import Secrets

_ODD = re.compile(r"[^\w\-. /]")
_STEP = 0
KEYS = ("WANDB_API_KEY", "MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_PASSWORD", "HF_TOKEN")
"""Environment variables in which the three packages look for secrets."""


class Tracker(Protocol):
    """Where an account goes: numbers, sheets, pictures, and then `close`, however it ended."""

    def numbers(self, means: Mapping[str, float]) -> None: ...

    def sheet(self, sheet: Sheet) -> None: ...

    def picture(self, worst: Worst) -> None: ...

    def close(self, failed: bool) -> None: ...


class WeightsAndBiases:
    """A run of a W&B project: means in its summary, a ``Table`` for each table, pictures."""

    def __init__(self, project: str, name: str, facts: Mapping[str, Any]) -> None:
        self.library = _library("wandb", "wandb")
        self.run = self.library.init(project=project, name=name, config=dict(facts))

    def numbers(self, means: Mapping[str, float]) -> None:
        self.run.summary.update(dict(means))

    def sheet(self, sheet: Sheet) -> None:
        lines = [list(line) for line in sheet.lines]
        table = self.library.Table(list(sheet.columns), data=lines, allow_mixed_types=True)
        self.run.log({_name(f"tables/{sheet.name}"): table}, step=_STEP)

    def picture(self, worst: Worst) -> None:
        image = self.library.Image(worst.picture, caption=worst.caption)
        self.run.log({_place(worst): image}, step=_STEP)

    def close(self, failed: bool) -> None:
        self.run.finish(exit_code=int(failed))


class MLflow:
    """A run of an MLflow experiment: means as metrics, tables and pictures as artifacts."""

    def __init__(self, project: str, name: str, facts: Mapping[str, Any]) -> None:
        self.library = _library("mlflow", "mlflow")
        self.library.set_experiment(project)
        self.library.start_run(run_name=name)
        self.library.set_tags({key: str(value)[:5000] for key, value in facts.items()})

    def numbers(self, means: Mapping[str, float]) -> None:
        self.library.log_metrics(dict(means), step=_STEP)

    def sheet(self, sheet: Sheet) -> None:
        # as `mlflow.log_table` writes a data frame, which would need pandas
        content = {"columns": list(sheet.columns), "data": [list(line) for line in sheet.lines]}
        self.library.log_dict(content, _name(f"tables/{sheet.name}.json"))

    def picture(self, worst: Worst) -> None:
        self.library.log_image(worst.picture, f"{_place(worst)}.png")
        self.library.log_text(worst.caption, f"{_place(worst)}.txt")

    def close(self, failed: bool) -> None:
        self.library.end_run("FAILED" if failed else "FINISHED")


class Trackio:
    """A run of a Trackio project: everything in one step."""

    def __init__(self, project: str, name: str, facts: Mapping[str, Any]) -> None:
        self.library = _library("trackio", "trackio")
        self.run = self.library.init(
            project=project, name=name, config=dict(facts), embed=False,
            auto_log_cpu=False, auto_log_gpu=False,
        )  # fmt: skip

    def numbers(self, means: Mapping[str, float]) -> None:
        self.run.log(dict(means), step=_STEP)

    def sheet(self, sheet: Sheet) -> None:
        pandas = _library("pandas", "trackio")
        frame = pandas.DataFrame([list(line) for line in sheet.lines], columns=list(sheet.columns))
        table = self.library.Table(dataframe=frame)
        self.run.log({_name(f"tables/{sheet.name}"): table}, step=_STEP)

    def picture(self, worst: Worst) -> None:
        image = self.library.Image(worst.picture, caption=worst.caption)
        self.run.log({_place(worst): image}, step=_STEP)

    def close(self, failed: bool) -> None:
        self.library.finish()  # the run's own would be followed by another one at the end


TRACKERS: dict[str, type[WeightsAndBiases] | type[MLflow] | type[Trackio]] = {
    "wandb": WeightsAndBiases,
    "mlflow": MLflow,
    "trackio": Trackio,
}


def log(account: Account, tracker: str, *, project: str, name: str) -> int:
    """Hand an account to a tracker by its name; how many pictures went with it. Raises `UsageError`
    for an unknown name, `MissingExtra` where the package is not installed, and `ServiceStopped`
    where the package refuses.
    """
    if tracker not in TRACKERS:
        raise UsageError(f"--to {tracker!r}: wanted one of {', '.join(TRACKERS)}")
    facts = {"editgauge": __version__, **account.facts}
    pictures = [worst for worst in account.worst if worst.picture is not None]
    opened: Tracker | None = None
    failed = True
    try:
        opened = TRACKERS[tracker](project, name, facts)
        opened.numbers({_name(key): value for key, value in account.means.items()})
        for sheet in account.sheets:
            opened.sheet(sheet)
        for worst in pictures:
            opened.picture(worst)
        failed = False
    except (MissingExtra, UsageError):
        raise
    except Exception as error:  # a library's own errors share no class
        said = _hidden().line(str(error))
        raise ServiceStopped(
            f"{tracker}: {type(error).__name__}: {said}; see its own documentation for keys, "
            "servers and offline modes"
        ) from error
    finally:
        if opened is not None:
            opened.close(failed)
    return len(pictures)


def _hidden() -> Secrets:
    return Secrets(os.environ[name] for name in KEYS if os.environ.get(name))


def _library(name: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra("logging to it", name, extra) from None


def _name(text: str) -> str:
    """A name that every tracker takes: letters, digits, ``_``, ``-``, ``.``, blanks and ``/``, and
    no part of it empty or dots alone.
    """
    parts = [_ODD.sub("_", part).strip() for part in text.split("/")]
    return "/".join(part if part.strip(".") else "_" for part in parts)


def _place(worst: Worst) -> str:
    sample = worst.sample.replace("/", "_")
    editor = worst.editor.replace("/", "_")
    return _name(f"worst/{worst.benchmark}/{sample} {editor}")
