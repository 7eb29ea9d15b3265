"""Many runs named at once: patterns for their names, and room for their files."""

from __future__ import annotations

import contextlib
import glob
import os
from pathlib import Path

from editgauge.errors import UsageError
from editgauge.store.addresses import address_of, opened

FILES_A_RUN = 4
"""Files of a run that a reader has open at once: its database with its journal, and its rows."""
_SPARE = 256


def matching(path: Path) -> list[Path]:
    """The runs that a pattern with ``*``, ``?`` or ``[…]`` matches, by name; any other path, and
    one that is there under this very name, as it is. Raises `UsageError` where nothing matches.
    """
    if not glob.has_magic(str(path)) or os.path.lexists(path):
        return [path]
    address = address_of(path)
    if address is None:
        there = sorted(glob.glob(str(path)))
        found = [Path(one) for one in there if os.path.lexists(Path(one) / "run.sqlite")]
        told = f"{len(there)} files and folders, none of them a run" if there else "nothing"
    else:
        store = opened(address)
        scheme = address.partition("://")[0]
        names = store.call("glob", store.base)
        found = [Path(f"{scheme}://{name.lstrip('/')}") for name in sorted(names)]
        told = "nothing"
    if not found:
        raise UsageError(f"{path}: wanted a pattern of run folders, it matches {told}")
    return found


def room_for(runs: int) -> None:
    """Let this process have as many files open as reading so many runs takes, where the system
    allows it.
    """
    try:
        import resource
    except ImportError:  # Windows counts otherwise
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = runs * FILES_A_RUN + _SPARE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
