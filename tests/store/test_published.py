"""A folder brought to a store: whole, and only what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import RunError
from editgauge.store import addresses, published
from editgauge.store.published import publish

ADDRESS = "memory://lab/report"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    folder = tmp_path / "report"
    for name in ("index.html", "data/meta.js", "data/0/detail-1.js"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def there(store: Any) -> dict[str, bytes]:
    names = [name for name in store.system.store if not name.endswith(published.LIST)]
    return {name.removeprefix("/lab/report/"): store.system.cat_file(name) for name in names}


def test_only_what_is_new_is_sent_and_what_is_gone_goes(memory_store: Any, report: Path) -> None:
    assert publish(report, ADDRESS) == (3, 0, 0)
    assert publish(report, ADDRESS) == (0, 3, 0)
    (report / "data/meta.js").write_text("other")
    (report / "data/0/detail-1.js").unlink()
    assert publish(report, ADDRESS) == (1, 1, 1)
    assert there(memory_store) == {"index.html": b"index.html", "data/meta.js": b"other"}


def test_the_page_comes_last_and_a_stopped_call_is_made_good(
    memory_store: Any, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    real = type(memory_store.system).put_file

    def stopped(self: Any, file: str, path: str, **more: Any) -> Any:
        if path.endswith("index.html"):
            raise KeyboardInterrupt
        return real(self, file, path, **more)

    monkeypatch.setattr(type(memory_store.system), "put_file", stopped)
    with pytest.raises(KeyboardInterrupt):
        publish(report, ADDRESS)
    assert set(there(memory_store)) == {"data/meta.js", "data/0/detail-1.js"}
    monkeypatch.setattr(type(memory_store.system), "put_file", real)
    assert publish(report, ADDRESS).sent == 3
    assert publish(report, ADDRESS).sent == 0


def test_a_stopped_call_does_not_count_what_it_has_changed(
    memory_store: Any, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(report, ADDRESS)
    real = type(memory_store.system).put_file

    def stopped(self: Any, file: str, path: str, **more: Any) -> Any:
        real(self, file, path, **more)
        if path.endswith("meta.js"):
            raise KeyboardInterrupt

    monkeypatch.setattr(type(memory_store.system), "put_file", stopped)
    (report / "data/meta.js").write_text("other")
    with pytest.raises(KeyboardInterrupt):
        publish(report, ADDRESS)
    monkeypatch.setattr(type(memory_store.system), "put_file", real)
    (report / "data/meta.js").write_text("data/meta.js")
    publish(report, ADDRESS)
    assert there(memory_store)["data/meta.js"] == b"data/meta.js"


def test_what_is_no_report_stays(memory_store: Any, report: Path) -> None:
    memory_store.system.pipe_file("/lab/report/thesis.tex", b"years")
    with pytest.raises(RunError, match=r"not empty, and not a report \(thesis.tex\)"):
        publish(report, ADDRESS)
    assert there(memory_store) == {"thesis.tex": b"years"}


def test_no_rights_are_said(
    memory_store: Any, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError("Access Denied")

    monkeypatch.setattr(type(memory_store.system), "pipe_file", refused)
    with pytest.raises(RunError, match="may not be written"):
        publish(report, ADDRESS)
