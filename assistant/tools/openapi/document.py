"""Reads an OpenAPI description, in JSON or YAML, and resolves its references.

YAML is read as JSON: no dates, no octal numbers, and each key is a string.
"""

import re
from collections.abc import Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from assistant.conversation.values import Json, JsonObject
from assistant.errors import DeclarationError
from assistant.language.sanitize import sanitize

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
"""What is no text, each with the signs that it may begin with. Years, "no" and "12:30" are."""


def read_yaml(content: bytes) -> Json:
    """The value. One that refers to itself holds itself. Raises ``yaml.YAMLError``."""
    import yaml

    _refuse_depth(content)
    return cast("Json", yaml.load(content, Loader=_loader()))  # noqa: S506 - a safe loader of our own


def _refuse_depth(content: bytes) -> None:
    """Raise ``YAMLError`` for what is nested so deeply that to build it would break the stack."""
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

    # The one that is written in C, where there is one: ten times as fast.
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
            """What has a tag of its own is what it looks like."""
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
"""Bytes: beyond it nobody reviews what comes of it."""


class Document:
    """A description, checked to be one; whatever else it holds may be anything."""

    __slots__ = ("root",)

    def __init__(self, root: JsonObject) -> None:
        self.root = root

    def resolved(self, node: Json) -> JsonObject:
        """What a node means: a reference is followed, however many times; ``{}`` when it leads nowhere.

        Loops that hold nothing but references lead nowhere, too.
        """
        seen: set[str] = set()
        found = as_object(node)
        while isinstance(reference := found.get("$ref"), str):
            if reference in seen:
                return {}
            seen.add(reference)
            beside = {key: value for key, value in found.items() if key != "$ref"}
            # OpenAPI 3.1 lets a description stand beside a reference.
            found = {**as_object(self._target(reference)), **beside}
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
    """Read a file. Raises ``DeclarationError`` for what is no OpenAPI 3.0 or 3.1."""
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
    """The value if it is an object, else an empty one: descriptions are written by hand."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def as_list(value: Json) -> Sequence[Json]:
    """The value if it is a list, else an empty one."""
    return cast("Sequence[Json]", value) if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """The value if it is a text, harmless, on one line and without markup's signs; else an empty one."""
    return (
        " ".join(sanitize(value).replace("`", "").replace("**", "").split()) if isinstance(value, str) else ""
    )
