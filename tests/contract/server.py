"""One HTTP server for all that is asked outside: a judge, a service that makes pictures. It keeps
what it was asked, answers by a function, and can fail in the ways of real services.
"""

from __future__ import annotations

import base64
import io
import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np
from PIL import Image

KEY = "sk-contract-0123456789"
"""The key that tests put into the environment."""
ENV = {"EDITGAUGE_JUDGE_KEY": KEY}
MODEL = "judge-2026-01-01"


@dataclass(frozen=True)
class Asked:
    """A request as it came in; `number` counts from 0."""

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def parts(self) -> Iterator[tuple[str, Any]]:
        """(role, part) of a chat request; a plain text is a part, too."""
        for message in self.json["messages"]:
            content = message["content"]
            for part in content if isinstance(content, list) else [content]:
                yield message["role"], part

    @property
    def text(self) -> str:
        """All words of a chat request."""
        return "\n".join(
            part if isinstance(part, str) else part.get("text", "") for _, part in self.parts
        )

    @property
    def pictures(self) -> list[bytes]:
        """The files that a chat request carries, in order."""
        urls = (p["image_url"]["url"] for _, p in self.parts if "image_url" in p)
        return [base64.b64decode(url.partition(",")[2]) for url in urls]

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the reply shall follow."""
        wanted = self.json.get("response_format", {}).get("json_schema", {})
        schema: dict[str, Any] | None = wanted.get("schema")
        return schema


@dataclass(frozen=True)
class Answer:
    """What goes back: JSON, or bytes as they are. `cut` sends half of it and closes the
    connection, `drop` closes it before any byte; `seconds` waits before, `pause` after each byte.
    """

    body: Any = b""
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    drop: bool = False
    seconds: float = 0.0
    pause: float = 0.0


class _Sockets(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256


class Server:
    """Used as a context manager; `url` ends in ``/v1``. `asked` keeps every request."""

    def __init__(self, answer: Callable[[Asked], Answer] | None = None) -> None:
        self.answer = answer or (lambda asked: error(404))
        self.asked: list[Asked] = []
        self.answered = 0
        self.errors: list[Exception] = []
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                server.respond(self)

            do_GET = do_POST

            def log_message(self, *args: Any) -> None:
                pass

        self.http = _Sockets(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    @property
    def words(self) -> tuple[str, ...]:
        """What a command that judges says of it."""
        return "--model", MODEL, "--base-url", self.url

    def respond(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self.lock:
            headers = {name.casefold(): value for name, value in handler.headers.items()}
            asked = Asked(len(self.asked), handler.command, handler.path, headers, body)
            self.asked.append(asked)
        try:
            self.send(handler, self.respond_to(asked))
        except OSError:  # who asked has gone
            handler.close_connection = True
        except Exception as error:
            self.errors.append(error)
            handler.close_connection = True

    def respond_to(self, asked: Asked) -> Answer:
        return self.answer(asked)

    def send(self, handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        time.sleep(answer.seconds)
        if answer.drop:
            self.close(handler)
            return
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        head = {"Content-Type": answer.kind, "Content-Length": str(len(data)), **answer.headers}
        for name, value in head.items():
            handler.send_header(name, value)
        handler.end_headers()
        if answer.cut:
            handler.wfile.write(data[: len(data) // 2])
            self.close(handler)
            return
        for byte in data if answer.pause else b"":
            handler.wfile.write(bytes([byte]))
            time.sleep(answer.pause)
        handler.wfile.write(b"" if answer.pause else data)
        with self.lock:
            self.answered += 1

    def close(self, handler: BaseHTTPRequestHandler) -> None:
        """Reset the connection."""
        handler.wfile.flush()
        linger = struct.pack("ii", 1, 0)
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        handler.connection.close()
        handler.close_connection = True

    def __enter__(self) -> Self:
        self.thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.thread.start()
        return self

    def __exit__(self, *told: object) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
        for error in self.errors:  # the script of a test is wrong
            raise error


# -- a judge ---------------------------------------------------------------------------------------

USAGE = (1000, 50)
"""Tokens in and out that a reply of `chat` bills."""


class Judge(Server):
    """An OpenAI-compatible server: `answer` is for chats, and anything else is not there."""

    def __init__(self, answer: Callable[[Asked], Answer] | None = None) -> None:
        super().__init__(answer or sensible)

    @property
    def chats(self) -> list[Asked]:
        """The requests for a verdict, in the order in which they came."""
        return [one for one in self.asked if one.path.endswith("/chat/completions")]

    def respond_to(self, asked: Asked) -> Answer:
        if asked.path.endswith("/chat/completions"):
            return self.answer(asked)
        return error(404, "no such page")


def chat(
    content: Any,
    *,
    finish: str = "stop",
    usage: tuple[int, int] | None = USAGE,
    model: str = MODEL,
    seconds: float = 0.0,
    **message: Any,
) -> Answer:
    """A chat completion; `message` adds fields beside the content."""
    told = {"role": "assistant", "content": content, **message}
    body: dict[str, Any] = {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": told, "finish_reason": finish}],
    }
    if usage:
        tokens_in, tokens_out = usage
        body["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return Answer(body, seconds=seconds)


def error(status: int, message: str = "no", code: str = "", **headers: str) -> Answer:
    told = {"message": message, "code": code or None, "type": "error"}
    return Answer({"error": told}, status=status, headers=headers)


def filled(schema: Mapping[str, Any], number: int, words: str = "It is as it is.") -> Any:
    """A valid value of a schema: `number` where a number goes (moved into its range), `words` where
    text goes.
    """
    if "enum" in schema:
        return number if number in schema["enum"] else schema["enum"][-1]
    kind = schema.get("type")
    if kind == "object":
        return {name: filled(part, number, words) for name, part in schema["properties"].items()}
    if kind == "array":
        return [filled(schema["items"], number, words)] * int(schema.get("minItems", 1))
    if kind == "boolean":
        return True
    if kind == "string":
        return words
    low, high = schema.get("minimum", number), schema.get("maximum", number)
    return min(max(number, int(low)), int(high))


def verdict(asked: Asked, number: int = 3, words: str = "It is as it is.") -> str:
    """A reply of the form that the request asks for: JSON of a schema, or MedEBench's lines."""
    if asked.schema is None:
        names = ("Editing Accuracy", "Visual Quality", "Contextual Preservation")
        return "\n".join([words, *(f"{name}: {number}/10, {words}" for name in names)])
    return json.dumps(filled(asked.schema, number, words))


