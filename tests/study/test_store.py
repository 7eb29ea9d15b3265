"""A study in progress: answers once and for all, tokens hashed, what is left goes to others."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import pytest

from editgauge.errors import RunError, UsageError
from editgauge.study.assignment import assign
from editgauge.study.design import of_text, stored_text
from editgauge.study.store import Sent, StudyStore
from tests.study.test_assignment import DESIGN, OUTPUTS

SMALL = replace(DESIGN, samples=tuple(list(OUTPUTS)[:6]))
NAMES = ["ann", "ben", "cy"]


@pytest.fixture
def study(tmp_path: Path) -> tuple[StudyStore, list[str]]:
    store = StudyStore(tmp_path / "study.sqlite")
    return store, store.create(SMALL, NAMES, assign(SMALL, OUTPUTS, 3))


def answer(store: StudyStore, who: int, nonce: str = "nonce-1", value: int = 1) -> tuple[str, int]:
    task = store.next(who)
    assert task is not None
    payload = {"answers": {"EA": [value] * 5}}
    return store.submit(
        [Sent(annotator=who, task=task.id, nonce=nonce, payload=payload, seconds=1.5)]
    )[0], task.id


def test_a_design_comes_back_as_it_was(study) -> None:  # type: ignore[no-untyped-def]
    assert study[0].design == SMALL


def test_tokens_are_kept_as_hashes_only(study, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    store, tokens = study
    assert [store.annotator_of(token).pseudonym for token in tokens] == NAMES
    assert store.annotator_of("guess") is None
    store.close()
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(token.encode() in data for token in tokens)
    assert len(set(tokens)) == 3
    assert all(len(token) >= 40 for token in tokens)


def test_an_answer_sent_twice_counts_once(study) -> None:  # type: ignore[no-untyped-def]
    store, _ = study
    told, task = answer(store, 1)
    again = Sent(annotator=1, task=task, nonce="nonce-1", payload={"answers": {}}, seconds=9)
    other = Sent(annotator=1, task=task, nonce="nonce-2", payload={"answers": {}}, seconds=9)
    stranger = Sent(annotator=2, task=task, nonce="nonce-3", payload={"answers": {}}, seconds=9)
    assert told == "ok"
    assert store.submit([again, other, stranger]) == ["ok", "conflict", "unknown"]
    (found,) = store.answers()
    assert found.payload == {"answers": {"EA": [1] * 5}}
    assert found.seconds == 1.5


def test_undo_keeps_the_old_answer_and_starts_from_it(study) -> None:  # type: ignore[no-untyped-def]
    store, _ = study
    _, task = answer(store, 1)
    assert store.undo(1) == task
    assert store.next(1).id == task
    assert store.previous(task) == {"answers": {"EA": [1] * 5}}
    # a lost connection repeats the answer that was taken back: it does not come to life again
    assert store.submit([Sent(annotator=1, task=task, nonce="nonce-1", payload={}, seconds=1)]) == [
        "conflict"
    ]
    assert answer(store, 1, "nonce-9", 3) == ("ok", task)
    (found,) = store.answers()
    assert found.payload["answers"]["EA"] == [3] * 5
    assert store.undo(2) is None
    assert [event for *_, event, _, _ in store.trail()].count("undone") == 1


def test_a_revoked_annotators_samples_go_to_the_others(study) -> None:  # type: ignore[no-untyped-def]
    store, tokens = study
    answer(store, 1)
    left = store.counts(1)[1] - 1
    moved = store.revoke("ann")
    assert moved == left, "two others are there for each sample"
    assert store.annotator_of(tokens[0]) is None
    assert store.missing() == 12 - 1
    finish(store, [2, 3])
    rated = [(a.task.sample, a.pseudonym) for a in store.answers()]
    assert len(set(rated)) == len(rated) == 12
    with pytest.raises(UsageError, match="there are: ann, ben, cy"):
        store.revoke("dan")


def finish(store: StudyStore, who: list[int], after: float = 0.0) -> None:
    for annotator in who:
        while (task := store.next(annotator, return_after=after)) is not None:
            sent = Sent(
                annotator=annotator,
                task=task.id,
                nonce=f"{annotator}-{task.id}",
                payload={"answers": {}},
                seconds=1,
            )
            assert store.submit([sent]) == ["ok"]


def test_an_abandoned_sample_comes_back(study) -> None:  # type: ignore[no-untyped-def]
    store, _ = study
    token = store.invite("dan")
    dan = store.annotator_of(token)
    finish(store, [2, 3])
    assert store.next(dan.id) is None, "ann may still come back"
    assert store.next(dan.id, return_after=3600) is None
    open_ = store.next(1)  # ann looks at a sample and walks away
    time.sleep(0.05)
    finish(store, [dan.id, 2, 3], after=0.01)
    assert store.missing() == 0
    late = Sent(annotator=1, task=open_.id, nonce="late-nonce", payload={"answers": {}}, seconds=1)
    assert store.submit([late]) == ["unknown"]
    samples = [a.task.sample for a in store.answers()]
    assert {samples.count(name) for name in SMALL.samples} == {2}


def test_a_study_is_started_once(study) -> None:  # type: ignore[no-untyped-def]
    store, _ = study
    with pytest.raises(UsageError, match="started already"):
        store.create(SMALL, NAMES, [])
    with pytest.raises(UsageError, match="no @ or colon"):
        store.invite("a@b")
    with pytest.raises(UsageError, match="there already"):
        store.invite("ann")


CHILD = """
import sys
from pathlib import Path
from editgauge.study.store import Sent, StudyStore
store = StudyStore(Path(sys.argv[1]))
while (task := store.next(1)) is not None:
    assert store.submit([Sent(1, task.id, f"n-{task.id}", {"answers": {}}, 1.0)]) == ["ok"]
    print(task.id, flush=True)
