"""Edits by a provider's batches: the right picture at each sample, nothing sent or paid twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from editgauge import catalog
from editgauge.editors import remote
from editgauge.errors import RunError, UsageError
from editgauge.run import batch
from editgauge.run.edit import Limits, Made
from editgauge.run.material import Material
from editgauge.services.batches import Sent
from editgauge.services.booking import Ledger
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.testing import make_sample
from editgauge.types import Sample, Status
from tests.editors.fake_batches import COST, FakeBatches
from tests.editors.fake_jobs import marked
from tests.editors.fake_service import KEY


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBatches]:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    monkeypatch.setattr(remote, "is_own_network", lambda host: False)
    with FakeBatches() as fake:
        yield fake


def editor(url: str, run: Run, **settings: Any) -> Any:
    given = {"model": "gpt-image-1", "base_url": url, "pause": 0.001, "timeout": 20, **settings}
    made = catalog.find("editors", "openai")([], **given)
    made.ledger.keep_in(run.path / "paid.sqlite", None)
    return made


def samples_for(folder: Path, *words: str) -> list[Sample]:
    return [
        make_sample(folder / "data", f"s{n}", instruction=f"Number {n}, fault:{word}")
        for n, word in enumerate(words)
    ]


def told(run: Run, samples: list[Sample], made: Any, budget: float | None = None) -> Any:
    """What `submit` and `collect` are told."""
    material = Material(
        benchmark=catalog.find("benchmarks", "mini"),
        dataset=SimpleNamespace(root=run.path.parent / "data"),  # type: ignore[arg-type]
        every=samples,
        samples=samples,
    )
    return material, run, Made(editor=made), Limits(budget=budget)


def submit(run: Run, samples: list[Sample], made: Any, budget: float | None = None) -> Sent:
    return batch.submit(*told(run, samples, made, budget))[0]


def collect(run: Run, samples: list[Sample], made: Any) -> batch.Collected:
    return batch.collect(*told(run, samples, made))


def status_of(run: Run) -> dict[str, Status]:
    return {record.sample: record.status for record in run.edits("mini")}


def check_pictures(run: Run, samples: list[Sample]) -> None:
    inputs = {sample.id: sample.image for sample in samples}
    for record in run.edits("mini"):
        if record.path:
            made = (run.path / record.path).read_bytes()
            assert made == marked(inputs[record.sample].read_bytes())


def test_a_batch_gives_what_calls_give_at_half_the_price(
    service: FakeBatches, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, *["none"] * 4), editor(service.url, run)
    sent = submit(run, samples, made)
    assert (sent.calls, len(sent.batches)) == (4, 1)
    assert made.ledger.totals.booked == pytest.approx(4 * 0.5 * 0.07)
    assert submit(run, samples, made).calls == 0
    service.state = "in_progress"
    assert collect(run, samples, made).waiting == 4
    assert status_of(run) == {}
    service.state = "completed"
    done = collect(run, samples, editor(service.url, run))
    assert done.summary.counts == {"scored": 4}
    assert done.summary.cost == pytest.approx(4 * COST)
    check_pictures(run, samples)
    assert made.ledger.totals.booked == made.ledger.totals.billed == pytest.approx(4 * COST)
    assert batch.waiting(run.path, "mini", made.name) == set()
    line = next(iter(service.uploads.values()))[0]
    assert (line["method"], line["url"]) == ("POST", "/v1/images/edits")


def test_each_line_ends_as_its_call_would(service: FakeBatches, tmp_path: Path) -> None:
    words = ["none", "line-refused", "line-400", "line-html", "line-500", "line-error", "line-lost"]
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, *words), editor(service.url, run)
    submit(run, samples, made)
    done = collect(run, samples, made)
    assert status_of(run) == {
        "s0": Status.SCORED,
        "s1": Status.REFUSED,
        "s2": Status.FAILED,
        "s3": Status.UNREADABLE,
    }
    assert done.open == 3, "a fault of the service's is no failure of the model's"
    lost = 0.5 * 0.07  # of a finished batch: its work was done, and may be billed
    assert made.ledger.totals.booked == pytest.approx(sum(service.billed.values()) * COST + lost)
    check_pictures(run, samples)
    assert submit(run, samples, made).calls == 3


def test_without_usage_an_output_s_price_is_booked(service: FakeBatches, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, "line-no-usage"), editor(service.url, run, price=0.3)
    submit(run, samples, made)
    done = collect(run, samples, made)
    assert done.summary.cost == made.ledger.totals.booked == pytest.approx(0.3)


def test_no_budget_is_passed(service: FakeBatches, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples = samples_for(tmp_path, *["none"] * 5)
    made = editor(service.url, run, price=0.05)
    sent = submit(run, samples, made, budget=0.11)
    assert sent.calls == 2
    assert "stopped before the budget" in sent.broke
    assert sum(len(lines) for lines in service.uploads.values()) == 2


@pytest.mark.parametrize("page", ["files", "batches"])
def test_where_no_batch_is_made_nothing_is_booked(
    page: str, service: FakeBatches, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, "none"), editor(service.url, run, attempts=2)
    service.faults[page] = 2 if page == "files" else 1
    with pytest.raises(RunError, match="no batch"):
        submit(run, samples, made)
    assert made.ledger.totals.booked == 0
    assert submit(run, samples, made).calls == 1


def test_a_batch_whose_answer_was_lost_is_found_again(service: FakeBatches, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, "none", "none"), editor(service.url, run)
    service.faults["cut"] = 1
    assert submit(run, samples, made).calls == 2
    assert len(service.made) == 1
    assert collect(run, samples, made).summary.counts == {"scored": 2}


def test_a_batch_that_expired_is_said_and_sent_again(service: FakeBatches, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, "none"), editor(service.url, run)
    submit(run, samples, made)
    service.state = "expired"
    assert collect(run, samples, made).failed == ["batch_0: expired"]
    assert made.ledger.totals.booked == 0
    service.state = "completed"
    assert submit(run, samples, made).calls == 1


@pytest.mark.parametrize("page", ["state", "content"])
def test_results_that_cannot_be_fetched_now_wait(
    page: str, service: FakeBatches, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "run")
    samples, made = samples_for(tmp_path, "none"), editor(service.url, run, attempts=2)
    submit(run, samples, made)
    service.faults[page] = 2
    assert collect(run, samples, made).waiting == 1
    assert collect(run, samples, made).summary.counts == {"scored": 1}


_KILLED = """
import os, sys
from pathlib import Path
from editgauge.services.batches import Batches
from editgauge.editors import remote
from editgauge.store.run import Run
from tests.run.test_batch import collect, editor, samples_for, submit
remote.is_own_network = lambda host: False
folder, url, what = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
run = Run.create(folder / "run")
samples, made = samples_for(folder, "none", "line-400", "none"), editor(url, run)
real, seen = Batches._note, []
def note(self, told):
    seen.append(1)
    os._exit(9) if len(seen) == (1 if what == "uploaded" else 2) else real(self, told)
