"""Who sees which sample, in which order, and which output stands where; and the tasks of a study in
its log.

Every sample goes to those annotators with the fewest so far: loads differ by one at most. Outputs
stand in rotations of a random order, in blocks in which each stands once at every place. A task is
an item of the log: its owner is the annotator, its state ``open`` or ``done``, its data what is
shown and, once it is done, the answer. Taking an answer back is a change to ``open``.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median_high
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from editgauge.errors import RunError, UsageError
from editgauge.study.design import Design
from editgauge.types import JsonMapping, JsonObject
from editgauge.web.log import Act, Item, Log

Kind = Literal["training", "sample", "repeat", "check"]
Editors = tuple[str, ...]
TASK = "task"
OPEN, DONE = "open", "done"
_DESIGN = "design"


class Task(NamedTuple):
    """A task for one annotator. `annotator` counts from 0; `editors`: in the order shown."""

    annotator: int
    kind: Kind
    sample: str
    editors: Editors
    repeat: int = 0


def assign(design: Design, outputs: Mapping[str, Collection[str]], annotators: int) -> list[Task]:
    """The tasks of every annotator, in order. Raises `UsageError` for too few annotators."""
    if annotators < design.annotators_per_sample:
        raise UsageError(
            f"{design.annotators_per_sample} annotators are to rate each sample, found "
            f"{annotators}: invite more, or lower annotators_per_sample"
        )
    random = np.random.default_rng([design.seed, 1])
    every = [unit for sample in design.drawn for unit in _units(design, outputs, sample)]
    shares: list[list[tuple[str, Editors]]] = [[] for _ in range(annotators)]
    for number in random.permutation(len(every)).tolist():
        loads = np.array([len(share) for share in shares]) + random.random(annotators) * 0.5
        for who in np.argsort(loads)[: design.annotators_per_sample].tolist():
            shares[who].append(every[number])
    blocks: dict[Editors, list[Editors]] = {}
    return [
        Task(who, kind, sample, _order(blocks, editors, random), repeat)
        for who, share in enumerate(shares)
        for kind, (sample, editors), repeat in _sequence(design, outputs, share, random)
    ]


def _units(
    design: Design, outputs: Mapping[str, Collection[str]], sample: str
) -> list[tuple[str, Editors]]:
    """What is rated as a whole: the sample's outputs, or each pair of them in mode pairwise."""
    shown = tuple(editor for editor in design.editors if editor in outputs[sample])
    pairs = combinations(shown, 2) if design.mode == "pairwise" else [shown]
    return [(sample, editors) for editors in pairs]


def _sequence(
    design: Design, outputs: Mapping[str, Collection[str]], share: Sequence[tuple[str, Editors]],
    random: np.random.Generator,
) -> Iterator[tuple[Kind, tuple[str, Editors], int]]:  # fmt: skip
    """Training, then samples with checks among them, then the samples that come again."""
    for sample in design.training.samples:
        yield "training", _units(design, outputs, sample)[0], 0
    order = [share[k] for k in random.permutation(len(share)).tolist()]
    for number, unit in enumerate(order, start=1):
        yield "sample", unit, 0
        if design.checks.every and number % design.checks.every == 0:
            yield "check", order[int(random.integers(len(order)))], 0
    # the earliest come again, so that they are not remembered
    for k in random.permutation(round(design.repeats.share * len(order))).tolist():
        yield "repeat", order[k], 1


def _order(
    blocks: dict[Editors, list[Editors]], editors: Editors, random: np.random.Generator
) -> Editors:
    """The next order: in a block of m for m editors, each stands once at each place."""
    block, size = blocks.setdefault(editors, []), len(editors)
    if not block:
        base = [editors[k] for k in random.permutation(size).tolist()]
        shifts = random.permutation(size).tolist()
        block += (tuple(base[(shift + k) % size] for k in range(size)) for shift in shifts)
    return block.pop()


# -- the tasks of a study that was started ---------------------------------------------------------


