"""A server that echoes the key, everywhere it can: it is in no file and on no screen afterwards."""

from __future__ import annotations

import base64
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.judging.commands import SAMPLES, command

KEY = "sk-very-secret"
"""That of `command`'s environment."""
QUERY = "q+uery/secret=1"
FORMS = (
    base64.b64encode(f"Bearer {KEY} x".encode()).decode(),
    base64.urlsafe_b64encode(f"x{KEY}".encode()).decode(),
    quote(QUERY, safe="").lower(),
)
"""Other spellings of the key, as a server may say it back."""


def filled(schema: dict[str, Any], text: str) -> Any:
    """A reply of this schema, each of its texts the given one and each number 3."""
    if schema["type"] == "object":
        return {name: filled(part, text) for name, part in schema["properties"].items()}
    return {"string": text, "boolean": True}.get(schema["type"], 3)


@contextmanager
def echoing(kind: str) -> Iterator[str]:
    """A server that says the key back: in an answer, an error, or headers and strange places."""
    number = [0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number[0] += 1
            key = self.headers["Authorization"].partition(" ")[2]
            coded = base64.b64encode(key.encode()).decode()
            said = f"{key} {coded} {quote(QUERY, safe='')} {QUERY} {' '.join(FORMS)} " * 2
            escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
            status, value = 200, {"error": {"message": said}}
            if kind == "errors":
                status = 500 if number[0] % 2 else 400
                value = {"error": {"message": "x" * 290 + said, "code": key}}
            if kind == "html":
                self.send(200, f"<html>{said}</html>".encode())
                return
            if kind == "stop":
                status, value = 401, {"error": {"message": f"bad key {said}"}}
            if kind == "answers":
                reason = said + "@@"
                content = json.dumps(
                    filled(asked["response_format"]["json_schema"]["schema"], reason)
                )
                message = {"content": content, "reasoning_content": said}
                value = {
                    "model": f"m {key}",
                    "system_fingerprint": key,
                    "choices": [{"message": message, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 9, "completion_tokens": 9, key: said, "x": [key]},
                }
            self.send(status, json.dumps(value).replace("@@", escaped).encode())

        def do_GET(self) -> None:
            self.send(
                200, json.dumps({"id": KEY, "deprecation_date": f"2026-12-01 {KEY}"}).encode()
            )

        def send(self, status: int, data: bytes) -> None:
            self.send_response(status, KEY)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Key", KEY)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1?api-version=7&code={quote(QUERY, safe='')}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("kind", ["answers", "errors", "html", "stop"])
def test_no_secret_reaches_a_file_or_a_message(edited: Path, tmp_path: Path, kind: str) -> None:
    run = Path(shutil.copytree(edited, tmp_path / "run"))
    words = ("judge", "mini", "--run", str(run), *SAMPLES[:4])
    with echoing(kind) as url:
        code = {"stop": 2, "errors": 2, "answers": 0}.get(kind, 1)
        said = command(*words, url=url, code=code)
    forms = [KEY, base64.b64encode(KEY.encode()).decode(), QUERY, quote(QUERY, safe=""), *FORMS]
    everything = said.stdout + said.stderr
    assert [form for form in forms if form in everything] == []
    if code < 2:
        command("report", str(run), "--to", str(tmp_path / "report"))
        command("table", str(run), code=0)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite" for path in files)
    for form in forms:
        assert [path for path in files if form.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    "address",
    [
        "http://user:sk-very-secret@127.0.0.1:9/v1",
        "ftp://127.0.0.1/v1?key=sk-very-secret",
        "http://127.0.0.1:9/v1?key=sk-very-secret",
    ],
)
def test_a_key_in_an_address_is_never_shown(edited: Path, tmp_path: Path, address: str) -> None:
    run = Path(shutil.copytree(edited, tmp_path / "run"))
    words = ("judge", "mini", "--run", str(run), *SAMPLES[:2], "--model", "m")
    done = command(*words, "--base-url", address, code=2)
    assert "secret" not in done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if b"sk-very-secret" in path.read_bytes()] == []
