"""The whole way from Python: one benchmark's samples and one run folder, step by step.

Each step does what the command of its name does, on the same files, so that commands and programs
can take turns. Nothing is printed and nothing ends the process. Progress is a callback
``(done, total, note)``; what it raises ends the step, and what was done is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.errors import UsageError
from editgauge.run.material import Material
from editgauge.store.run import Run
from editgauge.types import Benchmark, Editor, Sample, Status, Track, Variant

if TYPE_CHECKING:
    from editgauge.judging.chat import Ask
    from editgauge.judging.command import Outcome
    from editgauge.judging.jobs import Stats
    from editgauge.judging.options import JudgeOptions
    from editgauge.run.edit import EditSummary, Made
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
        samples: Sequence[str] = (),
        where: Sequence[str] = (),
    ) -> None:
        place = None if data is None else Path(data)
        self.material = Material.open(
            benchmark, place, split=split, limit=limit, ids=samples, where=where
        )
        self.folder = Run.create(Path(run))
        self._split, self._data = split, place

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark's declaration."""
        return self.material.benchmark

    @property
    def samples(self) -> list[Sample]:
        """The samples that were chosen."""
        return self.material.samples

    @property
    def run(self) -> Path:
        """The run folder."""
        return self.folder.path

    @property
    def editors(self) -> list[str]:
        """The editors that the run has outputs of."""
        return sorted({record.editor for record in self.folder.edits(self.benchmark.name)})

    # -- steps -------------------------------------------------------------------------------------

    def edit(
        self,
        editor: str | Editor | Callable[..., Any],
        *,
        name: str = "",
        retry: Sequence[Status] = (),
        workers: int = 0,
        progress: Progress | None = None,
        **settings: object,
    ) -> EditSummary:
        """Make outputs: by an editor's name with its `settings`, by an `Editor`, or by a function
        of a picture and an instruction, or of a sample (then with a `name`; see
        `editors.function`). Finished samples are not edited again, but those that ended with a
        status in `retry`. Raises `UsageError` for a setting that the editor does not have.
        """
        from editgauge.run.edit import edit_material

        made = self._editor(editor, name, settings)
        return edit_material(
            self.material,
            self.folder,
            made,
            workers=workers,
            retry=frozenset(retry),
            progress=progress,
        )

    def score(
        self,
        *,
        outputs: Path | str | None = None,
        editors: Sequence[str] = (),
        tracks: Sequence[Track] = (),
        metrics: Sequence[Scorer] = (),
        retry: Sequence[Status] = (),
        weights: Path | str | None = None,
        device: str | None = None,
        precision: str | None = None,
        ocr_engine: str = "rapidocr",
        workers: int = 0,
        progress: Progress | None = None,
    ) -> Summary:
        """Score outputs: those below `outputs` (official layout), else those of the run.

        `tracks` default to those of the paper's table that need no weights; `metrics` are scorers
        of your own beside them (`editgauge.metric`). `weights`, `device` and `precision` are for
        networks. Rows with a status in `retry` are made again.
        """
        from editgauge.run.score import Scoring

        scoring = Scoring(
            self.material,
            self.folder,
            tracks=tracks,
            metrics=metrics,
            workers=workers,
            weights=None if weights is None else Path(weights),
            device=device,
            precision=precision,
            ocr_engine=ocr_engine,
        )
        scored = scoring.run(
            progress,
            outputs=None if outputs is None else Path(outputs),
            editors=editors,
            retry=frozenset(retry),
        )
        return scored.summary

    def judge(
        self,
        judge: str | JudgeOptions,
        *,
        ask: Ask | None = None,
        prompts: str = "ours",
        base_url: str = "",
        budget: float | None = None,
        price: str = "",
        repeat: int = 1,
        editors: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Outcome:
        """Ask a judge, named by its model, about the run's outputs. `ask` is a client of your own
        (see `judging.chat.Ask`); without it an OpenAI-compatible server is asked (`base_url`). All
        that can be set of a judge is in `JudgeOptions`, which may take the model's place.
        """
        from editgauge.judging import command
        from editgauge.judging.chat import FunctionClient
        from editgauge.judging.options import JudgeOptions, Selection
        from editgauge.judging.session import Session

        options = judge
        if isinstance(options, str):
            options = JudgeOptions(
                model=options,
                prompts=prompts,
                base_url=base_url,
                budget=budget,
                price=price,
                repeat=repeat,
            )
        chosen = Selection(
            run=self.run,
            editor=tuple(editors),
            split=self._split,
            sample=[sample.id for sample in self.samples],
        )
        client = None if ask is None else FunctionClient(ask)
        with Session(options, self.benchmark.name, self._data, chosen, client=client) as session:
            total = len(self.samples)

            def show(stats: Stats) -> None:
                if progress is not None:
                    progress(stats.done, max(total, stats.done), "judging")

            return command.run(session, progress=show)

    # -- reading -----------------------------------------------------------------------------------

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
        from editgauge.tables.layouts import Shown, tables

        shown = Shown(published=published, intervals=intervals, by=by)
        frames = rows.frames([self.folder], self.benchmark.name, side_by_side=True)
        return [table for frame in frames for table in tables(frame, variant, shown)]

    def compare(self, a: str, b: str, *, sources: Sequence[str] = ()) -> Comparison:
        """Two editors on the samples that both have. Raises `UsageError` where no metric has
        scores of both.
        """
        from editgauge.run.compare import compare
        from editgauge.tables import rows

        frames = rows.frames(
            [self.folder], self.benchmark.name, editors=[a, b], sources=list(sources)
        )
        comparisons = compare(frames, a, b)
        if not comparisons:
            raise UsageError(f"compare: no metric has scores of both {a!r} and {b!r}")
        return comparisons[0]

    def report(self, to: Path | str | None = None, *, copy_images: bool = False) -> Path:
        """Write the report; returns its page, which opens from disk."""
        from editgauge.reports import site
        from editgauge.run.report import parts_of

        parts = parts_of([self.folder], self.benchmark.name)
        target = self.run / "report" if to is None else Path(to)
        return site.build([self.folder], parts, target, copy_images=copy_images).page

    def __repr__(self) -> str:
        samples = f"{len(self.samples)} of {len(self.material.every)} samples"
        editors = ", ".join(self.editors) or "no editor"
        return f"<Evaluation of {self.benchmark.name} in {self.run}: {samples}, {editors}>"

    def _repr_html_(self) -> str:
        from editgauge.run.notebook import samples_as_html

        return samples_as_html(self.samples, self.folder, self.benchmark.name)

    def _editor(
        self, editor: str | Editor | Callable[..., Any], name: str, settings: dict[str, object]
    ) -> Made:
        """The editor, and what it was made of where that is a name and settings."""
        from editgauge.run.edit import Made, Request, make

        if isinstance(editor, str):
            return make(self.material, Request(editor=editor, settings=settings))
        if settings:
            raise UsageError(f"settings {', '.join(settings)}: belong to an editor's name")
        if isinstance(editor, Editor):
            return Made(editor=editor)
        from editgauge.editors.function import FunctionEditor

        if not name:
            raise UsageError("edit: a function wants a name: edit(function, name='my-model')")
        return Made(editor=FunctionEditor(editor, name))