"""


@pytest.mark.parametrize(
    "moments",
    [(1, 3, 8), pytest.param((1, 2, 4, 3, 5) * 4, marks=pytest.mark.slow)],
    ids=["3 kills", "20 kills"],
)
def test_no_acknowledged_answer_is_lost_by_kill(tmp_path: Path, moments: tuple[int, ...]) -> None:
    path = tmp_path / "study.sqlite"
    with StudyStore(path) as store:
        store.create(DESIGN, ["ann", "ben"], assign(DESIGN, OUTPUTS, 2))
    acknowledged: list[int] = []
    for wanted in moments:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(wanted)]
        acknowledged += [int(line) for line in lines if line]
        os.kill(child.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in child.stdout.read().split("\n")[:-1]]
        child.wait()
        child.stdout.close()
    with StudyStore(path) as store:
        kept = [found.task.id for found in store.answers()]
    assert set(acknowledged) <= set(kept)
    assert len(kept) == len(set(kept))


@pytest.mark.parametrize("kind", ["trigger", "link", "pipe"])
def test_a_file_of_somebody_else_is_not_used(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "sent.sqlite"
    StudyStore(tmp_path / "other.sqlite").close()
    if kind == "link":
        path.symlink_to(tmp_path / "other.sqlite")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with contextlib.closing(sqlite3.connect(tmp_path / "other.sqlite")) as db:
            db.execute("CREATE TRIGGER t AFTER INSERT ON trail BEGIN DELETE FROM answers; END")
        (tmp_path / "other.sqlite").rename(path)
    with pytest.raises(RunError, match=r"sent\.sqlite"):
        StudyStore(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answers SET payload = replace(payload, '1', '2')",
        "UPDATE answers SET seconds = 9",
        "UPDATE answers SET payload = '[[['",
        "UPDATE tasks SET editors = '[]' WHERE done = 1",
        "UPDATE tasks SET sample = 's1' || sample WHERE done = 1",
        "UPDATE annotators SET pseudonym = 'eve' WHERE id = 1",
    ],
)
def test_a_damaged_answer_is_left_out_and_named(study, change: str) -> None:  # type: ignore[no-untyped-def]
    store, _ = study
    answer(store, 1)
    assert len(list(store.answers())) == 1
    with contextlib.closing(sqlite3.connect(store.path)) as other, other:
        other.execute(change)
    assert list(store.answers()) == []
    assert store.damaged == ["study.sqlite: answer 1 is damaged; left out"]
    assert [one.seconds for one in store.progress()] == [0.0] * 3


def test_an_answer_of_an_earlier_version_counts(study) -> None:  # type: ignore[no-untyped-def]
    """It has no checksum."""
    store, _ = study
    answer(store, 1)
    with contextlib.closing(sqlite3.connect(store.path)) as other, other:
        other.execute("DELETE FROM checks")
    assert len(list(store.answers())) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("design", "{"),
        ("design", "[]"),
        ("design", "{}"),
        ("design", '"samples"'),
        ("secret", "no hexadecimal number"),
    ],
)
def test_a_damaged_study_is_one_line(study, name: str, text: str) -> None:  # type: ignore[no-untyped-def]
    store, _ = study
    store.close()
    with contextlib.closing(sqlite3.connect(store.path)) as other, other:
        other.execute("UPDATE meta SET value = ? WHERE name = ?", (text, name))
    with pytest.raises(RunError, match="damaged"), StudyStore(store.path) as again:
        assert again.design


@pytest.mark.parametrize("field", [one.name for one in fields(DESIGN)])
def test_a_field_of_a_design_of_another_kind_is_told(field: str) -> None:
    facts = json.loads(stored_text(SMALL))
    assert of_text(json.dumps(facts)) == SMALL
    for value in (None, ["x", 1], {"a": []}):
        with pytest.raises(ValueError, match=r"wanted|argument"):
            of_text(json.dumps({**facts, field: value}))
