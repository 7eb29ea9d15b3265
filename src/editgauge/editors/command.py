"""A model of one's own as a program that is started once: a JSON line in, a JSON line out.

For each sample it is given one line on its standard input ::

    {"id": "…", "instruction": "…", "images": ["/…/input.png"], "output": "/…/output.png", "seed":
    0, "examples": [{"images": ["…"], "instruction": "…", "reference": "…"}]}

and answers with one line on its standard output: ``{"id": "…", "image": "/…/output.png"}`` (any
regular file; it is copied and left where it is), or ``{"id": "…", "error": "why", "status":
"refused"}`` (status failed, refused or not_applicable; failed if it is left out). Other lines are
taken as its log. A program that loads a model says ``{"ready": false}`` first and ``{"ready":
true}`` when it has: no sample's time limit counts what lies between. When it dies it is started
again and asked the same sample once more, but not where no program has answered yet: it may be one
that cannot load. One that dies while it says that it loads ends the command. When it takes too long
it is killed with all that it started.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from editgauge.editors.delivery import Count, Seconds, deliver, faulty, settings_of
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import RunError, Unavailable, UsageError
from editgauge.services.child import Child, Ended
from editgauge.services.secrets import shown, words
from editgauge.types import MAX_FILE_BYTES, Edit, JsonMapping, JsonObject, Sample, Shot, Status

_STATUSES = {one.value: one for one in (Status.REFUSED, Status.NOT_APPLICABLE)}
LOADING = 1800.0
"""Seconds that a program may load once it has said that it does."""


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    program: str = ""
    name: str = ""
    timeout: Seconds = 600.0
    concurrency: Count = 1
    seed: int = 0
    pictures: Count = 1


def command(samples: Sequence[Sample], **settings: Any) -> CommandEditor:
    """A program of one's own, which talks in lines of JSON.

    Settings: `program` (required: the command line, split as a shell
    would), `name`, `timeout` (seconds a sample may take, 600), `concurrency` (programs side by
    side, 1), `seed` (0), `pictures` (how many input pictures it takes, 1). Raises `UsageError` for
    another setting or no program.
    """
    chosen = settings_of("command", settings, Settings)
    try:
        line = shlex.split(chosen.program)
    except ValueError as error:
        raise UsageError(f"editor 'command': program: {error} in the command line") from error
    if not line:
        example = "for example program='python edit.py'"
        raise UsageError(f"editor 'command': wanted the setting program, {example}")
    fields = msgspec.structs.asdict(chosen) | {"name": chosen.name or Path(script_of(line)).stem}
    del fields["program"]
    return CommandEditor(line=tuple(line), **fields)


def script_of(line: Sequence[str]) -> str:
    """What of a command line may be written down: the last word that names a file or folder that is
    there, else the program. Any other word may be a key.
    """
    there = [word for word in line[1:] if not word.startswith("-") and Path(word).exists()]
    return Path([line[0], *there][-1]).name


def recorded(settings: JsonMapping) -> dict[str, str]:
    """Settings of any editor as a run keeps them: of a command line only `script_of`, of an address
    neither user nor query, and nothing that is called a key.
    """
    kept = {name: str(value) for name, value in settings.items()}
    for name, text in kept.items():
        if name == "program":
            with contextlib.suppress(ValueError):
                kept[name] = script_of(shlex.split(text) or [""])
        elif "://" in text:
            kept[name] = shown(text)
        elif re.search(r"key|token|secret|password|auth", name, re.IGNORECASE):
            kept[name] = "(not kept)"
    return kept


@dataclass(kw_only=True)
class CommandEditor(BaseEditor):
    """See `command`. `concurrency` programs run side by side, started when first needed."""

    line: tuple[str, ...]
    name: str
    timeout: float = 600.0
    concurrency: int = 1
    seed: int = 0
    pictures: int = 1
    parallel: Mode = "thread"
    shows: bool = True
    _idle: list[Child] = field(default_factory=list, repr=False)
    """Of several threads; a list's own methods are one step each."""
    _has_answered: bool = field(default=False, repr=False)
    """Whether any of the programs has answered: then one that dies died of its sample."""

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        alone = replace(sample, shots=())  # demonstrations come beside its pictures
        if (fault := faulty(alone, self.name, pictures=self.pictures)) is not None:
            return fault
        question = self._question(sample) | {"output": str(folder / "output.png")}
        began = time.monotonic()
        facts: JsonObject = {"seed": self.seed, "settings": {"program": script_of(self.line)}}
        for start in (1, 2):
            try:
                answer = self._asked(question)
            except TimeoutError:
                reason = f"no answer within {self.timeout:g} s"
                break
            except Ended as ended:
                reason = str(ended)
                if not self._has_answered:
                    break
                if start == 2:
                    reason += " (twice on this sample)"
                continue
            facts |= {"seconds": round(time.monotonic() - began, 6), "detail": {"starts": start}}
            return self._read(sample, folder, answer, facts)
        return Edit.without(sample.id, self.name, Status.FAILED, reason, **facts)

    def _question(self, sample: Sample) -> JsonObject:
        """What a model outside is told about a sample; nothing that would give the answer away."""

        def told(one: Sample | Shot) -> JsonObject:
            return {"instruction": one.instruction, "images": list(map(str, one.images))}

        examples = [told(shot) | {"reference": str(shot.reference)} for shot in sample.shots]
        asked = {"id": sample.id, **told(sample), "seed": self.seed}
        return asked | ({"examples": examples} if examples else {})

    def _asked(self, asked: JsonMapping) -> JsonMapping:
        """The answer of an idle program, or of a new one. Raises `Ended` and `TimeoutError`,
        and `Unavailable` for a program that cannot load.
        """
        try:
            child = self._idle.pop()
        except IndexError:
            child = self._started()
        seconds, is_loading = self.timeout, False
        try:
            child.write(asked)
            while True:
                answer = child.read(time.monotonic() + seconds, "image", "error", "ready")
                if isinstance(answer.get("ready"), bool):
                    is_loading = not answer["ready"]
                    seconds = LOADING if is_loading else self.timeout
                elif answer.get("id", asked["id"]) == asked["id"]:
                    self._has_answered = True
                    self._idle.append(child)
                    return answer
        except Ended as ended:
            child.kill()
            if is_loading:
                why = f"its program cannot load: {ended}"
                raise Unavailable(f"editor {self.name!r}: {why}") from ended
            raise
        except BaseException:
            child.kill()
            raise

    def _started(self) -> Child:
        try:
            return Child(self.line)
        except OSError as error:
            why = f"{Path(self.line[0]).name}: cannot be started ({error.strerror})"
            raise RunError(f"editor 'command': {why}") from error

    def _read(self, sample: Sample, folder: Path, answer: JsonMapping, facts: JsonObject) -> Edit:
        if not answer.get("image"):
            status = _STATUSES.get(str(answer.get("status")), Status.FAILED)
            said = words(str(answer.get("error") or "the answer has neither image nor error"))
            return Edit.without(sample.id, self.name, status, said, **facts)
        path = Path(str(answer["image"]))
        try:
            if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
                raise ValueError(f"wanted a regular file of at most {MAX_FILE_BYTES >> 20} MiB")
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            reason = f"output: the program named a file that cannot be read ({why})"
            return Edit.without(sample.id, self.name, Status.MISSING, reason, **facts)
        return deliver(sample, self.name, folder, data, **facts)
