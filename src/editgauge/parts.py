"""Parts by dotted name (``package.module:name``), imported when they are first asked for."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from editgauge.errors import BenchmarkError


def part(target: str, package: str | None = None) -> Any:
    """What a dotted name stands for; ``.module:name`` is below `package`.

    Raises `BenchmarkError` where there is no such module or nothing of that name in it.
    """
    module, _, name = target.partition(":")
    wanted = importlib.util.resolve_name(module, package)
    try:
        return getattr(importlib.import_module(wanted), name)
    except ModuleNotFoundError as error:
        if not f"{wanted}.".startswith(f"{error.name}."):
            raise  # of something that the module imports
        raise BenchmarkError(f"{target!r}: there is no module {error.name}") from error
    except AttributeError as error:
        raise BenchmarkError(f"{target!r}: {error}") from error


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a package: ``parts = Parts(__name__)``, then ``parts(".samples:load")``."""

    package: str

    def __call__(self, target: str) -> Callable[..., Any]:
        """A function that calls the function of that name."""
        return partial(_call, target, self.package)

    def constant(self, target: str) -> Callable[[], Any]:
        """A function that gives the thing of that name."""
        return partial(part, target, self.package)

    def several(self, *targets: str) -> Callable[[], list[Any]]:
        """A function that gives a list of the things of these names."""
        return partial(_several, targets, self.package)


def _call(target: str, package: str, /, *arguments: Any, **options: Any) -> Any:
    return part(target, package)(*arguments, **options)


def _several(targets: tuple[str, ...], package: str) -> list[Any]:
    return [part(target, package) for target in targets]
