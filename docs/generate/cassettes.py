"""Every key of a recorded conversation: a page for people, a JSON schema for their editors."""

import inspect
import json
import re
from collections.abc import Sequence
from typing import Any, cast

from pydantic import BaseModel

from assistant.replay.cassette import Cassette, Event, HeardFrame, Limits, People, Turn, Who
from assistant.replay.cassette_file import TABLE
from assistant.replay.expectations import Expectations, ExpectedCall, Hears, Never
from assistant.replay.replies import (
    ArgumentsPiece,
    Called,
    Declared,
    EndPiece,
    NamePiece,
    Reply,
    Run,
    TextPiece,
)
from docs.generate.cassettes_head import HEAD
from docs.generate.frames import changed, markdown
from docs.generate.short_forms import ALSO, INSTEAD, Schema

PARTS: Sequence[type[BaseModel]] = (
    *(Cassette, Who, Limits, People, Declared, Turn),
    *(Reply, Called, TextPiece, NamePiece, ArgumentsPiece, EndPiece),
    *(Run, Event, Expectations, Hears, Never, ExpectedCall, HeardFrame),
)
"""Every part, in the order in which they are told."""

_NUMBERS = {"integer": "whole number", "number": "number", "string": "text", "boolean": "`true` or `false`"}


def cassettes_schema() -> str:
    """The schema, with the short forms."""
    schema = changed(Cassette.model_json_schema(), _plain)
    parts = {name: _with_short(name, part) for name, part in schema.pop("$defs").items()}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A recorded conversation"}
    return json.dumps({**head, **schema, "$defs": parts}, indent=2, ensure_ascii=False) + "\n"


def cassettes_page() -> str:
    """The page, in Markdown."""
    schema = Cassette.model_json_schema()
    schemas = {"Cassette": schema, **schema["$defs"]}
    sections = [_section(part, schemas[part.__name__]) for part in PARTS]
    return "\n".join([HEAD, *sections, _refused()])


def meanings(part: type[BaseModel]) -> dict[str, str]:
    """What each key means, from the part's docstring."""
    args = inspect.cleandoc(part.__doc__ or "").partition("Args:\n")[2]
    found = re.findall(r"^    (\w+): (.+(?:\n {8}.+)*)", args, re.MULTILINE)
    return {name: markdown(told) for name, told in found}


def _with_short(name: str, long: dict[str, Any]) -> Schema:
    if name in INSTEAD:
        return {"description": long.pop("description"), "anyOf": [*INSTEAD[name], long]}
    if name in ALSO:
        long = {**long, "properties": {**ALSO[name], **long["properties"]}}
        long.pop("required", None)
    return long


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, str) and key == "title":
        return None
    return _told(value) if isinstance(value, str) and key == "description" else value


def _told(docstring: str) -> str:
    return markdown(docstring.partition("Args:\n")[0]).strip()


def _section(part: type[BaseModel], schema: Schema) -> str:
    meant = meanings(part)
    rows = [
        _row(name, field, meant[name], required=name in schema.get("required", ()))
        for name, field in schema["properties"].items()
    ]
    table = ["| key | what | default | meaning |", "| --- | --- | --- | --- |", *rows]
    return "\n".join([f"## {part.__name__}", "", _told(part.__doc__ or ""), "", *table, ""])


def _row(name: str, field: Schema, meaning: str, *, required: bool) -> str:
    cells = (f"`{name}`", _type(name, field), "required" if required else _default(field), meaning)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _default(field: Schema) -> str:
    value = field.get("default")
    return "none" if value in (None, "", [], {}) else f"`{json.dumps(value)}`"


def _type(name: str, field: Schema) -> str:
    """A schema in words.

    >>> _type("at_ms", {"anyOf": [{"type": "integer"}, {"type": "null"}]})
    'milliseconds'
    """
    options: Sequence[Schema] = field.get("anyOf") or field.get("oneOf") or ()
    if options:
        told = [_type(name, option) for option in options if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(told))
    if "$ref" in field:
        part = str(field["$ref"]).rpartition("/")[2]
        return f"[{part}](#{part.lower()})"
    if "const" in field or "enum" in field:
        return " or ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    if field.get("type") == "array":
        items = cast("Schema", field.get("items") or {"anyOf": field.get("prefixItems", [])})
        return f"list of {_type(name, items)}"
    if field.get("type") == "object":
        return "mapping"
    return "milliseconds" if name.endswith("_ms") else _NUMBERS.get(str(field.get("type")), "anything")


def _refused() -> str:
    rows = [f"| {', '.join(f'`{key}`' for key in row.keys)} | {row.why} | {row.instead} |" for row in TABLE]
    table = ["| key | why | instead |", "| --- | --- | --- |", *rows]
    told = "These keys are refused: what they mean is written otherwise, or the assistant does not do it yet."
    return "\n".join(["## Not yet", "", told, "", *table, ""])
