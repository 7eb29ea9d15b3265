"""What a page may send as an answer, checked; and an answer as rows.

An answer names outputs by their place on the page (0, 1, …), never by an editor: which editor stood
where only the study knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editgauge.store.run_folder import digest
from editgauge.study.design import Design
from editgauge.study.pictures import Pictures
from editgauge.study.ratings import REGIONS, REGIONS_METRIC
from editgauge.study.scales import GRADES, OUTCOMES, Rating
from editgauge.study.store import Answer
from editgauge.tables.frame import PEOPLE
from editgauge.types import Row, Status

MOST_TEXT = 4000
MOST_REGIONS = 50
SKIPS = ("cannot tell", "pictures do not load", "not suited to me", "other")
"""The reasons for which a sample may be skipped."""


class Refused(ValueError):
    """An answer that does not fit its task, in words for whoever wrote the page."""


def checked(design: Design, kind: str, shown: int, payload: Any) -> dict[str, Any]:
    """The answer with nothing in it that was not asked for.

    `shown`: how many outputs the task has. Raises `Refused` for what does not fit.
    """
    if not isinstance(payload, dict):
        raise Refused("wanted an object")
    out: dict[str, Any] = {"comment": _text(payload.get("comment", ""))}
    skip = payload.get("skip")
    if skip is not None:
        if skip not in SKIPS or kind == "check":
            raise Refused(f"skip: wanted one of {', '.join(SKIPS)}")
        return {**out, "skip": skip}
    given = payload.get("answers")
    wanted = {question.id for question in design.questions}
    if not isinstance(given, dict) or set(given) != wanted:
        raise Refused(f"answers: wanted exactly {', '.join(sorted(wanted))}")
    out["answers"] = {name: _values(design, shown, given[name]) for name in sorted(wanted)}
    out["regions"] = _regions(design, shown, payload.get("regions", []))
    if kind == "check":
        out["passed"] = all(
            value == check_answer(design, shown) for value in out["answers"].values()
        )
    return out


def check_answer(design: Design, shown: int) -> Any:
    """What an attention check asks for."""
    if design.mode == "pairwise":
        return "both_bad"
    word: Any = {"rank": 1, "rate": 1, "grade": "poor"}[design.mode]
    return [word] * shown


CHECK_TEXT = {
    "rank": "Attention check: please give every output the rank 1.",
    "rate": "Attention check: please rate every output 1.",
    "grade": "Attention check: please call every output poor.",
    "pairwise": "Attention check: please choose 'both bad'.",
}
"""Mode -> what is written in place of the instruction."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise Refused(f"comment: wanted a text of at most {MOST_TEXT} letters")
    return value


def _values(design: Design, shown: int, value: Any) -> Any:
    if design.mode == "pairwise":
        if value not in OUTCOMES:
            raise Refused(f"wanted one of {', '.join(OUTCOMES)}")
        return value
    if not isinstance(value, list) or len(value) != shown:
        raise Refused(f"wanted a list of {shown} values")
    if design.mode == "grade":
        good = all(isinstance(item, str) and item in GRADES for item in value)
        wanted = ", ".join(GRADES)
    else:
        most = 5 if design.mode == "rate" else shown
        good = all(type(item) is int and 1 <= item <= most for item in value)
        wanted = f"whole numbers from 1 to {most}"
    if not good:
        raise Refused(f"wanted {wanted}")
    return value


def _regions(design: Design, shown: int, value: Any) -> list[dict[str, Any]]:
    """Boxes in fractions of the frame, each with its output and a label of the design."""
    if not isinstance(value, list) or len(value) > MOST_REGIONS:
        raise Refused(f"regions: wanted a list of at most {MOST_REGIONS}")
    found = []
    for item in value:
        slot, label = (item.get("slot"), item.get("label")) if isinstance(item, dict) else (0, 0)
        box = item.get("box") if isinstance(item, dict) else None
        good = type(slot) is int and 0 <= slot < shown and label in design.labels
        if not good or not isinstance(box, list) or len(box) != 4:
            raise Refused("regions: wanted slot, box and a label of the study")
        if not all(isinstance(end, int | float) and 0 <= end <= 1 for end in box):
            raise Refused("regions: wanted boxes in fractions of the picture")
        if not (box[0] < box[2] and box[1] < box[3]):
            raise Refused("regions: wanted left < right and top < bottom")
        found.append({"slot": slot, "label": label, "box": [float(end) for end in box]})
    return found


