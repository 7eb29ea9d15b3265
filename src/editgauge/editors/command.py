"""A model of one's own as a program: a JSON line in, a JSON line out, for as long as there are
samples.

The program is started once and kept. For each sample it is given one line on its standard input ::

    {"id": "…", "instruction": "…", "images": ["/…/input.png"], "output": "/…/output.png", "seed":
    0,
     "examples": [{"images": ["…"], "instruction": "…", "reference": "…"}]}

and answers with one line on its standard output: ``{"id": "…", "image": "/…/output.png"}`` (any
readable file, by preference the one named in ``output``), or ``{"id": "…", "error": "why",
"status": "refused"}`` (status failed, refused or not_applicable; failed if it is left out). Other
lines on standard output are taken as its log. When it dies it is started again and asked the same
sample once more; when it takes too long it is killed. This is how research code joins without
living in our environment: see ``examples/``.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.editors.asking import Shot, shots_for
from editgauge.editors.delivery import deliver, faulty, known, number, whole
from editgauge.editors.service import words
from editgauge.errors import RunError, UsageError
from editgauge.images import MAX_FILE_BYTES
from editgauge.types import Edit, Sample, Status

_SAID = {
    "failed": Status.FAILED,
    "refused": Status.REFUSED,
    "not_applicable": Status.NOT_APPLICABLE,
}
_LONGEST_LINE = 1 << 20


def command(samples: Sequence[Sample], **settings: Any) -> CommandEditor:
    """A program as an editor. Settings: `program` (required: the command line, split as a shell
    would), `name`, `timeout` (seconds a sample may take, 600), `concurrency` (programs side by
    side, 1), `seed` (0), `shots`, `pictures` (how many input pictures it takes, 1). Raises
    `UsageError` for another setting or no program.
    """
    known(
        "command",
        settings,
        "program",
        "name",
        "timeout",
        "concurrency",
        "seed",
        "shots",
        "pictures",
    )
    try:
        line = shlex.split(str(settings.get("program") or ""))
    except ValueError as error:
        raise UsageError(
            f"editor 'command': program: {error} in {settings['program']!r}"
        ) from error
    if not line:
        raise UsageError(
            "editor 'command': wanted the setting program, for example --set program='python "
            "edit.py'"
        )
    shots = whole("command", settings, "shots", 0)
    return CommandEditor(
        tuple(line),
        name=str(settings.get("name") or Path(line[-1]).stem),
        timeout=number("command", settings, "timeout", 600.0, least=0.001),
        concurrency=whole("command", settings, "concurrency", 1, least=1),
        seed=whole("command", settings, "seed", 0),
        pictures=whole("command", settings, "pictures", 1, least=1),
        shots=shots,
        samples=samples if shots else (),
    )


def question(sample: Sample, shots: Sequence[Shot], seed: int) -> dict[str, Any]:
    """What a model outside is told about a sample; nothing that would give the answer away."""
    told: dict[str, Any] = {"id": sample.id, "instruction": sample.instruction, "seed": seed}
    told["images"] = [str(path) for path in sample.images]
    if shots:
        told["examples"] = [
            {
                "images": [str(path) for path in shot.images],
                "instruction": shot.instruction,
                "reference": str(shot.reference),
            }
            for shot in shots
        ]
    return told


class Gone(Exception):
    """The program is not there any more, and why."""


class Program:
    """One running program: what it was asked last, what it says, the end of its log."""

    def __init__(self, line: Sequence[str]) -> None:
        self._log: deque[str] = deque(maxlen=12)
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                list(line),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(
                f"editor 'command': {line[0]}: cannot be started ({error.strerror})"
            ) from error
        self._readers = [
            threading.Thread(target=self._read_answers, daemon=True),
            threading.Thread(target=self._read_log, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._end = weakref.finalize(self, _kill, self._process)

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            while line := self._process.stdout.readline(_LONGEST_LINE):
                self._lines.put(line)
        self._lines.put(None)

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(ValueError, OSError):
            while line := self._process.stderr.readline(_LONGEST_LINE):
                self._log.append(line.rstrip())

    def ask(self, told: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """The answer to a question. Raises `Gone` when the program died, `TimeoutError` when it
        takes too long.
        """
        deadline = time.monotonic() + seconds
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(told) + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, OSError) as error:
            raise Gone(self._why()) from error
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError from None
            if line is None:
                raise Gone(self._why())
            answer = _answer(line)
            if answer is None:
                self._log.append(line.rstrip()[:300])
            elif answer.get("id", told["id"]) == told["id"]:
                return answer

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


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:
                stream.close()


def _answer(line: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and ("image" in value or "error" in value) else None


@dataclass
class CommandEditor:
    """See `command`. `concurrency` programs run side by side, started when they are first
    needed.
    """

    line: tuple[str, ...]
    name: str
    timeout: float = 600.0
    concurrency: int = 1
    seed: int = 0
    pictures: int = 1
    shots: int = 0
    samples: Sequence[Sample] = ()
    parallel: str = "thread"
    _idle: list[Program] = field(default_factory=list, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        shots = shots_for(sample, self.samples, self.shots)
        told = {**question(sample, shots, self.seed), "output": str(folder / "output.png")}
        began = time.monotonic()
        facts: dict[str, Any] = {
            "seed": self.seed,
            "settings": {"program": Path(self.line[-1]).name},
        }
        starts = 0
        while True:
            program = self._take()
            starts += 1
            try:
                answer = program.ask(told, self.timeout)
            except TimeoutError:
                program.kill()
                return Edit(
                    sample.id,
                    self.name,
                    None,
                    Status.FAILED,
                    f"no answer within {self.timeout:g} s",
                    **facts,
                )
            except Gone as gone:
                program.kill()
                if starts < 2:
                    continue
                return Edit(
                    sample.id,
                    self.name,
                    None,
                    Status.FAILED,
                    f"{gone} (twice on this sample)",
                    **facts,
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
        return Program(self.line)

    def _read(
        self, sample: Sample, folder: Path, answer: Mapping[str, Any], facts: dict[str, Any]
    ) -> Edit:
        if "image" not in answer:
            status = _SAID.get(str(answer.get("status") or "failed"), Status.FAILED)
            return Edit(sample.id, self.name, None, status, words(str(answer["error"])), **facts)
        path = Path(str(answer["image"]))
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                reason = f"output: larger than {MAX_FILE_BYTES >> 20} MiB"
                return Edit(sample.id, self.name, None, Status.UNREADABLE, reason, **facts)
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            reason = (
                f"output: the program named a file that cannot be read "
                f"({getattr(error, 'strerror', error)})"
            )
            return Edit(sample.id, self.name, None, Status.MISSING, reason, **facts)
        return deliver(sample, self.name, folder, data, **facts)

    def close(self) -> None:
        """End all programs."""
        with self._lock:
            while self._idle:
                self._idle.pop().kill()
