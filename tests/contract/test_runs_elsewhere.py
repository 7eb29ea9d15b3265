"""Runs from elsewhere: moved, zipped, read-only, on a full disk, and a stranger's with links."""

from __future__ import annotations

import os
import resource
import shutil
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.contract.faults import (
    PICTURES,
    cells,
    content,
    copy_of,
    files,
    named,
    sealed,
    small_disk,
    without_locks,
)
from tests.contract.server import KEY
from tests.contract.support import Result, cli, finished, picture, process, same_rows, save

SCORE = ("--tracks", "pixel", "--limit", 6, "--workers", 0)
WITHOUT_DISK = "no disk can be mounted here (it takes the rights of root)"


def report(run: Path, to: Path, **more: Any) -> Result:
    return cli("report", run, "--to", to, "--copy-images", **more)


# -- where a run lies ------------------------------------------------------------------------------


def test_a_run_is_zipped_moved_and_read(judged_run: Path, tmp_path: Path) -> None:
    sent = shutil.make_archive(str(tmp_path / "sent"), "zip", judged_run)
    there = tmp_path / "another place"
    shutil.unpack_archive(sent, there)
    truth = cells(cli("table", judged_run, "--json"))
    assert cells(cli("table", there, "--json")) == truth
    assert not named(cli("compare", there, "copy", "reference", "--json"))
    report(there, tmp_path / "report")
    cli("check", there)
    same_rows(there, judged_run)
    again = cli("score", "mini", "--run", there, *SCORE, "--json")
    assert again.json["computed"] == 0


def test_no_file_of_a_run_names_a_place_a_machine_or_a_key(judged_run: Path) -> None:
    home = Path.home()
    secrets = [str(judged_run.parent), KEY, os.environ.get("EDITGAUGE_CACHE", "")]
    secrets += [str(home)] if len(home.parts) > 2 else []
    secrets += [socket.gethostname()] if len(socket.gethostname()) > 5 else []
    for path in files(judged_run):
        data = path.read_bytes()
        for secret in filter(None, secrets):
            assert secret.encode() not in data, f"{path.name} holds {secret}"


def test_a_run_whose_pictures_stayed_behind_is_read(judged_run: Path, tmp_path: Path) -> None:
    run = copy_of(judged_run, tmp_path / "run")
    for folder in ("inputs", "edits"):
        shutil.rmtree(run / folder)
    truth = cells(cli("table", judged_run, "--json"))
    assert cells(cli("table", run, "--json", expect=None)) == truth
    cli("compare", run, "copy", "reference")


def test_a_run_that_cannot_be_written_is_read(judged_run: Path, tmp_path: Path) -> None:
    run = copy_of(judged_run, tmp_path / "run")
    truth = cells(cli("table", run, "--json"))
    with sealed(run) as there:
        if there is None:
            pytest.skip(WITHOUT_DISK)
        before = content(run)
        assert cells(cli("table", run, "--json", expect=None)) == truth
        cli("compare", run, "copy", "reference")
        report(run, tmp_path / "report")
        cli("merge", run, "--to", tmp_path / "all")
        refused = cli("report", run, expect=2)
        assert "Traceback" not in refused.text
        refused = cli("score", "mini", "--run", run, "--limit", 8, "--workers", 0, expect=2)
        assert "Traceback" not in refused.text
        assert content(run) == before
    same_rows(tmp_path / "all", judged_run)


# -- a disk that is full ---------------------------------------------------------------------------


def limited() -> None:
    """No file of this process may be larger than 6,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))


def test_a_file_that_cannot_grow_is_named_and_the_run_goes_on(
    edited_run: Path, mini_run: Path, tmp_path: Path
) -> None:
    run = copy_of(edited_run, tmp_path / "run")
    words = ("score", "mini", "--run", run, *SCORE)
    ended = finished(process(*words, preexec_fn=limited), expect=2)
    assert ended.err.strip()
    assert "Traceback" not in ended.err
    whole = copy_of(edited_run, tmp_path / "whole")
    for one in (run, whole):
        cli("score", "mini", "--run", one, *SCORE)
    same_rows(run, whole)
    cli("check", run)


def test_a_full_disk_costs_a_line_and_no_row(mini_run: Path, tmp_path: Path) -> None:
    size = sum(path.stat().st_size for path in files(mini_run)) / 2**20
    for share in (0.3, 0.7):
        with small_disk(tmp_path / f"disk-{share}", size * share) as disk:
            if disk is None:
                pytest.skip(WITHOUT_DISK)
            ended = cli("merge", mini_run, "--to", disk / "run", expect=2)
            assert "Traceback" not in ended.text
            assert ended.err.strip()
            after = cli("table", disk / "run", "--json", expect=None)
            assert after.code == 2 or cells(after).items() <= cells(
                cli("table", mini_run, "--json")
            ).items()  # fmt: skip


@pytest.mark.parametrize("share", [0.5, pytest.param(0.15, marks=pytest.mark.slow)])
def test_an_edit_on_a_full_disk_is_nobody_s_failure(
    mini_run: Path, tmp_path: Path, share: float
) -> None:
    outputs = sum(path.stat().st_size for path in files(mini_run)) / 2**20
    edit = ("edit", "mini", "--editor", "reference", "--limit", 8, "--workers", 0)
    with small_disk(tmp_path / "disk", outputs * share) as disk:
        if disk is None:
            pytest.skip(WITHOUT_DISK)
        ended = cli(*edit, "--run", disk / "run", expect=2)
        assert "Traceback" not in ended.text
        run = tmp_path / "run"
        if (disk / "run").exists():
            copy_of(disk / "run", run)
    cli(*edit, "--run", run)
    cli("score", "mini", "--run", run, "--tracks", "pixel", "--limit", 8, "--workers", 0)
    scored = cells(cli("table", run, "--json"))
    truth = cells(cli("table", mini_run, "--json", "--editor", "reference"))
    assert scored == truth


# -- a stranger's run ------------------------------------------------------------------------------

MAGENTA = (255, 0, 255)


def outside(tmp_path: Path, run: Path) -> Path:
    """A copy of a run outside of it, with a picture that nobody is to see."""
    place = copy_of(run, tmp_path / "outside")
    secret = picture(3)
    secret[:] = MAGENTA
    for path in files(place):
        if path.suffix == ".png":
            save(path, secret)
        elif path.suffix in (".jpg", ".jpeg"):
            path.write_bytes(save(place / "secret.png", secret).read_bytes())
    return place


def commands(run: Path, into: Path) -> list[Result]:
    """Whatever reads, and whatever writes, on a stranger's run."""
    return [
        cli("table", run, "--json", expect=None),
        cli("report", run, "--to", into / "report", "--copy-images", expect=None),
        cli("merge", run, "--to", into / "all", expect=None),
        cli("score", "mini", "--run", run, "--limit", 7, "--workers", 0, expect=None),
        cli("check", run, "--repair", expect=None),
    ]