settle = Batches.settle
def dying(self, *told):
    settle(self, *told)
    os._exit(9)
if what == "collecting":
    submit(run, samples, made)
    Batches.settle = dying
    collect(run, samples, made)
Batches._note = note
submit(run, samples, made)
"""


@pytest.mark.parametrize("what", ["uploaded", "made", "collecting"])
def test_killed_anywhere_nothing_is_sent_or_paid_twice(
    what: str, service: FakeBatches, tmp_path: Path
) -> None:
    words = [sys.executable, "-c", _KILLED, str(tmp_path), service.url, what]
    assert subprocess.run(words, check=False).returncode == 9
    run = Run.create(tmp_path / "run")
    samples = samples_for(tmp_path, "none", "line-400", "none")
    made = editor(service.url, run)
    submit(run, samples, made)
    assert len(service.made) == 1
    collect(run, samples, made)
    assert status_of(run) == {"s0": Status.SCORED, "s1": Status.FAILED, "s2": Status.SCORED}
    check_pictures(run, samples)
    assert made.ledger.totals.booked == pytest.approx(2 * COST)


def test_an_editor_without_batches_says_so(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    copy = catalog.find("editors", "copy")([])
    with pytest.raises(UsageError, match="cannot be asked by batches"):
        submit(run, samples_for(tmp_path, "none"), copy)


def test_the_ledger_of_another_command_sees_what_waits(
    service: FakeBatches, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "run")
    submit(run, samples_for(tmp_path, "none"), editor(service.url, run))
    with Paid(run.path / "paid.sqlite") as paid:
        other = Ledger(paid, purpose="edit", budget=0.04)
        assert other.try_to_book(0.02, "gpt-image-1") is None
