"""The request that a call becomes: where to, with what, and nothing that its arguments could bend."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

import orjson

from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments
from assistant.tooling.http.address import path_of, query_of
from assistant.tooling.http.headers import joined
from assistant.tooling.http.placeholders import Missing, fill, text_of
from assistant.tooling.http.sections import Method

_PLAIN_KEY = re.compile(r"[!-~]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, ready to be sent. ``target`` is path and query, encoded; ``changes``: it is no lookup."""

    method: Method
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None
    changes: bool = False

    def __repr__(self) -> str:
        """Without anything that belongs to the customer."""
        return f"Request({self.method})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPlan:
    """A tool's request with places for its arguments: texts, and whatever JSON holds them, see ``fill``.

    ``key_header`` carries the idempotency key; "" sends none. ``changes`` says that it is a side effect.
    """

    tool: str
    method: Method
    path: str
    query: Mapping[str, Json] = field(default_factory=dict[str, Json])
    body: Json = None
    as_form: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    key_header: str = ""
    changes: bool = False

    def with_values(self, values: JsonObject) -> Request:
        """The request for these values. Raises ``BadArguments`` for one that does not fit into an address."""
        body = self._body(values)
        return Request(
            method=self.method,
            target=self._path(values) + query_of(list(_pairs(self.query, values))),
            headers=joined(
                {} if body is None else {"Content-Type": self._content_type}, self._headers(values)
            ),
            body=body,
            changes=self.changes,
        )

    @property
    def _content_type(self) -> str:
        return "application/x-www-form-urlencoded" if self.as_form else "application/json"

    def _path(self, values: JsonObject) -> str:
        segments = self.path.removeprefix("/").split("/")
        filled: list[str] = []
        for segment in filter(None, segments):
            value = fill(segment, values)
            text = "" if isinstance(value, Missing) else text_of(value)
            try:
                path_of([text])
            except ValueError as error:
                raise BadArguments(
                    self.tool, [f"{segment.strip('{}')} {error} (given: {text[:80]!r})"]
                ) from error
            filled.append(text)
        return path_of(filled) + ("/" if self.path.endswith("/") else "")

    def _headers(self, values: JsonObject) -> dict[str, str]:
        filled = {name: fill(text, values) for name, text in self.headers.items()}
        headers = {name: _in_a_header(text) for name, text in filled.items() if not isinstance(text, Missing)}
        key = {self.key_header: _key(text_of(values["call.key"]))} if self.key_header else {}
        return joined({"Accept": "application/json"}, headers, key)

    def _body(self, values: JsonObject) -> bytes | None:
        if self.body is None:
            return None
        filled = fill(self.body, values)
        if isinstance(filled, Missing):
            return None
        if self.as_form and isinstance(filled, Mapping):
            return urlencode(list(_pairs(filled, {}, filled_already=True))).encode()
        return orjson.dumps(filled)


def _pairs(
    templates: Mapping[str, Json], values: JsonObject, *, filled_already: bool = False
) -> Iterator[tuple[str, str]]:
    """Each parameter with its value; a list is repeated, and what has no value is left out."""
    for name, template in templates.items():
        value = template if filled_already else fill(template, values)
        if isinstance(value, Missing):
            continue
        if isinstance(value, Sequence) and not isinstance(value, str):
            yield from ((name, text_of(one)) for one in value)
        else:
            yield name, text_of(value)


def _in_a_header(value: Json) -> str:
    """One line of plain letters, whatever a customer's name is."""
    return "".join(sign for sign in text_of(value) if sign.isascii() and sign.isprintable())


def _key(key: str) -> str:
    """The same key for every attempt, in signs that a header may carry."""
    return key if _PLAIN_KEY.fullmatch(key) else hashlib.sha256(key.encode()).hexdigest()
