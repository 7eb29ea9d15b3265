"""The readers under a fuzzer that is guided by the lines it reaches: atheris, where it installs.

    python -m tests.fuzz.guided [--seconds 60] [--seed 1] [TARGET …]

Each target is a process of its own, which begins with the corpus that the other tests of this folder
make by code, and stops at the first error that is none of ours. `make fuzz` ends with it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from editgauge.errors import EditgaugeError
from tests.fuzz import corpus

Reader = Callable[[bytes], object]


def _text(read: Callable[[str], object]) -> Reader:
    return lambda data: read(data.decode("utf-8", "replace"))


def _file(name: str, *reads: Callable[[Path], object]) -> Reader:
    """A reader of files; each says no in its own words."""
    folder = Path(tempfile.mkdtemp(prefix="guided-"))

    def reader(data: bytes) -> None:
        path = folder / name
        path.write_bytes(data)
        for read in reads:
            with contextlib.suppress(EditgaugeError):
                read(path)

    return reader


def _pictures() -> tuple[Reader, list[bytes]]:
    from tests.fuzz.test_pictures import PICTURES, look

    folder = Path(tempfile.mkdtemp(prefix="guided-"))
    return lambda data: look(folder / "a", data), list(PICTURES.values())


def _texts() -> tuple[Reader, list[bytes]]:
    from editgauge.editors.typeset.grammar import read_request
    from tests.fuzz.test_texts import READERS, REPLIES

    def read(text: str) -> None:
        for reader in (*READERS.values(), read_request):
            reader(text)

    return _text(read), [text.encode() for text in REPLIES]


def _written() -> tuple[Reader, list[bytes]]:
    from tests.fuzz import test_outputs as outputs

    def write(text: str) -> None:
        third = len(text) // 3
        parts = text[:third], text[third : 2 * third], text[2 * third :]
        outputs.csv_is_inert(*parts)
        outputs.latex_is_inert(*parts)
        outputs.markdown_is_inert(*parts)
        outputs.markup_is_inert(*parts)
        outputs.terminal_is_inert(*parts[:2])
        outputs.name_is_portable(text)

    return _text(write), [piece.encode("utf-8", "replace") for piece in outputs.PIECES]


def _files() -> dict[str, Callable[[], tuple[Reader, list[bytes]]]]:
    from tests.fuzz.test_files import READERS, corpus_of

    made = corpus_of(Path(tempfile.mkdtemp(prefix="guided-")))
    return {
        name: (lambda name=name, reads=reads: (_file(name, *reads), [made[name]]))  # type: ignore[misc]
        for name, reads in READERS.items()
    }


def _annotations(name: str) -> tuple[Reader, list[bytes]]:
    from editgauge import catalog
    from tests.fuzz.test_annotations import SETS

    root = Path(tempfile.mkdtemp(prefix="guided-"))
    SETS[name](root)
    first = corpus.annotation_files(root)[0]
    whole = first.read_bytes()

    def read(data: bytes) -> None:
        first.write_bytes(data)
        with contextlib.suppress(EditgaugeError):
            samples = list(catalog.find("benchmarks", name).load(root))
            assert len({sample.id for sample in samples}) == len(samples)

    return read, [whole]


def _segments() -> tuple[Reader, list[bytes]]:
    from editgauge.store import segments

    whole = b"".join(segments.marked({"a": number}, number) for number in range(3))
    return _file(f"x{segments.SUFFIX}", lambda path: list(segments.read(path, []))), [whole]


def _manifest() -> tuple[Reader, list[bytes]]:
    from editgauge.store.run_folder import RunFolder

    run = RunFolder.create(Path(tempfile.mkdtemp(prefix="guided-")) / "run")
    place = run.path / "manifest.json"
    whole = place.read_bytes()

    def read(data: bytes) -> None:
        place.write_bytes(data)
        with contextlib.suppress(EditgaugeError):
            RunFolder.open(run.path).manifest()

    return read, [whole]


def targets() -> dict[str, Callable[[], tuple[Reader, list[bytes]]]]:
    """Each target's reader and the first texts of its corpus, by name."""
    from tests.fuzz.test_annotations import SETS

    found = {
        "pictures": _pictures,
        "texts": _texts,
        "written": _written,
        "segments": _segments,
        "manifest": _manifest,
        **_files(),
    }
    for name in SETS:
        found[f"annotations-{name}"] = lambda name=name: _annotations(name)  # type: ignore[misc]
    return found


def _fuzz(name: str, seconds: int, seed: int) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=["editgauge"]):
        read, seeds = targets()[name]()
    folder = Path(tempfile.mkdtemp(prefix="guided-"))
    for number, data in enumerate(seeds):
        (folder / str(number)).write_bytes(data)
    (kept := Path("build/fuzz")).mkdir(parents=True, exist_ok=True)  # what stops it lies there
    options = [
        f"-artifact_prefix={kept}/{name}-",
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        "-max_len=4096",
        "-timeout=20",
    ]
    atheris.Setup([name, *options, "-rss_limit_mb=2048", "-verbosity=0", str(folder)], read)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="TARGET", help="default: all")
    parser.add_argument("--seconds", type=int, default=60, help="of each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("guided fuzzing is skipped: atheris is not installed (it has wheels for Linux alone)")
        return 0
    if chosen.here:
        _fuzz(chosen.names[0], chosen.seconds, chosen.seed)
    failed = []
    for name in chosen.names or targets():
        words = [sys.executable, "-m", "tests.fuzz.guided", "--here", name]
        words += ["--seconds", str(chosen.seconds), "--seed", str(chosen.seed)]
        print(f"== {name}", flush=True)
        if subprocess.run(words, check=False).returncode:
            failed.append(name)
    print(f"guided fuzzing: failed: {', '.join(failed)}" if failed else "guided fuzzing: no error")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
