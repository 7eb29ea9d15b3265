"""Options in groups in `--help`: a title of its own for those that belong together.

Plain text as the parser writes it. Boxes would need `rich`, which takes longer to import than the
help takes to print.
"""

from __future__ import annotations

import copy
import typing
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand
from typer.models import OptionInfo

if TYPE_CHECKING:
    import typer

SAMPLES = "Which samples"
ROWS = "Which rows"
SHOWN = "What is shown"


class Command(TyperCommand):
    """A command whose help has its arguments, its own options, and then each group by its title, in
    the order in which they were declared.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            own = "Arguments" if parameter.param_type_name == "argument" else "Options"
            title = getattr(parameter, "rich_help_panel", None) or own
            sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def use(app: typer.Typer) -> None:
    """Give every command of an application, and of its groups, such a help."""
    for command in app.registered_commands:
        if command.cls in (None, TyperCommand):
            command.cls = Command
    for group in app.registered_groups:
        if group.typer_instance is not None:
            use(group.typer_instance)


def titled(annotation: Any, title: str) -> Any:
    """The annotation of an option with the title of its group, where it has none yet; anything else
    as it is. Shared annotations are not changed.
    """
    if not title or typing.get_origin(annotation) is not typing.Annotated:
        return annotation
    bare, *rest = typing.get_args(annotation)
    made = []
    for one in rest:
        if isinstance(one, OptionInfo) and not one.rich_help_panel:
            one = copy.copy(one)
            one.rich_help_panel = title
        made.append(one)
    return typing.Annotated[(bare, *made)]
