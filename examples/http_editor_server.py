"""A model behind HTTP, as `--editor http` wants it. Here the model inverts the picture: put your own into `edit`.

python examples/http_editor_server.py 8000
editgauge edit mini --editor http --base-url http://localhost:8000 --set name=inverter --run runs/first
"""

import base64
import io
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PIL import Image, ImageOps


def edit(images: list[Image.Image], instruction: str, seed: int) -> Image.Image:
    """The model. Raise ValueError when it will not edit this."""
    if "forbidden" in instruction:
        raise ValueError("this service does not do that")
    return ImageOps.invert(images[0].convert("RGB"))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        images = [Image.open(io.BytesIO(base64.b64decode(text))) for text in asked["images"]]
        try:
            buffer = io.BytesIO()
            edit(images, asked["instruction"], asked["seed"]).save(buffer, "PNG")
            answer = {"image": base64.b64encode(buffer.getvalue()).decode()}
        except ValueError as error:
            answer = {"error": str(error), "status": "refused"}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
