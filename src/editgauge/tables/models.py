"""Facts about models that tables print or count with (``models.toml``, by the papers). One in a
run, or beside it, adds models and replaces lines of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from editgauge import schema

FILE = "models.toml"


class ModelFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one model; None and "" stand for what nobody has said. `also`: other names
    of it. `params`: number of parameters, as the paper prints it. `several_images`: whether it
    takes several pictures at once. `group`: benchmark -> the heading that its paper puts it under.
    """

    name: str
    also: tuple[str, ...] = ()
    params: str = ""
    several_images: bool | None = None
    group: Mapping[str, str] = {}


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    model: tuple[ModelFacts, ...] = ()


class Models(dict[str, ModelFacts]):
    """Facts by name; names are compared without case and punctuation."""

    def of(self, name: str) -> ModelFacts:
        """The facts of a model or of an editor called so, without the words in brackets that a
        prompt track or a setting adds. Facts of nobody when none is known.
        """
        names = (name, name.partition("[")[0], name.partition("(")[0])
        known = (self.get(key_of(tried)) for tried in names)
        return next(filter(None, known), ModelFacts(name=""))


@cache
def built_in() -> Models:
    """The package's own facts."""
    return _read(Path(__file__).with_name(FILE))


def load(folders: Sequence[Path]) -> Models:
    """The package's facts with those of the files in `folders`; later folders win.

    Raises `DataError` for a file that is not of this format, naming what is wrong.
    """
    known = Models(built_in())
    for folder in folders:
        if (path := folder / FILE).is_file() and not path.is_symlink():
            known.update(_read(path))
    return known


def _read(path: Path) -> Models:
    every = schema.read_toml(path, _File).model
    return Models((key_of(name), facts) for facts in every for name in (facts.name, *facts.also))


def key_of(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter == ".")
