"""Secrets that stay on the machine: names in a run, values elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editgauge.errors import RunError
from editgauge.web import private
from editgauge.web.log import Log


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "private"
    monkeypatch.setenv("EDITGAUGE_PRIVATE", str(folder))
    return folder


def test_a_secret_is_kept_once_and_for_its_owner_alone(place: Path) -> None:
    name = private.new_name()
    assert private.secret_here(name) is None
    assert private.keep_secret(name, "first") == "first"
    assert private.keep_secret(name, "second") == "first"
    assert private.secret_here(name) == "first"
    if os.name == "posix":
        assert (place / "secrets" / name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "0" * 15, "G" * 16])
def test_a_name_that_is_none_reads_nothing(name: str) -> None:
    with pytest.raises(RunError, match="name of a secret"):
        private.secret_here(name)


def test_a_folder_that_cannot_be_written_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("EDITGAUGE_PRIVATE", str(tmp_path / "file"))
    with pytest.raises(RunError, match="EDITGAUGE_PRIVATE"):
        private.keep_secret(private.new_name(), "secret")


def test_a_log_whose_secret_is_elsewhere_has_the_same_addresses_when_it_is_opened_again(
    tmp_path: Path, place: Path
) -> None:
    file = tmp_path / "study.sqlite"
    with Log(file, secret_elsewhere=True) as log:
        address = log.mac("picture", 1)
    with Log(file) as log:
        assert log.mac("picture", 1) == address
    (secret,) = (place / "secrets").iterdir()
    for path in tmp_path.glob("study.sqlite*"):
        assert secret.read_bytes() not in path.read_bytes()


def test_the_secret_of_an_older_study_is_moved_out_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "study.sqlite"
    with Log(file) as log:
        secret = log.meta("secret").encode()
        address = log.mac("picture", 1)
    with Log(file, secret_elsewhere=True) as log:
        assert log.mac("picture", 1) == address
    with Log(file) as log:
        assert log.mac("picture", 1) == address
    for path in tmp_path.glob("study.sqlite*"):
        assert secret not in path.read_bytes()


def test_on_another_machine_addresses_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "study.sqlite"
    with Log(file, secret_elsewhere=True) as log:
        address = log.mac("picture", 1)
    monkeypatch.setenv("EDITGAUGE_PRIVATE", str(tmp_path / "other"))
    with Log(file) as log:
        assert log.mac("picture", 1) != address
