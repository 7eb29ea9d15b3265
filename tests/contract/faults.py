"""What the tests of runs share: a judge that tells outputs apart, the numbers that a run prints, and
commands that are killed and started again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.contract.server import Answer, Asked, Server, chat, error, verdict
from tests.contract.support import Result, cli, finished, killed, process

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
Cells = dict[tuple[str, ...], tuple[Any, Any]]


def graded(asked: Asked) -> Answer:
    """A judge whose number depends on the words and on every picture that it is sent."""
    if asked.method != "POST":  # what models there are, which nobody bills
        return error(404)
    digest = hashlib.sha256(asked.text.encode() + b"".join(asked.pictures)).digest()
    return chat(verdict(asked, digest[0] % 6), seconds=0.02)


def calls(server: Server) -> int:
    """How many requests were sent that are billed."""
    return sum(asked.method == "POST" for asked in server.asked)


# -- what a run holds ------------------------------------------------------------------------------


def copy_of(run: Path, place: Path) -> Path:
    return Path(shutil.copytree(run, place, symlinks=True))


def files(folder: Path, pictures: bool = True) -> list[Path]:
    """Every regular file below a folder, in order of name; without pictures where that is said."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and (pictures or path.suffix not in PICTURES)
    )


def content(folder: Path) -> dict[str, str]:
    """Path -> hash of all that lies below a folder, links by where they lead."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def cells(table: Result) -> Cells:
    """Every number of ``table --json``, with the count behind it."""
    return {
        (shown["name"], shown["variant"], line["name"], name): (cell["value"], cell["n"])
        for shown in table.json["tables"]
        for line in shown["rows"]
        for name, cell in line["cells"].items()
    }


def named(result: Result) -> bool:
    """Whether a command says that something is wrong: by its exit code, by a line on standard
    error, or among the `problems` of its JSON.
    """
    if result.code or result.err.strip():
        return True
    return result.out.lstrip().startswith("{") and bool(result.json.get("problems"))


# -- commands that are interrupted -----------------------------------------------------------------


def seconds_of(*words: Any, env: dict[str, str]) -> float:
    """How long a command takes in a process of its own that nobody disturbs."""
    start = time.monotonic()
    finished(process(*words, env=env), expect=None)  # 1 where an output has no score
    return time.monotonic() - start


def interrupted(words: Sequence[Any], kills: int, seconds: float, env: dict[str, str]) -> int:
    """Start a command again and again and kill it each time, at a moment of those that it takes;
    then let it end, whatever its exit code. Returns how often it was still at work.
    """
    choose = random.Random(str(words[:2]))
    hits = sum(killed(words, choose.uniform(0.4, 1.0) * seconds, env) for _ in range(kills))
    cli(*words, env=env, expect=None)
    assert hits or kills < 10, "no kill met the command at work"
    return hits


@contextlib.contextmanager
def small_disk(place: Path, megabytes: float) -> Iterator[Path | None]:
    """A disk of so many megabytes, or None where none can be mounted."""
    place.mkdir()
    size = f"size={int(megabytes * 1024)}k"
    yield from _mounted(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(place)], place)


@contextlib.contextmanager
def sealed(folder: Path) -> Iterator[Path | None]:
    """A folder that nobody can write to while the block lasts; None where that cannot be had."""
    if os.geteuid():
        modes = {path: path.stat().st_mode for path in [folder, *folder.rglob("*")]}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        yield folder
        for path, mode in modes.items():
            path.chmod(mode)
        return
    yield from _mounted(["mount", "--bind", "-o", "ro", str(folder), str(folder)], folder)


NO_LOCKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has_none(int file) {
    char name[64], path[4096];
    const char *folder = getenv("WITHOUT_LOCKS");
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t size = readlink(name, path, sizeof path - 1);
    if (size < 0 || folder == NULL) return 0;
    path[size] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

#define LOCK(name) \
    int name(int file, int command, ...) { \
        va_list rest; va_start(rest, command); void *given = va_arg(rest, void *); va_end(rest); \
        int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK; \
        if (locks && has_none(file)) { errno = ENOLCK; return -1; } \
        int (*real)(int, int, ...) = dlsym(RTLD_NEXT, #name); \
        return real(file, command, given); \
    }
LOCK(fcntl)
LOCK(fcntl64)

int flock(int file, int operation) {
    if (has_none(file)) { errno = ENOLCK; return -1; }
    int (*real)(int, int) = dlsym(RTLD_NEXT, "flock");
    return real(file, operation);
}
"""


def without_locks(folder: Path, scratch: Path) -> dict[str, str] | None:
    """The environment of a process to which a folder has no file locks, as NFS without its lock
    service; None where that cannot be had.
    """
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    source, library = scratch / "no_locks.c", scratch / "no_locks.so"
    source.write_text(NO_LOCKS)
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return None
    return {"LD_PRELOAD": str(library), "WITHOUT_LOCKS": str(folder.resolve())}


def _mounted(command: list[str], place: Path) -> Iterator[Path | None]:
    if subprocess.run(command, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
