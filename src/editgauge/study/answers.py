"""What a page may send as an answer, checked; and an answer as rows.

An answer names outputs by their place on the page (0, 1, …), never by an editor: which editor stood
where only the study knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from editgauge.errors import DataError
from editgauge.schema import convert
from editgauge.store.schema import digest
from editgauge.study.design import Design
from editgauge.study.pictures import Pictures
from editgauge.study.ratings import REGIONS, REGIONS_METRIC
from editgauge.study.scales import GRADES, OUTCOMES, Rating
from editgauge.tables.results import PEOPLE
from editgauge.types import Row, Status
from editgauge.web.log import Item
from editgauge.web.pages import Refused

SKIPS = ("cannot tell", "pictures do not load", "not suited to me", "other")
"""The reasons for which a sample may be skipped."""
CHECK_TEXT = {
    "rank": "Attention check: please give every output the rank 1.",
    "rate": "Attention check: please rate every output 1.",
    "grade": "Attention check: please call every output poor.",
    "pairwise": "Attention check: please choose 'both bad'.",
}
"""Mode -> what is written in place of the instruction."""
_ASKED_BY_CHECK: Mapping[str, Any] = {"rank": 1, "rate": 1, "grade": "poor"}
Share = Annotated[float, Meta(ge=0, le=1)]


class Region(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A box (left, top, right, bottom) in fractions of the common frame, and its label."""

    slot: Annotated[int, Meta(ge=0)]
    label: str
    box: tuple[Share, Share, Share, Share]


class Sent(msgspec.Struct, frozen=True):
    """What an answer holds beside its task, nonce and seconds."""

    comment: Annotated[str, Meta(max_length=4000)] = ""
    skip: str | None = None
    answers: dict[str, Any] = {}
    regions: Annotated[list[Region], Meta(max_length=50)] = []


