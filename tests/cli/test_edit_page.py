"""docs/how-to/edit-with-a-model.md as it is written, against services that tests play."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks.releases import organ_record, organ_set, task_record, task_set
from tests.cli.pages import read, text_data
from tests.editors.provider import KEY, Provider
from tests.test_docs import ROOT

from editgauge.editors import remote
from editgauge.store.run import Run
from editgauge.types import Status

NOT_RUN = {
    "edit texteditbench DATA --editor typeset": "an OCR engine's models; tests/editors",
    "edit medebench DATA --editor instructpix2pix": "a model; tests/editors/test_diffusers.py",
    "edit krisbench DATA --editor qwen-image-edit-plus": "a model",
    "edit texteditbench DATA --editor flux-kontext": "a model",
    "edit texteditbench DATA --editor diffusers": "a model",
    "edit mini --editor my_model.py:edit": "tests/editors/test_function.py",
    "edit mini --editor http": "tests/editors/test_command.py starts the example's server",
}


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(remote.http, "is_own_network", lambda host: False)  # the providers' own
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
    text_data(tmp_path)
    organ_set(tmp_path / "DATA", [organ_record(38), organ_record(45)])
    task_set(tmp_path / "DATA", {"1": task_record(1)}, names=("1.png",))
    with Provider() as provider:
        yield dict.fromkeys(("bfl", "fal", "chat", "openai", "gemini"), provider)


def test_the_page_runs_as_written(services: dict[str, Any]) -> None:
    def more(words: list[str]) -> Sequence[str]:
        name = words[words.index("--editor") + 1] if "--editor" in words else ""
        url = ("--base-url", services[name].url) if name in services else ()
        few = ("--limit", "3") if "mini" in words else ()
        return (*url, *few)

    program = {"python examples/": f"{sys.executable} {ROOT}/examples/"}
    read("edit-with-a-model", NOT_RUN, more=more, spelled=program)
    made = {(one.benchmark, one.editor): one.status for one in Run.open(Path("runs/first")).edits()}
    lacking = {name for name, status in made.items() if status is not Status.SCORED}
    assert lacking == {("medebench", "gemini-2.5-flash-image[2 shots]")}, "too few to show"
    assert {"flux-2-pro", "gemini-by-chat", "mirror"} <= {editor for _, editor in made}
