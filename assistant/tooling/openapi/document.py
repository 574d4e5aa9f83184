"""Reads an OpenAPI description, in JSON or YAML, and finds what its references mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast
from urllib.parse import unquote

from assistant.conversation.values import Json, JsonObject
from assistant.errors import DeclarationError
from assistant.text.harmless import harmless
from assistant.tooling.openapi.yaml_text import read_yaml

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
        " ".join(harmless(value).replace("`", "").replace("**", "").split()) if isinstance(value, str) else ""
    )
