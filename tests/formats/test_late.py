"""Late instructions come last in a request, and stable parts first."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallSucceeded, Media
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.formats.anthropic import AnthropicFormatter
from assistant.formats.openai import OpenAIFormatter
from assistant.formats.openai_variants import GrokFormatter
from assistant.formats.registry import Formatter
from assistant.ports import ModelOptions, ModelRequest

MAKERS: list[Callable[[], Formatter]] = [OpenAIFormatter, AnthropicFormatter, GrokFormatter]
FIND = Call(id="c1.1", tool="find", provider_id="call_a")
PNG = Media(mime="image/png", data="iVBO")
TOOLS = (ToolSpec(name="find", description="Find something. " * 20, parameters={}),)
LATE = "It is Sunday."
MARK = b',"cache_control":{"type":"ephemeral"}'


def found(*media: Media) -> TurnView:
    results = FromTools((CallSucceeded(call=FIND, value=1, media=media),))
    return TurnView((FromCustomer("?"), FromAssistant("", (FIND,)), results))


def written(by: Formatter, view: View, options: ModelOptions | None = None, model: str = "gpt-5") -> bytes:
    request = ModelRequest(role="narrator", view=view, tools=TOOLS, options=options or ModelOptions())
    return by.format(request, model).body


def body(
    by: Formatter, view: View, options: ModelOptions | None = None, model: str = "gpt-5"
) -> dict[str, Any]:
    return orjson.loads(written(by, view, options, model))


@pytest.mark.parametrize("make", [OpenAIFormatter, GrokFormatter])
def test_chat_completions_have_late_instructions_as_the_last_message(make: Callable[[], Formatter]) -> None:
    for turn in (
        TurnView((FromCustomer("Hi"),)),
        found(),
        TurnView((FromAssistant("Welcome."),)),
        TurnView(()),
    ):
        *said, last = body(make(), View("Be brief.", (turn,), LATE))["messages"]

        assert last == {"role": "system", "content": LATE}
        assert said == body(make(), View("Be brief.", (turn,)))["messages"]


@pytest.mark.parametrize("model", ["llama-4-scout", "gpt-oss-120b", "o-of-our-own", "gemini-3-pro"])
def test_a_user_message_has_them_if_no_late_system_message_is_allowed(model: str) -> None:
    system, *said, late = body(OpenAIFormatter(), View("Be brief.", (found(),), LATE), model=model)[
        "messages"
    ]

    assert system == {"role": "system", "content": "Be brief."}
    assert late == {"role": "user", "content": LATE}
    assert said[-1]["role"] == "tool"


def test_mistrals_models_get_all_instructions_first() -> None:
    system, *said = body(OpenAIFormatter(), View("Be brief.", (found(),), LATE), model="mixtral-8x7b")[
        "messages"
    ]

    assert system == {"role": "system", "content": f"Be brief.\n\n{LATE}"}
    assert LATE not in str(said)


def test_anthropic_has_them_as_the_last_block_of_the_user() -> None:
    block = {"type": "text", "text": LATE}
    for turn in (TurnView((FromCustomer("Hi"),)), found()):
        said = body(AnthropicFormatter(), View("", (turn,)))["messages"]
        said[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        said[-1]["content"].append(block)

        assert body(AnthropicFormatter(), View("", (turn,), LATE))["messages"] == said
    welcomed = View("", (TurnView((FromAssistant("Welcome."),)),), LATE)
    assert body(AnthropicFormatter(), welcomed)["messages"][-1] == {"role": "user", "content": [block]}


def test_anthropic_caches_the_dialogue_before_late_instructions() -> None:
    turns = (found(PNG), TurnView(()))

    said = body(AnthropicFormatter(), View("", turns, LATE))["messages"]
    assert [block.get("cache_control") for block in said[-1]["content"]] == [{"type": "ephemeral"}, None]
    assert said[-1]["content"][0]["content"][-1]["type"] == "image"
    assert "cache_control" not in str(body(AnthropicFormatter(), View("", turns))["messages"])
    assert body(AnthropicFormatter(), View("", (), LATE))["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": LATE}]}
    ]


@pytest.mark.parametrize("make", MAKERS)
def test_without_late_instructions_nothing_is_added(make: Callable[[], Formatter]) -> None:
    assert body(make(), View("Be brief.", (found(),), " \n")) == body(make(), View("Be brief.", (found(),)))


def test_instructions_without_what_changes_are_cached() -> None:
    kept = body(AnthropicFormatter(), View("Be brief.", (), LATE))["system"]

    assert kept == [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]


@pytest.mark.parametrize("make", MAKERS)
def test_unformatted_messages_include_instructions(make: Callable[[], Formatter]) -> None:
    plain = ModelOptions(formatted=False)

    assert LATE in str(body(make(), View("Be brief.", (found(),), LATE), plain))


@pytest.mark.parametrize("make", MAKERS)
def test_a_request_begins_like_the_previous_one_up_to_late_instructions(
    make: Callable[[], Formatter],
) -> None:
    formatter, turns = (
        make(),
        [TurnView((FromCustomer(f"Message {n}"), FromAssistant("Yes."))) for n in range(9)],
    )

    for count in range(1, 9):
        before, after = (
            # Up to where the provider keeps it says another mark each time, which is not among what it keeps.
            written(formatter, View("Be brief.", tuple(turns[:n]), f"Request {n}")).replace(MARK, b"")
            for n in (count, count + 1)
        )
        assert after.startswith(before[: before.index(b"Request") - 40])  # and what opens its own message


def test_a_server_that_requires_an_answer_after_results_gets_one() -> None:
    turns = (found(), TurnView((FromCustomer("Hello?"),)), found(PNG))

    system, *said = body(OpenAIFormatter(), View("Be brief.", turns, LATE), model="mistral-large")["messages"]

    assert system == {"role": "system", "content": f"Be brief.\n\n{LATE}"}
    assert [message["role"] for message in said] == [
        *("user", "assistant", "tool", "assistant"),
        *("user", "user", "assistant", "tool", "assistant", "user"),
    ]
    assert said[3] == said[8] == {"role": "assistant", "content": "…"}


def test_such_a_server_gets_the_customers_message_last() -> None:
    turns = (TurnView((FromCustomer("Hi"), FromAssistant("Hello."))),)

    *_, last = body(OpenAIFormatter(), View("Be brief.", turns, LATE), model="mistral-large")["messages"]

    assert last == {"role": "user", "content": "…"}
