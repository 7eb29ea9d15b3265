"""Runs that are read where they lie: of a run on a store the rows stay there, and come column by
column; pictures are not fetched at all.
"""

from __future__ import annotations

from pathlib import Path

from editgauge.store import remote_run
from editgauge.store.addresses import address_of, opened
from editgauge.store.ranges import place_of
from editgauge.store.run_folder import EDIT_SEGMENTS, ROW_SEGMENTS, RunFolder

_READING = "reading"


class StoreRun(RunFolder):
    """A run whose rows are one Parquet file of a store. Everything else is a copy of this machine;
    it has no pictures.
    """

    place = ""

    def _has_here(self, name: str) -> bool:
        return not name.startswith(f"{ROW_SEGMENTS}/")

    def parquet(self) -> list[Path | str]:
        return [self.place]


def readable(run: Path, *, pictures: bool = False) -> RunFolder:
    """A run to be read: a folder of this machine, or an address. Without `pictures` nothing of a
    run on a store is fetched but its records, and its rows only where they were not yet compacted.

    Raises `RunError` where there is no run, `DownloadError` when the store does not answer.
    """
    address = address_of(run)
    own = None if address is None else remote_run.folder_of(address)
    if address is None or own is None or pictures or (own / "manifest.json").exists():
        return RunFolder.open(remote_run.fetched(run).resolve())  # also what is not handed over yet
    store = opened(address)
    state = remote_run.read_state(store)
    if not state.names:
        return RunFolder.open(remote_run.fetched(run).resolve())  # which says what is wrong
    folder = own.parent / _READING / own.name
    folder.mkdir(parents=True, exist_ok=True)
    names = [name for name in state.files if name.startswith(f"{EDIT_SEGMENTS}/")]
    if state.parquet is None:
        remote_run.bring(store, folder, state, [*names, *state.segments])
        return RunFolder.open(folder.resolve())
    remote_run.bring(store, folder, state, names)
    opened_run = StoreRun.open(folder.resolve())
    opened_run.place = place_of(store, state.parquet[0])
    return opened_run
