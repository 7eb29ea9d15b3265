"""The models under test: anchors with known results, a program, a function, and services that fail in
all the ways of services. What is booked is what was billed, and no picture lies at a wrong sample.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge import Evaluation, read_image
from tests.contract.server import Answer, Server, pixels_of
from tests.contract.support import cli, finished, process, rows_of
from tests.editors.provider import COST, KEY, SHAPES, Provider, marked

ENV = {"EDITGAUGE_EDITOR_KEY": KEY}
IDS = (
    "replace-01", "replace-02", "replace-03", "replace-04", "delete-01", "delete-02", "insert-01",
    "insert-02", "move-01", "move-02", "recolour-01", "rotate-01",
)  # fmt: skip
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def only(ids: Sequence[str]) -> list[str]:
    return [word for name in ids for word in ("--sample", name)]


def edit(run: Path, editor: str, *words: Any, ids: Sequence[str] = IDS, **told: Any) -> Any:
    return cli(
        "edit", "mini", "--editor", editor, "--run", run, "--workers", 0, "--json", *only(ids),
        *words, env=ENV, **told,
    )  # fmt: skip


def delivered(run: Path, editor: str) -> dict[str, np.ndarray[Any, Any]]:
    """Sample -> picture: the outputs, which lie in the benchmark's own layout."""
    files = (run / "edits" / "mini" / editor).glob("*.*")
    return {path.stem: pixels_of(path.read_bytes()) for path in files}


def equal(one: Any, two: Any) -> bool:
    return one.shape == two.shape and bool((one == two).all())


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    run = tmp_path_factory.mktemp("samples") / "run"
    found = Evaluation("mini", run=run, samples=list(IDS)).samples
    return {sample.id: sample for sample in found}


# -- anchors, a program, a function ----------------------------------------------------------------


def test_anchors_have_their_known_results(tmp_path: Path, samples: Mapping[str, Any]) -> None:
    run = tmp_path / "run"
    done = {name: edit(run, name).json for name in ("copy", "reference", "blank", "shuffle")}
    assert all(told["counts"] == {"scored": len(IDS)} for told in done.values())
    assert {name for name, told in done.items() if told["given_back"]} == {"copy"}
    for name, shown in delivered(run, "copy").items():
        assert equal(shown, pixels_of(samples[name].images[0].read_bytes()))
    for name, shown in delivered(run, "reference").items():
        assert equal(shown, pixels_of(samples[name].reference.read_bytes()))
    assert all(shown.std() == 0 for shown in delivered(run, "blank").values())
    again = edit(run, "copy").json
    assert (again["edited"], again["kept"]) == (0, len(IDS))


def test_a_program_edits_by_lines_of_json(tmp_path: Path, samples: Mapping[str, Any]) -> None:
    program = f"{sys.executable} {EXAMPLES / 'command_editor.py'}"
    run = tmp_path / "run"
    edit(run, "command", "--set", f"program={program}", "--set", "name=mirror", ids=IDS[:3])
    shown = delivered(run, "mirror")
    assert set(shown) == set(IDS[:3])
    for name, pixels in shown.items():
        assert equal(pixels[:, ::-1], pixels_of(samples[name].images[0].read_bytes()))


CRASHING = """
import json, shutil, sys
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    if "Lyon" in asked["instruction"]:
        sys.exit(7)
    shutil.copyfile(asked["images"][0], asked["output"])
    print(json.dumps({"id": asked["id"], "image": asked["output"]}), flush=True)
"""


