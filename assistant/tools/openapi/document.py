"""Reads an OpenAPI description in JSON or YAML: its references, and the inputs and outputs of each operation.

YAML is read with the types of JSON: dates and octal numbers stay texts, and each key becomes a string.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from urllib.parse import unquote

from assistant.conversation.values import Json, JsonObject
from assistant.errors import DeclarationError
from assistant.language.sanitize import sanitize
from assistant.tools.http.config import Method
from assistant.tools.http.service import is_own_path

if TYPE_CHECKING:
    import yaml


_MOST_MERGED = 10_000
_DEEPEST = 200
_PLAIN = (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
    ("merge", r"^<<$", ["<"]),
)
"""Scalars that are no texts, each with its possible first characters. Years, "no" and "12:30" are texts."""


def read_yaml(content: bytes) -> Json:
    """Returns the parsed value. A value that refers to itself contains itself. Raises ``yaml.YAMLError``."""
    import yaml

    _refuse_depth(content)
    return cast("Json", yaml.load(content, Loader=_loader()))  # noqa: S506 - a safe loader of our own


def _refuse_depth(content: bytes) -> None:
    """Raise ``YAMLError`` for a file that is nested so deeply that parsing it would overflow the stack."""
    import yaml

    depth = 0
    for event in yaml.parse(content, Loader=_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise yaml.YAMLError(f"it is nested more than {_DEEPEST} levels deep")


@cache
def _loader() -> "type[yaml.SafeLoader]":
    import yaml

    # The C loader, if it is installed, is ten times as fast.
    safe: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Plain(safe):
        yaml_implicit_resolvers = {}  # noqa: RUF012 - the resolver's own way

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                    key.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            before = len(node.value)
            super().flatten_mapping(node)
            if len(node.value) - before > _MOST_MERGED:
                raise yaml.constructor.ConstructorError(None, None, "merges too much", node.start_mark)

        def finite(self, node: yaml.ScalarNode) -> float | None:
            number = float(node.value)
            return number if isfinite(number) else None

        def whatever(self, node: yaml.Node) -> Any:
            """Read a value with an unknown tag as if it had none."""
            if isinstance(node, yaml.MappingNode):
                return self.construct_mapping(node, deep=True)
            if isinstance(node, yaml.SequenceNode):
                return self.construct_sequence(node, deep=True)
            return node.value

    for kind, pattern, first in _PLAIN:
        Plain.add_implicit_resolver(  # pyright: ignore[reportUnknownMemberType]
            f"tag:yaml.org,2002:{kind}", re.compile(pattern), first
        )
    plain = ("null", "bool", "int", "str", "seq", "map")
    Plain.yaml_constructors = {
        f"tag:yaml.org,2002:{kind}": safe.yaml_constructors[f"tag:yaml.org,2002:{kind}"] for kind in plain
    }
    Plain.add_constructor("tag:yaml.org,2002:float", Plain.finite)
    Plain.add_constructor(None, Plain.whatever)
    return Plain


_LONGEST = 20_000_000
"""The most bytes of a file. Drafts of a larger file would be too many to review."""


class Document:
    """A description whose top level is valid. Its inner parts may have any form."""

    __slots__ = ("root",)

    def __init__(self, root: JsonObject) -> None:
        self.root = root

    def resolved(self, node: Json) -> JsonObject:
        """Returns the object of a node, after following references; ``{}`` if a reference leads nowhere.

        A circle of references counts as leading nowhere.
        """
        seen: set[str] = set()
        found = as_object(node)
        while isinstance(reference := found.get("$ref"), str):
            if reference in seen:
                return {}
            seen.add(reference)
            siblings = {key: value for key, value in found.items() if key != "$ref"}
            # OpenAPI 3.1 allows a description next to a reference.
            found = {**as_object(self._target(reference)), **siblings}
        return found

    def _target(self, reference: str) -> Json:
        if not reference.startswith("#/"):
            return None
        found: Json = self.root
        for part in reference.removeprefix("#/").split("/"):
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            items = as_list(found)
            at = int(name) if name.isdecimal() else len(items)
            found = items[at] if at < len(items) else as_object(found).get(name)
        return found


def read_document(file: Path) -> Document:
    """Read a file. Raises ``DeclarationError`` if it is not OpenAPI 3.0 or 3.1."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise DeclarationError(f"{file}: cannot be read: {error.strerror}") from error
    if len(content) > _LONGEST:
        raise DeclarationError(f"{file}: has more than {_LONGEST} bytes; cut out what is needed")
    root = _parsed(content, file)
    version = root.get("openapi") if isinstance(root, dict) else None
    if not str(version).startswith(("3.0", "3.1")):
        older = isinstance(root, dict) and "swagger" in root
        found = f"is Swagger {root['swagger']}" if older else "is no OpenAPI description"  # pyright: ignore
        raise DeclarationError(f"{file}: {found}; OpenAPI 3.0 or 3.1 is needed, converters make it of 2.0")
    return Document(cast("JsonObject", root))


