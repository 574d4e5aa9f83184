"""A request that a fake provider server received, and the checks that all providers share."""

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias, cast

import orjson
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012


@dataclass(frozen=True, slots=True)
class Received:
    """One request. Header names are lower case. ``body`` is parsed JSON, unless it is a form with files."""

    path: str
    headers: Mapping[str, str]
    body: Any


def read_request(buffer: bytearray) -> Received | None:
    """Take the first request out of the buffer; None, and the buffer unchanged, while it is not complete."""
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


class BadRequest(Exception):
    """A provider refuses this request.

    The text is the provider's; ``status`` is 400 in most cases. OpenAI's errors also have ``param`` (the
    path) and ``code``.
    """

    def __init__(
        self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None
    ) -> None:
        self.status = status
        self.param = param
        self.code = code
        super().__init__(message)


def require(
    condition: object, message: str, *, status: int = 400, param: str | None = None, code: str | None = None
) -> None:
    """Refuse the request unless the condition holds."""
    if not condition:
        refuse(message, status=status, param=param, code=code)


def refuse(message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> NoReturn:
    """Refuse the request."""
    raise BadRequest(message, status=status, param=param, code=code)


_MARKS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)


def media_type(data: bytes) -> str | None:
    """The media type, recognised by the first bytes; None for a type that no provider accepts.

    >>> media_type(b"GIF89a...")
    'image/gif'
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _MARKS if data.startswith(mark)), None)


def decoded(text: object) -> bytes | None:
    """The bytes of a base64 text; None if it is not valid base64, or empty.

    >>> decoded("aGk="), decoded("no base64"), decoded("")
    (b'hi', None, None)
    """
    try:
        return b64decode(text, validate=True) or None if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        return None


Place: TypeAlias = tuple[str, ...]
"""The path of a schema within another one, outermost first."""

_NAMED = ("properties", "patternProperties", "$defs", "definitions")
_LISTED = ("anyOf", "allOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def flaw(schema: Mapping[str, Any]) -> str | None:
    """Why it is not a valid schema of draft 2020-12, broken references included; None if it is valid."""
    return _flaw(orjson.dumps(schema))


def within(schema: Mapping[str, Any], place: Place = ()) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """The schema and all schemas within it, each with its path."""
    yield place, schema
    for step, inner in _inner(schema):
        yield from within(inner, (*place, *step))


@lru_cache(maxsize=256)
def _flaw(written: bytes) -> str | None:
    schema: dict[str, Any] = orjson.loads(written)
    checked: Any = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    for error in checked.iter_errors(schema):
        return str(error.message)
    return next(_lost_references(schema), None)


def _lost_references(schema: Mapping[str, Any]) -> Iterator[str]:
    registry: Registry[Any] = Registry()
    resolver = registry.with_resource("", DRAFT202012.create_resource(cast("Any", schema))).resolver()
    for _, inner in within(schema):
        if "$ref" in inner:
            try:
                resolver.lookup(inner["$ref"])
            except Unresolvable:
                yield f"can't resolve reference {inner['$ref']}"


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    for key in _NAMED:
        for name, inner in cast("dict[str, Any]", schema.get(key) or {}).items():
            if isinstance(inner, dict):
                yield (key, name), cast("dict[str, Any]", inner)
    for key in _LISTED:
        for number, inner in enumerate(cast("list[Any]", schema.get(key) or [])):
            if isinstance(inner, dict):
                yield (key, str(number)), cast("dict[str, Any]", inner)
    for key in _SINGLE:
        inner = schema.get(key)
        if isinstance(inner, dict):
            yield (key,), cast("dict[str, Any]", inner)
