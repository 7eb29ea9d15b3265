"""Lints a data set and a folder of outputs before spending anything: what is there, what is not,
what was assumed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from editgauge.run.check.data import DataReport, check_data
from editgauge.run.check.issues import Issue, Level, Progress
from editgauge.run.check.outputs import OutputsReport, check_outputs, editor_folders
from editgauge.store.remote import local_folder
from editgauge.types import Benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found, and what of it needs attention: of the data (the same for every model),
    and of the outputs.
    """

    data: DataReport
    outputs: Sequence[OutputsReport]
    of_data: Sequence[Issue]
    of_outputs: Sequence[Issue]

    def passed(self, *, strict: bool = False) -> bool:
        """Whether there are samples and no output needs attention; with `strict` no line of the
        data does either.
        """
        return bool(self.data.samples) and not self.of_outputs and not (strict and self.of_data)

    def as_dict(self) -> dict[str, Any]:
        """Everything that was found as JSON values."""
        data = self.data
        counts = {"data": len(self.of_data), "outputs": len(self.of_outputs)}
        return {
            "benchmark": data.benchmark,
            "data": str(data.root),
            "part": data.part,
            "samples": len(data.samples),
            "counts": [asdict(count) for count in data.counts],
            "issues": [asdict(issue) for issue in data.issues],
            "outputs": [{**asdict(one), "folder": str(one.folder)} for one in self.outputs],
            "attention": sum(counts.values()),
            "attention_of": counts,
        }


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

    `data` and `outputs` may be addresses, or packed (`store.remote`). `outputs`: a folder in
    official naming, of one model or several; `editor`: the model in it, default every one. `split`:
    that part of the data alone; outputs of its other parts are told from those that belong nowhere.
    Issues of the kinds in `ignore` are listed and need no attention. Raises `DataError` for a
    folder that is not the benchmark's, `UsageError` for outputs that are not there.
    """
    place, delivered = local_folder(data), local_folder(outputs)
    found = check_data(benchmark, benchmark.load(place, split=split), progress=progress)
    reports = []
    if delivered is not None and found.samples:
        others = list(benchmark.load(place)) if split is not None else ()
        reports = [
            check_outputs(found.samples, name, folder, others=others, progress=progress)
            for name, folder in editor_folders(delivered, editor, found.samples).items()
        ]

    def wanting(issues: Sequence[Issue]) -> list[Issue]:
        return [one for one in issues if one.level is Level.ATTENTION and one.kind not in ignore]

    return Checked(
        data=found,
        outputs=reports,
        of_data=wanting(found.issues),
        of_outputs=wanting([one for report in reports for one in report.issues]),
    )
