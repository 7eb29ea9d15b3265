"""The targets of `guided` work, whether atheris is installed or not."""

from __future__ import annotations

from tests.fuzz.guided import targets


def test_every_target_reads_its_corpus() -> None:
    known = targets()
    assert {"pictures", "texts", "written", "segments", "manifest", "a.dcm", "p.toml"} <= set(known)
    assert {f"annotations-{name}" for name in ("textedit", "krisbench")} <= set(known)
    for name, made in known.items():
        read, first = made()
        assert first, name
        for data in first[:1]:
            read(data)
            read(data[: len(data) // 2])
