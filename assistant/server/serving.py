"""How the application is served: the one place that knows the web server's options."""

import logging
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from assistant.server.limits import Limits

if TYPE_CHECKING:
    import uvicorn


def serving(
    app: ASGIApp, *, host: str = "127.0.0.1", port: int = 8000, limits: Limits | None = None
) -> "uvicorn.Config":
    """The web server's configuration. ``uvicorn.Server(serving(app)).serve()`` runs it."""
    import uvicorn

    logging.getLogger("uvicorn.error").addFilter(_is_true)
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_max_size=(limits or Limits()).frame_bytes,
        ws_per_message_deflate=False,  # costs 33 KiB a connection, and gains little on small frames
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )


def _is_true(record: logging.LogRecord) -> bool:
    """Whether the web server complains with reason: a socket that was refused with an answer is complete."""
    return "without completing handshake" not in str(record.msg)
