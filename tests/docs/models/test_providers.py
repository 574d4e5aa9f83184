"""The page about providers: what it says about names of models and about pictures is right."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import orjson
import pytest
from structlog.testing import capture_logs

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded, OutcomeName
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.formats.openai import OF_CALLS, OF_MESSAGES
from assistant.formats.registry import formatter
from assistant.models.providers import PROVIDERS
from assistant.models.text_protocol.route import through_text
from assistant.ports import ModelOptions, ModelRequest
from assistant.prompts.book import shipped_book
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from tests.docs.pages import page
from tests.support.rows import check_rows

PAGE = page("docs/reference/providers.md")
CALL = Call(id="c1.1", tool="look", provider_id="call_1")
NAMES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "WebP": "image/webp",
    "PDF": "application/pdf",
}
TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "audio/mpeg")


def rows(heading: str) -> Iterator[list[str]]:
    """The cells of the first table below a heading, without its head."""
    section = PAGE.text.partition(f"{heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table
    for line in table[0].splitlines()[2:]:
        yield [cell.strip() for cell in line.strip("|").split(" | ")]


def asked(model: str, *media: Media, kind: str = "openai", images: bool = True) -> Any:
    """The request of a conversation in which a call was made that gave these."""
    outcome = CallSucceeded(call=CALL, value=1, media=media)
    said = FromCustomer("Hi"), FromAssistant("", (CALL,)), FromTools((outcome,))
    view = View("Be brief.", (TurnView(said), TurnView((FromCustomer("And?"),))), "It is Sunday.")
    request = ModelRequest(role="decider", view=view, options=ModelOptions(images=images))
    return orjson.loads(formatter(kind).format(request, model, f"{model}@somewhere").body)


def late_stands_last(body: Any) -> bool:
    return body["messages"][-1] == {"role": "system", "content": "It is Sunday."}


def test_every_provider_of_ours_is_there_with_its_key_and_address() -> None:
    for provider in PROVIDERS.values():
        assert {f"`{provider.key_variable}`", f"`{provider.formatter}`"} <= set(
            re.findall(r"`[^`]+`", PAGE.text)
        )
        assert f"`{provider.url_variable}`, else `{provider.url}`" in PAGE.text


NAMED = {
    "late": ["gpt-5", "chatgpt-4o", "o3", "openai/gpt-4o", "grok-4"],
    "late as the user's": ["openai/gpt-oss-20b", "qwen3", "our-own", "my-gpt-5"],
    "mistral": ["mistral-large", "open-mixtral-8x7b", "ministral-8b", "codestral-2508", "devstral-small",
                "magistral-medium", "pixtral-large", "voxtral-small", "our/mistral-7b/q4"],
    "max_completion_tokens": ["o3", "gpt-5-mini", "openai/gpt-6"],
    "max_tokens": ["gpt-4o", "chatgpt-4o", "grok-4"],
}  # fmt: skip


@pytest.mark.parametrize("model", NAMED["late"])
def test_late_instructions_come_last_for_the_named_providers(model: str) -> None:
    assert late_stands_last(asked(model))


@check_rows("model", NAMED["late as the user's"])
def test_for_all_others_they_are_the_last_user_message(model: str) -> None:
    body = asked(model)

    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["messages"][-1] == {"role": "user", "content": "It is Sunday."}


@check_rows("model", NAMED["mistral"])
def test_for_mistral_they_are_in_the_first_message(model: str) -> None:
    assert asked(model)["messages"][0] == {"role": "system", "content": "Be brief.\n\nIt is Sunday."}


@check_rows("model", NAMED["mistral"])
def test_mistral_ids_have_nine_characters_and_results_need_an_answer(model: str) -> None:
    (told,) = [message for message in asked(model)["messages"] if message["role"] == "tool"]
    said = asked(model)["messages"]

    assert re.fullmatch(r"[a-zA-Z0-9]{9}", told["tool_call_id"])
    assert said[said.index(told) + 1] == {"role": "assistant", "content": "…"}


@pytest.mark.parametrize("limit", ["max_completion_tokens", "max_tokens"])
def test_the_longest_reply_uses_the_listed_field_name(limit: str) -> None:
    assert [model for model in NAMED[limit] if limit not in asked(model)] == []


@pytest.mark.parametrize(
    ("model", "told"),
    [("o3", False), ("gpt-5-mini", False), ("gpt-5.1", True), ("gpt-5-chat-latest", True), ("gpt-4o", True)],
)
def test_a_temperature_is_sent_to_models_that_accept_one(model: str, told: bool) -> None:
    request = ModelRequest(role="decider", view=View("", ()), options=ModelOptions(temperature=0.2))
    body = orjson.loads(formatter("openai").format(request, model).body)

    assert ("temperature" in body) is told


def test_parameter_groups_are_left_out_and_lists_name_their_items() -> None:
    parameters: JsonObject = {
        "properties": {"ids": {"type": "array"}, "straße": {}},
        "anyOf": [{"required": ["ids"]}],
    }
    spec = ToolSpec(name="look", description="", parameters=parameters)
    request = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hi"),)),)), tools=(spec,))
    with capture_logs() as logged:
        (tool,) = orjson.loads(formatter("anthropic").format(request, "claude").body)["tools"]

    assert tool["input_schema"] == {
        "type": "object",
        "properties": {"ids": {"type": "array", "items": {}}},
        "required": [],
    }
    assert f"`{logged[0]['event']}`" in page("docs/guides/models.md").text


def test_the_substitute_for_a_thought_is_as_listed() -> None:
    gemini = asked("gemini-3-pro")["messages"][2]["tool_calls"][0]
    (word,) = re.findall(r"`(skip_\w+)`", PAGE.text)

    assert gemini["extra_content"]["google"]["thought_signature"] == word
    for model in ("deepseek-chat", "kimi-k2"):
        assert asked(model)["messages"][2]["reasoning_content"] == " "


def test_every_field_that_is_sent_back_is_listed() -> None:
    listed = {
        name for row in rows("## What goes back to who wrote it") for name in re.findall(r"`(\w+)`", row[1])
    }

    blocks = {"thinking", "redacted_thinking", "reasoning", "encrypted_content"}
    assert listed - blocks == {*OF_MESSAGES, *OF_CALLS}


def shown(body: Any) -> set[str]:
    """The types of everything that is shown in a request, and not described."""
    text = orjson.dumps(body).decode()
    found = re.findall(r'data:([\w/]+);base64|"media_type":"([\w/]+)"', text)
    return {one or other for one, other in found}


@pytest.mark.parametrize(
    ("row", "kind"), [(0, "openai-responses"), (1, "openai"), (1, "generic"), (2, "grok"), (3, "anthropic")]
)
def test_media_types_that_models_see_are_as_listed(row: int, kind: str) -> None:
    media = [Media(mime=mime, data="iVBORw0K") for mime in TYPES]
    listed = list(rows("## Pictures and files"))[row][1]
    assert shown(asked("some", *media, kind=kind)) == {NAMES[one] for one in listed.split(", ")}
    assert shown(asked("some", *media, kind=kind, images=False)) == set()


async def test_a_model_that_is_asked_in_text_gets_what_is_listed() -> None:
    outcome = CallSucceeded(
        call=CALL, value=1, media=tuple(Media(mime=mime, data="iVBORw0K") for mime in TYPES)
    )
    said = FromCustomer("Hi"), FromAssistant("", (CALL,)), FromTools((outcome,))
    model = ScriptedModel(says("Hi."))
    request = ModelRequest(role="decider", view=View("", (TurnView(said),)))
    async for _ in through_text(model, render=shipped_book().render, secret=b"s").stream(request):
        pass
    body = orjson.loads(formatter("openai").format(model.requests[0], "small").body)

    assert shown(body) == {NAMES[one] for one in list(rows("## Pictures and files"))[4][1].split(", ")}


def test_every_form_of_a_call_is_named() -> None:
    section = PAGE.text.partition("### Messages as they stand")[2].partition("\n### ")[0]

    assert {*get_args(OutcomeName), "pending"} <= set(re.findall(r"`(\w+)`", section))
