"""`editgauge curate …`: a data set of one's own, from pictures to a release."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from editgauge.cli import (
    curate_in,
    curate_out,
    curate_people,
    curate_samples,
    curate_shown,
)


class _Served(TyperGroup):
    """A group for which a folder in place of a command means `serve`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=_Served, no_args_is_help=True, rich_markup_mode=None)
    for part in (curate_people, curate_in, curate_samples, curate_out, curate_shown):
        part.register(group)
    app.add_typer(group, name="curate", help="Make a data set: curate DIR opens it in the browser.")
