"""A run on a hub of data sets: sent as one commit, brought back from one.

Sent is what a reader of the run needs. Left out are caches, reports (they are made again), studies
with their annotators' links, and hidden files. A run that holds a link is not sent: what it leads
to would be.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from editgauge import __version__
from editgauge.errors import UsageError
from editgauge.services.hub import CARD, LOCK_FILE, Fetched, Pushed, fetch_dataset
from editgauge.services.hub import push as push_folder
from editgauge.store import paths
from editgauge.store.run import Run
from editgauge.study.ratings import FOLDER as STUDIES
from editgauge.types import DataSource

LEFT_OUT = ("cache", "report", STUDIES)
PICTURES = ("inputs", "edits")
BRANCH = "main"


def files_of(run: Run, *, pictures: bool = True) -> list[str]:
    """The files of a run that are sent, by their paths below it. Raises `RunError` for a link."""
    run.settle()
    found = []
    left = LEFT_OUT if pictures else (*LEFT_OUT, *PICTURES)
    for above, folders, names in os.walk(run.path):
        place = PurePosixPath(Path(above).relative_to(run.path).as_posix())
        if not place.parts:
            folders[:] = [name for name in folders if name not in left]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in folders:
            paths.no_links(run.path, [str(place / name)])
        found += [(place / name).as_posix() for name in names if not name.startswith(".")]
    found = [name for name in found if not name.endswith(("-wal", "-shm"))]
    for name in found:
        os.close(paths.open_read(run.path / name))
    return sorted(name for name in found if name != CARD)


def push(run: Run, repo: str, *, private: bool = True, pictures: bool = True) -> Pushed:
    """Send a run. Raises as `files_of` and `services.hub.push`."""
    chosen = files_of(run, pictures=pictures)
    message = f"{run.path.name}, by editgauge {__version__}"
    return push_folder(
        run.path, chosen, repo, card=card(run, repo), private=private, message=message
    )


def pull(repo: str, target: Path, *, revision: str | None = None) -> Fetched:
    """Bring a run to `target`, at a commit, branch or tag; what the branch was is written into the
    folder, and a later call goes on at it. Raises `UsageError` where it is no run, and as
    `hub.fetch_dataset`.
    """
    begun = any((target / name).exists() for name in ("run.sqlite", LOCK_FILE))
    if target.exists() and not begun and any(target.iterdir()):
        raise UsageError(f"{target}: not empty, and no run; name another folder")
    source = DataSource(repo, "", BRANCH)
    done = fetch_dataset(source, target, revision=revision, repo=repo)
    if not (target / "run.sqlite").is_file():
        raise UsageError(f"{repo} at {done.commit}: no run of editgauge (no run.sqlite)")
    return done


def card(run: Run, repo: str) -> str:
    """What the hub's page of the run says."""
    lines = [
        "---",
        "license: other",
        "license_name: see-below",
        "viewer: false",
        "tags: [editgauge, image-editing]",
        "---",
        "",
        f"# {repo}",
        "",
        "A run of editgauge: outputs of image editors, their scores, and what made them.",
        "",
    ]
    for name in run.benchmarks():
        editors = sorted({record.editor for record in run.edits(name)})
        lines.append(f"- {name}: {len(editors)} editors")
    lines += [
        "",
        f"    editgauge fetch {repo} --to runs/{run.path.name}",
        "",
        "Inputs, references and masks are the benchmark's, under the benchmark's terms.",
        "Outputs made from them may be bound by the same terms.",
        "",
    ]
    return "\n".join(lines)
