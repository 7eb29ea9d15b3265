"""Facts about models that tables print or count with: size, group, what a model can take.

The package's own lines are what the papers say (``models.toml``). A ``models.toml`` in a run, or
beside it, adds models and replaces lines of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from editgauge import toml
from editgauge.errors import DataError

FILE = "models.toml"
_KNOWN = {"name", "also", "params", "licence", "several_images", "group"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What is known of one model. None and "" stand for what nobody has said."""

    name: str
    params: str = ""
    """Number of parameters, as the paper prints it."""
    licence: str = ""
    several_images: bool | None = None
    """Whether it takes several pictures at once."""
    group: Mapping[str, str] = field(default_factory=dict)
    """Benchmark -> the heading that its paper puts the model under."""


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
            found = self.by_key.get(key_of(tried))
            if found is not None:
                return found
        return NOTHING


@cache
def built_in() -> Models:
    """The package's own facts."""
    text = resources.files("editgauge.tables").joinpath(FILE).read_text("utf-8")
    return Models(_read(toml.parsed(text), FILE))


def load(folders: Sequence[Path]) -> Models:
    """The package's facts with those of the files in `folders`; later folders win.

    Raises `DataError` for a file that is not of this format, naming what is wrong.
    """
    known = dict(built_in().by_key)
    for folder in folders:
        path = folder / FILE
        if path.is_symlink() or not path.is_file():
            continue
        try:
            known |= _read(toml.read(path), str(path))
        except OSError as error:
            raise DataError(f"{path}: cannot be read ({error.strerror})") from error
        except ValueError as error:
            raise DataError(f"{path}: is no TOML ({error})") from error
    return Models(known)


def _read(data: Mapping[str, Any], name: str) -> dict[str, ModelFacts]:
    entries = data.get("model", [])
    if not isinstance(entries, list) or set(data) - {"model"}:
        raise DataError(f"{name}: wanted [[model]] tables, found {', '.join(data) or 'nothing'}")
    found = {}
    for number, entry in enumerate(entries, start=1):
        facts, names = _facts(entry, f"{name}: model {number}")
        found.update({key_of(each): facts for each in names})
    return found


def _facts(entry: Any, where: str) -> tuple[ModelFacts, list[str]]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise DataError(f"{where}: wanted a name")
    if unknown := sorted(set(entry) - _KNOWN):
        raise DataError(f"{where}: {unknown[0]!r} is not known; there are: {', '.join(_KNOWN)}")
    also, group = entry.get("also", []), entry.get("group", {})
    several = entry.get("several_images")
    texts = [entry.get("params", ""), entry.get("licence", ""), *_values(group), *_items(also)]
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"{where}: wanted texts in params, licence, also and group")
    if several is not None and not isinstance(several, bool):
        raise DataError(f"{where}: several_images: wanted true or false, found {several!r}")
    facts = ModelFacts(
        name=entry["name"],
        params=entry.get("params", ""),
        licence=entry.get("licence", ""),
        several_images=several,
        group=dict(group),
    )
    return facts, [entry["name"], *also]


def _values(group: Any) -> list[Any]:
    return list(group.values()) if isinstance(group, dict) else [None]


def _items(also: Any) -> list[Any]:
    return list(also) if isinstance(also, list) else [None]


def key_of(name: str) -> str:
    """A name without case and punctuation."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter == ".")
