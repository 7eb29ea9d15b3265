"""Features of pictures and texts, looked up in the cache first: what several scorers ask for is
computed once.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge import images
from editgauge.networks.clip import ClipModel, Crop, crops_agree, preprocess
from editgauge.networks.inception import Inception, prepare
from editgauge.networks.loading import state_dict
from editgauge.networks.runtime import Halving, Runtime, batched, read_ahead, reading_for, threads
from editgauge.networks.weights import Local, locate
from editgauge.store.cache import Cache

CLIP = "clip-vit-large-patch14"
INCEPTION = "inception-fid"
FILE_NAME = "features.sqlite"
Vector = npt.NDArray[np.float32]
Vectors = Mapping[Any, Vector | Exception]
"""What was asked for -> its features, or why there are none."""


class ClipFeatures:
    """Image and text features of one CLIP checkpoint. Raises `WeightsError` when it is not there or
    another one.
    """

    def __init__(
        self, folder: Path | None, runtime: Runtime, cache: Path | None, *, batch_size: int = 16
    ) -> None:
        local = locate(CLIP, folder)
        self._model = _clip_model(local.folder, local.weights.activation, runtime)
        self._kept = _Kept(cache, _identity(local, runtime), runtime, batch_size)

    def images(self, paths: Sequence[Path], crop: Crop = "floor") -> Vectors:
        """Features of pictures, by path. A picture that cannot be read has its exception
        instead.
        """

        def key(path: Path) -> str:
            """Content hash; the rule for the crop is part of it only for pictures where the two
            rules differ.
            """
            header, content = images.read_header(path), images.fingerprint(path)
            same = crops_agree(header.width, header.height, self._model.side)
            return f"image/{content}" if same else f"image/{content}/{crop}"

        def read(path: Path) -> Any:
            return preprocess(images.read_image(path), self._model.side, crop)

        keys = {path: _attempt(key, path) for path in set(paths)}
        return self._kept.features(keys, read, self._model.image_features)

    def texts(self, texts: Sequence[str]) -> tuple[Vectors, Mapping[str, str]]:
        """Features of texts, and for those that were too long a note of what was left out."""
        unique = sorted(set(texts))
        if not unique:
            return {}, {}
        tokens = self._model.tokenize(unique)
        notes = {
            text: f"text of {length} tokens cut to {tokens.limit}, end token kept"
            for text, length in zip(unique, tokens.lengths, strict=True)
            if length > tokens.limit
        }

        def compute(batch: Sequence[str]) -> Any:
            return self._model.text_features(self._model.tokenize(batch))

        keys: dict[Any, str | Exception] = {text: f"text/{_digest(text)}" for text in unique}
        return self._kept.features(keys, lambda text: text, compute), notes


class InceptionFeatures:
    """Features for the Fréchet distance. Raises `WeightsError` when the weights are not there or
    other ones.
    """

    def __init__(
        self, folder: Path | None, runtime: Runtime, cache: Path | None, *, batch_size: int = 16
    ) -> None:
        local = locate(INCEPTION, folder)
        (path,) = local.paths.values()
        self._network = _inception(path, runtime)
        self._kept = _Kept(cache, _identity(local, runtime), runtime, batch_size)

    def images(self, paths: Sequence[Path]) -> Vectors:
        """Features of pictures, by path. A picture that cannot be read has its exception
        instead.
        """
        keys = {path: _attempt(images.fingerprint, path) for path in set(paths)}
        read = lambda path: prepare(images.read_image(path))  # noqa: E731
        return self._kept.features(keys, read, self._network.features_of)


class _Kept:
    """Features of one network: from the cache, or computed in batches and kept at once."""

    def __init__(self, folder: Path | None, identity: str, runtime: Runtime, batch: int) -> None:
        self._cache = _cache(folder)
        self._identity, self._device, self._batch = identity, runtime.device, batch

    def features(
        self,
        keys: Mapping[Any, str | Exception],
        read: Callable[[Any], Any],
        compute: Callable[[Sequence[Any]], Any],
    ) -> Vectors:
        """Features by item; `keys` are their contents. What is missing is read ahead of the network
        and computed, in smaller batches where the device's memory does not suffice.
        """
        found: dict[Any, Vector | Exception] = {
            item: key for item, key in keys.items() if isinstance(key, Exception)
        }
        wanted = {i: f"{self._identity}/{k}" for i, k in keys.items() if isinstance(k, str)}
        kept = self._cache.get(sorted(set(wanted.values())))
        known = {key: np.frombuffer(data, dtype="<f4") for key, data in kept.items()}
        first_with: dict[str, Any] = {}
        for item in sorted(wanted, key=str):
            if wanted[item] not in known:
                first_with.setdefault(wanted[item], item)
        halving, ahead = _fitting(self._identity), reading_for(self._device, self._batch)
        with threads():
            pairs = read_ahead(first_with.values(), read, depth=ahead.depth, workers=ahead.workers)
            for batch in batched(pairs, self._batch):
                found.update({item: data for item, data in batch if isinstance(data, Exception)})
                good = [(item, data) for item, data in batch if not isinstance(data, Exception)]
                vectors = halving(compute, [data for _, data in good])
                fresh = {
                    wanted[item]: np.ascontiguousarray(vector, dtype="<f4").reshape(-1)
                    for (item, _), vector in zip(good, vectors, strict=True)
                }
                self._cache.put({key: vector.tobytes() for key, vector in fresh.items()})
                known |= fresh
        for item, key in wanted.items():
            if key in known:
                found[item] = known[key]
            elif item not in found:
                found[item] = found[first_with[key]]  # the same bytes under another name failed
        return found


def _attempt(function: Callable[[Path], str], path: Path) -> str | Exception:
    try:
        return function(path)
    except Exception as error:  # becomes the status and reason of the pairs that need this picture
        return error


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _identity(local: Local, runtime: Runtime) -> str:
    """The weights by content: two files of one name are two models."""
    joined = ";".join(f"{name}={checksum}" for name, checksum in sorted(local.checksums.items()))
    return f"{local.weights.name}@{_digest(joined)}/{runtime.precision}"


@functools.lru_cache(maxsize=2)
def _clip_model(folder: Path, activation: str | None, runtime: Runtime) -> ClipModel:
    return ClipModel(folder, activation=activation, runtime=runtime)


@functools.lru_cache(maxsize=2)
def _inception(path: Path, runtime: Runtime) -> Inception:
    return Inception(state_dict(path), runtime)


@functools.lru_cache(maxsize=8)
def _fitting(identity: str) -> Halving:
    """How many inputs of a network fit the device: learnt once in a process."""
    del identity
    return Halving()


@functools.lru_cache(maxsize=8)
def _cache(folder: Path | None) -> Cache:
    """One a folder and process; in memory without a folder."""
    return Cache(folder, FILE_NAME)
