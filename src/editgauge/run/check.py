"""Lints a data set and a folder of outputs before spending anything: what is there, what is not,
what was assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from editgauge.escape import plain
from editgauge.run.check_data import Count, Issue, Level, Progress, check_data
from editgauge.run.check_outputs import OutputsReport, check_outputs, editor_folders
from editgauge.run.tracks import judged
from editgauge.store.remote import local_folder
from editgauge.types import Benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found. `part`: the set or split that was loaded, "" for all. `of_data` and
    `of_outputs`: what of it needs attention. `then`: the command that gives scores, ``score`` or
    ``judge``.
    """

    benchmark: str
    root: Path
    part: str
    samples: int
    counts: Sequence[Count]
    issues: Sequence[Issue]
    outputs: Sequence[OutputsReport]
    of_data: Sequence[Issue]
    of_outputs: Sequence[Issue]
    then: str

    def passed(self, *, strict: bool = False) -> bool:
        """Whether there are samples and no output needs attention; with `strict` no line of the
        data does either.
        """
        return bool(self.samples) and not self.of_outputs and not (strict and self.of_data)

    def as_dict(self) -> dict[str, Any]:
        """Everything that was found as JSON values."""
        counts = {"data": len(self.of_data), "outputs": len(self.of_outputs)}
        return {
            "benchmark": self.benchmark,
            "data": str(self.root),
            "part": self.part,
            "samples": self.samples,
            "counts": [count._asdict() for count in self.counts],
            "issues": [asdict(issue) for issue in self.issues],
            "outputs": [{**asdict(one), "folder": str(one.folder)} for one in self.outputs],
            "attention": sum(counts.values()),
            "attention_of": counts,
        }

    def lines(self, limit: int | None = 5, typed: str = "") -> Iterator[str]:
        """In words: the outputs and what is wrong with them, then the data; at most `limit` lines
        of a kind, repairs in one line, no counts of parts (None: all). `typed`: how a user calls
        benchmark and data.
        """
        called = typed or f"{self.benchmark} …"
        part = f" ({self.part})" if self.part else ""
        of = {count.name: count.published for count in self.counts}
        whole = f" of {of['']:,} published" if of.get("") else ""
        noun = f"sample{'s' * (self.samples != 1)}"
        yield f"{self.benchmark}{part}: {self.samples:,} {noun}{whole}"
        always = ("samples", "present", "readable", "missing")
        for one in self.outputs:
            numbers = (f"{n:,} {name}" for name, n in one.count.items() if n or name in always)
            yield f"outputs of {one.editor}: {', '.join(numbers)}"
        for one in self.outputs:
            yield from _lines(one.editor, one.issues, limit)
        for count in self.counts if limit is None else ():
            published = "" if count.published is None else f" of {count.published:,} published"
            yield f"  {count.name or 'all'}: {count.found:,}{published}"
        yield from _lines("data", self.issues, limit)
        of_data, of_outputs = len(self.of_data), len(self.of_outputs)
        if of_data or of_outputs:
            outputs = f", {of_outputs:,} of the outputs" if self.outputs else ""
            every = of_data + of_outputs
            yield (
                f"{every:,} line{' needs' if every == 1 else 's need'} attention: {of_data:,} of "
                f"the data itself (the same for every model){outputs}"
            )
        else:
            yield "nothing needs attention"
        for one in self.outputs:
            if not one.count["present"] and one.count["extra"]:
                command = f"editgauge import {called} --from {one.folder}"
                yield f"files of other names? {command} shows what they match"
        if not self.outputs:
            step = f"{self.then} {called} --run RUN{' --model MODEL' * (self.then == 'judge')}"
            yield f"next: editgauge check {called} --outputs DIR, or editgauge {step}"


def _lines(title: str, issues: Sequence[Issue], limit: int | None) -> Iterator[str]:
    """By level and kind; what is assumed of all of a kind stands in its heading."""
    if not issues:
        yield f"{title}: no faults"
    for level in get_args(Level):
        mine = [issue for issue in issues if issue.level == level]
        kinds = Counter(sorted(issue.kind for issue in mine))
        if level == "repaired" and limit is not None and mine:
            words = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
            yield f"{title}, repaired: {len(mine):,} ({words}); --all names each"
            continue
        for kind in kinds:
            of_kind = [issue for issue in mine if issue.kind == kind]
            assumed = {issue.assumed for issue in of_kind}
            common = f": {assumed.pop()}" if len(assumed) == 1 else ""
            yield f"{title}, {level}: {kind} ({len(of_kind):,}){common}"
            for issue in of_kind[:limit]:
                where = f"{issue.file or issue.sample}: " if issue.file or issue.sample else ""
                tail = "" if common or not issue.assumed else f"; {issue.assumed}"
                yield "  " + plain(f"{where}{issue.found}{tail}", None)
            if limit is not None and len(of_kind) > limit:
                yield f"  … and {len(of_kind) - limit:,} more (--all)"


def check(
    benchmark: Benchmark,
    data: Path | None = None,
    *,
    split: str | None = None,
    outputs: Path | None = None,
    editor: str | None = None,
    ignore: Collection[str] = (),
    progress: Progress | None = None,
) -> Checked:
    """Read every picture of the data, and of the outputs, and list what is wrong or was repaired.

    `data` and `outputs` may be addresses (`store.remote`). `outputs`: a folder in official naming,
    of one model or several; `editor`: the model in it, default every one. `split`: that part of the
    data alone; outputs of its other parts are told from those that belong nowhere. Issues of the
    kinds in `ignore` are listed and need no attention. Raises `DataError` for a folder that is not
    the benchmark's, `UsageError` for outputs that are not there.
    """
    place, delivered = local_folder(data), local_folder(outputs)
    dataset = benchmark.load(place, split=split)
    samples, counts, issues = check_data(benchmark, dataset, progress)
    reports = []
    if delivered is not None and samples:
        others = list(benchmark.load(place)) if split is not None else ()
        reports = [
            check_outputs(samples, name, folder, others=others, progress=progress)
            for name, folder in editor_folders(delivered, editor, samples).items()
        ]

    def wanting(issues: Sequence[Issue]) -> list[Issue]:
        return [one for one in issues if one.level == "attention" and one.kind not in ignore]

    return Checked(
        benchmark=benchmark.name,
        root=dataset.root,
        part=str(getattr(dataset, "part", "")),
        samples=len(samples),
        counts=counts,
        issues=issues,
        outputs=reports,
        of_data=wanting(issues),
        of_outputs=wanting([one for report in reports for one in report.issues]),
        then="judge" if judged(benchmark) else "score",
    )
