"""A model of one's own as a program: a JSON line in, a JSON line out, for as long as there are
samples.

The program is started once and kept. For each sample it is given one line on its standard input ::

    {"id": "…", "instruction": "…", "images": ["/…/input.png"], "output": "/…/output.png", "seed":
    0,
     "examples": [{"images": ["…"], "instruction": "…", "reference": "…"}]}

and answers with one line on its standard output: ``{"id": "…", "image": "/…/output.png"}`` (any
regular file, by preference the one named in ``output``; it is copied and left where it is), or
``{"id": "…", "error": "why", "status": "refused"}`` (status failed, refused or not_applicable;
failed if it is left out). Other lines on standard output are taken as its log.

A program that loads a model says ``{"ready": false}`` first and ``{"ready": true}`` when it has:
the time limit of a sample does not count what lies between. When the program dies it is started
again and asked the same sample once more; when it takes too long it is killed with all that it
started. This is how research code joins without living in our environment: see ``examples/``.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import selectors
import shlex
import signal
import stat
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge import confinement
from editgauge.editors.delivery import deliver, faulty, known, number, whole
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import RunError, UsageError
from editgauge.images import MAX_FILE_BYTES
from editgauge.services.secrets import shown, words
from editgauge.types import Edit, Sample, Status

_SAID = {
    "failed": Status.FAILED,
    "refused": Status.REFUSED,
    "not_applicable": Status.NOT_APPLICABLE,
}
_LONGEST_LINE = 1 << 16
"""Bytes of a line that are read; a longer one is no answer."""
_LINES_WAITING = 256
"""Lines that are kept until somebody reads them: a program that says more has to wait."""
LOADING = 1800.0
"""Seconds that a program may load once it has said that it does."""


def command(samples: Sequence[Sample], **settings: Any) -> CommandEditor:
    """A program as an editor. Settings: `program` (required: the command line, split as a shell
    would), `name`, `timeout` (seconds a sample may take, 600), `concurrency` (programs side by
    side, 1), `seed` (0), `pictures` (how many input pictures it takes, 1), `loading` (seconds it
    may take until it is ready, 1800 once it has said that it is not; given, they are granted in any
    case). Raises `UsageError` for another setting or no program.
    """
    known(
        "command",
        settings,
        "program",
        "name",
        "timeout",
        "concurrency",
        "seed",
        "pictures",
        "loading",
    )
    try:
        line = shlex.split(str(settings.get("program") or ""))
    except ValueError as error:
        raise UsageError(f"editor 'command': program: {error} in the command line") from error
    if not line:
        raise UsageError(
            "editor 'command': wanted the setting program, for example --set program='python "
            "edit.py'"
        )
    return CommandEditor(
        line=tuple(line),
        name=str(settings.get("name") or Path(script_of(line)).stem),
        timeout=number("command", settings, "timeout", 600.0, least=0.001),
        concurrency=whole("command", settings, "concurrency", 1, least=1),
        seed=whole("command", settings, "seed", 0),
        pictures=whole("command", settings, "pictures", 1, least=1),
        loading=number("command", settings, "loading", 0.0),
    )


def script_of(line: Sequence[str]) -> str:
    """What of a command line may be written down: the last word that names a file or folder that is
    there, or the module after ``-m``, else the program. Any other word may be a key.
    """
    rest = list(line[1:])
    if "-m" in rest[:-1] and Path(line[0]).name.startswith("python"):
        return rest[rest.index("-m") + 1]
    there = [word for word in rest if not word.startswith("-") and Path(word).exists()]
    return Path((there or list(line))[-1 if there else 0]).name


def recorded(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings of any editor as the manifest keeps them: without what may be a secret.

    Of a command line only `script_of` is kept, of an address neither user nor query.
    """
    kept = {}
    for name, value in settings.items():
        text = str(value)
        if name == "program":
            with contextlib.suppress(ValueError):
                text = script_of(shlex.split(text) or [""])
        elif "://" in text:
            text = shown(text)
        elif re.search(r"key|token|secret|password|auth", name, re.IGNORECASE):
            text = "(not kept)"
        kept[name] = text
    return kept


