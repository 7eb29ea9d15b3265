"""OCR engines: what they give, who they say they are, and what happens without them."""

from __future__ import annotations

import importlib.util
import json
import pickle
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from editgauge.errors import OcrError
from editgauge.metrics.text import language_of
from editgauge.ocr import open_reader, paddle
from tests.command_line import invoke

needs_rapidocr = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr") is None, reason="the extra 'ocr' is not installed"
)
CORNERS = [[0, 0], [40, 0], [40, 10], [0, 10]]


def page(
    *lines: tuple[str, int, int], size: tuple[int, int] = (480, 320), height: int = 32
) -> np.ndarray[Any, Any]:
    """A white page with black lines of print, each (text, x, y)."""
    picture = Image.new("RGB", size, "white")
    font = ImageFont.load_default(height)
    for text, x, y in lines:
        ImageDraw.Draw(picture).text((x, y), text, fill="black", font=font)
    return np.asarray(picture)


# ------------------------------------------------------------------------------------------ clean


def test_the_engines_are_listed_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = invoke(["list", "ocr_engines", "--json"])
    assert result.exit_code == 0
    found = {entry["name"]: entry for entry in json.loads(result.output)["ocr_engines"]}
    assert list(found) == ["rapidocr", "paddleocr"]
    assert not found["rapidocr"]["installed"]
    assert "pip install 'editgauge[ocr]'" in found["rapidocr"]["about"]
    assert "pip install 'editgauge[paddleocr]'" in found["paddleocr"]["about"]


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (("SALE", "50 %"), "en"), (("naïve", "Straße"), "en"), (("逆风", "SALE"), "zh"),
        (("限定セール",), "ja"), (("할인",), "ko"), (("Привет",), "ru"), (("שלום",), "he"),
        (("مرحبا",), "ar"), (("Καφές",), "el"), (("🎉 12",), "en"), (("ＦＵＬＬ",), "en"),
        (("ጤና",), "other"), ((), "en"),
    ],
)  # fmt: skip
def test_the_language_follows_from_the_script(texts: tuple[str, ...], language: str) -> None:
    assert language_of(*texts) == language


# --------------------------------------------------------------------------------------- rapidocr
@needs_rapidocr
def test_rapidocr_reads_offline_and_says_who_it_is() -> None:
    engine = open_reader("rapidocr").engine
    texts = engine(page(("SUMMER SALE", 30, 40), ("open daily", 60, 200)))
    assert [text.text for text in texts] == ["SUMMER SALE", "open daily"]
    left, top = texts[0].polygon[0]
    assert abs(left - 30) < 12
    assert abs(top - 40) < 16
    identity = engine.identity()
    assert identity.engine == "rapidocr"
    assert len(identity.models) >= 3
    assert identity.settings["Rec.rec_batch_num"] == 1
    assert pickle.loads(pickle.dumps(engine)).identity() == identity


# -------------------------------------------------------------------------------------- paddleocr
class OldPaddle:
    """PaddleOCR 2.x as far as we use it: arguments, `ocr(pixels, cls=True)` -> [[polygon, (text,
    score)], …] a page.
    """

    made: ClassVar[list[dict[str, Any]]] = []
    folder = Path()

    def __init__(self, **arguments: Any) -> None:
        self.made.append(arguments)
        self.args = types.SimpleNamespace(
            det_model_dir=str(self.folder), rec_model_dir="gone", lang=arguments["lang"]
        )

    def ocr(self, pixels: Any, *, cls: bool) -> Any:
        if pixels.max() == 0:
            return [None]
        if pixels[0, 0, 0] == 13:
            raise RuntimeError("(Fatal) no kernel")
        return [
            [[CORNERS, (f"blue {pixels[0, 0, 0]} {self.args.lang}", 0.9)], [CORNERS, ("", 0.1)]]
        ]


@pytest.fixture
def fake_paddle(monkeypatch: pytest.MonkeyPatch) -> Iterator[types.ModuleType]:
    module = types.ModuleType("paddleocr")
    monkeypatch.setitem(sys.modules, "paddleocr", module)
    monkeypatch.setattr(paddle, "version", lambda name: "2.10.0")
    caches = (paddle._reader, paddle._identity)
    for cache in caches:
        cache.cache_clear()
    yield module
    for cache in caches:
        cache.cache_clear()


def test_paddleocr_as_released(
    fake_paddle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inference.pdiparams").write_bytes(b"weights")
    OldPaddle.made, OldPaddle.folder = [], tmp_path
    fake_paddle.PaddleOCR = OldPaddle
    reader = open_reader("paddleocr")
    image = np.zeros((40, 60, 3), np.uint8)
    assert reader.engine(image) == []
    image[..., 2] = 7  # blue, which the library is given first
    assert [text.text for text in reader.engine(image)] == ["blue 7 en"]
    assert [text.text for text in reader.engine(image, "zh")] == ["blue 7 ch"]
    assert OldPaddle.made[0]["use_angle_cls"] is True
    identity = reader.engine.identity()
    assert identity.version == "2.10.0"
    assert list(identity.models) == ["det/inference.pdiparams"]
    assert reader.engine.own_language("th") is None
    image[..., 2] = 13
    with pytest.raises(OcrError, match=r"'paddleocr' failed: \(Fatal\) no kernel"):
        reader.engine(image)
    monkeypatch.setattr(paddle, "version", lambda name: "3.2.0")
    with pytest.raises(OcrError, match=r"wanted version 2, as released; found 3\.2\.0"):
        open_reader("paddleocr")
