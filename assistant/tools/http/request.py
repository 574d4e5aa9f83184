"""The request of a call, and the mistakes that can be found before any call.

Its parts are templates with placeholders in braces, such as "/orders/{order_number}".
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast, final
from urllib.parse import urlencode

import orjson

from assistant.conversation.customer import Customer
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments
from assistant.tools.http.config import Method, Problem, ToolSection
from assistant.tools.http.service import path_of, query_of

GIVEN = ("customer.id", "customer.name", "customer.locale", "customer.tenant", "call.key")
"""The names that can be filled in besides a tool's own arguments. None of their values comes from a model."""

_TOKENS = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


@dataclass(frozen=True, slots=True)
class Place:
    """A placeholder for the value with this name."""

    name: str


Pattern: TypeAlias = tuple[str | Place, ...]
"""A text in parts: literal texts and placeholders."""


@final
class Missing:
    """Marks an argument that was left out."""


MISSING: Final = Missing()


def parse(text: str) -> Pattern:
    """Parse a template. A literal brace is written twice.

    >>> parse("/orders/{number}"), parse("{{no place}}")
    (('/orders/', Place(name='number')), ('{no place}',))

    Raises:
        ValueError: a brace has no partner.
    """
    pieces: list[str | Place] = []
    literal, at = "", 0
    for token in _TOKENS.finditer(text):
        literal += text[at : token.start()]
        at = token.end()
        if token[0] in ("{{", "}}"):
            literal += token[0][0]
        elif token[1] is None:
            raise ValueError(
                f"has a {token[0]!r} alone; write {{name}} for a place, {token[0] * 2} for a brace"
            )
        else:
            pieces += [literal] if literal else []
            pieces.append(Place(token[1].strip()))
            literal = ""
    literal += text[at:]
    return (*pieces, literal) if literal or not pieces else tuple(pieces)


def places(template: Json) -> Iterator[tuple[str, bool]]:
    """Yields the names of the placeholders in a nested template, each with whether it is alone in its text."""
    if isinstance(template, str):
        pattern = parse(template)
        yield from ((piece.name, len(pattern) == 1) for piece in pattern if isinstance(piece, Place))
    elif isinstance(template, Mapping):
        for part in template.values():
            yield from places(part)
    elif isinstance(template, list):
        for part in template:
            yield from places(part)


CLAIM = "customer.claims."
"""The prefix of a placeholder for a claim that the site guarantees, such as "customer.claims.plan"."""

TOKEN = "customer.token"  # noqa: S105 - a place's name
"""Allowed only in ``auth``, because systems may log other parts of a request."""


def is_given(name: str) -> bool:
    """Whether the assistant, and not a model, fills in the placeholder.

    >>> is_given("customer.claims.plan"), is_given("customer.claims."), is_given("customer.token")
    (True, False, False)
    """
    return name in GIVEN or (name.startswith(CLAIM) and name.removeprefix(CLAIM).isidentifier())


def given(customer: Customer, key: str) -> dict[str, Json]:
    """Returns the values that the assistant fills in for this customer and call."""
    held = customer.credential
    claims = {f"{CLAIM}{name}": value for name, value in held.claims.items()} if held is not None else {}
    name = {} if customer.name is None else {"customer.name": customer.name}
    return {
        "customer.id": customer.id,
        "customer.locale": customer.locale,
        "customer.tenant": customer.tenant,
        "call.key": key,
        **name,
        **claims,
    }


def fill(template: Json, values: JsonObject) -> Json | Missing:
    """Returns the template with its values. A part whose placeholder has no value is left out, with its key.

    >>> fill({"note": "{note}", "lines": [{"sku": "{sku}", "label": "no. {sku}"}]}, {"sku": 7})
    {'lines': [{'sku': 7, 'label': 'no. 7'}]}
    """
    if isinstance(template, str):
        return _fill_text(parse(template), values)
    if isinstance(template, Mapping):
        filled = {key: fill(part, values) for key, part in template.items()}
        return {key: value for key, value in filled.items() if not isinstance(value, Missing)}
    if isinstance(template, list):
        parts = [fill(part, values) for part in template]
        return [value for value in parts if not isinstance(value, Missing)]
    return template


def _fill_text(pattern: Pattern, values: JsonObject) -> Json | Missing:
    if any(isinstance(piece, Place) and piece.name not in values for piece in pattern):
        return MISSING
    if len(pattern) == 1 and isinstance(pattern[0], Place):
        return values[pattern[0].name]
    return "".join(piece if isinstance(piece, str) else text_of(values[piece.name]) for piece in pattern)


