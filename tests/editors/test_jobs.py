"""Services by jobs, and chats that answer with pictures, against a server that misbehaves: every
picture at its sample, billed once, and no key where it does not belong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.editors.fake_jobs import COST, KEY, FakeJobs, marked

from editgauge import catalog
from editgauge.editors import job_spec, jobs
from editgauge.editors.costs import spent
from editgauge.errors import DataError, UsageError
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Status

SHAPES = job_spec.SERVICES
PASSING = ["none", "submit-500", "submit-cut", "poll-429", "slow", "moved", "data-address"]
"""What goes wrong on the way and still ends with the picture."""


LOST = ("submit-cut",)
"""Answers that were lost on the way: they may have been billed, and stay booked."""


@pytest.fixture(params=SHAPES)
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeJobs]:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    with FakeJobs(shape=request.param) as fake:
        yield fake


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeJobs]:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    with FakeJobs(shape="chat") as fake:
        yield fake


def editor(fake: FakeJobs, **settings: Any) -> Any:
    given = {"model": "maker/model", "base_url": fake.url, "pause": 0.01, "wait": 20, "price": COST}
    return catalog.find("editors", fake.shape)([], **(given | settings))


def talker(fake: FakeJobs, **settings: Any) -> Any:
    given = {"model": "maker/model", "base_url": fake.url, "pause": 0.01}
    return catalog.find("editors", "chat")([], **(given | settings))


def sample_for(folder: Path, word: str = "none", seed: int = 0) -> Sample:
    return make_sample(folder / "data", f"{word}-{seed}", instruction=f"Make it nice, fault:{word}")


def ask(made: Any, folder: Path, word: str = "none") -> tuple[Edit, Sample]:
    sample = sample_for(folder, word)
    scratch = folder / "edits" / ".tmp" / word
    scratch.mkdir(parents=True, exist_ok=True)
    return made(sample, scratch), sample


@pytest.mark.parametrize("word", PASSING)
def test_what_passes_ends_with_the_right_picture_billed_once(
    service: FakeJobs, word: str, tmp_path: Path
) -> None:
    made = editor(service)
    edit, sample = ask(made, tmp_path, word)
    assert edit.ok, edit.reason
    assert edit.path is not None
    assert edit.path.read_bytes() == marked(sample.image.read_bytes())
    assert sum(service.billed.values()) == 1
    booked = 2 * COST if word in LOST else COST
    assert edit.cost == pytest.approx(booked)
    assert made.ledger.totals.booked == pytest.approx(booked)
    assert all(KEY not in str(headers) for headers in service.fetched)


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("submit-400", Status.FAILED, "wrong field"),
        ("submit-422", Status.FAILED, "HTTP 422"),
        ("submit-moderated", Status.REFUSED, "moderation"),
        ("submit-moderated-by-code", Status.REFUSED, "blocked"),
        ("submit-always-500", Status.FAILED, "HTTP 500"),
        ("submit-empty", Status.UNREADABLE, "no job"),
        ("poll-404", Status.FAILED, "HTTP 404"),
        ("job-failed", Status.FAILED, "out of luck"),
        ("no-picture", Status.UNREADABLE, "no picture"),
        ("broken", Status.UNREADABLE, "output"),
        ("html", Status.UNREADABLE, "not a picture"),
        ("fetch-403", Status.FAILED, "HTTP 403"),
    ],
)
def test_what_cannot_be_had_has_a_status_and_a_reason(
    service: FakeJobs, word: str, status: Status, said: str, tmp_path: Path
) -> None:
    edit, _ = ask(editor(service, attempts=2), tmp_path, word)
    assert (edit.status, edit.path) == (status, None), edit.reason
    assert said in edit.reason
    assert KEY not in str(edit)


def test_a_job_that_is_never_done_is_given_up(service: FakeJobs, tmp_path: Path) -> None:
    made = editor(service, wait=0.2)
    edit, _ = ask(made, tmp_path, "never")
    assert edit.status is Status.FAILED
    assert "not done within 0.2 s" in edit.reason
    service.jobs["job-1"].word = "none"
    again, sample = ask(made, tmp_path, "never")
    assert again.ok, "asked again, the same job is looked for"
    assert sum(service.billed.values()) == 1
    assert sample.id


@pytest.mark.parametrize("service", ["bfl", "fal", "replicate"], indirect=True)
def test_the_key_goes_to_no_strange_host(service: FakeJobs, tmp_path: Path) -> None:
    edit, _ = ask(editor(service), tmp_path, "strange-host")
    assert edit.status is Status.UNREADABLE
    assert "no job" in edit.reason


@pytest.mark.parametrize("service", ["bfl"], indirect=True)
def test_what_is_moderated_stays_booked_until_a_bill_says_otherwise(
    service: FakeJobs, tmp_path: Path
) -> None:
    """The service sends no bill for it, and services differ in what they charge for a refusal."""
    made = editor(service)
    edit, _ = ask(made, tmp_path, "moderated")
    assert edit.status is Status.REFUSED
    assert "Content Moderated" in edit.reason
    assert edit.cost == pytest.approx(COST)
    assert made.ledger.totals.booked == pytest.approx(COST)
    assert made.ledger.totals.billed == 0


@pytest.mark.parametrize("service", ["dashscope"], indirect=True)
def test_a_job_that_failed_without_a_bill_stays_booked(service: FakeJobs, tmp_path: Path) -> None:
    made = editor(service)
    edit, _ = ask(made, tmp_path, "job-failed-filter")
    assert edit.status is Status.REFUSED
    assert edit.cost == pytest.approx(COST) == made.ledger.totals.booked


@pytest.mark.parametrize("service", ["ideogram"], indirect=True)
def test_a_picture_that_is_withheld_is_refused(service: FakeJobs, tmp_path: Path) -> None:
    edit, _ = ask(editor(service), tmp_path, "refused-late")
    assert edit.status is Status.REFUSED
    assert edit.cost == 0


@pytest.mark.parametrize("service", ["fal"], indirect=True)
def test_a_result_that_is_late_is_asked_for_again(service: FakeJobs, tmp_path: Path) -> None:
    edit, _ = ask(editor(service), tmp_path, "result-500")
    assert edit.ok, edit.reason


def test_many_at_once_each_get_their_own(service: FakeJobs, tmp_path: Path) -> None:
    samples = [sample_for(tmp_path, "slow" if n % 2 else "none", n) for n in range(12)]
    run = Run.create(tmp_path / "run")
    summary = edit_all(run, "mini", samples, editor(service, concurrency=6))
    assert summary.counts == {"scored": 12}
    for record in run.edits("mini"):
        sample = next(s for s in samples if s.id == record.sample)
        data = (run.path / str(record.path)).read_bytes()
        assert data == marked(sample.image.read_bytes())
    assert summary.cost == pytest.approx(12 * COST)
    assert len(service.billed) == 12


# -- what is sent ----------------------------------------------------------------------------------


def sent(service: FakeJobs) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(service.bodies[-1])
    return found


@pytest.mark.parametrize("service", ["bfl"], indirect=True)
def test_bfl_is_told_the_size_and_what_is_passed_through(service: FakeJobs, tmp_path: Path) -> None:
    made = editor(service, seed="7", **{"extra.safety_tolerance": "2"})
    edit, _ = ask(made, tmp_path)
    body = sent(service)
    assert (body["width"], body["height"]) == (64, 48)
    assert (body["seed"], body["safety_tolerance"]) == (7, 2)
    assert edit.settings["safety_tolerance"] == 2


@pytest.mark.parametrize("service", ["replicate", "fal"], indirect=True)
def test_a_model_s_own_name_for_its_picture(service: FakeJobs, tmp_path: Path) -> None:
    ask(editor(service, picture_field="image_url"), tmp_path)
    body = sent(service)
    body = body.get("input", body)
    assert body["image_url"].startswith("data:image/png;base64,")
    assert body["prompt"].startswith("Make it nice")


@pytest.mark.parametrize("service", ["replicate"], indirect=True)
@pytest.mark.parametrize(
    ("settings", "field"),
    [({"model": "google/nano-banana"}, "image_input"), ({"picture_field": "picture[]"}, "picture")],
)
def test_a_list_of_one_picture_is_a_list(
    service: FakeJobs, settings: dict[str, str], field: str, tmp_path: Path
) -> None:
    ask(editor(service, **settings), tmp_path)
    (picture,) = sent(service)["input"][field]
    assert picture.startswith("data:image/png;base64,")


@pytest.mark.parametrize("name", SHAPES)
def test_every_file_says_where_it_comes_from(name: str) -> None:
    service = job_spec.load(name)
    assert service.title
    assert service.source
    assert service.checked
    assert service.hosts
    about = catalog.find("editors", name).__doc__
    assert "never called" in about


def test_a_price_has_its_origin_and_nothing_spent_has_no_sign(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    known = jobs.make("bfl")
    given = jobs.make("bfl", price="0.1")
    assert jobs.make("bfl", base_url="http://localhost").price.picture is None
    assert known.price.source == "Black Forest Labs, 2026-11"
    assert given.price.source == "--price"
    given.ledger.spent = -1e-17
    assert spent(given).startswith("0.0000 US dollars now, 0.0000 in this run")
    assert spent(given).endswith("(prices: --price)")


def test_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EDITGAUGE_EDITOR_KEY", "BFL_API_KEY", "FAL_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="BFL_API_KEY"):
        jobs.make("bfl")
    with pytest.raises(UsageError, match="wanted the setting model"):
        jobs.make("fal")
    with pytest.raises(UsageError, match="found colour"):
        jobs.make("bfl", colour="red")
    with pytest.raises(UsageError, match="wanted the setting service"):
        jobs.jobs([])
    with pytest.raises(UsageError, match="wanted one of bfl"):
        jobs.jobs([], service="nobody")
    (tmp_path / "own.toml").write_text('base_url = "http://localhost"\nwrong = 1\n')
    with pytest.raises(DataError, match=r"own.toml: object contains unknown field wrong"):
        jobs.jobs([], service=str(tmp_path / "own.toml"))


def test_a_service_of_one_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import resources

    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    text = resources.files("editgauge.editors").joinpath("job_services", "bfl.toml").read_text()
    (tmp_path / "mine.toml").write_text(text)
    with FakeJobs(shape="bfl") as fake:
        given = {"service": str(tmp_path / "mine.toml"), "base_url": fake.url, "pause": 0.01}
        edit, _ = ask(jobs.jobs([], **given), tmp_path)
    assert edit.ok, edit.reason


# -- chat ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word",
    [
        "none",
        "chat-parts",
        "chat-text",
        "chat-wrapped",
        "chat-url",
        "chat-markdown",
        "submit-500",
        "submit-429",
        "submit-html",
    ],
)
def test_a_chat_s_picture_is_found_wherever_it_is(
    chat: FakeJobs, word: str, tmp_path: Path
) -> None:
    edit, sample = ask(talker(chat), tmp_path, word)
    assert edit.ok, edit.reason
    assert edit.path is not None
    assert edit.path.read_bytes() == marked(sample.image.read_bytes())
    assert edit.cost == COST
    assert "base64" not in edit.detail["text"]


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ("chat-none", Status.UNREADABLE, "I would rather talk"),
        ("chat-filter", Status.REFUSED, "content filter"),
        ("chat-refusal", Status.REFUSED, "cannot do that"),
        ("chat-null", Status.UNREADABLE, "no picture"),
        ("chat-error", Status.FAILED, "provider down"),
        ("chat-bad", Status.UNREADABLE, "no base64"),
        ("submit-400", Status.FAILED, "wrong field"),
        ("submit-moderated", Status.REFUSED, "moderation"),
        ("submit-moderated-by-code", Status.REFUSED, "blocked"),
    ],
)
def test_a_chat_without_a_picture_has_a_reason(
    chat: FakeJobs, word: str, status: Status, said: str, tmp_path: Path
) -> None:
    edit, _ = ask(talker(chat), tmp_path, word)
    assert edit.status is status, edit.reason
    assert said in edit.reason


def test_what_a_chat_is_sent(chat: FakeJobs, tmp_path: Path) -> None:
    ask(talker(chat, temperature="0.5", **{"extra.image_config": "x"}), tmp_path)
    body = sent(chat)
    assert body["modalities"] == ["image", "text"]
    kinds = [part["type"] for part in body["messages"][0]["content"]]
    assert kinds == ["image_url", "text"]
    assert (body["temperature"], body["image_config"]) == (0.5, "x")
    with pytest.raises(UsageError, match="wanted the setting model"):
        catalog.find("editors", "chat")([])


SERVICE = """
base_url = "http://localhost"
header = "x"
hosts = ["localhost"]
keys = ["K"]
submit = "/{model}"
[request]
prompt = "prompt"
image = "image"
[job]
id = "id"
poll = "/{id}"
status = "status"
done = ["done"]
result = ["url"]
"""


def test_a_service_file_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "s.toml"
    place.write_text(SERVICE)
    assert job_spec.load(str(place)).submit == "/{model}"
    for old, new, told in (
        ('submit = "/{model}"', "submit = 5", "submit: expected str, got int; found 5"),
        ('submit = "/{model}"', 'submit = "/{model:999999999}"', "wanted no braces but"),
        ('submit = "/{model}"', 'submit = "/{model.__class__}"', "wanted no braces but"),
        ('poll = "/{id}"', 'poll = "/{"', "wanted no braces but {id}"),
        ('hosts = ["localhost"]', "hosts = 5", "hosts: expected array, got int"),
        ('hosts = ["localhost"]', "hosts = [5]", "expected str, got int"),
        ('hosts = ["localhost"]', "pictures = 0", "pictures: expected int >= 1"),
        ('done = ["done"]', 'done = "done"', "job.done: expected array, got str"),
        ('done = ["done"]', "", "missing required field done"),
        ('poll = "/{id}"', "", "job: has no poll or poll_url"),
        ('image = "image"', "", "request: has no image or images"),
        ('image = "image"', "image = 1", "request.image: expected str"),
        ("[job]", '[request.sized]\nwidth = "w"\n[job]', "missing required field height"),
        ("[job]", "[headers]\nx = 1\n[job]", "expected str, got int"),
        ("[job]", "[bill]\nunit = 1\n[job]", "missing required field path"),
        ("[job]", "[prices]\nm = nan\n[job]", "prices"),
        ("[job]", "[prices]\nm = [[1]]\n[job]", "expected float, got array"),
        ("[request]", "a=" + "[" * 5000, "no valid TOML"),
    ):
        assert old in SERVICE
        place.write_text(SERVICE.replace(old, new))
        with pytest.raises(DataError, match=told):
            job_spec.load(str(place))
