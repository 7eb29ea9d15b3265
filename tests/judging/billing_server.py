"""A judge's server that keeps the true bill of every request, and tells of it what it likes."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

PRICE = (1.0, 10.0)
"""US dollars for a million tokens in and out."""
BEHAVIOURS = (
    "honest",
    "no usage",
    "strings",
    "absurd",
    "negative",
    "zeros",
    "empty",
    "tool call",
    "reset",
    "late",
    "lost by the gateway",
    "dear",
    "cut off",
    "refused",
    "only a sum",
    "error in a reply",
    "own 500",
    "own 429",
    "own 307",
    "thinking apart",
    "thinking beside",
    "cache apart",
    "none out",
    "suddenly dear",
)


class BillingServer:
    """Bills each request `tokens_in` and as many tokens out as it allows; `bill` is the true sum.

    ``dear`` counts four times the tokens in that others count, and says so; ``suddenly dear`` three
    times all tokens from the tenth request on, whatever was allowed.
    """

    def __init__(self, behaviour: str, *, tokens_in: int = 1500, latency: float = 0.0) -> None:
        assert behaviour in BEHAVIOURS
        self.behaviour, self.tokens_in, self.latency = behaviour, tokens_in, latency
        if behaviour == "dear":
            self.tokens_in *= 4
        self.bill = 0.0
        self.dearest = 0.0
        """The most that one request was billed."""
        self.requests = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.answer(self)

            def do_GET(self) -> None:
                server.send(self, 404, {})

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests += 1
            times = 3 if self.behaviour == "suddenly dear" and self.requests >= 10 else 1
            tokens_in, tokens_out = self.tokens_in * times, body["max_tokens"] * times
            cost = (tokens_in * PRICE[0] + tokens_out * PRICE[1]) / 1e6
            self.bill += cost
            self.dearest = max(self.dearest, cost)
        time.sleep(self.latency)
        try:
            self.behave(handler, tokens_out, tokens_in)
        except OSError:
            handler.close_connection = True

    def behave(self, handler: BaseHTTPRequestHandler, tokens_out: int, tokens_in: int = 0) -> None:
        kind, tokens_in = self.behaviour, tokens_in or self.tokens_in
        usage: dict[str, Any] = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
        scores = json.dumps(
            {"pictures_visible": True, "reason": "ok", "score": {f"Q{n}": 3 for n in range(1, 6)}}
        )
        message: dict[str, Any] = {"role": "assistant", "content": scores}
        value: dict[str, Any] = {"model": "billed-2026-01-01", "usage": usage}
        choice: dict[str, Any] = {"message": message, "finish_reason": "stop"}
        if kind == "late":
            time.sleep(1.0)
        if kind == "lost by the gateway":
            self.send(handler, 502, {"error": {"message": "upstream went away"}})
            return
        if kind.startswith("own "):
            self.send(handler, int(kind[4:]), {"error": {"message": "billed all the same"}})
            return
        if kind == "reset":
            handler.send_response(200)
            handler.send_header("Content-Length", "5000")
            handler.end_headers()
            handler.wfile.write(b'{"choices": [')
            linger = struct.pack("ii", 1, 0)
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            handler.connection.close()
            handler.close_connection = True
            return
        if kind == "error in a reply":
            self.send(handler, 200, {"error": {"message": "the model broke off", "code": "x"}})
            return
        if kind == "strings":
            value["usage"] = {name: str(count) for name, count in usage.items()}
        if kind == "absurd":
            value["usage"] = {"prompt_tokens": 10**18, "completion_tokens": 10**30}
        if kind == "negative":
            value["usage"] = {"prompt_tokens": -5, "completion_tokens": -7}
        if kind == "zeros":
            value["usage"] = {"prompt_tokens": 0, "completion_tokens": 0}
        if kind == "thinking apart":
            apart = {"reasoning_tokens": tokens_out - 30}
            value["usage"] = usage | {
                "completion_tokens": 30,
                "completion_tokens_details": apart,
            }
        if kind == "thinking beside":
            value["usage"] = usage | {"completion_tokens": 30, "reasoning_tokens": tokens_out - 30}
        if kind == "cache apart":
            value["usage"] = {
                "input_tokens": 150,
                "cache_creation_input_tokens": tokens_in - 150,
                "output_tokens": tokens_out,
            }
        if kind == "none out":
            usage["completion_tokens"] = 0
        if kind == "only a sum":
            value["usage"] = {"total_tokens": self.tokens_in + tokens_out}
        if kind in ("no usage", "empty", "tool call", "cut off", "refused"):
            del value["usage"]
        if kind == "empty":
            message["content"] = ""
        if kind == "tool call":
            message |= {"content": None, "tool_calls": [{"function": {"name": "score"}}]}
        if kind == "cut off":
            message["content"], choice["finish_reason"] = scores[:20], "length"
        if kind == "refused":
            message |= {"content": None, "refusal": "no"}
        self.send(handler, 200, {**value, "choices": [choice]})

    def send(self, handler: BaseHTTPRequestHandler, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def __enter__(self) -> Self:
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.server.shutdown()
        self.server.server_close()
