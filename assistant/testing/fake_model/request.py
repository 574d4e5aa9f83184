"""A request as the fake server received it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Received:
    """One request. Header names are in lower case; the body is read as JSON, unless it is a form with files."""

    path: str
    headers: Mapping[str, str]
    body: Any


def read_request(buffer: bytearray) -> Received | None:
    """Take the first request off the buffer; None, and nothing is taken, while it is not complete."""
    head, mark, _ = bytes(buffer).partition(b"\r\n\r\n")
    if not mark:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    end = len(head) + 4 + int(headers.get("content-length", "0"))
    if len(buffer) < end:
        return None
    body = bytes(buffer[len(head) + 4 : end])
    del buffer[:end]
    return Received(first.split(" ")[1], headers, _read(body, headers.get("content-type", "")))


def _read(body: bytes, kind: str) -> Any:
    if not body or kind.startswith("multipart/"):
        return body or None
    return orjson.loads(body)
