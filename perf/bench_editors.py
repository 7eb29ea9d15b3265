"""Editors: how fast `typeset` is on one core, and what share of its concurrency limit an image
service is kept at.

    python perf/bench_editors.py

typeset: samples a second of CPU time on the built-in benchmark, with and without its OCR. Services:
a fake one on this machine answers every call after a second; the share is the ideal time (calls x 1
s / concurrency) over the time taken, over the loop that `editgauge edit` runs, records and files
included.
"""

from __future__ import annotations

import base64
import io
import json
import multiprocessing
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from editgauge.benchmarks.mini import BENCHMARK
from editgauge.editors.providers import openai
from editgauge.editors.typeset import typeset
from editgauge.images import read_image
from editgauge.native import tune_worker
from editgauge.run.edit import edit
from editgauge.store.run import Run
from editgauge.testing import make_sample

DELAY = 1.0


def bench_typeset() -> None:
    tune_worker()
    editor = typeset([])
    samples = [sample for sample in BENCHMARK.load(None) if len(sample.images) == 1]
    pictures = [read_image(sample.image) for sample in samples]
    editor.edit(pictures[0], samples[0].instruction)  # models and fonts are loaded once
    began, reading = time.process_time(), 0.0
    changed = 0
    for sample, picture in zip(samples, pictures, strict=True):
        before = time.process_time()
        editor.read(picture)
        reading += time.process_time() - before
        changed += bool(editor.edit(picture, sample.instruction)[1]["edited"])
    spent = time.process_time() - began - reading
    alone = spent - reading * changed / len(samples)
    print(
        f"typeset: {len(samples) / spent:.2f} samples a second of one core, {changed} of "
        f"{len(samples)} edited"
    )
    print(f"         {changed / max(alone, 1e-9):.1f} edits a second without OCR (about)")


def reply() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.zeros((48, 64, 3), np.uint8)).save(buffer, "PNG")
    return json.dumps(
        {"data": [{"b64_json": base64.b64encode(buffer.getvalue()).decode()}]}
    ).encode()


REPLY = reply()


class Fake(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = (
        True  # or head and body of a reply lie 40 ms apart, which is no cost of ours
    )

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(DELAY)
        body = REPLY
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def serve(told: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Fake)
    server.daemon_threads = True
    told.put(server.server_port)
    server.serve_forever()


def bench_service(concurrency: int, calls: int) -> None:
    context = multiprocessing.get_context("spawn")
    told: Any = context.Queue()
    server = context.Process(
        target=serve, args=(told,), daemon=True
    )  # its work is not ours: a process of its own
    server.start()
    port = told.get()
    with tempfile.TemporaryDirectory() as folder:
        samples = [make_sample(Path(folder) / "data", f"s{n}") for n in range(calls)]
        address = f"http://127.0.0.1:{port}"
        editor = openai([], base_url=address, model="fake", concurrency=concurrency)
        began = time.perf_counter()
        summary = edit(Run.create(Path(folder) / "run"), "mini", samples, editor)
        taken = time.perf_counter() - began
    server.terminate()
    ideal = calls * DELAY / concurrency
    share = f"{taken:.2f} s, ideal {ideal:.2f} s, {ideal / taken:.1%}"
    print(f"service: {dict(summary.counts)}, {concurrency} at once: {share}")


if __name__ == "__main__":
    bench_service(8, 160)
    if "--services" not in sys.argv:
        bench_typeset()