def _parsed(content: bytes, file: Path) -> Json:
    import orjson

    try:
        return cast("Json", orjson.loads(content))
    except orjson.JSONDecodeError:
        pass
    import yaml

    try:
        return read_yaml(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        last = content.count(b"\n")
        line = f":{min(mark.line, last) + 1}" if mark is not None else ""
        why = str(error).splitlines()[0]
        raise DeclarationError(f"{file}{line}: is neither JSON nor YAML: {why}") from error


def as_object(value: Json) -> JsonObject:
    """Returns the value if it is an object, otherwise an empty one, because descriptions contain mistakes."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: Json) -> Sequence[Json]:
    """Returns the value if it is a list, otherwise an empty one."""
    return cast("Sequence[Json]", value) if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """Returns the value if it is a text, sanitized, on one line and without markup; otherwise ""."""
    return (
        " ".join(sanitize(value).replace("`", "").replace("**", "").split()) if isinstance(value, str) else ""
    )


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
    """One method of one path. ``parameters`` are resolved and include those of the path.

    ``security`` has the alternatives, each with the names of the schemes that it needs together. If it is
    empty, no authentication is needed.
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
        """Returns the form that people search for: "GET /orders/{id}"."""
        return f"{self.method} {self.path}"


def operations(document: Document) -> list[Operation]:
    """Returns all operations of the description, in order. Repeated names get a number."""
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
    """Yields the parameters of an operation and of its path.

    An operation's parameter replaces the path's with the same name.
    """
    every = [
        document.resolved(one) for one in (*as_list(item.get("parameters")), *as_list(node.get("parameters")))
    ]
    by_name = {(as_text(one.get("in")), as_text(one.get("name"))): one for one in every}
    return (one for (_, name), one in by_name.items() if name)


def _security(document: Document, node: JsonObject) -> tuple[tuple[str, ...], ...]:
    """Returns the alternatives of the operation, or else those of the document."""
    wanted = as_list(node["security"] if "security" in node else document.root.get("security"))
    return tuple(tuple(as_object(one)) for one in wanted)


def _name(written: str, method: str, path: str) -> str:
    """Returns a tool's name. It removes the path and method that frameworks append to the chosen name."""
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
    """Returns a name in lower case with underscores.

    >>> snake("getOrderById"), snake("orders.listHTTPItems"), snake("filter[status]"), snake("2nd")
    ('get_order_by_id', 'orders_list_http_items', 'filter_status', 'n2nd')
    """
    apart = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", written))
    name = re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")
    return f"n{name}" if name[:1].isdigit() else name


def json_schema_of(content: Json) -> tuple[str, Json] | None:
    """Returns the first media type that is JSON, with its schema, or None if there is none."""
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
    """How an operation's requests are authenticated.

    ``schemes`` are the names of the security schemes of one alternative. ``users`` are those with the user's
    own credential. ``why`` is the reason for the assumption that it acts for a user; None: it does not.
    ``others`` is True if the description also allows a way without a user.
    """

    schemes: tuple[str, ...] = ()
    users: frozenset[str] = frozenset()
    why: Why | None = None
    others: bool = False


def signing_of(document: Document, operation: Operation) -> Signing:
    """Returns how an operation's requests are authenticated.

    If one of several alternatives belongs to a user, that one is used.

    With the company's key instead, a visitor could act for other customers.
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
    """Whether a security scheme uses the user's credential, not a key of the calling program.

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
            # Descriptions that were converted from Swagger 2 can only write a bearer token like this.
            words = re.split(r"_+", snake(as_text(scheme.get("name"))))
            return scheme.get("in") == "cookie" or bool(_OF_A_USER & set(words))
        case _:
            return False


def _named(security: Sequence[Sequence[str]]) -> frozenset[str]:
    return frozenset(name for one in security for name in one)


def _scheme(document: Document, name: str) -> JsonObject:
    described = as_object(as_object(document.root.get("components")).get("securitySchemes"))
    return document.resolved(described.get(name))
