"""What is done with a judge session: run it to its end, by batches, or only ask whether it sees."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import cv2
import numpy as np

from editgauge.errors import RunError
from editgauge.escape import counted
from editgauge.images import Array, write_png
from editgauge.judging import batch as batches
from editgauge.judging.asking import Job
from editgauge.judging.engine import Progress, Say
from editgauge.judging.options import RETRIED
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range
from editgauge.judging.session import Session, judge_together
from editgauge.store.summary import Summary, reason_lines
from editgauge.types import JUDGE_SCORER, JsonObject, Score

DIGITS = (7, 2, 4)
"""What the probe's pictures show; a judge that guesses is right once in 1,000."""


@dataclass(slots=True)
class Outcome:
    """What a judge command did, as `facts` of JSON values."""

    session: Session
    facts: JsonObject

    @property
    def without_score(self) -> int:
        """Metrics of edits that have no score, those that were not asked included."""
        return int(self.facts["without_score"])

    def lines(self) -> Iterator[str]:
        """What was done, in words, and what to do next."""
        session, facts = self.session, self.facts
        yield from self._statuses()
        yield from (f"refused in {name}: {n}" for name, n in sorted(session.refused.items()))
        yield from (f"note: {note}" for note in facts["notes"])
        yield f"judge: {facts['judge']}, answered by {facts['answered'] or 'none'}"
        yield (
            f"{counted(facts['requests'], 'request')}, {facts['from_store']} from the store of "
            f"replies, {facts['tokens_in']:,} tokens in, {facts['tokens_out']:,} out{self._money()}"
        )
        yield f"{facts['rows_made']} new rows, {facts['rows_kept']} reused, in {session.named}"
        if facts["unasked"]:
            waiting = session.engine.waiting and not session.options.offline
            place = "wait in a batch" if waiting else "are not in the reply store"
            yield f"{facts['unasked']} calls {place}: they have no row"
            how = "to collect the batch" if waiting else "neither offline nor of a batch"
            yield f"next:  the same command, {how}, brings what is missing"
        elif facts["complete"]:
            yield f"next:  editgauge table {session.named} --benchmark {session.benchmark}"
        if session.engine.broke or not (facts["complete"] or facts["unasked"]):
            yield session.engine.broke or "stopped; the same command goes on from here"

    def _statuses(self) -> Iterator[str]:
        session = self.session
        ids = [sample.id for sample in session.samples]
        which: JsonObject = {"among": ids, "source": session.source, "variant": "corrected"}
        counts = session.run.samples_by_status(session.benchmark, [JUDGE_SCORER], **which)
        editors = sorted({key[0] for key in session.summary.counts} & counts.keys())
        for editor in editors:
            tallies = Counter(counts[editor]).most_common()
            words = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in tallies)
            yield f"{editor}, samples: {words}"
        reasons = session.run.reasons(session.benchmark, [JUDGE_SCORER], editors, **which)
        yield from reason_lines(reasons)
        if again := sorted(RETRIED & {status for _, status, *_ in reasons}):
            yield f"asked again only when told: retry {','.join(again)}"

    def _money(self) -> str:
        price, facts = self.session.price, self.facts
        if price is None and not facts["dollars"]:
            return ", costs not counted: no price is known or given"
        if price and price.free:
            return ""
        spent = f", {facts['dollars']:.4f} US dollars"
        if facts["dollars_unbilled"] > 5e-5:
            spent += f" ({facts['dollars_unbilled']:.4f} of it estimated: no usable bill came)"
        return f"{spent}; {facts['dollars_of_run']:.4f} in this run in all"


def run(
    session: Session,
    *,
    progress: Progress = lambda stats: None,
    say: Say = lambda text: None,
) -> Outcome:
    """Judge what is to be judged, with one judge; as `run_together`."""
    (outcome,) = run_together([session], progress=progress, say=say)
    return outcome


