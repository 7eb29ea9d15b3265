"""Editors behind services: the right pictures, what is booked is charged, no key leaks."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from tests.editors import killed as killing
from tests.editors.provider import COST, JOBS, KEY, SHAPES, Provider, marked

from editgauge import catalog
from editgauge.editors.tracks import Track, on_track
from editgauge.images import write_png
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.testing import make_picture, make_sample
from editgauge.types import Sample, Status

S, F, U, R = Status.SCORED, Status.FAILED, Status.UNREADABLE, Status.REFUSED
ASKING: dict[str, tuple[list[str], Status]] = {
    "all is well": ([], S),
    "down once": (["500"], S),
    "overloaded": (["503"], S),
    "too fast, three times": (["429"] * 3, S),
    "a conflict": (["409"], S),
    "the gateway lost it": (["502"], S),
    "cut off": (["cut"], S),
    "half an answer": (["half"], S),
    "a page instead": (["html"], S),
    "down, too fast, cut off": (["500", "429", "cut"], S),
    "cut off twice": (["cut", "cut"], F),
    "down for good": (["500"] * 9, F),
    "refused": (["refused"], R),
    "a wrong request": (["400"], F),
}
"""What goes wrong with a call, and how it ends, whatever the service."""
POLLING: dict[str, tuple[list[str], Status]] = {
    "asked too early": (["wait", "wait"], S),
    "everything while asking": (["wait", "500", "502", "429", "wait", "cut", "html"], S),
    "not known yet": (["404"], S),
    "done, but not stored yet": (["hollow", "wait"], S),
    "done without a picture": (["hollow"] * 4, U),
    "another job's answer": (["another"], S),
    "another job's answers": (["another"] * 4, F),
    "the job failed": (["failed"], F),
    "the job was filtered": (["filtered"], R),
    "the job is gone": (["404"] * 4, F),
}
FETCHING: dict[str, tuple[list[str], Status]] = {
    "the picture later": (["500"], S),
    "the picture cut off": (["cut"], S),
    "nothing, then the picture": (["nothing"], S),
    "a page for a picture": (["html"], U),
    "the picture is gone": (["403"] * 4, F),
}


def editor(shape: str, url: str, run: Run, budget: float | None = None, **settings: Any) -> Any:
    given = {"base_url": url, "pause": 0.001, "timeout": 30, "attempts": 4, "price": COST}
    made = catalog.find("editors", shape)([], **({"model": SHAPES[shape]} | given | settings))
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
    inputs = {sample.id: sample.image for sample in samples}
    for name, record in records_of(run).items():
        if record.path:
            assert (run.path / record.path).read_bytes() == marked(inputs[name].read_bytes())


def table(shape: str) -> dict[str, tuple[dict[str, list[str]], Status]]:
    """The scenarios of a service: the events of a sample's steps, and how it ends."""
    found = {name: ({"ask": events}, status) for name, (events, status) in ASKING.items()}
    if shape in JOBS:
        for name, (events, status) in POLLING.items():
            step = "result" if shape == "fal" and "hollow" in events else "poll"
            found[name] = ({step: events}, status)
        found |= {name: ({"fetch": e}, status) for name, (e, status) in FETCHING.items()}
        found["a strange host, which has no key"] = ({"ask": ["strange"]}, U)
        found["the address has expired"] = ({"fetch": ["403"]}, S)
        if shape == "fal":
            found["blackened"] = ({"result": ["unsafe"]}, R)
            found["a result that is late"] = ({"result": ["500"]}, S)
        return found
    found["no picture"] = ({"ask": ["no-picture"]}, U)
    if shape in ("openai", "chat"):
        found["an error called a success"] = ({"ask": ["error"]}, R)
        found["the address leads on"] = ({"ask": ["moved"]}, S)
        for name, (events, status) in FETCHING.items():
            found[name] = ({"ask": ["address"], "fetch": events}, status)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_every_fault_ends_right_and_is_booked_to_the_cent(shape: str, tmp_path: Path) -> None:
    scenarios = list(table(shape).items())
    script = {
        f"s{n}.{step}": events
        for n, (_, (steps, _)) in enumerate(scenarios)
        for step, events in steps.items()
    }
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, len(scenarios))
    with Provider(script) as provider:
        more = {} if shape == "http" else {"concurrency": 6}
        made = editor(shape, provider.url, run, **more)
        edit_all(run, "mini", samples, made)
        found = records_of(run)
        ends = {name: found[f"s{n}"].status for n, (name, _) in enumerate(scenarios)}
        assert ends == {name: status for name, (_, status) in scenarios}
        check_pictures(run, samples)
        assert all(record.path or record.reason for record in found.values())
        for n, (name, _) in enumerate(scenarios):
            assert found[f"s{n}"].cost == pytest.approx(provider.charged[f"s{n}"]), name
        assert made.ledger.totals.booked == pytest.approx(provider.total)
        files = [path for path in run.path.rglob("*") if path.is_file()]
        assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("fault", [["403"] * 4, ["500"] * 16])
