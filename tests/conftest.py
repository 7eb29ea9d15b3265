"""Options that opt in to slow, GPU and network tests, and where the shared samples lie when they
are there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    # Before torch and numpy are loaded: every test process has a core of its own, and threads that
    # wait for each other took three times the processor time of the tests of networks.
    os.environ.setdefault(_name, "1")

from editgauge.benchmarks.base import Samples  # noqa: E402

# No test depends on how fast the machine is. The same examples at every run, so that a commit passes
# or fails by what it changes; `make fuzz` and `--run-slow` draw new ones.
settings.register_profile("editgauge", deadline=None, derandomize=True)
settings.register_profile("new examples", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("new examples" if "FUZZ_EXAMPLES" in os.environ else "editgauge")
OPT_IN = {"slow": "--run-slow", "gpu": "--run-gpu", "network": "--run-network"}
ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    for marker, option in OPT_IN.items():
        parser.addoption(option, action="store_true", help=f"run tests marked {marker}")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--run-slow"):
        settings.load_profile("new examples")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for marker, option in OPT_IN.items():
            if marker in item.keywords and not config.getoption(option):
                item.add_marker(pytest.mark.skip(reason=f"{marker}: opt in with {option}"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of sample data beside the project; tests that want it are skipped where it is
    not.
    """
    folder = Path(os.environ.get("EDITGAUGE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the shared sample data are not here (set EDITGAUGE_SHARED)")
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test touches the user's own cache and secrets; one folder for the session, shared by its workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    names = ("EDITGAUGE_CACHE", "EDITGAUGE_PRIVATE")
    before = {name: os.environ.get(name) for name in names}
    os.environ["EDITGAUGE_CACHE"] = str(folder)
    os.environ["EDITGAUGE_PRIVATE"] = str(folder.with_name("private"))
    yield folder
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="session")
def mini() -> Samples:
    """The built-in benchmark. Nobody writes into its folder."""
    from editgauge.benchmarks.mini import BENCHMARK

    return BENCHMARK.load(None)


@pytest.fixture
def memory_store() -> Iterator[Any]:
    """fsspec's file system in memory, empty; skipped without fsspec."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()
