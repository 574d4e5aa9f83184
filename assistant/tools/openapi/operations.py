"""The operations of an OpenAPI description: what each takes and returns, and how its requests sign in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from assistant.conversation.values import Json, JsonObject
from assistant.tools.http.address import is_own_path
from assistant.tools.http.config import Method
from assistant.tools.openapi.document import Document, as_list, as_object, as_text

_METHODS = ("get", "head", "post", "put", "patch", "delete")
_SINGLE = {
    "get": "get",
    "head": "check",
    "post": "create",
    "put": "replace",
    "patch": "update",
    "delete": "delete",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path. ``parameters`` are resolved, those of the path included.

    ``security`` has the alternatives, each with the names of the schemes that it needs together; none: anybody may.
    """

    name: str
    operation_id: str
    method: Method
    path: str
    summary: str
    description: str
    parameters: tuple[JsonObject, ...]
    body: JsonObject
    responses: Mapping[str, JsonObject]
    security: tuple[tuple[str, ...], ...]
    deprecated: bool

    def __str__(self) -> str:
        """As people look it up: "GET /orders/{id}"."""
        return f"{self.method} {self.path}"


def operations(document: Document) -> list[Operation]:
    """All of them, in the order in which they are described; no two have one name."""
    found: list[Operation] = []
    taken: set[str] = set()
    for path, node in as_object(document.root.get("paths")).items():
        item = document.resolved(node)
        for method in _METHODS:
            if isinstance(item.get(method), dict):
                operation = _operation(document, method, path, item, taken)
                taken.add(operation.name)
                found.append(operation)
    return found


def _operation(document: Document, method: str, path: str, item: JsonObject, taken: set[str]) -> Operation:
    node = as_object(item[method])
    written = as_text(node.get("operationId"))
    return Operation(
        name=_free(_name(written, method, path), taken),
        operation_id=written,
        method=cast("Method", method.upper()),
        path=path,
        summary=as_text(node.get("summary")),
        description=as_text(node.get("description")),
        parameters=tuple(_parameters(document, item, node)),
        body=document.resolved(node.get("requestBody")),
        responses={
            str(status): document.resolved(one) for status, one in as_object(node.get("responses")).items()
        },
        security=_security(document, node),
        deprecated=node.get("deprecated") is True,
    )


def _parameters(document: Document, item: JsonObject, node: JsonObject) -> Iterator[JsonObject]:
    """An operation's own parameter takes the place of the path's of the same name."""
    every = [
        document.resolved(one) for one in (*as_list(item.get("parameters")), *as_list(node.get("parameters")))
    ]
    by_name = {(as_text(one.get("in")), as_text(one.get("name"))): one for one in every}
    return (one for (_, name), one in by_name.items() if name)


def _security(document: Document, node: JsonObject) -> tuple[tuple[str, ...], ...]:
    """The operation's own alternatives, or else the document's."""
    wanted = as_list(node["security"] if "security" in node else document.root.get("security"))
    return tuple(tuple(as_object(one)) for one in wanted)


def _name(written: str, method: str, path: str) -> str:
    """A tool's name; frameworks put path and method behind the name that somebody has chosen."""
    behind = re.sub(r"\W", "_", f"{path}_{method}")
    name = snake(written.removesuffix(behind)) if written else ""
    if name:
        return name[:64].strip("_")
    parts = [part for part in path.split("/") if part]
    words = [snake(part) for part in parts if not part.startswith("{")]
    one = bool(parts) and parts[-1].startswith("{")
    verb = _SINGLE[method] if one or method not in ("get",) else "list"
    return "_".join((verb, *filter(None, words)))[:64].strip("_")


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name[:60]}_{number}", number + 1
    return free


def snake(written: str) -> str:
    """A name in lower case with underscores.

    >>> snake("getOrderById"), snake("orders.listHTTPItems"), snake("filter[status]"), snake("2nd")
    ('get_order_by_id', 'orders_list_http_items', 'filter_status', 'n2nd')
    """
    apart = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", written))
    name = re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")
    return f"n{name}" if name[:1].isdigit() else name


def json_schema_of(content: Json) -> tuple[str, Json] | None:
    """The first kind of content that can be sent or read as JSON, with its schema; None without any."""
    for kind, media in as_object(content).items():
        plain = kind.partition(";")[0].strip().lower()
        if plain == "application/json" or plain.endswith("+json") or plain == "*/*":
            return plain, as_object(media).get("schema")
    return None


Why: TypeAlias = Literal["security", "path"]

_FOR_PROGRAMS = frozenset(("clientCredentials", "application"))
_OF_A_USER = frozenset(("authorization", "token", "jwt", "bearer", "session"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """How an operation's requests sign in.

    ``schemes`` are the names of the security schemes of one alternative; ``users`` are those of them that carry the
    user's own credential. ``why`` says what shows that it acts for a user; None: it does not. ``others``: the
    description allows another way, without a user.
    """

    schemes: tuple[str, ...] = ()
    users: frozenset[str] = frozenset()
    why: Why | None = None
    others: bool = False


def signing_of(document: Document, operation: Operation) -> Signing:
    """How its requests sign in. Of several alternatives the one of a user is taken.

    With the company's key instead, a visitor would act for customers who are not there.
    """
    users = frozenset(name for name in _named(operation.security) if is_users(_scheme(document, name)))
    own = next((one for one in operation.security if users & set(one)), None)
    if own is not None:
        others = any(not users & set(one) for one in operation.security)
        return Signing(schemes=own, users=users & set(own), why="security", others=others)
    first = operation.security[0] if operation.security else ()
    if is_own_path(operation.path):
        return Signing(schemes=first, users=frozenset(first), why="path")
    return Signing(schemes=first)


def is_users(scheme: JsonObject) -> bool:
    """Whether a security scheme carries a credential of the user's, as against a key of the calling program's.

    >>> is_users({"type": "http", "scheme": "bearer"}), is_users({"type": "apiKey", "in": "query", "name": "key"})
    (True, False)
    >>> is_users({"type": "oauth2", "flows": {"clientCredentials": {}}}), is_users({"type": "openIdConnect"})
    (False, True)
    """
    match as_text(scheme.get("type")):
        case "http":
            return as_text(scheme.get("scheme")).lower() == "bearer"
        case "oauth2":
            return not set(as_object(scheme.get("flows"))) <= _FOR_PROGRAMS or not scheme.get("flows")
        case "openIdConnect":
            return True
        case "apiKey":
            # Descriptions that were converted from Swagger 2 have no other way to write a bearer token.
            words = re.split(r"_+", snake(as_text(scheme.get("name"))))
            return scheme.get("in") == "cookie" or bool(_OF_A_USER & set(words))
        case _:
            return False


def _named(security: Sequence[Sequence[str]]) -> frozenset[str]:
    return frozenset(name for one in security for name in one)


def _scheme(document: Document, name: str) -> JsonObject:
    described = as_object(as_object(document.root.get("components")).get("securitySchemes"))
    return document.resolved(described.get(name))
