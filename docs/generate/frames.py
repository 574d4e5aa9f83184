"""Reads the frames of the websocket off their models: one schema for each, and one for each shared part."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast, get_args

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from assistant.server.frames.client_frames import AnyClientFrame
from assistant.server.frames.server_frames import AnyServerFrame

Schema: TypeAlias = Mapping[str, Any]
"""A JSON schema. Its own form is its type: nothing here looks deeper than the keywords it knows."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One kind of frame. ``type`` is its discriminator, ``title`` its model's name, ``doc`` Markdown."""

    type: str
    title: str
    doc: str


@dataclass(frozen=True, slots=True)
class Frames:
    """Both directions, in the order of the code, and every schema by its name."""

    client: Sequence[Frame]
    server: Sequence[Frame]
    schemas: Mapping[str, Schema]


def read_frames() -> Frames:
    """The frames of both directions, with their JSON schemas."""
    client: tuple[type[BaseModel], ...] = get_args(AnyClientFrame)
    server: tuple[type[BaseModel], ...] = get_args(AnyServerFrame)
    _, document = models_json_schema([(model, "validation") for model in (*client, *server)])
    schemas: dict[str, Schema] = document["$defs"]
    return Frames(
        client=[_frame(model) for model in client],
        server=[_frame(model) for model in server],
        schemas={name: changed(schema, _plain) for name, schema in sorted(schemas.items())},
    )


def markdown(docstring: str) -> str:
    r"""A docstring as Markdown: one kind of code marks, paragraphs in one line each.

    >>> markdown("The ``seq``\nof it.\n\nMore.")
    'The `seq` of it.\n\nMore.'
    """
    paragraphs = inspect.cleandoc(docstring).replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _frame(model: type[BaseModel]) -> Frame:
    (type_,) = get_args(model.model_fields["type"].annotation)
    return Frame(type=type_, title=model.__name__, doc=markdown(model.__doc__ or ""))


def changed(schema: Any, change: Callable[[str, Any], Any]) -> Any:
    """The schema with each keyword's value as ``change`` gives it, all the way down; None leaves one out."""
    if isinstance(schema, list):
        return [changed(item, change) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    new = {key: change(key, value) for key, value in cast("dict[str, Any]", schema).items()}
    kept = {key: value for key, value in new.items() if value is not None or key == "default"}
    return {key: changed(value, change) for key, value in kept.items()}


def _plain(key: str, value: Any) -> Any:
    """Titles only repeat a field's name; descriptions become Markdown."""
    if isinstance(value, str) and key == "title":
        return None
    return markdown(value) if isinstance(value, str) and key == "description" else value
