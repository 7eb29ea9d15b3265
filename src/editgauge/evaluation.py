"""The whole way from Python: one benchmark's samples and one run folder, step by step.

Each step does what the command of its name does, on the same files, so that commands and programs
can take turns. Nothing is printed and nothing ends the process. Progress is a callback
``(done, total, note)``; what it raises ends the step, and what was done is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.images import Array
from editgauge.types import VARIANTS, Benchmark, Dataset, Edit, Editor, Sample, Track, Variant

Progress = Callable[[int, int, str], None]


@dataclass(slots=True)
class FunctionEditor:
    """An editor that is a function of a sample. `function` returns the edited picture: an ndarray
    of shape (H, W, 3), uint8, RGB. What it raises is a failed edit with the reason.
    """

    function: Callable[[Sample], Array]
    name: str
    parallel: str = field(default="serial", init=False)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        from editgauge.images import write_png

        path = folder / "output.png"
        write_png(path, self.function(sample))
        return Edit(sample=sample.id, editor=self.name, path=path)


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
        from editgauge.store import selection
        from editgauge.store.run_folder import RunFolder

        folder = None if data is None else Path(data)
        if isinstance(benchmark, Benchmark):
            from editgauge.tables.contract import verify

            verify(benchmark)
            self.dataset: Dataset = benchmark.load(folder, split=split)
            self.benchmark, every = benchmark, list(self.dataset)
        else:
            self.benchmark, self.dataset, every = catalog.open_data(benchmark, folder, split)
        self.every = every
        self.samples: list[Sample] = selection.choose(every, limit=limit, ids=samples, where=where)
        self.folder = RunFolder.create(Path(run))
        self._split, self._data = split, folder

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
        editor: str | Editor | Callable[[Sample], Array],
        *,
        name: str = "",
        workers: int = 0,
        progress: Progress | None = None,
        **settings: Any,
    ) -> Any:
        """Make outputs: by an editor's name with its `settings`, by an `Editor`, or by a function
        of a sample (then with a `name`). Finished samples are not edited again. Returns a
        `run.edit.EditSummary`.
        """
        from editgauge.run.edit import edit
        from editgauge.store.samples import keep_samples

        made = self._editor(editor, name, settings)
        data = keep_samples(
            self.folder, self.benchmark.name, self.dataset.root, self.every, self.samples
        )
        summary = edit(
            self.folder,
            self.benchmark.name,
            self.samples,
            made,
            workers=workers,
            progress=progress,
        )
        self.folder.record(
            "edit",
            benchmark=self.benchmark.name,
            editor=summary.editor,
            data=data,
            counts=dict(summary.counts),
        )
        return summary

    def score(
        self,
        *,
        outputs: Path | str | None = None,
        editors: Sequence[str] = (),
        tracks: Sequence[Track] = (),
        workers: int = 0,
        progress: Progress | None = None,
        **options: Any,
    ) -> Any:
        """Score outputs: those below `outputs` (official layout), else those of the run. `tracks`
        default to what the paper's table needs; `options` go to the scorers (``ocr_engine``,
        ``weights``, ``device``…). Returns a `store.summary.Summary`.
        """
        from editgauge.run.score import score
        from editgauge.scoring.derived import derive
        from editgauge.scoring.outside import scorers_of
        from editgauge.store.collect import edits_of, tell
        from editgauge.store.hashes import HashStore
        from editgauge.store.samples import keep_samples

        wanted = list(tracks) or list(self.benchmark.main_tracks) or ["pixel"]
        found = scorers_of(
            self.benchmark,
            wanted,
            everything=not tracks,
            cache=self.folder.cache_folder,
            **options,
        )
        if not found.scorers:
            raise UsageError(f"{self.benchmark.name}: has no scorers of {', '.join(wanted)}")
        name = self.benchmark.name
        place = None if outputs is None else Path(outputs)
        with HashStore(self.folder.cache_folder / "hashes.sqlite") as hashes:
            data = keep_samples(
                self.folder, name, self.dataset.root, self.every, self.samples, hashes
            )
            edits = edits_of(self.folder, name, place, list(editors), self.samples, hashes)
            summary = score(
                self.folder,
                name,
                self.samples,
                edits,
                found.scorers,
                hashes=hashes,
                workers=workers,
                roots=[self.dataset.root],
                progress=progress,
            )
            edits = tell(self.folder, edits, self.samples)
        derive(self.folder, self.benchmark)
        self.folder.record(
            "score",
            benchmark=name,
            tracks=wanted,
            editors=sorted({record.editor for record in edits}),
            data=data,
            scorers={scorer.name: dict(scorer.origin()) for scorer in found.scorers},
            plugins=found.plugins,
            computed=summary.computed,
        )
        summary.problems += found.problems
        return summary

    def judge(
        self,
        model: str,
        *,
        ask: Callable[[Mapping[str, Any]], Any] | None = None,
        editors: Sequence[str] = (),
        prompts: str = "ours",
        progress: Progress | None = None,
        **options: Any,
    ) -> Any:
        """Ask a judge about the run's outputs. `ask` is a client of your own (see
        `judging.asked.Ask`); without it an OpenAI-compatible server is asked (``base_url``).
        `options` are those of `judging.session.Options`. Returns a `judging.outcome.Outcome`.
        """
        from editgauge.judging import command
        from editgauge.judging.asked import FunctionClient
        from editgauge.judging.session import Options, Selection, Session

        if ask is not None:
            options |= {"client": FunctionClient(ask), "allow_alias": True, "calibration": False}
        chosen = Selection(
            benchmark=self.benchmark.name,
            data=self._data,
            run=self.run,
            editors=tuple(editors),
            split=self._split,
            ids=[sample.id for sample in self.samples],
        )
        with Session(Options(model=model, prompts=prompts, **options), chosen) as session:
            total = len(self.samples)

            def show(stats: Any) -> None:
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
    ) -> list[Any]:
        """The paper's tables of this benchmark (`tables.table.Table`: ``to_dicts``, ``to_pandas``,
        ``to_polars``).
        """
        from editgauge.tables import rows
        from editgauge.tables.layouts import tables

        frames = rows.frames([self.folder], self.benchmark.name, side_by_side=True)
        return [
            table
            for frame in frames
            for table in tables(frame, variant, published=published, intervals=intervals, by=by)
        ]

    def compare(self, a: str, b: str, *, sources: Sequence[str] = ()) -> Any:
        """Two editors on the samples that both have: a `tables.compare.Comparison`."""
        from editgauge.tables import rows
        from editgauge.tables.compare import compare
        from editgauge.tables.layouts import metrics_of

        frame = rows.frames(
            [self.folder], self.benchmark.name, editors=[a, b], sources=list(sources)
        )[0]
        ways = {name: one.direction for name, one in metrics_of(frame).items()}
        return compare(frame, a, b, ways, variants=VARIANTS)

    def report(self, to: Path | str | None = None, *, copy_images: bool = False) -> Path:
        """Write the report; returns its page, which opens from disk."""
        from editgauge.reports import site
        from editgauge.reports.parts import part

        parts = [part([self.folder], self.benchmark.name, published=False, intervals=True)]
        target = self.run / "report" if to is None else Path(to)
        return site.build([self.folder], parts, target, copy_images=copy_images).page

    def _repr_html_(self) -> str:
        from editgauge.notebook import samples_as_html

        return samples_as_html(self.samples, self.folder, self.benchmark.name)

    def _editor(
        self, editor: str | Editor | Callable[[Sample], Array], name: str, settings: dict[str, Any]
    ) -> Editor:
        if isinstance(editor, str):
            made: Editor = catalog.find("editors", editor)(self.samples, **settings)
            return made
        if settings:
            raise UsageError(f"settings {', '.join(settings)}: belong to an editor's name")
        if isinstance(editor, Editor):
            return editor
        if not name:
            raise UsageError("edit: a function wants a name: edit(function, name='my-model')")
        return FunctionEditor(editor, name)
