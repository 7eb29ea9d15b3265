"""Each provider's request and what its reply means: pure functions, without a server."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editgauge import catalog
from editgauge.editors.calling import Call, asked
from editgauge.editors.remote import RemoteEditor, Result
from editgauge.errors import DataError
from editgauge.services.policy import at
from editgauge.services.prices import ImagePrice, image_price_of
from editgauge.testing import make_sample
from editgauge.types import Sample, Status


def editor(name: str, /, **settings: Any) -> RemoteEditor:
    made: RemoteEditor = catalog.find("editors", name)([], **settings)
    return made


def call_of(made: RemoteEditor, sample: Sample) -> Call:
    return made.provider.request(asked(sample))


@pytest.mark.parametrize(
    ("name", "settings", "place", "value"),
    [
        ("openai", {"size": "input"}, "size", "1536x1024"),
        ("openai", {"size": "input", "model": "gpt-image-2"}, "size", "96x48"),
        ("openai", {"model": "doubao-seedream-4-0"}, "watermark", False),
        ("gemini", {"seed": "3"}, "generationConfig.seed", 3),
        ("gemini", {"extra.imageConfig.imageSize": "2K"},
         "generationConfig.imageConfig", {"imageSize": "2K"}),
        ("bfl", {}, "width", 96),
        ("bfl", {}, "height", 48),
        ("bfl", {"seed": "7"}, "seed", 7),
        ("bfl", {"extra.safety_tolerance": "2"}, "safety_tolerance", 2),
    ],
)  # fmt: skip
def test_what_a_service_is_told(
    name: str, settings: dict[str, str], place: str, value: Any, tmp_path: Path
) -> None:
    call = call_of(editor(name, **settings), make_sample(tmp_path, size=(90, 50)))
    assert at(call.json or call.fields, place) == value


@pytest.mark.parametrize(
    ("name", "settings", "place", "many"),
    [
        ("openai", {"model": "doubao-seedream-4-0"}, "image", False),
        ("fal", {}, "image_urls", True),
        ("fal", {"picture_field": "image_url"}, "image_url", False),
        ("replicate", {}, "input.input_images", True),
        ("replicate", {"picture_field": "picture[]"}, "input.picture", True),
        ("replicate", {"model": "google/nano-banana"}, "input.image_input", True),
    ],
)
def test_what_a_model_calls_its_pictures(
    name: str, settings: dict[str, str], place: str, many: bool, tmp_path: Path
) -> None:
    body = call_of(editor(name, **{"model": "maker/m", **settings}), make_sample(tmp_path)).json
    found = at(body, place)
    assert isinstance(found, list) == many
    assert (found[0] if many else found).startswith("data:image/png;base64,")


def test_openai_by_responses(tmp_path: Path) -> None:
    made = editor("openai", style="responses", model="gpt-5")
    body = call_of(made, make_sample(tmp_path)).json
    assert body["tools"] == [{"type": "image_generation", "action": "edit"}]
    reply = {"output": [{"type": "image_generation_call", "result": "QUJD"}]}
    assert made.provider.result(reply) == Result(picture="QUJD", detail={"usage": None})
    refusal = {"output": [{"content": [{"type": "refusal", "refusal": "I will not."}]}]}
    assert made.provider.result(refusal).status is Status.REFUSED


def test_a_server_of_ones_own_network_has_no_price_of_the_models_maker() -> None:
    assert editor("bfl", model="flux-2-pro").price.picture
    own = editor("bfl", model="flux-2-pro", base_url="http://127.0.0.1:1")
    assert own.price.picture is None


def candidate(*parts: Any, finish: str = "STOP") -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish}]}


def message(content: Any = None, **more: Any) -> dict[str, Any]:
    finish = more.pop("finish", "stop")
    return {"choices": [{"message": {"content": content, **more}, "finish_reason": finish}]}


DATA = "data:image/png;base64,QUJD"
IMAGE = {"type": "image_url", "image_url": {"url": DATA}}


@pytest.mark.parametrize(
    ("name", "reply", "picture"),
    [
        ("gemini", candidate({"thought": True, "inlineData": {"data": "x"}},
                             {"inlineData": {"data": "QUJD"}}), "QUJD"),
        ("chat", message("Here.", images=[IMAGE]), DATA),
        ("chat", message([{"type": "text", "text": "Here."}, IMAGE]), DATA),
        ("http", {"image": "QUJD"}, "QUJD"),
    ],
)  # fmt: skip
def test_a_picture_is_found_wherever_it_is(name: str, reply: Any, picture: str) -> None:
    made = editor(name, model="m", base_url="http://localhost").provider.result(reply)
    assert made.status is Status.SCORED
    assert made.picture == picture
    assert "QUJD" not in str(made.detail)


@pytest.mark.parametrize(
    ("name", "reply", "status", "said"),
    [
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, Status.REFUSED, "SAFETY"),
        ("gemini", candidate(finish="IMAGE_SAFETY"), Status.REFUSED, "IMAGE_SAFETY"),
        ("gemini", candidate({"text": "I would rather talk."}), Status.UNREADABLE, "rather talk"),
        ("chat", message("I would rather talk."), Status.UNREADABLE, "rather talk"),
        ("chat", message(finish="content_filter"), Status.REFUSED, "content filter"),
        ("chat", message(refusal="I cannot."), Status.REFUSED, "I cannot."),
        ("chat", {"choices": None}, Status.UNREADABLE, "no picture"),
        ("chat", {"choices": [{"error": {"message": "down"}}]}, Status.FAILED, "down"),
        ("http", {"error": "no", "status": "refused"}, Status.REFUSED, "no"),
        ("http", {"error": "no", "status": "scored"}, Status.FAILED, "no"),
        ("chat", message(finish="SAFETY"), Status.REFUSED, "SAFETY"),
        ("openai", {"error": "by moderation"}, Status.REFUSED, "by moderation"),
        ("openai", {"incomplete_details": {"reason": "content_filter"}}, Status.REFUSED, "complete"),
        ("openai", {"created": 1}, Status.UNREADABLE, "no picture"),
    ],
)  # fmt: skip
def test_a_reply_without_a_picture_has_a_reason(
    name: str, reply: Any, status: Status, said: str
) -> None:
    made = editor(name, model="m", base_url="http://localhost").provider.result(reply)
    assert made.status is status
    assert said in made.reason


def test_bills_are_the_replies_usage_at_the_tables_prices() -> None:
    price = ImagePrice(text_in=5.0, image_in=10.0, out=40.0, picture=0.07)
    details = {"image_tokens": 200, "text_tokens": 100}
    usage = {"input_tokens": 300, "output_tokens": 1000, "input_tokens_details": details}
    bill = editor("openai").provider.bill
    assert bill({"usage": usage}, price) == pytest.approx((100 * 5 + 200 * 10 + 1000 * 40) / 1e6)
    assert bill({}, price) == 0.07
    usage = {"promptTokenCount": 300, "candidatesTokenCount": 1290}
    usage["promptTokensDetails"] = [{"modality": "IMAGE", "tokenCount": 258}]  # type: ignore[assignment]
    bill = editor("gemini").provider.bill
    told = (42 * 5 + 258 * 10 + 1290 * 40) / 1e6
    assert bill({"usageMetadata": usage}, price) == pytest.approx(told)
    bill = editor("chat", model="m").provider.bill
    assert bill({"usage": {"cost": 0.011}}, price) == 0.011
    bill = editor("http", base_url="http://localhost").provider.bill
    assert (bill({"cost": 0.2}, price), bill({"cost": -1}, price)) == (0.2, 0.07)


def test_text_and_thinking_have_a_price_of_their_own() -> None:
    """Gemini 3 Pro Image: $120 for a million tokens of pictures, $12 of text and thinking."""
    price = image_price_of("gemini-3-pro-image-preview")
    usage: dict[str, Any] = {"promptTokenCount": 100, "candidatesTokenCount": 1220}
    usage |= {"thoughtsTokenCount": 400}
    pictures = [{"modality": "IMAGE", "tokenCount": 1120}, {"modality": "TEXT", "tokenCount": 100}]
    usage["candidatesTokensDetails"] = pictures
    bill = editor("gemini").provider.bill
    told = (100 * 2 + 1120 * 120 + 500 * 12) / 1e6
    reply = candidate({"inlineData": {"mimeType": "image/png", "data": "QUJD"}})
    assert bill(reply | {"usageMetadata": usage}, price) == pytest.approx(told)
    del usage["candidatesTokensDetails"]  # what is not said to be text costs as a picture
    told = (100 * 2 + 1220 * 120 + 400 * 12) / 1e6
    assert bill(reply | {"usageMetadata": usage}, price) == pytest.approx(told)
    told = (100 * 2 + (1220 + 400) * 12) / 1e6  # words alone, without a picture
    words = candidate({"text": "No."})
    assert bill(words | {"usageMetadata": usage}, price) == pytest.approx(told)
    usage = {"prompt_tokens": 100, "completion_tokens": 1220}
    usage["completion_tokens_details"] = {"image_tokens": 1120, "reasoning_tokens": 60}
    bill = editor("chat", model="google/gemini-3-pro-image-preview").provider.bill
    told = (100 * 2 + 1120 * 120 + 100 * 12) / 1e6
    assert bill({"usage": usage}, price) == pytest.approx(told)


@pytest.mark.parametrize(
    ("name", "model", "dollars"),
    [
        ("gemini", "gemini-3.1-flash-image-preview", 0.067),
        ("bfl", "flux-kontext-pro", 0.04),
        ("bfl", "flux-kontext-max", 0.08),
        ("bfl", "flux-kontext-ultra", None),
    ],
)
def test_the_price_of_a_picture_is_that_of_the_very_model(
    name: str, model: str, dollars: float | None
) -> None:
    assert editor(name, model=model).provider.listed().picture == dollars


@pytest.mark.parametrize(
    ("reply", "output"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, 0),
        (candidate(finish="IMAGE_SAFETY"), 0),
        (candidate({"text": "No."}), 20),
    ],
)
def test_gemini_without_a_picture_is_billed_its_tokens(reply: Any, output: int) -> None:
    price = ImagePrice(text_in=5.0, image_in=10.0, out=40.0, picture=0.07)
    usage: dict[str, Any] = {"promptTokenCount": 300}
    if output:
        usage["candidatesTokenCount"] = output
    bill = editor("gemini").provider.bill
    expected = (300 * 5 + output * 40) / 1e6
    assert bill(reply | {"usageMetadata": usage}, price) == pytest.approx(expected)
    assert bill(reply, price) == 0.0


def test_a_bill_that_cannot_be_believed_leaves_the_list_price() -> None:
    bill = editor("bfl").provider.bill
    listed = ImagePrice(picture=0.045)
    assert bill({"cost": 9}, listed) == pytest.approx(0.09)
    for cost in (-1, True, "9", 1e9, float("nan"), None):
        assert bill({"cost": cost}, listed) == 0.045


def test_a_picture_of_another_format_goes_as_png(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / "in.bmp")
    sample = make_sample(tmp_path, images=(tmp_path / "in.bmp",))
    (file,) = asked(sample).files
    assert (file.media, file.data[:4]) == ("image/png", b"\x89PNG")


# -- services by jobs ------------------------------------------------------------------------------


def test_a_service_of_ones_own_is_a_file(tmp_path: Path) -> None:
    text = resources.files("editgauge.editors").joinpath("job_services", "bfl.toml").read_text()
    own = tmp_path / "mine.toml"
    own.write_text(text)
    assert editor("jobs", service=str(own)).name == "flux-2-pro"
    for old, new, told in (
        ('done = ["Ready"]', "", "missing required field done"),
        ("[job]", "[jobs]", "unknown field jobs"),
    ):
        own.write_text(text.replace(old, new))
        with pytest.raises(DataError, match=told):
            editor("jobs", service=str(own))
