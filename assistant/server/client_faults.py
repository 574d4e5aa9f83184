"""Faults of clients. They are no errors of this program, so each is one line in the log, without a traceback."""

import logging
from typing import Final

import structlog
from fastapi import WebSocketDisconnect
from starlette.requests import ClientDisconnect

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_CLOSED_BY_SERVER: Final = "after sending 'websocket.close'"
"""What the web server says if something is sent on a websocket that it has closed because of a malformed frame."""

_NO_HANDSHAKE: Final = "without completing handshake"
"""What it says of a websocket that was refused with an answer, which is complete."""

_FAULTS: Final = ("Invalid UTF-8 sequence", "Invalid HTTP request", "Unsupported upgrade request")
"""How its lines begin that are about what a client has sent."""


def is_client_gone(error: BaseException) -> bool:
    """Whether an error only says that a websocket's connection is closed.

    After an oversized frame or one with invalid UTF-8, the web server closes the connection itself, while an answer
    may still be on its way.

    >>> is_client_gone(RuntimeError("Unexpected ASGI message 'websocket.send', after sending 'websocket.close'."))
    True
    >>> is_client_gone(RuntimeError("a bug"))
    False
    """
    if isinstance(error, WebSocketDisconnect | ConnectionError):
        return True
    return isinstance(error, RuntimeError) and _CLOSED_BY_SERVER in str(error)


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Filters the web server's log. A fault of a client is logged here in one line, and its original record
    is dropped.
    """
    said = record.getMessage()
    if _NO_HANDSHAKE in said:
        return False
    if said.startswith(_FAULTS):
        log.info("client at fault", why=said.rstrip(".\n"))
        return False
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and (is_client_gone(error) or _is_malformed_http(error)):
        log.info("client at fault", why=f"{type(error).__name__}: {error}")
        return False
    return True


def _is_malformed_http(error: BaseException) -> bool:
    """Whether the request was broken, or broke off, while it was being answered."""
    kind = type(error)
    of_http = kind.__module__.startswith("h11.") and kind.__name__.endswith("ProtocolError")
    return of_http or isinstance(error, ClientDisconnect)
