"""Turns what a server answered into a tool's result. Needs the SDK's types: imported only where a server is."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import orjson
import structlog
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

from assistant.conversation.outcomes import Media
from assistant.conversation.values import Json
from assistant.errors import NO_REASON, ToolError
from assistant.mcp.definition import Definition
from assistant.tooling.tool import ToolResult, to_json

log = structlog.get_logger(__name__)

_LARGEST_MEDIA = 11_000_000
"""Characters of base64 of all pictures and files of a result, before they are scaled down: some eight megabytes.

Less than a message may have, so that it is the file that is left out, and not the call that fails."""

_ERROR_SHOWN = 2000


def result_of(definition: Definition, answer: CallToolResult) -> ToolResult:
    """The answer as a tool's result. Raises ``ToolError`` where the server says that it went wrong.

    The value is the structured content, when there is any, or else the texts in their order. A text that is
    a JSON object or list is taken as that.
    """
    texts = [*_texts(answer.content)]
    if answer.is_error:
        said = "\n".join(texts)[:_ERROR_SHOWN]
        raise ToolError(NO_REASON, for_model=said or "The tool failed and did not say why.")
    media = _media(definition.name, answer.content)
    value = _value(definition, answer, "\n".join(texts))
    if value is None and not media and any(_files(answer.content)):
        raise ToolError(
            "what came back cannot be shown", for_model="The files that the tool gave are unusable."
        )
    return ToolResult(to_json(value), media)


def _value(definition: Definition, answer: CallToolResult, text: str) -> Json:
    if answer.structured_content is not None:
        return _unwrapped(definition, cast("Json", answer.structured_content))
    return _as_json(text) if text else None


def _unwrapped(definition: Definition, value: Json) -> Json:
    """What a server had to put into an object because it was none: ``{"result": []}`` is an empty list."""
    properties = definition.output.get("properties") if definition.output is not None else None
    only = isinstance(properties, Mapping) and set(properties) == {"result"}
    return value["result"] if only and isinstance(value, Mapping) and set(value) == {"result"} else value


def _as_json(text: str) -> Json:
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return cast("Json", orjson.loads(text))
    except orjson.JSONDecodeError:
        return text


def _texts(content: Sequence[ContentBlock]) -> Iterator[str]:
    for block in content:
        if isinstance(block, TextContent):
            yield block.text
        elif isinstance(block, ResourceLink):
            yield f"{block.title or block.name}: {block.uri}"
        elif isinstance(block, EmbeddedResource) and not isinstance(block.resource, BlobResourceContents):
            yield block.resource.text


def _media(tool: str, content: Sequence[ContentBlock]) -> tuple[Media, ...]:
    media: list[Media] = []
    left = _LARGEST_MEDIA
    for one in _files(content):
        if not _is_base64(one.data):
            log.warning("a server's file is left out: it is no base64", tool=tool, mime=one.mime)
        elif len(one.data) > left:
            log.warning(
                "a server's file is left out: too large", tool=tool, mime=one.mime, size=len(one.data)
            )
        else:
            left -= len(one.data)
            media.append(one)
    return tuple(media)


def _files(content: Sequence[ContentBlock]) -> Iterator[Media]:
    for block in content:
        if isinstance(block, ImageContent | AudioContent):
            yield Media(mime=block.mime_type, data=block.data)
        elif isinstance(block, EmbeddedResource) and isinstance(block.resource, BlobResourceContents):
            mime = block.resource.mime_type or "application/octet-stream"
            yield Media(mime=mime, data=block.resource.blob, name=str(block.resource.uri).rpartition("/")[2])


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