def leaked(folder: Path) -> list[Path]:
    """Pictures below a folder with the colour that nobody is to see."""
    found = []
    for path in files(folder):
        if path.suffix in PICTURES:
            with Image.open(path) as shown:
                distance = abs(np.asarray(shown.convert("RGB"), int) - MAGENTA).sum(axis=-1)
            if (distance < 60).mean() > 0.1:
                found.append(path)
    return found


def linked(run: Path, secret: Path, places: list[Path]) -> None:
    """Links to what lies outside in these places of a run."""
    for path in places:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(secret / path.relative_to(run))


@pytest.mark.parametrize("folders", [False, True])
@pytest.mark.parametrize("same", [True, False])
def test_a_picture_or_folder_of_them_that_is_a_link_is_named_and_not_shown(
    judged_run: Path, tmp_path: Path, same: bool, folders: bool
) -> None:
    run = copy_of(judged_run, tmp_path / "run")
    secret = copy_of(run, tmp_path / "same") if same else outside(tmp_path, judged_run)
    before = content(secret)
    picture = sorted((run / "edits/mini/copy").iterdir())[0]
    given = next(path for path in files(run / "inputs") if path.stem == "input")
    own = (secret / picture.relative_to(run)).read_bytes()
    linked(run, secret, [picture.parent, run / "inputs/mini"] if folders else [picture, given])
    results = commands(run, tmp_path)
    assert named(results[1]), "the report shows what lies outside"
    assert named(results[2]), "merge takes what lies outside"
    for result in results:
        assert "Traceback" not in result.text
    for made in ("report", "all"):
        assert not leaked(tmp_path / made)
    assert own not in {path.read_bytes() for path in files(tmp_path / "all")}
    assert content(secret) == before


def test_a_part_of_a_run_that_is_a_link_is_not_followed(judged_run: Path, tmp_path: Path) -> None:
    passing = ("-shm", "-wal")  # SQLite's own, gone when the last reader ends
    names = sorted(path.name for path in judged_run.iterdir() if not path.name.endswith(passing))
    parts = [name for name in names if not name.startswith(".")]
    for name in parts:
        place = tmp_path / name
        run = copy_of(judged_run, place / "run")
        secret = outside(place, judged_run)
        linked(run, secret, [run / name])
        before = content(secret)
        results = commands(run, place)
        assert any(named(result) for result in results), f"{name}: nobody says that it is a link"
        for result in results:
            assert "Traceback" not in result.text, f"{name}\n{result.text}"
        for made in ("report", "all"):
            assert not leaked(place / made), name
        assert content(secret) == before, f"{name}: something outside was written"


def test_where_files_cannot_be_locked_a_run_is_read_and_a_writer_says_why(
    mini_run: Path, tmp_path: Path
) -> None:
    away = tmp_path / "nfs"
    away.mkdir()
    env = without_locks(away, tmp_path)
    if env is None:
        pytest.skip("no file system without locks can be had here")
    run = copy_of(mini_run, away / "run")
    before = content(run)
    for words in (("table", run), ("check", run), ("compare", run, "copy", "reference")):
        read = finished(process(*words, env=env), expect=None)
        undisturbed = finished(process(words[0], mini_run, *words[2:]), expect=None)
        assert read.code == undisturbed.code
        assert read.out.replace(str(run), "") == undisturbed.out.replace(str(mini_run), "")
        assert "has no file locks" in read.err
    assert content(run) == before
    new = away / "new"
    for words in (
        ("score", "mini", "--run", run, "--tracks", "pixel", "--limit", 9, "--workers", 0),
        ("edit", "mini", "--editor", "blank", "--run", new, "--limit", 1, "--workers", 0),
        ("merge", run, "--to", new),
    ):
        refused = finished(process(*words, env=env), expect=2)
        assert "cannot be written: this file system has no file locks" in refused.err
        assert "another command" not in refused.err
    assert not new.exists() or not any(new.iterdir())
