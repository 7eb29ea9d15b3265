"""Services of three shapes under a table of faults, kills included: every delivered picture is the
right one, what is booked is what the provider charges, and no budget is passed.

The provider (`faulty_provider`) makes and charges a picture for every call that reaches it, also
for those whose answer is lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.editors.fake_jobs import KEY, marked
from tests.editors.faulty_provider import COST, FaultyProvider

from editgauge import catalog
from editgauge.errors import BudgetExceeded, RunError
from editgauge.images import write_png
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.testing import make_picture, make_sample
from editgauge.types import Sample, Status

SHAPES = {"jobs": "bfl", "chat": "chat", "edits": "openai"}

ASKING: dict[str, tuple[list[str], Status]] = {
    "all is well": ([], Status.SCORED),
    "down once": (["500"], Status.SCORED),
    "overloaded": (["503"], Status.SCORED),
    "too fast, three times": (["429"] * 3, Status.SCORED),
    "a conflict": (["409"], Status.SCORED),
    "the gateway lost it": (["502-made"], Status.SCORED),
    "cut off": (["cut"], Status.SCORED),
    "half an answer": (["half"], Status.SCORED),
    "a page instead": (["html"], Status.SCORED),
    "down, too fast, cut off": (["500", "429", "cut"], Status.SCORED),
    "cut off twice": (["cut", "cut"], Status.FAILED),
    "down for good": (["500"] * 9, Status.FAILED),
    "refused": (["refused"], Status.REFUSED),
    "a wrong request": (["400"], Status.FAILED),
}
"""What goes wrong with a call, and how it ends, whatever the shape."""
POLLING: dict[str, tuple[list[str], Status]] = {
    "asked too early": (["wait", "wait"], Status.SCORED),
    "no answer once": (["500"], Status.SCORED),
    "no answer from the gateway": (["502"], Status.SCORED),
    "asked too often": (["429"], Status.SCORED),
    "cut off while asking": (["cut"], Status.SCORED),
    "a page while asking": (["html"], Status.SCORED),
    "everything while asking": (["wait", "500", "429", "cut", "wait"], Status.SCORED),
    "no answer three times": (["cut", "empty", "html"], Status.SCORED),
    "not known yet": (["404"], Status.SCORED),
    "done, but not stored yet": (["hollow", "wait"], Status.SCORED),
    "done without a picture": (["hollow"] * 4, Status.UNREADABLE),
    "another job's answer": (["another"], Status.SCORED),
    "another job's answers": (["another"] * 4, Status.FAILED),
    "the job failed": (["failed"], Status.FAILED),
    "the job is gone": (["404"] * 4, Status.FAILED),
}
FETCHING: dict[str, tuple[list[str], Status]] = {
    "the picture later": (["500"], Status.SCORED),
    "the picture cut off": (["cut"], Status.SCORED),
    "half a picture": (["short"], Status.SCORED),
    "nothing, then the picture": (["empty"], Status.SCORED),
    "a page for a picture": (["html"], Status.UNREADABLE),
    "the picture is gone": (["403"] * 4, Status.FAILED),
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)


def editor(shape: str, url: str, run: Run, budget: float | None = None, **settings: Any) -> Any:
    given = {"model": "maker/model", "base_url": url, "pause": 0.001, "timeout": 30, "attempts": 4}
    made = catalog.find("editors", SHAPES[shape])([], price=COST, **(given | settings))
    made.ledger.keep_in(run.path / "paid.sqlite", budget)
    return made


def samples_for(folder: Path, number: int) -> list[Sample]:
    """Samples s0, s1…, each with a picture of its own."""
    made = [
        make_sample(folder / "data", f"s{n}", instruction=f"Make it nice, sample:s{n}.")
        for n in range(number)
    ]
    for n, sample in enumerate(made):
        write_png(sample.image, make_picture(seed=n))
    return made


def records_of(run: Run) -> dict[str, EditRecord]:
    return {record.sample: record for record in run.edits("mini")}


def check_pictures(run: Run, samples: list[Sample]) -> None:
    found = records_of(run)
    assert set(found) <= {sample.id for sample in samples}
    for sample in samples:
        record = found.get(sample.id)
        if record is not None and record.path:
            made = (run.path / record.path).read_bytes()
            assert made == marked(sample.image.read_bytes())


def table(shape: str) -> dict[str, tuple[dict[str, list[str]], Status]]:
    """The scenarios of a shape: the events of a sample's steps, and how it ends."""
    found = {name: ({"ask": events}, status) for name, (events, status) in ASKING.items()}
    if shape == "jobs":
        found |= {name: ({"poll": e}, status) for name, (e, status) in POLLING.items()}
        found |= {name: ({"fetch": e}, status) for name, (e, status) in FETCHING.items()}
        found["the address has expired"] = ({"fetch": ["403"]}, Status.SCORED)
        return found
    found["no picture"] = ({"ask": ["no-picture"]}, Status.UNREADABLE)
    if shape == "edits":
        found["an error called a success"] = ({"ask": ["error"]}, Status.REFUSED)
    for name, (events, status) in FETCHING.items():
        found[name] = ({"ask": ["address"], "fetch": events}, status)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_every_scenario_ends_right_and_is_booked_to_the_cent(shape: str, tmp_path: Path) -> None:
    scenarios = list(table(shape).items())
    script = {
        f"s{n}.{step}": events
        for n, (_, (steps, _)) in enumerate(scenarios)
        for step, events in steps.items()
    }
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, len(scenarios))
    with FaultyProvider(script) as provider:
        made = editor(shape, provider.url, run, concurrency=6)
        edit_all(run, "mini", samples, made)
        found = records_of(run)
        ends = {name: found[f"s{n}"].status for n, (name, _) in enumerate(scenarios)}
        assert ends == {name: status for name, (_, status) in scenarios}
        check_pictures(run, samples)
        for n, (name, _) in enumerate(scenarios):
            assert found[f"s{n}"].cost == pytest.approx(provider.charged[f"s{n}"]), name
        assert made.ledger.totals.booked == pytest.approx(provider.total)
        assert KEY not in str(found)


