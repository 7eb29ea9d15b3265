"""The probe tells a judge that reads three digits from one that guesses."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.contract.server import Answer, Asked, Judge, chat, error
from tests.judging.commands import opened

from editgauge.errors import RunError
from editgauge.images import write_png
from editgauge.judging import command


def test_a_judge_that_sees_is_told_from_one_that_guesses(made: Path, tmp_path: Path) -> None:
    known = {}
    for digit in command.DIGITS:
        write_png(tmp_path / "digit.png", command.digit_picture(digit))
        known[hashlib.sha256((tmp_path / "digit.png").read_bytes()).digest()] = digit

    def seeing(asked: Asked) -> Answer:
        """A judge that knows the digits by the bytes of their pictures, once it answers."""
        if asked.number == 0:
            return error(400, "not yet")
        shown = [known[hashlib.sha256(data).digest()] for data in asked.pictures]
        names = [f'"picture_{n}": {digit}' for n, digit in enumerate(shown, start=1)]
        return chat('{"pictures_visible": true, ' + ", ".join(names) + "}")

    with Judge(seeing) as server:
        with opened(made, server.url) as session, pytest.raises(RunError, match="not yet"):
            command.probe(session)
        for _ in range(2):
            with opened(made, server.url) as session:
                assert command.probe(session)["sees"]
        assert len(server.chats) == 2, "the same day is not paid for again"