def run_together(
    sessions: Sequence[Session],
    *,
    progress: Progress = lambda stats: None,
    say: Say = lambda text: None,
) -> list[Outcome]:
    """Judge what is to be judged, with one or several judges that share a budget by samples.

    `progress` gets the counts after each call, `say` warnings. Ctrl-C ends what is in flight, and a
    second one drops it. Raises `RunError` when going on makes no sense; what was done is kept and
    recorded.
    """
    for session in sessions:
        session.asks()
    began, ended, dropped = time.monotonic(), False, False
    try:
        judge_together(sessions, progress=progress, say=say)
        ended = True
    except KeyboardInterrupt:
        dropped = True
    finally:
        seconds = round(time.monotonic() - began, 3)
        recorded = [_record(session, ended=ended, seconds=seconds) for session in sessions]
    pairs = zip(sessions, recorded, strict=True)
    return [_outcome(session, facts, dropped=dropped) for session, facts in pairs]


def _record(session: Session, *, ended: bool, seconds: float) -> JsonObject:
    """Write down in the run's manifest what a session did."""
    engine = session.engine
    stopped = engine.interrupted or bool(engine.broke)
    complete = ended and not stopped and not engine.stats.unasked
    return session.record("judge", **session.facts(), complete=complete, seconds=seconds)


def _outcome(session: Session, facts: JsonObject, *, dropped: bool) -> Outcome:
    """What a session did; `facts` are those of the run's manifest."""
    engine, summary = session.engine, session.summary
    strict = {key: each for key, each in summary.counts.items() if key[3] == "corrected"}
    return Outcome(session, {
        **facts,
        "run": session.named,
        "interrupted": dropped or engine.interrupted,
        "over_budget": bool(engine.broke),
        "dollars_of_run": max(0.0, round(engine.ledger.totals.booked, 6)),
        "refused_by_category": session.refused,
        "rows_made": summary.computed,
        "rows_kept": summary.kept,
        "adapted": engine.adapted,
        "without_score": engine.stats.unasked + Summary(strict).without_score,
        "notes": [*session.options.notes, *engine.warnings()],
    })  # fmt: skip


def batch(session: Session, action: str) -> batches.Batched:
    """``submit`` or ``collect`` batches of a session; see `batch`."""
    session.asks()
    engine, jobs = session.engine, session.jobs(looking=True)
    done = batches.submit(engine, jobs) if action == "submit" else batches.collect(engine)
    session.record(f"judge batch {action}", **asdict(done))
    return done


def probe(session: Session) -> JsonObject:
    """Does this judge see? Three pictures of digits that it must read, in one call: ``sees``, what
    it ``read`` (None where it gives none), what was ``shown``. An answer of the same day is not
    paid for again. Raises `EditgaugeError` where no judge answers.
    """
    session.asks()
    engine = session.engine
    parts: list[str | Picture] = ["Each picture shows one digit. Which one?"]
    names = [f"picture_{number}" for number, _ in enumerate(DIGITS, start=1)]
    for name, digit in zip(names, DIGITS, strict=True):
        path = session.run.cache_folder / "probe" / f"digit-{digit}.png"
        write_png(path, digit_picture(digit))
        parts += [f"{name}:", Picture(path, name)]
    reply = {**VISIBLE, **dict.fromkeys(names, Range(0, 9))}
    metrics = {name: name for name in names}
    call = Call(name="sight", parts=tuple(parts), reply=reply, metrics=metrics, rubric="sight 4")
    today = int(time.time() // 86_400)  # as a repeat: another day is asked anew
    job, scores = Job(call, today, {"for": "probe"}), list[Score]()
    engine.run([job], lambda _, heard: scores.extend(heard))
    answer = engine.stored(key := engine.key(job))
    if answer is None or answer.status == "failed":
        engine.replies.drop(key)
        why = answer.reason if answer else engine.broke
        raise RunError(f"{engine.client.host}: the judge gave no answer ({why})")
    digits = [one.value for one in scores if one.variant == "corrected"]
    facts = {"sees": tuple(digits) == DIGITS, "read": digits, "shown": DIGITS}
    session.record("judge probe", **facts)
    return facts


def digit_picture(digit: int) -> Array:
    """A digit on a plain ground: shape (160, 160, 3), uint8."""
    picture = np.full((160, 160, 3), 235, np.uint8)
    cv2.putText(picture, str(digit), (44, 116), cv2.FONT_HERSHEY_SIMPLEX, 3.6, (30, 30, 120), 12)
    return picture
