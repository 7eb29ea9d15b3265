"""Tables drawn: exact text, counts, marks, and text from outside made harmless."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from editgauge import escape
from editgauge.tables.draw import as_json, draw, merged, paper, show
from editgauge.tables.table import Cell, Column, Table, TableRow

COLUMNS = (
    Column(name="syn_ssim", heading=("Synthetic", "SSIM"), digits=3, direction="higher"),
    Column(name="syn_mse", heading=("Synthetic", "MSE"), digits=1, direction="lower"),
    Column(name="real_ssim", heading=("Real", "SSIM"), digits=3, direction="higher"),
)
ROWS = (
    TableRow(
        name="copy",
        cells={
            "syn_ssim": Cell(value=0.9, n=4, of=5),
            "syn_mse": Cell(value=0.0, n=4, of=5),
            "real_ssim": Cell(value=0.95, n=2, of=2),
        },
    ),
    TableRow(
        name="blank",
        cells={
            "syn_ssim": Cell(value=0.25, n=4, of=5),
            "syn_mse": Cell(value=99.94, n=4, of=5),
            "real_ssim": Cell(value=math.inf, n=2, of=2),
        },
    ),
    TableRow(
        name="Paper",
        cells={"syn_ssim": Cell(value=0.899), "syn_mse": Cell(value=1.0)},
        kind="published",
    ),
)
TABLE = Table(
    name="t", title="Title", columns=COLUMNS, rows=ROWS, variant="faithful", notes=("A note.",)
)
HOSTILE = "<script>alert(1)</script>|`a`\n\x1b[31m\u202egnp $x_1 \\input{/etc} =1+1"


class TestTerminal:
    def test_exact_text(self) -> None:
        assert draw(TABLE, "terminal") == (
            "Title (faithful)\n"
            "         Synthetic                Real\n"
            "model       SSIM ↑  MSE ↓    n  SSIM ↑    n\n"
            "copy         0.900    0.0  4/5   0.950  2/2\n"
            "blank        0.250   99.9  4/5       ∞  2/2\n"
            "Paper †      0.899    1.0    –       –    –\n"
            "A note.\n"
            "† published: the paper's number, not computed here.\n"
        )

    def test_what_does_not_fit_goes_below(self) -> None:
        text = draw(TABLE, "terminal", width=42)
        assert max(len(line) for line in text.splitlines()[1:-2]) <= 42
        assert text.count("copy") == 2
        assert text.count("0.950") == 1

    def test_best_is_bold(self) -> None:
        stream = io.StringIO()
        show(
            TABLE,
            Console(
                file=stream,
                force_terminal=True,
                width=200,
                color_system="truecolor",
                highlight=False,
            ),
        )
        assert "\x1b[1m0.900\x1b[0m" in stream.getvalue()
        assert "\x1b[4m" not in stream.getvalue(), "the worst of two is not second"

    def test_escape_sequences_are_shown_not_sent(self) -> None:
        table = Table(
            name="t", title=HOSTILE, columns=COLUMNS[:1], rows=[TableRow(name=HOSTILE, cells={})]
        )
        text = draw(table, "terminal")
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\\x1b[31m\\u202egnp" in text

    def test_markup_of_the_terminal_library_is_text(self) -> None:
        assert "[bold]x[/bold]" in draw(
            Table(
                name="t",
                title="T",
                columns=COLUMNS[:1],
                rows=[TableRow(name="[bold]x[/bold]", cells={})],
            ),
            "terminal",
        )

    def test_editors_across(self) -> None:
        table = Table(name="t", title="Title", columns=COLUMNS, rows=ROWS[:2], transposed=True)
        assert draw(table, "terminal") == (
            "Title\n"
            "                    copy  blank\n"
            "Synthetic  SSIM ↑  0.900  0.250\n"
            "           MSE ↓     0.0   99.9\n"
            "           n         4/5    4/5\n"
            "Real       SSIM ↑  0.950      ∞\n"
            "           n         2/2    2/2\n"
        )


def test_a_file_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, most in (("40", 40), ("", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        stream = io.StringIO()
        show(TABLE, Console(file=stream, width=80))
        lines = stream.getvalue().splitlines()[1:-2]
        assert max(map(len, lines)) <= most
        assert (len(lines) > 5) == (columns == "40")


def test_notes_take_five_lines_unless_all_are_asked_for() -> None:
    table = replace(TABLE, notes=[f"Note {n} that is not long." for n in range(9)])
    for form in ("terminal", "markdown"):
        few, every = (draw(table, form, every_note=all_of_them) for all_of_them in (False, True))
        assert "Note 3" in few
        assert "Note 4" not in few
        assert "6 more notes: --notes" in few.replace("\\", "")
        assert "Note 8" in every


def test_variants_that_print_alike_are_one_table() -> None:
    corrected = replace(TABLE, variant="corrected")
    (one,) = merged([TABLE, corrected])
    assert one.variant == "faithful and corrected"
    row = replace(ROWS[0], cells={**ROWS[0].cells, "syn_mse": Cell(value=1.0, n=4, of=5)})
    assert len(merged([TABLE, replace(corrected, rows=[row, *ROWS[1:]])])) == 2


class TestMarkdown:
    def test_exact_text(self) -> None:
        assert draw(TABLE, "markdown") == (
            r"**Title \(faithful\)**" + "\n\n"
            "| model | Synthetic SSIM ↑ | Synthetic MSE ↓ | Synthetic n | Real SSIM ↑ | Real n |\n"
            "| :--- | ---: | ---: | ---: | ---: | ---: |\n"
            r"| copy | **0\.900** | **0\.0** | 4/5 | 0\.950 | 2/2 |" + "\n"
            r"| blank | 0\.250 | 99\.9 | 4/5 | **∞** | 2/2 |" + "\n"
            r"| Paper † | 0\.899 | 1\.0 | – | – | – |" + "\n\n"
            r"- A note\." + "\n"
            r"- † published: the paper's number, not computed here\." + "\n"
        )

    def test_a_hostile_name_stays_in_its_cell(self) -> None:
        text = draw(
            Table(
                name="t", title="T", columns=COLUMNS[:1], rows=[TableRow(name=HOSTILE, cells={})]
            ),
            "markdown",
        )
        line = next(line for line in text.splitlines() if "script" in line)
        assert "<script>" not in text
        assert line.replace("\\|", "").count("|") == 3  # one name, one number
        assert "\\`a\\`" in line


class TestCsv:
    def test_it_reads_back(self) -> None:
        lines = list(csv.DictReader(io.StringIO(draw(TABLE, "csv"))))
        assert [line["model"] for line in lines] == ["copy", "blank", "Paper"]
        assert lines[0]["syn_ssim"] == "0.900"
        assert (lines[0]["syn_ssim_n"], lines[0]["syn_ssim_of"]) == ("4", "5")
        assert lines[1]["real_ssim"] == "inf"
        assert lines[2]["kind"] == "published"
        assert lines[2]["real_ssim"] == ""

    @pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", " =1"])
    def test_no_name_is_a_formula(self, name: str) -> None:
        (line,) = csv.DictReader(
            io.StringIO(
                draw(
                    Table(
                        name="t",
                        title="T",
                        columns=COLUMNS[:1],
                        rows=[TableRow(name=name, cells={})],
                    ),
                    "csv",
                )
            )
        )
        assert line["model"].startswith("'")

    def test_bounds_come_when_there_are_any(self) -> None:
        rows = [
            TableRow(name="a", cells={"syn_ssim": Cell(value=0.5, n=1, of=1, low=0.4, high=0.6)})
        ]
        (line,) = csv.DictReader(
            io.StringIO(draw(Table(name="t", title="T", columns=COLUMNS[:1], rows=rows), "csv"))
        )
        assert (line["syn_ssim_low"], line["syn_ssim_high"]) == ("0.400", "0.600")


class TestLatex:
    def test_exact_text(self) -> None:
        assert draw(TABLE, "latex") == "\n".join(
            [
                "% needs booktabs, adjustbox",
                r"\begin{table}[tbp]",
                r"\centering",
                r"\caption{Title (faithful).}",
                r"\label{tab:t-faithful}",
                r"\begin{adjustbox}{max width=\linewidth}",
                r"\begin{tabular}{lrrr}",
                r"\toprule",
                r" & \multicolumn{2}{c}{Synthetic} & Real \\",
                r"\cmidrule(lr){2-3}",
                r"model & SSIM $\uparrow$ & MSE $\downarrow$ & SSIM $\uparrow$ \\",
                r"\midrule",
                r"copy & \textbf{0.900} & \textbf{0.0} & 0.950 \\",
                r"blank & 0.250 & 99.9 & \textbf{$\infty$} \\",
                r"\midrule",
                r"Paper $\dagger$ & 0.899 & 1.0 & -- \\",
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{adjustbox}",
                r"\par\smallskip",
                (
                    r"{\footnotesize\raggedright n: Synthetic SSIM 4/5; Real SSIM 2/2. A note. "
                    r"$\dagger$ published: the paper's number, not computed here.\par}"
                ),
                r"\end{table}",
                "",
            ]
        )

    def test_for_a_paper_there_is_one_sentence_below_and_no_variant_in_the_caption(self) -> None:
        table = replace(TABLE, notes=["A note.", "Published: arXiv 1, Table 3.", "Another."])
        text = paper(table)
        assert r"\caption{Title.}" in text
        assert r"$\dagger$: Published: arXiv 1, Table 3.\par" in text
        assert "A note" not in text
        assert "4/5" not in text

    def test_a_hostile_name_runs_no_command(self) -> None:
        text = draw(
            Table(
                name="t", title="T", columns=COLUMNS[:1], rows=[TableRow(name=HOSTILE, cells={})]
            ),
            "latex",
        )
        assert r"\input" not in text
        unbroken = text.replace(r"\allowbreak{}", "")  # a long name may break
        assert r"\textbackslash{}input\{/etc\}" in unbroken
        assert r"\$x\_1" in unbroken

    @pytest.mark.parametrize("name", ["[1cm]", "*"])
    def test_a_name_is_no_argument_of_the_line_break_before_it(self, name: str) -> None:
        assert f"{{}}{name} & " in draw(
            Table(name="t", title="T", columns=COLUMNS[:1], rows=[TableRow(name=name, cells={})]),
            "latex",
        )


class TestJson:
    def test_infinite_is_said_and_not_written_as_a_number(self) -> None:
        found = json.loads(draw(TABLE, "json"))
        cell = found["rows"][1]["cells"]["real_ssim"]
        assert cell == {"value": None, "infinite": True, "n": 2, "of": 2, "place": 1}
        assert found["rows"][0]["cells"]["syn_ssim"]["place"] == 1

    def test_it_holds_the_whole_table(self) -> None:
        found = as_json(TABLE)
        assert found["columns"][1] == {
            "name": "syn_mse", "heading": ["Synthetic", "MSE"], "digits": 1, "direction": "lower",
            "comparable": True,
            "note": "",
        }  # fmt: skip
        assert found["variant"] == "faithful"


class TestFailures:
    ROWS = (
        TableRow(name="a", cells={"syn_ssim": Cell(value=0.8, n=6, of=8, floor=0.6)}),
        TableRow(name="b", cells={"syn_ssim": Cell(value=0.7, n=8, of=8, floor=0.7)}),
    )
    TABLE = Table(name="t", title="T", columns=COLUMNS[:1], rows=ROWS)

    def test_left_out(self) -> None:
        assert "0.600" not in draw(self.TABLE, "markdown", failures="out").replace("\\", "")

    def test_at_the_minimum(self) -> None:
        text = draw(self.TABLE, "terminal", failures="floor")
        assert "0.600" in text
        assert "0.800" not in text
        assert "scale's minimum" in text

    def test_both(self) -> None:
        text = draw(self.TABLE, "terminal", failures="both")
        assert "0.800 (0.600)" in text
        assert "0.700 (" not in text


def test_long_text_is_cut() -> None:
    assert len(escape.plain("x" * 10**6)) == 200


def test_lone_surrogates_do_not_break_output() -> None:
    assert escape.plain("a\udce4b") == "a\\udce4b"


def test_groups_get_a_column_and_a_rule() -> None:
    rows = [
        TableRow(name="a", cells={"syn_ssim": Cell(value=0.1, n=1, of=1)}, group=g)
        for g in ("x", "y")
    ]
    text = draw(Table(name="t", title="T", columns=COLUMNS[:1], rows=rows, by="topic"), "latex")
    assert "topic & model" in text
    assert text.count(r"\midrule") == 2


class TestAnyText:
    """Whatever an editor is called, the table keeps its shape in every format."""

    @staticmethod
    def table(name: str) -> Table:
        return Table(
            name="t",
            title=name,
            columns=COLUMNS[:1],
            rows=[
                TableRow(name=name, cells={"syn_ssim": Cell(value=0.5, n=1, of=1)}),
                TableRow(name="b", cells={}),
            ],
        )

    @given(st.text(max_size=60))
    def test_markdown_has_its_cells(self, name: str) -> None:
        lines = [
            line for line in draw(self.table(name), "markdown").splitlines() if line.startswith("|")
        ]
        assert len(lines) == 4
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {4}

    @given(st.text(max_size=60))
    def test_csv_has_its_cells(self, name: str) -> None:
        lines = list(csv.reader(io.StringIO(draw(self.table(name), "csv"))))
        assert [len(line) for line in lines] == [7, 7, 7]
        assert lines[1][2][:1] not in ("=", "+", "-", "@")

    @given(st.text(max_size=60))
    def test_latex_has_its_cells(self, name: str) -> None:
        text = draw(self.table(name), "latex")
        line = text.split("\\midrule\n")[1].split(" \\\\\n")[0]
        assert len(re.findall(r"(?<!\\)&", line)) == 2
        bare = re.sub(
            r"\\[&%$#_{}]|\\(?:text\w+|allowbreak|ldots)\{\}|\\raggedright\\hangindent=1em |\{\}|\$\\\w+\$|\$-\$",
            "",
            line,
        )
        assert not set(bare.replace("&", "")) & set("\\{}$%#_^~")

    @given(st.text(max_size=60))
    def test_the_terminal_gets_no_control_character(self, name: str) -> None:
        text = draw(self.table(name), "terminal")
        assert not [
            letter
            for letter in text
            if letter != "\n" and (ord(letter) < 32 or 127 <= ord(letter) < 160)
        ]
        assert len(text.splitlines()) == 5  # title, two of headings, two rows

    @given(st.text(max_size=60))
    def test_json_reads_back(self, name: str) -> None:
        assert len(json.loads(draw(self.table(name), "json"))["rows"]) == 2


class TestMarks:
    PART = Table(
        name="t",
        title="T",
        columns=COLUMNS[:1],
        rows=[
            TableRow(
                name="mine", cells={"syn_ssim": Cell(value=0.9, n=93, of=1196)}, part=(93, 1196)
            ),
            ROWS[2],
        ],
        variant="corrected",
    )

    @pytest.mark.parametrize("form", ["terminal", "markdown", "latex"])
    def test_a_part_and_a_paper_are_marked_on_the_line(self, form: str) -> None:
        text = draw(self.PART, form)  # type: ignore[arg-type]
        assert "mine ‡" in text or r"mine $\ddagger$" in text
        assert "as released" in text.partition("published")[0]
        assert "made from a part of the release" in text

    def test_a_part_is_grey_in_a_terminal_and_in_a_notebook(self) -> None:
        stream = io.StringIO()
        show(self.PART, Console(file=stream, force_terminal=True, width=200, highlight=False))
        assert "\x1b[2mmine ‡\x1b[0m" in stream.getvalue()
        assert "\x1b[2m0.900\x1b[0m" in stream.getvalue()
        assert '<tr style="color:#767676"><th>mine ‡</th>' in self.PART._repr_html_()

    def test_json_says_both(self) -> None:
        mine, paper = as_json(self.PART)["rows"]
        assert mine["part"] == [93, 1196]
        assert paper["as_released"] is True

    def test_faithful_tables_need_no_word_for_it(self) -> None:
        assert "as released" not in draw(TABLE, "markdown")
