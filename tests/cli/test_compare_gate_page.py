"""The page on gating a release, run as written on a data set of the official layout, and the steps
of the GitHub Action.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from tests.benchmarks.releases import mask, text_instance
from tests.cli.pages import SPLITS, typed
from tests.cli.test_main import call
from tests.metrics import drawn
from tests.test_docs import DOCS, ROOT, blocks, commands

from editgauge.images import read_image, write_png

PAGE = DOCS / "how-to" / "gate-a-release.md"
ACTION = ROOT / ".github" / "actions" / "gate" / "action.yml"
SAMPLES = 16
SIZE = (192, 160)
"""Large enough for an output to be aligned to its input."""


def policy() -> str:
    """The page's policy, without limits on what no folder of outputs records, for few samples."""
    (text,) = blocks(PAGE, "toml")
    kept = [line for line in text.splitlines(True) if not line.startswith(("cost", "latency"))]
    return "".join(kept).replace("[[metric]]\n", "[[metric]]\nleast_samples = 16\n")


def release(folder: Path) -> None:
    """Stand-in data of the official layout, with pictures of many corners."""
    for number in range(1, SAMPLES + 1):
        for split in SPLITS.values():
            for path in text_instance(folder, number, split=split).glob("*.png"):
                if path.stem.endswith("mask"):
                    mask(path, SIZE)
                    continue
                pixels = drawn.blocks(*SIZE, seed=number)
                if path.stem.startswith("text_change"):
                    pixels[: SIZE[1] // 3, : SIZE[0] // 4] ^= 255
                write_png(path, pixels)


def outputs(folder: Path, editor: str, noise: int) -> None:
    for number in range(1, SAMPLES + 1):
        for split in ("canva", "real"):
            source = next(folder.glob(f"DATA/{SPLITS[split]}/*/{number:03d}/{number}.png"))
            place = folder / "OUTPUTS" / editor / split / "Art_Creative_Expression"
            place.mkdir(parents=True, exist_ok=True)
            write_png(place / f"{number:03d}_edited.png", drawn.noisy(read_image(source), noise))


Gated = tuple[Path, list[tuple[str, int]]]


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Gated:
    """The folder in which the page was typed, and the exit code of each of its commands."""
    folder = tmp_path_factory.mktemp("gate")
    release(folder / "DATA")
    outputs(folder, "current", 12)
    outputs(folder, "candidate", 3)
    (folder / "policy.toml").write_text(policy(), encoding="utf-8")
    codes = []
    with contextlib.chdir(folder):
        for line in map(shlex.join, commands(PAGE)):
            if any(part in line for part in ("runs/current ", "--by difficulty", " edit ")):
                continue  # another run, and labels that the stand-in data has one value of
            words = line.removeprefix("editgauge ") + " --workers 0" * (" score " in line)
            codes.append((line, typed(words)))
    return folder, codes


def test_the_page_works_as_written(gated: Gated) -> None:
    codes = gated[1]
    assert len(codes) >= 6
    assert [pair for pair in codes if pair[1] != 0] == []


def script() -> str:
    """The shell of the action's step `gate`."""
    text = ACTION.read_text(encoding="utf-8")
    body = text[text.index("      run: |\n") + len("      run: |\n") :]
    return "\n".join(line.removeprefix("        ") for line in body.splitlines())


@pytest.mark.parametrize(
    ("pair", "code", "verdict"),
    [(("current", "candidate"), 0, "PASS"), (("candidate", "current"), 1, "FAIL")],
)
def test_the_action(
    gated: Gated, tmp_path: Path, pair: tuple[str, str], code: int, verdict: str
) -> None:
    program = tmp_path / "editgauge"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m editgauge "$@"\n')
    program.chmod(0o755)
    made = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    given = {"RUN": "runs/gate", "POLICY": "policy.toml"}
    given |= dict(zip(("BASELINE", "CANDIDATE"), pair, strict=True))
    given |= {name: str(path) for name, path in made.items()}
    with contextlib.chdir(gated[0]):
        path = f"{tmp_path}:{os.environ['PATH']}"
        shell = ("bash", "-e", "-o", "pipefail", "-c", script())
        done = call(*shell, PATH=path, WITH_RUN="", **given)
    assert done.returncode == code, done.stdout + done.stderr
    told = made["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
    assert told == [f"verdict={verdict}", f"passed={str(code == 0).lower()}"]
    summary = made["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    assert summary.startswith(f"## Release gate: {verdict}\n")


def test_no_text_of_an_input_is_read_as_a_command() -> None:
    assert "${{" not in script()
    for number, line in enumerate(ACTION.read_text(encoding="utf-8").splitlines()):
        if re.match(r"\s+run: [^|]", line):
            assert "${{" not in line, number
