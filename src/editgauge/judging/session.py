"""What `editgauge judge` is put together from: data, outputs, server, store, and how it is told to
the user.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.judging import models, trust
from editgauge.judging.agreement import agreement, spread
from editgauge.judging.cache import ReplyStore
from editgauge.judging.calls import Judging
from editgauge.judging.client import Client
from editgauge.judging.engine import Engine, Settings, Stats
from editgauge.judging.pictures import PictureStore
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.run import SCORER, JudgeRun
from editgauge.judging.run import judge as judge_all
from editgauge.services.cost import Budget, Price, load_prices, price_of
from editgauge.services.throttle import Gate
from editgauge.store import selection
from editgauge.store.collect import edits_of as find_edits
from editgauge.store.hashes import HashStore
from editgauge.store.run_folder import EditRecord, RunFolder
from editgauge.store.samples import keep_samples
from editgauge.types import Benchmark, Sample, Status

CALIBRATE_FROM = 200
"""Calls from which on a run pays for the frozen calibration set as well (some thirty calls)."""


def words(text: str) -> frozenset[str]:
    return frozenset(filter(None, (part.strip() for part in text.split(","))))


def options(pairs: Sequence[str]) -> dict[str, Any]:
    """``key=value`` options of a protocol; ``true`` and ``false`` are booleans."""
    found = selection.settings(pairs)
    return {
        name: {"true": True, "false": False}.get(value.lower(), value)
        for name, value in found.items()
    }


def retried(text: str) -> frozenset[Status]:
    """``failed,refused`` as statuses. Raises `UsageError` for one that a reply cannot have."""
    found = selection.statuses(text)
    fine = {Status.FAILED, Status.REFUSED, Status.UNPARSABLE}
    if found - fine:
        raise UsageError(f"--retry {text!r}: wanted failed, refused or unparsable")
    return found


def judging_of(benchmark: Benchmark) -> Judging:
    """A benchmark's judge track. Raises `UsageError` when it has none."""
    if benchmark.judging is None:
        raise UsageError(f"{benchmark.name}: this benchmark has no judge track")
    found: Judging = benchmark.judging()
    return found