def test_a_picture_that_was_late_is_paid_once(fault: list[str], tmp_path: Path) -> None:
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 1)
    with Provider({"s0.fetch": fault}) as provider:
        edit_all(run, "mini", samples, editor("bfl", provider.url, run))
        assert records_of(run)["s0"].status is F
        again = editor("bfl", provider.url, run, wait=1000, pictures=3)
        assert again.ledger.totals.booked == pytest.approx(COST)
        edit_all(run, "mini", samples, again, retry=frozenset({F}))
        assert records_of(run)["s0"].cost == pytest.approx(COST)
        check_pictures(run, samples)
        assert records_of(run)["s0"].path
        assert again.ledger.totals.booked == pytest.approx(provider.total) == pytest.approx(COST)


def test_a_picture_that_is_lost_for_good_can_be_bought_anew(tmp_path: Path) -> None:
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 1)
    with Provider({"s0.fetch": ["403"] * 8}) as provider:
        for _ in range(3):
            made = editor("bfl", provider.url, run)
            edit_all(run, "mini", samples, made, retry=frozenset({F}))
            assert made.ledger.totals.booked == pytest.approx(provider.total)
        assert provider.total == pytest.approx(2 * COST)
        assert records_of(run)["s0"].path


# -- kills -----------------------------------------------------------------------------------------

KILLS = {
    "bfl": ("booked", "answered", "job written", "job asked for", "picture fetched", "delivered",
            "in place", "recorded"),
    "chat": ("answered", "billed", "recorded"),
    "openai": ("booked", "answered", "delivered", "in place"),
}  # fmt: skip
"""What answers at once has one core: each of its points once."""
PAID_ONCE = {"job written", "job asked for", "picture fetched", "recorded"}
"""Kills after which nothing is asked for a second time."""


def killed(*told: Any) -> int | None:
    """The exit status of a run that is killed. One process imports everything once and forks before
    it has threads, so that fifty kills do not cost fifty starts.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.editors.killed"])
    child = context.Process(target=killing.run, args=told)
    child.start()
    child.join()
    return child.exitcode


@pytest.mark.parametrize(
    ("shape", "point", "knows_keys"),
    [
        *((shape, point, False) for shape, points in KILLS.items() for point in points),
        *((shape, "answered", True) for shape in KILLS),
    ],
)
def test_killed_anywhere(shape: str, point: str, knows_keys: bool, tmp_path: Path) -> None:
    number, budget = 3, 6 * COST
    with Provider(knows_keys=knows_keys) as provider:
        assert killed(point, shape, provider.url, tmp_path, number, budget) == killing.DEAD
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


# -- what is the same for all ----------------------------------------------------------------------


def test_another_name_is_another_draw_and_a_users_retry_another_call(tmp_path: Path) -> None:
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 1)
    with Provider({"s0.ask": ["refused"]}, knows_keys=True) as provider:
        for name in ("first", "first", "second"):
            made = editor("bfl", provider.url, run, name=name)
            edit_all(run, "mini", samples, made, retry=frozenset({R}))
        assert len({one.headers["idempotency-key"] for one in provider.calls}) == 3
        assert provider.total == pytest.approx(2 * COST)
        assert made.ledger.totals.booked == pytest.approx(2 * COST)
    assert {(one.editor, one.status) for one in run.edits("mini")} == {("first", S), ("second", S)}


def test_an_input_over_our_own_limit_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "1000")
    made = catalog.find("editors", "openai")([], base_url="http://127.0.0.1:9")
    edit = made(make_sample(tmp_path), tmp_path)
    assert edit.status is Status.DATASET_FAULT
    assert "the limit is 1,000" in edit.reason


@pytest.mark.parametrize("shape", ["openai", "gemini", "chat", "http"])
def test_demonstrations_come_before_the_sample(shape: str, tmp_path: Path) -> None:
    run, samples = Run.create(tmp_path / "run"), samples_for(tmp_path, 4)
    with Provider() as provider:
        more = {"pictures": 5} if shape == "http" else {}
        made = on_track(editor(shape, provider.url, run, **more), Track(shots=2), pool=samples)
        edit = made(samples[0], tmp_path)
    assert edit.ok, edit.reason
    assert len(edit.detail["shots"]) == 2
    assert "s0" not in edit.detail["shots"]
    written = {"openai": b'name="image[]"', "gemini": b"inlineData", "chat": b'image_url":{'}
    written["http"] = b"iVBORw0KGgo"
    assert provider.asked[0].body.count(written[shape]) == 5
