"""Whatever stands in the files of a data set, it is loaded with findings, or refused in one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.run.check_data import check_data
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from tests.contract.datasets import (
    WEB,
    instance,
    organ_record,
    organs,
    prompt_record,
    prompts,
    task_record,
    tasks,
)
from tests.fuzz.corpus import fuzz, spoilt_json

SEVERAL = {"ori_img": ["1.png", "2.png"], "gt_img": "2.png"}
SETS: dict[str, Callable[[Path], object]] = {
    "texteditbench": lambda root: [instance(root, 4), instance(root, 3, split=WEB)],
    "textedit": lambda root: [
        prompts(root, [prompt_record(number, category) for number in (1, 2)], category=category)
        for category in ("1.1.1", "2.3")
    ],
    "medebench": lambda root: organs(root, [organ_record(number) for number in (38, 45)]),
    "krisbench": lambda root: tasks(
        root, {"1": task_record(), "2": task_record(**SEVERAL)}, names=("1.png", "2.png")
    ),
}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    roots = {}
    for name, make in SETS.items():
        roots[name] = tmp_path_factory.mktemp(name)
        make(roots[name])
        assert list(catalog.find("benchmarks", name).load(roots[name]))
    return roots


@pytest.mark.parametrize("name", SETS)
@fuzz
@given(seed=st.integers(0, 2**32))
def test_spoilt_annotations(name: str, clean: dict[str, Path], seed: int) -> None:
    """Also behind the loader: the check of the data, and the index in the run folder."""
    root = clean[name]
    files = sorted(path for path in root.rglob("*") if path.suffix in (".json", ".jsonl"))
    victim = files[seed % len(files)]
    whole = victim.read_bytes()
    place = root.parent / f"{root.name}-run"
    try:
        victim.write_bytes(spoilt_json(whole, seed))
        benchmark = catalog.find("benchmarks", name)
        dataset = benchmark.load(root)
        samples = list(dataset)
        assert len({sample.id for sample in samples}) == len(samples)
        for issue in check_data(benchmark, dataset)[2]:
            assert "\n" not in issue.found or issue.sample
        run = Run.create(place)
        keep_samples(run, name, root, samples, samples)
        assert all(max(len(s.images), len(s.masks)) <= 64 for s in samples)
        assert len(run.samples(name)) == len(samples), run.problems
    except EditgaugeError as error:
        assert str(error)
    finally:
        victim.write_bytes(whole)
        shutil.rmtree(place, ignore_errors=True)
