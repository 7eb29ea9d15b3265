"""Write docs/reference/ from the code: commands, benchmarks, editors, scorers. Run it after any of them changed.

    python docs/make_reference.py           write the pages
    python docs/make_reference.py --check   say which pages are not current; exit code 1 when one is not

Nothing here needs an optional extra: scorers are described, not run. The pages do not depend on the machine, the
terminal or the versions of libraries, only on our own names, docstrings and notes.
"""

from __future__ import annotations

import importlib
import inspect
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REFERENCE = HERE / "reference"
NOTEBOOK = HERE.parent / "examples" / "from-python.ipynb"
sys.path.insert(0, str(HERE.parent / "src"))

from editgauge import catalog  # noqa: E402
from editgauge.cli import help  # noqa: E402
from editgauge.cli.main import application, every  # noqa: E402
from editgauge.diagnosis.attention import AttentionScorer  # noqa: E402
from editgauge.diagnosis.metrics import ATTENTION  # noqa: E402
from editgauge.judging.prompts import track_of as judging_of  # noqa: E402
from editgauge.run.installation import VARIABLES  # noqa: E402
from editgauge.scoring.scorer import Scorer  # noqa: E402
from editgauge.types import TRACKS, Benchmark, Metric  # noqa: E402

NOTE = "<!-- made from the code by docs/make_reference.py: change the code, not this page -->\n"


def pages() -> dict[str, str]:
    """File name below docs/reference -> content."""
    return {
        "commands.md": commands(),
        "benchmarks.md": benchmarks(),
        "editors.md": editors(),
        "scorers.md": scorers(),
        "environment.md": environment(),
    }


def environment() -> str:
    lines = [
        NOTE,
        "# Environment variables\n",
        "None is needed to try the tool. Secrets are read from here and from nowhere else; they reach no file, row, log "
        "or error.\n",
        "| variable | meaning |",
        "| --- | --- |",
    ]
    lines += [f"| {', else '.join(f'`{n}`' for n in ns)} | {why} |" for ns, why in VARIABLES.items()]
    return "\n".join(lines) + "\n"


# ---- commands -----------------------------------------------------------------------------------------------------


def commands() -> str:
    parts = [NOTE, "# Commands\n"]
    parts.append(
        "Every command prints what it did, where it wrote, and what to run next. Exit codes: 0 done, 1 done but "
        "something has no score or needs attention, 2 bad input or usage, 3 stopped by a budget, 4 a gate cannot tell, 130 interrupted (run "
        "the same command again to go on).\n"
    )
    found = every()
    parts.append("\n".join(f"- [`editgauge {name}`](#editgauge-{anchor(name)})" for name in found) + "\n")
    parts.extend(command(name, function) for name, function in found.items())
    return "\n".join(parts)


def anchor(name: str) -> str:
    return name.replace(" ", "-")


def command(name: str, function: Any) -> str:
    chain = name.split()
    lines = list(help.described(application(chain[0]), chain))
    arguments = [line for line in lines if line.group == "Arguments"]
    usage = " ".join(line.name if line.required else f"[{line.name}]" for line in arguments)
    words = (inspect.getdoc(function) or "").partition("\nParameters\n")[0]
    parts = [f"## editgauge {name}\n", paragraphs(words), "```text"]
    parts += [f"editgauge {name} {usage} [OPTIONS]".replace("  ", " "), "```\n"]
    rows = [[f"`{line.name}`".replace("|", "\\|"), line.words, f"`{line.default}`" if line.default else ""]
            for line in lines]  # fmt: skip
    parts.append(table(["argument or option", "meaning", "default"], rows))
    return "\n".join(parts)


# ---- benchmarks, editors, scorers ---------------------------------------------------------------------------------


def builtin_benchmarks() -> Iterator[Benchmark]:
    for name in catalog.BENCHMARKS:
        yield catalog.find("benchmarks", name)


def benchmarks() -> str:
    parts = [
        NOTE,
        "# Benchmarks\n",
        "Counts are those of the full releases; `editgauge check` compares data with them.\n",
    ]
    for benchmark in builtin_benchmarks():
        parts.append(f"## {benchmark.name}\n\n{benchmark.title}. {benchmark.citation}.\n")
        parts.append(paragraphs(benchmark.about))
        parts.append(paragraphs(inspect.getdoc(benchmark.load) or ""))
        rows = [[f"`{part}`" if part else "all", f"{n:,}"] for part, n in benchmark.published_counts.items()]
        parts.append(table(["part", "samples"], rows))
    return "\n".join(parts)


def editors() -> str:
    parts = [NOTE, "# Editors\n", paragraphs(
        "An editor is named with `--editor NAME`; its settings are given with `--set key=value`, which may be "
        "repeated. Editors of other packages appear under the entry point group `editgauge.editors`: see "
        "[Extend the tool](../how-to/extend.md)."
    )]  # fmt: skip
    for name in catalog.EDITORS:
        factory = catalog.find("editors", name)
        parts.append(f"## {name}\n\n{paragraphs(inspect.getdoc(factory) or '')}")
    return "\n".join(parts)