@pytest.mark.parametrize("fault", [["403"] * 4, ["500"] * 4])
def test_a_picture_that_was_late_is_paid_once(fault: list[str], tmp_path: Path) -> None:
    """Its job is asked for again by the user's retry; it was booked already."""
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 1)
    with FaultyProvider({"s0.fetch": fault}) as provider:
        edit_all(run, "mini", samples, editor("jobs", provider.url, run))
        assert records_of(run)["s0"].status is Status.FAILED
        again = editor("jobs", provider.url, run)
        assert again.ledger.totals.booked == pytest.approx(COST)
        edit_all(run, "mini", samples, again, retry=frozenset({Status.FAILED}))
        assert records_of(run)["s0"].cost == pytest.approx(COST)
        check_pictures(run, samples)
        assert records_of(run)["s0"].path
        assert again.ledger.totals.booked == pytest.approx(provider.total) == pytest.approx(COST)


def test_a_picture_that_is_lost_for_good_can_be_bought_anew(tmp_path: Path) -> None:
    """A job whose picture was gone in two commands is given up; the next retry is another job."""
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 1)
    with FaultyProvider({"s0.fetch": ["403"] * 8}) as provider:
        for _ in range(3):
            made = editor("jobs", provider.url, run)
            edit_all(run, "mini", samples, made, retry=frozenset({Status.FAILED}))
            assert made.ledger.totals.booked == pytest.approx(provider.total)
        assert provider.total == pytest.approx(2 * COST)
        assert records_of(run)["s0"].path
        check_pictures(run, samples)


