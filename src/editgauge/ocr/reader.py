"""Pictures to recognised text: an engine, and what it has read before."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import orjson

from editgauge import images
from editgauge.errors import OcrError
from editgauge.ocr.engine import Engine, Text
from editgauge.store.cache import Cache
from editgauge.store.schema import digest

FILE_NAME = "ocr.sqlite"


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files with one engine, each content once. `label`: `Identity.label`."""

    engine: Engine
    label: str
    store: Cache = field(default_factory=partial(Cache, None, FILE_NAME))

    def __call__(
        self, path: Path, language: str = "en", size: tuple[int, int] | None = None
    ) -> list[Text]:
        """The text in a picture, resized before to `size` = (width, height) with Pillow's Lanczos
        filter, if given; corners are in pixels of that size. Raises `ImageError` when the file
        cannot be read as a picture, `OcrError` when the engine breaks down or cannot read the
        language.
        """
        language_name = self.engine.own_language(language)
        if language_name is None:
            name = self.engine.name
            raise OcrError(f"the OCR engine {name!r} cannot read the language {language!r}")
        key = self._key(path, language_name, size)
        if (kept := self.store.get([key]).get(key)) is not None:
            return [Text(tuple((x, y) for x, y in at), *rest) for at, *rest in orjson.loads(kept)]
        pixels = images.read_image(path)
        if size is not None:
            pixels = images.resize(pixels, size, "lanczos")
        texts = self.engine(pixels, language)
        self.store.put({key: orjson.dumps([tuple(text) for text in texts])})
        return texts

    def _key(self, path: Path, own: str, size: tuple[int, int] | None) -> str:
        """What the text depends on: the file's bytes, the size if not its own, who reads."""
        header = images.read_header(path)
        scaled = "" if size in (None, (header.width, header.height)) else f"lanczos {size}"
        return digest(images.fingerprint(path), scaled, own, self.label)


def open_reader(name: str = "rapidocr", cache: Path | None = None) -> Reader:
    """A reader with the engine of a name in `catalog`, and a store in the folder `cache` if given.
    Raises `UnknownName`, and `MissingExtra` or `UsageError` when what it needs is not installed.
    """
    from editgauge import catalog

    engine: Engine = catalog.find("ocr_engines", name)()
    return Reader(engine, engine.identity().label, Cache(cache, FILE_NAME))
