"""Every error that the tool raises on purpose: `EditgaugeError`, with exit code 2 unless it says
otherwise. Messages say: the name, what was wanted, what was found, what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def meant(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """``did you mean a or b?``: the known names that a word is like; `otherwise` where none is."""
    import difflib  # 3 ms that only a mistake costs

    near = difflib.get_close_matches(word, [*known], n=2, cutoff=0.55)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


class EditgaugeError(Exception):
    """The root: shown to a user as one line."""

    exit_code = 2


class UsageError(EditgaugeError):
    """A command or call that cannot work. `argument` names what of it is at fault, as Python says:
    the message begins with it, and the command line puts its option in its place.
    """

    def __init__(self, message: str, *, argument: str = "") -> None:
        super().__init__(f"{argument} {message}" if argument else message)
        self.argument = argument


class UnknownName(UsageError):
    """A name that is in no table and no entry point."""


class PluginError(UsageError):
    """A package that is found by name cannot be used."""


class BenchmarkError(PluginError):
    """A benchmark's declaration is wrong."""


class DataError(EditgaugeError):
    """A data set or an outputs folder is not what it should be."""


class ImageError(DataError):
    """One picture cannot be read."""

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class ImageTooLarge(ImageError):
    """The picture has more pixels than the limit allows; decoding it was not tried."""


class OcrError(EditgaugeError):
    """An OCR engine broke down on a picture: it was called as it should be and gave no answer."""


class RunError(EditgaugeError):
    """The run folder cannot be written, or contradicts itself."""


class ShapeMismatch(EditgaugeError, ValueError):
    """Arrays that must have the same shape have different ones."""


class WeightsError(EditgaugeError):
    """A network's weights are not there, or are not the ones they should be. Says what to type."""


class DownloadError(EditgaugeError):
    """A file could not be fetched, or is not what was announced."""


class MissingExtra(EditgaugeError, ImportError):
    """A feature needs an optional library."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the package {package!r}, which is not installed: pip install "
            f"'editgauge[{extra}]'"
        )
        self._words = (feature, package, extra)
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        return type(self), self._words  # the default would call __init__ with the finished message


class Unavailable(EditgaugeError):
    """A model cannot be used at all (its weights cannot be loaded): an editor's call raises it, the
    run stops at once, and nothing is recorded as the model's failure.
    """


class ServiceStopped(RunError):
    """No further call to a service makes sense (a wrong key, a quota that is used up)."""


class CutShort(RunError):
    """Work ended in the middle because the machines that did it are lost; what was done is kept."""

    exit_code = 4


class BudgetExceeded(EditgaugeError):
    """The next call would pass the budget; what was done is kept."""

    exit_code = 3