def test_a_crash_of_a_program_costs_one_sample(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(CRASHING)
    run, program = tmp_path / "run", f"{sys.executable} {tmp_path / 'model.py'}"
    words = ("--set", f"program={program}", "--set", "name=m")
    done = edit(run, "command", *words, ids=IDS[:4], expect=1)
    assert done.json["counts"] == {"scored": 3, "failed": 1}
    assert set(delivered(run, "m")) == set(IDS[:4]) - {"replace-02"}


def test_a_function_of_a_sample_is_an_editor(tmp_path: Path, samples: Mapping[str, Any]) -> None:
    evaluation = Evaluation("mini", run=tmp_path / "run", samples=list(IDS[:2]))
    evaluation.edit(lambda sample: 255 - read_image(sample.image), name="invert")
    for name, shown in delivered(tmp_path / "run", "invert").items():
        assert equal(255 - shown, pixels_of(samples[name].images[0].read_bytes()))
    assert evaluation.editors == ["invert"]


TALKING = """
import os
print("loaded")

def edit(image, instruction):
    import words
    print("editing", instruction)
    os.system("echo from a program")
    return words.mirrored(image)
"""
BESIDE = "def mirrored(image):\n    return image.transpose(0)\n"


@pytest.mark.parametrize("workers", [0, 1])
def test_what_a_function_prints_is_not_in_the_answer_and_its_folder_can_be_imported(
    workers: int, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    (tmp_path / "model.py").write_text(TALKING)
    (tmp_path / "words.py").write_text(BESIDE)
    run = tmp_path / "run"
    told = ("--editor", f"{tmp_path / 'model.py'}:edit", "--run", run, "--json")
    done = finished(process("edit", "mini", *told, "--workers", workers, *only(IDS[:2])))
    assert done.json["counts"] == {"scored": 2}
    assert {"loaded", "from a program"} <= set(done.err.split("\n"))
    for name, pixels in delivered(run, "model-edit").items():
        assert equal(pixels[:, ::-1], pixels_of(samples[name].images[0].read_bytes()))


SLOW = """
import time
time.sleep(6)

def edit(image, instruction):
    if "Lyon" in instruction:
        time.sleep(600)
    return image
"""


@pytest.mark.parametrize(
    "words", [("--workers", 0), ("--workers", 1), ("--set", "workers=process")]
)
def test_a_function_has_the_time_limit_of_a_sample_and_loading_does_not_count(
    words: tuple[Any, ...], tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(SLOW)
    told = ("--editor", f"{tmp_path / 'model.py'}:edit", "--run", tmp_path / "run", "--json")
    child = process("edit", "mini", *told, "--timeout", 5, *words, *only(IDS[:3]))
    done = finished(child, expect=1)
    assert done.json["counts"] == {"scored": 2, "failed": 1}
    assert done.json["reasons"]["failed"] == ["replace-02", "it took longer than the time limit"]


BROKEN = """
calls = 0

def edit(image, instruction):
    global calls
    calls += 1
    raise RuntimeError(f"CUDA error: an illegal memory access, call {calls}")
"""


def test_failures_of_one_kind_in_a_row_stop_the_command_which_goes_on_behind_them(
    tmp_path: Path,
) -> None:
    file, run = tmp_path / "model.py", tmp_path / "run"

    def edited(*words: Any, expect: int) -> Any:
        """In a process of its own, which runs the file anew."""
        told = ("--editor", f"{file}:edit", "--run", run, "--json", "--workers", 0)
        return finished(process("edit", "mini", *told, *only(IDS), *words), expect).json

    file.write_text(BROKEN)
    done = edited(expect=2)
    assert done["counts"] == {"failed": 5}
    assert "5 failures in a row with the same reason" in done["stopped"]
    assert "an illegal memory access" in done["stopped"]
    done = edited("--stop-after", 2, expect=2)
    assert done["counts"] == {"failed": 7}
    file.write_text(BROKEN.replace("raise ", "return image #"))
    done = edited(expect=1)
    assert (done["edited"], done["counts"]) == (5, {"failed": 7, "scored": 5})
    edited("--retry", "failed", expect=0)
    assert set(delivered(run, "model-edit")) == set(IDS)


def test_failures_of_one_kind_can_be_allowed(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(BROKEN)
    words = ("--stop-after", 0)
    done = edit(tmp_path / "run", f"{tmp_path / 'model.py'}:edit", *words, expect=1)
    assert (done.json["counts"], done.json["stopped"]) == ({"failed": len(IDS)}, "")


LOADING = """
import json, pathlib, sys
with open(pathlib.Path(__file__).with_name("starts"), "a") as log:
    log.write("x")
{says}
sys.exit("no such weights")
"""


@pytest.mark.parametrize(
    ("says", "starts", "counts"),
    [
        ("", 5, {"failed": 5}),
        ("print(json.dumps({'ready': False}), flush=True); sys.stdin.readline()", 1, {}),
    ],
)
def test_a_program_that_cannot_load_is_started_once_for_a_sample(
    says: str, starts: int, counts: Mapping[str, int], tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(LOADING.format(says=says))
    program = f"program={sys.executable} {tmp_path / 'model.py'}"
    done = edit(tmp_path / "run", "command", "--set", program, "--set", "name=m", expect=2)
    assert (tmp_path / "starts").read_text() == "x" * starts
    assert done.json.get("counts", {}) == counts
    assert "no such weights" in done.text


# -- services --------------------------------------------------------------------------------------


def service_of(
    samples: Mapping[str, Any], faults: Mapping[str, Sequence[str]] | None = None, **told: Any
) -> Provider:
    """A service that knows the samples by their instructions; `faults`: by ``sample.step``."""
    instructions = {sample.instruction: name for name, sample in samples.items()}
    return Provider(faults or {}, instructions=instructions, **told)


def check(run: Path, samples: Mapping[str, Any], editor: str = "m") -> set[str]:
    """Every picture that was delivered is its sample's; returns whose these are."""
    shown = delivered(run, editor)
    for name, pixels in shown.items():
        right = pixels_of(marked(samples[name].images[0].read_bytes()))
        assert equal(pixels, right), f"{name} has another's picture"
    return set(shown)


INTERFACES = {"edits": "openai", "jobs": "bfl"}


def ask(interface: str, run: Path, service: Provider, *words: Any, **told: Any) -> Any:
    name = INTERFACES[interface]
    return edit(run, name, *asking(service, name), *words, **told)


def asking(service: Provider, editor: str) -> tuple[Any, ...]:
    return (
        "--base-url", service.url, "--model", SHAPES[editor], "--price", COST, "--set", "name=m",
        "--set", "concurrency=2", "--set", "pause=0.01",
    )  # fmt: skip


def costs(run: Path) -> dict[str, float]:
    (total,) = [t for t in cli("costs", run, "--json").json["totals"] if t["purpose"] == "edit"]
    return {name: total[name] for name in ("booked", "billed")}


FAULTS: Mapping[str, tuple[Sequence[str], str]] = {
    "too fast": (["429"] * 3, "scored"),
    "down": (["500"], "scored"),
    "cut off": (["cut"], "scored"),
    "a page": (["html"], "scored"),
    "too fast, then cut off": (["429", "cut"], "scored"),
    "down for good": (["500"] * 9, "failed"),
    "a wrong request": (["400"] * 9, "failed"),
    "wrong JSON": (["wrong JSON"] * 9, ""),
    "half a picture": (["half a picture"] * 9, ""),
    "an enormous picture": (["enormous"] * 9, ""),
    "refused": (["refused"] * 9, "refused"),
    "another sample's picture": (["another"] * 9, ""),
}
"""What goes wrong, and how it ends; an empty word: somehow, but not as an output."""
STEPS = {
    "half a picture": "fetch", "an enormous picture": "fetch", "another sample's picture": "poll",
}  # fmt: skip
"""What goes wrong with a job after it was asked for."""


def holds_key(path: Path) -> bool:
    """Whether a file has the key in it. SQLite takes its journal away when the last call of a
    service ends, which may be now.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.is_file() and KEY.encode() in path.read_bytes()
    return False


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_service_that_fails_gives_the_right_picture_or_none(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    faults = dict(FAULTS)
    if interface == "edits":  # it answers in the same call: there is no number to mistake
        faults["another sample's picture"] = ([], "scored")
    run = tmp_path / "run"
    plan = dict(zip(IDS, faults, strict=True))
    script = {
        f"{name}.{STEPS.get(fault, 'ask') if interface == 'jobs' else 'ask'}": faults[fault][0]
        for name, fault in plan.items()
    }
    with service_of(samples, script) as service:
        ask(interface, run, service, expect=1)
        shown = check(run, samples)
        bill = service.total
        first = len(service.calls)
        ask(interface, run, service, expect=1)
        assert len(service.calls) == first, "what has ended is not asked again"
    ends = ends_of(run)
    for name, fault in plan.items():
        wanted = faults[fault][1]
        status, value, reason = ends[name]
        assert (name in shown) == (status == "scored") == (wanted == "scored"), (fault, status)
        assert wanted in ("", status), (fault, status)
        assert status == "scored" or (value is None and reason), fault
    assert costs(run)["booked"] >= bill - 1e-9
    assert not [path for path in run.rglob("*") if holds_key(path)]


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_service_that_does_not_answer_in_time_is_asked_again_and_stays_booked(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    run = tmp_path / "run"
    with service_of(samples, {f"{IDS[0]}.ask": ["slow"]}) as service:
        ask(interface, run, service, "--set", "timeout=3", ids=IDS[:1])
        assert check(run, samples) == set(IDS[:1])
        assert costs(run)["booked"] >= service.total - 1e-9 >= 2 * COST - 2e-9


def ends_of(run: Path) -> dict[str, tuple[str, Any, str]]:
    """Sample -> the status, value and reason that its output is scored with."""
    cli("score", "mini", "--run", run, "--tracks", "pixel", "--workers", 0, *only(IDS), expect=None)
    return {
        row["sample"]: (row["status"], row["value"], row["reason"])
        for row in rows_of(run)
        if row["metric"] == "reference_ssim"
    }


@pytest.mark.parametrize("interface", INTERFACES)
def test_what_is_booked_is_what_was_billed(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    with service_of(samples, {f"{IDS[0]}.ask": ["429"] * 2, f"{IDS[1]}.ask": ["500"]}) as service:
        done = ask(interface, tmp_path / "run", service)
        assert check(tmp_path / "run", samples) == set(IDS)
        assert service.total == pytest.approx(len(IDS) * COST)
    assert costs(tmp_path / "run")["booked"] == pytest.approx(service.total)
    assert done.json["cost"] == pytest.approx(service.total)


def test_a_bill_in_the_answer_to_a_submission_is_what_is_booked(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    """BFL tells what a job costs when it takes the job, and not when the job is done."""
    run, listed = tmp_path / "run", ("--price", COST / 2)
    with service_of(samples, price=0.09) as service:
        done = ask("jobs", run, service, *listed, ids=IDS[:3])
        assert check(run, samples) == set(IDS[:3])
        assert service.total == pytest.approx(3 * 0.09)
    assert costs(run) == {"booked": pytest.approx(0.27), "billed": pytest.approx(0.27)}
    assert done.json["cost"] == pytest.approx(0.27)


def test_a_job_that_was_left_under_way_stays_booked_at_its_bill(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    run, sample = tmp_path / "run", IDS[0]
    waits = {f"{sample}.poll": ["wait"] * 3}
    with service_of(samples, waits, price=0.09) as service:
        ask("jobs", run, service, "--set", "wait=0.01", ids=[sample], expect=1)
        assert costs(run) == {"booked": pytest.approx(0.09), "billed": 0.0}
        ask("jobs", run, service, "--retry", "failed", ids=[sample])
        assert check(run, samples) == {sample}
        assert len(service.jobs) == 1
    assert costs(run) == {"booked": pytest.approx(0.09), "billed": pytest.approx(0.09)}


REFUSALS: Mapping[str, tuple[Any, float]] = {
    "the prompt was blocked": ({"promptFeedback": {"blockReason": "SAFETY"}}, 0.0),
    "the picture was withheld": ({"candidates": [{"finishReason": "IMAGE_SAFETY"}]}, 0.0),
    "words instead of a picture": (
        {"candidates": [{"content": {"parts": [{"text": "I cannot."}]}, "finishReason": "STOP"}]},
        0.0,
    ),
}


@pytest.mark.parametrize("reply", REFUSALS)
def test_a_refusal_of_gemini_books_no_picture(reply: str, tmp_path: Path) -> None:
    value, cost = REFUSALS[reply]
    with Server(lambda asked: Answer(value)) as service:
        words = ("--base-url", service.url, "--price", COST, "--set", "name=m")
        done = edit(tmp_path / "run", "gemini", *words, ids=IDS[:2], expect=1)
    assert not delivered(tmp_path / "run", "m")
    assert done.json["cost"] == cost
    assert costs(tmp_path / "run")["booked"] == cost


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_kill_and_a_second_start_pay_nothing_twice(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    run = tmp_path / "run"
    with service_of(samples, knows_keys=interface == "edits", seconds=0.1) as service:
        words = (
            "edit", "mini", "--editor", INTERFACES[interface], "--run", run, *only(IDS),
            "--workers", 0, *asking(service, INTERFACES[interface]),
        )  # fmt: skip
        child = process(*words, env=ENV)
        while len(service.jobs) < len(IDS) // 2:
            assert child.poll() is None
        child.kill()
        child.communicate()
        check(run, samples)
        under_way = costs(run)
        assert under_way["booked"] >= service.total - 1e-9
        ask(interface, run, service)
        assert check(run, samples) == set(IDS)
        twice = len(service.jobs) - len(IDS)
        assert twice <= (0 if service.knows_keys else 2)
        assert costs(run)["booked"] >= service.total - 1e-9
        before = len(service.asked)
        ask(interface, run, service)
        assert len(service.asked) == before


@pytest.mark.parametrize("interface", INTERFACES)
def test_an_estimate_sends_nothing_and_a_budget_of_pictures_is_never_passed(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    run = tmp_path / "run"
    with service_of(samples) as service:
        estimated = ask(interface, run, service, "--estimate").json
        assert service.asked == []
        assert f"{len(IDS) * COST:.2f}" in json.dumps(estimated)
        for _ in range(2):
            ask(interface, run, service, "--budget", 4.5 * COST, expect=3)
            assert len(service.jobs) == 4
        ask(interface, run, service, "--budget", 5)
        assert len(service.jobs) == len(IDS)
        assert check(run, samples) == set(IDS)


def test_a_refused_account_stops_the_command_and_fails_no_model(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    with service_of(samples, {f"{name}.ask": ["401"] for name in IDS}) as service:
        done = ask("edits", tmp_path / "run", service, expect=2)
        assert len(service.calls) <= 2
        assert KEY not in done.text
        service.script = {}
        ask("edits", tmp_path / "run", service)
        assert check(tmp_path / "run", samples) == set(IDS)


@pytest.mark.parametrize("status", ["refused", "failed"])
def test_retry_edits_again_what_ended_so(
    status: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    event = {"refused": "refused", "failed": "400"}[status]
    with service_of(samples, {f"{IDS[0]}.ask": [event]}) as service:
        ask("edits", tmp_path / "run", service, expect=1)
        before = len(service.calls)
        ask("edits", tmp_path / "run", service, "--retry", status)
        assert len(service.calls) == before + 1
        assert check(tmp_path / "run", samples) == set(IDS)


def test_fal_delivers_by_its_queue_and_a_blackened_picture_is_a_refusal(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    with service_of(samples, {f"{IDS[0]}.result": ["unsafe"]}) as service:
        edit(tmp_path / "run", "fal", *asking(service, "fal"), ids=IDS[:4], expect=1)
        assert check(tmp_path / "run", samples) == set(IDS[1:4])
    assert ends_of(tmp_path / "run")[IDS[0]][0] == "refused"
