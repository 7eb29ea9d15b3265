"""The workbench of a data set in the browser: texts, masks, faces, difficulty, review.

Links, keys and headers are those of `editgauge.web`. Every change names the version that the page
has seen; one that came too late is answered 409 with the newest record, and
the page shows both. Two reviewers do not see each other's verdict before they gave their own.
"""

from __future__ import annotations

import base64
import hmac
import io
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES
from editgauge.curation import (
    difficulty,
    masks,
    plots,
    privacy,
    readiness,
    records,
    refining,
    review,
)
from editgauge.curation.conventions import ASKED, READ
from editgauge.curation.dataset import Conflict, DataSet
from editgauge.curation.people import is_expert
from editgauge.curation.statistics import statistics
from editgauge.errors import (
    EditgaugeError,
    ImageError,
)
from editgauge.images import Array, Mask, read_file, read_mask
from editgauge.reports.figures import svg
from editgauge.web.log import Act, Log, Person
from editgauge.web.pages import PICTURE_CACHE, Refused, application, refusal
from editgauge.web.people import MOST_BYTES, key_of, person

EDITABLE = frozenset(
    {*records.TEXTS, "split", "category", "protocol", "attributes", "source", "paraphrases"}
)
"""Fields that the page may set; the others have a way of their own."""
_NONCE = re.compile(r"[A-Za-z0-9]{8,64}")