def test_who_waits_for_the_budget_holds_up_nobody(tmp_path: Path) -> None:
    """A job that holds the whole budget must be asked for, else it never gives anything back."""
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 2)
    with FaultyProvider({f"s{n}.poll": ["wait"] * 5 for n in range(2)}) as provider:
        made = editor("jobs", provider.url, run, budget=1.5 * COST, concurrency=1, pause=0.02)
        ends: list[str] = []

        def ask(sample: Sample) -> None:
            folder = run.path / "edits" / ".tmp" / sample.id
            folder.mkdir(parents=True)
            try:
                ends.append(made(sample, folder).status.value)
            except BudgetExceeded:
                ends.append("too dear")

        threads = [threading.Thread(target=ask, args=(s,), daemon=True) for s in samples]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert sorted(ends) == ["scored", "too dear"]
        assert made.ledger.totals.booked == pytest.approx(provider.total) == pytest.approx(COST)


def test_a_job_that_cannot_be_written_down_stays_booked_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, (sample,) = Run.create(tmp_path / "run"), samples_for(tmp_path, 1)
    with FaultyProvider() as provider:
        made = editor("jobs", provider.url, run, budget=1.5 * COST)

        def full(*told: Any) -> None:
            raise RunError("no space")

        monkeypatch.setattr(type(made), "_note", full)
        with pytest.raises(RunError, match="no space"):
            edit_all(run, "mini", [sample], made)
        assert made.ledger.totals.booked == pytest.approx(COST)
        with pytest.raises(BudgetExceeded):
            made.ledger.book(COST, "m")


# -- kills -----------------------------------------------------------------------------------------

KILLS = {
    "jobs": ("booked", "answered", "job written", "job asked for", "picture fetched", "delivered",
             "in place", "recorded"),
    "chat": ("answered", "billed", "recorded"),
    "edits": ("booked", "answered", "delivered", "in place"),
}  # fmt: skip
"""Chats and edits have one core: each of its points once."""
PAID_ONCE = {"job written", "job asked for", "picture fetched", "recorded"}
"""Kills after which nothing is asked for a second time."""


@pytest.fixture(scope="module")
def killing() -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "tests.editors.killed"]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "EDITGAUGE_EDITOR_KEY": KEY},
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def kill(killing: subprocess.Popen[str], **told: Any) -> int:
    assert killing.stdin is not None
    assert killing.stdout is not None
    killing.stdin.write(json.dumps(told) + "\n")
    killing.stdin.flush()
    return int(killing.stdout.readline())


@pytest.mark.parametrize(
    ("shape", "point", "knows_keys"),
    [
        *((shape, point, False) for shape, points in KILLS.items() for point in points),
        *((shape, "answered", True) for shape in KILLS),
    ],
)
def test_killed_anywhere(
    shape: str,
    point: str,
    knows_keys: bool,
    killing: subprocess.Popen[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Booked is never less than charged; equal, but for the call that was under way."""
    number, budget = 3, 6 * COST
    with FaultyProvider(knows_keys=knows_keys) as provider:
        told = {"shape": shape, "url": provider.url, "folder": str(tmp_path), "point": point}
        assert kill(killing, **told, samples=number, budget=budget) == 9
        run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, number)
        check_pictures(run, samples)
        made = editor(shape, provider.url, run, budget=budget, concurrency=1)
        assert provider.total <= made.ledger.totals.booked + 1e-9
        summary = edit_all(run, "mini", samples, made)
        check_pictures(run, samples)
        assert provider.total <= made.ledger.totals.booked + 1e-9
        assert made.ledger.totals.booked <= budget + 1e-9
        over = made.ledger.totals.booked - provider.total
        if summary.stopped:
            assert "budget" in summary.stopped
            return
        assert set(records_of(run)) == {"s0", "s1", "s2"}
        if point in PAID_ONCE:
            assert provider.total == pytest.approx(number * COST)
            assert over == pytest.approx(0)
        elif point != "booked" and not knows_keys:
            assert over == pytest.approx(0)
