"""Options in groups that commands share: a command names groups, the parser sees their options."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from editgauge.cli.panels import titled


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters may be option groups, as one with all their fields as options.

    Called from Python it takes keywords only; those left out have their defaults. The options of a
    group stand in ``--help`` below its ``title``, where it has one.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, list[str]] = {}
    for parameter in inspect.signature(function).parameters.values():
        kind = hints[parameter.name]
        if not is_dataclass(kind):
            parameters.append(_option(parameter.name, kind, parameter.default))
            continue
        own = typing.get_type_hints(kind, include_extras=True)
        groups[parameter.name] = [field.name for field in fields(kind)]
        title = getattr(kind, "title", "")
        for field in fields(kind):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            annotation = titled(own[field.name], title)
            parameters.append(_option(field.name, annotation, default))

    @functools.wraps(function)
    def command(**given: Any) -> None:
        made: dict[str, Any] = {}
        for name, names in groups.items():
            own = {field: given.pop(field) for field in names if field in given}
            made[name] = hints[name](**own)
        function(**made, **given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": None}
    del command.__wrapped__
    return command


def _option(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
