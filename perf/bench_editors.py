"""Editors: what share of its concurrency limit is an image service kept at, and how fast is typeset?

    python perf/bench_editors.py [--calls 160] [--services]

A service of this machine answers every call after a second; the share is the ideal time (calls x 1
s / concurrency) over the time taken by the loop of `editgauge edit`, records and files included.
typeset: samples a second of one core on the built-in benchmark.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import multiprocessing
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from PIL import Image
from support import Run, folder, timed

from editgauge.benchmarks.mini import BENCHMARK
from editgauge.editors.providers import openai
from editgauge.editors.typeset import typeset
from editgauge.images import read_image
from editgauge.native import tune_worker
from editgauge.run.edit import edit
from editgauge.testing import make_sample

DELAY = 1.0


def reply() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.zeros((48, 64, 3), np.uint8)).save(buffer, "PNG")
    return json.dumps(
        {"data": [{"b64_json": base64.b64encode(buffer.getvalue()).decode()}]}
    ).encode()


REPLY = reply()


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # else head and body of a reply lie 40 ms apart, which is no cost of ours
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(DELAY)
        self.send_response(200)
        self.send_header("Content-Length", str(len(REPLY)))
        self.end_headers()
        self.wfile.write(REPLY)

    def log_message(self, *args: Any) -> None:
        pass


def serve(ports: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    ports.put(server.server_port)
    server.serve_forever()


def service(concurrency: int, calls: int) -> None:
    context = multiprocessing.get_context("spawn")
    ports: Any = context.Queue()
    server = context.Process(target=serve, args=(ports,), daemon=True)  # its work is not ours
    server.start()
    address = f"http://127.0.0.1:{ports.get()}"
    with folder() as place:
        samples = [make_sample(place / "data", f"s{n}") for n in range(calls)]
        editor = openai([], base_url=address, model="fake", concurrency=concurrency)
        seconds, summary = timed(lambda: edit(Run.create(place / "run"), "mini", samples, editor))
    server.terminate()
    share = calls * DELAY / concurrency / seconds.wall
    print(
        f"service, {concurrency} at once: {dict(summary.counts)}, {share:.1%} of the ideal; {seconds}"
    )


def typesetting() -> None:
    tune_worker()
    editor = typeset([])
    samples = [sample for sample in BENCHMARK.load(None) if len(sample.images) == 1]
    pictures = [(read_image(sample.image), sample.instruction) for sample in samples]
    editor.edit(*pictures[0])  # models and fonts are loaded once
    spent, details = timed(lambda: [editor.edit(*one)[1] for one in pictures])
    edited, rate = sum(bool(one["edited"]) for one in details), len(samples) / spent.processor
    print(f"typeset: {rate:.2f} samples a second of one core, {edited} of {len(samples)} edited")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=160)
    parser.add_argument("--services", action="store_true", help="without typeset")
    given = parser.parse_args()
    service(8, given.calls)
    if not given.services:
        typesetting()
