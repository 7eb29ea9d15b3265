"""The classic OCR scores once more, line by line from the protocol, without thought of speed."""

from __future__ import annotations

import unicodedata
from typing import Any

Box = dict[str, Any]


def plain(text: str) -> str:
    result = ""
    for character in unicodedata.normalize("NFKC", text).lower():
        if character.isalnum():
            result += character
    return result


def edits(a: str, b: str) -> int:
    table = [
        [max(i, j) if min(i, j) == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)
    ]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i][j] = min(
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (0 if a[i - 1] == b[j - 1] else 1),
            )
    return table[-1][-1]


def alike(a: str, b: str) -> float:
    return 1 - edits(a, b) / (max(len(a), len(b)) + 0.00001)


def box(item: Any) -> Box:
    xs, ys = [point[0] for point in item[0]], [point[1] for point in item[0]]
    return {"text": item[1], "x0": min(xs), "x1": max(xs), "y0": min(ys), "y1": max(ys)}


def centre(b: Box) -> float:
    return (b["y0"] + b["y1"]) / 2


def into_lines(boxes: list[Box]) -> list[list[Box]]:
    lines: list[list[Box]] = []
    previous: Box | None = None
    for b in sorted(boxes, key=centre):
        if previous is not None and abs(centre(b) - centre(previous)) < 10:
            lines[-1].append(b)
        else:
            lines.append([b])
        previous = b
    return [sorted(line, key=lambda b: b["x0"]) for line in lines]


def read(line: list[Box]) -> str:
    return plain("".join(b["text"] for b in line))


def iou(a: Box, b: Box) -> float:
    shared = max(0, min(a["x1"], b["x1"]) - max(a["x0"], b["x0"])) * max(
        0, min(a["y1"], b["y1"]) - max(a["y0"], b["y0"])
    )
    areas = [(c["x1"] - c["x0"]) * (c["y1"] - c["y0"]) for c in (a, b)]
    together = sum(areas) - shared
    return shared / together if together > 0 else 0.0


def scores(original: Any, edited: Any, source_text: str, target_text: str) -> dict[str, float]:
    nothing = {"OA": 0.0, "OP": 0.0, "OR": 0.0, "F1": 0.0, "NED": 0.0}
    before, after = [box(i) for i in original], [box(i) for i in edited]
    source, target = plain(source_text), plain(target_text)
    lines = into_lines(before)
    likeness = [1.0 if source in read(line) else alike(source, read(line)) for line in lines]
    if not before or not after or max(likeness) < 0.5:
        return nothing
    chosen = likeness.index(max(likeness))
    edit = lines[chosen]
    region = {
        "x0": min(b["x0"] for b in edit),
        "x1": max(b["x1"] for b in edit),
        "y0": min(b["y0"] for b in edit),
        "y1": max(b["y1"] for b in edit),
    }

    def inside(b: Box) -> bool:
        x, y = (b["x0"] + b["x1"]) / 2, centre(b)
        return iou(b, region) > 0.5 or (
            region["x0"] <= x <= region["x1"] and region["y0"] <= y <= region["y1"]
        )

    candidates = [plain(b["text"]) for b in after if inside(b)]
    candidates += [read(line) for line in into_lines([b for b in after if inside(b)])]
    accuracy = max([alike(target, text) for text in candidates], default=0.0)
    page = plain("".join(b["text"] for b in after))
    if source in page and target not in page:
        accuracy *= 0.2

    wanted = [read(line) for number, line in enumerate(lines) if number != chosen]
    free = [read(line) for line in into_lines([b for b in after if not inside(b)])]
    number_of_lines = len(free)
    total = 0.0
    for text in wanted:
        values = [alike(text, other) for other in free]
        if values and max(values) > 0:
            total += max(values)
            del free[values.index(max(values))]
    unit = 0.5 / len(wanted) if wanted else 0.0
    hits = accuracy * 0.5 + total * unit
    recall, precision = hits / (0.5 + unit * len(wanted)), hits / (0.5 + unit * number_of_lines)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0

    likeness = [alike(source, plain(b["text"])) for b in before]
    ned = 0.0
    if max(likeness) > 0.6:
        place = before[likeness.index(max(likeness))]
        there = sorted([b for b in after if iou(b, place) > 0.3], key=lambda b: b["x0"])
        if there:
            text = read(there)
            ned = alike(target, text)
            if alike(source, text) > 0.9 and alike(source, target) < 0.5:
                ned *= 0.2
    return {"OA": accuracy, "OP": precision, "OR": recall, "F1": f1, "NED": ned}
