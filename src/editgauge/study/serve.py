"""The pages of a study. Nothing that is sent names an editor, a file or its format: an output is
known by its place, and every picture has an address that only this study can make.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from editgauge.errors import UsageError
from editgauge.schema import convert
from editgauge.study import assign
from editgauge.study.answers import CHECKS, SKIPS, Sent, TakenBack, checked
from editgauge.study.pictures import Pictures
from editgauge.study.scales import ENDS
from editgauge.types import JsonMapping, JsonObject
from editgauge.web.log import Conflict, Item, Log, Person
from editgauge.web.pages import PICTURE_CACHE, application, refusal
from editgauge.web.people import key_of, person


def study_application(log: Log, pictures: Pictures, *, hosts: Sequence[str] = ()) -> Starlette:
    """The application of one study. Raises `RunError` for a log in which none was started."""
    pages = _Study(log, pictures)
    routes = [
        Route("/api/task", person(pages.state)),
        Route("/api/answer", person(pages.answer, posts=True), methods=["POST"]),
        Route("/api/undo", person(pages.undo, posts=True), methods=["POST"]),
        Route("/picture/{task}/{slot}/{mac}", person(pages.picture, slow=True)),
    ]
    return application(log, routes, package="editgauge.study", hosts=hosts)


class _Study:
    """The handlers; each is called in a thread, with who asks and what."""

    def __init__(self, log: Log, pictures: Pictures) -> None:
        self.log, self.pictures = log, pictures
        self.design = assign.design_of(log)

    def state(self, who: Person, _: Request) -> JsonObject:
        """Everything that the page shows: how far the annotator is, and the next task."""
        design = self.design
        task = assign.next_task(self.log, who.name, return_after=design.return_after)
        mine = self.log.all(assign.TASK, owner=who.name)
        return {
            "study": design.name,
            "mode": design.mode,
            "ends": ENDS.get(design.mode, ""),
            "key": key_of(self.log, who),
            "done": sum(item.state == assign.DONE for item in mine),
            "total": len(mine),
            "questions": [{"id": q.id, "text": q.text or q.id} for q in design.questions],
            "skips": SKIPS,
            "task": None if task is None else self._task(task),
        }

    def answer(self, who: Person, payload: JsonMapping) -> Any:
        """Keep an answer and say what the training has to say about it."""
        sent = convert(payload, Sent, "answer")
        task = self._own_task(who, sent.task)
        if task is None:
            return refusal(404, "this sample is no longer yours; go on with the next")
        answer = checked(self.design, task.data["kind"], len(task.data["editors"]), sent)
        shown = task._replace(version=sent.version)
        try:
            assign.answered(self.log, shown, who.name, answer, sent.seconds, sent.nonce)
        except Conflict:
            return refusal(409, "this sample was answered already (in another tab?)")
        training = task.data["kind"] == "training"
        feedback = self.design.training.feedback.get(task.data["sample"], "") if training else ""
        return {"ok": True, "feedback": feedback}

    def undo(self, who: Person, payload: JsonMapping) -> dict[str, bool]:
        """Take the last answer back, once for each nonce."""
        sent = convert(payload, TakenBack, "undo")
        return {"ok": assign.undo(self.log, who.name, sent.nonce)}

    def picture(self, who: Person, request: Request) -> Response:
        """One picture of the annotator's own task, at an address that is ours."""
        number, slot, mac = (request.path_params[name] for name in ("task", "slot", "mac"))
        address = self.log.mac("picture", number, slot)
        genuine = hmac.compare_digest(address.encode(), mac.encode())
        task = self._own_task(who, number) if genuine else None
        if task is None:
            return refusal(404, "not here")
        editor = task.data["editors"][int(slot)] if slot.isdigit() else ""
        data = self.pictures.png(task.data["sample"], slot, editor=editor)
        return Response(data, media_type="image/png", headers=PICTURE_CACHE)

    def _own_task(self, who: Person, number: str) -> Item | None:
        try:
            task = self.log.get(number)
        except UsageError:
            return None
        return task if task.owner == who.name else None

    def _task(self, task: Item) -> JsonObject:
        sample, kind, editors = (task.data[name] for name in ("sample", "kind", "editors"))
        record, names = self.pictures.records[sample], self.pictures.files(sample)
        check = kind == "check"
        text = CHECKS[self.design.mode][0] if check else record.get("instruction", "")
        reference = self.design.reference and "reference" in names
        return {
            "id": task.id,
            "version": task.version,
            "training": kind == "training",
            "instruction": text,
            "hint": str(record.get("knowledge") or "") if self.design.hint and not check else "",
            "inputs": [self._url(task, name) for name in names if name.startswith("input")],
            "reference": self._url(task, "reference") if reference else None,
            "mask": self._url(task, "mask") if "mask" in names else None,
            "outputs": [self._url(task, str(slot)) for slot in range(len(editors))],
            "previous": task.data.get("answer"),
        }

    def _url(self, task: Item, slot: str) -> str:
        return f"/picture/{task.id}/{slot}/{self.log.mac('picture', task.id, slot)}"
