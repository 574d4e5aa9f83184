"""A server's answer becomes a tool's result."""

from base64 import b64encode

import pytest
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from assistant.conversation.outcomes import Media
from assistant.conversation.values import Json, JsonObject
from assistant.errors import ToolError
from assistant.mcp.approval import Definition
from assistant.mcp.client import result_of
from assistant.tools.tool import ResultTooLarge, ToolResult
from tests.support.rows import check_rows

DATA = b64encode(b"abc").decode()
WRAPPED: JsonObject = {"type": "object", "properties": {"result": {"type": "array"}}}


def result(*content: ContentBlock, structured: object = None, output: JsonObject | None = None) -> ToolResult:
    answer = CallToolResult(content=list(content), structured_content=structured)
    return result_of(Definition(name="t", output=output), answer)


def text(said: str) -> TextContent:
    return TextContent(text=said)


@check_rows(
    ("said", "value"),
    [
        ("pong", "pong"),
        ("", None),
        ("[]", []),
        (' {"a": 1}', {"a": 1}),
        ("{not json", "{not json"),
        ("[NaN]", "[NaN]"),
        ("12", "12"),
    ],
)
def test_a_text_is_the_value_and_json_text_is_parsed(said: str, value: Json) -> None:
    assert result(text(said)) == ToolResult(value)


def test_texts_embedded_texts_and_links_are_joined_in_order() -> None:
    embedded = EmbeddedResource(resource=TextResourceContents(uri="file:///a.txt", text="inside"))
    link = ResourceLink(name="b.pdf", title="The contract", uri="https://shop.example/b.pdf")

    assert result(text("first"), embedded, link, text("last")) == ToolResult(
        "first\ninside\nThe contract: https://shop.example/b.pdf\nlast"
    )


def test_pictures_sounds_and_files_are_added_to_the_text() -> None:
    blob = BlobResourceContents(uri="file:///shop/b.pdf", blob=DATA, mime_type="application/pdf")
    bare = BlobResourceContents(uri="file:///c", blob=DATA)
    content = (
        ImageContent(data=DATA, mime_type="image/png"),
        AudioContent(data=DATA, mime_type="audio/wav"),
        EmbeddedResource(resource=blob),
        EmbeddedResource(resource=bare),
    )

    assert result(*content) == ToolResult(
        None,
        (
            Media(mime="image/png", data=DATA),
            Media(mime="audio/wav", data=DATA),
            Media(mime="application/pdf", data=DATA, name="b.pdf"),
            Media(mime="application/octet-stream", data=DATA, name="c"),
        ),
    )


def test_unusable_files_are_left_out_and_never_reported_as_empty() -> None:
    broken = ImageContent(data="no base64!", mime_type="image/png")
    assert result(text("a drawing"), broken) == ToolResult("a drawing")

    with pytest.raises(ToolError, match="what came back cannot be shown"):
        result(broken)


@check_rows(
    ("structured", "output", "value"),
    [
        ({"a": 1}, None, {"a": 1}),
        ({"result": []}, WRAPPED, []),
        ({"result": []}, None, {"result": []}),
        ({"result": [], "more": 1}, WRAPPED, {"result": [], "more": 1}),
        ([1], None, [1]),
        ({"a": float("nan")}, None, {"a": None}),
    ],
)
def test_structured_content_is_the_value(structured: object, output: JsonObject | None, value: Json) -> None:
    assert result(text("in words"), structured=structured, output=output) == ToolResult(value)


@pytest.mark.parametrize(
    ("said", "structured"),
    [("[" + "1," * 200_000 + "1]", None), ("x" * 300_000, None), ("in words", {"rows": ["x" * 1000] * 300})],
)
def test_an_answer_that_is_too_large_is_refused_before_parsing(said: str, structured: object) -> None:
    with pytest.raises(ResultTooLarge, match="has more than 128000 bytes"):
        result(text(said), structured=structured)


@pytest.mark.parametrize(
    ("said", "for_model"),
    [("No order 7.", "No order 7."), ("", "The tool failed and did not say why."), ("x" * 9999, "x" * 2000)],
)
def test_an_error_is_text_for_the_model(said: str, for_model: str) -> None:
    with pytest.raises(ToolError, match="that did not work") as failed:
        result_of(Definition(name="t"), CallToolResult(content=[text(said)], is_error=True))

    assert failed.value.for_model == for_model
