"""The workbench of a data set in the browser: texts, masks, faces, difficulty, review.

Links, keys and headers are those of `editgauge.web`. Every change names the version that the page
has seen; one that came too late is answered 409 with the newest record, and the page shows both.
Two reviewers do not see each other's verdict before they gave their own.
"""

from __future__ import annotations

import base64
import hmac
import io
import tempfile
from collections.abc import Callable, Mapping, Sequence
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
from editgauge.curation import masks, privacy, readiness, records, review
from editgauge.curation.conventions import ASKED, READ
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import MaskName, Record
from editgauge.errors import EditgaugeError, ImageError
from editgauge.images import Array, Mask, read_file, read_mask
from editgauge.web.log import Act, Conflict, Person, Refused
from editgauge.web.pages import PICTURE_CACHE, application, refusal
from editgauge.web.people import MOST_BYTES, key_of, person

Editable = Literal[
    "instruction", "source_text", "target_text", "caption", "knowledge", "change", "concept",
    "rephrased", "split", "category", "protocol", "attributes", "source", "state",
]  # fmt: skip
"""Fields that the page may set; the others have a way of their own."""
Words = Annotated[str, Meta(max_length=4000)]


class Sent(Struct, forbid_unknown_fields=True, kw_only=True):
    """What every change from the page names."""

    sample: str
    version: Annotated[int, Meta(ge=1)]
    nonce: Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{8,64}$")]


class Change(Sent, kw_only=True):
    fields: dict[Editable, Any]


class Verdict(Sent, kw_only=True):
    verdict: records.Verdict
    comment: Words = ""


class Hide(Sent, kw_only=True):
    path: Words
    boxes: list[records.Box]


class Drawn(Sent, kw_only=True):
    name: MaskName
    png: Annotated[str, Meta(max_length=MOST_BYTES)]
    note: Annotated[str, Meta(max_length=200)] = ""


class Propose(Sent, kw_only=True):
    how: Words
    box: list[int] = []


