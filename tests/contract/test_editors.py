"""The models under test: anchors with known results, a program, a function, and services that fail in
all the ways of services. What is booked is what was billed, and no picture lies at a wrong sample.
"""

from __future__ import annotations

import base64
import contextlib
import json
import struct
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge import Evaluation, read_image
from tests.contract.server import KEY, Answer, Asked, Server, error, pixels_of, png
from tests.contract.support import cli, picture, process, rows_of

ENV = {"EDITGAUGE_EDITOR_KEY": KEY}
COST = 0.04
"""US dollars that the service asks for a picture."""
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


# -- services --------------------------------------------------------------------------------------


def enormous() -> bytes:
    """A PNG of a few bytes whose header promises ten thousand million pixels."""
    data = bytearray(png(np.zeros((1, 1, 3), np.uint8)))
    data[16:24] = struct.pack(">II", 100_000, 100_000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    return bytes(data)


class Provider(Server):
    """Makes a picture of its own for every sample, and bills it, also where the answer is lost.

    Two interfaces: OpenAI's edits and BFL's jobs. `faults`: sample -> what goes wrong, in order;
    then all is well. `knows_keys`: a call with a known Idempotency-Key makes no second picture.
    """

    def __init__(
        self,
        samples: Mapping[str, Any],
        faults: Mapping[str, Sequence[str]] | None = None,
        *,
        knows_keys: bool = False,
        seconds: float = 0.0,
    ) -> None:
        super().__init__()
        self.instructions = {sample.instruction: name for name, sample in samples.items()}
        self.right = {name: picture(seed, 40, 56) for seed, name in enumerate(samples)}
        self.faults = {name: list(events) for name, events in (faults or {}).items()}
        self.knows_keys, self.seconds = knows_keys, seconds
        self.again = threading.Event()
        self.keys: dict[str, str] = {}
        self.jobs: list[str] = []
        self.made: Counter[str] = Counter()
        """Pictures by sample: each is billed."""

    @property
    def bill(self) -> float:
        return self.made.total() * COST

    @property
    def calls(self) -> list[Asked]:
        """The requests for a picture."""
        return [one for one in self.asked if one.method == "POST"]

    def respond_to(self, asked: Asked) -> Answer:
        if asked.method == "GET":
            return self.look(asked.path)
        text = asked.body.decode("utf-8", "replace").replace('\\"', '"')
        (name,) = {name for words, name in self.instructions.items() if words in text}
        with self.lock:
            events = self.faults.get(name, [])
            event = events.pop(0) if events else ""
        if event.isdigit():
            return error(int(event), "no", **{"Retry-After": "0.02"})
        if event == "refused":
            return error(400, "by moderation", "moderation_blocked")
        key = asked.headers.get("idempotency-key", "")
        with self.lock:
            if not (self.knows_keys and key in self.keys):
                self.made[name] += 1
                self.jobs.append(name)
                self.keys[key] = str(len(self.jobs) - 1)
            job = self.keys[key]
        answer = self.tell(asked.path, job, event)
        if event == "slow":  # until it is asked again
            self.again.wait(60)
        elif asked.number:
            self.again.set()
        return Answer(answer.body, kind=answer.kind, cut=event == "cut", seconds=self.seconds)

    def tell(self, path: str, job: str, event: str) -> Answer:
        if event == "html":
            return Answer(b"<html>Try again later</html>", kind="text/html")
        if event == "wrong JSON":
            return Answer({"hello": ["world"]})
        if path.endswith("/images/edits"):
            data = {"half a picture": self.file(job)[:300], "enormous": enormous()}
            text = base64.b64encode(data.get(event, self.file(job))).decode()
            return Answer({"data": [{"b64_json": text}]})
        if event:  # what goes wrong later
            with self.lock:
                self.faults[f"job {job}"] = [event]
        return Answer({"id": f"job-{job}", "polling_url": f"{self.url}/poll/{job}"})

    def look(self, path: str) -> Answer:
        """How far a job is, and its picture."""
        *_, kind, job = path.split("/")
        event = (self.faults.get(f"job {job}") or [""])[0]
        if kind == "picture":
            data = {"half a picture": self.file(job)[:300], "enormous": enormous()}
            return Answer(data.get(event, self.file(job)), kind="image/png")
        other = next((n for n, name in enumerate(self.jobs) if name != self.jobs[int(job)]), 0)
        told = str(other) if event == "another sample's picture" else job
        result = {"sample": f"{self.url}/picture/{told}"}
        return Answer({"id": f"job-{told}", "status": "Ready", "result": result})

    def file(self, job: str) -> bytes:
        return png(self.right[self.jobs[int(job)]])

    def check(self, run: Path, editor: str = "m") -> set[str]:
        """Every picture that was delivered is its sample's; returns whose these are."""
        shown = delivered(run, editor)
        for name, pixels in shown.items():
            assert equal(pixels, self.right[name]), f"{name} has another's picture"
        return set(shown)


INTERFACES = {"edits": "openai", "jobs": "bfl"}


def ask(interface: str, run: Path, service: Provider, *words: Any, **told: Any) -> Any:
    return edit(run, INTERFACES[interface], *asking(service), *words, **told)


def asking(service: Provider) -> tuple[Any, ...]:
    return (
        "--base-url", service.url, "--model", "maker/m", "--price", COST, "--set", "concurrency=2",
        "--set", "pause=0.01",
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
    "another sample's picture": (["another sample's picture"] * 9, ""),
}
"""What goes wrong, and how it ends; an empty word: somehow, but not as an output."""


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
    script = {name: faults[fault][0] for name, fault in plan.items()}
    with Provider(samples, script) as service:
        ask(interface, run, service, expect=1)
        shown = service.check(run)
        bill = service.bill
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
    with Provider(samples, {IDS[0]: ["slow"]}) as service:
        ask(interface, run, service, "--set", "timeout=1", ids=IDS[:1])
        assert service.check(run) == set(IDS[:1])
        assert costs(run)["booked"] >= service.bill - 1e-9 >= 2 * COST - 2e-9


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
    """An error of a service is free."""
    with Provider(samples, {IDS[0]: ["429", "429"], IDS[1]: ["500"]}) as service:
        done = ask(interface, tmp_path / "run", service)
        assert service.check(tmp_path / "run") == set(IDS)
        assert service.bill == pytest.approx(len(IDS) * COST)
    assert costs(tmp_path / "run")["booked"] == pytest.approx(service.bill)
    assert done.json["cost"] == pytest.approx(service.bill)


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_kill_and_a_second_start_pay_nothing_twice(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    """But for the two calls that were under way, and not even those where the service knows keys."""
    run = tmp_path / "run"
    with Provider(samples, knows_keys=interface == "edits", seconds=0.1) as service:
        words = (
            "edit", "mini", "--editor", INTERFACES[interface], "--run", run, *only(IDS),
            "--workers", 0, *asking(service),
        )  # fmt: skip
        child = process(*words, env=ENV)
        while service.made.total() < len(IDS) // 2:
            assert child.poll() is None
        child.kill()
        child.communicate()
        service.check(run)
        under_way = costs(run)
        assert under_way["booked"] >= service.bill - 1e-9
        ask(interface, run, service)
        assert service.check(run) == set(IDS)
        twice = service.made.total() - len(IDS)
        assert twice <= (0 if service.knows_keys else 2)
        assert costs(run)["booked"] >= service.bill - 1e-9
        before = len(service.asked)
        ask(interface, run, service)
        assert len(service.asked) == before


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_budget_of_pictures_is_never_passed(
    interface: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    run = tmp_path / "run"
    with Provider(samples) as service:
        for _ in range(2):
            ask(interface, run, service, "--budget", 4.5 * COST, expect=3)
            assert service.made.total() == 4
        ask(interface, run, service, "--budget", 5)
        assert service.made.total() == len(IDS)
        assert service.check(run) == set(IDS)


def test_estimate_says_what_it_would_cost_and_sends_nothing(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    with Provider(samples) as service:
        done = ask("edits", tmp_path / "run", service, "--estimate")
        assert service.asked == []
    assert f"{len(IDS) * COST:.2f}" in json.dumps(done.json)


def test_a_refused_account_stops_the_command_and_fails_no_model(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    with Provider(samples, {name: ["401"] for name in IDS}) as service:
        done = ask("edits", tmp_path / "run", service, expect=2)
        assert len(service.calls) <= 2
        assert KEY not in done.text
        service.faults.clear()
        ask("edits", tmp_path / "run", service)
        assert service.check(tmp_path / "run") == set(IDS)


@pytest.mark.parametrize("status", ["refused", "failed"])
def test_retry_edits_again_what_ended_so(
    status: str, tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    event = {"refused": "refused", "failed": "400"}[status]
    with Provider(samples, {IDS[0]: [event]}) as service:
        ask("edits", tmp_path / "run", service, expect=1)
        before = len(service.calls)
        ask("edits", tmp_path / "run", service, "--retry", status)
        assert len(service.calls) == before + 1
        assert service.check(tmp_path / "run") == set(IDS)


class Fal(Provider):
    """fal's queue, whose safety checker blackens a picture and says so."""

    def tell(self, path: str, job: str, event: str) -> Answer:
        told = {"status_url": f"{self.url}/poll/{job}", "response_url": f"{self.url}/result/{job}"}
        return Answer({"request_id": f"job-{job}", "status": "IN_QUEUE", **told})

    def look(self, path: str) -> Answer:
        *_, kind, job = path.split("/")
        if kind == "poll":
            return Answer({"request_id": f"job-{job}", "status": "COMPLETED"})
        if kind == "picture":
            return Answer(self.file(job), kind="image/png")
        unsafe = self.jobs[int(job)] == IDS[0]
        if unsafe:
            self.right[IDS[0]] = np.zeros((40, 56, 3), np.uint8)
        images = [{"url": f"{self.url}/picture/{job}"}]
        return Answer({"images": images, "has_nsfw_concepts": [unsafe]})


def test_fal_delivers_by_its_queue_and_a_blackened_picture_is_a_refusal(
    tmp_path: Path, samples: Mapping[str, Any]
) -> None:
    with Fal(samples) as service:
        edit(tmp_path / "run", "fal", *asking(service), ids=IDS[:4], expect=1)
        assert service.check(tmp_path / "run") == set(IDS[1:4])
    assert ends_of(tmp_path / "run")[IDS[0]][0] == "refused"