# -- rows ------------------------------------------------------------------------------------------


def rows_of(design: Design, answer: Answer, pictures: Pictures | None = None) -> Iterator[Row]:
    """An answer as rows: a rating for each output and question, and the marked regions of each
    output. Training and attention checks give none.
    """
    if answer.task.kind not in ("sample", "repeat"):
        return
    for question in design.questions:
        for rating in _ratings(design, answer, question.id):
            yield rating.row()
    if pictures is not None and answer.task.kind == "sample":
        yield from _region_rows(design, answer, pictures)


def _ratings(design: Design, answer: Answer, question: str) -> Iterator[Rating]:
    payload, editors = answer.payload, answer.task.editors
    skip = payload.get("skip")
    given = None if skip else payload["answers"][question]
    detail: dict[str, Any] = {"comment": payload["comment"]} if payload.get("comment") else {}
    if design.time_limit and answer.seconds > design.time_limit:
        detail["late"] = True
    origin = {
        "study": design.name,
        "seconds": round(answer.seconds, 3),
        "at": answer.at,
        "order": list(editors),
    }
    pairwise = design.mode == "pairwise"
    for slot, editor in enumerate(editors[:1] if pairwise else editors):
        value: float | None = None
        if pairwise:
            detail = {**detail, "outcome": given} if given else detail
            value = None if given is None else OUTCOMES[given]
        elif given is not None:
            value = GRADES[given[slot]] if design.mode == "grade" else float(given[slot])
        yield Rating(
            benchmark=design.benchmark,
            sample=answer.task.sample,
            editor=editor,
            question=question,
            annotator=answer.pseudonym,
            scale=design.mode,
            value=value,
            against=editors[1] if pairwise else "",
            repeat=answer.task.repeat,
            reason=f"skipped: {skip}" if skip else "",
            detail=detail,
            origin=origin,
        )


def _region_rows(design: Design, answer: Answer, pictures: Pictures) -> Iterator[Row]:
    marked: dict[int, list[Mapping[str, Any]]] = {}
    for region in answer.payload.get("regions", ()):
        marked.setdefault(region["slot"], []).append(region)
    for slot, regions in marked.items():
        editor = answer.task.editors[slot]
        boxes = own_boxes(regions, pictures, answer.task.sample, editor)
        if not boxes:
            continue
        source = PEOPLE + answer.pseudonym
        detail = {"boxes": {"output": boxes}}
        yield Row(
            benchmark=design.benchmark,
            sample=answer.task.sample,
            editor=editor,
            scorer=REGIONS,
            metric=REGIONS_METRIC,
            variant="faithful",
            value=float(len(boxes)),
            status=Status.SCORED,
            reason="",
            fingerprint=digest(design.benchmark, answer.task.sample, editor, source, detail),
            source=source,
            repeat=0,
            detail=detail,
            origin={"study": design.name},
        )


def own_boxes(
    regions: Sequence[Mapping[str, Any]], pictures: Pictures, sample: str, editor: str
) -> list[list[Any]]:
    """Boxes of the common frame as ``[x0, y0, x1, y1, label]`` in the output's own pixels; what
    lies in its grey bars is cut off.
    """
    place = pictures.frame(sample, editor)
    width, height = pictures.size(sample)
    found = []
    for region in regions:
        x0, y0, x1, y1 = region["box"]
        xs = [_own(x * width, place.left, place.width, place.own_width) for x in (x0, x1)]
        ys = [_own(y * height, place.top, place.height, place.own_height) for y in (y0, y1)]
        if xs[0] < xs[1] and ys[0] < ys[1]:
            found.append([xs[0], ys[0], xs[1], ys[1], region["label"]])
    return found


def _own(at: float, start: int, size: int, own: int) -> float:
    return round(min(max((at - start) / size, 0.0), 1.0) * own, 2)
