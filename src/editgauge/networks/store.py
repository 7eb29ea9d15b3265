"""Feature vectors kept by content hash and model identity: computed once, whoever asks and however
often.

One SQLite file (``features.sqlite``) in a folder that outlives the run. Several processes may use
it at a time; a process that is killed loses the batch it was computing and nothing else. Two
processes that compute the same vector at once write it twice, with the same content.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from editgauge.errors import RunError
from editgauge.store import sqlite

Vector = npt.NDArray[np.float32]
FILE_NAME = "features.sqlite"
_AT_ONCE = 500
_TABLE = (
    "CREATE TABLE IF NOT EXISTS features "
    "(model TEXT NOT NULL, key TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, key))"
)


class FeatureStore:
    """Vectors by (model, key). `model` names everything a vector depends on but its input, `key` is
    the input's hash.

    `folder` None keeps them in memory for as long as the object lives. Vectors are float32 of any
    length; they come back bit for bit. Raises `RunError` when the file cannot be opened.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._connection: sqlite3.Connection | None = None
        self._memory: dict[tuple[str, str], Vector] = {}
        if folder is not None:
            path = folder / FILE_NAME
            try:
                self._connection = sqlite.connect(path, [_TABLE], timeout=60)
            except (sqlite3.Error, OSError, RunError) as error:
                raise RunError(f"{path}: the feature store cannot be opened ({error}); remove it "
                               f"or choose another "
                               "--cache folder") from error  # fmt: skip

    def get(self, model: str, keys: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are there; keys without one are left out."""
        if self._connection is None:
            return {key: self._memory[model, key] for key in keys if (model, key) in self._memory}
        found: dict[str, Vector] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = list(keys[start : start + _AT_ONCE])
            marks = ",".join("?" * len(part))
            query = f"SELECT key, vector FROM features WHERE model = ? AND key IN ({marks})"
            for key, blob in self._connection.execute(query, [model, *part]):
                data = sqlite.unsealed(blob)
                if data and len(data) % 4 == 0:  # anything else is damaged: computed again
                    found[key] = np.frombuffer(data, dtype="<f4").astype(np.float32)
        return found

    def put(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors, all of them or (when killed) none."""
        rows = {
            key: np.ascontiguousarray(value, dtype="<f4").reshape(-1)
            for key, value in vectors.items()
        }
        if self._connection is None:
            self._memory.update(
                {(model, key): value.astype(np.float32) for key, value in rows.items()}
            )
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.executemany(
                "INSERT OR REPLACE INTO features VALUES (?, ?, ?)",
                [(model, key, sqlite.sealed(value.tobytes())) for key, value in rows.items()],
            )
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()