def checked(design: Design, kind: str, shown: int, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The answer with nothing in it that was not asked for.

    `shown`: how many outputs the task has. Raises `Refused` for what does not fit.
    """
    try:
        sent = convert(payload, Sent, "answer")
        answer: dict[str, Any] = {"comment": sent.comment}
        if sent.skip is not None:
            if sent.skip not in SKIPS or kind == "check":
                raise Refused(f"skip: wanted one of {', '.join(SKIPS)}")
            return {**answer, "skip": sent.skip}
        names = [question.id for question in design.questions]
        if set(sent.answers) != set(names):
            raise Refused(f"answers: wanted exactly {', '.join(names)}")
        shape = _shape(design, shown)
        answer["answers"] = {name: convert(sent.answers[name], shape, name) for name in names}
    except DataError as error:
        raise Refused(str(error)) from error
    answer["regions"] = _regions(design, shown, sent.regions)
    if kind == "check":
        answer["passed"] = all(
            value == _asked_by_check(design, shown) for value in answer["answers"].values()
        )
    return answer


def _shape(design: Design, shown: int) -> Any:
    """The type of an answer to one question."""
    if design.mode == "pairwise":
        return Literal[tuple(OUTCOMES)]
    each: Any = Literal[tuple(GRADES)]
    if design.mode != "grade":
        each = Annotated[int, Meta(ge=1, le=5 if design.mode == "rate" else shown)]
    return Annotated[list[each], Meta(min_length=shown, max_length=shown)]


def _asked_by_check(design: Design, shown: int) -> Any:
    """What an attention check asks for."""
    if design.mode == "pairwise":
        return "both_bad"
    return [_ASKED_BY_CHECK[design.mode]] * shown


def _regions(design: Design, shown: int, regions: Sequence[Region]) -> list[dict[str, Any]]:
    for region in regions:
        left, top, right, bottom = region.box
        if region.slot >= shown or region.label not in design.labels:
            raise Refused("regions: wanted an output that is shown and a label of the study")
        if not (left < right and top < bottom):
            raise Refused("regions: wanted left < right and top < bottom")
    return [msgspec.to_builtins(region) for region in regions]


# -- rows ------------------------------------------------------------------------------------------


def rows_of(design: Design, task: Item, pictures: Pictures | None = None) -> Iterator[Row]:
    """An answered task as rows: a rating for each output and question, and the marked regions of
    each output. Training and attention checks give none.
    """
    if task.data["kind"] not in ("sample", "repeat"):
        return
    for question in design.questions:
        for rating in _ratings(design, task, question.id):
            yield rating.row()
    if pictures is not None and task.data["kind"] == "sample":
        yield from _region_rows(design, task, pictures)


def _ratings(design: Design, task: Item, question: str) -> Iterator[Rating]:
    answer, editors = task.data["answer"], task.data["editors"]
    skip = answer.get("skip")
    value = None if skip else answer["answers"][question]
    detail: dict[str, Any] = {"comment": answer["comment"]} if answer.get("comment") else {}
    if design.time_limit and task.data["seconds"] > design.time_limit:
        detail["late"] = True
    pairwise = design.mode == "pairwise"
    if pairwise and value is not None:
        detail["outcome"] = value
    for slot, editor in enumerate(editors[:1] if pairwise else editors):
        yield Rating(
            benchmark=design.benchmark,
            sample=task.data["sample"],
            editor=editor,
            question=question,
            annotator=task.owner,
            scale=design.mode,
            value=None if value is None else _number(design, value, slot),
            against=editors[1] if pairwise else "",
            repeat=task.data["repeat"],
            reason=f"skipped: {skip}" if skip else "",
            detail=detail,
            origin={
                "study": design.name,
                "seconds": round(task.data["seconds"], 3),
                "at": task.data["at"],
                "order": list(editors),
            },
        )


def _number(design: Design, value: Any, slot: int) -> float:
    """The stored value of an answer (`study.scales`)."""
    if design.mode == "pairwise":
        return OUTCOMES[value]
    return GRADES[value[slot]] if design.mode == "grade" else float(value[slot])


def _region_rows(design: Design, task: Item, pictures: Pictures) -> Iterator[Row]:
    marked: dict[int, list[Mapping[str, Any]]] = {}
    for region in task.data["answer"].get("regions", ()):
        marked.setdefault(region["slot"], []).append(region)
    sample, source = task.data["sample"], PEOPLE + task.owner
    for slot, regions in marked.items():
        editor = task.data["editors"][slot]
        boxes = boxes_on_output(regions, pictures, sample, editor)
        if not boxes:
            continue
        detail = {"boxes": {"output": boxes}}
        yield Row(
            benchmark=design.benchmark,
            sample=sample,
            editor=editor,
            scorer=REGIONS,
            metric=REGIONS_METRIC,
            variant="faithful",
            value=float(len(boxes)),
            status=Status.SCORED,
            reason="",
            fingerprint=digest(design.benchmark, sample, editor, source, detail),
            source=source,
            repeat=0,
            detail=detail,
            origin={"study": design.name},
        )


def boxes_on_output(
    regions: Sequence[Mapping[str, Any]], pictures: Pictures, sample: str, editor: str
) -> list[list[Any]]:
    """Boxes of the common frame as ``[x0, y0, x1, y1, label]`` in the output's own pixels; what
    lies in its grey bars is cut off.
    """
    place = pictures.frame(sample, editor)
    width, height = pictures.size(sample)
    boxes = []
    for region in regions:
        x0, y0, x1, y1 = region["box"]
        xs = [_on_output(x * width, place.left, place.width, place.own_width) for x in (x0, x1)]
        ys = [_on_output(y * height, place.top, place.height, place.own_height) for y in (y0, y1)]
        if xs[0] < xs[1] and ys[0] < ys[1]:
            boxes.append([xs[0], ys[0], xs[1], ys[1], region["label"]])
    return boxes


def _on_output(at: float, start: int, size: int, own: int) -> float:
    return round(min(max((at - start) / size, 0.0), 1.0) * own, 2)
