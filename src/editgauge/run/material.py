"""The samples that a step works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge import catalog
from editgauge.store import selection
from editgauge.store.hashes import HashStore
from editgauge.store.remote import local_folder
from editgauge.store.run import Run
from editgauge.store.samples import Inputs
from editgauge.types import Benchmark, Dataset, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A benchmark's data: `every` sample of the part that was loaded, and the `samples` chosen."""

    benchmark: Benchmark
    dataset: Dataset
    every: list[Sample]
    samples: list[Sample]

    @classmethod
    def open(
        cls,
        benchmark: str | Benchmark,
        data: Path | None = None,
        *,
        split: str | None = None,
        limit: int | None = None,
        ids: Sequence[str] = (),
        where: Sequence[str] = (),
    ) -> Material:
        """The data of a benchmark, by its name or itself, in its released layout (None where it
        needs none). `limit`, `ids` and `where` (``attribute=value``) narrow the samples.

        Raises `DataError` for a folder that is not the benchmark's, `UnknownName` for a name that
        nothing has, `UsageError` where no sample is left.
        """
        if isinstance(benchmark, Benchmark):
            catalog.take(benchmark)
            dataset = benchmark.load(local_folder(data), split=split)
            every = list(dataset)
        else:
            benchmark, dataset, every = catalog.open_data(benchmark, data, split)
        chosen = selection.choose(every, limit=limit, ids=ids, where=where)
        return cls(benchmark=benchmark, dataset=dataset, every=every, samples=chosen)

    def keep(self, folder: Run, hashes: HashStore | None = None) -> str:
        """Keep the samples in the run; the fingerprint of the data, for the run's record. `hashes`
        as for `store.samples.Inputs`.
        """
        inputs = self.inputs(folder, hashes)
        inputs.keep(self.every)
        return inputs.digest()

    def inputs(self, folder: Run, hashes: HashStore | None = None) -> Inputs:
        """As `keep`, of which the caller says when: the index is written now."""
        name, root = self.benchmark.name, self.dataset.root
        return Inputs(folder, name, root, self.every, self.samples, hashes)
