"""Requests to the Responses API."""

from dataclasses import replace
from typing import Any

import orjson

from assistant.conversation.views import FromAssistant, FromCustomer, TurnView, View
from assistant.formats.openai_responses import ResponsesFormatter
from assistant.ports import ModelRequest

TALK = View(
    "Be brief.",
    (TurnView((FromCustomer("Hi"), FromAssistant("Hello!"))), TurnView((FromCustomer("And now?"),))),
    late="Today is Tuesday.",
)
ASKED = ModelRequest(role="decider", view=TALK, conversation="conversation-1")


def body_of(request: ModelRequest) -> dict[str, Any]:
    return orjson.loads(ResponsesFormatter().format(request, "gpt-4.1").body)


def test_a_request_is_instructions_and_items_with_the_late_note_last() -> None:
    body = body_of(ASKED)

    assert body["instructions"] == "Be brief."
    assert body["input"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "And now?"},
        {"role": "developer", "content": "Today is Tuesday."},
    ]


def test_nothing_is_stored_at_the_provider() -> None:
    assert body_of(ASKED)["store"] is False


def test_requests_of_one_conversation_share_a_cache() -> None:
    assert body_of(ASKED)["prompt_cache_key"] == "conversation-1"
    assert len(body_of(replace(ASKED, conversation="c" * 99))["prompt_cache_key"]) == 64
    assert "prompt_cache_key" not in body_of(replace(ASKED, conversation=""))


def test_a_request_before_the_first_message_has_some_input() -> None:
    body = body_of(replace(ASKED, view=View("Be brief.", ())))

    assert body["input"] == [{"role": "user", "content": "…"}]


def test_one_request_is_the_beginning_of_the_next() -> None:
    formatter = ResponsesFormatter()
    first = formatter.format(replace(ASKED, view=replace(TALK, late="")), "gpt-4.1").body
    grown = (*TALK.turns[:-1], TurnView((*TALK.turns[-1].messages, FromAssistant("Now it is noon."))))
    second = formatter.format(replace(ASKED, view=replace(TALK, turns=grown, late="")), "gpt-4.1").body

    assert second.startswith(first.removesuffix(b"]}"))
