"""Verdicts in a form instead of words, put into lines ``NAME: 4``: stars, ticked boxes, tables of
HTML and CSV, elements and attributes of XML, formulas, lists of names beside lists of numbers.

A form that can be read in two ways stays as it is, and is flagged with the rest. Every pattern looks
at a bounded stretch, so that the time is linear in the text.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
import unicodedata
from collections.abc import Mapping

from editgauge.judging.lexicon import OTHER_TAG, SCORE
from editgauge.judging.names import field_called
from editgauge.judging.wording import HANDS_IN

Ranges = Mapping[str, tuple[int, int]]
_I = re.IGNORECASE
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")
_TEN = re.compile("\U0001f51f")
_STYLED = re.compile(
    "[\U0001d400-\U0001d7ff\uff08\uff09\uff0b\uff0f\uff10-\uff19\uff1d\uff21-\uff3a\uff41-\uff5a]"
)
_FULL = "★⭐🌟✭✮✯●⬤⚫■█▓▮◼⬛🟩🟦🟨🟧🟥🟢🟡🟠🔵🔴✦♥❤💙✅"
_EMPTY = "☆✩✰○◯⚪□░▒▯◻⬜◇✧♡🤍🖤▱╌"
_BAR = re.compile(
    rf"[\[(]?(?P<full>(?:[{_FULL}]\ufe0f?\s?){{1,12}})(?P<empty>(?:[{_EMPTY}]\ufe0f?\s?){{0,12}})[\])]?"
    r"(?P<told>\s{0,3}[(\[–—-]?\s{0,2}(?P<number>\d{1,2})(?:\.0)?\s?(?:/|of|out of)\s?(?P<top>\d{1,2})(?![\d.])\s?[)\]]?)?"
)
_TICKED = r"(?:\[\s?[xX✓✔●•*]\s?\]|\([xX✓✔●•*]\)|[☑☒✅✔✓◉🔘🗹])"
_UNTICKED = r"(?:\[\s{0,2}\]|\(\s{0,2}\)|[☐◻⬜○◯❏▢])"
_BOX = re.compile(
    rf"(?:(?P<on>{_TICKED})|(?P<off>{_UNTICKED}))\ufe0f?\s{{0,3}}(?P<number>\d{{1,2}})(?![\d./])"
)
_LATEX = (
    (
        re.compile(
            r"\\(?:text|mathrm|mathbf|textbf|mathit|mathsf|operatorname|boxed\{\\text)\{([^{}\n]{0,80})\}"
        ),
        r"\1",
    ),
    (re.compile(r"\\d?frac\{(\d{1,2})\}\{(\d{1,2})\}"), r"\1/\2"),
    (re.compile(r"\\[,;:! ]|\\(?:quad|left|right|displaystyle)\b"), " "),
    (re.compile(r"\\_"), "_"),
    (re.compile(r"\$\$?([^$\n]{1,200})\$\$?"), r"\1"),
)
_CDATA = re.compile(r"<!\[CDATA\[([^\]]{0,5000})\]\]>")
_ELEMENT = re.compile(
    r"<(?P<tag>[A-Za-z_][\w:.-]{0,60})(?P<attributes>(?:\s{1,9}[\w:-]{1,40}\s?=\s?(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}')){1,9})\s{0,9}/?>"
)
_ATTRIBUTE = re.compile(r"([\w:-]{1,40})\s?=\s?[\"']([^\"'<>]{0,300})[\"']")
_REASON_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>rationale|reason|reasoning|explanation|comment|justification|notes?)\b"
    r"[^<>]{0,100}>",
    _I,
)
_SUM = re.compile(
    r"(?P<from>\d{1,2})\s?[−–-]\s?(?P<off>\d{1,2})\s?(?:\([^()\n]{0,80}\)\s?)?=\s?(?P<number>\d{1,2})(?=\s?/|\W|\Z)"
)
_SCORE_KEYS = ("score", "value", "rating", "grade", "points", "mark")
_NAME_KEYS = (
    "name",
    "dimension",
    "criterion",
    "metric",
    "id",
    "key",
    "aspect",
    "question",
    "label",
    "type",
)
_ROW = re.compile(r"<tr\b[^<>]{0,200}>(.{0,5000}?)</tr\s?>", _I | re.DOTALL)
_CELL = re.compile(
    r"<t(?P<kind>[hd])\b[^<>]{0,200}>(?P<words>.{0,3000}?)</t[hd]\s?>", _I | re.DOTALL
)
_TABLE = re.compile(r"</?(?:table|thead|tbody|tfoot|html|body|caption)\b[^<>]{0,200}>", _I)
_TUPLE = re.compile(
    r"[(\[]\s?(?P<names>[^()\[\]\n\d=:]{1,160}|(?:\s?Q\d\s?[,;/]?){2,9})\s?[)\]]\s{0,3}(?:=|:|：|->|→|are|is)\s{0,3}[(\[]\s?(?P<numbers>\d{1,2}(?:\s?/\s?\d{1,2})?(?:\s?[,;]\s?\d{1,2}(?:\s?/\s?\d{1,2})?){1,9}|\d{1,2}(?:\s?/\s?\d{1,2}){2,9})\s?[)\]]"
)
_RUN = re.compile(
    r"(?<![\w/(])(Q\d(?:\s?/\s?Q\d){2,9})\s?[:=]\s?(\d{1,2}(?:\s?/\s?\d{1,2}){2,9})(?![\d/])"
)
_LEVEL = r"[ \t]{0,9}(?:[-*•|][ \t]{0,3})?[*_]{0,2}(?P<number>\d{1,2})[*_]{0,2}(?:\s?(?:points?|分|点|점))?\s{0,2}(?:[=:：|]|[–—-](?=\s)|means\b)\s{0,3}[*_]{0,2}"
_LEVELS = (
    re.compile(rf"^{_LEVEL}(?P<words>[^\W\d][^\n]{{0,300}})$", _I | re.MULTILINE),
    re.compile(
        rf"(?:^|(?<=[;\n])){_LEVEL}(?P<words>[^\W\d][^;\n]{{0,200}})(?:;|$)", _I | re.MULTILINE
    ),
    re.compile(
        r"(?<![\d.,/])(?P<number>\d{1,2})\s?=\s?(?P<words>[^\W\d][^,;\n\d]{0,60})(?:[,;.]|$)",
        re.MULTILINE,
    ),
)
"""The levels of a scale: one on each line, or several on a line."""
_POINTED = re.compile(r"(?:<-{1,3}|<={1,2}|←|⬅|👈|◄|◀)\ufe0f?(?P<words>[^\n;]{0,60})")
_CHOSEN = re.compile(
    r"(?:\W|my|the|this|one|here|verdict|score|rating|choice|selected|chosen|output|edit|is|it|applies|\d)*",
    _I,
)
MAX_ROWS = 200
"""Rows of a table that are looked at; a verdict has a dozen."""


_COMMA_ZERO = re.compile(
    r"([:=]\s?[*_]{0,2}\d),0(?!\d)(\s?(?:/|von|sur|de|su|из|av|van|z|na)\b|\s?[*_]{0,2}\s?(?:$|\n|[.;)]))"
)
"""A whole number with a decimal comma."""


def plain_marks(text: str) -> str:
    """The text with digits and letters of every style and script of digits as plain ones."""
    text = (
        _TEN.sub("10", _KEYCAP.sub(r"\1", text))
        .replace("\u2044", "/")
        .replace("\u2215", "/")
        .replace("：", ": ")
    )
    text = re.sub(r"<\|(?:begin|end)_of_box\|>", "\n", text)
    text = re.sub(r"\b(5|10) üzerinden (\d{1,2})\b", r"\2/\1", text)
    text = _COMMA_ZERO.sub(r"\1\2", text)
    text = _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(letter)) if letter > "\x7f" and letter.isdecimal() else letter
        for letter in text
    )


_OF_OTHER = re.compile(
    rf"<({OTHER_TAG})\b[^<>]{{0,100}}>.{{0,2000}}?</\1\s?>",
    _I | re.DOTALL,
)
"""Elements of what is not the verdict."""
_CALL = re.compile(
    r"(?<![\w.])(?P<tool>[A-Za-z_][\w.]{0,60})\((?P<arguments>(?:\s{0,20}+[A-Za-z_]\w{0,60}\s?=\s?"
    r"(?:\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'|[^,()\"'\n=]{1,60}+)\s{0,20}+,?){1,20}+\s{0,20}+)\)"
)
"""A call of a tool. Nothing in it is tried a second time: of ``a(bbb=bbb=bbb=…`` each word could be
the end of a value or a name, which took seven times as long with each further one.
"""
_ARGUMENT = re.compile(
    r"([A-Za-z_]\w{0,60})\s?=\s?(?:\"([^\"\n]{0,2000})\"|'([^'\n]{0,2000})'|([^,()\"'\n=]{1,60}))"
)
_TOP_FIRST = re.compile(
    r"(?:[满滿]分\s?)?(?P<top>\d{1,2})\s?(?:分|点|점)\s?(?:満点|[满滿]分|만점)?\s?(?:中|得|に|에|で|,|，|里|制)?[、,，]?\s?(?:得|给|給|为|為)?\s?(?P<number>\d{1,2})\s?(?:分|点|점)"
)


_TOP_APART = re.compile(r"[满滿]分(?:为|為|是)?\s?(\d{1,2})\s?分?\s?[,，。;；]")
"""The top of the scale, said before the verdict."""


_PAIRS = re.compile(
    r"^[ \t*_(\[]{0,6}(?:(?:IF|TA|VC|LP|SE|EA|VQ|CP|KP|Q[1-9])[*_]{0,2}[ \t]?[:=][ \t]?[*_]{0,2}\d{1,2}(?:[ \t]?/[ \t]?\d{1,2})?[*_]{0,2}[ \t]?(?:[,;|·][ \t]*|[\]).*_ \t]{0,4}$)){2,9}$",
    re.MULTILINE,
)
"""Several dimensions on one line, each with its number, and nothing else."""


def in_lines(text: str, fields: Ranges) -> str:
    """The text with every form of a verdict as lines ``NAME: 4``."""
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    text = _OF_OTHER.sub(" ", text) if "</" in text else text
    text = _CALL.sub(_object, text) if "=" in text else text
    text = _TOP_FIRST.sub(_fraction, text)
    tops = {high for _, high in fields.values()}
    text = _TOP_APART.sub(lambda found: " " if int(found[1]) in tops else found[0], text)
    text = _PAIRS.sub(lambda found: re.sub(r"[,;|·][ \t]*", "\n", found[0]), text)
    text = _with_reason_lines(_CDATA.sub(r"\1", text))
    text = _with_elements(_SUM.sub(_worked_out, text), fields)
    text = _with_tables(text)
    text = _with_bars(text, fields)
    text = _joined(_with_boxes(text, fields), fields)
    text = without_scale(text, fields)
    text = _with_tuples(_RUN.sub(_in_brackets, text), fields)
    return _with_commas(text, fields)


def _object(found: re.Match[str]) -> str:
    """The arguments of a call that hands in a verdict as an object; nothing for any other call."""
    tool = found["tool"]
    if tool != "dict" and not HANDS_IN.search(tool):
        return " "
    pairs = _ARGUMENT.findall(found["arguments"])
    if len({key for key, *_ in pairs}) < len(pairs):
        return found[0]
    values = {
        key: int(bare) if bare.strip().isdecimal() else double or single or bare.strip()
        for key, double, single, bare in pairs
    }
    return json.dumps(values, ensure_ascii=False)


def _fraction(found: re.Match[str]) -> str:
    """``5点満点中4点`` as ``4/5``."""
    full = re.search("満点|[满滿]分|만점|[点點分]中", found[0])
    return f"{found['number']}/{found['top']}" if full else found[0]


def _in_brackets(found: re.Match[str]) -> str:
    """``Q1/Q2/Q3: 4/5/3`` as lists in brackets; not where the numbers are those of a scale."""
    numbers = [int(number) for number in found[2].split("/")]
    steps = {second - first for first, second in itertools.pairwise(numbers)}
    return found[0] if steps in ({1}, {-1}) else f"({found[1]}) = ({found[2]})"


def _lines(values: Mapping[str, str]) -> str:
    return "".join(f"\n{name}: {number}" for name, number in values.items()) + "\n"


def _with_reason_lines(text: str) -> str:
    """Elements that hold a reason as lines ``Rationale: …``; each tag is looked at once."""
    pieces: list[str] = []
    at, opened = 0, None
    for tag in _REASON_TAG.finditer(text):
        if not tag["end"]:
            opened = tag
        elif opened is not None and opened["name"].casefold() == tag["name"].casefold():
            words = " ".join(text[opened.end() : tag.start()].split())
            pieces += [text[at : opened.start()], f"\nRationale: {words}\n"]
            at, opened = tag.end(), None
    return "".join([*pieces, text[at:]])


def _worked_out(found: re.Match[str]) -> str:
    """The result of ``10 - 2 = 8``, where it is right."""
    right = int(found["from"]) - int(found["off"]) == int(found["number"])
    return found["number"] if right else found[0]


def _with_elements(text: str, fields: Ranges) -> str:
    """Elements with a score as an attribute: ``<criterion name="IF" score="4"/>``."""
    names = tuple(fields)

    def line(found: re.Match[str]) -> str:
        pairs = {key.casefold(): value for key, value in _ATTRIBUTE.findall(found["attributes"])}
        called = [pairs[key] for key in _NAME_KEYS if key in pairs]
        name = next(
            (hit for words in (found["tag"], *called) if (hit := field_called(words, names))), None
        )
        if name is None:
            return found[0]
        number = next((pairs[key] for key in _SCORE_KEYS if key in pairs), None)
        if number is None:
            return (
                f"\n{name}: "
                if found["tag"].casefold() in _SCORE_KEYS and not found[0].endswith("/>")
                else f"\n{name}\n"
            )
        top = next(
            (pairs[key] for key in ("max", "out_of", "scale", "of", "total") if key in pairs), ""
        )
        return f"\n{name}: {number}/{top}, " if top.isdecimal() else f"\n{name}: {number}, "

    return _ELEMENT.sub(line, text)


def _with_tables(text: str) -> str:
    """Tables of HTML as those of Markdown."""
    if "</tr" not in text.casefold():
        return text
    heads = 0

    def row(found: re.Match[str]) -> str:
        nonlocal heads
        cells = [
            (cell["kind"].casefold(), re.sub(r"<[^<>]{0,200}>|\s+|\|", " ", cell["words"]).strip())
            for cell in _CELL.finditer(found[1])
        ]
        line = "| " + " | ".join(words for _, words in cells) + " |\n"
        if cells and all(kind == "h" for kind, _ in cells):
            heads += 1
            line += "|---" * len(cells) + "|\n" if heads == 1 else ""
        return f"\n{line}" if heads == 1 and "---" in line else line

    return _TABLE.sub("\n", _ROW.sub(row, text))


def _with_bars(text: str, fields: Ranges) -> str:
    """Rows of stars, dots or blocks whose marks, full and empty, are as many as the top of a scale."""
    tops = {high for _, high in fields.values()}

    def fraction(found: re.Match[str]) -> str:
        full, empty = (
            sum(letter in _FULL + _EMPTY for letter in found[part]) for part in ("full", "empty")
        )
        top = full + empty
        behind = re.match(
            rf"\s?[(（]({full})(?:\s?/\s?\d{{1,2}})?[)）]", text[found.end() : found.end() + 12]
        )
        if not empty and behind:
            return "" if re.search(r"[:：=–—-]\s{0,3}\Z", text[: found.start()][-6:]) else ": "
        if re.search(
            rf"(?<![\dA-Za-z]){full}(?:\s?/\s?\d{{1,2}})?\s{{0,3}}[*_]{{0,3}}\s?\Z",
            text[: found.start()][-12:],
        ):
            return ""  # the number before them over again
        if top not in tops or (
            found["number"] and (int(found["number"]), int(found["top"])) != (full, top)
        ):
            return found[0]
        colon = "" if re.search(r"[:：=–—-]\s{0,3}\Z", text[: found.start()][-6:]) else ": "
        return f"{colon}{full}/{top} "

    return _BAR.sub(fraction, text)


def _with_boxes(text: str, fields: Ranges) -> str:
    """Runs of boxes with numbers of which exactly one is ticked."""
    boxes = list(_BOX.finditer(text))[:MAX_ROWS]
    runs: list[list[re.Match[str]]] = []
    for box in boxes:
        if runs and not re.search(r"[^\W\d]{2}", _own_words(text, runs[-1][-1], box)):
            runs[-1].append(box)
        else:
            runs.append([box])
    for run in reversed(runs):
        ticked = [box["number"] for box in run if box["on"]]
        numbers = [box["number"] for box in run]
        if len(ticked) != 1 or len(run) < 3 or len(set(numbers)) != len(numbers):
            continue
        before, line = text[: run[0].start()], ticked[0]
        named = re.search(r"[^\s:：-]\s{0,3}[:：–—-]\s{0,3}\Z", before[-30:])
        if named is None and len(fields) == 1:
            line = f"\n{next(iter(fields))}: {line}\n"
        elif named is None:
            line = f": {line}"
        text = f"{before}{line}{text[run[-1].end() :]}"
    return text


_CODE = re.compile(
    r"^([^\w\n]{0,6}(?:Q\d|IF|TA|VC|LP|SE|EA|VQ|CP|KP)[*_]{0,3})[.)][*_]{0,3}[ \t]{1,4}(?=[*_\[]{0,3}\d)",
    re.MULTILINE,
)
_ALONE = re.compile(r"[\s*_#:]{0,9}\d{1,2}(?:\s?/\s?\d{1,2})?[\s*_.]{0,6}")


def _joined(text: str, fields: Ranges) -> str:
    """Names with a point behind them, or on a line above their number, as ``NAME: 4``."""
    lines = _CODE.sub(r"\1: ", text).split("\n")
    names = tuple(fields)
    filled = [at for at, line in enumerate(lines[: 5 * MAX_ROWS]) if line.strip()]
    for at, below in itertools.pairwise(filled):
        if (
            len(lines[at]) < 80
            and _ALONE.fullmatch(lines[below])
            and not lines[at].strip()[:1].isdigit()
        ):
            name = field_called(lines[at].strip("#*_>•- \t:"), names)
            if name is not None:
                lines[at], lines[below] = "", f"{name}: {lines[below].strip('*_#: ')}"
    return "\n".join(lines)


def _own_words(text: str, first: re.Match[str], second: re.Match[str]) -> str:
    """What stands between two boxes and is not the words of the first one's level."""
    between = text[first.end() : second.start()]
    if len(between) > 200:
        return between
    return re.sub(r"\A\s?(?:[–—:=(-][^\n]{0,150}|/\s?\d{1,2})?", "", between)


def without_scale(text: str, fields: Ranges) -> str:
    """The text without the levels of a scale; the one level that an arrow points at is a verdict."""
    for pattern in _LEVELS:
        run: list[re.Match[str]] = []
        for level in [*list(pattern.finditer(text))[:MAX_ROWS], None]:
            if level is not None and (not run or _goes_on(run, level)):
                run.append(level)
                continue
            if len(run) >= 3:
                return text[: run[0].start()] + _pointed(run, fields) + text[run[-1].end() :]
            run = [level] if level is not None else []
    return text


def _goes_on(run: list[re.Match[str]], level: re.Match[str]) -> bool:
    """Whether a level is the next of a scale: right behind the last one, with a number of its own."""
    near = level.start() - run[-1].end() <= 3
    return near and level["number"] not in {each["number"] for each in run}


def _pointed(run: list[re.Match[str]], fields: Ranges) -> str:
    hits = [(level, arrow) for level in run if (arrow := _POINTED.search(level["words"]))]
    if len(hits) != 1 or len(fields) != 1:
        return "\n" if not hits else "\n".join(level[0] for level in run)
    level, arrow = hits[0]
    given = set(re.findall(r"\d+", arrow["words"])) - {level["number"]}
    if given or not _CHOSEN.fullmatch(arrow["words"]):
        return "\n".join(each[0] for each in run)
    return f"\n{next(iter(fields))}: {level['number']}\n"


def _with_tuples(text: str, fields: Ranges) -> str:
    """``(IF, KP) = (3, 5)``, where every field is named once."""
    names = tuple(fields)

    def lines(found: re.Match[str]) -> str:
        called = [field_called(words, names) for words in re.split(r"[,;/]", found["names"])]
        numbers = re.split(r"\s?[,;]\s?", found["numbers"])
        if len(numbers) == 1 and len(called) > 2:
            numbers = numbers[0].split("/")
        if None in called or len(set(called)) != len(called) or len(called) != len(numbers):
            return found[0]
        return _lines({str(name): number for name, number in zip(called, numbers, strict=True)})

    return _TUPLE.sub(lines, text)


def _with_commas(text: str, fields: Ranges) -> str:
    """Tables of comma-separated values with a head: a row for each field, or a column for each."""
    names = tuple(fields)
    rows = text.split("\n")
    for at, row in enumerate(rows[:MAX_ROWS]):
        mark = next((mark for mark in ("\t", ";", ",") if mark in row), "")
        head = row.split(mark) if mark and len(row) < 500 else []
        scores = [
            column
            for column, cell in enumerate(head)
            if re.fullmatch(rf"\W*(?:{SCORE})\W*", cell, _I)
        ]
        columns = {
            column: name for column, cell in enumerate(head) if (name := field_called(cell, names))
        }
        table = [(line, _row_of(line, mark)) for line in rows[at + 1 : at + MAX_ROWS]]
        if len(columns) == len(fields) and len(head) > 1:
            return _one_row(text, rows[:at], table, columns)
        if len(scores) == 1 and len(head) > 1:
            return _row_each(text, rows[:at], table, scores[0], names)
    return text


_Table = list[tuple[str, list[str]]]
"""Lines below the head of a table, each with its cells; lines that are no row have none."""


def _row_of(line: str, mark: str) -> list[str]:
    """The cells of a line; none where it has one cell only, or is no row of such a table."""
    try:
        cells = next(csv.reader([line], delimiter=mark, skipinitialspace=True), []) if mark else []
    except csv.Error:
        return []
    return cells if len(cells) > 1 and any(_SCORE_CELL.fullmatch(cell) for cell in cells) else []


_SCORE_CELL = re.compile(r"\s*\d{1,2}(?:\s?/\s?\d{1,2})?\s*")


def _row_each(
    text: str, above: list[str], table: _Table, column: int, names: tuple[str, ...]
) -> str:
    """The text of a table with a row for each field as lines; what is no row stays behind them."""
    values: dict[str, str] = {}
    rest = []
    for line, cells in table:
        name = next((hit for cell in cells if (hit := field_called(cell, names))), None)
        if not cells or len(cells) <= column or not _SCORE_CELL.fullmatch(cells[column]):
            rest.append(line)
        elif name in values:
            return text
        elif name is not None:
            values[name] = cells[column].strip()
    return "\n".join(above) + _lines(values) + "\n".join(rest) if values else text


def _one_row(text: str, above: list[str], table: _Table, columns: Mapping[int, str]) -> str:
    """The text of a table with a column for each field and a single row as lines."""
    found = [cells for _, cells in table if cells]
    if len(found) != 1 or len(found[0]) <= max(columns):
        return text
    values = {name: found[0][column].strip() for column, name in columns.items()}
    if not all(_SCORE_CELL.fullmatch(number) for number in values.values()):
        return text
    rest = [line for line, cells in table if not cells]
    return "\n".join(above) + _lines(values) + "\n".join(rest)
