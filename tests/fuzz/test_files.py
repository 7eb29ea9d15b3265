"""Files of other programs: archives, scans, sheets, settings and prompts are read, or refused in
one line.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge import catalog, schema
from editgauge.curation import records
from editgauge.curation.dicom import ScanFile
from editgauge.errors import EditgaugeError
from editgauge.judging import batch as batches
from editgauge.services import paid
from editgauge.store import csv_files
from editgauge.store.matching import by_map
from editgauge.study.reading import Known, read_ratings
from editgauge.tables.policy import policy_of
from editgauge.types import Sample
from tests.curation.test_intake import scan
from tests.fuzz.corpus import EXAMPLES, fuzz, spoilt_bytes, spoilt_json

TEXTS = {
    "a.csv": 'sample,file,annotator,editor,value,repeat\na,b.png,ann,one,3,\n"b","c d.png",ben,two,"4",1\n',
    "p.toml": '[all]\nworkers = 2\n[gate]\nfloors = {ssim = 0.5}\n"a.b" = [1, 2.5, "c"]\n',
    "samples.jsonl": '{"id": "a", "instruction": "Do", "images": ["a.png"], "attributes": {"n": 1}, "state": "draft", "version": 1}\n',
    "scores.json": json.dumps({"m": {"1": {"gpt4o_editing_accuracy_detailed": 7.0}}}),
    "metrics.json": json.dumps({"1": {"consistency_score": 4, "consistency_reasoning": "fine"}}),
    "m.json": json.dumps([{"task_id": "4", "category": "c", "evaluation_results": {"IF": {"IF": 4, "rationale": "r"}}}]),
    "batch.jsonl": '{"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "4"}}]}}}\n',
}  # fmt: skip

SAMPLES = [Sample(benchmark="b", id=one, split="", category=(), instruction="", images=(Path("a.png"),), output_stems=(one,)) for one in "ab"]  # fmt: skip


KNOWN = Known("b", frozenset("ab"), frozenset({"one", "two"}))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A good file of each kind, by name."""
    made = scan(tmp_path_factory.mktemp("corpus") / "a.dcm").read_bytes()
    return {**{name: text.encode() for name, text in TEXTS.items()}, "a.dcm": made}


def _scores(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        for importer in catalog.find("benchmarks", name).importers():
            with contextlib.suppress(EditgaugeError):
                list(importer(path, {}, None))

    return read


def _settings(path: Path) -> None:
    with contextlib.suppress(EditgaugeError):
        policy_of(path)
    schema.toml_tables(path)


def _results(path: Path) -> None:
    for response in batches.results(path.read_bytes()).values():
        assert 100 <= response.status < 600
    paid.decoded(path.read_bytes())


READERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    "a.csv": (
        lambda path: by_map(path.parent, SAMPLES, path),
        lambda path: list(csv_files.records(path)),
        lambda path: read_ratings(path, KNOWN, scale="1-5"),
    ),
    "p.toml": (_settings,),
    "samples.jsonl": (lambda path: records.read_samples(path.parent),),
    "scores.json": (_scores("medebench"),),
    "metrics.json": (_scores("krisbench"),),
    "m.json": (_scores("texteditbench"), _scores("textedit")),
    "batch.jsonl": (_results,),
    "a.dcm": (lambda path: ScanFile(path).scan(1, "file"),),
}


@pytest.mark.parametrize("name", READERS)
def test_the_corpus_itself_is_read(name: str, corpus: dict[str, bytes], tmp_path: Path) -> None:
    """At least one of its readers takes each file as it is."""
    path = tmp_path / name
    path.write_bytes(corpus[name])
    failed = 0
    for read in READERS[name]:
        try:
            read(path)
        except EditgaugeError:
            failed += 1
    assert failed < len(READERS[name])


@pytest.mark.parametrize("name", READERS)
@settings(parent=fuzz, max_examples=max(1, EXAMPLES // 2))
@given(seed=st.integers(0, 2**32))
def test_spoilt_files(name: str, corpus: dict[str, bytes], tmp_path: Path, seed: int) -> None:
    path, values = tmp_path / name, name.endswith((".json", ".jsonl"))
    path.write_bytes((spoilt_json if values else spoilt_bytes)(corpus[name], seed))
    for read in READERS[name]:
        try:
            read(path)
        except EditgaugeError as error:
            assert 0 < len(str(error)) < 3000
    assert sorted(found.name for found in tmp_path.iterdir()) == [name]
