"""What is written for other programs: nothing from outside becomes a command, a formula, a row or
markup of theirs.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from editgauge import escape
from editgauge.cli.output import Inert
from editgauge.tables.draw import draw
from editgauge.tables.table import Cell, Column, Table, TableRow
from tests.fuzz.corpus import fuzz

PIECES = ("=1+1", "+", "-", "@SUM(A1)", "\t=x", "\r=x", "|", "||", "\n", "\r\n", "`", "```", "*", "_", "[a](javascript:x)",
          "![a](x)", "<script>alert(1)</script>", "<img src=x onerror=y>", "<svg/onload=x>", "&lt;", "&#106;", "\\", "\\input{/etc/passwd}",
          "\\write18{x}", "^^5cinput", "$x$", "%", "#", "~", "{", "}", "\\\\", "[2em]", "*[", "\x1b]52;c;aGk=\x07", "\x9b31m", "\u202e",
          "\u2028", "\u2029", "\0", "\ud800", "]]>", "</script>", "<!--", "'", '"', "\U000e0041", "://", "http://x", "1.", "- ", "> ", "---")  # fmt: skip
names = st.one_of(
    st.text(max_size=30), st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
)


def table(a: str, b: str, c: str) -> Table:
    columns = (
        Column(name="one", heading=(a, "score"), digits=3, direction="higher"),
        Column(name="two", heading=(b,), digits=1),
    )
    rows = tuple(
        TableRow(name=name, cells={"one": Cell(value=0.5, n=2, of=2), "two": Cell(value=1.0)})
        for name in (c, "plain")
    )
    return Table(name="t", title=a, columns=columns, rows=rows, notes=(b,))


@fuzz
@given(names, names, names)
def test_csv_holds_no_formula_and_no_further_row(a: str, b: str, c: str) -> None:
    rows = list(csv.reader(io.StringIO(draw(table(a, b, c), "csv"))))
    assert len(rows) == 3
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        assert not escape.plain(cell, None).lstrip().startswith(("=", "+", "@", "|", "%", "\t"))
        assert not cell.lstrip().startswith("-") or re.fullmatch(r"-?[\d.]+", cell)


COMMANDS = {"begin", "end", "caption", "label", "toprule", "midrule", "bottomrule", "cmidrule", "multicolumn", "textbf", "underline",
            "par", "footnotesize", "centering", "textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar",
            "infty", "dagger", "ddagger", "cdot", "ldots", "times", "pm", "leq", "geq", "rho", "kappa", "uparrow", "downarrow", "small", "scriptsize", "linewidth",
            "smallskip", "medskip", "raggedright", "hangindent", "allowbreak", "shortstack", "usepackage", "setlength",
            "tabcolsep", "ref", "textheight"}  # fmt: skip


@fuzz
@given(names, names, names)
@example("a", "b", "[2em]")
def test_latex_holds_only_our_commands(a: str, b: str, c: str) -> None:
    first, text = draw(table(a, b, c), "latex").split("\n", 1)
    assert first.startswith("% ") or "%" not in first
    text = text if first.startswith("%") else f"{first}\n{text}"
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= COMMANDS
    assert "^^" not in text
    for line in text.splitlines():
        bare = re.sub(r"\\.", "", line)
        assert bare.count("{") == bare.count("}")
        assert bare.lstrip()[:1] not in ("[", "*"), "an argument of the line end before it"
        assert "%" not in bare
        assert "#" not in bare
    ends = [
        re.sub(r"\\&", "", line) for line in text.splitlines() if line.rstrip().endswith("\\\\")
    ]
    assert len({line.count("&") for line in ends if "multicolumn" not in line}) == 1


@fuzz
@given(names, names, names)
def test_markdown_has_the_rows_that_it_should(a: str, b: str, c: str) -> None:
    lines = draw(table(a, b, c), "markdown").splitlines()
    rows = [re.sub(r"\\.", "", line) for line in lines if line.startswith("|")]
    assert len(rows) == 5
    assert len({row.count("|") for row in rows}) == 1
    rest = "\n".join(re.sub(r"\\.", "", line) for line in lines)
    assert "<" not in rest
    assert not re.search(r"\]\(|!\[|`", rest)


TURNS = ("RLE", "LRE", "PDF", "RLO", "LRO", "RLI", "LRI", "FSI", "PDI")


@fuzz
@given(names, names)
def test_a_terminal_is_not_steered(a: str, b: str) -> None:
    written = io.StringIO()
    stream = Inert(written)
    stream.writelines([a, b])
    shown = set(written.getvalue()) - set("\n\t\r")
    odd = [one for one in shown if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")]
    odd += [one for one in shown if unicodedata.bidirectional(one) in TURNS]
    assert not odd
    assert "\r" not in written.getvalue().replace("\r\n", "")
    assert json.loads(escape.terminal(json.dumps([a, b], ensure_ascii=False))) == [a, b]


@fuzz
@given(st.lists(names, max_size=4).map("/".join))
def test_file_names_that_every_system_takes(name: str) -> None:
    made = escape.file_name(name)
    assert 1 <= len(made.encode()) <= 200
    assert re.fullmatch(r"[^\x00-\x1f\x7f<>:\"/\\|?*]+", made)
    assert made[-1] not in " ."
    assert made[0] not in "-."
    device = made.split(".")[0].strip().upper()
    assert not re.fullmatch("CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|(COM|LPT)[0-9¹²³]", device)
    assert escape.file_name(made) == made


@fuzz
@given(st.lists(names, max_size=8))
def test_no_two_files_have_one_name(wishes: list[str]) -> None:
    stems = [escape.file_name(wish) for wish in wishes] * 2
    assert len({escape.alike(name) for name in escape.apart(stems)}) == len(stems)
