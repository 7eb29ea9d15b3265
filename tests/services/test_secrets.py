"""Keys are cut out of everything, in every form; addresses are shown without them."""

from __future__ import annotations

import pytest

from editgauge.errors import UsageError
from editgauge.services.secrets import HIDDEN, Secrets, address

KEY = "sk-a/b+c=0123"


@pytest.mark.parametrize("form", [KEY, "sk-a%2Fb%2Bc%3D0123", KEY.replace("/", "\\/")])
def test_every_form_of_a_key_is_cut_out(form: str) -> None:
    secrets = Secrets([KEY])
    assert secrets.text(f"before {form} behind") == f"before {HIDDEN} behind"
    assert secrets.data(f"before {form} behind".encode()) == f"before {HIDDEN} behind".encode()
    assert KEY not in repr(secrets)


def test_openais_key_goes_to_no_other_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    from editgauge.judging.chat import Client

    monkeypatch.delenv("EDITGAUGE_JUDGE_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")

    def sent(base: str | None) -> str:
        return str(Client(base).http._headers.get("Authorization"))

    assert sent(None) == sent("https://api.openai.com/v1") == "Bearer sk-of-openai"
    assert sent("http://127.0.0.1:8000/v1") == "None"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert sent(None) == "Bearer sk-of-openai", "the pair that its owner set"
    monkeypatch.setenv("EDITGAUGE_JUDGE_KEY", "named")
    assert sent("https://other.example/v1") == "Bearer named"


@pytest.mark.parametrize(
    "text", ["ftp://h", "http://h?k=hidden", "http://me:hidden@h", "http://", "http://[h"]
)
def test_odd_addresses_are_turned_down_without_being_shown(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        address(text, argument="base_url")
    assert "hidden" not in str(caught.value)
