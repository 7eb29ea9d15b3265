"""The folder of a report: made ours before anything is written to it, and never through a link."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from editgauge import __version__, temporary
from editgauge.errors import RunError
from editgauge.images import write_bytes
from editgauge.reports import diagnosis
from editgauge.store import paths
from editgauge.store.run import Run

MARKER = ".editgauge-report"
"""A file that says: this folder is a report of ours. Written first, so that a report that was
interrupted is taken up again.
"""


def claim(to: Path, runs: Sequence[Run]) -> Path:
    """Make the folder ours; clear what an older report left, but for the thumbnails. Returns its
    own path.
    """
    named = to.absolute()
    for run in runs:
        if named.is_relative_to(run.path):
            paths.no_links(run.path, _steps(named.relative_to(run.path)))
    to = to.resolve()
    try:
        temporary.sweep(to)  # a report that was killed at its first file left only that
        if to.exists() and any(to.iterdir()) and not _is_report(to):
            raise RunError(f"{to}: not empty, and not a report; name another folder with --to")
        paths.only_files(to, "")
        to.mkdir(parents=True, exist_ok=True)
        for above, _, _ in os.walk(to):  # what a killed report was writing
            temporary.sweep(Path(above))
        write_bytes(to / MARKER, f"editgauge {__version__}\n".encode())
        shutil.rmtree(to / "data", ignore_errors=True)
        shutil.rmtree(to / "figures", ignore_errors=True)
        shutil.rmtree(to / diagnosis.FOLDER, ignore_errors=True)
        (to / diagnosis.PAGE).unlink(missing_ok=True)
        (to / "static").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"{to}: the report cannot be written ({error.strerror}); name another folder with --to"
        ) from error
    return to


def _is_report(to: Path) -> bool:
    """Whether a folder that is not empty is a report: it says so, or it is one of an earlier
    version.
    """
    if os.path.lexists(to / MARKER):
        return True
    return all((to / name).is_file() for name in ("index.html", "static/app.js"))


def _steps(place: Path) -> list[str]:
    """A folder below a run and those above it, up to the run."""
    return [step.as_posix() for step in (place, *place.parents) if step.parts]
