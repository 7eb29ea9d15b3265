"""Features of pictures and texts: what several scorers ask for is computed once, and kept."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editgauge import images
from editgauge.metrics import Singles
from editgauge.networks.clip import ClipModel, Crop, crops_agree, preprocess
from editgauge.networks.inception import Inception, prepare
from editgauge.networks.loading import state_dict
from editgauge.networks.runtime import Runtime, batched, read_ahead, reading_for, threads
from editgauge.networks.weights import Local, locate
from editgauge.store.cache import Cache
from editgauge.store.schema import digest

CLIP = "clip-vit-large-patch14"
INCEPTION = "inception-fid"
FILE_NAME = "features.sqlite"
Vectors = Mapping[Any, Singles | Exception]
"""What was asked for -> its features, or why there are none."""


class ClipFeatures:
    """Image and text features of a CLIP checkpoint. Raises `WeightsError` without the right one."""

    def __init__(
        self, folder: Path | None, runtime: Runtime, cache: Path | None, *, batch_size: int = 16
    ) -> None:
        local = locate(CLIP, folder)
        self._model = _clip_model(local.folder, local.weights.activation, runtime)
        self._kept = _Kept(cache, local, runtime, batch_size)

    def images(self, paths: Sequence[Path], crop: Crop = "floor") -> Vectors:
        """Features by path; of a picture that cannot be read its exception."""
        side = self._model.side

        def key(path: Path) -> str:
            header, content = images.read_header(path), images.fingerprint(path)
            same = crops_agree(header.width, header.height, side)
            return f"image/{content}" if same else f"image/{content}/{crop}"

        def read(path: Path) -> Any:
            return preprocess(images.read_image(path), side, crop)

        return self._kept.features(paths, key, read, self._model.image_features)

    def texts(self, texts: Sequence[str]) -> tuple[Vectors, Mapping[str, str]]:
        """Features of texts, and for those that were too long a note of what was left out."""
        unique = sorted(set(texts))
        if not unique:
            return {}, {}
        tokens = self._model.tokenize(unique)
        notes = {
            text: f"text of {length} tokens cut to {self._model.limit}, end token kept"
            for text, length in zip(unique, tokens.lengths, strict=True)
            if length > self._model.limit
        }

        def compute(batch: Sequence[str]) -> Any:
            return self._model.text_features(self._model.tokenize(batch))

        key = lambda text: f"text/{digest(text)}"  # noqa: E731
        return self._kept.features(unique, key, lambda text: text, compute), notes


class InceptionFeatures:
    """Features for the Fréchet distance. Raises `WeightsError` without the right weights."""

    def __init__(
        self, folder: Path | None, runtime: Runtime, cache: Path | None, *, batch_size: int = 16
    ) -> None:
        local = locate(INCEPTION, folder)
        (path,) = local.paths.values()
        self._network = _inception(path, runtime)
        self._kept = _Kept(cache, local, runtime, batch_size)

    def images(self, paths: Sequence[Path]) -> Vectors:
        """Features by path; of a picture that cannot be read its exception."""
        read = lambda path: prepare(images.read_image(path))  # noqa: E731
        return self._kept.features(paths, images.fingerprint, read, self._network.features_of)


class _Kept:
    """Features of one network: from the cache, or computed in batches and kept at once."""

    def __init__(self, folder: Path | None, local: Local, runtime: Runtime, batch: int) -> None:
        # the weights by content: two files of one name are two models
        mark = digest(dict(local.checksums))
        self._identity = f"{local.weights.name}@{mark}/float32"
        self._cache, self._device, self._batch = _cache(folder), runtime.device, batch

    def features(
        self,
        items: Iterable[Any],
        key: Callable[[Any], str],
        read: Callable[[Any], Any],
        compute: Callable[[Sequence[Any]], Any],
    ) -> Vectors:
        """Features by item, computed in batches where missing; `key` names an item's content."""
        outcome: dict[Any, Singles | Exception] = {}
        wanted: dict[Any, str] = {}
        for item in sorted(set(items), key=str):
            try:
                wanted[item] = f"{self._identity}/{key(item)}"
            except Exception as error:  # the status and reason of what needs this picture
                outcome[item] = error
        kept = self._cache.get(sorted(set(wanted.values())))
        known = {name: np.frombuffer(data, dtype="<f4") for name, data in kept.items()}
        first = {name: item for item, name in reversed(wanted.items()) if name not in known}
        depth, workers = reading_for(self._device, self._batch)
        with threads():
            pairs = read_ahead(reversed(first.values()), read, depth=depth, workers=workers)
            for batch in batched(pairs, self._batch):
                good = {item: data for item, data in batch if not isinstance(data, Exception)}
                outcome.update((item, data) for item, data in batch if item not in good)
                vectors = compute(list(good.values())) if good else ()
                known |= self._keep(map(wanted.__getitem__, good), vectors)
        for item, name in wanted.items():  # the same bytes under another name failed as well
            outcome[item] = known[name] if name in known else outcome[first[name]]
        return outcome

    def _keep(self, names: Iterable[str], vectors: Iterable[Any]) -> dict[str, Singles]:
        fresh = {
            name: np.ascontiguousarray(vector, dtype="<f4").reshape(-1)
            for name, vector in zip(names, vectors, strict=True)
        }
        self._cache.put({name: vector.tobytes() for name, vector in fresh.items()})
        return fresh


@functools.lru_cache(maxsize=2)
def _clip_model(folder: Path, activation: str | None, runtime: Runtime) -> ClipModel:
    return ClipModel(folder, activation=activation, runtime=runtime)


@functools.lru_cache(maxsize=2)
def _inception(path: Path, runtime: Runtime) -> Inception:
    return Inception(state_dict(path), runtime)


@functools.lru_cache(maxsize=8)
def _cache(folder: Path | None) -> Cache:
    return Cache(folder, FILE_NAME)