@dataclass(slots=True)
class Setup:
    """Everything that a judge command was told, and, after `load`, what it works on."""

    model: str
    base_url: str | None
    run: Path
    outputs: Path | None
    editors: list[str]
    dimensions: frozenset[str]
    options: dict[str, Any]
    rubrics: Path | None
    replies: Path | None
    concurrency: int
    repeats: int
    retry: frozenset[Status]
    repair: bool
    timeout: float
    deadline: float
    budget: float | None
    prices: Path | None
    offline: bool
    allow_alias: bool
    calibration: bool | None = None
    warnings: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    edits: list[EditRecord] = field(default_factory=list)
    data_hash: str = ""
    price: Price | None = None
    todo: JudgeRun = field(init=False)
    _stack: ExitStack = field(default_factory=ExitStack)

    def load(
        self,
        benchmark: str,
        data: Path | None,
        *,
        split: str | None,
        limit: int | None,
        ids: Sequence[str],
        where: Sequence[str],
    ) -> None:
        """Read the data, find the outputs, open the stores. Raises `UsageError` and `DataError`
        before any cost.
        """
        models.check_alias(self.model, self.allow_alias or self.offline)
        self.price = price_of(self.model, load_prices(self.prices))
        if self.budget is not None and self.price is None:
            raise UsageError(
                f"--budget: the price of {self.model} is not known; give it with --prices FILE"
            )
        bench, dataset, samples = catalog.open_data(benchmark, data, split)
        judging = judging_of(bench)
        rubrics = RubricFolder(bench.rubrics or {}, self.rubrics)
        if unknown := rubrics.unknown_files(judging.rubric_names()):
            names = ", ".join(judging.rubric_names())
            raise UsageError(
                f"--rubrics: {unknown[0]} replaces no rubric of {bench.name}; there are: {names}"
            )
        known = {metric.name for metric in judging.metrics}
        if self.dimensions - known:
            wanted = ", ".join(sorted(known))
            raise UsageError(
                f"--dimensions {sorted(self.dimensions - known)[0]!r}: wanted some of {wanted}"
            )
        self.samples = selection.choose(samples, limit=limit, ids=ids, where=where)
        folder = RunFolder.create(self.run)
        self.data_hash = keep_samples(folder, bench.name, dataset.root, samples, self.samples)
        hashes = self._stack.enter_context(HashStore(folder.cache_folder / "hashes.sqlite"))
        self.edits = find_edits(
            folder, bench.name, self.outputs, self.editors, self.samples, hashes
        )
        store = self._stack.enter_context(ReplyStore(self.replies or folder.replies_path))
        settings = Settings(
            self.model,
            retry=frozenset(status.value for status in self.retry),
            repair=self.repair,
            deadline=self.deadline,
            offline=self.offline,
        )
        engine = Engine(
            Client(self.base_url, timeout=self.timeout, connections=self.concurrency),
            store,
            PictureStore(hashes),
            Gate(self.concurrency),
            settings,
            price=self.price,
            budget=Budget(self.budget),
        )
        self.todo = JudgeRun(
            folder,
            bench.name,
            judging,
            rubrics,
            engine,
            self.repeats,
            self.retry,
            self.options,
            self.dimensions,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._stack.close()


# --- judging ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Outcome:
    """What a judge command did."""

    setup: Setup
    complete: bool
    interrupted: bool
    notes: list[str] = field(default_factory=list)

    @property
    def broke(self) -> bool:
        return self.setup.todo.engine.broke

    @property
    def without_score(self) -> int:
        return _without_score(self.setup.todo)

    def as_json(self) -> dict[str, Any]:
        todo, stats = self.setup.todo, self.setup.todo.engine.stats
        return {
            "run": str(self.setup.run),
            "benchmark": todo.benchmark,
            "judge": todo.source,
            "answered": todo.engine.answered,
            "complete": self.complete,
            "interrupted": self.interrupted,
            "over_budget": self.broke,
            **facts(stats),
            "refused_by_category": todo.refused,
            "rows_made": todo.summary.computed,
            "rows_kept": todo.summary.kept,
            "without_score": self.without_score,
            "counts": [
                {"editor": e, "metric": m, "variant": v, "statuses": dict(counter)}
                for (e, _, m, v), counter in sorted(todo.summary.counts.items())
            ],
            "notes": self.notes,
        }

    def lines(self) -> list[str]:
        todo, stats = self.setup.todo, self.setup.todo.engine.stats
        out = []
        totals: dict[str, Counter[str]] = {}
        for (editor, _, _, variant), counter in todo.summary.counts.items():
            if variant == "corrected":
                totals.setdefault(editor, Counter()).update(counter)
        for editor, counter in sorted(totals.items()):
            told = ", ".join(
                f"{n} {status.replace('_', ' ')}" for status, n in counter.most_common()
            )
            out.append(f"{editor}: {told}")
        out += [f"refused in {category}: {n}" for category, n in sorted(todo.refused.items())]
        out += [f"note: {note}" for note in self.notes]
        answered = (
            f" (answered by {todo.engine.answered})"
            if todo.engine.answered != self.setup.model
            else ""
        )
        out.append(f"judge: {todo.source}{answered if todo.engine.answered else ''}")
        money = f", {stats.spent:.4f} US dollars" if self.setup.price is not None else ""
        out.append(
            f"{stats.asked} requests, {stats.stored} replies from the store, {stats.tokens_in:,} "
            f"tokens in, "
            f"{stats.tokens_out:,} out{money}"
        )
        out.append(f"{todo.summary.computed} rows made now, {todo.summary.kept} were there")
        out.append(f"rows:  {self.setup.run}")
        if self.broke:
            out.append(
                "stopped: the next call could pass the budget; the same command goes on from here"
            )
        elif self.interrupted or not self.complete:
            out.append("stopped; the same command goes on from here")
        else:
            out.append(f"next:  editgauge table {self.setup.run} --benchmark {todo.benchmark}")
        return out


def run(setup: Setup, *, quiet: bool = False) -> Outcome:
    """Judge, with a live line; Ctrl-C ends what is in flight, a second Ctrl-C drops it."""
    todo = setup.todo
    interrupted = False
    notes: list[str] = []
    complete = False

    async def main() -> bool:
        nonlocal interrupted
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()

        def on_signal() -> None:
            nonlocal interrupted
            if interrupted and task is not None:
                task.cancel()
            interrupted = True
            todo.engine.stop()
            print(
                "stopping: waiting for calls in flight (Ctrl-C again drops them)", file=sys.stderr
            )

        with suppress(
            NotImplementedError, RuntimeError, ValueError
        ):  # not the main thread, or not Unix
            loop.add_signal_handler(signal.SIGINT, on_signal)
        async with todo.engine.client:
            if not setup.offline:
                listed = await todo.engine.client.get(f"/models/{setup.model}")
                if warning := models.end_warning(setup.model, listed):
                    notes.append(warning)
                    print(f"warning: {warning}", file=sys.stderr)
            complete = await judge_all(todo, setup.samples, setup.edits, live_line(quiet, setup))
            if complete and not setup.offline and _wants_calibration(setup):
                mark = str(todo.run.manifest().get("created", ""))
                judging = judging_of(catalog.find("benchmarks", "mini"))
                notes.extend((await trust.calibrate(todo.engine, judging, mark)).lines())
            return complete

    began = time.monotonic()
    try:
        complete = asyncio.run(main())
    except asyncio.CancelledError:
        interrupted = True
    except KeyboardInterrupt:
        interrupted = True
    finally:
        stats = todo.engine.stats
        todo.run.record(
            "judge",
            benchmark=todo.benchmark,
            judge=todo.source,
            model=setup.model,
            answered=todo.engine.answered,
            server=todo.engine.client.host,
            protocol=todo.protocol,
            options=dict(todo.options),
            repeats=setup.repeats,
            editors=sorted({record.editor for record in setup.edits}),
            data=setup.data_hash,
            samples=len(setup.samples),
            complete=complete,
            seconds=round(time.monotonic() - began, 3),
            **facts(stats),
        )
    if not quiet and sys.stderr.isatty():
        print(file=sys.stderr)
    notes += agreements(todo)
    return Outcome(setup, complete and not interrupted, interrupted, notes)


def _wants_calibration(setup: Setup) -> bool:
    if setup.calibration is not None:
        return setup.calibration
    return setup.todo.engine.stats.asked >= CALIBRATE_FROM


def agreements(todo: JudgeRun) -> list[str]:
    """How far this judge agrees with the others that judged the same edits in this run, and with
    its own repeats.
    """
    scores: dict[str, dict[str, dict[tuple[str, str], dict[int, float]]]] = {}
    for row in todo.run.rows():
        if (
            row.scorer == SCORER
            and row.benchmark == todo.benchmark
            and row.variant == "corrected"
            and row.value is not None
        ):
            by_edit = scores.setdefault(row.metric, {}).setdefault(row.source, {})
            by_edit.setdefault((row.sample, row.editor), {})[row.repeat] = row.value
    out = []
    for metric, sources in sorted(scores.items()):
        own = sources.get(todo.source, {})
        for other, theirs in sorted(sources.items()):
            both = [edit for edit in own if edit in theirs and 0 in own[edit] and 0 in theirs[edit]]
            if other == todo.source or not both:
                continue
            found = agreement([theirs[edit][0] for edit in both], [own[edit][0] for edit in both])
            kappa = "not defined" if found.kappa is None else f"{found.kappa:.3f}"
            out.append(
                f"{metric}: agreement with {other}: kappa {kappa}, mean difference "
                f"{found.mae:.3f}, "
                f"bias {found.bias:+.3f}, {found.n} edits"
            )
        spreads = [
            value for value in spread([list(r.values()) for r in own.values()]) if value is not None
        ]
        if spreads:
            same = sum(value == 0 for value in spreads) / len(spreads)
            mean = sum(spreads) / len(spreads)
            out.append(
                f"{metric}: repeats: mean spread {mean:.3f}, the same score every time for "
                f"{same:.0%} of edits"
            )
    return out


def facts(stats: Stats) -> dict[str, Any]:
    """The counts of a run as JSON."""
    return {
        "done": stats.done,
        "requests": stats.asked,
        "from_store": stats.stored,
        "refused": stats.refused,
        "failed": stats.failed,
        "unparsable": stats.unparsable,
        "repaired": stats.repaired,
        "tokens_in": stats.tokens_in,
        "tokens_cached": stats.tokens_cached,
        "tokens_out": stats.tokens_out,
        "dollars": round(stats.spent, 6),
    }


def live_line(quiet: bool, setup: Setup) -> Any:
    """A progress callback: one line rewritten on a terminal, a line every ten seconds in a log."""
    if quiet:
        return None
    total = (
        sum(len(setup.todo.calls(s, e.edit(setup.todo.run.path))) for s, e in _pairs(setup))
        * setup.repeats
    )
    terminal = sys.stderr.isatty()
    last = 0.0

    def show_line(stats: Stats) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < (0.2 if terminal else 10.0):
            return
        last = now
        rate = stats.done / max(1e-9, now - stats.began)
        left = f"{(total - stats.done) / rate:.0f} s left" if rate and total > stats.done else ""
        money = f" · ${stats.spent:.2f}" if setup.price is not None else ""
        line = (
            f"{stats.done} of {total} · {rate:.1f}/s{money} · {stats.refused} refused · "
            f"{stats.failed} failed · "
            f"{stats.unparsable} unparsable · {left}"
        )
        print(
            f"\r\x1b[K{line}" if terminal else line,
            end="" if terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    return show_line


def _pairs(setup: Setup) -> list[tuple[Sample, EditRecord]]:
    known = {sample.id: sample for sample in setup.samples}
    return [
        (known[e.sample], e)
        for e in setup.edits
        if e.sample in known and e.path and known[e.sample].fault is None
    ]


def _without_score(todo: JudgeRun) -> int:
    fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
    return sum(
        n
        for (_, _, _, variant), counter in todo.summary.counts.items()
        if variant == "corrected"
        for status, n in counter.items()
        if status not in fine
    )
