"""docs/how-to/make-a-benchmark.md as it is written; what people do in the browser, a test does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.pages import read, typed
from tests.curation.made_set import area, edited, scene

from editgauge.curation import privacy, review
from editgauge.curation.dataset import DataSet
from editgauge.images import write_png
from editgauge.web.log import Act

pytest.importorskip("skimage", reason="faces need the extra study")
NOT_RUN = {
    "curate add wards --ocr": "an OCR engine; tests/contract/test_journeys_people.py",
}
SIZE = (128, 96)


def material() -> None:
    for number in range(1, 6):
        pixels = scene(number, SIZE)
        pair = {"before": f"before/{number}.png", "after": f"after/{number}.png"}
        if number == 5:
            pair = {"before": "before.png", "after": "after.png"}
        write_png(Path(pair["before"]), pixels)
        write_png(Path(pair["after"]), edited(pixels))
        write_png(Path(f"outputs/mymodel/s000{number}.png"), edited(pixels))
    write_png(Path("scans/chest.png"), scene(9, SIZE))


def work(folder: Path) -> None:
    """Texts, masks, looks and reviews of everything that is not withdrawn."""
    data = DataSet(folder)
    for record in data.records():
        name = record.id
        pixels = data.keep(area(SIZE), "masks")
        fields = {
            "instruction": "Remove the nodule.",
            "masks": {"input": pixels},
            "change": "Edit this scan to remove the nodule.",
            "source": {"licence": "CC0", "consent": "written, 2026"},
            "attributes": {"organ": "Lung", "task": "remove nodule"},
        }
        data.update(name, lambda _, fields=fields: fields, Act("ann"))  # type: ignore[misc]
        for picture in data.record(name).unseen:
            version = data.record(name).version
            privacy.hide(data, name, version, picture, [], "ann")
        for who in ("ann", "ben"):
            seen = review.content_of(data.record(name))
            review.review(data, name, seen, "accept", who)


def test_the_page_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    material()

    def people(words: list[str]) -> None:
        if words[0] == "score" or words == ["curate", "export", "wards"]:
            work(Path("wards"))
        if "--layout" in words[:5]:  # MedEBench's has one input and a reference
            for record in DataSet(Path("wards")).records():
                if not record.reference:
                    words = ["curate", "set", "wards", record.id, "state=withdrawn"]
                    assert typed(words) == 0

    read("make-a-benchmark", NOT_RUN, before=people)
    assert Path("wards-1.1.0.zip").is_file()
