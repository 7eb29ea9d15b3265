"""A command line as `editgauge` reads it, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.testing import CliRunner, Result

from editgauge.cli.main import app_for


def invoke(words: Sequence[str], **more: Any) -> Result:
    """What the command does that these words name. `more`: as `CliRunner.invoke` takes it.

    Only the command that is named is built, as for a user: building all takes longer than most
    tests do.
    """
    return CliRunner().invoke(app_for(words), list(words), **more)
