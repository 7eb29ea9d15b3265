"""Features of pictures and texts, looked up in the store first: what several scorers ask for is
computed once.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editgauge import images
from editgauge.networks.clip import ClipModel, Crop, crops_agree, preprocess
from editgauge.networks.inception import Inception, prepare
from editgauge.networks.loading import state_dict
from editgauge.networks.runtime import Halving, Runtime, batched, read_ahead, reading_for, threads
from editgauge.networks.store import FeatureStore, Vector
from editgauge.networks.weights import Local, locate

CLIP = "clip-vit-large-patch14"
INCEPTION = "inception-fid"
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
        self.runtime = runtime
        self.batch_size = batch_size
        self._model = _clip_model(local.folder, local.weights.activation, runtime)
        self._store = _store(cache)
        self._identity = f"{_identity(local)}/{runtime.precision}"

    def images(self, paths: Sequence[Path], crop: Crop = "floor") -> Vectors:
        """Features of pictures, by path. A picture that cannot be read has its exception
        instead.
        """
        keys: dict[Path, str | Exception] = {
            path: _attempt(lambda p: self._key(p, crop), path) for path in set(paths)
        }

        def compute(batch: Sequence[Any]) -> Any:
            return self._model.image_features(batch)

        def read(path: Path) -> Any:
            return preprocess(images.read_image(path), self._model.side, crop)

        return _features(
            self._store,
            f"{self._identity}/image",
            keys,
            read,
            compute,
            self.batch_size,
            self.runtime.device,
        )

    def texts(self, texts: Sequence[str]) -> tuple[Vectors, Mapping[str, str]]:
        """Features of texts, and for those that were too long a note of what was left out."""
        unique = sorted(set(texts))
        tokens = self._model.tokenize(unique) if unique else None
        notes = {
            text: f"text of {length} tokens cut to {tokens.limit}, end token kept"
            for text, length in zip(unique, tokens.lengths if tokens else (), strict=True)
            if tokens is not None and length > tokens.limit
        }
        keys: dict[str, str | Exception] = {text: _digest(text) for text in unique}

        def compute(batch: Sequence[str]) -> Any:
            return self._model.text_features(self._model.tokenize(batch))

        return _features(
            self._store, f"{self._identity}/text", keys, lambda t: t, compute, self.batch_size
        ), notes

    def _key(self, path: Path, crop: Crop) -> str:
        """Content hash; the rule for the crop is part of it only for pictures where the two rules
        differ.
        """
        header = images.read_header(path)
        key = images.fingerprint(path)
        return (
            key if crops_agree(header.width, header.height, self._model.side) else f"{key}/{crop}"
        )


class InceptionFeatures:
    """Features for the Fréchet distance. Raises `WeightsError` when the weights are not there or
    other ones.
    """

    def __init__(
        self, folder: Path | None, runtime: Runtime, cache: Path | None, *, batch_size: int = 16
    ) -> None:
        local = locate(INCEPTION, folder)
        self.batch_size = batch_size
        (file,) = local.weights.files
        self._network = _inception(local.paths[file.name], runtime)
        self._device = runtime.device
        self._store = _store(cache)
        self._identity = f"{_identity(local)}/{runtime.precision}"

    def images(self, paths: Sequence[Path]) -> Vectors:
        """Features of pictures, by path. A picture that cannot be read has its exception
        instead.
        """
        keys: dict[Path, str | Exception] = {
            path: _attempt(images.fingerprint, path) for path in set(paths)
        }

        def read(path: Path) -> Any:
            return prepare(images.read_image(path))

        return _features(
            self._store,
            self._identity,
            keys,
            read,
            self._network.features_of,
            self.batch_size,
            self._device,
        )


def _features(
    store: FeatureStore,
    identity: str,
    keys: Mapping[Any, str | Exception],
    read: Callable[[Any], Any],
    compute: Callable[[Sequence[Any]], Any],
    batch_size: int,
    device: str = "cpu",
) -> Vectors:
    """Look up, read what is missing ahead of the network, compute in batches (smaller ones where
    the device's memory does not suffice), keep each batch at once.
    """
    found: dict[Any, Vector | Exception] = {
        item: key for item, key in keys.items() if isinstance(key, Exception)
    }
    wanted = {item: key for item, key in keys.items() if isinstance(key, str)}
    known = store.get(identity, sorted(set(wanted.values())))
    first_with: dict[str, Any] = {}
    halving = _fitting(identity)
    for item in sorted(wanted, key=str):
        if wanted[item] not in known:
            first_with.setdefault(wanted[item], item)
    depth, workers = reading_for(device, batch_size)
    with threads():
        ahead = read_ahead(first_with.values(), read, depth=depth, workers=workers)
        for batch in batched(ahead, batch_size):
            good = [(item, data) for item, data in batch if not isinstance(data, Exception)]
            found.update({item: data for item, data in batch if isinstance(data, Exception)})
            if good:
                vectors = halving(compute, [data for _, data in good])
                fresh = {
                    wanted[item]: np.asarray(vector, dtype=np.float32)
                    for (item, _), vector in zip(good, vectors, strict=True)
                }
                store.put(identity, fresh)
                known.update(fresh)
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


def _identity(local: Local) -> str:
    """The weights by content: two files of one name are two models."""
    joined = ";".join(f"{name}={checksum}" for name, checksum in sorted(local.checksums.items()))
    return f"{local.weights.name}@{hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()}"


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
def _store(folder: Path | None) -> FeatureStore:
    """One connection a folder and process; in memory without a folder."""
    return FeatureStore(folder)
