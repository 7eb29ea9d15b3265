"""`editgauge fetch`: weights of networks, and benchmarks' official data, with checksums."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.options import JsonOpt, WeightsOpt

if TYPE_CHECKING:
    from editgauge.networks.weights import Weights

_EXAMPLE = "Example: editgauge fetch weights lpips-squeeze"
_MB = 1_000_000


def register(app: typer.Typer) -> None:
    app.command("fetch", epilog=_EXAMPLE)(fetch)


def fetch(
    what: Annotated[
        str,
        typer.Argument(
            help="weights, prompts, or a benchmark: texteditbench, textedit, medebench, krisbench."
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="With weights: which; without names they are listed. With prompts: the benchmark."
        ),
    ] = None,
    weights: WeightsOpt = None,
    trust_first_use: Annotated[
        bool,
        typer.Option(
            "--trust-first-use",
            help="Accept a file without a published checksum, and record what it is.",
        ),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Folder for a benchmark's data. Default: data/<name>."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", help="With prompts: the run that gets the paper's prompts."),
    ] = None,
    clone: Annotated[
        Path | None,
        typer.Option("--from", help="With prompts: a local clone of the authors' repository."),
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(
            "--revision", help="Commit, branch or tag of a benchmark's data; recorded as a commit."
        ),
    ] = None,
    repo: Annotated[
        str | None, typer.Option("--repo", help="Another data set on the hub, owner/name.")
    ] = None,
    json: JsonOpt = False,
) -> None:
    """Fetch network weights or a benchmark's official data; continues where it stopped, verifies
    every file.
    """
    if what == "weights":
        _weights(names or [], weights, trust_first_use, json)
    elif what == "prompts":
        _prompts(names or [], run, to, clone, json)
    else:
        _benchmark(what, names or [], to, revision, repo, json)


def _weights(names: list[str], folder: Path | None, trust_first_use: bool, json: bool) -> None:
    from editgauge.cli import common
    from editgauge.networks import weights as table

    if not names:
        listed = [_listed(entry, folder) for entry in table.WEIGHTS.values()]
        if json:
            common.print_json({"folder": str(table.folder(folder)), "weights": listed})
            return
        print(f"folder: {table.folder(folder)}")
        for entry in listed:
            size = f"{entry['size'] / _MB:.1f} MB" if entry["size"] else "size unknown"
            print(
                f"{entry['name']:<26} {entry['state']:<9} {size:>14}  {entry['licence']}; "
                f"{entry['used_for']}"
            )
        return
    for name in names:
        table.find(name)
    done: list[dict[str, Any]] = []
    for name in names:
        found = table.fetch(
            name, folder, trust_first_use=trust_first_use, progress=_bytes_shown(name, json)
        )
        done.append(
            {
                "name": name,
                "files": {file: str(path) for file, path in found.paths.items()},
                **found.identity,
            }
        )
        if not json:
            print(f"{name}: {len(found.paths)} files here and verified, in {table.folder(folder)}")
    if json:
        common.print_json({"weights": done})
    else:
        print("next:  editgauge score BENCHMARK DATA --tracks embedding --run RUN")


def _prompts(
    names: list[str], run: Path | None, to: Path | None, clone: Path | None, json: bool
) -> None:
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.judging import choice, paper
    from editgauge.store.run_folder import RunFolder

    if len(names) != 1 or (run is None) == (to is None):
        raise UsageError("fetch prompts: wanted one benchmark, and --run RUN or --to FOLDER")
    benchmark = catalog.find("benchmarks", names[0])
    released = choice.declared(benchmark)
    if run is not None:
        RunFolder.create(run)
    target = to or choice.folder_of(run or Path(), benchmark.name)
    made = paper.fetch(released, target, clone=clone, progress=_bytes_shown("prompts", json))
    if json:
        common.print_json(
            {"set": made.name, "fingerprint": made.fingerprint, "to": str(target)}
            | {"calls": list(made.calls), "source": dict(made.source)}
        )
        return
    if released.note:
        print(f"note: {released.note}", file=sys.stderr)
    print(f"{benchmark.name}: {len(made.calls)} prompts from {released.repository}, in {target}")
    shown = f"--prompts paper --run {run}" if run else f"--prompts {target}"
    print(f"next:  editgauge prompts show {benchmark.name} {shown}")


def _listed(entry: Weights, folder: Path | None) -> dict[str, Any]:
    from editgauge.errors import WeightsError
    from editgauge.networks import weights as table

    try:
        table.locate(entry.name, folder)
        state = "here"
    except WeightsError as error:
        state = "not here" if "not here" in str(error) else "wrong"
    return {
        "name": entry.name, "title": entry.title, "state": state, "size": entry.size,
        "licence": entry.licence,
        "source": entry.source, "revision": entry.revision, "used_for": entry.used_for,
        "command": entry.command,
        "files": {file.name: file.sha256 for file in entry.files},
    }  # fmt: skip


def _benchmark(
    name: str, more: list[str], to: Path | None, revision: str | None, repo: str | None, json: bool
) -> None:
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.services.hub import fetch_dataset

    if more:
        raise UsageError(
            f"fetch {name} {' '.join(more)}: a benchmark is fetched alone; names belong to weights"
        )
    benchmark = catalog.find("benchmarks", name)
    source = benchmark.data
    if source is None:
        raise UsageError(
            f"{benchmark.name}: there is nothing to fetch (built in, or its package names no "
            f"source)"
        )
    target = to or Path("data") / benchmark.name
    if source.note and not json:
        print(f"note: {source.note}", file=sys.stderr)
    found = fetch_dataset(source, target, revision=revision, repo=repo, progress=_files_shown(json))
    if json:
        common.print_json(
            {
                "benchmark": benchmark.name,
                "repo": found.repo,
                "commit": found.commit,
                "files": found.files,
                "new": found.new,
                "bytes": found.bytes,
                "archives": list(found.archives),
                "to": str(target),
            }
        )
        return
    print(
        f"{found.repo} at {found.commit}: {found.files} files, {found.bytes / _MB:.1f} MB, "
        f"{found.new} of them new"
    )
    for archive in found.archives:
        print(f"note: unpack {target / archive} before scoring")
    print(f"data:  {target}")
    print(f"next:  editgauge check {benchmark.name} {target}")


def _bytes_shown(name: str, json: bool) -> Any:
    """A progress line every tenth of a file (every 100 MB where the size is unknown), on standard
    error.
    """
    shown = -1

    def show(have: int, wanted: int | None) -> None:
        nonlocal shown
        step = 10 * have // wanted if wanted else have // (100 * _MB)
        if step != shown and not json:
            shown = step
            of = f" of {wanted / _MB:.1f}" if wanted else ""
            print(f"{name}: {have / _MB:.1f}{of} MB", file=sys.stderr)

    return show


def _files_shown(json: bool) -> Any:
    shown = -1

    def show(done: int, wanted: int) -> None:
        nonlocal shown
        step = 20 * done // max(1, wanted)
        if step != shown and not json:
            shown = step
            print(f"{done} of {wanted} files", file=sys.stderr)

    return show
