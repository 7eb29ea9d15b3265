"""One judge asked for verdicts: each call paid for once, each ending in a reply or a reason.

For one call: look into the store; else ask; ask once more with more room where the reply was cut
off; ask once more, quoting the broken rule, where it cannot be read. Every reply is in the store
before anybody hears of it, so that the same steps over a stored call give the same result and cost
nothing. Many calls at once are `work`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from editgauge.errors import ImageError
from editgauge.judging.cache import Reply
from editgauge.judging.protocol import Call
from editgauge.judging.reading import ENDLESS, Verdict, read
from editgauge.judging.replies import FIRST, Attempt, Job, Replies
from editgauge.judging.scores import ExchangeResult, to_scores
from editgauge.judging.stats import Stats
from editgauge.types import Status

MORE_ROOM = 4
"""How many times its token limit a reply gets that was cut off."""
REPAIR = (
    "That answer cannot be read: {problem}. Judge the same pictures by the same criteria and give "
    "the complete answer again, as exactly this one JSON object and with nothing around it: {form}"
)
UNSEEN_WORDS = (
    "no image was", "no images were", "image was not provided", "images were not provided",
    "no picture was", "no pictures were", "cannot see the image", "can't see the image",
    "unable to see the image", "unable to view", "cannot view the image", "without seeing the",
    "do not see any image", "don't see any image", "did not receive any image",
)  # fmt: skip
"""Of a judge that says in so many words that it saw nothing: for a warning, never for a score."""


class Engine(Replies):
    """Asks one model. Make one for each command; `run` may be called several times."""

    def stop(self) -> None:
        """Take no further job; what is in flight is finished."""
        self.stopping = True

    def run(
        self,
        jobs: Iterable[Job],
        done: Callable[[Job, ExchangeResult], None],
        progress: Callable[[Stats], None] | None = None,
    ) -> bool:
        """Do all jobs at once as far as `Settings.concurrency` goes: see `work.do_all`."""
        from editgauge.judging.work import do_all

        return do_all(self, jobs, done, progress)

    def count(self) -> None:
        """Bring requests and money in `stats` up to date."""
        self.stats.asked = self.paid.sent
        self.stats.spent, self.stats.unbilled = self.ledger.spent, self.ledger.unbilled

    # -- one job -----------------------------------------------------------------------------------

    def hear(self, job: Job) -> ExchangeResult:
        """What comes of one job. Raises `Unasked`, and `EditgaugeError` where going on makes no
        sense.
        """
        try:
            exchange = self._exchange(job)
            if self._is_to_be_asked_again(job, exchange):
                exchange = self._exchange(job, force=True)
            return exchange
        except ImageError as error:
            return ExchangeResult(
                first=None, last=None, status=Status.UNREADABLE, reason=str(error)
            )

    def _is_to_be_asked_again(self, job: Job, exchange: ExchangeResult) -> bool:
        retry = self.settings.retry
        if not retry or self.settings.offline or self.key(job) in self._asked_now:
            return False
        return any(score.status in retry for score in to_scores(job.call, exchange))

    def _exchange(self, job: Job, *, force: bool = False) -> ExchangeResult:
        first = last = self.reply(job, FIRST, force=force)
        replies = [first]
        if job.call.as_released:  # a released script's request is sent once, as it is
            return self._result(job, replies, first)
        room = 0
        if first.status == "ok" and first.finish == "length":
            room = self.room(job.call) * MORE_ROOM
            replies.append(self.reply(job, Attempt(name="room", room=room), force=force))
            last = replies[-1] if replies[-1].status == "ok" else first
        problem = _verdict(job.call, last).problem if last.status == "ok" else ""
        if problem and self.settings.repair and last.finish != "length":
            words = (last.content or "", REPAIR.format(problem=problem, form=job.call.shape))
            repair = Attempt(name="repair", repair=words, room=room)
            replies.append(self.reply(job, repair, force=force))
            mended = replies[-1]
            if mended.status == "ok" and not _verdict(job.call, mended).problem:
                last = mended
        return self._result(job, replies, last)

    def _result(self, job: Job, replies: Sequence[Reply], last: Reply) -> ExchangeResult:
        detail = _detail(replies, last)
        if last.status != "ok":
            status = Status.REFUSED if last.status == "refused" else Status.FAILED
            return ExchangeResult(
                first=None, last=None, status=status, reason=last.reason, detail=detail
            )
        verdict = _verdict(job.call, last)
        if rationale := self.client.secrets.value(verdict.rationale):
            detail["rationale"] = rationale[:1000]
        cut_off = last.finish == "length"
        self.notice_cut(cut_off or verdict.problem == ENDLESS, last.request)
        self._notice_blindness(job, replies[0], verdict)
        return ExchangeResult(
            first=replies[0].content,
            last=last.content,
            status=Status.SCORED,
            detail=detail,
            cut_off=cut_off,
        )

    def _notice_blindness(self, job: Job, reply: Reply, verdict: Verdict) -> None:
        """Count a reply whose judge may have seen no picture: its own word, or a bill whose tokens
        cannot hold the words and the pictures.
        """
        said = verdict.rationale.lower()
        tokens = reply.usage.get("prompt_tokens")
        unseen = verdict.unseen or any(words in said for words in UNSEEN_WORDS)
        if not unseen and isinstance(tokens, int) and job.call.pictures:
            sizes = [self.pictures.size(picture) for picture in job.call.pictures]
            shown = sum(max(1, min(64, width * height // 4096)) for width, height in sizes)
            unseen = 0 < tokens < len(self.body(job)) / 6 + shown
        with self._lock:
            self.stats.blind += unseen

    def warnings(self) -> list[str]:
        """What whoever reads the scores should know."""
        if not self.stats.blind:
            return []
        said = (
            f"{self.stats.blind} of {self.stats.done} replies may come from a judge that saw no "
            f"picture (it says so, or its prompt tokens cannot hold them): look with "
            f"`editgauge judge --probe`"
        )
        return [said]


def _verdict(call: Call, reply: Reply) -> Verdict:
    return read(call, reply.content, cut_off=reply.finish == "length")


def _detail(replies: Sequence[Reply], last: Reply) -> dict[str, Any]:
    """What a row says of its replies; `last` is the one that counts."""
    detail: dict[str, Any] = {"reply": last.key, "model": last.answered, "asked": last.asked}
    if last.system_fingerprint:
        detail["system_fingerprint"] = last.system_fingerprint
    if last.key != replies[0].key:
        detail["first_reply"] = replies[0].key
        detail["repaired" if last.request.get("attempt") == "repair" else "more_room"] = True
    elif len(replies) > 1:
        detail["attempts"] = len(replies)
    detail["usage"] = {
        name: min(sum(counts), 2**53)
        for name in ("prompt_tokens", "completion_tokens")
        if (counts := [n for reply in replies if type(n := reply.usage.get(name)) is int])
    }
    if costs := [reply.cost for reply in replies if reply.cost is not None]:
        detail["cost"] = round(sum(costs), 8)
    return detail
