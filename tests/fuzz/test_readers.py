"""No reader of outside text is forgotten by ``perf/bench_readers.py``: what parses anything is entered
by one of them, or says why not.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from perf.readers import ELSEWHERE, READERS

import editgauge
from editgauge.errors import EditgaugeError

SOURCE = Path(editgauge.__file__).parent
PARSERS = {
    "json.loads", "json.load", "orjson.loads", "json_repair.loads", "csv.reader", "csv.DictReader", "tomllib.loads", "ast.parse",
    "ast.literal_eval", "ElementTree.fromstring", "ElementTree.parse", "tarfile.open", "zipfile.ZipFile", "gzip.open",
    "zlib.decompressobj", "zlib.decompress", "struct.unpack", "struct.unpack_from", "base64.b64decode", "np.frombuffer", "np.load",
    "shlex.split", "urlsplit", "urllib.parse.urlsplit", "parse_qsl", "parsedate_to_datetime", "safe_open", "load_file", "torch.load",
    "pydicom.dcmread", "Image.open", "cv2.imdecode", "simplejpeg.decode_jpeg", "yaml.safe_load",
}  # fmt: skip
PATTERNS = {f"re.{name}" for name in ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")}  # fmt: skip
TEXTS = ('{"a": "b", "c": [1]}', "score: 4\n" * 3)
"""With these, a reader gets as far as it does with any text, but for `FURTHER`."""
FURTHER = {
    "instruction for typeset": "Change the phone number 555 to 666 in the email",
    "instruction": "'a' + b",
    "released script": "'a' + b",
    "answer": "The accuracy is 4 and the quality is 5.",
    "file of krisbench": '{"a": "\\ud800"}',
}


LAST = {name.rpartition(".")[2] for name in PARSERS | PATTERNS}


def _last(node: ast.expr) -> str:
    return getattr(node, "attr", "") or getattr(node, "id", "")


def called(node: ast.AST, within: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each call of a module: the function that it is in, and its own dotted name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from called(child, (*within, child.name))
        else:
            if isinstance(child, ast.Call) and _last(child.func) in LAST:
                yield ".".join(within), ast.unparse(child.func)
            yield from called(child, within)


def of_source() -> tuple[set[str], set[str]]:
    """The functions that parse something, and the modules that have patterns."""
    functions, modules = set(), set()
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        source = path.read_text("utf-8")
        if not any(name in source for name in PARSERS | PATTERNS):
            continue  # to parse all of them takes a second
        for function, name in called(ast.parse(source)):
            if name in PARSERS:
                functions.add(f"{module}.{function}")
            elif name in PATTERNS:
                modules.add(module)
    return functions, modules


@pytest.fixture(scope="module")
def entered() -> set[str]:
    """Every function of the package that was entered while all readers read, and its module."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    for name, reader in READERS.items():
        for text in (*TEXTS, FURTHER.get(name, "")):
            before = sys.getprofile()
            sys.setprofile(note)
            try:
                reader(text)
            except (EditgaugeError, ValueError):
                pass
            finally:
                sys.setprofile(before)
    found = set()
    for code in seen:
        path = Path(code.co_filename)
        if path.is_relative_to(SOURCE):
            module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            found |= {module, f"{module}.{code.co_qualname.replace('.<locals>', '')}"}
    return found


def test_whatever_parses_has_a_reader(entered: set[str]) -> None:
    functions, modules = of_source()
    assert len(functions) > 80
    assert sorted((functions | modules) - entered - set(ELSEWHERE)) == [], (
        "add a reader to perf/readers.py that gets there, or say in ELSEWHERE why none is needed"
    )
    assert sorted(set(ELSEWHERE) - functions - modules) == [], "these are there no more"
