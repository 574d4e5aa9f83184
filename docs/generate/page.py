"""The protocol's page: prose from ``protocol.md.j2``, every frame and close code from the code."""

import json
from collections.abc import Sequence
from inspect import cleandoc
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

from jinja2 import Environment, StrictUndefined

from assistant.server.frames import server_frames
from docs.generate.frames import Frame, Frames, Schema
from docs.generate.types import type_text

_PROSE = Path(__file__).with_name("protocol.md.j2")


def protocol_page(frames: Frames) -> str:
    """The page, in Markdown."""
    environment = Environment(  # noqa: S701 - Markdown, from our own texts
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    return environment.from_string(_PROSE.read_text(encoding="utf-8")).render(
        order=_order(),
        says=_reference(frames.client, frames),
        hears=_reference(frames.server, frames),
        parts=_parts(frames),
    )


def _order() -> str:
    """The order of frames within a turn, from where the code states it."""
    told = cleandoc(server_frames.__doc__ or "")
    lines = told.partition("::\n\n")[2].splitlines()
    block = takewhile(lambda line: not line or line.startswith(" "), lines)
    return dedent("\n".join(block)).strip()


def _reference(frames: Sequence[Frame], all_: Frames) -> str:
    return "\n\n".join(_section(f"`{frame.type}`", frame.doc, all_.schemas[frame.title]) for frame in frames)


def _parts(frames: Frames) -> str:
    named = {frame.title for frame in (*frames.client, *frames.server)}
    return "\n\n".join(
        _section(name, schema.get("description", ""), schema)
        for name, schema in frames.schemas.items()
        if name not in named and "properties" in schema
    )


def _section(title: str, doc: str, schema: Schema) -> str:
    rows = [_row(key, field, schema) for key, field in schema["properties"].items() if key != "type"]
    table = "\n".join(["| field | type | what it is |", "| --- | --- | --- |", *rows]) if rows else ""
    return "\n\n".join(part for part in (f"#### {title}", doc, table) if part)


def _row(key: str, field: Schema, schema: Schema) -> str:
    optional = "" if key in schema.get("required", ()) else "?"
    what = " ".join(filter(None, [str(field.get("description", "")), _bounds(field)]))
    cells = (f"`{key}{optional}`", type_text(field), " ".join(what.split()))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _bounds(field: Schema) -> str:
    """What else may be said of a value, in a few words."""
    options: Sequence[Schema] = field.get("anyOf", [field])
    said = [f"at most {option['maxLength']} characters" for option in options if "maxLength" in option]
    default = field.get("default")
    if isinstance(default, str | int):
        said.append(f"{json.dumps(default)} when left out")
    return f"({'; '.join(said)})" if said else ""