def question(sample: Sample, seed: int) -> dict[str, Any]:
    """What a model outside is told about a sample; nothing that would give the answer away."""
    told: dict[str, Any] = {"id": sample.id, "instruction": sample.instruction, "seed": seed}
    told["images"] = [str(path) for path in sample.images]
    if sample.shots:
        told["examples"] = [
            {
                "images": [str(path) for path in shot.images],
                "instruction": shot.instruction,
                "reference": str(shot.reference),
            }
            for shot in sample.shots
        ]
    return told


class Gone(Exception):
    """The program is not there any more, and why."""


class Program:
    """One running program: what it was asked last, what it says, the end of its log."""

    def __init__(self, line: Sequence[str], loading: float = 0.0) -> None:
        self._log: deque[str] = deque(maxlen=12)
        self._lines: queue.Queue[str] = queue.Queue(_LINES_WAITING)
        self._loading = loading
        self._said = threading.Event()
        try:
            with confinement.starting():
                self._process = subprocess.Popen(
                    list(line),
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
        except OSError as error:
            raise RunError(
                f"editor 'command': {script_of(line)}: cannot be started ({error.strerror})"
            ) from error
        assert self._process.stdin is not None
        if hasattr(os, "set_blocking"):
            os.set_blocking(self._process.stdin.fileno(), False)
        self._readers = [
            threading.Thread(target=_read, args=(self._process.stdout, self._keep), daemon=True),
            threading.Thread(target=_read, args=(self._process.stderr, self._note), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._end = weakref.finalize(self, _kill, self._process, self._said)

    def _keep(self, line: str) -> bool:
        """Put a line before whoever asks; False when the program has been ended."""
        while not self._said.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.5)
                return True
        return False

    def _note(self, line: str) -> bool:
        self._log.append(line.rstrip()[:300])
        return not self._said.is_set()

    def ask(self, told: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """The answer to a question. Raises `Gone` when the program died, `TimeoutError` when it
        takes longer than `seconds`, its loading not counted.
        """
        deadline = time.monotonic() + max(seconds, self._loading)
        self._loading = 0.0
        self._write(json.dumps(told).encode() + b"\n", deadline)
        while True:
            line = self._next_line(deadline)
            answer = _answer(line)
            if answer is None:
                self._log.append(line.rstrip()[:300])
            elif isinstance(answer.get("ready"), bool):
                deadline = time.monotonic() + (seconds if answer["ready"] else LOADING)
            elif answer.get("id", told["id"]) == told["id"]:
                return answer

    def _write(self, data: bytes, deadline: float) -> None:
        """Write a question. A program that does not read is not waited for longer than for an
        answer.
        """
        assert self._process.stdin is not None
        handle = self._process.stdin.fileno()
        with selectors.DefaultSelector() as free:
            free.register(handle, selectors.EVENT_WRITE)
            while data:
                if not free.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError
                try:
                    data = data[os.write(handle, data) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Gone(self._why()) from error

    def _next_line(self, deadline: float) -> str:
        """The next line. A program may be dead while something that it started keeps its output
        open.
        """
        while (left := deadline - time.monotonic()) > 0:
            dead = self._process.poll() is not None
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=min(0.2, left))
            if dead:
                raise Gone(self._why())
        raise TimeoutError

    def _why(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        for reader in self._readers:
            reader.join(1)
        last = words(" | ".join(list(self._log)[-4:]))
        return f"the program ended with code {self._process.poll()}" + (f": {last}" if last else "")

    def kill(self) -> None:
        """End it and all it started."""
        self._end()


def _read(stream: Any, take: Callable[[str], bool]) -> None:
    """Give the lines of a pipe to `take`, until the pipe ends or it says no. No line is longer than
    `_LONGEST_LINE`; the pipe is closed here, where nobody else can be reading it.
    """
    rest = b""
    with contextlib.suppress(ValueError, OSError), stream:
        while part := stream.read(_LONGEST_LINE):
            *lines, rest = (rest + part).split(b"\n")
            if len(rest) >= _LONGEST_LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                if not take(line[:_LONGEST_LINE].decode("utf-8", "replace")):
                    return
        if rest:
            take(rest.decode("utf-8", "replace"))


def _kill(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    """End a program, its group, and what it started in groups of their own."""
    ended.set()
    others = _descendants(process.pid)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    for pid in others:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with contextlib.suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()


def _descendants(pid: int) -> list[int]:
    """The processes that a process has started, and they in turn; nothing where there is no
    ``/proc``.
    """
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # the name is in brackets and may hold anything: what follows the last one is numbers
            parent = int(place.read_bytes().rpartition(b")")[2].split()[1])
            parents.setdefault(parent, []).append(int(place.parent.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        children = parents.pop(todo.pop(), [])
        found += children
        todo += children
    return found


def _answer(line: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not {"image", "error", "ready"} & set(value):
        return None
    return value


@dataclass(kw_only=True)
class CommandEditor(BaseEditor):
    """See `command`. `concurrency` programs run side by side, started when they are first
    needed.
    """

    line: tuple[str, ...]
    name: str
    timeout: float = 600.0
    concurrency: int = 1
    seed: int = 0
    pictures: int = 1
    loading: float = 0.0
    parallel: Mode = "thread"
    shows: bool = True
    _idle: list[Program] = field(default_factory=list, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        told = {**question(sample, self.seed), "output": str(folder / "output.png")}
        began = time.monotonic()
        facts: dict[str, Any] = {
            "seed": self.seed,
            "settings": {"program": script_of(self.line)},
        }
        starts = 0
        while True:
            program = self._take()
            starts += 1
            try:
                answer = program.ask(told, self.timeout)
            except TimeoutError:
                program.kill()
                return Edit.without(
                    sample.id,
                    self.name,
                    Status.FAILED,
                    f"no answer within {self.timeout:g} s",
                    **facts,
                )
            except Gone as gone:
                program.kill()
                if starts < 2:
                    continue
                return Edit.without(
                    sample.id, self.name, Status.FAILED, f"{gone} (twice on this sample)", **facts
                )
            except BaseException:
                program.kill()
                raise
            with self._lock:
                self._idle.append(program)
            facts |= {"seconds": round(time.monotonic() - began, 6), "detail": {"starts": starts}}
            return self._read(sample, folder, answer, facts)

    def _take(self) -> Program:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Program(self.line, self.loading)

    def _read(
        self, sample: Sample, folder: Path, answer: Mapping[str, Any], facts: dict[str, Any]
    ) -> Edit:
        if "image" not in answer:
            status = _SAID.get(str(answer.get("status") or "failed"), Status.FAILED)
            return Edit.without(sample.id, self.name, status, words(str(answer["error"])), **facts)
        try:
            data = _picture(Path(str(answer["image"])))
        except (OSError, ValueError) as error:
            machine = getattr(error, "strerror", None) or error
            reason = f"output: the program named a file that cannot be read ({machine})"
            return Edit.without(sample.id, self.name, Status.MISSING, reason, **facts)
        if len(data) > MAX_FILE_BYTES:
            reason = f"output: larger than {MAX_FILE_BYTES >> 20} MiB"
            return Edit.without(sample.id, self.name, Status.UNREADABLE, reason, **facts)
        return deliver(sample, self.name, folder, data, **facts)

    def close(self) -> None:
        """End all programs."""
        with self._lock:
            while self._idle:
                self._idle.pop().kill()


def _picture(path: Path) -> bytes:
    """The bytes of a regular file, at most one more than `MAX_FILE_BYTES`. A pipe is not waited
    for, and a device is not read for ever: both are a `ValueError`.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("not a regular file")
        return file.read(min(found.st_size, MAX_FILE_BYTES) + 1)
