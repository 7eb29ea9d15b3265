"""Which questions each benchmark asks, by what a sample has."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.judging.prompts import choose
from editgauge.judging.protocol import Call
from editgauge.testing import make_sample
from editgauge.types import Edit


def asked(name: str, folder: Path, /, **fields: object) -> dict[str, Call]:
    sample = make_sample(folder, **fields)  # type: ignore[arg-type]
    prompts = choose(catalog.find("benchmarks", name))
    edit = Edit(sample=sample.id, editor="e", path=sample.images[0].with_name("output.png"))
    return {c.name: c for c in prompts.track.calls(sample, edit, prompts.rubrics, {})}


def test_texteditbench_asks_for_semantics_only_of_samples_with_knowledge(tmp_path: Path) -> None:
    """With a reference it is spoken of, without one it is not."""
    calls = asked("texteditbench", tmp_path)
    assert list(calls) == ["IF", "TA", "VC", "LP"]
    assert all("reference" in (call.system or "") for call in calls.values())
    calls = asked("texteditbench", tmp_path, reference=None, knowledge="the price must follow")
    assert list(calls) == ["IF", "TA", "VC", "LP", "SE"]
    assert not any("reference" in (call.system or "") for call in calls.values())
    told = {name for name, c in calls.items() if "the price must follow" in str(c.parts[0])}
    assert told == {"SE"}
    assert {(call.temperature, call.max_tokens) for call in calls.values()} == {(0.0, 500)}


@pytest.mark.parametrize(
    ("attributes", "explained"),
    [
        ({"task": "color_change"}, set()),
        ({"task": "chemistry", "dimension": "Natural Science"}, {"IF+KP"}),
        ({"task": "viewpoint_change"}, set()),
        ({"task": "anomaly_correction"}, {"IF"}),
    ],
)
def test_krisbench_explains_where_the_task_wants_it(
    tmp_path: Path, attributes: dict[str, str], explained: set[str]
) -> None:
    calls = asked("krisbench", tmp_path, attributes=attributes, knowledge="twelve, not thirteen")
    told = {name for name, c in calls.items() if "twelve, not thirteen" in str(c.parts[0])}
    assert told == explained
