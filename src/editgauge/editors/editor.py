"""What every editor of this package is, so that nothing about one has to be guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from editgauge.services.booking import Ledger
from editgauge.types import Edit, Editor, Sample

Mode = Literal["process", "thread", "serial"]


class BaseEditor:
    """A model under test: `(sample, folder) -> edit`, and how it wants to be run.

    The edit's picture lies below the `folder` that the call is given. Nothing is kept between calls
    that changes what a call gives; a faulty sample is answered by an `Edit` without a path, never
    by an exception. Subclasses overwrite what differs.

    `parallel`: ``process`` (pickled into worker processes), ``thread`` (called on `concurrency`
    threads of one process: services, programs) or ``serial`` (one call after the other: a model on
    a GPU, in a process of its own where it can be sent to one). `device`: the device that it was
    told, such as ``cuda:1``. `shows`: it can be shown demonstrations (`Sample.shots`). `num_cpus`,
    `num_gpus`, `memory` (bytes): what a worker of a cluster needs. `timeout`: seconds after which
    it ends a call by itself. `ledger`: the book of what it costs, at `price`.
    """

    name: str
    parallel: Mode = "process"
    device: str = ""
    concurrency: int = 1
    shows: bool = False
    num_cpus: float = 1.0
    num_gpus: float = 0.0
    memory: int = 0
    timeout: float | None = None
    ledger: Ledger | None = None
    price: Any = None

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        raise NotImplementedError

    def estimate(self, sample: Sample) -> float | None:
        """What an edit of the sample will cost in US dollars; None where no price is known."""
        return 0.0

    def ready(self) -> None:
        """Before the first call of a command: raise `UsageError` where none can be made."""

    def prepare(self) -> None:
        """Load what the calls need, before the time of the first sample begins. Called in the
        process that makes the calls. Raises `Unavailable` where it cannot be loaded.
        """

    def limit(self, seconds: float) -> None:
        """Lower `timeout` to what the user grants a sample."""
        if self.timeout is not None and self.timeout > seconds:
            self.timeout = seconds

    def release(self) -> None:
        """Let go of what is loaded."""


TOLD = [name for name in BaseEditor.__annotations__ if name != "name"]
"""What an editor says of how it wants to be run."""


class Outside(BaseEditor):
    """An editor around another: any object with a `name` that is called so. What it says of itself
    beside is taken from it, under the names of `BaseEditor`.
    """

    def __init__(self, editor: Editor) -> None:
        self.editor: Any = editor
        self.name = editor.name
        for name in (*TOLD, "estimate", "ready", "prepare", "release"):
            if hasattr(editor, name) and name not in vars(type(self)):
                setattr(self, name, getattr(editor, name))

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        edit: Edit = self.editor(sample, folder)
        return edit

    def limit(self, seconds: float) -> None:
        super().limit(seconds)
        if self.timeout is not None:
            self.editor.timeout = self.timeout


def as_editor(thing: Editor) -> BaseEditor:
    """The editor as one of ours. The one place where anything is looked for by name."""
    return thing if isinstance(thing, BaseEditor) else Outside(thing)