class Workbench:
    """The handlers of one data set; each is called in a thread, with who asks and what."""

    def __init__(
        self, data: DataSet, log: Log, *, ocr: str = "none", weights: Path | None = None
    ) -> None:
        self.data, self.log, self.ocr, self.weights = data, log, ocr, weights
        self._networks = masks.networks_here(weights)
        self._engine: Any = None
        self._drawn: dict[str, str] = {}

    def application(self, hosts: Sequence[str] = ()) -> Starlette:
        """The application of the data set."""
        posts: Mapping[str, Callable[[Person, Any], Any]] = {
            "change": self._change,
            "review": self._review,
            "comment": self._comment,
            "hide": self._hide,
            "mask": self._mask,
            "propose": self._propose,
            "rate": self._rate,
            "decide": self._decide,
        }
        routes = [
            Route("/api/set", person(self._set)),
            Route("/api/stats", person(self._stats)),
            Route("/api/sample/{sample}", person(self._sample)),
            Route("/figure/{name}.svg", person(self.figure)),
            Route("/picture/{mac}/{path:path}", person(self.picture)),
        ]
        for name, act in posts.items():
            handler = person(self._or_newest(act), posts=True)
            routes.append(Route(f"/api/{name}", handler, methods=["POST"]))
        return application(self.log, routes, package="editgauge.curation", hosts=hosts)

    def _or_newest(self, act: Callable[[Person, Any], Any]) -> Callable[[Person, Any], Any]:
        """`act`, or the newest record where somebody was faster."""

        def acted(who: Person, sent: Any) -> Any:
            try:
                return act(who, sent)
            except Conflict as late:
                return refusal(409, str(late), newest=self._told(late.record, who))

        return acted

    # -- getting -----------------------------------------------------------------------------------

    def _set(self, who: Person, request: Request) -> dict[str, Any]:
        del request
        every = self.data.records()
        return {
            "name": self.data.about.title or self.data.about.name,
            "who": who.name,
            "expert": is_expert(who),
            "key": key_of(self.log, who),
            "protocol": self.data.about.protocol,
            "fields": {name: [*ASKED[name], *READ[name]] for name in records.PROTOCOLS},
            "masks": list(records.MASKS),
            "attributes": list(ATTRIBUTES),
            "yes_no": sorted(difficulty.YES_NO),
            "ocr": self.ocr not in ("", "none"),
            "networks": list(self._networks),
            "queue": review.queue(every, who.name, self.data.about.policy),
            "samples": [
                {
                    "id": record["id"],
                    "state": record.get("state", "draft"),
                    "category": "/".join(record.get("category") or []),
                    "look": len(privacy.unseen(record)),
                    "reviewed": who.name in review.current(record),
                }
                for record in every
            ],
        }

    def _sample(self, who: Person, request: Request) -> dict[str, Any]:
        return self._told(self.data.record(request.path_params["sample"]), who)

    def _stats(self, who: Person, request: Request) -> dict[str, Any]:
        del who, request
        told = statistics(self.data)
        found = plots.figures(told)
        self._drawn = {figure.name: svg(figure) for figure in found}
        return {**told, "figures": plots.shown(found)}

    def figure(self, who: Person, request: Request) -> Response:
        """A figure of the statistics as they were last asked for."""
        del who
        drawn = self._drawn.get(request.path_params["name"])
        if drawn is None:
            return refusal(404, "not here; open the statistics again")
        return Response(drawn, media_type="image/svg+xml")

    def _told(self, record: dict[str, Any], who: Person) -> dict[str, Any]:
        """A sample as the page needs it; of others' reviews and ratings what this person may
        see.
        """
        named = {path: self._url(path) for path in records.pictures_of(record)}
        mine = (record.get("ratings") or {}).get(who.name, {})
        hidden = ("reviews", "ratings", "proposed")
        shown = {k: v for k, v in record.items() if k not in hidden}
        try:
            told = {**difficulty.hints(self.data, record), **difficulty.computed(self.data, record)}
        except EditgaugeError:  # a picture that is gone: the faults below name it
            told = {}
        return {
            "record": shown,
            "urls": named,
            "reviews": review.seen_by(record, who.name),
            "lacking": self._lacking(record, who),
            "faults": self._faults(record, who),
            "difficulty": {"computed": list(difficulty.COMPUTED), "proposed": told, "mine": mine},
            "proposals": {
                path: privacy.open_proposals(about)
                for path, about in (record.get("pictures") or {}).items()
            },
            "unseen": privacy.unseen(record),
            "proposed": refining.proposals(record),
        }

    def _faults(self, record: Mapping[str, Any], who: Person) -> list[str]:
        """What keeps the sample from leaving, but for what others' verdicts are."""
        hidden = set(review.lacking(record, self.data.about.policy))
        hidden -= set(self._lacking(record, who))
        found = [fault.why for fault in readiness.faults(self.data, [record])]
        return [why for why in found if why not in hidden]

    def _lacking(self, record: Mapping[str, Any], who: Person) -> list[str]:
        """What is missing before the sample is verified, for who has given a verdict: it says what
        others decided.
        """
        if who.name not in review.current(record):
            return []
        return review.lacking(record, self.data.about.policy)

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

    def _change(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, version, nonce = _about(sent)
        fields = sent.get("fields")
        if not isinstance(fields, dict) or set(fields) - EDITABLE:
            raise Refused(f"fields: wanted some of {', '.join(sorted(EDITABLE))}")
        cleaned = {name: value or None for name, value in fields.items()}
        made = self.data.change(sample, version, cleaned, Act(who.name, nonce=nonce))
        return self._told(made, who)

    def _review(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, version, nonce = _about(sent)
        made = review.review(
            self.data, sample, version, str(sent.get("verdict")), who.name,
            comment=_text(sent, "comment"), expert=is_expert(who), nonce=nonce,
        )  # fmt: skip
        return self._told(made, who)

    def _comment(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, _, nonce = _about(sent)
        text = _text(sent, "text")
        return self._told(review.comment(self.data, sample, text, who.name, nonce=nonce), who)

    def _hide(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, version, nonce = _about(sent)
        boxes = sent.get("boxes")
        if not isinstance(boxes, list) or not all(isinstance(box, dict) for box in boxes):
            raise Refused("boxes: wanted a list of objects")
        path = _text(sent, "path")
        made = privacy.hide(self.data, sample, version, path, boxes, who.name, nonce=nonce)
        return self._told(made, who)

    def _mask(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, version, nonce = _about(sent)
        name = sent.get("name")
        if name not in records.MASKS:
            raise Refused(f"name: wanted one of {', '.join(records.MASKS)}")
        mask = _mask_of(_text(sent, "png", most=MOST_BYTES))
        made = masks.save(
            self.data, sample, version, str(name), mask, who.name, nonce=nonce,
            note=_text(sent, "note")[:200],
        )  # fmt: skip
        return self._told(made, who)

    def _propose(self, who: Person, sent: Mapping[str, Any]) -> Any:
        del who
        record = self.data.record(_text(sent, "sample"))
        how, box = _text(sent, "how"), sent.get("box") or []
        if not isinstance(box, list):
            raise Refused("box: wanted four numbers")
        if how == "text" and self._engine is None:
            self._engine = privacy.engine_of(self.ocr)
        found = masks.propose(
            self.data, record, how, box=box, engine=self._engine, weights=self.weights
        )
        return {
            "proposals": [
                {
                    "png": _png(one.mask.astype(np.uint8) * 255),
                    "share": float(one.mask.mean()),
                    "score": one.score,
                }
                for one in found
            ]
        }

    def _rate(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, _, nonce = _about(sent)
        values = sent.get("values")
        if not isinstance(values, dict):
            raise Refused("values: wanted an object")
        made = difficulty.rate(self.data, sample, values, who.name, nonce=nonce)
        return self._told(made, who)

    def _decide(self, who: Person, sent: Mapping[str, Any]) -> Any:
        sample, version, nonce = _about(sent)
        take = sent.get("take")
        if not isinstance(take, bool):
            raise Refused("take: wanted true or false")
        made = refining.decide(
            self.data, sample, version, _text(sent, "field"), take, who.name, nonce=nonce
        )
        return self._told(made, who)


def _about(sent: Mapping[str, Any]) -> tuple[str, int, str]:
    """Sample, version and nonce of a change. Raises `Refused`."""
    sample, version, nonce = (sent.get(name) for name in ("sample", "version", "nonce"))
    if not isinstance(sample, str):
        raise Refused("sample: wanted its id")
    if type(version) is not int or version < 1:
        raise Refused("version: wanted that of the sample")
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise Refused("nonce: wanted 8 to 64 letters or digits")
    return sample, version, nonce


def _text(sent: Mapping[str, Any], name: str, *, most: int = 4000) -> str:
    text = sent.get(name, "")
    if not isinstance(text, str) or len(text) > most:
        raise Refused(f"{name}: wanted a text of at most {most:,} characters")
    return text


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


def _png(pixels: Array) -> str:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode("ascii")