def sensible(asked: Asked) -> Answer:
    """A judge that gives every question a 3."""
    return chat(verdict(asked))


class Batches(Judge):
    """OpenAI's pages for batches: a file up, a batch of it, its results down.

    `making` is what happens to the next batches as they are made, `fetching` to the next files that
    are fetched; `made` are the calls of all batches.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, list[bytes]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.made: list[str] = []
        self.making: list[str] = []
        self.fetching: list[int] = []
        self.left_out, self.usage, self.lists = 0, USAGE, True

    def respond_to(self, asked: Asked) -> Answer:
        if asked.path.endswith("/chat/completions"):
            return super().respond_to(asked)
        return self.post(asked) if asked.method == "POST" else self.get(asked.path)

    def post(self, asked: Asked) -> Answer:
        if asked.path.endswith("/files"):
            name = f"f{len(self.files)}"
            self.files[name] = [line for line in asked.body.splitlines() if line.startswith(b"{")]
            return Answer({"id": name})
        fault = self.making.pop(0) if self.making else ""
        number = f"b{len(self.batches)}"
        if not fault or fault.startswith("made"):
            lines = [json.loads(line) for line in self.files[asked.json["input_file_id"]]]
            self.made += [line["custom_id"] for line in lines]
            self.files[f"o{number}"] = list(map(self.line, lines[self.left_out :]))
            marks = {"metadata": asked.json["metadata"], "output_file_id": f"o{number}"}
            self.batches[number] = {"id": number, "status": "completed", **marks}
        if "lost" in fault:
            return Answer(drop=True)
        if fault:
            return error(int(fault[-3:]), fault)
        return Answer({"id": number, "status": "validating"})

    def line(self, line: dict[str, Any]) -> bytes:
        asked = Asked(0, "POST", line["url"], {}, json.dumps(line["body"]).encode())
        told = chat(verdict(asked), usage=self.usage, model=line["body"]["model"])
        response = {"status_code": 200, "body": told.body}
        return json.dumps({"custom_id": line["custom_id"], "response": response}).encode()

    def get(self, path: str) -> Answer:
        kind, _, name = path.rpartition("/v1/")[2].partition("/")
        if kind.startswith("batches?") and self.lists:
            return Answer({"data": list(self.batches.values())})
        if kind == "batches":
            return Answer(self.batches[name])
        if kind == "files" and not self.fetching:
            return Answer(b"\n".join(self.files[name.partition("/")[0]]))
        return error(self.fetching.pop() if kind == "files" else 404)


# -- pictures --------------------------------------------------------------------------------------


def png(pixels: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def promising(data: bytes, side: int) -> bytes:
    """The PNG with a header that promises a square picture of this size."""
    made = bytearray(data)
    made[16:24] = side.to_bytes(4, "big") * 2
    made[29:33] = zlib.crc32(made[12:29]).to_bytes(4, "big")
    return bytes(made)


def pixels_of(data: bytes) -> np.ndarray[Any, Any]:
    """A file as RGB, uint8, (height, width, 3)."""
    with Image.open(io.BytesIO(data)) as shown:
        return np.asarray(shown.convert("RGB"))
