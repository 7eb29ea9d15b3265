import pytest
from tests.editors.provider import KEY


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_EDITOR_KEY", KEY)