def start(path: Path, design: Design, names: Sequence[str], tasks: Sequence[Task]) -> list[str]:
    """Write a new study to a file; returns the annotators' tokens, which are kept nowhere. Raises
    `UsageError` where the file has a study already, or a name is no pseudonym.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with Log(path, secret_elsewhere=True) as log, log.transaction():
        if log.meta(_DESIGN):
            raise UsageError(
                f"{path.stem}: this study was started already; give a new one another name"
            )
        log.set_meta(_DESIGN, msgspec.json.encode(design).decode())
        tokens = [log.invite(name) for name in names]
        for number, task in enumerate(tasks, start=1):
            facts = {**task._asdict(), "editors": list(task.editors)}
            owner = names[facts.pop("annotator")]
            log.add(str(number), TASK, facts, "study", owner=owner, state=OPEN)
    return tokens


def design_of(log: Log) -> Design:
    """The design of a study. Raises `RunError` for a file in which none was started."""
    text = log.meta(_DESIGN)
    if not text:
        raise RunError(f"{log.path}: no study was started here; see: editgauge study start")
    try:
        return msgspec.json.decode(text, type=Design)
    except msgspec.DecodeError as error:
        raise RunError(f"{log.path}: its design is damaged ({error}); bring a copy") from error


def next_task(log: Log, who: str, *, return_after: float = 0.0) -> Item | None:
    """The annotator's next open task, or None when there is nothing left for them.

    Who is finished takes over an open sample of annotators whose link was revoked, or who gave no
    sign of life for `return_after` seconds (0: never), unless they have rated it themselves.
    """
    log.sign_of_life(who)
    mine = log.all(TASK, owner=who, state=OPEN)
    if mine or not return_after:
        return next(iter(mine), None)
    late = time.time() - return_after
    with log.transaction():
        had = [_unit(item) for item in log.all(TASK, owner=who)]
        gone = {p.name for p in log.people() if p.name != who and (p.revoked or p.seen < late)}
        for item in log.all(TASK, state=OPEN):
            if item.owner in gone and item.data["kind"] == "sample" and _unit(item) not in had:
                act = Act(who, "taken over")
                return log.change(item.id, item.version, item.data, act, owner=who)
    return None


def _unit(item: Item) -> tuple[str, str, set[str]]:
    """What nobody rates twice."""
    kind, sample, editors = (item.data[name] for name in ("kind", "sample", "editors"))
    return kind, sample, set(editors)


def answered(
    log: Log, item: Item, who: str, answer: JsonMapping, seconds: float, nonce: str
) -> None:
    """Keep an answer, on the disk on return. Raises `Conflict` where there is another already."""
    data = {**item.data, "answer": answer, "seconds": seconds, "at": time.time()}
    log.change(item.id, item.version, data, Act(who, "answered", nonce=nonce), state=DONE)


def undo(log: Log, who: str, nonce: str = "") -> bool:
    """Take the last answer back and return True, or return False where there is none.

    The answer stays in the task, to start from. The same `nonce` sent twice takes back one answer:
    a page sends its request again when the reply was lost.
    """
    with log.transaction():
        if log.was_sent(who, nonce):
            return True
        done = log.all(TASK, owner=who, state=DONE)
        if not done:
            return False
        last = max(done, key=lambda item: (item.data["at"], item.place))
        act = Act(who, "taken back", nonce=nonce)
        log.change(last.id, last.version, last.data, act, state=OPEN)
    return True


def progress(log: Log) -> Iterator[JsonObject]:
    """How far everybody is; `seconds_each` is the median time of an answer, 0 without any."""
    for name, _, revoked, _ in log.people():
        mine = log.all(TASK, owner=name)
        done = [item.data for item in mine if item.state == DONE]
        checks = [bool(data["answer"].get("passed")) for data in done if data["kind"] == "check"]
        yield {
            "annotator": name,
            "done": len(done),
            "of": len(done if revoked else mine),
            "seconds_each": round(median_high([data["seconds"] for data in done] or [0.0])),
            "checks_passed": sum(checks),
            "checks_failed": len(checks) - sum(checks),
            "revoked": revoked,
        }


def missing(log: Log) -> int:
    """How many ratings of samples are still to come."""
    return sum(item.data["kind"] == "sample" for item in log.all(TASK, state=OPEN))
