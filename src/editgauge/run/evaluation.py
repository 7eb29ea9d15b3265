"""One benchmark's samples and one run folder from Python: each step does what its command does and
prints nothing. What the callback ``(done, total, note)`` raises ends the step; work is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.errors import UsageError
from editgauge.run.material import Material
from editgauge.store.run import Run
from editgauge.store.selection import one_of, several, statuses
from editgauge.types import VARIANTS, Benchmark, Editor, JsonObject, Sample, Status, Track, Variant

if TYPE_CHECKING:
    from editgauge.judging.asking import Stats
    from editgauge.judging.chat import Ask
    from editgauge.judging.command import Outcome
    from editgauge.judging.options import JudgeOptions
    from editgauge.run.edit import EditSummary
    from editgauge.scoring.scorer import Scorer
    from editgauge.store.summary import Summary
    from editgauge.tables.compare import Comparison
    from editgauge.tables.table import Table

Progress = Callable[[int, int, str], None]


class Evaluation:
    """A benchmark's data and a run folder.

    `benchmark` is a name or a `Benchmark`, `data` the folder of the released data (None for
    ``mini``). `limit`, `samples` and `where` (``attribute=value``) narrow the samples as the
    commands' options do. Raises `DataError` for a folder that is not the benchmark's, `UsageError`
    for a name that nothing has.
    """

    def __init__(
        self,
        benchmark: str | Benchmark,
        data: Path | str | None = None,
        *,
        run: Path | str,
        split: str | None = None,
        limit: int | None = None,
        samples: str | Sequence[str] = (),
        where: str | Sequence[str] = (),
    ) -> None:
        self._split, self._data = split, None if data is None else Path(data)
        narrowed: JsonObject = {"limit": limit, "ids": samples, "where": where}
        self.material = Material.open(benchmark, self._data, split=split, **narrowed)
        self.benchmark: Benchmark = self.material.benchmark
        self.samples: list[Sample] = self.material.samples
        self.folder = Run.create(Path(run))
        self.run = self.folder.path

    @property
    def editors(self) -> list[str]:
        """The editors that the run has outputs of."""
        return sorted({record.editor for record in self.folder.edits(self.benchmark.name)})

    def edit(
        self,
        editor: str | Editor | Callable[..., Any],
        *,
        name: str = "",
        retry: Status | Sequence[Status] = (),
        workers: int = 0,
        progress: Progress | None = None,
        **settings: object,
    ) -> EditSummary:
        """Make outputs: by an editor's name with its `settings`, by an `Editor`, or by a function
        with a `name` (see `editors.function`). Finished samples are not edited again, but those
        that ended with a status in `retry`. Raises `UsageError` for a setting that there is not.
        """
        from editgauge.editors.function import FunctionEditor
        from editgauge.run.edit import Made, edit_material, make

        if isinstance(editor, str):
            work = make(self.material, editor, settings)
        elif settings:
            raise UsageError(f"settings {', '.join(settings)}: belong to an editor's name")
        elif isinstance(editor, Editor):
            work = Made(editor)
        elif name:
            work = Made(FunctionEditor(editor, name))
        else:
            raise UsageError("edit: a function wants a name: edit(function, name='my-model')")
        again = statuses(",".join(several(retry)))
        limits: JsonObject = {"workers": workers, "retry": again, "progress": progress}
        return edit_material(self.material, self.folder, work, **limits)

    def score(
        self,
        *,
        outputs: Path | str | None = None,
        editors: str | Sequence[str] = (),
        tracks: Track | Sequence[Track] = (),
        metrics: Sequence[Scorer] = (),
        retry: Status | Sequence[Status] = (),
        weights: Path | str | None = None,
        device: str | None = None,
        ocr_engine: str = "rapidocr",
        workers: int = 0,
        progress: Progress | None = None,
    ) -> Summary:
        """Score outputs: those below `outputs` (official layout), else those of the run.

        `tracks` default to those of the paper's table that need no weights; `metrics` are scorers
        of your own beside them (`editgauge.metric`). `weights` and `device` are for
        networks. Rows with a status in `retry` are made again.
        """
        from editgauge.run.score import Scoring
        from editgauge.run.tracks import tracks_of

        options: JsonObject = {"device": device, "ocr_engine": ocr_engine, "workers": workers}
        options["weights"] = None if weights is None else Path(weights)
        wanted = tracks_of(",".join(several(tracks)))
        scoring = Scoring(self.material, self.folder, tracks=wanted, metrics=metrics, **options)
        place = None if outputs is None else Path(outputs)
        again = statuses(",".join(several(retry)))
        limits: JsonObject = {"editors": several(editors), "retry": again}
        return scoring.run(progress, outputs=place, **limits).summary

    def judge(
        self,
        judge: str | JudgeOptions,
        *,
        ask: Ask | None = None,
        editors: str | Sequence[str] = (),
        progress: Progress | None = None,
        **options: Any,
    ) -> Outcome:
        """Ask a judge about the run's outputs: a model's name with `options` (``prompts``,
        ``base_url``, ``budget``, ``price``, ``repeat``…), or a `JudgeOptions`. `ask` is a client of
        your own (see `judging.chat.Ask`); without it an OpenAI-compatible server is asked.
        """
        from editgauge.judging import command
        from editgauge.judging.chat import FunctionClient
        from editgauge.judging.options import JudgeOptions, Selection
        from editgauge.judging.session import Session

        asked = JudgeOptions(model=judge, **options) if isinstance(judge, str) else judge
        ids, total = [sample.id for sample in self.samples], len(self.samples)
        what = Selection(run=self.run, editor=several(editors), split=self._split, sample=ids)
        client = None if ask is None else FunctionClient(ask)

        def show(stats: Stats) -> None:
            if progress is not None:
                progress(stats.done, max(total, stats.done), "judging")

        with Session(asked, self.benchmark.name, self._data, what, client=client) as session:
            return command.run(session, progress=show)

    def tables(
        self,
        variant: Variant = "faithful",
        *,
        published: bool = False,
        intervals: bool = False,
        by: str = "",
    ) -> list[Table]:
        """The paper's tables of this benchmark."""
        from editgauge.tables import rows
        from editgauge.tables.build import Shown
        from editgauge.tables.layouts import tables

        one_of("variant", variant, VARIANTS)
        shown = Shown(published=published, intervals=intervals, by=by)
        frames = rows.frames([self.folder], self.benchmark.name, side_by_side=True)
        return [table for frame in frames for table in tables(frame, variant, shown)]

    def compare(self, a: str, b: str, *, sources: str | Sequence[str] = ()) -> Comparison:
        """Two editors on the samples that both have: B against A. Raises `UsageError` where no
        metric has scores of both.
        """
        from editgauge.run.compare import compare
        from editgauge.tables import rows

        chosen: JsonObject = {"editors": [a, b], "sources": several(sources)}
        return compare(rows.frames([self.folder], self.benchmark.name, **chosen), a, b)[0]

    def report(self, to: Path | str | None = None, *, copy_images: bool = False) -> Path:
        """Write the report; returns its page, which opens from disk."""
        from editgauge.reports import site
        from editgauge.run.report import parts_of

        parts = parts_of([self.folder], self.benchmark.name)
        target = self.run / "report" if to is None else Path(to)
        return site.build([self.folder], parts, target, copy_images=copy_images)

    def __repr__(self) -> str:
        samples = f"{len(self.samples)} of {len(self.material.every)} samples"
        editors = ", ".join(self.editors) or "no editor"
        return f"<Evaluation of {self.benchmark.name} in {self.run}: {samples}, {editors}>"

    def _repr_html_(self) -> str:
        from editgauge.run.notebook import samples_as_html

        return samples_as_html(self.samples, self.folder, self.benchmark.name)