def text_of(value: Json) -> str:
    """Returns a plain value as text.

    >>> text_of(True), text_of(2.5), text_of("a b")
    ('true', '2.5', 'a b')
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def merged_headers(*layers: Mapping[str, str]) -> dict[str, str]:
    """Returns each header once; the value of the last layer is used.

    >>> merged_headers({"Accept": "text/plain", "X-Shop": "1"}, {"accept": "application/json"})
    {'accept': 'application/json', 'X-Shop': '1'}
    """
    by_name = {name.lower(): (name, text) for layer in layers for name, text in layer.items()}
    return dict(by_name.values())


_PLAIN_KEY = re.compile(r"[!-~]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, ready to be sent.

    ``target`` is the encoded path and query; ``changes`` is True if the request is a side effect.
    """

    method: Method
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None
    changes: bool = False

    def __repr__(self) -> str:
        """Returns a representation without data of the customer."""
        return f"Request({self.method})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPlan:
    """A tool's request with placeholders for its arguments, in texts and in JSON; see ``fill``.

    ``key_header`` is the header for the idempotency key; "" sends none. ``changes`` is True if the request is
    a side effect.
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
        """Returns the request for these values.

        Raises ``BadArguments`` for a value that cannot be part of an address.
        """
        body = self._body(values)
        return Request(
            method=self.method,
            target=self._path(values) + query_of(list(_pairs(self.query, values))),
            headers=merged_headers(
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
        return merged_headers({"Accept": "application/json"}, headers, key)

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
    """Yields each parameter with its value. A list is repeated; a parameter without a value is left out."""
    for name, template in templates.items():
        value = template if filled_already else fill(template, values)
        if isinstance(value, Missing):
            continue
        if isinstance(value, Sequence) and not isinstance(value, str):
            yield from ((name, text_of(one)) for one in value)
        else:
            yield name, text_of(value)


def _in_a_header(value: Json) -> str:
    """Returns a value on one line of ASCII letters, whatever a customer's name contains."""
    return "".join(sign for sign in text_of(value) if sign.isascii() and sign.isprintable())


def _key(key: str) -> str:
    """Returns the key in characters that are allowed in a header; the same for all attempts."""
    return key if _PLAIN_KEY.fullmatch(key) else hashlib.sha256(key.encode()).hexdigest()


_IN_AUTH = 'has a place {customer.token}; it is a secret: write auth = {bearer = "{customer.token}"}'
_WITHOUT_BODY = ("GET", "HEAD")


def request_problems(section: ToolSection) -> Iterator[Problem]:
    """Yields the problems of path, query, headers and body; each names its key."""
    yield from _path_problems(section)
    for name, template in section.query.items():
        yield from _place_problems(
            section, ("query", name), f"query parameter {name!r}", template, lists=True
        )
    for name, template in section.headers.items():
        yield from header_problems(("headers", name), name, template)
    yield from _body_problems(section)
    used = set(names_in(section))
    for name in section.params:
        if name not in used:
            yield ("params", name), f"parameter {name!r} is used nowhere; write {{{name}}} where it belongs"


def header_problems(way: tuple[str, ...], name: str, template: str) -> Iterator[Problem]:
    """Yields the problem of a header whose value would come from a model."""
    try:
        strange = next((place for place, _ in places(template) if not is_given(place)), None)
    except ValueError as error:
        yield way, f"header {name!r} {error}"
        return
    if strange == TOKEN:
        yield way, f"header {name!r} {_IN_AUTH}"
    elif strange is not None:
        yield way, f"header {name!r} has a place {{{strange}}}; headers know only {_listed(GIVEN)}"
    if not template.isprintable():
        yield way, f"header {name!r} should be one line"


def names_in(section: ToolSection) -> Iterator[str]:
    """Yields the names of all placeholders in a request. A text that cannot be parsed has none."""
    for template in (section.path, section.query, section.headers, section.body):
        yield from names_of(template)


def names_of(template: object) -> Iterator[str]:
    """Yields the names of a template's placeholders. A text that cannot be parsed has none."""
    try:
        yield from [name for name, _ in places(cast("Json", template))]
    except ValueError:
        return


def _path_problems(section: ToolSection) -> Iterator[Problem]:
    if set(section.path) & set("?#\\ "):
        yield ("path",), "path should have no '?', '#', blank or backslash; parameters go into query = {...}"
    if {"", ".", ".."} & set(section.path.strip("/").split("/")) and section.path != "/":
        yield ("path",), "path should have no empty or dotted part"
    yield from _place_problems(section, ("path",), "path", section.path, lists=False, whole=False)
    for name in dict.fromkeys(name for name, _ in _read(section.path)):
        parameter = section.params.get(name)
        if parameter is not None and not parameter.is_required and parameter.default is None:
            yield ("path",), f"path needs {{{name}}}, which may be left out; make it required"


def _body_problems(section: ToolSection) -> Iterator[Problem]:
    if section.body is None:
        return
    if section.method in _WITHOUT_BODY:
        yield ("body",), f"{section.method} takes no body; write query = {{...}}, or another method"
    if section.body_as == "form" and not isinstance(section.body, dict):
        yield ("body",), "a form's body should be a table of its fields"
    form = section.body_as == "form"
    yield from _place_problems(section, ("body",), "body", section.body, lists=form, whole=not form)


def _place_problems(
    section: ToolSection, way: tuple[str, ...], what: str, template: Json, *, lists: bool, whole: bool = False
) -> Iterator[Problem]:
    """Yields the problems of the placeholders in a template. With ``lists``, the value of a placeholder that
    is alone in its text may be an array; with ``whole``, it may be any value.
    """
    try:
        found = list(places(template))
    except ValueError as error:
        yield way, f"{what} {error}"
        return
    for name, alone in found:
        parameter = section.params.get(name)
        if parameter is None:
            if name == TOKEN:
                yield way, f"{what} {_IN_AUTH}"
            elif not is_given(name):
                known = _listed([*section.params, *GIVEN])
                yield way, f"{what} has a place {{{name}}} that nothing fills; known are {known}"
        elif not (alone and (whole or (lists and parameter.type == "array"))) and parameter.type in (
            "array",
            "object",
        ):
            yield way, f"{what} cannot hold {{{name}}}, which is of type {parameter.type}"


def _read(template: Json) -> list[tuple[str, bool]]:
    try:
        return list(places(template))
    except ValueError:
        return []


def _listed(names: "list[str] | tuple[str, ...]") -> str:
    return ", ".join(f"{{{name}}}" for name in names)
