"""What a page may send as an answer, checked; and an answer as rows. An answer names outputs by
their place on the page (0, 1, …): which editor stood where only the study knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from editgauge.schema import convert
from editgauge.study.design import Design
from editgauge.study.scales import GRADES, OUTCOMES, rating_row
from editgauge.types import JsonObject, Row
from editgauge.web.log import Item, Refused

SKIPS = ("cannot tell", "pictures do not load", "not suited to me", "other")
"""The reasons for which a sample may be skipped."""
CHECKS: Mapping[str, tuple[str, Any]] = {
    "rank": ("Attention check: please give every output the rank 1.", 1),
    "rate": ("Attention check: please rate every output 1.", 1),
    "grade": ("Attention check: please call every output poor.", "poor"),
    "pairwise": ("Attention check: please choose 'both bad'.", "both_bad"),
}
"""Mode -> what is written in place of the instruction, and the answer that it asks for."""


Nonce = Annotated[str, Meta(min_length=8, max_length=64)]
"""A random word of the page. The same one sent twice is one change."""


class TakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """The request to take the last answer back."""

    nonce: Nonce


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as the page sends it."""

    task: str
    version: int
    nonce: Nonce
    seconds: Annotated[float, Meta(ge=0, lt=10**7)]
    comment: Annotated[str, Meta(max_length=4000)] = ""
    skip: Literal[SKIPS] | None = None  # type: ignore[valid-type]
    answers: JsonObject = {}


def checked(design: Design, kind: str, shown: int, sent: Sent) -> JsonObject:
    """The answer to a task with so many outputs `shown`, with nothing in it that was not asked for.
    Raises `Refused` or `DataError` for what does not fit.
    """
    if sent.skip is not None:
        if kind == "check":
            raise Refused("skip: an attention check is answered")
        return {"comment": sent.comment, "skip": sent.skip}
    names = [question.id for question in design.questions]
    if set(sent.answers) != set(names):
        raise Refused(f"answers: wanted exactly {', '.join(names)}")
    pairwise = design.mode == "pairwise"
    each: Any = Literal[tuple(OUTCOMES if pairwise else GRADES)]
    if design.mode in ("rate", "rank"):
        each = Annotated[int, Meta(ge=1, le=5 if design.mode == "rate" else shown)]
    several = Meta(min_length=shown, max_length=shown)
    shape: Any = each if pairwise else Annotated[list[each], several]
    given = {name: convert(sent.answers[name], shape, name) for name in names}
    answer: JsonObject = {"comment": sent.comment, "answers": given}
    if kind == "check":
        wanted = CHECKS[design.mode][1]
        wanted = wanted if pairwise else [wanted] * shown
        answer["passed"] = all(value == wanted for value in given.values())
    return answer


def rows_of(design: Design, task: Item) -> Iterator[Row]:
    """An answer's rows: a rating for each output and question; none of training and checks."""
    data, answer, editors = task.data, task.data["answer"], task.data["editors"]
    if data["kind"] not in ("sample", "repeat"):
        return
    skip, pairwise = answer.get("skip"), design.mode == "pairwise"
    comment = {"comment": answer["comment"]} if answer.get("comment") else {}
    for question in design.questions:
        said = None if skip else answer["answers"][question.id]
        for slot, editor in enumerate(editors[:1] if pairwise else editors):
            given = said if pairwise or said is None else said[slot]
            yield rating_row(
                benchmark=design.benchmark,
                sample=data["sample"],
                editor=editor,
                question=question.id,
                annotator=task.owner,
                scale=design.mode,
                value=None if given is None else float({**GRADES, **OUTCOMES}.get(given, given)),
                against=editors[1] if pairwise else "",
                repeat=data["repeat"],
                reason=f"skipped: {skip}" if skip else "",
                detail={**comment, "outcome": said} if pairwise and said else comment,
                origin={"study": design.name, "seconds": round(data["seconds"], 3),
                        "at": data["at"], "order": list(editors)},
            )  # fmt: skip