class Workbench:
    """The handlers of one data set; each is called in a thread, with who asks and what."""

    def __init__(self, data: DataSet, *, ocr: str = "none") -> None:
        self.data, self.log, self.ocr = data, data.log, ocr
        self._networks = masks.networks_here()
        self._engine: Any = None

    def application(self, hosts: Sequence[str] = ()) -> Starlette:
        """The application of the data set; `hosts` as `web.pages.application` has them."""
        posts: Mapping[str, tuple[type[Sent], Callable[[Person, Any], Any]]] = {
            "change": (Change, self._change),
            "review": (Verdict, self._review),
            "hide": (Hide, self._hide),
            "mask": (Drawn, self._mask),
            "propose": (Propose, self._propose),
        }
        routes = [
            Route("/api/set", person(self._set)),
            Route("/api/sample/{sample}", person(self._sample)),
            Route("/picture/{mac}/{path:path}", person(self.picture, slow=True)),
        ]
        for name, (shape, act) in posts.items():
            handler = person(self._posted(shape, act), posts=True)
            routes.append(Route(f"/api/{name}", handler, methods=["POST"]))
        return application(self.log, routes, package="editgauge.curation", hosts=hosts)

    def _posted(
        self, shape: type[Sent], act: Callable[[Person, Any], Any]
    ) -> Callable[[Person, Any], Any]:
        """`act` with what was sent, and the sample as it is then; the newest where somebody was
        faster.
        """

        def acted(who: Person, sent: Any) -> Any:
            try:
                made = act(who, schema.convert(sent, shape, "what was sent"))
                return self._told(made, who) if isinstance(made, Record) else made
            except Conflict as late:
                newest = self._told(self.data.record(late.newest.id), who)
                return refusal(409, f"Somebody was faster. {late}", newest=newest)

        return acted

    # -- getting -----------------------------------------------------------------------------------

    def _set(self, who: Person, request: Request) -> dict[str, Any]:
        del request
        every = self.data.records()
        return {
            "name": self.data.about.title or self.data.about.name,
            "who": who.name,
            "expert": review.is_expert(who),
            "key": key_of(self.log, who),
            "protocol": self.data.about.protocol,
            "fields": {name: [*ASKED[name], *READ[name]] for name in records.PROTOCOLS},
            "masks": list(records.MASKS),
            "ocr": self.ocr not in ("", "none"),
            "networks": list(self._networks),
            "queue": review.queue(every, who.name, self.data.about.policy),
            "samples": [
                {
                    "id": record.id,
                    "state": record.state,
                    "category": "/".join(record.category),
                    "look": len(privacy.unseen(record)),
                    "reviewed": who.name in review.current(record),
                }
                for record in every
            ],
        }

    def _sample(self, who: Person, request: Request) -> dict[str, Any]:
        return self._told(self.data.record(request.path_params["sample"]), who)

    def _told(self, record: Record, who: Person) -> dict[str, Any]:
        """A sample as the page needs it; of others' reviews what this person may see."""
        shown = {k: v for k, v in record.data().items() if k != "reviews"}
        pictures = {path: record.facts(path) for path in record.shown}
        return {
            "record": {"state": record.state, **shown, "version": record.version},
            "urls": {path: self._url(path) for path in record.files},
            "reviews": msgspec.to_builtins(review.seen_by(record, who.name)),
            "lacking": self._lacking(record, who),
            "faults": self._faults(record, who),
            "proposals": msgspec.to_builtins(
                {path: privacy.open_proposals(about) for path, about in pictures.items()}
            ),
            "unseen": privacy.unseen(record),
        }

    def _faults(self, record: Record, who: Person) -> list[str]:
        """What keeps the sample from leaving, but for what others' verdicts are."""
        hidden = set(review.lacking(record, self.data.about.policy))
        hidden -= set(self._lacking(record, who))
        found = [fault.why for fault in readiness.faults(self.data, [record])]
        return [why for why in found if why not in hidden]

    def _lacking(self, record: Record, who: Person) -> list[str]:
        """What is missing before the sample is verified, for who has given a verdict: it says what
        others decided.
        """
        voted = who.name in review.current(record)
        return review.lacking(record, self.data.about.policy) if voted else []

    def _url(self, path: str) -> str:
        return f"/picture/{self.log.mac('picture', path)}/{path}"

    def picture(self, who: Person, request: Request) -> Response:
        """A picture of the set, at an address that only this set can make."""
        del who
        path = request.path_params["path"]
        address = self.log.mac("picture", path)
        if not hmac.compare_digest(address.encode(), request.path_params["mac"].encode()):
            return refusal(404, "not here")
        try:
            data = read_file(self.data.path(path))
        except (EditgaugeError, OSError):
            return refusal(404, "this picture is not there (any more)")
        return Response(data, media_type="image/png", headers=PICTURE_CACHE)

    # -- posting -----------------------------------------------------------------------------------

    def _change(self, who: Person, sent: Change) -> Record:
        fields: dict[str, Any] = {name: value or None for name, value in sent.fields.items()}
        if fields.get("state", "draft") not in ("draft", "withdrawn"):
            raise Refused("state: wanted draft or withdrawn; reviews give the others")
        return self.data.change(sent.sample, sent.version, fields, Act(who.name, nonce=sent.nonce))

    def _review(self, who: Person, sent: Verdict) -> Record:
        return review.review(
            self.data, sent.sample, sent.version, sent.verdict, who.name, comment=sent.comment,
            expert=review.is_expert(who), nonce=sent.nonce,
        )  # fmt: skip

    def _hide(self, who: Person, sent: Hide) -> Record:
        return privacy.hide(
            self.data, sent.sample, sent.version, sent.path, sent.boxes, who.name, nonce=sent.nonce
        )

    def _mask(self, who: Person, sent: Drawn) -> Record:
        return masks.save(
            self.data, sent.sample, sent.version, sent.name, _mask_of(sent.png), who.name,
            nonce=sent.nonce, note=sent.note,
        )  # fmt: skip

    def _propose(self, who: Person, sent: Propose) -> dict[str, Any]:
        del who
        record = self.data.record(sent.sample)
        if sent.how == "text" and self._engine is None:
            self._engine = privacy.engine_of(self.ocr)
        found = masks.propose(self.data, record, sent.how, box=sent.box, engine=self._engine)
        return {
            "proposals": [
                {"png": _png(one.mask), "share": float(one.mask.mean()), "score": one.score}
                for one in found
            ]
        }


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
    pixels: Array = mask.astype(np.uint8) * 255
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode("ascii")
