"""An application on a socket until interrupted."""

from __future__ import annotations

import socket
from typing import Any


def serve(app: Any, *, host: str = "127.0.0.1", port: int = 8600) -> None:
    """Serve an ASGI application until interrupted. Raises `OSError` when the port is taken.

    Answers say neither what served them nor when: no access log, server or date header.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        settings = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=30,
            limit_concurrency=500,
        )
        uvicorn.Server(settings).run(sockets=[listening])
