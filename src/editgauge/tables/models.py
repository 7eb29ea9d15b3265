"""Facts about models that tables print or count with: size, group, what a model can take.

The package's own lines are what the papers say (``models.toml``). A ``models.toml`` in a run, or
beside it, adds models and replaces lines of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from msgspec import Struct

from editgauge import schema

FILE = "models.toml"


class ModelFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one model. None and "" stand for what nobody has said."""

    name: str
    also: tuple[str, ...] = ()
    """Other names of it."""
    params: str = ""
    """Number of parameters, as the paper prints it."""
    licence: str = ""
    several_images: bool | None = None
    """Whether it takes several pictures at once."""
    group: Mapping[str, str] = {}
    """Benchmark -> the heading that its paper puts the model under."""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    model: tuple[ModelFacts, ...] = ()


NOTHING = ModelFacts(name="")


@dataclass(frozen=True, slots=True)
class Models:
    """Facts by name; names are compared without case and punctuation."""

    by_key: Mapping[str, ModelFacts]

    def of(self, name: str) -> ModelFacts:
        """The facts of a model or of an editor called so, without the words in brackets that a
        prompt track or a setting adds. Facts of nobody when none is known.
        """
        for tried in (name, name.partition("[")[0], name.partition("(")[0]):
            if (known := self.by_key.get(key_of(tried))) is not None:
                return known
        return NOTHING


@cache
def built_in() -> Models:
    """The package's own facts."""
    return Models(_read(Path(__file__).with_name(FILE)))


def load(folders: Sequence[Path]) -> Models:
    """The package's facts with those of the files in `folders`; later folders win.

    Raises `DataError` for a file that is not of this format, naming what is wrong.
    """
    known = dict(built_in().by_key)
    for folder in folders:
        path = folder / FILE
        if path.is_file() and not path.is_symlink():
            known |= _read(path)
    return Models(known)


def _read(path: Path) -> dict[str, ModelFacts]:
    every = schema.read_toml(path, _File).model
    return {key_of(name): facts for facts in every for name in (facts.name, *facts.also)}


def key_of(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter == ".")
