"""The web application of a study: pages for annotators, nothing else.

See `site` for links, keys and limits. Answers are written in groups: whoever sends while a write is
on its way waits for the next one, so that many annotators share one flush of the disk. Nothing that
is sent names an editor, a file or its format.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from editgauge.errors import EditgaugeError
from editgauge.study.design import Design
from editgauge.study.forms import CHECK_TEXT, SKIPS, Refused, checked
from editgauge.study.pictures import Pictures
from editgauge.study.site import Limits, Site, as_json, error
from editgauge.study.store import Annotator, Open, Sent, StudyStore

STATIC = {
    "app.js": "text/javascript; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
}
_PICTURE_CACHE = {"Cache-Control": "private, max-age=3600"}


class Writer:
    """Writes answers in groups, each group in one transaction off the event loop."""

    def __init__(self, store: StudyStore) -> None:
        self.store = store
        self._waiting: list[tuple[Sent, asyncio.Future[str]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, sent: Sent) -> str:
        """What `StudyStore.submit` says of the answer, once it is on the disk."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((sent, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._write())
        return await future

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                told = await run_in_threadpool(self.store.submit, [sent for sent, _ in group])
            except EditgaugeError as error:
                for _, future in group:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), word in zip(group, told, strict=True):
                if not future.done():
                    future.set_result(word)


class Study(Site):
    """The handlers of one study."""

    statics = STATIC

    def __init__(
        self,
        store: StudyStore,
        pictures: Pictures,
        *,
        hosts: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> None:
        super().__init__(store, hosts=hosts, limits=limits)
        self.pictures = pictures
        self.design: Design = store.design
        self.writer = Writer(store)

    def app(self) -> Starlette:
        """The application: every route answers with `HEADERS`."""
        routes = [
            *self.routes(),
            Route("/api/task", self._guard(self.task)),
            Route("/api/answer", self._guard(self.answer), methods=["POST"]),
            Route("/api/undo", self._guard(self.undo), methods=["POST"]),
            Route("/picture/{task}/{slot}/{mac}", self._guard(self.picture)),
        ]
        return Starlette(routes=routes)

    # -- pages -------------------------------------------------------------------------------------

    async def task(self, request: Request) -> Response:
        annotator = self._who(request)
        if annotator is None:
            return error(401, "open your personal link")
        if not self.limits.gets.take(str(annotator.id)):
            return error(429, "too fast; wait a second")
        return as_json(await run_in_threadpool(self._state, annotator))

    async def answer(self, request: Request) -> Response:
        found = await self._poster(request)
        if isinstance(found, Response):
            return found
        annotator, payload = found
        if not isinstance(payload, dict):
            raise Refused("wanted an object")
        number, nonce, seconds = _sent(payload)
        task = self.store.task(number, annotator.id)
        if task is None:
            return error(404, "this sample is no longer yours; go on with the next")
        made = checked(self.design, task.kind, len(task.editors), payload)
        told = await self.writer.submit(
            Sent(annotator=annotator.id, task=task.id, nonce=nonce, payload=made, seconds=seconds)
        )
        if told != "ok":
            return error(409, "this sample was answered already (in another tab?)")
        return as_json({"ok": True, "feedback": self._feedback(task)})

    async def undo(self, request: Request) -> Response:
        found = await self._poster(request)
        if isinstance(found, Response):
            return found
        task = await run_in_threadpool(self.store.undo, found[0].id)
        return as_json({"ok": task is not None})

    async def picture(self, request: Request) -> Response:
        annotator = self._who(request)
        if annotator is None:
            return error(401, "open your personal link")
        if not self.limits.gets.take(str(annotator.id)):
            return error(429, "too fast; wait a second")
        task, slot = self._asked(request, annotator), request.path_params["slot"]
        if task is None:
            return error(404, "not here")
        name = task.editors[int(slot)] if slot.isdigit() else slot
        data = await run_in_threadpool(self._png, task, name)
        return Response(data, media_type="image/png", headers=_PICTURE_CACHE)

    def _asked(self, request: Request, annotator: Annotator) -> Open | None:
        """The task whose picture is asked for, where this link was made by us: nothing else of the
        link is read before.
        """
        number, slot, mac = (request.path_params[name] for name in ("task", "slot", "mac"))
        wanted = self.store.mac("picture", number, slot)
        if not hmac.compare_digest(wanted.encode(), mac.encode()):
            return None
        return self.store.task(int(number), annotator.id)

    # -- what a page is told -----------------------------------------------------------------------

    def _png(self, task: Open, name: str) -> bytes:
        return self.pictures.png(task.sample, name, self.shown(task.sample))

    def shown(self, sample: str) -> list[str]:
        """The editors of the study that have an output of a sample: what is copied together."""
        there = self.pictures.outputs
        return [editor for editor in self.design.editors if (sample, editor) in there]

    def _feedback(self, task: Open) -> str:
        return self.design.feedback.get(task.sample, "") if task.kind == "training" else ""

    def _state(self, annotator: Annotator) -> dict[str, Any]:
        task = self.store.next(annotator.id, return_after=self.design.return_after)
        done, total = self.store.counts(annotator.id)
        return {
            "study": self.design.name,
            "mode": self.design.mode,
            "key": self.key_of(annotator.id),
            "done": done,
            "total": total,
            "questions": [{"id": item.id, "text": item.text} for item in self.design.questions],
            "labels": list(self.design.labels),
            "skips": list(SKIPS),
            "limit": self.design.time_limit,
            "task": None if task is None else self._task(task),
        }

    def _task(self, task: Open) -> dict[str, Any]:
        record = self.pictures.records[task.sample]
        names = self.pictures.names(task.sample)
        check = task.kind == "check"
        hint = str(record.get("knowledge") or "") if self.design.hint else ""
        reference = "reference" if "reference" in names and self.design.reference else ""
        return {
            "id": task.id,
            "training": task.kind == "training",
            "instruction": CHECK_TEXT[self.design.mode] if check else self._instruction(record),
            "hint": "" if check else hint,
            "inputs": [self._url(task, name) for name in names if name.startswith("input")],
            "reference": self._url(task, reference) if reference else None,
            "mask": self._url(task, "mask") if "mask" in names else None,
            "outputs": [self._url(task, str(slot)) for slot in range(len(task.editors))],
            "previous": self.store.previous(task.id),
        }

    @staticmethod
    def _instruction(record: Mapping[str, Any]) -> str:
        return str(record.get("instruction") or "")

    def _url(self, task: Open, slot: str) -> str:
        return f"/picture/{task.id}/{slot}/{self.store.mac('picture', task.id, slot)}"


def _sent(payload: Mapping[str, Any]) -> tuple[int, str, float]:
    """The task, the nonce and the seconds of an answer. Raises `Refused`."""
    number, nonce, seconds = (payload.get(name) for name in ("task", "nonce", "seconds"))
    if type(number) is not int or not 0 < number < 2**53:
        raise Refused("task: wanted its number")
    if not isinstance(nonce, str) or not 8 <= len(nonce) <= 64:
        raise Refused("nonce: wanted a text of 8 to 64 letters")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise Refused("seconds: wanted a number")
    if not 0 <= seconds < 10**7:
        raise Refused("seconds: wanted a number of seconds")
    return number, nonce, float(seconds)
