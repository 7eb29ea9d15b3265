"""One call with three pictures, and an engine around a server, for the tests of this folder."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.judging.commands import NAMES

from editgauge import catalog
from editgauge.benchmarks.textedit.judge import JUDGING
from editgauge.judging.asking import Job
from editgauge.judging.chat import Client
from editgauge.judging.engine import Engine, Scores
from editgauge.judging.options import JudgeOptions
from editgauge.judging.pictures import PictureStore
from editgauge.judging.prompts import RubricFolder
from editgauge.judging.protocol import Call
from editgauge.run.evaluation import Evaluation
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.testing import make_sample
from editgauge.types import Edit


@dataclass
class Bench:
    """A folder with samples, a store, and a way to ask a server about them."""

    folder: Path
    engine: Engine | None = None

    def call(self, number: int = 1) -> Call:
        sample = make_sample(self.folder, f"sample-{number}")
        rubrics = RubricFolder(catalog.find("benchmarks", "textedit").rubrics)
        edit = Edit(sample=sample.id, editor="an-editor", path=sample.reference)
        (call,) = JUDGING.calls(sample, edit, rubrics, {})
        return call

    def jobs(self, count: int) -> list[Job]:
        return [Job(self.call(number), payload=number) for number in range(1, count + 1)]

    def ask(
        self,
        server: Any,
        count: int = 1,
        *,
        jobs: list[Job] | None = None,
        concurrency: int = 4,
        timeout: float = 5.0,
        backoff: float = 0.01,
        model: str = "scripted",
    ) -> list[Scores]:
        """Judge `count` samples (or the given jobs); what was heard, in the order of the jobs."""
        jobs = self.jobs(count) if jobs is None else jobs
        options = JudgeOptions(model=model, set=[f"concurrency={concurrency}"])
        heard: dict[Any, Scores] = {}
        with ExitStack() as stack:
            pictures = PictureStore(stack.enter_context(HashStore(None)))
            replies = stack.enter_context(Paid(self.folder / "replies.sqlite"))
            client = Client(server.url, timeout=timeout, key="sk-test")
            stack.callback(client.close)
            self.engine = Engine(client, replies, pictures, options, deadline=20.0, backoff=backoff)
            self.engine.run(jobs, lambda job, scores: heard.update({job.payload: scores}))
        return [heard[job.payload] for job in jobs]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(scope="session")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with outputs of two anchors on five samples of the built-in benchmark, all four
    protocols among them. Made once for all files: nothing is written into it.
    """
    run = tmp_path_factory.mktemp("judge") / "run"
    for editor in ("copy", "reference"):
        Evaluation("mini", run=run, samples=NAMES).edit(editor)
    return run


@pytest.fixture
def made(edited: Path, tmp_path: Path) -> Path:
    """A copy of that run, to be judged."""
    return Path(shutil.copytree(edited, tmp_path / "run"))
