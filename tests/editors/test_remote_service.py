"""OpenAI's and Gemini's editors against a service that misbehaves: nothing lost, nothing paid
twice, no key leaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.editors.fake_service import KEY, FakeService, png

from editgauge import catalog
from editgauge.editors import remote
from editgauge.editors.calling import AGAIN, call_key
from editgauge.editors.sending import as_file, transparent_where_editable
from editgauge.editors.tracks import Track, on_track
from editgauge.errors import ImageTooLarge, UsageError
from editgauge.images import write_png
from editgauge.run.edit import edit as edit_all
from editgauge.services.prices import ImagePrice as Price
from editgauge.store.run import Run
from editgauge.testing import make_picture, make_sample
from editgauge.types import Edit, Status

FAMILIES = ("openai", "gemini")


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    monkeypatch.setattr(remote, "is_own_network", lambda host: False)
    with FakeService() as fake:
        yield fake


def editor(family: str, fake: FakeService, **settings: Any) -> Any:
    model = {"openai": "gpt-image-1", "gemini": "gemini-2.5-flash-image"}[family]
    given = {"model": model, "base_url": fake.url, "timeout": 30, "pause": 0.01, **settings}
    return catalog.find("editors", family)([], **given)


def ask(made: Any, folder: Path, word: str = "none", **fields: Any) -> Edit:
    sample = make_sample(folder / "data", word, instruction=f"Make it nice, fault:{word}", **fields)
    scratch = folder / "scratch" / word
    scratch.mkdir(parents=True, exist_ok=True)
    return made(sample, scratch)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_good_call_delivers_the_picture_as_it_came(
    family: str, service: FakeService, tmp_path: Path
) -> None:
    edit = ask(editor(family, service), tmp_path)
    assert edit.ok
    assert (edit.width, edit.height) == (40, 30)
    assert edit.path is not None
    assert edit.path.read_bytes() == png()
    assert edit.detail["attempts"] == 1
    expected = {
        "openai": (100 * 5 + 200 * 10 + 1000 * 40) / 1e6,
        "gemini": (300 * 0.3 + 1290 * 30) / 1e6,
    }[family]
    assert edit.cost == pytest.approx(expected, abs=1e-6)
    assert edit.seconds is not None


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("word", ["wrapped", "url-safe", "unpadded", "prefixed"])
def test_a_picture_that_was_billed_is_read_however_it_is_written(
    family: str, word: str, service: FakeService, tmp_path: Path
) -> None:
    edit = ask(editor(family, service), tmp_path, word)
    assert edit.ok, edit.reason
    assert edit.path is not None
    assert edit.path.read_bytes() == png()


@pytest.mark.parametrize("word", ["url", "url-once", "url-relative"])
def test_the_way_to_a_picture_is_followed_without_the_key(
    word: str, service: FakeService, tmp_path: Path
) -> None:
    edit = ask(editor("openai", service), tmp_path, word)
    assert edit.ok, edit.reason
    fetched = service.headers[1:]
    assert len(fetched) == (1 if word == "url" else 2)
    assert all(KEY not in str(headers) for headers in fetched)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("word", "status", "said", "calls"),
    [
        ("always-500", Status.FAILED, "HTTP 500", 5),
        ("refusal", Status.REFUSED, "s", 1),
        ("broken", Status.UNREADABLE, "output", 1),
        ("html", Status.UNREADABLE, "not a picture", 1),
        ("text", Status.UNREADABLE, "no picture", 1),
        ("no-base64", Status.UNREADABLE, "no base64", 1),
    ],
)
def test_what_cannot_be_had_has_a_status_and_a_reason(
    family: str,
    word: str,
    status: Status,
    said: str,
    calls: int,
    service: FakeService,
    tmp_path: Path,
) -> None:
    edit = ask(editor(family, service), tmp_path, word)
    assert (edit.status, edit.path) == (status, None)
    assert said in edit.reason
    assert service.calls[word] == calls
    assert KEY not in repr(edit)


def test_gemini_keeps_text_and_sends_texts_and_pictures_in_turn(
    service: FakeService, tmp_path: Path
) -> None:
    edit = ask(editor("gemini", service), tmp_path)
    assert edit.detail["text"] == "Here it is."
    parts = json.loads(service.bodies[0])["contents"][0]["parts"]
    assert [next(iter(part)) for part in parts] == ["inlineData", "text"]
    assert service.headers[0]["x-goog-api-key"] == KEY


def test_openai_sends_a_form_with_several_pictures_and_a_mask(
    service: FakeService, tmp_path: Path
) -> None:
    sample = make_sample(tmp_path, instruction="Join them")
    several = make_sample(tmp_path, instruction="Join them", images=(sample.image, sample.image))
    editor("openai", service, mask="true", quality="high")(several, tmp_path)
    body = service.bodies[0]
    assert body.count(b'name="image[]"') == 2
    assert b'name="mask"' in body
    assert b"high" in body
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_the_mask_is_transparent_where_the_picture_may_change(tmp_path: Path) -> None:
    import io

    sample = make_sample(tmp_path)
    with Image.open(io.BytesIO(transparent_where_editable(sample.masks["input"]))) as image:
        alpha = np.asarray(image)[..., 3]
    assert alpha[-1, -1] == 0
    assert alpha[0, 0] == 255


def test_a_compatible_service_gets_json_and_may_answer_with_an_address(
    service: FakeService, tmp_path: Path
) -> None:
    made = editor("openai", service, model="doubao-seedream-4-0", watermark="false")
    edit = ask(made, tmp_path, "url")
    assert edit.ok, edit.reason
    body = json.loads(service.bodies[0])
    assert body["image"].startswith("data:image/png;base64,")
    assert body["watermark"] is False
    assert made.name == "doubao-seedream-4-0"


def test_as_many_calls_at_once_as_the_limit_allows_and_no_more(
    service: FakeService, tmp_path: Path
) -> None:
    """The service answers only when eight calls are under way. (The rate itself is measured in
    benchmarks/.)
    """
    made = editor("openai", service, concurrency=8)
    samples = [
        make_sample(tmp_path / "data", f"s{n}", instruction="fault:together") for n in range(24)
    ]
    summary = edit_all(Run.create(tmp_path / "run"), "mini", samples, made)
    assert summary.counts == {"scored": 24}
    assert service.most == 8


def test_a_users_retry_is_another_call(service: FakeService, tmp_path: Path) -> None:
    """A refusal that is asked again has a new idempotency key; a service that knows such keys would
    repeat its refusal else. Killed and asked once more, the retry has the key that it had.
    """
    made = editor("openai", service)
    samples = [make_sample(tmp_path / "data", "s", instruction="fault:refusal")]
    run = Run.create(tmp_path / "run")
    edit_all(run, "mini", samples, made)
    refused = frozenset({Status.REFUSED})
    assert len(service.tries) == 1
    edit_all(run, "mini", samples, made, retry=refused)
    assert len(service.tries) == 2
    folders = [tmp_path / "run" / ".tmp" / name for name in "ab"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / AGAIN).write_text("before")
    assert call_key(folders[0], "x") == call_key(folders[1], "x")
    (folders[0] / AGAIN).unlink()
    assert call_key(folders[0], "x") != call_key(folders[1], "x")


ECHOES = [
    {"error": {"message": f"bad key {KEY}", "code": KEY}},
    {"data": [{"b64_json": "AAAA", "revised_prompt": KEY}], "usage": {KEY: KEY}},
    {KEY: KEY},
]


@pytest.mark.parametrize("status", [200, 400, 500, 401])
@pytest.mark.parametrize("value", ECHOES, ids=["error", "data", "names"])
def test_a_key_that_comes_back_is_in_no_file(
    value: dict[str, Any], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.judging.raw_server import saying

    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    with saying(json.dumps(value).encode(), status) as url:
        address = f"{url}?code=hidden-in-a-query"
        made = catalog.find("editors", "openai")([], model="m", base_url=address, pause=0.01)
        run = Run.create(tmp_path / "run")
        summary = edit_all(run, "mini", [make_sample(tmp_path / "data", "s")], made)
    assert KEY not in summary.stopped
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    for secret in (KEY, "hidden-in-a-query"):
        assert [path for path in files if secret.encode() in path.read_bytes()] == []


def test_a_model_s_name_says_nothing_of_its_price_at_an_address_of_one_s_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    factory, home = catalog.find("editors", "openai"), "http://127.0.0.1:8000/v1"
    assert factory([], base_url=home).price == Price()
    assert factory([], base_url=home, price="0.04").price.picture == 0.04
    assert factory([]).price.picture == 0.07


def test_estimates(service: FakeService, tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    assert editor("openai", service, price="0.04").estimate(sample) == 0.04
    assert editor("openai", service, model="unheard-of").estimate(sample) is None
    assert editor("gemini", service).estimate(sample) > 0


def test_demonstrations_come_before_the_sample(service: FakeService, tmp_path: Path) -> None:
    samples = [make_sample(tmp_path, f"s{n}", instruction=f"Do {n}") for n in range(4)]
    given = {"model": "m", "base_url": service.url}
    for family in FAMILIES:
        made = on_track(catalog.find("editors", family)([], **given), Track(shots=2), pool=samples)
        edit = made(samples[0], tmp_path)
        assert edit.ok
        assert len(edit.detail["shots"]) == 2
        assert "s0" not in edit.detail["shots"]
    assert service.bodies[0].count(b'name="image[]"') == 5
    parts = json.loads(service.bodies[1])["contents"][0]["parts"]
    assert sum("inlineData" in part for part in parts) == 5


@pytest.mark.parametrize("family", FAMILIES)
def test_usage_errors(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EDITGAUGE_EDITOR_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    factory = catalog.find("editors", family)
    with pytest.raises(UsageError, match="no key: set EDITGAUGE_EDITOR_KEY"):
        factory([])
    with pytest.raises(UsageError, match="found api_key"):
        factory([], api_key="sk-never")
    with pytest.raises(UsageError, match="concurrency: expected int >= 1; found '0'"):
        factory([], base_url="http://localhost", concurrency="0")
    with pytest.raises(UsageError, match="put no key into the address"):
        factory([], base_url="http://user:pw@localhost")


def test_broken_inputs_are_the_data_sets_fault(service: FakeService, tmp_path: Path) -> None:
    edit = ask(editor("openai", service), tmp_path, images=(tmp_path / "gone.png",))
    assert edit.status is Status.DATASET_FAULT
    assert ask(editor("gemini", service), tmp_path, images=()).status is Status.DATASET_FAULT
    assert not service.calls


# --- parts --------------------------------------------------------------------------------------


def test_an_input_over_our_own_limit_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_png(tmp_path / "in.png", make_picture((60, 40)))
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "1000")
    with pytest.raises(ImageTooLarge, match="2,400 pixels, the limit is 1,000"):
        as_file(tmp_path / "in.png", 0)