def scorers() -> str:
    parts = [NOTE, "# Scorers and metrics\n", paragraphs(
        "A metric comes in the variant *faithful* (what the benchmark's released code gives), *corrected* (the same "
        "intent without the defect that the note names), or both; a table never mixes them. Unless a note says "
        "otherwise a value is one of one output, and the tables average."
    )]  # fmt: skip
    for benchmark in builtin_benchmarks():
        page = f"What they are made of: [the protocol](../protocols/{benchmark.name}.md).\n"
        parts.append(f"## {benchmark.name}\n\n{page if benchmark.name != 'mini' else ''}")
        found: dict[tuple[str, ...], tuple[Scorer, list[str]]] = {}
        for track in TRACKS:
            for scorer in benchmark.scorers([track]):
                key = (scorer.name, *(metric.name for metric in scorer.metrics))
                found.setdefault(key, (scorer, []))[1].append(track)
        for scorer, tracks in found.values():
            doc = first_sentence(inspect.getdoc(type(scorer)) or "")
            parts.append(f"### {benchmark.name}: {scorer.name} ({', '.join(tracks)})\n\n{doc}\n")
            parts.append(metrics_table(scorer.metrics))
        parts += attention_of(benchmark)
        parts.append(judge_track(benchmark))
    return "\n".join([*parts, ocr_engines()])


def attention_of(benchmark: Benchmark) -> list[str]:
    """What `editgauge diagnose` gives by running an editor again; empty where it is not declared."""
    metrics = [metric for metric in ATTENTION if metric in benchmark.metrics]
    if not metrics:
        return []
    heading = f"### {benchmark.name}: attention_grounding (diagnosis)\n\nMade by `editgauge diagnose`. "
    return [heading + first_sentence(inspect.getdoc(AttentionScorer) or "") + "\n", metrics_table(metrics)]


def judge_track(benchmark: Benchmark) -> str:
    """What `editgauge judge` gives, which is no scorer: a judge is asked, not computed."""
    judging = judging_of(benchmark)
    heading = f"### {benchmark.name}: judge (judge)\n\nMade by `editgauge judge`. "
    if benchmark.name == "mini":
        return heading + "Each sample is judged by the protocol whose shape it has (attribute `protocol`).\n"
    rubrics = ", ".join(f"`{name}`" for name in judging.rubric_names())
    return f"{heading}{first_sentence(inspect.getdoc(type(judging)) or '')} Rubrics: {rubrics}.\n\n" + metrics_table(
        judging.metrics
    )


def metrics_table(metrics: Iterable[Metric]) -> str:
    return table(
        ["metric", "better", "range", "variants", "note"],
        [[f"`{m.name}`", m.direction or "", interval(m), ", ".join(m.variants), m.note] for m in metrics],
    )


def ocr_engines() -> str:
    parts = ["## OCR engines\n", paragraphs(
        "Named with `--ocr-engine NAME`. Scores of two engines are never in one table."
    )]  # fmt: skip
    for name, target in catalog.OCR_ENGINES.items():
        module = importlib.import_module(target.partition(":")[0])
        parts.append(f"### {name}\n\n{paragraphs(inspect.getdoc(module) or '')}")
    return "\n".join(parts)


def interval(metric: Metric) -> str:
    low, high = (f"{v:g}".replace("inf", "∞").replace("-", "−") for v in (metric.low, metric.high))
    unit = f" {metric.unit}" if metric.unit else ""
    closing = "" if math.isfinite(metric.high) else " (open)"
    return f"{low} to {high}{unit}{closing}"


# ---- markdown -----------------------------------------------------------------------------------------------------


def paragraphs(text: str) -> str:
    """Docstring paragraphs as lines of markdown, reStructuredText's double backticks as single ones."""
    blocks = [" ".join(block.split()) for block in text.replace("``", "`").split("\n\n")]
    return "\n\n".join(block for block in blocks if block) + "\n"


def first_sentence(text: str) -> str:
    line = " ".join(text.replace("``", "`").split("\n\n")[0].split())
    return line.replace("See the module. ", "").replace(" (see the module)", "")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return (
        "\n".join("| " + " | ".join(" ".join(c.replace("``", "`").split()) for c in line) + " |" for line in lines)
        + "\n"
    )


def notebook() -> str:
    """The page "From Python" as a notebook: its prose as markdown cells, its examples as code cells."""
    text = (HERE / "how-to" / "from-python.md").read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    for number, piece in enumerate(re.split(r"```python\n(.*?)```\n", text, flags=re.DOTALL)):
        if piece.strip():
            source = piece.strip("\n").splitlines(keepends=True)
            cell: dict[str, Any] = {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": source}
            if number % 2:
                cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
            cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    stale = []
    made = {REFERENCE / name: text for name, text in pages().items()} | {NOTEBOOK: notebook()}
    for path, text in made.items():
        name, text = path.name, text.rstrip("\n") + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    verb = "not current" if "--check" in arguments else "written"
    print(f"{verb}: {', '.join(stale)}" if stale else "every page is current")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
