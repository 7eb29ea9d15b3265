"""The workbench of a data set in the browser. Every change names the version that the page saw."""

from __future__ import annotations

import base64
import hmac
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct
from PIL import Image
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from editgauge import schema
from editgauge.curation import masks, privacy, records, review
from editgauge.curation.dataset import DataSet
from editgauge.curation.fields import FIELDS, patch_of, texts_of
from editgauge.curation.records import MaskName, Record
from editgauge.errors import EditgaugeError, ImageError
from editgauge.images import Mask, read_file, read_mask
from editgauge.types import JsonMapping, JsonObject
from editgauge.web.log import Act, Conflict, Person, Refused
from editgauge.web.pages import PICTURE_CACHE, application, refusal
from editgauge.web.people import MOST_BYTES, key_of, person

Words = Annotated[str, Meta(max_length=4000)]


class Sent(Struct, tag_field="what", forbid_unknown_fields=True, kw_only=True):
    """What every change from the page names."""

    sample: str
    version: Annotated[int, Meta(ge=1)]
    nonce: Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{8,64}$")]


class Change(Sent, tag="change", kw_only=True):
    fields: dict[str, Words] = {}
    state: Literal["", "draft", "withdrawn"] = ""


class Verdict(Sent, tag="review", kw_only=True):
    verdict: records.Verdict
    content: Words
    comment: Words = ""


class Hide(Sent, tag="hide", kw_only=True):
    path: Words
    boxes: list[records.Box]


class Drawn(Sent, tag="mask", kw_only=True):
    name: MaskName
    png: Annotated[str, Meta(max_length=MOST_BYTES)]


class Propose(Sent, tag="propose"):
    """A mask from the difference to the reference."""


class DeleteOriginals(Sent, tag="delete originals"):
    """Delete the pictures as they were before something was hidden in them."""


_POSTS: Any = Change | Verdict | Hide | Drawn | Propose | DeleteOriginals


