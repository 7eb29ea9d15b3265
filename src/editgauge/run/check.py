"""Lints a data set and outputs before anything is spent: what is there, missing, or assumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from shlex import quote

from editgauge.escape import counted, plain
from editgauge.run.check_data import Count, Issue, Progress, check_data
from editgauge.run.check_outputs import OutputsReport, check_outputs, editor_folders
from editgauge.run.tracks import judged
from editgauge.store.remote import local_folder
from editgauge.types import Benchmark, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found. `part`: the set or split that was loaded, "" for all. `then`: the command
    that gives scores, ``score`` or ``judge``.
    """

    benchmark: str
    root: Path
    part: str
    samples: int
    counts: Sequence[Count]
    issues: Sequence[Issue]
    outputs: Sequence[OutputsReport]
    then: str

    @property
    def of_data(self) -> int:
        """How many lines of the data need attention."""
        return _wanting(self.issues)

    @property
    def of_outputs(self) -> int:
        """How many lines of the outputs need attention."""
        return sum(_wanting(report.issues) for report in self.outputs)

    @property
    def passed(self) -> bool:
        """Whether there are samples and no output needs attention."""
        return bool(self.samples) and not self.of_outputs

    def as_dict(self) -> JsonObject:
        """Everything that was found as JSON values."""
        return {
            "benchmark": self.benchmark,
            "data": str(self.root),
            "part": self.part,
            "samples": self.samples,
            "counts": [count._asdict() for count in self.counts],
            "issues": [asdict(issue) for issue in self.issues],
            "outputs": [{**asdict(one), "folder": str(one.folder)} for one in self.outputs],
            "attention": self.of_data + self.of_outputs,
            "attention_of": {"data": self.of_data, "outputs": self.of_outputs},
        }

    def lines(self, limit: int | None = 5, typed: str = "") -> Iterator[str]:
        """In words: the outputs and what is wrong with them, then the data; at most `limit` lines
        of a kind, repairs in one line, no counts of parts (None: all). `typed`: how a user calls
        benchmark and data.
        """
        called = typed or f"{self.benchmark} …"
        part = f" ({self.part})" if self.part else ""
        first, *rest = (f"{counted(c.found, 'sample')}{_published(c)}" for c in self.counts)
        yield f"{self.benchmark}{part}: {first}"
        always = ("samples", "present", "readable", "missing")
        for one in self.outputs:
            numbers = (f"{n:,} {name}" for name, n in one.count.items() if n or name in always)
            yield f"outputs of {one.editor}: {', '.join(numbers)}"
            yield from _lines(one.editor, one.issues, limit)
        if limit is None:
            names = [count.name for count in self.counts[1:]]
            yield from (f"  {name}: {text}" for name, text in zip(names, rest, strict=True))
        yield from _lines("data", self.issues, limit)
        outputs = f", {self.of_outputs:,} of the outputs" if self.outputs else ""
        yield (
            f"lines that need attention: {self.of_data:,} of the data itself (the same for every "
            f"model){outputs}"
        )
        for one in self.outputs:
            if not one.count["present"] and one.count["extra"]:
                command = f"editgauge import {called} --from {quote(str(one.folder))}"
                yield f"files of other names? {command} shows what they match"
        if not self.outputs:
            step = f"{self.then} {called} --run RUN{' --model MODEL' * (self.then == 'judge')}"
            yield f"next: editgauge check {called} --outputs DIR, or editgauge {step}"


def _published(count: Count) -> str:
    return "" if count.published is None else f" of {count.published:,} published"


def _wanting(issues: Sequence[Issue]) -> int:
    return sum(issue.level == "attention" for issue in issues)


def _lines(title: str, issues: Sequence[Issue], limit: int | None) -> Iterator[str]:
    """By level and kind; what is assumed of all of a kind stands in its heading."""
    if not issues:
        yield f"{title}: no faults"
    repaired = [issue for issue in issues if issue.level == "repaired"]
    brief = limit is not None and bool(repaired)
    shown = [one for one in issues if not brief or one.level != "repaired"]
    shown.sort(key=lambda one: (one.level, one.kind))
    for (level, kind), group in groupby(shown, key=lambda one: (one.level, one.kind)):
        every = list(group)
        assumed = {issue.assumed for issue in every}
        common = f": {assumed.pop()}" if len(assumed) == 1 else ""
        yield f"{title}, {level}: {kind} ({len(every):,}){common}"
        for issue in every[:limit]:
            where = f"{issue.file or issue.sample}: " if issue.file or issue.sample else ""
            tail = "" if common or not issue.assumed else f"; {issue.assumed}"
            yield "  " + plain(f"{where}{issue.found}{tail}", None)
        if limit is not None and len(every) > limit:
            yield f"  … and {len(every) - limit:,} more (--all)"
    if brief:
        kinds = ", ".join(sorted({issue.kind for issue in repaired}))
        yield f"{title}, repaired: {len(repaired):,} ({kinds}); --all names each"


def check(
    benchmark: Benchmark,
    data: Path | None = None,
    *,
    split: str | None = None,
    ids: Sequence[str] = (),
    outputs: Path | None = None,
    editor: str | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Read every picture of the data, and of the outputs, and list what is wrong or was repaired.

    `data` and `outputs` may be addresses (`store.remote`). `outputs`: a folder in official naming,
    of one model or several; `editor`: the model in it, default every one. `split`: that part of the
    data alone, `ids`: these samples alone; outputs of others are told from those that belong
    nowhere. Raises `DataError` for a folder that is not the benchmark's, `UsageError` for outputs
    that are not there and for an id that no sample has.
    """
    place, delivered = local_folder(data), local_folder(outputs)
    dataset = benchmark.load(place, split=split)
    samples, counts, issues = check_data(benchmark, dataset, progress, ids)
    reports = []
    if delivered is not None and samples:
        others = list(benchmark.load(place)) if split is not None or ids else ()
        reports = [
            check_outputs(samples, name, folder, others=others, progress=progress)
            for name, folder in editor_folders(delivered, editor, samples).items()
        ]
    return Checked(
        benchmark=benchmark.name,
        root=dataset.root,
        part=str(getattr(dataset, "part", "")),
        samples=len(samples),
        counts=counts,
        issues=issues,
        outputs=reports,
        then="judge" if judged(benchmark) else "score",
    )
