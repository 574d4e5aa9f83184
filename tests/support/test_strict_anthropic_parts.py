"""The fake Anthropic refuses the tools, pictures and thinking that the real one refuses, and accepts the
others.
"""

from typing import Any

from tests.support.bodies import (
    CHAT,
    GIF,
    HIDDEN,
    IMAGE,
    MESSAGE,
    PDF,
    PNG,
    TEXT,
    THOUGHT,
    TOLD,
    USE,
    WEBP,
    changed,
    refusal,
)
from tests.support.rows import check_rows

SAID = MESSAGE["messages"]
FIRST = ("messages", 0, "content")
USED = ("messages", 1, "content")
ENDED = ("messages", 2, "content")
TOOL = ("tools", 0)
FREE = changed(MESSAGE, "tool_choice")
THINKS = changed(FREE, "thinking", to={"type": "enabled", "budget_tokens": 1024})


def image(**source: str) -> dict[str, Any]:
    """The request with a picture of this source."""
    return changed(MESSAGE, *FIRST, to=[{"type": "image", "source": source}])


def document(**source: str) -> dict[str, Any]:
    """The request with a document of this source."""
    return changed(MESSAGE, *FIRST, to=[{"type": "document", "source": source}])


TOOLS: dict[str, tuple[Any, str]] = {
    "uses without tools": (changed(FREE, "tools"), "Requests which include `tool_use` or `tool_result`"),
    "a choice without tools": (
        changed(MESSAGE, "tools"),
        "tool_choice may only be specified while providing",
    ),
    "an unknown choice": (
        changed(MESSAGE, "tool_choice", "type", to="x"),
        "tool_choice: Input tag 'x' found",
    ),
    "no tool, one at a time": (
        changed(MESSAGE, "tool_choice", "type", to="none"),
        "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted",
    ),
    "the choice of a tool that is not there": (
        changed(MESSAGE, "tool_choice", to={"type": "tool", "name": "look"}),
        "Tool 'look' not found in provided tools",
    ),
    "a tool of a bad name": (
        changed(MESSAGE, *TOOL, "name", to="crm.find"),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ),
    "a tool as OpenAI has it": (
        changed(MESSAGE, "tools", to=CHAT["tools"]),
        "tools.0.custom.name: Field required",
    ),
    "two tools of one name": (
        changed(MESSAGE, "tools", to=MESSAGE["tools"] * 2),
        "tools: Tool names must be unique.",
    ),
    "a schema of no type": (
        changed(MESSAGE, *TOOL, "input_schema", to={}),
        "tools.0.custom.input_schema.type: Field required",
    ),
    "a schema of no object": (
        changed(MESSAGE, *TOOL, "input_schema", to={"type": "array"}),
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "a choice of schemas": (
        changed(MESSAGE, *TOOL, "input_schema", "anyOf", to=[{}]),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    ),
    "what is no schema": (
        changed(MESSAGE, *TOOL, "input_schema", "properties", to={"x": {"type": "text"}}),
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    ),
    "a reference to nowhere": (
        changed(MESSAGE, *TOOL, "input_schema", "properties", to={"x": {"$ref": "#/$defs/Order"}}),
        "tools.0.custom.input_schema: JSON schema is invalid.",
    ),
    "a parameter of a bad name": (
        changed(MESSAGE, *TOOL, "input_schema", "properties", to={"filter[name]": {"type": "string"}}),
        "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    ),
}

MEDIA: dict[str, tuple[Any, str]] = {
    "a picture of a strange format": (
        image(type="base64", media_type="image/bmp", data="Qk0="),
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
        "'image/gif' or 'image/webp'",
    ),
    "a picture of another format": (
        image(type="base64", media_type="image/png", data=GIF),
        "image.source.base64.data: Image does not match the provided media type image/png",
    ),
    "a picture in no base64": (
        image(type="base64", media_type="image/png", data="?"),
        "image.source.base64.data: invalid base64 data",
    ),
    "a picture that is none": (
        image(type="base64", media_type="image/png", data="aGVsbG8="),
        "Could not process image",
    ),
    "a picture that is too large": (
        image(type="base64", media_type="image/png", data="A" * 5_242_884),
        "image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes",
    ),
    "a picture as OpenAI has it": (
        image(type="url", url=f"data:image/png;base64,{PNG}"),
        "Only HTTPS URLs are supported.",
    ),
    "a document that is a picture": (
        document(type="base64", media_type="application/pdf", data=PNG),
        "The PDF specified was not valid.",
    ),
    "a document of a strange format": (
        document(type="base64", media_type="text/html", data=PDF),
        "document.source.base64.media_type: Input should be 'application/pdf'",
    ),
    "an empty document": (
        document(type="text", media_type="text/plain", data=" "),
        "document cannot be empty",
    ),
}

UNTHOUGHT = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`."

THINKING: dict[str, tuple[Any, str]] = {
    "an unknown way": (changed(THINKS, "thinking", "type", to="hard"), "thinking: Input tag 'hard' found"),
    "too little to think with": (
        changed(THINKS, "thinking", "budget_tokens", to=1000),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    "nothing left to speak with": (
        changed(THINKS, "max_tokens", to=1024),
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ),
    "a budget for one who needs none": (
        changed(THINKS, "thinking", "type", to="adaptive"),
        "thinking.adaptive.budget_tokens: Extra inputs are not permitted",
    ),
    "a budget for nothing": (
        changed(THINKS, "thinking", "type", to="disabled"),
        "thinking.disabled.budget_tokens: Extra inputs are not permitted",
    ),
    "an unknown display": (
        changed(FREE, "thinking", to={"type": "adaptive", "display": "loud"}),
        "thinking.adaptive.display: Input should be 'summarized' or 'omitted'",
    ),
    "warmth": (
        changed(changed(FREE, "thinking", to={"type": "adaptive"}), "temperature", to=0.5),
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
    ),
    "the best few": (
        changed(changed(FREE, "thinking", to={"type": "adaptive"}), "top_k", to=5),
        "`top_k` must be unset when thinking is enabled.",
    ),
    "the likely ones": (
        changed(changed(FREE, "thinking", to={"type": "adaptive"}), "top_p", to=0.5),
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    ),
    "a tool that must be used": (
        changed(THINKS, "tool_choice", to={"type": "any"}),
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    "results of a use without a thought": (THINKS, UNTHOUGHT),
    "results of a later use, the first without a thought": (
        changed(
            THINKS,
            "messages",
            to=[
                *SAID[:2],
                {"role": "user", "content": [TOLD]},
                {"role": "assistant", "content": [THOUGHT, {**USE, "id": "b"}]},
                {"role": "user", "content": [{**TOLD, "tool_use_id": "b"}]},
            ],
        ),
        UNTHOUGHT,
    ),
    "a thought behind the words": (changed(THINKS, *USED, to=[TEXT, THOUGHT, USE]), UNTHOUGHT),
    "a thought without a signature": (
        changed(THINKS, *USED, to=[{"type": "thinking", "thinking": "Hm."}, USE]),
        "messages.1.content.0.thinking.signature: Field required",
    ),
    "a thought of an empty signature": (
        changed(THINKS, *USED, to=[{**THOUGHT, "signature": ""}, USE]),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "a hidden thought that holds nothing": (
        changed(THINKS, *USED, to=[{**HIDDEN, "data": ""}, USE]),
        "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    ),
    "a thought and nothing after it": (
        changed(FREE, "messages", to=[SAID[0], {"role": "assistant", "content": [THOUGHT]}, SAID[0]]),
        "messages.1: The final block in an assistant message cannot be `thinking`.",
    ),
}

REFUSED = {**TOOLS, **MEDIA, **THINKING}

TAKEN: dict[str, Any] = {
    "everything": MESSAGE,
    "a system text": changed(MESSAGE, "system", to="Be brief."),
    "pictures and documents": changed(
        MESSAGE,
        *FIRST,
        to=[
            TEXT,
            IMAGE,
            {"type": "image", "source": {"type": "url", "url": "https://example.com/door.png"}},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
            {"type": "document", "source": {"type": "url", "url": "https://example.com/bill.pdf"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": WEBP}},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Hi"}},
        ],
    ),
    "a picture among the results": changed(MESSAGE, *ENDED, 0, "content", to=[TEXT, IMAGE]),
    "a failure in words": changed(MESSAGE, *ENDED, 0, to={**TOLD, "content": [TEXT], "is_error": True}),
    "a thought before a use": changed(THINKS, *USED, to=[THOUGHT, TEXT, USE]),
    "a hidden thought before a use": changed(THINKS, *USED, to=[HIDDEN, USE]),
    "thoughts where none are asked for": changed(FREE, *USED, to=[THOUGHT, USE]),
    "nothing thought before earlier words": changed(THINKS, "messages", to=[SAID[0]]),
    "nothing thought between two uses": changed(
        THINKS,
        "messages",
        to=[
            SAID[0],
            {"role": "assistant", "content": [THOUGHT, USE]},
            {"role": "user", "content": [TOLD]},
            {"role": "assistant", "content": [{**USE, "id": "b"}]},
            {"role": "user", "content": [{**TOLD, "tool_use_id": "b"}]},
        ],
    ),
    "nothing thought where the model decides": changed(FREE, "thinking", to={"type": "adaptive"}),
    "nothing thought at all": changed(FREE, "thinking", to={"type": "disabled"}),
    "a chosen tool": changed(MESSAGE, "tool_choice", to={"type": "tool", "name": "find"}),
}


@check_rows(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_a_message_is_refused_for(body: Any, told: str) -> None:
    assert told in refusal("anthropic", body)


@check_rows("body", TAKEN.values(), ids=TAKEN)
def test_a_message_is_accepted_with(body: Any) -> None:
    assert refusal("anthropic", body) == ""