class Workbench:
    """The handlers of one data set; each is called in a thread, with who asks and what."""

    def __init__(self, data: DataSet) -> None:
        self.data, self.log = data, data.log

    def application(self, hosts: Sequence[str] = ()) -> Starlette:
        """The application of the data set; `hosts` as `web.pages.application` has them."""
        routes = [
            Route("/api/set", person(self._set)),
            Route("/api/sample/{sample}", person(self._sample)),
            Route("/picture/{mac}/{path:path}", person(self.picture, slow=True)),
            Route("/api/do", person(self._do, posts=True), methods=["POST"]),
        ]
        return application(self.log, routes, package="editgauge.curation", hosts=hosts)

    def _set(self, who: Person, _: Request) -> JsonObject:
        every = self.data.records()
        return {
            "name": self.data.about.title or self.data.about.name,
            "who": who.name,
            "expert": who.role == review.EXPERT,
            "owner": who.name == review.OWNER,
            "key": key_of(self.log, who),
            "protocol": self.data.about.protocol,
            "protocols": list(records.PROTOCOLS),
            "fields": {name: {**field._asdict(), "long": name in records.TEXTS}
                       for name, field in FIELDS.items()},
            "masks": list(records.MASKS),
            "queue": review.queue(every, who.name, self.data.about.policy),
            "samples": [
                {
                    "id": record.id,
                    "state": review.state_for(record, who.name),
                    "category": "/".join(record.category),
                    "look": len(record.unseen),
                    "reviewed": who.name in review.current(record),
                }
                for record in every
            ],
        }  # fmt: skip

    def _sample(self, who: Person, request: Request) -> JsonObject:
        return self._told(self.data.record(request.path_params["sample"]), who)

    def _told(self, record: Record, who: Person) -> JsonObject:
        """A sample as the page needs it; what others decided is for who has voted alone."""
        lacking, reviews = review.lacking(record, self.data.about.policy), review.current(record)
        voted = who.name in reviews
        faults = [fault.why for fault in review.faults_by_protocol(self.data, [record])]
        facts = {path: record.facts(path) for path in record.shown}
        view = {
            "id": record.id,
            "version": record.version,
            "state": review.state_for(record, who.name),
            "images": record.images,
            "reference": record.reference,
            "masks": record.masks,
            "scan": record.facts(record.images[0]).scan,
            "texts": texts_of(record),
            "urls": {path: self._url(path) for path in record.files},
            "content": review.content_of(record),
            "reviews": reviews if voted else {},
            "lacking": lacking if voted else [],
            "faults": [why for why in faults if voted or why not in lacking],
            "proposals": {path: privacy.open_proposals(one) for path, one in facts.items()},
            "unseen": record.unseen,
            "originals": len(record.originals),
        }
        page: JsonObject = msgspec.to_builtins(view)
        return page

    def _url(self, path: str) -> str:
        return f"/picture/{self.log.mac('picture', path)}/{path}"

    def picture(self, _: Person, request: Request) -> Response:
        """A picture of the set, at an address that only this set can make."""
        path = request.path_params["path"]
        address = self.log.mac("picture", path)
        if not hmac.compare_digest(address.encode(), request.path_params["mac"].encode()):
            return refusal(404, "not here")
        try:
            data = read_file(self.data.path(path))
        except (EditgaugeError, OSError):
            return refusal(404, "this picture is not there (any more)")
        return Response(data, media_type="image/png", headers=PICTURE_CACHE)

    def _do(self, who: Person, payload: JsonMapping) -> Any:
        """What was sent, and the sample as it is then; the newest where somebody was faster."""
        sent = schema.convert(payload, _POSTS, "what was sent")
        try:
            if isinstance(sent, Propose):
                record = self.data.record(sent.sample)
                mask = masks.propose(self.data, record)
                return {"png": _png(mask), "share": float(mask.mean())}
            return self._told(self._done(who, sent), who)
        except Conflict as late:
            newest = self._told(self.data.record(late.newest.id), who)
            return refusal(409, f"{self._was_faster(late, who)} {late}", newest=newest)

    def _was_faster(self, late: Conflict, who: Person) -> str:
        """Say whose change came first: another person's, or one's own from another tab."""
        authors = [
            event.who
            for event in self.data.events(late.newest.id)
            if event.version and event.what != "refused"
        ]
        if authors and authors[-1] == who.name:
            return "You changed this sample yourself, in another tab or window."
        return "Somebody was faster."

    def _done(self, who: Person, sent: Any) -> Record:
        at = (self.data, sent.sample, sent.version)
        owner = who.name == review.OWNER
        match sent:
            case Change():
                if sent.state and not owner:
                    raise Refused("only the owner of the set withdraws a sample; ask them")
                fields = patch_of(self.data.record(sent.sample), sent.fields)
                fields |= {"state": sent.state} if sent.state else {}
                act = Act(who.name, nonce=sent.nonce)
                return self.data.change(sent.sample, sent.version, fields, act)
            case Verdict():
                expert = who.role == review.EXPERT
                return review.review(
                    self.data, sent.sample, sent.content, sent.verdict, who.name,
                    comment=sent.comment, expert=expert, nonce=sent.nonce,
                )  # fmt: skip
            case Hide():
                return privacy.hide(
                    *at,
                    sent.path,
                    sent.boxes,
                    who.name,
                    nonce=sent.nonce,
                    keep_original=not owner,
                )
            case DeleteOriginals():
                if not owner:
                    raise Refused("only the owner of the set deletes originals; ask them")
                return privacy.delete_originals(self.data, sent.sample, who.name)
        mask = _mask_of(sent.png)
        return masks.save(*at, sent.name, mask, who.name, nonce=sent.nonce, note="drawn")


def _mask_of(text: str) -> Mask:
    """A mask from the base64 text of a PNG: what is bright is marked. Raises `Refused`."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError as why:
        raise Refused("png: wanted a PNG as base64 text") from why
    with tempfile.TemporaryDirectory() as folder:
        sent = Path(folder) / "mask.png"
        sent.write_bytes(data)
        try:
            return read_mask(sent)
        except ImageError as why:
            raise Refused(str(why).replace(f"{sent}", "png")) from why


def _png(mask: Mask) -> str:
    buffer = io.BytesIO()
    Image.fromarray(mask.astype(np.uint8) * 255).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode("ascii")
